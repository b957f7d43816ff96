import { KindAccess } from '../../core/kind/description/access';
import { kindOf } from '../../core/kind/kinds';
import { MATCHED_FIELD, hasLateName, isLate } from '../../core/late/late-token';
import { Manifest, groupOf, valueAt } from '../../core/manifest/manifest';
import { API_VERSIONS, GROUPS } from '../../core/manifest/names';
import { AssemblyLateValue, AssemblyObject, AssemblyTarget } from '../../core/output/assembly';
import { compare, remembered } from '../../core/text/values';
import { App, OWN_NAMESPACE } from '../../engine/fields/apply-set';
import { homeTarget } from '../../engine/inventory/removed-targets';
import { keepsDigests } from '../../engine/inventory/standing';
import { readsRemembered } from '../../engine/late/origin';
import {
  PlacedGrant,
  GrantRule,
  RuleSet,
  clusterIds,
  guardGrants,
  lateGrants,
  leftoverGrants,
  madeNamespaces,
  objectGrants,
  ownGrants,
} from '../../engine/preflight/grants';
import { LoadedAssembly } from '../../engine/read/load-assembly';
import { UI_PLUGIN_NAMESPACE } from '../../rancher/catalog/catalog.kind';
import { FLEET_AGENT } from '../../rancher/cluster/cluster.facts';
import { READS } from '../doctor/live-world';

export interface RbacOptions {
  readonly app: App;
  /** The namespace of the ServiceAccount. @default 'kube-system' */
  readonly namespace?: string;
  /** Whether the identity may delete: for prune and destroy. @default true */
  readonly canDelete?: boolean;
  /**
   * The previous output: permission to delete what is no longer declared is added.
   * @default - no permission to delete
   */
  readonly before?: LoadedAssembly;
  /** Whether it may read all that `doctor` looks at. @default false */
  readonly doctor?: boolean;
  /** Whether it may only read, for `plan --no-dry-run`, `status`, and `doctor`. @default false */
  readonly readOnly?: boolean;
}

/**
 * The end of the name of an identity that only reads: it is another one than that which applies.
 */
const READER = '-reader';

/** The end of the name of the identity with which `adopt` reads. */
const ADOPTER = '-adopt';
/** The namespaces that `doctor` reads in, and that Rancher creates. */
const CREATED = {
  rancher: `${UI_PLUGIN_NAMESPACE}, those of clusters`,
  managed: FLEET_AGENT.namespace,
};
const READS_ONLY = new Set(['get', 'list']);

/** The identity that applies to one target, and what it may do there. */
export interface TargetRbac {
  readonly target: AssemblyTarget;
  readonly manifests: readonly Manifest[];
  /** What no role can say, for people. */
  readonly notes: readonly string[];
}

/** What an identity needs to apply a program to one of its targets, and nothing more. */
export function rbacOf(
  program: LoadedAssembly,
  target: AssemblyTarget,
  options: RbacOptions,
): TargetRbac {
  const { app, namespace = OWN_NAMESPACE, readOnly = false } = options;
  const { objects, lateValues } = program.assembly;
  const mine = objects.filter((object) => object.target === target.name);
  const made = madeNamespaces(mine, program.manifests);
  const grants = applyGrants(program, target, mine, options);
  const rules = rulesByScope(readOnly ? readGrants(grants) : grants, made);
  if (options.doctor) {
    addGrants(rules, doctorGrants(target, clusterIds(mine, program.manifests)));
  }
  const identity = {
    kind: 'ServiceAccount',
    name: `${app.parent.name}${readOnly ? READER : ''}`,
    namespace,
  };
  const granted = readOnly ? [] : grantedRoles(identity, mine, program.manifests);
  const notes = notesOf(mine, program.manifests, made, {
    created: options.doctor
      ? CREATED[target.kind === 'rancher' ? 'rancher' : 'managed']
      : undefined,
    readOnly,
    bindings: granted.length,
    lookedUp: lookedUp(lateValues, target.name),
  });
  return { target, manifests: [...manifestsOf(identity, rules), ...granted], notes };
}

