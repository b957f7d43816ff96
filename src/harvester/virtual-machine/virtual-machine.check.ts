import { ANNOTATION_RESERVED_MEMORY } from './virtual-machine.kind';
import { checkClaims } from './volume-claims.check';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, valueAt } from '../../core/manifest/manifest';
import { annotationsOf } from '../../core/manifest/metadata';
import { Problem } from '../../core/rule/problem';
import { quantityOf } from '../../core/text/quantity';

type Fields = { readonly [field: string]: unknown };

const DISKS = 'spec.template.spec.domain.devices.disks';
const VOLUMES = 'spec.template.spec.volumes';
const INTERFACES = 'spec.template.spec.domain.devices.interfaces';
const NETWORKS = 'spec.template.spec.networks';
const MAC = /^[0-9a-f]{2}(?:([:-])[0-9a-f]{2})(?:\1[0-9a-f]{2}){4}$/i;

/** What is wrong with the disks of a machine's instance, and with the volumes that they are. */
export function* checkDisks(instance: Fields): Iterable<Problem> {
  const disks = records(valueAt(instance, 'domain', 'devices', 'disks'));
  const volumes = new Set(records(instance.volumes).map(([, { name }]) => name));
  yield* twice(DISKS, disks, 'disk');
  yield* twice(VOLUMES, records(instance.volumes), 'volume');
  for (const [index, disk] of disks) {
    const path = `${DISKS}[${index}]`;
    // a CD-ROM may be empty, on versions that let one be put in later
    if (typeof disk.name === 'string' && !isLate(disk.name) && !volumes.has(disk.name) && !isRecord(disk.cdrom)) {
      yield {
        path: `${path}.name`,
        value: disk.name,
        message: 'names no volume',
        fix: 'add a volume of that name',
        says: `${path}.Name '${disk.name}' not found.`,
      };
    }
    if (valueAt(disk, 'cdrom', 'bus') === 'virtio') {
      yield {
        path: `${path}.cdrom.bus`,
        value: 'virtio',
        message: 'is no bus for a CD-ROM',
        fix: 'use sata or scsi',
        says: 'Bus type virtio is invalid for CD-ROM device',
      };
    }
  }
  yield* checkBootOrders(disks, records(valueAt(instance, 'domain', 'devices', 'interfaces')));
}

/**
 * What KubeVirt refuses in the volumes of a machine's instance, on every cluster.
 *
 * @see kubevirt/kubevirt:pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go validateVolumes
 */
export function* checkVolumeSources(instance: Fields): Iterable<Problem> {
  for (const [index, { name: _, ...sources }] of records(instance.volumes)) {
    const names = Object.keys(sources).filter((source) => sources[source] !== undefined && sources[source] !== null);
    if (names.length === 1 || names.some(isLate)) { continue; }
    yield {
      path: `${VOLUMES}[${index}]`,
      ...(names.length > 1 && { value: names }),
      message: 'must have exactly one source',
      fix: names.length > 1 ? `keep one of ${names.join(', ')}` : 'set one source, e.g. persistentVolumeClaim with claimName, or cloudInitNoCloud',
      says: `spec.template.spec.volumes[${index}] must have exactly one source type set`,
    };
  }
}

function* checkBootOrders(disks: readonly [number, Fields][], interfaces: readonly [number, Fields][]): Iterable<Problem> {
  const seen = new Set<unknown>();
  const placed = (path: string, items: readonly [number, Fields][]) => items.map(([index, device]) => [`${path}[${index}]`, device] as const);
  const devices = [...placed(DISKS, disks), ...placed(INTERFACES, interfaces)];
  for (const [path, { bootOrder }] of devices) {
    if (typeof bootOrder !== 'number') { continue; }
    if (!Number.isInteger(bootOrder) || bootOrder < 1) {
      yield {
        path: `${path}.bootOrder`,
        value: bootOrder,
        message: 'is no place in an order',
        fix: 'give a whole number from 1',
        says: 'must have a boot order > 0, if supplied',
      };
    } else if (seen.has(bootOrder)) {
      yield {
        path: `${path}.bootOrder`,
        value: bootOrder,
        message: 'is the place of two devices',
        fix: 'give each another place',
        says: 'already set for a different device.',
      };
    }
    seen.add(bootOrder);
  }
}

/** What is wrong with the network cards of a machine's instance, and with the networks that they are in. */
export function* checkNetworkCards(instance: Fields): Iterable<Problem> {
  const cards = records(valueAt(instance, 'domain', 'devices', 'interfaces'));
  const networks = records(instance.networks);
  const byName = new Map(networks.map(([, network]) => [network.name, network]));
  const names = new Set(cards.map(([, { name }]) => name));
  yield* twice(INTERFACES, cards, 'network card');
  yield* twice(NETWORKS, networks, 'network');
  for (const [index, card] of cards) { yield* checkCard(`${INTERFACES}[${index}]`, card, byName.get(card.name)); }
  for (const [index, { name }] of networks) {
    if (typeof name === 'string' && !isLate(name) && !names.has(name)) {
      yield {
        path: `${NETWORKS}[${index}].name`,
        value: name,
        message: 'names no network card',
        fix: 'add an interface of that name',
        says: `${NETWORKS}[${index}].name '${name}' not found.`,
      };
    }
  }
  const pods = networks.filter(([, network]) => isRecord(network.pod));
  for (const [index] of pods.slice(1)) {
    yield {
      path: `${NETWORKS}[${index}].pod`,
      message: 'is the management network once more',
      fix: 'keep one card of it',
      says: 'more than one interface is connected to a pod network',
    };
  }
  yield* checkMacs(cards);
}

