import { Size, SizeRoundingBehavior } from 'cdk8s';
import { isLate } from '../../../core/late/late-token';
import { checkWholeNumber, Problem } from '../../../core/problem/problem';
import { inlineText } from '../../../core/yaml/yaml-writer';
import { hostnameOfAll } from '../../../harvester/cloud-init/cloud-init.check';
import { VmImageType } from '../../../harvester/image/vm-image';
import { Disk } from '../../../harvester/machine/disk';
import { checkStaticAddress, isExpanded } from '../../machine-config/machine-config.check';
import { MachinePool } from '../machine-pool';
import { bootOrderOf, gibibytes } from '../machine-pool-spec';

/** The node driver accepts whole GiB of disks and memory, and whole MiB of reserved memory. */
export function checkSizes({ disks, memory, reservedMemory }: MachinePool): Problem[] {
  const whole = (
    path: string,
    size: Size,
    amount: number,
    unit: 'gibibytes' | 'mebibytes',
  ): Problem[] =>
    Number.isInteger(amount) && amount >= 1
      ? []
      : [
          {
            path,
            value: size.asString(),
            message: `must be a whole number of ${unit === 'gibibytes' ? 'GiB' : 'MiB'}, at least 1: Rancher's node driver accepts nothing else`,
            fix: `use Size.${unit}(${Math.max(1, Math.ceil(amount))})`,
          },
        ];
  return [
    ...whole('memory', memory, gibibytes(memory), 'gibibytes'),
    ...(reservedMemory
      ? whole(
          'reservedMemory',
          reservedMemory,
          reservedMemory.toMebibytes({ rounding: SizeRoundingBehavior.NONE }),
          'mebibytes',
        )
      : []),
    ...disks.flatMap(({ _claim: claim }, index) =>
      claim ? whole(`disks[${index}].size`, claim.size, gibibytes(claim.size), 'gibibytes') : [],
    ),
  ];
}

export function checkDiskProps({ disks }: MachinePool): Problem[] {
  if (disks.length === 0) {
    return [];
  }
  const orders = disks.map(bootOrderOf);
  const first = orders.indexOf(Math.min(...orders));
  return [
    ...checkBootDisk(`disks[${first}]`, disks[first]),
    ...orders.flatMap((order, index) => checkWholeNumber(`disks[${index}].bootOrder`, order, 1)),
  ];
}

function checkBootDisk(path: string, { _claim: claim, _cdRom: cdRom }: Disk): Problem[] {
  if (!claim) {
    return [];
  }
  const { image } = claim;
  const fix = 'use a cloud image (qcow2 or raw) for the first disk: Disk.image(image, size)';
  const must = 'must be a disk with a cloud image, since machines boot from it: it is';
  if (!image || cdRom) {
    return [{ path, message: `${must} ${image ? 'a CD-ROM' : 'empty'}`, fix }];
  }
  return image.imageType === VmImageType.ISO
    ? [{ path, value: image.imageId, message: `${must} an ISO, which holds an installer`, fix }]
    : [];
}

export function checkPoolNics(pool: MachinePool): Problem[] {
  const { nics = [], quantity = 1, autoscaling } = pool;
  return nics.flatMap(({ _options }, index): Problem[] => {
    const { macAddress } = _options;
    const at = { path: `nics[${index}].macAddress`, value: macAddress };
    if (macAddress === undefined) {
      return [];
    }
    if (parseInt(macAddress.slice(0, 2), 16) % 2 === 1) {
      return [
        {
          ...at,
          message: 'must be the address of one card: it is a multicast address',
          fix: 'start with an even number, e.g. 52',
        },
      ];
    }
    return quantity > 1 || autoscaling
      ? [
          {
            ...at,
            message: 'cannot be set for a pool of several machines, which would all have it',
            fix: 'use one pool for each machine, or let Harvester choose the addresses',
          },
        ]
      : [];
  });
}

export function checkMachineValues({
  cpuModel,
  cloudInit,
  quantity = 1,
  autoscaling,
  networkData,
}: MachinePool): Problem[] {
  const key = cloudInit?._hostnameKey();
  return [
    ...(cpuModel === undefined || /^[A-Za-z0-9][-A-Za-z0-9._]*$/.test(cpuModel)
      ? []
      : [
          {
            path: 'cpuModel',
            value: cpuModel,
            message: 'must be the name of a CPU model',
            fix: "use one that Harvester's UI offers, e.g. host-passthrough",
          },
        ]),
    ...(key === undefined ? [] : [hostnameOfAll('cloudInit', key)]),
    ...(networkData?._isStatic ? checkStaticAddress(autoscaling ? Infinity : quantity, false) : []),
  ];
}

export function checkLogin({ sshUser, sshPassword, sshPort }: MachinePool): Problem[] {
  const problems: Problem[] = [];
  if (sshUser !== undefined && !/^[a-z_][-a-z0-9_.]{0,31}$/.test(sshUser)) {
    problems.push({
      path: 'sshUser',
      value: sshUser,
      message: 'must be a login name',
      fix: 'use the user of the image, e.g. ubuntu',
    });
  }
  if (sshPort !== undefined && (!Number.isInteger(sshPort) || sshPort < 1 || sshPort > 65535)) {
    problems.push({
      path: 'sshPort',
      value: sshPort,
      message: 'must be a port',
      fix: 'use 1 to 65535',
    });
  }
  const password = sshPassword?._unwrap();
  if (
    password !== undefined &&
    !isLate(password) &&
    (inlineText(password) !== password || isExpanded(password))
  ) {
    problems.push({
      path: 'sshPassword',
      message:
        'must be text that YAML reads without quotes and that holds no $$ or $(NAME): the node driver cannot pass on anything else',
      fix: 'use letters, digits, - and _, not only digits, or a user with a passwordHash in cloudInit',
    });
  }
  return problems;
}
