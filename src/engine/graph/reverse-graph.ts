import { IsOwn, peoplesAccess } from './access-first';
import { buildGraph, Manifests } from './build-graph';
import { ApplyGraph, EdgeKind, GraphNode } from './graph';
import { GraphDraft } from './graph-draft';
import { isManagement, isProvisioningCluster, isRegistration, ObjectIndex } from './object-index';
import { inverted, reach } from '../../core/graph/reach';
import { KindReferences } from '../../core/kind/description/references';
import { KindRemoval } from '../../core/kind/description/removal';
import { kindOf } from '../../core/kind/kinds';
import { lateIdsIn } from '../../core/late/late-text';
import { groupOf, isRecord, valueAt } from '../../core/manifest/manifest';
import {
  LOCAL_CLUSTER,
  GROUP_LOAD_BALANCER,
  ANNOTATION_PROJECT_ID,
} from '../../core/manifest/names';
import { Assembly, AssemblyObject } from '../../core/output/assembly';
import { isSecretObject } from '../../core/secret/secret-fields';
import { KIND_LOAD_BALANCER } from '../../harvester/load-balancer/load-balancer.kind';
import { ANNOTATION_MANAGEMENT_CLUSTER_NAME } from '../../rancher/cluster/cluster.facts';
import { GLOBAL_DATA } from '../../rancher/credential/secret.kind';
import { TOKEN_SECRET_PREFIX } from '../../rancher/import/registration-token.kind';

/** An import, and the IDs of what keeps its Harvester connected. */
interface Registration {
  readonly cluster: string;
  /** What needs the connection to be deleted: projects, members, namespaces of tenants. */
  readonly tenants: readonly string[];
  /** Registration tokens: agents use them for every connection. */
  readonly tokens: readonly string[];
  readonly settings: readonly string[];
}

/** Which of two nodes yields if another order between them is declared. */
type GivesWay = 'later' | 'earlier';

/**
 * The order of deletion beyond the reverse order of the apply:
 *
 * 1. Objects in guest clusters, and load balancers, before the guest clusters: their controllers
 *    delete them.
 * 2. Guest clusters before all that Rancher needs to delete their machines: credentials, machine
 *    configs, networks, images, namespaces.
 * 3. Members, namespaces of tenants and projects before the import, since their finalizers need its
 *    connection (harvester#8321, rancher#36450: they hang
 *    indefinitely).
 * 4. The registration Setting after everything else on the Harvester, and before the import Cluster
 *    and its tokens.
 *
 * Access of people waits for no guest cluster: it ends first, whatever hangs.
 *
 * A node that is only later, and does not need the other to be deleted, does not wait indefinitely:
 * the other one must only have been tried.
 */
function destroyFacts(
  draft: GraphDraft,
  graph: ApplyGraph,
  assembly: Assembly,
  manifests: Manifests,
  access: ReadonlySet<string>,
): void {
  const facts = new Facts(draft, graph, assembly, manifests, access);
  facts.guests();
  facts.imports();
}

class Facts {
  private readonly nodes: readonly (GraphNode & { readonly object: AssemblyObject })[];
  private readonly guestTargets: ReadonlyMap<string, string | undefined>;
  private readonly index: ObjectIndex;
  /** The namespaces of late values: a registration URL is in the namespace of its cluster. */
  private readonly lateNamespaces: ReadonlyMap<string, string | undefined>;

  constructor(
    private readonly draft: GraphDraft,
    private readonly graph: ApplyGraph,
    private readonly assembly: Assembly,
    private readonly manifests: Manifests,
    /** The objects that end first. */
    private readonly access: ReadonlySet<string> = new Set(),
  ) {
    this.nodes = [...graph.nodes.values()].filter(
      (node): node is GraphNode & { object: AssemblyObject } => node.object !== undefined,
    );
    this.guestTargets = new Map(
      assembly.targets
        .filter(({ kind }) => kind === 'guest')
        .map(({ name, properties }) => [name, properties.provisioningCluster]),
    );
    this.index = new ObjectIndex(assembly, manifests);
    this.lateNamespaces = new Map(
      assembly.lateValues.map(({ id, source }) => [
        id,
        'namespace' in source ? source.namespace : undefined,
      ]),
    );
  }

