import { Manifest } from '../../../src/core/manifest/manifest';
import { judge } from '../../../src/core/rule/judge';
import { JudgedObject, World } from '../../../src/core/rule/rule';
import { HARVESTER_SETTING_RULES } from '../../../src/harvester/settings/harvester-setting.rules';
import { HARVESTER_SETTINGS } from '../../../src/harvester/settings/harvester-settings.data';
import { brief } from '../../support/judging';

interface Around {
  readonly version?: string;
  readonly live?: readonly Manifest[];
  readonly before?: readonly Manifest[];
  readonly rancher?: readonly Manifest[];
}

function findings(
  manifests: readonly Manifest[],
  { version = '1.7.2', live = [], before = [], rancher = [] }: Around = {},
) {
  const on = (list: readonly Manifest[]): JudgedObject[] =>
    list.map((manifest) => ({
      manifest,
      target: { name: 'dc1', kind: 'harvester', ...(version ? { harvesterVersion: version } : {}) },
    }));
  const local = rancher.map((manifest): JudgedObject => ({
    manifest,
    target: { name: 'rancher', kind: 'rancher' },
  }));
  return judge(
    HARVESTER_SETTING_RULES,
    new World([...on(manifests), ...local], on(live), on(before)),
  );
}

function setting(name: string, value?: unknown, fields: object = {}): Manifest {
  return {
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'Setting',
    metadata: { name },
    ...(value === undefined ? {} : { value }),
    ...fields,
  };
}

const told = (manifests: readonly Manifest[], around?: Around) =>
  brief(findings(manifests, around));
const json = (value: object) => JSON.stringify(value);
const network = (range: string, fields: object = {}) =>
  json({ vlan: 100, clusterNetwork: 'mgmt', range, ...fields });
const node = (name: string, address: string, labels: object = {}): Manifest => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: labels as { [key: string]: string } },
  status: {
    addresses: [
      { type: 'InternalIP', address },
      { type: 'Hostname', address: name },
    ],
  },
});
const REGISTRATION = json({
  url: 'https://rancher.example.com/v3/import/abc_c-m-x.yaml',
  insecureSkipTLSVerify: false,
});

describe('values', () => {
  test('has a rule for each setting', () => {
    const ids = HARVESTER_SETTING_RULES.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [name, { check }] of HARVESTER_SETTINGS) {
      expect(ids.includes(`harvester-setting/${name}`)).toBe(check !== undefined);
    }
  });

  test('judges values with the words of the server', () => {
    expect(
      findings([setting('overcommit-config', json({ cpu: 50, memory: 100, storage: 100 }))]),
    ).toMatchObject([
      {
        rule: 'harvester-setting/overcommit-config',
        level: 'error',
        path: 'value.cpu',
        value: '50',
        target: 'dc1',
        message: expect.stringContaining(
          '(the server: "Cannot undercommit. Should be greater than or equal to 100 but got 50")',
        ),
      },
    ]);
    expect(
      told([
        setting('ntp-servers', json({ ntpServers: ['a'] })),
        setting('log-level', ''),
        setting('other-setting', ''),
      ]),
    ).toEqual(['warning harvester-setting/unknown-name metadata.name']);
  });

  test('judges other versions of the group, and no other kinds', () => {
    expect(told([{ ...setting('log-level', 'x'), apiVersion: 'harvesterhci.io/v1' }])).toEqual([
      'warning harvester-setting/log-level value',
    ]);
    expect(told([{ ...setting('log-level', 'x'), apiVersion: 'management.cattle.io/v3' }])).toEqual(
      [],
    );
  });

  test('judges a backup target without keys by the previous one', () => {
    const target = {
      type: 's3',
      endpoint: '',
      accessKeyId: '',
      secretAccessKey: '',
      bucketName: 'c',
      bucketRegion: 'd',
    };
    expect(told([setting('backup-target', json(target))])).toHaveLength(2);
    expect(
      told([setting('backup-target', json(target))], {
        before: [
          setting('backup-target', json({ ...target, accessKeyId: 'a', secretAccessKey: 'b' })),
        ],
      }),
    ).toEqual([]);
  });

  test('judges a default in a manifest where the webhook does', () => {
    expect(
      told([setting('overcommit-config', '', { default: '{"cpu":1}' })]).filter((line) =>
        line.startsWith('error'),
      ),
    ).toEqual([
      'error harvester-setting/overcommit-config default.cpu',
      'error harvester-setting/overcommit-config default.memory',
      'error harvester-setting/overcommit-config default.storage',
    ]);
    const upgrade = json({ imagePreloadOption: { strategy: { type: 'skip' } } });
    expect(told([setting('upgrade-config', upgrade, { default: '{}' })])).toEqual([
      'warning harvester-setting/foreign-fields default',
    ]);
    expect(told([setting('upgrade-config', '', { default: '{}' })])[0]).toContain(
      'error harvester-setting/upgrade-config default.',
    );
    expect(told([setting('support-bundle-image', '', { default: '{}' })])).toEqual([
      'warning harvester-setting/foreign-fields default',
    ]);
    expect(told([setting('log-level', '', { default: 'x' })])).toEqual([
      'warning harvester-setting/foreign-fields default',
    ]);
  });
});

