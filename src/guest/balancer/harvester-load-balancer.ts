import { Lazy } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import {
  ANNOTATION_KUBE_VIP_HWADDR,
  ANNOTATION_KUBE_VIP_REQUESTED_IP,
  ANNOTATION_PRIMARY_SERVICE,
} from './load-balancer-service.check';
import {
  IGuestLoadBalancer,
  Ipam,
  ServiceAddress,
  addressAnnotations,
  checkAddress,
  lateAddress,
  orderService,
} from './service-address';
import {
  ExistingNamespacedResourceOptions,
  ResourceProps,
  defaultName,
  defaultNamespace,
  labelName,
  ResourceManifest,
} from '../../core/app/resource';
import { IGuestTarget, targetOf } from '../../core/construct/target';
import { parseCidr } from '../../core/go/go-ip';
import { GrowingProps } from '../../core/growing/growing-props';
import { isLate } from '../../core/late/late-token';
import { isRecord } from '../../core/manifest/manifest';
import { ANNOTATION_DESCRIPTION, API_VERSIONS } from '../../core/manifest/names';
import { Problem, checkLiteral, collectProblems } from '../../core/problem/problem';
import {
  BALANCER_NAME,
  checkServicePorts,
} from '../../harvester/load-balancer/load-balancer.check';
import { IVmNetwork } from '../../harvester/network/vm-network';
import {
  ExistingNamespacedGuestResource,
  NamespacedGuestResource,
  NamespacedGuestResourceProps,
} from '../guest-resource';

/**
 * What a load balancer reads of a workload of cdk8s-plus. Each release of cdk8s-plus for another
 * Kubernetes version is a separate package whose classes have private members, so no type of one of
 * them accepts the others.
 *
 * @see cdk8s-team/cdk8s-plus:src/workload.ts Workload
 */
interface WorkloadLike {
  readonly matchLabels: { readonly [key: string]: string };
  readonly matchExpressions?: readonly unknown[];
  readonly metadata?: { readonly namespace?: string };
}

/** The construct as a workload; undefined if it is not a workload, which checkWorkload reports. */
function asWorkload(construct: IConstruct | undefined): WorkloadLike | undefined {
  return construct && isRecord((construct as Partial<WorkloadLike>).matchLabels)
    ? (construct as unknown as WorkloadLike)
    : undefined;
}

/** Checks the workload: a Service selects pods only by equal labels. */
function checkWorkload(construct: IConstruct | undefined): Problem[] {
  if (!construct) {
    return [];
  }
  const workload = asWorkload(construct);
  if (!workload) {
    return [
      {
        path: 'workload',
        value: construct.node.path,
        message: 'must be a workload of cdk8s-plus, which has matchLabels',
        fix: 'pass a Deployment, StatefulSet or DaemonSet, or set selector to the labels of the pods',
      },
    ];
  }
  if ((workload.matchExpressions ?? []).length === 0) {
    return [];
  }
  return [
    {
      path: 'workload',
      value: construct.node.path,
      message: 'cannot select pods by expressions: a Service matches labels only',
      fix: 'set selector to labels that only these pods have',
    },
  ];
}

// a workload outside of all target charts is applied by others
function checkWorkloadTarget(workload: IConstruct | undefined, guest: IGuestTarget): Problem[] {
  const target = workload && targetOf(workload);
  if (!target || target === guest) {
    return [];
  }
  return [
    {
      path: 'workload',
      value: workload.node.path,
      message: `must be in the same guest cluster, ${guest.targetName}: it is in ${target.targetName}`,
      fix: `use one in ${guest.targetName}`,
    },
  ];
}

/** The protocol of a port. */
export enum LoadBalancerProtocol {
  /** TCP. */
  TCP = 'TCP',
  /** UDP. */
  UDP = 'UDP',
}

/** The nodes that accept traffic for a Service. */
export enum ExternalTrafficPolicy {
  /** All nodes, which forward traffic to nodes with an endpoint; the client address is lost. */
  CLUSTER = 'Cluster',
  /**
   * Only nodes with an endpoint. Needs the chart harvester-cloud-provider 0.2.12 with
   * `kube-vip.env.svc_election: "true"`, and kube-vip on the nodes of the endpoints.
   */
  LOCAL = 'Local',
}

/** An IP family. */
export enum IpFamily {
  /** IPv4. */
  IPV4 = 'IPv4',
  /** IPv6. */
  IPV6 = 'IPv6',
}

/** The number of IP families of a Service. */
export enum IpFamilyPolicy {
  /** One family. */
  SINGLE_STACK = 'SingleStack',
  /** Both families, or one on a cluster with one. */
  PREFER_DUAL_STACK = 'PreferDualStack',
  /** Both families; a cluster with one refuses the Service. */
  REQUIRE_DUAL_STACK = 'RequireDualStack',
}

