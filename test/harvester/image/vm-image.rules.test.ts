import { Manifest } from '../../../src/core/manifest/manifest';
import { findings, image, live, says, storageClass, told } from '../../support/infrastructure';

const CLASS = 'harvesterhci.io/storageClassName';
const clone = (operation: unknown, fields: object = {}, metadata: object = {}) =>
  image(
    'copy',
    {
      sourceType: 'clone',
      url: undefined,
      securityParameters: {
        cryptoOperation: operation,
        sourceImageName: 'a',
        sourceImageNamespace: 'default',
        ...fields,
      },
    },
    metadata,
  );

const texts = (manifests: readonly Manifest[]): string[] =>
  findings(manifests).map(({ message }) => message);

describe('the checks of a new image', () => {
  test('accept every source with its fields', () => {
    expect(
      told([
        image('a', { checksum: 'a'.repeat(128), retry: 10 }),
        image('d', { backend: 'cdi' }),
        image('b', {
          sourceType: 'export-from-volume',
          url: '',
          pvcName: 'disk',
          pvcNamespace: 'default',
        }),
        image('c', { sourceType: 'restore' }),
      ]),
    ).toEqual([]);
  });

  test("report missing fields with the server's words", () => {
    expect(findings([image('a', { displayName: '', url: undefined, retry: 11 })])).toMatchObject([
      {
        rule: 'image/spec',
        level: 'error',
        path: 'spec.displayName',
        message: 'must be set (the server: "displayName is required")',
        fix: 'set the name that the UI shows',
      },
      { path: 'spec.retry', value: '11', fix: 'use 0 to 10' },
      { path: 'spec.url', message: expect.stringContaining('url is required') },
    ]);
    expect(says([image('a', { sourceType: 'upload' })])).toContain(
      'url should be empty when image source type is "upload"',
    );
    expect(says([image('a', { sourceType: 'export-from-volume', url: undefined })])).toEqual([
      'pvcName is required when image source type is "export-from-volume"',
      'pvcNamespace is required when image source type is "export-from-volume"',
    ]);
    expect(told([image('a', { sourceType: 'magic' }), image('b', { backend: 'ceph' })])).toEqual([
      'error object/field-value spec.sourceType',
      'error object/field-value spec.backend',
    ]);
  });

  test('warn of a checksum that the backend does not check', () => {
    for (const [checksum, words] of [
      ['a'.repeat(128), 'is not checked by the backend cdi'],
      ['a'.repeat(64), 'is not checked by the backend cdi'],
    ] as const) {
      expect(texts([image('a', { checksum, backend: 'cdi' })])).toEqual([
        expect.stringContaining(words),
      ]);
    }
    expect(texts([image('a', { checksum: 'a'.repeat(64) })])).toEqual([
      expect.stringContaining('the image is never imported'),
    ]);
    expect(
      told([image('a', { sourceType: 'upload', url: undefined, checksum: 'abc', backend: 'cdi' })]),
    ).toEqual(['warning image/upload spec.sourceType']);
  });

  test('warn of values that the server accepts but cannot import', () => {
    expect(
      told([
        image('a', { url: 'ftp://a/b', checksum: 'abc' }),
        image('b', { sourceType: 'upload', url: undefined }),
        image('c', { storageClassParameters: { a: 'b' } }),
      ]),
    ).toEqual([
      'warning image/spec spec.checksum',
      'warning image/spec spec.url',
      'warning image/upload spec.sourceType',
      'warning image/storage-class-parameters spec.storageClassParameters',
    ]);
    const uploaded = image('b', { sourceType: 'upload', url: undefined });
    expect(
      told([
        {
          ...uploaded,
          metadata: {
            ...uploaded.metadata,
            annotations: { 'cdk8s-harvester/upload-file': 'b.img' },
          },
        },
      ]),
    ).toEqual([]);
    expect(told([{ ...image('a'), status: { progress: 100 } }])).toEqual([
      'warning image/status status',
    ]);
    expect(told([{ ...image('a'), status: {} }])).toEqual([]);
  });

  test('require a displayName that is a label value where Harvester writes it to a label', () => {
    const of = (version: string) =>
      findings([image('a', { displayName: 'Ubuntu (noble)' })], { version }).map(
        ({ level, path, message }) => `${level} ${path}: ${message}`,
      );
    expect(of('1.9.0')).toEqual([
      expect.stringMatching(
        /^error spec\.displayName: .*\(the server: "displayName is not a valid Kubernetes label value: a valid label/,
      ),
    ]);
    expect(of('1.8.2')).toEqual([
      expect.stringMatching(
        /^error spec\.displayName: .*\(the server: "metadata\.labels: Invalid value: "Ubuntu \(noble\)": a valid label/,
      ),
    ]);
    expect(of('1.7.2')).toEqual([
      'warning spec.displayName: must be a valid label value: newer versions of Harvester write it to a label, and refuse others',
    ]);
    expect(of('')).toEqual(of('1.7.2'));
  });

  test('refuse features that its Harvester lacks', () => {
    expect(findings([image('a', { backend: 'cdi' })], { version: '1.4.3' })).toMatchObject([
      {
        path: 'spec.backend',
        message: expect.stringContaining('needs Harvester 1.5.0 or later, got 1.4.3'),
      },
    ]);
    expect(told([clone('decrypt')], { version: '1.3.2' })).toEqual([
      'error image/spec spec.sourceType',
    ]);
  });

  test('refuse two different StorageClasses', () => {
    expect(
      says([image('a', { targetStorageClassName: 'x' }, { annotations: { [CLASS]: 'y' } })]),
    ).toEqual(['storageClassName should keep the consistency']);
    expect(
      told([image('a', { targetStorageClassName: 'x' }, { annotations: { [CLASS]: 'x' } })]),
    ).toEqual([]);
  });

  test('require operation, source and an encrypting class for a clone', () => {
    expect(
      says([clone('scramble', { sourceImageName: '', sourceImageNamespace: undefined })]),
    ).toEqual([
      'spec.securityParameters.cryptoOperation: Unsupported value: "scramble": supported values: "encrypt", "decrypt"',
      'SourceImageName is required when image source type is "clone"',
      'SourceImageNamespace is required when image source type is "clone"',
    ]);
    expect(says([image('a', { sourceType: 'clone', url: undefined })])).toEqual([
      'sourceParameters is required when image source type is "clone"',
    ]);
    expect(says([clone('encrypt')])).toEqual([
      'storageClassName is required when using security params',
    ]);
    const annotated = clone('encrypt', {}, { annotations: { [CLASS]: 'plain' } });
    expect(says([annotated, storageClass('plain')])).toEqual([
      'storage class plain is not for encryption or decryption',
    ]);
  });
});

describe('the relations of an image', () => {
  test('refuse a second image with one displayName in a namespace', () => {
    const twins = [
      image('a', { displayName: 'x' }),
      image('b', { displayName: 'x' }),
      image('c', { displayName: 'x' }, { namespace: 'other' }),
    ];
    expect(findings(twins, { version: '1.8.2' })).toMatchObject([
      {
        rule: 'image/display-name-twice',
        level: 'error',
        object: { name: 'b' },
        message: expect.stringContaining('A resource with the same name exists'),
      },
    ]);
    expect(told([twins[0]!], { version: '1.8.2', live: [twins[1]!] })).toEqual([
      'error image/display-name-twice spec.displayName',
    ]);
    // seen on 1.7.2: both are taken
    expect(told(twins)).toEqual(['warning image/display-name-twice spec.displayName']);
  });

  test('refuse to encrypt an encrypted image or decrypt a decrypted one', () => {
    const plain = image('a');
    const secret = image(
      'a',
      {
        sourceType: 'clone',
        url: undefined,
        securityParameters: {
          cryptoOperation: 'encrypt',
          sourceImageName: 'z',
          sourceImageNamespace: 'default',
        },
      },
      { annotations: { [CLASS]: 'e' } },
    );
    const encrypted = storageClass('e', { parameters: { encrypted: 'true' } });
    expect(says([clone('decrypt'), plain])).toEqual([
      // words-ok: the words of the server
      'can not re-decrypt, source image default/a (a) is not encrypted',
    ]);
    const recrypted = clone('encrypt', {}, { annotations: { [CLASS]: 'e' } });
    expect(says([recrypted], { live: [secret, encrypted] })).toEqual([
      // words-ok: the words of the server
      'can not re-encrypt, source image default/a (a) is already encrypted',
    ]);
    expect(told([clone('decrypt')], { live: [secret, encrypted] })).toEqual([]);
  });

  test('require the StorageClass to exist, if those of the Harvester are known', () => {
    const lost = image('a', {}, { annotations: { [CLASS]: 'gold' } });
    expect(told([lost])).toEqual([]);
    expect(findings([lost], { live: [storageClass('silver')] })).toMatchObject([
      {
        level: 'warning',
        path: `metadata.annotations[${CLASS}]`,
        value: '"gold"',
        fix: 'declare it, or use one of harvester-longhorn, silver',
        message: expect.stringContaining('storageclasses.storage.k8s.io "gold" not found'),
      },
    ]);
    expect(
      told([image('a', {}, { annotations: { [CLASS]: 'harvester-longhorn' } })], {
        live: [storageClass('silver')],
      }),
    ).toEqual([]);
    expect(
      says([image('a', {}, { annotations: { [CLASS]: 'of-image' } })], {
        live: [storageClass('of-image', { parameters: { backingImage: 'x' } })],
      }),
    ).toEqual([
      // words-ok: the words of the server
      'can not use a backing image storageClass as the base storageClass template',
    ]);
    expect(
      told([image('a', {}, { annotations: { [CLASS]: 'lvm' } })], {
        live: [storageClass('lvm', { provisioner: 'lvm.driver.harvesterhci.io' })],
      }),
    ).toEqual([`warning image/storage-class metadata.annotations[${CLASS}]`]);
  });
});

describe('an existing image', () => {
  const filled = live(
    image(
      'a',
      { storageClassParameters: { numberOfReplicas: '3' }, retry: 3, checksum: '' },
      { annotations: { [CLASS]: 'harvester-longhorn' } },
    ),
  );

  test('can be applied again unchanged', () => {
    expect(told([image('a')], { before: [filled] })).toEqual([]);
    expect(told([filled], { before: [filled] })).toEqual([]);
  });

  test('is immutable in its source', () => {
    const changed = image(
      'a',
      {
        displayName: 'b',
        url: 'https://images.example.com/b.img',
        storageClassParameters: { numberOfReplicas: '2' },
      },
      { annotations: { [CLASS]: 'gold' } },
    );
    expect(says([changed], { before: [filled] })).toEqual([
      'storageClassName cannot be modified',
      'displayName cannot be modified',
      'storageClassParameters of the VM Image cannot be modified',
      'url cannot be modified',
    ]);
    expect(
      told([image('a', {}, { annotations: { [CLASS]: 'silver' } })], {
        before: [image('a', {}, { annotations: { [CLASS]: 'gold' } })],
      }),
    ).toEqual([`error image/update metadata.annotations[${CLASS}]`]);
    // Harvester writes it again
    expect(
      told([image('a')], { before: [image('a', {}, { annotations: { [CLASS]: 'gold' } })] }),
    ).toEqual([]);
    expect(told([image('a', { targetStorageClassName: 'x' })], { before: [image('a')] })).toEqual(
      [],
    );
  });

  test('cannot be deleted while other objects use it', () => {
    const before = [{ ...filled, status: { storageClassName: 'lh-1' } }];
    const claim: Manifest = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'disk', namespace: 'vms' },
      spec: { storageClassName: 'lh-1' },
    };
    const machine: Manifest = {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: {
        name: 'web',
        namespace: 'vms',
        annotations: {
          'harvesterhci.io/volumeClaimTemplates':
            '[{"metadata":{"annotations":{"harvesterhci.io/imageId":"default/a"}}}]',
        },
      },
    };
    expect(told([], { before })).toEqual([]);
    expect(findings([claim, machine], { before })).toMatchObject([
      {
        rule: 'image/in-use',
        level: 'error',
        message: expect.stringContaining(
          'cannot be deleted while PersistentVolumeClaim vms/disk, VirtualMachine vms/web use it',
        ),
      },
    ]);
    expect(
      told([{ ...claim, spec: { storageClassName: 'longhorn-a' } }], { before: [image('a')] }),
    ).toEqual(['error image/in-use']);
  });
});