describe('form', () => {
  test('expects the value at the top, as text', () => {
    expect(told([setting('log-level', undefined, { spec: { value: 'info' } })])).toEqual([
      'error harvester-setting/form spec',
      'warning harvester-setting/form value',
    ]);
    expect(
      told([
        setting('log-level', undefined, { data: {} }),
        setting('max-hotplug-ratio', 5),
        setting('ntp-servers', { ntpServers: [] }),
      ]),
    ).toEqual([
      'error harvester-setting/form data',
      'error harvester-setting/form value',
      'error harvester-setting/form value',
      'warning harvester-setting/form value',
    ]);
    expect(findings([setting('max-hotplug-ratio', 5)])[0].message).toContain(
      'value: Invalid value: "number": value in body must be of type string',
    );
    expect(told([setting('log-level', null)])).toEqual(['warning harvester-setting/form value']);
  });

  test('warns of fields that Harvester writes', () => {
    expect(
      told([
        setting('log-level', 'info', {
          default: 'info',
          source: 'db',
          customized: true,
          status: {},
        }),
      ]),
    ).toEqual([
      'warning harvester-setting/foreign-fields customized',
      'warning harvester-setting/foreign-fields default',
      'warning harvester-setting/foreign-fields source',
      'warning harvester-setting/foreign-fields status',
    ]);
  });

  test('expects a name that this version has', () => {
    expect(findings([setting('ntp-server', 'x')])).toMatchObject([
      {
        rule: 'harvester-setting/unknown-name',
        level: 'warning',
        fix: 'use ntp-servers if that is what you mean',
      },
    ]);
    expect(told([setting('rwx-network', 'x')])).toEqual([
      'error harvester-setting/not-in-this-version metadata.name',
    ]);
    expect(told([setting('rwx-network', json({}))], { version: '1.8.0' })).toEqual([]);
    expect(told([setting('rwx-network', json({}))], { version: '' })).toEqual([]);
    expect(told([setting('rwx-network', json({}))], { version: 'master' })).toEqual([]);
    expect(told([setting('server-version', 'v1.7.2')])).toEqual([
      'warning harvester-setting/read-only metadata.name',
    ]);
    expect(told([setting('${late:name}', 'x')])).toEqual([]);
  });
});

describe('deletion', () => {
  test('reports a deletion, which resets nothing and is refused for some', () => {
    expect(
      told([], {
        before: [
          setting('log-level', 'debug'),
          setting('storage-network', ''),
          setting('rwx-network', ''),
          setting('other', ''),
        ],
      }),
    ).toEqual(['error harvester-setting/deletion', 'warning harvester-setting/deletion']);
    expect(
      findings([], { before: [setting('rwx-network', '')], version: '1.8.0' })[0].message,
    ).toContain('Disallow delete setting name rwx-network');
  });
});