/** A port of a Service. */
export interface LoadBalancerPort {
  /** The port for clients: 1 to 65535. */
  readonly port: number;
  /** The port of the pods. @default - the same as port */
  readonly targetPort?: number;
  /** The name of the port of the pods, instead of targetPort. @default - targetPort is used */
  readonly targetPortName?: string;
  /** The protocol. @default LoadBalancerProtocol.TCP */
  readonly protocol?: LoadBalancerProtocol;
  /**
   * The name of the port: at most 63 of a-z, 0-9 and hyphens.
   * @default - no name for a single port, otherwise e.g. `tcp-443`
   */
  readonly name?: string;
  /**
   * The port on the nodes: 30000 to 32767, unless the cluster is configured otherwise.
   * @default - chosen by the cluster
   */
  readonly nodePort?: number;
  /**
   * The protocol of the application, e.g. `https` or `kubernetes.io/h2c`, which proxies and meshes
   * in the cluster read.
   * @default - not set
   */
  readonly appProtocol?: string;
}

/**
 * Properties of a load balancer of a guest cluster. Its namespace is that of the workload by
 * default, otherwise `default`. Its name is an RFC 1035 label.
 */
export interface HarvesterLoadBalancerProps extends NamespacedGuestResourceProps {
  /** The source of its address. */
  readonly ipam: Ipam;
  /** The ports of the load balancer, at least one. */
  readonly ports: LoadBalancerPort[];
  /** The labels of its pods. Set either this or workload. @default - the labels of workload */
  readonly selector?: { readonly [key: string]: string };
  /**
   * The workload whose pods the load balancer serves: a Deployment, StatefulSet or another workload
   * of cdk8s-plus, of any version.
   * @default - `selector` selects the pods
   */
  readonly workload?: IConstruct;
  /**
   * The VM network of its address. Needs the chart harvester-cloud-provider 0.2.14 or later, and
   * Harvester 1.9.0 or later. With `Ipam.dhcp()` it works with every Harvester (unconfirmed).
   * Immutable.
   * @default - the network of the cloud provider's --management-network, or the first one of the machines
   */
  readonly network?: IVmNetwork;
  /**
   * The nodes that accept traffic.
   * @default - the cluster's default, ExternalTrafficPolicy.CLUSTER
   */
  readonly externalTrafficPolicy?: ExternalTrafficPolicy;
  /**
   * The number of IP families. Dual stack needs the chart harvester-cloud-provider 0.2.12.
   * @default - chosen by the cluster
   */
  readonly ipFamilyPolicy?: IpFamilyPolicy;
  /** The IP families, the primary one first. @default - chosen by the cluster */
  readonly ipFamilies?: IpFamily[];
  /**
   * Networks of clients that are let in, as CIDRs: kube-proxy refuses all others.
   * @default - all clients
   */
  readonly sourceRanges?: string[];
  /**
   * Whether the cluster opens a port on its nodes for each port: kube-vip announces the address
   * without it.
   * @default true
   */
  readonly allocateLoadBalancerNodePorts?: boolean;
  /** The description in Rancher's UI. @default - no description */
  readonly description?: string;
}

const SERVICE = { apiVersion: API_VERSIONS.CORE, kind: 'Service' };

/**
 * A Service of type LoadBalancer in a guest cluster, to which the Harvester cloud provider assigns
 * an address of Harvester's network.
 *
 * Needs the cloud provider in the guest cluster. The annotation for the source of the address is
 * always set: without it the cloud provider uses an IP pool, but Rancher's UI uses DHCP.
 *
 * @see https://docs.harvesterhci.io/latest/rancher/cloud-provider#load-balancer-support
 * @example
 * new HarvesterLoadBalancer(shop.chart, 'web', { ipam: Ipam.dhcp(), ports: [{ port: 443 }], selector: { app: 'web' } });
 */
