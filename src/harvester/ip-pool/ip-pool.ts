import { Construct } from 'constructs';
import { IP_POOL_FACTS } from './ip-pool.check';
import { KIND_IP_POOL } from './ip-pool.kind';
import { ANY_OF_SCOPE, SCOPE_DIMENSIONS } from './pool-selection.facts';
import { ExistingResourceOptions, ResourceManifest } from '../../core/app/resource';
import { OrderingType, Ordering } from '../../core/construct/edge';
import { IHarvesterTarget, INamespace } from '../../core/construct/target';
import { DraftValue, StaticCall, call, refer, unless } from '../../core/draft/draft';
import { FieldSource, FieldTable } from '../../core/fields/field-table';
import { numberField, structsField, textField } from '../../core/fields/fields';
import { parseIp } from '../../core/go/go-ip';
import { GrowingProps } from '../../core/growing/growing-props';
import { isLate } from '../../core/late/late-token';
import { Manifest, itemsAt, valueAt } from '../../core/manifest/manifest';
import { Problem, asProps, failOnErrors } from '../../core/problem/problem';
import { checkAlone } from '../../core/rule/kit/object-fact';
import { textOrEmpty } from '../../core/text/plain-text';
import { filledFields, filledList } from '../../core/text/values';
import type { IGuestCluster } from '../../guest/parts/guest-cluster-ref';
import type { ITenantProject } from '../../rancher/project/tenant-namespace';
import { requireSameHarvester } from '../harvester-object';
import {
  ExistingHarvesterResource,
  AdoptedObject,
  HarvesterResource,
  HarvesterResourceProps,
  listedProps,
} from '../harvester-resource';
import { IHarvesterResource } from '../harvester-resource-ref';
import { API_LOAD_BALANCER } from '../load-balancer/load-balancer.kind';
import { IVmNetwork } from '../network/vm-network';
import { ATTACHMENT_KIND } from '../network/vm-network.kind';

const KIND = { apiVersion: API_LOAD_BALANCER, kind: KIND_IP_POOL };

/** A scope of an IP pool by plain names, see `IpPoolScope.of`. */
export interface IpPoolScopeFields {
  /**
   * `<cluster ID>/<name of the Project>`, with a slash. Empty: namespaces outside of any project.
   * @default '*'
   */
  readonly project?: string;
  /**
   * The namespace of the load balancer on the Harvester, which is that of the machines for a guest
   * cluster.
   * @default '*'
   */
  readonly namespace?: string;
  /**
   * The name of the guest cluster that its cloud provider uses. Empty: load balancers of virtual
   * machines.
   * @default '*'
   */
  readonly guestCluster?: string;
}

/**
 * The load balancers that may get addresses from an IP pool. A dimension that is not set matches
 * all.
 *
 * The scopes of a pool cannot overlap each other, nor those of pools with the same network and no
 * priority.
 */
export class IpPoolScope {
  /**
   * All load balancers of the Harvester. A pool with only this scope is the global pool, the
   * fallback for load balancers without a pool.
   */
  public static everything(): IpPoolScope {
    return new IpPoolScope({});
  }

  /**
   * The load balancers in a namespace of the Harvester.
   * @param namespace the namespace of virtual machines, or of the machines of guest clusters
   */
  public static namespace(namespace: INamespace): IpPoolScope {
    return new IpPoolScope({ namespace: namespace.name }, namespace);
  }

  /** The load balancers in all namespaces of a project. */
  public static project(project: ITenantProject): IpPoolScope {
    return new IpPoolScope({ project: `${project.cluster.clusterId}/${project.name}` });
  }

  /** The load balancers of a guest cluster. */
  public static guestCluster(cluster: IGuestCluster): IpPoolScope {
    return new IpPoolScope({ guestCluster: cluster.name });
  }

  /**
   * A scope by plain names.
   * @param fields the names; a field that is not set matches all
   */
  public static of(fields: IpPoolScopeFields): IpPoolScope {
    return new IpPoolScope(fields);
  }

  private constructor(
    private readonly fields: IpPoolScopeFields,
    /** @internal */
    public readonly _namespace?: INamespace,
  ) {}

  /** The names as they are given, without `*` for those that match all. @internal */
  public _asWritten(): IpPoolScopeFields {
    return { ...this.fields };
  }

  /** @internal */
  public _toSpec(): { project: string; namespace: string; guestCluster: string } {
    const {
      project = ANY_OF_SCOPE,
      namespace = ANY_OF_SCOPE,
      guestCluster = ANY_OF_SCOPE,
    } = this.fields;
    return { project, namespace, guestCluster };
  }
}

/** An IP pool of a Harvester: declared by the program, or existing. */
export interface IIpPool extends IHarvesterResource {
  /** The ID of the object in Rancher's API, which is its name. */
  readonly ipPoolId: string;
}

