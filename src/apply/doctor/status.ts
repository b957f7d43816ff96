import { wordsOf } from './words';
import { AssemblyObject } from '../../model/assembly';
import { compare } from '../../model/compare';
import { isLate } from '../../model/late-token';
import { BoundTarget, BoundTargets } from '../bind/targets';
import { Cluster, ObjectRef, RequestOptions } from '../cluster/cluster';
import { inParallel } from '../plan/in-parallel';
import { plainText } from '../plan/plan-summary';
import { LoadedAssembly } from '../read/load-assembly';
import { readinessOf } from '../ready/readiness';
import { App } from '../run/app';
import { readInventory } from '../run/inventory';
import { holderOf, leaseOf } from '../run/lease';
import { ApiError } from '../transport/api';

/**
 * How one object is: `leftover` was applied before and is no longer declared, the next apply takes it away; `unknown` waits for a late name, or
 * could not be read.
 */
export type ObjectState = 'ready' | 'waiting' | 'failing' | 'failed' | 'missing' | 'leftover' | 'unknown';

export interface ObjectStatus {
  readonly id: string;
  readonly object: string;
  readonly state: ObjectState;
  /** In the words of the object, without what is secret. */
  readonly why?: string;
}

export interface TargetStatus {
  readonly name: string;
  readonly by: string;
  /** Why it could not be asked. */
  readonly unreachable?: string;
  /** How many objects earlier applies of this app left there; undefined where there was none. */
  readonly applied?: number;
  /** Who applies right now. */
  readonly lockedBy?: string;
  readonly objects: readonly ObjectStatus[];
}

const CONCURRENCY = 8;

interface Asked extends ObjectRef {
  readonly id: string;
  readonly leftover: boolean;
}

/** How the objects of a program are on the live clusters. Nothing is written. */
export async function statusOf(program: LoadedAssembly, targets: BoundTargets, app: App, options: RequestOptions = {}): Promise<TargetStatus[]> {
  return Promise.all([...targets.values()].map(async (bound) => targetStatus(bound, program.assembly.objects, app, options)));
}

async function targetStatus(bound: BoundTarget, all: readonly AssemblyObject[], app: App, options: RequestOptions): Promise<TargetStatus> {
  const { target: { name }, by } = bound;
  const objects = all.filter(({ target }) => target === name);
  try {
    const cluster = await bound.cluster(options.signal);
    const inventory = await readInventory(cluster, app, options.signal);
    const lockedBy = await lockOf(cluster, app, options);
    const declared = new Set(objects.map(({ id }) => id));
    const asked: Asked[] = [
      ...objects.map((object) => ({ ...object, leftover: false })),
      ...(inventory?.entries ?? []).filter(({ id }) => !declared.has(id)).map((entry) => ({ ...entry, leftover: true })),
    ];
    const found = await inParallel(asked, () => name, CONCURRENCY, async (each) => objectStatus(each, cluster, options), options.signal);
    const states = found.flatMap((status) => status ?? []).sort((a, b) => compare(a.id, b.id));
    const applied = inventory ? { applied: inventory.entries.length } : {};
    return { name, by, ...applied, ...(lockedBy === undefined ? {} : { lockedBy }), objects: states };
  } catch (error) {
    if (options.signal?.aborted) { throw error; }
    return { name, by, unreachable: (error as Error).message, objects: [] };
  }
}

async function lockOf(cluster: Cluster, app: App, options: RequestOptions): Promise<string | undefined> {
  try {
    const lease = await cluster.read(leaseOf(app), options);
    return lease && holderOf(lease);
  } catch (error) {
    if (error instanceof ApiError && error.failure === 'forbidden') { return undefined; }
    throw error;
  }
}

async function objectStatus(asked: Asked, cluster: Cluster, options: RequestOptions): Promise<ObjectStatus | undefined> {
  const { id, apiVersion, kind, namespace, name, leftover } = asked;
  const ref: ObjectRef = { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
  const status = { id, object: `${kind} ${namespace ? `${namespace}/` : ''}${name}` };
  if (isLate(name) || isLate(namespace)) { return { ...status, state: 'unknown', why: 'its name is known only after another object is live' }; }
  try {
    const live = await cluster.read(ref, options);
    // gone already: nothing is left to do
    if (!live) { return leftover ? undefined : { ...status, state: 'missing', why: 'is not there' }; }
    if (leftover) { return { ...status, state: 'leftover', why: 'is no longer declared' }; }
    const { state, why } = readinessOf(live);
    return { ...status, state, ...(why === '' ? {} : { why: wordsOf(why, live) }) };
  } catch (error) {
    if (!(error instanceof ApiError) || error.failure !== 'forbidden') { throw error; }
    return { ...status, state: 'unknown', why: error.message };
  }
}

/** Whether everything that is declared is there and ready. */
export function isAllReady(statuses: readonly TargetStatus[]): boolean {
  return statuses.every(({ unreachable, objects }) => unreachable === undefined && objects.every(({ state }) => state === 'ready' || state === 'leftover'));
}

const STATES: readonly (readonly [state: ObjectState, words: string])[] = [
  ['failed', 'failed'], ['failing', 'failing'], ['missing', 'not there'], ['waiting', 'not ready'], ['unknown', 'not known'], ['leftover', 'no longer declared'], ['ready', 'ready'],
];

/** For people: a line a target, and one for each object that is not ready. */
export function statusText(statuses: readonly TargetStatus[], options: { readonly all?: boolean } = {}): string {
  return statuses.flatMap(({ name, by, unreachable, applied, lockedBy, objects }) => {
    if (unreachable !== undefined) { return [`${plainText(name)} (${plainText(by)}): not reached: ${plainText(unreachable)}`]; }
    const counts = STATES.flatMap(([state, words]) => {
      const count = objects.filter((object) => object.state === state).length;
      return count > 0 ? [`${count} ${words}`] : [];
    }).join(', ') || 'nothing is declared';
    const told = STATES.filter(([state]) => options.all || state !== 'ready').flatMap(([state, words]) => objects.filter((object) => object.state === state)
      .map(({ object, why }) => `  ${words}  ${plainText(object)}${why === undefined ? '' : `: ${plainText(why)}`}`));
    return [
      `${plainText(name)} (${plainText(by)}): ${counts}; ${applied === undefined ? 'never applied by this app' : `${applied} in the inventory`}`,
      ...(lockedBy === undefined ? [] : [`  locked by ${plainText(lockedBy)}`]),
      ...told,
    ];
  }).join('\n');
}
