import { createHash } from 'crypto';
import { ANNOTATION_RESERVED_MEMORY, CLAIMS_PATH, readClaims } from './machine-manifest.facts';
import { isLate } from '../../core/late/late-token';
import {
  annotationsOf,
  Fields,
  isRecord,
  Manifest,
  records,
  valueAt,
  itemsAt,
} from '../../core/manifest/manifest';
import { Problem } from '../../core/problem/problem';
import { errorIf } from '../../core/rule/kit/relations';
import { plainText } from '../../core/text/plain-text';
import { quantityOf } from '../../core/text/values';

/** The input of a derived MAC address. */
interface NicIdentity {
  /**
   * The name of the target, so that VMs of the same name on two Harvesters that share a network
   * differ.
   */
  readonly target: string;
  readonly namespace: string;
  readonly machine: string;
  /** The name of the NIC, or its network: other NICs of the VM do not change it. */
  readonly nic: string;
}

/**
 * The MAC address of a NIC for which the program sets none: always the same, locally administered,
 * unicast.
 *
 * Harvester's webhook writes a random one into a NIC without an address, at each server-side apply
 * again, since the list of NICs is replaced as a whole.
 *
 * @see harvester/harvester:pkg/webhook/resources/virtualmachine/mutator.go patchInterfaceMacAddress, pkg/util/network/common.go
 *   GenerateLAAMacAddress; seen on Harvester 1.7.2: the first, second and third apply gave three
 *   addresses
 */
export function derivedMac({ target, namespace, machine, nic }: NicIdentity): string {
  const bytes = createHash('sha256')
    .update([target, namespace, machine, nic].join('\n'))
    .digest()
    .subarray(0, 6);
  // the second bit marks a locally administered address, the first would make it multicast
  bytes[0] += 2 - (bytes[0] % 4);
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(':');
}

/**
 * The identity of each NIC for its address: its own name, or its network and its position among the
 * NICs there.
 */
export function nicKeys(
  nics: readonly { readonly name?: string; readonly network?: string }[],
): string[] {
  const seen = new Map<string, number>();
  return nics.map(({ name, network }) => {
    if (name !== undefined) {
      return `name ${name}`;
    }
    const place = seen.get(network ?? '') ?? 0;
    seen.set(network ?? '', place + 1);
    return `network ${network ?? ''} ${place}`;
  });
}

/** The path of a NIC's address in a manifest. */
export function macAddressPath(index: number): string {
  return `spec.template.spec.domain.devices.interfaces[${index}].macAddress`;
}

const DISKS = 'spec.template.spec.domain.devices.disks';
const VOLUMES = 'spec.template.spec.volumes';
const INTERFACES = 'spec.template.spec.domain.devices.interfaces';
const NETWORKS = 'spec.template.spec.networks';

/**
 * The forms of 48 bits that Go reads.
 * @see golang/go:src/net/mac.go ParseMAC; kubevirt/kubevirt:pkg/network/admitter
 */
const MAC =
  /^(?:[0-9a-f]{2}([:-])[0-9a-f]{2}(?:\1[0-9a-f]{2}){4}|[0-9a-f]{4}(?:\.[0-9a-f]{4}){2})$/i;

/** Whether a text is a MAC address that KubeVirt accepts. */
export function isMacAddress(text: string): boolean {
  return MAC.test(text);
}

/**
 * The buses of a disk.
 * @see kubevirt/kubevirt:pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go
 */
const BUSES = ['virtio', 'scsi', 'sata', 'usb'];

/** Checks that KubeVirt has the bus of a disk, where one is set. */
export function* checkBus(path: string, bus: unknown): Iterable<Problem> {
  if (typeof bus !== 'string' || bus === '' || isLate(bus) || BUSES.includes(bus)) {
    return;
  }
  yield {
    path,
    value: bus,
    message: `must be one of ${BUSES.join(', ')}`,
    fix: 'use virtio for a disk, sata for a CD-ROM',
    says: bus === 'ide' ? 'IDE bus is not supported' : `is set with an unrecognized bus ${bus}`,
  };
}

