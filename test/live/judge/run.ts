import { setTimeout as sleep } from 'node:timers/promises';
import { Change, changesOf, Mode } from './changes';
import { distinct, isOnce, Scenario } from './corpus';
import { applyPatiently, FIELD_MANAGER, Lists, NoVerdictError, refusalOf } from './verdict';
import { KindIdentity } from '../../../src/core/kind/description/identity';
import { kindOf } from '../../../src/core/kind/kinds';
import { Manifest } from '../../../src/core/manifest/manifest';
import { JudgedTarget } from '../../../src/core/rule/rule';
import { knownKindOf } from '../../../src/core/shape/compare-manifest';
import { readShape } from '../../../src/core/shape/shape-node';
import { compareSemver, parseSemver } from '../../../src/core/version/semver';
import { Cluster, LiveObject, refOf } from '../../../src/engine/cluster/cluster';
import { ALL_KINDS } from '../../../src/registry/all-kinds';
import { rootSchema, Schema } from '../../support/definition-of';
import { fc } from '../../support/properties';

/** Decides which of all changes are tried, the same ones in each run. */
const SEED = 38;

/** How many requests wait for the server at a time. */
const AT_ONCE = 6;

/** How long caches of webhooks may lag behind. */
const CACHE_MS = 700;

/** How often a deletion is tried that the server refuses while other objects exist. */
const PASSES = 3;

/** Kinds whose objects controllers make for other objects. */
const MADE = ['Namespace', 'StorageClass', 'Secret', 'PersistentVolumeClaim'];

/** The most changes of an object in one mode of a whole run; most objects have fewer. */
const MOST = 150;

/** A run of fewer changes is a seeded part of a whole one. */
const CHOSEN_MOST = Number(process.env.LIVE_JUDGE_MOST ?? MOST);

/** What is judged, of all objects as `<scenario> <kind>/<name>`. */
const CHOSEN = new RegExp(process.env.LIVE_JUDGE_ONLY ?? '');

/** Whether a run judges all changes that it can. */
export const IS_WHOLE = CHOSEN_MOST >= MOST && CHOSEN.source === '(?:)';

/** Whether an object is judged, and not only applied for others. */
function isChosen(scenario: string, { kind, metadata }: Manifest): boolean {
  return CHOSEN.test(`${scenario} ${kind}/${metadata.name}`);
}

/** Whether anything of a scenario is judged. */
export function isAnyChosen({ title, objects }: Scenario): boolean {
  return objects.some((object) => isChosen(title, object));
}

/** A kind that a server has. */
type Served = Pick<Manifest, 'apiVersion' | 'kind'>;

const VERSION = { what: 'version', example: '2.13.8', distributions: true };

/** The answers of a server to the changes of one object. */
export interface Judged {
  readonly scenario: string;
  readonly mode: Mode;
  readonly object: Manifest;
  /** Whether the object was applied before, as it is here. */
  readonly isApplied: boolean;
  readonly lists: Lists;
  /** The refusal of each change; undefined where the server took it. */
  readonly answers: ReadonlyMap<Change, string | undefined>;
}

/** The schema of an object in the versions of a target; undefined for kinds without a known one. */
export function schemaOf(object: Manifest, target: JudgedTarget): Schema | undefined {
  const kind = knownKindOf(object);
  if (!kind) {
    return undefined;
  }
  const text = {
    rancher: target.rancherVersion,
    harvester: target.harvesterVersion,
    guest: target.kubernetesVersion,
    kubernetes: target.kubernetesVersion,
  }[kind.product];
  const version = text === undefined ? undefined : parseSemver(text, VERSION);
  const shape =
    kind.versions
      .filter(({ from }) => version && compareSemver(parseSemver(from, VERSION), version) <= 0)
      .at(-1) ?? kind.versions[0];
  return rootSchema(readShape(shape.file));
}

/** Some of the changes of an object, the same ones in each run. */
export function chosenChanges(object: Manifest, mode: Mode, target: JudgedTarget): Change[] {
  const [nothing, ...changes] = changesOf(object, schemaOf(object, target), mode);
  const count = Math.min(CHOSEN_MOST, changes.length);
  const chosen = fc.sample(fc.shuffledSubarray(changes, { minLength: count, maxLength: count }), {
    seed: SEED,
    numRuns: 1,
  })[0];
  return [nothing, ...chosen];
}

/** Asks a server about changes of objects, each in the world of the objects before it. */
export class JudgeRun {
  private readonly lists = new Map<string, readonly Manifest[]>();
  private readonly standIns: Manifest[] = [];
  private kinds: readonly Served[] = [];
  private others?: RegExp;

  public constructor(
    private readonly cluster: Cluster,
    private readonly target: JudgedTarget,
    private readonly report: (text: string) => void,
  ) {}

  /** Creates what an installed product has and this server lacks; `end` deletes it again. */
  public async begin(installed: readonly Manifest[]): Promise<void> {
    for (const object of installed) {
      if ((await this.cluster.read(refOf(object))) === undefined) {
        await this.cluster.apply(object, { fieldManager: FIELD_MANAGER });
        this.standIns.push(object);
      }
    }
    await sleep(CACHE_MS);
    this.kinds = await this.served();
  }

  public async end(): Promise<void> {
    await this.remove(this.standIns);
  }

