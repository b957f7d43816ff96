import { Problem } from '../../../core/problem/problem';
import { MachinePool } from '../machine-pool';

/** Checks the fixed addresses of a pool, and props that all its machines would share. */
export function* checkFixedAddresses(pool: MachinePool): Iterable<Problem> {
  const {
    fixedAddresses,
    quantity,
    autoscaling,
    networkData,
    machineConfigName,
    adopted,
    nics = [],
    affinity,
  } = pool;
  if (!fixedAddresses) {
    return;
  }
  const path = (prop: string): string => `pools[${pool.name}].${prop}`;
  for (const problem of fixedAddresses._check(quantity)) {
    yield { ...problem, path: path(problem.path) };
  }
  for (const [prop, value] of Object.entries({
    autoscaling,
    networkData,
    machineConfigName,
    'adopted.networkData': adopted?.networkData,
  })) {
    if (value !== undefined) {
      yield {
        path: path(prop),
        message: 'cannot be set together with fixedAddresses',
        fix: `remove ${prop}`,
      };
    }
  }
  for (const [index, { _options }] of nics.entries()) {
    const { macAddress } = _options;
    if (macAddress === undefined) {
      continue;
    }
    yield {
      path: path(`nics[${index}].macAddress`),
      value: macAddress,
      message: 'cannot be set together with fixedAddresses: all machines would have it',
      fix: 'remove it',
    };
  }
  if (affinity?._isRelativeTo('pool')) {
    yield {
      path: path('affinity'),
      message:
        'cannot select machines of the same pool: with fixedAddresses, each machine is in a pool of its own',
      fix: 'use VmAffinity.of({ preferredApart: [{ vms: VmSelector.sameCluster() }] }), or remove affinity: by default, machines run on different hosts if possible',
    };
  }
}