  public guests(): void {
    const guests = this.ids((object) => isGuest(object, this.manifests));
    if (guests.length === 0) {
      return;
    }
    const balancers = this.ids(isLoadBalancer);
    this.before(balancers, guests, 'earlier', 'load balancers');
    for (const { id, object } of this.nodes.filter((node) => guests.includes(node.id))) {
      this.before(
        this.ids(({ target }) => this.isOn(target, object)),
        [id],
        'earlier',
        `what runs in ${id}`,
      );
    }
    const apart = new Set([
      ...balancers,
      ...guests,
      ...this.access,
      ...this.ids(({ target }) => this.guestTargets.has(target)),
    ]);
    const rest = this.nodes.filter(({ id }) => !apart.has(id));
    // a guest and the parts that it names get their own edges; RKE1 clusters name theirs by node
    // templates
    const isNamed = this.nodes.every(
      ({ id, object }) => !guests.includes(id) || isProvisioningCluster(object),
    );
    const isNeeded = (object: AssemblyObject): boolean =>
      !kindOf<KindRemoval>(object)?.machinesGoWithout?.(object.name) &&
      !(isNamed && isPart(object));
    const [needed, others] = parted(rest, ({ object }) => isNeeded(object));
    this.before(guests, needed, 'later', 'guest clusters');
    this.before(guests, others, 'later', 'guest clusters tried', 'ended');
    for (const guest of guests) {
      const named = this.namedBy(guest);
      this.before(
        [guest],
        others.filter((id) => named.has(id)),
        'later',
        `parts of ${guest}`,
      );
    }
  }

  public imports(): void {
    for (const { cluster, tenants, tokens, settings } of this.registrations()) {
      const harvesters = new Set(
        this.nodes.filter(({ id }) => settings.includes(id)).map(({ target }) => target),
      );
      const rest = this.nodes.filter(
        ({ id, object }) =>
          (harvesters.has(object.target) || isCredential(object)) && !settings.includes(id),
      );
      const [connected, others] = parted(rest, ({ object }) => needsConnection(object));
      this.before([...tenants, ...connected], settings, 'earlier', `what needs ${cluster}`);
      this.before(others, settings, 'earlier', `what is on ${cluster}`, 'ended');
      this.before(settings, tokens, 'later', `registration of ${cluster}`);
      this.before(
        [...tenants, ...tokens, ...settings],
        [cluster],
        'earlier',
        `parts of ${cluster}`,
      );
    }
  }

  /** What connects the Harvester of each import. */
  public registrations(): Registration[] {
    const isImport = (object: AssemblyObject): boolean =>
      (isProvisioningCluster(object) || isManagement(object, 'Cluster')) &&
      !isGuest(object, this.manifests) &&
      object.name !== LOCAL_CLUSTER;
    return this.nodes
      .filter(({ object }) => isImport(object))
      .map(({ id: cluster, target }): Registration => {
        // at most one, or the placeholders of late values
        const ids = this.index
          .managementIds(target)
          .filter((each) => each.cluster === cluster)
          .map(({ managementId }) => managementId);
        return {
          cluster,
          tenants: this.ids((object) => ids.includes(this.clusterOfTenant(object) ?? '')),
          tokens: this.ids((object) => ids.includes(object.namespace ?? '') && isToken(object)),
          settings: this.ids((object) => this.registers(object, ids)),
        };
      });
  }

