import { unknownCluster } from './known-projects.check';
import { backingNamespaces, knownProjects } from './known-projects.facts';
import { LABEL_SYSTEM_PROJECT, projectIdOf } from './project.kind';
import { isLate } from '../../core/late/late-token';
import { isNameGenerated, labelsOf, objectLabel, valueAt } from '../../core/manifest/manifest';
import { GROUPS, RFC1123_LABEL } from '../../core/manifest/names';
import { joinedProblems, problemsOf } from '../../core/problem/problem';
import { Findings } from '../../core/rule/findings';
import { rules } from '../../core/rule/kit/fact';
import { refersTo, twinOf } from '../../core/rule/kit/relations';
import { text } from '../../core/rule/kit/values';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { hasFeature } from '../../core/version/target-features';
import {
  ANNOTATION_CREATOR_ID,
  ANNOTATION_CREATOR_PRINCIPAL,
  ANNOTATION_NO_CREATOR_RBAC,
} from '../binding/binding.kind';
import {
  annotationPath as at,
  ignoredNoCreator,
  judgeCreator,
} from '../cluster/management-cluster.rules';
import { amountOf, quotaLimitOf } from '../quota/quota.check';
import { QUOTA_RULES } from '../quota/quota.rules';
import { RancherGate } from '../version/rancher-version';

const MUTATOR = 'rancher/webhook:pkg/resources/management.cattle.io/v3/project/mutator.go';

// for an unknown version only the current form: the other matches any name
function backingOf({ manifest, target }: JudgedObject): string | undefined {
  const { namespace: cluster, name } = manifest.metadata;
  return cluster === undefined || name === '' || isLate(cluster) || isLate(name)
    ? undefined
    : backingNamespaces(target, cluster, name, manifest)[0];
}

const projectsBy = twinOf([GROUPS.MANAGEMENT, 'Project'], (project) => [backingOf(project)]);

const USER = [GROUPS.MANAGEMENT, 'User'] as const;
const SOURCE = 'rancher/webhook:pkg/resources/common/validation.go';

const VALIDATOR = 'rancher/webhook:pkg/resources/management.cattle.io/v3/project/validator.go';

const SEEN = 'seen on Rancher 2.13.8';
const SAYS_EXISTS = 'failed to create project namespace : namespace already exists';
const MAX_NAME = 63;

