import { disagreements } from './judge';
import { Done, Said, Seen } from './said';
import { Finding, FindingLevel } from '../../../src/core/rule/finding';
import { LiveObject } from '../../../src/engine/cluster/cluster';
import { PlanStep } from '../../../src/engine/plan/plan';
import { Becomes } from '../../../src/engine/removal/removal';
import { NodeState } from '../../../src/engine/run/context/events';
import { ChangeGroup, ObjectChange } from '../../../src/report/changes/object-changes';
import { Impact } from '../../../src/report/impact/impact';

const ID = 'dc1/harvesterhci.io/KeyPair/shop/ops';

const live = (uid: string, fields: object = {}): LiveObject =>
  ({
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'KeyPair',
    metadata: { name: 'ops', namespace: 'shop', uid, resourceVersion: '1' },
    ...fields,
  }) as LiveObject;

const step = (action: PlanStep['action'], more: Partial<PlanStep> = {}): PlanStep => ({
  id: ID,
  target: 'dc1',
  action,
  changes: [],
  conflicts: [],
  waitsFor: [],
  digest: '',
  ...more,
});

const finding: Finding = {
  rule: 'key-pair/name',
  level: FindingLevel.ERROR,
  message: 'is wrong',
  object: {
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'KeyPair',
    namespace: 'shop',
    name: 'ops',
  },
  path: '',
  fix: '',
  source: '',
  target: 'dc1',
};

const impact = (effect: Impact['effect']): Impact => ({
  effect,
  cluster: '',
  object: 'KeyPair shop/ops',
  target: 'dc1',
  what: 'something happens',
  causes: [],
  risks: [],
});

const changed = (action: ObjectChange['action'], becomes?: Becomes): ChangeGroup => ({
  title: ID,
  objects: [{ action, id: ID, target: 'dc1', object: 'KeyPair shop/ops', fields: [], becomes }],
});

/** What a review has to report of an action of a plan. */
const CHANGE: { readonly [action in PlanStep['action']]?: ChangeGroup[] } = {
  create: [changed('added')],
  prune: [changed('removed', { fate: 'deleted', reason: '' })],
};

interface Told {
  readonly step: PlanStep;
  readonly impacts?: readonly Impact[];
  readonly findings?: readonly Finding[];
  readonly review?: Partial<Said['review']>;
}

function said({ step: only, impacts = [], findings = [], review }: Told): Said {
  const plan = { steps: [only] } as unknown as Said['plan'];
  const objects = CHANGE[only.action] ?? [];
  const whole = { impacts, findings, failures: [], objects, access: [], ...review };
  return { plan, impacts, findings, review: whole };
}

function done(seen: Seen, state?: NodeState, failure?: string): Done {
  return {
    seen: new Map([[ID, seen]]),
    states: new Map(state === undefined ? [] : [[ID, state]]),
    failed: new Map(failure === undefined ? [] : [[ID, failure]]),
    skipped: new Set(),
  };
}

const [one, two] = [live('1'), live('2')];

describe('a commit that does what the commands reported', () => {
  test.each<[string, Told, Done]>([
    ['creates', { step: step('create') }, done({ after: one }, 'created')],
    ['leaves alone', { step: step('unchanged') }, done({ before: one, after: one }, 'unchanged')],
    [
      'deletes',
      { step: step('prune'), impacts: [impact('delete')] },
      done({ before: one }, 'deleted'),
    ],
    [
      'keeps',
      { step: step('keep'), impacts: [impact('kept')] },
      done({ before: one, after: one }, 'kept'),
    ],
    [
      'is refused',
      { step: step('update', { refused: 'no' }), findings: [finding] },
      done({ before: one, after: one }, 'failed', 'no'),
    ],
    [
      'is lost, as lint reported',
      { step: step('prune'), findings: [finding] },
      done({ before: one }, 'deleted'),
    ],
    [
      'changes a field',
      { step: step('update', { changes: [{ path: 'spec.publicKey', before: 'a', after: 'b' }] }) },
      done(
        {
          before: live('1', { spec: { publicKey: 'a' } }),
          after: live('1', { spec: { publicKey: 'b' } }),
        },
        'configured',
      ),
    ],
  ])('%s, and nothing is wrong', (_, told, what) => {
    expect(disagreements(said(told), what)).toEqual([]);
  });
});

test('a run that does not begin is in the plan, or the plan is wrong', () => {
  const refused = { ...done({}), refused: 'no' };
  expect(disagreements(said({ step: step('create') }), refused)).toEqual([
    'plan: silent about what apply refuses: no',
  ]);
  const told = said({ step: step('create') });
  const withProblem = { ...told, plan: { ...told.plan, problems: ['no'] } };
  expect(disagreements(withProblem, refused)).toEqual([]);
});

