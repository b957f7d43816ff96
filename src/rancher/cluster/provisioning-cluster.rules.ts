import { AGENT_RULES } from './agent.rules';
import { RKE_RULES } from './cluster-rke.rules';
import {
  LEGACY_CLUSTER_ID,
  isProvisioned,
  CLUSTER_KINDS,
  CLUSTER_VALIDATOR,
} from './cluster.facts';
import {
  annotationPath as at,
  CLUSTER_ID_RULES,
  creatorAndNone,
  ignoredNoCreator,
} from './management-cluster.rules';
import { PROVISIONING_CLUSTER_DESCRIPTION } from './provisioning-cluster.kind';
import { annotationsOf, isNameGenerated, valueAt } from '../../core/manifest/manifest';
import { FLEET_DEFAULT, FLEET_LOCAL, GROUPS, LOCAL_CLUSTER } from '../../core/manifest/names';
import { immutableRule } from '../../core/rule/general/immutable-fields.rules';
import { FactCheck, rules } from '../../core/rule/kit/fact';
import { Rule } from '../../core/rule/rule';
import { plainText } from '../../core/text/plain-text';
import { hasFeature } from '../../core/version/target-features';
import {
  ANNOTATION_CREATOR_ID,
  ANNOTATION_CREATOR_PRINCIPAL,
  ANNOTATION_NO_CREATOR_RBAC,
} from '../binding/binding.kind';
import { RancherGate } from '../version/rancher-version';

const MAX_PATHS = 5;

const IMMUTABLE = immutableRule('cluster/import-create-only', PROVISIONING_CLUSTER_DESCRIPTION);

const SOURCE =
  'rancher/webhook:pkg/resources/common/validation.go CheckCreatorID, mutation.go SetCreatorIDAnnotation';

// the webhook alone accepts a trailing hyphen and a capital as the first character; the API server
// does not
const NAME = /^[a-z0-9][-a-z0-9]{0,61}[a-z0-9]$/;

const isWorkspace: FactCheck = (_, namespace, object, world) =>
  (namespace === FLEET_LOCAL ||
    !world.find(object, GROUPS.MANAGEMENT, 'FleetWorkspace', undefined, plainText(namespace))) && {
    message: 'must be a known Fleet workspace',
    fix: `use ${FLEET_DEFAULT}, or declare the FleetWorkspace`,
  };

