import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { checkPoolNamespaces, checkPoolProjects, checkPoolRanges, checkPoolSelector, checkPoolSize } from './ip-pool.check';
import { ANNOTATION_RELEASE_IP, KIND_IP_POOL } from './ip-pool.kind';
import { ANY } from './pool-selection';
import { know } from '../../core/app/known-objects';
import { IHarvesterTarget, INamespace, harvesterTargetOf } from '../../core/app/target';
import { parseIp } from '../../core/go/go-ip';
import { EdgeType, Edges } from '../../core/late/edge';
import { isLate } from '../../core/late/late-token';
import { Manifest } from '../../core/manifest/manifest';
import { descriptionAnnotations } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { Problem, failOnErrors, problemText } from '../../core/rule/problem';
import type { IGuestCluster } from '../../guest/cluster/guest-cluster-ref';
import type { ITenantProject } from '../../rancher/project/tenant-project-ref';
import { API_LOAD_BALANCER } from '../load-balancer/load-balancer.kind';
import { IVmNetwork } from '../network/vm-network';
import { asProps, failUnlessSameHarvester, objectName } from '../object-name';

/**
 * A scope in plain text, see IpPoolScope.
 */
export interface IpPoolScopeFields {
  /** `<cluster id>/<name of the Project object>`, with a slash; empty is a namespace outside of every project. @default '*' */
  readonly project?: string;
  /** The namespace that the load balancer is in on the Harvester: of a guest cluster that of its machines. @default '*' */
  readonly namespace?: string;
  /** The name of the guest cluster as its cloud provider knows it; empty is a load balancer of virtual machines. @default '*' */
  readonly guestCluster?: string;
}

/**
 * Who may take addresses of an IP pool: what is not said is everybody.
 *
 * The scopes of one pool must not overlap, nor those of pools on the same network without priority.
 */
export class IpPoolScope {
  /** Every load balancer of the Harvester. A pool with this scope alone is the global pool, which takes who finds no other; there is one. */
  public static everything(): IpPoolScope {
    return new IpPoolScope({});
  }

  /**
   * The load balancers in a namespace of the Harvester.
   * @param namespace of virtual machines, or of the machines of guest clusters
   */
  public static namespace(namespace: INamespace): IpPoolScope {
    return new IpPoolScope({ namespace: namespace.namespaceName });
  }

  /**
   * The load balancers in all namespaces of a project.
   * @param project of the Harvester, in Rancher
   */
  public static project(project: ITenantProject): IpPoolScope {
    return new IpPoolScope({ project: `${project.cluster.clusterId}/${project.projectName}` });
  }

  /**
   * The load balancers of a guest cluster.
   * @param cluster that runs on the Harvester
   */
  public static guestCluster(cluster: IGuestCluster): IpPoolScope {
    return new IpPoolScope({ guestCluster: cluster.name });
  }

  /**
   * A scope by plain names.
   * @param fields what is left out is everybody
   */
  public static of(fields: IpPoolScopeFields): IpPoolScope {
    return new IpPoolScope(fields);
  }

  private constructor(private readonly fields: IpPoolScopeFields) {}

  /** @internal */
  public _toSpec(): { project: string; namespace: string; guestCluster: string } {
    const { project = ANY, namespace = ANY, guestCluster = ANY } = this.fields;
    return { project, namespace, guestCluster };
  }
}

/**
 * An IP pool of a Harvester: one that the program declares, or one that is there.
 */
export interface IIpPool extends IConstruct {
  /** The name of the IPPool. */
  readonly poolName: string;
  /** The Harvester that it is on. */
  readonly harvester: IHarvesterTarget;
}

/**
 * Some addresses of a subnet. Addresses are IPv4, or IPv6.
 */
export interface IpPoolRange {
  /** The subnet as a CIDR, e.g. `192.168.100.0/24`; with `/32` it is one address, and the others are left out. */
  readonly subnet: string;
  /** The first address. @default - the first host of the subnet */
  readonly start?: string;
  /** The last address. @default - the last host of the subnet */
  readonly end?: string;
  /** The gateway, which is never given out: within the subnet, within the range or not. @default - the first host of the subnet */
  readonly gateway?: string;
}

/**
 * Properties of a pool beside its addresses and its scope.
 */
export interface IpPoolOptions {
  /** The name of the IPPool. @default - the id of the construct */
  readonly name?: string;
  /**
   * The network that load balancers must be of: the first one of the machines of a guest cluster, unless the Service says otherwise. A pool with
   * a network is not for load balancers of virtual machines, unless they name it.
   * @default - only load balancers without one, i.e. those of virtual machines
   */
  readonly network?: IVmNetwork;
  /** Text that the UI shows. @default - none */
  readonly description?: string;
  /** Labels of the IPPool. @default - those of Harvester */
  readonly labels?: { readonly [key: string]: string };
}

/**
 * Properties of a pool with one address.
 */
export interface SingleAddressPoolProps extends IpPoolOptions {
  /** The address, of IPv4. */
  readonly address: string;
  /** Who gets it. @default - only load balancers of virtual machines that name the pool */
  readonly scopes?: IpPoolScope[];
  /** Which pool wins where several are in question: the higher, unique unless it is 0. @default 0 */
  readonly priority?: number;
}