/** Checks the disks of a VM's instance, and their volumes. */
function* checkDisks(instance: Fields): Iterable<Problem> {
  const disks = records(instance, 'domain', 'devices', 'disks');
  const volumes = new Set(records(instance.volumes).map(([, { name }]) => name));
  yield* twice(DISKS, disks, 'disk');
  yield* twice(VOLUMES, records(instance.volumes), 'volume');
  for (const [index, disk] of disks) {
    const path = `${DISKS}[${index}]`;
    // a CD-ROM may be empty, on versions that can insert one later
    if (
      typeof disk.name === 'string' &&
      !isLate(disk.name) &&
      !volumes.has(disk.name) &&
      !isRecord(disk.cdrom)
    ) {
      yield {
        path: `${path}.name`,
        value: disk.name,
        message: 'must be the name of a volume',
        fix: 'add a volume of that name',
        says: `${path}.Name '${disk.name}' not found.`,
      };
    }
    for (const device of ['disk', 'cdrom', 'lun']) {
      yield* checkBus(`${path}.${device}.bus`, valueAt(disk, device, 'bus'));
    }
    if (valueAt(disk, 'cdrom', 'bus') === 'virtio') {
      yield {
        path: `${path}.cdrom.bus`,
        value: 'virtio',
        message: 'cannot be the bus of a CD-ROM',
        fix: 'use sata or scsi',
        says: 'Bus type virtio is invalid for CD-ROM device',
      };
    }
  }
  yield* checkBootOrders(disks, records(instance, 'domain', 'devices', 'interfaces'));
}

/**
 * Checks the volumes of a VM's instance, on every cluster with KubeVirt.
 *
 * @see kubevirt/kubevirt:pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go validateVolumes
 */
export function* checkVolumeSources(instance: Fields): Iterable<Problem> {
  for (const [index, { name: _, ...sources }] of records(instance.volumes)) {
    const names = Object.keys(sources).filter(
      (source) => sources[source] !== undefined && sources[source] !== null,
    );
    if (names.length === 1 || names.some(isLate)) {
      continue;
    }
    yield {
      path: `${VOLUMES}[${index}]`,
      ...(names.length > 1 && { value: names }),
      message: 'must have exactly one source',
      fix:
        names.length > 1
          ? `keep one of ${names.join(', ')}`
          : 'set one source, e.g. persistentVolumeClaim with claimName, or cloudInitNoCloud',
      says: `spec.template.spec.volumes[${index}] must have exactly one source type set`,
    };
  }
}

function* checkBootOrders(
  disks: readonly [number, Fields][],
  interfaces: readonly [number, Fields][],
): Iterable<Problem> {
  const seen = new Set<unknown>();
  const placed = (path: string, items: readonly [number, Fields][]) =>
    items.map(([index, device]) => [`${path}[${index}]`, device] as const);
  const devices = [...placed(DISKS, disks), ...placed(INTERFACES, interfaces)];
  for (const [path, { bootOrder }] of devices) {
    if (typeof bootOrder !== 'number') {
      continue;
    }
    if (!Number.isInteger(bootOrder) || bootOrder < 1) {
      yield {
        path: `${path}.bootOrder`,
        value: bootOrder,
        message: 'must be a whole number of 1 or more',
        fix: 'set the position in the boot order, from 1',
        says: 'must have a boot order > 0, if supplied',
      };
    } else if (seen.has(bootOrder)) {
      yield {
        path: `${path}.bootOrder`,
        value: bootOrder,
        message: 'must be unique: another device has this position',
        fix: 'set a different position for each device',
        says: 'already set for a different device.',
      };
    }
    seen.add(bootOrder);
  }
}

/** Checks the NICs of a VM's instance, and their networks. */
function* checkNics(instance: Fields): Iterable<Problem> {
  const nics = records(instance, 'domain', 'devices', 'interfaces');
  const networks = records(instance.networks);
  const byName = new Map(networks.map(([, network]) => [network.name, network]));
  const names = new Set(nics.map(([, { name }]) => name));
  yield* twice(INTERFACES, nics, 'NIC');
  yield* twice(NETWORKS, networks, 'network');
  for (const [index, nic] of nics) {
    yield* checkNic(`${INTERFACES}[${index}]`, nic, byName.get(nic.name));
  }
  for (const [index, { name }] of networks) {
    if (typeof name === 'string' && !isLate(name) && !names.has(name)) {
      yield {
        path: `${NETWORKS}[${index}].name`,
        value: name,
        message: 'must be the name of an interface',
        fix: 'add an interface of that name',
        says: `${NETWORKS}[${index}].name '${name}' not found.`,
      };
    }
  }
  const pods = networks.filter(([, network]) => isRecord(network.pod));
  for (const [index] of pods.slice(1)) {
    yield {
      path: `${NETWORKS}[${index}].pod`,
      message: 'cannot be used twice: another NIC is in the management network',
      fix: 'keep one NIC in the management network',
      says: 'more than one interface is connected to a pod network',
    };
  }
  yield* checkMacs(nics);
}

