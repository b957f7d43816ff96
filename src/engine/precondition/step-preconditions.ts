import { InTheWay, stillTaken, waysOf } from './in-the-way';
import { keptOf } from './kept';
import {
  asksForId,
  formerImport,
  liveClusters,
  LiveClusters,
  namedCluster,
  namesCluster,
  sharedId,
} from './management-cluster';
import { AcceptedSecret, ForeignSecrets, judgeForeign } from './named-secrets';
import { Precondition, PreconditionId, PreconditionOf } from './precondition';
import { isMoved, renamedProblem, renamings } from './renamed';
import { Takeover, declaredObjectsOf, givesPower, takeoverOf, usedAs } from './takeover';
import { KindAccess } from '../../core/kind/description/access';
import { kindOf } from '../../core/kind/kinds';
import { mustExist } from '../../core/kind/retention';
import { hasLateName } from '../../core/late/late-token';
import { Manifest, objectKey, refKey } from '../../core/manifest/manifest';
import { Assembly, AssemblyObject } from '../../core/output/assembly';
import { byObject, grouped, lazily, remembered } from '../../core/text/values';
import { isCluster } from '../../guest/cluster/cluster.kind';
import {
  ANNOTATION_MANAGEMENT_CLUSTER_NAME,
  managementClusterIdOf,
} from '../../rancher/cluster/cluster.facts';
import { markOfRancher, ONLY_RANCHER_MAKES } from '../../rancher/role/made-rbac.facts';
import { Cluster, LiveObject, ObjectRef, refOf } from '../cluster/cluster';
import { FieldOptions } from '../fields/managed-fields';
import { ApplyGraph } from '../graph/graph';
import { importsOf } from '../graph/reverse-graph';
import { AcceptedSecrets, InventoryEntry, Leftover } from '../inventory/inventory';
import { onFailure } from '../transport/api';
import { inParallel } from '../transport/pace';

/** Concurrent reads per target. */
const CONCURRENCY = 8;

/** Those of deletions are judged by `keptOf`, `lostWith` and `refusedDeletion`. */
type DeclaredId = Exclude<PreconditionId, 'not-ours' | 'loss' | 'in-use'>;

/** A declared object, with its manifest as far as late values are known. */
export interface JudgedStep {
  readonly object: AssemblyObject;
  readonly manifest: Manifest;
}

/** What a plan knows of a program and of its inventories. */
interface Known {
  readonly assembly: Assembly;
  readonly graph: ApplyGraph;
  readonly declared: readonly JudgedStep[];
  /**
   * The entries of inventories, by target; a target without one was never applied to.
   * @default - the plan has no inventories
   */
  readonly entries: ReadonlyMap<string, readonly InventoryEntry[]>;
  /** The Secrets of others that were accepted before, by target. */
  readonly secrets: ReadonlyMap<string, AcceptedSecrets>;
  /** The objects of inventories that the program no longer declares. */
  readonly undeclared: readonly Leftover[];
  readonly ways: readonly InTheWay[];
}

/** The clusters at the time of a judgement. */
export interface Sight extends FieldOptions {
  readonly read: (target: string, ref: ObjectRef) => Promise<LiveObject | undefined>;
  /** The cluster of a target that exists. */
  readonly cluster: (target: string) => Promise<Cluster>;
  /** Why an object that is no longer declared is not deleted. */
  readonly keptFor: (id: string) => string | undefined;
  /** Targets, and IDs of provisioning Clusters, that may have been recreated. */
  readonly acceptNewCluster?: readonly string[];
  /** Whether the step is executed now. @default false - a plan is made */
  readonly isTurn?: boolean;
  readonly onWarning: (message: string, target: string, id: string) => void;
  readonly signal?: AbortSignal;
}

/** The result of a judgement; `holders` if the object is adopted from someone else. */
interface Judgement extends Partial<Takeover> {
  /** The Secrets of others that the object uses. */
  readonly accepted?: readonly AcceptedSecret[];
  /** What a plan reports about such Secrets. */
  readonly notes?: readonly string[];
  /** The precondition that does not hold. */
  readonly broken?: Precondition;
}

