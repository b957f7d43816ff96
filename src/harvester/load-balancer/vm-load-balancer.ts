import { Duration } from 'cdk8s';
import { Construct } from 'constructs';
import {
  checkBackendSelector,
  checkBalancerFields,
  checkBalancerService,
  checkHealthCheck,
  checkHealthNumbers,
  checkListeners,
  DEFAULT_PROTOCOL,
} from './load-balancer.check';
import { API_LOAD_BALANCER, KIND_LOAD_BALANCER, WORKLOAD_VM } from './load-balancer.kind';
import { ExistingNamespacedResourceOptions, ResourceManifest } from '../../core/app/resource';
import { OrderingType, Ordering } from '../../core/construct/edge';
import { GrowingProps } from '../../core/growing/growing-props';
import { Problem, asProps, collectProblems, failOnErrors } from '../../core/problem/problem';
import { LateSource, LateValue } from '../../core/value/late-value';
import type { LoadBalancerProtocol } from '../../guest/balancer/harvester-load-balancer';
import type { Ipam } from '../../guest/balancer/service-address';
import { requireSameHarvester } from '../harvester-object';
import {
  ExistingNamespacedHarvesterResource,
  AdoptedObject,
  NamespacedHarvesterResource,
  NamespacedHarvesterResourceProps,
  listedProps,
} from '../harvester-resource';
import { INamespacedHarvesterResource } from '../harvester-resource-ref';

const KIND = { apiVersion: API_LOAD_BALANCER, kind: KIND_LOAD_BALANCER };

// the defaults of Harvester's webhook: written out, so that a GitOps engine sees no difference
const THRESHOLD = 2;
const SECOND = 1;

/** The props of fields that have another name. */
const PROPS = {
  'metadata.name': 'name',
  'spec.backendServerSelector': 'backendSelector',
  'spec.healthCheck.periodSeconds': 'healthCheck.period',
  'spec.healthCheck.timeoutSeconds': 'healthCheck.timeout',
};

/** A listener of a load balancer for virtual machines. */
export interface VmListener {
  /** The port for clients: 1 to 65535, unique per protocol. */
  readonly port: number;
  /**
   * The port of the virtual machines: 1 to 65535, unique per protocol.
   * @default - the same as port
   */
  readonly backendPort?: number;
  /** The protocol. @default LoadBalancerProtocol.TCP */
  readonly protocol?: LoadBalancerProtocol;
  /**
   * The unique name of the listener: at most 63 of a-z, 0-9 and hyphens.
   * @default - protocol and port, e.g. `tcp-443`
   */
  readonly name?: string;
}

/** The health check of a load balancer for virtual machines: a TCP connection to a port. */
export interface VmHealthCheck {
  /** The backendPort of a TCP listener. */
  readonly port: number;
  /** The number of consecutive successes after which a VM is healthy: 1 or more. @default 2 */
  readonly successThreshold?: number;
  /** The number of consecutive failures after which a VM is unhealthy: 1 or more. @default 2 */
  readonly failureThreshold?: number;
  /** The interval between checks, in whole seconds, 1 or more. @default Duration.seconds(1) */
  readonly period?: Duration;
  /** The timeout of a check, in whole seconds, 1 or more. @default Duration.seconds(1) */
  readonly timeout?: Duration;
}

/** A load balancer of a Harvester for virtual machines: declared by the program, or existing. */
export interface IVmLoadBalancer extends INamespacedHarvesterResource {
  /** The ID of the object in Rancher's API: `<namespace>/<name>`. */
  readonly vmLoadBalancerId: string;
  /** The address of the load balancer, as a late value: `status.address`. */
  readonly address: string;
}

/**
 * Properties of a load balancer for virtual machines. Its name is also that of the Service that
 * Harvester creates for it: an RFC 1035 label. Its namespace is that of the virtual machines.
 */
export interface VmLoadBalancerProps extends NamespacedHarvesterResourceProps {
  /**
   * Values that keep an existing object unchanged when you adopt it. `cdk8s-harvester adopt`
   * writes them; a new object needs none.
   * @default - the program creates the object
   */
  readonly adopted?: AdoptedObject;
  /**
   * The source of the address: DHCP, a given IP pool, or a pool whose scope contains the namespace.
   * Immutable.
   */
  readonly ipam: Ipam;
  /** The listeners, at least one. */
  readonly listeners: VmListener[];
  /**
   * The labels of the virtual machines in its namespace that receive the traffic, each with its
   * accepted values. All labels must match. They are the labels of a VM's template, i.e. of its
   * instance. An empty map selects all virtual machines of the namespace.
   */
  readonly backendSelector: { readonly [label: string]: string[] };
  /** The health check that excludes VMs that do not answer. @default - no health check */
  readonly healthCheck?: VmHealthCheck;
}

