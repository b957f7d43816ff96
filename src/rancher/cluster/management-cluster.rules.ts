import { judgeAgentScheduling, webhookCustomization } from './agent.rules';
import {
  managementClusterIdOf,
  annotatedIdOf,
  keepName,
  ANNOTATION_VERSION_MANAGEMENT,
  ANNOTATION_MANAGEMENT_CLUSTER_NAME,
  CLUSTER_KINDS,
  MIRRORED_CLUSTER_ID,
  NOT_MIRRORED,
} from './cluster.facts';
import { checkManagementClusterId } from './provisioning-cluster.check';
import { PROVISIONING_CLUSTER_DESCRIPTION } from './provisioning-cluster.kind';
import { isLate } from '../../core/late/late-token';
import {
  annotationsOf,
  groupOf,
  Manifest,
  objectLabel,
  valueAt,
} from '../../core/manifest/manifest';
import {
  ANNOTATION_OWNER_NAME,
  ANNOTATION_OWNER_NAMESPACE,
  GROUPS,
  LOCAL_CLUSTER,
} from '../../core/manifest/names';
import { NO_PROBLEMS, Problem } from '../../core/problem/problem';
import { immutableRule } from '../../core/rule/general/immutable-fields.rules';
import { rules } from '../../core/rule/kit/fact';
import { errorIf } from '../../core/rule/kit/relations';
import { matches } from '../../core/rule/kit/values';
import { JudgedObject, Rule, World, JudgedTarget } from '../../core/rule/rule';
import { plainText } from '../../core/text/plain-text';
import { grouped, byObject } from '../../core/text/values';
import { hasFeature, lacksFeature } from '../../core/version/target-features';
import { RKE1_CONFIG } from '../../guest/rke1/rke1.kind';
import {
  ANNOTATION_CREATOR_ID,
  ANNOTATION_CREATOR_PRINCIPAL,
  ANNOTATION_NO_CREATOR_RBAC,
} from '../binding/binding.kind';
import { RancherGate } from '../version/rancher-version';

/** The path of an annotation. */
export const annotationPath = (annotation: string): string => `metadata.annotations[${annotation}]`;

/**
 * Checks that a manifest does not have both a creator and no-creator-rbac. Rancher ignores the
 * latter before 2.10: see `ignoredNoCreator`.
 *
 * @see rancher/webhook:pkg/resources/common/validation.go CheckCreatorAnnotationsOnCreate, CheckCreatorID
 */
export function creatorAndNone({ manifest, target }: JudgedObject): Problem[] {
  const annotations = annotationsOf(manifest);
  if (!(ANNOTATION_NO_CREATOR_RBAC in annotations) || !(ANNOTATION_CREATOR_ID in annotations)) {
    return [];
  }
  if (hasFeature(target, RancherGate.NO_CREATOR_RBAC) === false) {
    return [];
  }
  return [
    {
      path: annotationPath(ANNOTATION_CREATOR_ID),
      message: `cannot be set together with ${ANNOTATION_NO_CREATOR_RBAC}`,
      fix: 'remove one of them from the manifest',
      says: 'cannot have creatorID annotation when no-creator-rbac is set',
    },
  ];
}

/**
 * Judges the creator of a new Project or management Cluster: not without binding, and with the
 * principal of it.
 */
export function* judgeCreator(object: JudgedObject, world: World): Iterable<Problem> {
  const says = `cannot have both ${ANNOTATION_NO_CREATOR_RBAC} and ${ANNOTATION_CREATOR_ID} annotation set`;
  for (const problem of creatorAndNone(object)) {
    yield { ...problem, says };
  }
  const { [ANNOTATION_CREATOR_PRINCIPAL]: principal, [ANNOTATION_CREATOR_ID]: creator } =
    annotationsOf(object.manifest);
  if (!principal) {
    return;
  }
  const problem = { path: annotationPath(ANNOTATION_CREATOR_PRINCIPAL) };
  if (!creator) {
    yield {
      ...problem,
      message: 'cannot be set without a creator',
      fix: `set ${ANNOTATION_CREATOR_ID} as well, or remove it`,
      says: `annotation ${ANNOTATION_CREATOR_ID} is required`,
    };
    return;
  }
  const principals = valueAt(
    world.find(object, GROUPS.MANAGEMENT, 'User', undefined, plainText(creator))?.manifest,
    'principalIds',
  );
  if (Array.isArray(principals) && principals.length > 0 && !principals.includes(principal)) {
    yield {
      ...problem,
      message: 'must be a principal of the creator',
      fix: `use one of the principalIds of that User, or remove both it and ${ANNOTATION_CREATOR_ID}`,
      says: "creator user doesn't have principal",
    };
  }
}

