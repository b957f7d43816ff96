import { ApplyGraph, EdgeKind, GoneEdge, GraphEdge } from './graph';
import { GraphDraft } from './graph-draft';
import { ObjectIndex, isManagement } from './object-index';
import { KindReferences } from '../../core/kind/description/references';
import { KindRefusals, LookedAt } from '../../core/kind/description/refusals';
import { kindOf, rankOf } from '../../core/kind/kinds';
import {
  ANNOTATION_SERVICE_ACCOUNT,
  peersIn,
  referencesIn,
  refersToNothing,
} from '../../core/kind/references';
import { lateIdsIn } from '../../core/late/late-text';
import {
  groupOf,
  isRecord,
  kindKey,
  Manifest,
  nameOnly,
  valueAt,
  itemsAt,
} from '../../core/manifest/manifest';
import { GROUPS, ANNOTATION_PROJECT_ID } from '../../core/manifest/names';
import {
  Assembly,
  AssemblyEdge,
  AssemblyLateValue,
  AssemblyObject,
} from '../../core/output/assembly';
import { lateNode } from '../../core/output/implied-edges';
import { textOrEmpty } from '../../core/text/plain-text';
import { grouped } from '../../core/text/values';

/** An edge that follows from the objects themselves. */
type ImpliedEdge = Required<GraphEdge> & { readonly from: string };

/**
 * NEEDED: a server refuses the object alone; EXPECTED: it accepts it with errors; REFERRED: it
 * recovers once both exist.
 */
export const WEIGHT = { NEEDED: 3, EXPECTED: 2, REFERRED: 1 } as const;

/** A dependency of an object. */
interface Wait {
  readonly to: string | undefined;
  readonly weight: number;
  readonly kind?: EdgeKind;
}

/**
 * The implied order: a Namespace before its objects, a definition before its objects, a role before
 * its bindings, referenced objects before those that refer to them.
 */
export function* impliedEdges(
  assembly: Assembly,
  manifests: ReadonlyMap<string, Manifest>,
): Iterable<ImpliedEdge> {
  const index = new ObjectIndex(assembly, manifests);
  const definitions = definitionsOf(assembly, manifests);
  const lookedAt = new LookedAtObjects(assembly.objects, manifests);
  const ranchers = assembly.targets
    .filter(({ kind }) => kind === 'rancher')
    .map(({ name }) => name);
  for (const object of assembly.objects) {
    const manifest = manifests.get(object.id);
    if (!manifest) {
      continue;
    }
    const waits: Wait[] = [
      ...surroundings(object, index),
      {
        to: definitions.get(`${object.target} ${kindKey(groupOf(object.apiVersion), object.kind)}`),
        weight: WEIGHT.NEEDED,
        kind: 'ready',
      },
      ...rbac(object, manifest, index),
      ...tenancy(object, manifest, index, ranchers),
      ...lookedAt.of(object, manifest).map((to): Wait => ({ to, weight: WEIGHT.EXPECTED })),
      ...(refersToNothing(object) ? [] : referencesOf(object, manifest, index)),
    ];
    for (const { to, weight, kind = 'applied' } of waits) {
      if (to !== undefined && to !== object.id) {
        yield { from: object.id, to, kind: index.isSource(to) ? 'ready' : kind, weight };
      }
    }
  }
}

function definitionsOf(
  { objects }: Assembly,
  manifests: ReadonlyMap<string, Manifest>,
): ReadonlyMap<string, string> {
  const definitions = new Map<string, string>();
  for (const { id, target, kind } of objects) {
    if (kind !== 'CustomResourceDefinition') {
      continue;
    }
    const manifest = manifests.get(id);
    definitions.set(
      `${target} ${kindKey(String(valueAt(manifest, 'spec', 'group')), String(valueAt(manifest, 'spec', 'names', 'kind')))}`,
      id,
    );
  }
  return definitions;
}

/**
 * The Namespace of an object, or the object for which Rancher creates it: a Project for its
 * bindings, a FleetWorkspace for its GitRepos, a Cluster for its projects.
 * @see rancher/rancher:pkg/controllers/provisioningv2/fleetworkspace/controller.go OnChange
 */
function* surroundings(
  { target, namespace, apiVersion }: AssemblyObject,
  index: ObjectIndex,
): Iterable<Wait> {
  if (namespace === undefined) {
    return;
  }
  const own = index.find(target, '', 'Namespace', namespace);
  yield { to: own, weight: WEIGHT.NEEDED };
  if (own === undefined) {
    yield { to: index.projectOfNamespace(target, namespace), weight: WEIGHT.NEEDED };
    yield {
      to: index.find(target, GROUPS.MANAGEMENT, 'FleetWorkspace', namespace),
      weight: WEIGHT.NEEDED,
    };
  }
  // Rancher's webhook looks up the cluster of tenants and tokens; Secrets may come before it
  if (own === undefined || groupOf(apiVersion) === GROUPS.MANAGEMENT) {
    yield { to: index.cluster(target, namespace), weight: WEIGHT.EXPECTED };
  }
}