/** Finds the preconditions of the steps of a program, and judges them. */
export class StepPreconditions {
  private readonly isDeclared: ReturnType<typeof declaredObjectsOf>;
  private readonly entries: ReadonlyMap<string, InventoryEntry>;
  private readonly formers: ReadonlyMap<string, readonly Leftover[]>;
  private readonly lists = byObject((_: Sight) => new Map<string, Promise<LiveClusters>>());
  /** The Harvesters that a Cluster imports, by its ID. */
  private readonly importers = lazily(() => this.importersOf());
  /**
   * Objects that name the management cluster that they belong to: by its ID, or those of a
   * Harvester by its name.
   */
  private readonly naming = lazily(() => this.namingObjects());
  private readonly byId: ReadonlyMap<string, JudgedStep>;
  private readonly secrets: ForeignSecrets;
  /** The UIDs of objects that this app wrote. */
  private readonly uids: ReadonlySet<string>;

  private readonly judges: { readonly [id in DeclaredId]: Judge<PreconditionOf<id>> } = {
    'recreated': async ({ uid }, { object, manifest }, sight) => {
      const live = await sight.read(object.target, refOf(manifest));
      return live && { refused: recreatedText(object.id, uid, live, sight.acceptNewCluster) };
    },
    'shared-id': async (_, step, sight) => {
      const { manifest } = step;
      const { id, target } = step.object;
      if (!(await this.isCreated(step, sight))) {
        return undefined;
      }
      const used = sight.isTurn ? usedAs(manifest) : undefined;
      // a list of all Clusters takes longer than a look at the management cluster
      if (
        used &&
        (await sight.read(target, used).catch(onFailure(['forbidden'], () => manifest))) ===
          undefined
      ) {
        return undefined;
      }
      const { live, unknown } = await this.clusters(target, sight);
      if (unknown !== undefined) {
        sight.onWarning(unknown, target, id);
      }
      return { refused: sharedId(manifest, live) };
    },
    'renamed': async (_, { object }, sight) => {
      const formers = this.formers.get(object.id)!;
      const live = formers.map(async (former) => ({
        ...former,
        live: await sight.read(former.target, former.entry),
      }));
      return { refused: renamedProblem(object, await Promise.all(live)) };
    },
    'former-import': async ({ by }, step, sight) => {
      const { manifest } = step;
      const { target } = step.object;
      if (!(await this.isCreated(step, sight))) {
        return undefined;
      }
      const naming = await inParallel(
        by.map((id) => this.byId.get(id)!),
        ({ object }) => object.target,
        CONCURRENCY,
        async (named) => ({
          on: named.object.target,
          live: await sight
            .read(named.object.target, refOf(named.manifest))
            .catch(onFailure(['forbidden', 'not-found'], () => undefined)),
        }),
        sight.signal,
      );
      return {
        refused: await formerImport(manifest, naming, {
          target,
          live: async () => (await this.clusters(target, sight)).live,
          isDeclared: (other) => this.isDeclared(target, refOf(other)),
          removals: this.known.assembly.removals ?? [],
        }),
      };
    },
    'in-the-way': async ({ by }, step, sight) => {
      const { target, entry } = this.known.undeclared.find((leftover) => leftover.entry.id === by)!;
      const live = await sight.read(target, entry);
      const [way] = waysOf(
        [step],
        [{ target, entry, live }],
        (id) => sight.keptFor(id) ?? (live && keptOf(entry, live, target, sight)?.why),
      );
      const stays = way && (way.stays ?? (sight.isTurn ? 'it is not deleted' : undefined));
      return stays === undefined ? undefined : { refused: stillTaken(way, stays) };
    },
    'made-by-controller': async (_, { object, manifest }, sight) =>
      (await sight.read(object.target, refOf(manifest))) === undefined
        ? { refused: madeByRancherText(manifest) }
        : undefined,
    'taken-over': async ({ uid, expected }, { object, manifest }, sight) => {
      const { target } = object;
      const live = await sight.read(target, refOf(manifest));
      return takeoverOf(
        { object, manifest, live, entry: expected ? { uid } : undefined },
        {
          ...sight,
          cluster: await sight.cluster(target),
          isDeclared: (ref) => this.isDeclared(target, ref),
        },
      );
    },
    'named-secrets': async (_, { object, manifest }, sight) =>
      judgeForeign(this.secrets.of(object.target, manifest), {
        ...sight,
        target: object.target,
        cluster: await sight.cluster(object.target),
        before: this.known.secrets.get(object.target) ?? {},
        isOurs: (uid) => this.uids.has(uid),
      }),
  };

