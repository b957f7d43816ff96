import { KindShape, STRING_MAP, each, fields, list, root } from './shape';
import { API_VERSIONS } from '../manifest/names';

/** ClusterRegistrationToken; its status is Rancher's to write. */
export const CLUSTER_REGISTRATION_TOKEN: KindShape = {
  apiVersion: API_VERSIONS.MANAGEMENT,
  kind: 'ClusterRegistrationToken',
  shape: root({
    spec: fields({ clusterName: 'string', ...each('integer', 'gracePeriod', 'ttl') }),
    status: 'any',
  }),
};

const SETTING = { ...each('string', 'default', 'source', 'value'), customized: 'boolean' } as const;

/** Setting of Rancher, which has its fields at the top. */
export const RANCHER_SETTING: KindShape = { apiVersion: API_VERSIONS.MANAGEMENT, kind: 'Setting', shape: root(SETTING) };

/** Setting of Harvester, which has its fields at the top, and conditions. */
export const HARVESTER_SETTING: KindShape = {
  apiVersion: API_VERSIONS.HARVESTER,
  kind: 'Setting',
  shape: root({
    ...SETTING,
    status: fields({
      conditions: list(fields(each('string', 'lastTransitionTime', 'lastUpdateTime', 'message', 'reason', 'status', 'type'))),
    }),
  }),
};

/** CloudInit of Harvester's node manager; a status subresource keeps what is written to it by others. */
export const CLOUD_INIT: KindShape = {
  apiVersion: API_VERSIONS.HARVESTER_NODE,
  kind: 'CloudInit',
  shape: root({
    spec: fields({ ...each('string', 'contents', 'filename'), matchSelector: STRING_MAP, paused: 'boolean' }),
    status: 'any',
  }),
};
