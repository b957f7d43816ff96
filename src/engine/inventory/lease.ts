import { createHash, randomUUID } from 'crypto';
import { readFileSync, readlinkSync } from 'fs';
import { hostname, userInfo } from 'os';
import { Manifest, valueAt } from '../../core/manifest/manifest';
import { attempt } from '../../core/text/values';
import { Cluster, LiveObject, ObjectRef } from '../cluster/cluster';
import { EngineError } from '../engine-error';
import { App } from '../fields/apply-set';
import { isFailure, onFailure } from '../transport/api';
import { Clock, PROCESS_CLOCK } from '../transport/pace';

/**
 * Annotations on the Lease: its holder for users, and the process for other runs on the same
 * machine.
 */
const HOLDER = 'cdk8s-harvester/holder';
const PROCESS = 'cdk8s-harvester/process';

/**
 * Duration of a Lease without renewal, interval of renewals, and interval of checks while waiting.
 */
const LEASE_MS = 60_000;
const RENEW_MS = 20_000;
const LOOK_MS = 2_000;

interface LockOptions {
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  /** Receives the holder that it waits for. */
  readonly onWait?: (message: string) => void;
  /** Called when the lock is lost: nothing more must be written. */
  readonly onLost?: (message: string) => void;
}

/** Another active run holds the lock. */
class LockedError extends EngineError {
  public constructor(message: string) {
    super('locked', message);
  }
}

/** The Lease of an app's lock. */
export function leaseOf({ parent }: App): ObjectRef {
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...parent };
}

/** The holder of a lock and since when, for messages. */
export function holderOf(lease: LiveObject): string {
  const by =
    lease.metadata.annotations?.[HOLDER] ??
    String(valueAt(lease, 'spec', 'holderIdentity') ?? 'an unknown holder');
  return `${by} since ${String(valueAt(lease, 'spec', 'acquireTime') ?? 'an unknown time')}`;
}

/**
 * The lock that allows one run of an app at a time: a Lease whose holder is a field with one field
 * manager, so that the server decides who gets it.
 *
 * A Lease without renewal is taken after its duration on this machine's clock, independent of the
 * holder's clock; at once if its holder was a process of this machine that has ended.
 */
export class Lock {
  /** Acquires the lock. Throws a LockedError if another run holds it. */
  public static async acquire(
    cluster: Cluster,
    app: App,
    options: LockOptions = {},
  ): Promise<Lock> {
    const { signal, clock = PROCESS_CLOCK } = options;
    const run = new Run(app);
    let seen:
      { readonly uid: string; readonly renewTime: unknown; readonly at: number } | undefined;
    for (;;) {
      try {
        const { object } = await cluster.apply(run.lease(), { fieldManager: run.manager, signal });
        return new Lock(cluster, app, run, object.metadata.uid, options);
      } catch (error) {
        if (!isFailure(error, 'conflict')) {
          throw error;
        }
      }
      const live = await cluster.read(leaseOf(app), { signal });
      if (!live) {
        continue;
      }
      const renewTime = valueAt(live, 'spec', 'renewTime');
      const lasts = Number(valueAt(live, 'spec', 'leaseDurationSeconds')) * 1000 || LEASE_MS;
      if (isGone(live)) {
        await take(cluster, app, live.metadata.uid, signal);
      } else if (seen?.uid !== live.metadata.uid) {
        seen = { uid: live.metadata.uid, renewTime, at: clock.now() };
        options.onWait?.(
          `locked by ${holderOf(live)}; checking for ${Math.round(lasts / 1000)} s whether that run is active`,
        );
      } else if (renewTime !== seen.renewTime) {
        throw new LockedError(
          `another run of app ${app.id} is active: ${holderOf(live)}. Fix: wait until it ends, or end it; ` +
            'if it no longer runs, use `cdk8s-harvester unlock`',
        );
      } else if (clock.now() - seen.at >= lasts) {
        await take(cluster, app, live.metadata.uid, signal);
      }
      await clock.sleep(LOOK_MS, signal);
    }
  }

  private timer?: NodeJS.Timeout;
  private renewed: number;
  private released = false;

  private constructor(
    private readonly cluster: Cluster,
    private readonly app: App,
    private readonly run: Run,
    private readonly uid: string,
    private readonly options: LockOptions,
  ) {
    this.renewed = this.clock.now();
    this.timer = setInterval(() => {
      void this.renew();
    }, RENEW_MS).unref();
  }

  /** Releases the lock; does nothing if it is lost. */
  public async release(signal?: AbortSignal): Promise<void> {
    if (this.released) {
      return;
    }
    this.stop();
    await take(this.cluster, this.app, this.uid, signal);
  }

  private get clock(): Clock {
    return this.options.clock ?? PROCESS_CLOCK;
  }

  private async renew(): Promise<void> {
    if (this.released) {
      return;
    }
    const lease = this.run.lease();
    try {
      // the UID prevents that a deleted Lease is recreated
      await this.cluster.apply(
        { ...lease, metadata: { ...lease.metadata, uid: this.uid } },
        {
          fieldManager: this.run.manager,
          deadlineMs: performance.now() + RENEW_MS,
        },
      );
      this.renewed = this.clock.now();
    } catch (error) {
      const taken = isFailure(error, 'conflict', 'precondition', 'not-found', 'invalid');
      if (this.released || (!taken && this.clock.now() - this.renewed < LEASE_MS)) {
        return;
      }
      this.stop();
      this.options.onLost?.(
        taken
          ? 'another run took the lock'
          : 'the lock could not be renewed in time; another run may hold it',
      );
    }
  }

  private stop(): void {
    this.released = true;
    clearInterval(this.timer);
  }
}

/** The identity of a run in its Lease. */
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
      metadata: {
        name,
        namespace,
        annotations: {
          [HOLDER]: `${attempt(() => userInfo().username) ?? 'unknown'}@${hostname()} (process ${process.pid})`,
          [PROCESS]: `${process.pid} ${machine() ?? 'unknown'}`,
        },
      },
      spec: {
        holderIdentity: this.id,
        leaseDurationSeconds: LEASE_MS / 1000,
        acquireTime: this.since,
        renewTime: microTime(),
      },
    };
  }
}

async function take(cluster: Cluster, app: App, uid: string, signal?: AbortSignal): Promise<void> {
  // another run may be faster
  await cluster
    .delete(leaseOf(app), uid, { signal })
    .catch(onFailure(['precondition'], () => undefined));
}

/** Whether the holder was a process of this machine that has ended. */
function isGone({ metadata }: LiveObject): boolean {
  const { annotations = {} } = metadata;
  const [pid, on] = (annotations[PROCESS] ?? '').split(' ');
  const here = machine();
  if (here === undefined || on !== here || !/^\d+$/.test(pid) || Number(pid) === process.pid) {
    return false;
  }
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** The boot and PID namespace of this machine; undefined if unknown. */
function machine(): string | undefined {
  return attempt(() =>
    createHash('sha256')
      .update(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'))
      .update(readlinkSync('/proc/self/ns/pid'))
      .digest('hex')
      .slice(0, 16),
  );
}

/** @see k8s.io/apimachinery:pkg/apis/meta/v1/micro_time.go RFC3339Micro */
function microTime(): string {
  return new Date().toISOString().replace('Z', '000Z');
}
