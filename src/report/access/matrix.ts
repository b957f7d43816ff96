import { OF_A_CLUSTER, OF_A_PROJECT, PERMISSIONS, PROMOTED, Permission } from './permissions.data';
import { GrantedRule, READ, covers } from '../../core/rbac/policy-rule';
import { compare } from '../../core/text/values';

/** Who may do what where: what the bindings of a program add up to. */
export interface AccessMatrix {
  readonly schemaVersion: '1';
  readonly entries: readonly AccessEntry[];
  /** What the matrix cannot show, e.g. roles that are not known. */
  readonly notes: readonly string[];
}

/** One person or group at one place. */
export interface AccessEntry {
  readonly who: Subject;
  readonly where: Place;
  /** The roles by which they are there. */
  readonly roles: readonly HeldRole[];
  readonly may: readonly Right[];
}

export interface Subject {
  readonly kind: 'user' | 'group' | 'everybody' | 'service account';
  /** The principal id, e.g. `local://u-ana`. */
  readonly principal: string;
  /** The name that people know. */
  readonly name: string;
}

export interface Place {
  /** Rancher itself, a namespace of Rancher, a cluster, a project with its namespaces, namespaces of a cluster. */
  readonly kind: 'rancher' | 'rancher namespace' | 'cluster' | 'project' | 'namespace';
  readonly name: string;
  /** The management cluster id. */
  readonly cluster?: string;
  readonly clusterName?: string;
  /** The project's id, `<cluster id>:<project>`. */
  readonly project?: string;
  /** The namespaces that it is about. @default - all that there are */
  readonly namespaces?: readonly string[];
}

export interface HeldRole {
  readonly id: string;
  readonly name: string;
  /** The binding, as `Kind namespace/name`. */
  readonly binding: string;
}

type Level = 'all' | 'read' | 'some' | 'yes';

/** What a subject may do with one kind of object. */
export interface Right {
  /** Id of the permission. */
  readonly permission: string;
  readonly label: string;
  readonly group: string;
  readonly resource: string;
  /** How much it is: everything, reading alone, other verbs, or the one action that it is about. */
  readonly level: Level;
  /** Sorted; `*` alone is every verb. */
  readonly verbs: readonly string[];
  /** The roles that give it. */
  readonly through: readonly string[];
  /** Names of the objects, where it is not for all. */
  readonly names?: readonly string[];
  /** Why it is not sure. */
  readonly unconfirmed?: string;
}

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
