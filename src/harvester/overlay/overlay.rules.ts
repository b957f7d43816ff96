import { checkSubnetCidrs, checkExcluded, checkInCidrs } from './overlay.check';
import {
  DEFAULT_VPC,
  GROUP_KUBE_OVN,
  OVN_KIND,
  RESERVED_SUBNETS,
  networkOfSubnet,
} from './overlay.kind';
import { parseCidr, parseIp } from '../../core/go/go-ip';
import { isLate } from '../../core/late/late-token';
import {
  kindKey,
  labelsOf,
  Manifest,
  records,
  valueAt,
  specOf,
} from '../../core/manifest/manifest';
import { rules } from '../../core/rule/kit/fact';
import { KindName, refersTo, unique, usedBy, levelIfMissing } from '../../core/rule/kit/relations';
import { each, must, oneOf, text } from '../../core/rule/kit/values';
import { JudgedObject, Rule } from '../../core/rule/rule';
import { some } from '../../core/text/plain-text';
import { overlayProvider } from '../network/vm-network.check';
import {
  CNI,
  GROUP_ATTACHMENT,
  KIND_NETWORK_ATTACHMENT,
  LABEL_NETWORK_TYPE,
  NETWORK_TYPE,
  netConfOf,
} from '../network/vm-network.kind';

const ovn = (kind: string): KindName => [GROUP_KUBE_OVN, kind];
const VALIDATOR = 'harvester/network-controller-harvester:pkg/webhook/subnet/validator.go';
const OVN_VALIDATOR = 'kubeovn/kube-ovn:pkg/util/validator.go ValidateSubnet';
const GATEWAY_VALIDATOR = 'kubeovn/kube-ovn:pkg/webhook/vpc_nat_gateway.go';
const isOwn = ({ manifest }: JudgedObject): boolean =>
  !RESERVED_SUBNETS.includes(manifest.metadata.name);

const inSubnet = text((path, value, { manifest }: JudgedObject) =>
  checkInCidrs(path, value, specOf(manifest).cidrBlock),
);

const VPC_EXISTS = refersTo(ovn(OVN_KIND.VPC), {
  builtIn: [DEFAULT_VPC],
  problem: (name) => ({
    message: 'must be the name of a Vpc',
    fix: 'declare the Vpc',
    says: `vpc ${name} not created for subnet, create vpc before subnet creation`,
  }),
});
const isPort = must(
  (value) =>
    typeof value !== 'string' ||
    (/^\d{1,5}$/.test(value) && Number(value) > 0 && Number(value) < 65536),
  {
    message: 'must be a port in quotes, 1 to 65535',
    fix: 'write e.g. "8080"',
    says: 'is not a valid port',
  },
);
const isAddress = must((value) => typeof value !== 'string' || parseIp(value) !== undefined, {
  message: 'must be an IP address',
  fix: 'correct it',
  says: 'is not a valid',
});
const required = (what: string, says: string) => ({
  message: `must be set: ${what}`,
  fix: 'set it',
  says,
});
const known = (kind: string, fix: string) =>
  refersTo(ovn(kind), { problem: { message: `must be the name of a ${kind}`, fix } });

