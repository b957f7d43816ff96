import { Construct } from 'constructs';
import { IManagedCluster } from './managed-cluster';
import { EdgeType, Edges, LateSource, LateType, LateValue } from '../late';
import { API_VERSIONS, TOKEN_SECRET_KEY, TOKEN_SECRET_PREFIX } from '../model/names';
import { FeatureGates, GateId, RancherVersion } from '../versions';

/**
 * A registration token that Rancher makes, itself: from its Secret, or from the status of its ClusterRegistrationToken on a Rancher that has no
 * such Secrets. One for a scope.
 * @see rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/token_secret.go
 */
export function lateToken(scope: Construct, { clusterId: namespace, rancher: target, node }: IManagedCluster, name: string): LateValue {
  const id = 'NodeToken';
  const existing = scope.node.tryFindChild(id);
  if (existing) { return existing as LateValue; }
  const inSecret = FeatureGates.of(GateId.REGISTRATION_TOKEN_SECRET).supports(RancherVersion.parse(target.version));
  const late = new LateValue(scope, id, {
    description: `registration token ${name} of ${namespace}`,
    type: LateType.TOKEN,
    sensitive: true,
    source: inSecret
      ? LateSource.secretKey({ target, apiVersion: API_VERSIONS.CORE, kind: 'Secret', namespace, name: `${TOKEN_SECRET_PREFIX}${name}` }, TOKEN_SECRET_KEY)
      : LateSource.field({ target, apiVersion: API_VERSIONS.MANAGEMENT, kind: 'ClusterRegistrationToken', namespace, name }, 'status.token'),
  });
  if (node.defaultChild) { Edges.of(late)._add(node.defaultChild, EdgeType.APPLIED); }
  return late;
}
