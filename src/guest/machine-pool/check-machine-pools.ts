import { checkPoolProps } from './check-pool-props';
import { MachinePool } from './machine-pool';
import { machineFields, machinePoolEntry } from './machine-pool-spec';
import { POOL_FIELD_GATES, checkAllRoles, checkAutoscaling, checkMachineNames, checkRole } from './machine-pool.check';
import { Problem, parsed } from '../../core/rule/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import { GateId } from '../../core/version/gate-id';
import { ClusterContext, Fields } from '../cluster/cluster-parts';
import { MACHINE_FIELD_GATES, checkMachineNumbers, checkMachineSwitches, isSet } from '../machine-config/machine-config.check';
import { checkDisks, checkInterfaces, checkVgpus } from '../machine-config/machine-json.check';

/** The props by the fields of a HarvesterConfig and of an entry of machinePools that hold them. */
const PROPS: { readonly [field: string]: string } = {
  'autoscalingMaxSize': 'autoscaling.max',
  'autoscalingMinSize': 'autoscaling.min',
  'controlPlaneRole': 'roles.controlPlane',
  'cpuCount': 'cpus',
  'diskInfo': 'disks',
  'diskInfo.disks': 'disks',
  'enableEfi': 'efi',
  'enableSecureBoot': 'secureBoot',
  'enableTpm': 'tpm',
  'etcdRole': 'roles.etcd',
  'machineOS': 'machineOs',
  'machinePools': 'pools',
  'memorySize': 'memory',
  'networkInfo': 'networks',
  'networkInfo.interfaces': 'networks',
  'reservedMemorySize': 'reservedMemory',
  'vgpuInfo': 'vgpus',
  'vgpuInfo.vGPURequests': 'vgpus',
  'workerRole': 'roles.worker',
};

/** What to do about a finding, where a prop is set in another way than its field. */
const FIXES: { readonly [prop: string]: string } = {
  disks: 'add a disk with a cloud image: Disk.image(image, Size.gibibytes(40))',
  networks: 'add a VmNetwork on which machines get an IPv4 address',
  roles: 'set roles, e.g. to MachineRoles.ALL',
};

/** Rules about a machine pool whose finding is a warning, and which a program can always follow. */
const STRICT = ['name', 'quantity'];

/**
 * Checks the pools of a cluster as the rules do, on the manifests that they become, and what only their props show.
 *
 * @param context undefined where it is not known where the machines run
 */
export function checkMachinePools(context: ClusterContext | undefined, pools: readonly MachinePool[]): Problem[] {
  if (pools.length === 0) {
    return [{ path: 'pools', message: 'must have at least one pool', fix: 'add one, e.g. with MachineRoles.ALL, or use a CustomCluster' }];
  }
  const names = pools.map(({ name }) => name);
  const twice = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
  return [
    ...twice.map((name): Problem => ({
      path: `pools[${name}].name`,
      value: name,
      message: 'must be unique in the cluster',
      fix: 'give each pool another name',
      says: `duplicate machinePool name [${name}] used`,
    })),
    ...[...checkAllRoles(pools.map(rolesOf))].map(inProps),
    ...(context ? pools.flatMap((pool) => parsed(context.scope, `pools[${pool.name}]`, () => checkMachinePool(context, pool))) : []),
  ];
}

/** Checks one pool. */
function checkMachinePool(context: ClusterContext, pool: MachinePool): Problem[] {
  const ofProps = checkPoolProps(context, pool);
  // a finding about a prop needs no second finding about its field
  const isReported = ({ path }: Problem): boolean => ofProps.some((known) => known.path === path || known.path.startsWith(`${path}[`));
  const machine = machineFields(pool, { vmNamespace: context.vmNamespace ?? '', cluster: context.name, pool: pool.name });
  const ofManifests = [...checkManifests(context, pool, machine)].map(inProps).filter((problem) => !isReported(problem));
  return [...ofProps, ...ofManifests, ...checkVersions(context, pool, machine), ...checkAffinity(context, pool)].map((problem) => ({
    ...problem, path: `pools[${pool.name}].${pool.nics ? problem.path.replace(/^networks/, 'nics') : problem.path}`,
  }));
}

