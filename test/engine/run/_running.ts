import { AssemblyTarget } from '../../../src/core/output/assembly';
import { RunProgram } from '../../../src/engine/auth/run-program';
import { appOf, withMembership } from '../../../src/engine/fields/apply-set';
import { buildGraph } from '../../../src/engine/graph/build-graph';
import { inventoryReader, readInventory } from '../../../src/engine/inventory/inventory';
import { Plan } from '../../../src/engine/plan/plan';
import { ApplyRunOptions, applyProgram } from '../../../src/engine/run/apply-program';
import { RunEvent } from '../../../src/engine/run/context/events';
import { DestroyRunOptions, destroyProgram } from '../../../src/engine/run/destroy-program';
import { Clock } from '../../../src/engine/transport/pace';
import { rollsByImpact } from '../../../src/report/impact/cluster-impacts';
import { FakeCluster, fakeTargets } from '../../support/fake-cluster';
import { SmallProgram } from '../graph/_assemblies';
import { makePlan } from '../plan/_planning';

export const APP = appOf();

/** A clock whose waiting takes no time, and in which others get their turn. */
export class QuickClock implements Clock {
  private time = 0;

  /** Called whenever a step waits. */
  public constructor(private readonly onSleep?: (now: number) => void) {}

  public now(): number {
    return this.time;
  }

  public async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    if (signal?.aborted) {
      throw Object.assign(new Error('ended'), { name: 'AbortError' });
    }
    this.time += ms;
    this.onSleep?.(this.time);
  }
}

/** A fake cluster that reports its identity. */
export function fake(uid: string): FakeCluster {
  return new FakeCluster({ paths: { '/api/v1/namespaces/kube-system': { metadata: { uid } } } });
}

/** A program with its fake clusters, applied and destroyed over and over. */
export class Trial {
  public readonly events: RunEvent[] = [];
  public clusters: { [target: string]: FakeCluster };

  public constructor(
    public declared: SmallProgram,
    clusters?: { [target: string]: FakeCluster },
  ) {
    this.clusters =
      clusters ??
      Object.fromEntries(declared.targets.map(({ name }) => [name, fake(`uid-of-${name}`)]));
  }

  public get program(): RunProgram {
    const { assembly, manifests } = this.declared;
    const kinds: { [name: string]: AssemblyTarget } = Object.fromEntries(
      assembly.targets.map((target) => [target.name, target]),
    );
    return {
      folder: 'dist',
      digest: 'a1',
      assembly,
      manifests,
      targets: fakeTargets(this.clusters, kinds),
    };
  }

  public async apply(options: Partial<ApplyRunOptions> = {}) {
    const onEvent = (event: RunEvent): void => {
      this.events.push(event);
    };
    return applyProgram(this.program, {
      rolls: rollsByImpact,
      app: APP,
      clock: new QuickClock(),
      onEvent,
      ...options,
    });
  }

  public async plan(): Promise<Plan> {
    const { assembly, manifests, targets, digest } = this.program;
    return makePlan(
      { assembly, manifests, digest, targets, graph: buildGraph(assembly, manifests) },
      {
        fieldManager: APP.fieldManager,
        app: APP.id,
        inventory: inventoryReader(APP),
        finish: withMembership(APP),
      },
    );
  }

  public async destroy(options: Partial<DestroyRunOptions> = {}) {
    return destroyProgram(this.program, {
      app: APP,
      clock: new QuickClock(),
      onEvent: (event) => {
        this.events.push(event);
      },
      ...options,
    });
  }

  /** The ids that the inventory of a target names. */
  public async inventory(target: string): Promise<string[]> {
    return ((await readInventory(this.clusters[target], APP))?.entries ?? []).map(({ id }) => id);
  }

  /** The reported states of a node, in order. */
  public states(id: string): string[] {
    return this.events.flatMap((event) =>
      event.type === 'node' && event.id === id ? [event.state] : [],
    );
  }

  /** All reports, as text. */
  public get told(): string {
    return JSON.stringify(this.events);
  }

  public forget(): void {
    this.events.splice(0);
    for (const cluster of Object.values(this.clusters)) {
      cluster.calls.splice(0);
    }
  }
}

/** What was written to a cluster, without the bookkeeping. */
export function writes(cluster: FakeCluster): string[] {
  return cluster.calls
    .filter(
      ({ verb, what }) =>
        (verb === 'apply' || verb === 'delete') && !what.includes('cdk8s-harvester-'),
    )
    .map(({ verb, what }) => `${verb} ${what}`);
}

/** A program that was applied, and then changed. */
export async function appliedThen(before: SmallProgram, after: SmallProgram): Promise<Trial> {
  const trial = new Trial(before);
  expect((await trial.apply()).failed).toEqual([]);
  trial.declared = after;
  trial.forget();
  return trial;
}
