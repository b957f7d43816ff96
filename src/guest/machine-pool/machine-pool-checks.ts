import { checkDisks, checkInterfaces, checkMachineHardware } from './machine-hardware-checks';
import { MachinePool } from './machine-pool';
import { RFC1123_LABEL } from '../../core/manifest/names';
import { Problem } from '../../core/rule/problem';
import { LABEL_NAME_FIX, LABEL_VALUE_FIX, labelNameFault, labelValueFault } from '../../core/text/label';
import { FeatureGates } from '../../core/version/feature-gates';
import { GateId } from '../../core/version/gate-id';
import { ClusterContext } from '../cluster/cluster-parts';
import { AUTOSCALER_MAX, AUTOSCALER_MIN, MACHINE_NAME_SUFFIX, MAX_MACHINE_NAME, MIN_MACHINE_NAME } from '../machine-config/machine-config.kind';

/** What is wrong with the pools of a cluster together: their names, and roles that none of them has. */
export function checkMachinePools(pools: readonly MachinePool[]): Problem[] {
  if (pools.length === 0) {
    return [{
      path: 'pools', message: 'has no pool', fix: 'give one pool at least, e.g. with MachineRoles.ALL, or make a CustomCluster',
    }];
  }
  const names = pools.map(({ name }) => name);
  const twice = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
  const roles = [['controlPlane', 'control plane'], ['etcd', 'etcd'], ['worker', 'worker']] as const;
  const missing = roles.filter(([role]) => !pools.some((pool) => pool.roles[role])).map(([, words]) => words);
  return [
    ...twice.map((name): Problem => ({
      path: `pools[${name}].name`,
      value: name,
      message: 'is the name of several pools',
      fix: 'give each pool a name of its own',
      says: `duplicate machinePool name [${name}] used`,
    })),
    ...(missing.length === 0 ? [] : [{
      path: 'pools',
      message: `have no ${missing.join(' and no ')}, so the cluster never starts`,
      fix: 'give each role to one pool at least, e.g. by MachineRoles.ALL',
      says: 'waiting for at least one control plane, etcd, and worker node to be registered',
    }]),
  ];
}

/** What is wrong with a pool. */
export function checkMachinePool(context: ClusterContext, pool: MachinePool): Problem[] {
  const path = `pools[${pool.name}]`;
  return [
    ...checkPlace(context, pool), ...checkName(context.name, pool.name), ...checkRoles(pool), ...checkQuantity(pool), ...checkHealth(pool),
    ...checkNodes(pool), ...checkGates(context, pool), ...checkMachineHardware(context, pool), ...checkDisks(context, pool),
    ...checkInterfaces(context, pool),
  ].map((problem) => ({ ...problem, path: problem.path ? `${path}.${problem.path}` : path }));
}

function checkPlace({ harvester, vmNamespace, rancher }: ClusterContext, { credential }: MachinePool): Problem[] {
  if (!harvester || !vmNamespace) { return [{ path: '', message: 'needs a Harvester and a namespace on it', fix: 'give the cluster both' }]; }
  return !credential || credential.rancher === rancher ? [] : [{
    path: 'credential',
    value: credential.credentialName,
    message: `belongs to another Rancher, ${credential.rancher.targetName}`,
    fix: 'give one of the same Rancher',
  }];
}

function checkName(cluster: string, name: string): Problem[] {
  if (!RFC1123_LABEL.test(name)) {
    return [{
      path: 'name',
      value: name,
      message: 'is no name of a pool',
      fix: 'use a-z, 0-9 and hyphens, beginning and ending with a letter or digit',
    }];
  }
  const room = MAX_MACHINE_NAME - MACHINE_NAME_SUFFIX.length - cluster.length - 1;
  return name.length <= room ? [] : [{
    path: 'name',
    value: name,
    message: `makes names of virtual machines "${cluster}-${name}${MACHINE_NAME_SUFFIX}" of more than ${MAX_MACHINE_NAME} characters, which Rancher `
      + 'cuts, so that the labels of the machines, and affinity by them, no longer tell the pool',
    fix: room > 0 ? `use up to ${room} characters, or a shorter name of the cluster` : 'use a shorter name of the cluster',
  }];
}