function* rbac(
  { target, namespace, kind, apiVersion }: AssemblyObject,
  manifest: Manifest,
  index: ObjectIndex,
): Iterable<Wait> {
  if (kind === 'Secret') {
    const account = valueAt(manifest, 'metadata', 'annotations', ANNOTATION_SERVICE_ACCOUNT);
    // without the account the server removes the Secret again
    if (typeof account === 'string') {
      yield {
        to: index.find(target, '', 'ServiceAccount', account, namespace),
        weight: WEIGHT.NEEDED,
      };
    }
  }
  if (groupOf(apiVersion) !== GROUPS.RBAC || !isRecord(manifest.roleRef)) {
    return;
  }
  const { kind: role, name } = manifest.roleRef;
  if (typeof role === 'string' && typeof name === 'string') {
    yield {
      to: index.find(target, GROUPS.RBAC, role, name, role === 'Role' ? namespace : undefined),
      weight: WEIGHT.EXPECTED,
    };
  }
  for (const subject of itemsAt(manifest.subjects)) {
    if (
      isRecord(subject) &&
      subject.kind === 'ServiceAccount' &&
      typeof subject.name === 'string'
    ) {
      const where = typeof subject.namespace === 'string' ? subject.namespace : namespace;
      yield {
        to: index.find(target, '', 'ServiceAccount', subject.name, where),
        weight: WEIGHT.REFERRED,
      };
    }
  }
}

function* tenancy(
  object: AssemblyObject,
  manifest: Manifest,
  index: ObjectIndex,
  ranchers: readonly string[],
): Iterable<Wait> {
  const { target } = object;
  const text = (field: string): string => textOrEmpty(manifest[field]);
  if (object.kind === 'Namespace') {
    const project = valueAt(manifest, 'metadata', 'annotations', ANNOTATION_PROJECT_ID);
    // a namespace of a missing project is accepted silently, without members
    if (typeof project === 'string') {
      yield* ranchers.map((rancher): Wait => ({
        to: index.project(rancher, project),
        weight: WEIGHT.EXPECTED,
      }));
    }
  }
  if (groupOf(object.apiVersion) !== GROUPS.MANAGEMENT) {
    return;
  }
  for (const { group, kind, name } of peersIn(manifest)) {
    yield { to: index.find(target, group, kind, name), weight: WEIGHT.EXPECTED };
  }
  yield { to: index.project(target, text('projectName')), weight: WEIGHT.NEEDED };
  yield { to: index.cluster(target, text('clusterName')), weight: WEIGHT.EXPECTED };
  if (isManagement(object, 'Project', 'ClusterRegistrationToken', 'NodePool')) {
    yield {
      to: index.cluster(target, String(valueAt(manifest, 'spec', 'clusterName'))),
      weight: WEIGHT.EXPECTED,
    };
  }
}

function* referencesOf(
  { target, namespace }: AssemblyObject,
  manifest: Manifest,
  index: ObjectIndex,
): Iterable<Wait> {
  for (const { group, kind, name, namespaces } of referencesIn(manifest)) {
    // a reference without namespace means the same namespace, or a cluster-scoped kind
    const places = namespaces ?? [namespace, undefined];
    yield {
      to: places
        .map((place) => index.find(target, group, kind, name, place))
        .find((id) => id !== undefined),
      weight: WEIGHT.REFERRED,
    };
  }
}

/** The manifests of an assembly by object ID: from files, or templates with placeholders. */
export type Manifests = ReadonlyMap<string, Manifest>;

/**
 * The graph of all objects and late values of an assembly. Linear: an edge between two groups
 * passes one node for each.
 *
 * Throws if nodes wait for each other. Late values without dependents become groups: they keep the
 * order, but are not resolved.
 */
export function buildGraph(assembly: Assembly, manifests: Manifests): ApplyGraph {
  const draft = new GraphDraft();
  for (const object of assembly.objects) {
    draft.add({ id: object.id, target: object.target, object, rank: rankOf(nameOnly(object)) });
  }
  const needed = neededValues(assembly, manifests);
  for (const late of assembly.lateValues) {
    const target = 'target' in late.source ? late.source.target : '';
    draft.add({ id: lateNode(late.id), target, rank: 0, ...(needed.has(late.id) ? { late } : {}) });
  }
  const ends = new Ends(assembly, draft);
  for (const edge of assembly.edges) {
    // `gone` edges matter only for deletion
    if (edge.type !== 'gone') {
      draft.after(ends.waiting(edge), ends.awaited(edge), ends.kindOf(edge.to, edge.type));
    }
  }
  for (const { from, to, kind, weight } of impliedEdges(assembly, manifests)) {
    draft.implied(from, to, kind, weight);
  }
  return {
    ...draft.sorted(),
    whenGone: assembly.edges
      .filter(({ type }) => type === 'gone')
      .map((edge) => ends.members(edge)),
  };
}

