import { isLate } from '../../core/late/late-token';
import { Problem } from '../../core/rule/problem';

/**
 * Whether Kubernetes would change a text that stands among the arguments of a container: `$$` becomes `$`, and `$(NAME)` the environment variable
 * of that name where there is one.
 *
 * Rancher hands each field of a machine configuration to the node driver that way, so shell scripts in it would be altered without a word.
 * @see rancher/rancher:pkg/controllers/capr/machineprovision/template.go Args
 * @see kubernetes/kubernetes:third_party/forked/golang/expansion/expand.go
 */
export function isExpanded(text: string): boolean {
  return /\$\$|\$\([A-Z_][A-Z0-9_]*\)/.test(text);
}

/** A machine configuration: its fields lie at the top. */
export interface MachineFields { readonly [field: string]: unknown }

/** More is a typing error far more often than a machine of that size. */
const SUSPICIOUS_GIB = 512;

/** Less is no reserve for a virtual machine: the number was meant in GiB. */
const SUSPICIOUS_RESERVE_MIB = 64;

const FLAGS: { readonly [field: string]: string } = {
  cpuCount: 'harvester-cpu-count',
  memorySize: 'harvester-memory-size',
  diskSize: 'harvester-disk-size',
  sshPort: 'harvester-ssh-port',
  reservedMemorySize: 'harvester-reserved-memory-size',
};

/** The text of a field; undefined where there is none yet, or something else than text, of which the definition judges. */
export function textOf(config: MachineFields, field: string): string | undefined {
  const value = config[field];
  return typeof value === 'string' && value !== '' && !isLate(value) ? value : undefined;
}

/** Whether a field holds anything. */
export function isSet(config: MachineFields, field: string): boolean {
  const value = config[field];
  return value !== undefined && value !== null && value !== '' && value !== false;
}

/**
 * What is wrong with the numbers of a machine: whole numbers as text, memory in GiB, reserved memory in MiB.
 *
 * @see harvester/docker-machine-driver-harvester:harvester/flags.go
 */
export function* checkMachineNumbers(config: MachineFields): Iterable<Problem> {
  for (const [field, flag] of Object.entries(FLAGS)) {
    const text = textOf(config, field);
    if (text === undefined || /^[-+]?\d+$/.test(text)) { continue; }
    yield {
      path: field,
      value: text,
      message: 'is no whole number',
      fix: fixOf(field, text),
      says: `invalid value "${text}" for flag -${flag}: parse error`,
    };
  }
  yield* checkMemory(config);
  const cpus = numberOf(config, 'cpuCount');
  if (cpus !== undefined && cpus < 1) {
    yield {
      path: 'cpuCount',
      value: textOf(config, 'cpuCount'),
      message: 'is no machine',
      fix: 'give at least "1"',
      ...(cpus === 0 ? { level: 'warning' as const } : {}),
    };
  }
}

function* checkMemory(config: MachineFields): Iterable<Problem> {
  const [memory, reserve] = [numberOf(config, 'memorySize'), numberOf(config, 'reservedMemorySize')];
  const value = textOf(config, 'memorySize');
  if (memory !== undefined && memory < 1) {
    yield {
      path: 'memorySize',
      value,
      message: 'is no machine',
      fix: 'give at least "1", in GiB',
      says: 'either memory.guest or resources.limits.memory must be set',
    };
  } else if (memory !== undefined && memory >= SUSPICIOUS_GIB) {
    yield {
      path: 'memorySize',
      value,
      level: 'warning',
      message: `is ${memory} GiB of memory for each machine: the number counts GiB, not MiB`,
      fix: memory % 1024 === 0 ? `write "${memory / 1024}" for ${memory} MiB` : 'write the number of GiB',
    };
  }
  if (reserve === undefined || reserve <= 0) { return; }
  const given = textOf(config, 'reservedMemorySize');
  if (memory !== undefined && reserve >= memory * 1024) {
    yield {
      path: 'reservedMemorySize',
      value: given,
      message: `leaves nothing of ${memory} GiB: the number counts MiB`,
      fix: 'reserve less than the memory',
      says: 'reservedMemory cannot be equal or greater than limits.memory',
    };
  } else if (reserve < SUSPICIOUS_RESERVE_MIB) {
    yield {
      path: 'reservedMemorySize',
      value: given,
      level: 'warning',
      message: `is ${reserve} MiB: the number counts MiB, not GiB`,
      fix: `write "${reserve * 1024}" for ${reserve} GiB, or leave it out`,
    };
  }
}