function checkRoles({ name, roles }: MachinePool): Problem[] {
  return roles.controlPlane || roles.etcd || roles.worker ? [] : [{
    path: 'roles',
    message: 'are none',
    fix: 'give one role at least',
    says: `at least one role of etcd, control-plane or worker must be assigned to machinePool [${name}]`,
  }];
}

function checkQuantity({ quantity, autoscaling, roles, machineDeploymentAnnotations }: MachinePool): Problem[] {
  const problems: Problem[] = [];
  if (quantity !== undefined && (!Number.isInteger(quantity) || quantity < 0)) {
    problems.push({ path: 'quantity', value: quantity, message: 'is no number of machines', fix: 'give a whole number from 0' });
  }
  if (!autoscaling) { return problems; }
  const { min, max } = autoscaling;
  if (quantity !== undefined) {
    problems.push({
      path: 'quantity',
      value: quantity,
      message: 'would be set back with each apply against the autoscaler',
      fix: 'leave quantity out where there is autoscaling',
    });
  }
  for (const [field, value] of [['min', min], ['max', max]] as const) {
    if (!Number.isInteger(value) || value < 0) {
      problems.push({
        path: `autoscaling.${field}`, value, message: 'is no number of machines', fix: 'give a whole number from 0',
      });
    }
  }
  if (min > max) {
    problems.push({
      path: 'autoscaling', value: { min, max }, message: 'has more for the least than for the largest number', fix: 'give min up to max',
    });
  }
  if (min === 0 && (roles.controlPlane || roles.etcd)) {
    problems.push({
      path: 'autoscaling.min',
      value: min,
      message: 'would leave the cluster without control plane or etcd',
      fix: 'give 1 or more for pools with these roles',
    });
  }
  for (const key of [AUTOSCALER_MIN, AUTOSCALER_MAX]) {
    if (machineDeploymentAnnotations && key in machineDeploymentAnnotations) {
      problems.push({ path: `machineDeploymentAnnotations[${key}]`, message: 'says what autoscaling says', fix: 'leave it out' });
    }
  }
  return problems;
}

const AMOUNT = /^(?:\d+|(?:\d|[1-9]\d|100)%)$/;
const AMOUNT_FIX = 'give a number or a percentage, e.g. 1 or 25%';

function checkHealth({ maxUnhealthy, unhealthyRange, rollingUpdate, hostnameLengthLimit, ...pool }: MachinePool): Problem[] {
  const problems: Problem[] = [];
  const amounts = [
    ['maxUnhealthy', maxUnhealthy], ['rollingUpdate.maxSurge', rollingUpdate?.maxSurge], ['rollingUpdate.maxUnavailable', rollingUpdate?.maxUnavailable],
  ] as const;
  for (const [path, value] of amounts) {
    if (value !== undefined && !AMOUNT.test(value)) { problems.push({ path, value, message: 'is no amount of machines', fix: AMOUNT_FIX }); }
  }
  const none = (value?: string): boolean => value !== undefined && /^0+%?$/.test(value);
  if (none(rollingUpdate?.maxSurge) && (rollingUpdate?.maxUnavailable === undefined || none(rollingUpdate.maxUnavailable))) {
    problems.push({
      path: 'rollingUpdate',
      message: 'lets no machine be exchanged: neither one more nor one fewer is allowed',
      fix: 'give maxUnavailable 1 with maxSurge 0',
    });
  }
  if (unhealthyRange !== undefined && !/^\[\d+-\d+\]$/.test(unhealthyRange)) {
    problems.push({ path: 'unhealthyRange', value: unhealthyRange, message: 'is no range', fix: 'write it like [3-5]' });
  }
  const limit = hostnameLengthLimit ?? MAX_MACHINE_NAME;
  if (!Number.isInteger(limit) || limit < MIN_MACHINE_NAME || limit > MAX_MACHINE_NAME) {
    problems.push({ path: 'hostnameLengthLimit', value: hostnameLengthLimit, message: 'is no limit that Rancher takes', fix: 'give 10 to 63' });
  }
  for (const field of ['drainBeforeDeleteTimeout', 'unhealthyNodeTimeout', 'nodeStartupTimeout'] as const) {
    const seconds = pool[field]?.toSeconds({ integral: false });
    if (seconds !== undefined && !Number.isInteger(seconds)) {
      problems.push({
        path: field, value: `${seconds} seconds`, message: 'must be whole seconds', fix: 'round it',
      });
    }
  }
  if (pool.machineOs !== undefined && !['linux', 'windows'].includes(pool.machineOs)) {
    problems.push({ path: 'machineOs', value: pool.machineOs, message: 'is no operating system that Rancher knows', fix: 'use linux or windows' });
  }
  return problems;
}