/**
 * The LoadBalancer of a Harvester for virtual machines of one namespace. For load balancers of
 * guest clusters, which are Services there, see `HarvesterLoadBalancer`.
 *
 * @see https://docs.harvesterhci.io/latest/networking/loadbalancer
 * @example
 * new VmLoadBalancer(dc1, 'database', {
 *   ipam: Ipam.pool(IpPool.singleAddress(dc1, 'database-address', { address: '10.10.0.20' })),
 *   listeners: [{ port: 5432 }],
 *   backendSelector: { app: ['postgres'] },
 *   healthCheck: { port: 5432 },
 * });
 */
export class VmLoadBalancer extends NamespacedHarvesterResource implements IVmLoadBalancer {
  /** A reference to an existing load balancer. */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingNamespacedResourceOptions,
  ): IVmLoadBalancer {
    return new ExistingLoadBalancer(scope, id, 'VmLoadBalancer.fromName', KIND, options);
  }

  private readonly growing: GrowingProps<VmLoadBalancerProps>;

  constructor(scope: Construct, id: string, props: VmLoadBalancerProps) {
    super(scope, id, listedProps(props));
    const { pool } = props.ipam._details;
    if (pool) {
      requireSameHarvester(this, 'ipam', pool.name, pool.harvester, this.harvester);
    }
    this.growing = new GrowingProps(this, props, (all) => this.manifestOf(all));
    const balancer = this._writeGrowing(this.growing, { props: PROPS });
    if (pool) {
      Ordering.of(balancer)._add(pool, OrderingType.APPLIED);
    }
  }

  /** Adds a port. Added listeners follow those of the constructor. */
  public addListener(listener: VmListener): void {
    this.growing.add('addListener', 'listeners', listener);
  }

  public get vmLoadBalancerId(): string {
    return `${this.namespace}/${this.name}`;
  }

  public get address(): string {
    return addressOf(this);
  }

  private manifestOf(props: VmLoadBalancerProps): ResourceManifest {
    const { ipam, listeners, backendSelector, healthCheck, description, adopted } = props;
    const { pool } = ipam._details;
    const manifest = {
      ...KIND,
      metadata: { name: this.name, namespace: this.namespace },
      spec: {
        // forms of the UI read the annotation of the description, lists this field
        description,
        workloadType: WORKLOAD_VM,
        ipam: ipam._mode === 'unset' ? undefined : ipam._mode,
        ipPool: pool?.name,
        listeners: listeners.map(({ port, backendPort = port, protocol, name }) => ({
          name: name ?? `${(protocol ?? DEFAULT_PROTOCOL).toLowerCase()}-${port}`,
          port,
          protocol: protocol ?? (adopted?.asWritten ? undefined : DEFAULT_PROTOCOL),
          backendPort,
        })),
        backendServerSelector: backendSelector,
        healthCheck: healthCheck && {
          port: healthCheck.port,
          successThreshold: healthCheck.successThreshold ?? THRESHOLD,
          failureThreshold: healthCheck.failureThreshold ?? THRESHOLD,
          periodSeconds: healthCheck.period?.toSeconds({ integral: false }) ?? SECOND,
          timeoutSeconds: healthCheck.timeout?.toSeconds({ integral: false }) ?? SECOND,
        },
      },
    };
    // a mode that the manifest cannot have is reported once
    collectProblems(this, checkIpam(ipam));
    failOnErrors(
      this,
      asProps(
        [
          ...checkBalancerFields(manifest),
          ...checkBalancerService(manifest),
          ...checkListeners(manifest),
          ...checkBackendSelector(manifest),
          ...checkHealthCheck(manifest),
          // the server accepts a 0; what it refuses is reported above
          ...checkHealthNumbers(
            manifest,
            (value) => value < 0 || (Number.isInteger(value) && value >= 1),
          ),
        ],
        PROPS,
      ),
    );
    return { ...KIND, spec: manifest.spec };
  }
}

class ExistingLoadBalancer extends ExistingNamespacedHarvesterResource implements IVmLoadBalancer {
  public get vmLoadBalancerId(): string {
    return `${this.namespace}/${this.name}`;
  }

  public get address(): string {
    return addressOf(this);
  }
}

/** The address of a load balancer: one late value, however often it is used. */
function addressOf(balancer: INamespacedHarvesterResource): string {
  const { harvester: target, namespace, name } = balancer;
  return LateValue._once(balancer, 'Address', {
    description: `address of load balancer ${namespace}/${name}`,
    source: LateSource.field('status.address', { ...KIND, target, namespace, name }),
  }).token;
}

function checkIpam({ _mode: mode, _details }: Ipam): Problem[] {
  const { dhcp = {} } = _details;
  if (mode === 'shared') {
    return [
      {
        path: 'ipam',
        message: 'cannot share the address of a Service: only Services of a guest cluster can',
        fix: 'use Ipam.pool() or Ipam.dhcp()',
      },
    ];
  }
  if (Object.values(dhcp).every((value) => value === undefined)) {
    return [];
  }
  return [
    {
      path: 'ipam',
      value: dhcp,
      message: 'cannot request an address from DHCP: only Services of a guest cluster can',
      fix: 'use Ipam.dhcp() without options',
    },
  ];
}
