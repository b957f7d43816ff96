import { readFileSync, readdirSync } from 'fs';
import { join } from 'path';
import { check, outcome } from './_checking';
import { HARVESTER_SETTINGS } from '../../../../src/harvester/settings/harvester-settings.data';

const LATE = '${late:dc1.value}';

/** Values that the server accepts and carries out. */
const FINE: { readonly [name: string]: readonly string[] } = {
  'additional-guest-memory-overhead-ratio': ['0', '0.0', '1', '1.5', '10', '1e1', '0x1p1'],
  'auto-rotate-rke2-certs': [
    '{"enable":true,"expiringInHours":1}',
    '{"Enable":false,"expiringinhours":8759}',
  ],
  'backup-target': [
    '{"type":"nfs","endpoint":"nfs://10.0.0.1:/export"}',
    '{"type":"s3","endpoint":"","accessKeyId":"a","secretAccessKey":"b","bucketName":"c","bucketRegion":"d","cert":"","virtualHostedStyle":false}',
    '{"type":"s3","endpoint":"https://s3.example.com","accessKeyId":"a","secretAccessKey":"b","bucketName":"c","bucketRegion":"d","refreshIntervalInSeconds":60}',
    '{}',
    '{"type":"","endpoint":""}',
    'null',
  ],
  'cluster-pod-security-standard': [
    '{"enabled":true,"whitelistedNamespacesList":"a,b","privilegedNamespacesList":"","restrictedNamespacesList":"c"}',
  ],
  'containerd-registry': [
    '{"Mirrors":{"docker.io":{"Endpoints":["https://r:5000"],"Rewrites":{"^a/(.*)":"b/$1"}}},"Configs":{"r:5000":{"Auth":{"Username":"u","Password":"p"},"TLS":{"InsecureSkipVerify":false}}},"Auths":null}',
    '{"mirrors":{"docker.io":{"endpoints":["http://r"],"rewrites":null}},"configs":{"r":{"auth":null,"tls":{"insecureskipverify":true}}}}',
  ],
  'csi-driver-config': [
    '{"driver.longhorn.io":{"volumeSnapshotClassName":"a","backupVolumeSnapshotClassName":"b"}}',
  ],
  'csi-online-expand-validation': ['{"driver.longhorn.io":true}'],
  'default-storage-class': ['longhorn', 'harvester-longhorn'],
  'default-vm-termination-grace-period-seconds': ['0', '120'],
  'harvester-csi-ccm-versions': ['{"harvester-cloud-provider":">=0.0.1 <0.3.0"}'],
  'http-proxy': [
    '{}',
    '{"httpProxy":"http://p:3128","httpsProxy":"http://p:3128","noProxy":"10.0.0.0/8,rancher.example.com"}',
    '{"noProxy":"a"}',
  ],
  'instance-manager-resources': [
    '{"cpu":{"v1":"12","v2":"12.5"}}',
    '{"cpu":{}}',
    '{"cpu":null}',
    '{"cpu":{"v1":"0","v2":"40"}}',
  ],
  'kubeconfig-default-token-ttl-minutes': ['0', '52560000'],
  'kubevirt-migration': [
    '{}',
    '{"parallelMigrationsPerCluster":5,"bandwidthPerMigration":"40Gi","allowPostCopy":false,"network":""}',
    '{"bandwidthPerMigration":0}',
  ],
  'log-level': ['info', 'WARN', 'warning', 'panic'],
  'longhorn-v2-data-engine-enabled': ['true', 'false'],
  'max-hotplug-ratio': ['1', '20', '007'],
  'ntp-servers': [
    '{"ntpServers":["0.pool.ntp.org","10.0.0.1","fd00::1","a_b."]}',
    '{"ntpServers":[]}',
    '{"NTPSERVERS":["a"]}',
  ],
  'overcommit-config': [
    '{"cpu":100,"memory":100,"storage":100}',
    '{"CPU":1600,"Memory":150,"Storage":200}',
    ' {"cpu":1600,"memory":150,"storage":200} \n',
  ],
  'rancher-cluster': ['{}', '{"removeUpstreamClusterWhenNamespaceIsDeleted":true}'],
  'release-download-url': ['https://mirror.example.com/harvester'],
  'ssl-parameters': [
    '{"protocols":"  TLSv1.2   TLSv1.3 ","ciphers":"a:b"}',
    '{}',
    '{"ciphers":"whatever"}',
  ],
  'support-bundle-expiration': ['0', '10'],
  'support-bundle-file-name': ['my-cluster-01', 'a'],
  'support-bundle-image': [
    '{"repository":"a/b","tag":"v1","imagePullPolicy":"Always"}',
    '{"repository":"a/b","tag":12.5,"imagePullPolicy":"Never"}',
  ],
  'support-bundle-namespaces': ['default,payments'],
  'support-bundle-node-collection-timeout': ['0', '10'],
  'support-bundle-timeout': ['0', '10'],
  'ui-source': ['auto', 'external', 'bundled'],
  'ui-path': ['/usr/share/harvester'],
  'ui-index': ['https://ui.example.com/index.html'],
  'ui-plugin-index': ['https://ui.example.com/harvester.umd.min.js'],
  'upgrade-checker-enabled': ['true', 'false'],
  'upgrade-checker-url': ['https://responder.example.com/v1/checkupgrade'],
  'upgrade-config': [
    '{"imagePreloadOption":{"strategy":{"type":"skip"}}}',
    '{"imagePreloadOption":{"strategy":{"type":"parallel","concurrency":0}},"restoreVM":true,"logReadyTimeout":"20"}',
    '{"imagePreloadOption":{"strategy":{"type":"sequential"}},"nodeUpgradeOption":{"strategy":{"mode":"manual","pauseNodes":["a","b"]}},"logReadyTimeout":""}',
    // without a mode the server does not look at the nodes
    '{"imagePreloadOption":{"strategy":{"type":"sequential"}},"nodeUpgradeOption":{"strategy":{"pauseNodes":["a","a"]}}}',
  ],
  'vip-pools': [
    '{"default":"172.16.0.0/24,172.16.1.0/24","demo":"10.0.2.5-10.0.2.9,10.0.3.1-10.0.3.1"}',
    '{}',
    'null',
  ],
  'vm-force-reset-policy': [
    '{"enable":true,"period":15,"vmMigrationTimeout":180}',
    '{"enable":false,"period":1}',
  ],
  'volume-snapshot-class': ['longhorn'],
};

