import { Level, Right } from './matrix';
import { OF_A_CLUSTER, OF_A_PROJECT, Permission, PERMISSIONS, PROMOTED } from './permissions';
import { covers, GrantedRule, READ } from './policy-rule';
import { compare } from '../../model/compare';

/** Where rules of a role take effect, which decides on what they count. */
export type Reach = 'rancher' | 'namespace' | 'cluster' | 'project';

/**
 * What rules add up to at a place.
 *
 * @param harvester whether the cluster is a Harvester, or may be one
 */
export function rightsOf(rules: readonly GrantedRule[], reach: Reach, harvester: boolean): Right[] {
  return PERMISSIONS.filter((permission) => counts(permission, reach, harvester)).flatMap((permission) => rightOf(permission, rules, reach) ?? []);
}

function counts({ id, scope, harvester: onHarvester }: Permission, reach: Reach, harvester: boolean): boolean {
  if (onHarvester && !harvester) { return false; }
  switch (reach) {
    case 'rancher': return scope === 'rancher';
    case 'namespace': return scope === 'namespace';
    case 'cluster': return scope !== 'rancher' || OF_A_CLUSTER.includes(id);
    case 'project': return scope === 'namespace' || id === 'namespaces' || PROMOTED.includes(id) || OF_A_PROJECT.includes(id);
  }
}

function rightOf(permission: Permission, rules: readonly GrantedRule[], reach: Reach): Right | undefined {
  const { id, label, group, resource, action } = permission;
  const matching = rules.filter((entry) => covers(entry, group, resource))
    .filter(({ verbs: given }) => (action === undefined ? given.length > 0 : hasVerb(given, action)));
  const found = id === 'namespaces' && reach === 'project' ? [...namespacesOfProject(matching), ...matching] : matching;
  if (found.length === 0) { return undefined; }
  // what a sure rule gives is sure, whatever another one adds
  const sure = new Set(found.filter(({ unconfirmed, resourceNames }) => unconfirmed === undefined && !resourceNames).flatMap(({ verbs }) => verbs));
  const unsure = found.find(({ unconfirmed, verbs }) => unconfirmed !== undefined && !sure.has('*') && verbs.some((verb) => !sure.has(verb)));
  const verbs = verbsOf(found);
  const names = found.every(({ resourceNames }) => resourceNames) ? found.flatMap(({ resourceNames = [] }) => resourceNames) : [];
  return {
    permission: id,
    label,
    group,
    resource,
    level: action === undefined ? levelOf(verbs) : 'yes',
    verbs,
    through: [...new Set(found.map(({ through }) => through))],
    ...(names.length > 0 ? { names: [...new Set(names)].sort(compare) } : {}),
    ...(unsure ? { unconfirmed: unsure.unconfirmed } : {}),
  };
}

/**
 * Every role in a project gives its namespaces to read, and one that may create namespaces gives them to change.
 * @see rancher/rancher:pkg/controllers/managementuser/rbac/prtb_handler.go, <project>-namespaces-readonly and <project>-namespaces-edit
 */
function namespacesOfProject(rules: readonly GrantedRule[]): GrantedRule[] {
  const creating = rules.find(({ verbs, resourceNames }) => !resourceNames && (verbs.includes('*') || verbs.includes('create')));
  return [{ apiGroups: [''], resources: ['namespaces'], verbs: creating ? ['*'] : ['get'], through: creating?.through ?? 'the project itself' }];
}

function verbsOf(rules: readonly GrantedRule[]): string[] {
  const verbs = new Set(rules.flatMap((entry) => entry.verbs));
  return verbs.has('*') ? ['*'] : [...verbs].sort(compare);
}

function hasVerb(verbs: readonly string[], verb: string): boolean {
  return verbs.includes('*') || verbs.includes(verb);
}

function levelOf(verbs: readonly string[]): Level {
  if (verbs.every((verb) => READ.includes(verb))) { return 'read'; }
  return ['get', 'list', 'create', 'update', 'delete'].every((verb) => hasVerb(verbs, verb)) ? 'all' : 'some';
}
