import { ApiObject, App, Chart, Duration, Size } from 'cdk8s';
import { Construct } from 'constructs';
import { notesOf } from '../../../src/core/construct/object-notes';
import { KindDescription } from '../../../src/core/kind/kind';
import { kindOf } from '../../../src/core/kind/kinds';
import { SecretValue } from '../../../src/core/value/secret-value';
import { ClusterNetwork } from '../../../src/harvester/cluster-network/cluster-network';
import { HarvesterChart } from '../../../src/harvester/harvester-chart';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { HarvesterNode } from '../../../src/harvester/node/node';
import { BackupTarget } from '../../../src/harvester/settings/catalogue/backup-target.check';
import { TlsVersion } from '../../../src/harvester/settings/catalogue/certificates.check';
import { RwxNetwork } from '../../../src/harvester/settings/catalogue/network.check';
import {
  HarvesterLogLevel,
  ImagePullPolicy,
  UiSource,
} from '../../../src/harvester/settings/catalogue/system.check';
import { ImagePreload, NodeUpgrade } from '../../../src/harvester/settings/catalogue/upgrade.check';
import { HarvesterSetting } from '../../../src/harvester/settings/harvester-setting';
import { HARVESTER_SETTINGS } from '../../../src/harvester/settings/harvester-settings.data';
import { HarvesterStorageClass } from '../../../src/harvester/storage/harvester-storage-class';
import { CERTIFICATE, KEY } from '../../core/go/_pem';
import { messageOf } from '../../support/message-of';
import { newApp, newHarvester } from '../../support/programs';

type Make = (scope: Construct, id: string) => HarvesterSetting;

function valueOf(make: Make, version = '1.9.0'): string {
  const setting = make(newHarvester(newApp(), version), 'Setting');
  return (setting.node.findChild('Resource') as ApiObject).toJson().value;
}

function refusal(make: Make, version = '1.7.2'): string {
  return messageOf(() => make(newHarvester(newApp(), version), 'Setting'));
}

const secret = SecretValue.unsafePlainText('canary');
const URL = 'https://rancher.example.com/v3/import/abc_c-m-x.yaml';
const network = (scope: Construct) => ({
  clusterNetwork: ClusterNetwork.mgmt(scope),
  vlan: 100,
  range: '192.168.0.0/24',
});

const namespaces = (scope: Construct) =>
  ['a', 'b'].map((name) => HarvesterNamespace.fromName(scope, `namespace-${name}`, { name }));

