import { SECRET, claimOfMachine, hotplugMachine, live, terraformMachine, uiImage, uiMachine, uiSecret, windowsMachine } from './_harvester-bodies';
import { Adopted, adopt } from '../../src/adopt/adopt';
import { programFiles } from '../../src/adopt/print/program';
import { leaveOut } from '../../src/adopt/select/leave-out';
import { TargetKind } from '../../src/core/app/target';
import { FoundCluster } from '../../src/core/draft/inverse';
import { Manifest } from '../../src/core/manifest/manifest';
import { GENERATIONS, recordingOf } from '../support/recordings';

interface Result {
  readonly adopted: Adopted;
  readonly text: string;
  /** JSON patches by the ID of their construct. */
  readonly patches: { readonly [id: string]: readonly string[] };
}

function adoptedFrom(manifests: readonly Manifest[], version = '1.8.2'): Result {
  const all = manifests.map((manifest) => ({ target: 'dc1', manifest, from: 'a test' }));
  const cluster: FoundCluster = { name: 'dc1', kind: TargetKind.HARVESTER, version, vip: '10.10.0.10', unread: [], objects: all };
  const clusters = [{ ...cluster, objects: all.filter((object) => leaveOut(object, cluster) === undefined) }];
  const adopted = adopt(clusters);
  expect({ errors: adopted.errors, differences: [...adopted.differences] }).toEqual({ errors: [], differences: [] });
  const patched = adopted.statements.all().filter(({ patches }) => patches.length > 0);
  return {
    adopted,
    text: programFiles(clusters, adopted).get('dc1.ts')!,
    patches: Object.fromEntries(patched.map(({ id, patches }) => [id, patches.map(({ op, path }) => `${op} ${path}`)])),
  };
}

test('makes a VM of the UI with its image, its Secret and its key', () => {
  const { text, patches, adopted } = adoptedFrom([uiMachine(), uiImage(), uiSecret(), claimOfMachine()]);
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
  createdBy: VmCreator.HARVESTER_UI,
  osType: OsType.UBUNTU,
});
`);
});

test('makes a Windows VM of the UI, with patches for what no prop sets', () => {
  const { text, patches } = adoptedFrom([windowsMachine()]);
  const spec = '/spec/template/spec/domain';
  expect(patches).toEqual({ desktop: [`add ${spec}/devices/tpm/persistent`, `add ${spec}/firmware/bootloader/efi/persistent`] });
  expect(text).toContain("    Disk.cdRom(windowsIso, Size.gibibytes(6), { name: 'cdrom-disk', volumeName: 'desktop-cdrom-disk-a1b2c' }),\n");
  expect(text).toContain("    Disk.containerCdRom('registry.suse.com/suse/vmdp/vmdp:2.5.4.3', { name: 'virtio-container-disk' }),\n");
  expect(text).toContain('  runStrategy: VmRunStrategy.HALTED,\n');
  expect(text).toContain('  maintenanceStrategy: VmMaintenanceStrategy.SHUTDOWN,\n');
});

test('makes a VM of Terraform', () => {
  const { text, patches } = adoptedFrom([terraformMachine(), uiImage()]);
  expect(text).toContain('  createdBy: VmCreator.TERRAFORM,\n');
  expect(text).toContain('  affinity: VmAffinity.of({}),\n');
  expect(text).toContain("  tags: { team: 'shop' },\n");
  // cloud-init in the manifest, features, and annotations have no props
  expect(patches).toEqual({
    db: [
      'replace /spec/template/metadata/annotations/harvesterhci.io~1sshNames',
      'add /spec/template/spec/domain/devices/disks/-',
      'remove /spec/template/spec/domain/features',
      'add /spec/template/spec/volumes/-',
      'add /spec/template/metadata/annotations/harvesterhci.io~1waitForLeaseInterfaceNames',
    ],
  });
});

test('keeps CPU and memory that can be added while a VM runs', () => {
  const { text, patches } = adoptedFrom([hotplugMachine(), uiImage()]);
  expect(text).toContain("  annotations: { 'harvesterhci.io/enableCPUAndMemoryHotplug': 'true' },\n");
  expect(patches.web).toEqual(['replace', 'replace', 'add', 'add'].map((op, index) => `${op} /spec/template/spec/domain/${['cpu/cores', 'cpu/sockets', 'cpu/maxSockets', 'memory'][index]}`));
});

test('declares no Secret whose values it does not know', () => {
  const secret = live('v1', 'Secret', { name: 'registry' }, { type: 'Opaque', data: { password: '' } });
  const { adopted } = adoptedFrom([secret]);
  expect(adopted.statements.all()).toEqual([]);
  expect([...adopted.leftOut]).toEqual([['dc1//Secret/shop-vms/registry', 'holds values that are not read']]);
});

test('does not fail for a VM without anything', () => {
  const { adopted } = adoptedFrom([live('kubevirt.io/v1', 'VirtualMachine', { name: 'bare' }, {}), live('v1', 'PersistentVolumeClaim', { name: 'bare' }, {})]);
  expect(adopted.statements.all().map(({ draft: { type } }) => type)).toEqual(['ApiObject', 'ApiObject']);
});

const KINDS = ['VirtualMachine', 'VirtualMachineImage', 'KeyPair', 'ScheduleVMBackup', 'ResourceQuota', 'PersistentVolumeClaim'];

test.each(GENERATIONS)('adopts what $harvester recorded without patches for what servers fill in', (generation) => {
  const objects = recordingOf(generation, 'harvester-platform').objects.flatMap(({ states, applied }) => (
    KINDS.includes(applied.kind) && states.length > 0 ? [states.at(-1)!.object as Manifest] : []));
  expect(objects.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['VirtualMachine', 'VirtualMachineImage', 'KeyPair']));
  const { adopted, patches } = adoptedFrom(objects, generation.harvester);
  expect(patches).toEqual({});
  expect(adopted.statements.all().filter(({ draft: { type } }) => type === 'ApiObject').map(({ id }) => id)).toEqual([]);
});
