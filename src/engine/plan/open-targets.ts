import { Plan, PlanTarget } from './plan';
import { API_VERSIONS } from '../../core/manifest/names';
import { Assembly, AssemblyObject } from '../../core/output/assembly';
import { remembered } from '../../core/text/values';
import { BoundTarget, BoundTargets, Cluster, clusterUid, ListedObjects, LiveObject, ObjectRef } from '../cluster/cluster';
import { Inventory, InventoryEntry } from '../inventory/inventory';
import { isFailure, onFailure } from '../transport/api';

/** A target and its cluster, or why it has none. */
interface OpenTarget {
  readonly bound: BoundTarget;
  readonly cluster?: Cluster;
  readonly plan: PlanTarget;
}

/** The clusters of a plan. Each object is read once. */
export class OpenTargets {
  private readonly opened = new Map<string, Promise<OpenTarget>>();
  private readonly objects = new Map<string, Promise<LiveObject | undefined>>();
  private readonly listed = new Map<string, ListedObjects>();

  public constructor(private readonly targets: BoundTargets, private readonly signal?: AbortSignal) {}

  public async open(name: string): Promise<OpenTarget> {
    return remembered(this.opened, name, async () => this.connect(name));
  }

  /** Reads the objects of a target by lists from now on, where that takes fewer requests. */
  public readBy(target: string, listed: ListedObjects): void {
    this.listed.set(target, listed);
  }

  /** The live object; undefined if it or its cluster does not exist. */
  public async read(target: string, ref: ObjectRef): Promise<LiveObject | undefined> {
    const { cluster } = await this.open(target);
    if (!cluster) { return undefined; }
    const key = JSON.stringify([target, ref.apiVersion, ref.kind, ref.namespace ?? '', ref.name]);
    return remembered(this.objects, key, async () => (this.listed.get(target) ?? cluster).read(ref, { signal: this.signal }));
  }

  private async connect(name: string): Promise<OpenTarget> {
    const bound = this.targets.get(name);
    if (!bound) { throw new Error(`target ${name}: must be bound to a cluster. Fix: set --context ${name}=<context>`); }
    const about = { name, by: bound.by, version: bound.target.version };
    const absent = await this.absence(bound);
    if (absent) { return { bound, plan: { ...about, absent } }; }
    try {
      const cluster = await bound.cluster(this.signal);
      // an identity that cannot read kube-system can still plan
      const uid = await clusterUid(cluster, { signal: this.signal }).catch(onFailure(['forbidden', 'not-found'], () => undefined));
      return { bound, cluster, plan: { ...about, ...(uid ? { clusterUid: uid } : {}) } };
    } catch (error) {
      // Rancher has not written the credentials of this guest cluster yet
      if (bound.target.kind !== 'guest' || !isFailure(error, 'not-found', 'blocked')) { throw error; }
      return { bound, plan: { ...about, absent: `the cluster cannot be reached yet: ${error.message}` } };
    }
  }

  // a guest cluster that Rancher has not created yet has no kubeconfig to ask for
  private async absence({ target: { kind, properties } }: BoundTarget): Promise<string | undefined> {
    const [namespace, name] = properties.provisioningCluster?.split('/') ?? [];
    if (kind !== 'guest' || !name || !properties.rancher || !this.targets.has(properties.rancher)) { return undefined; }
    const absent = `the cluster does not exist yet: ${properties.rancher} has no Cluster ${namespace}/${name}`;
    // a guest with its own context can still be reached; for the others, connecting fails and reports where
    return this.read(properties.rancher, { apiVersion: API_VERSIONS.PROVISIONING, kind: 'Cluster', namespace, name })
      .then((live) => (live ? undefined : absent), onFailure(['forbidden'], () => undefined));
  }
}

/** The error for a target that is bound to another cluster than in the previous run. */
export function otherCluster(target: string, by: string, now: string, before: string): string {
  return `target ${target} (${by}): must be the cluster of the previous run (kube-system UID ${before}), got another one (${now}). `
    + `Fix: bind it to the previous cluster, or, if that was recreated, set --accept-new-cluster ${target}`;
}

/**
 * The targets that are bound to another cluster than the one in the inventories: the target by message.
 *
 * @param accepted targets whose cluster may have been recreated
 */
export function otherClusters(
  inventories: readonly Pick<Inventory, 'clusterUids'>[], targets: readonly Pick<PlanTarget, 'name' | 'by' | 'clusterUid'>[], accepted: readonly string[] = [],
): ReadonlyMap<string, string> {
  return new Map(inventories.flatMap(({ clusterUids = {} }) => targets.flatMap(({ name, by, clusterUid: now }) => {
    const before = clusterUids[name];
    return now === undefined || before === undefined || now === before || accepted.includes(name)
      ? [] : [[otherCluster(name, by, now, before), name] as const];
  })));
}

/**
 * The error for a program that is probably not the one that its app applied before, or empty by mistake: it declares none of the objects that would be
 * deleted. Settings and kept objects are alike in all programs for a cluster, so they matter only if there is nothing else.
 */
export function otherProgram(app: string, before: readonly InventoryEntry[], objects: readonly Pick<AssemblyObject, 'id'>[]): string | undefined {
  const declared = new Set(objects.map(({ id }) => id));
  const members = before.filter(({ policy }) => policy === 'delete');
  const counted = members.length > 0 ? members : before;
  if (counted.length === 0 || counted.some(({ id }) => declared.has(id))) { return undefined; }
  const fate = `would be ${members.length > 0 ? 'deleted' : 'reset'}`;
  const what = counted.length === 1
    ? `this program does not declare the only object that app ${app} applied before: it ${fate}`
    : `this program declares none of the ${counted.length} objects that app ${app} applied before: all of them ${fate}`;
  return `${what}. Fix: if this is another program, set its own --app; if you want to delete them, set --allow-empty, or use destroy`;
}

/** Throws if an option names an object that neither the program nor an inventory contains. */
export function checkNamed(option: string, ids: readonly string[] = [], { objects }: Assembly, before: readonly InventoryEntry[]): void {
  const known = new Set([...objects, ...before].map(({ id }) => id));
  const wrong = ids.filter((id) => !known.has(id));
  if (wrong.length === 0) { return; }
  throw new Error(`${option}: must be the ID of an object, got ${wrong.join(', ')}. Fix: use the IDs that plan prints next to conflicts and refusals, e.g. ${objects[0]?.id ?? 'rancher//Namespace//shop'}`);
}

/** The objects whose fields an apply of a saved plan takes from other field managers: exactly those of the plan. */
export function forcedByPlan({ forceConflicts: planned = [] }: Pick<Plan, 'forceConflicts'>, given: readonly string[] = []): readonly string[] {
  const more = given.filter((id) => !planned.includes(id));
  if (more.length > 0) {
    throw new Error(`the plan takes no fields of ${more.join(', ')} from other field managers. Fix: make a new plan with ${more.map(forceOption).join(' ')}, and apply it without the option`);
  }
  return planned;
}

/** The option, quoted for a shell. */
export function forceOption(id: string): string {
  return `--force-conflicts '${id}'`;
}
