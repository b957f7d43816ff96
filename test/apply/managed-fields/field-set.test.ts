import { holds, split, union } from '../../../src/apply/managed-fields/field-set';

describe('the union of two sets of fields', () => {
  test('has what one of them has', () => {
    expect(union({ 'f:data': { 'f:a': {} } }, { 'f:data': { 'f:b': {} }, 'f:spec': {} })).toEqual({ 'f:data': { 'f:a': {}, 'f:b': {} }, 'f:spec': {} });
    expect(union({}, { 'f:data': { 'f:a': {} } })).toEqual({ 'f:data': { 'f:a': {} } });
  });

  test('keeps that a map itself was in one of them, beside what lies in it', () => {
    expect(union({ 'f:data': {} }, { 'f:data': { 'f:a': {} } })).toEqual({ 'f:data': { '.': {}, 'f:a': {} } });
    expect(union({ 'f:data': { '.': {}, 'f:b': {} } }, { 'f:data': { 'f:a': {} } })).toEqual({ 'f:data': { '.': {}, 'f:a': {}, 'f:b': {} } });
    expect(union({ 'f:data': {} }, { 'f:data': {} })).toEqual({ 'f:data': {} });
  });

  test('meets items of lists by their keys, and values', () => {
    const key = 'k:{"name":"web"}';
    expect(union({ 'f:c': { [key]: { '.': {}, 'f:image': {} } } }, { 'f:c': { [key]: { 'f:env': {} }, 'v:"x"': {} } }))
      .toEqual({ 'f:c': { [key]: { '.': {}, 'f:env': {}, 'f:image': {} }, 'v:"x"': {} } });
  });

  test('takes a field of any name for a field', () => {
    expect(union({ 'f:constructor': {} }, { 'f:x': {} })).toEqual({ 'f:constructor': {}, 'f:x': {} });
    expect(holds(union({ 'f:x': {} }, {}), ['constructor'])).toBe(false);
  });
});

test('a set without one of its fields, and that field', () => {
  expect(split({ 'f:spec': { 'f:a': {} }, 'f:status': { 'f:b': {} } }, 'status')).toEqual({ rest: { 'f:spec': { 'f:a': {} } }, out: { 'f:status': { 'f:b': {} } } });
  expect(split({ 'f:spec': {} }, 'status')).toEqual({ rest: { 'f:spec': {} }, out: {} });
});

test('whether a field is in a set', () => {
  const set = { 'f:metadata': { 'f:annotations': { '.': {}, 'f:a.b/c': {} } } };
  expect(holds(set, ['metadata', 'annotations', 'a.b/c'])).toBe(true);
  expect(holds(set, ['metadata', 'annotations', 'other'])).toBe(false);
  expect(holds(set, ['spec', 'annotations'])).toBe(false);
});