/** A range of IPv4 or IPv6 addresses in a subnet. */
export interface IpPoolRange {
  /**
   * The subnet as a CIDR, e.g. `192.168.100.0/24`. With `/32`, it is one address, and the other
   * fields are omitted.
   */
  readonly subnet: string;
  /** The first address. @default - the first host of the subnet */
  readonly start?: string;
  /** The last address. @default - the last host of the subnet */
  readonly end?: string;
  /**
   * The gateway, which is never allocated: in the subnet, inside or outside of the range.
   * @default - the first host of the subnet
   */
  readonly gateway?: string;
}

/** Options of an IP pool other than its addresses and scopes. */
export interface IpPoolOptions extends HarvesterResourceProps {
  /**
   * Values that keep an existing object unchanged when you adopt it. `cdk8s-harvester adopt`
   * writes them; a new object needs none.
   * @default - the program creates the object
   */
  readonly adopted?: AdoptedObject;
  /**
   * The VM network of the load balancers: the first one of the machines of a guest cluster, unless
   * the Service sets another. A pool with a network serves load balancers of virtual machines only
   * if they refer to the pool.
   * @default - only load balancers without a network, i.e. those of virtual machines
   */
  readonly network?: IVmNetwork;
}

/** Properties of a pool with one address. */
export interface SingleAddressPoolProps extends IpPoolOptions {
  /** The IPv4 address. */
  readonly address: string;
  /**
   * The load balancers that may get the address.
   * @default - only load balancers of virtual machines that name the pool
   */
  readonly scopes?: IpPoolScope[];
  /** The precedence among matching pools: the highest wins. Unique unless it is 0. @default 0 */
  readonly priority?: number;
}

/** Properties of the global pool. */
export interface GlobalIpPoolProps extends IpPoolOptions {
  /** The addresses of the pool. */
  readonly ranges: IpPoolRange[];
}

/** Properties of an IP pool. */
export interface IpPoolProps extends GlobalIpPoolProps {
  /**
   * The load balancers that may get addresses.
   * @default - only load balancers of virtual machines that name the pool
   */
  readonly scopes?: IpPoolScope[];
  /** The precedence among matching pools: the highest wins. Unique unless it is 0. @default 0 */
  readonly priority?: number;
}

/** The fields of an IPPool. */
export const IP_POOL_FIELDS = new FieldTable<
  Omit<IpPoolProps, keyof HarvesterResourceProps | 'adopted'>
>('spec', {
  network: {
    path: 'selector.network',
    write: ({ networkId }) => networkId,
    read: networkProp,
  },
  ranges: structsField('ranges', {
    subnet: textField('subnet'),
    start: textField('rangeStart'),
    end: textField('rangeEnd'),
    gateway: textField('gateway'),
  }),
  scopes: {
    path: 'selector.scope',
    write: (scopes, asWritten) =>
      scopes.map((scope) => (asWritten ? scope._asWritten() : scope._toSpec())),
    read: (scopes, { asWritten }) =>
      filledList(itemsAt(scopes).map((scope) => scopeCall(scope, asWritten))),
  },
  priority: numberField('selector.priority', { serverDefault: 0 }),
});

/**
 * The IPPool of a Harvester: addresses for load balancers of virtual machines and of guest
 * clusters.
 *
 * Harvester selects the pool of a load balancer by network and scope, then by priority, and falls
 * back to the global pool. An address can be in only one pool of a Harvester, regardless of the
 * networks. `cdk8s-harvester addresses` prints the pool of each load balancer.
 *
 * @see https://docs.harvesterhci.io/latest/networking/ippool
 * @example
 * new IpPool(dc1, 'shop-addresses', {
 *   ranges: [{ subnet: '10.10.100.0/24', start: '10.10.100.200', end: '10.10.100.219', gateway: '10.10.100.1' }],
 *   scopes: [IpPoolScope.guestCluster(shop)],
 * });
 */
export class IpPool extends HarvesterResource implements IIpPool {
  /** A reference to an existing pool. */
  public static fromName(scope: Construct, id: string, options: ExistingResourceOptions): IIpPool {
    return new ExistingIpPool(scope, id, 'IpPool.fromName', KIND, options);
  }

  /** A pool with one address, which gives a load balancer a fixed address. */
  public static singleAddress(scope: Construct, id: string, props: SingleAddressPoolProps): IpPool {
    const { address, ...rest } = props;
    return new IpPool(scope, id, { ...rest, ranges: [new SingleAddress(address)] });
  }

  /**
   * The global pool: the fallback for load balancers that match no other pool, regardless of its
   * network. A Harvester has at most one.
   */
  public static globalPool(scope: Construct, id: string, props: GlobalIpPoolProps): IpPool {
    return new IpPool(scope, id, { ...props, scopes: [IpPoolScope.everything()] });
  }

