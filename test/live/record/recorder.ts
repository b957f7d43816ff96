import { setTimeout as sleep } from 'node:timers/promises';
import { masked } from './masked';
import { Manifest, sameValue } from '../../../src/core/manifest/manifest';
import { Cluster, LiveObject, refOf } from '../../../src/engine/cluster/cluster';
import { ApiError } from '../../../src/engine/transport/api';
import { RecordedAnswer, RecordedObject, RecordedState } from '../../support/recordings';

/** The field manager of the recordings. */
const MANAGER = 'cdk8s-harvester';

const UID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

const LOOK_MS = 400;
/** How long controllers may write after an apply. */
const SETTLE_MS = 15_000;
const GONE_MS = 60_000;
/** How often an object is tried that a server refuses: its cache may lag behind. */
const TRIES = 4;
const TRY_MS = 1_000;

/** What a file of test/recordings holds. */
interface Recorded {
  readonly scenario: string;
  readonly objects: readonly RecordedObject[];
}

/** An object of a scenario. */
export interface RecordedStep {
  readonly cluster: Cluster;
  /** What is applied; read once those before it are there. */
  readonly manifest: () => Promise<Manifest>;
}

/** What is filled in while a scenario is recorded. */
interface Draft {
  readonly cluster: Cluster;
  readonly applied: Manifest;
  readonly answers: (RecordedAnswer & { readonly at: number })[];
  readonly states: RecordedState[];
  again?: RecordedAnswer;
  third?: RecordedAnswer;
  deleted?: RecordedAnswer;
  readonly afterDelete: RecordedState[];
}

/** What a recording has for a kind that the server does not know. */
const UNKNOWN_KIND = { status: 404, message: 'no such kind here' };

/** Records what a server does with the objects of a scenario, in the form of test/recordings. */
export class Recorder {
  private readonly began = Date.now();
  private readonly drafts: Draft[] = [];
  private isWatching = true;

  public constructor(
    private readonly scenario: string,
    /** What is written in place of names that change with each run. */
    private readonly plain: (text: string) => string = (text) => text,
    /** Whether an object is deleted in the end. */
    private readonly isDeleted: (manifest: Manifest) => boolean = () => true,
  ) {}

  /** Applies the objects in their order, three times, and deletes them. */
  public async record(steps: readonly RecordedStep[]): Promise<Recorded> {
    const watching = this.watch();
    try {
      for (const { cluster, manifest } of steps) {
        const applied = await manifest();
        const draft: Draft = { cluster, applied, answers: [], states: [], afterDelete: [] };
        this.drafts.push(draft);
        await this.applyFirst(draft);
      }
      await sleep(SETTLE_MS);
      for (const again of ['again', 'third'] as const) {
        for (const draft of this.taken) {
          draft[again] = await this.applyAgain(draft);
        }
        await sleep(SETTLE_MS / 2);
      }
      const leaving = this.taken.filter(({ applied }) => this.isDeleted(applied)).reverse();
      for (const draft of leaving) {
        draft.deleted = await this.delete(draft);
      }
      await this.untilGone(leaving);
    } finally {
      this.isWatching = false;
      await watching;
    }
    return this.recorded();
  }

  /** The objects that the server took. */
  private get taken(): readonly Draft[] {
    return this.drafts.filter(({ states }) => states.length > 0);
  }

  private get at(): number {
    return Math.round((Date.now() - this.began) / 100) / 10;
  }

  private async watch(): Promise<void> {
    while (this.isWatching) {
      await Promise.all(this.drafts.map(async (draft) => this.look(draft)));
      await sleep(LOOK_MS);
    }
  }

  private async look(draft: Draft): Promise<void> {
    const { cluster, states, afterDelete, applied } = draft;
    if (states.length === 0) {
      return;
    }
    const live = await cluster.read(refOf(applied)).catch(() => undefined);
    if (live) {
      add(live.metadata.deletionTimestamp === undefined ? states : afterDelete, this.at, live);
    }
  }

  private async applyFirst(draft: Draft): Promise<void> {
    for (let tries = 0; tries < TRIES; tries++) {
      const answer = await this.apply(draft);
      draft.answers.push({ ...answer, at: this.at });
      if (answer.status < 300) {
        return;
      }
      await sleep(TRY_MS);
    }
  }

