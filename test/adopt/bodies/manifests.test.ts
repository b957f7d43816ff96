import { Manifest } from '../../../src/core/manifest/manifest';
import { VirtualMachine } from '../../../src/harvester/virtual-machine/virtual-machine';
import { adoptedFrom } from '../_adopted-harvester';
import { CLAIM, IMAGE, IMAGE_CLASS, live, uiImage } from '../_harvester-bodies';

/** Manifests that people and tools write, with what servers fill in. */

const CLAIMS = JSON.stringify([
  {
    metadata: { name: CLAIM, annotations: { 'harvesterhci.io/imageId': `default/${IMAGE}` } },
    spec: {
      accessModes: ['ReadWriteMany'],
      resources: { requests: { storage: '20Gi' } },
      volumeMode: 'Block',
      storageClassName: IMAGE_CLASS,
    },
  },
]);

const ROOT = { name: 'disk-0', persistentVolumeClaim: { claimName: CLAIM } };

/**
 * A VM from a repository of manifests: without labels of Harvester, and with the name of its
 * cloud-init disk that KubeVirt's guide uses.
 */
function machine(cloudInit: object, change: (instance: any) => void = () => undefined): Manifest {
  const instance = {
    hostname: 'web',
    evictionStrategy: 'LiveMigrateIfPossible',
    terminationGracePeriodSeconds: 120,
    architecture: 'amd64',
    domain: {
      cpu: { cores: 2, sockets: 1, threads: 1 },
      memory: { guest: '3996Mi' },
      resources: {
        requests: { cpu: '125m', memory: '2730Mi' },
        limits: { cpu: '2', memory: '4Gi' },
      },
      machine: { type: 'q35' },
      features: { acpi: { enabled: true } },
      firmware: { uuid: '5d307ca9-b3ef-428c-8861-06e72d69f223' },
      devices: {
        disks: [
          { name: 'disk-0', disk: { bus: 'virtio' }, bootOrder: 1 },
          { name: 'cloudinitvolume', disk: { bus: 'virtio' } },
        ],
        interfaces: [
          { name: 'nic-0', model: 'virtio', bridge: {}, macAddress: '52:54:00:9a:1c:02' },
        ],
      },
    },
    networks: [{ name: 'nic-0', multus: { networkName: 'shop-vms/prod' } }],
    volumes: [ROOT, { name: 'cloudinitvolume', ...cloudInit }],
  };
  change(instance);
  return live(
    'kubevirt.io/v1',
    'VirtualMachine',
    {
      name: 'web',
      labels: { stage: 'prod' },
      annotations: {
        'harvesterhci.io/volumeClaimTemplates': CLAIMS,
        'harvesterhci.io/vmRunStrategy': 'Always',
      },
    },
    {
      spec: {
        runStrategy: 'Always',
        template: {
          metadata: { labels: { 'harvesterhci.io/vmName': 'web', 'app': 'shop' } },
          spec: instance,
        },
      },
    },
  );
}

const INLINE = { cloudInitNoCloud: { userData: '#cloud-config\npackages: [nginx]\n' } };

test('adopts a manifest of a repository without a patch', () => {
  const { patches, text } = adoptedFrom([machine(INLINE), uiImage()]);
  expect(patches).toEqual({});
  expect(text).toContain("cloudInitDiskName: 'cloudinitvolume'");
  expect(text).toContain('createdBy: VmCreator.NONE');
  expect(text).toContain("  instanceLabels: { app: 'shop' },\n");
});

test('refers to the Secret of a cloud-init disk of another name', () => {
  const { patches, text } = adoptedFrom([
    machine({
      cloudInitConfigDrive: { secretRef: { name: 'init' }, networkDataSecretRef: { name: 'init' } },
    }),
    uiImage(),
  ]);
  expect(patches).toEqual({});
  expect(text).toContain("  name: 'init',\n  hasNetworkData: true,\n");
  expect(text).toContain('  cloudInitDrive: CloudInitDrive.CONFIG_DRIVE,\n');
});

test('declares a VM without defaults of the UI as it is written', () => {
  const { patches, text } = adoptedFrom([
    uiImage(),
    machine(INLINE, (instance) => {
      delete instance.domain.features;
      delete instance.domain.devices.interfaces[0].macAddress;
      delete instance.evictionStrategy;
    }),
  ]);
  expect(patches).toEqual({});
  expect(text).toContain('asWritten: true');
});