  /**
   * All `later` wait until all `earlier` are deleted, unless another order between two of them is
   * declared.
   */
  private before(
    earlier: readonly string[],
    later: readonly string[],
    givesWay: GivesWay,
    name: string,
    kind: Extract<EdgeKind, 'gone' | 'ended'> = 'gone',
  ): void {
    const first = givesWay === 'earlier' ? without(earlier, this.draft.waitingFor(later)) : earlier;
    const then = givesWay === 'later' ? without(later, this.draft.awaitedBy(earlier)) : later;
    if (first.length === 0 || then.length === 0) {
      return;
    }
    const group = this.draft.addGroup(name);
    for (const id of first) {
      this.draft.after(group, id, kind);
    }
    for (const id of then) {
      this.draft.after(id, group, 'gone');
    }
  }

  /** All dependencies of an object in the apply, direct or indirect. */
  private namedBy(id: string): ReadonlySet<string> {
    const named = new Set([id]);
    for (const each of named) {
      for (const { to } of this.graph.nodes.get(each)?.after ?? []) {
        named.add(to);
      }
    }
    return named;
  }

  private ids(matches: (object: AssemblyObject) => boolean): string[] {
    return this.nodes.filter(({ object }) => matches(object)).map(({ id }) => id);
  }

  /** Whether a target is a guest cluster, or may be: not every program declares which. */
  private isOn(target: string, { namespace, name }: AssemblyObject): boolean {
    const cluster = this.guestTargets.get(target);
    return (
      this.guestTargets.has(target) && (cluster === undefined || cluster === `${namespace}/${name}`)
    );
  }

  /** The management cluster of a project, a binding or a namespace of a project. */
  private clusterOfTenant(object: AssemblyObject): string | undefined {
    const manifest = this.manifests.get(object.id);
    const project = (text: unknown): string | undefined =>
      typeof text === 'string' ? text.split(/:(?=[^:}]*$)/)[0] : undefined;
    if (object.kind === 'Namespace') {
      return project(valueAt(manifest, 'metadata', 'annotations', ANNOTATION_PROJECT_ID));
    }
    if (isManagement(object, 'ProjectRoleTemplateBinding')) {
      return project(manifest?.projectName);
    }
    return isManagement(object, 'Project', 'ClusterRoleTemplateBinding')
      ? object.namespace
      : undefined;
  }

  /**
   * Whether an object is the Setting that registers a Harvester with one of these IDs; one without
   * a known ID may belong to any.
   */
  private registers(object: AssemblyObject, managementIds: readonly string[]): boolean {
    if (!isRegistration(object)) {
      return false;
    }
    const value = String(this.manifests.get(object.id)?.value ?? '');
    const sources = lateIdsIn(value).map((late) => this.lateNamespaces.get(late));
    const names = (id: string): boolean => value.includes(`_${id}.yaml`) || sources.includes(id);
    if (managementIds.some(names)) {
      return true;
    }
    const ranchers = this.assembly.targets.filter(({ kind }) => kind === 'rancher');
    return !ranchers.some(({ name }) =>
      this.index.managementIds(name).some(({ managementId }) => names(managementId)),
    );
  }
}

/**
 * Whether an object is a cluster whose machines Rancher provisions or manages: RKE2, K3s or RKE1.
 */
function isGuest(object: AssemblyObject, manifests: Manifests): boolean {
  const manifest = manifests.get(object.id);
  if (isProvisioningCluster(object)) {
    return isRecord(valueAt(manifest, 'spec', 'rkeConfig'));
  }
  return (
    isManagement(object, 'Cluster') &&
    isRecord(valueAt(manifest, 'spec', 'rancherKubernetesEngineConfig'))
  );
}

function without(ids: readonly string[], others: ReadonlySet<string>): string[] {
  return ids.filter((id) => !others.has(id));
}

/** Partitions node IDs by a predicate. */
function parted<T extends { readonly id: string }>(
  nodes: readonly T[],
  holds: (node: T) => boolean,
): readonly [string[], string[]] {
  const idsOf = (wanted: boolean): string[] =>
    nodes.filter((node) => holds(node) === wanted).map(({ id }) => id);
  return [idsOf(true), idsOf(false)];
}