  public constructor(private readonly known: Known) {
    const { assembly, declared, undeclared } = known;
    const { objects, removals = [] } = assembly;
    this.isDeclared = declaredObjectsOf(assembly);
    this.byId = new Map(declared.map((step) => [step.object.id, step]));
    const entries = [...known.entries.values()].flat();
    this.entries = new Map(entries.map((entry) => [entry.id, entry]));
    this.uids = new Set(entries.flatMap(({ uid }) => uid ?? []));
    this.secrets = new ForeignSecrets(
      assembly,
      new Map(declared.map(({ object, manifest }) => [object.id, manifest])),
    );
    this.formers = grouped(
      renamings(objects, undeclared, removals, ({ id }) => this.isApplied(id)),
      ({ object }) => object.id,
    );
  }

  /**
   * The preconditions of the step of a declared object, in the order of their judgement.
   *
   * @param recorded what the inventory contains about it
   */
  public of(
    { object, manifest }: JudgedStep,
    recorded = this.entries.get(object.id),
  ): Precondition[] {
    const { id, target } = object;
    const entry = recorded && refKey(recorded) === objectKey(manifest) ? recorded : undefined;
    const found: Precondition[] = [];
    if (entry?.uid !== undefined && kindOf(entry)?.hasGeneratedId) {
      found.push({ id: 'recreated', uid: entry.uid });
    }
    const isNewCluster =
      isCluster(object) &&
      this.known.assembly.targets.some(({ name, kind }) => name === target && kind === 'rancher');
    if (isNewCluster && asksForId(manifest)) {
      found.push({ id: 'shared-id', managementCluster: managementClusterIdOf(manifest)! });
    }
    const formers = this.formers.get(id) ?? [];
    if (formers.length > 0) {
      found.push({
        id: 'renamed',
        formers: formers.map(({ entry: former }) => former.id),
        follows: formers.every((former) => isMoved(id, former)),
      });
    }
    const by = isNewCluster ? this.namedBy(id, manifest) : [];
    if (by.length > 0) {
      found.push({ id: 'former-import', by: by.map((naming) => naming.object.id) });
    }
    for (const way of this.known.ways.filter((each) => each.id === id)) {
      found.push({ id: 'in-the-way', by: way.by });
    }
    if (markOfRancher(manifest) !== undefined && !hasLateName(manifest.metadata)) {
      found.push({ id: 'made-by-controller' });
    }
    if (
      this.known.entries.has(target) &&
      givesPower(manifest) &&
      !mustExist(object) &&
      !hasLateName(manifest.metadata)
    ) {
      found.push({
        id: 'taken-over',
        expected: entry !== undefined,
        ...(entry?.uid === undefined ? {} : { uid: entry.uid }),
      });
    }
    const secrets = this.secrets.of(target, manifest).map((secret) => secret.id);
    if (this.known.entries.has(target) && (secrets.length > 0 || mayNameMore(object))) {
      found.push({ id: 'named-secrets', secrets });
    }
    return found;
  }

  /** Judges preconditions of one step: the first that does not hold is the result. */
  public async judge(
    step: JudgedStep,
    preconditions: readonly Precondition[],
    sight: Sight,
  ): Promise<Judgement> {
    let holders: readonly string[] | undefined;
    let accepted: Judgement['accepted'];
    let notes: Judgement['notes'];
    for (const precondition of preconditions) {
      const judge = this.judges[precondition.id as DeclaredId] as Judge<Precondition>;
      const judged = judge(precondition, step, sight);
      // a plan does without what this identity cannot read
      const { refused, ...found } =
        (await (sight.isTurn ? judged : judged.catch(onFailure(['forbidden'], () => undefined)))) ??
        {};
      if (refused !== undefined) {
        return { refused, broken: precondition };
      }
      holders = found.holders ?? holders;
      accepted = found.accepted ?? accepted;
      notes = found.notes ?? notes;
    }
    return { holders, accepted, notes };
  }

