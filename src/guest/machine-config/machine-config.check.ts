import { isLate } from '../../core/late/late-token';
import { NO_PROBLEMS, Problem } from '../../core/problem/problem';
import { plainText } from '../../core/text/plain-text';
import { GateId } from '../../core/version/feature-gate';
import { GuestGate } from '../version/guest-gates.data';

/**
 * Whether Kubernetes would change a text in the arguments of a container: `$$` becomes `$`, and
 * `$(NAME)` becomes the environment variable of that name if there is one.
 *
 * Rancher passes each field of a machine configuration to the node driver that way, so shell
 * scripts in it would change silently.
 * @see rancher/rancher:pkg/controllers/capr/machineprovision/template.go Args
 * @see kubernetes/kubernetes:third_party/forked/golang/expansion/expand.go
 */
export function isExpanded(text: string): boolean {
  // long texts without it are the rule
  return text.includes('$') && /\$\$|\$\([A-Z_][A-Z0-9_]*\)/.test(text);
}

/** Fields that came with later node drivers. */
export const MACHINE_FIELD_GATES: ReadonlyArray<readonly [field: string, gate: GateId]> = [
  ['diskInfo', GuestGate.VM_MULTIPLE_DISKS],
  ['networkInfo', GuestGate.VM_MULTIPLE_DISKS],
  ['enableEfi', GuestGate.VM_EFI],
  ['enableSecureBoot', GuestGate.VM_EFI],
  ['vgpuInfo', GuestGate.VM_VGPU],
  ['cpuPinning', GuestGate.VM_CPU_PINNING],
  ['isolateEmulatorThread', GuestGate.VM_CPU_PINNING],
  ['enableTpm', GuestGate.VM_TPM],
  ['reservedMemorySize', GuestGate.VM_RESERVED_MEMORY],
  ['cpuModel', GuestGate.VM_CPU_MODEL],
];

/** The fields of a machine configuration, which are at the top level of its manifest. */
export interface MachineFields {
  readonly [field: string]: unknown;
}

/** A larger number is more often a typing error than a machine of that size. */
const SUSPICIOUS_GIB = 512;

/** A smaller number is too little for a virtual machine: it was meant in GiB. */
const SUSPICIOUS_RESERVE_MIB = 64;

const FLAGS: { readonly [field: string]: string } = {
  cpuCount: 'harvester-cpu-count',
  memorySize: 'harvester-memory-size',
  diskSize: 'harvester-disk-size',
  sshPort: 'harvester-ssh-port',
  reservedMemorySize: 'harvester-reserved-memory-size',
};

/**
 * The text of a field; undefined if it is empty, late, or not text, which the definition refuses.
 */
export function machineField(config: MachineFields, field: string): string | undefined {
  const value = config[field];
  return typeof value === 'string' && value !== '' && !isLate(value) ? value : undefined;
}

/** Whether a field has a value. */
export function isSet(config: MachineFields, field: string): boolean {
  const value = config[field];
  return value !== undefined && value !== null && value !== '' && value !== false;
}

/**
 * Checks the numbers of a machine: whole numbers as text, memory in GiB, reserved memory in MiB.
 *
 * @see harvester/docker-machine-driver-harvester:harvester/flags.go
 */
export function* checkMachineNumbers(config: MachineFields): Iterable<Problem> {
  for (const [field, flag] of Object.entries(FLAGS)) {
    const text = machineField(config, field);
    if (text !== undefined) {
      yield* checkNumber(field, text, flag);
    }
  }
  yield* checkMemory(config);
  const cpus = numberOf(config, 'cpuCount');
  if (cpus !== undefined && cpus < 1) {
    yield {
      path: 'cpuCount',
      value: machineField(config, 'cpuCount'),
      message: 'must be at least 1',
      fix: 'set it to "1" or more',
      ...(cpus === 0 ? { level: 'warning' as const } : {}),
    };
  }
}

/** Go reads a number as its literals: with another base where it begins with 0, and with underscores. */
function* checkNumber(path: string, value: string, flag: string): Iterable<Problem> {
  const says = `invalid value "${value}" for flag -${flag}`;
  if (/^[-+]?(0|[1-9]\d*)$/.test(value)) {
    if (Math.abs(Number(value)) >= 2 ** 63) {
      yield {
        path,
        value,
        message: 'must be less than 2^63',
        fix: 'lower it',
        says: `${says}: value out of range`,
      };
    }
    return;
  }
  const readAs = goNumber(value);
  yield {
    path,
    value,
    message: `must be a whole number${readAs === undefined ? '' : `, in decimal: the node driver reads ${readAs}`}`,
    fix: fixOf(path, value),
    ...(readAs === undefined ? { says: `${says}: parse error` } : {}),
  };
}

