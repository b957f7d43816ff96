import { MachinePool } from './machine-pool';
import { Problem } from '../../core/rule/problem';

const EXPANDED = new WeakMap<MachinePool, readonly MachinePool[]>();

/** The pools of Rancher that the pools of a program become: one for each fixed address. Only after `checkFixedAddresses`. */
export function expandedPools(pools: readonly MachinePool[]): readonly MachinePool[] {
  return pools.flatMap((pool) => {
    const known = EXPANDED.get(pool) ?? expanded(pool);
    EXPANDED.set(pool, known);
    return known;
  });
}

function expanded(pool: MachinePool): readonly MachinePool[] {
  const { fixedAddresses, quantity, ...others } = pool;
  if (!fixedAddresses) { return [pool]; }
  return fixedAddresses._machines(quantity).map(({ suffix, networkData, paused }) => ({
    ...others,
    name: `${pool.name}-${suffix}`,
    quantity: 1,
    networkData,
    // two machines cannot have the address
    rollingUpdate: pool.rollingUpdate ?? { maxSurge: '0', maxUnavailable: '1' },
    ...(paused ? { paused } : {}),
  }));
}

/** Checks the fixed addresses of a pool, and props that all its machines would share. */
export function* checkFixedAddresses(pool: MachinePool): Iterable<Problem> {
  const { fixedAddresses, quantity, autoscaling, networkData, machineConfigName, nics = [], affinity } = pool;
  if (!fixedAddresses) { return; }
  const path = (prop: string): string => `pools[${pool.name}].${prop}`;
  for (const problem of fixedAddresses._check(quantity)) { yield { ...problem, path: path(problem.path) }; }
  for (const [prop, value] of Object.entries({ autoscaling, networkData, machineConfigName })) {
    if (value !== undefined) { yield { path: path(prop), message: 'cannot be set together with fixedAddresses', fix: `remove ${prop}` }; }
  }
  for (const [index, { macAddress }] of nics.entries()) {
    if (macAddress === undefined) { continue; }
    yield { path: path(`nics[${index}].macAddress`), value: macAddress, message: 'cannot be set together with fixedAddresses: all machines would have it', fix: 'remove it' };
  }
  if (affinity?._isRelativeTo('pool')) {
    yield {
      path: path('affinity'),
      message: 'cannot select machines of the same pool: with fixedAddresses, each machine is in a pool of its own',
      fix: 'use VmAffinity.of({ preferredApart: [{ vms: VmSelector.sameCluster() }] }), or remove affinity: by default, machines run on different hosts if possible',
    };
  }
}
