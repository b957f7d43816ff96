import { EdgeKind } from './graph';
import { isManagement, ObjectIndex } from './object-index';
import { Assembly, AssemblyObject } from '../../model/assembly';
import { groupOf, isRecord, kindKey, Manifest, valueAt } from '../../model/manifest';
import { GROUPS } from '../../model/names';
import { ANNOTATION_SERVICE_ACCOUNT, LOCAL_PRINCIPAL, NO_REFERENCES, RANCHER_FIELDS } from '../../model/references';
import { referencesIn } from '../../model/references-in';
import { ANNOTATION_PROJECT_ID } from '../../model/tenancy/names';

/** An edge that nobody wrote down. */
export interface ImpliedEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: EdgeKind;
  /** What matters least is given up first. */
  readonly weight: number;
}

/** A server refuses the one without the other; it takes it and complains; it mends itself once both are there. */
const WEIGHT = { NEEDED: 3, EXPECTED: 2, REFERRED: 1 } as const;

const RBAC = 'rbac.authorization.k8s.io';

/** How one object waits for another. */
interface Wait {
  readonly to: string | undefined;
  readonly weight: number;
  readonly kind?: EdgeKind;
}

/**
 * The order that goes without saying: a Namespace before what lies in it, a definition before its objects, a role before its bindings, what is
 * referred to before who refers.
 */
export function* impliedEdges(assembly: Assembly, manifests: ReadonlyMap<string, Manifest>): Iterable<ImpliedEdge> {
  const index = new ObjectIndex(assembly, manifests);
  const definitions = definitionsOf(assembly, manifests);
  const ranchers = assembly.targets.filter(({ kind }) => kind === 'rancher').map(({ name }) => name);
  for (const object of assembly.objects) {
    const manifest = manifests.get(object.id);
    if (!manifest) { continue; }
    const waits: Wait[] = [
      ...surroundings(object, index),
      { to: definitions.get(`${object.target} ${kindKey(groupOf(object.apiVersion), object.kind)}`), weight: WEIGHT.NEEDED, kind: 'ready' },
      ...rbac(object, manifest, index),
      ...tenancy(object, manifest, index, ranchers),
      ...(NO_REFERENCES.has(kindKey(groupOf(object.apiVersion), object.kind)) ? [] : referencesOf(object, manifest, index)),
    ];
    for (const { to, weight, kind = 'applied' } of waits) {
      if (to !== undefined && to !== object.id) { yield { from: object.id, to, kind, weight }; }
    }
  }
}

function definitionsOf({ objects }: Assembly, manifests: ReadonlyMap<string, Manifest>): ReadonlyMap<string, string> {
  const definitions = new Map<string, string>();
  for (const { id, target, kind } of objects) {
    if (kind !== 'CustomResourceDefinition') { continue; }
    const manifest = manifests.get(id);
    definitions.set(`${target} ${kindKey(String(valueAt(manifest, 'spec', 'group')), String(valueAt(manifest, 'spec', 'names', 'kind')))}`, id);
  }
  return definitions;
}

/** The Namespace that an object lies in, or what makes it: a Project makes one for its bindings, a Cluster one for its projects. */
function* surroundings({ target, namespace, apiVersion }: AssemblyObject, index: ObjectIndex): Iterable<Wait> {
  if (namespace === undefined) { return; }
  const own = index.find(target, '', 'Namespace', namespace);
  yield { to: own, weight: WEIGHT.NEEDED };
  if (own === undefined) { yield { to: index.projectOfNamespace(target, namespace), weight: WEIGHT.NEEDED }; }
  // Rancher's webhook looks for the cluster that tenants and tokens are of; Secrets may come before it
  if (own === undefined || groupOf(apiVersion) === GROUPS.MANAGEMENT) { yield { to: index.cluster(target, namespace), weight: WEIGHT.EXPECTED }; }
}

function* rbac({ target, namespace, kind, apiVersion }: AssemblyObject, manifest: Manifest, index: ObjectIndex): Iterable<Wait> {
  if (kind === 'Secret') {
    const account = valueAt(manifest, 'metadata', 'annotations', ANNOTATION_SERVICE_ACCOUNT);
    // without the account the server removes the Secret again
    if (typeof account === 'string') { yield { to: index.find(target, '', 'ServiceAccount', account, namespace), weight: WEIGHT.NEEDED }; }
  }
  if (groupOf(apiVersion) !== RBAC || !isRecord(manifest.roleRef)) { return; }
  const { kind: role, name } = manifest.roleRef;
  if (typeof role === 'string' && typeof name === 'string') {
    yield { to: index.find(target, RBAC, role, name, role === 'Role' ? namespace : undefined), weight: WEIGHT.EXPECTED };
  }
  for (const subject of Array.isArray(manifest.subjects) ? manifest.subjects : []) {
    if (isRecord(subject) && subject.kind === 'ServiceAccount' && typeof subject.name === 'string') {
      const where = typeof subject.namespace === 'string' ? subject.namespace : namespace;
      yield { to: index.find(target, '', 'ServiceAccount', subject.name, where), weight: WEIGHT.REFERRED };
    }
  }
}

function* tenancy(object: AssemblyObject, manifest: Manifest, index: ObjectIndex, ranchers: readonly string[]): Iterable<Wait> {
  const { target } = object;
  const text = (field: string): string => (typeof manifest[field] === 'string' ? manifest[field] : '');
  if (object.kind === 'Namespace') {
    const project = valueAt(manifest, 'metadata', 'annotations', ANNOTATION_PROJECT_ID);
    // of a project that is not there a namespace is taken without a word, and has no members
    if (typeof project === 'string') { yield* ranchers.map((rancher): Wait => ({ to: index.project(rancher, project), weight: WEIGHT.EXPECTED })); }
  }
  if (groupOf(object.apiVersion) !== GROUPS.MANAGEMENT) { return; }
  for (const [field, kind] of RANCHER_FIELDS) {
    for (const name of [manifest[field]].flat()) {
      if (typeof name === 'string') { yield { to: index.find(target, GROUPS.MANAGEMENT, kind, name), weight: WEIGHT.EXPECTED }; }
    }
  }
  if (text('userPrincipalName').startsWith(LOCAL_PRINCIPAL)) {
    yield { to: index.find(target, GROUPS.MANAGEMENT, 'User', text('userPrincipalName').slice(LOCAL_PRINCIPAL.length)), weight: WEIGHT.EXPECTED };
  }
  yield { to: index.project(target, text('projectName')), weight: WEIGHT.NEEDED };
  yield { to: index.cluster(target, text('clusterName')), weight: WEIGHT.EXPECTED };
  if (isManagement(object, 'Project', 'ClusterRegistrationToken', 'NodePool')) {
    yield { to: index.cluster(target, String(valueAt(manifest, 'spec', 'clusterName'))), weight: WEIGHT.EXPECTED };
  }
}

function* referencesOf({ target, namespace }: AssemblyObject, manifest: Manifest, index: ObjectIndex): Iterable<Wait> {
  for (const { group, kind, name, namespaces } of referencesIn(manifest)) {
    // who names no namespace means its own, or a kind that lies in none
    const places = namespaces ?? [namespace, undefined];
    yield { to: places.map((place) => index.find(target, group, kind, name, place)).find((id) => id !== undefined), weight: WEIGHT.REFERRED };
  }
}
