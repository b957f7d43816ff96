import { Manifest } from '../../../../src/core/manifest/manifest';
import { judge } from '../../../../src/core/rule/judge';
import { Fact, ruleOf, rules } from '../../../../src/core/rule/kit/fact';
import { needs, refersTo, unique, usedBy } from '../../../../src/core/rule/kit/relations';
import { matches } from '../../../../src/core/rule/kit/values';
import { JudgedTarget, World } from '../../../../src/core/rule/rule';
import { RancherGate } from '../../../../src/rancher/version/rancher-version';

const BASE = {
  id: 'test/fact',
  level: 'error',
  kinds: ['/ConfigMap'],
  what: 'a test',
  source: 'this test',
} as const;
const LATE = 'a${late:cluster.id}';
const RANCHER: JudgedTarget = { name: 'rancher', kind: 'rancher' };
const configMap = (data: object, name = 'a', metadata: object = {}): Manifest => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'team', ...metadata },
  data,
});

interface Input {
  readonly target?: JudgedTarget;
  readonly live?: readonly Manifest[];
  readonly before?: readonly Manifest[];
}

/** What a fact finds, as `level path: message (value)`. */
function found(
  fact: Partial<Fact>,
  judged: readonly Manifest[],
  { target = RANCHER, live = [], before = [] }: Input = {},
): string[] {
  const on = (manifests: readonly Manifest[]) =>
    manifests.map((manifest) => ({ manifest, target }));
  return judge([ruleOf({ ...BASE, ...fact })], new World(on(judged), on(live), on(before))).map(
    ({ level, path, message, value }) =>
      `${level} ${path}: ${message}${value === undefined ? '' : ` (${value})`}`,
  );
}

const SHORT: Partial<Fact> = {
  field: 'data.size',
  check: matches(/^\d+$/, { message: 'must be a number', fix: 'use digits' }),
};

describe('a field', () => {
  test('has a value that passes its check', () => {
    expect(found(SHORT, [configMap({ size: 'x' }), configMap({ size: '1' }, 'b')])).toEqual([
      'error data.size: must be a number ("x")',
    ]);
  });

  test('is in order without a value, and with a late one', () => {
    expect(
      found(SHORT, [configMap({}), configMap({ size: LATE }, 'b'), configMap({ size: null }, 'c')]),
    ).toEqual([]);
  });

  test('can ask for late values', () => {
    const fact: Partial<Fact> = {
      field: 'data.size',
      check: (_, value) => ({ message: 'is late', fix: 'wait', value }),
    };
    expect(found(fact, [configMap({ size: LATE })])).toEqual([]);
    expect(found({ ...fact, late: 'judged' }, [configMap({ size: LATE })])).toEqual([
      `error data.size: is late ("${LATE}")`,
    ]);
  });

  test('can have a check that judges a missing value', () => {
    const fact: Partial<Fact> = {
      field: 'data.size',
      check: (_, value) => value === undefined && { message: 'is missing', fix: 'set it' },
    };
    expect(found(fact, [configMap({})])).toEqual([]);
    expect(found({ ...fact, missing: 'judged' }, [configMap({})])).toEqual([
      'error data.size: is missing',
    ]);
  });

  test('can be required', () => {
    const fact: Partial<Fact> = { ...SHORT, required: { fix: 'set a size' } };
    expect(
      found(fact, [
        configMap({}),
        configMap({ size: '' }, 'b'),
        configMap({ size: 'x' }, 'c'),
        configMap({ size: LATE }, 'd'),
      ]),
    ).toEqual([
      'error data.size: must be set',
      'error data.size: must be set',
      'error data.size: must be a number ("x")',
    ]);
  });
});

