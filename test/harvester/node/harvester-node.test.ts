import { Manifest } from '../../../src/core/manifest/manifest';
import { judge } from '../../../src/core/rule/judge';
import { World } from '../../../src/core/rule/rule';
import { HarvesterNode, HarvesterNodeProps } from '../../../src/harvester/node/node';
import { NODE_RULES, knownNodes } from '../../../src/harvester/node/node.rules';
import { messageOf } from '../../support/message-of';
import { newApp, newHarvester } from '../../support/programs';
import { assemblyOf, written } from '../../support/written';

const ZONE = 'topology.kubernetes.io/zone';
const DC1 = { name: 'dc1', kind: 'harvester' } as const;

function declared(props: HarvesterNodeProps) {
  const app = newApp();
  new HarvesterNode(newHarvester(app), 'node', { name: 'node-1', ...props });
  return app;
}

test('writes only the labels, and keeps the node when the program no longer declares it', () => {
  const app = declared({ zone: 'rack-a', region: 'dc1', labels: { gpu: 'yes' } });
  const { apiVersion, kind, metadata, ...others } = written(app)['dc1/Node/node-1'];
  expect(others).toEqual({});
  expect(metadata).toMatchObject({
    name: 'node-1',
    labels: { 'gpu': 'yes', [ZONE]: 'rack-a', 'topology.kubernetes.io/region': 'dc1' },
  });
  expect(
    assemblyOf(app).objects.find((object: { kind: string }) => object.kind === 'Node').deletion,
  ).toMatchObject({ policy: 'keep' });
});

test.each<[string, HarvesterNodeProps, string]>([
  ['an empty zone', { zone: '' }, 'zone: must not be empty, got ""'],
  ['a zone with a blank', { zone: 'rack a' }, 'zone: must be a valid label value, got "rack a"'],
  [
    'the zone as a label',
    { labels: { [ZONE]: 'a' } },
    `labels[${ZONE}]: cannot be set: zone sets it. Fix: use zone`,
  ],
  [
    'a label of the kubelet',
    { labels: { 'kubernetes.io/hostname': 'a' } },
    'labels[kubernetes.io/hostname]: cannot be set: the node or Harvester writes it',
  ],
  [
    'a role',
    { labels: { 'node-role.kubernetes.io/worker': 'true' } },
    'labels[node-role.kubernetes.io/worker]: cannot be set',
  ],
  [
    'a label that is not valid',
    { labels: { 'a b': 'x' } },
    'labels: must be a valid label name, got "a b"',
  ],
])('refuses %s', (_, props, message) => {
  expect(messageOf(() => declared(props))).toContain(message);
});

const node = (
  name: string,
  labels: { [key: string]: string } = {},
  more: object = {},
): Manifest => ({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, ...more });
const object = (manifest: Manifest) => ({ manifest, target: DC1 });
const findings = (judged: readonly Manifest[], live: readonly Manifest[] = []) =>
  judge(NODE_RULES, new World(judged.map(object), live.map(object))).map(
    ({ rule, message }) => `${rule} ${message}`,
  );

test('reports nodes without a zone once, next to those that have one', () => {
  const zone = { [ZONE]: 'a' };
  expect(findings([node('c', zone), node('b', zone), node('a')])).toEqual([
    'node/zones is set, and a has no zone: machines that spread over zones may all run there',
  ]);
  expect(
    findings([node('a', zone)], [node('a', {}, { status: {} }), node('b', {}, { status: {} })]),
  ).toHaveLength(1);
});

test.each([
  ['have zones', [node('a', { [ZONE]: 'a' })], [node('b', { [ZONE]: 'b' })]],
  ['have none', [node('a', { gpu: 'yes' }), node('b', { gpu: 'no' })], []],
  [
    'have a zone on the server',
    [node('a', { gpu: 'yes' }), node('b', { [ZONE]: 'b' })],
    [node('a', { [ZONE]: 'a' }, { status: {} })],
  ],
  [
    'are witnesses',
    [node('a', { [ZONE]: 'a' })],
    [node('b', { 'node-role.harvesterhci.io/witness': 'true' })],
  ],
])('reports nothing if all nodes %s', (_, judged, live) => {
  expect(findings(judged, live)).toEqual([]);
});

test('adds the labels of the program to those of the server, and knows nothing of other nodes', () => {
  const live = node('a', { 'kubernetes.io/hostname': 'a' }, { status: { addresses: [] } });
  const world = new World(
    [object(node('a', { [ZONE]: 'a' })), object(node('b', { [ZONE]: 'b' }))],
    [object(live)],
  );
  expect(knownNodes(object(live), world)).toEqual([
    { ...live, metadata: { name: 'a', labels: { 'kubernetes.io/hostname': 'a', [ZONE]: 'a' } } },
  ]);
});

test('refers to a node without writing its labels', () => {
  const app = newApp();
  const dc1 = newHarvester(app);
  expect(HarvesterNode.fromName(dc1, 'node', { name: 'node-1' })).toMatchObject({
    name: 'node-1',
    harvester: dc1,
  });
  expect(written(app)).toEqual({});
});