const SUBNET_RULES = rules({ kinds: [kindKey(...ovn(OVN_KIND.SUBNET))], when: isOwn }, [
  {
    id: 'subnet/network',
    what: 'a Subnet is for an overlay network, which is created before it',
    source: VALIDATOR,
    field: 'spec.provider',
    required: {
      message: 'must be set: the overlay network that gets addresses',
      fix: 'set <network>.<namespace>.ovn',
      says: 'provider is empty for cni type kube-ovn',
    },
    check: text((path, value, object, world) => {
      const network = networkOfSubnet(object.manifest);
      if (!network) {
        return {
          path,
          value,
          message: 'must be <network>.<namespace>.ovn',
          fix: 'name the overlay network',
          says: 'invalid provider length',
        };
      }
      const { name, namespace } = network;
      const found = world.find(object, GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT, namespace, name);
      if (!found) {
        const level = levelIfMissing(
          object,
          world,
          [GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT],
          namespace,
          name,
        );
        return (
          level && {
            path,
            value,
            level,
            message: `needs the network ${namespace}/${name}`,
            fix: 'declare an OverlayNetwork',
            says: `nad ${name} not created in namespace ${namespace}, create the nad before subnet creation`,
          }
        );
      }
      const type = labelsOf(found.manifest)[LABEL_NETWORK_TYPE];
      return (
        type !== NETWORK_TYPE.OVERLAY &&
        netConfOf(specOf(found.manifest).config)?.type !== CNI.KUBE_OVN && {
          path,
          value,
          message: `must name an overlay network: ${namespace}/${name} is a network of a VLAN`,
          fix: 'name an OverlayNetwork',
          says: 'network type of nad is not kubeovn instead',
        }
      );
    }),
  },
  {
    id: 'subnet/network-twice',
    what: 'an overlay network has one Subnet',
    source: VALIDATOR,
    judge: unique(
      ovn(OVN_KIND.SUBNET),
      ({ manifest }) => networkOfSubnet(manifest) && String(specOf(manifest).provider),
      (other, { manifest }) => ({
        path: 'spec.provider',
        value: specOf(manifest).provider,
        message: `is also the network of the Subnet ${other.manifest.metadata.name}`,
        fix: 'use one Subnet, or another overlay network',
        says: `subnet ${other.manifest.metadata.name} is using the provider`,
      }),
    ),
  },
  {
    id: 'subnet/vpc',
    what: 'the Vpc of a Subnet is created before it',
    source: VALIDATOR,
    field: 'spec.vpc',
    check: VPC_EXISTS,
  },
  {
    id: 'subnet/name',
    what: 'a Subnet and its Vpc have different names',
    source: OVN_VALIDATOR,
    field: 'spec.vpc',
    check: text(
      (path, value, { manifest }) =>
        value === manifest.metadata.name && {
          path,
          value,
          message: 'must not be the name of the Subnet itself',
          fix: 'use a different name for the Subnet',
          says: 'cannot have the same name',
        },
    ),
  },
  {
    id: 'subnet/cidr',
    what: 'the addresses of a Subnet are one network of IPv4, one of IPv6, or both',
    source: OVN_VALIDATOR,
    field: 'spec.cidrBlock',
    check: text(checkSubnetCidrs),
  },
  {
    id: 'subnet/gateway',
    what: 'the gateway of a Subnet is an address of it',
    source: OVN_VALIDATOR,
    field: 'spec.gateway',
    check: inSubnet,
  },
  {
    id: 'subnet/exclude-ips',
    what: 'excluded addresses are addresses or ranges with two dots',
    source: OVN_VALIDATOR,
    field: 'spec.excludeIps',
    check: each(checkExcluded),
  },
  {
    id: 'subnet/nat',
    level: 'warning',
    what: `natOutgoing is for Subnets of the VPC ${DEFAULT_VPC}: others need a VpcNatGateway`,
    source: 'kubeovn/kube-ovn:pkg/daemon/gateway.go isSubnetNeedNat',
    field: 'spec.natOutgoing',
    check: (path, value, { manifest }) =>
      value === true &&
      ![undefined, '', DEFAULT_VPC].includes(specOf(manifest).vpc as string | undefined) && {
        path,
        value,
        message: `has no effect in the VPC ${String(specOf(manifest).vpc)}`,
        fix: 'remove it, and declare a VpcNatGateway for traffic to the outside',
      },
  },
  {
    id: 'subnet/update',
    what: 'the network and the Vpc of a Subnet can be changed only while it has no machines',
    source: VALIDATOR,
    *judgeUpdate({ manifest }, before) {
      if (!(Number(valueAt(before, 'status', 'v4usingIPs')) > 0)) {
        return;
      }
      for (const field of ['provider', 'vpc'].filter(
        (key) => !isLate(specOf(manifest)[key]) && specOf(manifest)[key] !== specOf(before)[key],
      )) {
        yield {
          path: `spec.${field}`,
          value: specOf(manifest)[field],
          message: 'cannot be changed while machines use the Subnet',
          fix: 'delete them first',
          says: `cannot update ${field}`,
        };
      }
    },
  },
  {
    id: 'subnet/gateway-type',
    what: 'the gateway type of a Subnet is one that Kube-OVN knows',
    source: OVN_VALIDATOR,
    field: 'spec.gatewayType',
    check: oneOf(['distributed', 'centralized']),
  },
  {
    id: 'subnet/in-use',
    level: 'warning',
    what: 'a Subnet cannot be deleted while a network uses its addresses',
    source:
      'kubeovn/kube-ovn:pkg/controller/subnet.go: the finalizer waits until no address is in use',
    judgeDeletion: ({ manifest, target }, world) => {
      const network = networkOfSubnet(manifest);
      return (
        network &&
        world.find(
          { target },
          GROUP_ATTACHMENT,
          KIND_NETWORK_ATTACHMENT,
          network.namespace,
          network.name,
        ) && {
          message: `leaves the network ${network.namespace}/${network.name} without addresses`,
          fix: 'delete the network, too, or keep the Subnet',
        }
      );
    },
  },
]);

