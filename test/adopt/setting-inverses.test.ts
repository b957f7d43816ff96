import { testInverses } from './_inverses';
import { adopt } from '../../src/adopt/adopt';
import { programFiles } from '../../src/adopt/print/program';
import { TargetKind } from '../../src/core/construct/target';
import { FoundCluster } from '../../src/core/draft/draft';
import { Manifest } from '../../src/core/manifest/manifest';
import { Authority } from '../support/authority';
import { GENERATIONS, recordingOf } from '../support/recordings';

testInverses(['HarvesterSetting'], {}, true);

function harvester(objects: readonly Manifest[], version = '1.8.2'): FoundCluster {
  return {
    name: 'dc1',
    kind: TargetKind.HARVESTER,
    version,
    vip: '10.10.0.10',
    unread: [],
    objects: objects.map((manifest) => ({ target: 'dc1', manifest, from: 'a test' })),
  };
}

function setting(name: string, value: unknown, metadata = {}): Manifest {
  return {
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'Setting',
    metadata: { name, ...metadata },
    value,
    default: '',
  } as Manifest;
}

function printed(...objects: readonly Manifest[]): string {
  const clusters = [harvester(objects)];
  return programFiles(clusters, adopt(clusters)).get('dc1.ts') ?? '';
}

test('prints settings as a person writes them', () => {
  expect(
    printed(
      setting('ntp-servers', '{"ntpServers":["0.pool.ntp.org"]}'),
      setting('kubeconfig-default-token-ttl-minutes', '10080'),
      setting(
        'storage-network',
        '{"range":"192.168.0.0/24","vlan":100,"clusterNetwork":"storage"}',
      ),
      setting('upgrade-checker-enabled', 'false'),
      setting('default-storage-class', 'fast'),
      setting(
        'upgrade-config',
        '{"imagePreloadOption":{"strategy":{"type":"parallel","concurrency":2}},"restoreVM":false}',
      ),
      setting('some-future-setting', 'on'),
    ),
  ).toBe(`import { Duration } from 'cdk8s';
import { ClusterNetwork, HarvesterStorageClass } from 'cdk8s-harvester';
import { HarvesterSetting, ImagePreload } from 'cdk8s-harvester/settings';
import { dc1 } from './clusters';

HarvesterSetting.ntpServers(dc1, 'ntp-servers', ['0.pool.ntp.org']);
HarvesterSetting.kubeconfigDefaultTokenTtl(dc1, 'kubeconfig-default-token-ttl-minutes', Duration.days(7));

const storage = ClusterNetwork.fromName(dc1, 'storage', { name: 'storage' });

HarvesterSetting.storageNetwork(dc1, 'storage-network', {
  clusterNetwork: storage,
  vlan: 100,
  range: '192.168.0.0/24',
});

HarvesterSetting.upgradeCheckerEnabled(dc1, 'upgrade-checker-enabled', false);

const fast = HarvesterStorageClass.fromName(dc1, 'fast', { name: 'fast' });

HarvesterSetting.defaultStorageClass(dc1, 'default-storage-class', fast);
HarvesterSetting.upgradeConfig(dc1, 'upgrade-config', { imagePreload: ImagePreload.parallel({ concurrency: 2 }) });
new HarvesterSetting(dc1, 'some-future-setting', { name: 'some-future-setting', value: 'on' });
`);
});

describe.each(GENERATIONS)('settings of Harvester $harvester', (generation) => {
  test('come back by their factories, without what controllers write', () => {
    const live = recordingOf(generation, 'harvester-settings-set').objects.flatMap(({ states }) =>
      states.length > 0 ? [states[states.length - 1].object] : [],
    );
    const clusters = [harvester(live, generation.harvester)];
    const adopted = adopt(clusters);
    const plain = adopted.statements
      .all()
      .filter(({ draft: { method } }) => method === undefined)
      .map(({ id }) => id);
    expect({
      plain,
      differences: [...adopted.differences],
      leftOut: [...adopted.leftOut.values()].join(),
    }).toEqual({
      // 2.0 is not written as 2, and KubeVirt's bandwidth of 0 is not a size
      plain: ['additional-guest-memory-overhead-ratio', 'kubevirt-migration'],
      differences: [],
      leftOut: expect.stringMatching(
        /^(contains the password of a registry, which the program does not know)?$/,
      ),
    });
    expect(
      adopted.statements
        .all()
        .filter(({ props, patches }) => props.annotations !== undefined || patches.length > 0),
    ).toEqual([]);
    expect(programFiles(clusters, adopted).get('dc1.ts')).not.toMatch(/not-a-real-password/);
  });
});

