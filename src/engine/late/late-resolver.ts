import { Look, explainLateValue, lookUpOnce, lateValuePlace } from './look-up';
import { ResolvedValues, complete, lateIdsIn, mismatch } from '../../core/late/late-text';
import { MATCHED_FIELD, isLate, listsObjects } from '../../core/late/late-token';
import { Manifest, isRecord, objectLabel } from '../../core/manifest/manifest';
import {
  Assembly,
  AssemblyLateObject,
  AssemblyLateSource,
  AssemblyLateText,
  AssemblyLateValue,
} from '../../core/output/assembly';
import { sensitiveIds } from '../../core/secret/redactor';
import { remembered } from '../../core/text/values';
import { isOutside, lackOf, outsideLabel, readOutside } from '../../core/value/secret-value';
import { BoundTargets } from '../cluster/cluster';
import { ApiError, FailureClass, reworded } from '../transport/api';
import { Clock, PROCESS_CLOCK, isAbort, until } from '../transport/pace';

export interface LateResolverOptions {
  /** How long to wait for one value, in milliseconds. @default 300000 */
  readonly timeoutMs?: number;
  /** Ends all waiting. */
  readonly signal?: AbortSignal;
  /** @default - the clock of the process */
  readonly clock?: Clock;
  /** From 0 to 1. @default Math.random */
  readonly random?: () => number;
  /** Called when the reason for waiting changes; it contains no value. */
  readonly onWait?: (late: AssemblyLateValue, why: string, timeoutMs: number) => void;
}

const TIMEOUT_MS = 300_000;
/** The longest pause between reads. */
const LONGEST_PAUSE_MS = 8_000;
/** How long a 403 may come from a new role that servers do not enforce yet. */
const FORBIDDEN_MS = 60_000;

/** The Deployment with the log of Rancher's controllers. */
const RANCHER_LOG = 'Deployment cattle-system/rancher';

/** Failures after which another read may succeed. */
const MAY_PASS: ReadonlySet<FailureClass> = new Set<FailureClass>([
  'transient',
  'blocked',
  'not-found',
  'forbidden',
]);

/**
 * Resolves the late values of an assembly on the live clusters. Values are kept in memory and in no
 * message.
 */
export class LateResolver {
  private readonly byId: ReadonlyMap<string, AssemblyLateValue>;
  private readonly sensitive: ReadonlySet<string>;
  private readonly found = new Map<string, string>();
  private readonly missed = new Map<string, Unmatched>();
  private readonly asked = new Map<string, Promise<void>>();
  private readonly clock: Clock;
  private readonly random: () => number;

  public constructor(
    assembly: Assembly,
    private readonly targets: BoundTargets,
    private readonly options: LateResolverOptions = {},
  ) {
    this.byId = new Map(assembly.lateValues.map((late) => [late.id, late]));
    this.sensitive = sensitiveIds(assembly.lateValues);
    this.clock = options.clock ?? PROCESS_CLOCK;
    this.random = options.random ?? Math.random;
  }

  /** The known values by ID. Contains secrets: never print it. */
  public get values(): ResolvedValues {
    return this.found;
  }

  /** The look-ups by a field that `tryResolve` has not found, by ID. */
  public get unmatched(): ReadonlyMap<string, Unmatched> {
    return this.missed;
  }

  /** The secrets, in each encoding that an object may contain. */
  public get secrets(): readonly string[] {
    const values = [...this.found].filter(([id]) => this.isSensitive(id)).map(([, value]) => value);
    return [
      ...new Set(
        values.flatMap((value) => [
          value,
          Buffer.from(value, 'utf8').toString('base64'),
          JSON.stringify(value).slice(1, -1),
        ]),
      ),
    ];
  }

  /** Whether a value is a credential: declared as one, read from a Secret, or made from one. */
  public isSensitive(id: string): boolean {
    return this.sensitive.has(id);
  }

  /**
   * Waits until a value exists and has its type, and first for the values that its names or text
   * contain. A known value is not read again.
   *
   * @param id without `late:`
   */
  public async resolve(id: string): Promise<void> {
    // check first: two values that wait for each other would wait indefinitely
    const circle = this.circleFrom(id, []);
    if (circle) {
      throw new Error(
        `late values must not depend on each other: ${circle.join(' → ')}. Fix: remove one of these dependencies`,
      );
    }
    return this.ask(id);
  }

