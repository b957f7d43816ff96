import { ApiObject, App, Chart, JsonPatch, Lazy, Size } from 'cdk8s';
import { plainJson, rendersPlainly } from '../../../src/core/program/plain-json';
import { fc } from '../../support/properties';

/** An object with these fields, and metadata that the program adds later. */
function objectWith(fields: object): ApiObject {
  const chart = new Chart(new App(), 'chart', { namespace: 'shop', labels: { team: 'web' } });
  const object = new ApiObject(chart, 'object', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    ...fields,
  });
  object.metadata.addLabel('zone', 'a');
  object.metadata.addAnnotation('note', 'b');
  return object;
}

/** The text of both ways, which shows the order of keys. */
function textsOf(object: ApiObject): [own: string, cdk8s: string] {
  return [JSON.stringify(plainJson(object)), JSON.stringify(object.toJson())];
}

describe('plainJson', () => {
  test('renders the bytes of cdk8s, whatever data an object has', () => {
    const data = fc.object({
      key: fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom('b', 'a', '10', '9')),
      values: [fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.constant(undefined)],
      maxDepth: 4,
    });
    const metadata = fc.record({
      name: fc.constantFrom('web', 'db'),
      namespace: fc.option(fc.constant('other'), { nil: undefined }),
      labels: fc.dictionary(fc.string(), fc.string(), { maxKeys: 3 }),
      finalizers: fc.array(fc.string(), { maxLength: 2 }),
      managedFields: data,
    });
    fc.assert(
      fc.property(data, data, metadata, (spec, late, given) => {
        const object = objectWith({
          metadata: given,
          spec: { ...spec, items: [spec, Lazy.any({ produce: () => [late, null] })] },
          data: Lazy.any({ produce: () => ({ late, inner: Lazy.any({ produce: () => 5 }) }) }),
        });
        const [own, ofCdk8s] = textsOf(object);
        expect(own).toBe(ofCdk8s);
      }),
    );
  });

  test('copies what it renders', () => {
    const spec = { items: [{ key: 'value' }] };
    const rendered = plainJson(objectWith({ spec })) as { spec: typeof spec };
    expect(rendered.spec.items[0]).toEqual(spec.items[0]);
    expect(rendered.spec.items[0]).not.toBe(spec.items[0]);
  });

  test.each<[what: string, fields: object]>([
    ['a value with resolve', { spec: { resolve: () => 'later' } }],
    ['an object of a class', { spec: { size: Size.gibibytes(1) } }],
    ['a date', { spec: { at: new Date(0) } }],
    ['a function', { spec: { run: () => 1 } }],
    ['a map without a prototype', { spec: Object.create(null) }],
    ['a key constructor', { spec: { constructor: 'x' } }],
    ['a key __proto__', { spec: JSON.parse('{"__proto__": {"a": 1}}') }],
    ['a late value that cannot be computed', { spec: Lazy.any({ produce: () => fail() }) }],
  ])('leaves %s to cdk8s', (_, fields) => {
    expect(plainJson(objectWith(fields))).toBeUndefined();
  });

  test('leaves an endless value to cdk8s', () => {
    const endless: { inner?: object } = {};
    endless.inner = endless;
    expect(plainJson(objectWith({ spec: endless }))).toBeUndefined();
  });

  test('leaves objects with patches to cdk8s', () => {
    const object = objectWith({ data: { a: '1' } });
    object.addJsonPatch(JsonPatch.add('/data/b', '2'));
    expect(plainJson(object)).toBeUndefined();
  });

  test('leaves objects that render themselves to cdk8s', () => {
    class Rendered extends ApiObject {
      public toJson(): unknown {
        return { ...super.toJson(), own: true };
      }
    }
    const chart = new Chart(new App(), 'chart');
    const object = new Rendered(chart, 'object', { apiVersion: 'v1', kind: 'ConfigMap' });
    expect(plainJson(object)).toBeUndefined();
  });
});

describe('rendersPlainly', () => {
  test('holds for an app', () => {
    expect(rendersPlainly(new App())).toBe(true);
  });

  test('does not hold for an app with resolvers of its own, nor for what is not an app', () => {
    expect(rendersPlainly(new App({ resolvers: [{ resolve: () => undefined }] }))).toBe(false);
    expect(rendersPlainly(new Chart(undefined as never, 'chart'))).toBe(false);
  });

  test('does not hold where the program keeps the order of keys', () => {
    process.env.CDK8S_DISABLE_SORT = '1';
    try {
      expect(rendersPlainly(new App())).toBe(false);
    } finally {
      delete process.env.CDK8S_DISABLE_SORT;
    }
  });
});

function fail(): never {
  throw new Error('not known');
}
