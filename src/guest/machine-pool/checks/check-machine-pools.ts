import { checkFixedAddresses } from './check-fixed-addresses';
import { checkHealth } from './check-health';
import {
  checkSizes,
  checkDiskProps,
  checkPoolNics,
  checkMachineValues,
  checkLogin,
} from './check-machine';
import { checkNodes } from './check-nodes';
import { checkOwners } from './check-owners';
import { checkScaling } from './check-scaling';
import { checkUnsupported } from './check-unsupported';
import { checkVersions, checkPoolAffinity } from './check-versions';
import { parsed, Problem, propOf } from '../../../core/problem/problem';
import { checkMachineProps } from '../../../harvester/machine/machine-props';
import {
  checkMachineNumbers,
  checkMachineSwitches,
} from '../../machine-config/machine-config.check';
import { checkDisks, checkInterfaces, checkVgpus } from '../../machine-config/machine-json.check';
import { ClusterContext, ClusterFields } from '../../parts/cluster-parts';
import { MachinePool } from '../machine-pool';
import { POOL_PROPS } from '../machine-pool-props';
import { expandedPools, PoolManifests } from '../machine-pool-spec';
import { checkAllRoles, checkMachineNames, checkPoolRoles } from '../machine-pool.check';
import { checkMachineTexts } from '../machine-texts';

/** What to do about a finding, where a prop is set in another way than its field. */
const FIXES: { readonly [prop: string]: string } = {
  disks: 'add a disk with a cloud image: Disk.image(image, Size.gibibytes(40))',
  networks: 'add a VmNetwork on which machines get an IPv4 address',
  roles: 'set roles, e.g. to MachineRoles.ALL',
};

/** Rules about a machine pool whose finding is a warning, and which a program can always follow. */
const STRICT = ['name', 'quantity'];

/**
 * Checks the pools of a cluster as the rules do, on the manifests that they become, and what only
 * their props show.
 *
 * @param context undefined where it is not known where the machines run
 * @param manifests for the objects of the pools, which need the same ones
 */
export function checkMachinePools(
  context: ClusterContext | undefined,
  pools: readonly MachinePool[],
  manifests = new PoolManifests(),
): Problem[] {
  if (pools.length === 0) {
    return [
      {
        path: 'pools',
        message: 'must have at least one pool',
        fix: 'add one, e.g. with MachineRoles.ALL, or use a CustomCluster',
      },
    ];
  }
  const fixed = pools.flatMap((pool) =>
    pool.fixedAddresses ? [...checkFixedAddresses(pool)] : [],
  );
  if (fixed.length > 0) {
    return fixed;
  }
  const machinePools = expandedPools(pools);
  const names = machinePools.map(({ name }) => name);
  const twice = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
  return [
    ...twice.map((name): Problem => ({
      path: `pools[${name}].name`,
      value: name,
      message: 'must be unique in the cluster',
      fix: 'give each pool another name',
      says: `duplicate machinePool name [${name}] used`,
    })),
    ...(context
      ? machinePools.flatMap((pool) =>
          parsed(context.scope, `pools[${pool.name}]`, () =>
            checkMachinePool(context, pool, manifests),
          ),
        )
      : []),
  ];
}

/**
 * Checks that all pools together have every role, where no pool can be added: the rule
 * `cluster/pool-roles` checks those of a GuestCluster at synthesis.
 */
export function checkEveryRole(pools: readonly MachinePool[]): readonly Problem[] {
  return checkAllRoles(expandedPools(pools).map(rolesOf)).map(inProps);
}

/** Checks one pool. */
function checkMachinePool(
  context: ClusterContext,
  pool: MachinePool,
  manifests: PoolManifests,
): readonly Problem[] {
  const ofProps = checkPoolProps(context, pool);
  const machine = manifests.machineOf(context, pool);
  // a finding about a prop needs no second finding about its field
  const ofManifests = checkPoolManifests(context, pool, machine).filter(
    ({ path }) => !ofProps.some((known) => isAbout(known, path)),
  );
  const problems = [
    ...ofProps,
    ...ofManifests,
    ...checkVersions(context, manifests.entryOf(context, pool), machine),
    ...checkPoolAffinity(context, pool),
  ];
  return problems.map((problem) => ({
    ...problem,
    path: `pools[${pool.name}].${problem.path}`,
  }));
}

/**
 * Checks what the manifests of a pool do not show: units that they cannot hold, objects of other
 * clusters, and values that no machine can use.
 */
function checkPoolProps(context: ClusterContext, pool: MachinePool): readonly Problem[] {
  return checkMachineProps(pool).concat(
    checkUnsupported(pool),
    checkOwners(context, pool),
    checkSizes(pool),
    checkDiskProps(pool),
    checkPoolNics(pool),
    checkMachineValues(pool),
    checkLogin(pool),
    checkHealth(pool),
    checkNodes(pool),
    checkMachineTexts(pool),
  );
}

/** The checks of a HarvesterConfig that do not need its user data. */
const MACHINE_CHECKS = [
  checkMachineNumbers,
  checkMachineSwitches,
  checkDisks,
  checkInterfaces,
  checkVgpus,
];

/** Checks the entry of a pool in its Cluster, and its HarvesterConfig, in the words of the props. */
function checkPoolManifests(
  context: ClusterContext,
  pool: MachinePool,
  machine: ClusterFields,
): readonly Problem[] {
  const ofNics = (problem: Problem): Problem =>
    pool.nics ? { ...problem, path: problem.path.replace(/^networks/, 'nics') } : problem;
  const problems = [
    ...checkMachineNames(context.name, pool.name),
    ...checkPoolRoles(rolesOf(pool), pool.name).map((problem) => ({ ...problem, path: 'roles' })),
    ...checkScaling(pool),
    ...MACHINE_CHECKS.flatMap((check) => [...check(machine)]),
  ];
  return problems.map(inProps).map(ofNics);
}

/** Whether a problem is about a path, about a part of it, or about what contains it. */
function isAbout(problem: Problem, path: string): boolean {
  return (
    problem.path === path ||
    problem.path.startsWith(`${path}[`) ||
    path.startsWith(`${problem.path}.`)
  );
}

function rolesOf({ name, roles }: MachinePool): { readonly [field: string]: unknown } {
  return {
    name,
    etcdRole: roles.etcd,
    controlPlaneRole: roles.controlPlane,
    workerRole: roles.worker,
  };
}

/** A finding about a field, in the words of the props. */
function inProps(problem: Problem): Problem {
  const path = propOf(problem.path, POOL_PROPS) ?? problem.path;
  const words = (text: string): string =>
    text.replace(/\b[a-z]+[A-Z]\w*\b/g, (word) => POOL_PROPS[word] ?? word);
  const level = STRICT.includes(path) ? 'error' : problem.level;
  return {
    ...problem,
    path,
    message: words(problem.message),
    fix: FIXES[path] ?? words(problem.fix),
    level,
  };
}
