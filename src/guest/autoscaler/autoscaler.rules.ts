import { isPoolScaledByRancherProvider } from './autoscaler.facts';
import { isLate } from '../../core/late/late-token';
import { isRecord, itemsAt, valueAt } from '../../core/manifest/manifest';
import { Problem } from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { JudgedObject } from '../../core/rule/rule';
import { quantityOf } from '../../core/text/values';
import { CLUSTER_KINDS } from '../../rancher/cluster/cluster.facts';
import { ClusterPool, poolsOf } from '../cluster/cluster-reader.facts';
import { RANCHER_AUTOSCALER } from '../machine-config/machine-config.kind';

const { MIN, MAX, CPU, MEMORY, EPHEMERAL_STORAGE } = RANCHER_AUTOSCALER;
const RESOURCES = [CPU, MEMORY, EPHEMERAL_STORAGE];

function isScaled({ fields }: ClusterPool): boolean {
  return isPoolScaledByRancherProvider(fields);
}

function annotationOf({ fields }: ClusterPool, key: string): unknown {
  return valueAt(fields.machineDeploymentAnnotations, key);
}

function pathTo(pool: ClusterPool, key: string): string {
  return `${pool.path}.machineDeploymentAnnotations[${key}]`;
}

/** A pool without a quantity stops the autoscaler for all pools, also if it has no bounds. */
function* judgeQuantity(pool: ClusterPool): Iterable<Problem> {
  const { quantity } = pool.fields;
  if (quantity === undefined || quantity === null) {
    yield {
      path: `${pool.path}.quantity`,
      message:
        'must be set: kubernetes/autoscaler scales no pool of the cluster while one has no quantity',
      fix: 'set quantity, or scale all pools of the cluster with one autoscaler',
    };
  }
}

function* judgeBounds(pool: ClusterPool): Iterable<Problem> {
  for (const key of [MIN, MAX]) {
    const value = annotationOf(pool, key);
    if (!isLate(value) && !isWholeNumberText(value)) {
      yield {
        path: pathTo(pool, key),
        value,
        message:
          'must be a whole number of 0 or more, as text: otherwise kubernetes/autoscaler scales no pool of the cluster',
        fix: 'write it as text, e.g. "3"',
      };
    }
  }
}

function isWholeNumberText(value: unknown): boolean {
  return typeof value === 'string' && /^\+?\d+$/.test(value);
}

function* judgeResources(pool: ClusterPool): Iterable<Problem> {
  const given = RESOURCES.filter((key) => annotationOf(pool, key) !== undefined);
  for (const key of given) {
    yield* judgeResource(pool, key);
  }
  const missing = RESOURCES.find((key) => !given.includes(key));
  if (missing === undefined) {
    return;
  }
  const path = pathTo(pool, missing);
  const fix = 'set all three resources, with autoscaling.ephemeralStorage of the pool';
  if (given.length > 0) {
    const message =
      'must be set: kubernetes/autoscaler reads the resources of a pool only where CPUs, memory, and ephemeral storage are all there';
    yield { path, message, fix };
  } else if (annotationOf(pool, MIN) === '0') {
    const message =
      'must be set for a pool that may have 0 machines: kubernetes/autoscaler does not scale it up for pods that request resources';
    yield { path, message, fix };
  }
}

function* judgeResource(pool: ClusterPool, key: string): Iterable<Problem> {
  const value = annotationOf(pool, key);
  if (!isLate(value) && quantityOf(value) === undefined) {
    yield {
      path: pathTo(pool, key),
      value,
      message: 'must be a quantity: otherwise kubernetes/autoscaler scales no pool of the cluster',
      fix: 'write it as for pods, e.g. 4 or 8Gi',
    };
  }
}

function* judgePools({ manifest }: JudgedObject): Iterable<Problem> {
  const pools = poolsOf(manifest);
  if (!pools.some(isScaled)) {
    return;
  }
  for (const pool of pools) {
    yield* judgeQuantity(pool);
    if (isScaled(pool)) {
      yield* judgeBounds(pool);
      yield* judgeResources(pool);
    }
  }
}

/** The places of the pools of a Cluster, by their names. */
function placesOf(manifest: JudgedObject['manifest']): ReadonlyMap<unknown, number> {
  const pools = itemsAt(valueAt(manifest, 'spec', 'rkeConfig'), 'machinePools');
  return new Map(pools.map((pool, place) => [isRecord(pool) ? pool.name : pool, place]));
}

export const AUTOSCALER_RULES = rules({ kinds: CLUSTER_KINDS, level: 'warning' }, [
  {
    id: 'cluster/pool-autoscaler',
    what: 'a cluster that kubernetes/autoscaler scales with the provider rancher has pools with a quantity, whole numbers as bounds, and all resources or none',
    source:
      'kubernetes/autoscaler:cluster-autoscaler/cloudprovider/rancher/rancher_nodegroup.go newNodeGroupFromMachinePool, parseScalingAnnotations, parseResourceAnnotations',
    judge: judgePools,
  },
  {
    id: 'cluster/pool-autoscaler-place',
    what: 'a pool whose quantity an autoscaler writes keeps its place in machinePools: Flux keeps the number by the place',
    source: 'fluxcd/kustomize-controller:docs/spec/v1/kustomizations.md Ignore Rules',
    *judgeUpdate({ manifest }, before) {
      const places = placesOf(manifest);
      const placesBefore = placesOf(before);
      for (const { name, path } of poolsOf(manifest).filter(isScaled)) {
        const place = places.get(name);
        const placeBefore = placesBefore.get(name);
        if (placeBefore !== undefined && placeBefore !== place) {
          yield {
            path,
            message: `moves from place ${placeBefore} to ${place} of machinePools: Flux would take the number of machines of another pool, or write the one at creation`,
            fix: 'add pools after those that an autoscaler scales, and remove none before them; apply finds pools by their names',
          };
        }
      }
    },
  },
]);
