import { createHash, randomUUID } from 'crypto';
import { readFileSync, readlinkSync } from 'fs';
import { hostname, userInfo } from 'os';
import { App } from './apply-set';
import { Manifest, valueAt } from '../../core/manifest/manifest';
import { Cluster, LiveObject, ObjectRef } from '../cluster/cluster';
import { ApiError } from '../transport/api';
import { Clock, PROCESS_CLOCK } from '../transport/pace';

/** Annotations on the Lease: who holds it, for people, and the process that does, for those on its machine. */
const HOLDER = 'cdk8s-harvester/holder';
const PROCESS = 'cdk8s-harvester/process';

/** For how long a Lease holds that nobody renews, how often we do, and how often others look. */
const LEASE_MS = 60_000;
const RENEW_MS = 20_000;
const LOOK_MS = 2_000;

export interface LockOptions {
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  /** Told whom it waits for. */
  readonly onWait?: (message: string) => void;
  /** Told when the lock is no longer ours: nothing more must be written. */
  readonly onLost?: (message: string) => void;
}

/** The lock is somebody else's, who is alive. */
export class LockedError extends Error {}

/** Where the lock of an app is. */
export function leaseOf({ parent }: App): ObjectRef {
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...parent };
}

/** Who holds a lock and since when, for people. */
export function holderOf(lease: LiveObject): string {
  const by = lease.metadata.annotations?.[HOLDER] ?? String(valueAt(lease, 'spec', 'holderIdentity') ?? 'somebody');
  return `${by} since ${String(valueAt(lease, 'spec', 'acquireTime') ?? 'an unknown time')}`;
}

/**
 * One run of an app at a time: a Lease whose holder is a field that only one manager can have, so that the server itself decides who gets it.
 *
 * A Lease that is not renewed is taken over after its time has passed on our own clock, whatever the clock of its holder says; at once where its
 * holder was a process of this machine that is gone.
 */
export class Lock {
  /** Throws a LockedError where another run holds it. */
  public static async acquire(cluster: Cluster, app: App, options: LockOptions = {}): Promise<Lock> {
    const { signal, clock = PROCESS_CLOCK } = options;
    const run = new Run(app);
    let seen: { readonly uid: string; readonly renewTime: unknown; readonly at: number } | undefined;
    for (;;) {
      try {
        const { object } = await cluster.apply(run.lease(), { fieldManager: run.manager, signal });
        return new Lock(cluster, app, run, object.metadata.uid, options);
      } catch (error) {
        if (!(error instanceof ApiError) || error.failure !== 'conflict') { throw error; }
      }
      const live = await cluster.read(leaseOf(app), { signal });
      if (!live) { continue; }
      const renewTime = valueAt(live, 'spec', 'renewTime');
      const lasts = Number(valueAt(live, 'spec', 'leaseDurationSeconds')) * 1000 || LEASE_MS;
      if (isGone(live)) {
        await take(cluster, app, live.metadata.uid, signal);
      } else if (seen?.uid !== live.metadata.uid) {
        seen = { uid: live.metadata.uid, renewTime, at: clock.now() };
        options.onWait?.(`locked by ${holderOf(live)}; looking for ${Math.round(lasts / 1000)} s whether that run is alive`);
      } else if (renewTime !== seen.renewTime) {
        throw new LockedError(`another run of app ${app.id} is at work: ${holderOf(live)}; wait for its end, or end it; `
          + 'if there is no such run any more, see `cdk8s-harvester unlock`');
      } else if (clock.now() - seen.at >= lasts) {
        await take(cluster, app, live.metadata.uid, signal);
      }
      await clock.sleep(LOOK_MS, signal);
    }
  }

  private timer?: NodeJS.Timeout;
  private renewed: number;
  private released = false;

  private constructor(private readonly cluster: Cluster, private readonly app: App, private readonly run: Run, private readonly uid: string,
    private readonly options: LockOptions) {
    this.renewed = this.clock.now();
    this.timer = setInterval(() => { void this.renew(); }, RENEW_MS).unref();
  }

  /** Gives it back; nothing happens where it is no longer ours. */
  public async release(signal?: AbortSignal): Promise<void> {
    if (this.released) { return; }
    this.stop();
    await take(this.cluster, this.app, this.uid, signal);
  }

  private get clock(): Clock {
    return this.options.clock ?? PROCESS_CLOCK;
  }

  private async renew(): Promise<void> {
    if (this.released) { return; }
    const lease = this.run.lease();
    try {
      // with the uid, so that one which was taken away is not made anew
      await this.cluster.apply({ ...lease, metadata: { ...lease.metadata, uid: this.uid } }, {
        fieldManager: this.run.manager, deadlineMs: performance.now() + RENEW_MS,
      });
      this.renewed = this.clock.now();
    } catch (error) {
      const taken = error instanceof ApiError && ['conflict', 'precondition', 'not-found', 'invalid'].includes(error.failure);
      if (this.released || (!taken && this.clock.now() - this.renewed < LEASE_MS)) { return; }
      this.stop();
      this.options.onLost?.(taken ? 'another run took the lock over' : 'the lock could not be renewed in time, another run may have it');
    }
  }

  private stop(): void {
    this.released = true;
    clearInterval(this.timer);
  }
}

/** One run, as it signs its Lease. */
class Run {
  public readonly manager: string;
  private readonly id = randomUUID();
  private readonly since = microTime();

  public constructor(private readonly app: App) {
    this.manager = `${app.fieldManager}.lock.${this.id}`;
  }

  public lease(): Manifest {
    const { apiVersion, kind, namespace, name } = leaseOf(this.app);
    return {
      apiVersion,
      kind,
      metadata: { name, namespace, annotations: { [HOLDER]: `${userName()}@${hostname()} (process ${process.pid})`, [PROCESS]: `${process.pid} ${machine() ?? 'unknown'}` } },
      spec: { holderIdentity: this.id, leaseDurationSeconds: LEASE_MS / 1000, acquireTime: this.since, renewTime: microTime() },
    };
  }
}

async function take(cluster: Cluster, app: App, uid: string, signal?: AbortSignal): Promise<void> {
  try {
    await cluster.delete(leaseOf(app), uid, { signal });
  } catch (error) {
    // somebody was faster
    if (!(error instanceof ApiError) || error.failure !== 'precondition') { throw error; }
  }
}

/** Whether the holder was a process of this machine that is no more. */
function isGone({ metadata: { annotations = {} } }: LiveObject): boolean {
  const [pid, on] = (annotations[PROCESS] ?? '').split(' ');
  const here = machine();
  if (here === undefined || on !== here || !/^\d+$/.test(pid) || Number(pid) === process.pid) { return false; }
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** This machine since it was started, and the space of process numbers in it; undefined where nobody can tell. */
function machine(): string | undefined {
  try {
    return createHash('sha256').update(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')).update(readlinkSync('/proc/self/ns/pid')).digest('hex').slice(0, 16);
  } catch {
    return undefined;
  }
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}

/** @see k8s.io/apimachinery:pkg/apis/meta/v1/micro_time.go RFC3339Micro */
function microTime(): string {
  return new Date().toISOString().replace('Z', '000Z');
}