  /**
   * Judges the objects of a scenario, which then are deleted again.
   *
   * @param known objects of other scenarios: those of their structure are applied only
   */
  public async *judge(
    { title, objects, others }: Scenario,
    known: readonly Manifest[],
  ): AsyncIterable<Judged> {
    this.others = others;
    const applied: Manifest[] = [];
    const isNew = distinct(known);
    await this.look(this.kinds);
    try {
      const late: Manifest[] = [];
      for (const object of inOrder(objects)) {
        if (await this.isTaken(object)) {
          yield* this.judgeObject(title, object, applied, isNew(object) && isChosen(title, object));
        } else {
          late.push(object);
        }
      }
      // some need objects that come after them
      for (const object of late) {
        yield* this.judgeObject(title, object, applied, isNew(object) && isChosen(title, object));
      }
    } finally {
      await this.remove(applied);
    }
  }

  private async isTaken(object: Manifest): Promise<boolean> {
    return (await refusalOf(this.cluster, object)) === undefined;
  }

  private async *judgeObject(
    scenario: string,
    object: Manifest,
    applied: Manifest[],
    isJudged: boolean,
  ): AsyncIterable<Judged> {
    const live = await this.cluster.read(refOf(object));
    // a server that lacks one of its own objects cannot judge it
    if (isJudged && live === undefined && !isOnce(object)) {
      yield this.ask({ scenario, mode: 'create', object, isApplied: false });
    }
    if (!isOnce(object)) {
      try {
        await applyPatiently(this.cluster, object);
        applied.push(object);
        await sleep(CACHE_MS);
        await this.look([object, ...this.kinds.filter(({ kind }) => MADE.includes(kind))]);
      } catch (error) {
        this.report(`${scenario}: ${object.kind}/${object.metadata.name}: ${String(error)}`);
        return;
      }
    }
    if (isJudged && (live !== undefined || !isOnce(object))) {
      yield this.ask({ scenario, mode: 'edit', object, isApplied: !isOnce(object) });
    }
  }

  private async ask(of: Omit<Judged, 'lists' | 'answers'>): Promise<Judged> {
    const lists = [...this.lists.values()].filter((list) => list.length > 0);
    const changes = chosenChanges(of.object, of.mode, this.target);
    const answers = new Map<Change, string | undefined>();
    answers.set(changes[0], await refusalOf(this.cluster, changes[0].manifest));
    // every change of an object that is refused is refused, too: they would say nothing
    const isTaken = answers.get(changes[0]) === undefined;
    for (let first = 1; isTaken && first < changes.length; first += AT_ONCE) {
      const some = changes.slice(first, first + AT_ONCE);
      const refusals = await Promise.all(
        some.map(async ({ manifest }) => this.refusal(manifest, of.object)),
      );
      some.forEach((change, index) => answers.set(change, refusals[index]));
    }
    return { ...of, lists, answers };
  }

  /**
   * The refusal of a change. A webhook that breaks at a change, and takes the unchanged object,
   * refuses the change.
   */
  private async refusal(manifest: Manifest, unchanged: Manifest): Promise<string | undefined> {
    try {
      return await refusalOf(this.cluster, manifest);
    } catch (error) {
      if (!(error instanceof NoVerdictError)) {
        throw error;
      }
      await sleep(CACHE_MS);
      await refusalOf(this.cluster, unchanged);
      return error.message;
    }
  }

  /** Reads the objects of the kinds that rules know: of all, or of those that an apply changes. */
  private async look(kinds: readonly Served[]): Promise<void> {
    await Promise.all(
      kinds.map(async ({ apiVersion, kind }) => {
        const items = await this.cluster.list(apiVersion, kind).catch(() => []);
        const list = items
          .map((item) => withoutChance({ ...item, apiVersion, kind }))
          .filter((item) => !this.others?.test(JSON.stringify(item)));
        this.lists.set(`${apiVersion} ${kind}`, list);
      }),
    );
  }

  /** The kinds of the server that rules know. */
  private async served(): Promise<readonly Served[]> {
    const found = await Promise.all(
      ALL_KINDS.map(async ({ group, version, kind }) => {
        const apiVersion = group === '' ? version : `${group}/${version}`;
        return (await this.cluster.kind(apiVersion, kind)) && { apiVersion, kind };
      }),
    );
    return found.filter((each) => each !== undefined);
  }

  private async remove(applied: readonly Manifest[]): Promise<void> {
    // Rancher deletes the namespaces of its clusters, with what is in them
    let left = applied.filter(({ metadata: { name } }) => !name.startsWith('c-m-')).reverse();
    for (let pass = 1; pass <= PASSES && left.length > 0; pass++) {
      const refused: Manifest[] = [];
      for (const object of left) {
        const live = await this.cluster.read(refOf(object));
        try {
          await (live && this.cluster.delete(refOf(object), live.metadata.uid));
        } catch (error) {
          refused.push(object);
          if (pass === PASSES) {
            this.report(`delete ${object.kind} ${object.metadata.name}: ${String(error)}`);
          }
        }
      }
      left = refused;
      await sleep(left.length > 0 ? CACHE_MS : 0);
    }
  }
}

/** Without what changes by itself, and no rule reads. */
function withoutChance({ metadata, ...fields }: LiveObject): Manifest {
  const { managedFields: _, resourceVersion: __, creationTimestamp: ___, ...rest } = metadata;
  return { ...fields, metadata: rest } as Manifest;
}

function inOrder(objects: readonly Manifest[]): Manifest[] {
  const rankOf = (object: Manifest): number => {
    const kind = kindOf<KindIdentity>(object);
    return kind?.rankOf?.(object) ?? kind?.rank ?? 50;
  };
  return [...objects].sort((a, b) => rankOf(a) - rankOf(b));
}