/**
 * Properties of the global pool.
 */
export interface GlobalIpPoolProps extends IpPoolOptions {
  /** Its addresses. */
  readonly ranges: IpPoolRange[];
}

/**
 * Properties of a pool.
 */
export interface IpPoolProps extends GlobalIpPoolProps {
  /** Who gets addresses of it. @default - only load balancers of virtual machines that name the pool */
  readonly scopes?: IpPoolScope[];
  /** Which pool wins where several are in question: the higher, unique unless it is 0. @default 0 */
  readonly priority?: number;
}

/**
 * Defines an IP pool on a Harvester: the addresses that load balancers get, those of virtual machines and those of guest clusters.
 *
 * Which pool a load balancer gets is decided by network and scope, then by priority; the global pool takes the others. An address is in one
 * pool of a Harvester only, whatever the networks. `cdk8s-harvester addresses` prints who gets what.
 *
 * @see https://docs.harvesterhci.io/latest/networking/ippool
 */
export class IpPool extends Construct implements IIpPool {
  /**
   * A pool that is there.
   *
   * @param scope below a HarvesterChart
   * @param id of the construct
   * @param name of the IPPool
   */
  public static fromName(scope: Construct, id: string, name: string): IIpPool {
    return new ExistingPool(scope, id, name);
  }

  /**
   * A pool with one address, which is how one load balancer gets a fixed one.
   *
   * @param scope below a HarvesterChart
   * @param id of the construct
   * @param props the address and who gets it
   */
  public static singleAddress(scope: Construct, id: string, props: SingleAddressPoolProps): IpPool {
    const { address, ...rest } = props;
    // an IPv6 address with the same suffix would be a large subnet
    if (!isLate(address) && parseIp(address)?.family !== 4) {
      const problem: Problem = { path: 'address', value: address, message: 'is no IPv4 address', fix: 'give one such as 10.0.0.5' };
      throw new Error(`[${scope.node.path}/${id}] ${problemText(problem)}`);
    }
    return new IpPool(scope, id, { ...rest, ranges: [{ subnet: `${address}/32` }] });
  }

  /**
   * The pool that takes load balancers for which there is no other; a Harvester has one, whose network does not count.
   *
   * @param scope below a HarvesterChart
   * @param id of the construct
   * @param props its addresses
   */
  public static global(scope: Construct, id: string, props: GlobalIpPoolProps): IpPool {
    return new IpPool(scope, id, { ...props, scopes: [IpPoolScope.everything()] });
  }

  public readonly poolName: string;
  public readonly harvester: IHarvesterTarget;

  constructor(scope: Construct, id: string, props: IpPoolProps) {
    super(scope, id);
    this.harvester = harvesterTargetOf(this, 'IpPool');
    this.poolName = objectName(this, props.name);
    const { network } = props;
    if (network) { failUnlessSameHarvester(this, 'network', network.networkId, network.harvester, this.harvester); }
    const manifest = manifestOf(this.poolName, props);
    failOnErrors(this, asProps([
      ...checkPoolRanges(manifest),
      ...checkPoolSize(manifest),
      ...checkPoolSelector(manifest),
      ...checkPoolProjects(manifest),
      ...checkPoolNamespaces(manifest),
    ]).map((problem) => ({ ...problem, path: propPath(problem.path) })));
    const pool = new ApiObject(this, 'Resource', {
      ...manifest,
      // forms of the UI read the annotation, lists the field too
      metadata: { name: this.poolName, labels: props.labels, annotations: descriptionAnnotations(props.description) },
    });
    note(pool, {
      deletion: { policy: 'delete', reason: 'refused while an address is given out: the Services and load balancers go first' },
      // replaced by one whose status is left out, it would forget which addresses are given out
      othersWrite: ['metadata.labels', `metadata.annotations[${ANNOTATION_RELEASE_IP}]`, 'metadata.finalizers', 'status'],
    });
    // the webhook refuses a pool whose network is not there
    if (network) { Edges.of(pool)._add(network, EdgeType.APPLIED); }
  }
}

/** A pool that somebody else made. */
class ExistingPool extends Construct implements IIpPool {
  public readonly poolName: string;
  public readonly harvester: IHarvesterTarget;

  constructor(scope: Construct, id: string, name: string) {
    super(scope, id);
    this.harvester = harvesterTargetOf(this, 'IpPool.fromName');
    this.poolName = objectName(this, name);
    know(this, { target: this.harvester, apiVersion: API_LOAD_BALANCER, kind: KIND_IP_POOL, name });
  }
}

// the props have shorter words than the definition
function propPath(path: string): string {
  return path.replace(/^selector\.scope/, 'scopes').replace(/^selector\./, '').replace(/\.rangeStart$/, '.start').replace(/\.rangeEnd$/, '.end');
}

function manifestOf(name: string, { ranges, network, scopes, priority, description }: IpPoolProps): Manifest {
  return {
    apiVersion: API_LOAD_BALANCER,
    kind: KIND_IP_POOL,
    metadata: { name },
    spec: {
      description,
      ranges: ranges.map(({ subnet, start, end, gateway }) => ({ subnet, rangeStart: start, rangeEnd: end, gateway })),
      selector: { priority, network: network?.networkId, scope: scopes?.map((scope) => scope._toSpec()) },
    },
  };
}