/** Rules on the Subnets, VPCs and NAT of overlay networks. */
export const OVERLAY_RULES: readonly Rule[] = [
  ...SUBNET_RULES,
  ...rules({ level: 'warning' }, [
    {
      id: 'vpc/in-use',
      kinds: [kindKey(...ovn(OVN_KIND.VPC))],
      what: 'a Vpc cannot be deleted while it has Subnets',
      source: 'kubeovn/kube-ovn:pkg/webhook/vpc.go VpcDeleteHook, which Harvester does not deploy',
      judgeDeletion: usedBy({
        by: [ovn(OVN_KIND.SUBNET), ovn(OVN_KIND.NAT_GATEWAY)],
        uses: ({ manifest }, gone) =>
          valueAt(manifest, 'spec', 'vpc') === gone.manifest.metadata.name,
        problem: (users) => ({
          message: `cannot be deleted while ${some(users.map(({ manifest }) => `${manifest.kind} ${manifest.metadata.name}`))} are in it`,
          fix: 'delete them in an earlier step',
          says: "can't delete vpc when any subnet in the vpc",
        }),
      }),
    },
    {
      id: 'vpc/peering',
      kinds: [kindKey(...ovn(OVN_KIND.VPC))],
      what: 'two VPCs that are peers name each other, with addresses of one network',
      source:
        'kubeovn/kube-ovn:pkg/controller/vpc.go handleAddOrUpdateVpc; pkg/ovs/ovn-nb-logical_router_port.go CreatePeerRouterPort',
      *judge(object, world) {
        for (const [index, { remoteVpc, localConnectIP }] of peeringsOf(object.manifest)) {
          const path = `spec.vpcPeerings[${index}]`;
          const own = parseCidr(String(localConnectIP));
          const other = world.find(object, ...ovn(OVN_KIND.VPC), undefined, String(remoteVpc));
          const back =
            other &&
            peeringsOf(other.manifest).find(
              ([, peering]) => peering.remoteVpc === object.manifest.metadata.name,
            )?.[1];
          if (
            typeof localConnectIP === 'string' &&
            !isLate(localConnectIP) &&
            localConnectIP.split(',').some((cidr) => !parseCidr(cidr))
          ) {
            yield {
              path: `${path}.localConnectIP`,
              value: localConnectIP,
              message: 'must be an address with the length of its prefix',
              fix: 'write e.g. 169.254.0.1/30',
              says: 'CIDRInvalid',
            };
          } else if (other && !back) {
            yield {
              path: `${path}.remoteVpc`,
              value: remoteVpc,
              message: 'does not name this Vpc as a peer: they are not connected',
              fix: 'use OverlayVpc.peerWith, or add the peering to both',
            };
          } else if (back && own && parseCidr(String(back.localConnectIP))?.first !== own.first) {
            yield {
              path: `${path}.localConnectIP`,
              value: localConnectIP,
              message: `must be in the same network as ${String(back.localConnectIP)}, the address of ${String(remoteVpc)}`,
              fix: 'use two addresses of one network',
            };
          }
        }
      },
    },
    {
      id: 'network-attachment/overlay-subnet',
      kinds: [kindKey(GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT)],
      what: 'an overlay network has a Subnet: without one, no machine gets an address',
      source: 'harvester/docs networking/kubeovn-vpc.md; kubeovn/kube-ovn:pkg/daemon/handler.go',
      surelyOn: 'harvester',
      when: ({ manifest }) => netConfOf(specOf(manifest).config)?.type === CNI.KUBE_OVN,
      judge: ({ manifest, target }, world) => {
        const { name, namespace = 'default' } = manifest.metadata;
        const provider = overlayProvider(name, namespace);
        return (
          !world
            .beside({ target }, ...ovn(OVN_KIND.SUBNET))
            .some((subnet) => hasProvider(subnet.manifest, provider)) && {
            path: 'spec.config',
            message: `has no Subnet: machines in it get no addresses, unless a Subnet outside of the program has the provider ${provider}`,
            fix: 'declare a Subnet of Kube-OVN with that provider',
          }
        );
      },
    },
  ]),
  ...rules(
    { kinds: [kindKey(...ovn(OVN_KIND.NAT_GATEWAY))], level: 'warning', source: GATEWAY_VALIDATOR },
    [
      {
        id: 'nat-gateway/vpc',
        what: 'a VpcNatGateway is in a Vpc',
        field: 'spec.vpc',
        required: required('the Vpc', 'parameter "vpc" cannot be empty'),
        check: known(OVN_KIND.VPC, 'declare the Vpc'),
      },
      {
        id: 'nat-gateway/subnet',
        what: 'a VpcNatGateway is in a Subnet',
        field: 'spec.subnet',
        required: required('the Subnet', 'parameter "subnet" cannot be empty'),
        check: known(OVN_KIND.SUBNET, 'declare the Subnet'),
      },
      {
        id: 'nat-gateway/address',
        what: 'the inner address of a VpcNatGateway is an IP address',
        field: 'spec.lanIp',
        check: isAddress,
      },
    ],
  ),
  ...rules({ level: 'warning', source: GATEWAY_VALIDATOR }, [
    {
      id: 'nat-address/gateway',
      kinds: [kindKey(...ovn(OVN_KIND.EIP))],
      what: 'an IptablesEIP belongs to a VpcNatGateway',
      field: 'spec.natGwDp',
      required: required('the VpcNatGateway', 'parameter "natGwDp" cannot be empty'),
      check: known(OVN_KIND.NAT_GATEWAY, 'declare the VpcNatGateway'),
    },
    {
      id: 'nat-rule/address',
      kinds: ['IptablesDnatRule', 'IptablesSnatRule', 'IptablesFIPRule'].map((kind) =>
        kindKey(...ovn(kind)),
      ),
      what: 'a rule of address translation has an IptablesEIP',
      field: 'spec.eip',
      required: required('the IptablesEIP', 'parameter "eip" cannot be empty'),
      check: known(OVN_KIND.EIP, 'declare the IptablesEIP'),
    },
    {
      id: 'nat-rule/external-port',
      kinds: [kindKey(...ovn('IptablesDnatRule'))],
      what: 'the external port of an IptablesDnatRule is a port',
      field: 'spec.externalPort',
      check: isPort,
    },
    {
      id: 'nat-rule/internal-port',
      kinds: [kindKey(...ovn('IptablesDnatRule'))],
      what: 'the internal port of an IptablesDnatRule is a port',
      field: 'spec.internalPort',
      check: isPort,
    },
    {
      id: 'nat-rule/protocol',
      kinds: [kindKey(...ovn('IptablesDnatRule'))],
      what: 'the protocol of an IptablesDnatRule is TCP or UDP',
      field: 'spec.protocol',
      check: oneOf(['tcp', 'udp', 'TCP', 'UDP'], { says: 'supported params: "tcp", "udp"' }),
    },
    {
      id: 'nat-rule/internal-ip',
      kinds: ['IptablesDnatRule', 'IptablesFIPRule'].map((kind) => kindKey(...ovn(kind))),
      what: 'the inner address of a rule is an IP address',
      field: 'spec.internalIp',
      check: isAddress,
    },
    {
      id: 'nat-rule/internal-cidr',
      kinds: [kindKey(...ovn('IptablesSnatRule'))],
      what: 'the inner network of an IptablesSnatRule is in CIDR form',
      field: 'spec.internalCIDR',
      check: must(
        (value) =>
          typeof value !== 'string' ||
          value.split(',').every((cidr) => parseCidr(cidr) !== undefined),
        {
          message: 'must be a network in CIDR form',
          fix: 'write e.g. 10.20.0.0/24',
          says: 'invalid cidr',
        },
      ),
    },
  ]),
];

const peeringsOf = (manifest: Manifest) => records(manifest, 'spec', 'vpcPeerings');

function hasProvider(manifest: Manifest, provider: string): boolean {
  const own = specOf(manifest).provider;
  return own === provider || isLate(own);
}