  /**
   * Reads a value once, without waiting; returns whether it is known. For plans, which print
   * unknown values as known after apply.
   */
  public async tryResolve(id: string): Promise<boolean> {
    if (this.found.has(id)) {
      return true;
    }
    if (this.circleFrom(id, [])) {
      return false;
    }
    const late = this.lateValue(id);
    for (const inner of lateIdsIn(late.source)) {
      if (!(await this.tryResolve(inner))) {
        return false;
      }
    }
    try {
      const look = await this.look(late);
      if (isMatch(late.source)) {
        this.noteMatch(late, look);
      }
      return this.keep(late, look) === undefined;
    } catch (error) {
      if (isAbort(error)) {
        throw error;
      }
      return false;
    }
  }

  /**
   * Throws if several objects have a value by which the program looks up one of them: before
   * anything is written, since waiting cannot help. Keeps the values of those that are found.
   */
  public async checkLookUps(): Promise<void> {
    await Promise.all(
      [...this.byId.values()]
        .filter(({ source }) => isMatch(source))
        .map(async ({ id }) => this.tryResolve(id)),
    );
    const several = [...this.missed.values()]
      .filter(({ isFinal }) => isFinal)
      .map(({ message }) => message);
    if (several.length > 0) {
      throw new Error(several.join('\n'));
    }
  }

  private noteMatch(late: AssemblyLateValue, look: Look): void {
    this.missed.delete(late.id);
    if ('missing' in look) {
      this.missed.set(late.id, {
        message: this.failed(late, new Error(look.missing)).message,
        isFinal: look.isFinal === true,
      });
    }
  }

  /**
   * A copy of an object with all its late values. Throws if one is not known: a placeholder never
   * reaches a cluster.
   */
  public complete(manifest: Manifest): Manifest {
    let completed: Manifest;
    try {
      completed = this.completeKnown(manifest);
    } catch (error) {
      throw new Error(`${objectLabel(manifest)}: ${(error as Error).message}`);
    }
    const missing = lateIdsIn(completed).map((id) => this.byId.get(id)?.description ?? id);
    if (missing.length > 0 || holdsLate(completed)) {
      const what = missing.join(', ') || 'a late value whose placeholder is damaged';
      throw new Error(
        `${objectLabel(manifest)}: waits for ${what}, which is not known; it was not written`,
      );
    }
    return completed;
  }

  /** Replaces the placeholders of known late values, and keeps those of unknown ones. */
  public completeKnown<T>(value: T): T {
    return complete(value, this.found);
  }

  // all callers share one wait; a failure is not cached
  private async ask(id: string): Promise<void> {
    if (this.found.has(id)) {
      return;
    }
    return remembered(this.asked, id, async () =>
      this.wait(this.lateValue(id)).finally(() => {
        this.asked.delete(id);
      }),
    );
  }

  private circleFrom(id: string, trail: readonly string[]): string[] | undefined {
    if (trail.includes(id)) {
      return [...trail.slice(trail.indexOf(id)), id];
    }
    for (const inner of lateIdsIn(this.lateValue(id).source)) {
      const circle = this.circleFrom(inner, [...trail, id]);
      if (circle) {
        return circle;
      }
    }
    return undefined;
  }

  private async wait(late: AssemblyLateValue): Promise<void> {
    await Promise.all(lateIdsIn(late.source).map(async (inner) => this.ask(inner)));
    const { timeoutMs = TIMEOUT_MS, signal, onWait } = this.options;
    let missing: string | undefined;
    await until(
      async (passedMs) => {
        const before = missing;
        missing = this.keep(late, await this.lookAgain(late, passedMs));
        if (missing !== undefined && missing !== before) {
          onWait?.(late, missing, timeoutMs);
        }
        return missing === undefined ? true : undefined;
        // the parts of a text do not change
      },
      isText(late.source) || isOutside(late.source) ? 0 : timeoutMs,
      async () =>
        new Error(`${titleOf(late)}: ${await this.missingText(late.source, missing!, timeoutMs)}`),
      { clock: this.clock, random: this.random, signal },
      LONGEST_PAUSE_MS,
    );
  }