  private readonly growing: GrowingProps<IpPoolProps>;

  constructor(scope: Construct, id: string, props: IpPoolProps) {
    super(scope, id, listedProps(props));
    const { network } = props;
    if (network) {
      requireSameHarvester(this, 'network', network.networkId, network.harvester, this.harvester);
    }
    this.growing = new GrowingProps(this, props, (all) => this.manifestOf(all));
    const pool = this._writeGrowing(this.growing, { props: IP_POOL_FIELDS.names });
    // the webhook refuses a pool whose network does not exist
    if (network) {
      Ordering.of(pool)._add(network, OrderingType.APPLIED);
    }
  }

  /**
   * Adds addresses. Added ranges follow those of the constructor.
   *
   * @example
   * const pool = new IpPool(dc1, 'web-addresses', { ranges: [{ subnet: '10.10.110.0/24', end: '10.10.110.99' }] });
   * pool.addRange({ subnet: '10.10.120.0/24' });
   */
  public addRange(range: IpPoolRange): void {
    this.growing.add('addRange', 'ranges', range);
  }

  /**
   * Lets more load balancers get addresses, e.g. those of a guest cluster that refers to the pool
   * itself.
   *
   * @example
   * const pool = new IpPool(dc1, 'shared-addresses', { ranges: [{ subnet: '10.10.130.0/24' }] });
   * pool.addScope(IpPoolScope.guestCluster(shop));
   */
  public addScope(scope: IpPoolScope): void {
    this.growing.add('addScope', 'scopes', scope);
  }

  /** Its addresses. */
  public get ranges(): IpPoolRange[] {
    return [...this.growing.current.ranges];
  }

  /** Whether load balancers other than those that name it get its addresses. @internal */
  public get _isScoped(): boolean {
    return (this.growing.current.scopes ?? []).length > 0;
  }

  public get ipPoolId(): string {
    return this.name;
  }

  private manifestOf(props: IpPoolProps): ResourceManifest {
    const [first, ...others] = props.ranges;
    for (const [index, { _namespace: namespace }] of (props.scopes ?? []).entries()) {
      if (namespace) {
        requireSameHarvester(
          this,
          `scopes[${index}].namespace`,
          namespace.name,
          namespace.target as IHarvesterTarget,
          this.harvester,
        );
      }
    }
    const manifest = manifestOf(this.name, props);
    const isSingleAddress = first instanceof SingleAddress && others.length === 0;
    const problems = asProps(checkAlone(manifest, IP_POOL_FACTS), IP_POOL_FIELDS.names);
    failOnErrors(
      this,
      isSingleAddress
        ? [...first.check(), ...problems.filter(({ path }) => !path.startsWith('ranges'))]
        : problems,
    );
    return { ...KIND, spec: manifest.spec };
  }
}

class ExistingIpPool extends ExistingHarvesterResource implements IIpPool {
  public get ipPoolId(): string {
    return this.name;
  }
}

/** The range of a pool with one address. */
class SingleAddress implements IpPoolRange {
  public readonly subnet: string;

  constructor(private readonly address: string) {
    this.subnet = `${address}/32`;
  }

  public check(): Problem[] {
    // an IPv6 address with the same suffix would be a large subnet
    if (isLate(this.address) || parseIp(this.address)?.family === 4) {
      return [];
    }
    return [
      {
        path: 'address',
        value: this.address,
        message: 'must be an IPv4 address',
        fix: 'set an address such as 10.0.0.5',
      },
    ];
  }
}

function manifestOf(name: string, props: IpPoolProps): Manifest {
  const { description, adopted = {} } = props;
  const { asWritten } = adopted;
  return {
    ...KIND,
    metadata: { name },
    spec: {
      // forms of the UI read the annotation of the description, lists this field
      description,
      ...(asWritten ? {} : { selector: {} }),
      ...IP_POOL_FIELDS.write(props, asWritten),
    },
  };
}

function networkProp(id: unknown, { object }: FieldSource): DraftValue {
  const [namespace, name] = textOrEmpty(id).split('/');
  return name === undefined ? undefined : refer(object, ATTACHMENT_KIND, name, namespace);
}

function scopeCall(scope: unknown, asWritten: boolean): StaticCall {
  const names = Object.fromEntries(
    SCOPE_DIMENSIONS.map((dimension) => {
      const name = valueAt(scope, dimension) as string | undefined;
      return [dimension, asWritten ? name : unless(name, ANY_OF_SCOPE)];
    }),
  );
  return filledFields(names) ? call('IpPoolScope', 'of', names) : call('IpPoolScope', 'everything');
}