function* checkNic(path: string, nic: Fields, network: Fields | undefined): Iterable<Problem> {
  if (!network) {
    if (typeof nic.name === 'string' && !isLate(nic.name)) {
      yield {
        path: `${path}.name`,
        value: nic.name,
        message: 'must be the name of a network',
        fix: 'add a network of that name',
        says: `${path}.name '${nic.name}' not found.`,
      };
    }
    return;
  }
  if (isRecord(nic.masquerade) && !isRecord(network.pod)) {
    yield {
      path: `${path}.masquerade`,
      message: 'can be used in the management network only',
      fix: 'use bridge: {}',
      says: 'Masquerade interface only implemented with pod network',
    };
  }
}

function* checkMacs(nics: readonly [number, Fields][]): Iterable<Problem> {
  const seen = new Set<string>();
  for (const [index, { macAddress }] of nics) {
    if (typeof macAddress !== 'string' || macAddress === '' || isLate(macAddress)) {
      continue;
    }
    const path = `${INTERFACES}[${index}].macAddress`;
    const mac = macAddress.toLowerCase();
    if (!isMacAddress(mac)) {
      yield {
        path,
        value: macAddress,
        message: 'must be a MAC address',
        fix: 'set six pairs of hexadecimal digits with colons, e.g. 52:54:00:12:34:56',
        says: 'has malformed MAC address',
      };
    } else if (parseInt(mac.slice(0, 2), 16) % 2 === 1) {
      // the server accepts it, but no switch forwards it
      yield {
        path,
        value: macAddress,
        level: 'warning',
        message: 'must be a unicast address',
        fix: 'begin with an even number, e.g. 52',
      };
    } else if (seen.has(mac)) {
      yield {
        path,
        value: macAddress,
        level: 'warning',
        message: 'must be unique: another NIC has this address',
        fix: 'set a different address for each NIC',
      };
    }
    seen.add(mac);
  }
}

function* twice(
  path: string,
  items: readonly (readonly [number, Fields])[],
  what: string,
): Iterable<Problem> {
  const seen = new Set<unknown>();
  for (const [index, { name }] of items) {
    if (typeof name !== 'string' || isLate(name)) {
      continue;
    }
    if (seen.has(name)) {
      yield {
        path: `${path}[${index}].name`,
        value: name,
        message: `must be unique: another ${what} has this name`,
        fix: 'choose a different name',
      };
    }
    seen.add(name);
  }
}

const INSTANCE_PATH = 'spec.template.spec';

const RUN_STRATEGIES: readonly string[] = [
  'Always',
  'RerunOnFailure',
  'Halted',
  'Manual',
  'Once',
  'WaitAsReceiver',
];

/** KubeVirt's limit for user data that is inline in the VM, in bytes. */
const MAX_INLINE_DATA = 2048;

/** What the version of the VM's Harvester checks. Undefined if the version is not known. */
export interface MachineContext {
  /** Whether it refuses a VM without a memory limit and guest memory. */
  readonly asksMemory?: boolean;
  /** Whether it compares guest memory and reserved memory with the limit. */
  readonly checksGuestMemory?: boolean;
  /** Whether the live VM has guest memory, which Harvester wrote, and an apply keeps. */
  readonly hasLiveMemory?: boolean;
}

/**
 * Checks a virtual machine on its own, as Harvester and KubeVirt do.
 *
 * @see harvester/harvester:pkg/webhook/resources/virtualmachine/validator.go
 * @see kubevirt/kubevirt:pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go
 */