/** Every typed method with what it writes; the text is a contract. */
const WRITES: readonly (readonly [name: string, make: Make, value: string, version?: string])[] = [
  [
    'cluster-registration-url',
    (s, id) => HarvesterSetting.clusterRegistrationUrl(s, id, { url: URL }),
    `{"url":"${URL}","insecureSkipTLSVerify":false}`,
  ],
  [
    'rancher-cluster',
    (s, id) => HarvesterSetting.rancherCluster(s, id, true),
    '{"removeUpstreamClusterWhenNamespaceIsDeleted":true}',
  ],
  [
    'storage-network',
    (s, id) =>
      HarvesterSetting.storageNetwork(s, id, {
        ...network(s),
        exclude: ['192.168.0.1/32'],
        exclusiveVlan: true,
      }),
    '{"vlan":100,"clusterNetwork":"mgmt","range":"192.168.0.0/24","exclude":["192.168.0.1/32"],"exclusiveVlan":true}',
  ],
  [
    'vm-migration-network',
    (s, id) =>
      HarvesterSetting.vmMigrationNetwork(s, id, {
        clusterNetwork: ClusterNetwork.fromName(s, 'migration', { name: 'migration' }),
        range: '192.168.0.0/24',
      }),
    '{"clusterNetwork":"migration","range":"192.168.0.0/24"}',
  ],
  [
    'rwx-network',
    (s, id) => HarvesterSetting.rwxNetwork(s, id, RwxNetwork.dedicated(network(s))),
    '{"share-storage-network":false,"network":{"vlan":100,"clusterNetwork":"mgmt","range":"192.168.0.0/24"}}',
  ],
  [
    'rwx-network',
    (s, id) => HarvesterSetting.rwxNetwork(s, id, RwxNetwork.shared()),
    '{"share-storage-network":true}',
  ],
  [
    'rwx-network',
    (s, id) => HarvesterSetting.rwxNetwork(s, id, RwxNetwork.none()),
    '{"share-storage-network":false}',
  ],
  [
    'vip-pools',
    (s, id) => HarvesterSetting.vipPools(s, id, { default: ['10.0.0.0/24', '10.0.1.0/24'] }),
    '{"default":"10.0.0.0/24,10.0.1.0/24"}',
  ],
  [
    'ntp-servers',
    (s, id) => HarvesterSetting.ntpServers(s, id, ['0.pool.ntp.org']),
    '{"ntpServers":["0.pool.ntp.org"]}',
  ],
  [
    'http-proxy',
    (s, id) =>
      HarvesterSetting.httpProxy(s, id, {
        httpProxy: 'http://p:3128',
        noProxy: ['10.0.0.0/8', 'r'],
      }),
    '{"httpProxy":"http://p:3128","httpsProxy":"","noProxy":"10.0.0.0/8,r"}',
  ],
  [
    'containerd-registry',
    (s, id) =>
      HarvesterSetting.containerdRegistry(s, id, {
        mirrors: {
          'quay.io': { endpoints: ['https://r'], rewrites: { '^a': 'b' } },
          'docker.io': { endpoints: ['https://r'] },
        },
        configs: {
          r: { auth: { username: 'u', password: secret }, tls: { insecureSkipTlsVerify: true } },
          s: { auth: { identityToken: secret } },
          t: { tls: { caFile: '/ca' } },
        },
      }),
    '{"Mirrors":{"docker.io":{"Endpoints":["https://r"],"Rewrites":null},"quay.io":{"Endpoints":["https://r"],"Rewrites":{"^a":"b"}}},' +
      '"Configs":{"r":{"Auth":{"Username":"u","Password":"canary","Auth":"","IdentityToken":""},"TLS":{"CAFile":"","CertFile":"","KeyFile":"","InsecureSkipVerify":true}},' +
      '"s":{"Auth":{"Username":"","Password":"","Auth":"","IdentityToken":"canary"}},"t":{"TLS":{"CAFile":"/ca","CertFile":"","KeyFile":"","InsecureSkipVerify":false}}},"Auths":null}',
  ],
  [
    'containerd-registry',
    (s, id) => HarvesterSetting.containerdRegistry(s, id, {}),
    '{"Mirrors":{},"Configs":{},"Auths":null}',
  ],
  [
    'ssl-certificates',
    (s, id) =>
      HarvesterSetting.sslCertificates(s, id, {
        publicCertificate: CERTIFICATE,
        privateKey: SecretValue.unsafePlainText(KEY),
      }),
    JSON.stringify({ ca: '', publicCertificate: CERTIFICATE, privateKey: KEY }),
  ],
  [
    'ssl-parameters',
    (s, id) =>
      HarvesterSetting.sslParameters(s, id, {
        protocols: [TlsVersion.TLS_1_2, TlsVersion.TLS_1_3],
        ciphers: ['a', 'b'],
      }),
    '{"protocols":"TLSv1.2 TLSv1.3","ciphers":"a:b"}',
  ],
  [
    'traefik-default-tls-options',
    (s, id) => HarvesterSetting.traefikDefaultTlsOptions(s, id, { minVersion: TlsVersion.TLS_1_2 }),
    '{"minVersion":"VersionTLS12"}',
    '1.9.0',
  ],
  [
    'backup-target',
    (s, id) => HarvesterSetting.backupTarget(s, id, BackupTarget.nfs('nfs://10.0.0.1:/x')),
    '{"type":"nfs","endpoint":"nfs://10.0.0.1:/x"}',
  ],
  [
    'backup-target',
    (s, id) =>
      HarvesterSetting.backupTarget(
        s,
        id,
        BackupTarget.s3({
          bucket: 'b',
          region: 'r',
          accessKey: SecretValue.unsafePlainText('id'),
          secretKey: secret,
          refreshInterval: Duration.minutes(5),
        }),
      ),
    '{"type":"s3","endpoint":"","accessKeyId":"id","secretAccessKey":"canary","bucketName":"b","bucketRegion":"r","cert":"","virtualHostedStyle":false,"refreshIntervalInSeconds":300}',
  ],
  [
    'csi-driver-config',
    (s, id) =>
      HarvesterSetting.csiDriverConfig(s, id, {
        'driver.longhorn.io': { volumeSnapshotClassName: 'a' },
      }),
    '{"driver.longhorn.io":{"volumeSnapshotClassName":"a","backupVolumeSnapshotClassName":""}}',
  ],
  [
    'csi-online-expand-validation',
    (s, id) => HarvesterSetting.csiOnlineExpandValidation(s, id, { 'driver.longhorn.io': true }),
    '{"driver.longhorn.io":true}',
  ],
  [
    'instance-manager-resources',
    (s, id) => HarvesterSetting.instanceManagerResources(s, id, { v1Percent: 12, v2Percent: 12.5 }),
    '{"cpu":{"v1":"12","v2":"12.5"}}',
  ],
  [
    'harvester-csi-ccm-versions',
    (s, id) =>
      HarvesterSetting.harvesterCsiCcmVersions(s, id, { 'harvester-csi-provider': '>=0.0.1' }),
    '{"harvester-csi-provider":">=0.0.1"}',
  ],
  [
    'default-storage-class',
    (s, id) =>
      HarvesterSetting.defaultStorageClass(
        s,
        id,
        HarvesterStorageClass.fromName(s, 'class', { name: 'ssd' }),
      ),
    'ssd',
  ],
  [
    'volume-snapshot-class',
    (s, id) => HarvesterSetting.volumeSnapshotClass(s, id, 'longhorn'),
    'longhorn',
  ],
  [
    'auto-disk-provision-paths',
    (s, id) => HarvesterSetting.autoDiskProvisionPaths(s, id, ['/dev/sd*', '/dev/hd*']),
    '/dev/sd*,/dev/hd*',
  ],
  [
    'longhorn-v2-data-engine-enabled',
    (s, id) => HarvesterSetting.longhornV2DataEngineEnabled(s, id, true),
    'true',
  ],
  [
    'longhorn-v2-data-engine-hugepage-enabled',
    (s, id) => HarvesterSetting.longhornV2DataEngineHugepageEnabled(s, id, false),
    'false',
    '1.9.0',
  ],
  [
    'longhorn-v2-data-engine-memory-size',
    (s, id) => HarvesterSetting.longhornV2DataEngineMemorySize(s, id, Size.gibibytes(2)),
    '2048',
    '1.9.0',
  ],
  [
    'overcommit-config',
    (s, id) =>
      HarvesterSetting.overcommitConfig(s, id, {
        storagePercent: 200,
        cpuPercent: 1600,
        memoryPercent: 150,
      }),
    '{"cpu":1600,"memory":150,"storage":200}',
  ],
  [
    'vm-force-reset-policy',
    (s, id) =>
      HarvesterSetting.vmForceResetPolicy(s, id, {
        period: Duration.seconds(15),
        vmMigrationTimeout: Duration.minutes(3),
      }),
    '{"enable":true,"period":15,"vmMigrationTimeout":180}',
  ],
  [
    'vm-force-reset-policy',
    (s, id) =>
      HarvesterSetting.vmForceResetPolicy(s, id, { enabled: false, period: Duration.minutes(5) }),
    '{"enable":false,"period":300}',
    '1.6.1',
  ],
  [
    'default-vm-termination-grace-period-seconds',
    (s, id) => HarvesterSetting.defaultVmTerminationGracePeriod(s, id, Duration.minutes(2)),
    '120',
  ],
  [
    'additional-guest-memory-overhead-ratio',
    (s, id) => HarvesterSetting.additionalGuestMemoryOverheadRatio(s, id, 1.5),
    '1.5',
  ],
  ['max-hotplug-ratio', (s, id) => HarvesterSetting.maxHotplugRatio(s, id, 4), '4'],
  [
    'kubevirt-migration',
    (s, id) =>
      HarvesterSetting.kubevirtMigration(s, id, {
        progressTimeout: Duration.seconds(150),
        allowAutoConverge: true,
        bandwidthPerMigration: Size.gibibytes(1),
        parallelMigrationsPerCluster: 5,
        completionTimeoutPerGib: Duration.seconds(150),
      }),
    '{"parallelMigrationsPerCluster":5,"allowAutoConverge":true,"bandwidthPerMigration":"1024Mi","completionTimeoutPerGiB":150,"progressTimeout":150}',
  ],
  [
    'auto-rotate-rke2-certs',
    (s, id) => HarvesterSetting.autoRotateRke2Certs(s, id, { expiringIn: Duration.days(10) }),
    '{"enable":true,"expiringInHours":240}',
  ],
  [
    'kubeconfig-default-token-ttl-minutes',
    (s, id) => HarvesterSetting.kubeconfigDefaultTokenTtl(s, id, Duration.hours(1)),
    '60',
  ],
  [
    'cluster-pod-security-standard',
    (s, id) =>
      HarvesterSetting.clusterPodSecurityStandard(s, id, { restrictedNamespaces: namespaces(s) }),
    '{"enabled":true,"whitelistedNamespacesList":"","privilegedNamespacesList":"","restrictedNamespacesList":"a,b"}',
  ],
  ['log-level', (s, id) => HarvesterSetting.logLevel(s, id, HarvesterLogLevel.DEBUG), 'debug'],
  [
    'support-bundle-image',
    (s, id) =>
      HarvesterSetting.supportBundleImage(s, id, {
        repository: 'a/b',
        tag: 'v1',
        imagePullPolicy: ImagePullPolicy.ALWAYS,
      }),
    '{"repository":"a/b","tag":"v1","imagePullPolicy":"Always"}',
  ],
  [
    'support-bundle-timeout',
    (s, id) => HarvesterSetting.supportBundleTimeout(s, id, Duration.hours(1)),
    '60',
  ],
  [
    'support-bundle-expiration',
    (s, id) => HarvesterSetting.supportBundleExpiration(s, id, Duration.minutes(0)),
    '0',
  ],
  [
    'support-bundle-node-collection-timeout',
    (s, id) => HarvesterSetting.supportBundleNodeCollectionTimeout(s, id, Duration.minutes(30)),
    '30',
  ],
  [
    'support-bundle-file-name',
    (s, id) => HarvesterSetting.supportBundleFileName(s, id, 'dc1'),
    'dc1',
  ],
  [
    'support-bundle-namespaces',
    (s, id) => HarvesterSetting.supportBundleNamespaces(s, id, namespaces(s)),
    'a,b',
  ],
  [
    'upgrade-config',
    (s, id) =>
      HarvesterSetting.upgradeConfig(s, id, {
        imagePreload: ImagePreload.parallel({ concurrency: 2 }),
        nodeUpgrade: NodeUpgrade.manual({
          nodes: [HarvesterNode.fromName(s, 'node', { name: 'n1' })],
        }),
        restoreVm: true,
        logReadyTimeout: Duration.minutes(5),
      }),
    '{"imagePreloadOption":{"strategy":{"type":"parallel","concurrency":2}},"nodeUpgradeOption":{"strategy":{"mode":"manual","pauseNodes":["n1"]}},"restoreVM":true,"logReadyTimeout":"5"}',
  ],
  [
    'upgrade-config',
    (s, id) =>
      HarvesterSetting.upgradeConfig(s, id, {
        imagePreload: ImagePreload.parallel(),
        nodeUpgrade: NodeUpgrade.manual(),
      }),
    '{"imagePreloadOption":{"strategy":{"type":"parallel","concurrency":0}},"nodeUpgradeOption":{"strategy":{"mode":"manual"}},"restoreVM":false}',
  ],
  [
    'upgrade-config',
    (s, id) => HarvesterSetting.upgradeConfig(s, id, {}),
    '{"imagePreloadOption":{"strategy":{"type":"sequential"}},"restoreVM":false}',
    '1.4.0',
  ],
  [
    'upgrade-config',
    (s, id) =>
      HarvesterSetting.upgradeConfig(s, id, {
        imagePreload: ImagePreload.skip(),
        nodeUpgrade: NodeUpgrade.auto(),
      }),
    '{"imagePreloadOption":{"strategy":{"type":"skip"}},"nodeUpgradeOption":{"strategy":{"mode":"auto"}},"restoreVM":false}',
  ],
  [
    'release-download-url',
    (s, id) => HarvesterSetting.releaseDownloadUrl(s, id, 'https://m'),
    'https://m',
  ],
  [
    'upgrade-checker-enabled',
    (s, id) => HarvesterSetting.upgradeCheckerEnabled(s, id, false),
    'false',
  ],
  [
    'upgrade-checker-url',
    (s, id) => HarvesterSetting.upgradeCheckerUrl(s, id, 'https://m'),
    'https://m',
  ],
  ['ui-source', (s, id) => HarvesterSetting.uiSource(s, id, UiSource.BUNDLED), 'bundled'],
  ['ui-index', (s, id) => HarvesterSetting.uiIndex(s, id, 'https://m'), 'https://m'],
  ['ui-path', (s, id) => HarvesterSetting.uiPath(s, id, '/ui'), '/ui'],
  ['ui-plugin-index', (s, id) => HarvesterSetting.uiPluginIndex(s, id, 'https://m'), 'https://m'],
];