/** The kinds that a guest cluster refers to: machine configurations and credentials. */
function isPart(object: AssemblyObject): boolean {
  return groupOf(object.apiVersion) === 'rke-machine-config.cattle.io' || isCredential(object);
}

/**
 * Whether the deletion of an object needs a connected Rancher: its controllers have finalizers on
 * namespaces, and delete tokens of credentials.
 */
function needsConnection(object: AssemblyObject): boolean {
  return isCredential(object) || (groupOf(object.apiVersion) === '' && object.kind === 'Namespace');
}

function isLoadBalancer({ apiVersion, kind }: AssemblyObject): boolean {
  return kind === KIND_LOAD_BALANCER && groupOf(apiVersion) === GROUP_LOAD_BALANCER;
}

/** Whether an object is a cloud credential: Rancher deletes its token on the Harvester with it. */
function isCredential(object: AssemblyObject): boolean {
  return isSecret(object) && object.namespace === GLOBAL_DATA;
}

function isToken(object: AssemblyObject): boolean {
  return (
    isManagement(object, 'ClusterRegistrationToken') ||
    (isSecret(object) && object.name.startsWith(TOKEN_SECRET_PREFIX))
  );
}

/** Whether an object is a Secret, or one from which a controller creates it. */
function isSecret(object: AssemblyObject): boolean {
  return isSecretObject(object) || kindOf<KindReferences>(object)?.makes !== undefined;
}

/** Ranks are reversed: the last applied is the first deleted. */
const HIGHEST_RANK = 100;

/** Of access: before everything else that waits for nothing. */
const FIRST_RANK = 0;

/**
 * The graph of a destroy: all edges reversed, each waiting for a deletion, plus the order that
 * Rancher and Harvester need.
 *
 * Late values become groups: there is nothing to resolve. An object that is reset or kept counts as
 * deleted once that is done. Access of people is deleted first, and even if what it waits for fails.
 *
 * @param graph the graph of `buildGraph`
 * @param isOwn whether the identity of the run has its permissions by an object
 */
export function reverseGraph(
  graph: ApplyGraph,
  assembly: Assembly,
  manifests: Manifests,
  isOwn?: IsOwn,
): ApplyGraph {
  const draft = new GraphDraft();
  const guests = assembly.objects.filter((object) => isGuest(object, manifests));
  const access = peoplesAccess(
    graph,
    manifests,
    guests.map(({ id }) => id),
    isOwn,
  );
  for (const { id, target, object, rank } of graph.nodes.values()) {
    const order = access.has(id)
      ? { rank: FIRST_RANK, goesOn: true }
      : { rank: HIGHEST_RANK - rank };
    draft.add({ id, target, ...order, ...(object ? { object } : {}) });
  }
  for (const { id, after } of graph.nodes.values()) {
    for (const { to, weight } of after) {
      // Rancher may hold a binding, but not the User whose deletion ends it
      const kind = access.has(id) && access.has(to) ? 'applied' : 'gone';
      // servers delete objects and definitions in any order, but finalizers need the objects that
      // they refer to
      if (weight === undefined) {
        draft.after(to, id, kind);
      } else {
        draft.implied(to, id, kind, 1);
      }
    }
  }
  graph.whenGone?.forEach(({ from, to }, index) => {
    const group = draft.addGroup(`gone ${index}`);
    for (const id of to) {
      draft.after(group, id, 'gone');
    }
    for (const id of from) {
      draft.after(id, group, 'gone');
    }
  });
  destroyFacts(draft, graph, assembly, manifests, access);
  return draft.sorted();
}

