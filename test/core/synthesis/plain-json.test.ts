import { ApiObject, App, Chart, JsonPatch, Lazy } from 'cdk8s';
import { plainJson } from '../../../src/core/synthesis/plain-json';

type Props = ConstructorParameters<typeof ApiObject>[2] & { readonly [field: string]: unknown };

function objectOf(props: Partial<Props> = {}, app = new App()): ApiObject {
  const chart = new Chart(app, 'chart', { namespace: 'team', labels: { owner: 'team' } });
  return new ApiObject(chart, 'object', { apiVersion: 'v1', kind: 'ConfigMap', ...props });
}

const LISTS = { empty: [], nested: [[], [{ b: 1, a: [] }]], maps: [{ z: undefined, y: {} }] };

test.each<[string, Partial<Props>]>([
  ['an object without content', {}],
  ['keys in any order', { z: 1, data: { b: '2', a: '1', 10: 'x', 9: 'y' }, a: true }],
  ['null and undefined in maps', { spec: { a: null, b: undefined, c: { d: null } } }],
  ['empty lists and maps', { spec: { ...LISTS, map: {} } }],
  ['metadata with empty lists and maps', {
    metadata: { name: 'x', namespace: 'other', finalizers: [], labels: {}, annotations: { a: '' }, custom: { empty: {}, list: [], deep: { list: [[1]], map: {} } } },
  }],
  ['a generated name', { metadata: { generateName: 'x-' } }],
])('renders %s as cdk8s does, key by key', (_, props) => {
  const object = objectOf(props);
  expect(JSON.stringify(plainJson(object))).toBe(JSON.stringify(object.toJson()));
  expect(plainJson(object)).toStrictEqual(object.toJson());
});

test('renders what was added to the metadata later', () => {
  const object = objectOf();
  object.metadata.addLabel('tier', 'web');
  object.metadata.addFinalizers('example.com/wait');
  object.metadata.add('generation', 3);
  expect(plainJson(object)).toStrictEqual(object.toJson());
  expect(plainJson(object)).toMatchObject({ metadata: { labels: { owner: 'team', tier: 'web' }, finalizers: ['example.com/wait'], generation: 3 } });
});

test('renders a copy, which no later change reaches', () => {
  const data = { a: ['1'] };
  const rendered = plainJson(objectOf({ data }));
  data.a.push('2');
  expect(rendered).toMatchObject({ data: { a: ['1'] } });
});

const CYCLE: { self?: unknown } = {};
CYCLE.self = CYCLE;

test.each<[string, Partial<Props>]>([
  ['a lazy value', { data: { a: Lazy.any({ produce: () => 'late' }) } }],
  ['a lazy label', { metadata: { labels: { a: Lazy.any({ produce: () => 'late' }) as string } } }],
  ['a value with a method resolve', { data: { resolve: () => 'x' } }],
  ['an object of a class', { data: new Date(0) }],
  ['null in a list', { data: [1, null] }],
  ['a function', { data: () => 1 }],
  ['a key that JSON cannot copy', { data: JSON.parse('{"a": {"__proto__": {}}}') as unknown }],
  ['a key that hides the prototype', { data: { constructor: 'x' } }],
  ['a value that contains itself', { data: CYCLE }],
])('leaves %s to cdk8s', (_, props) => {
  expect(plainJson(objectOf(props))).toBeUndefined();
});

test('leaves patched objects, other renderings and other resolvers to cdk8s', () => {
  const patched = objectOf();
  patched.addJsonPatch(JsonPatch.add('/data', { a: '1' }));
  const overridden = Object.assign(objectOf(), { toJson: () => ({}) });
  const resolved = objectOf({}, new App({ resolvers: [{ resolve: (context) => { if (context.value === 'ConfigMap') { context.replaceValue('Secret'); } } }] }));
  expect([patched, overridden, resolved].map((object) => plainJson(object))).toEqual([undefined, undefined, undefined]);
});

describe('without sorted keys', () => {
  afterEach(() => { delete process.env.CDK8S_DISABLE_SORT; });

  test('leaves the order to cdk8s', () => {
    process.env.CDK8S_DISABLE_SORT = '1';
    expect(plainJson(objectOf())).toBeUndefined();
  });
});
