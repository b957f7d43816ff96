import { Manifest } from '../../src/core/manifest/manifest';
import { judge } from '../../src/core/rule/judge';
import { World } from '../../src/core/rule/rule';
import { ALL_RULES } from '../../src/registry/all-rules';
import {
  INFRASTRUCTURE_RULES,
  findings,
  image,
  live,
  network,
  says,
  storageClass,
  told,
  vlanConfig,
} from '../support/infrastructure';
import { brief } from '../support/judging';

const ED25519 =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGhcwd/x9Ho4Oi0xP1PjZNdXnTnFHMy9jKxKEHYJvVZa ana@host';
const key = (publicKey: unknown): Manifest => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'KeyPair',
  metadata: { name: 'ana', namespace: 'default' },
  spec: { publicKey },
});
const addon = (name: string, spec: object, namespace = 'default'): Manifest => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'Addon',
  metadata: { name, namespace },
  spec,
});
const whole = (chart: string) => ({
  repo: 'https://charts.example.com',
  chart,
  version: '1',
  enabled: true,
  valuesContent: '',
});
const quota = (limit: object, name = 'default-resource-quota'): Manifest => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'ResourceQuota',
  metadata: { name, namespace: 'default' },
  spec: { snapshotLimit: limit },
});
const cloudInit = (name: string, spec: object): Manifest => ({
  apiVersion: 'node.harvesterhci.io/v1beta1',
  kind: 'CloudInit',
  metadata: { name },
  spec: { matchSelector: {}, contents: 'stages: {}', ...spec },
});

describe('the rules', () => {
  test('are registered, with unique IDs and sources', () => {
    for (const rule of INFRASTRUCTURE_RULES) {
      expect(ALL_RULES).toContain(rule);
      expect(rule.id).toMatch(/^[a-z-]+\/[a-z-]+$/);
      expect(rule.source.length).toBeGreaterThan(10);
    }
    expect(new Set(INFRASTRUCTURE_RULES.map(({ id }) => id)).size).toBe(
      INFRASTRUCTURE_RULES.length,
    );
  });

  test('ignore late values', () => {
    const late = '${late:dc1.x}';
    expect(
      told([
        image(
          'a',
          { displayName: late, url: late, targetStorageClassName: late },
          { annotations: { 'harvesterhci.io/storageClassName': late } },
        ),
        vlanConfig('a', late),
        network('a', late),
        key(late),
        addon('a', { ...whole(late), valuesContent: late }),
        cloudInit('a', { filename: late, contents: late }),
        storageClass('a', {
          parameters: { dataLocality: late, encrypted: late, numberOfReplicas: late },
        }),
      ]),
    ).toEqual([]);
  });
});

describe('a KeyPair', () => {
  test('requires a public key', () => {
    expect(
      told([
        key(ED25519),
        {
          ...key(`# ana\n\nno-pty,command="a b" ${ED25519}\n`),
          metadata: { name: 'b', namespace: 'default' },
        },
      ]),
    ).toEqual([]);
    expect(says([key('')])).toEqual(['public key is required']);
    expect(findings([key('ssh-ed25519 AAAA')])).toMatchObject([
      {
        rule: 'key-pair/public-key',
        level: 'error',
        path: 'spec.publicKey',
        value: '"ssh-ed25519 AAAA"',
        message: expect.stringContaining('key is not in valid OpenSSH public key format'),
      },
    ]);
    const cut = ED25519.replace('JvVZa', '');
    expect(told([key(cut)])).toEqual(['error key-pair/public-key spec.publicKey']);
    expect(told([key(ED25519.replace('ssh-ed25519', 'ssh-rsa'))])).toEqual([
      'warning key-pair/public-key spec.publicKey',
    ]);
  });

  test('never shows a private key in a message', () => {
    const [finding] = findings([key('-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk')]);
    expect(JSON.stringify(finding)).not.toContain('b3BlbnNzaC1rZXk');
    expect(finding!.message).toContain('cannot be a private key');
  });

  test('warns of a changed key', () => {
    const rsa = 'ssh-dss AAAA';
    expect(told([key(ED25519)], { before: [key(rsa)] })).toEqual([
      'warning key-pair/update spec.publicKey',
    ]);
    expect(told([key(`${ED25519}\n`)], { before: [key(ED25519)] })).toEqual([]);
  });
});