/** A number in the form of Go's literals that are not decimal. Undefined where Go cannot read it. @see https://pkg.go.dev/strconv#ParseInt with base 0 */
function goNumber(text: string): number | undefined {
  const [, sign, digits = ''] = /^([-+]?)(\w+)$/.exec(text) ?? [];
  const underscored = /^(?:0[xob])?[\da-f]+(?:_[\da-f]+)*$/i.test(
    digits.replace(/^(0[xob])_/i, '$1'),
  );
  const plain = digits.replace(/_/g, '').replace(/^0(?=\d)/, '0o');
  const isNumber = underscored && /^(?:\d+|0x[\da-f]+|0o[0-7]+|0b[01]+)$/i.test(plain);
  return isNumber ? Number(plain) * (sign === '-' ? -1 : 1) : undefined;
}

function* checkMemory(config: MachineFields): Iterable<Problem> {
  const [memory, reserve] = [
    numberOf(config, 'memorySize'),
    numberOf(config, 'reservedMemorySize'),
  ];
  const value = machineField(config, 'memorySize');
  if (memory !== undefined && memory < 1) {
    yield {
      path: 'memorySize',
      value,
      message: 'must be at least 1',
      fix: 'set it to "1" or more, in GiB',
      says: 'either memory.guest or resources.limits.memory must be set',
    };
  } else if (memory !== undefined && memory >= SUSPICIOUS_GIB) {
    yield {
      path: 'memorySize',
      value,
      level: 'warning',
      message: `must be in GiB, not MiB: each machine would have ${memory} GiB of memory`,
      fix:
        memory % 1024 === 0
          ? `write "${memory / 1024}" for ${memory} MiB`
          : 'write the number of GiB',
    };
  }
  if (reserve === undefined || reserve <= 0) {
    return;
  }
  const given = machineField(config, 'reservedMemorySize');
  if (memory !== undefined && reserve >= memory * 1024) {
    yield {
      path: 'reservedMemorySize',
      value: given,
      message: `must be less than memorySize, ${memory} GiB, and in MiB`,
      fix: 'lower reservedMemorySize',
      says: 'reservedMemory cannot be equal or greater than limits.memory',
    };
  } else if (reserve < SUSPICIOUS_RESERVE_MIB) {
    yield {
      path: 'reservedMemorySize',
      value: given,
      level: 'warning',
      message: `must be in MiB, not GiB: it reserves ${reserve} MiB`,
      fix: `write "${reserve * 1024}" for ${reserve} GiB, or remove it`,
    };
  }
}

const GIB_TEXT = /^(\d+)\s*(?:Gi?B?)$/i;
const MIB_TEXT = /^(\d+)\s*(?:Mi?B?)$/i;

function fixOf(field: string, text: string): string {
  if (field === 'reservedMemorySize') {
    return withNumber('write only the number of MiB', mebibytesIn(text));
  }
  if (field === 'memorySize' || field === 'diskSize') {
    return withNumber('write only the number of GiB', gibibytesIn(text));
  }
  return 'write a whole number in quotes';
}

function withNumber(fix: string, number: string | undefined): string {
  return number === undefined ? fix : `${fix}: "${number}"`;
}

/** The number of MiB of a text with a unit; undefined for any other text. */
function mebibytesIn(text: string): string | undefined {
  const gib = GIB_TEXT.exec(text)?.[1];
  return MIB_TEXT.exec(text)?.[1] ?? (gib && String(Number(gib) * 1024));
}

/** The whole number of GiB of a text with a unit; undefined for any other text. */
function gibibytesIn(text: string): string | undefined {
  const gib = GIB_TEXT.exec(text)?.[1];
  if (gib !== undefined) {
    return gib;
  }
  const mib = Number(MIB_TEXT.exec(text)?.[1]);
  return mib % 1024 === 0 ? String(mib / 1024) : undefined;
}

function numberOf(config: MachineFields, field: string): number | undefined {
  const text = machineField(config, field);
  return text !== undefined && /^[-+]?(0|[1-9]\d*)$/.test(text) ? Number(text) : undefined;
}

/**
 * Checks the switches of a machine that need another switch.
 *
 * @see harvester/docker-machine-driver-harvester:harvester/flags.go SetConfigFromFlags
 * @see kubevirt/kubevirt:pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go
 */