/** Checks that Rancher does not ignore no-creator-rbac. */
export function ignoredNoCreator(
  { manifest, target }: JudgedObject,
  effect: string,
  fix: string,
): readonly Problem[] {
  const lacks =
    ANNOTATION_NO_CREATOR_RBAC in annotationsOf(manifest)
      ? lacksFeature(target, RancherGate.NO_CREATOR_RBAC)
      : undefined;
  return lacks
    ? [{ path: annotationPath(ANNOTATION_NO_CREATOR_RBAC), message: `${effect}: ${lacks}`, fix }]
    : NO_PROBLEMS;
}

const PATH = `metadata.annotations[${ANNOTATION_MANAGEMENT_CLUSTER_NAME}]`;
const CONTROLLER =
  'rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go; seen on Rancher 2.13.8';

const idKey = (target: JudgedTarget, id: string | undefined): string =>
  `${target.name} ${id ?? ''}`;
const byId = (clusters: readonly JudgedObject[]): ReadonlyMap<string, readonly JudgedObject[]> =>
  grouped(clusters, ({ manifest, target }) => idKey(target, managementClusterIdOf(manifest)));

/**
 * The provisioning Clusters by their management cluster ID, declared or live, and those that are
 * gone.
 */
const clustersById = byObject((world: World) => byId(world.ofKind(GROUPS.PROVISIONING, 'Cluster')));
const goneById = byObject((world: World) =>
  byId(
    world
      .gone()
      .filter(
        ({ manifest }) =>
          manifest.kind === 'Cluster' && groupOf(manifest.apiVersion) === GROUPS.PROVISIONING,
      ),
  ),
);

/**
 * Whether the management Cluster of an ID is that of this Cluster: it has the ID already, or was
 * created from it, as legacy imports are.
 */
function isItsOwn(object: JudgedObject, world: World, id: string): boolean {
  const { manifest } = object;
  const before = world.beforeOf(object);
  return (
    valueAt(manifest, 'status', 'clusterName') === id ||
    manifest.metadata.name === id ||
    (before !== undefined && managementClusterIdOf(before) === id)
  );
}

/**
 * The provisioning Cluster that a management Cluster was created from; undefined without its
 * annotations.
 */
function ownerOf(
  existing: Manifest,
): { readonly name: string; readonly namespace?: string } | undefined {
  const { [ANNOTATION_OWNER_NAME]: name, [ANNOTATION_OWNER_NAMESPACE]: namespace } =
    annotationsOf(existing);
  if (typeof name !== 'string' || name === '') {
    return undefined;
  }
  return { name, ...(typeof namespace === 'string' && namespace !== '' ? { namespace } : {}) };
}

// users change display names, so a difference is only a hint
function isForAnother(existing: Manifest, name: string, namespace: string | undefined): boolean {
  const [displayName, workspace] = ['displayName', 'fleetWorkspaceName'].map((field) =>
    valueAt(existing, 'spec', field),
  );
  if (typeof displayName !== 'string' || displayName === '') {
    return false;
  }
  return (
    displayName !== name ||
    (typeof workspace === 'string' && workspace !== '' && workspace !== namespace)
  );
}