describe('a commit that does something else', () => {
  test.each<[string, Told, Done, string]>([
    ['an object that is not there', { step: step('create') }, done({}, 'created'), 'is not there'],
    [
      'another state of the apply',
      { step: step('unchanged') },
      done({ before: one, after: one }, 'configured'),
      'apply reported configured',
    ],
    [
      'an object that is recreated',
      { step: step('update') },
      done({ before: one, after: two }, 'configured'),
      'was recreated',
    ],
    [
      'an object that remains',
      { step: step('prune') },
      done({ before: one, after: one }, 'deleted'),
      'is still there',
    ],
    [
      'an object that impact expects to be deleted',
      { step: step('keep'), impacts: [impact('delete')] },
      done({ before: one, after: one }, 'kept'),
      'impact: delete',
    ],
    [
      'a login that impact expects to be disabled',
      { step: step('reset'), impacts: [impact('delete')] },
      done({ before: one, after: live('1', { enabled: true }) }, 'reset'),
      'impact: delete',
    ],
    [
      'a refusal that nothing announced',
      { step: step('update') },
      done({ before: one, after: one }, 'failed', 'no'),
      'plan: silent about',
    ],
    [
      'a refusal that lint does not know',
      { step: step('update', { refused: 'no' }) },
      done({ before: one, after: one }, 'failed', 'no'),
      'lint: silent about',
    ],
    [
      'an error that the server accepts',
      { step: step('update'), findings: [finding] },
      done({ before: one, after: one }, 'configured'),
      'lint: key-pair/name is an error',
    ],
    [
      'a refusal that does not come',
      { step: step('update', { refused: 'no' }) },
      done({ before: one, after: one }, 'configured'),
      'which did not fail',
    ],
    [
      'another value of a field',
      { step: step('update', { changes: [{ path: 'spec.publicKey', before: 'a', after: 'b' }] }) },
      done(
        {
          before: live('1', { spec: { publicKey: 'a' } }),
          after: live('1', { spec: { publicKey: 'c' } }),
        },
        'configured',
      ),
      'spec.publicKey after it is "c" instead of "b"',
    ],
    [
      'a review that lacks an impact',
      { step: step('prune'), impacts: [impact('delete')], review: { impacts: [] } },
      done({ before: one }, 'deleted'),
      'review: lacks the impact',
    ],
  ])('reports %s', (_, told, what, expected) => {
    expect(disagreements(said(told), what)).toContainEqual(expect.stringContaining(expected));
  });
});

describe('the changes of a review', () => {
  const wrong = (told: Told, what: Done): string[] => disagreements(said(told), what);
  const KEPT = changed('removed', { fate: 'kept', reason: 'it holds data' });

  test('are wrong about what is not there, is still there, or is gone', () => {
    expect(
      wrong(
        { step: step('update'), review: { objects: [changed('changed')] } },
        done({ before: one }),
      ),
    ).toContain(`review: changed ${ID}, and it is not there`);
    expect(wrong({ step: step('prune') }, done({ before: one, after: one }))).toContain(
      `review: ${ID} is deleted, and it is still there`,
    );
    expect(
      wrong({ step: step('prune'), review: { objects: [KEPT] } }, done({ before: one })),
    ).toContain(`review: ${ID} is kept, and it is not there`);
  });

  test('may be kept by a review, and deleted by an apply that prunes machines', () => {
    const becomes = { fate: 'kept', reason: 'x', loss: 'the machine' } as const;
    const objects = [changed('removed', becomes)];
    expect(wrong({ step: step('prune'), review: { objects } }, done({ before: one }))).toEqual([]);
    // with what they need
    const all = { objects: [...objects, KEPT] };
    expect(wrong({ step: step('prune'), review: all }, done({ before: one }))).toEqual([]);
  });

  test('have each object that a plan creates or deletes', () => {
    const review = { objects: [] };
    expect(wrong({ step: step('create'), review }, done({ after: one }))).toEqual([
      `review: silent about ${ID}, which the plan has as create`,
    ]);
    expect(wrong({ step: step('prune'), review }, done({ before: one }))).toEqual([
      `review: silent about ${ID}, which the plan has as prune`,
    ]);
  });

  test('say nothing of what failed', () => {
    expect(
      wrong(
        { step: step('create', { refused: 'no' }), findings: [finding] },
        done({}, 'failed', 'no'),
      ),
    ).toEqual([]);
  });
});