function* checkCard(path: string, card: Fields, network: Fields | undefined): Iterable<Problem> {
  if (!network) {
    if (typeof card.name === 'string' && !isLate(card.name)) {
      yield {
        path: `${path}.name`,
        value: card.name,
        message: 'names no network',
        fix: 'add a network of that name',
        says: `${path}.name '${card.name}' not found.`,
      };
    }
    return;
  }
  if (isRecord(card.masquerade) && !isRecord(network.pod)) {
    yield {
      path: `${path}.masquerade`,
      message: 'is for the management network only',
      fix: 'use bridge: {}',
      says: 'Masquerade interface only implemented with pod network',
    };
  }
}

function* checkMacs(cards: readonly [number, Fields][]): Iterable<Problem> {
  const seen = new Set<string>();
  for (const [index, { macAddress }] of cards) {
    if (typeof macAddress !== 'string' || macAddress === '' || isLate(macAddress)) { continue; }
    const path = `${INTERFACES}[${index}].macAddress`;
    const mac = macAddress.toLowerCase();
    if (!MAC.test(mac)) {
      yield {
        path,
        value: macAddress,
        message: 'is no hardware address',
        fix: 'give six pairs of hexadecimal digits with colons, e.g. 52:54:00:12:34:56',
        says: 'has malformed MAC address',
      };
    } else if (parseInt(mac.slice(0, 2), 16) % 2 === 1) {
      // the server takes it, and no switch carries it
      yield { path, value: macAddress, level: 'warning', message: 'is an address of a group of cards', fix: 'begin with an even number, e.g. 52' };
    } else if (seen.has(mac)) {
      yield { path, value: macAddress, level: 'warning', message: 'is the address of two cards', fix: 'give each card another' };
    }
    seen.add(mac);
  }
}

function* twice(path: string, items: readonly [number, Fields][], what: string): Iterable<Problem> {
  const seen = new Set<unknown>();
  for (const [index, { name }] of items) {
    if (typeof name !== 'string' || isLate(name)) { continue; }
    if (seen.has(name)) {
      yield { path: `${path}[${index}].name`, value: name, message: `is the name of two of a kind: ${what}`, fix: 'give each another name' };
    }
    seen.add(name);
  }
}

function records(list: unknown): [number, Fields][] {
  return (Array.isArray(list) ? list : []).flatMap((item, index): [number, Fields][] => (isRecord(item) ? [[index, item]] : []));
}

/** Where the description of a machine's instance stands. */
export const INSTANCE_PATH = 'spec.template.spec';

const RUN_STRATEGIES: readonly string[] = ['Always', 'RerunOnFailure', 'Halted', 'Manual', 'Once', 'WaitAsReceiver'];

/** KubeVirt's limit for user data that stands in the machine itself, in bytes. */
const MAX_INLINE_DATA = 2048;

/**
 * What Harvester and KubeVirt refuse in a virtual machine by itself.
 *
 * @see harvester/harvester:pkg/webhook/resources/virtualmachine/validator.go
 * @see kubevirt/kubevirt:pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go
 */
export function* checkMachine(machine: Manifest): Iterable<Problem> {
  yield* checkRunning(machine);
  yield* checkClaims(machine);
  const instance = valueAt(machine, 'spec', 'template', 'spec');
  if (!isRecord(instance)) { return; }
  yield* checkMemory(machine, instance);
  yield* checkCpu(instance);
  yield* checkFirmware(instance);
  const grace = instance.terminationGracePeriodSeconds;
  if (typeof grace === 'number' && grace < 0) {
    yield {
      path: `${INSTANCE_PATH}.terminationGracePeriodSeconds`,
      value: grace,
      message: 'is negative',
      fix: 'give 0 or more',
      says: 'Termination grace period can\'t be negative',
    };
  }
  yield* checkDisks(instance);
  yield* checkVolumeSources(instance);
  yield* checkNetworkCards(instance);
  yield* checkInlineData(instance);
}

