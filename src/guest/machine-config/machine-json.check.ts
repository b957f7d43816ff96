import { MachineFields, isSet, machineField } from './machine-config.check';
import {
  Item,
  NETWORK_INFO,
  INTERFACE,
  VGPU_INFO,
  REQUEST,
  DISK_INFO,
  DISK,
} from './machine-json.facts';
import { unmarshal } from '../../core/go/go-json';
import { isLate } from '../../core/late/late-token';
import { isRecord } from '../../core/manifest/manifest';
import { Problem } from '../../core/problem/problem';
import { givenValue } from '../../core/text/plain-text';
import { byText } from '../../core/text/values';
import { INTERFACE_MODELS } from '../../harvester/machine/kubevirt.check';
import { checkBus } from '../../harvester/virtual-machine/virtual-machine.check';

/** A name that Kubernetes accepts for an object. */
const OBJECT_NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;
const MAC = /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i;

/**
 * Checks the network interfaces of a machine.
 * @see harvester/docker-machine-driver-harvester:harvester/config.go checkConfig
 */
export function* checkInterfaces(config: MachineFields): Iterable<Problem> {
  if (isLate(config.networkInfo)) {
    return;
  }
  const text = machineField(config, 'networkInfo');
  if (text === undefined) {
    if (!isSet(config, 'networkName') && !isRecord(config.spec)) {
      yield {
        path: 'networkInfo',
        message: 'must be set',
        fix: 'write the networks as JSON: {"interfaces":[{"networkName":"ns/network"}]}',
        says: 'must specify harvester network name',
      };
    }
    yield* checkNetwork('networkName', config.networkName);
    yield* checkModel('networkModel', config.networkModel);
    return;
  }
  yield* checkIgnored(config, 'networkInfo', ['networkName', 'networkModel', 'networkType']);
  yield* checkNetworkInfo(text);
}

// most machines of a program have the same networks
const checkNetworkInfo = byText((text): readonly Problem[] => [...problemsOfNetworks(text)]);

function* problemsOfNetworks(text: string): Iterable<Problem> {
  const decoded = unmarshal<{ interfaces?: readonly Item[] }>(text, NETWORK_INFO);
  if ('error' in decoded) {
    yield {
      path: 'networkInfo',
      value: text,
      message: `must be a list of interfaces: ${decoded.error}`,
      fix: 'write {"interfaces":[{"networkName":"ns/network"}]}',
    };
    return;
  }
  yield* checkUnknown('networkInfo', decoded.unknown, ['interfaces', ...Object.keys(INTERFACE)]);
  const interfaces = decoded.config.interfaces ?? [];
  if (interfaces.length === 0) {
    yield {
      path: 'networkInfo',
      message: 'must have at least one interface: otherwise the machine gets no address',
      fix: 'add an interface with networkName',
    };
  }
  for (const [index, each] of interfaces.entries()) {
    yield* checkInterface(`networkInfo.interfaces[${index}]`, each);
  }
}

function* checkInterface(
  path: string,
  { networkName, macAddress, model, type }: Item,
): Iterable<Problem> {
  if (!networkName) {
    yield {
      path: `${path}.networkName`,
      message: 'must be set: machines cannot use the management network',
      fix: 'name a network in the form namespace/name',
      says: 'must specify network name in harvester network info',
    };
  }
  yield* checkNetwork(`${path}.networkName`, networkName);
  yield* checkModel(`${path}.model`, model);
  if (typeof macAddress === 'string' && macAddress !== '' && !isLate(macAddress)) {
    yield macProblem(`${path}.macAddress`, macAddress);
  }
  if (type && type !== 'bridge') {
    yield {
      path: `${path}.type`,
      value: type,
      message:
        'must be bridge: the node driver uses masquerade for any other type, which only the management network supports',
      fix: 'use bridge, or remove it',
      says: 'Masquerade interface only implemented with pod network',
    };
  }
}

/** A valid MAC address is a problem as well: machines share their configuration. */
function macProblem(path: string, address: string): Problem {
  if (!MAC.test(address)) {
    return {
      path,
      value: address,
      message: 'must be a MAC address',
      fix: 'write six pairs of hexadecimal digits with colons, e.g. 52:54:00:12:34:56',
      says: 'Invalid MAC address format.',
    };
  }
  return {
    path,
    value: address,
    level: 'warning',
    message: 'is the same for every machine of every pool that uses this configuration',
    fix: 'remove it, unless there is only one machine',
  };
}