describe('a StorageClass', () => {
  const pairs = (name: string, steps = ['provisioner', 'node-stage', 'node-publish']) =>
    Object.fromEntries(
      steps.flatMap((step) => [
        [`csi.storage.k8s.io/${step}-secret-name`, name],
        [`csi.storage.k8s.io/${step}-secret-namespace`, 'default'],
      ]),
    );
  const secret = (data: { [key: string]: string }): Manifest => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'key', namespace: 'default' },
    data: Object.fromEntries(
      Object.entries(data).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
    ),
  });
  const CRYPTO = {
    CRYPTO_KEY_CIPHER: 'aes-xts-plain64',
    CRYPTO_KEY_HASH: 'sha256',
    CRYPTO_KEY_SIZE: '256',
    CRYPTO_PBKDF: 'argon2i',
    CRYPTO_KEY_PROVIDER: 'secret',
    CRYPTO_KEY_VALUE: 'correct horse',
  };

  test('of Longhorn requires valid parameters', () => {
    expect(
      told([
        storageClass('a', {
          parameters: {
            numberOfReplicas: '3',
            migratable: 'true',
            dataLocality: 'best-effort',
            dataEngine: 'v2',
          },
          reclaimPolicy: 'Retain',
        }),
      ]),
    ).toEqual([]);
    expect(says([storageClass('a', { parameters: { dataLocality: 'strict-local' } })])).toEqual([
      'storage class with strict-local data locality is not allowed',
    ]);
    expect(says([storageClass('a', { parameters: { dataLocality: 'near' } })])).toEqual([
      'storage class with invalid data locality near, valid values: "disabled", "best-effort"',
    ]);
    expect(
      told([
        storageClass('a', {
          parameters: { numberOfReplicas: '0', migratable: 'yes', dataEngine: 'v3' },
        }),
      ]),
    ).toEqual([
      'warning storage-class/spec parameters.dataEngine',
      'warning storage-class/spec parameters.migratable',
      'warning storage-class/spec parameters.numberOfReplicas',
    ]);
    // documentation shows it there
    expect(
      findings([
        storageClass('a', { migratable: 'false', parameters: { nfsOptions: 'vers=4.2' } }),
      ]),
    ).toMatchObject([
      { level: 'error', path: 'migratable', fix: expect.stringContaining('parameters.migratable') },
    ]);
    expect(
      told([storageClass('a', { parameters: { migratable: 'true', nfsOptions: 'vers=4.2' } })]),
    ).toEqual(['warning storage-class/spec parameters.nfsOptions']);
    expect(told([storageClass('a', { parameters: { migratable: true } })])).toEqual([
      'error storage-class/spec parameters.migratable',
    ]);
  });

  test('of a guest cluster is ignored', () => {
    expect(
      told([storageClass('a', { parameters: { dataLocality: 'strict-local' } })], {
        kind: 'guest',
      }),
    ).toEqual([]);
    expect(
      told([storageClass('a', { parameters: { dataLocality: 'strict-local' } })], {
        kind: undefined,
      }),
    ).not.toEqual([]);
  });

  test('cannot be a second default', () => {
    const isDefault = { 'storageclass.kubernetes.io/is-default-class': 'true' };
    expect(
      findings([storageClass('a', {}, isDefault), storageClass('b', {}, isDefault)]),
    ).toMatchObject([
      {
        level: 'error',
        object: { name: 'b' },
        message: expect.stringContaining(
          'default storage class a already exists, please reset it first before set b as default',
        ),
      },
      {
        level: 'warning',
        object: { name: 'a' },
        fix: expect.stringContaining(
          'kubectl annotate storageclass harvester-longhorn storageclass.kubernetes.io/is-default-class=false',
        ),
      },
    ]);
    expect(
      told([storageClass('a', {}, isDefault)], {
        live: [
          storageClass(
            'harvester-longhorn',
            {},
            { 'storageclass.kubernetes.io/is-default-class': 'false' },
          ),
        ],
      }),
    ).toEqual([]);
    expect(
      told([storageClass('a', {}, isDefault)], {
        live: [storageClass('harvester-longhorn', {}, isDefault)],
      }),
    ).toEqual([
      'error storage-class/default metadata.annotations[storageclass.kubernetes.io/is-default-class]',
    ]);
  });

  test('of encrypted volumes refers to one complete Secret', () => {
    expect(says([storageClass('a', { parameters: { encrypted: 'maybe' } })])).toEqual([
      'invalid value for `encrypted`',
    ]);
    expect(
      says([
        storageClass('a', { parameters: { encrypted: 'true', ...pairs('key', ['provisioner']) } }),
      ])[0],
    ).toContain('storage class must contain csi.storage.k8s.io/node-stage-secret-name');
    expect(
      told([
        storageClass('a', {
          parameters: { encrypted: 'true', ...pairs('key'), ...pairs('other', ['node-stage']) },
        }),
      ]),
    ).toEqual(['error storage-class/spec parameters']);
    const encrypted = storageClass('a', {
      parameters: { encrypted: 'true', ...pairs('key'), ...pairs('key', ['node-expand']) },
    });
    expect(told([encrypted, secret(CRYPTO)])).toEqual([
      'warning encryption-secret/plain data.CRYPTO_KEY_VALUE',
    ]);
    expect(told([encrypted], { live: [secret(CRYPTO)] })).toEqual([]);
    expect(told([encrypted])).toEqual([]);
    const differ = (step: string) =>
      `secret names and namespaces in csi.storage.k8s.io/${step}-secret-name and csi.storage.k8s.io/${step}-secret-namespace are different from others`;
    const empty = 'storage class must contain secret name and namespace';
    const named = (...given: object[]) =>
      says([
        storageClass('a', { parameters: { encrypted: 'true', ...Object.assign({}, ...given) } }),
      ]);
    const noSecret = {
      ...pairs(''),
      'csi.storage.k8s.io/provisioner-secret-namespace': '',
      'csi.storage.k8s.io/node-stage-secret-namespace': '',
      'csi.storage.k8s.io/node-publish-secret-namespace': '',
    };
    expect(named(pairs('key'), pairs('other', ['node-expand']))).toEqual([differ('node-expand')]);
    expect(named(pairs('key'), pairs('', ['node-publish']))).toEqual([differ('node-publish')]);
    expect(named(noSecret)).toEqual([empty]);
    expect(named(pairs(''))).toEqual([empty]);
    expect(named(pairs('key'), { 'csi.storage.k8s.io/node-expand-secret-name': 'key' })).toEqual([
      'storage class must contain csi.storage.k8s.io/node-expand-secret-namespace',
    ]);
    expect(
      told([encrypted], {
        live: [{ ...secret(CRYPTO), metadata: { name: 'other', namespace: 'default' } }],
      }),
    ).toEqual([
      'warning storage-class/encryption-secret parameters[csi.storage.k8s.io/provisioner-secret-name]',
    ]);
    expect(named(pairs('${late:dc1.key}'), pairs('key', ['node-stage']))).toEqual([]);
    expect(
      says([encrypted], {
        live: [secret({ ...CRYPTO, CRYPTO_KEY_SIZE: '128', CRYPTO_KEY_VALUE: '' })],
      }),
    ).toEqual([
      'secret default/key is not a valid encryption secret, invalid field: CRYPTO_KEY_SIZE',
      'secret default/key is not a valid encryption secret, invalid field: CRYPTO_KEY_VALUE',
    ]);
    const { CRYPTO_PBKDF: _, ...rest } = CRYPTO;
    const [lacking] = findings([encrypted], { live: [secret(rest)] });
    expect(lacking!.message).toContain('missing field: CRYPTO_PBKDF');
    expect(JSON.stringify(lacking)).not.toContain('correct horse');
  });

  test('cannot lose the passphrase of its volumes', () => {
    const encrypted = storageClass('a', { parameters: { encrypted: 'true', ...pairs('key') } });
    const before = [secret(CRYPTO), live(encrypted)];
    expect(told([live(encrypted)], { before })).toEqual(['error encryption-secret/loss']);
    expect(told([], { before: [secret(CRYPTO)] })).toEqual(['warning encryption-secret/loss']);
    const changed = findings(
      [live(encrypted), secret({ ...CRYPTO, CRYPTO_KEY_VALUE: 'battery staple' })],
      { before },
    );
    expect(changed.map(({ rule }) => rule)).toEqual([
      'encryption-secret/loss',
      'encryption-secret/plain',
    ]);
    expect(JSON.stringify(changed)).not.toMatch(/horse|staple/);
    expect(told([live(encrypted), live(secret(CRYPTO))], { before })).toEqual([]);
  });

  test('has annotations that CDI understands', () => {
    const cdi = (name: string) => `cdi.harvesterhci.io/${name}`;
    const csi = (annotations: object) =>
      storageClass('a', { provisioner: 'csi.example.com' }, annotations);
    expect(
      told([csi({ [cdi('storageProfileVolumeModeAccessModes')]: '{"Block":["ReadWriteOnce"]}' })]),
    ).toEqual([]);
    const modes = `storage-class/spec metadata.annotations[${cdi('storageProfileVolumeModeAccessModes')}]`;
    const of = (provisioner: string, version = '1.7.2') =>
      told([storageClass('a', { provisioner })], { version });
    expect(of('csi.example.com')).toEqual([`error ${modes}`]);
    expect(of('csi.example.com', '')).toEqual([`warning ${modes}`]);
    expect(of('csi.example.com', '1.5.2')).toEqual([]);
    expect(of('csi.trident.netapp.io')).toEqual([`warning ${modes}`]);
    expect([
      of('rbd.csi.ceph.com'),
      of('nfs.csi.k8s.io'),
      of('lvm.driver.harvesterhci.io'),
    ]).toEqual([[], [], []]);
    expect(
      says([csi({ [cdi('storageProfileVolumeModeAccessModes')]: '{"Tape":["Once"]}' })]),
    ).toEqual([
      expect.stringContaining('error: invalid volume mode Tape'),
      expect.stringContaining('error: invalid access mode Once'),
    ]);
    expect(says([csi({ [cdi('filesystemOverhead')]: '1.1' })])[0]).toContain(
      'invalid filesystem overhead 1.1',
    );
    expect(says([csi({ [cdi('storageProfileCloneStrategy')]: 'magic' })])[0]).toContain(
      'invalid clone strategy magic',
    );
    expect(says([csi({ [cdi('storageProfileCloneStrategy')]: 'snapshot' })])[0]).toContain(
      'snapshot class must be set in annotation',
    );
    expect(
      says([
        storageClass(
          'a',
          { parameters: { dataEngine: 'v1' } },
          { [cdi('storageProfileCloneStrategy')]: 'copy' },
        ),
      ]),
    ).toEqual(['longhorn v1 does not support CDI annotations']);
    const snapshots: Manifest = {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshotClass',
      metadata: { name: 'longhorn-snapshot' },
    };
    expect(
      told([csi({ [cdi('storageProfileVolumeSnapshotClass')]: 'lost' })], { live: [snapshots] }),
    ).toEqual([
      `error storage-class/snapshot-class metadata.annotations[${cdi('storageProfileVolumeSnapshotClass')}]`,
    ]);
  });

  test('is immutable, and cannot be deleted while images derive from it', () => {
    const before = [storageClass('a', { parameters: { numberOfReplicas: '3' } })];
    expect(
      says(
        [
          storageClass('a', {
            parameters: { numberOfReplicas: '2' },
            volumeBindingMode: 'WaitForFirstConsumer',
            reclaimPolicy: 'Retain',
          }),
        ],
        { before },
      ),
    ).toEqual([
      'Forbidden: updates to parameters are forbidden.',
      'Forbidden: updates to reclaimPolicy are forbidden.',
      'field is immutable',
    ]);
    expect(
      told(
        [
          storageClass('a', {
            parameters: { numberOfReplicas: '3' },
            reclaimPolicy: 'Delete',
            allowVolumeExpansion: true,
          }),
        ],
        { before: before.map(live) },
      ),
    ).toEqual([]);
    expect(
      says([image('i', {}, { annotations: { 'harvesterhci.io/storageClassName': 'a' } })], {
        before,
      }),
    ).toEqual(['storage class a is used by virtual machine images: [i]']);
    expect(says([], { before: [storageClass('harvester-longhorn')] })).toEqual([
      "storage class harvester-longhorn is reserved by Harvester and can't be deleted",
    ]);
    const reserved = storageClass(
      'mine',
      {},
      { 'harvesterhci.io/is-reserved-storageclass': 'true' },
    );
    const target = { name: 'input' };
    expect(
      judge(INFRASTRUCTURE_RULES, new World([], [], [{ manifest: reserved, target }])).map(
        ({ message }) => message,
      ),
    ).toEqual([
      'cannot be deleted (the server: "storage class mine is reserved by Harvester and can\'t be deleted")',
    ]);
  });
});

