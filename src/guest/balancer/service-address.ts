import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { KIND_CHART_CONFIG } from './load-balancer-service.check';
import {
  ANNOTATION_IPAM, ANNOTATION_KUBE_VIP_HWADDR, ANNOTATION_KUBE_VIP_REQUESTED_IP, ANNOTATION_NETWORK, ANNOTATION_PRIMARY_SERVICE,
} from './load-balancer-service.kind';
import { IGuestTarget } from '../../core/app/target';
import { parseIp } from '../../core/go/go-ip';
import { EdgeType, Edges } from '../../core/late/edge';
import { isLate } from '../../core/late/late-token';
import { LateSource, LateValue } from '../../core/late/late-value';
import { API_VERSIONS, NAMESPACED_NAME } from '../../core/manifest/names';
import { Problem } from '../../core/rule/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import { GateId } from '../../core/version/gate-id';
import { IIpPool } from '../../harvester/ip-pool/ip-pool';
import { IPAM_DHCP, IPAM_POOL } from '../../harvester/load-balancer/load-balancer.kind';
import { IVmNetwork } from '../../harvester/network/vm-network';
import { HarvesterVersion } from '../../harvester/version/harvester-version';

/**
 * A Service of a guest cluster that has an address of the Harvester's network.
 */
export interface IGuestLoadBalancer extends IConstruct {
  /** The Service, as `<namespace>/<name>`. */
  readonly serviceId: string;
  /** The guest cluster that it lies in. */
  readonly guest: IGuestTarget;
  /** Whether it has the address of another Service. */
  readonly sharesAddress: boolean;
  /** Its address; a late value. */
  readonly address: string;
}

/**
 * What a load balancer asks the DHCP server of its network for.
 */
export interface DhcpIpamOptions {
  /** The address to ask for; the server may give another. @default - none */
  readonly requestedIp?: string;
  /** The MAC address to ask with, so that a reservation holds, e.g. `00:00:6c:4f:18:68`. @default - kube-vip's own, another one each time */
  readonly hardwareAddress?: string;
}

interface IpamDetails {
  readonly dhcp?: DhcpIpamOptions;
  readonly pool?: IIpPool;
  readonly primary?: IGuestLoadBalancer;
  readonly primaryId?: string;
}

/**
 * Where the address of a load balancer comes from. It can not change between DHCP and pool while the load balancer exists.
 */
export class Ipam {
  /**
   * The DHCP server of the network. Of a guest cluster the images need the kernel module macvlan, which minimal SLE and openSUSE images lack.
   *
   * @param options what to ask for; for Services of guest clusters only
   */
  public static dhcp(options: DhcpIpamOptions = {}): Ipam {
    return new Ipam(IPAM_DHCP, { dhcp: options });
  }

  /**
   * An IP pool of the Harvester.
   *
   * A Service of a guest cluster can not choose a pool: Harvester takes the one whose network and scope fit, `cdk8s-harvester addresses` tells
   * which. Naming the pool that is meant puts it first, so that it is there when the Service comes. A VmLoadBalancer gets its address of the very
   * pool that it names, whatever the scope.
   *
   * @param pool the pool that is meant
   */
  public static pool(pool?: IIpPool): Ipam {
    return new Ipam(IPAM_POOL, { pool });
  }

  /**
   * The address of another load balancer of the same guest cluster: the ports of all that share it must differ, whatever their protocols.
   *
   * @param other one that has an address of its own
   */
  public static shareWith(other: IGuestLoadBalancer): Ipam {
    return new Ipam('shared', { primary: other, primaryId: other.serviceId });
  }

  /**
   * The address of a Service that the program does not declare.
   *
   * @param serviceId its `<namespace>/<name>`
   */
  public static shareWithService(serviceId: string): Ipam {
    return new Ipam('shared', { primaryId: serviceId });
  }

  private constructor(
    /** @internal */
    public readonly _mode: 'pool' | 'dhcp' | 'shared',
    /** @internal */
    public readonly _details: IpamDetails,
  ) {}
}

/** The child of a load balancer that is its address. */
const ADDRESS = 'Address';

const MAC = /^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}$/;

/** What the Services of the two constructs have in common. */
export interface ServiceAddress {
  readonly guest: IGuestTarget;
  readonly ipam: Ipam;
  readonly network?: IVmNetwork;
  /** Annotations of the user's. */
  readonly annotations?: { readonly [key: string]: string };
}

/** The annotations of a Service, with those that say where its address comes from. */
export function addressAnnotations(address: ServiceAddress): { [key: string]: string } {
  // not in the parameter: declarations would show the internal members
  const { ipam: { _mode: mode, _details: details }, network, annotations } = address;
  return {
    ...annotations,
    ...(mode === 'shared' ? { [ANNOTATION_PRIMARY_SERVICE]: details.primaryId! } : { [ANNOTATION_IPAM]: mode }),
    ...(network ? { [ANNOTATION_NETWORK]: network.networkId } : {}),
    ...(details.dhcp?.requestedIp === undefined ? {} : { [ANNOTATION_KUBE_VIP_REQUESTED_IP]: details.dhcp.requestedIp }),
    ...(details.dhcp?.hardwareAddress === undefined ? {} : { [ANNOTATION_KUBE_VIP_HWADDR]: details.dhcp.hardwareAddress }),
  };
}