test.each(WRITES.map(([name, make, value, version = '1.9.0']) => ({ name, make, value, version })))(
  '$name',
  ({ name, make, value, version }) => {
    expect(valueOf(make, version)).toBe(value);
    expect(make(newHarvester(newApp(), version), 'Setting').name).toBe(name);
  },
);

test.each<[string, (scope: Construct, other: HarvesterChart) => HarvesterSetting, string]>([
  [
    'a cluster network',
    (s, other) => HarvesterSetting.storageNetwork(s, 'a', network(other)),
    'clusterNetwork',
  ],
  [
    'a cluster network of the network for shared volumes',
    (s, other) => HarvesterSetting.rwxNetwork(s, 'a', RwxNetwork.dedicated(network(other))),
    'clusterNetwork',
  ],
  [
    'a storage class',
    (s, other) =>
      HarvesterSetting.defaultStorageClass(
        s,
        'a',
        HarvesterStorageClass.fromName(other, 'class', { name: 'ssd' }),
      ),
    'storageClass',
  ],
  [
    'a namespace',
    (s, other) =>
      HarvesterSetting.supportBundleNamespaces(s, 'a', [...namespaces(s), ...namespaces(other)]),
    'namespaces[2]',
  ],
  [
    'a namespace with a standard',
    (s, other) =>
      HarvesterSetting.clusterPodSecurityStandard(s, 'a', {
        privilegedNamespaces: namespaces(other),
      }),
    'privilegedNamespaces[0]',
  ],
  [
    'a node',
    (s, other) =>
      HarvesterSetting.upgradeConfig(s, 'a', {
        nodeUpgrade: NodeUpgrade.manual({
          nodes: [HarvesterNode.fromName(other, 'node', { name: 'n1' })],
        }),
      }),
    'nodeUpgrade.nodes[0]',
  ],
])('refuses %s of another Harvester', (_, make, prop) => {
  const app = newApp();
  const [dc1, dc2] = [newHarvester(app, '1.8.2'), newHarvester(app, '1.8.2', 'dc2')];
  expect(messageOf(() => make(dc1, dc2))).toContain(
    `[dc1/a] ${prop}: must be on the same Harvester, dc1, got "`,
  );
});