  /** Whether an apply creates an object, or may: no inventory knows it, or it no longer exists. */
  private async isCreated({ object, manifest }: JudgedStep, { read }: Sight): Promise<boolean> {
    const { id, target } = object;
    return (
      !this.isApplied(id) ||
      (!hasLateName(manifest.metadata) && (await read(target, refOf(manifest))) === undefined)
    );
  }

  private isApplied(id: string): boolean {
    return this.entries.get(id)?.uid !== undefined;
  }

  /** The Clusters of a Rancher, listed once in a sight. */
  private async clusters(target: string, sight: Sight): Promise<LiveClusters> {
    const applied = (this.known.entries.get(target) ?? []).filter(isCluster);
    return remembered(this.lists(sight), target, async () =>
      liveClusters(await sight.cluster(target), applied, sight.signal),
    );
  }

  private importersOf(): ReadonlyMap<string, readonly string[]> {
    const { assembly, graph } = this.known;
    const manifests = new Map([...this.byId].map(([id, { manifest }]) => [id, manifest]));
    const harvesters = assembly.targets.filter(({ kind }) => kind === 'harvester');
    const pairs = harvesters.flatMap(({ name }) =>
      importsOf(name, assembly, graph, manifests).map((id) => ({ id, name })),
    );
    return new Map(
      [...grouped(pairs, ({ id }) => id)].map(([id, each]) => [id, each.map(({ name }) => name)]),
    );
  }

  private namingObjects(): ReadonlyMap<string, readonly JudgedStep[]> {
    const named = this.known.declared.filter(
      ({ object, manifest }) => namesCluster(object) && !hasLateName(manifest.metadata),
    );
    return grouped(named, ({ object, manifest }) =>
      object.kind === 'Namespace' ? `id ${namedCluster(manifest) ?? ''}` : `on ${object.target}`,
    );
  }

  private namedBy(id: string, manifest: Manifest): readonly JudgedStep[] {
    const keys = [
      `id ${managementClusterIdOf(manifest) ?? 'none'}`,
      ...(this.importers().get(id) ?? []).map((name) => `on ${name}`),
    ];
    return keys.flatMap((key) => this.naming().get(key) ?? []);
  }
}

/** Judges one precondition; undefined if it holds. */
type Judge<P> = (precondition: P, step: JudgedStep, sight: Sight) => Promise<Judgement | undefined>;

/** Whether an object may name Secrets by late values. */
function mayNameMore(object: AssemblyObject): boolean {
  return (
    Boolean(object.lateValues?.length) && kindOf<KindAccess>(object)?.namesSecrets !== undefined
  );
}

/** The error for a role or a binding of Kubernetes that Rancher makes. */
function madeByRancherText(manifest: Manifest): string {
  return `cannot be created, since it has the label ${markOfRancher(manifest)!}: ${ONLY_RANCHER_MAKES}. Fix: remove it from the program`;
}

/** The error for an object with an ID from Rancher that was recreated after this app wrote it. */
function recreatedText(
  id: string,
  uid: string,
  live: LiveObject,
  accepted: readonly string[] = [],
): string | undefined {
  const hasFixedId = live.metadata.annotations?.[ANNOTATION_MANAGEMENT_CLUSTER_NAME] !== undefined;
  if (live.metadata.uid === uid || accepted.includes(id) || hasFixedId) {
    return undefined;
  }
  return (
    `${id} was recreated (its UID changed from ${uid} to ${live.metadata.uid}), so Rancher gives it another ID and other tokens. ` +
    `Fix: check the consequences with plan; to accept them, set --accept-new-cluster '${id}'`
  );
}