/** Rules for the management cluster ID. */
export const CLUSTER_ID_RULES: readonly Rule[] = [
  ...rules({ kinds: CLUSTER_KINDS, source: CONTROLLER }, [
    {
      id: 'cluster/id-form',
      what: 'a fixed management cluster ID is an RFC 1123 label of at most 63 characters and not of the legacy form c-xxxxx',
      judge: ({ manifest }) => {
        const id = annotatedIdOf(manifest);
        if (id === '') {
          return {
            path: PATH,
            level: 'warning',
            message: 'cannot be empty: Rancher would choose a random ID',
            fix: 'set an ID, or remove the annotation',
          };
        }
        // no value: the text of an annotation may be anything
        if (id === undefined) {
          return undefined;
        }
        return checkManagementClusterId(PATH, id, manifest.metadata.name).map(
          ({ value, ...problem }) => problem,
        );
      },
    },
    {
      id: 'cluster/id-ignored',
      what: 'a fixed management cluster ID needs Rancher 2.8; earlier versions silently choose a random ID',
      judge: ({ manifest, target }) => {
        const id = annotatedIdOf(manifest);
        const lacks = id ? lacksFeature(target, RancherGate.MANAGEMENT_CLUSTER_NAME) : undefined;
        return (
          lacks && {
            path: PATH,
            message: `has no effect: ${lacks}`,
            fix: 'upgrade Rancher, or read the ID from status.clusterName as a late value',
          }
        );
      },
    },
    {
      id: 'cluster/id-taken',
      what:
        'each provisioning Cluster has its own management cluster; two with one ID share it, and deleting either removes projects, members and ' +
        'tokens of both',
      judge: (object, world) => {
        const { manifest } = object;
        const id = managementClusterIdOf(manifest);
        if (id === undefined || isLate(id)) {
          return undefined;
        }
        const fix = 'use another ID for each Cluster';
        const { namespace, name } = manifest.metadata;
        // the server creates two objects from two manifests without a name
        const others = clustersById(world)
          .get(idKey(object.target, id))
          ?.filter(
            ({ manifest: other }) =>
              other !== manifest &&
              (name === '' ||
                other.metadata.namespace !== namespace ||
                other.metadata.name !== name),
          );
        if (others && others.length > 0) {
          const message = `is also the management cluster ID of ${others.map((other) => objectLabel(other.manifest)).join(', ')}: they would share one management cluster, and deleting either deletes it`;
          return {
            path: PATH,
            message,
            fix: `${fix}; to rename only the construct, set its prop name to the previous name`,
          };
        }
        if (isItsOwn(object, world, id)) {
          return undefined;
        }
        const existing = world.find(object, GROUPS.MANAGEMENT, 'Cluster', undefined, id)?.manifest;
        if (!existing) {
          return undefined;
        }
        const owner = ownerOf(existing);
        if (owner) {
          if (
            owner.name === name &&
            (owner.namespace === undefined || owner.namespace === namespace)
          ) {
            return undefined;
          }
          return {
            path: PATH,
            message: `is the ID of an existing management cluster of ${owner.name}, which Rancher would adopt`,
            fix,
          };
        } else if (isForAnother(existing, name, namespace)) {
          return {
            path: PATH,
            level: 'warning',
            message:
              'is the ID of an existing management cluster with another display name, which Rancher would adopt',
            fix: `compare it with status.clusterName of the live Cluster; ${fix}`,
          };
        }
        return undefined;
      },
    },
    {
      id: 'cluster/id-of-renamed',
      what:
        'a Cluster with a fixed management cluster ID keeps its name; under another name it shares the management cluster with the previous one, and ' +
        'deleting that deletes projects, members and tokens',
      judge: (object, world) => {
        const { manifest } = object;
        const id = managementClusterIdOf(manifest);
        if (id === undefined || isLate(id)) {
          return undefined;
        }
        const removed = goneById(world).get(idKey(object.target, id))?.[0].manifest;
        if (removed) {
          const { name, namespace } = removed.metadata;
          return {
            path: PATH,
            message:
              `is the management cluster ID of ${objectLabel(removed)}, which is removed: both share one management cluster, so removing it deletes ` +
              'the projects, members and tokens of this Cluster too',
            fix: keepName(name, namespace === manifest.metadata.namespace ? undefined : namespace),
          };
        }
        return undefined;
      },
    },
  ]),
  ...rules({}, [
    {
      ...immutableRule('cluster/id-changed', PROVISIONING_CLUSTER_DESCRIPTION),
      *judgeUpdate({ manifest }, before) {
        const now = annotatedIdOf(manifest);
        const old = managementClusterIdOf(before);
        // removing the annotation has no effect; late IDs are compared when they are known
        if (!now || now === old || isLate(now) || isLate(old)) {
          return;
        }
        // Rancher ignored it before, and the cluster works
        if (now === annotatedIdOf(before)) {
          yield {
            path: PATH,
            level: 'warning',
            message: `must be ${old}: Rancher reads the annotation only at creation`,
            fix: `set it to ${old}`,
          };
          return;
        }
        if (old === undefined) {
          yield {
            path: PATH,
            level: 'warning',
            message:
              'cannot be added to an existing Cluster: Rancher ignores it unless it is the ID of the cluster',
            fix: 'compare it with status.clusterName of the live object',
          };
          return;
        }
        yield {
          path: PATH,
          message: `must remain ${old}: Rancher reads the annotation only at creation`,
          fix: `set it to ${old}, or recreate the Cluster, which deletes projects, members and tokens`,
        };
      },
    },
  ]),
];

const KINDS = ['management.cattle.io/Cluster'];
const VALIDATOR = 'rancher/webhook:pkg/resources/management.cattle.io/v3/cluster/validator.go';
const COMMON = 'rancher/webhook:pkg/resources/common/validation.go';
const VERSION_MANAGEMENT = ['true', 'false', 'system-default'];
/**
 * The drivers of imported clusters whose version Rancher can manage. A Harvester's driver is
 * `imported`.
 */