test('adds labels and annotations of the program to what a factory returns', () => {
  const dc1 = newHarvester(newApp());
  const { metadata } = HarvesterSetting.ntpServers(dc1, 'ntp', ['0.pool.ntp.org']);
  metadata.addLabel('team', 'ops');
  metadata.addAnnotation('note', 'x');
  expect(dc1.toJson()[0].metadata).toEqual({
    name: 'ntp-servers',
    labels: { team: 'ops' },
    annotations: { note: 'x' },
  });
});

test('adds labels and annotations of the program', () => {
  const dc1 = newHarvester(newApp());
  const setting = new HarvesterSetting(dc1, 'log', {
    name: 'log-level',
    value: 'info',
    labels: { team: 'ops' },
    annotations: { note: 'x' },
  });
  expect(setting).toMatchObject({ name: 'log-level', value: 'info', harvester: dc1 });
  expect(dc1.toJson()[0].metadata).toEqual({
    name: 'log-level',
    labels: { team: 'ops' },
    annotations: { note: 'x' },
  });
});

test('has a method for every setting that a program may set', () => {
  const without = [...HARVESTER_SETTINGS.keys()].filter(
    (name) => !WRITES.some(([written]) => written === name),
  );
  expect(without).toEqual([
    'additional-ca',
    'api-ui-version',
    'server-version',
    'upgradable-versions',
  ]);
});

