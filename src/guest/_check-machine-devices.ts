import { bootOrderOf, gibibytes, interfacesOf } from './_machine-config';
import { ClusterContext } from './_parts';
import { Disk, DiskBus } from './disk';
import { MachinePool } from './machine-pool';
import { VmImageType } from '../harvester';
import { Problem } from '../model/problem';
import { IHarvesterTarget } from '../model/target';

const MAC = /^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/i;

/** What is wrong with the disks of a pool. */
export function checkDisks(context: ClusterContext, { disks }: MachinePool): Problem[] {
  if (disks.length === 0) {
    return [{
      path: 'disks',
      message: 'has no disk',
      fix: 'give one from a cloud image: Disk.image(image, Size.gibibytes(40))',
      says: 'must specify harvester image name',
    }];
  }
  const orders = disks.map(bootOrderOf);
  const first = disks[orders.indexOf(Math.min(...orders))];
  return [
    ...checkBootDisk(first, disks.indexOf(first)),
    ...disks.flatMap((disk, index) => checkDisk(context, disk, `disks[${index}]`)),
    ...orders.flatMap((order, index): Problem[] => [
      ...(Number.isInteger(order) && order >= 1 ? [] : [{
        path: `disks[${index}].bootOrder`, value: order, message: 'is no place in an order', fix: 'give a whole number from 1',
      }]),
      ...(orders.indexOf(order) === index ? [] : [{
        path: `disks[${index}].bootOrder`, value: order, message: 'is the place of two disks', fix: 'give each disk another place',
      }]),
    ]),
  ];
}

function checkBootDisk({ _image: image, _kind: kind }: Disk, index: number): Problem[] {
  const fix = 'give the first disk a cloud image (qcow2 or raw): Disk.image(image, size)';
  if (!image || kind !== 'disk') {
    return [{
      path: `disks[${index}]`,
      message: image ? 'is a CD-ROM, and no system would be installed from it' : 'is empty, and the machine starts from it',
      fix,
    }];
  }
  return image.imageType === VmImageType.ISO
    ? [{ path: `disks[${index}]`, value: image.imageId, message: 'is an ISO, which has an installer and no installed system', fix }] : [];
}

function checkDisk({ harvester }: ClusterContext, disk: Disk, path: string): Problem[] {
  const gib = gibibytes(disk._size);
  return [
    ...(Number.isInteger(gib) && gib >= 1 ? [] : [{
      path: `${path}.size`,
      value: disk._size.asString(),
      message: 'is no whole number of GiB, which is all that Rancher\'s node driver takes',
      fix: `give Size.gibibytes(${Math.max(1, Math.ceil(gib))})`,
      ...(gib > 0 ? {} : { says: 'must specify disk size in harvester disk info' }),
    }]),
    ...(disk._kind === 'cd-rom' && disk._options.bus === DiskBus.VIRTIO ? [{
      path: `${path}.bus`,
      value: disk._options.bus,
      message: 'is no bus for a CD-ROM',
      fix: 'use SATA or SCSI',
      says: 'Bus type virtio is invalid for CD-ROM device',
    }] : []),
    ...elsewhere(path, disk._image?.imageId, 'an image', disk._image?.harvester, harvester),
    ...elsewhere(path, disk._storageClass?.storageClassName, 'a storage class', disk._storageClass?.harvester, harvester),
  ];
}

/** What is wrong with the network cards of a pool. */
export function checkInterfaces({ harvester }: ClusterContext, pool: MachinePool): Problem[] {
  const { networks, interfaces, quantity = 1, autoscaling } = pool;
  if (networks && interfaces) { return [{ path: 'interfaces', message: 'is given beside networks', fix: 'give one of both' }]; }
  const cards = interfacesOf(pool);
  if (cards.length === 0) {
    return [{
      path: 'networks',
      message: 'has no network, and machines of the node driver can not use the management network',
      fix: 'give one VmNetwork at least, where machines get an IPv4 address',
      says: 'must specify network name in harvester network info',
    }];
  }
  return cards.flatMap(({ network, macAddress }, index): Problem[] => {
    const path = `${interfaces ? 'interfaces' : 'networks'}[${index}]`;
    return [
      ...elsewhere(path, network.networkId, 'a network', network.harvester, harvester),
      ...checkMac(`${path}.macAddress`, macAddress, quantity > 1 || !!autoscaling),
    ];
  });
}

function checkMac(path: string, mac: string | undefined, several: boolean): Problem[] {
  if (mac === undefined) { return []; }
  if (!MAC.test(mac)) {
    return [{
      path, value: mac, message: 'is no hardware address', fix: 'give six pairs of hexadecimal digits with colons, e.g. 52:54:00:12:34:56',
    }];
  }
  if (parseInt(mac.slice(0, 2), 16) % 2 === 1) {
    return [{
      path, value: mac, message: 'is an address of a group of cards', fix: 'begin with an even number, e.g. 52',
    }];
  }
  return several ? [{
    path, value: mac, message: 'is one address for several machines', fix: 'make one pool a machine, or let Harvester choose the addresses',
  }] : [];
}

function elsewhere(path: string, value: string | undefined, what: string, on?: IHarvesterTarget, harvester?: IHarvesterTarget): Problem[] {
  return !on || !harvester || on === harvester ? [] : [{
    path,
    value,
    message: `is ${what} of the Harvester ${on.targetName}, the machines run on ${harvester.targetName}`,
    fix: `give ${what} of ${harvester.targetName}`,
  }];
}
