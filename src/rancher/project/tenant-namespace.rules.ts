import { unknownProject } from './known-projects.check';
import { projectIdIn } from './known-projects.facts';
import { HARVESTER_SYSTEM_NAMESPACES } from './project.kind';
import { LATE_TOKEN, isLate } from '../../core/late/late-token';
import { labelsOf } from '../../core/manifest/manifest';
import {
  ANNOTATION_PROJECT_ID,
  GROUPS,
  LOCAL_CLUSTER,
  SETTING_REGISTRATION_URL,
  SYSTEM_NAMESPACES,
  HARVESTER_PUBLIC,
} from '../../core/manifest/names';
import { rules } from '../../core/rule/kit/fact';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { onTarget } from '../../core/rule/world-lookup';
import {
  registeredBy,
  registrationOf,
} from '../../harvester/settings/catalogue/registration.facts';
import { TENANT_NAMESPACE_QUOTA_RULES } from '../quota/quota.rules';

const PATH = `metadata.annotations[${ANNOTATION_PROJECT_ID}]`;
const LABEL_PATH = `metadata.labels[${ANNOTATION_PROJECT_ID}]`;
const PROJECT_ID = /^[^:]+:[^:]+$/;

function isAsBefore(object: JudgedObject, world: World): boolean {
  const before = world.beforeOf(object);
  return before !== undefined && projectIdIn(before) === projectIdIn(object.manifest);
}

function hasProject({ manifest }: JudgedObject): boolean {
  return PROJECT_ID.test(projectIdIn(manifest) ?? '');
}

function isSystem({ manifest, target }: JudgedObject): boolean {
  const { name } = manifest.metadata;
  return (
    SYSTEM_NAMESPACES.includes(name) ||
    (target.kind !== 'rancher' && HARVESTER_SYSTEM_NAMESPACES.includes(name))
  );
}

// the management cluster ID of a registered Harvester, and of Rancher's own cluster
const clusterOf = onTarget((object, world): string | undefined => {
  if (object.target.kind === 'rancher') {
    return LOCAL_CLUSTER;
  }
  const setting =
    object.target.kind === 'guest'
      ? undefined
      : world.find(object, GROUPS.HARVESTER, 'Setting', undefined, SETTING_REGISTRATION_URL)
          ?.manifest;
  if (typeof setting?.value !== 'string' || setting.value === '') {
    return undefined;
  }
  const { url } = registrationOf(setting.value);
  const id = registeredBy(url.replace(LATE_TOKEN, 'late'))?.clusterId;
  // a late ID cannot be compared
  return id === undefined || url.includes(`_${id}.yaml`) ? id : undefined;
});

