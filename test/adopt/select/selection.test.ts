import { Fields, clusterOf, live } from './_live';
import { ObjectSelection } from '../../../src/adopt/select/selection';
import { TargetKind } from '../../../src/core/construct/target';

const V3 = 'management.cattle.io/v3';
const inProject = (id: string): Fields => ({ annotations: { 'field.cattle.io/projectId': id } });

const RANCHER = clusterOf(
  TargetKind.RANCHER,
  [
    live(V3, 'Project', 'c-m-1/p-abc', {
      spec: { displayName: 'Shop' },
      status: { backingNamespace: 'c-m-1-p-abc' },
    }),
    live(V3, 'Project', 'c-m-1/p-def', { spec: { displayName: 'Pay' } }),
    live(V3, 'ProjectRoleTemplateBinding', 'c-m-1-p-abc/prtb-1', { projectName: 'c-m-1:p-abc' }),
    live('v1', 'Secret', 'c-m-1-p-abc/registry'),
    live(V3, 'Setting', 'server-url'),
  ],
  'rancher',
);

const DC1 = clusterOf(
  TargetKind.HARVESTER,
  [
    live('v1', 'Namespace', 'shop-vms', { ...inProject('c-m-1:p-abc'), labels: { team: 'a' } }),
    live('kubevirt.io/v1', 'VirtualMachine', 'shop-vms/web', {
      labels: { team: 'a', tier: 'web' },
    }),
    live('kubevirt.io/v1', 'VirtualMachine', 'pay-vms/db', { labels: { team: 'b' } }),
    live('v1', 'Namespace', 'pay-vms', inProject('c-m-1:p-def')),
    live('harvesterhci.io/v1beta1', 'Setting', 'ntp-servers'),
  ],
  'dc1',
);

function selected(...texts: string[]): string[] {
  const selection = new ObjectSelection(texts, [RANCHER, DC1]);
  return [RANCHER, DC1]
    .flatMap(({ objects }) => objects)
    .filter((object) => selection.selects(object))
    .map(
      ({
        manifest: {
          kind,
          metadata: { name },
        },
      }) => `${kind} ${name}`,
    );
}

const OF_SHOP = [
  'Project p-abc',
  'ProjectRoleTemplateBinding prtb-1',
  'Secret registry',
  'Namespace shop-vms',
  'VirtualMachine web',
];

test('selects by namespace, label, cluster and kind', () => {
  expect(selected('namespace=shop-vms')).toEqual(['Namespace shop-vms', 'VirtualMachine web']);
  expect(selected('label=team=a')).toEqual(['Namespace shop-vms', 'VirtualMachine web']);
  expect(selected('label=tier')).toEqual(['VirtualMachine web']);
  expect(selected('cluster=rancher')).toHaveLength(5);
  expect(selected('kind=virtualmachine')).toEqual(['VirtualMachine web', 'VirtualMachine db']);
  expect(selected('kind=harvesterhci.io/Setting')).toEqual(['Setting ntp-servers']);
  expect(selected()).toHaveLength(10);
});

test.each(['Shop', 'p-abc', 'c-m-1:p-abc'])(
  'selects a project %s with its members, its namespaces on all clusters, and what is in them',
  (project) => {
    expect(selected(`project=${project}`)).toEqual(OF_SHOP);
  },
);

test('takes values of one key as alternatives, and needs each key', () => {
  expect(selected('namespace=shop-vms', 'namespace=pay-vms', 'kind=VirtualMachine')).toEqual([
    'VirtualMachine web',
    'VirtualMachine db',
  ]);
  expect(selected('project=Shop', 'cluster=dc1')).toEqual([
    'Namespace shop-vms',
    'VirtualMachine web',
  ]);
});

test.each([
  [
    ['team=a'],
    '--select: must be namespace=<value>, project=<value>, label=<value>, cluster=<value>, kind=<value>, got team=a. Fix: use e.g. namespace=shop, label=team=a or kind=VirtualMachine',
  ],
  [['shop'], 'got shop'],
  [['namespace='], 'got namespace='],
  [['toString=x'], 'got toString=x'],
  [
    ['project=Shopp'],
    '--select project=Shopp: matches no object; found Pay, Shop. Fix: correct the value, or leave it out',
  ],
  [['cluster=dc2'], '--select cluster=dc2: matches no object; found dc1, rancher. Fix'],
  [['label=team=c'], '--select label=team=c: matches no object; found team, tier. Fix'],
  [
    ['kind=Pod', 'namespace=x'],
    '--select kind=Pod: matches no object; found Namespace, Project, ProjectRoleTemplateBinding, Secret, Setting, VirtualMachine. Fix',
  ],
])('refuses %j', (texts, message) => {
  expect(() => selected(...texts)).toThrow(message);
});

test('names at most ten values that exist', () => {
  const many = clusterOf(
    TargetKind.GUEST,
    Array.from({ length: 13 }, (_, index) => live('v1', 'Namespace', `n-${index}`)),
  );
  expect(() => new ObjectSelection(['namespace=x'], [many])).toThrow(
    /found n-0, n-1, n-10, .* and 3 more\. Fix/,
  );
});
