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

const isScaled = ({ fields }: ClusterPool): boolean => isPoolScaledByRancherProvider(fields);

const annotationOf = ({ fields }: ClusterPool, key: string): unknown =>
  valueAt(fields.machineDeploymentAnnotations, key);

const pathTo = (pool: ClusterPool, key: string): string =>
  `${pool.path}.machineDeploymentAnnotations[${key}]`;

/** A pool without a quantity stops the autoscaler for all pools, also if it has no bounds. */
function quantityProblem(pool: ClusterPool): Problem[] {
  return (pool.fields.quantity ?? undefined) !== undefined
    ? []
    : [
        {
          path: `${pool.path}.quantity`,
          message:
            'must be set: kubernetes/autoscaler scales no pool of the cluster while one has no quantity',
          fix: 'set quantity, or scale all pools of the cluster with one autoscaler',
        },
      ];
}

function boundProblems(pool: ClusterPool): Problem[] {
  return [MIN, MAX].flatMap((key): Problem[] => {
    const value = annotationOf(pool, key);
    return isLate(value) || (typeof value === 'string' && /^\+?\d+$/.test(value))
      ? []
      : [
          {
            path: pathTo(pool, key),
            value,
            message:
              'must be a whole number of 0 or more, as text: otherwise kubernetes/autoscaler scales no pool of the cluster',
            fix: 'write it as text, e.g. "3"',
          },
        ];
  });
}

function resourceProblems(pool: ClusterPool): Problem[] {
  const given = RESOURCES.filter((key) => annotationOf(pool, key) !== undefined);
  const [missing] = RESOURCES.filter((key) => !given.includes(key));
  const wrong = given.filter((key) => {
    const value = annotationOf(pool, key);
    return !isLate(value) && quantityOf(value) === undefined;
  });
  const unreadable = wrong.map((key): Problem => ({
    path: pathTo(pool, key),
    value: annotationOf(pool, key),
    message: 'must be a quantity: otherwise kubernetes/autoscaler scales no pool of the cluster',
    fix: 'write it as for pods, e.g. 4 or 8Gi',
  }));
  if (missing === undefined || (given.length === 0 && annotationOf(pool, MIN) !== '0')) {
    return unreadable;
  }
  return [
    ...unreadable,
    {
      path: pathTo(pool, missing),
      message:
        given.length === 0
          ? 'must be set for a pool that may have 0 machines: kubernetes/autoscaler does not scale it up for pods that request resources'
          : 'must be set: kubernetes/autoscaler reads the resources of a pool only where CPUs, memory, and ephemeral storage are all there',
      fix: 'set all three resources, with autoscaling.ephemeralStorage of the pool',
    },
  ];
}

function* judgePools({ manifest }: JudgedObject): Iterable<Problem> {
  const pools = poolsOf(manifest);
  if (!pools.some(isScaled)) {
    return;
  }
  for (const pool of pools) {
    yield* quantityProblem(pool);
    if (isScaled(pool)) {
      yield* boundProblems(pool);
      yield* resourceProblems(pool);
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
      const [now, old] = [placesOf(manifest), placesOf(before)];
      for (const { name, path } of poolsOf(manifest).filter(isScaled)) {
        const was = old.get(name);
        if (was !== undefined && was !== now.get(name)) {
          yield {
            path,
            message: `moves from place ${was} to ${now.get(name)} of machinePools: Flux would take the number of machines of another pool, or write the one at creation`,
            fix: 'add pools after those that an autoscaler scales, and remove none before them; apply finds pools by their names',
          };
        }
      }
    },
  },
]);
