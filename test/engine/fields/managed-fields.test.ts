import { Entry, OURS, entry, live, widget } from './_objects';
import { ANNOTATION_LAST_APPLIED } from '../../../src/core/kind/field-managers';
import { holdsField, split, union } from '../../../src/engine/fields/field-set';
import {
  adoptHint,
  checkTakeFieldsFrom,
  managersOfOtherVersions,
  rewriteOf,
  rewriteText,
} from '../../../src/engine/fields/managed-fields';
import { optionsOfPlan, savedOptions } from '../../../src/engine/plan/plan';

describe('the union of two sets of fields', () => {
  test('has what one of them has', () => {
    expect(union({ 'f:data': { 'f:a': {} } }, { 'f:data': { 'f:b': {} }, 'f:spec': {} })).toEqual({
      'f:data': { 'f:a': {}, 'f:b': {} },
      'f:spec': {},
    });
    expect(union({}, { 'f:data': { 'f:a': {} } })).toEqual({ 'f:data': { 'f:a': {} } });
  });

  test('keeps that a map itself was in one of them, next to its entries', () => {
    expect(union({ 'f:data': {} }, { 'f:data': { 'f:a': {} } })).toEqual({
      'f:data': { '.': {}, 'f:a': {} },
    });
    expect(union({ 'f:data': { '.': {}, 'f:b': {} } }, { 'f:data': { 'f:a': {} } })).toEqual({
      'f:data': { '.': {}, 'f:a': {}, 'f:b': {} },
    });
    expect(union({ 'f:data': {} }, { 'f:data': {} })).toEqual({ 'f:data': {} });
  });

  test('meets items of lists by their keys, and values', () => {
    const key = 'k:{"name":"web"}';
    expect(
      union(
        { 'f:c': { [key]: { '.': {}, 'f:image': {} } } },
        { 'f:c': { [key]: { 'f:env': {} }, 'v:"x"': {} } },
      ),
    ).toEqual({ 'f:c': { [key]: { '.': {}, 'f:env': {}, 'f:image': {} }, 'v:"x"': {} } });
  });

  test('takes a field of any name for a field', () => {
    expect(union({ 'f:constructor': {} }, { 'f:x': {} })).toEqual({
      'f:constructor': {},
      'f:x': {},
    });
    expect(holdsField(union({ 'f:x': {} }, {}), ['constructor'])).toBe(false);
  });
});

test('a set without one of its fields, and that field', () => {
  expect(split({ 'f:spec': { 'f:a': {} }, 'f:status': { 'f:b': {} } }, 'status')).toEqual({
    rest: { 'f:spec': { 'f:a': {} } },
    out: { 'f:status': { 'f:b': {} } },
  });
  expect(split({ 'f:spec': {} }, 'status')).toEqual({ rest: { 'f:spec': {} }, out: {} });
});

test('whether a field is in a set', () => {
  const set = { 'f:metadata': { 'f:annotations': { '.': {}, 'f:a.b/c': {} } } };
  expect(holdsField(set, ['metadata', 'annotations', 'a.b/c'])).toBe(true);
  expect(holdsField(set, ['metadata', 'annotations', 'other'])).toBe(false);
  expect(holdsField(set, ['spec', 'annotations'])).toBe(false);
});

test('refuses to adopt fields from the program itself, or from no manager', () => {
  expect(() => checkTakeFieldsFrom({ takeFieldsFrom: ['kubectl', 'program'] }, 'program')).toThrow(
    'got program. Fix: set the previous field manager',
  );
  expect(() => checkTakeFieldsFrom({ takeFieldsFrom: [''] }, 'program')).toThrow(
    '--take-fields-from: must be the name of a field manager',
  );
  expect(() => checkTakeFieldsFrom({ takeFieldsFrom: ['kubectl'] }, 'program')).not.toThrow();
  expect(() => checkTakeFieldsFrom({}, 'program')).not.toThrow();
});

test('a plan keeps what was asked for, and nothing where nothing was', () => {
  expect(savedOptions({ takeFieldsFrom: ['kubectl'], migrateManagedFields: true })).toEqual({
    takeFieldsFrom: ['kubectl'],
    migrateManagedFields: true,
  });
  expect(savedOptions({ takeFieldsFrom: [], migrateManagedFields: false })).toEqual({});
});

test('an apply of a plan does what the plan was made with, and refuses more', () => {
  const plan = { takeFieldsFrom: ['kubectl', 'helm'], migrateManagedFields: true };
  expect(optionsOfPlan(plan, {})).toEqual(plan);
  expect(optionsOfPlan(plan, { takeFieldsFrom: ['helm'], migrateManagedFields: true })).toEqual(
    plan,
  );
  expect(() => optionsOfPlan({}, { takeFieldsFrom: ['kubectl', 'helm'] })).toThrow(
    'the plan adopts nothing from kubectl, helm. Fix: make a new plan with --take-fields-from kubectl --take-fields-from helm',
  );
  expect(() => optionsOfPlan({}, { migrateManagedFields: true })).toThrow(
    'make a new plan with --migrate-managed-fields',
  );
});

