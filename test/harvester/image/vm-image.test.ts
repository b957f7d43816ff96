import { ApiObject } from 'cdk8s';
import { Ordering } from '../../../src/core/construct/edge';
import { KindDescription } from '../../../src/core/kind/kind';
import { kindOf } from '../../../src/core/kind/kinds';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import {
  ImageCryptoOperation,
  VmImage,
  VmImageBackend,
  VmImageType,
} from '../../../src/harvester/image/vm-image';
import { OsType } from '../../../src/harvester/machine/os-type';
import { HarvesterStorageClass } from '../../../src/harvester/storage/harvester-storage-class';
import { HarvesterVolume } from '../../../src/harvester/volume/volume';
import { newApp, newHarvester } from '../../support/programs';

const URL = 'https://images.example.com/noble-server.img';

test('writes a downloaded image with the labels of the UI', () => {
  const dc1 = newHarvester(newApp());
  const storageClass = HarvesterStorageClass.fromName(dc1, 'ssd', { name: 'ssd' });
  const namespace = HarvesterNamespace.fromName(dc1, 'public', { name: 'harvester-public' });
  const image = VmImage.download(dc1, 'ubuntu', {
    url: URL,
    displayName: 'noble.img',
    checksum: 'a'.repeat(128),
    retries: 5,
    osType: OsType.UBUNTU,
    description: 'LTS',
    storageClass,
    namespace,
    labels: { team: 'a' },
  });
  expect(dc1.toJson()).toEqual([
    {
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'VirtualMachineImage',
      metadata: {
        name: 'ubuntu',
        namespace: 'harvester-public',
        labels: {
          'team': 'a',
          'harvesterhci.io/image-type': 'raw_qcow2',
          'harvesterhci.io/os-type': 'ubuntu',
        },
        annotations: {
          'field.cattle.io/description': 'LTS',
          'harvesterhci.io/storageClassName': 'ssd',
        },
      },
      spec: {
        displayName: 'noble.img',
        description: 'LTS',
        sourceType: 'download',
        url: URL,
        checksum: 'a'.repeat(128),
        retry: 5,
      },
    },
  ]);
  expect([image.imageId, image.name, image.displayName, image.imageType]).toEqual([
    'harvester-public/ubuntu',
    'ubuntu',
    'noble.img',
    VmImageType.RAW_QCOW2,
  ]);
  const { deletion, rewritten } = kindOf<KindDescription>(ApiObject.of(image))!;
  expect(deletion?.policy).toBe('delete');
  expect(rewritten).toEqual(
    expect.arrayContaining([
      'spec.storageClassParameters',
      'spec.backend',
      'metadata.labels[harvesterhci.io/imageDisplayName]',
    ]),
  );
  expect(
    Ordering.of(image)
      ._declared()
      .map(({ to, type }) => [to.node.path, type]),
  ).toEqual([
    ['dc1/public', 'applied'],
    ['dc1/ssd', 'applied'],
  ]);
});

test.each([
  ['https://x.example.com/a.ISO?token=1', VmImageType.ISO],
  ['https://x.example.com/a.qcow2', VmImageType.RAW_QCOW2],
  ['https://x.example.com/a', undefined],
])('derives the image type of %s', (url, type) => {
  expect(VmImage.download(newHarvester(newApp()), 'a', { url }).imageType).toBe(type);
});

test('writes images of the other sources', () => {
  const dc1 = newHarvester(newApp());
  const encrypting = HarvesterStorageClass.fromName(dc1, 'safe', { name: 'safe' });
  VmImage.upload(dc1, 'upload', { imageType: VmImageType.ISO });
  VmImage.exportOf(dc1, 'volume', {
    volume: HarvesterVolume.fromName(dc1, 'disk', { name: 'disk-0', namespace: 'vms' }),
  });
  const source = VmImage.fromName(dc1, 'source', { name: 'image-abcde', namespace: 'templates' });
  const clone = VmImage.clone(dc1, 'clone', {
    source,
    operation: ImageCryptoOperation.ENCRYPT,
    storageClass: encrypting,
  });
  const specs = dc1
    .toJson()
    .filter(({ kind }) => kind === 'VirtualMachineImage')
    .map(({ spec }) => spec);
  expect(specs).toEqual([
    { displayName: 'upload', sourceType: 'upload' },
    {
      displayName: 'volume',
      sourceType: 'export-from-volume',
      pvcName: 'disk-0',
      pvcNamespace: 'vms',
    },
    {
      displayName: 'clone',
      sourceType: 'clone',
      securityParameters: {
        cryptoOperation: 'encrypt',
        sourceImageName: 'image-abcde',
        sourceImageNamespace: 'templates',
      },
    },
  ]);
  expect(
    Ordering.of(clone)
      ._declared()
      .map(({ to, type }) => [to.node.id, type]),
  ).toContainEqual(['source', 'ready']);
});