describe('secrets', () => {
  const value = (name: string, config: object) => told([setting(name, json(config))]);

  test('warns of secrets in plain text', () => {
    expect(
      value('backup-target', {
        type: 's3',
        accessKeyId: 'a',
        secretAccessKey: 'b',
        bucketName: 'c',
        bucketRegion: 'd',
      }),
    ).toEqual(['warning harvester-setting/secret-in-manifest value.secretAccessKey']);
    expect(
      value('containerd-registry', {
        Configs: { r: { Auth: { Username: 'u', Password: 'p' } } },
        Auths: { s: { Auth: 'x' } },
      }),
    ).toEqual([
      'warning harvester-setting/secret-in-manifest value.Auths.s',
      'warning harvester-setting/secret-in-manifest value.Configs.r.Auth',
    ]);
    expect(
      value('http-proxy', {
        httpProxy: 'http://u:p@proxy:3128',
        httpsProxy: 'http://proxy',
        noProxy: '10.0.0.0/8',
      }),
    ).toEqual(['warning harvester-setting/secret-in-manifest value.httpProxy']);
    expect(told([setting('cluster-registration-url', REGISTRATION)])).toEqual([
      'warning harvester-setting/secret-in-manifest value',
    ]);
    expect(told([setting('ssl-certificates', json({ privateKey: 'x' }))])).toContain(
      'warning harvester-setting/secret-in-manifest value.privateKey',
    );
  });

  test('accepts late secrets', () => {
    expect(
      value('backup-target', {
        type: 's3',
        accessKeyId: 'a',
        secretAccessKey: '${late:key}',
        bucketName: 'c',
        bucketRegion: 'd',
      }),
    ).toEqual([]);
    expect(
      value('cluster-registration-url', { url: 'https://r/v3/import/${late:token}_c-m-x.yaml' }),
    ).toEqual([]);
    expect(
      told([
        setting('cluster-registration-url', ''),
        setting('backup-target', '{}'),
        setting('ssl-certificates', '{}'),
      ]),
    ).toEqual([]);
    expect(value('containerd-registry', { Configs: { r: { Auth: { Username: 'u' } } } })).toEqual(
      [],
    );
  });

  describe('new credentials of containerd-registry', () => {
    const registry = (password?: string, endpoint = 'https://m') =>
      setting(
        'containerd-registry',
        json({
          Mirrors: { 'docker.io': { Endpoints: [endpoint], Rewrites: null } },
          Configs: { r: { Auth: password ? { Username: 'u', Password: password } : null } },
        }),
      );
    const update = (after: Manifest, before: Manifest) =>
      told([after], { before: [before] }).filter((line) => line.includes('credentials-update'));

    test('refuses them while the mirrors are the same', () => {
      expect(update(registry('new'), registry('old'))).toEqual([
        'error harvester-setting/credentials-update value.Configs.r.Auth',
      ]);
      expect(update(registry('new', 'https://n'), registry('old'))).toEqual([]);
      expect(update(registry('same'), registry('same'))).toEqual([]);
      expect(update(registry(), registry('old'))).toEqual([]);
    });

    test('warns where they may be the ones that the controller moved away', () =>
      expect(update(registry('p'), registry())).toEqual([
        'warning harvester-setting/credentials-update value.Configs.r.Auth',
      ]));

    test('accepts them after a reset', () => {
      expect(update(registry('p'), setting('containerd-registry', ''))).toEqual([]);
      expect(update(setting('containerd-registry', ''), registry('p'))).toEqual([]);
      expect(update(registry('p'), setting('containerd-registry', '{'))).toEqual([]);
    });
  });
});