export function* checkMachineSwitches(config: MachineFields): Iterable<Problem> {
  if (config.enableSecureBoot === true && config.enableEfi !== true) {
    yield {
      path: 'enableSecureBoot',
      message: 'cannot be set without enableEfi',
      fix: 'set enableEfi to true, too',
      says: 'enable secure boot requires enable EFI',
    };
  }
  if (config.isolateEmulatorThread === true && config.cpuPinning !== true) {
    yield {
      path: 'isolateEmulatorThread',
      message: 'cannot be set without cpuPinning',
      fix: 'set cpuPinning to true, too',
      says: 'IsolateEmulatorThread should be only set in combination with DedicatedCPUPlacement',
    };
  }
}

/**
 * Checks the fields that Rancher sets: keys, kubeconfigs, and the file of rancher-machine.
 *
 * @see harvester/docker-machine-driver-harvester:harvester/config.go checkConfig
 * @see rancher/machine:libmachine/drivers/drivers.go
 */
export function checkMachineAccess(
  config: MachineFields,
  isKubeconfig: (text: string) => boolean,
): Iterable<Problem> {
  return FROM_RANCHER.some((field) => isSet(config, field))
    ? problemsOfAccess(config, isKubeconfig)
    : NO_PROBLEMS;
}

const OF_CLUSTER = ['clusterType', 'clusterId', 'clusterName'];
const FROM_RANCHER = [
  'keyPairName',
  'sshPrivateKeyPath',
  'cloudConfig',
  'kubeconfigContent',
  ...OF_CLUSTER,
];

function* problemsOfAccess(
  config: MachineFields,
  isKubeconfig: (text: string) => boolean,
): Iterable<Problem> {
  if (isSet(config, 'keyPairName') && !isSet(config, 'sshPrivateKeyPath')) {
    yield keyPairWithoutFile(config);
  }
  if (isSet(config, 'sshPrivateKeyPath')) {
    yield privateKeyFile(config);
  }
  if (isSet(config, 'cloudConfig')) {
    yield {
      path: 'cloudConfig',
      message:
        'must be empty: rancher-machine reads it as the path of a file and writes its own user data there',
      fix: 'use userData',
    };
  }
  if (isSet(config, 'kubeconfigContent')) {
    yield kubeconfigInConfig(config, isKubeconfig);
  }
  for (const field of OF_CLUSTER) {
    if (isSet(config, field)) {
      yield {
        path: field,
        value: config[field],
        level: 'warning',
        message: 'cannot be set: Rancher sets it',
        fix: 'remove it',
      };
    }
  }
}

function keyPairWithoutFile({ keyPairName }: MachineFields): Problem {
  return {
    path: 'keyPairName',
    value: keyPairName,
    message: 'cannot be set: it needs sshPrivateKeyPath, a file that Rancher does not have',
    fix: 'remove both fields and write the public key into the user data (ssh_authorized_keys)',
    says: 'must specify the ssh private key path of the harvester key pair',
  };
}

function privateKeyFile({ sshPrivateKeyPath }: MachineFields): Problem {
  return {
    path: 'sshPrivateKeyPath',
    value: sshPrivateKeyPath,
    message: 'cannot be set: Rancher does not put this file into the pod that creates the machine',
    fix: 'remove it: Rancher creates a key for each machine',
    says: `open ${plainText(sshPrivateKeyPath)}: no such file or directory`,
  };
}

function kubeconfigInConfig(
  { kubeconfigContent: text }: MachineFields,
  isKubeconfig: (text: string) => boolean,
): Problem {
  const at = {
    path: 'kubeconfigContent',
    fix: 'remove it: Rancher sets it from the cloud credential of the cluster',
  };
  if (typeof text === 'string' && !isLate(text) && !isKubeconfig(text)) {
    return {
      ...at,
      message: 'must be a kubeconfig: the node driver creates no machine with another text',
      says: "couldn't get version/kind; json parse error",
    };
  }
  return {
    ...at,
    level: 'warning',
    message: 'cannot be set: everyone who can read machine configurations gets access to Harvester',
  };
}

/**
 * Checks network data with a fixed address, which every machine with that configuration gets.
 *
 * @param machines how many have it
 * @param oldGoesFirst whether a machine is deleted before the one that replaces it is created
 */
export function* checkStaticAddress(machines: number, oldGoesFirst: boolean): Iterable<Problem> {
  if (machines > 1) {
    yield {
      path: 'networkData',
      ...(Number.isFinite(machines) ? { value: machines } : {}),
      message: 'cannot set a fixed address for several machines, which would all have it',
      fix: 'use one pool with its own machine configuration for each machine, or DHCP',
    };
  } else if (machines === 1 && !oldGoesFirst) {
    yield {
      path: 'networkData',
      level: 'warning',
      message:
        'sets a fixed address: when the machine is replaced, the new one starts before the old one is deleted and has the same address',
      fix: 'set rollingUpdate.maxSurge to 0 and maxUnavailable to 1 on the pool',
    };
  }
}
