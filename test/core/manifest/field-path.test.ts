import {
  FieldPath,
  coverOf,
  isWithin,
  pathText,
  patternOf,
  replacedAt,
} from '../../../src/core/manifest/manifest';

test.each<[path: FieldPath, text: string]>([
  [['spec', 'rkeConfig', 'machinePools', 0, 'quantity'], 'spec.rkeConfig.machinePools[0].quantity'],
  [
    ['metadata', 'annotations', 'field.cattle.io/creatorId'],
    'metadata.annotations[field.cattle.io/creatorId]',
  ],
  [['data', 'tls.crt'], 'data[tls.crt]'],
])('%j is written %s', (path, text) => {
  expect(pathText(path)).toBe(text);
});

test.each<[pattern: string, path: FieldPath, cover: 'exact' | 'above' | undefined]>([
  ['spec.url', ['spec', 'url'], 'exact'],
  ['spec.url', ['spec'], undefined],
  ['spec.url', ['spec', 'urls'], undefined],
  ['status', ['status', 'conditions', 0], 'above'],
  [
    'metadata.annotations[field.cattle.io/creatorId]',
    ['metadata', 'annotations', 'field.cattle.io/creatorId'],
    'exact',
  ],
  ['spec.machinePools[*].quantity', ['spec', 'machinePools', 3, 'quantity'], 'exact'],
  ['spec.machinePools[].quantity', ['spec', 'machinePools', 3, 'quantity'], 'exact'],
  ['status.loadBalancer.ingress.0.ip', ['status', 'loadBalancer', 'ingress', 0, 'ip'], 'exact'],
  ['status.loadBalancer.ingress[0].ip', ['status', 'loadBalancer', 'ingress', 1, 'ip'], undefined],
  ['data.0', ['data', '0'], 'exact'],
])('%s covers %j: %s', (pattern, path, cover) => {
  expect(coverOf(patternOf(pattern), path)).toBe(cover);
});

test('a path is within itself and those above', () => {
  expect([
    isWithin(['a', 0], ['a']),
    isWithin(['a'], ['a']),
    isWithin(['a'], ['a', 0]),
    isWithin(['b'], ['a']),
  ]).toEqual([true, true, false, false]);
});

test('a value is replaced in a copy, and nothing else', () => {
  const object = { a: [{ b: 1, c: 2 }], d: 3 };
  expect(replacedAt(object, ['a', 0, 'b'], 9)).toEqual({ a: [{ b: 9, c: 2 }], d: 3 });
  expect(replacedAt(object, ['d'], undefined)).toEqual({ a: [{ b: 1, c: 2 }] });
  expect(replacedAt(object, ['x', 'y'], 1)).toEqual(object);
  expect(object).toEqual({ a: [{ b: 1, c: 2 }], d: 3 });
});
