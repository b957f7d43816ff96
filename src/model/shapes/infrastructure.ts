import { each, fields, KindShape, list, root, STRING_MAP } from './shape';
import { INFRASTRUCTURE_API } from '../infrastructure-names';
import { API_VERSIONS } from '../names';

const LABEL_SELECTOR = fields({
  matchLabels: STRING_MAP, matchExpressions: list(fields({ ...each('string', 'key', 'operator'), values: list('string') })),
});

/** VirtualMachineImage of Harvester. */
const IMAGE: KindShape = {
  apiVersion: API_VERSIONS.HARVESTER,
  kind: 'VirtualMachineImage',
  shape: root({
    spec: fields({
      ...each('string', 'backend', 'checksum', 'description', 'displayName', 'pvcName', 'pvcNamespace', 'sourceType', 'targetStorageClassName', 'url'),
      retry: 'integer',
      securityParameters: fields(each('string', 'cryptoOperation', 'sourceImageName', 'sourceImageNamespace')),
      storageClassParameters: STRING_MAP,
    }),
    status: 'any',
  }),
};

/** KeyPair of Harvester. */
const KEY_PAIR: KindShape = { apiVersion: API_VERSIONS.HARVESTER, kind: 'KeyPair', shape: root({ spec: fields({ publicKey: 'string' }), status: 'any' }) };

/** Addon of Harvester. */
const ADDON: KindShape = {
  apiVersion: API_VERSIONS.HARVESTER,
  kind: 'Addon',
  shape: root({ spec: fields({ ...each('string', 'chart', 'repo', 'valuesContent', 'version'), enabled: 'boolean' }), status: 'any' }),
};

/** ClusterNetwork, which has no spec. */
const CLUSTER_NETWORK: KindShape = { apiVersion: INFRASTRUCTURE_API.NETWORK, kind: 'ClusterNetwork', shape: root({ status: 'any' }) };

/** VlanConfig: MTU and bond lie deep, and are often written elsewhere. */
const VLAN_CONFIG: KindShape = {
  apiVersion: INFRASTRUCTURE_API.NETWORK,
  kind: 'VlanConfig',
  shape: root({
    spec: fields({
      ...each('string', 'clusterNetwork', 'description'),
      nodeSelector: STRING_MAP,
      uplink: fields({
        nics: list('string'),
        linkAttributes: fields({ hardwareAddr: 'any', ...each('integer', 'mtu', 'txQLen') }),
        bondOptions: fields({ mode: 'string', miimon: 'integer' }),
      }),
    }),
    status: 'any',
  }),
};

/** HostNetworkConfig. */
const HOST_NETWORK_CONFIG: KindShape = {
  apiVersion: INFRASTRUCTURE_API.NETWORK,
  kind: 'HostNetworkConfig',
  shape: root({
    spec: fields({
      ...each('string', 'clusterNetwork', 'description', 'mode'), vlanID: 'integer', underlay: 'boolean', ips: STRING_MAP, nodeSelector: LABEL_SELECTOR,
    }),
    status: 'any',
  }),
};

/** The kinds of what virtual machines need. */
export const INFRASTRUCTURE_SHAPES: readonly KindShape[] = [IMAGE, KEY_PAIR, ADDON, CLUSTER_NETWORK, VLAN_CONFIG, HOST_NETWORK_CONFIG];