/** Rules for Projects. */
export const PROJECT_RULES: readonly Rule[] = [
  ...rules({ kinds: ['management.cattle.io/Project'] }, [
    {
      id: 'project/cluster',
      what: 'the namespace and spec.clusterName of a Project are the management cluster ID',
      source: `${VALIDATOR} checkClusterExists`,
      field: 'spec.clusterName',
      required: {
        fix: 'set it to the management cluster ID, which is the namespace, too',
        says: 'clusterName is required',
      },
      check: text((_, cluster, { manifest }) => {
        const { namespace } = manifest.metadata;
        return (
          namespace !== undefined &&
          cluster !== namespace &&
          !isLate(namespace) && {
            message: `must be ${namespace}, the namespace of the Project`,
            fix: 'use the same ID for both',
            says: 'clusterName and project namespace must match',
          }
        );
      }),
    },
    {
      id: 'project/unknown-cluster',
      what: 'the cluster of a Project exists',
      says: 'cluster not found',
      source: `${VALIDATOR} checkClusterExists`,
      field: 'spec.clusterName',
      check: text((_, id, object, world) => unknownCluster(object, world, id)),
    },
    {
      id: 'project/name',
      what: 'the name of a Project is an RFC 1123 label of at most 63 characters: Rancher derives a Namespace and labels from it',
      source: `rancher/rancher:pkg/controllers/management/auth/project_cluster; ${SEEN}`,
      creation: true,
      when: ({ manifest }) => !isNameGenerated(manifest),
      field: 'metadata.name',
      check: (_, value, { manifest, target }) => {
        const { namespace } = manifest.metadata;
        const name = String(value);
        if (!RFC1123_LABEL.test(name)) {
          return {
            message:
              'must have at most 63 characters of a-z, 0-9 and hyphens: Rancher derives a Namespace from it',
            fix: 'use a-z, 0-9 and hyphens, e.g. payments',
          };
        }
        return (
          typeof namespace === 'string' &&
          !isLate(namespace) &&
          hasFeature(target, RancherGate.PROJECT_BACKING_NAMESPACE) !== false &&
          namespace.length + 1 + name.length > MAX_NAME && {
            level: 'warning',
            message: `is too long: with the management cluster ID its namespace has more than ${MAX_NAME} characters, which Rancher truncates with a hash`,
            fix: `use at most ${Math.max(MAX_NAME - 1 - namespace.length, 1)} characters, or a shorter management cluster ID`,
          }
        );
      },
    },
    {
      id: 'project/display-name',
      what: 'a Project has a display name',
      says: 'spec.displayName: Required value',
      source: 'rancher/rancher:pkg/crds/yaml/generated/management.cattle.io_projects.yaml',
      field: 'spec.displayName',
      missing: 'judged',
      check: (path, name) => {
        const fix = 'set the name that the UI shows';
        if (name === undefined) {
          return { path, message: 'must be set', fix };
        }
        return (
          name === '' && {
            path,
            level: 'warning',
            message: 'is empty: the UI shows the ID of the project',
            says: '',
            fix,
          }
        );
      },
    },
    {
      id: 'project/server-fields',
      level: 'warning',
      what: 'Rancher writes status and usedLimit, not a manifest',
      source: SEEN,
      creation: true,
      judge: ({ manifest }) =>
        joinedProblems(
          (valueAt(manifest, 'spec', 'resourceQuota', 'usedLimit') ?? undefined) !== undefined && {
            path: 'spec.resourceQuota.usedLimit',
            message: 'cannot be set: Rancher counts it, and every apply would reset the count',
            fix: 'remove it',
          },
          (manifest.status ?? undefined) !== undefined && {
            path: 'status',
            message: 'cannot be set: Rancher writes it, with the immutable backing namespace',
            fix: 'remove it',
          },
        ),
    },
    {
      id: 'project/creator',
      fields: [at(ANNOTATION_CREATOR_ID), at(ANNOTATION_CREATOR_PRINCIPAL)],
      what: `a new Project does not have both ${ANNOTATION_CREATOR_ID} and ${ANNOTATION_NO_CREATOR_RBAC}, and the creator has the principal`,
      source: `${SOURCE} CheckCreatorIDAndNoCreatorRBAC, CheckCreatorPrincipalName`,
      creation: true,
      judge: judgeCreator,
    },
    {
      id: 'project/no-creator-rbac-ignored',
      level: 'warning',
      fields: [at(ANNOTATION_NO_CREATOR_RBAC)],
      what: `${ANNOTATION_NO_CREATOR_RBAC} needs Rancher 2.10`,
      source: SOURCE,
      judge: (object) =>
        ignoredNoCreator(
          object,
          'has no effect',
          'remove it: a Project from a manifest has no creator in this version',
        ),
    },
    {
      id: 'project/creator-unknown',
      level: 'warning',
      what: `${ANNOTATION_CREATOR_ID} is the name of a User, who becomes owner of the project`,
      source: 'rancher/rancher:pkg/controllers/management/auth/project_handler.go',
      creation: true,
      field: at(ANNOTATION_CREATOR_ID),
      check: refersTo(USER, {
        ifAny: true,
        problem: {
          level: 'warning',
          message: 'must be a known User',
          fix: 'remove it, and add the owner by a ProjectRoleTemplateBinding',
        },
      }),
    },
    {
      id: 'project/quota-below-used',
      what: 'the quota of a Project is at least what its namespaces use',
      says: 'resourceQuota is below the used limit on fields',
      source: `${VALIDATOR} usedQuotaFits`,
      judgeUpdate: ({ manifest }, before) => {
        const limit = quotaLimitOf(valueAt(manifest, 'spec', 'resourceQuota', 'limit'));
        return problemsOf(
          Object.entries(quotaLimitOf(valueAt(before, 'spec', 'resourceQuota', 'usedLimit'))),
          ([key, used]) => {
            const [now, least] = [amountOf(limit[key]), amountOf(used)];
            return (
              now !== undefined &&
              least !== undefined &&
              now < least && {
                path: `spec.resourceQuota.limit.${key}`,
                value: limit[key],
                message: `must be at least ${used}, which its namespaces use`,
                fix: 'lower the quotas of the namespaces first',
              }
            );
          },
        );
      },
    },
    {
      id: 'project/system-deleted',
      what: 'the System project of a cluster is never deleted',
      says: 'System Project cannot be deleted',
      source: `${VALIDATOR} admitDelete`,
      judgeDeletion: ({ manifest }) =>
        labelsOf(manifest)[LABEL_SYSTEM_PROJECT] === 'true' && {
          message: 'cannot be deleted: it is the System project of its cluster',
          fix: 'keep it',
        },
    },
    {
      id: 'project/deleted',
      level: 'warning',
      what: "deleting a Project deletes its members' permissions and the quotas of its namespaces, but not the namespaces and their virtual machines",
      source:
        'seen on Rancher 2.13.8: its namespace and the bindings in it are deleted as well, then the same name can be used again',
      judgeDeletion: ({ manifest, target }, world) => {
        const { namespace = '', name } = manifest.metadata;
        const left =
          knownProjects(world, target).namespaces.get(projectIdOf(namespace, name)) ?? [];
        return (
          left.length > 0 && {
            message: `is deleted but still has namespaces: ${left
              .slice(0, 5)
              .map((object) => object.manifest.metadata.name)
              .join(', ')}`,
            fix: 'move them to another project, or delete them',
          }
        );
      },
    },
    {
      id: 'project/backing-namespace-shared',
      what: 'each Project has its own namespace for its bindings: a second Project is refused, or shares it where the namespace has the bare name of the Project',
      source: `${MUTATOR}; rancher/rancher:pkg/controllers/management/auth/project_cluster`,
      creation: true,
      judge: (project, world) => {
        const backing = backingOf(project);
        const other = projectsBy(project, backing, world);
        if (!other) {
          return undefined;
        }
        const problem = {
          path: 'metadata.name',
          value: project.manifest.metadata.name,
          fix: 'choose another name',
        };
        return hasFeature(project.target, RancherGate.PROJECT_BACKING_NAMESPACE) === false
          ? {
              ...problem,
              level: 'warning',
              message: `shares the namespace ${backing} with ${objectLabel(other.manifest)}: users who see the bindings of one see those of the other`,
            }
          : {
              ...problem,
              message: `cannot have the namespace ${backing} of ${objectLabel(other.manifest)}`,
              says: SAYS_EXISTS,
            };
      },
    },
  ]),
  ...rules({ kinds: ['/Namespace'] }, [
    {
      id: 'project/backing-namespace',
      what: "only Rancher creates the namespace of a Project's bindings: if it exists already, creating the Project fails with 500",
      says: SAYS_EXISTS,
      source: `${MUTATOR}; seen on Rancher 2.13.8`,
      field: 'metadata.name',
      check: text((_, name, object: JudgedObject, world: World): Findings => {
        const project = projectsBy(object, name, world);
        if (!project) {
          return undefined;
        }
        const label = objectLabel(project.manifest);
        return world.exists(project)
          ? {
              level: 'warning',
              message: `belongs to ${label}: Rancher created it, and pruning it deletes the project's bindings`,
              fix: 'remove the manifest',
              says: '',
            }
          : {
              message: `cannot be the namespace that Rancher creates for ${label}: the Project would be refused`,
              fix: 'remove it: Rancher creates it together with the Project',
            };
      }),
    },
  ]),
  ...QUOTA_RULES,
];
