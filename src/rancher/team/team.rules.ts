import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, labelsOf } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { rules } from '../../core/rule/kit/fact';
import { JudgedObject, World } from '../../core/rule/rule';
import { byObject } from '../../core/text/values';
import { LABEL_PROVIDER, managementClusterIdOf } from '../cluster/cluster.kind';
import { projectIdOf } from '../project/project.kind';
import { knownProjects } from '../project/quota.rules';
import { builtInRoleTemplate } from '../role/role.kind';

/** Built-in roles whose members can create namespaces. @see rancher/rancher:pkg/data/management/role_data.go; harvester/charts:charts/harvester-rbac */
const CREATE_NAMESPACES: readonly string[] = ['project-owner', 'project-member', 'create-ns', 'virt-project-manage'];

/** What the rule knows of a world. */
interface Facts {
  /** The IDs of imported Harvesters. */
  readonly harvesterIds: ReadonlySet<string>;
  /** The roles of the members of each project. */
  readonly roles: ReadonlyMap<string, ReadonlySet<string>>;
  readonly hasHarvester: boolean;
}

// one index per world: the time for many projects is linear
const factsOf = byObject((world: World): Facts => {
  const harvesters = world.ofKind(GROUPS.PROVISIONING, 'Cluster').filter(({ manifest }) => labelsOf(manifest)[LABEL_PROVIDER] === 'harvester');
  const roles = new Map<string, Set<string>>();
  for (const { manifest: { projectName, roleTemplateName } } of world.ofKind(GROUPS.MANAGEMENT, 'ProjectRoleTemplateBinding')) {
    if (typeof projectName !== 'string' || typeof roleTemplateName !== 'string') { continue; }
    const list = roles.get(projectName);
    if (list) { list.add(roleTemplateName); } else { roles.set(projectName, new Set([roleTemplateName])); }
  }
  return {
    harvesterIds: new Set(harvesters.map(({ manifest }) => managementClusterIdOf(manifest)).filter((id) => id !== undefined)),
    roles,
    hasHarvester: world.judged.some(({ target }) => target.kind === 'harvester'),
  };
});

// an unknown role may
function mayCreateNamespaces(project: JudgedObject, world: World, role: string, seen: Set<string>): boolean {
  if (seen.has(role)) { return false; }
  seen.add(role);
  if (CREATE_NAMESPACES.includes(role)) { return true; }
  if (builtInRoleTemplate(role)) { return false; }
  const template = world.find(project, GROUPS.MANAGEMENT, 'RoleTemplate', undefined, role)?.manifest;
  if (!template || template.external === true || createsNamespaces(template)) { return true; }
  const inherited = Array.isArray(template.roleTemplateNames) ? template.roleTemplateNames : [];
  return inherited.some((name) => typeof name === 'string' && mayCreateNamespaces(project, world, name, seen));
}

function createsNamespaces({ rules: granted }: Manifest): boolean {
  const has = (list: unknown, item: string) => Array.isArray(list) && (list.includes(item) || list.includes('*'));
  return Array.isArray(granted) && granted.some((rule) => isRecord(rule) && has(rule.resources, 'namespaces') && has(rule.verbs, 'create'));
}

/** Rules for the projects of teams. */
export const TEAM_RULES = rules({ kinds: ['management.cattle.io/Project'] }, [
  {
    id: 'project/no-namespaces',
    level: 'warning',
    what: 'a project of a Harvester has a namespace, or a member who can create one; otherwise no user can create a virtual machine in it',
    source: 'rancher/rancher:pkg/data/management/role_data.go: project-owner, project-member and create-ns create namespaces',
    creation: true,
    judge: (project, world) => {
      const { namespace: cluster, name } = project.manifest.metadata;
      if (cluster === undefined || isLate(cluster) || isLate(name)) { return undefined; }
      const id = projectIdOf(cluster, name);
      if (knownProjects(world).namespaces.has(id)) { return undefined; }
      const { harvesterIds, roles, hasHarvester } = factsOf(world);
      // namespaces are on the Harvester: without its manifests they are unknown
      if (!hasHarvester || !harvesterIds.has(cluster)) { return undefined; }
      return [...roles.get(id) ?? []].some((role) => mayCreateNamespaces(project, world, role, new Set())) ? undefined : {
        message: 'has no namespace, and no member who can create one: no user can create a virtual machine in it',
        fix: 'add a namespace, or a member with the role project-owner or project-member',
      };
    },
  },
]);