/** Values that the server refuses, with its words, and those that it accepts and mishandles. */
const WRONG: readonly (readonly [name: string, value: string, ...outcome: string[]])[] = [
  [
    'additional-guest-memory-overhead-ratio',
    '20',
    "error value: value 20 can't be greater than 10",
  ],
  ['additional-guest-memory-overhead-ratio', '0.9', "error value: value 0.9 can't be less than 1"],
  [
    'additional-guest-memory-overhead-ratio',
    '-1.0',
    "error value: value -1.0 can't be less than 1",
  ],
  ['additional-guest-memory-overhead-ratio', 'x', 'error value'],
  ['additional-guest-memory-overhead-ratio', 'NaN', 'warning value'],
  ['auto-disk-provision-paths', '/dev/sd*', 'warning value'],
  [
    'auto-rotate-rke2-certs',
    '{"enable":false}',
    "error value.expiringInHours: expiringInHours can't be negative or zero",
  ],
  [
    'auto-rotate-rke2-certs',
    '{"expiringInHours":8760}',
    "error value.expiringInHours: expiringInHours can't be large than 8759",
  ],
  ['cluster-pod-security-standard', '{"enabled":"true"}', 'warning value.enabled'],
  [
    'cluster-pod-security-standard',
    '{"enabled":true,"whitelistedNamespacesList":"a, b"}',
    'warning value.whitelistedNamespacesList',
  ],
  ['csi-driver-config', '[]', 'warning value'],
  [
    'csi-online-expand-validation',
    '{"driver.longhorn.io":"true"}',
    'warning value.driver.longhorn.io',
  ],
  ['default-storage-class', 'Long Horn', 'warning value'],
  ['default-vm-termination-grace-period-seconds', '-1', "error value: can't be negative"],
  [
    'instance-manager-resources',
    '{"cpu":{"v1":"12"}}',
    'error value.cpu.v2: failed to parse value: cpu.v2 is required',
  ],
  [
    'instance-manager-resources',
    '{"cpu":{"v1":12,"v2":"x"}}',
    'error value.cpu.v1',
    'error value.cpu.v2',
  ],
  [
    'instance-manager-resources',
    '{"CPU":{}}',
    'error value.cpu: failed to parse value: cpu is required',
  ],
  [
    'instance-manager-resources',
    '{"cpu":{"v1":"41","v2":"-1"}}',
    'error value.cpu.v1: failed to validate value cpu.v1: value 41 for data engine v1 should be less than or equal to 40',
    'error value.cpu.v2: failed to validate value cpu.v2: value -1 for data engine v1 should be larger than or equal to 0',
  ],
  [
    'kubeconfig-default-token-ttl-minutes',
    '-1',
    "error value: kubeconfig-default-token-ttl-minutes can't be negative",
  ],
  [
    'kubeconfig-default-token-ttl-minutes',
    '52560001',
    'error value: kubeconfig-default-token-ttl-minutes exceeds 100 years',
  ],
  [
    'kubevirt-migration',
    '{"nodeDrainTaintKey":"a","network":"b"}',
    'error value.nodeDrainTaintKey: nodeDrainTaintKey field cannot be configured',
    'error value.network: network field is configured by vm-migration-network setting',
  ],
  [
    'kubevirt-migration',
    '{"parallelMigrationsPerCluster":-1}',
    'error value.parallelMigrationsPerCluster',
  ],
  ['log-level', 'verbose', 'warning value'],
  ['longhorn-v2-data-engine-enabled', 'yes', 'warning value'],
  ['max-hotplug-ratio', '21', 'error value: value: 21 must be in range [1 .. 20]'],
  ['max-hotplug-ratio', '3.5', 'error value'],
  [
    'ntp-servers',
    '{"ntpServers":["0.pool.ntp.org","0.pool.ntp.org"]}',
    'error value.ntpServers[1]: duplicate NTP server: [0.pool.ntp.org]',
  ],
  [
    'ntp-servers',
    '{"ntpServers":["http://0.pool"]}',
    'error value.ntpServers[0]: ntp server http://0.pool should not start with http:// or https://',
  ],
  [
    'ntp-servers',
    '{"ntpServers":["$.pool"]}',
    'error value.ntpServers[0]: invalid NTP server: $.pool',
  ],
  ['ntp-servers', '{}', "error value.ntpServers: NTP servers can't be nil"],
  ['ntp-servers', 'foobar', 'error value'],
  ['ntp-servers', '{"ntpServers":[""]}', 'warning value.ntpServers[0]'],
  [
    'overcommit-config',
    '{"cpu":50,"memory":100}',
    'error value.cpu: Cannot undercommit. Should be greater than or equal to 100 but got 50',
    'error value.storage: Cannot undercommit. Should be greater than or equal to 100 but got 0',
  ],
  ['overcommit-config', '{"cpu":100', 'error value'],
  ['overcommit-config', '{"cpu":"100","memory":100,"storage":100}', 'error value.cpu'],
  ['overcommit-config', '{"cpu":100,"memory":100,"storage":100,"gpu":1}', 'warning value.gpu'],
  ['release-download-url', 'mirror', 'warning value'],
  ['ui-plugin-index', 'harvester.umd.min.js', 'warning value'],
  ['upgrade-checker-url', 'responder', 'warning value'],
  [
    'ssl-parameters',
    '{"protocols":"TLSv9 TLSv1.2"}',
    'error value.protocols: unsupported SSL protocol: TLSv9',
  ],
  [
    'ssl-parameters',
    '{"protocols":"TLSv1.2,TLSv1.3"}',
    'error value.protocols: unsupported SSL protocol: TLSv1.2,TLSv1.3',
  ],
  ['support-bundle-expiration', '-1', "error value: expiration can't be negative"],
  [
    'support-bundle-file-name',
    'Invalid_',
    expect.stringMatching(
      /^error value: invalid file name: a lowercase RFC 1123 label must consist/,
    ),
  ],
  [
    'support-bundle-file-name',
    'a'.repeat(64),
    'error value: invalid file name: must be no more than 63 bytes',
  ],
  [
    'support-bundle-image',
    '{"repository":"","tag":"","imagePullPolicy":""}',
    "error value.repository: image field can't be blank",
    "error value.tag: image field can't be blank",
    "error value.imagePullPolicy: image field can't be blank",
  ],
  // the server compares a missing tag with "" and finds it different
  [
    'support-bundle-image',
    '{"repository":"a","imagePullPolicy":"Sometimes"}',
    'warning value.tag',
    'warning value.imagePullPolicy',
  ],
  ['support-bundle-namespaces', 'a, b', 'warning value'],
  [
    'support-bundle-node-collection-timeout',
    '-1',
    "error value: node collection timeout can't be negative",
  ],
  ['support-bundle-timeout', 'ten', 'error value'],
  ['support-bundle-timeout', '-1', "error value: timeout can't be negative"],
  ['support-bundle-timeout', '007', 'error value'],
  ['support-bundle-timeout', '+5', 'error value'],
  ['ui-source', 'remote', 'warning value'],
  ['ui-path', 'share', 'warning value'],
  [
    'upgrade-config',
    '{}',
    'error value.imagePreloadOption.strategy.type: invalid image preload strategy type: ',
  ],
  [
    'upgrade-config',
    '{"imagePreloadOption":{"strategy":{"type":"fast","concurrency":-1}}}',
    'error value.imagePreloadOption.strategy.type: invalid image preload strategy type: fast',
    'error value.imagePreloadOption.strategy.concurrency: invalid image preload concurrency: -1',
  ],
  [
    'upgrade-config',
    '{"imagePreloadOption":{"strategy":{"type":"skip"}},"logReadyTimeout":"21"}',
    expect.stringMatching(/^error value.logReadyTimeout: invalid logReadyTimeout must be/),
  ],
  [
    'upgrade-config',
    '{"imagePreloadOption":{"strategy":{"type":"skip"}},"logReadyTimeout":"x"}',
    'error value.logReadyTimeout: invalid value for image preload timeout: x',
  ],
  [
    'upgrade-config',
    '{"imagePreloadOption":{"strategy":{"type":"skip"}},"nodeUpgradeOption":{"strategy":{"mode":"auto","pauseNodes":["a","a"]}}}',
    'error value.nodeUpgradeOption.strategy.pauseNodes: duplicate pause node names: [a]',
  ],
  [
    'upgrade-config',
    '{"imagePreloadOption":{"strategy":{"type":"skip"}},"nodeUpgradeOption":{"strategy":{"mode":"slow"}}}',
    'error value.nodeUpgradeOption.strategy.mode: invalid node upgrade strategy mode: slow',
  ],
  [
    'vip-pools',
    '{"a":"10.0.0.0/24,10.0.1.1-10.0.1.9"}',
    'error value.a: invalid Pool value 10.0.0.0/24,10.0.1.1-10.0.1.9 of a, error: IP Range and CIDR cannot be used together',
  ],
  [
    'vip-pools',
    '{"a":""}',
    'error value.a: invalid CIDR value  of a, error: invalid CIDR address: ',
  ],
  ['vip-pools', '{"a":"10.0.0.1-"}', 'error value.a: invalid IP Range value 10.0.0.1- of a'],
  ['vip-pools', '{"a":"10.0.0.1-x"}', 'error value.a: invalid IP value 10.0.0.1-x of a'],
  ['vip-pools', '{"a":"10.0.0.9-10.0.0.1"}', 'warning value.a'],
  ['vip-pools', '{"a":"10.0.0.0/24","b":"10.0.0.5-10.0.0.9"}', 'warning value.b'],
  ['vip-pools', '{"a":"fd00::1-fd00::2"}', 'error value.a: invalid IP value fd00::1-fd00::2 of a'],
  // the docs of Harvester have this as an example
  ['vm-force-reset-policy', '{"enable":"true","period":15}', 'error value.enable'],
  [
    'vm-force-reset-policy',
    '{"period":-1}',
    'error value.period: period value should be greater than 0, value: -1',
  ],
  [
    'vm-force-reset-policy',
    '{"enable":false}',
    'error value.period: period value should be greater than 0, value: 0',
  ],
  [
    'vm-force-reset-policy',
    '{"period":1,"vmMigrationTimeout":-1}',
    'error value.vmMigrationTimeout: vmMigrationTimeout value should be greater than 0, value: -1',
  ],
  [
    'volume-snapshot-class',
    'a b',
    'error value: volumesnapshotclasses.snapshot.storage.k8s.io "a b" not found',
  ],
];

