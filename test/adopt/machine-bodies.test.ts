import { adoptedFrom } from './_adopted-harvester';
import {
  SECRET,
  claimOfMachine,
  hotplugMachine,
  live,
  terraformMachine,
  uiImage,
  uiMachine,
  uiSecret,
  windowsMachine,
} from './_harvester-bodies';
import { Manifest } from '../../src/core/manifest/manifest';
import { FAMILIES, GENERATIONS, recordingOf } from '../support/recordings';

test('makes a VM of the UI with its image, its Secret and its key', () => {
  const { text, patches, adopted } = adoptedFrom([
    uiMachine(),
    uiImage(),
    uiSecret(),
    claimOfMachine(),
  ]);
  expect(patches).toEqual({});
  expect([...adopted.leftOut.keys()]).toEqual([`dc1//Secret/shop-vms/${SECRET}`]);
  expect(text).toContain(`const noble = VmImage.download(dc1, 'noble', {
  name: 'image-7vq2w',
  displayName: 'noble.img',
  storageClass: harvesterLonghorn,
  volumeStorageClass: nobleVolumes,
  osType: OsType.UBUNTU,
  url: 'https://cloud-images.ubuntu.com/noble/current/noble-server-cloudimg-amd64.img',
});
`);
  expect(text).toContain(`new VirtualMachine(dc1, 'web', {
  namespace: shopVms,
  cpus: 2,
  memory: Size.gibibytes(4),
  disks: [
    Disk.image(noble, Size.gibibytes(40), { volumeName: 'web-disk-0-r4nd0' }),
    Disk.empty(Size.gibibytes(100), { volumeName: 'web-disk-1-a1b2c', storageClass: ssd }),
  ],
  nics: [Nic.network(prod, { name: 'default', macAddress: '52:54:00:9a:1c:02' })],
  cloudInitSecret: webCloudinit,
  sshKeys: [ana],
  osType: OsType.UBUNTU,
  adopted: { createdBy: VmCreator.HARVESTER_UI },
});
`);
});

test('makes a Windows VM of the UI without a patch', () => {
  const { text, patches } = adoptedFrom([windowsMachine()]);
  expect(patches).toEqual({});
  expect(text).toContain('  tpmPersistent: true,\n');
  expect(text).toContain('  efiPersistent: true,\n');
  expect(text).toContain(
    "    Disk.cdRom(windowsIso, Size.gibibytes(6), { name: 'cdrom-disk', volumeName: 'desktop-cdrom-disk-a1b2c' }),\n",
  );
  expect(text).toContain(
    "    Disk.containerCdRom('registry.suse.com/suse/vmdp/vmdp:2.5.4.3', { name: 'virtio-container-disk' }),\n",
  );
  expect(text).toContain('  runStrategy: VmRunStrategy.HALTED,\n');
  expect(text).toContain('  maintenanceStrategy: VmMaintenanceStrategy.SHUTDOWN,\n');
});

test('makes a VM of Terraform', () => {
  const { text, patches } = adoptedFrom([terraformMachine(), uiImage()]);
  expect(text).toContain('adopted: { createdBy: VmCreator.TERRAFORM');
  expect(text).toContain('  affinity: VmAffinity.of({}),\n');
  expect(text).toContain("  tags: { team: 'shop' },\n");
  expect(text).toContain('  cloudInitInline: ');
  expect(text).toContain('  instanceAnnotations: ');
  expect(patches).toEqual({});
});

test('keeps CPU and memory that can be added while a VM runs', () => {
  const { text, patches } = adoptedFrom([hotplugMachine(), uiImage()]);
  expect(text).toContain('  hotplug: { maxCpus: 8, maxMemory: Size.gibibytes(16) },\n');
  expect(patches).toEqual({});
});

test('declares no Secret whose values it does not know', () => {
  const secret = live(
    'v1',
    'Secret',
    { name: 'registry' },
    { type: 'Opaque', data: { password: '' } },
  );
  const { adopted } = adoptedFrom([secret]);
  expect(adopted.statements.all()).toEqual([]);
  expect([...adopted.leftOut]).toEqual([
    ['dc1//Secret/shop-vms/registry', 'holds values that are not read'],
  ]);
});

test('does not fail for a VM without anything', () => {
  const { adopted } = adoptedFrom([
    live('kubevirt.io/v1', 'VirtualMachine', { name: 'bare' }, {}),
    live('v1', 'PersistentVolumeClaim', { name: 'bare' }, {}),
  ]);
  expect(adopted.statements.all().map(({ draft: { type } }) => type)).toEqual([
    'ApiObject',
    'ApiObject',
  ]);
});

const KINDS = [
  'VirtualMachine',
  'VirtualMachineImage',
  'KeyPair',
  'ScheduleVMBackup',
  'ResourceQuota',
  'PersistentVolumeClaim',
];

test.each(GENERATIONS)(
  'adopts what $harvester recorded without patches for what servers fill in',
  (generation) => {
    const objects = recordingOf(generation, 'harvester-platform').objects.flatMap(
      ({ states, applied }) =>
        KINDS.includes(applied.kind) && states.length > 0
          ? [states.at(-1)!.object as Manifest]
          : [],
    );
    expect(objects.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['VirtualMachine', 'VirtualMachineImage', 'KeyPair']),
    );
    const { adopted, patches } = adoptedFrom(objects, generation.harvester);
    expect(patches).toEqual({});
    expect(
      adopted.statements
        .all()
        .filter(({ draft: { type } }) => type === 'ApiObject')
        .map(({ id }) => id),
    ).toEqual([]);
  },
);

test.each(['balancers', 'hosts', 'machines', 'networks', 'templates', 'uplinks'])(
  'adopts what a running Harvester made of %s as constructs, first and last',
  (family) => {
    const seen = recordingOf(FAMILIES, `harvester-${family}`).objects.map(({ states }) =>
      states.map(({ object }) => object as Manifest),
    );
    for (const at of [0, -1]) {
      const objects = seen.map((states) => states.at(at)!);
      const { patches, plain } = adoptedFrom(objects, FAMILIES.harvester);
      expect({ patches, plain }).toEqual({ patches: {}, plain: [] });
    }
  },
);
