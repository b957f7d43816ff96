import * as fs from 'node:fs';
import * as path from 'node:path';
import { rootShape } from '../../../projenrc/shapes/shape-of-schema';
import { contentOf, printShape, shareParts } from '../../../projenrc/shapes/shape-printer';
import { Manifest } from '../../../src/core/manifest/manifest';
import { compareShape } from '../../../src/core/shape/compare-shape';
import { knownKinds, merged, readShape, ShapeChange } from '../../../src/core/shape/shape-node';
import { ALL_KINDS } from '../../../src/registry/all-kinds';
import { rootSchema } from '../../support/definition-of';

const FOLDER = path.resolve(__dirname, '..', '..', '..', 'schema', 'shapes');
const VERSIONS = [...knownKinds().values()].flatMap(({ versions }) =>
  versions.map(({ file }, index): [string, string | undefined] => [
    file,
    versions[index - 1]?.file,
  ]),
);
const FILES = VERSIONS.map(([file]) => file);

const shapeIn = (file: string) => rootShape(rootSchema(readShape(file)));

test.each(VERSIONS)(
  'the generator writes %s again from the definition that it describes',
  (file, before) => {
    const content = contentOf(
      shareParts(shapeIn(file)),
      before === undefined ? undefined : { file: before, shape: shareParts(shapeIn(before)) },
    );
    expect(`${printShape(content)}\n`).toBe(fs.readFileSync(path.join(FOLDER, file), 'utf8'));
  },
);

test('the index names each file once', () => {
  const found = fs
    .readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json') && file !== 'index.json');
  expect([...FILES].sort()).toEqual(found.sort());
});

test('a later version is written as what differs from the one before it', () => {
  const before = {
    types: { A: 'string' },
    shape: { fields: { a: '#A', b: { fields: { c: 'string', d: ['integer'] } }, gone: 'any' } },
  } as const;
  const now = {
    types: { A: 'string' },
    shape: { fields: { a: '#A', b: { fields: { c: 'string', d: ['integer'], e: 'boolean' } } } },
  } as const;
  const content = contentOf(now, { file: 'a.json', shape: before });
  // this one is too short to gain anything
  expect(content).toBe(now);
  const long = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`field${index}`, 'string']),
  );
  const [first, second] = [before, now].map(({ types, shape }) => ({
    types,
    shape: { fields: { ...long, ...shape.fields } },
  }));
  const change = contentOf(second, { file: 'a.json', shape: first });
  expect(change).toEqual({
    like: 'a.json',
    with: { shape: { fields: { b: { fields: { e: 'boolean' } }, gone: null } } },
  });
  expect(merged(first, (change as ShapeChange).with)).toEqual(second);
});

test('a field is known from the version on that has it', () => {
  const fields = (kind: string, version: string, ...steps: string[]): string[] => {
    const { versions } = knownKinds().get(kind)!;
    const file = versions.filter(({ from }) => from <= version).at(-1)!.file;
    return Object.keys(
      steps.reduce((at: any, name) => at.properties[name], rootSchema(readShape(file))).properties,
    );
  };
  const backup = (version: string) =>
    fields('harvesterhci.io/v1beta1/VirtualMachineBackup', version, 'spec').includes(
      'fsFreezeDeadline',
    );
  expect([backup('1.7.2'), backup('1.8.2'), backup('1.9.0')]).toEqual([false, false, true]);
  const cluster = (version: string) =>
    fields('provisioning.cattle.io/v1/Cluster', version, 'spec').includes(
      'webhookDeploymentCustomization',
    );
  expect([cluster('2.13.0'), cluster('2.14.0'), cluster('2.15.0')]).toEqual([false, false, true]);
  expect(
    knownKinds()
      .get('network.harvesterhci.io/v1beta1/HostNetworkConfig')!
      .versions.map(({ from }) => from),
  ).toEqual(['1.8.0']);
});

test.each([
  ['a keyword that is new', { type: 'string', newKeyword: 1 }, 'cannot express newKeyword'],
  [
    'a format that is new',
    { type: 'string', format: 'ipv9' },
    'cannot express string with format ipv9',
  ],
  ['a value without a type', {}, 'has no type'],
])('the generator refuses %s, so that nothing is lost silently', (_, schema, message) => {
  expect(() => rootShape({ type: 'object', properties: { spec: schema } })).toThrow(message);
});

