import { each, fields, KindShape, list, map, root } from './shape';
import { API_LOAD_BALANCER, KIND_IP_POOL, KIND_LOAD_BALANCER } from '../load-balancer/names';
import { API_VERSIONS } from '../names';

/** IPPool: other tools call the ends of a range otherwise. */
const IP_POOL: KindShape = {
  apiVersion: API_LOAD_BALANCER,
  kind: KIND_IP_POOL,
  shape: root({
    spec: fields({
      description: 'string',
      ranges: list(fields(each('string', 'gateway', 'rangeEnd', 'rangeStart', 'subnet'))),
      selector: fields({ network: 'string', priority: 'integer', scope: list(fields(each('string', 'guestCluster', 'namespace', 'project'))) }),
    }),
    status: 'any',
  }),
};

/** LoadBalancer of virtual machines, or of a guest cluster. */
const LOAD_BALANCER: KindShape = {
  apiVersion: API_LOAD_BALANCER,
  kind: KIND_LOAD_BALANCER,
  shape: root({
    spec: fields({
      ...each('string', 'description', 'ipPool', 'ipam', 'workloadType'),
      backendServerSelector: map(list('string')),
      healthCheck: fields(each('integer', 'failureThreshold', 'periodSeconds', 'port', 'successThreshold', 'timeoutSeconds')),
      listeners: list(fields({ ...each('string', 'name', 'protocol'), ...each('integer', 'backendPort', 'port') })),
    }),
    status: 'any',
  }),
};

/** ResourceQuota of Harvester's own group, which limits snapshots. */
const SNAPSHOT_QUOTA: KindShape = {
  apiVersion: API_VERSIONS.HARVESTER,
  kind: 'ResourceQuota',
  shape: root({
    spec: fields({ snapshotLimit: fields({ namespaceTotalSnapshotSizeQuota: 'integer', vmTotalSnapshotSizeQuota: map('integer') }) }),
    status: 'any',
  }),
};

/** The kinds of load balancers, and of the quota beside them. */
export const LOAD_BALANCER_SHAPES: readonly KindShape[] = [IP_POOL, LOAD_BALANCER, SNAPSHOT_QUOTA];
