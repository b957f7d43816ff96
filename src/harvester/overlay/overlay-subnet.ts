import { Construct } from 'constructs';
import { IOverlayVpc, OverlayVpc } from './overlay-vpc';
import { checkSubnetCidrs, checkExcluded, checkInCidrs } from './overlay.check';
import {
  API_KUBE_OVN,
  DEFAULT_VPC,
  OVN_KIND,
  RESERVED_SUBNETS,
  VPC_KIND,
  networkOfSubnet,
} from './overlay.kind';
import { OrderingType, Ordering } from '../../core/construct/edge';
import { DraftValue, refer } from '../../core/draft/draft';
import { FieldSource, FieldTable } from '../../core/fields/field-table';
import { booleanField, referenceField, textField, textsField } from '../../core/fields/fields';
import { parseIp } from '../../core/go/go-ip';
import { valueAt } from '../../core/manifest/manifest';
import { Problem, asProps, failOnErrors } from '../../core/problem/problem';
import { textOrEmpty } from '../../core/text/plain-text';
import { filledList } from '../../core/text/values';
import { requireSameHarvester } from '../harvester-object';
import { HarvesterResource, HarvesterResourceProps } from '../harvester-resource';
import { IVmNetwork } from '../network/vm-network';
import { overlayProvider } from '../network/vm-network.check';
import { ATTACHMENT_KIND } from '../network/vm-network.kind';

const KIND = { apiVersion: API_KUBE_OVN, kind: OVN_KIND.SUBNET };

/** Properties of a Subnet. */
export interface OverlaySubnetProps extends HarvesterResourceProps {
  /** The overlay network whose machines get the addresses. It has one Subnet. */
  readonly network: IVmNetwork;
  /**
   * The addresses: a network in CIDR form, e.g. `10.20.0.0/24`, or one of IPv4 and one of IPv6 with
   * a comma.
   */
  readonly cidr: string;
  /** The VPC. @default - `ovn-cluster`, the VPC of Kube-OVN itself */
  readonly vpc?: IOverlayVpc;
  /** The address of the gateway, in `cidr`. @default - the first address */
  readonly gateway?: string;
  /**
   * Addresses that no machine gets: single ones, or ranges such as `10.20.0.1..10.20.0.9`.
   * @default - the gateway only
   */
  readonly excludedAddresses?: string[];
  /** Whether machines get their addresses by DHCP. @default true */
  readonly dhcp?: boolean;
  /** The DNS servers that DHCP gives to machines. Requires dhcp. @default - none */
  readonly dnsServers?: string[];
  /**
   * Whether machines reach the outside with the addresses of the nodes. Only without `vpc`: other
   * VPCs need a VpcNatGateway.
   * @default false
   */
  readonly natOutgoing?: boolean;
  /**
   * Whether only machines of the Subnet, and of `allowedSubnets`, reach the machines.
   * @default false
   */
  readonly isolated?: boolean;
  /** Networks in CIDR form whose machines reach those of an isolated Subnet. @default - none */
  readonly allowedSubnets?: string[];
}

/** The fields of a Subnet. */
export const OVERLAY_SUBNET_FIELDS = new FieldTable<
  Omit<OverlaySubnetProps, keyof HarvesterResourceProps>
>('spec', {
  network: {
    path: 'provider',
    write: ({ name, namespace }) => overlayProvider(name, namespace),
    read: networkProp,
  },
  vpc: referenceField('vpc', VPC_KIND, { serverDefault: DEFAULT_VPC }),
  cidr: textField('cidrBlock'),
  gateway: textField('gateway'),
  excludedAddresses: textsField('excludeIps'),
  dhcp: booleanField('enableDHCP', { byDefault: true }),
  dnsServers: {
    path: '',
    write: (servers) => ({
      dhcpV4Options: dnsOptions(servers.filter((ip) => !ip.includes(':'))),
      dhcpV6Options: dnsOptions(servers.filter((ip) => ip.includes(':'))),
    }),
    read: (spec) =>
      filledList([
        ...dnsServersIn(valueAt(spec, 'dhcpV4Options')),
        ...dnsServersIn(valueAt(spec, 'dhcpV6Options')),
      ]),
  },
  natOutgoing: booleanField('natOutgoing', { serverDefault: false }),
  isolated: booleanField('private', { serverDefault: false }),
  allowedSubnets: textsField('allowSubnets'),
});

/**
 * The Subnet of Kube-OVN: the addresses of an OverlayNetwork, without which its machines get none.
 * Needs the add-on kubeovn-operator.
 *
 * Load balancers of Harvester do not work on overlay networks, and guest clusters whose machines
 * are on one have no ReadWriteMany volumes.
 *
 * @see https://docs.harvesterhci.io/latest/networking/kubeovn-vpc
 * @example
 * BundledAddon.kubeOvn(dc1, 'kube-ovn');
 * const apps = new OverlayNetwork(dc1, 'apps');
 * new OverlaySubnet(dc1, 'team-a-apps', { network: apps, vpc: new OverlayVpc(dc1, 'team-a'), cidr: '10.20.0.0/24', dnsServers: ['10.0.0.2'] });
 */
