import { createHash } from 'crypto';
import { HARVESTER_PUBLIC } from '../../harvester/infrastructure.kind';

/**
 * Names of tenancy that Rancher and Harvester give a meaning, each with its source.
 */

/** Annotation on a Namespace: the project that it is in, `<cluster id>:<project>`. @see rancher/rancher:pkg/controllers/managementuser/helper/project.go ProjectIDAnnotation */
export const ANNOTATION_PROJECT_ID = 'field.cattle.io/projectId';

/** Annotation on a Namespace: its quota, as JSON. @see rancher/rancher:pkg/controllers/managementuser/resourcequota/resource_quota_sync.go resourceQuotaAnnotation */
export const ANNOTATION_RESOURCE_QUOTA = 'field.cattle.io/resourceQuota';

/** Annotation on a Namespace: limits of containers that name none, as JSON. @see rancher/webhook:pkg/resources/core/v1/namespace (resourceLimitAnnotation) */
export const ANNOTATION_CONTAINER_LIMIT = 'field.cattle.io/containerDefaultResourceLimit';

/** Label on a Project: the System project of a cluster, which can't be deleted. @see rancher/rancher:pkg/project/project.go */
export const LABEL_SYSTEM_PROJECT = 'authz.management.cattle.io/system-project';

/** Label on a Project: the Default project of a cluster. @see rancher/rancher:pkg/project/project.go */
export const LABEL_DEFAULT_PROJECT = 'authz.management.cattle.io/default-project';

/** Annotation on a binding: the name that Rancher shows for a principal that has never logged in. @see rancher/rancher:pkg/controllers/management/auth/prtb_handler.go */
export const ANNOTATION_PRINCIPAL_DISPLAY_NAME = 'auth.cattle.io/principal-display-name';

/** Label on a ClusterRoleTemplateBinding that comes of a GlobalRoleBinding. @see rancher/webhook:pkg/resources/management.cattle.io/v3/clusterroletemplatebinding */
export const LABEL_GLOBAL_BINDING_OWNER = 'authz.management.cattle.io/grb-owner';

/** The namespace of the passwords of local users. @see rancher/webhook:pkg/resources/core/v1/secret; seen on Rancher 2.13.8 */
export const PASSWORD_NAMESPACE = 'cattle-local-user-passwords';

/** The key of the password, or of its hash, in a password Secret. */
export const PASSWORD_KEY = 'password';

/** The key of the salt in a password Secret. */
export const PASSWORD_SALT_KEY = 'salt';

/** Annotation on a password Secret: it holds a hash and no plain text. @see rancher/rancher:pkg/auth/providers/local/pbkdf2; seen on Rancher 2.13.8 */
export const ANNOTATION_PASSWORD_HASH = 'cattle.io/password-hash';

/** The value of that annotation: the one kind of hash there is. */
export const PASSWORD_HASH_PBKDF2 = 'pbkdf2sha3512';

/** How many characters Rancher asks for in a password. @see rancher/rancher:pkg/settings/setting.go password-min-length */
export const PASSWORD_MIN_LENGTH = 12;

/**
 * Namespaces of Harvester itself: those of Rancher's System project, which a controller of Harvester keeps there, and shared ones. No tenant's.
 * @see harvester/harvester:pkg/controller/master/rancher/namespace.go, pkg/util/supportbundle DefaultNamespaces
 */
export const HARVESTER_SYSTEM_NAMESPACES: readonly string[] = [
  'harvester-system', HARVESTER_PUBLIC, 'longhorn-system', 'local', 'cattle-dashboards', 'cattle-fleet-clusters-system', 'cattle-logging-system',
  'cattle-monitoring-system', 'cattle-provisioning-capi-system',
];

/** Name prefixes of bindings, as Rancher's UI gives them by generateName. @see rancher/webhook:pkg/resources/management.cattle.io/v3/projectroletemplatebinding/mutator.go */
export const BINDING_PREFIX = { project: 'prtb-', cluster: 'crtb-', global: 'grb-' } as const;

/** `<cluster id>:<project>`: how namespaces and bindings name a project. */
export const projectIdOf = (clusterId: string, project: string): string => `${clusterId}:${project}`;

const MAX = 63;

/**
 * Names joined by hyphens, shortened by a hash where they are longer than 63 characters.
 * @see rancher/wrangler:pkg/name/name.go SafeConcatName
 */
export function safeConcatName(...names: string[]): string {
  const full = names.filter((name) => name !== '').join('-');
  if (full.length <= MAX) { return full; }
  const digest = createHash('sha256').update(full).digest('hex');
  // what is cut must not end in a hyphen or a dot
  return /[a-z0-9]/.test(full[MAX - 7]) ? `${full.slice(0, MAX - 6)}-${digest.slice(0, 5)}` : `${full.slice(0, MAX - 7)}-${digest.slice(0, 6)}`;
}

/**
 * The namespace that Rancher makes for a project and looks its bindings up in.
 *
 * @param hasClusterId whether this version of Rancher puts the cluster's id before it: `GateId.PROJECT_BACKING_NAMESPACE`
 * @see rancher/rancher:pkg/apis/management.cattle.io/v3/authz_types.go GetProjectBackingNamespace; seen on Rancher 2.13.8
 */
export function backingNamespaceOf(clusterId: string, project: string, hasClusterId: boolean): string {
  return hasClusterId ? safeConcatName(clusterId, project.toLowerCase()) : project;
}
