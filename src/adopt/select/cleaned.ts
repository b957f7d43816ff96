import { ANNOTATION_TRACKING_ID, HELM, isFromFile } from './marks';
import { KindFields } from '../../core/kind/description/fields';
import { ANNOTATION_LAST_APPLIED } from '../../core/kind/field-managers';
import { kindOf } from '../../core/kind/kinds';
import { RETENTION_MARKS, retainedByDefault } from '../../core/kind/retention';
import {
  Manifest,
  annotationsOf,
  at,
  groupOf,
  isRecord,
  itemsAt,
  kindKey,
  labelsOf,
  patternOf,
  replacedAt,
} from '../../core/manifest/manifest';
import { ANNOTATION_PROJECT_ID } from '../../core/manifest/names';
import { OWN_MARKS } from '../../engine/fields/apply-set';
import { isForeign } from '../../engine/fields/finalizers';
import {
  ANNOTATION_CREATOR_ID,
  ANNOTATION_CREATOR_PRINCIPAL,
} from '../../rancher/binding/binding.kind';
import { CREATOR_NORMAN, LABEL_CREATOR } from '../../rancher/project-secret/project-secret.kind';

/** The API servers' own address: a headless Service has none, which a user chose. */
const HEADLESS = 'None';

/**
 * Annotation of an image: users choose its StorageClass by it, and Harvester adds it where they did
 * not.
 */
const ALSO_OF_USERS = 'harvesterhci.io/storageClassName';

/** The status of a registration token names its Secret, which users choose. */
const KEPT_STATUS = {
  kind: 'management.cattle.io/ClusterRegistrationToken',
  field: 'tokenSecretName',
} as const;

/**
 * A live object as a user could have written it: without what servers, controllers and this library
 * write. Fields that users may have written remain, also where they have the default of the server;
 * nulls are dropped, which mean nothing to a server.
 */
export function cleaned(manifest: Manifest): Manifest {
  const { status, metadata, ...rest } = manifest;
  const kind = kindKey(groupOf(manifest.apiVersion), manifest.kind);
  const fields = Object.entries(metadata).filter(([key]) => !SERVER_METADATA.has(key));
  const own = fields
    .map(([key, value]): [string, unknown] => [key, ownMetadata(key, value, manifest)])
    .filter(([, value]) => isFilled(value));
  const object = { ...rest, metadata: Object.fromEntries(own) as Manifest['metadata'] } as Manifest;
  const chosen = kind === KEPT_STATUS.kind ? at(status, [KEPT_STATUS.field]) : undefined;
  return withoutNulls(
    withoutFields(
      kind,
      typeof chosen === 'string' ? { ...object, status: { [KEPT_STATUS.field]: chosen } } : object,
    ),
  ) as Manifest;
}

function isFilled(value: unknown): boolean {
  return value !== undefined && (!isRecord(value) || Object.keys(value).length > 0);
}

function ownMetadata(key: string, value: unknown, manifest: Manifest): unknown {
  if (SHARED_METADATA.has(key)) {
    return sharedMetadataOfFile(key, value, manifest);
  }
  return (key === 'labels' || key === 'annotations') && isRecord(value)
    ? textsOfUsers(value, key, manifest)
    : value;
}

/** Labels or annotations without those that servers and this library write. */
function textsOfUsers(
  map: { readonly [key: string]: unknown },
  field: 'labels' | 'annotations',
  manifest: Manifest,
): { readonly [key: string]: unknown } {
  const { writtenByOthers = [] } = kindOf<KindFields>(manifest) ?? {};
  const ofField = writtenByOthers
    .map(patternOf)
    .filter((path) => path.length === 3 && path[1] === field);
  const ofKind = new Set(ofField.map(([, , key]) => key).filter((key) => key !== ALSO_OF_USERS));
  const system = field === 'labels' ? SYSTEM_LABELS : SYSTEM_ANNOTATIONS;
  const isFile = isFromFile(manifest);
  // of a live object that no synthesis marks, the first apply would remove them
  const isMarked = isFile || retainedByDefault(manifest) !== undefined;
  const isSystem = (key: string): boolean =>
    !(FILE_TEXTS.has(key) && isFile) &&
    (system.has(key) ||
      ofKind.has(key) ||
      SYSTEM_PREFIXES.some((prefix) => key.startsWith(prefix)));
  return Object.fromEntries(
    Object.entries(map).filter(
      ([key, value]) =>
        !(
          isSystem(key) ||
          OWN_MARKS.has(key) ||
          (isMarked && RETENTION_MARKS.get(key) === value) ||
          (field === 'labels' && isCopied(key, value, manifest))
        ),
    ),
  );
}