/** Rules for the Namespaces of tenants. */
export const TENANT_NAMESPACE_RULES: readonly Rule[] = [
  ...rules({ kinds: ['/Namespace'] }, [
    {
      id: 'tenant-namespace/project-id',
      what: 'the project of a Namespace has the form <management cluster ID>:<project>',
      says: 'unable to retrieve project id from annotation, too few values',
      source: 'rancher/webhook:pkg/resources/core/v1/namespace/projectannotations.go',
      // the webhook accepts one that does not change
      when: (object, world) => !isAsBefore(object, world),
      field: PATH,
      check: (_, value) =>
        typeof value === 'string' &&
        !PROJECT_ID.test(value) && {
          message: `must be a project ID${value.includes('/') ? ': only the scopes of IP pools have a slash' : ''}`,
          fix: `write <management cluster ID>:<project>${value === '' ? ', or remove the annotation' : ''}`,
        },
    },
    {
      id: 'tenant-namespace/unknown-project',
      what: 'the project of a Namespace exists; otherwise Rancher silently grants no permissions and applies no quota',
      source:
        'seen on Rancher 2.13.8 and Harvester 1.7.2: accepted, no bindings, no quota, no message',
      when: hasProject,
      field: PATH,
      check: (_, id, object, world) => {
        const problem = unknownProject(
          object,
          world,
          String(id),
          ': otherwise Rancher grants no permissions in the namespace and applies no quota',
        );
        return problem && !(problem.level === 'warning' && isAsBefore(object, world)) && problem;
      },
    },
    {
      id: 'tenant-namespace/other-cluster',
      what: 'a Namespace is in a project of its own cluster; the project of another cluster silently has no effect',
      source:
        "rancher/rancher:pkg/controllers/managementuser/nsserviceaccount and rbac: each cluster's controllers look for their own projects",
      when: hasProject,
      field: PATH,
      check: (_, id, object, world) => {
        const own = clusterOf(object, world);
        const [cluster] = String(id).split(':');
        return (
          own !== undefined &&
          own !== cluster && {
            message: `must be a project of ${own}, the cluster of the namespace, not of ${cluster}`,
            fix: `use a project of ${own}, or create the Namespace on the other cluster`,
          }
        );
      },
    },
    {
      id: 'tenant-namespace/system',
      level: 'warning',
      what: 'no system namespace of Rancher or Harvester is in a project of a tenant: Rancher and Harvester keep moving it to the System project',
      source:
        'harvester/harvester:pkg/controller/master/rancher/namespace.go, every 300 seconds; rancher/rancher:pkg/settings/setting.go system-namespaces',
      // those that the server has already are correct
      when: (object, world) =>
        projectIdIn(object.manifest) !== undefined &&
        object.manifest.metadata.name !== 'default' &&
        isSystem(object) &&
        !isAsBefore(object, world),
      judge: ({ manifest }) => {
        const { name } = manifest.metadata;
        return name === HARVESTER_PUBLIC
          ? {
              path: PATH,
              message: `cannot be set on ${name}, which every user can read`,
              fix: 'remove it: shared namespaces are in no project',
            }
          : {
              path: PATH,
              message: `cannot be set on the system namespace ${name}: it is overwritten`,
              fix: 'remove it, and create a namespace for the tenant',
            };
      },
    },
    {
      id: 'tenant-namespace/label-alone',
      level: 'warning',
      what: `the annotation ${ANNOTATION_PROJECT_ID} adds a Namespace to a project; Rancher writes the label of that name, which has no effect`,
      source: 'rancher/rancher:pkg/controllers/managementagent/nslabels',
      creation: true,
      when: ({ manifest }) =>
        labelsOf(manifest)[ANNOTATION_PROJECT_ID] !== undefined &&
        projectIdIn(manifest) === undefined,
      fields: [LABEL_PATH],
      judge: () => ({
        path: LABEL_PATH,
        message: 'has no effect without the annotation: the Namespace is in no project',
        fix: 'set the annotation to <management cluster ID>:<project>',
      }),
    },
    {
      id: 'tenant-namespace/unassigned',
      level: 'warning',
      what: 'removing or changing the project of a Namespace removes the access of its members and its quota',
      source: 'rancher/rancher:pkg/controllers/managementuser/rbac/namespace_handler.go',
      judgeUpdate: ({ manifest }, before) => {
        const [now, old] = [projectIdIn(manifest), projectIdIn(before)];
        if (old === undefined || now === old || isLate(now) || isLate(old)) {
          return undefined;
        }
        const fix = 'keep it, unless this is intended';
        return now === undefined
          ? {
              path: PATH,
              message: `is removed: members of ${old} lose the namespace with its virtual machines, and its quota is removed`,
              fix,
            }
          : {
              path: PATH,
              value: now,
              message: `was ${old}: its members lose the namespace with its virtual machines`,
              fix,
            };
      },
    },
    {
      id: 'tenant-namespace/deleted',
      what: 'deleting a Namespace deletes everything in it, virtual machines and their volumes, too; system namespaces of Rancher and Harvester are never deleted',
      source:
        'rancher/webhook:pkg/resources/core/v1/namespace (0.5) for local and fleet-local; Rancher docs on removing an imported Harvester: cattle-system holds its own Rancher',
      judgeDeletion: (gone) => {
        if (isSystem(gone)) {
          return {
            message: 'cannot be deleted: it is a system namespace',
            fix: 'keep it, or remove its manifest without pruning',
          };
        }
        const id = projectIdIn(gone.manifest);
        return (
          id !== undefined && {
            level: 'warning',
            message: `is deleted with everything in it, virtual machines and volumes of ${id} too`,
            fix: 'keep it, unless this is intended',
          }
        );
      },
    },
  ]),
  ...TENANT_NAMESPACE_QUOTA_RULES,
];
