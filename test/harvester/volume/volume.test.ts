import { Size } from 'cdk8s';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { VmImage } from '../../../src/harvester/image/vm-image';
import { HarvesterStorageClass } from '../../../src/harvester/storage/harvester-storage-class';
import { VolumeAccessMode, VolumeMode } from '../../../src/harvester/storage/storage.data';
import { HarvesterVolume, HarvesterVolumeProps } from '../../../src/harvester/volume/volume';
import { newApp, newHarvester } from '../../support/programs';
import { assemblyOf } from '../../support/written';

type Chart = ReturnType<typeof newHarvester>;

function volumeOf(write: (dc1: Chart) => Partial<HarvesterVolumeProps> = () => ({})): any {
  const dc1 = newHarvester(newApp());
  new HarvesterVolume(dc1, 'data', { size: Size.gibibytes(10), ...write(dc1) });
  return dc1.toJson().find(({ kind }) => kind === 'PersistentVolumeClaim');
}

test('writes a claim for a ReadWriteMany block device of the default class', () => {
  expect(volumeOf()).toEqual({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', namespace: 'default' },
    spec: {
      accessModes: ['ReadWriteMany'],
      resources: { requests: { storage: '10Gi' } },
      volumeMode: 'Block',
    },
  });
});

test('is created from an image, with its class', () => {
  const { metadata, spec } = volumeOf((dc1) => ({
    image: VmImage.fromName(dc1, 'Noble', { name: 'noble', namespace: 'images' }),
    description: 'a',
    labels: { a: 'b' },
  }));
  expect(metadata).toMatchObject({
    labels: { a: 'b' },
    annotations: { 'harvesterhci.io/imageId': 'images/noble', 'field.cattle.io/description': 'a' },
  });
  expect(spec.storageClassName).toBe('longhorn-noble');
});

test('has the class and modes of the props', () => {
  const { metadata, spec } = volumeOf((dc1) => ({
    storageClass: HarvesterStorageClass.fromName(dc1, 'Fast', { name: 'fast' }),
    accessMode: VolumeAccessMode.READ_WRITE_ONCE,
    volumeMode: VolumeMode.FILESYSTEM,
    size: Size.mebibytes(500),
  }));
  expect(metadata.annotations).toEqual({ 'harvesterhci.io/volumeForVirtualMachine': 'true' });
  expect(spec).toEqual({
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '500Mi' } },
    volumeMode: 'Filesystem',
    storageClassName: 'fast',
  });
});

test('waits for its namespace and class, and notes that its deletion loses data', () => {
  const app = newApp();
  const dc1 = newHarvester(app);
  new HarvesterVolume(dc1, 'data', {
    size: Size.gibibytes(1),
    namespace: new HarvesterNamespace(dc1, 'vms'),
  });
  new HarvesterStorageClass(dc1, 'mine', { isDefault: true });
  app.synth();
  const { edges, objects } = assemblyOf(app);
  const from = 'dc1//PersistentVolumeClaim/vms/data';
  expect(
    edges
      .filter((edge: any) => edge.from === from)
      .map(({ to }: any) => to)
      .sort(),
  ).toEqual(['dc1//Namespace//vms', 'dc1/storage.k8s.io/StorageClass//mine']);
  expect(objects.find(({ id }: any) => id === from).deletion.reason).toContain('its data is lost');
});

test.each<[string, (dc1: Chart) => Partial<HarvesterVolumeProps>, string]>([
  [
    'a size of bytes',
    () => ({ size: Size.kibibytes(1) }),
    '[dc1/data] size: must be a whole number of MiB, at least 1, got "1Ki". Fix: use Size.mebibytes(1)',
  ],
  [
    'image and class',
    (dc1) => ({
      image: VmImage.fromName(dc1, 'i', { name: 'i' }),
      storageClass: HarvesterStorageClass.fromName(dc1, 'c', { name: 'c' }),
    }),
    'storageClass: cannot be combined with image, which has its own class, got "c"',
  ],
])('refuses %s', (_, write, what) => {
  expect(() => volumeOf(write)).toThrow(what);
});

test('refuses an image of another Harvester', () => {
  const app = newApp();
  const [dc1, dc2] = ['dc1', 'dc2'].map((id) => newHarvester(app, '1.7.2', id)) as [Chart, Chart];
  expect(
    () =>
      new HarvesterVolume(dc1, 'data', {
        size: Size.gibibytes(1),
        image: VmImage.fromName(dc2, 'i', { name: 'i' }),
      }),
  ).toThrow('[dc1/data] image: must be on the same Harvester, dc1, got "default/i": it is on dc2');
});