/** Rules for provisioning Clusters: imports and guest clusters. */
export const PROVISIONING_CLUSTER_RULES: readonly Rule[] = [
  ...rules({ kinds: CLUSTER_KINDS }, [
    {
      id: 'cluster/name',
      what: 'the name of a new Cluster has 2 to 63 characters of a-z, 0-9 and hyphens; it is neither "local" nor of the legacy form c-xxxxx',
      says:
        'cluster name must be between 2 and 63 characters, must not begin with a hyphen, cannot be "local" nor of the form "c-xxxxx", ' +
        "and can only contain lowercase alphanumeric characters or ' - '",
      source: `${CLUSTER_VALIDATOR} isValidName`,
      creation: true,
      when: ({ manifest }) => !isNameGenerated(manifest),
      field: 'metadata.name',
      check: (_, value, object, world) => {
        const name = String(value);
        const fix = 'choose another name';
        if (name === LOCAL_CLUSTER) {
          return (
            object.manifest.metadata.namespace !== FLEET_LOCAL && {
              message: `cannot be ${LOCAL_CLUSTER}: Rancher's own cluster in ${FLEET_LOCAL} has this name`,
              fix,
            }
          );
        } else if (LEGACY_CLUSTER_ID.test(name)) {
          return (
            !world.find(object, GROUPS.MANAGEMENT, 'Cluster', undefined, name) && {
              message: 'cannot have the legacy form without a management Cluster of that name',
              fix,
            }
          );
        }
        return (
          !NAME.test(name) && {
            message:
              'must have 2 to 63 characters of a-z, 0-9 and hyphens, with a letter or digit first and last',
            fix: 'use a-z, 0-9 and hyphens, e.g. dc1',
          }
        );
      },
    },
    {
      id: 'cluster/namespace',
      level: 'warning',
      what: `the namespace of a Cluster is a Fleet workspace: ${FLEET_DEFAULT}, or one that you created`,
      source:
        'rancher/rancher:pkg/controllers/provisioningv2/cluster/remove.go: Rancher compares the workspace with the namespace to remove generated objects',
      when: ({ manifest }) => {
        const { name, namespace } = manifest.metadata;
        return (
          namespace !== FLEET_DEFAULT && !(namespace === FLEET_LOCAL && name === LOCAL_CLUSTER)
        );
      },
      field: 'metadata.namespace',
      check: isWorkspace,
    },
    {
      id: 'cluster/local-deleted',
      what: 'the Cluster "local", which Rancher runs in, is never deleted',
      says: 'local cluster may not be deleted',
      source: `${CLUSTER_VALIDATOR} Admit`,
      judgeDeletion: ({ manifest }) =>
        manifest.metadata.name === LOCAL_CLUSTER && {
          message: 'cannot be deleted: Rancher runs in this cluster',
          fix: 'keep its manifest, or remove it without pruning',
        },
    },
    {
      id: 'cluster/auth-endpoint-import',
      level: 'warning',
      what: 'localClusterAuthEndpoint has an effect only on clusters with rkeConfig',
      source:
        'rancher/rancher:pkg/controllers/provisioningv2/cluster: NormalizeCluster removes it from imports',
      when: ({ manifest }) =>
        (valueAt(manifest, 'spec', 'rkeConfig') ?? null) === null &&
        manifest.metadata.name !== LOCAL_CLUSTER,
      field: 'spec.localClusterAuthEndpoint',
      check: (path, endpoint) =>
        valueAt(endpoint, 'enabled') === true && {
          path,
          message: 'has no effect on an imported cluster',
          fix: 'set it on the management Cluster, or remove it',
        },
    },
    {
      id: 'cluster/creator-and-none',
      fields: [at(ANNOTATION_CREATOR_ID)],
      what: `${ANNOTATION_CREATOR_ID} and ${ANNOTATION_NO_CREATOR_RBAC} exclude each other`,
      says: 'cannot have creatorID annotation when no-creator-rbac is set',
      source: SOURCE,
      judge: creatorAndNone,
    },
    {
      id: 'cluster/no-creator-rbac-ignored',
      level: 'warning',
      fields: [at(ANNOTATION_NO_CREATOR_RBAC)],
      what: `${ANNOTATION_NO_CREATOR_RBAC} needs Rancher 2.10`,
      source: SOURCE,
      judge: (object) =>
        ignoredNoCreator(
          object,
          'has no effect, the user who creates the Cluster becomes its owner',
          'remove it, or upgrade Rancher',
        ),
    },
    {
      id: 'cluster/creator-replaced',
      level: 'warning',
      fields: [at(ANNOTATION_CREATOR_ID)],
      what: 'the creator of a Cluster is the user who creates it; another one in the manifest is replaced at creation and refused afterwards',
      says: 'creatorID annotation cannot be changed',
      source: SOURCE,
      creation: true,
      when: ({ manifest }) =>
        ANNOTATION_CREATOR_ID in annotationsOf(manifest) &&
        !(ANNOTATION_NO_CREATOR_RBAC in annotationsOf(manifest)),
      judge: () => ({
        path: at(ANNOTATION_CREATOR_ID),
        message:
          'is replaced by the user who creates the Cluster; if that is another user, the next apply is refused',
        fix: `remove it, set ${ANNOTATION_NO_CREATOR_RBAC}, and grant access by ClusterRoleTemplateBindings`,
      }),
    },
    {
      id: 'cluster/creator-changed',
      what: 'the creator of a Cluster can be removed, but not changed or added',
      says: 'creatorID annotation cannot be changed',
      source: SOURCE,
      judgeUpdate: ({ manifest }, before) => {
        const [now, old] = [annotationsOf(manifest), annotationsOf(before)];
        if (!(ANNOTATION_NO_CREATOR_RBAC in now)) {
          return (
            ANNOTATION_CREATOR_ID in now &&
            now[ANNOTATION_CREATOR_ID] !== (old[ANNOTATION_CREATOR_ID] ?? '') && {
              path: at(ANNOTATION_CREATOR_ID),
              message: 'cannot change',
              fix: 'restore or remove it',
            }
          );
        }
        return (
          !(ANNOTATION_NO_CREATOR_RBAC in old) &&
          !(ANNOTATION_CREATOR_ID in now) && {
            path: at(ANNOTATION_NO_CREATOR_RBAC),
            level: 'warning',
            says: 'cannot have creatorID annotation when no-creator-rbac is set',
            message: `cannot be added to a Cluster that ${plainText(old[ANNOTATION_CREATOR_ID] ?? 'a user')} created: its creator owns it by a ClusterRoleTemplateBinding, which remains even without ${ANNOTATION_CREATOR_ID}`,
            fix: 'if you do not know who created it, delete the Cluster; if it is yours, set the prop adopted.creatorRbac to true',
          }
        );
      },
    },
    {
      id: 'cluster/creator-principal',
      what: `${ANNOTATION_CREATOR_PRINCIPAL} is a principal of the creator: Rancher copies it to the management Cluster, where any other is refused`,
      says: `annotation ${ANNOTATION_CREATOR_ID} is required`,
      source: 'rancher/webhook:pkg/resources/common/validation.go CheckCreatorPrincipalName',
      creation: true,
      field: at(ANNOTATION_CREATOR_PRINCIPAL),
      late: 'judged',
      check: (path, principal, { manifest, target }) =>
        Boolean(principal) &&
        (ANNOTATION_NO_CREATOR_RBAC in annotationsOf(manifest) &&
        hasFeature(target, RancherGate.NO_CREATOR_RBAC) !== false
          ? {
              path,
              message: `cannot be set together with ${ANNOTATION_NO_CREATOR_RBAC}: the management cluster would never be created`,
              fix: 'remove it',
            }
          : {
              path,
              level: 'warning',
              message:
                'must be a principal of the user who creates the Cluster: otherwise the management cluster is never created',
              fix: `remove it, or use ${ANNOTATION_NO_CREATOR_RBAC} instead`,
              says: "creator user doesn't have principal",
            }),
    },
    {
      id: 'cluster/rke-config-changed',
      what: 'rkeConfig is neither removed from a cluster nor added to an imported one',
      source:
        'rancher/webhook:pkg/resources/provisioning.cattle.io/v1/cluster/validator.go validateRKEConfigChanged',
      judgeUpdate: ({ manifest }, before) => {
        const [was, is] = [isProvisioned(before), isProvisioned(manifest)];
        const problem = { path: 'spec.rkeConfig', fix: 'create another Cluster' };
        if (was) {
          return (
            !is && {
              ...problem,
              message: 'cannot be removed',
              says: 'RKEConfig cannot be made null after cluster creation',
            }
          );
        }
        return (
          is &&
          manifest.metadata.name !== LOCAL_CLUSTER && {
            ...problem,
            message: 'cannot be added to an imported cluster',
            says: 'RKEConfig cannot be changed from null after cluster creation',
          }
        );
      },
    },
  ]),
  ...rules({ kinds: ['management.cattle.io/Cluster'] }, [
    {
      id: 'management-cluster/workspace',
      level: 'warning',
      what: `the Fleet workspace of a management Cluster is ${FLEET_DEFAULT}, or one that you created: Rancher creates the provisioning Cluster in it`,
      source:
        'rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go generateProvisioningClusterFromLegacyCluster',
      creation: true,
      when: ({ manifest }) =>
        manifest.metadata.name !== LOCAL_CLUSTER &&
        valueAt(manifest, 'spec', 'fleetWorkspaceName') !== FLEET_DEFAULT,
      field: 'spec.fleetWorkspaceName',
      check: isWorkspace,
    },
  ]),
  ...rules({}, [
    {
      ...IMMUTABLE,
      judgeUpdate: (object, before, world) => {
        const problems = [...IMMUTABLE.judgeUpdate(object, before, world)];
        if (problems.length === 0) {
          return undefined;
        }
        const paths = problems.map(({ path }) => path);
        return {
          path: paths[0],
          message: `cannot change on an imported cluster: the edit (${paths.slice(0, MAX_PATHS).join(', ')}${paths.length > MAX_PATHS ? ', …' : ''}) has no effect`,
          fix: problems[0].fix,
        };
      },
    },
  ]),
  ...CLUSTER_ID_RULES,
  ...AGENT_RULES,
  ...RKE_RULES,
];