/**
 * What an apply to a target needs, and a removal of what it declares or declared.
 *
 * @param mine the objects of the target
 */
function applyGrants(
  { assembly, manifests }: LoadedAssembly,
  target: AssemblyTarget,
  mine: readonly AssemblyObject[],
  { app, before, canDelete: mayDelete = true, readOnly = false }: RbacOptions,
): PlacedGrant[] {
  const { targets, lateValues } = assembly;
  const canDelete = !readOnly && mayDelete;
  const ids = new Set(mine.map(({ id }) => id));
  const gone = (before?.assembly.objects ?? []).filter(
    (object) => object.target === target.name && !ids.has(object.id),
  );
  const deleted = canDelete ? [...mine, ...gone] : [];
  return [
    ...ownGrants(target, targets, app, {
      holdsLock: homeTarget(targets).name === target.name,
      digests: keepsDigests(mine, manifests) || readsRemembered(target.name, lateValues),
    }),
    ...mine.flatMap((object) => objectGrants(object, manifests.get(object.id)!, canDelete)),
    ...(canDelete ? gone.flatMap(leftoverGrants) : []),
    ...lateGrants(lateValues, target.name),
    ...guardGrants(target, deleted),
  ];
}

/** The part of grants that only reads. */
function readGrants(grants: readonly PlacedGrant[]): PlacedGrant[] {
  return grants
    .map((grant) => ({ ...grant, verbs: grant.verbs.filter((verb) => READS_ONLY.has(verb)) }))
    .filter(({ verbs }) => verbs.length > 0);
}

/** Rules by the namespace of their role; those of the ClusterRole have none. */
type ScopedRules = Map<string | undefined, RuleSet>;

/** @param made the namespaces that may not exist yet */
function rulesByScope(grants: readonly PlacedGrant[], made: ReadonlySet<string>): ScopedRules {
  const rules: ScopedRules = new Map();
  // a Role cannot be written into a namespace that does not exist yet: permissions for those are in
  // the ClusterRole, by name
  const isLaterRole = ({ namespace }: PlacedGrant): boolean =>
    namespace !== undefined && made.has(namespace);
  for (const grant of grants) {
    addGrant(rules, isLaterRole(grant) ? undefined : grant.namespace, grant);
  }
  return rules;
}

function addGrants(rules: ScopedRules, grants: readonly PlacedGrant[]): void {
  for (const grant of grants) {
    addGrant(rules, grant.namespace, grant);
  }
}

function addGrant(rules: ScopedRules, scope: string | undefined, grant: PlacedGrant): void {
  remembered(rules, scope, () => new RuleSet()).add(grant);
}

/**
 * The identity with which `adopt` reads a cluster: it lists the kinds, and may do nothing else.
 * Kinds that a cluster lacks do no harm.
 */
export function adoptRbac(
  kinds: readonly Pick<PlacedGrant, 'apiVersion' | 'kind'>[],
  { app, namespace = OWN_NAMESPACE }: Pick<RbacOptions, 'app' | 'namespace'>,
): Manifest[] {
  const rules = new RuleSet();
  for (const { apiVersion, kind } of kinds) {
    rules.add({ apiVersion, kind, verbs: ['list'] });
  }
  return manifestsOf(
    { kind: 'ServiceAccount', name: `${app.parent.name}${ADOPTER}`, namespace },
    new Map([[undefined, rules]]),
  );
}

/** The identity of a target, as the subject of a binding. */
interface Identity {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

function manifestsOf(
  identity: Identity,
  rules: ReadonlyMap<string | undefined, RuleSet>,
): Manifest[] {
  const scopes = [...rules].sort(([a], [b]) => compare(a ?? '', b ?? ''));
  const { name, namespace } = identity;
  const subjects = [identity];
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } },
    ...scopes.flatMap(([scope, set]): Manifest[] => {
      const [role, binding] =
        scope === undefined ? ['ClusterRole', 'ClusterRoleBinding'] : ['Role', 'RoleBinding'];
      const metadata = { name, ...(scope === undefined ? {} : { namespace: scope }) };
      const granted: readonly GrantRule[] = set.rules;
      return [
        { apiVersion: API_VERSIONS.RBAC, kind: role, metadata, rules: granted },
        {
          apiVersion: API_VERSIONS.RBAC,
          kind: binding,
          metadata,
          roleRef: { apiGroup: GROUPS.RBAC, kind: role, name },
          subjects,
        },
      ];
    }),
  ];
}

