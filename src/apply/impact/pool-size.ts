import { Impact, Pair, shown, Sides, Where } from './impact';
import { AUTOSCALER_MAX, AUTOSCALER_MIN } from '../../model/machine-config/names';
import { objectLabel, valueAt } from '../../model/manifest';
import { sameValue } from '../../model/same-value';
import { Pool, poolsOf } from '../../rules/guest-cluster-parts';
import { JudgedObject } from '../../rules/rule';

/** What says how many machines a pool has: a number, or the bounds of an autoscaler. */
interface Size {
  readonly quantity: unknown;
  readonly min: unknown;
  readonly max: unknown;
}

/** The size of a pool; before Rancher 2.13 an autoscaler is bounded by annotations alone. */
function sizeOf({ fields }: Pool): Size {
  const annotations = fields.machineDeploymentAnnotations;
  return {
    quantity: fields.quantity ?? undefined,
    min: fields.autoscalingMinSize ?? valueAt(annotations, AUTOSCALER_MIN) ?? undefined,
    max: fields.autoscalingMaxSize ?? valueAt(annotations, AUTOSCALER_MAX) ?? undefined,
  };
}

/** How many machines a pool has; undefined where an autoscaler decides, or the number is yet to come. */
export function machinesOf(pool: Pool): number | undefined {
  const { quantity, min } = sizeOf(pool);
  if (typeof quantity === 'number') { return quantity; }
  return quantity === undefined && min === undefined ? 1 : undefined;
}

/** The number of machines, as a part of what is told. */
export function count(machines: number | undefined): { readonly machines?: number } {
  return machines === undefined ? {} : { machines };
}

/** What an edit does to the number of machines of a pool. */
export function* sizeImpacts(was: Pool, is: Pool, { before, after }: Pair, sides: Sides, where: Where): Iterable<Impact> {
  const [old, now] = [machinesOf(was), machinesOf(is)];
  const object = objectLabel(after.manifest);
  if (old === undefined || now === undefined) {
    yield* unsureImpact(was, is, object, sides, where);
    return;
  }
  if (old === now) { return; }
  const causes = [{ object, path: `${is.path}.quantity`, ...shown(was.fields.quantity ?? 1, is.fields.quantity ?? 1) }];
  yield now > old
    ? { ...where, effect: 'create', machines: now - old, what: 'the pool grows', causes, risks: [] }
    : {
      ...where,
      effect: 'delete',
      machines: old - now,
      what: 'the pool shrinks: machines are deleted with their disks',
      causes,
      risks: roleRisks(was, old - now, before),
    };
}

/** A pool that an autoscaler scales, or whose number is yet to come: whether an edit leaves it as many machines as it has. */
function* unsureImpact(was: Pool, is: Pool, object: string, sides: Sides, where: Where): Iterable<Impact> {
  const [old, now] = [sizeOf(was), sizeOf(is)];
  // within its bounds an autoscaler does as it likes, with or without the edit
  if (sameValue(sides.before.resolved(old), sides.after.resolved(now)) || (isScaled(old) && isScaled(now))) { return; }
  if (mostOf(old) <= leastOf(now)) { return; }
  yield {
    ...where,
    effect: 'unknown',
    what: `can not be told: the number of machines is ${isScaled(now) || isScaled(old) ? 'up to an autoscaler' : 'not known yet'}`,
    causes: [{ object, path: `${is.path}.quantity`, ...shown(old.quantity, now.quantity) }],
    risks: ['if the pool keeps fewer machines than it has, the others are deleted with their disks'],
  };
}

function isScaled({ quantity, min }: Size): boolean {
  return quantity === undefined && min !== undefined;
}

function leastOf(size: Size): number {
  return numberOf(isScaled(size) ? size.min : size.quantity ?? 1) ?? 0;
}

function mostOf(size: Size): number {
  return numberOf(isScaled(size) ? size.max : size.quantity ?? 1) ?? Infinity;
}

// annotations hold numbers as text
function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value)) ? Number(value) : undefined;
}

/** The roles that a cluster loses with machines of a pool. */
export function roleRisks(pool: Pool, gone: number | undefined, cluster: JudgedObject): string[] {
  return ([['etcdRole', 'etcd'], ['controlPlaneRole', 'control plane']] as const).flatMap(([role, name]): string[] => {
    if (pool.fields[role] !== true || gone === undefined) { return []; }
    const all = poolsOf(cluster.manifest).filter(({ fields }) => fields[role] === true).reduce((sum, other) => sum + (machinesOf(other) ?? 0), 0);
    if (gone >= all) {
      return [`all ${all} machines with ${name} go${role === 'etcdRole' ? ': all data of the cluster is on them, take a snapshot of etcd first' : ''}`];
    }
    return role === 'etcdRole' && gone > Math.floor((all - 1) / 2) ? [`${gone} of ${all} machines with etcd go: the others have no majority`] : [];
  });
}