export class OverlaySubnet extends HarvesterResource {
  constructor(scope: Construct, id: string, props: OverlaySubnetProps) {
    super(scope, id, props);
    const { network, vpc, cidr } = props;
    requireSameHarvester(this, 'network', network.name, network.harvester, this.harvester);
    if (vpc) {
      requireSameHarvester(this, 'vpc', vpc.name, vpc.harvester, this.harvester);
    }
    failOnErrors(this, [
      ...checkName(this.name, vpc),
      ...checkNatOutgoing(props),
      ...checkRequired(props),
      ...checkDnsServers(props),
      ...asProps([
        ...checkSubnetCidrs('cidr', cidr),
        ...(props.gateway === undefined ? [] : checkInCidrs('gateway', props.gateway, cidr)),
        ...(props.excludedAddresses ?? []).flatMap((range, index) =>
          checkExcluded(`excludedAddresses[${index}]`, range),
        ),
        ...(props.allowedSubnets ?? []).flatMap((each, index) =>
          checkSubnetCidrs(`allowedSubnets[${index}]`, each),
        ),
      ]),
    ]);
    this._write({
      ...KIND,
      spec: { ...OVERLAY_SUBNET_FIELDS.write(props), protocol: protocolOf(cidr) },
    });
    for (const needed of [network, ...(vpc ? [vpc] : [])]) {
      Ordering.of(this)._add(needed, OrderingType.APPLIED);
    }
    if (vpc instanceof OverlayVpc) {
      vpc._addSubnet(cidr);
    }
  }
}

function checkName(name: string, vpc: IOverlayVpc | undefined): Problem[] {
  const at = { path: 'name', value: name, fix: 'use a different name' };
  const problems: Problem[] = [];
  if (RESERVED_SUBNETS.includes(name)) {
    problems.push({ ...at, message: 'cannot be that of a Subnet of Kube-OVN itself' });
  }
  if (vpc?.name === name) {
    problems.push({
      ...at,
      message: 'cannot be that of the VPC',
      says: 'cannot have the same name',
    });
  }
  return problems;
}

function checkNatOutgoing({ vpc, natOutgoing }: OverlaySubnetProps): Problem[] {
  if (!natOutgoing || !vpc || vpc.name === DEFAULT_VPC) {
    return [];
  }
  return [
    {
      path: 'natOutgoing',
      value: true,
      message: `has no effect in the VPC ${vpc.name}`,
      fix: 'remove it, and declare a VpcNatGateway for traffic to the outside',
    },
  ];
}

/** Checks what has an effect only with another prop. */
function checkRequired(props: OverlaySubnetProps): Problem[] {
  const { dnsServers = [], dhcp = true, isolated, allowedSubnets } = props;
  const problems: Problem[] = [];
  if (allowedSubnets && !isolated) {
    problems.push({
      path: 'allowedSubnets',
      message: 'requires isolated',
      fix: 'set isolated: true',
    });
  }
  if (dnsServers.length > 0 && !dhcp) {
    problems.push({ path: 'dnsServers', message: 'requires dhcp', fix: 'remove dhcp: false' });
  }
  return problems;
}

function checkDnsServers({ dnsServers = [] }: OverlaySubnetProps): Problem[] {
  return dnsServers.flatMap((ip, index) => {
    if (parseIp(ip)) {
      return [];
    }
    return [
      {
        path: `dnsServers[${index}]`,
        value: ip,
        message: 'must be an IP address',
        fix: 'correct it',
      },
    ];
  });
}

/**
 * The options of DHCP with DNS servers; Kube-OVN adds the others.
 * @see kubeovn/kube-ovn:pkg/ovs/util.go parseDHCPOptions (1.14 and later)
 */
function dnsOptions(servers: readonly string[]): string | undefined {
  return servers.length > 0 ? `dns_server={${servers.join(';')}}` : undefined;
}

/** The IP families of a CIDR, or of one of each that a comma separates. */
function protocolOf(cidr: string): 'IPv4' | 'IPv6' | 'Dual' {
  if (!cidr.includes(':')) {
    return 'IPv4';
  }
  return cidr.split(',').every((each) => each.includes(':')) ? 'IPv6' : 'Dual';
}

function dnsServersIn(options: unknown): readonly string[] {
  const servers = /^dns_server=\{(.*)\}$/.exec(textOrEmpty(options))?.[1];
  return servers?.split(';') ?? [];
}

function networkProp(_: unknown, { object }: FieldSource): DraftValue {
  const network = networkOfSubnet(object.manifest);
  return network && refer(object, ATTACHMENT_KIND, network.name, network.namespace);
}