describe('the StorageClass of its volumes', () => {
  test('has the name of the image before Harvester 1.8', () => {
    const dc1 = newHarvester(newApp(), '1.7.2');
    expect(VmImage.download(dc1, 'ubuntu', { url: URL }).storageClassName).toBe('longhorn-ubuntu');
    expect(VmImage.fromName(dc1, 'there', { name: 'image-abcde' }).storageClassName).toBe(
      'longhorn-image-abcde',
    );
  });

  test('is one late value per image from 1.8 on', () => {
    const dc1 = newHarvester(newApp(), '1.8.0');
    const image = VmImage.download(dc1, 'ubuntu', { url: URL });
    expect(image.storageClassName).toBe('${late:dc1.ubuntu.storageclassname}');
    expect(image.storageClassName).toBe(image.storageClassName);
    expect(VmImage.fromName(dc1, 'there', { name: 'image-abcde' }).storageClassName).toBe(
      '${late:dc1.there.storageclassname}',
    );
  });

  test('is the one that the program sets', () => {
    const dc1 = newHarvester(newApp(), '1.8.0');
    const named = (name: string) => HarvesterStorageClass.fromName(dc1, `class-${name}`, { name });
    const before = VmImage.download(dc1, 'ubuntu', {
      url: URL,
      volumeStorageClass: named('longhorn-ubuntu'),
    });
    const uid = VmImage.upload(dc1, 'leap', {
      volumeStorageClass: named('lh-2f1c5a53-6a0e-4a26-9d0b-0f1c4f6f4f51'),
    });
    expect([before.storageClassName, uid.storageClassName]).toEqual([
      'longhorn-ubuntu',
      'lh-2f1c5a53-6a0e-4a26-9d0b-0f1c4f6f4f51',
    ]);
    expect(JSON.stringify(dc1.toJson())).not.toMatch(/longhorn-ubuntu|lh-2f1c/);
    expect(() =>
      VmImage.download(dc1, 'a', { url: URL, volumeStorageClass: named('longhorn-b') }),
    ).toThrow(
      '[dc1/a] volumeStorageClass: must be longhorn-a for an image from before Harvester 1.8, and lh-<uid> for later ones, got "longhorn-b"',
    );
  });

  test('cannot differ from the one that Harvester creates', () => {
    const dc1 = newHarvester(newApp(), '1.7.2');
    const named = (name: string) => HarvesterStorageClass.fromName(dc1, `class-${name}`, { name });
    expect(
      VmImage.download(dc1, 'a', { url: URL, volumeStorageClass: named('longhorn-a') })
        .storageClassName,
    ).toBe('longhorn-a');
    expect(() =>
      VmImage.download(dc1, 'b', { url: URL, volumeStorageClass: named('lh-1') }),
    ).toThrow(
      'must be longhorn-b, the name that Harvester before 1.8 derives from that of the image',
    );
    const lvm = HarvesterStorageClass.fromName(dc1, 'lvm', { name: 'lvm' });
    expect(() =>
      VmImage.download(dc1, 'c', {
        url: URL,
        backend: VmImageBackend.CDI,
        storageClass: lvm,
        volumeStorageClass: named('x'),
      }),
    ).toThrow('must be the storageClass of the image, lvm');
  });

  test('is the given one with CDI', () => {
    const dc1 = newHarvester(newApp(), '1.7.2');
    const lvm = HarvesterStorageClass.fromName(dc1, 'lvm', { name: 'lvm' });
    expect(
      VmImage.download(dc1, 'a', { url: URL, backend: VmImageBackend.CDI, storageClass: lvm })
        .storageClassName,
    ).toBe('lvm');
    expect(
      VmImage.download(dc1, 'b', { url: URL, backend: VmImageBackend.CDI }).storageClassName,
    ).toBe('${late:dc1.b.storageclassname}');
    expect(
      VmImage.fromName(dc1, 'c', { name: 'c', namespace: 'default', volumeStorageClass: lvm })
        .storageClassName,
    ).toBe('lvm');
    expect(dc1.toJson()[0].spec).toMatchObject({ backend: 'cdi', targetStorageClassName: 'lvm' });
  });

  test('waits for the default class that the program declares, in any order', () => {
    const dc1 = newHarvester(newApp());
    const early = VmImage.download(dc1, 'early', { url: URL });
    new HarvesterStorageClass(dc1, 'fast', { isDefault: true });
    const late = VmImage.download(dc1, 'late', { url: URL });
    for (const image of [early, late]) {
      expect(
        Ordering.of(image)
          ._declared()
          .map(({ to }) => to.node.id),
      ).toEqual(['fast']);
    }
  });
});

