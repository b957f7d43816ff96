import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import {
  KIND_CHART_CONFIG,
  sharesItself,
  ANNOTATION_IPAM,
  ANNOTATION_KUBE_VIP_HWADDR,
  ANNOTATION_KUBE_VIP_REQUESTED_IP,
  ANNOTATION_NETWORK,
  ANNOTATION_PRIMARY_SERVICE,
} from './load-balancer-service.check';
import { expectPool } from './named-pool.facts';
import { OrderingType, Ordering } from '../../core/construct/edge';
import { IGuestTarget } from '../../core/construct/target';
import { parseIp } from '../../core/go/go-ip';
import { isLate } from '../../core/late/late-token';
import { API_VERSIONS } from '../../core/manifest/names';
import { Problem } from '../../core/problem/problem';
import { LateSource, LateValue } from '../../core/value/late-value';
import { FeatureGates } from '../../core/version/feature-gates';
import { checkSameHarvester } from '../../harvester/harvester-object';
import { IIpPool } from '../../harvester/ip-pool/ip-pool';
import { IPAM_DHCP, IPAM_POOL } from '../../harvester/load-balancer/load-balancer.kind';
import { IVmNetwork } from '../../harvester/network/vm-network';
import { HarvesterGate, HarvesterVersion } from '../../harvester/version/harvester-version';
import { INamespacedGuestResource } from '../guest-resource';

/** A Service of a guest cluster with an address of Harvester's network. */
export interface IGuestLoadBalancer extends INamespacedGuestResource {
  /** The Service, as `<namespace>/<name>`. */
  readonly serviceId: string;
  /** Whether it shares the address of another Service. */
  readonly sharesAddress: boolean;
  /** The assigned address, a late value. */
  readonly address: string;
}

/** The DHCP request of a load balancer. */
export interface DhcpIpamOptions {
  /** The requested address; the server may assign another one. @default - any address */
  readonly requestedIp?: string;
  /**
   * The MAC address of the request, for a reservation, e.g. `00:00:6c:4f:18:68`.
   * @default - kube-vip chooses a new one each time
   */
  readonly macAddress?: string;
}

/**
 * The source of the address of a load balancer. It cannot change between DHCP and IP pool while the
 * load balancer exists.
 */
export class Ipam {
  /**
   * The DHCP server of the network. Images of guest clusters need the kernel module macvlan, which
   * minimal SLE and openSUSE images lack.
   *
   * @param options of the request; only for Services of guest clusters
   */
  public static dhcp(options: DhcpIpamOptions = {}): Ipam {
    return new Ipam(IPAM_DHCP, { dhcp: options });
  }

  /**
   * An IP pool of Harvester.
   *
   * A VmLoadBalancer gets its address from the pool that it names, regardless of the scope. A
   * Service of a guest cluster cannot select a pool: Harvester uses the one whose network and scope
   * match, which `cdk8s-harvester addresses` shows. If that is another one than the one that is
   * named, the synthesis fails.
   *
   * @param pool the pool that gives the address, which the load balancer waits for; without it, the one whose network and scope match
   */
  public static pool(pool?: IIpPool): Ipam {
    return new Ipam(IPAM_POOL, { pool });
  }

  /**
   * The address of another load balancer of the same guest cluster: the ports of all that share it
   * must differ, whatever their protocols.
   *
   * @param other a load balancer with its own address; `HarvesterLoadBalancer.fromName` refers to a Service that the program does not declare
   */
  public static shareWith(other: IGuestLoadBalancer): Ipam {
    return new Ipam('shared', { primary: other });
  }

  /**
   * Not set, for a Service whose manifest does not name a source: the cloud provider uses an IP pool,
   * and Rancher's UI shows DHCP.
   */
  public static unset(): Ipam {
    return new Ipam('unset', {});
  }

  declare private readonly nominal: true;

  private constructor(
    /** @internal */
    public readonly _mode: 'pool' | 'dhcp' | 'shared' | 'unset',
    /** @internal */
    public readonly _details: {
      readonly dhcp?: DhcpIpamOptions;
      readonly pool?: IIpPool;
      readonly primary?: IGuestLoadBalancer;
    },
  ) {}
}

/** The child construct of a load balancer for its address. */
const ADDRESS = 'Address';

const MAC = /^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}$/;

/** The common settings of the Services of both constructs. */
export interface ServiceAddress {
  readonly guest: IGuestTarget;
  readonly ipam: Ipam;
  readonly network?: IVmNetwork;
  /** The annotations of the user. */
  readonly annotations?: { readonly [key: string]: string };
}

/** The annotations of a Service, with those for the source of its address. */
export function addressAnnotations(address: ServiceAddress): { [key: string]: string } {
  // not in the parameter: declarations would show the internal members
  const { network, annotations } = address;
  const { _mode: mode, _details: details } = address.ipam;
  return {
    ...annotations,
    ...(mode === 'shared' ? { [ANNOTATION_PRIMARY_SERVICE]: details.primary!.serviceId } : {}),
    ...(mode === 'pool' || mode === 'dhcp' ? { [ANNOTATION_IPAM]: mode } : {}),
    ...(network ? { [ANNOTATION_NETWORK]: network.networkId } : {}),
    ...(details.dhcp?.requestedIp === undefined
      ? {}
      : { [ANNOTATION_KUBE_VIP_REQUESTED_IP]: details.dhcp.requestedIp }),
    ...(details.dhcp?.macAddress === undefined
      ? {}
      : { [ANNOTATION_KUBE_VIP_HWADDR]: details.dhcp.macAddress }),
  };
}

