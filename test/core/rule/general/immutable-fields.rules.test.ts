import { KindDescription, ON_HARVESTER } from '../../../../src/core/kind/kind';
import { FieldPath, Manifest, pathOf } from '../../../../src/core/manifest/manifest';
import { immutableRules } from '../../../../src/core/rule/general/immutable-fields.rules';
import { judge } from '../../../../src/core/rule/judge';
import { JudgedTarget, Rule, World } from '../../../../src/core/rule/rule';
import { HarvesterGate } from '../../../../src/harvester/version/harvester-version';
import { ALL_KINDS } from '../../../../src/registry/all-kinds';
import { ALL_RULES } from '../../../../src/registry/all-rules';

const TARGET: JudgedTarget = {
  name: 'a',
  kind: 'harvester',
  harvesterVersion: '1.9.0',
  rancherVersion: '2.13.8',
};

const KIND: KindDescription = {
  group: 'g.example.com',
  version: 'v1',
  kind: 'Thing',
  scope: 'Cluster',
  rank: 50,
};
const ROW = {
  id: 'thing/fixed',
  what: 'a field is immutable',
  source: 'a source',
  fix: 'restore it',
} as const;

function thing(spec: object, metadata: object = {}): Manifest {
  return {
    apiVersion: 'g.example.com/v1',
    kind: 'Thing',
    metadata: { name: 'a', ...metadata },
    spec,
  };
}

function edits(rules: readonly Rule[], before: Manifest, now: Manifest, target = TARGET) {
  return judge(
    rules.filter(({ judgeUpdate }) => judgeUpdate).map((rule) => ({ ...rule, judge: undefined })),
    new World([{ manifest: now, target }], [], [{ manifest: before, target }]),
  );
}

/** Findings about an edit of one field, as `level path: message`. */
function edit(
  field: object,
  before: Manifest,
  now: Manifest,
  { target = TARGET, row = {} }: { target?: JudgedTarget; row?: object } = {},
): string[] {
  const rules = immutableRules([
    { ...KIND, immutable: [{ ...ROW, fields: [{ path: 'spec.a', ...field }], ...row }] },
  ]);
  return edits(rules, before, now, target).map(
    ({ level, path, message }) => `${level} ${path}: ${message}`,
  );
}

const CHANGED = ['error spec.a: cannot be changed from "x"'];

test('reports a changed value, and accepts the same', () => {
  expect(edit({}, thing({ a: 'x' }), thing({ a: 'y' }))).toEqual(CHANGED);
  expect(edit({}, thing({ a: 'x' }), thing({ a: 'x', b: 1 }))).toEqual([]);
});

test('compares no late value, also within a map', () => {
  expect(edit({}, thing({ a: 'x' }), thing({ a: '${late:b}' }))).toEqual([]);
  expect(edit({}, thing({ a: 'x' }), thing({ a: { name: '${late:b}' } }))).toEqual([]);
  expect(
    edit(
      { compared: (value: unknown) => value === 'x' },
      thing({ a: 'x' }),
      thing({ a: '${late:b}' }),
    ),
  ).toEqual([]);
});

test('reads an omitted field as a change, unless a server may have filled it in', () => {
  const live = thing({ a: 'x' }, { uid: 'u' });
  expect(edit({}, thing({ a: 'x' }), thing({}))).toEqual(CHANGED);
  expect(edit({}, live, thing({}))).toEqual([]);
  expect(edit({ omitted: 'changes' }, live, thing({}))).toEqual(CHANGED);
  expect(edit({ omitted: 'keeps' }, thing({ a: 'x' }), thing({}))).toEqual([]);
});

test('reports an added value, unless the field can be set later', () => {
  expect(edit({}, thing({}), thing({ a: 'x' }))).toEqual([
    'error spec.a: cannot be added to an existing object',
  ]);
  expect(edit({ addable: true }, thing({}), thing({ a: 'x' }))).toEqual([]);
});

test('knows the default of the server, and the part of a value that the server compares', () => {
  expect(edit({ default: 'x' }, thing({}), thing({ a: 'x' }))).toEqual([]);
  expect(edit({ default: 'x' }, thing({}), thing({ a: 'y' }))).toEqual(CHANGED);
  expect(
    edit(
      { compared: (value: unknown) => String(value).trim() },
      thing({ a: 'x' }),
      thing({ a: ' x' }),
    ),
  ).toEqual([]);
});

test('compares a map by its keys', () => {
  expect(
    edit({ keys: { except: ['c'] } }, thing({ a: { b: 1, c: 1 } }), thing({ a: { b: 2, c: 2 } })),
  ).toEqual(['error spec.a.b: cannot be changed from 1']);
});