const CSA = 'kubectl-client-side-apply';
const ANNOTATED = { 'f:annotations': { '.': {}, [`f:${ANNOTATION_LAST_APPLIED}`]: {} } };
const REMOVAL = {
  op: 'remove',
  path: '/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration',
};

function adopted(
  entries: readonly Entry[] | undefined,
  takeFieldsFrom: string[] = [CSA],
  metadata: object = {},
  manifest = widget(),
) {
  return rewriteOf(live(entries, metadata), manifest, { fieldManager: OURS, takeFieldsFrom });
}

const entriesOf = (rewrite: ReturnType<typeof rewriteOf>): unknown =>
  rewrite?.patch.find(({ path }) => path === '/metadata/managedFields');

describe('fields of another field manager', () => {
  test('are adopted by a patch without changes where the object was written since', () => {
    const theirs = entry(
      CSA,
      'Update',
      { 'f:spec': { 'f:a': {} } },
      { time: '2026-01-01T00:00:00Z' },
    );
    expect(adopted([theirs])).toEqual({
      patch: [
        { op: 'test', path: '/metadata/resourceVersion', value: '7' },
        {
          op: 'add',
          path: '/metadata/managedFields',
          value: [{ ...theirs, manager: OURS, operation: 'Apply' }],
        },
      ],
      object: live([{ ...theirs, manager: OURS, operation: 'Apply' }]),
      takenFrom: [CSA],
      migrated: [],
    });
  });

  test('are added to the fields of the program', () => {
    const rewrite = adopted([
      entry(OURS, 'Apply', { 'f:spec': { 'f:b': {} } }),
      entry(CSA, 'Update', { 'f:spec': { 'f:a': {} } }),
    ]);
    expect(entriesOf(rewrite)).toMatchObject({
      value: [entry(OURS, 'Apply', { 'f:spec': { 'f:a': {}, 'f:b': {} } })],
    });
  });

  test('of several managers, however they wrote, are adopted together; other managers keep theirs', () => {
    const other = entry('rancher', 'Update', { 'f:spec': { 'f:z': {} } });
    const rewrite = adopted(
      [
        entry('helm', 'Apply', { 'f:spec': { 'f:a': {} } }),
        other,
        entry(CSA, 'Update', { 'f:spec': { 'f:b': {} } }),
      ],
      [CSA, 'helm'],
    );
    expect(entriesOf(rewrite)).toMatchObject({
      value: [entry(OURS, 'Apply', { 'f:spec': { 'f:a': {}, 'f:b': {} } }), other],
    });
    expect(rewrite!.takenFrom).toEqual(['helm', CSA]);
  });

  test('of an older version are adopted in the version of the program', () => {
    const rewrite = adopted([
      entry(CSA, 'Update', { 'f:spec': { 'f:a': {} } }, { apiVersion: 'example.com/v1' }),
      entry(CSA, 'Update', { 'f:spec': { 'f:b': {} } }),
    ]);
    expect(entriesOf(rewrite)).toMatchObject({
      value: [entry(OURS, 'Apply', { 'f:spec': { 'f:a': {}, 'f:b': {} } })],
    });
  });

  test('are kept without a request', () => {
    const entries = [
      entry(CSA, 'Update', { 'f:spec': {} }),
      entry(OURS, 'Apply', { 'f:spec': {} }),
    ];
    expect(adopted(entries, [])).toBeUndefined();
    expect(adopted(entries, ['kubectl'])).toBeUndefined();
    expect(adopted(undefined)).toBeUndefined();
    expect(adopted([entry(OURS, 'Apply', { 'f:spec': {} })], [OURS])).toBeUndefined();
  });
});

describe('the status', () => {
  const status = { 'f:status': { 'f:ready': {} } };

  test('remains with its manager, as a subresource or within the object', () => {
    const subresource = entry(CSA, 'Update', status, { subresource: 'status' });
    expect(adopted([subresource])).toBeUndefined();
    expect(adopted([entry(CSA, 'Update', status)])).toBeUndefined();
    expect(
      entriesOf(adopted([subresource, entry(CSA, 'Update', { 'f:spec': {}, ...status })])),
    ).toMatchObject({
      value: [entry(OURS, 'Apply', { 'f:spec': {} }), subresource, entry(CSA, 'Update', status)],
    });
  });

  test('is adopted where the program names it', () => {
    const rewrite = adopted(
      [entry(CSA, 'Update', status)],
      [CSA],
      {},
      widget({ status: { ready: true } }),
    );
    expect(entriesOf(rewrite)).toMatchObject({ value: [entry(OURS, 'Apply', status)] });
  });
});

