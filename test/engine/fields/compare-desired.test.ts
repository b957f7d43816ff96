import { pathText } from '../../../src/core/manifest/manifest';
import { LiveObject } from '../../../src/engine/cluster/cluster';
import { differences, withLiveQuantities } from '../../../src/engine/fields/compare-desired';
import { ownedBy } from '../../../src/engine/fields/managed-fields';
import { MANAGER } from '../plan/_planning';

/** The places where a live object differs from the fields that the program gives. */
function found(
  desired: { [field: string]: unknown },
  live: { [field: string]: unknown },
  fieldsV1: object,
  operation = 'Apply',
): string[] {
  const base = { apiVersion: 'example.com/v1', kind: 'Widget' };
  const object = {
    ...base,
    ...live,
    metadata: {
      name: 'a',
      uid: 'u',
      resourceVersion: '1',
      ...(live.metadata as object),
      managedFields: [{ manager: MANAGER, operation, fieldsV1 }],
    },
  } as unknown as LiveObject;
  const manifest = {
    ...base,
    ...desired,
    metadata: { name: 'a', ...(desired.metadata as object) },
  };
  return differences(manifest, object, ownedBy(object, MANAGER)).map(
    ({ path, before, after, owned }) =>
      `${pathText(path)} ${JSON.stringify(before) ?? '-'} ${JSON.stringify(after) ?? '-'}${owned ? ' ours' : ''}`,
  );
}

test('items are met by their keys, whatever their order; keys that have defaults may be left out', () => {
  const owned = {
    'f:spec': {
      'f:ports': {
        'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} },
        'k:{"port":443,"protocol":"TCP"}': { '.': {}, 'f:port': {}, 'f:name': {} },
      },
    },
  };
  const live = {
    spec: {
      ports: [
        { port: 22, protocol: 'TCP' },
        { port: 80, protocol: 'TCP', targetPort: 80 },
        { port: 443, protocol: 'TCP', name: 'tls' },
      ],
    },
  };
  expect(
    found({ spec: { ports: [{ port: 443, name: 'tls' }, { port: 80 }] } }, live, owned),
  ).toEqual([]);
  expect(
    found({ spec: { ports: [{ port: 443, name: 'https' }, { port: 80 }] } }, live, owned),
  ).toEqual(['spec.ports[0].name "tls" "https" ours']);
  expect(found({ spec: { ports: [{ port: 443, name: 'tls' }] } }, live, owned)).toEqual([
    'spec.ports[1] {"port":80,"protocol":"TCP","targetPort":80} - ours',
  ]);
  expect(
    found(
      { spec: { ports: [{ port: 443, name: 'tls' }, { port: 80 }, { port: 81 }] } },
      live,
      owned,
    ),
  ).toEqual(['spec.ports[2] - {"port":81}']);
});

test('sets have what others put there, too', () => {
  const owned = { 'f:metadata': { 'f:finalizers': { 'v:"ours"': {}, '.': {} } } };
  const live = { metadata: { finalizers: ['theirs', 'ours'] } };
  expect(found({ metadata: { finalizers: ['ours'] } }, live, owned)).toEqual([]);
  expect(found({ metadata: { finalizers: ['ours', 'new'] } }, live, owned)).toEqual([
    'metadata.finalizers[1] - "new"',
  ]);
  expect(
    found(
      { metadata: { finalizers: ['new', 'ours'] } },
      { metadata: { finalizers: ['ours', 'new'] } },
      owned,
    ),
  ).toEqual([]);
  expect(found({ metadata: { finalizers: [] } }, live, owned)).toEqual([
    'metadata.finalizers[1] "ours" - ours',
  ]);
});

test('a list that is one unit may have what the server fills into its items', () => {
  const owned = { 'f:spec': { 'f:list': {} } };
  expect(
    found({ spec: { list: [{ a: 1 }] } }, { spec: { list: [{ a: 1, b: 'default' }] } }, owned),
  ).toEqual([]);
  expect(
    found({ spec: { list: [{ a: 2 }] } }, { spec: { list: [{ a: 1, b: 'default' }] } }, owned),
  ).toEqual(['spec.list[0].a 1 2 ours']);
  expect(
    found({ spec: { list: [{ a: 1 }, { a: 2 }] } }, { spec: { list: [{ a: 1 }] } }, owned),
  ).toEqual(['spec.list [{"a":1}] [{"a":1},{"a":2}] ours']);
});

test('reports a removed field one by one, and only fields of this program', () => {
  const owned = { 'f:spec': { 'f:one': {}, 'f:map': { '.': {}, 'f:ours': {} } } };
  expect(
    found({ spec: { one: 1 } }, { spec: { one: 1, map: { ours: 1, theirs: 2 } } }, owned),
  ).toEqual(['spec.map.ours 1 - ours']);
});

test('what a manager wrote by update, or to a subresource, is not applied', () => {
  expect(found({}, { spec: { one: 1 } }, { 'f:spec': { 'f:one': {} } }, 'Update')).toEqual([]);
});

test('null is nothing', () => {
  expect(found({ spec: { one: null } }, { spec: { one: 1 } }, {})).toEqual([]);
  expect(found({ spec: { one: null } }, { spec: {} }, { 'f:spec': { 'f:one': {} } })).toEqual([]);
});

test('keys such as __proto__ are nothing special', () => {
  const desired = JSON.parse('{"data":{"__proto__":"x","constructor":"y"}}');
  expect(found(desired, { data: {} }, {})).toEqual([
    'data.__proto__ - "x"',
    'data.constructor - "y"',
  ]);
});

test('keeps the text of a live quantity that means the same, in maps of quantities only', () => {
  const project = (limit: object): LiveObject =>
    ({
      apiVersion: 'management.cattle.io/v3',
      kind: 'Project',
      metadata: { name: 'p-1', uid: 'u', resourceVersion: '1' },
      spec: { resourceQuota: { limit }, description: '8' },
    }) as unknown as LiveObject;
  const live = {
    ...project({ limitsCpu: '8000m', limitsMemory: '32768Mi', pods: '10' }),
    spec: {
      resourceQuota: { limit: { limitsCpu: '8000m', limitsMemory: '32768Mi', pods: '10' } },
      description: '8000m',
    },
  } as LiveObject;
  const declared = project({ limitsCpu: '8', limitsMemory: '32Gi', pods: '11' });
  expect(withLiveQuantities(declared, live).spec).toEqual({
    resourceQuota: { limit: { limitsCpu: '8000m', limitsMemory: '32768Mi', pods: '11' } },
    description: '8',
  });
  const same = project({ limitsCpu: '4' });
  expect(withLiveQuantities(same, live)).toBe(same);
});
