import { OVERLAY_SUBNET_FIELDS } from './overlay-subnet';
import { cidrsOf, peerAddresses } from './overlay.check';
import { GROUP_KUBE_OVN, OVN_KIND, VPC_KIND, networkOfSubnet } from './overlay.kind';
import {
  FoundObject,
  Inverse,
  Surroundings,
  listAt,
  referOn,
  textAt,
  byName,
  declare,
} from '../../core/draft/draft';
import { parseCidr, printNetwork } from '../../core/go/go-ip';
import { groupOf, isRecord, kindKey, Manifest, valueAt } from '../../core/manifest/manifest';
import { descriptionProp } from '../harvester-object.adopt';

/**
 * From a Vpc of Kube-OVN to the construct. Of two peers, the one with the first address of the
 * network between them calls `peerWith`.
 */
export const OVERLAY_VPC_INVERSE: Inverse = {
  kinds: [VPC_KIND],
  drafts: (object, around) => {
    const { target, manifest } = object;
    const peerings = listAt(manifest, 'spec', 'vpcPeerings').map((peering) =>
      peeringOf(object, peering, around),
    );
    if (!peerings.every((peering) => peering !== undefined)) {
      return [];
    }
    const toPeers = new Set(
      peerings.flatMap(({ nextHop, cidrs }) => cidrs.map((cidr) => `${cidr} ${nextHop}`)),
    );
    const routes = listAt(manifest, 'spec', 'staticRoutes')
      .filter(isRecord)
      .map(({ cidr, nextHopIP }) => ({ cidr: String(cidr), nextHop: String(nextHopIP) }))
      .filter(({ cidr, nextHop }) => !toPeers.has(`${cidr} ${nextHop}`));
    return declare(
      object,
      'OverlayVpc',
      { ...descriptionProp(object), routes: routes.length > 0 ? routes : undefined },
      {
        calls: peerings
          .filter(({ isFirst }) => isFirst)
          .map(({ peer, network }) => ({
            method: 'peerWith',
            args: [referOn(target, VPC_KIND, peer), network],
          })),
      },
    );
  },
  existing: byName('OverlayVpc'),
};

/** A peering of a Vpc; undefined for one that `peerWith` does not write. */
function peeringOf(vpc: FoundObject, peering: unknown, around: Surroundings) {
  const { target } = vpc;
  const { name } = vpc.manifest.metadata;
  const [peer, own] = ['remoteVpc', 'localConnectIP'].map((field) => valueAt(peering, field));
  const parsed = typeof own === 'string' ? parseCidr(own) : undefined;
  const network = parsed && printNetwork(parsed);
  const addresses = network === undefined ? undefined : peerAddresses(network);
  const index = addresses?.findIndex((address) => address.own === own) ?? -1;
  if (typeof peer !== 'string' || network === undefined || !addresses || index < 0) {
    return undefined;
  }
  const other = around.find({ target, group: GROUP_KUBE_OVN, kind: OVN_KIND.VPC, name: peer });
  const isMutual =
    other &&
    listAt(other.manifest, 'spec', 'vpcPeerings').some(
      (back) =>
        valueAt(back, 'remoteVpc') === name &&
        valueAt(back, 'localConnectIP') === addresses[1 - index].own,
    );
  const subnets = around
    .cluster(target)
    .objects.map(({ manifest }) => manifest)
    .filter((each) => isSubnet(each) && textAt(each, 'spec', 'vpc') === peer);
  const cidrs = subnets.flatMap((each) => cidrsOf(valueAt(each, 'spec', 'cidrBlock')));
  return isMutual
    ? { peer, network, isFirst: index === 0, nextHop: addresses[index].nextHop, cidrs }
    : undefined;
}

function isSubnet({ apiVersion, kind }: Manifest): boolean {
  return groupOf(apiVersion) === GROUP_KUBE_OVN && kind === OVN_KIND.SUBNET;
}

/** From a Subnet of Kube-OVN to the construct. */
export const OVERLAY_SUBNET_INVERSE: Inverse = {
  kinds: [kindKey(GROUP_KUBE_OVN, OVN_KIND.SUBNET)],
  drafts: (object) =>
    networkOfSubnet(object.manifest)
      ? declare(object, 'OverlaySubnet', {
          ...descriptionProp(object),
          ...OVERLAY_SUBNET_FIELDS.read(object),
        })
      : [],
  // the controller writes them always @see kubeovn/kube-ovn:pkg/apis/kubeovn/v1/subnet.go
  // SubnetSpec
  defaults: {
    'spec.default': false,
    'spec.gatewayNode': '',
    'spec.natOutgoing': false,
    'spec.private': false,
    'spec.enableLb': true,
    'spec.gatewayType': 'distributed',
  },
};
