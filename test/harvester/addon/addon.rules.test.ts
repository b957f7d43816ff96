import { Manifest } from '../../../src/core/manifest/manifest';
import { judge } from '../../../src/core/rule/judge';
import { World } from '../../../src/core/rule/rule';
import { ADDON_RULES } from '../../../src/harvester/addon/addon.rules';
import { machine, volume } from '../../support/machines';

const LVM = 'lvm.driver.harvesterhci.io';
const addon = (enabled: boolean): Manifest => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'Addon',
  metadata: { name: 'harvester-csi-driver-lvm', namespace: 'harvester-system' },
  spec: {
    enabled,
    chart: 'harvester-csi-driver-lvm',
    repo: 'https://charts.harvesterhci.io',
    version: '0.2.0',
  },
});
const storageClass = (annotations: { [key: string]: string } = {}): Manifest => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'local', annotations },
  provisioner: LVM,
});

function told(live: Manifest[], version: string | undefined, enabled = false): string[] {
  const target = {
    name: 'dc1',
    kind: 'harvester',
    ...(version ? { harvesterVersion: version } : {}),
  } as const;
  const on = (list: Manifest[]) => list.map((manifest) => ({ manifest, target }));
  const world = new World(on([addon(enabled)]), on([addon(true), ...live]), on([addon(true)]));
  return judge(ADDON_RULES, world)
    .filter(({ rule }) => rule === 'addon/lvm-in-use')
    .map(({ level, message }) => `${level} ${message}`);
}

test('refuses to disable LVM while something uses it, from Harvester 1.9.0 on', () => {
  const snapshots: Manifest = {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotClass',
    metadata: { name: 'lvm' },
    driver: LVM,
  };
  const used = [storageClass(), volume('data', { storageClassName: 'local' }), snapshots];
  expect(told(used, '1.9.0')).toEqual([
    'error cannot be disabled while these use LVM: StorageClass local; PersistentVolumeClaim data; VolumeSnapshotClass lvm ' +
      '(the server: "harvester-csi-driver-lvm addon cannot be disabled as LVM resources still exist")',
  ]);
  expect(told(used, undefined)).toEqual([expect.stringMatching(/^warning cannot be disabled/)]);
  expect([told(used, '1.8.2'), told(used, '1.9.0', true), told([], '1.9.0')]).toEqual([[], [], []]);
});

test('ignores the StorageClass of the add-on itself', () => {
  const own = storageClass({ 'meta.helm.sh/release-name': 'harvester-csi-driver-lvm' });
  expect(told([own], '1.9.0')).toEqual([]);
  expect(told([own, volume('data', { storageClassName: 'local' })], '1.9.0')).toEqual([
    expect.stringContaining('PersistentVolumeClaim data'),
  ]);
});

describe('the add-ons of devices', () => {
  const disabled = (
    name: string,
    live: Manifest[],
    {
      version = '1.8.0',
      annotations = {},
    }: { version?: string; annotations?: { [key: string]: string } } = {},
  ) => {
    const target = { name: 'dc1', kind: 'harvester', harvesterVersion: version } as const;
    const state = (enabled: boolean): Manifest => ({
      ...addon(enabled),
      metadata: { name, namespace: 'harvester-system', annotations },
    });
    const on = (list: Manifest[]) => list.map((manifest) => ({ manifest, target }));
    return judge(ADDON_RULES, new World(on([state(false)]), on(live), on([state(true)])))
      .filter(({ rule }) => rule === 'addon/devices-in-use')
      .map(({ message }) => message);
  };
  const vm = machine('web', {
    devices: { hostDevices: [{ name: 'node1-000001', deviceName: 'nvidia.com/gpu' }] },
  });
  const vgpu = (labels: { [key: string]: string }): Manifest => ({
    apiVersion: 'devices.harvesterhci.io/v1beta1',
    kind: 'VGPUDevice',
    metadata: { name: 'node1-000001', labels },
  });

  test('remain enabled while virtual machines have passthrough devices', () => {
    expect(disabled('pcidevices-controller', [vm])).toEqual([
      'cannot be disabled while virtual machines have its devices: default/web ' +
        '(the server: "pcidevices-controller addon cannot be disabled as the following VMs are using passthrough devices: [default/web]")',
    ]);
    expect(disabled('pcidevices-controller', [machine('other')])).toEqual([]);
    expect(disabled('pcidevices-controller', [vm], { version: '1.7.2' })).toEqual([]);
    expect(
      disabled('pcidevices-controller', [vm], {
        annotations: { 'harvesterhci.io/skipPCIDevicesControllerAddonWebhookCheck': 'true' },
      }),
    ).toEqual([]);
  });

  test('remain enabled while virtual machines have virtual GPUs', () => {
    expect(
      disabled('nvidia-driver-toolkit', [
        vm,
        vgpu({ 'harvesterhci.io/parentSRIOVGPUDevice': 'node1-000000' }),
      ]),
    ).toHaveLength(1);
    expect([
      disabled('nvidia-driver-toolkit', [vm, vgpu({})]),
      disabled('nvidia-driver-toolkit', [vm]),
    ]).toEqual([[], []]);
  });
});
