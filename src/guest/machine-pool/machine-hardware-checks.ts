import { SizeRoundingBehavior } from 'cdk8s';
import { Disk, DiskBus } from './machine-devices';
import { MachinePool } from './machine-pool';
import { bootOrderOf, gibibytes, interfacesOf } from './machine-pool-spec';
import { IHarvesterTarget } from '../../core/app/target';
import { isLate } from '../../core/late/late-token';
import { Problem } from '../../core/rule/problem';
import { inlineText } from '../../core/yaml/yaml-writer';
import { VmImageType } from '../../harvester/image/vm-image';
import { ClusterContext } from '../cluster/cluster-parts';
import { isExpanded } from '../machine-config/machine-config.check';

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

/** What is wrong with processor, memory, firmware, login and cloud-init of a pool's machines. */
export function checkMachineHardware(context: ClusterContext, pool: MachinePool): Problem[] {
  return [
    ...checkCpus(pool), ...checkMemory(pool), ...checkFirmware(pool), ...checkLogin(pool), ...checkCloudInit(pool), ...checkAffinity(context, pool),
  ];
}

function checkCpus({ cpus, cpuModel, cpuPinning, isolateEmulatorThread }: MachinePool): Problem[] {
  return [
    ...(Number.isInteger(cpus) && cpus > 0 ? [] : [{
      path: 'cpus', value: cpus, message: 'is no number of CPUs', fix: 'give a whole number from 1',
    }]),
    ...(cpuModel === undefined || /^[A-Za-z0-9][-A-Za-z0-9._]*$/.test(cpuModel) ? [] : [{
      path: 'cpuModel', value: cpuModel, message: 'is no model of a CPU', fix: 'use one that Harvester\'s UI offers, e.g. host-passthrough',
    }]),
    ...(isolateEmulatorThread && !cpuPinning ? [{
      path: 'isolateEmulatorThread',
      message: 'needs cpuPinning',
      fix: 'set cpuPinning too',
      says: 'IsolateEmulatorThread should be only set in combination with DedicatedCPUPlacement',
    }] : []),
  ];
}

function checkMemory({ memory, reservedMemory }: MachinePool): Problem[] {
  const gib = gibibytes(memory);
  if (!Number.isInteger(gib) || gib < 1) {
    return [{
      path: 'memory',
      value: memory.asString(),
      message: 'is no whole number of GiB, which is all that Rancher\'s node driver takes',
      fix: `give Size.gibibytes(${Math.max(1, Math.ceil(gib))}), that is ${Math.max(1, Math.ceil(gib)) * 1024} MiB`,
    }];
  }
  const mib = reservedMemory?.toMebibytes({ rounding: SizeRoundingBehavior.NONE });
  if (mib === undefined) { return []; }
  if (!Number.isInteger(mib) || mib < 1) {
    return [{
      path: 'reservedMemory',
      value: reservedMemory!.asString(),
      message: 'is no whole number of MiB, which is all that Rancher\'s node driver takes',
      fix: 'round it',
    }];
  }
  return mib < gib * 1024 ? [] : [{
    path: 'reservedMemory',
    value: reservedMemory!.asString(),
    message: `leaves nothing of ${memory.asString()}`,
    fix: 'reserve less than the memory',
    says: 'reservedMemory cannot be equal or greater than limits.memory',
  }];
}

function checkFirmware({ efi, secureBoot, vgpus = [] }: MachinePool): Problem[] {
  return [
    ...(secureBoot && !efi ? [{ path: 'secureBoot', message: 'needs efi', fix: 'set efi too', says: 'enable secure boot requires enable EFI' }] : []),
    ...vgpus.flatMap(({ _deviceName: value }, index) => (/^[a-z0-9.-]+\/[-A-Za-z0-9_.]+$/.test(value) ? [] : [{
      path: `vgpus[${index}]`, value, message: 'is no resource of a virtual GPU', fix: 'give <vendor>/<type>, e.g. nvidia.com/NVIDIA_A2-2Q, or use VGpu.nvidia',
    }])),
  ];
}

function checkLogin({ sshUser, sshPassword, sshPort }: MachinePool): Problem[] {
  const problems: Problem[] = [];
  if (sshUser !== undefined && !/^[a-z_][-a-z0-9_.]{0,31}$/.test(sshUser)) {
    problems.push({ path: 'sshUser', value: sshUser, message: 'is no login name', fix: 'give the user of the image, e.g. ubuntu' });
  }
  if (sshPort !== undefined && (!Number.isInteger(sshPort) || sshPort < 1 || sshPort > 65535)) {
    problems.push({ path: 'sshPort', value: sshPort, message: 'is no port', fix: 'give 1 to 65535' });
  }
  const password = sshPassword?._unwrap();
  if (password === undefined || isLate(password)) { return problems; }
  if (inlineText(password) !== password || isExpanded(password)) {
    problems.push({
      path: 'sshPassword',
      message: 'holds what the node driver can not pass on: it writes the password into YAML without quotes, behind Kubernetes\' own `$`',
      fix: 'use letters, digits, - and _, not digits alone, or a user with a passwordHash in cloudInit',
    });
  }
  return problems;
}

function checkCloudInit({ cloudInit, networkData, quantity = 1, autoscaling }: MachinePool): Problem[] {
  const key = cloudInit?._hostnameKey();
  return [
    ...(key === undefined ? [] : [{
      path: 'cloudInit',
      value: key,
      message: 'settles the host name: every machine of the pool would have the same, and no node that of its virtual machine, by which the '
        + 'Harvester cloud provider looks for it',
      fix: `leave ${key} out: Rancher gives each machine the name of its virtual machine`,
    }]),
    ...(networkData?._isStatic && (quantity > 1 || autoscaling) ? [{
      path: 'networkData',
      message: 'gives a fixed address to each machine of a pool of several',
      fix: 'make one pool a machine, each with quantity 1 and its own address, or use DHCP',
    }] : []),
  ];
}

function checkAffinity({ vmNamespace = '', name: cluster }: ClusterContext, { name: pool, affinity }: MachinePool): Problem[] {
  return affinity ? affinity._check('affinity', { vmNamespace, cluster, pool }) : [];
}
