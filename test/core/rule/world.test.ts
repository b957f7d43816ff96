import { Manifest } from '../../../src/core/manifest/manifest';
import { judge } from '../../../src/core/rule/judge';
import { JudgedTarget, KnownIdentity, World } from '../../../src/core/rule/rule';
import { ALL_RULES } from '../../../src/registry/all-rules';

const DC1: JudgedTarget = { name: 'dc1', kind: 'harvester' };
const image = (name: string) => ({
  manifest: {
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'VirtualMachineImage',
    metadata: { name, namespace: 'default' },
  },
  target: DC1,
});
const [group, kind] = ['harvesterhci.io', 'VirtualMachineImage'];

test('an object that is only referred to is known and nothing else: no rule that looks into objects meets it', () => {
  const here = image('here');
  const world = new World(
    [here],
    [],
    [],
    [
      {
        target: 'dc1',
        apiVersion: 'harvesterhci.io/v1beta1',
        kind,
        namespace: 'default',
        name: 'there',
      },
    ],
  );
  const knows = (name: string, namespace = 'default') =>
    world.knows(here, group, kind, namespace, name);
  expect([knows('here'), knows('there'), knows('there', 'other'), knows('nowhere')]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(world.knows({ ...here, target: { name: 'dc2' } }, group, kind, 'default', 'there')).toBe(
    false,
  );
  expect(world.find(here, group, kind, 'default', 'there')).toBeUndefined();
  expect(world.ofKind(group, kind)).toEqual([here]);
  expect(world.exists(image('there'))).toBe(false);
});

test('the previous state of an object is the one that a server shows, or else the one of the previous manifests', () => {
  const [now, live, before] = ['now', 'live', 'before'].map((displayName) => ({
    ...image('a'),
    manifest: { ...image('a').manifest, spec: { displayName } },
  }));
  const served = {
    ...live,
    manifest: { ...live.manifest, metadata: { ...live.manifest.metadata, uid: 'a' } },
  };
  expect(new World([now], [served], [before]).beforeOf(now)).toBe(served.manifest);
  expect(new World([now], [live], [before]).beforeOf(now)).toBe(before.manifest);
  expect(new World([now], [live]).beforeOf(now)).toBeUndefined();
  expect(new World([now], [{ ...served, target: { name: 'dc2' } }]).beforeOf(now)).toBeUndefined();
});

describe('rules that ask whether something is there', () => {
  const named = (
    apiVersion: string,
    what: string,
    name: string,
    fields: object = {},
    metadata: object = {},
  ): Manifest => ({
    apiVersion,
    kind: what,
    metadata: { name, ...metadata },
    ...fields,
  });
  const IMAGE = named(
    'harvesterhci.io/v1beta1',
    'VirtualMachineImage',
    'noble',
    { spec: { displayName: 'noble', sourceType: 'download', url: 'https://example.com/a.img' } },
    {
      namespace: 'default',
      annotations: { 'harvesterhci.io/storageClassName': 'fast' },
    },
  );
  const CASES: [
    rule: string,
    judged: Manifest,
    other: Manifest,
    known: { apiVersion: string; kind: string; namespace?: string; name: string },
  ][] = [
    [
      'image/storage-class',
      IMAGE,
      named('storage.k8s.io/v1', 'StorageClass', 'slow', { provisioner: 'driver.longhorn.io' }),
      { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', name: 'fast' },
    ],
    [
      'ip-pool/network',
      named('loadbalancer.harvesterhci.io/v1beta1', 'IPPool', 'p', {
        spec: { ranges: [{ subnet: '10.0.0.0/24' }], selector: { network: 'default/vlan10' } },
      }),
      named(
        'k8s.cni.cncf.io/v1',
        'NetworkAttachmentDefinition',
        'vlan20',
        { spec: { config: '' } },
        { namespace: 'default' },
      ),
      {
        apiVersion: 'k8s.cni.cncf.io/v1',
        kind: 'NetworkAttachmentDefinition',
        namespace: 'default',
        name: 'vlan10',
      },
    ],
    [
      'harvester-setting/cluster-network',
      named('harvesterhci.io/v1beta1', 'Setting', 'storage-network', {
        value: '{"vlan":10,"clusterNetwork":"fabric","range":"10.9.0.0/16"}',
      }),
      named('network.harvesterhci.io/v1beta1', 'ClusterNetwork', 'prod'),
      { apiVersion: 'network.harvesterhci.io/v1beta1', kind: 'ClusterNetwork', name: 'fabric' },
    ],
  ];

  test.each(CASES)('%s is content with what is referred to', (rule, judged, other, known) => {
    const rules = ALL_RULES.filter(({ id }) => id === rule);
    const objects = [judged, other].map((manifest) => ({ manifest, target: DC1 }));
    const of = (...said: KnownIdentity[]) => judge(rules, new World(objects, [], [], said));
    expect(of().map(({ level }) => level)).toHaveLength(1);
    expect(of({ target: 'dc1', ...known })).toEqual([]);
    expect(of({ target: 'dc2', ...known })).toHaveLength(1);
  });
});
