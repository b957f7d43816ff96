import { ANNOTATION_PROJECT_ID, HARVESTER_SYSTEM_NAMESPACES } from './project.kind';
import { findProject, projectIdIn, TENANT_NAMESPACE_QUOTA_RULES } from './quota.rules';
import { LATE_TOKEN, isLate } from '../../core/late/late-token';
import { annotationsOf, labelsOf } from '../../core/manifest/manifest';
import { GROUPS, LOCAL_CLUSTER, SETTING_REGISTRATION_URL, SYSTEM_NAMESPACES, HARVESTER_PUBLIC } from '../../core/manifest/names';
import { rules } from '../../core/rule/kit/fact';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { onTarget } from '../../core/rule/world-lookup';
import { given } from '../../core/text/plain-text';
import { registeredBy, registrationOf } from '../../harvester/settings/catalogue/registration.facts';

const KINDS = ['/Namespace'];
const PATH = `metadata.annotations[${ANNOTATION_PROJECT_ID}]`;
const WEBHOOK = 'rancher/webhook:pkg/resources/core/v1/namespace';
const PROJECT_ID = /^[^:]+:[^:]+$/;

function isAsBefore(object: JudgedObject, world: World): boolean {
  const before = world.beforeOf(object);
  return before !== undefined && projectIdIn(before) === projectIdIn(object.manifest);
}

// the management cluster ID of a registered Harvester, and of Rancher's own cluster
const clusterOf = onTarget((object, world): string | undefined => {
  if (object.target.kind === 'rancher') { return LOCAL_CLUSTER; }
  const setting = object.target.kind === 'guest' ? undefined : world.find(object, GROUPS.HARVESTER, 'Setting', undefined, SETTING_REGISTRATION_URL)?.manifest;
  if (typeof setting?.value !== 'string' || setting.value === '') { return undefined; }
  const { url } = registrationOf(setting.value);
  const id = registeredBy(url.replace(LATE_TOKEN, 'late'))?.clusterId;
  // a late ID cannot be compared
  return id === undefined || url.includes(`_${id}.yaml`) ? id : undefined;
});