/**
 * Checks the virtual GPUs of a machine.
 * @see harvester/docker-machine-driver-harvester:harvester/config.go parseVGPUInfo
 */
export function* checkVgpus(config: MachineFields): Iterable<Problem> {
  const text = machineField(config, 'vgpuInfo');
  if (text === undefined) {
    return;
  }
  const decoded = unmarshal<{ vGPURequests?: readonly Item[] }>(text, VGPU_INFO);
  if ('error' in decoded) {
    yield {
      path: 'vgpuInfo',
      value: text,
      message: 'must be a list of GPUs as JSON',
      fix: 'write {"vGPURequests":[{"name":"","deviceName":"nvidia.com/NVIDIA_A2-2Q"}]}',
      says: 'error unmarshalling vgpuInfo string',
    };
    return;
  }
  yield* checkUnknown('vgpuInfo', decoded.unknown, ['vGPURequests', ...Object.keys(REQUEST)]);
  for (const [index, { deviceName }] of (decoded.config.vGPURequests ?? []).entries()) {
    if (!deviceName) {
      yield {
        path: `vgpuInfo.vGPURequests[${index}].deviceName`,
        message: 'must be set',
        fix: 'set it to the resource of a vGPU type, e.g. nvidia.com/NVIDIA_A2-2Q',
      };
    }
  }
}

/** Checks the network of an interface: Harvester finds none without the namespace before a slash. */
function* checkNetwork(path: string, name: unknown): Iterable<Problem> {
  if (typeof name !== 'string' || !/^\/[^/]+$/.test(name)) {
    yield* checkReference(path, name);
    return;
  }
  yield {
    path,
    value: name,
    message: 'must have a namespace before the slash',
    fix: 'write namespace/name',
    says: `${JSON.stringify(name.slice(1))} not found`,
  };
}

/** Checks a reference of the form name or namespace/name. */
export function* checkReference(path: string, name: unknown): Iterable<Problem> {
  if (typeof name !== 'string' || name === '' || isLate(name)) {
    return;
  }
  const parts = name.split('/');
  if (parts.length > 2) {
    yield {
      path,
      value: name,
      message: 'must have at most one slash',
      fix: 'write namespace/name',
      says: `unexpected namespacedName format (${JSON.stringify(name)}), expected "namespace/name" or "name". `,
    };
  } else if (parts.at(-1) === '') {
    yield {
      path,
      value: name,
      message: 'must have a name after the slash',
      fix: 'write namespace/name',
      says: 'resource name may not be empty',
    };
  } else if (!parts.every((part) => OBJECT_NAME.test(part))) {
    // a placeholder of another tool looks the same
    yield {
      path,
      value: name,
      level: 'warning',
      message: 'must be the name of an object, not the name that the UI shows',
      fix: 'write the name of the object, e.g. image-x7k2p',
    };
  }
}

/** Reports fields of a machine that have no effect together with another field. */
function* checkIgnored(
  config: MachineFields,
  by: string,
  fields: readonly string[],
): Iterable<Problem> {
  for (const field of fields) {
    if (isSet(config, field) && config[field] !== '0') {
      yield {
        path: field,
        value: config[field],
        level: 'warning',
        message: `has no effect together with ${by}`,
        fix: 'remove it',
      };
    }
  }
}

/** Reports keys that the node driver does not know. */
function* checkUnknown(
  path: string,
  unknown: readonly string[],
  known: readonly string[],
): Iterable<Problem> {
  for (const key of unknown) {
    yield {
      path: `${path}.${key}`,
      level: 'warning',
      message: 'has no effect: the node driver does not know it',
      fix: `use ${known.join(', ')}`,
    };
  }
}

const TYPES = ['disk', 'cd-rom'];

/**
 * Checks the disks of a machine.
 * @see harvester/docker-machine-driver-harvester:harvester/config.go checkConfig
 */
export function* checkDisks(config: MachineFields): Iterable<Problem> {
  if (isLate(config.diskInfo)) {
    return;
  }
  const text = machineField(config, 'diskInfo');
  if (text === undefined) {
    yield* checkLegacyDisk(config);
    return;
  }
  yield* checkIgnored(config, 'diskInfo', ['imageName', 'diskSize', 'diskBus']);
  yield* checkDiskInfo(text);
}

// most machines of a program have the same disks
const checkDiskInfo = byText((text): readonly Problem[] => [...problemsOfDisks(text)]);