describe('networks', () => {
  test('refuses networks that share addresses', () => {
    expect(
      findings([
        setting('storage-network', network('10.0.0.0/24')),
        setting('vm-migration-network', network('10.0.0.0/25')),
      ]),
    ).toMatchObject([
      {
        rule: 'harvester-setting/network-overlap',
        level: 'error',
        path: 'value.range',
        message: expect.stringContaining(
          'storage-network: the network configuration is overlapped with vm-migration-network',
        ),
      },
      { object: { name: 'vm-migration-network' } },
    ]);
    const rwx = setting(
      'rwx-network',
      json({ 'share-storage-network': false, 'network': JSON.parse(network('10.0.0.0/25')) }),
    );
    expect(
      told([rwx], { version: '1.8.0', live: [setting('storage-network', network('10.0.0.0/24'))] }),
    ).toEqual(['error harvester-setting/network-overlap value.network.range']);
    expect(
      told([setting('storage-network', '')], {
        live: [setting('vm-migration-network', network('10.0.0.0/25'))],
      }),
    ).toEqual([]);
    expect(
      told([setting('storage-network', network('10.0.0.0/24'))], {
        live: [setting('vm-migration-network', '', { default: network('10.0.0.0/25') })],
      }),
    ).toHaveLength(1);
    expect(
      told(
        [
          setting('storage-network', network('10.0.0.0/24')),
          setting('vm-migration-network', network('10.0.0.0/25')),
        ],
        { version: '1.6.1' },
      ),
    ).toEqual([
      'warning harvester-setting/network-overlap value.range',
      'warning harvester-setting/network-overlap value.range',
    ]);
  });

  test('expects a ClusterNetwork that is known', () => {
    const live = [
      {
        apiVersion: 'network.harvesterhci.io/v1beta1',
        kind: 'ClusterNetwork',
        metadata: { name: 'storage' },
      },
    ];
    const on = (clusterNetwork: string) =>
      setting('storage-network', network('10.0.0.0/24', { clusterNetwork }));
    expect(told([on('storag')], { live })).toEqual([
      'warning harvester-setting/cluster-network value.clusterNetwork',
    ]);
    expect([
      ...told([on('storage')], { live }),
      ...told([on('mgmt')], { live }),
      ...told([on('storag')]),
    ]).toEqual([]);
  });

  test('expects a storage network that is shared to exist', () => {
    const shared = setting('rwx-network', json({ 'share-storage-network': true }));
    const around = { version: '1.8.0' };
    expect(told([shared, setting('storage-network', '')], around)).toEqual([
      'error harvester-setting/shared-storage-network value.share-storage-network',
      'error harvester-setting/shared-storage-network value',
    ]);
    expect(told([shared], around)).toEqual([]);
    expect(told([shared, setting('storage-network', network('10.0.0.0/24'))], around)).toEqual([]);
    expect(told([setting('storage-network', '')], { ...around, live: [shared] })).toEqual([
      'error harvester-setting/shared-storage-network value',
    ]);
  });

  test('expects it to exist on the server, which omits empty values', () => {
    const shared = setting('rwx-network', json({ 'share-storage-network': true }));
    const served = (name: string, value: unknown, fields: object = {}) => ({
      ...setting(name, value, fields),
      metadata: { name, uid: 'uid' },
    });
    const of = (...live: Manifest[]) => told([shared], { version: '1.8.2', live });
    const refused = ['error harvester-setting/shared-storage-network value.share-storage-network'];
    expect(of(served('storage-network', undefined))).toEqual(refused);
    expect(of(served('server-version', 'v1.8.2'))).toEqual(refused);
    expect(of(served('storage-network', undefined, { default: network('10.0.0.0/24') }))).toEqual(
      [],
    );
    expect(
      of(served('storage-network', network('10.0.0.0/24')), served('server-version', 'v1.8.2')),
    ).toEqual([]);
    // what is shared already may be written again
    expect(of(served('storage-network', undefined), served('rwx-network', shared.value))).toEqual(
      [],
    );
  });

  test('refuses a change while the previous one is carried out', () => {
    const progress = (reason: string) =>
      setting('storage-network', network('10.0.0.0/24'), {
        status: {
          conditions: [{ type: 'configured', status: 'False', reason, message: 'waiting' }],
        },
      });
    const after = setting('storage-network', network('10.0.1.0/24'));
    expect(
      findings([after], { before: [progress('In Progress')], version: '1.8.0' }),
    ).toMatchObject([
      { level: 'error', message: expect.stringContaining('because it is still being configured') },
    ]);
    expect(told([after], { before: [progress('In Progress')] })).toEqual([
      'warning harvester-setting/change-in-progress value',
    ]);
    const live = [
      { ...progress('In Progress'), metadata: { name: 'storage-network', uid: 'uid' } },
    ];
    expect(told([after], { live, version: '1.8.2' })).toEqual([
      'error harvester-setting/change-in-progress value',
    ]);
    expect(told([after], { before: [progress('Completed')], version: '1.8.0' })).toEqual([]);
    expect(
      told([setting('storage-network', '')], {
        before: [progress('In Progress')],
        version: '1.8.0',
      }),
    ).toEqual([]);
    expect(
      told([setting('storage-network', network('10.0.0.0/24'))], {
        before: [progress('In Progress')],
        version: '1.8.0',
      }),
    ).toEqual([]);
    expect(told([after], { before: [setting('storage-network', '')], version: '1.8.0' })).toEqual(
      [],
    );
  });

  test('refuses a change of rwx-network while reserved ranges are set', () => {
    const rwx = (vlan: number, ranges: object) =>
      setting(
        'rwx-network',
        json({
          'share-storage-network': false,
          'network': JSON.parse(network('10.0.0.0/24', { vlan })),
          ...ranges,
        }),
      );
    const ranges = { hostIPRange: '10.0.0.224/28', vipRange: '10.0.0.192/27' };
    const update = (after: Manifest, before: Manifest) =>
      told([after], { before: [before], version: '1.9.0' });
    expect(update(rwx(101, ranges), rwx(100, ranges))).toEqual([
      'error harvester-setting/rwx-ranges-locked value',
    ]);
    expect([
      ...update(rwx(101, {}), rwx(100, ranges)),
      ...update(rwx(101, ranges), rwx(100, {})),
      ...update(rwx(100, ranges), rwx(100, ranges)),
    ]).toEqual([]);
  });

  test('expects an address for every node in vm-migration-network', () => {
    const nodes = [
      node('a', '10.9.0.1'),
      node('b', '10.9.0.2'),
      node('c', '10.9.0.3'),
      node('w', '10.9.0.4', { 'node-role.harvesterhci.io/witness': 'true' }),
    ];
    expect(
      told([setting('vm-migration-network', network('10.0.0.0/30'))], { live: nodes }),
    ).toEqual(['error harvester-setting/migration-network-size value.range']);
    expect(
      told([setting('vm-migration-network', network('10.0.0.0/29'))], { live: nodes }),
    ).toEqual([]);
    expect(told([setting('vm-migration-network', network('10.0.0.0/30'))])).toEqual([]);
  });
});