export class HarvesterLoadBalancer extends NamespacedGuestResource implements IGuestLoadBalancer {
  /**
   * A reference to an existing Service with an address of its own, e.g. to share it: see
   * `Ipam.shareWith`.
   */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingNamespacedResourceOptions,
  ): IGuestLoadBalancer {
    return new ExistingLoadBalancer(scope, id, 'HarvesterLoadBalancer.fromName', SERVICE, options);
  }

  public readonly serviceId: string;
  public readonly sharesAddress: boolean;
  private readonly growing: GrowingProps<HarvesterLoadBalancerProps>;

  constructor(scope: Construct, id: string, props: HarvesterLoadBalancerProps) {
    super(scope, id, props);
    this.serviceId = `${this.namespace}/${this.name}`;
    this.sharesAddress = props.ipam._mode === 'shared';
    this.growing = new GrowingProps(this, props, (all) => this.manifestOf(all));
    const service = this._writeGrowing(this.growing, {
      deletion: 'load-balancer',
      // the cloud provider and kube-vip write them, also in place of values of the program
      othersWrite: [
        ...[ANNOTATION_KUBE_VIP_REQUESTED_IP, ANNOTATION_KUBE_VIP_HWADDR].map(
          (key) => `metadata.annotations[${key}]`,
        ),
        `metadata.labels[${ANNOTATION_PRIMARY_SERVICE}]`,
      ],
    });
    orderService(service, this.addressOf(props));
  }

  /** Adds a port. Added ports follow those of the constructor. */
  public addPort(port: LoadBalancerPort): void {
    this.growing.add('addPort', 'ports', port);
  }

  /**
   * The assigned address, a late value: the cloud provider writes it to `status.loadBalancer` of
   * the Service.
   */
  public get address(): string {
    return lateAddress(this);
  }

  /** @internal */
  public _nameOf({ name = defaultName(this) }: ResourceProps): string {
    const late = [...checkLiteral('name', name)];
    collectProblems(
      this,
      late.length > 0 || BALANCER_NAME.test(name)
        ? late
        : [
            {
              path: 'name',
              value: name,
              message: 'must be the name of a Service',
              fix: 'use at most 63 of a-z, 0-9 and hyphens, a letter first',
            },
          ],
    );
    return name;
  }

  /** @internal */
  public _defaultNamespace({ workload }: HarvesterLoadBalancerProps): string {
    return labelName(
      this,
      asWorkload(workload)?.metadata?.namespace ?? defaultNamespace(this),
      'shop',
      'namespace',
    );
  }

  private addressOf({ ipam, network, annotations }: HarvesterLoadBalancerProps): ServiceAddress {
    return { guest: this.guest, ipam, network, annotations };
  }

  private manifestOf(props: HarvesterLoadBalancerProps): ResourceManifest {
    const { description, ports } = props;
    const address = this.addressOf(props);
    collectProblems(this, [
      ...checkServicePorts(ports),
      ...checkSelector(props),
      ...checkWorkloadTarget(props.workload, this.guest),
      ...checkAddress(address),
      ...checkSourceRanges(props.sourceRanges),
    ]);
    const workload = asWorkload(props.workload);
    return {
      ...SERVICE,
      metadata: {
        annotations: {
          ...addressAnnotations(address),
          ...(description === undefined ? {} : { [ANNOTATION_DESCRIPTION]: description }),
        },
      },
      spec: {
        type: 'LoadBalancer',
        // labels may be added to a workload until synthesis
        selector: props.selector ?? Lazy.any({ produce: () => workload?.matchLabels }),
        ports: ports.map((port) => portSpec(port, ports.length > 1)),
        externalTrafficPolicy: props.externalTrafficPolicy,
        ipFamilyPolicy: props.ipFamilyPolicy,
        ipFamilies: props.ipFamilies,
        loadBalancerSourceRanges: props.sourceRanges,
        allocateLoadBalancerNodePorts: props.allocateLoadBalancerNodePorts,
      },
    };
  }
}

class ExistingLoadBalancer extends ExistingNamespacedGuestResource implements IGuestLoadBalancer {
  public readonly sharesAddress = false;

  public get serviceId(): string {
    return `${this.namespace}/${this.name}`;
  }

  public get address(): string {
    return lateAddress(this);
  }
}

function portSpec(given: LoadBalancerPort, several: boolean): object {
  const {
    port,
    targetPort,
    targetPortName,
    protocol = LoadBalancerProtocol.TCP,
    name,
    nodePort,
    appProtocol,
  } = given;
  const derived = several ? `${protocol.toLowerCase()}-${port}` : undefined;
  return {
    name: name ?? derived,
    port,
    targetPort: targetPortName ?? targetPort ?? port,
    protocol,
    nodePort,
    appProtocol,
  };
}

// the server refuses other texts
function checkSourceRanges(ranges: readonly string[] = []): Problem[] {
  return ranges.flatMap((value, index) =>
    isLate(value) || parseCidr(value.trim())
      ? []
      : [
          {
            path: `sourceRanges[${index}]`,
            value,
            message: 'must be a CIDR',
            fix: 'write a network such as 10.0.0.0/8',
            says: 'must be a valid CIDR value',
          },
        ],
  );
}

function checkSelector({ selector, workload }: HarvesterLoadBalancerProps): Problem[] {
  if (selector && workload) {
    return [
      { path: 'selector', message: 'cannot be set together with workload', fix: 'set one of them' },
    ];
  }
  const problems = selector ? [] : checkWorkload(workload);
  if (problems.length > 0) {
    return problems;
  }
  const labels = selector ?? asWorkload(workload)?.matchLabels ?? {};
  if (Object.keys(labels).length > 0) {
    return [];
  }
  return [
    {
      path: workload ? 'workload' : 'selector',
      message: 'must select pods',
      fix: 'set selector to the labels of the pods, or workload',
    },
  ];
}