/** The permissions to read what `doctor` looks at. */
function doctorGrants(target: AssemblyTarget, ids: readonly string[]): PlacedGrant[] {
  const lists = READS.filter(({ on }) => on.includes(target.kind)).map(
    ({ apiVersion, kind, namespace }): PlacedGrant => ({
      apiVersion: typeof apiVersion === 'string' ? apiVersion : apiVersion(target.kind),
      kind,
      verbs: ['list'],
      ...(namespace === undefined ? {} : { namespace }),
    }),
  );
  const tokens =
    target.kind === 'rancher'
      ? ids.map((namespace): PlacedGrant => ({
          apiVersion: 'v1',
          kind: 'Secret',
          namespace,
          verbs: ['list'],
        }))
      : [];
  return [...lists, ...tokens];
}

/**
 * What lets an identity grant the roles of Kubernetes that the program grants: it has their
 * permissions itself, where the program grants them. A role that the program declares is not there
 * before the first apply, so the identity gets the same permissions by a role of its own.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#privilege-escalation-prevention-and-bootstrapping
 */
function grantedRoles(
  identity: Identity,
  objects: readonly AssemblyObject[],
  manifests: ReadonlyMap<string, Manifest>,
): Manifest[] {
  const ofKubernetes = objects.filter(isOfKubernetes);
  const own = new Set(
    ofKubernetes.map(({ kind, namespace = '', name }) => `${kind} ${namespace} ${name}`),
  );
  const found = new Map<string, Manifest>();
  for (const object of ofKubernetes) {
    const manifest = manifests.get(object.id);
    if (!manifest || isLate(object.name) || isLate(object.namespace)) {
      continue;
    }
    for (const grant of grantsOf(identity, object, manifest, own)) {
      const { namespace = '', name } = grant.metadata;
      found.set(`${grant.kind} ${namespace} ${name}`, grant);
    }
  }
  return [...found].sort(([a], [b]) => compare(a, b)).map(([, manifest]) => manifest);
}

function isOfKubernetes({ apiVersion }: Pick<AssemblyObject, 'apiVersion'>): boolean {
  return groupOf(apiVersion) === GROUPS.RBAC;
}

/**
 * What lets an identity write a role, or a binding of a role that the program does not declare.
 *
 * @param own the kinds, namespaces, and names of the roles that the program declares
 */
function grantsOf(
  identity: Identity,
  { kind, namespace, name }: AssemblyObject,
  manifest: Manifest,
  own: ReadonlySet<string>,
): Manifest[] {
  if (kind === 'Role' || kind === 'ClusterRole') {
    const metadata = grantMetadata(identity, namespace, name);
    const role = { apiVersion: API_VERSIONS.RBAC, kind, metadata, rules: manifest.rules ?? [] };
    return [role, bindingOf(identity, { kind, name: metadata.name }, namespace, name)];
  }
  if (!kind.endsWith('Binding')) {
    return [];
  }
  const roleKind = valueAt(manifest, 'roleRef', 'kind');
  const roleName = valueAt(manifest, 'roleRef', 'name');
  if (typeof roleKind !== 'string' || typeof roleName !== 'string' || isLate(roleName)) {
    return [];
  }
  const roleNamespace = roleKind === 'Role' ? (namespace ?? '') : '';
  return own.has(`${roleKind} ${roleNamespace} ${roleName}`)
    ? []
    : [bindingOf(identity, { kind: roleKind, name: roleName }, namespace, roleName)];
}