function* checkRunning({ spec }: Manifest): Iterable<Problem> {
  const [running, runStrategy] = [valueAt(spec, 'running'), valueAt(spec, 'runStrategy')];
  const given = (value: unknown) => value !== undefined && value !== null;
  if (given(running) && given(runStrategy)) {
    yield {
      path: 'spec.running',
      value: running,
      message: 'does not go with runStrategy',
      fix: 'leave it out',
      says: 'Running and RunStrategy are mutually exclusive',
    };
  } else if (!given(running) && !given(runStrategy) && isRecord(spec)) {
    yield {
      path: 'spec.runStrategy',
      message: 'is missing',
      fix: 'give RerunOnFailure, as Harvester\'s UI does',
      says: 'One of Running or RunStrategy must be specified',
    };
  } else if (typeof runStrategy === 'string' && !isLate(runStrategy) && !RUN_STRATEGIES.includes(runStrategy)) {
    yield {
      path: 'spec.runStrategy',
      value: runStrategy,
      message: 'is no run strategy',
      fix: `use ${RUN_STRATEGIES.slice(0, -1).join(', ')}`,
      says: `Invalid RunStrategy (${runStrategy})`,
    };
  }
}

function* checkMemory(machine: Manifest, instance: { readonly [field: string]: unknown }): Iterable<Problem> {
  const limit = quantityOf(valueAt(instance, 'domain', 'resources', 'limits', 'memory'));
  const guest = valueAt(instance, 'domain', 'memory', 'guest');
  // an instance type brings memory of its own
  const sized = valueAt(machine, 'spec', 'instancetype') !== undefined;
  if (!limit && (guest === undefined || guest === null) && !sized && !isLate(valueAt(instance, 'domain', 'resources', 'limits', 'memory'))) {
    yield {
      path: `${INSTANCE_PATH}.domain`,
      message: 'has no memory',
      fix: 'give resources.limits.memory, from which Harvester reckons what the guest gets',
      says: 'either memory.guest or resources.limits.memory must be set',
    };
  }
  const path = `metadata.annotations[${ANNOTATION_RESERVED_MEMORY}]`;
  const given = annotationsOf(machine)[ANNOTATION_RESERVED_MEMORY];
  if (typeof given !== 'string' || given === '' || isLate(given) || limit === undefined || limit === 0) { return; }
  const reserved = quantityOf(given);
  if (reserved === undefined) {
    yield { path, value: given, message: 'is no quantity', fix: 'give e.g. 256Mi', says: 'quantities must match the regular expression' };
  } else if (reserved < 0) {
    yield { path, value: given, message: 'is negative', fix: 'give e.g. 256Mi', says: 'reservedMemory cannot be less than 0' };
  } else if (reserved >= limit) {
    yield {
      path,
      value: given,
      message: 'leaves nothing of the memory',
      fix: 'reserve less than the memory',
      says: 'reservedMemory cannot be equal or greater than limits.memory',
    };
  }
}

function* checkCpu(instance: { readonly [field: string]: unknown }): Iterable<Problem> {
  const cpu = valueAt(instance, 'domain', 'cpu');
  if (valueAt(cpu, 'isolateEmulatorThread') === true && valueAt(cpu, 'dedicatedCpuPlacement') !== true) {
    yield {
      path: `${INSTANCE_PATH}.domain.cpu.isolateEmulatorThread`,
      message: 'needs dedicatedCpuPlacement',
      fix: 'set dedicatedCpuPlacement: true too',
      says: 'IsolateEmulatorThread should be only set in combination with DedicatedCPUPlacement',
    };
  }
}

function* checkFirmware(instance: { readonly [field: string]: unknown }): Iterable<Problem> {
  const efi = valueAt(instance, 'domain', 'firmware', 'bootloader', 'efi');
  const smm = valueAt(instance, 'domain', 'features', 'smm');
  // left out, it is on
  const secure = isRecord(efi) && (efi.secureBoot ?? true) === true;
  if (secure && !(isRecord(smm) && (smm.enabled ?? true) === true)) {
    yield {
      path: `${INSTANCE_PATH}.domain.firmware.bootloader.efi.secureBoot`,
      message: 'is on, as it is unless it is set to false, and needs features.smm',
      fix: 'set features.smm.enabled: true, or secureBoot: false',
      says: 'has EFI SecureBoot enabled. SecureBoot requires SMM, which is currently disabled.',
    };
  }
}

function* checkInlineData({ volumes }: { readonly [field: string]: unknown }): Iterable<Problem> {
  for (const [index, volume] of (Array.isArray(volumes) ? volumes : []).entries()) {
    for (const kind of ['cloudInitNoCloud', 'cloudInitConfigDrive']) {
      for (const [field, secret] of [['userData', 'secretRef'], ['networkData', 'networkDataSecretRef']] as const) {
        const text = valueAt(volume, kind, field);
        if (typeof text !== 'string' || isLate(text) || Buffer.byteLength(text) <= MAX_INLINE_DATA) { continue; }
        yield {
          // never the value: it may hold passwords
          path: `${INSTANCE_PATH}.volumes[${index}].${kind}.${field}`,
          message: `has ${Buffer.byteLength(text)} bytes, more than ${MAX_INLINE_DATA}`,
          fix: `put it into a Secret, and name that by ${secret}`,
          says: `exceeds ${MAX_INLINE_DATA} byte limit`,
        };
      }
    }
  }
}