test.each(Object.entries(FINE).flatMap(([name, values]) => values.map((value) => [name, value])))(
  'accepts for %s: %s',
  (name, value) => {
    expect(outcome(name, value)).toEqual([]);
  },
);

test.each(WRONG.map(([name, value, ...expected]) => ({ name, value, expected })))(
  'refuses for $name: $value',
  ({ name, value, expected }) => {
    expect(outcome(name, value)).toEqual(expected);
  },
);

test.each([...HARVESTER_SETTINGS.keys()])(
  'allows the empty value of %s, and judges no late one',
  (name) => {
    const failing = name === 'vip-pools' || name === 'auto-rotate-rke2-certs';
    expect([...check(name, ''), ...check(name, LATE)]).toMatchObject(
      failing ? [{ level: 'warning', says: 'unexpected end of JSON input' }] : [],
    );
  },
);

test.each(
  [...HARVESTER_SETTINGS].filter(([, { level, check: rule }]) => level === 'warning' && rule),
)('reports no error of %s, which the server accepts with any value', (name) => {
  for (const value of ['x', '{', '[]', '{"a":1}', '-1', ' ', '"', 'null', '{"a":{"b":[1]}}']) {
    expect(check(name, value).filter(({ level }) => level !== 'warning')).toEqual([]);
  }
});