describe('a fact is about', () => {
  const always: Partial<Fact> = { judge: () => ({ message: 'is judged', fix: 'none' }) };
  const on = (fact: Partial<Fact>, kind: JudgedTarget['kind']): number =>
    found({ ...always, ...fact }, [configMap({})], { target: { name: 'a', kind } }).length;

  test('clusters of a kind, and those of an unknown kind unless it excludes them', () => {
    expect([
      on({ on: 'rancher' }, 'rancher'),
      on({ on: 'rancher' }, undefined),
      on({ on: 'rancher' }, 'harvester'),
    ]).toEqual([1, 1, 0]);
    expect([
      on({ surelyOn: 'rancher' }, 'rancher'),
      on({ surelyOn: 'rancher' }, undefined),
    ]).toEqual([1, 0]);
  });

  test('versions with a feature, and unknown ones', () => {
    const since: Partial<Fact> = { ...always, gate: RancherGate.PASSWORD_SECRET };
    const by = (rancherVersion?: string) =>
      found(since, [configMap({})], { target: { ...RANCHER, rancherVersion } }).length;
    expect([by('2.13.8'), by('2.12.0'), by()]).toEqual([1, 0, 1]);
  });

  test('new objects', () => {
    expect(found({ ...always, creation: true }, [configMap({})])).toHaveLength(1);
    expect(
      found({ ...always, creation: true }, [configMap({})], { live: [configMap({})] }),
    ).toEqual([]);
  });

  test('objects that its family and it describe', () => {
    const [one] = rules(
      { ...BASE, when: ({ manifest }) => manifest.metadata.namespace === 'team' },
      [{ ...always, id: 'test/when', when: ({ manifest }) => manifest.metadata.name === 'b' }],
    );
    const judged = [
      configMap({}),
      configMap({}, 'b'),
      configMap({}, 'b', { namespace: 'other' }),
    ].map((manifest) => ({ manifest, target: RANCHER }));
    expect(
      judge([one!], new World(judged)).map(({ object }) => `${object!.namespace}/${object!.name}`),
    ).toEqual(['team/b']);
  });

  test('edits and deletions of the same objects', () => {
    const fact: Partial<Fact> = {
      on: 'harvester',
      judgeUpdate: () => ({ message: 'is changed', fix: 'none' }),
      judgeDeletion: () => ({ message: 'is gone', fix: 'none' }),
    };
    const before = [configMap({}), configMap({}, 'b')];
    const harvester: JudgedTarget = { name: 'dc1', kind: 'harvester' };
    expect(found(fact, [configMap({})], { before, target: harvester })).toEqual([
      'error : is changed',
      'error : is gone',
    ]);
    expect(found(fact, [configMap({})], { before })).toEqual([]);
  });
});

test('a rule finds one problem, several, or nothing', () => {
  const problem = { path: 'data', message: 'is bad', fix: 'none' };
  expect(found({ judge: () => problem }, [configMap({})])).toEqual(['error data: is bad']);
  expect(found({ judge: () => [problem, problem] }, [configMap({})])).toHaveLength(2);
  for (const nothing of [undefined, null, false, '', 0] as const) {
    expect(found({ judge: () => nothing }, [configMap({})])).toEqual([]);
  }
});

describe('relations', () => {
  const port = unique(
    ['', 'ConfigMap'],
    ({ manifest }) => (manifest.data as { port?: string }).port,
    (other, { manifest }) => ({
      message: `${manifest.metadata.name} repeats ${other.manifest.metadata.name}`,
      fix: 'choose another',
    }),
  );

  test('find the second object with a value, and the new one of a live one', () => {
    expect(
      found({ judge: port }, [
        configMap({ port: '1' }),
        configMap({ port: '1' }, 'b'),
        configMap({}, 'c'),
        configMap({}, 'd'),
      ]),
    ).toEqual(['error : b repeats a']);
    expect(
      found({ judge: port }, [configMap({ port: '1' })], { live: [configMap({ port: '1' }, 'z')] }),
    ).toEqual(['error : a repeats z']);
    expect(
      found({ judge: port }, [configMap({ port: LATE }), configMap({ port: LATE }, 'b')]),
    ).toEqual([]);
  });

  const user: Partial<Fact> = {
    field: 'data.user',
    check: refersTo(['management.cattle.io', 'User'], {
      builtIn: ['admin'],
      ifAny: true,
      problem: { message: 'must be a User', fix: 'declare it' },
    }),
  };
  const userNamed = (name: string): Manifest => ({
    apiVersion: 'management.cattle.io/v3',
    kind: 'User',
    metadata: { name },
    username: 'admin',
  });

  test('find a reference to what does not exist, if any object of the kind is known', () => {
    expect(found(user, [configMap({ user: 'u-1' })])).toEqual([]);
    expect(
      found(user, [
        configMap({ user: 'u-1' }),
        configMap({ user: 'u-2' }, 'b'),
        configMap({ user: 'admin' }, 'c'),
        userNamed('u-2'),
      ]),
    ).toEqual(['warning data.user: must be a User ("u-1")']);
  });

  const inUse: Partial<Fact> = {
    judgeDeletion: usedBy({
      by: [['management.cattle.io', 'User']],
      uses: ({ manifest }, gone) => manifest.metadata.name === gone.manifest.metadata.name,
      problem: (users) => ({ message: `is used by ${users.length}`, fix: 'keep it' }),
      unused: { message: 'is deleted', fix: 'keep it' },
    }),
  };

  test('find what uses a deleted object', () => {
    expect(found(inUse, [userNamed('a')], { before: [configMap({}), configMap({}, 'b')] })).toEqual(
      ['error : is used by 1', 'error : is deleted'],
    );
  });

  test('find fields that a version ignores', () => {
    const fact: Partial<Fact> = { field: 'data.x', check: needs(RancherGate.PASSWORD_SECRET) };
    expect(
      found(fact, [configMap({ x: '1' })], { target: { ...RANCHER, rancherVersion: '2.13.8' } }),
    ).toEqual([]);
    expect(
      found(fact, [configMap({ x: '1' })], { target: { ...RANCHER, rancherVersion: '2.12.0' } }),
    ).toEqual([expect.stringMatching(/^error data\.x: has no effect: .*needs Rancher 2\.13/)]);
  });
});
