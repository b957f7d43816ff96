import { OF_A_CLUSTER, OF_A_PROJECT, Permission, PERMISSIONS, PROMOTED } from './permissions';
import { AccessPlace, Places, RANCHER } from './places';
import { ResolvedRole, RoleBook } from './role-book';
import { AccountBinding, accountBindings } from './service-accounts';
import { isLate } from '../../core/late/late-token';
import { annotationsOf, Manifest, objectLabel } from '../../core/manifest/manifest';
import { API_VERSIONS, GROUPS, HARVESTER_PUBLIC, LOCAL_CLUSTER } from '../../core/manifest/names';
import { covers, GrantedRule, READ } from '../../core/rbac/policy-rule';
import { JudgedObject, World } from '../../core/rule/rule';
import { filledText, plainText } from '../../core/text/plain-text';
import { compare } from '../../core/text/values';
import {
  ANNOTATION_PRINCIPAL_DISPLAY_NAME,
  localPrincipal,
} from '../../rancher/binding/binding.kind';

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
  readonly where: AccessPlace;
  /** The roles by which they are there. */
  readonly roles: readonly HeldRole[];
  readonly may: readonly Right[];
}

interface Subject {
  readonly kind: 'user' | 'group' | 'everybody' | 'service account';
  /** The principal id, e.g. `local://u-ana`. */
  readonly principal: string;
  /** The name that people know. */
  readonly name: string;
}