test('leaves out values that are hidden', () => {
  expect(edit({ hidden: true }, thing({ a: 'x' }), thing({ a: 'y' }))).toEqual([
    'error spec.a: cannot be changed',
  ]);
});

test('warns about versions that accept a change, and skips those in which the row does not apply', () => {
  const since = HarvesterGate.LOAD_BALANCER_IPAM_FIXED;
  const old = { ...TARGET, harvesterVersion: '1.3.2' };
  const unknown = { name: 'a' };
  const states = [thing({ a: 'x' }), thing({ a: 'y' })] as const;
  expect(edit({ since }, ...states)).toEqual(CHANGED);
  expect(edit({ since }, ...states, { target: unknown })).toEqual(CHANGED);
  expect(edit({ since }, ...states, { target: old })).toEqual([
    'warning spec.a: cannot be changed from "x"',
  ]);
  expect(edit({}, ...states, { target: old, row: { since } })).toEqual([]);
  expect(
    edit({}, ...states, { target: { ...TARGET, kind: 'guest' }, row: { on: ON_HARVESTER } }),
  ).toEqual([]);
});

/** A manifest with a value at a path. */
function withValue(path: FieldPath, value: unknown): object {
  return path.reduceRight<unknown>((inner, step) => ({ [step]: inner }), value) as object;
}

function merged(a: object, b: object): object {
  const both = Object.entries(b).map(([key, value]) => {
    const own = (a as Record<string, unknown>)[key];
    return [
      key,
      typeof own === 'object' && typeof value === 'object' ? merged(own!, value as object) : value,
    ] as const;
  });
  return { ...a, ...Object.fromEntries(both) };
}

/** Two values that differ for the server, by path; all others differ as texts. */
const VALUES: Record<string, readonly [unknown, unknown]> = {
  'spec.ipam': ['pool', 'dhcp'],
  'spec.workloadType': ['vm', 'cluster'],
};

/** What else an object needs so that the field is compared. */
const NEEDED: Record<string, object> = {
  'spec.pvcName': { spec: { sourceType: 'export-from-volume' } },
  'spec.pvcNamespace': { spec: { sourceType: 'export-from-volume' } },
};

const NET_CONF = (type: string, bridge: string): object => ({
  spec: { config: JSON.stringify({ cniVersion: '0.3.1', name: 'n', type, bridge }) },
});
const WITHIN: Record<string, readonly [object, object]> = {
  'spec.config.type': [NET_CONF('bridge', 'a-br'), NET_CONF('kube-ovn', 'a-br')],
  'spec.config.bridge': [NET_CONF('bridge', 'a-br'), NET_CONF('bridge', 'b-br')],
};

const FIELDS = ALL_KINDS.flatMap((kind) =>
  (kind.immutable ?? [])
    // rows of Kubernetes itself yield to others, and have tests of their own in test/core/kubernetes
    .filter(({ general }) => !general)
    .flatMap((row) =>
      row.fields.map((field) => ({ kind, row, field, name: `${row.id} ${field.path}` })),
    ),
);

test.each(FIELDS)('reports a change of $name', ({ kind, row, field }) => {
  const path = [...pathOf(field.path), ...(field.keys ? ['x'] : [])];
  const states =
    WITHIN[field.path] ??
    (VALUES[field.path] ?? ['one', 'two']).map((value) => withValue(path, value));
  const [before, now] = states.map(
    (state) =>
      merged(
        merged(
          {
            apiVersion: `${kind.group === '' ? '' : `${kind.group}/`}${kind.version}`,
            kind: kind.kind,
            metadata: { name: 'a', ...(kind.scope === 'Cluster' ? {} : { namespace: 'n' }) },
          },
          NEEDED[field.path] ?? {},
        ),
        state,
      ) as Manifest,
  );
  expect(edits(ALL_RULES, before, now).filter(({ rule }) => rule === row.id)).toEqual([
    expect.objectContaining({ source: row.source }),
  ]);
  expect(edits(ALL_RULES, now, now).filter(({ rule }) => rule === row.id)).toEqual([]);
});

test('describes the immutable fields of at least a dozen kinds', () => {
  expect(new Set(FIELDS.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(12);
});

test('a field that the previous manifest set, and the next one lacks, is removed from a live object', () => {
  const rules = immutableRules([
    { ...KIND, immutable: [{ ...ROW, fields: [{ path: 'spec.a' }] }] },
  ]);
  const [live, written] = [thing({ a: 1 }, { uid: 'u' }), thing({ a: 1 })];
  const on = (manifest: Manifest) => [{ manifest, target: TARGET }];
  const found = (before: Manifest[]) =>
    judge(rules, new World(on(thing({})), on(live), before.flatMap(on))).map(({ path }) => path);
  expect(found([])).toEqual([]);
  expect(found([thing({})])).toEqual([]);
  expect(found([written])).toEqual(['spec.a']);
});
