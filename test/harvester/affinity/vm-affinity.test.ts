import { problemText } from '../../../src/core/problem/problem';
import { GuestCluster } from '../../../src/guest/cluster/guest-cluster';
import {
  LabelOperator,
  VmAffinity,
  VmAffinityProps,
  VmSelector,
} from '../../../src/harvester/affinity/vm-affinity';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { newApp, newHarvester, newRancher } from '../../support/programs';

const POOL = { vmNamespace: 'payments', cluster: 'shop', pool: 'all' };
const ZONE = 'topology.kubernetes.io/zone';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const DEFAULT = {
  weight: 100,
  podAffinityTerm: {
    labelSelector: { matchExpressions: [{ key: 'harvesterhci.io/creator', operator: 'Exists' }] },
    topologyKey: 'kubernetes.io/hostname',
  },
};
const SAME_POOL = { matchLabels: { 'harvesterhci.io/machineSetName': 'payments-shop-all' } };

function rendered(affinity: VmAffinity): any {
  return JSON.parse(affinity._render(POOL));
}

test('a spread over zones is the same bytes each time', () => {
  expect(VmAffinity.spreadOverZones()._render(POOL)).toBe(
    '{"podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[' +
      '{"weight":100,"podAffinityTerm":{"labelSelector":{"matchLabels":{"harvesterhci.io/machineSetName":"payments-shop-all"}},"topologyKey":"topology.kubernetes.io/zone"}},' +
      '{"weight":1,"podAffinityTerm":{"labelSelector":{"matchExpressions":[{"key":"harvesterhci.io/creator","operator":"Exists"}]},"topologyKey":"kubernetes.io/hostname"}}]}}',
  );
});

test('a required spread over hosts lets no two machines of the pool onto one', () => {
  expect(rendered(VmAffinity.spreadOverHosts({ required: true })).podAntiAffinity).toEqual({
    [REQUIRED]: [{ labelSelector: SAME_POOL, topologyKey: 'kubernetes.io/hostname' }],
    [PREFERRED]: [{ ...DEFAULT, weight: 1 }],
  });
});

test('an affinity to nodes keeps the anti-affinity that the node driver has by default', () => {
  expect(rendered(VmAffinity.onNodes({ [ZONE]: 'a', gpu: 'yes' }))).toEqual({
    nodeAffinity: {
      [REQUIRED]: {
        nodeSelectorTerms: [
          {
            matchExpressions: [
              { key: 'gpu', operator: 'In', values: ['yes'] },
              { key: ZONE, operator: 'In', values: ['a'] },
            ],
          },
        ],
      },
    },
    podAntiAffinity: { [PREFERRED]: [DEFAULT] },
  });
});

test('every term is written in the words of Kubernetes', () => {
  const app = newApp();
  const db = GuestCluster.fromName(newRancher(app), 'db', {
    name: 'db',
    kubernetesVersion: 'v1.33.6+rke2r1',
  });
  expect(
    rendered(
      VmAffinity.of({
        requiredNodes: [
          { labels: [{ key: 'network.harvesterhci.io/mgmt', values: ['true'] }] },
          { labels: [{ key: 'gpu' }] },
        ],
        preferredNodes: [
          {
            labels: [{ key: 'disks', operator: LabelOperator.GREATER_THAN, values: ['3'] }],
            weight: 20,
          },
        ],
        requiredNear: [
          {
            vms: VmSelector.guestCluster(db),
            topologyKey: ZONE,
            namespaces: [HarvesterNamespace.fromName(newHarvester(app), 'data', { name: 'data' })],
          },
        ],
        preferredNear: [{ vms: VmSelector.labels({ app: 'cache' }), weight: 5 }],
        requiredApart: [{ vms: VmSelector.pool('gpu') }],
        preferredApart: [{ vms: VmSelector.sameCluster() }],
        spread: false,
      }),
    ),
  ).toEqual({
    nodeAffinity: {
      [REQUIRED]: {
        nodeSelectorTerms: [
          {
            matchExpressions: [
              { key: 'network.harvesterhci.io/mgmt', operator: 'In', values: ['true'] },
            ],
          },
          { matchExpressions: [{ key: 'gpu', operator: 'Exists' }] },
        ],
      },
      [PREFERRED]: [
        {
          weight: 20,
          preference: { matchExpressions: [{ key: 'disks', operator: 'Gt', values: ['3'] }] },
        },
      ],
    },
    podAffinity: {
      [REQUIRED]: [
        {
          labelSelector: { matchLabels: { 'guestcluster.harvesterhci.io/name': 'db' } },
          topologyKey: ZONE,
          namespaces: ['data'],
        },
      ],
      [PREFERRED]: [
        {
          weight: 5,
          podAffinityTerm: {
            labelSelector: { matchLabels: { app: 'cache' } },
            topologyKey: 'kubernetes.io/hostname',
          },
        },
      ],
    },
    podAntiAffinity: {
      [REQUIRED]: [
        {
          labelSelector: {
            matchLabels: { 'harvesterhci.io/machineSetName': 'payments-shop-gpu' },
          },
          topologyKey: 'kubernetes.io/hostname',
        },
      ],
      [PREFERRED]: [
        {
          weight: 100,
          podAffinityTerm: {
            labelSelector: { matchLabels: { 'guestcluster.harvesterhci.io/name': 'shop' } },
            topologyKey: 'kubernetes.io/hostname',
          },
        },
      ],
    },
  });
});