describe('proxy', () => {
  const proxy = (noProxy: string) =>
    setting('http-proxy', json({ httpProxy: 'http://proxy:3128', httpsProxy: '', noProxy }));

  test('expects the nodes in noProxy', () => {
    const live = [node('a', '192.168.0.30'), node('b', '192.168.0.32')];
    expect(findings([proxy('192.168.0.0/27')], { live })).toMatchObject([
      {
        rule: 'harvester-setting/proxy-nodes',
        level: 'error',
        message: expect.stringContaining('The node(s) 192.168.0.32 are not covered.'),
      },
    ]);
    expect(told([proxy('192.168.0.0/24')], { live })).toEqual([]);
    expect(told([proxy('192.168.0.0/27')], { live, version: '1.3.0' })).toEqual([]);
    expect(told([proxy('192.168.0.0/27')])).toEqual([]);
    expect(told([proxy('${late:no}')], { live })).toEqual([]);
    expect(told([setting('http-proxy', json({ noProxy: 'a' }))], { live })).toEqual([]);
  });

  test('expects Rancher in noProxy', () => {
    const live = [setting('cluster-registration-url', REGISTRATION)];
    expect(told([proxy('192.168.0.0/24')], { live })).toEqual([
      'warning harvester-setting/proxy-rancher value.noProxy',
    ]);
    expect(told([proxy('192.168.0.0/24,example.com')], { live })).toEqual([]);
    const late = [setting('cluster-registration-url', json({ url: '${late:url}' }))];
    const rancher = [
      {
        apiVersion: 'management.cattle.io/v3',
        kind: 'Setting',
        metadata: { name: 'server-url' },
        value: 'https://r.example.com',
      },
    ];
    expect(told([proxy('192.168.0.0/24')], { live: late, rancher })).toEqual([
      'warning harvester-setting/proxy-rancher value.noProxy',
    ]);
    expect(told([proxy('192.168.0.0/24')], { live: late })).toEqual([]);
    expect(
      told([proxy('192.168.0.0/24')], {
        live: [
          setting(
            'cluster-registration-url',
            json({ url: 'https://10.1.1.1/v3/import/a_c-m-x.yaml' }),
          ),
        ],
      }),
    ).toEqual([]);
  });
});