/** Labels that mean something else than what users write them for. */
function isCopied(key: string, value: unknown, manifest: Manifest): boolean {
  if (key === LABEL_CREATOR) {
    return value === CREATOR_NORMAN;
  }
  if (key === HELM.LABEL) {
    return value === HELM.VALUE && HELM.NAME in annotationsOf(manifest);
  }
  // of the annotation, without the cluster
  return (
    key === ANNOTATION_PROJECT_ID &&
    manifest.kind === 'Namespace' &&
    String(annotationsOf(manifest)[ANNOTATION_PROJECT_ID]).endsWith(
      `:${String(labelsOf(manifest)[key])}`,
    )
  );
}

function withoutFields(kind: string, manifest: Manifest): Manifest {
  const fields = (SYSTEM_FIELDS[kind] ?? []).filter(
    (path) => [at(manifest, path)].flat()[0] !== HEADLESS,
  );
  const result = fields.reduce<Manifest>(
    (object, path) => replacedAt(object, path, undefined),
    manifest,
  );
  return isRecord(result.spec) && Object.keys(result.spec).length === 0 && fields.length > 0
    ? replacedAt(result, ['spec'], undefined)
    : result;
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.filter((each) => each !== null && each !== undefined).map(withoutNulls);
  }
  if (!isRecord(value)) {
    return value;
  }
  const filled = Object.entries(value).filter(([, each]) => each !== null && each !== undefined);
  return Object.fromEntries(filled.map(([key, each]) => [key, withoutNulls(each)]));
}

/** Annotations of controllers that mean something to them in a file: the addresses of a machine. @see harvester/harvester:pkg/webhook/resources/virtualmachine/mutator.go patchInterfaceMacAddress */
const FILE_TEXTS: ReadonlySet<string> = new Set(['harvesterhci.io/mac-address']);

/** Metadata that only servers write. */
export const SERVER_METADATA: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'selfLink',
]);

/** Metadata that tools and controllers write, and sometimes users. */
export const SHARED_METADATA: ReadonlySet<string> = new Set([
  'ownerReferences',
  'finalizers',
  'generateName',
]);

/**
 * The finalizers of a file that neither Kubernetes nor the products set, and its owners: an engine
 * would delete them from the server, as an apply does not. A name makes `generateName` void.
 */
function sharedMetadataOfFile(key: string, value: unknown, manifest: Manifest): unknown {
  if (!isFromFile(manifest)) {
    return undefined;
  }
  if (key === 'finalizers') {
    const foreign = itemsAt(value).filter(isForeign);
    return foreign.length > 0 ? foreign : undefined;
  }
  if (key === 'ownerReferences') {
    const owners = itemsAt(value).filter(isRecord);
    return owners.length > 0 ? owners : undefined;
  }
  return undefined;
}