test.each([...HARVESTER_SETTINGS].filter(([, { secret }]) => secret))(
  'never shows a value of %s',
  (name) => {
    for (const value of [
      'canary',
      '"canary"',
      '{"canary',
      '["canary"]',
      '{"url":"canary"}',
      '{"url":1,"canary":2}',
      '{"type":"canary","endpoint":"canary","cert":"canary","secretAccessKey":"canary"}',
      '{"type":"s3","endpoint":"canary","cert":"canary"}',
      '{"privateKey":"canary","ca":"canary","publicCertificate":"canary"}',
      '{"httpProxy":"canary","noProxy":"can ary"}',
      '{"Mirrors":{"r":{"Endpoints":["canary"]}},"Configs":{"r":{"Auth":{"Username":"canary","Password":["canary"]}}}}',
      'https://canary/v3/import/canary',
      'http://canary{token}',
    ]) {
      const shown = check(name, value, '1.7.2').map((problem) => ({
        ...problem,
        path: problem.path.replace(/^value\.canary$/, ''),
      }));
      expect(JSON.stringify(shown.filter(({ path }) => path !== 'value.type'))).not.toContain(
        'canary',
      );
    }
  },
);

test('warns of a value that a version does not check', () => {
  expect(outcome('support-bundle-timeout', '007', '1.3.1')).toEqual(['warning value']);
  expect(outcome('vm-force-reset-policy', '{"period":1,"vmMigrationTimeout":-1}', '1.6.1')).toEqual(
    ['warning value.vmMigrationTimeout'],
  );
  expect(
    outcome(
      'upgrade-config',
      '{"imagePreloadOption":{"strategy":{"type":"skip"}},"logReadyTimeout":"99"}',
      '1.6.1',
    ),
  ).toEqual(['warning value.logReadyTimeout']);
  expect(outcome('vip-pools', '{"a":"fd00::1-fd00::2"}', '1.9.0')).toEqual(['warning value.a']);
});