/** Checks the source of an address. */
export function checkAddress(address: ServiceAddress): Problem[] {
  return [
    ...checkAnnotations(address),
    ...checkHarvester(address),
    ...checkShared(address),
    ...checkNetwork(address),
    ...checkDhcp(address),
  ];
}

function checkHarvester({ guest, ipam, network }: ServiceAddress): Problem[] {
  const { harvester } = guest;
  const { pool } = ipam._details;
  if (!harvester) {
    return [];
  }
  return [
    ...(pool ? checkSameHarvester('ipam', pool.name, pool.harvester, harvester) : []),
    ...(network
      ? checkSameHarvester('network', network.networkId, network.harvester, harvester)
      : []),
  ];
}

function checkAnnotations({ annotations = {} }: ServiceAddress): Problem[] {
  return [ANNOTATION_IPAM, ANNOTATION_PRIMARY_SERVICE, ANNOTATION_NETWORK]
    .filter((key) => key in annotations)
    .map((key) => ({
      path: `annotations[${key}]`,
      value: annotations[key],
      message: 'cannot be set: this construct sets it',
      fix: key === ANNOTATION_NETWORK ? 'use network' : 'use ipam',
    }));
}

function checkShared({ guest, ipam, network }: ServiceAddress): Problem[] {
  const { primary } = ipam._details;
  if (!primary) {
    return [];
  }
  const { serviceId: value } = primary;
  const problems = primary.sharesAddress ? [sharesItself('ipam', value)] : [];
  if (primary.guest !== guest) {
    problems.push({
      path: 'ipam',
      value,
      message: `must be in the same guest cluster, "${guest.targetName}": it is in "${primary.guest.targetName}"`,
      fix: 'share an address of the same cluster',
    });
  }
  if (network) {
    problems.push({
      path: 'network',
      value: network.networkId,
      message: 'cannot be set together with a shared address',
      fix: 'set network of the Service with the address',
    });
  }
  return problems;
}

function checkNetwork({ ipam, network }: ServiceAddress): readonly Problem[] {
  const { _mode: mode } = ipam;
  // with DHCP the cloud provider alone decides: it names the interface of the network to kube-vip
  // @see harvester/docs#1082
  if (!network || mode === IPAM_DHCP) {
    return [];
  }
  const version = HarvesterVersion.parse(network.harvester.version);
  return FeatureGates.of(HarvesterGate.LOAD_BALANCER_NETWORK)._check(
    'network',
    version,
    'remove it: the address is from the first network of the machines',
  );
}

function checkDhcp({ ipam }: ServiceAddress): Problem[] {
  const { dhcp } = ipam._details;
  const problems: Problem[] = [];
  const { requestedIp, macAddress } = dhcp ?? {};
  if (requestedIp !== undefined && !isLate(requestedIp) && !parseIp(requestedIp)) {
    problems.push({
      path: 'ipam.requestedIp',
      value: requestedIp,
      message: 'must be an IP address',
      fix: 'write e.g. 10.0.0.5',
    });
  }
  if (macAddress !== undefined && !isLate(macAddress) && !MAC.test(macAddress)) {
    problems.push({
      path: 'ipam.macAddress',
      value: macAddress,
      message: 'must be a MAC address',
      fix: 'give one such as 00:00:6c:4f:18:68',
    });
  }
  return problems;
}

/** Makes a Service wait for its pool, its network and the Service whose address it shares. */
export function orderService(service: IConstruct, address: ServiceAddress): void {
  const { network } = address;
  const { pool, primary } = address.ipam._details;
  const edges = Ordering.of(service);
  if (pool) {
    edges._add(pool, OrderingType.APPLIED);
    expectPool(service, pool);
  }
  if (network) {
    edges._add(network, OrderingType.APPLIED);
  }
  if (primary) {
    awaitAddress(edges, primary);
  }
}

// a Service is ready when it has its address; a chart is ready before that, so the address is
// waited for
function awaitAddress(edges: Ordering, primary: IGuestLoadBalancer): void {
  const resource = primary.node.tryFindChild('Resource') as ApiObject | undefined;
  if (resource?.kind !== KIND_CHART_CONFIG) {
    return edges._add(primary, OrderingType.READY);
  }
  if (isLate(primary.address)) {
    edges._add(primary.node.findChild(ADDRESS), OrderingType.VALUE);
  }
}

/** The assigned address of a Service, a late value whose construct is created on first use. */
export function lateAddress(
  balancer: Pick<IGuestLoadBalancer, 'guest' | 'serviceId'> & Construct,
): string {
  const { guest: target, serviceId } = balancer;
  const [namespace, name] = serviceId.split('/');
  // a Service of a chart is not an object of the program
  return LateValue._once(
    balancer,
    ADDRESS,
    {
      description: `address of Service ${serviceId}`,
      source: LateSource.field('status.loadBalancer.ingress.0.ip', {
        target,
        apiVersion: API_VERSIONS.CORE,
        kind: 'Service',
        namespace,
        name,
      }),
    },
    balancer.node.tryFindChild('Resource'),
  ).token;
}