test('writes the name and the value and nothing else', () => {
  const chart = newHarvester(newApp());
  const setting = HarvesterSetting.logLevel(chart, 'log', HarvesterLogLevel.INFO);
  expect(chart.toJson()).toEqual([
    {
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'Setting',
      metadata: { name: 'log-level' },
      value: 'info',
    },
  ]);
  const { deletion, writtenByOthers } = kindOf<KindDescription>(ApiObject.of(setting))!;
  expect(deletion).toMatchObject({ policy: 'reset' });
  expect(writtenByOthers).toContain('default');
});

test('describes the effect of a reset of the registration', () => {
  const of = (setting: HarvesterSetting) => {
    const { deletion, deletions } = kindOf<KindDescription>(ApiObject.of(setting))!;
    const name = notesOf(ApiObject.of(setting)).deletion;
    return (name === undefined ? deletion : deletions![name])?.reason;
  };
  expect(
    of(HarvesterSetting.clusterRegistrationUrl(newHarvester(newApp()), 's', { url: URL })),
  ).toContain("Harvester then removes Rancher's agent and is disconnected from Rancher");
  expect(
    of(HarvesterSetting.logLevel(newHarvester(newApp()), 's', HarvesterLogLevel.DEBUG)),
  ).not.toContain('agent');
});