test.each([
  [
    'backup-target',
    '{"type":"s3","endpoint":"","accessKeyId":"id","secretAccessKey":"hush","bucketName":"b","bucketRegion":"r"}',
    'contains the key of the backup store',
  ],
  [
    'backup-target',
    '{"type":"s3","endpoint":"","accessKeyId":"","secretAccessKey":"","bucketName":"b","bucketRegion":"r"}',
    'may have credentials',
  ],
  [
    'containerd-registry',
    '{"Configs":{"r":{"Auth":{"Username":"u","Password":"hush"}}}}',
    'contains the password of a registry',
  ],
  [
    'containerd-registry',
    '{"Configs":{"r":{"auth":{"password_file":"hush"}}}}',
    'may have credentials',
  ],
  [
    'http-proxy',
    '{"httpProxy":"http://u:hush@proxy:3128","httpsProxy":"","noProxy":"10.0.0.0/8"}',
    'contains the password of the proxy',
  ],
  [
    'http-proxy',
    '{"httpProxy":"u:hush@proxy:3128","httpsProxy":"","noProxy":"10.0.0.0/8"}',
    'contains the password of the proxy',
  ],
  [
    'ssl-certificates',
    '{"ca":"","publicCertificate":"p","privateKey":"hush"}',
    "contains the private key of Harvester's certificate",
  ],
  [
    'rancher-cluster',
    '{"removeUpstreamClusterWhenNamespaceIsDeleted":true,"kubeConfig":"hush"}',
    'may have credentials',
  ],
  ['rancher-cluster', 'hush', 'may have credentials'],
  [
    'cluster-registration-url',
    '{"url":"https://rancher.example.com/v3/import/hush_c-m-abcd1234.yaml","insecureSkipTLSVerify":false}',
    'contains the token of the registration',
  ],
])('leaves out the setting %s with %s', (name, value, reason) => {
  const clusters = [harvester([setting(name, value)])];
  const adopted = adopt(clusters);
  expect([...adopted.leftOut.values()]).toEqual([expect.stringContaining(reason)]);
  expect([...programFiles(clusters, adopted).values()].join('')).not.toContain('hush');
});

test.each([
  [
    'backup-target',
    '{"type":"nfs","endpoint":"nfs://nas:/b","accessKeyId":"","secretAccessKey":"","bucketName":"","bucketRegion":"","cert":"","virtualHostedStyle":false}',
    "BackupTarget.nfs('nfs://nas:/b')",
  ],
  [
    'http-proxy',
    '{"noProxy":"10.0.0.0/8,.svc","httpProxy":"http://proxy:3128"}',
    "{ httpProxy: 'http://proxy:3128', noProxy: ['10.0.0.0/8', '.svc'] }",
  ],
  [
    'storage-network',
    '{"vlan":100,"clusterNetwork":"mgmt","range":"192.168.0.0/24","exclude":[]}',
    "clusterNetwork: mgmt, vlan: 100, range: '192.168.0.0/24' }",
  ],
  [
    'upgrade-config',
    '{"restoreVM":true,"imagePreloadOption":{"strategy":{"concurrency":0,"type":"sequential"}}}',
    '{ restoreVm: true }',
  ],
  [
    'additional-guest-memory-overhead-ratio',
    '2.0',
    "new HarvesterSetting(dc1, 'additional-guest-memory-overhead-ratio', {",
  ],
  ['max-hotplug-ratio', '4 ', "kind: 'Setting',"],
])('declares the setting %s with %s', (name, value, text) => {
  expect(printed(setting(name, value))).toContain(text);
});

test('keeps the labels of users on a setting', () => {
  expect(printed(setting('log-level', 'debug', { labels: { team: 'a' } }))).toContain(
    "{ name: 'log-level', value: 'debug', labels: { team: 'a' } }",
  );
});

test('declares additional authorities by the construct to which others add theirs', () => {
  expect(
    printed(setting('additional-ca', `\n${new Authority().cert.replace(/\n/g, '\r\n')}`)),
  ).toContain('AdditionalCa.of(dc1).add(`-----BEGIN');
});