function* problemsOfDisks(text: string): Iterable<Problem> {
  const decoded = unmarshal<{ disks?: readonly Item[] }>(text, DISK_INFO);
  if ('error' in decoded) {
    yield {
      path: 'diskInfo',
      value: text,
      message: `must be a list of disks: ${decoded.error}`,
      fix: 'write {"disks":[{"imageName":"ns/image","size":40,"bootOrder":1,…}]}, each size a number',
    };
    return;
  }
  yield* checkUnknown('diskInfo', decoded.unknown, ['disks', ...Object.keys(DISK)]);
  const disks = decoded.config.disks ?? [];
  if (disks.length === 0) {
    yield {
      path: 'diskInfo',
      message: 'must have at least one disk',
      fix: 'add a disk with an image and bootOrder 1',
    };
    return;
  }
  const places = new Set<unknown>();
  for (const [index, disk] of disks.entries()) {
    yield* checkDisk(`diskInfo.disks[${index}]`, disk);
    // 0 means no position
    if (!disk.bootOrder) {
      continue;
    }
    if (places.has(disk.bootOrder)) {
      yield {
        path: `diskInfo.disks[${index}].bootOrder`,
        value: disk.bootOrder,
        message: 'must be unique: another disk has the same position',
        fix: 'give each disk another position',
        says: `Boot order for spec.template.spec.domain.devices.disks[${index}].bootOrder already set for a different device.`,
      };
    }
    places.add(disk.bootOrder);
  }
  if (!disks.some(({ imageName }) => imageName)) {
    yield {
      path: 'diskInfo',
      level: 'warning',
      message: 'must have a disk with an image, from which the machine boots',
      fix: 'set imageName of the first disk',
    };
  }
}

function* checkDisk(
  path: string,
  { imageName, storageClassName, size = 0, bus, type }: Item,
): Iterable<Problem> {
  if (!imageName && !storageClassName) {
    yield {
      path,
      message: 'must have an image or a storage class',
      fix: 'set imageName, or storageClassName for an empty disk',
      says: 'must specify image name or storageClass name in harvester disk info',
    };
  }
  if (!isLate(size) && Number(size) <= 0) {
    yield {
      path: `${path}.size`,
      value: size,
      message: 'must be a number of GiB of 1 or more',
      fix: 'set it to 1 or more',
      says: 'must specify disk size in harvester disk info',
    };
  }
  // the driver makes a machine with any bus, which KubeVirt refuses
  yield* checkBus(`${path}.bus`, bus);
  if (type === 'cd-rom' && (!bus || bus === 'virtio')) {
    yield {
      path: `${path}.bus`,
      ...givenValue(bus),
      message: bus
        ? 'must be sata or scsi for a CD-ROM'
        : 'must be set for a CD-ROM: the default is virtio',
      fix: 'use sata or scsi',
      says: 'Bus type virtio is invalid for CD-ROM device',
    };
  }
  if (type && !TYPES.includes(String(type))) {
    yield {
      path: `${path}.type`,
      value: type,
      level: 'warning',
      message: `must be ${TYPES.join(' or ')}: the node driver treats any other type as a disk`,
      fix: 'use one of the two',
    };
  }
  yield* checkReference(`${path}.imageName`, imageName);
}

/** KubeVirt refuses the machine, which the driver makes with any model. */
function* checkModel(path: string, model: unknown): Iterable<Problem> {
  if (
    typeof model === 'string' &&
    model !== '' &&
    !isLate(model) &&
    !INTERFACE_MODELS.includes(model)
  ) {
    yield {
      path,
      value: model,
      message: `must be one of ${INTERFACE_MODELS.join(', ')}`,
      fix: 'use virtio, or remove it',
      says: `uses model ${model} that is not supported.`,
    };
  }
}

function* checkLegacyDisk(config: MachineFields): Iterable<Problem> {
  // fields below spec have no effect, which another rule reports
  if (isRecord(config.spec)) {
    return;
  }
  if (!isSet(config, 'imageName')) {
    yield {
      path: 'diskInfo',
      message: 'must be set',
      fix: 'write the disks as JSON: {"disks":[{"imageName":"ns/image","size":40,"bootOrder":1}]}',
      says: 'must specify harvester image name',
    };
  } else if (config.diskSize === undefined || config.diskSize === '0' || config.diskSize === '') {
    yield {
      path: 'diskSize',
      message: 'must be set together with imageName',
      fix: 'write the number of GiB in quotes, or use diskInfo',
      says: 'must specify harvester disk size',
    };
  }
  yield* checkBus('diskBus', config.diskBus);
  yield* checkReference('imageName', config.imageName);
}