/** What can not be in it. */
export function checkAddress(address: ServiceAddress): Problem[] {
  return [...checkAnnotations(address), ...checkShared(address), ...checkNetwork(address), ...checkDhcp(address)];
}

function checkAnnotations({ annotations = {} }: ServiceAddress): Problem[] {
  return [ANNOTATION_IPAM, ANNOTATION_PRIMARY_SERVICE, ANNOTATION_NETWORK].filter((key) => key in annotations).map((key) => ({
    path: `annotations[${key}]`,
    value: annotations[key],
    message: 'is written by this construct',
    fix: key === ANNOTATION_NETWORK ? 'use network' : 'use ipam',
  }));
}

function checkShared({ guest, ipam: { _details: { primary, primaryId } }, network }: ServiceAddress): Problem[] {
  if (primaryId === undefined) { return []; }
  const problems: Problem[] = [];
  if (!isLate(primaryId) && !NAMESPACED_NAME.test(primaryId)) {
    problems.push({
      path: 'ipam',
      value: primaryId,
      message: 'is no name of a Service',
      fix: 'give <namespace>/<name>, the namespace too',
      says: `invalid service name ${primaryId}`,
    });
  }
  if (primary?.sharesAddress) {
    problems.push({
      path: 'ipam',
      value: primaryId,
      message: 'shares the address of another itself',
      fix: 'share with that one',
      says: `service ${primaryId} is not a primary service`,
    });
  }
  if (primary && primary.guest !== guest) {
    problems.push({
      path: 'ipam',
      value: primaryId,
      message: `lies in guest cluster "${primary.guest.targetName}", this Service in "${guest.targetName}"`,
      fix: 'share within one cluster',
    });
  }
  if (network) {
    problems.push({
      path: 'network',
      value: network.networkId,
      message: 'is that of the Service whose address is shared',
      fix: 'give the network there',
    });
  }
  return problems;
}

function checkNetwork({ network }: ServiceAddress): Problem[] {
  if (!network) { return []; }
  const gate = FeatureGates.of(GateId.LOAD_BALANCER_NETWORK).problem(HarvesterVersion.parse(network.harvester.version));
  return gate ? [{
    path: 'network',
    value: network.networkId,
    message: gate,
    fix: 'leave it out: the address is one of the first network of the machines',
  }] : [];
}

function checkDhcp({ ipam: { _details: { dhcp } } }: ServiceAddress): Problem[] {
  const problems: Problem[] = [];
  const { requestedIp, hardwareAddress } = dhcp ?? {};
  if (requestedIp !== undefined && !isLate(requestedIp) && !parseIp(requestedIp)) {
    problems.push({ path: 'ipam.requestedIp', value: requestedIp, message: 'is no address', fix: 'give one such as 10.0.0.5' });
  }
  if (hardwareAddress !== undefined && !isLate(hardwareAddress) && !MAC.test(hardwareAddress)) {
    problems.push({ path: 'ipam.hardwareAddress', value: hardwareAddress, message: 'must be a MAC address', fix: 'give one such as 00:00:6c:4f:18:68' });
  }
  return problems;
}

/** What must be there before a Service: the pool that is meant, the network, the Service whose address it shares. */
export function orderService(service: IConstruct, address: ServiceAddress): void {
  const { ipam: { _details: { pool, primary } }, network } = address;
  const edges = Edges.of(service);
  if (pool) { edges._add(pool, EdgeType.APPLIED); }
  if (network) { edges._add(network, EdgeType.APPLIED); }
  if (primary) { awaitAddress(edges, primary); }
}

// a Service is ready when it has its address; what makes one by a chart is ready before, so its address is waited for
function awaitAddress(edges: Edges, primary: IGuestLoadBalancer): void {
  const resource = primary.node.tryFindChild('Resource') as ApiObject | undefined;
  if (resource?.kind !== KIND_CHART_CONFIG) { return edges._add(primary, EdgeType.READY); }
  if (isLate(primary.address)) { edges._add(primary.node.findChild(ADDRESS), EdgeType.VALUE); }
}

/** The address that a Service has got, as a late value; one construct for it, made when it is first asked for. */
export function lateAddress(scope: Construct, target: IGuestTarget, serviceId: string): string {
  const known = scope.node.tryFindChild(ADDRESS) as LateValue | undefined;
  if (known) { return known.token; }
  const [namespace, name] = serviceId.split('/');
  const address = new LateValue(scope, ADDRESS, {
    description: `address of Service ${serviceId}`,
    source: LateSource.field({ target, apiVersion: API_VERSIONS.CORE, kind: 'Service', namespace, name }, 'status.loadBalancer.ingress.0.ip'),
  });
  // where a chart makes the Service it is no object of the program's
  Edges.of(address)._add(scope.node.findChild('Resource'), EdgeType.APPLIED);
  return address.token;
}