describe('an add-on', () => {
  test('of the user requires chart, repo and version', () => {
    expect(told([addon('mine', whole('mine'))])).toEqual([]);
    expect(says([addon('mine', { enabled: true, chart: 'a' })])).toEqual([
      'spec.repo: Required value',
      'spec.valuesContent: Required value',
      'spec.version: Required value',
    ]);
    expect(
      told([addon('mine', { enabled: true })], { live: [addon('mine', whole('mine'))] }),
    ).toEqual([]);
    expect(told([addon('mine', { ...whole('mine'), valuesContent: '- a' })])).toEqual([
      'warning addon/spec spec.valuesContent',
    ]);
    expect(told([addon('mine', { ...whole('mine'), valuesContent: 'a: [' })])).toEqual([
      'warning addon/spec spec.valuesContent',
    ]);
  });

  test('that Harvester installs may be partial', () => {
    expect(told([addon('rancher-logging', { enabled: true }, 'cattle-logging-system')])).toEqual(
      [],
    );
    expect(
      told([addon('rancher-logging', { enabled: true, version: '1' }, 'cattle-logging-system')]),
    ).toEqual(['warning addon/spec spec.version']);
    expect(
      told([addon('rancher-logging', { enabled: true, chart: 'other' }, 'cattle-logging-system')]),
    ).toEqual(['error addon/spec spec.chart']);
  });

  test('cannot be deleted, unless it is experimental', () => {
    const deleted = (name: string, namespace: string, version?: string, labels: object = {}) =>
      findings([], {
        version,
        before: [
          {
            ...addon(name, { enabled: true }, namespace),
            metadata: { name, namespace, labels },
          } as Manifest,
        ],
      });
    const label = { 'addon.harvesterhci.io/experimental': 'true' };
    expect(
      deleted('rancher-logging', 'cattle-logging-system', '1.7.2', label).map(
        ({ level, rule, message }) => [level, rule, message],
      ),
    ).toEqual([
      [
        'error',
        'addon/deletion',
        'cannot be deleted (the server: "cattle-logging-system/rancher-logging addon cannot be deleted")',
      ],
    ]);
    expect(brief(deleted('vm-import-controller', 'harvester-system'))).toEqual([
      'error addon/deletion',
    ]);
    expect(brief(deleted('mine', 'default'))).toEqual(['error addon/deletion']);
    expect(brief(deleted('mine', 'default', '1.7.2', label))).toEqual([]);
    expect(brief(deleted('harvester-seeder', 'harvester-system'))).toEqual([
      'warning addon/deletion',
    ]);
    expect(brief(deleted('rancher-logging', 'cattle-logging-system', '1.6.1'))).toEqual([
      'warning addon/deletion',
    ]);
    expect(deleted('rancher-logging', 'cattle-logging-system', '1.6.1')[0].message).not.toContain(
      'the server',
    );
  });

  test('has an immutable chart that no other add-on uses', () => {
    expect(says([addon('a', whole('x')), addon('b', whole('x'))])).toEqual([
      'addon with Chart "x" has been created, cannot create a new one',
    ]);
    expect(told([addon('a', whole('rancher-monitoring'))])).toEqual([
      'warning addon/chart-twice spec.chart',
    ]);
    expect(says([addon('a', whole('y'))], { before: [addon('a', whole('x'))] })).toEqual([
      'chart field cannot be changed.',
    ]);
  });

  test('rancher-vcluster requires a host name if it is enabled', () => {
    const vcluster = (hostname: string) =>
      addon(
        'rancher-vcluster',
        {
          ...whole('vcluster'),
          version: 'v0.19.0',
          valuesContent: `hostname: ${JSON.stringify(hostname)}\n`,
        },
        'rancher-vcluster',
      );
    expect(told([vcluster('rancher.example.com')])).toEqual([]);
    expect(says([vcluster('10.0.0.1')])).toEqual(['10.0.0.1 is not a valid hostname']);
    expect(says([vcluster('')])).toEqual(['invalid fqdn  provided for rancher-vcluster addon']);
  });

  test('rancher-vcluster requires its host name where its version reads it', () => {
    const values = (text: string, version: string) =>
      addon(
        'rancher-vcluster',
        { ...whole('vcluster'), version, valuesContent: text },
        'rancher-vcluster',
      );
    const [root, below] = [
      'hostname: rancher.example.com\n',
      'global: {hostname: rancher.example.com}\n',
    ];
    expect(told([values(below, 'v0.30.0')])).toEqual([]);
    expect(told([values(root, 'v0.19.0')])).toEqual([]);
    expect(told([values(root, 'v0.30.0')])).toEqual([
      'error addon/spec spec.valuesContent.global.hostname',
    ]);
    expect(told([values(below, 'v0.19.0')])).toEqual([
      'error addon/spec spec.valuesContent.hostname',
    ]);
    expect(told([values(root, 'v0.30.0')], { version: '1.6.1' })).toEqual([]);
    expect(told([values(below, 'v0.30.0')], { version: '' })).toEqual([]);
    expect(told([values(root, 'v0.30.0')], { version: '' })).toEqual([]);
  });
});