test('judges settings of a version that is not yet released', () => {
  expect(outcome('longhorn-v2-data-engine-memory-size', '2048', '1.9.0')).toEqual([]);
  expect(outcome('longhorn-v2-data-engine-memory-size', '0', '1.9.0')).toEqual([
    'error value: longhorn-v2-data-engine-memory-size must be greater than zero',
  ]);
  expect(outcome('longhorn-v2-data-engine-memory-size', '3', '1.9.0')).toEqual([
    'error value: longhorn-v2-data-engine-memory-size must be evenly divisible by two',
  ]);
  expect(outcome('longhorn-v2-data-engine-hugepage-enabled', 'no', '1.9.0')).toEqual([
    'warning value',
  ]);
  expect(outcome('traefik-default-tls-options', '{"minVersion":"VersionTLS12"}', '1.9.0')).toEqual(
    [],
  );
  expect(
    outcome('traefik-default-tls-options', '{"minVersion":"TLS12","sniStrict":"no"}', '1.9.0'),
  ).toEqual(['error value.sniStrict']);
  expect(outcome('traefik-default-tls-options', '{"minVersion":"TLS12"}', '1.9.0')).toEqual([
    'warning value.minVersion',
  ]);
});

test('knows values of each setting with a check, here or in the tests next to this one', () => {
  const texts = readdirSync(__dirname)
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(__dirname, file), 'utf8'))
    .join('\n');
  const judged = [...HARVESTER_SETTINGS]
    .filter(([, { check: rule }]) => rule)
    .map(([name]) => name);
  expect(judged.filter((name) => !texts.includes(`'${name}'`))).toEqual([]);
});