export function* checkMachine(machine: Manifest, context: MachineContext = {}): Iterable<Problem> {
  yield* checkRunning(machine);
  yield* checkClaims(machine);
  const instance = valueAt(machine, 'spec', 'template', 'spec');
  if (!isRecord(instance)) {
    return;
  }
  yield* checkMemory(machine, instance, context);
  yield* checkCpu(instance);
  yield* checkFirmware(instance);
  const grace = instance.terminationGracePeriodSeconds;
  if (typeof grace === 'number' && grace < 0) {
    yield {
      path: `${INSTANCE_PATH}.terminationGracePeriodSeconds`,
      value: grace,
      message: 'must be 0 or more',
      fix: 'set 0 or more seconds',
      says: "Termination grace period can't be negative",
    };
  }
  yield* checkDisks(instance);
  yield* checkVolumeSources(instance);
  yield* checkNics(instance);
  yield* checkInlineData(instance);
}

function* checkRunning({ spec }: Manifest): Iterable<Problem> {
  const [running, runStrategy] = [valueAt(spec, 'running'), valueAt(spec, 'runStrategy')];
  const given = (value: unknown) => value !== undefined && value !== null;
  if (given(running) && given(runStrategy)) {
    yield {
      path: 'spec.running',
      value: running,
      message: 'cannot be combined with runStrategy',
      fix: 'remove running',
      says: 'Running and RunStrategy are mutually exclusive',
    };
  } else if (!given(running) && !given(runStrategy) && isRecord(spec)) {
    yield {
      path: 'spec.runStrategy',
      message: 'must be set',
      fix: "set RerunOnFailure, as Harvester's UI does",
      says: 'One of Running or RunStrategy must be specified',
    };
  } else if (
    typeof runStrategy === 'string' &&
    !isLate(runStrategy) &&
    !RUN_STRATEGIES.includes(runStrategy)
  ) {
    yield {
      path: 'spec.runStrategy',
      value: runStrategy,
      message: `must be one of ${RUN_STRATEGIES.slice(0, -1).join(', ')}`,
      fix: 'choose a run strategy',
      says: `Invalid RunStrategy (${runStrategy})`,
    };
  }
}

function* checkMemory(
  machine: Manifest,
  instance: { readonly [field: string]: unknown },
  { asksMemory, checksGuestMemory, hasLiveMemory }: MachineContext,
): Iterable<Problem> {
  const limit = valueAt(instance, 'domain', 'resources', 'limits', 'memory');
  const guest = valueAt(instance, 'domain', 'memory', 'guest');
  if (!hasAmount(limit) && !hasAmount(guest)) {
    yield* withoutMemory(machine, instance, asksMemory, hasLiveMemory);
  }
  yield* checkReservedMemory(machine, quantityOf(limit), guest, checksGuestMemory);
}

function hasAmount(quantity: unknown): boolean {
  return isLate(quantity) || Boolean(quantityOf(quantity));
}

function* checkReservedMemory(
  machine: Manifest,
  limit: number | undefined,
  guest: unknown,
  checksGuestMemory: boolean | undefined,
): Iterable<Problem> {
  const path = `metadata.annotations[${ANNOTATION_RESERVED_MEMORY}]`;
  const given = annotationsOf(machine)[ANNOTATION_RESERVED_MEMORY];
  if (typeof given !== 'string' || given === '' || isLate(given) || !limit) {
    return;
  }
  const reserved = quantityOf(given);
  if (reserved === undefined) {
    yield {
      path,
      value: given,
      message: 'must be a quantity',
      fix: 'set e.g. 256Mi',
      says: 'quantities must match the regular expression',
    };
  } else if (reserved < 0) {
    yield {
      path,
      value: given,
      message: 'must be 0 or more',
      fix: 'set e.g. 256Mi',
      says: 'reservedMemory cannot be less than 0',
    };
  } else if (reserved >= limit) {
    yield {
      path,
      value: given,
      message: 'must be less than the memory limit',
      fix: 'reserve less memory',
      says: 'reservedMemory cannot be equal or greater than limits.memory',
    };
  } else if (checksGuestMemory !== false && (quantityOf(guest) ?? 0) + reserved > limit) {
    yield {
      path,
      value: given,
      // earlier versions do not compare them
      level: errorIf(checksGuestMemory),
      message: `must be at most the memory limit together with memory.guest, ${plainText(guest)}`,
      fix: 'reserve less memory, or set less guest memory',
      says: `guest memory ${quantityOf(guest)} plus reservedMemory ${reserved} cannot be greater than limits.memory ${limit}`,
    };
  }
}