test('requires the name and whole bytes of a snapshot quota', () => {
  expect(
    told([quota({ namespaceTotalSnapshotSizeQuota: 0, vmTotalSnapshotSizeQuota: { web: 1024 } })]),
  ).toEqual([]);
  expect(says([quota({}, 'mine')])).toEqual(['name must be default-resource-quota']);
  expect(
    findings([
      quota({ namespaceTotalSnapshotSizeQuota: -5, vmTotalSnapshotSizeQuota: { web: -1 } }),
    ]),
  ).toMatchObject([
    { path: 'spec.snapshotLimit.namespaceTotalSnapshotSizeQuota', value: '-5' },
    {
      path: 'spec.snapshotLimit.vmTotalSnapshotSizeQuota[web]',
      message: expect.stringContaining('must be greater than or equal to 0'),
    },
  ]);
});

describe('a CloudInit of nodes', () => {
  test('requires an unprotected file name and a map', () => {
    expect(
      told([
        cloudInit('a', { filename: '99_ntp.yaml' }),
        cloudInit('b', { filename: 'b', contents: '' }),
      ]),
    ).toEqual([]);
    expect(
      says([
        cloudInit('a', { filename: '90_custom.yaml' }),
        cloudInit('b', { filename: '99_settings' }),
      ]),
    ).toEqual([
      'filename conflicts with a critical system-owned file',
      'filename conflicts with a critical system-owned file',
    ]);
    expect(
      says([cloudInit('a', { filename: 'x.yaml' }), cloudInit('b', { filename: 'x' })]),
    ).toEqual(['filename already in use']);
    expect(says([cloudInit('a', { filename: 'x.yaml', contents: '- a' })])).toEqual([
      'could not parse document as yaml',
    ]);
    expect(
      told([cloudInit('a', { filename: '/oem/x.yaml', matchSelector: { 'a b': 'c d' } })]),
    ).toEqual([
      'warning node-cloud-init/spec spec.filename',
      'warning node-cloud-init/spec spec.matchSelector[a b]',
      'warning node-cloud-init/spec spec.matchSelector[a b]',
    ]);
    expect(
      told([cloudInit('a', { filename: 'x.yaml', contents: '#cloud-config\npackages: [htop]\n' })]),
    ).toEqual(['warning node-cloud-init/spec spec.contents']);
  });

  test('requires Harvester 1.3', () => {
    expect(told([cloudInit('a', { filename: 'x.yaml' })], { version: '1.2.2' })).toEqual([
      'error node-cloud-init/spec',
    ]);
  });
});