function checkNodes({ labels, taints = [], machineDeploymentLabels, machineDeploymentAnnotations }: MachinePool): Problem[] {
  const problems: Problem[] = [];
  const name = (path: string, key: string): void => {
    const says = labelNameFault(key);
    if (says) { problems.push({ path, value: key, message: 'is no name of a label', fix: LABEL_NAME_FIX, says }); }
  };
  const text = (path: string, value?: string): void => {
    const says = value === undefined ? undefined : labelValueFault(value);
    if (says) { problems.push({ path, value, message: 'is no value of a label', fix: LABEL_VALUE_FIX, says }); }
  };
  for (const [prop, map] of [['labels', labels], ['machineDeploymentLabels', machineDeploymentLabels]] as const) {
    for (const [key, value] of Object.entries(map ?? {})) {
      name(prop, key);
      text(`${prop}[${key}]`, value);
    }
  }
  for (const key of Object.keys(machineDeploymentAnnotations ?? {})) { name('machineDeploymentAnnotations', key); }
  for (const [index, { key, value }] of taints.entries()) {
    name(`taints[${index}].key`, key);
    text(`taints[${index}].value`, value);
  }
  return problems;
}

/** The props that some versions of Rancher lack. */
const GATED: readonly (readonly [GateId, readonly (keyof MachinePool)[]])[] = [
  [GateId.MACHINE_POOL_HEALTH, ['drainBeforeDelete', 'unhealthyNodeTimeout', 'nodeStartupTimeout', 'maxUnhealthy', 'unhealthyRange', 'machineOs']],
  [GateId.DRAIN_BEFORE_DELETE_TIMEOUT, ['drainBeforeDeleteTimeout']],
  [GateId.MACHINE_POOL_DEFAULTS, ['hostnameLengthLimit']],
  [GateId.VM_EFI, ['efi', 'secureBoot']],
  [GateId.VM_VGPU, ['vgpus']],
  [GateId.VM_CPU_PINNING, ['cpuPinning', 'isolateEmulatorThread']],
  [GateId.VM_TPM, ['tpm']],
  [GateId.VM_RESERVED_MEMORY, ['reservedMemory']],
  [GateId.VM_CPU_MODEL, ['cpuModel']],
  [GateId.VM_NODE_AFFINITY, ['affinity']],
];

function checkGates({ rancherVersion, harvesterVersion }: ClusterContext, pool: MachinePool): Problem[] {
  const problems: Problem[] = [];
  const need = (path: string, gate?: string, fix = 'leave it out, or name a newer version'): void => {
    if (gate) { problems.push({ path, message: gate, fix }); }
  };
  need('disks', FeatureGates.of(GateId.VM_MULTIPLE_DISKS).problem(rancherVersion), 'name a newer Rancher, whose node driver reads this form of disks and networks');
  for (const [gate, props] of GATED) {
    for (const prop of props.filter((key) => isUsed(pool[key]))) { need(prop, FeatureGates.of(gate).problem(rancherVersion)); }
  }
  if (pool.affinity?._namesVms) { need('affinity', FeatureGates.of(GateId.VM_WORKLOAD_AFFINITY).problem(rancherVersion)); }
  if (pool.affinity?._needsGuestLabels) { need('affinity', FeatureGates.of(GateId.VM_GUEST_LABELS).problem(rancherVersion)); }
  if (!harvesterVersion) { return problems; }
  if (pool.cpuPinning) { need('cpuPinning', FeatureGates.of(GateId.CPU_MANAGER).problem(harvesterVersion)); }
  if (pool.affinity) { need('affinity', FeatureGates.of(GateId.NODE_AFFINITY).problem(harvesterVersion)); }
  if (pool.affinity?._namesVms) { need('affinity', FeatureGates.of(GateId.WORKLOAD_AFFINITY).problem(harvesterVersion)); }
  return problems;
}

function isUsed(value: unknown): boolean {
  return value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);
}
