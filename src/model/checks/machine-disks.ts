import { isSet, MachineFields, textOf } from './machine-config';
import { checkIgnored, checkReference, checkUnknown, DISK, DISK_INFO, Item } from './machine-json';
import { given } from './plain-text';
import { unmarshal } from '../harvester-settings/go-json-decode';
import { isLate } from '../late-token';
import { isRecord } from '../manifest';
import { Problem } from '../problem';

const BUSES = ['virtio', 'scsi', 'sata'];
const TYPES = ['disk', 'cd-rom'];

/**
 * What is wrong with the disks of a machine.
 *
 * @see harvester/docker-machine-driver-harvester:harvester/config.go checkConfig
 */
export function* checkDisks(config: MachineFields): Iterable<Problem> {
  if (isLate(config.diskInfo)) { return; }
  const text = textOf(config, 'diskInfo');
  if (text === undefined) {
    yield* checkLegacyDisk(config);
    return;
  }
  yield* checkIgnored(config, 'diskInfo', ['imageName', 'diskSize', 'diskBus']);
  const decoded = unmarshal<{ disks?: readonly Item[] }>(text, DISK_INFO);
  if ('error' in decoded) {
    yield {
      path: 'diskInfo',
      value: text,
      message: 'is no list of disks',
      fix: 'write {"disks":[{"imageName":"ns/image","size":40,"bootOrder":1,…}]}, each size a number',
      says: decoded.error,
    };
    return;
  }
  yield* checkUnknown('diskInfo', decoded.unknown, ['disks', ...Object.keys(DISK)]);
  const disks = decoded.config.disks ?? [];
  if (disks.length === 0) {
    yield { path: 'diskInfo', message: 'has no disk: the machine can not start', fix: 'give a disk with an image and bootOrder 1' };
    return;
  }
  const places = new Set<unknown>();
  for (const [index, disk] of disks.entries()) {
    yield* checkDisk(`diskInfo.disks[${index}]`, disk);
    // 0 is none
    if (!disk.bootOrder) { continue; }
    if (places.has(disk.bootOrder)) {
      yield {
        path: `diskInfo.disks[${index}].bootOrder`,
        value: disk.bootOrder,
        message: 'is the place of another disk too',
        fix: 'give each disk a place of its own',
        says: `Boot order for spec.template.spec.domain.devices.disks[${index}].bootOrder already set for a different device.`,
      };
    }
    places.add(disk.bootOrder);
  }
  if (!disks.some(({ imageName }) => imageName)) {
    yield {
      path: 'diskInfo',
      level: 'warning',
      message: 'has no disk with an image: there is nothing to start from',
      fix: 'give the first disk an image',
    };
  }
}

function* checkDisk(path: string, { imageName, storageClassName, size = 0, bus, type }: Item): Iterable<Problem> {
  if (!imageName && !storageClassName) {
    yield {
      path,
      message: 'has neither an image nor a storage class',
      fix: 'give imageName, or storageClassName for an empty disk',
      says: 'must specify image name or storageClass name in harvester disk info',
    };
  }
  if (!isLate(size) && Number(size) <= 0) {
    yield {
      path: `${path}.size`,
      value: size,
      message: 'is no size',
      fix: 'give a number of GiB from 1',
      says: 'must specify disk size in harvester disk info',
    };
  }
  if (bus && !BUSES.includes(String(bus))) {
    yield { path: `${path}.bus`, value: bus, level: 'warning', message: 'is no bus of a disk that is known', fix: `use ${BUSES.join(', ')}` };
  }
  if (type === 'cd-rom' && (!bus || bus === 'virtio')) {
    yield {
      path: `${path}.bus`,
      ...given(bus),
      message: bus ? 'is no bus for a CD-ROM' : 'is missing at a CD-ROM: the node driver takes virtio',
      fix: 'use sata or scsi',
      says: 'Bus type virtio is invalid for CD-ROM device',
    };
  }
  if (type && !TYPES.includes(String(type))) {
    yield { path: `${path}.type`, value: type, level: 'warning', message: 'is taken for a disk', fix: `use ${TYPES.join(' or ')}` };
  }
  yield* checkReference(`${path}.imageName`, imageName);
}

function* checkLegacyDisk(config: MachineFields): Iterable<Problem> {
  // fields below spec count for nothing, which has a problem of its own
  if (isRecord(config.spec)) { return; }
  if (!isSet(config, 'imageName')) {
    yield {
      path: 'diskInfo',
      message: 'is missing',
      fix: 'give the disks as JSON: {"disks":[{"imageName":"ns/image","size":40,"bootOrder":1}]}',
      says: 'must specify harvester image name',
    };
  } else if (config.diskSize === undefined || config.diskSize === '0' || config.diskSize === '') {
    yield {
      path: 'diskSize',
      message: 'is missing beside imageName',
      fix: 'give the GiB in quotes, or use diskInfo',
      says: 'must specify harvester disk size',
    };
  }
  yield* checkReference('imageName', config.imageName);
}