interface HeldRole {
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
type Reach = 'rancher' | 'namespace' | 'cluster' | 'project';

/**
 * What rules add up to at a place.
 *
 * @param harvester whether the cluster is a Harvester, or may be one
 */
function rightsOf(rules: readonly GrantedRule[], reach: Reach, harvester: boolean): Right[] {
  return PERMISSIONS.filter((permission) => counts(permission, reach, harvester)).flatMap(
    (permission) => rightOf(permission, rules, reach) ?? [],
  );
}

function counts(
  { id, scope, harvester: onHarvester }: Permission,
  reach: Reach,
  harvester: boolean,
): boolean {
  if (onHarvester && !harvester) {
    return false;
  }
  switch (reach) {
    case 'rancher':
      return scope === 'rancher';
    case 'namespace':
      return scope === 'namespace';
    case 'cluster':
      return scope !== 'rancher' || OF_A_CLUSTER.includes(id);
    case 'project':
      return (
        scope === 'namespace' ||
        id === 'namespaces' ||
        PROMOTED.includes(id) ||
        OF_A_PROJECT.includes(id)
      );
  }
}

function rightOf(
  permission: Permission,
  rules: readonly GrantedRule[],
  reach: Reach,
): Right | undefined {
  const { id, label, group, resource, action } = permission;
  const matching = rules
    .filter((entry) => covers(entry, group, resource))
    .filter(({ verbs: given }) =>
      action === undefined ? given.length > 0 : hasVerb(given, action),
    );
  const found =
    id === 'namespaces' && reach === 'project'
      ? [...namespacesOfProject(matching), ...matching]
      : matching;
  if (found.length === 0) {
    return undefined;
  }
  // what a sure rule gives is sure, whatever another one adds
  const sure = new Set(
    found
      .filter(({ unconfirmed, resourceNames }) => unconfirmed === undefined && !resourceNames)
      .flatMap(({ verbs }) => verbs),
  );
  const unsure = found.find(
    ({ unconfirmed, verbs }) =>
      unconfirmed !== undefined && !sure.has('*') && verbs.some((verb) => !sure.has(verb)),
  );
  const verbs = verbsOf(found);
  const names = found.every(({ resourceNames }) => resourceNames)
    ? found.flatMap(({ resourceNames = [] }) => resourceNames)
    : [];
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
 * Every role in a project gives its namespaces to read, and one that may create namespaces gives
 * them to change.
 * @see rancher/rancher:pkg/controllers/managementuser/rbac/prtb_handler.go, <project>-namespaces-readonly and <project>-namespaces-edit
 */
function namespacesOfProject(rules: readonly GrantedRule[]): GrantedRule[] {
  const creating = rules.find(
    ({ verbs, resourceNames }) =>
      !resourceNames && (verbs.includes('*') || verbs.includes('create')),
  );
  return [
    {
      apiGroups: [''],
      resources: ['namespaces'],
      verbs: creating ? ['*'] : ['get'],
      through: creating?.through ?? 'the project itself',
    },
  ];
}

function verbsOf(rules: readonly GrantedRule[]): string[] {
  const verbs = new Set(rules.flatMap((entry) => entry.verbs));
  return verbs.has('*') ? ['*'] : [...verbs].sort(compare);
}

function hasVerb(verbs: readonly string[], verb: string): boolean {
  return verbs.includes('*') || verbs.includes(verb);
}

function levelOf(verbs: readonly string[]): Level {
  if (verbs.every((verb) => READ.includes(verb))) {
    return 'read';
  }
  return ['get', 'list', 'create', 'update', 'delete'].every((verb) => hasVerb(verbs, verb))
    ? 'all'
    : 'some';
}

const LOCAL = localPrincipal('');

/** All users who may log in to a cluster. */
const EVERYBODY: Subject = {
  kind: 'everybody',
  principal: 'system:authenticated',
  name: 'all users who are logged in',
};

/** The people and groups that bindings name, with the names that Users have. */
class Subjects {
  private readonly users: ReadonlyMap<string, Manifest>;

  constructor(world: World) {
    this.users = new Map(
      world
        .ofKind(GROUPS.MANAGEMENT, 'User')
        .map(({ manifest }) => [manifest.metadata.name, manifest]),
    );
  }

  /** The subject of a binding; undefined where it names none. */
  public of(binding: Manifest): Subject | undefined {
    const { userPrincipalName, userName, groupPrincipalName, groupName, serviceAccount } = binding;
    const shown = filledText(annotationsOf(binding)[ANNOTATION_PRINCIPAL_DISPLAY_NAME]);
    const user = filledText(userName);
    const principal = filledText(userPrincipalName) ?? (user && localPrincipal(user));
    if (principal) {
      return { kind: 'user', principal, name: shown ?? this.nameOf(principal) };
    }
    const group = filledText(groupPrincipalName) ?? filledText(groupName);
    if (group) {
      return { kind: 'group', principal: group, name: shown ?? shortOf(group) };
    }
    const account = filledText(serviceAccount);
    return account ? { kind: 'service account', principal: account, name: account } : undefined;
  }

  private nameOf(principal: string): string {
    const user = principal.startsWith(LOCAL)
      ? this.users.get(principal.slice(LOCAL.length))
      : undefined;
    return filledText(user?.displayName) ?? filledText(user?.username) ?? shortOf(principal);
  }
}

function shortOf(principal: string): string {
  if (isLate(principal)) {
    return 'known only to the live cluster';
  }
  const start = principal.indexOf('://');
  return start < 0 ? principal : principal.slice(start + '://'.length);
}

/**
 * @see harvester/harvester:deploy/charts/harvester/templates/rbac.yaml harvesterhci.io:view, which is aggregated to view
 */
const PUBLIC_SECRETS = `view on ${HARVESTER_PUBLIC} includes Secrets, since Harvester adds them to the role view of Kubernetes: keep no credentials in this namespace`;

/**
 * Computes who may do what where from roles and bindings.
 *
 * @param objects the program's objects
 * @param live other objects that exist on the clusters
 */
export function accessMatrix(
  objects: readonly JudgedObject[],
  live: readonly JudgedObject[] = [],
): AccessMatrix {
  return new Computation(new World(objects, live)).result();
}

/** The matrices of several environments as one: each is a place of its own. */
export function joinAccess(
  matrices: readonly { readonly environment?: string; readonly matrix: AccessMatrix }[],
): AccessMatrix {
  const marked = matrices.map(({ environment, matrix }) =>
    environment === undefined
      ? { entries: matrix.entries, notes: matrix.notes }
      : {
          entries: matrix.entries.map((entry) => ({
            ...entry,
            where: { ...entry.where, environment },
          })),
          notes: matrix.notes.map((note) =>
            environment === '' ? note : `${environment}: ${note}`,
          ),
        },
  );
  return {
    schemaVersion: '1',
    entries: marked.flatMap(({ entries }) => entries).sort(byWhoAndWhere),
    notes: [...new Set(marked.flatMap(({ notes }) => notes))],
  };
}

interface Draft {
  readonly who: Subject;
  readonly where: AccessPlace;
  readonly reach: Reach;
  readonly roles: HeldRole[];
  readonly rules: GrantedRule[];
}

class Computation {
  private readonly roles: RoleBook;
  private readonly places: Places;
  private readonly subjects: Subjects;
  private readonly drafts = new Map<string, Draft>();
  private readonly notes = new Set<string>();

  constructor(world: World) {
    this.roles = new RoleBook(world);
    this.places = new Places(world);
    this.subjects = new Subjects(world);
    const bindings = (kind: string): Manifest[] =>
      world.ofKind(GROUPS.MANAGEMENT, kind).map(({ manifest }) => manifest);
    for (const binding of bindings('GlobalRoleBinding')) {
      this.bind(binding, this.addGlobal);
    }
    for (const binding of bindings('ClusterRoleTemplateBinding')) {
      this.bind(binding, this.addCluster);
    }
    for (const binding of bindings('ProjectRoleTemplateBinding')) {
      this.bind(binding, this.addProject);
    }
    for (const account of accountBindings(world, this.roles)) {
      this.addAccount(account);
    }
    this.addPublic();
  }

  public result(): AccessMatrix {
    const entries = [...this.drafts.values()].map(
      ({ who, where, reach, roles, rules }): AccessEntry => ({
        who,
        where,
        roles,
        may: rightsOf(
          rules,
          reach,
          where.cluster === undefined || this.places.traits(where.cluster).harvester !== false,
        ),
      }),
    );
    return {
      schemaVersion: '1',
      entries: entries.sort(byWhoAndWhere),
      notes: [...this.notes].sort(compare),
    };
  }

  private bind(
    binding: Manifest,
    add: (this: this, who: Subject, binding: Manifest) => void,
  ): void {
    const who = this.subjects.of(binding);
    if (!who) {
      this.notes.add(`${objectLabel(binding)} names no subject`);
      return;
    }
    add.call(this, who, binding);
  }

  private addGlobal(who: Subject, binding: Manifest): void {
    const role = this.roles.global(plainText(binding.globalRoleName));
    this.add(who, RANCHER, 'rancher', role, binding);
    for (const [namespace, rules] of Object.entries(role.namespaced)) {
      this.add(
        who,
        { kind: 'rancher namespace', name: namespace, namespaces: [namespace] },
        'namespace',
        { ...role, rules },
        binding,
      );
    }
    for (const cluster of this.places.clusterIds()) {
      if (cluster === LOCAL_CLUSTER) {
        // Rancher runs on it. @see rancher/rancher:pkg/controllers/management/auth/globalroles
        // reconcileClusterPermissions
        this.add(who, this.places.cluster(cluster), 'cluster', { ...role, unknown: [] }, binding);
        continue;
      }
      for (const [namespace, rules] of Object.entries(role.inNamespaces)) {
        this.add(
          who,
          this.places.namespace(cluster, namespace),
          'namespace',
          { ...role, rules },
          binding,
        );
      }
      for (const id of role.onClusters) {
        this.add(who, this.places.cluster(cluster), 'cluster', this.template(id, cluster), binding);
      }
    }
  }

  private addCluster(who: Subject, binding: Manifest): void {
    const id = plainText(binding.clusterName);
    this.add(
      who,
      this.places.cluster(id),
      'cluster',
      this.template(binding.roleTemplateName, id),
      binding,
    );
  }

  private addProject(who: Subject, binding: Manifest): void {
    const place = this.places.project(plainText(binding.projectName));
    this.add(
      who,
      place,
      'project',
      this.template(binding.roleTemplateName, place.cluster),
      binding,
    );
  }

  private template(id: unknown, cluster: string | undefined): ResolvedRole {
    return this.roles.template(
      plainText(id),
      cluster === undefined ? undefined : this.places.traits(cluster),
    );
  }

  private addAccount({
    principal,
    name,
    target,
    namespace,
    roleOn,
    binding,
  }: AccountBinding): void {
    const who: Subject = { kind: 'service account', principal, name };
    const where = this.places.of(target, namespace);
    const role = roleOn(
      where.cluster === undefined ? { harvester: false } : this.places.traits(where.cluster),
    );
    const inCluster = namespace === undefined ? 'cluster' : 'namespace';
    const scope = where.kind === 'rancher' ? 'rancher' : inCluster;
    this.add(who, where, scope, { ...role, unknown: [] }, binding);
    for (const unknown of role.unknown) {
      this.notes.add(
        `${unknown} on ${target.name} is not known: what it gives is left out; ` +
          'read it from the cluster (kubectl get clusterroles,roles -A -o yaml) and pass the file with --world',
      );
    }
  }

  // Harvester gives view on this one namespace to all users who are logged in, whatever the program
  // declares
  private addPublic(): void {
    for (const cluster of this.places
      .clusterIds()
      .filter((id) => this.places.traits(id).harvester === true)) {
      this.notes.add(PUBLIC_SECRETS);
      const binding: Manifest = {
        apiVersion: API_VERSIONS.RBAC,
        kind: 'RoleBinding',
        metadata: { name: HARVESTER_PUBLIC, namespace: HARVESTER_PUBLIC },
      };
      this.add(
        EVERYBODY,
        this.places.namespace(cluster, HARVESTER_PUBLIC),
        'namespace',
        this.template('view', cluster),
        binding,
      );
    }
  }

  private add(
    who: Subject,
    where: AccessPlace,
    reach: Reach,
    { id, name, rules, unknown }: ResolvedRole,
    binding: Manifest,
  ): void {
    const key = JSON.stringify([
      who.kind,
      who.principal,
      where.kind,
      where.cluster,
      where.project,
      where.name,
    ]);
    const draft = this.drafts.get(key) ?? { who, where, reach, roles: [], rules: [] };
    this.drafts.set(key, draft);
    draft.roles.push({ id, name, binding: objectLabel(binding) });
    draft.rules.push(...rules);
    for (const role of unknown) {
      this.notes.add(
        `role ${role} is not known: what it gives is left out; ` +
          'read it from Rancher (kubectl get roletemplates,globalroles -o yaml) and pass the file with --world',
      );
    }
  }
}

const PLACES: readonly AccessPlace['kind'][] = [
  'rancher',
  'rancher namespace',
  'cluster',
  'project',
  'namespace',
];

function byWhoAndWhere(a: AccessEntry, b: AccessEntry): number {
  return (
    byWho(a.who, b.who) ||
    PLACES.indexOf(a.where.kind) - PLACES.indexOf(b.where.kind) ||
    compare(a.where.clusterName ?? '', b.where.clusterName ?? '') ||
    compare(a.where.name, b.where.name) ||
    compare(a.where.project ?? a.where.cluster ?? '', b.where.project ?? b.where.cluster ?? '')
  );
}

// what all users have comes last
function byWho(a: Subject, b: Subject): number {
  return (
    Number(a.kind === 'everybody') - Number(b.kind === 'everybody') ||
    compare(a.name, b.name) ||
    compare(a.principal, b.principal)
  );
}