describe('the annotation of kubectl apply', () => {
  const metadata = { annotations: { [ANNOTATION_LAST_APPLIED]: '{}', other: 'x' } };
  const theirs = entry(CSA, 'Update', { 'f:metadata': ANNOTATED });

  test('is removed with the fields', () => {
    const rewrite = adopted([theirs], [CSA], metadata);
    expect(rewrite!.patch[2]).toEqual(REMOVAL);
    expect(rewrite!.object.metadata.annotations).toEqual({ other: 'x' });
    expect(
      adopted([theirs], [CSA], { annotations: { [ANNOTATION_LAST_APPLIED]: '{}' } })!.object
        .metadata,
    ).not.toHaveProperty('annotations');
  });

  test("is removed also where only kubectl's own bookkeeping has it", () => {
    const entries = [
      entry('kubectl', 'Apply', { 'f:spec': {} }),
      entry('kubectl-last-applied', 'Apply', { 'f:metadata': ANNOTATED }),
    ];
    expect(adopted(entries, ['kubectl'], metadata)!.patch).toContainEqual(REMOVAL);
  });

  test('is kept where another manager has it, where the program has it, and where it does not exist', () => {
    const helm = entry('helm', 'Update', { 'f:spec': {} });
    expect(adopted([theirs, helm], ['helm'], metadata)!.patch).not.toContainEqual(REMOVAL);
    expect(
      adopted(
        [theirs],
        [CSA],
        metadata,
        widget({}, { annotations: { [ANNOTATION_LAST_APPLIED]: 'mine' } }),
      )!.patch,
    ).not.toContainEqual(REMOVAL);
    expect(adopted([theirs])!.patch).not.toContainEqual(REMOVAL);
  });
});

describe('a migration', () => {
  const migrated = (entries: readonly Entry[], takeFieldsFrom: string[] = []) =>
    rewriteOf(live(entries), widget(), { fieldManager: OURS, takeFieldsFrom, migrate: true });
  const old = { apiVersion: 'example.com/v1' };

  test('gives the version of the program to every manager, and changes nothing else', () => {
    const entries = [
      entry('a', 'Update', { 'f:spec': {} }, old),
      entry('b', 'Update', { 'f:status': {} }, { ...old, subresource: 'status' }),
      entry(OURS, 'Apply', { 'f:spec': { 'f:x': {} } }, old),
      entry('c', 'Apply', { 'f:spec': {} }),
    ];
    const rewrite = migrated(entries)!;
    expect(rewrite.patch).toHaveLength(2);
    const [a, b, ours, c] = entries.map((each) => ({ ...each, apiVersion: 'example.com/v2' }));
    expect(rewrite.object.metadata.managedFields).toEqual([ours, a, b, c]);
    expect(rewrite).toMatchObject({
      takenFrom: [],
      migrated: ['a (example.com/v1)', 'b (example.com/v1)', `${OURS} (example.com/v1)`],
    });
  });

  test('makes one of two entries that would be the same to a server', () => {
    const rewrite = migrated([
      entry('a', 'Update', { 'f:spec': { 'f:x': {} } }, old),
      entry('a', 'Update', { 'f:spec': { 'f:y': {} } }),
    ]);
    expect(rewrite!.object.metadata.managedFields).toEqual([
      entry('a', 'Update', { 'f:spec': { 'f:x': {}, 'f:y': {} } }),
    ]);
  });

  test('has nothing to do where all have that version', () => {
    expect(
      migrated([entry('a', 'Update', { 'f:spec': {} }), entry(OURS, 'Apply', {})]),
    ).toBeUndefined();
  });

  test('is removed together with an adoption', () => {
    const rewrite = migrated(
      [entry('a', 'Update', { 'f:spec': {} }, old), entry(CSA, 'Update', { 'f:spec': {} }, old)],
      [CSA],
    );
    expect(rewrite).toMatchObject({ takenFrom: [CSA], migrated: ['a (example.com/v1)'] });
    expect(
      rewrite!.object.metadata.managedFields!.map(({ manager, apiVersion }) => [
        manager,
        apiVersion,
      ]),
    ).toEqual([
      [OURS, 'example.com/v2'],
      ['a', 'example.com/v2'],
    ]);
  });

  test('is reported by managers and their versions', () => {
    const entries = [
      entry('b', 'Update', {}, old),
      entry('a', 'Update', {}),
      entry('b', 'Apply', {}, old),
    ];
    expect(managersOfOtherVersions(live(entries), widget())).toEqual(['b (example.com/v1)']);
    expect(managersOfOtherVersions(live(undefined), widget())).toEqual([]);
  });
});

test('reports changes of managers on one line', () => {
  expect(rewriteText({ takenFrom: ['helm', 'kubectl'], migrated: [] })).toBe(
    'adopted from helm, kubectl',
  );
  expect(rewriteText({ takenFrom: ['helm'], migrated: ['rancher (a/v1)'] })).toBe(
    'adopted from helm; managed fields migrated: rancher (a/v1)',
  );
  expect(rewriteText({ takenFrom: [], migrated: [] })).toBe('');
});

test('names adoption as the fix for tools that apply, not for controllers or persons', () => {
  const conflicts = ['kubectl', 'helm', 'kubectl', 'rancher', 'kubectl-edit'].map((manager) => ({
    manager,
    field: '.spec',
  }));
  expect(adoptHint(conflicts)).toBe(
    ', or --take-fields-from helm --take-fields-from kubectl to adopt it',
  );
  expect(adoptHint([{ manager: 'rancher', field: '.spec' }])).toBe('');
});