/** The problem of a VM without a memory limit and guest memory. */
function* withoutMemory(
  machine: Manifest,
  instance: { readonly [field: string]: unknown },
  asksMemory: boolean | undefined,
  hasLiveMemory: boolean | undefined,
): Iterable<Problem> {
  const isSized = valueAt(machine, 'spec', 'instancetype') !== undefined;
  const requested = valueAt(instance, 'domain', 'resources', 'requests', 'memory');
  const hasMemory = isSized || quantityOf(requested) || isLate(requested);
  if (asksMemory === false && isSized) {
    return;
  }
  const isAccepted = hasLiveMemory === true || (hasMemory && asksMemory !== true);
  yield {
    path: `${INSTANCE_PATH}.domain`,
    ...(isAccepted ? { level: 'warning' as const } : {}),
    message: isSized
      ? 'must set resources.limits.memory or memory.guest: the webhook does not read the instance type'
      : 'must set resources.limits.memory',
    fix: 'set it, e.g. to 4Gi: Harvester calculates the memory of the guest from it',
    ...(asksMemory === false || hasLiveMemory === true
      ? {}
      : { says: 'either memory.guest or resources.limits.memory must be set' }),
  };
}

function* checkCpu(instance: { readonly [field: string]: unknown }): Iterable<Problem> {
  const cpu = valueAt(instance, 'domain', 'cpu');
  if (
    valueAt(cpu, 'isolateEmulatorThread') === true &&
    valueAt(cpu, 'dedicatedCpuPlacement') !== true
  ) {
    yield {
      path: `${INSTANCE_PATH}.domain.cpu.isolateEmulatorThread`,
      message: 'requires dedicatedCpuPlacement',
      fix: 'set dedicatedCpuPlacement: true',
      says: 'IsolateEmulatorThread should be only set in combination with DedicatedCPUPlacement',
    };
  }
}

function* checkFirmware(instance: { readonly [field: string]: unknown }): Iterable<Problem> {
  const efi = valueAt(instance, 'domain', 'firmware', 'bootloader', 'efi');
  const smm = valueAt(instance, 'domain', 'features', 'smm');
  // on by default
  const secure = isRecord(efi) && (efi.secureBoot ?? true) === true;
  if (secure && !(isRecord(smm) && (smm.enabled ?? true) === true)) {
    yield {
      path: `${INSTANCE_PATH}.domain.firmware.bootloader.efi.secureBoot`,
      message: 'requires features.smm, and is true by default',
      fix: 'set features.smm.enabled: true, or secureBoot: false',
      says: 'has EFI SecureBoot enabled. SecureBoot requires SMM, which is currently disabled.',
    };
  }
}

function* checkInlineData({ volumes }: { readonly [field: string]: unknown }): Iterable<Problem> {
  for (const [index, volume] of itemsAt(volumes).entries()) {
    for (const kind of ['cloudInitNoCloud', 'cloudInitConfigDrive']) {
      for (const [field, secret] of [
        ['userData', 'secretRef'],
        ['networkData', 'networkDataSecretRef'],
      ] as const) {
        const text = valueAt(volume, kind, field);
        if (
          typeof text !== 'string' ||
          isLate(text) ||
          Buffer.byteLength(text) <= MAX_INLINE_DATA
        ) {
          continue;
        }
        yield {
          // never the value: it may hold passwords
          path: `${INSTANCE_PATH}.volumes[${index}].${kind}.${field}`,
          message: `must have at most ${MAX_INLINE_DATA} bytes, got ${Buffer.byteLength(text)} bytes`,
          fix: `put it into a Secret, and refer to that by ${secret}`,
          says: `exceeds ${MAX_INLINE_DATA} byte limit`,
        };
      }
    }
  }
}

/** Checks the text of the claims. */
export function* checkClaims(machine: Manifest): Iterable<Problem> {
  const { says } = readClaims(machine);
  if (says) {
    yield {
      path: CLAIMS_PATH,
      message: 'must be a list of claims',
      fix: 'write a JSON list of PersistentVolumeClaims, each with metadata.name',
      says: `the volumeClaimTemplates annotaion is invalid: ${says}`,
    };
  }
}