test('marks the value that controllers rewrite', () => {
  const others = (make: Make) =>
    notesOf(make(newHarvester(newApp()), 's').node.findChild('Resource') as ApiObject)
      .othersWrite ?? [];
  expect(others((s, id) => HarvesterSetting.containerdRegistry(s, id, {}))).toContain('value');
  expect(others((s, id) => HarvesterSetting.ntpServers(s, id, []))).not.toContain('value');
});

test('writes the registration URL as JSON where Harvester reads that', () => {
  const make: Make = (s, id) =>
    HarvesterSetting.clusterRegistrationUrl(s, id, { url: '${late:rancher.url}' });
  expect(valueOf(make, '1.7.2')).toBe(
    '{"url":"${late:rancher.url}","insecureSkipTLSVerify":false}',
  );
  expect(valueOf(make, '1.7.1')).toBe('${late:rancher.url}');
});

test('resets a setting whose controller fails on an empty value to its default', () => {
  expect(valueOf((s, id) => HarvesterSetting.reset(s, id, 'vip-pools'))).toBe('{}');
  expect(valueOf((s, id) => HarvesterSetting.reset(s, id, 'auto-rotate-rke2-certs'))).toBe(
    '{"enable":false,"expiringInHours":240}',
  );
});
test('resets other settings to the empty value', () =>
  expect(valueOf((s, id) => HarvesterSetting.reset(s, id, 'storage-network'))).toBe(''));

test('writes settings that this library does not know', () => {
  expect(valueOf((s, id) => new HarvesterSetting(s, id, { name: 'a-new-one', value: 'x' }))).toBe(
    'x',
  );
});

