import { deletes } from '../../core/kind/description/removal';
import { KindDescription } from '../../core/kind/kind';
import { READY } from '../../core/kind/ready/readiness';
import { GROUPS } from '../../core/manifest/names';

/**
 * Name prefix of the Secrets by which Rancher finds registration tokens.
 * @see rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/token_secret.go (2.13.8, 2.14.4, 2.15.0 and later)
 */
export const TOKEN_SECRET_PREFIX = 'crt-token-';

/** The key of the token in such a Secret. */
export const TOKEN_SECRET_KEY = 'token';

/**
 * The registration token that Rancher creates for every cluster.
 * @see rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go createToken
 */
export const DEFAULT_TOKEN = 'default-token';

/**
 * The registration token that Rancher's own agents use.
 * @see rancher/rancher:pkg/systemaccount/systemaccount.go
 */
export const SYSTEM_TOKEN = 'system';

/**
 * Placeholder for the token in the URLs of a ClusterRegistrationToken's status since 2.13.8,
 * 2.14.4, 2.15.0.
 * @see rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/status.go tokenPlaceholder
 */
export const TOKEN_PLACEHOLDER = '{token}';

/**
 * The path of an import manifest on Rancher.
 * @see rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/status.go getURL
 */
export const importPath = (token: string, clusterId: string): string =>
  `/v3/import/${token}_${clusterId}.yaml`;

/**
 * Rancher's ClusterRegistrationToken.
 * @see rancher/rancher:pkg/apis/management.cattle.io/v3/cluster_types.go
 */
export const REGISTRATION_TOKEN_DESCRIPTION: KindDescription = {
  group: GROUPS.MANAGEMENT,
  version: 'v3',
  kind: 'ClusterRegistrationToken',
  scope: 'Namespaced',
  rank: 42,
  deletion: deletes('its URL stops working; agents that registered with it keep working'),
  stage: ({ metadata }) => ({ stage: 'tokens', part: metadata.namespace }),
  // it has no conditions; what is read from it is waited for as a late value
  ready: { judge: () => READY },
  power: {
    preparedBy: [],
    keeps: 'its creator knows the token and can connect another cluster in place of yours',
  },
};
