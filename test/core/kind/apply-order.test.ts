import { inApplyOrder } from '../../../src/core/kind/apply-order';
import { rankOf } from '../../../src/core/kind/kinds';
import { Manifest } from '../../../src/core/manifest/manifest';

const role = (name: string, ...inherits: string[]): Manifest => ({
  apiVersion: 'management.cattle.io/v3',
  kind: 'RoleTemplate',
  metadata: { name },
  ...(inherits.length > 0 ? { roleTemplateNames: inherits } : {}),
});

const named = (apiVersion: string, kind: string, name: string, fields: object = {}): Manifest => ({
  apiVersion,
  kind,
  metadata: { name },
  ...fields,
});

function order(
  manifests: readonly Manifest[],
  after?: (id: string) => readonly string[],
): string[] {
  return inApplyOrder(
    manifests,
    (manifest) => ({ id: manifest.metadata.name, target: 'rancher', manifest }),
    after,
  ).map(({ item, level }) => `${item.metadata.name}${level > 0 ? ` ${level}` : ''}`);
}

test('puts a role that others inherit before them, and leaves all others where they are', () => {
  expect(
    order([
      role('a'),
      role('backup', 'operator'),
      role('c'),
      role('operator', 'reader'),
      role('reader'),
    ]),
  ).toEqual(['a', 'reader', 'operator 1', 'backup 2', 'c']);
});

test('does not wait for a role that the program does not have, or for itself', () => {
  expect(order([role('a', 'project-member'), role('b', 'b'), role('c')])).toEqual(['a', 'b', 'c']);
});

test('keeps all objects of a cycle', () => {
  expect(
    order([role('a', 'b'), role('b', 'a')])
      .map((text) => text.split(' ')[0])
      .sort(),
  ).toEqual(['a', 'b']);
});

test('keeps targets and ranks apart', () => {
  const bound = named('management.cattle.io/v3', 'GlobalRole', 'g', {
    inheritedClusterRoles: ['z'],
  });
  expect(order([bound, role('z')])).toEqual(['g', 'z']);
});

test('follows references between kinds of one rank', () => {
  const storage = named('storage.k8s.io/v1', 'StorageClass', 'a', {
    parameters: { clusterNetwork: 'n' },
  });
  expect(order([storage, named('network.harvesterhci.io/v1beta1', 'ClusterNetwork', 'n')])).toEqual(
    ['n', 'a 1'],
  );
});

test('follows what the program orders itself', () => {
  expect(order([role('a'), role('b')], (id) => (id === 'a' ? ['b', 'nobody'] : []))).toEqual([
    'b',
    'a 1',
  ]);
});

test.each<[name: string, rank: number]>([
  ['ntp-servers', 12],
  ['rancher-cluster', 16],
  ['volume-snapshot-class', 21],
  ['storage-network', 24],
  ['vm-migration-network', 24],
  ['rwx-network', 24],
])('the setting %s comes after what Harvester looks for', (name, rank) => {
  expect(rankOf(named('harvesterhci.io/v1beta1', 'Setting', name))).toBe(rank);
});

test('puts settings after those that the webhook reads with them', () => {
  const setting = (name: string, value: object): Manifest =>
    named('harvesterhci.io/v1beta1', 'Setting', name, { value: JSON.stringify(value) });
  const others = [setting('http-proxy', {}), setting('storage-network', {})];
  expect(
    order([
      setting('backup-target', { type: 's3' }),
      setting('rwx-network', { 'share-storage-network': true }),
      ...others,
    ]),
  ).toEqual(['http-proxy', 'backup-target 1', 'storage-network', 'rwx-network 1']);
  expect(
    order([
      setting('backup-target', { type: 'nfs' }),
      setting('rwx-network', { 'share-storage-network': false }),
      ...others,
    ]),
  ).toEqual(['backup-target', 'http-proxy', 'rwx-network', 'storage-network']);
});