describe('a problem', () => {
  test('refuses a bad value with all its problems at once', () => {
    expect(
      refusal((s, id) =>
        HarvesterSetting.overcommitConfig(s, id, {
          cpuPercent: 50,
          memoryPercent: 100,
          storagePercent: 99,
        }),
      ).split('\n'),
    ).toEqual([
      expect.stringMatching(
        /^\[dc1\/Setting\] value\.cpu: must be 100 percent or more, got 50: .*\(the server: "Cannot undercommit\. .* got 50"\)\. Fix: give all three/,
      ),
      expect.stringMatching(
        /^\[dc1\/Setting\] value\.storage: must be 100 percent or more, got 99/,
      ),
    ]);
  });

  test('leaves warnings to the rules', () => {
    expect(
      valueOf((s, id) =>
        HarvesterSetting.clusterRegistrationUrl(s, id, { url: URL, insecureSkipTlsVerify: true }),
      ),
    ).toContain('true');
  });

  test('refuses a setting that the version lacks', () => {
    expect(refusal((s, id) => HarvesterSetting.rwxNetwork(s, id, RwxNetwork.none()))).toBe(
      '[dc1/Setting] name: Harvester 1.7.2 has no setting rwx-network, got "rwx-network": it would accept and ignore it. Fix: upgrade Harvester to 1.8.0 or later, or remove it',
    );
    expect(refusal((s, id) => HarvesterSetting.reset(s, id, 'rwx-network'))).toContain('1.8.0');
  });

  test('refuses a property that the version lacks', () => {
    expect(
      refusal(
        (s, id) =>
          HarvesterSetting.upgradeConfig(s, id, {
            nodeUpgrade: NodeUpgrade.auto(),
            logReadyTimeout: Duration.minutes(5),
          }),
        '1.6.1',
      ).split('\n'),
    ).toEqual([
      '[dc1/Setting] nodeUpgrade: needs Harvester 1.7.0 or later: 1.6.1 ignores it. Fix: remove it, or upgrade Harvester',
      '[dc1/Setting] logReadyTimeout: needs Harvester 1.7.0 or later: 1.6.1 ignores it. Fix: remove it, or upgrade Harvester',
    ]);
    expect(
      refusal(
        (s, id) =>
          HarvesterSetting.vmForceResetPolicy(s, id, {
            period: Duration.seconds(1),
            vmMigrationTimeout: Duration.seconds(1),
          }),
        '1.6.1',
      ),
    ).toContain('vmMigrationTimeout');
  });

  test('refuses a setting that Harvester writes itself, and an empty name', () => {
    expect(
      refusal((s, id) => new HarvesterSetting(s, id, { name: 'server-version', value: 'v2' })),
    ).toContain('Harvester writes it at every start');
    expect(refusal((s, id) => new HarvesterSetting(s, id, { name: '', value: 'v2' }))).toContain(
      'name: must be a valid object name, got ""',
    );
  });

  test('refuses a chart that is not of a Harvester', () => {
    const chart = new Chart(new App(), 'plain');
    expect(() => HarvesterSetting.ntpServers(chart, 's', [])).toThrow(
      '[plain/s] HarvesterSetting must be in a harvester target',
    );
  });

  test('never shows a secret', () => {
    const make: Make = (s, id) =>
      HarvesterSetting.sslCertificates(s, id, { publicCertificate: 'x', privateKey: secret });
    expect(refusal(make)).toContain('value.privateKey');
    expect(refusal(make)).not.toContain('canary');
    expect(
      refusal((s, id) =>
        HarvesterSetting.backupTarget(
          s,
          id,
          BackupTarget.s3({ bucket: '', region: 'r', accessKey: secret, secretKey: secret }),
        ),
      ),
    ).not.toContain('canary');
    expect(
      JSON.stringify(
        BackupTarget.s3({ bucket: '', region: 'r', accessKey: secret, secretKey: secret }),
      ),
    ).not.toContain('canary');
  });
});

test('names the construct of a duration that is not whole', () => {
  expect(() =>
    HarvesterSetting.supportBundleTimeout(
      newHarvester(newApp(), '1.8.0'),
      'timeout',
      Duration.seconds(90),
    ),
  ).toThrow(/^\[dc1\/timeout\] support-bundle-timeout: /);
});
