import { Plan, PlanTarget } from './plan';
import { API_VERSIONS } from '../../core/manifest/names';
import { Assembly, AssemblyObject } from '../../core/output/assembly';
import { BoundTarget, BoundTargets, Cluster, LiveObject, ObjectRef, clusterUid } from '../cluster/cluster';
import { ListedObjects } from '../cluster/listed-objects';
import { Inventory, InventoryEntry } from '../inventory/inventory-reader';
import { ApiError } from '../transport/api';

/** A target while a plan is made: its cluster, or why there is none. */
export interface OpenTarget {
  readonly bound: BoundTarget;
  readonly cluster?: Cluster;
  readonly plan: PlanTarget;
}

/** The clusters of a plan. Objects are read once, who ever asks. */
export class OpenTargets {
  private readonly opened = new Map<string, Promise<OpenTarget>>();
  private readonly objects = new Map<string, Promise<LiveObject | undefined>>();
  private readonly listed = new Map<string, ListedObjects>();

  public constructor(private readonly targets: BoundTargets, private readonly signal?: AbortSignal) {}

  public async open(name: string): Promise<OpenTarget> {
    let opening = this.opened.get(name);
    if (!opening) {
      opening = this.connect(name);
      this.opened.set(name, opening);
    }
    return opening;
  }

  /** From now on the objects of a target are read by lists where that is better. */
  public readBy(target: string, listed: ListedObjects): void {
    this.listed.set(target, listed);
  }

  /** Undefined where it is not there, or its cluster is not. */
  public async read(target: string, ref: ObjectRef): Promise<LiveObject | undefined> {
    const { cluster } = await this.open(target);
    if (!cluster) { return undefined; }
    const key = JSON.stringify([target, ref.apiVersion, ref.kind, ref.namespace ?? '', ref.name]);
    let reading = this.objects.get(key);
    if (!reading) {
      reading = (this.listed.get(target) ?? cluster).read(ref, { signal: this.signal });
      this.objects.set(key, reading);
    }
    return reading;
  }

  private async connect(name: string): Promise<OpenTarget> {
    const bound = this.targets.get(name);
    if (!bound) { throw new Error(`target ${name} has no cluster: bind it, e.g. by --context ${name}=<context>`); }
    const about = { name, by: bound.by, version: bound.target.version };
    const absent = await this.absence(bound);
    if (absent) { return { bound, plan: { ...about, absent } }; }
    try {
      const cluster = await bound.cluster(this.signal);
      const uid = await this.uidOf(cluster);
      return { bound, cluster, plan: { ...about, ...(uid ? { clusterUid: uid } : {}) } };
    } catch (error) {
      // a guest whose credentials Rancher has not written yet
      if (bound.target.kind !== 'guest' || !(error instanceof ApiError) || !['not-found', 'blocked'].includes(error.failure)) { throw error; }
      return { bound, plan: { ...about, absent: `the cluster can't be reached yet: ${error.message}` } };
    }
  }

  // a guest that Rancher is yet to make has no kubeconfig: nobody asks for it
  private async absence({ target: { kind, properties } }: BoundTarget): Promise<string | undefined> {
    const [namespace, name] = properties.provisioningCluster?.split('/') ?? [];
    if (kind !== 'guest' || !name || !properties.rancher || !this.targets.has(properties.rancher)) { return undefined; }
    try {
      const live = await this.read(properties.rancher, { apiVersion: API_VERSIONS.PROVISIONING, kind: 'Cluster', namespace, name });
      return live ? undefined : `the cluster is yet to be made: Cluster ${namespace}/${name} is not on ${properties.rancher}`;
    } catch (error) {
      // one with a context of its own is reached all the same; the others are refused by their connection, which says where
      if (error instanceof ApiError && error.failure === 'forbidden') { return undefined; }
      throw error;
    }
  }

  // an identity that may not read kube-system can still plan
  private async uidOf(cluster: Cluster): Promise<string | undefined> {
    try {
      return await clusterUid(cluster, { signal: this.signal });
    } catch (error) {
      if (error instanceof ApiError && (error.failure === 'forbidden' || error.failure === 'not-found')) { return undefined; }
      throw error;
    }
  }
}

/** Why a run does not begin: a target is bound to another cluster than in the run before. */
export function otherCluster(target: string, by: string, now: string, before: string): string {
  return `target ${target} (${by}) is another cluster than before (uid of kube-system ${now}, was ${before}); bind it to the cluster of before, `
    + `or, where that was made anew, give --accept-new-cluster ${target}`;
}

/**
 * Targets that are bound to another cluster than the one that inventories of the app name: the messages, with the target of each.
 *
 * @param accepted targets whose cluster may be another one
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
 * Why a program is most likely not the one that its app applied before, or empty by mistake: it has none of the objects that would be deleted. Settings
 * and what is left alone are alike in all programs for a cluster; they count where there is nothing else.
 */
export function otherProgram(app: string, before: readonly InventoryEntry[], objects: readonly Pick<AssemblyObject, 'id'>[]): string | undefined {
  const declared = new Set(objects.map(({ id }) => id));
  const members = before.filter(({ policy }) => policy === 'delete');
  const counted = members.length > 0 ? members : before;
  if (counted.length === 0 || counted.some(({ id }) => declared.has(id))) { return undefined; }
  const what = `would be ${members.length > 0 ? 'deleted' : 'reset'}`;
  const says = counted.length === 1
    ? `the only object that app ${app} applied before is not in this program: it ${what}`
    : `none of the ${counted.length} objects that app ${app} applied before is in this program: all of them ${what}`;
  return `${says}; if this is another program, give it its own --app; if it shall really be so, give --allow-empty, or use destroy`;
}

/** Throws where an option names an object that neither the program has nor what was applied before. */
export function checkNamed(option: string, ids: readonly string[] = [], { objects }: Assembly, before: readonly InventoryEntry[]): void {
  const known = new Set([...objects, ...before].map(({ id }) => id));
  const wrong = ids.filter((id) => !known.has(id));
  if (wrong.length === 0) { return; }
  throw new Error(`${option}: no such object: ${wrong.join(', ')}; give ids as plan prints them beside conflicts, e.g. ${objects[0]?.id ?? 'rancher//Namespace//shop'}`);
}

/** The objects whose fields an apply of a saved plan takes from other managers: those that it was made with, and no others. */
export function forcedByPlan({ forceConflicts: planned = [] }: Pick<Plan, 'forceConflicts'>, given: readonly string[] = []): readonly string[] {
  const more = given.filter((id) => !planned.includes(id));
  if (more.length > 0) {
    throw new Error(`the plan takes no fields of ${more.join(', ')} from other managers: make a new plan with ${more.map(forceOption).join(' ')}; apply then needs no option`);
  }
  return planned;
}

/** The option as a shell takes it. */
export function forceOption(id: string): string {
  return `--force-conflicts '${id}'`;
}
