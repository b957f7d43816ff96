import { Manifest } from '../../src/core/manifest/manifest';
import { judge } from '../../src/core/rule/judge';
import { JudgedTarget, World } from '../../src/core/rule/rule';
import { ALL_RULES } from '../../src/registry/all-rules';
import {
  ALL_SCOPE,
  GUEST,
  HARVESTER,
  HARVESTER_1_9,
  on,
  pool,
  service,
  vmBalancer,
} from '../support/balancers';
import {
  clusterNetwork,
  hostNetwork,
  image,
  live,
  network,
  storageClass,
  vlanConfig,
} from '../support/infrastructure';

interface Case {
  readonly now?: readonly Manifest[];
  readonly before?: readonly Manifest[];
  readonly target?: JudgedTarget;
}

const SHARED = service('b', { 'primary-service': 'default/a' }, { ports: [{ port: 81 }] });
const made = (kind: string, name: string, fields: object): Manifest => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'default' },
  ...fields,
});
const setting = (name: string, value: object): Manifest => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'Setting',
  metadata: { name },
  value: JSON.stringify(value),
});
const CRYPTO = Object.fromEntries(
  ['provisioner', 'node-stage', 'node-publish'].flatMap((step) => [
    [`csi.storage.k8s.io/${step}-secret-name`, 'key'],
    [`csi.storage.k8s.io/${step}-secret-namespace`, 'default'],
  ]),
);
const LABELLED = { labels: { 'network.harvesterhci.io/clusternetwork': 'prod' } };

const CASES: readonly (readonly [rule: string, words: string, given: Case])[] = [
  [
    'ip-pool/ranges',
    'there are overlaps between range',
    { now: [pool('p', ['10.0.0.0/24', '10.0.0.0/25'])] },
  ],
  [
    'ip-pool/overlap',
    "can't create IP pool q because the ranges overlap with other pools",
    {
      now: [
        pool('p', ['10.0.0.0/24']),
        pool('q', ['10.0.0.5/32'], { scope: [{ ...ALL_SCOPE, namespace: 'a' }] }),
      ],
    },
  ],
  [
    'load-balancer/fixed',
    "can't change the IPAM from pool to dhcp",
    { now: [vmBalancer('a', { ipam: 'dhcp' })], before: [vmBalancer('a')] },
  ],
  [
    'load-balancer/fixed',
    "can't change the WorkloadType from cluster to vm",
    { now: [vmBalancer('a')], before: [vmBalancer('a', { workloadType: 'cluster' })] },
  ],
  [
    'service/primary-gone',
    'could not delete load balancer for service default/a: service is still used by other services [default/b]',
    {
      now: [SHARED],
      before: [service('a'), SHARED],
      target: GUEST,
    },
  ],
  [
    'service/changed',
    'network annotation of service default/a is not same as the load balancer',
    {
      now: [service('a', { ipam: 'pool', network: 'default/b' })],
      before: [service('a')],
      target: GUEST,
    },
  ],
  [
    'vlan-config/cluster-network',
    'it refers to a none-existing cluster network prd',
    { now: [clusterNetwork('prod'), vlanConfig('a', 'prd')] },
  ],
  [
    'vlan-config/update',
    'it is blocked by VM(s) … which must be stopped at first',
    {
      now: [vlanConfig('a', 'prod', { uplink: { nics: ['eno3'] } })],
      before: [vlanConfig('a', 'prod')],
    },
  ],
  [
    'vlan-config/update',
    'it is blocked by VM(s) … which must be stopped at first',
    {
      now: [clusterNetwork('prod'), network('n', { bridge: 'prod-br', vlan: 5 })],
      before: [vlanConfig('a', 'prod')],
    },
  ],
  [
    'vlan-config/label',
    'cluster network label  is invalid and must not be updated by user',
    {
      now: [vlanConfig('a', 'prod')],
      before: [vlanConfig('a', 'prod', {}, LABELLED)],
    },
  ],
  [
    'network-attachment/mtu',
    'nad MTU 0 does not match cluster network MTU 9000',
    {
      now: [
        clusterNetwork('prod'),
        vlanConfig('a', 'prod', { uplink: { nics: ['eno2'], linkAttributes: { mtu: 9000 } } }),
        network('n', { bridge: 'prod-br', vlan: 5 }),
      ],
    },
  ],
  [
    'network-attachment/storage-vlan',
    'vlan 5 is exclusively reserved for storage network',
    {
      now: [
        setting('storage-network', {
          vlan: 5,
          clusterNetwork: 'prod',
          range: '10.9.0.0/24',
          exclusiveVlan: true,
        }),
        clusterNetwork('prod'),
        vlanConfig('a', 'prod'),
        network('n', { bridge: 'prod-br', vlan: 5 }),
      ],
      target: HARVESTER_1_9,
    },
  ],
  [
    'host-network/update',
    'cannot update clusterNetwork or vlanID field,instead delete the old hostnetworkconfig and create a new one',
    {
      now: [hostNetwork('h', { vlanID: 6 })],
      before: [hostNetwork('h')],
    },
  ],
  [
    'image/spec',
    'displayName is not a valid Kubernetes label value: ',
    { now: [image('a', { displayName: 'Ubuntu (noble)' })], target: HARVESTER_1_9 },
  ],
  [
    'image/in-use',
    'Cannot delete image default/a: being used by volume',
    {
      now: [made('PersistentVolumeClaim', 'v', { spec: { storageClassName: 'longhorn-a' } })],
      before: [live(image('a'))],
    },
  ],
  [
    'storage-class/encryption-secret',
    'secret default/key is not a valid encryption secret, missing field: CRYPTO_KEY_CIPHER',
    {
      now: [
        storageClass('s', { parameters: { encrypted: 'true', ...CRYPTO } }),
        made('Secret', 'key', { type: 'Opaque', data: {} }),
      ],
    },
  ],
  [
    'storage-class/spec',
    'missing annotation cdi.harvesterhci.io/storageProfileVolumeModeAccessModes. volume access modes are required',
    {
      now: [storageClass('s', { provisioner: 'csi.example.com' })],
    },
  ],
];

test.each(CASES)(
  '%s quotes the server: %s',
  (rule, words, { now = [], before = [], target = HARVESTER }) => {
    const found = judge(ALL_RULES, new World(on(target, ...now), [], on(target, ...before))).filter(
      (finding) => finding.rule === rule,
    );
    expect(found.map(({ message }) => message)).toContainEqual(
      expect.stringContaining(`(the server: "${words}`),
    );
  },
);