  private async apply(draft: Draft, by?: string): Promise<RecordedAnswer> {
    const { apiVersion, kind } = draft.applied;
    if (!(await draft.cluster.kind(apiVersion, kind))) {
      return UNKNOWN_KIND;
    }
    try {
      const { object, created } = await draft.cluster.apply(draft.applied, {
        fieldManager: MANAGER,
      });
      add(draft.states, this.at, object, by);
      return { status: created ? 201 : 200, message: null };
    } catch (error) {
      return answerOf(error);
    }
  }

  private async applyAgain(draft: Draft): Promise<RecordedAnswer> {
    const before = await draft.cluster.read(refOf(draft.applied));
    const answer = await this.apply(draft, draft.again ? 'third apply' : 'second apply');
    const after = await draft.cluster.read(refOf(draft.applied));
    const changed = before?.metadata.resourceVersion !== after?.metadata.resourceVersion;
    return { ...answer, changed };
  }

  private async delete({ cluster, applied }: Draft): Promise<RecordedAnswer> {
    const live = await cluster.read(refOf(applied));
    if (!live) {
      return { status: 404, message: null };
    }
    try {
      await cluster.delete(refOf(applied), live.metadata.uid);
      return { status: 200, message: null };
    } catch (error) {
      return answerOf(error);
    }
  }

  private async untilGone(leaving: readonly Draft[]): Promise<void> {
    const deadline = Date.now() + GONE_MS;
    let left = leaving;
    while (left.length > 0 && Date.now() < deadline) {
      const reads = await Promise.all(
        left.map(async (draft) => [draft, await draft.cluster.read(refOf(draft.applied))] as const),
      );
      for (const [draft, live] of reads) {
        if (!live) {
          const gone = { _gone: 404 } as unknown as LiveObject;
          draft.afterDelete.push({ at: this.at, object: gone });
        }
      }
      left = reads.filter(([, live]) => live).map(([draft]) => draft);
      await sleep(LOOK_MS);
    }
  }

  private recorded(): Recorded {
    const objects = this.drafts.map((draft): RecordedObject => {
      const { applied, answers, states, again, third, deleted, afterDelete } = draft;
      const hidden = (all: readonly RecordedState[]) =>
        all.map((state) => ({ ...state, object: masked(state.object, applied) }));
      return {
        object: objectKeyOf(applied),
        applied: applied as LiveObject,
        answers,
        states: hidden(states),
        again,
        third,
        deleted,
        afterDelete: hidden(afterDelete),
      };
    });
    const text = JSON.stringify({ scenario: this.scenario, objects });
    return JSON.parse(withExampleUids(this.plain(text))) as Recorded;
  }
}

/** Adds a state unless it is the last one. */
function add(states: RecordedState[], at: number, live: LiveObject, by?: string): void {
  const object = withoutChance(live);
  if (!sameValue(states.at(-1)?.object, object)) {
    states.push({ at, ...(by === undefined ? {} : { by }), object });
  }
}

/** Without what no two runs have in common. */
function withoutChance({ metadata, ...fields }: LiveObject): LiveObject {
  const {
    uid: _,
    resourceVersion: __,
    creationTimestamp: ___,
    generation: _____,
    ...rest
  } = metadata as LiveObject['metadata'] & { readonly generation?: number };
  const managedFields = metadata.managedFields?.map(({ time: ____, ...entry }) => entry);
  return { ...fields, metadata: { ...rest, managedFields } } as unknown as LiveObject;
}

/** A text whose UIDs, such as those of owners, are numbered: the same UID has the same number. */
function withExampleUids(text: string): string {
  const numbers = new Map<string, number>();
  return text.replaceAll(UID, (uid) => {
    const number = numbers.get(uid) ?? numbers.size + 1;
    numbers.set(uid, number);
    return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
  });
}

function answerOf(error: unknown): RecordedAnswer {
  if (!(error instanceof ApiError)) {
    throw error;
  }
  return { status: error.status ?? 0, message: error.message };
}

/** `<apiVersion>/<kind>/<namespace>/<name>` */
function objectKeyOf({ apiVersion, kind, metadata: { namespace = '', name } }: Manifest): string {
  return `${apiVersion}/${kind}/${namespace}/${name}`;
}