  private async lookAgain(late: AssemblyLateValue, passedMs: number): Promise<Look> {
    try {
      const look = await this.look(late);
      if ('missing' in look && look.isFinal) {
        throw new Error(look.missing);
      }
      return look;
    } catch (error) {
      if (isAbort(error)) {
        throw error;
      }
      const waits =
        error instanceof ApiError &&
        MAY_PASS.has(error.failure) &&
        (error.failure !== 'forbidden' || passedMs < FORBIDDEN_MS);
      if (!waits) {
        throw this.failed(late, error as Error);
      }
      return { missing: (error as Error).message };
    }
  }

  private async look({ source, construct }: AssemblyLateValue): Promise<Look> {
    if (isText(source)) {
      return { value: complete(source.text, this.found) };
    }
    if (isOutside(source)) {
      const value = readOutside(source);
      if (value === '') {
        throw new Error(
          `${outsideLabel(source)} ${lackOf(source)}: no file of the output contains this secret. Fix: set it, as for synthesis`,
        );
      }
      return { value };
    }
    const bound = this.targets.get(source.target);
    if (!bound) {
      throw new Error(
        `its target "${source.target}" is not bound to a cluster (${construct}). Fix: set its context`,
      );
    }
    const { signal } = this.options;
    const cluster = await bound.cluster(signal);
    return lookUpOnce({
      cluster,
      source: this.completeKnown(source),
      serverUrl: bound.target.properties.serverUrl,
      options: { signal },
    });
  }

  /** Keeps a found value if it has its type; returns the problem otherwise. */
  private keep(late: AssemblyLateValue, look: Look): string | undefined {
    if (!('value' in look)) {
      return look.missing;
    }
    const why = mismatch(late.type, look.value);
    if (why !== undefined) {
      return `its value ${why}`;
    }
    this.found.set(late.id, look.value);
    return undefined;
  }

  private async missingText(
    source: AssemblyLateSource,
    missing: string,
    timeoutMs: number,
  ): Promise<string> {
    if (isText(source)) {
      return `${missing}. Fix: correct the text in the program`;
    }
    if (isOutside(source)) {
      return `${outsideLabel(source)}: ${missing}. Fix: set it, as for synthesis`;
    }
    const bound = this.targets.get(source.target);
    const by = bound === undefined ? '' : ` (${bound.by})`;
    const known = (await this.known(source)).map((text) => `; ${text}`).join('');
    const log = bound?.target.kind === 'rancher' ? ` and the log of Rancher (${RANCHER_LOG})` : '';
    const fix = isMatch(source)
      ? `correct the ${source.kind} in the program, or create it`
      : `check this object${log} for the cause`;
    return (
      `not known after ${Math.round(timeoutMs / 1000)} s; read from ${lateValuePlace(this.completeKnown(source))}${by}: ${missing}${known}. ` +
      `Fix: ${fix}, or set a longer --timeout, and run the command again`
    );
  }

  /** The conditions of the object and the events about it. */
  private async known(source: AssemblyLateObject): Promise<readonly string[]> {
    const { signal } = this.options;
    const cluster = listsObjects(source.resolver)
      ? undefined
      : await this.targets
          .get(source.target)
          ?.cluster(signal)
          .catch(() => undefined);
    return cluster ? explainLateValue(cluster, this.completeKnown(source), { signal }) : [];
  }

  private failed(late: AssemblyLateValue, error: Error): Error {
    const place =
      'target' in late.source ? `${lateValuePlace(this.completeKnown(late.source))}: ` : '';
    return reworded(error, `${titleOf(late)}: ${place}${error.message}`);
  }

  private lateValue(id: string): AssemblyLateValue {
    const late = this.byId.get(id);
    if (!late) {
      throw new Error(`assembly: has no late value "${id}". Fix: synthesize again`);
    }
    return late;
  }
}

/** A look-up by a field that is not found. */
export interface Unmatched {
  readonly message: string;
  /** Whether waiting cannot help: several objects have the value. */
  readonly isFinal: boolean;
}

function isMatch(source: AssemblyLateSource): source is AssemblyLateObject {
  return source.resolver === MATCHED_FIELD;
}

function isText(source: AssemblyLateSource): source is AssemblyLateText {
  return source.resolver === 'text';
}

function titleOf({ description, construct }: AssemblyLateValue): string {
  return `late value "${description}" (${construct})`;
}

function holdsLate(value: unknown): boolean {
  if (typeof value === 'string') {
    return isLate(value);
  }
  if (Array.isArray(value)) {
    return value.some(holdsLate);
  }
  return (
    isRecord(value) && Object.entries(value).some(([key, inner]) => isLate(key) || holdsLate(inner))
  );
}
