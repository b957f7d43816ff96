import { Manifest, groupOf, labelsOf } from '../../core/manifest/manifest';
import { CREATOR_NORMAN, LABEL_CREATOR } from '../project-secret/project-secret.kind';

/**
 * Values of labels `<namespace>_<binding>` on RoleBindings and ClusterRoleBindings that Rancher
 * makes from the members of clusters and projects, the first one
 * until Rancher 2.4.
 *
 * @see rancher/rancher:pkg/controllers/management/auth/crtb_handler.go MembershipBindingOwnerLegacy, MembershipBindingOwner, CrtbInProjectBindingOwner, PrtbInClusterBindingOwner
 */
const OWNER_VALUES: ReadonlySet<unknown> = new Set([
  'memberhsip-binding-owner',
  'membership-binding-owner',
  'crtb-in-project-binding-owner',
  'prtb-in-cluster-binding-owner',
]);

/**
 * Labels of what Rancher makes from its bindings and roles, each with their name or UID.
 *
 * @see rancher/rancher:pkg/rbac/common.go; pkg/controllers/managementuser/rbac/handler_base.go;
 * pkg/controllers/management/auth/globalroles/globalrole_handler.go, globalrolebinding_handler.go
 */
const OWNER_LABELS: ReadonlySet<string> = new Set([
  'authz.cluster.cattle.io/rtb-owner',
  'authz.cluster.cattle.io/rtb-owner-updated',
  'authz.cluster.cattle.io/crtb-owner',
  'authz.cluster.cattle.io/prtb-owner',
  'authz.cluster.cattle.io/clusterrole-owner',
  'authz.management.cattle.io/gr-owner',
  'authz.management.cattle.io/grb-owner',
  'authz.management.cattle.io/fleet-workspace-permissions',
]);

/** The API group of the roles of Kubernetes. */
const RBAC = 'rbac.authorization.k8s.io';

/** The kinds of objects that Rancher makes from its roles and bindings, as `group/Kind`. */
export const RBAC_KINDS: readonly string[] = [
  'ClusterRole',
  'ClusterRoleBinding',
  'Role',
  'RoleBinding',
].map((kind) => `${RBAC}/${kind}`);

/**
 * The label by which a role or binding of Kubernetes is one that Rancher made: it writes and
 * deletes it with its own roles and members. Undefined for one of a user.
 *
 * Users cannot create such objects by Rancher's API, whose controllers set the label of its
 * creator. Seen on Rancher 2.13.8 and 2.15.0.
 */
export function markOfRancher(manifest: Manifest): string | undefined {
  if (groupOf(manifest.apiVersion) !== RBAC) {
    return undefined;
  }
  const found = Object.entries(labelsOf(manifest)).find(
    ([key, value]) =>
      OWNER_VALUES.has(value) ||
      OWNER_LABELS.has(key) ||
      (key === LABEL_CREATOR && value === CREATOR_NORMAN),
  );
  return found && `${found[0]}: ${String(found[1])}`;
}

/** Why no program may create an object that `markOfRancher` finds. */
export const ONLY_RANCHER_MAKES =
  'Rancher creates such objects from its roles and members, and deletes them with these: creating one again gives back permissions that were removed';