const MANAGED_DRIVERS = ['rke2', 'k3s'];

/** Rules for management Clusters (management.cattle.io). */
export const MANAGEMENT_CLUSTER_RULES = rules({ kinds: KINDS }, [
  {
    id: 'management-cluster/local-deleted',
    what: 'the management Cluster "local", which Rancher runs in, is never deleted',
    says: 'local cluster may not be deleted',
    source: `${VALIDATOR} Admit`,
    judgeDeletion: ({ manifest }) =>
      manifest.metadata.name === LOCAL_CLUSTER && {
        message: 'cannot be deleted: Rancher runs in this cluster',
        fix: 'keep its manifest, or remove it without pruning',
      },
  },
  {
    id: 'management-cluster/id-form',
    level: 'warning',
    what: 'a management Cluster that the program writes has the ID c- and five characters: for other IDs Rancher creates no provisioning Cluster',
    source:
      'rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go generateProvisioningClusterFromLegacyCluster',
    creation: true,
    // without a display name it only edits a Cluster that exists; those of RKE1 have a rule of
    // their own
    when: ({ manifest }) =>
      !ownerOf(manifest) &&
      manifest.metadata.name !== LOCAL_CLUSTER &&
      valueAt(manifest, 'spec', 'displayName') !== undefined &&
      valueAt(manifest, 'spec', RKE1_CONFIG) === undefined,
    field: 'metadata.name',
    check: matches(MIRRORED_CLUSTER_ID, { message: NOT_MIRRORED, fix: 'use such a name' }),
  },
  {
    id: 'management-cluster/workspace-emptied',
    what: 'the Fleet workspace of a cluster can change but cannot become empty, which would delete the cluster',
    says: 'once set, field FleetWorkspaceName cannot be made empty',
    source: `${VALIDATOR} validateFleetPermissions`,
    judgeUpdate: ({ manifest }, before) => {
      const [now, old] = [manifest, before].map((cluster) =>
        valueAt(cluster, 'spec', 'fleetWorkspaceName'),
      );
      return (
        Boolean(old) &&
        !now && {
          path: 'spec.fleetWorkspaceName',
          message: `cannot be removed, was ${plainText(old)}`,
          fix: 'restore it, or name another workspace',
        }
      );
    },
  },
  {
    id: 'management-cluster/creator',
    what: `a new cluster does not have both ${ANNOTATION_CREATOR_ID} and ${ANNOTATION_NO_CREATOR_RBAC}, and the creator has the principal`,
    source: `${COMMON} CheckCreatorIDAndNoCreatorRBAC, CheckCreatorPrincipalName`,
    creation: true,
    judge: judgeCreator,
  },
  {
    id: 'management-cluster/version-management',
    what: `${ANNOTATION_VERSION_MANAGEMENT} is true, false or system-default`,
    says: `the value of the ${ANNOTATION_VERSION_MANAGEMENT} annotation must be one of the following: true, false, system-default`,
    source: `${VALIDATOR} validateVersionManagementFeature (Rancher 2.11 and later)`,
    judge: (object, world) => {
      const value = annotationsOf(object.manifest)[ANNOTATION_VERSION_MANAGEMENT] ?? '';
      // an empty one is filled in by the webhook itself
      if (value === '' || VERSION_MANAGEMENT.includes(plainText(value))) {
        return undefined;
      }
      const driver =
        valueAt(object.manifest, 'status', 'driver') ??
        valueAt(world.beforeOf(object), 'status', 'driver');
      const refused = MANAGED_DRIVERS.includes(plainText(driver).toLowerCase());
      return {
        path: annotationPath(ANNOTATION_VERSION_MANAGEMENT),
        message: `must be one of ${VERSION_MANAGEMENT.join(', ')}`,
        fix: 'use one of them',
        level: errorIf(refused),
      };
    },
  },
  {
    id: 'management-cluster/agent-scheduling',
    what: 'priority class and disruption budget of the agents have values that Rancher accepts, on Rancher 2.11 or later with a feature that is off by default',
    source: `${VALIDATOR} validatePodDisruptionBudget, validatePriorityClass`,
    judge: judgeAgentScheduling,
  },
  {
    id: 'management-cluster/webhook-customization',
    what: 'webhookDeploymentCustomization has at least one replica and a disruption budget of one value; it needs Rancher 2.15',
    source:
      'rancher/webhook:pkg/resources/common/deployment_customization.go ValidateWebhookDeploymentCustomization',
    field: 'spec.webhookDeploymentCustomization',
    check: webhookCustomization(false),
  },
]);
