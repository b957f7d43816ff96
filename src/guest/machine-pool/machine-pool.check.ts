import { NO_PROBLEMS, Problem } from '../../core/problem/problem';
import { GateId } from '../../core/version/feature-gate';
import {
  MACHINE_NAME_SUFFIX,
  MAX_MACHINE_NAME,
  MIN_MACHINE_NAME,
} from '../machine-config/machine-config.kind';
import { GuestGate } from '../version/guest-gates.data';

/** The fields of an entry of `rkeConfig.machinePools`, as far as the checks below read them. */
interface PoolFields {
  readonly [field: string]: unknown;
}

/** The fields for the roles of the nodes of a pool, each with the name of the role. */
const POOL_ROLES = [
  { field: 'etcdRole', role: 'etcd' },
  { field: 'controlPlaneRole', role: 'control plane' },
  { field: 'workerRole', role: 'worker' },
] as const;

/** Fields of a pool, each with its feature. */
export const POOL_FIELD_GATES: ReadonlyArray<readonly [field: string, gate: GateId]> = [
  ['drainBeforeDelete', GuestGate.MACHINE_POOL_HEALTH],
  ['unhealthyNodeTimeout', GuestGate.MACHINE_POOL_HEALTH],
  ['nodeStartupTimeout', GuestGate.MACHINE_POOL_HEALTH],
  ['maxUnhealthy', GuestGate.MACHINE_POOL_HEALTH],
  ['unhealthyRange', GuestGate.MACHINE_POOL_HEALTH],
  ['machineOS', GuestGate.MACHINE_POOL_HEALTH],
  ['drainBeforeDeleteTimeout', GuestGate.DRAIN_BEFORE_DELETE_TIMEOUT],
  ['hostnameLengthLimit', GuestGate.MACHINE_POOL_DEFAULTS],
  ['userdata', GuestGate.MACHINE_POOL_USERDATA],
];

/** Checks that a pool has a role. */
export function checkPoolRoles(pool: PoolFields, name: string): readonly Problem[] {
  return POOL_ROLES.some(({ field }) => pool[field] === true)
    ? NO_PROBLEMS
    : [
        {
          path: '',
          message: 'must have at least one role',
          fix: 'set etcdRole, controlPlaneRole or workerRole to true',
          says: `at least one role of etcd, control-plane or worker must be assigned to machinePool [${name}]`,
        },
      ];
}

/**
 * Checks that the pools of a cluster have every role together; pools of which none has a role are
 * reported one by one.
 */
export function checkAllRoles(pools: readonly PoolFields[]): readonly Problem[] {
  const isMissing = ({ field }: (typeof POOL_ROLES)[number]): boolean =>
    !pools.some((pool) => pool[field] === true);
  if (!POOL_ROLES.some(isMissing) || POOL_ROLES.every(isMissing)) {
    return NO_PROBLEMS;
  }
  return [
    {
      path: 'machinePools',
      message: `must have every role: no pool has the role ${POOL_ROLES.filter(isMissing)
        .map(({ role }) => role)
        .join(' or ')}, so the cluster never becomes ready`,
      fix: 'give each role to at least one pool',
      says: 'waiting for at least one control plane, etcd, and worker node to be registered',
    },
  ];
}

/** Checks that only the autoscaler sets the number of machines. */
export function checkScaledQuantity({
  quantity,
}: {
  readonly quantity?: unknown;
}): readonly Problem[] {
  return typeof quantity !== 'number'
    ? NO_PROBLEMS
    : [
        {
          path: 'quantity',
          value: quantity,
          level: 'warning',
          message:
            'cannot be set together with autoscaling: each apply would undo the work of the autoscaler',
          fix: 'remove quantity',
        },
      ];
}

/**
 * Checks that Rancher does not cut the names of a pool's machines, `<cluster>-<pool>-xxxxx-xxxxx`.
 *
 * @see rancher/rancher:pkg/controllers/capr/machineprovision/args.go getHostname
 */
export function checkMachineNames(cluster: string, pool: string): readonly Problem[] {
  const length = machineNameLength(cluster, pool);
  if (length <= MAX_MACHINE_NAME) {
    return NO_PROBLEMS;
  }
  const room = MAX_MACHINE_NAME - MACHINE_NAME_SUFFIX.length - cluster.length - 1;
  return [
    {
      path: 'name',
      value: pool,
      message:
        `must be shorter: virtual machines are named "${cluster}-${pool}${MACHINE_NAME_SUFFIX}" (${length} characters), Rancher cuts names after ` +
        `${MAX_MACHINE_NAME} characters, and then labels and affinity by pool no longer match`,
      fix:
        room > 0
          ? `use at most ${room} characters, or a shorter name for the cluster`
          : 'use a shorter name for the cluster',
    },
  ];
}

/** The length of the names of a pool's machines. */
export function machineNameLength(cluster: string, pool: string): number {
  return cluster.length + 1 + pool.length + MACHINE_NAME_SUFFIX.length;
}

/** Checks a limit for the length of host names. */
export function checkHostnameLimit(limit: number | undefined): Problem[] {
  if (
    limit === undefined ||
    (Number.isInteger(limit) && limit >= MIN_MACHINE_NAME && limit <= MAX_MACHINE_NAME)
  ) {
    return [];
  }
  return [
    {
      path: 'hostnameLengthLimit',
      value: limit,
      message: `must be a whole number from ${MIN_MACHINE_NAME} to ${MAX_MACHINE_NAME}`,
      fix: `set it to ${MIN_MACHINE_NAME} to ${MAX_MACHINE_NAME}, or remove it`,
    },
  ];
}

type Machine = { readonly [field: string]: unknown };

/** Checks that pools of one machine config, or of one node template, have equal machines. */
export function checkShared(
  { name }: { readonly name: string },
  value: string,
  fields: Machine,
  others: Machine,
): Problem[] {
  const different = [...new Set([...Object.keys(fields), ...Object.keys(others)])].filter(
    (field) => fields[field] !== others[field],
  );
  return different.length === 0
    ? []
    : [
        {
          path: `pools[${name}].machineConfigName`,
          value,
          message: `cannot be shared with another pool, whose machines differ in ${different.sort().join(', ')}`,
          fix: 'make the machines equal, or use another machineConfigName for each pool',
        },
      ];
}