function fixOf(field: string, text: string): string {
  const gib = /^(\d+)\s*(?:Gi?B?)$/i.exec(text)?.[1];
  const mib = /^(\d+)\s*(?:Mi?B?)$/i.exec(text)?.[1];
  if (field === 'reservedMemorySize') {
    return `write the number of MiB alone${mib ? `: "${mib}"` : gib ? `: "${Number(gib) * 1024}"` : ''}`;
  }
  if (field === 'memorySize' || field === 'diskSize') {
    return `write the number of GiB alone${gib ? `: "${gib}"` : mib && Number(mib) % 1024 === 0 ? `: "${Number(mib) / 1024}"` : ''}`;
  }
  return 'write a whole number in quotes';
}

function numberOf(config: MachineFields, field: string): number | undefined {
  const text = textOf(config, field);
  return text !== undefined && /^[-+]?\d+$/.test(text) ? Number(text) : undefined;
}

/**
 * What is wrong with the switches of a machine: those that need another.
 *
 * @see harvester/docker-machine-driver-harvester:harvester/flags.go SetConfigFromFlags
 * @see kubevirt/kubevirt:pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go
 */
export function* checkMachineSwitches(config: MachineFields): Iterable<Problem> {
  if (config.enableSecureBoot === true && config.enableEfi !== true) {
    yield {
      path: 'enableSecureBoot',
      message: 'is set without enableEfi',
      fix: 'set enableEfi: true as well',
      says: 'enable secure boot requires enable EFI',
    };
  }
  if (config.isolateEmulatorThread === true && config.cpuPinning !== true) {
    yield {
      path: 'isolateEmulatorThread',
      message: 'is set without cpuPinning',
      fix: 'set cpuPinning: true as well',
      says: 'IsolateEmulatorThread should be only set in combination with DedicatedCPUPlacement',
    };
  }
}

/**
 * What is wrong with the fields that somebody else fills: keys, kubeconfigs, and the file of rancher-machine.
 *
 * @see harvester/docker-machine-driver-harvester:harvester/config.go checkConfig
 * @see rancher/machine:libmachine/drivers/drivers.go
 */
export function* checkMachineAccess(config: MachineFields): Iterable<Problem> {
  if (isSet(config, 'keyPairName')) {
    const value = config.keyPairName;
    const fix = 'take both fields out and write the public key into the user data (ssh_authorized_keys)';
    if (!isSet(config, 'sshPrivateKeyPath')) {
      yield {
        path: 'keyPairName',
        value,
        message: 'needs sshPrivateKeyPath, a file that no Rancher has',
        fix,
        says: 'must specify the ssh private key path of the harvester key pair',
      };
    } else {
      yield { path: 'sshPrivateKeyPath', level: 'warning', message: 'is a file in the pod that makes the machine, where Rancher puts none', fix };
    }
  }
  if (isSet(config, 'cloudConfig')) {
    yield {
      path: 'cloudConfig',
      message: 'must stay empty: rancher-machine takes it for the path of a file, and puts its own user data there',
      fix: 'write what the machine shall do into userData',
    };
  }
  if (isSet(config, 'kubeconfigContent')) {
    yield {
      path: 'kubeconfigContent',
      level: 'warning',
      message: 'holds the access to Harvester where everybody who may see machine configurations reads it',
      fix: 'leave it out: Rancher fills it from the cloud credential of the cluster',
    };
  }
  for (const field of ['clusterType', 'clusterId', 'clusterName']) {
    if (isSet(config, field)) {
      yield { path: field, value: config[field], level: 'warning', message: 'is filled by Rancher', fix: 'leave it out' };
    }
  }
}