/** Annotations that only servers, controllers and tools write, on objects of any kind. */
export const SYSTEM_ANNOTATIONS: ReadonlySet<string> = new Set([
  ANNOTATION_LAST_APPLIED,
  // Kubernetes. @see https://kubernetes.io/docs/reference/labels-annotations-taints/
  'deployment.kubernetes.io/revision',
  'deprecated.daemonset.template.generation',
  'control-plane.alpha.kubernetes.io/leader',
  'kubernetes.io/service-account.uid',
  'pv.kubernetes.io/bind-completed',
  'pv.kubernetes.io/bound-by-controller',
  'volume.kubernetes.io/storage-provisioner',
  'volume.beta.kubernetes.io/storage-provisioner',
  'volume.kubernetes.io/selected-node',
  'volume.kubernetes.io/storage-resizer',
  // Harvester's webhook sets them on each LoadBalancer. @see harvester/load-balancer-harvester:pkg/webhook/loadbalancer/mutator.go
  'loadbalancer.harvesterhci.io/cluster',
  'loadbalancer.harvesterhci.io/namespace',
  'loadbalancer.harvesterhci.io/network',
  'loadbalancer.harvesterhci.io/project',
  'autoscaling.alpha.kubernetes.io/conditions',
  // Helm. @see helm/helm:pkg/action/validate.go
  'meta.helm.sh/release-name',
  'meta.helm.sh/release-namespace',
  // Argo CD: it writes the first one; the second one orders objects, which the delivery of a
  // program does by itself. @see argoproj/argo-cd:common/common.go
  ANNOTATION_TRACKING_ID,
  'argocd.argoproj.io/sync-wave',
  // Rancher: seen on 2.13.8 and 2.15.0
  ANNOTATION_CREATOR_ID,
  ANNOTATION_CREATOR_PRINCIPAL,
  'cattle.io/status',
  'cattle.io/timestamp',
  'ownerBindingsCreated',
  'authz.management.cattle.io/creator-role-bindings',
  'provisioning.cattle.io/management-cluster-display-name',
  // @see rancher/rancher:pkg/controllers/managementagent/endpoints,
  // pkg/controllers/management/cloudcredential, pkg/controllers/management/auth/project_cluster
  // pkg/controllers/management/auth/globalroles/globalrolebinding_handler.go,
  // pkg/api/norman/store/globalrolebindings
  'authz.management.cattle.io/crb-name',
  'cleanup.cattle.io/grbUpgradeCluster',
  // @see rancher/rancher:pkg/api/norman/store/roletemplate/store.go RTVersion
  'cleanup.cattle.io/rtUpgradeCluster',
  'field.cattle.io/publicEndpoints',
  'management.cattle.io/harvester-token-checksum',
  'authz.management.cattle.io/creator-owner-binding',
  // Harvester. @see harvester/harvester:pkg/util/constants.go; the first two seen on 1.7.2
  'harvesterhci.io/hash',
  'harvesterhci.io/mac-address',
  'harvesterhci.io/timestamp',
  'harvesterhci.io/owned-by',
  'harvesterhci.io/lastRefreshTime',
  'harvesterhci.io/insufficient-resource-quota',
  'harvesterhci.io/migrationState',
  'harvesterhci.io/migrationUID',
  'harvesterhci.io/migrationTargetNodeName',
  'harvesterhci.io/rancher-controller-reconciled',
  'harvesterhci.io/storageProvisioner',
  'network.harvesterhci.io/matched-nodes',
  'network.harvesterhci.io/uplink-mtu',
  // KubeVirt. @see kubevirt/api:core/v1/types.go; the last one seen on Harvester 1.8.2
  'kubevirt.io/latest-observed-api-version',
  'kubevirt.io/storage-observed-api-version',
  'descheduler.alpha.kubernetes.io/prefer-no-eviction',
]);

/** Labels that only servers, controllers and tools write, on objects of any kind. */
export const SYSTEM_LABELS: ReadonlySet<string> = new Set([
  // @see kubernetes/kubernetes:staging/src/k8s.io/api/core/v1/well_known_labels.go
  // LabelMetadataName
  'kubernetes.io/metadata.name',
  // @see rancher/rancher:pkg/controllers/management/auth/crtb_handler.go,
  // pkg/controllers/managementuser/rbac/handler_base.go, pkg/data/management/role_data.go
  'auth.management.cattle.io/crb-rb-labels-updated',
  'auth.management.cattle.io/rtb-label-updated',
  'authz.cluster.cattle.io/crb-rb-labels-updated',
  'authz.management.cattle.io/bootstrapping',
  // seen on Harvester 1.7.2
  'network.harvesterhci.io/ready',
]);

/**
 * Prefixes of such labels and annotations.
 * @see rancher/norman:lifecycle/object.go; rancher/wrangler:pkg/apply/desiredset_process.go
 */
export const SYSTEM_PREFIXES: readonly string[] = [
  'lifecycle.cattle.io/',
  'objectset.rio.cattle.io/',
];

/**
 * Fields beyond metadata and status that only servers and controllers write, by kind as
 * `group/Kind`.
 */
export const SYSTEM_FIELDS: { readonly [kind: string]: readonly (readonly string[])[] } = {
  'management.cattle.io/Project': [['spec', 'resourceQuota', 'usedLimit']],
  'management.cattle.io/Setting': [['default'], ['customized'], ['source']],
  'harvesterhci.io/Setting': [['default'], ['customized'], ['source']],
  '/ServiceAccount': [['secrets']],
  '/Namespace': [['spec', 'finalizers']],
  '/PersistentVolumeClaim': [['spec', 'volumeName']],
  '/Service': [
    ['spec', 'clusterIP'],
    ['spec', 'clusterIPs'],
    ['spec', 'healthCheckNodePort'],
  ],
};