test('virtual machines are selected by requirements on their labels, in namespaces with labels or in all', () => {
  const vms = VmSelector.matching(
    { key: 'app', values: ['db', 'cache'] },
    { key: 'old', operator: LabelOperator.DOES_NOT_EXIST },
  );
  const labelSelector = {
    matchExpressions: [
      { key: 'app', operator: 'In', values: ['db', 'cache'] },
      { key: 'old', operator: 'DoesNotExist' },
    ],
  };
  expect(
    rendered(
      VmAffinity.of({
        requiredApart: [
          { vms, namespaceLabels: {} },
          { vms, namespaceLabels: { team: 'shop' } },
        ],
        spread: false,
      }),
    ),
  ).toEqual({
    podAntiAffinity: {
      [REQUIRED]: [{}, { matchLabels: { team: 'shop' } }].map((namespaceSelector) => ({
        labelSelector,
        topologyKey: 'kubernetes.io/hostname',
        namespaceSelector,
      })),
    },
  });
});

test.each<[string, VmAffinityProps, string]>([
  [
    'a comparison of numbers for virtual machines',
    {
      requiredApart: [
        {
          vms: VmSelector.matching({
            key: 'a',
            operator: LabelOperator.GREATER_THAN,
            values: ['1'],
          }),
        },
      ],
    },
    'must be an operator of a selector, got "Gt"',
  ],
  [
    'a weight of 0',
    { preferredNear: [{ vms: VmSelector.any(), weight: 0 }] },
    'weight: must be a whole number from 1 to 100, got 0',
  ],
  [
    'a weight of nodes above 100',
    { preferredNodes: [{ labels: [{ key: 'a' }], weight: 101 }] },
    'a.preferredNodes[0].weight: must be a whole number from 1 to 100, got 101. Fix: use 1 to 100',
  ],
  [
    'a term without labels',
    { requiredNodes: [{ labels: [] }] },
    'a.requiredNodes[0]: must have at least one label: a term without labels matches no node. Fix: add a label',
  ],
  [
    'In without values',
    { requiredNodes: [{ labels: [{ key: 'a', operator: LabelOperator.IN }] }] },
    'a.requiredNodes[0].labels[0].values: must have at least one value for In. Fix: add a value, or use EXISTS',
  ],
  [
    'Exists with values',
    {
      requiredNodes: [{ labels: [{ key: 'a', operator: LabelOperator.EXISTS, values: ['b'] }] }],
    },
    'values: must be empty for Exists, got ["b"]. Fix: remove the values, or use IN',
  ],
  [
    'Gt with a word',
    {
      requiredNodes: [
        { labels: [{ key: 'a', operator: LabelOperator.GREATER_THAN, values: ['b'] }] },
      ],
    },
    'values: must be one whole number for Gt, got ["b"]. Fix: set it to one number',
  ],
  [
    'a label that is none',
    { requiredNodes: [{ labels: [{ key: 'a b' }] }] },
    'must be a valid label name, got "a b"',
  ],
  [
    'no topology',
    { requiredApart: [{ vms: VmSelector.any(), topologyKey: '' }] },
    'topologyKey: must be set',
  ],
])('%s is refused', (_, props, message) => {
  expect(VmAffinity.of(props)._check('a', POOL, undefined).map(problemText).join('\n')).toContain(
    message,
  );
});