test('refuses values that the server would refuse, with prop, value and fix', () => {
  const app = newApp();
  const dc1 = newHarvester(app);
  expect(() => VmImage.download(dc1, 'a', { url: '', retries: 11 })).toThrow(
    '[dc1/a] url: must be set for the source download (the server: "url is required"). Fix: set the URL of the file\n' +
      '[dc1/a] retries: must be 0 to 10, got 11 (the server: "spec.retry: Invalid value: 11: spec.retry in body should be less than or equal to 10"). Fix: use 0 to 10',
  );
  expect(() => VmImage.download(dc1, 'ubuntu_22', { url: URL })).toThrow(
    '[dc1/ubuntu_22] name: must be a valid object name (the path of the construct is the default), got "ubuntu_22"',
  );
  expect(() => VmImage.fromName(dc1, 'b', { name: 'default/image-abcde' })).toThrow(
    '[dc1/b] name: must be a valid object name, got "default/image-abcde"',
  );
  expect(() =>
    VmImage.download(newHarvester(app, '1.4.3', 'old'), 'c', {
      url: URL,
      backend: VmImageBackend.CDI,
    }),
  ).toThrow(
    '[old/c] backend: the backend of an image, and so images outside of Longhorn v1 needs Harvester 1.5.0 or later, got 1.4.3',
  );
  expect(() =>
    VmImage.clone(dc1, 'd', {
      source: VmImage.fromName(dc1, 'e', { name: 'e' }),
      operation: ImageCryptoOperation.ENCRYPT,
    }),
  ).toThrow('[dc1/d] storageClass: must be set to encrypt an image');
  expect(() =>
    VmImage.download(newHarvester(app, '1.9.0', 'new'), 'f', {
      url: URL,
      displayName: 'Ubuntu (noble)',
    }),
  ).toThrow(
    '[new/f] displayName: must be a valid label value, since Harvester writes it to a label, got "Ubuntu (noble)"',
  );
});

test('refuses references to another Harvester', () => {
  const app = newApp();
  const [dc1, dc2] = [newHarvester(app), newHarvester(app, '1.7.2', 'dc2')];
  expect(() =>
    VmImage.download(dc1, 'a', {
      url: URL,
      storageClass: HarvesterStorageClass.fromName(dc2, 'x', { name: 'x' }),
    }),
  ).toThrow(
    '[dc1/a] storageClass: must be on the same Harvester, dc1, got "x": it is on dc2. Fix: use one on dc1',
  );
  expect(() =>
    VmImage.download(dc1, 'b', {
      url: URL,
      namespace: HarvesterNamespace.fromName(dc2, 'n', { name: 'n' }),
    }),
  ).toThrow(
    '[dc1/b] namespace: must be on the Harvester of the object, dc1, got "n": it is on dc2',
  );
});

test('refuses a string as namespace, as a program in JavaScript may pass it', () => {
  const namespace = 'public' as unknown as HarvesterNamespace;
  expect(() => VmImage.download(newHarvester(newApp()), 'a', { url: URL, namespace })).toThrow(
    '[dc1/a] namespace: must be a namespace object, not a name, got "public"',
  );
});

test('an image of a local file has its path in an annotation, and needs no one to upload it', () => {
  const app = newApp();
  const dc1 = newHarvester(app, '1.7.2');
  const image = VmImage.upload(dc1, 'golden', {
    file: 'images/golden.qcow2',
    checksum: 'a'.repeat(128),
  });
  const [written]: any[] = dc1.toJson();
  expect(written.metadata.annotations).toEqual({
    'cdk8s-harvester/upload-file': 'images/golden.qcow2',
  });
  expect(written.spec).toEqual({
    displayName: 'golden',
    sourceType: 'upload',
    checksum: 'a'.repeat(128),
  });
  expect(image.imageType).toBe('raw_qcow2');
});