/** Rules for the Namespaces of tenants. */
export const TENANT_NAMESPACE_RULES: readonly Rule[] = [
  ...rules({ kinds: KINDS }, [
    {
      id: 'tenant-namespace/project-id',
      level: 'error',
      what: 'the project of a Namespace has the form <management cluster ID>:<project>',
      says: 'unable to retrieve project id from annotation, too few values',
      source: WEBHOOK,
      judge: ({ manifest }) => {
        const id = annotationsOf(manifest)[ANNOTATION_PROJECT_ID];
        return typeof id !== 'string' || id === '' || isLate(id) || PROJECT_ID.test(id) ? undefined : {
          path: PATH,
          ...given(id),
          message: `must be a project ID${id.includes('/') ? ': only the scopes of IP pools have a slash' : ''}`,
          fix: 'write <management cluster ID>:<project>',
        };
      },
    },
    {
      id: 'tenant-namespace/unknown-project',
      level: 'error',
      what: 'the project of a Namespace exists; otherwise Rancher silently grants no permissions and applies no quota',
      source: 'seen on Rancher 2.13.8 and Harvester 1.7.2: accepted, no bindings, no quota, no message',
      judge: (object, world) => {
        const id = projectIdIn(object.manifest);
        if (id === undefined || !PROJECT_ID.test(id)) { return undefined; }
        const found = findProject(world, id);
        if (found.is === 'known') { return undefined; }
        const [cluster, name] = id.split(':');
        const fix = `declare Project ${name} in namespace ${cluster}, or pass it with --world if it is live`;
        if (found.is === 'missing') {
          return {
            path: PATH,
            value: id,
            message: 'must be a declared or live project: otherwise Rancher grants no permissions in the namespace and applies no quota',
            fix,
          };
        } else if (found.is === 'perhaps elsewhere' && !isAsBefore(object, world)) {
          return { path: PATH, value: id, level: 'warning', message: found.why, fix };
        }
        return undefined;
      },
    },
    {
      id: 'tenant-namespace/other-cluster',
      level: 'error',
      what: 'a Namespace is in a project of its own cluster; the project of another cluster silently has no effect',
      source: 'rancher/rancher:pkg/controllers/managementuser/nsserviceaccount and rbac: each cluster\'s controllers look for their own projects',
      judge: (object, world) => {
        const id = projectIdIn(object.manifest);
        if (id === undefined || !PROJECT_ID.test(id) || isLate(id)) { return undefined; }
        const own = clusterOf(object, world);
        if (own !== undefined && !id.startsWith(`${own}:`)) {
          const [cluster] = id.split(':');
          return {
            path: PATH,
            value: id,
            message: `must be a project of ${own}, the cluster of the namespace, not of ${cluster}`,
            fix: `use a project of ${own}, or create the Namespace on the other cluster`,
          };
        }
        return undefined;
      },
    },
    {
      id: 'tenant-namespace/system',
      level: 'warning',
      what: 'no system namespace of Rancher or Harvester is in a project of a tenant: Rancher and Harvester keep moving it to the System project',
      source: 'harvester/harvester:pkg/controller/master/rancher/namespace.go, every 300 seconds; rancher/rancher:pkg/settings/setting.go system-namespaces',
      judge: (object, world) => {
        const { manifest, target } = object;
        const { name } = manifest.metadata;
        // those that the server has already are correct
        if (projectIdIn(manifest) === undefined || name === 'default' || isAsBefore(object, world)) { return undefined; }
        const harvester = target.kind !== 'rancher' && HARVESTER_SYSTEM_NAMESPACES.includes(name);
        if (!harvester && !SYSTEM_NAMESPACES.includes(name)) { return undefined; }
        return name === HARVESTER_PUBLIC
          ? { path: PATH, message: `cannot be set on ${name}, which every user can read`, fix: 'remove it: shared namespaces are in no project' }
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
      fields: [`metadata.labels[${ANNOTATION_PROJECT_ID}]`],
      what: `the annotation ${ANNOTATION_PROJECT_ID} adds a Namespace to a project; Rancher writes the label of that name, which has no effect`,
      source: 'rancher/rancher:pkg/controllers/managementagent/nslabels',
      creation: true,
      judge: (object) => {
        const label = labelsOf(object.manifest)[ANNOTATION_PROJECT_ID];
        return label === undefined || projectIdIn(object.manifest) !== undefined ? undefined : {
          path: `metadata.labels[${ANNOTATION_PROJECT_ID}]`,
          message: 'has no effect without the annotation: the Namespace is in no project',
          fix: 'set the annotation to <management cluster ID>:<project>',
        };
      },
    },
    {
      id: 'tenant-namespace/unassigned',
      level: 'warning',
      what: 'removing or changing the project of a Namespace removes the access of its members and its quota',
      source: 'rancher/rancher:pkg/controllers/managementuser/rbac/namespace_handler.go',
      judgeUpdate: ({ manifest }, before) => {
        const [now, old] = [projectIdIn(manifest), projectIdIn(before)];
        if (old === undefined || now === old || isLate(now) || isLate(old)) { return undefined; }
        return now === undefined
          ? {
            path: PATH,
            message: `is removed: members of ${old} lose the namespace with its virtual machines, and its quota is removed`,
            fix: 'keep it, unless this is intended',
          }
          : {
            path: PATH,
            value: now,
            message: `was ${old}: its members lose the namespace with its virtual machines`,
            fix: 'keep it, unless this is intended',
          };
      },
    },
    {
      id: 'tenant-namespace/deleted',
      level: 'error',
      what: 'deleting a Namespace deletes everything in it, virtual machines and their volumes, too; system namespaces of Rancher and Harvester are never deleted',
      source: 'rancher/webhook:pkg/resources/core/v1/namespace (0.5) for local and fleet-local; Rancher docs on removing an imported Harvester: cattle-system holds its own Rancher',
      *judgeDeletion({ manifest, target }) {
        const { name } = manifest.metadata;
        const harvester = target.kind !== 'rancher' && HARVESTER_SYSTEM_NAMESPACES.includes(name);
        if (harvester || SYSTEM_NAMESPACES.includes(name)) {
          yield { path: '', message: 'cannot be deleted: it is a system namespace', fix: 'keep it, or remove its manifest without pruning' };
        } else if (projectIdIn(manifest) !== undefined) {
          yield {
            path: '',
            level: 'warning',
            message: `is deleted with everything in it, virtual machines and volumes of ${projectIdIn(manifest)} too`,
            fix: 'keep it, unless this is intended',
          };
        }
      },
    },
  ]),
  ...TENANT_NAMESPACE_QUOTA_RULES,
];
