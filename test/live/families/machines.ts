import { Size } from 'cdk8s';
import { Family } from './family';
import {
  ScheduleVmBackup,
  SnapshotQuota,
  VmBackupType,
} from '../../../src/harvester/backup/backup';
import { CloudInit } from '../../../src/harvester/cloud-init/cloud-init';
import { CloudInitSecret } from '../../../src/harvester/cloud-init/cloud-init-secret';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { VmImage } from '../../../src/harvester/image/vm-image';
import { KeyPair } from '../../../src/harvester/key-pair/key-pair';
import { Disk } from '../../../src/harvester/machine/disk';
import {
  VirtualMachineTemplate,
  VirtualMachineTemplateVersion,
} from '../../../src/harvester/template/virtual-machine-template';
import { VmRunStrategy } from '../../../src/harvester/virtual-machine/props/virtual-machine-props';
import { VirtualMachine } from '../../../src/harvester/virtual-machine/virtual-machine';

const KEYS = [
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl test@example.com',
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGhcwd/x9Ho4Oi0xP1PjZNdXnTnFHMy9jKxKEHYJvVZa test@example.com',
];

/** Machines that never run, and what belongs to them. */
export const MACHINES: Family = {
  title: 'machines',
  products: ['harvester'],
  exceptions: [
    {
      text: /^plan: refuses dc1\/\/Namespace\/.*would be lost with it.*which did not fail$/,
      reason: 'the apply has acceptInUse, which a plan has not',
    },
  ],
  // the volumes of machines that were deleted: Harvester keeps them
  acceptInUse: ({ fixed }) => ['one', 'two'].map((name) => `dc1//Namespace//${fixed(name)}`),
  base: ({ dc1, fixed }) => {
    for (const each of ['one', 'two']) {
      const namespace = new HarvesterNamespace(dc1, each, { name: fixed(each) });
      new SnapshotQuota(dc1, `quota-${each}`, { namespace, total: Size.gibibytes(50) });
    }
  },
  declare: ({ dc1, name, fixed, variation }, copy) => {
    const { isEdited, isReplaced, namespace: into } = variation;
    const namespace = HarvesterNamespace.fromName(dc1, `in-${copy}`, { name: fixed(into) });
    const description = isEdited ? 'edited' : 'unchanged';
    new KeyPair(dc1, `key-${copy}`, {
      name: `key-${copy}${variation.suffix}`,
      namespace,
      publicKey: KEYS[isReplaced ? 1 : 0],
      description,
    });
    const data = new CloudInitSecret(dc1, `data-${copy}`, {
      name: name('data'),
      namespace,
      cloudInit: CloudInit.of({ packages: [isEdited ? 'vim' : 'nano'] }),
    });
    const machine = { cpus: 1, disks: [Disk.empty(Size.gibibytes(1))] };
    // another construct for another machine: apply refuses a rename, which would lose its disks
    const web = new VirtualMachine(dc1, `web-${copy}-${variation.suffix}${into}`, {
      ...machine,
      name: name('web'),
      namespace,
      memory: Size.gibibytes(isEdited ? 2 : 1),
      runStrategy: VmRunStrategy.HALTED,
      cloudInitSecret: data,
      description,
    });
    new ScheduleVmBackup(dc1, `weekly-${copy}`, {
      name: name('weekly'),
      virtualMachine: web,
      // a lab may have schedules of each night, from which others must be ten minutes away
      schedule: `${20 * copy} 3 * * 3`,
      type: VmBackupType.SNAPSHOT,
      retention: isEdited ? 9 : 8,
    });
  },
};

/** Templates of machines. */
export const TEMPLATES: Family = {
  title: 'templates',
  products: ['harvester'],
  base: MACHINES.base,
  declare: ({ dc1, name, fixed, variation }, copy) => {
    const { isEdited, isReplaced, namespace: into } = variation;
    const namespace = HarvesterNamespace.fromName(dc1, `in-${copy}`, { name: fixed(into) });
    const template = new VirtualMachineTemplate(dc1, `template-${copy}`, {
      name: name('template'),
      namespace,
      description: isEdited ? 'edited' : 'unchanged',
    });
    new VirtualMachineTemplateVersion(dc1, `version-${copy}`, {
      cpus: 1,
      disks: [Disk.empty(Size.gibibytes(1))],
      name: name('version'),
      template,
      isDefault: true,
      memory: Size.gibibytes(isReplaced ? 2 : 1),
    });
  },
};

/** Images whose server does not answer. */
export const IMAGES: Family = {
  title: 'images',
  products: ['harvester'],
  base: MACHINES.base,
  declare: ({ dc1, name, fixed, variation }, copy) => {
    const { isEdited, isReplaced, namespace: into } = variation;
    VmImage.download(dc1, `image-${copy}`, {
      name: name('image'),
      namespace: HarvesterNamespace.fromName(dc1, `in-${copy}`, { name: fixed(into) }),
      displayName: name(isEdited ? 'edited' : 'image'),
      url: `http://images.invalid/${isReplaced ? 'other' : 'one'}.img`,
    });
  },
};