test('formats of numbers, networks, and durations are limits', () => {
  const of = (type: string, format: string) =>
    rootShape({ type: 'object', properties: { spec: { type, format } } });
  expect(of('integer', 'uint32')).toEqual({
    fields: { spec: { type: 'integer', limits: { minimum: 0, maximum: 4294967295 } } },
  });
  for (const format of ['cidr', 'duration']) {
    expect(of('string', format)).toEqual({
      fields: { spec: { type: 'string', limits: { format } } },
    });
  }
});

/** Groups of APIs whose definitions are not in the shapes: the reason. */
const WITHOUT_SHAPES: ReadonlyArray<readonly [group: RegExp, reason: string]> = [
  [/^snapshot\.storage\.k8s\.io$/, 'kinds of the CSI snapshotter, in any version'],
  [/^(bitnami\.com|external-secrets\.io)$/, 'this library writes all of their fields'],
  [
    /^(forklift\.konveyor\.io|logging\.banzaicloud\.io|monitoring\.coreos\.com)$/,
    'operators of their own, in any version',
  ],
];

test('a kind of another API group has a shape, or its group a reason why it has none', () => {
  const without = ALL_KINDS.filter(
    ({ group, version, kind }) =>
      !knownKinds().has(`${group === '' ? '' : `${group}/`}${version}/${kind}`) &&
      !/cattle\.io$/.test(group),
  );
  expect(
    without.filter(({ group }) => !WITHOUT_SHAPES.some(([pattern]) => pattern.test(group))),
  ).toEqual([]);
  expect(
    WITHOUT_SHAPES.filter(([pattern]) => !without.some(({ group }) => pattern.test(group))),
  ).toEqual([]);
});

describe('a kind of Rancher, Harvester or their parts', () => {
  const VENDORS =
    /(^|\.)(cattle\.io|harvesterhci\.io|kubevirt\.io|longhorn\.io|k8s\.cni\.cncf\.io)$/;
  const UNKNOWN: { readonly [kind: string]: string } = {
    'management.cattle.io/v3/NodeTemplate':
      'Rancher generates its definition without a schema, and 2.12 and later do not have it',
    'turtles-capi.cattle.io/v1alpha1/CAPIProvider':
      'its fields are those of Cluster API, by the release of Turtles',
    'management.cattle.io/v3/UserAttribute': 'Rancher generates its definition without a schema',
  };

  test('has a shape, or a reason why it has none', () => {
    const names = ALL_KINDS.filter(({ group }) => VENDORS.test(group)).map(
      ({ group, version, kind }) => `${group}/${version}/${kind}`,
    );
    expect(names.length).toBeGreaterThan(50);
    expect(names.filter((name) => !knownKinds().has(name)).sort()).toEqual(
      Object.keys(UNKNOWN).sort(),
    );
  });

  test.each<[string, Manifest]>([
    [
      'PCIDeviceClaim',
      {
        apiVersion: 'devices.harvesterhci.io/v1beta1',
        kind: 'PCIDeviceClaim',
        metadata: { name: 'a' },
        spec: { adress: '0000:01:00.0', nodeName: 'a', userName: 'a' },
      },
    ],
    [
      'Upgrade',
      {
        apiVersion: 'harvesterhci.io/v1beta1',
        kind: 'Upgrade',
        metadata: { name: 'a' },
        spec: { verson: 'v1.8.0' },
      },
    ],
    [
      'VirtualMachineRestore',
      {
        apiVersion: 'harvesterhci.io/v1beta1',
        kind: 'VirtualMachineRestore',
        metadata: { name: 'a' },
        spec: { newVm: true },
      },
    ],
    [
      'VpcNatGateway',
      {
        apiVersion: 'kubeovn.io/v1',
        kind: 'VpcNatGateway',
        metadata: { name: 'a' },
        spec: { lanIP: '10.20.0.254' },
      },
    ],
    [
      'GitRepo',
      {
        apiVersion: 'fleet.cattle.io/v1alpha1',
        kind: 'GitRepo',
        metadata: { name: 'a' },
        spec: { repository: 'https://a' },
      },
    ],
    [
      'ETCDSnapshotRestore',
      {
        apiVersion: 'operation.cattle.io/v1alpha1',
        kind: 'ETCDSnapshotRestore',
        metadata: { name: 'a' },
        spec: { snapshot: 'a' },
      },
    ],
  ])('reports a typo in %s', (kind, manifest) => {
    const [typo] = Object.keys(manifest.spec as object);
    const [{ versions }] = [...knownKinds()]
      .filter(([name]) => name === `${manifest.apiVersion}/${kind}`)
      .map(([, known]) => known);
    expect(
      compareShape(versions.at(-1)!.node(), manifest).unknown.map((found) => found.path),
    ).toEqual([`spec.${typo}`]);
  });
});
