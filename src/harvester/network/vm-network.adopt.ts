import {
  netConfOf,
  ANNOTATION_ROUTE,
  GROUP_ATTACHMENT,
  KIND_NETWORK_ATTACHMENT,
  LABEL_NETWORK_TYPE,
  NETWORK_TYPE,
} from './vm-network.kind';
import {
  DraftProps,
  FoundObject,
  StaticCall,
  call,
  Inverse,
  referOn,
  unless,
  byName,
  declare,
} from '../../core/draft/draft';
import { annotationsOf, labelsOf, valueAt, isRecord } from '../../core/manifest/manifest';
import { GROUP_HARVESTER_NETWORK } from '../../core/manifest/names';
import { jsonOf } from '../../core/text/values';
import { BRIDGE_SUFFIX } from '../cluster-network/cluster-network.kind';
import { namespacedProps } from '../harvester-object.adopt';

/** From a NetworkAttachmentDefinition to the construct of its type. */
export const VM_NETWORK_INVERSE: Inverse = {
  kinds: [`${GROUP_ATTACHMENT}/${KIND_NETWORK_ATTACHMENT}`],
  drafts: (object) => {
    const isOverlay = labelsOf(object.manifest)[LABEL_NETWORK_TYPE] === NETWORK_TYPE.OVERLAY;
    if (isOverlay) {
      return declare(object, 'OverlayNetwork', namespacedProps(object));
    }
    const props = bridgeProps(object);
    return props ? declare(object, 'VmNetwork', { ...namespacedProps(object), ...props }) : [];
  },
  existing: byName('VmNetwork'),
};

function bridgeProps({ target, manifest }: FoundObject): DraftProps | undefined {
  const config = netConfOf(valueAt(manifest, 'spec', 'config'));
  if (!config?.bridge.endsWith(BRIDGE_SUFFIX)) {
    return undefined;
  }
  return {
    clusterNetwork: referOn(
      target,
      `${GROUP_HARVESTER_NETWORK}/ClusterNetwork`,
      config.bridge.slice(0, -BRIDGE_SUFFIX.length),
    ),
    vlan: unless(config.vlan, 0),
    trunk: config.vlanTrunk?.map((each) => ({
      first: each?.minID ?? each?.id,
      last: each?.maxID === each?.minID ? undefined : each?.maxID,
    })),
    route: routeOf(annotationsOf(manifest)[ANNOTATION_ROUTE]),
    mtu: unless(config.mtu, 0),
  };
}

function routeOf(annotation: unknown): StaticCall | undefined {
  const route = jsonOf(annotation);
  const { mode, cidr, gateway, serverIPAddr } = isRecord(route) ? route : {};
  if (mode === 'manual') {
    return call('VmNetworkRoute', 'manual', String(cidr), String(gateway));
  }
  if (mode !== 'auto') {
    return undefined;
  }
  return serverIPAddr
    ? call('VmNetworkRoute', 'auto', { dhcpServer: String(serverIPAddr) })
    : call('VmNetworkRoute', 'auto');
}
