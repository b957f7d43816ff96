import { FoundReference } from '../../core/kind/description/references';
import { called, deletes } from '../../core/kind/description/removal';
import { KindDescription, ON_HARVESTER } from '../../core/kind/kind';
import { kindKey, Manifest, valueAt } from '../../core/manifest/manifest';
import { GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT } from '../network/vm-network.kind';

/**
 * The API group of Kube-OVN, which the add-on kubeovn-operator deploys.
 * @see kubeovn/kube-ovn:pkg/apis/kubeovn/v1
 */
export const GROUP_KUBE_OVN = 'kubeovn.io';

export const API_KUBE_OVN = `${GROUP_KUBE_OVN}/v1`;

/** The kinds of Kube-OVN that others refer to. */
export const OVN_KIND = {
  VPC: 'Vpc',
  SUBNET: 'Subnet',
  NAT_GATEWAY: 'VpcNatGateway',
  EIP: 'IptablesEIP',
  PROVIDER_NETWORK: 'ProviderNetwork',
  VLAN: 'Vlan',
} as const;

/** The kind of VPCs. */
export const VPC_KIND = kindKey(GROUP_KUBE_OVN, OVN_KIND.VPC);

/** The VPC of Subnets that name none. @see kubeovn/kube-ovn:pkg/util/const.go DefaultVpc */
export const DEFAULT_VPC = 'ovn-cluster';

/**
 * Subnets that Kube-OVN makes for itself.
 * @see harvester/network-controller-harvester:pkg/utils/subnet.go IsReservedSubnet
 */
export const RESERVED_SUBNETS: readonly string[] = ['join', 'ovn-default'];

const OVN = {
  group: GROUP_KUBE_OVN,
  version: 'v1',
  scope: 'Cluster',
  targets: ON_HARVESTER,
} as const;
const BUILT_IN = 'is built into Kube-OVN';
const RULE = { ...OVN, rank: 62, stage: 'services' } as const;

/**
 * The kinds of Kube-OVN. Harvester deploys no webhook of Kube-OVN: its controller refuses what is
 * wrong, in the status of the object.
 */
export const OVERLAY_DESCRIPTIONS: readonly KindDescription[] = [
  {
    ...OVN,
    kind: OVN_KIND.VPC,
    part: { noun: 'VPC', order: 120 },
    rank: 38,
    stage: 'vpcs',
    namedBy: { fields: { vpc: 'name' } },
    deletion: deletes('Kube-OVN keeps it while Subnets are in it'),
    kept: [{ never: true, says: BUILT_IN, when: called(DEFAULT_VPC) }],
  },
  {
    ...OVN,
    kind: OVN_KIND.PROVIDER_NETWORK,
    resource: 'provider-networks',
    rank: 38,
    stage: 'vpcs',
  },
  {
    ...OVN,
    kind: OVN_KIND.VLAN,
    rank: 39,
    stage: 'vlans',
    namedBy: { fields: { vlan: 'name' } },
    references: providerOf,
  },
  {
    ...OVN,
    kind: OVN_KIND.SUBNET,
    part: { noun: 'subnet', order: 130 },
    rank: 41,
    stage: 'subnets',
    completes: `${GROUP_ATTACHMENT}/${KIND_NETWORK_ATTACHMENT}`,
    namedBy: { fields: { subnet: 'name', externalSubnet: 'name' } },
    references: attachmentOf,
    deletion: deletes('Kube-OVN keeps it while machines have its addresses'),
    // the controller completes what is not set @see kubeovn/kube-ovn:pkg/controller/subnet.go
    // formatSubnet
    writtenByOthers: [
      'spec.gateway',
      'spec.gatewayType',
      'spec.protocol',
      'spec.excludeIps',
      'spec.vpc',
      'spec.enableLb',
      'spec.dhcpV4Options',
      'spec.u2oInterconnectionIP',
    ],
    looksUp: [
      `${GROUP_ATTACHMENT}/${KIND_NETWORK_ATTACHMENT}`,
      `${GROUP_KUBE_OVN}/${OVN_KIND.VPC}`,
    ],
    kept: [{ never: true, says: BUILT_IN, when: called(...RESERVED_SUBNETS) }],
  },
  {
    ...OVN,
    kind: OVN_KIND.NAT_GATEWAY,
    resource: 'vpc-nat-gateways',
    rank: 45,
    stage: 'nat-gateways',
    namedBy: { fields: { natGwDp: 'name' } },
  },
  {
    ...OVN,
    kind: OVN_KIND.EIP,
    resource: 'iptables-eips',
    rank: 46,
    stage: 'nat-addresses',
    namedBy: { fields: { eip: 'name' } },
    writtenByOthers: ['spec.v4ip', 'spec.v6ip', 'spec.macAddress'],
  },
  { ...RULE, kind: 'IptablesDnatRule', resource: 'iptables-dnat-rules' },
  { ...RULE, kind: 'IptablesSnatRule', resource: 'iptables-snat-rules' },
  { ...RULE, kind: 'IptablesFIPRule', resource: 'iptables-fip-rules' },
];

/**
 * The overlay network that a Subnet gives addresses to: `<name>.<namespace>.ovn`; undefined for the
 * Subnets of pods.
 */
export function networkOfSubnet(
  manifest: Manifest,
): { readonly name: string; readonly namespace: string } | undefined {
  const provider = valueAt(manifest, 'spec', 'provider');
  const [name, namespace, last] = typeof provider === 'string' ? provider.split('.') : [];
  return name && namespace && last ? { name, namespace } : undefined;
}

function attachmentOf(manifest: Manifest): readonly FoundReference[] {
  const network = networkOfSubnet(manifest);
  return network
    ? [
        {
          group: GROUP_ATTACHMENT,
          kind: KIND_NETWORK_ATTACHMENT,
          name: network.name,
          namespaces: [network.namespace],
        },
      ]
    : [];
}

function providerOf(manifest: Manifest): readonly FoundReference[] {
  const name = valueAt(manifest, 'spec', 'provider');
  return typeof name === 'string' && name !== ''
    ? [{ group: GROUP_KUBE_OVN, kind: OVN_KIND.PROVIDER_NETWORK, name }]
    : [];
}