function* checkManifests({ name: cluster }: ClusterContext, pool: MachinePool, machine: Fields): Iterable<Problem> {
  const { min, max } = pool.autoscaling ?? {};
  yield* checkMachineNames(cluster, pool.name);
  yield* [...checkRole(rolesOf(pool))].map((problem) => ({ ...problem, path: 'roles' }));
  // before Rancher 2.13 the bounds are annotations
  yield* checkAutoscaling({ ...rolesOf(pool), quantity: pool.quantity, autoscalingMinSize: min, autoscalingMaxSize: max });
  for (const check of [checkMachineNumbers, checkMachineSwitches, checkDisks, checkInterfaces, checkVgpus]) { yield* check(machine); }
}

/** Fields that the Rancher of the cluster does not have yet. */
function* checkVersions({ rancherVersion }: ClusterContext, pool: MachinePool, machine: Fields): Iterable<Problem> {
  const entry = machinePoolEntry(pool, '', rancherVersion);
  for (const [field, gate] of [...POOL_FIELD_GATES.filter(([key]) => entry[key]), ...MACHINE_FIELD_GATES.filter(([key]) => isSet(machine, key))]) {
    yield* lacking(PROPS[field] ?? field, FeatureGates.of(gate).problem(rancherVersion));
  }
}

/** The versions that an affinity needs depend on its terms, not only on its JSON. */
function* checkAffinity({ vmNamespace = '', name: cluster, rancherVersion, harvesterVersion }: ClusterContext, pool: MachinePool): Iterable<Problem> {
  const { affinity, cpuPinning } = pool;
  if (cpuPinning && harvesterVersion) { yield* lacking('cpuPinning', FeatureGates.of(GateId.CPU_MANAGER).problem(harvesterVersion)); }
  if (!affinity) { return; }
  yield* affinity._check('affinity', { vmNamespace, cluster, pool: pool.name });
  const ofRancher = [
    GateId.VM_NODE_AFFINITY, ...(affinity._namesVms ? [GateId.VM_WORKLOAD_AFFINITY] : []),
    ...(affinity._needsGuestLabels ? [GateId.VM_GUEST_LABELS] : []),
  ];
  for (const gate of ofRancher) { yield* lacking('affinity', FeatureGates.of(gate).problem(rancherVersion)); }
  const ofHarvester = [GateId.NODE_AFFINITY, ...(affinity._namesVms ? [GateId.WORKLOAD_AFFINITY] : [])];
  for (const gate of harvesterVersion ? ofHarvester : []) { yield* lacking('affinity', FeatureGates.of(gate).problem(harvesterVersion!)); }
}

function lacking(path: string, message: string | undefined): Problem[] {
  return message === undefined ? [] : [{ path, message, fix: 'remove it, or declare a newer version' }];
}

function rolesOf({ name, roles }: MachinePool): { readonly [field: string]: unknown } {
  return { name, etcdRole: roles.etcd, controlPlaneRole: roles.controlPlane, workerRole: roles.worker };
}

/** A finding about a field, in the words of the props. */
function inProps(problem: Problem): Problem {
  const [, field, index = ''] = /^([A-Za-z]+(?:\.[A-Za-z]+(?=\[))?)(.*)$/.exec(problem.path) ?? ['', problem.path];
  const path = `${PROPS[field] ?? field}${index}`;
  const words = (text: string): string => text.replace(/\b[a-z]+[A-Z]\w*\b/g, (word) => PROPS[word] ?? word);
  const level = STRICT.includes(path) ? 'error' : problem.level;
  return { ...problem, path, message: words(problem.message), fix: FIXES[path] ?? words(problem.fix), level };
}
