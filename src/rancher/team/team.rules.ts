import { isLate } from '../../core/late/late-token';
import { isRecord, itemsAt, labelsOf, Manifest } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { rules } from '../../core/rule/kit/fact';
import { JudgedObject, World } from '../../core/rule/rule';
import { filledText, plainText } from '../../core/text/plain-text';
import { byObject, grouped } from '../../core/text/values';
import { LABEL_PROVIDER, managementClusterIdOf } from '../cluster/cluster.facts';
import { knownProjects } from '../project/known-projects.facts';
import { projectIdOf } from '../project/project.kind';
import { builtInRoleTemplate } from '../role/role.kind';

/**
 * Built-in roles whose members can create namespaces.
 * @see rancher/rancher:pkg/data/management/role_data.go; harvester/charts:charts/harvester-rbac
 */
const CREATE_NAMESPACES: readonly string[] = [
  'project-owner',
  'project-member',
  'create-ns',
  'virt-project-manage',
];

// indexes per world: the time for many projects is linear
const harvesterIds = byObject(
  (world: World) =>
    new Set(
      world
        .ofKind(GROUPS.PROVISIONING, 'Cluster')
        .filter(({ manifest }) => labelsOf(manifest)[LABEL_PROVIDER] === 'harvester')
        .map(({ manifest }) => managementClusterIdOf(manifest)),
    ),
);
const bindingsByProject = byObject((world: World) =>
  grouped(world.ofKind(GROUPS.MANAGEMENT, 'ProjectRoleTemplateBinding'), ({ manifest }) =>
    plainText(manifest.projectName),
  ),
);
const hasHarvester = byObject((world: World) =>
  world.judged.some(({ target }) => target.kind === 'harvester'),
);

/**
 * The ID of a project on an imported Harvester; undefined for others, and where the Harvester is
 * not judged: its namespaces are unknown.
 */
function idOnHarvester({ manifest }: JudgedObject, world: World): string | undefined {
  const { namespace = '', name } = manifest.metadata;
  const id = projectIdOf(namespace, name);
  return !isLate(id) && hasHarvester(world) && harvesterIds(world).has(namespace) ? id : undefined;
}

/** Whether a member of a project can create namespaces. */
function hasCreator(project: JudgedObject, id: string, world: World): boolean {
  const roles = (bindingsByProject(world).get(id) ?? []).flatMap(
    ({ manifest }) => filledText(manifest.roleTemplateName) ?? [],
  );
  return [...new Set(roles)].some((role) => mayCreateNamespaces(project, world, role, new Set()));
}

// an unknown role may
function mayCreateNamespaces(
  project: JudgedObject,
  world: World,
  role: string,
  seen: Set<string>,
): boolean {
  if (seen.has(role)) {
    return false;
  }
  seen.add(role);
  if (CREATE_NAMESPACES.includes(role)) {
    return true;
  }
  if (builtInRoleTemplate(role)) {
    return false;
  }
  const template = world.find(
    project,
    GROUPS.MANAGEMENT,
    'RoleTemplate',
    undefined,
    role,
  )?.manifest;
  if (!template || template.external === true || createsNamespaces(template)) {
    return true;
  }
  return itemsAt(template, 'roleTemplateNames').some(
    (name) => typeof name === 'string' && mayCreateNamespaces(project, world, name, seen),
  );
}

function createsNamespaces({ rules: granted }: Manifest): boolean {
  const has = (list: unknown, item: string) =>
    Array.isArray(list) && (list.includes(item) || list.includes('*'));
  return itemsAt(granted).some(
    (rule) => isRecord(rule) && has(rule.resources, 'namespaces') && has(rule.verbs, 'create'),
  );
}

/** Rules for the projects of teams. */
export const TEAM_RULES = rules({ kinds: ['management.cattle.io/Project'] }, [
  {
    id: 'project/no-namespaces',
    level: 'warning',
    what: 'a project of a Harvester has a namespace, or a member who can create one; otherwise no user can create a virtual machine in it',
    source:
      'rancher/rancher:pkg/data/management/role_data.go: project-owner, project-member and create-ns create namespaces',
    creation: true,
    judge: (project, world) => {
      const id = idOnHarvester(project, world);
      return (
        id !== undefined &&
        !knownProjects(world, project.target).namespaces.has(id) &&
        !hasCreator(project, id, world) && {
          path: '',
          message:
            'has no namespace, and no member who can create one: no user can create a virtual machine in it',
          fix: 'add a namespace, or a member with the role project-owner or project-member',
        }
      );
    },
  },
]);
