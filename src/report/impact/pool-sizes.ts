import {
  Cause,
  Impact,
  MachineRange,
  Pair,
  Sides,
  Where,
  impactOn,
  rangeText,
  shown,
} from './impact';
import { objectLabel, sameValue } from '../../core/manifest/manifest';
import { show } from '../../core/problem/problem';
import { JudgedObject } from '../../core/rule/rule';
import { ClusterPool, poolsOf } from '../../guest/cluster/cluster-reader.facts';
import {
  PoolSize,
  isScaled,
  leastOf,
  machinesOfPool,
  mostOf,
  poolSizeOf,
} from '../../guest/machine-pool/pool-size.facts';

/**
 * The number of machines of a pool: the bounds where an autoscaler decides, nothing where it is yet
 * to come.
 */
export function countOf(
  pool: ClusterPool,
  machines = machinesOfPool(pool),
): Pick<Impact, 'machines' | 'scaled'> {
  if (machines !== undefined) {
    return { machines };
  }
  const size = poolSizeOf(pool);
  return isScaled(size) ? { scaled: rangeOf(size) } : {};
}

function rangeOf(size: PoolSize): MachineRange {
  const max = mostOf(size);
  return { min: leastOf(size), ...(Number.isFinite(max) ? { max } : {}) };
}

/** What an edit does to the number of machines of a pool. */
export function* sizeImpacts(
  was: ClusterPool,
  is: ClusterPool,
  { before, after }: Pair,
  sides: Sides,
  where: Where,
): Iterable<Impact> {
  const [old, now] = [machinesOfPool(was), machinesOfPool(is)];
  const object = objectLabel(after.manifest);
  if (old === undefined || now === undefined) {
    yield* unsureImpact(was, is, object, sides, where);
    return;
  }
  if (old === now) {
    return;
  }
  const causes = [
    {
      object,
      path: `${is.path}.quantity`,
      ...shown(was.fields.quantity ?? 1, is.fields.quantity ?? 1),
    },
  ];
  yield now > old
    ? impactOn(where, 'create', 'the pool grows', { machines: now - old, causes })
    : impactOn(where, 'delete', 'the pool shrinks: machines are deleted with their disks', {
        machines: old - now,
        causes,
        risks: roleRisks(was, old - now, before),
      });
}

/**
 * A pool that an autoscaler scales, or whose number is yet to come: whether an edit leaves it as
 * many machines as it has.
 */
function* unsureImpact(
  was: ClusterPool,
  is: ClusterPool,
  object: string,
  sides: Sides,
  where: Where,
): Iterable<Impact> {
  const [old, now] = [poolSizeOf(was), poolSizeOf(is)];
  // within its bounds an autoscaler does as it likes, with or without the edit
  if (
    sameValue(sides.before.resolved(old), sides.after.resolved(now)) ||
    (isScaled(old) && isScaled(now))
  ) {
    return;
  }
  if (mostOf(old) <= leastOf(now)) {
    return;
  }
  const most = mostOf(old) - leastOf(now);
  yield impactOn(where, 'unknown', unsureText(old, now), {
    causes: [{ object, path: `${is.path}.quantity`, ...sizesShown(old, now) }],
    risks: [
      `${Number.isFinite(most) ? `at most ${most} of its machines are` : 'machines that it has and does not keep are'} deleted with their disks`,
    ],
  });
}

/** Why the number of machines that remain cannot be predicted. */
function unsureText(old: PoolSize, now: PoolSize): string {
  if (isScaled(now)) {
    return `an autoscaler decides from now on how many machines the pool has: ${rangeText(rangeOf(now))}`;
  }
  if (isScaled(old)) {
    return `no autoscaler decides any more how many machines the pool has: it had ${rangeText(rangeOf(old))}`;
  }
  return 'cannot be predicted: the number of machines is not known yet';
}

/** Both sizes of a pool: the bounds in place of a number that an autoscaler decides. */
function sizesShown(...sizes: readonly [PoolSize, PoolSize]): Pick<Cause, 'before' | 'after'> {
  const [before, after] = sizes.map((size) =>
    isScaled(size) ? `${rangeText(rangeOf(size))} (autoscaler)` : show(size.quantity ?? 1),
  );
  return { before, after };
}

/** The roles that a cluster loses with machines of a pool. */
export function roleRisks(
  pool: ClusterPool,
  gone: number | undefined,
  cluster: JudgedObject,
): string[] {
  return (
    [
      ['etcdRole', 'etcd'],
      ['controlPlaneRole', 'control plane'],
    ] as const
  ).flatMap(([role, name]): string[] => {
    if (pool.fields[role] !== true || gone === undefined) {
      return [];
    }
    const all = poolsOf(cluster.manifest)
      .filter(({ fields }) => fields[role] === true)
      .reduce((sum, other) => sum + (machinesOfPool(other) ?? 0), 0);
    if (gone >= all) {
      const [machines, them] =
        all === 1
          ? [`the only machine with ${name} is`, 'it']
          : [`all ${all} machines with ${name} are`, 'them'];
      return [
        `${machines} deleted${role === 'etcdRole' ? `, and all data of the cluster with ${them}: take a snapshot of etcd first` : ''}`,
      ];
    }
    return role === 'etcdRole' && gone > Math.floor((all - 1) / 2)
      ? [`${gone} of ${all} machines with etcd are deleted: the others have no majority`]
      : [];
  });
}