/** @param role the role that the identity gets @param suffix the end of the name of the binding */
function bindingOf(
  identity: Identity,
  role: { readonly kind: string; readonly name: string },
  namespace: string | undefined,
  suffix: string,
): Manifest {
  return {
    apiVersion: API_VERSIONS.RBAC,
    kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: grantMetadata(identity, namespace, suffix),
    roleRef: { apiGroup: GROUPS.RBAC, ...role },
    subjects: [identity],
  };
}

function grantMetadata(
  identity: Identity,
  namespace: string | undefined,
  suffix: string,
): Manifest['metadata'] {
  const name = `${identity.name}-grants-${suffix}`;
  return { name, ...(namespace === undefined ? {} : { namespace }) };
}

/** What notes about an identity depend on, besides the objects. */
interface NotedIdentity {
  /** The namespaces that Rancher creates and `doctor` reads in. @default - it reads in none */
  readonly created?: string;
  readonly readOnly: boolean;
  readonly bindings: number;
  /** The kinds of the objects that are looked up by a field. */
  readonly lookedUp: readonly string[];
}

function notesOf(
  objects: readonly AssemblyObject[],
  manifests: ReadonlyMap<string, Manifest>,
  made: ReadonlySet<string>,
  { created, readOnly, bindings, lookedUp: kinds }: NotedIdentity,
): string[] {
  const notes: string[] = [];
  if (readOnly) {
    notes.push(
      'this identity only reads: plan needs --no-dry-run. It reads the Secrets of the program by name',
    );
  }
  if (bindings > 0) {
    notes.push(
      'the objects with -grants- in their names give this identity the roles that the program grants: servers refuse to grant what an identity does not ' +
        'have. If a namespace does not exist yet, apply this file again once it does',
    );
  }
  const roles = readOnly ? [] : rolesOfRancher(objects, manifests);
  if (roles.length > 0) {
    notes.push(
      `the program grants roles of Rancher (${roles.join(', ')}), which a ServiceAccount cannot have: have an administrator apply those objects`,
    );
  }
  if (objects.some(({ namespace }) => namespace !== undefined && made.has(namespace))) {
    notes.push(
      'namespaces that the program or Rancher creates do not exist yet: objects in them are allowed by name in every namespace',
    );
  }
  const late = objects.filter(hasLateName);
  if (late.length > 0) {
    notes.push(
      `the names of ${late.length} objects are known only during apply: their kinds are allowed without names`,
    );
  }
  if (kinds.length > 0) {
    notes.push(
      `the program looks up objects by a field, e.g. by their display names: it may list all objects of the kinds ${kinds.join(', ')}, ` +
        'since a role cannot restrict list by a field',
    );
  }
  if (created !== undefined) {
    notes.push(
      `doctor reads in namespaces that Rancher creates (${created}): if one does not exist yet, apply this file again once it does`,
    );
  }
  return notes;
}

/** The roles of Rancher that a program grants. */
function rolesOfRancher(
  objects: readonly AssemblyObject[],
  manifests: ReadonlyMap<string, Manifest>,
): string[] {
  const giving = objects.filter(
    (object) => kindOf<KindAccess>(object)?.access !== undefined && !isOfKubernetes(object),
  );
  const roles = giving.flatMap(({ id, kind, name }) => roleOf(manifests.get(id), kind, name));
  return [...new Set(roles)].sort(compare);
}

/** The kinds on a target that a program looks up objects of. */
function lookedUp(lateValues: readonly AssemblyLateValue[], target: string): string[] {
  const kinds = lateValues.flatMap(({ source }) =>
    'target' in source && source.target === target && source.resolver === MATCHED_FIELD
      ? [source.kind]
      : [],
  );
  return [...new Set(kinds)].sort(compare);
}

/** The role that a binding gives, or that an object is. */
function roleOf(manifest: Manifest | undefined, kind: string, name: string): string[] {
  const ref =
    valueAt(manifest, 'roleRef', 'name') ??
    valueAt(manifest, 'roleTemplateName') ??
    valueAt(manifest, 'globalRoleName');
  const role = kind.endsWith('Binding') ? ref : name;
  return [typeof role === 'string' && !isLate(role) ? role : `that of ${kind} ${name}`];
}