test('keeps a data disk after a cloud-init disk of another name', () => {
  const { text } = adoptedFrom([
    uiImage(),
    machine(
      INLINE,
      ({
        domain: {
          devices: { disks },
        },
        volumes,
      }) => {
        disks.push({ name: 'data', disk: { bus: 'virtio' } });
        volumes.push({ name: 'data', persistentVolumeClaim: { claimName: 'web-data' } });
      },
    ),
  ]);
  expect(text).toContain('Disk.volume(webData, ');
  expect(text).not.toContain('cloudInitDiskName');
});

/** An object of a file: Harvester refuses every update of a live version. */
function ofFile(...object: Parameters<typeof live>): Manifest {
  const { metadata, ...manifest } = live(...object);
  const { uid: _, creationTimestamp: __, ...own } = metadata;
  return { ...manifest, metadata: own } as Manifest;
}

test('adopts a version of a template without labels, and its grace period', () => {
  const {
    metadata: { annotations },
    spec,
  } = machine(INLINE) as any;
  delete spec.template.metadata.labels['harvesterhci.io/vmName'];
  const { domain } = spec.template.spec;
  ['architecture', 'affinity'].forEach((field) => delete spec.template.spec[field]);
  ['memory', 'firmware'].forEach((field) => delete domain[field]);
  domain.machine.type = '';
  delete domain.resources.requests;
  const { patches, text } = adoptedFrom([
    uiImage(),
    live('harvesterhci.io/v1beta1', 'VirtualMachineTemplate', { name: 'web' }, { spec: {} }),
    ofFile(
      'harvesterhci.io/v1beta1',
      'VirtualMachineTemplateVersion',
      { name: 'web-v1' },
      { spec: { templateId: 'shop-vms/web', vm: { metadata: { annotations }, spec } } },
    ),
  ]);
  expect(patches).toEqual({});
  expect(text).toContain('  terminationGracePeriod: Duration.seconds(120),\n');
  expect(text).toContain('createdBy: VmCreator.NONE');
});

/** As it is in a file: without what servers fill in. */
function inFile({
  apiVersion,
  kind,
  metadata: { name, namespace, labels, annotations },
  spec,
}: Manifest): Manifest {
  return { apiVersion, kind, metadata: { name, namespace, labels, annotations }, spec } as Manifest;
}

test('adds no MAC address to a file without one, which an engine would write over the live one', () => {
  const { metadata, ...rest } = machine(INLINE, (instance) => {
    delete instance.domain.devices.interfaces[0].macAddress;
  });
  const file = inFile({
    ...rest,
    metadata: { ...metadata, annotations: { 'harvesterhci.io/volumeClaimTemplates': CLAIMS } },
  });
  const {
    patches,
    adopted: { evaluated },
  } = adoptedFrom([file, uiImage()]);
  expect(patches).toEqual({});
  expect(
    [...evaluated.constructs.values()].some(
      (made) => made instanceof VirtualMachine && made.macAddresses.length === 0,
    ),
  ).toBe(true);
});

test('keeps a creator of its own, which only the VM names', () => {
  const { metadata, ...rest } = machine(INLINE);
  const { patches, text } = adoptedFrom([
    { ...rest, metadata: { ...metadata, labels: { 'harvesterhci.io/creator': 'ana' } } },
    uiImage(),
  ]);
  expect(patches).toEqual({});
  expect(text).toContain('createdBy: VmCreator.NONE');
  expect(text).toContain("  labels: { 'harvesterhci.io/creator': 'ana' },\n");
});

test('takes the class of the volumes of an image from a volume, and keeps a type that the UI does not know', () => {
  const image = inFile({
    ...uiImage(),
    metadata: { ...uiImage().metadata, labels: { 'harvesterhci.io/image-type': 'qcow2' } },
  });
  const { patches, plain, text } = adoptedFrom([machine(INLINE), image]);
  expect({ patches, plain }).toEqual({
    patches: { noble: ['add /spec/targetStorageClassName'] },
    plain: [],
  });
  expect(text).toContain(`name: '${IMAGE_CLASS}'`);
  expect(text).toContain('  volumeStorageClass: ');
  expect(text).toContain('  imageType: VmImageType.NONE,\n');
  expect(text).toContain("  labels: { 'harvesterhci.io/image-type': 'qcow2' },\n");
});
