import { Manifest } from '../../../src/core/manifest/manifest';
import { ALL_RULES } from '../../../src/registry/all-rules';
import { JUNK, replaced } from '../../support/any-json';
import { someOf } from '../../support/cases';
import { cloudConfig, credential, guest, kubeconfig, machineConfig } from '../../support/guest';
import { brief, judgeOn } from '../../support/judging';

const FAMILIES = /^(cluster|credential|guest|guest-secret|helm-chart|machine-config)\//;
const RULES = ALL_RULES.filter(({ id }) => FAMILIES.test(id));

const chart = {
  apiVersion: 'helm.cattle.io/v1',
  kind: 'HelmChart',
  metadata: { name: 'harvester-cloud-provider', namespace: 'kube-system' },
};
const spec = {
  chart: 'harvester-cloud-provider',
  version: '0.2.12',
  valuesContent: 'a: {b: 1}\n',
  set: { 'a.c': 1 },
  values: { cloudConfig: { secretName: 'x' } },
};
// JSON in text, YAML in text and base64: every place of it, too
const INNER: ReadonlyArray<readonly [string, unknown, (text: string) => Manifest[]]> = [
  [
    'diskInfo',
    {
      disks: [
        {
          imageName: 'a/b',
          size: 40,
          bootOrder: 1,
          bus: 'virtio',
          type: 'disk',
          hotPlugAble: true,
        },
      ],
    },
    (text) => [machineConfig({ diskInfo: text })],
  ],
  [
    'networkInfo',
    {
      interfaces: [
        { networkName: 'a/b', macAddress: '52:54:00:00:00:01', model: 'virtio', type: 'bridge' },
      ],
    },
    (text) => [machineConfig({ networkInfo: text })],
  ],
  [
    'vgpuInfo',
    { vGPURequests: [{ name: '', deviceName: 'a/b' }] },
    (text) => [machineConfig({ vgpuInfo: text })],
  ],
  [
    'vmAffinity',
    {
      nodeAffinity: {},
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1, podAffinityTerm: { topologyKey: 'a' } },
        ],
        requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'a' }],
      },
    },
    (text) => [machineConfig({ vmAffinity: text })],
  ],
  [
    'userData',
    {
      hostname: 'a',
      users: [{}],
      write_files: [{ path: '/a', permissions: '0644' }],
      runcmd: ['a'],
    },
    (text) => [machineConfig({ userData: text })],
  ],
  [
    'networkData',
    {
      version: 1,
      config: [
        { type: 'physical', subnets: [{ type: 'static', gateway: 'a' }] },
        { type: 'nameserver', address: ['a'] },
      ],
    },
    (text) => [machineConfig({ networkData: text })],
  ],
  [
    'networkData 2',
    { network: { version: 2, ethernets: { a: { addresses: ['a'] } } } },
    (text) => [machineConfig({ networkData: text }), guest()],
  ],
  [
    'kubeconfig',
    {
      'clusters': [{ name: 'a', cluster: { server: 'https://a' } }],
      'contexts': [{ name: 'a', context: { cluster: 'a', user: 'a', namespace: 'a' } }],
      'current-context': 'a',
      'users': [{ name: 'a', user: { token: 'kubeconfig-u-a:b' } }],
    },
    (text) => [
      machineConfig(),
      guest(),
      cloudConfig(text),
      credential({ 'harvestercredentialConfig-kubeconfigContent': text }),
    ],
  ],
  [
    'additionalManifest',
    { ...chart, spec },
    (text) => [
      machineConfig(),
      guest({ additionalManifest: text }, { kubernetesVersion: 'v1.33.6+k3s1' }),
    ],
  ],
];

test.each(someOf(INNER, 2))('no rule throws for any value within %s', (_, value, manifests) => {
  for (const junk of JUNK) {
    for (const odd of replaced(value, junk)) {
      const text = JSON.stringify(odd);
      judgeOn(RULES, manifests(text), { version: '2.13.8' });
      judgeOn(RULES, manifests(Buffer.from(text).toString('base64')), { version: '2.13.8' });
      judgeOn(RULES, manifests(text.slice(0, -1)), { version: '2.13.8' });
    }
  }
});

test('no message shows the content of a kubeconfig', () => {
  const findings = judgeOn(RULES, [
    machineConfig(),
    guest(),
    cloudConfig(kubeconfig('other', 'https://127.0.0.1:6443', 'hunter2')),
    credential({
      'harvestercredentialConfig-kubeconfigContent': kubeconfig(
        'a',
        'https://localhost',
        'hunter2',
      ),
    }),
  ]);
  expect(brief(findings)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^error credential\/kubeconfig/),
      expect.stringMatching(/^error cluster\/cloud-namespace/),
    ]),
  );
  expect(JSON.stringify(findings)).not.toContain('hunter2');
});
