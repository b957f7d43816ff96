import { setTimeout as sleep } from 'node:timers/promises';
import { difference, factsOf, kindOfFact, normal, normalStates, normalText } from './normal';
import { UNFINISHED } from './unfinished';
import {
  RecordedAnswer,
  RecordedObject,
  RecordedState,
  Recording,
  allRecordings,
} from '../../support/recordings';
import { Answer, Client, UnknownKindError } from '../client';
import { Live } from '../doubles/live';

const DEADLINE_MS = 60_000;
/** A double that has not written anything for so long has come to rest. */
const QUIET_MS = 500;
const LAGGING = /cluster not found$/;

/** What Kubernetes' own controllers write, which are real ones here, too. */
const KUBERNETES =
  /^(metadata\.deletion|owned by kube-controller-manager |status\.conditions\[Namespace)/;

/**
 * What a connected agent adds later than the recorder looked: seen on Rancher 2.13.8 and 2.15.0
 * (test/recordings/README.md, connection).
 */
const CONNECTED = /clusterscoped\.controller\.cattle\.io/;

type Normal = ReturnType<typeof normal>;

/** What a double did with one object, in the order of the server. */
class History {
  private readonly versions = new Map<number, Live>();
  /** Versions from before the object was applied are not of this recording. */
  public since = 0;

  public get size(): number {
    return this.versions.size;
  }

  public add(object: Live): void {
    const version = Number(object.metadata.resourceVersion);
    if (version > 0) {
      this.versions.set(version, object);
    }
  }

  public states(deleted: boolean): Normal[] {
    const objects = [...this.versions]
      .filter(([version]) => version >= this.since)
      .sort(([a], [b]) => a - b)
      .map(([, object]) => object);
    const states = normalStates(objects).filter(
      (_, index) => (objects[index].metadata.deletionTimestamp !== undefined) === deleted,
    );
    return states.filter(
      (state, index) => index === 0 || JSON.stringify(state) !== JSON.stringify(states[index - 1]),
    );
  }
}

/** What recordings have as the answer where the server lacks the kind. */
const NO_KIND = 'no such kind here';

/** Applies a recording to a double, and compares what it does with what the recorded server did. */
export class Replay {
  private readonly histories = new Map<string, History>();
  private readonly differences: string[] = [];
  private readonly facts: Set<string>;
  private objects: readonly RecordedObject[] = [];
  private ends: (() => void)[] = [];

  /**
   * @param lag stops the webhook's cache of clusters, or lets it continue: a Project may be refused
   * right after its Cluster
   */
  public constructor(
    private readonly client: Client,
    private readonly recording: Recording,
    private readonly lag: (lagging: boolean) => void = () => undefined,
    /** Connects the agents of the clusters that were connected, after all objects were applied. */
    private readonly connect: () => void = () => undefined,
  ) {
    this.facts = factsOfKinds(recording);
  }

  /** Returns where the double differs, nothing where it is faithful. */
  public async run(): Promise<string[]> {
    this.objects = await this.known();
    await this.watch();
    try {
      for (const object of this.objects) {
        await this.applyFirst(object);
      }
      await this.rest();
      this.connect();
      await this.settle();
      const kept = this.objects.filter(({ states }) => states.length > 0);
      for (const again of ['again', 'third'] as const) {
        for (const object of kept) {
          if (object[again]) {
            await this.applyAgain(object, again);
          }
        }
        await this.rest();
      }
      kept.forEach((object) =>
        this.compareStates(object, object.states, this.history(object).states(false)),
      );
      const gone = kept.filter(({ deleted }) => deleted).reverse();
      for (const object of gone) {
        await this.delete(object);
      }
      for (const object of gone) {
        await this.until(
          `${object.object} is gone`,
          async () => (await this.client.read(object.applied)).status === 404,
        );
      }
      gone.forEach((object) =>
        this.compareStates(
          object,
          object.afterDelete!.filter((state) => !('_gone' in state.object)),
          this.history(object).states(true),
        ),
      );
      return this.differences;
    } finally {
      this.ends.forEach((end) => end());
    }
  }

  /**
   * Without the kinds of others that only one has of the recorded server and the clusters of the
   * tests, and without Settings of a server that was not fresh.
   */
  private async known(): Promise<readonly RecordedObject[]> {
    const known: RecordedObject[] = [];
    for (const object of this.recording.objects) {
      const { applied, states } = object;
      // someone else had values there before
      if (
        applied.kind === 'Setting' &&
        this.recording.generation.forcedSettings.includes(this.recording.product)
      ) {
        continue;
      }
      const path = this.client.pathOf(applied).catch((error: unknown) => {
        if (error instanceof UnknownKindError) {
          return undefined;
        }
        throw error;
      });
      const isServed = (await path) !== undefined;
      const wasServed = object.answers.every(({ message }) => message !== NO_KIND);
      if (isServed && !wasServed) {
        continue;
      }
      if (states.length === 0 || isServed) {
        known.push(object);
      }
    }
    return known;
  }

  private async watch(): Promise<void> {
    const kinds = new Map(
      this.objects
        .filter(({ states }) => states.length > 0)
        .map(({ applied: { apiVersion, kind } }) => [
          `${apiVersion}/${kind}`,
          { apiVersion, kind },
        ]),
    );
    this.ends = await Promise.all(
      [...kinds.values()].map(async ({ apiVersion, kind }) =>
        this.client.watch(apiVersion, kind, ({ type, object }) => {
          if (type !== 'DELETED') {
            this.historyOf(
              `${apiVersion}/${kind}/${object.metadata.namespace ?? ''}/${object.metadata.name}`,
            ).add(object);
          }
        }),
      ),
    );
  }

  private async applyFirst(object: RecordedObject): Promise<void> {
    const [expected] = object.answers;
    const lagging = LAGGING.test(expected.message ?? '');
    this.lag(lagging);
    if (expected.status === 200 && (await this.client.read(object.applied)).status === 404) {
      // it was there before the recording began
      await this.apply(object);
    }
    let answer = await this.apply(object);
    // as long as the cache lagged when it was recorded
    const deadline = Date.now() + DEADLINE_MS;
    while (!lagging && LAGGING.test(messageOf(answer) ?? '') && Date.now() < deadline) {
      await sleep(20);
      answer = await this.apply(object);
    }
    this.lag(false);
    this.history(object).since = Number(answer.body?.metadata?.resourceVersion ?? 0);
    this.compareAnswer(object, 'the first apply', expected, answer);
    if (answer.status < 300) {
      this.history(object).add(answer.body as Live);
    }
  }

  private async applyAgain(object: RecordedObject, again: 'again' | 'third'): Promise<void> {
    const expected = object[again]!;
    const before = (await this.client.read(object.applied)).body as Live;
    const answer = await this.apply(object);
    const what = again === 'again' ? 'the second apply' : 'the third apply';
    this.compareAnswer(object, what, expected, answer);
    if (answer.status >= 300) {
      return;
    }
    this.history(object).add(answer.body as Live);
    const changed = answer.body.metadata.resourceVersion !== before.metadata.resourceVersion;
    if (changed === (expected.changed! && !this.onlyStatus(object, again))) {
      return;
    }
    this.differ(
      object,
      `${what} ${changed ? 'changes' : 'does not change'} it, recorded was the opposite`,
    );
  }

  /** A controller that wrote the status between two looks: the apply itself changed nothing. */
  private onlyStatus({ states }: RecordedObject, again: 'again' | 'third'): boolean {
    const at = states.findIndex(
      ({ by }) => by === (again === 'again' ? 'second apply' : 'third apply'),
    );
    if (at <= 0) {
      return false;
    }
    const [before, after] = normalStates([states[at - 1].object, states[at].object]);
    return difference(before, after).every((fact) =>
      /^[+-] (status\b|owned by \S+ Update status:)/.test(fact),
    );
  }

  private async apply({ applied }: RecordedObject): Promise<Answer> {
    try {
      return await this.client.apply(applied);
    } catch (error) {
      if (!(error instanceof UnknownKindError)) {
        throw error;
      }
      return { status: 404, body: { message: NO_KIND }, warnings: [] };
    }
  }

  private async delete(object: RecordedObject): Promise<void> {
    this.compareAnswer(
      object,
      'the deletion',
      object.deleted!,
      await this.client.delete(object.applied),
    );
  }

  private compareAnswer(
    object: RecordedObject,
    what: string,
    { status, message }: RecordedAnswer,
    answer: Answer,
  ): void {
    const [expected, seen] = [message, messageOf(answer)].map((text) =>
      text ? normalText(text) : '',
    );
    if (answer.status === status && seen === expected) {
      return;
    }
    this.differ(
      object,
      `${what} is answered by ${answer.status} ${seen}, recorded was ${status} ${expected}`,
    );
  }

  /**
   * Every recorded state comes, in that order; the last one is the last; nothing is in between that
   * no recording of the kind knows.
   */
  private compareStates(
    object: RecordedObject,
    recorded: readonly RecordedState[],
    seen: readonly Normal[],
  ): void {
    let from = 0;
    let previous = '';
    for (const [index, state] of normalStates(recorded.map((entry) => entry.object)).entries()) {
      const text = JSON.stringify(state);
      if (text === previous) {
        continue;
      }
      previous = text;
      const at = seen.findIndex(
        (other, position) => position >= from && JSON.stringify(other) === text,
      );
      if (at < 0) {
        const nearest = seen
          .slice(from)
          .map((other) => difference(state, other))
          .sort((a, b) => a.length - b.length)[0] ?? ['there are no more states'];
        const when = `${recorded[index].at} s${recorded[index].by ? `, ${recorded[index].by}` : ''}`;
        return this.differ(
          object,
          `state ${index} (${when}) does not come. Fix: the nearest differs in\n    ${nearest.slice(0, 40).join('\n    ')}`,
        );
      }
      from = at + 1;
    }
    const deleted =
      recorded === object.afterDelete ||
      seen.some((state) => JSON.stringify(state).includes('"deletionTimestamp"'));
    // the recorder did not look after later applies
    const isCut = object.again?.changed === true && !recorded.some(({ by }) => by);
    if (!deleted && !isCut && from < seen.length && !UNFINISHED.includes(object.object)) {
      const more = difference(seen[from - 1], seen.at(-1)!).filter((fact) => !CONNECTED.test(fact));
      if (more.length > 0) {
        this.differ(object, `continues after its last recorded state:\n    ${more.join('\n    ')}`);
      }
    }
    const kind = object.applied.kind;
    const unknown = [...new Set(seen.flatMap((state) => factsOf(state)))].filter(
      (fact) =>
        !KUBERNETES.test(fact) &&
        !CONNECTED.test(fact) &&
        !this.facts.has(`${kind} ${kindOfFact(fact)}`),
    );
    if (unknown.length > 0) {
      this.differ(object, `does what no recording shows:\n    ${unknown.join('\n    ')}`);
    }
  }

  /**
   * Waits until every object is what it was at the end. If it does not, the comparison shows the
   * difference.
   */
  private async settle(): Promise<void> {
    const last = this.objects.flatMap((object) => {
      const state = object.states.filter(({ by }) => !by).at(-1);
      return state && !UNFINISHED.includes(object.object)
        ? [{ object, text: JSON.stringify(normal(state.object)) }]
        : [];
    });
    const deadline = Date.now() + DEADLINE_MS / 4;
    const isThere = ({ object, text }: (typeof last)[number]): boolean =>
      JSON.stringify(this.history(object).states(false).at(-1)) === text;
    while (Date.now() < deadline && !last.every(isThere)) {
      await sleep(50);
    }
    await this.rest();
  }

  /** Waits until nothing changes any more. */
  private async rest(): Promise<void> {
    const deadline = Date.now() + DEADLINE_MS / 10;
    for (
      let [seen, since] = [this.versions, Date.now()];
      Date.now() < deadline && Date.now() - since < QUIET_MS;
    ) {
      await sleep(30);
      if (this.versions !== seen) {
        [seen, since] = [this.versions, Date.now()];
      }
    }
  }

  private get versions(): number {
    return [...this.histories.values()].reduce((sum, { size }) => sum + size, 0);
  }

  private async until(what: string, condition: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + DEADLINE_MS;
    while (!(await condition())) {
      if (Date.now() > deadline) {
        throw new Error(`waited ${DEADLINE_MS / 1000} s until ${what}`);
      }
      await sleep(50);
    }
  }

  private history({ object }: RecordedObject): History {
    return this.historyOf(object);
  }

  private historyOf(id: string): History {
    if (!this.histories.has(id)) {
      this.histories.set(id, new History());
    }
    return this.histories.get(id)!;
  }

  private differ({ object }: RecordedObject, text: string): void {
    this.differences.push(`${object}: ${text}`);
  }
}

/**
 * What any recording of the same product shows of each kind: those of Rancher 2.15.0 lack most early
 * states.
 */
function factsOfKinds({ product }: Recording): Set<string> {
  const recordings = allRecordings().filter((each) => each.product === product);
  return new Set(
    recordings.flatMap(({ objects }) =>
      objects.flatMap(({ applied, states, afterDelete = [] }) =>
        [...states, ...afterDelete]
          .filter(({ object }) => !('_gone' in object))
          .flatMap(({ object }) =>
            factsOf(normal(object)).map((fact) => `${applied.kind} ${kindOfFact(fact)}`),
          ),
      ),
    ),
  );
}

function messageOf({ status, body }: Answer): string | undefined {
  return status < 300 ? undefined : (body?.message as string | undefined);
}