/** The late values in templates, with those that they depend on. */
function neededValues(
  { objects, lateValues }: Assembly,
  manifests: Manifests,
): ReadonlySet<string> {
  const byId = new Map<string, AssemblyLateValue>(lateValues.map((late) => [late.id, late]));
  const needed = new Set<string>();
  const missing = (id: string, by: string): Error =>
    new Error(
      `assembly: ${by} waits for the late value "${id}", which is missing. Fix: synthesize again`,
    );
  for (const { id, template, construct } of objects) {
    for (const late of template ? lateIdsIn(manifests.get(id) ?? template) : []) {
      if (!byId.has(late)) {
        throw missing(late, construct);
      }
      needed.add(late);
    }
  }
  for (const id of needed) {
    for (const inner of lateIdsIn(byId.get(id)!.source)) {
      if (!byId.has(inner)) {
        throw missing(inner, byId.get(id)!.construct);
      }
      needed.add(inner);
    }
  }
  return needed;
}

/**
 * Maps the ends of edges to nodes: a group has one node before its objects, and one after them for
 * each kind of waiting.
 */
class Ends {
  private readonly groups: ReadonlyMap<string, readonly string[]>;
  private readonly made = new Set<string>();
  /** IDs of the objects from which controllers make others. */
  private readonly sources: ReadonlySet<string>;

  constructor(
    assembly: Assembly,
    private readonly draft: GraphDraft,
  ) {
    this.sources = new Set(
      assembly.objects
        .filter((object) => kindOf<KindReferences>(object)?.makes)
        .map(({ id }) => id),
    );
    this.groups = new Map(assembly.groups.map(({ id, objects }) => [id, objects]));
  }

  public waiting({ from }: AssemblyEdge): string {
    const members = this.groups.get(from);
    if (!members) {
      return this.known(from);
    }
    return this.group(`${from} begins`, (id) => {
      for (const member of members) {
        this.draft.after(this.known(member), id, 'applied');
      }
    });
  }

  public awaited({ to, type }: AssemblyEdge): string {
    const members = this.groups.get(to);
    if (!members) {
      return this.known(to);
    }
    return this.group(`${to} ${type}`, (id) => {
      for (const member of members) {
        this.draft.after(id, this.known(member), this.kindOf(member, type));
      }
    });
  }

  /**
   * What is waited for: what a controller makes from an object is there when the object is ready.
   */
  public kindOf(to: string, type: AssemblyEdge['type']): EdgeKind {
    return type === 'applied' && this.sources.has(to) ? 'ready' : type;
  }

  public members({ from, to }: AssemblyEdge): GoneEdge {
    const all = (end: string): readonly string[] => this.groups.get(end) ?? [this.known(end)];
    return { from: all(from), to: all(to) };
  }

  private group(name: string, fill: (id: string) => void): string {
    const id = this.draft.addGroup(name);
    if (!this.made.has(id)) {
      this.made.add(id);
      fill(id);
    }
    return id;
  }

  private known(id: string): string {
    if (!this.draft.has(id)) {
      throw new Error(
        `assembly: an edge must name an object, a late value or a group, got "${id}". Fix: synthesize again`,
      );
    }
    return id;
  }
}

/** Finds the objects that a webhook looks up for an object which does not name them. */
class LookedAtObjects {
  private readonly byKind: ReadonlyMap<string, AssemblyObject[]>;

  constructor(
    objects: readonly AssemblyObject[],
    private readonly manifests: ReadonlyMap<string, Manifest>,
  ) {
    this.byKind = grouped(
      objects,
      ({ target, apiVersion, kind }) => `${target} ${kindKey(groupOf(apiVersion), kind)}`,
    );
  }

  /** The IDs of these objects. */
  public of({ target }: AssemblyObject, manifest: Manifest): string[] {
    const looksAt = kindOf<KindRefusals>(manifest)?.looksAt;
    const value = looksAt?.own(manifest);
    return looksAt === undefined || value === undefined ? [] : this.with(target, looksAt, value);
  }

  private with(target: string, { group, kind, other }: LookedAt, value: string): string[] {
    const candidates = this.byKind.get(`${target} ${kindKey(group, kind)}`) ?? [];
    return candidates
      .filter(({ id }) => other(this.manifests.get(id)!) === value)
      .map(({ id }) => id);
  }
}
