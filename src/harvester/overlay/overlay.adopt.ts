import { DEFAULT_VPC, GROUP_KUBE_OVN, OVN_KIND, networkOfSubnet } from './overlay.kind';
import { Inverse, booleanAt, listAt, referOn, textAt, unless, byName, declare } from '../../core/draft/inverse';
import { Manifest, isRecord, kindKey } from '../../core/manifest/manifest';
import { descriptionProp } from '../harvester-object.adopt';
import { GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT } from '../network/vm-network.kind';

const VPC = kindKey(GROUP_KUBE_OVN, OVN_KIND.VPC);

/** From a Vpc of Kube-OVN to the construct. Peers are two objects of one statement, and remain ApiObjects. */
export const OVERLAY_VPC_INVERSE: Inverse = {
  kinds: [VPC],
  drafts: (object) => {
    const { manifest } = object;
    if (listAt(manifest, 'spec', 'vpcPeerings').length > 0) { return []; }
    const routes = listAt(manifest, 'spec', 'staticRoutes').filter(isRecord).map(({ cidr, nextHopIP }) => ({ cidr: String(cidr), nextHop: String(nextHopIP) }));
    return { type: 'OverlayVpc', id: manifest.metadata.name, props: { ...descriptionProp(object), routes: routes.length > 0 ? routes : undefined }, declares: [object] };
  },
  existing: byName('OverlayVpc'),
};

/** From a Subnet of Kube-OVN to the construct. */
export const OVERLAY_SUBNET_INVERSE: Inverse = {
  kinds: [kindKey(GROUP_KUBE_OVN, OVN_KIND.SUBNET)],
  drafts: (object) => {
    const { target, manifest } = object;
    const network = networkOfSubnet(manifest);
    const vpc = unless(textAt(manifest, 'spec', 'vpc'), DEFAULT_VPC);
    if (!network) { return []; }
    const servers = ['dhcpV4Options', 'dhcpV6Options'].flatMap((field) => /^dns_server=\{(.*)\}$/.exec(textAt(manifest, 'spec', field) ?? '')?.[1]?.split(';') ?? []);
    return declare(object, 'OverlaySubnet', {
      ...descriptionProp(object),
      network: referOn(target, kindKey(GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT), network.name, network.namespace),
      vpc: vpc === undefined ? undefined : referOn(target, VPC, vpc),
      cidr: textAt(manifest, 'spec', 'cidrBlock'),
      gateway: textAt(manifest, 'spec', 'gateway'),
      excludedAddresses: texts(manifest, 'excludeIps'),
      dhcp: unless(booleanAt(manifest, 'spec', 'enableDHCP') ?? false, true),
      dnsServers: servers.length > 0 ? servers : undefined,
      natOutgoing: booleanAt(manifest, 'spec', 'natOutgoing') ? true : undefined,
      private: booleanAt(manifest, 'spec', 'private') ? true : undefined,
      allowedSubnets: texts(manifest, 'allowSubnets'),
    });
  },
  // the controller writes them always @see kubeovn/kube-ovn:pkg/apis/kubeovn/v1/subnet.go SubnetSpec
  defaults: {
    'spec.default': false,
    'spec.gatewayNode': '',
    'spec.natOutgoing': false,
    'spec.private': false,
    'spec.enableLb': true,
    'spec.gatewayType': 'distributed',
  },
};

function texts(manifest: Manifest, field: string): readonly string[] | undefined {
  const list = listAt(manifest, 'spec', field).filter((each): each is string => typeof each === 'string');
  return list.length > 0 ? list : undefined;
}