test('expects the Rancher of the chart in noProxy while the registration URL is late', () => {
  const target = {
    name: 'dc1',
    kind: 'harvester',
    harvesterVersion: '1.7.2',
    managedAs: 'rancher/c-m-a',
  } as const;
  const on = (manifest: Manifest) => ({ manifest, target });
  const rancher = {
    target: { name: 'rancher', kind: 'rancher', serverUrl: 'https://r.example.com:8443' } as const,
    manifest: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'c-m-a' } },
  };
  const rules = (noProxy: string) =>
    judge(
      HARVESTER_SETTING_RULES,
      new World([
        on(
          setting(
            'http-proxy',
            json({ httpProxy: 'http://proxy:3128', httpsProxy: 'http://proxy:3128', noProxy }),
          ),
        ),
        on(setting('cluster-registration-url', json({ url: '${late:url}' }))),
        rancher,
      ]),
    )
      .map(({ rule, message }) => `${rule}: ${message}`)
      .filter((text) => text.includes('proxy-rancher'));
  expect(rules('10.0.0.0/8')).toEqual([
    expect.stringContaining('must contain r.example.com, which Harvester registers at'),
  ]);
  expect(rules('10.0.0.0/8,example.com')).toEqual([]);
});

describe('the registration URL before Harvester 1.7.2', () => {
  const url = 'https://rancher.example.com/v3/import/tok_c-m-a.yaml';
  test.each([
    ['1.7.1', url, 1],
    ['1.7.1', '${late:dc1.url}', 1],
    ['1.7.1', '', 0],
    ['1.7.2', '${late:dc1.url}', 0],
    ['1.7.2', json({ url }), 0],
    ['', '${late:dc1.url}', 0],
  ])('warns on Harvester %j that %s is fetched without verification', (version, value, count) => {
    const found = findings([setting('cluster-registration-url', value)], { version }).filter(
      ({ message }) => message.includes('without verification of Rancher'),
    );
    expect(found.map(({ level, rule, path }) => `${level} ${rule} ${path}`)).toEqual(
      Array(count).fill('warning harvester-setting/cluster-registration-url value'),
    );
  });
});

test('expects the Secret of rancher-cluster', () => {
  const rancher = setting(
    'rancher-cluster',
    json({ removeUpstreamClusterWhenNamespaceIsDeleted: true }),
  );
  const secret = (fields: object): Manifest => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'rancher-cluster-config', namespace: 'harvester-system' },
    ...fields,
  });
  const rule =
    'harvester-setting/rancher-cluster-secret value.removeUpstreamClusterWhenNamespaceIsDeleted';
  expect(told([rancher])).toEqual([`warning ${rule}`]);
  expect(told([rancher, secret({})])).toEqual([`error ${rule}`]);
  expect(told([rancher, secret({ stringData: { kubeConfig: 'x' } })])).toEqual([]);
  expect(told([rancher], { live: [secret({ data: { kubeConfig: 'eA==' } })] })).toEqual([]);
  expect(told([setting('rancher-cluster', '{}')])).toEqual([]);
});

test('expects existing nodes in pauseNodes of upgrade-config', () => {
  const upgrade = (pauseNodes: string[]) =>
    setting(
      'upgrade-config',
      json({
        imagePreloadOption: { strategy: { type: 'skip' } },
        nodeUpgradeOption: { strategy: { mode: 'manual', pauseNodes } },
      }),
    );
  expect(told([upgrade(['a', 'x'])], { live: [node('a', '10.9.0.1')] })).toEqual([
    'error harvester-setting/paused-nodes value.nodeUpgradeOption.strategy.pauseNodes',
  ]);
  expect(told([upgrade(['a'])], { live: [node('a', '10.9.0.1')] })).toEqual([]);
  expect(told([upgrade(['x'])])).toEqual([]);
});
