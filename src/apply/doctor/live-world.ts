import { ReadName } from './reads';
import { AssemblyTarget } from '../../model/assembly';
import { isRecord, valueAt } from '../../model/manifest';
import { LiveObject } from '../cluster/cluster';

/** What was read of one target. */
export interface SeenTarget {
  readonly target: AssemblyTarget;
  /** How it was reached, for people. */
  readonly by: string;
  /** Why nothing could be read at all. */
  readonly unreachable?: string;
  /** The cluster is yet to be made, so nothing is wrong with it. */
  readonly absent?: boolean;
  readonly seen: ReadonlyMap<ReadName, readonly LiveObject[]>;
  /** Why something could not be read. */
  readonly notSeen: ReadonlyMap<ReadName, string>;
}

/** One condition of an object's status. */
export interface Condition {
  readonly status: string;
  readonly message: string;
}

/** All that was read, of all targets, at one time. */
export class LiveWorld {
  public constructor(public readonly targets: readonly SeenTarget[], public readonly now: Date) {}

  public ofKind(kind: AssemblyTarget['kind']): readonly SeenTarget[] {
    return this.targets.filter(({ target }) => target.kind === kind);
  }

  /** Milliseconds since a time of the server's; undefined where it is none. */
  public since(time: unknown): number | undefined {
    const at = typeof time === 'string' ? Date.parse(time) : NaN;
    return Number.isNaN(at) ? undefined : this.now.getTime() - at;
  }
}

/** Whether all of this was read of a target. */
export function knows({ seen }: SeenTarget, ...reads: readonly ReadName[]): boolean {
  return reads.every((read) => seen.has(read));
}

/** What was read; nothing where it could not be. */
export function listOf({ seen }: SeenTarget, read: ReadName): readonly LiveObject[] {
  return seen.get(read) ?? [];
}

/** The value of a Setting of a target, of Rancher's or Harvester's kind; its default where it has none. */
export function settingOf(target: SeenTarget, name: string): string {
  const live = listOf(target, 'settings').find(({ metadata }) => metadata.name === name);
  return [live?.value, live?.default].find((text): text is string => typeof text === 'string' && text !== '') ?? '';
}

/** A condition of an object; undefined where it has none of that type. */
export function conditionOf(object: LiveObject, type: string): Condition | undefined {
  const conditions = valueAt(object, 'status', 'conditions');
  const found: unknown = Array.isArray(conditions) ? conditions.find((condition) => valueAt(condition, 'type') === type) : undefined;
  return isRecord(found) ? { status: String(found.status), message: typeof found.message === 'string' ? found.message : '' } : undefined;
}

/** A text below some keys; empty where there is none. */
export function textAt(value: unknown, ...keys: string[]): string {
  const text = valueAt(value, ...keys);
  return typeof text === 'string' ? text : '';
}

/** What a Secret holds under a key, as text; undefined where it has none. */
export function secretText(secret: LiveObject, key: string): string | undefined {
  const encoded = valueAt(secret, 'data', key);
  return typeof encoded === 'string' && encoded !== '' ? Buffer.from(encoded, 'base64').toString('utf8') : undefined;
}

/** The id of the management cluster that a provisioning Cluster is; empty where Rancher has given it none yet. */
export function clusterIdOf(cluster: LiveObject): string {
  return textAt(cluster, 'status', 'clusterName');
}
