import { groupOf, isRecord } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { Cluster, LiveObject } from '../cluster/cluster';
import { onFailure } from '../transport/api';

/**
 * Annotation of a GlobalRoleBinding: the ClusterRoleBinding by which Rancher grants its permissions.
 * @see rancher/rancher:pkg/controllers/management/auth/globalroles/globalrolebinding_handler.go
 */
const ANNOTATION_CRB = 'authz.management.cattle.io/crb-name';

const CRB_PREFIX = 'cattle-globalrolebinding-';

/**
 * Takes the permissions of a GlobalRoleBinding that is being deleted, and that Rancher holds: while
 * one of its clusters is being deleted, it leaves the ClusterRoleBinding on its own cluster, so the
 * members keep the permissions. Rancher does not create it again. Seen on Rancher 2.15.0.
 *
 * @returns the name of the ClusterRoleBinding that was deleted
 */
export async function revokeHeld(
  cluster: Cluster,
  live: LiveObject,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const { name, uid, deletionTimestamp, annotations = {}, finalizers = [] } = live.metadata;
  const isBinding =
    groupOf(live.apiVersion) === GROUPS.MANAGEMENT && live.kind === 'GlobalRoleBinding';
  if (!isBinding || deletionTimestamp === undefined || finalizers.length === 0) {
    return undefined;
  }
  const ref = {
    apiVersion: `${GROUPS.RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    name: annotations[ANNOTATION_CRB] ?? `${CRB_PREFIX}${name}`,
  };
  const notAllowed = onFailure(['forbidden'], () => undefined);
  const granted = await cluster.read(ref, { signal }).catch(notAllowed);
  const isOwn = granted?.metadata.ownerReferences?.some(
    (owner) => isRecord(owner) && owner.uid === uid,
  );
  if (!granted || !isOwn) {
    return undefined;
  }
  const deleting = cluster.delete(ref, granted.metadata.uid, { signal }).then(() => ref.name);
  return deleting.catch(onFailure(['forbidden', 'precondition'], () => undefined));
}
