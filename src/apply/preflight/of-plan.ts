import { explained, preflight, Preflight, PreflightInput } from './preflight';
import { Cluster } from '../cluster/cluster';
import { Inventory, InventoryReader } from '../plan/inventory-reader';
import { Plan } from '../plan/plan';
import { App } from '../run/app';
import { Program } from '../run/run-context';

/** The rights that an apply of a plan needs, beside the plan itself. */
export class PlanRights {
  private readonly inventories = new Map<string, Inventory>();

  public constructor(private readonly program: Program, private readonly app: App, private readonly signal?: AbortSignal) {}

  /** Reads inventories as another reader does, and remembers them. */
  public reading(read: InventoryReader): InventoryReader {
    return async (cluster, target, signal) => {
      const found = await read(cluster, target, signal);
      if (found) { this.inventories.set(target.name, found); }
      return found;
    };
  }

  public async of(plan: Plan): Promise<Preflight> {
    const there = plan.targets.filter(({ absent }) => absent === undefined).map(({ name }) => name);
    const gone = new Set(plan.steps.filter(({ action, refused }) => (action === 'prune' || action === 'reset') && refused === undefined).map(({ id }) => id));
    return preflight(await this.input(there, gone));
  }

  /** What to tell where no plan could be made: all that is missing, and not only what came first. */
  public async explained(error: unknown): Promise<unknown> {
    return explained(error, await this.input(this.program.assembly.targets.filter(({ kind }) => kind !== 'guest').map(({ name }) => name), new Set()));
  }

  private async input(there: readonly string[], gone: ReadonlySet<string>): Promise<PreflightInput> {
    const { program: { assembly, manifests, targets }, app, inventories, signal } = this;
    const clusters = new Map<string, Cluster>();
    for (const name of there) {
      // one that is not reached is what the plan ended with
      const cluster = await targets.get(name)?.cluster(signal).catch(() => undefined);
      if (cluster) { clusters.set(name, cluster); }
    }
    return {
      app,
      manifests,
      clusters,
      signal,
      bound: targets,
      targets: assembly.targets,
      written: assembly.objects,
      lateValues: assembly.lateValues,
      gone: [...inventories].flatMap(([target, { entries }]) => entries.filter(({ id }) => gone.has(id)).map((entry) => ({ target, entry }))),
      ends: false,
      entry: (target, id) => inventories.get(target)?.entries.find((entry) => entry.id === id),
    };
  }
}