/** The imports of a program, with their tokens and registration Settings. */
export function registrationsOf(assembly: Assembly, manifests: Manifests): readonly Registration[] {
  const nodes = new Map(
    assembly.objects.map((object) => [
      object.id,
      { id: object.id, target: object.target, object, after: [], rank: 0 },
    ]),
  );
  return new Facts(new GraphDraft(), { nodes }, assembly, manifests).registrations();
}

/** Two objects that must be deleted one after the other. */
export interface DeletionPair {
  readonly first: string;
  readonly then: string;
  /** What `first` needs `then` for, as a clause that follows its name. */
  readonly need: string;
  /** Whether `first` certainly remains if `then` is deleted before it is gone. */
  readonly isCertain: boolean;
}

/** The pairs of which an engine, which deletes in no order, must not delete both at once. */
export function* deletionPairs(assembly: Assembly, manifests: Manifests): Iterable<DeletionPair> {
  const graph = buildGraph(assembly, manifests);
  for (const { id, object, after } of graph.nodes.values()) {
    if (!object || !kindOf<KindReferences>(object)?.usesCredentials) {
      continue;
    }
    for (const { to } of after) {
      const used = graph.nodes.get(to)!.object;
      if (used && isCredential(used)) {
        yield {
          first: id,
          then: to,
          need: 'needs it to create and delete machines',
          isCertain: true,
        };
      }
    }
  }
  for (const { cluster: then, tenants } of new Facts(
    new GraphDraft(),
    graph,
    assembly,
    manifests,
  ).registrations()) {
    for (const first of tenants) {
      yield { first, then, need: 'needs its connection to be deleted', isCertain: false };
    }
  }
  for (const { from, to } of graph.whenGone ?? []) {
    for (const first of to) {
      for (const then of from) {
        yield {
          first,
          then,
          need: 'must be deleted before, as the program declares',
          isCertain: true,
        };
      }
    }
  }
}

/**
 * The provisioning Clusters of a Harvester: those that its registration Setting depends on, or that
 * its URL names.
 */
export function importsOf(
  target: string,
  { objects }: Pick<Assembly, 'objects'>,
  graph: ApplyGraph,
  manifests: Manifests,
): string[] {
  const settings = objects.filter((object) => object.target === target && isRegistration(object));
  const reached = reach(
    settings.map(({ id }) => id),
    (id) => (graph.nodes.get(id)?.after ?? []).map(({ to }) => to),
  );
  const urls = settings.map(({ id }) => String(manifests.get(id)?.value ?? ''));
  const isNamed = (object: AssemblyObject): boolean => {
    const id =
      valueAt(
        manifests.get(object.id),
        'metadata',
        'annotations',
        ANNOTATION_MANAGEMENT_CLUSTER_NAME,
      ) ?? valueAt(manifests.get(object.id), 'status', 'clusterName');
    return typeof id === 'string' && id !== '' && urls.some((url) => url.includes(`_${id}.yaml`));
  };
  return objects
    .filter(
      (object) => isProvisioningCluster(object) && (reached.has(object.id) || isNamed(object)),
    )
    .map(({ id }) => id);
}

/**
 * The objects that are deleted with a target: all objects on it, the import of a Harvester, and
 * everything on any cluster that needs one of these: projects and members of the import, its
 * tokens, credentials, guest clusters with their machine configurations.
 *
 * @param known the objects that an earlier run found: live objects do not contain all dependencies
 */
export function deletionScopeOf(
  target: string,
  assembly: Assembly,
  graph: ApplyGraph,
  manifests: Manifests,
  known: readonly string[] = [],
): ReadonlySet<string> {
  const waiting = inverted(
    [...graph.nodes.values()].flatMap(({ id, after }) => after.map(({ to }) => [id, to] as const)),
  );
  const own = assembly.objects.filter((object) => object.target === target).map(({ id }) => id);
  const there = known.filter((id) => graph.nodes.has(id));
  return reach(
    [...own, ...there, ...importsOf(target, assembly, graph, manifests)],
    (id) => waiting.get(id) ?? [],
  );
}
