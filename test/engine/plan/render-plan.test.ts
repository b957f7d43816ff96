import { render } from '../../../src/core/text/screen';
import { Plan, PlanStep, outcomeOf } from '../../../src/engine/plan/plan';
import { planBlocks, planMarkdown, planText } from '../../../src/engine/plan/render-plan';

function step(name: string, more: Partial<PlanStep>): PlanStep {
  return {
    id: `rancher//ConfigMap/default/${name}`,
    target: 'rancher',
    action: 'unchanged',
    changes: [],
    conflicts: [],
    waitsFor: [],
    digest: 'd',
    ...more,
  };
}

const PLAN: Plan = {
  schemaVersion: '3',
  assembly: 'a1',
  targets: [
    { name: 'rancher', by: 'context prod', version: '2.13.8', clusterUid: 'u' },
    { name: 'dc1', by: 'context dc1', version: '1.7.2' },
    {
      name: 'shop',
      by: 'Secret fleet-default/shop-kubeconfig on rancher',
      absent: 'the cluster is yet to be made',
    },
  ],
  steps: [
    step('new', {
      action: 'create',
      waitsFor: ['import-token'],
      reason: 'no dry run: it waits for late values',
    }),
    step('edited', {
      action: 'update',
      changes: [
        { path: 'data.x', before: '1', after: '2' },
        { path: 'data.password', before: '<sha256:1a2b3c4d>', after: '<sha256:5e6f7a8b>' },
        { path: 'data.gone', before: 'b' },
        { path: 'data.new', after: { a: 1 } },
      ],
      conflicts: [{ manager: 'kubectl-edit', field: '.data.x' }],
    }),
    step('same', {}),
    step('old', { action: 'prune', reason: 'is no longer declared' }),
  ],
  rolls: [
    {
      target: 'rancher',
      cluster: 'fleet-default/shop',
      pool: 'all',
      effect: 'replace',
      machines: 3,
      what: 'its machines are replaced',
      causes: ['userData'],
    },
  ],
};

test('objects whose values remain are counted as adopted', () => {
  const live = { uid: 'u', resourceVersion: '1' };
  const mark = { path: 'metadata.labels[applyset.kubernetes.io/part-of]', after: 'applyset-x-v1' };
  const counts = (...steps: PlanStep[]): string =>
    planText({ ...PLAN, steps, rolls: [] })
      .split('\n')
      .filter((line) => line.startsWith('plan: '))
      .join();
  expect(
    counts(
      step('a', { action: 'update', live, changes: [mark] }),
      step('b', { action: 'update', live }),
      step('c', { action: 'update', live, changes: [mark, { path: 'data.x', after: 1 }] }),
    ),
  ).toBe('plan: 1 to update, 2 to adopt as they are');
});

test('text is grouped by cluster, in order', () => {
  expect(planText(PLAN)).toBe(
    [
      'rancher (context prod, 2.13.8)',
      '  + ConfigMap default/new  (no dry run: it waits for late values)',
      '    waits for late value import-token (known after apply)',
      '  ~ ConfigMap default/edited',
      '    ~ data.x: "1" -> "2"',
      '    ~ data.password: <sha256:1a2b3c4d> -> <sha256:5e6f7a8b>',
      '    - data.gone: "b"',
      '    + data.new: {"a":1}',
      '    ! .data.x is owned by kubectl-edit',
      "    Fix: remove it from the program, or take it with --force-conflicts 'rancher//ConfigMap/default/edited'",
      '  - ConfigMap default/old  (is no longer declared)',
      '',
      'dc1 (context dc1, 1.7.2)',
      '  no changes',
      '',
      'shop (Secret fleet-default/shop-kubeconfig on rancher)',
      '  the cluster is yet to be made',
      '',
      'machines of guest clusters',
      '  pool all of fleet-default/shop on rancher: 3 machines replaced: its machines are replaced; for userData',
      '',
      'plan: 1 to create, 1 to delete, 1 unchanged, 1 that would fail',
    ].join('\n'),
  );
  expect(planText(PLAN, { all: true })).toContain('ConfigMap default/same');
});

test('a terminal shows colors, the first steps, and everything that is deleted or would fail', () => {
  const colored = render(planBlocks(PLAN), { colors: true });
  expect(colored).toContain(
    '  \u001b[31m- ConfigMap default/old\u001b[39m\u001b[2m  (is no longer declared)\u001b[22m\n',
  );
  expect(colored).toMatch(
    /\u001b\[31m1 to create, 1 to delete, 1 unchanged, 1 that would fail\u001b\[39m$/,
  );
  const steps = [
    ...Array.from({ length: 30 }, (_, index) => step(`new-${index}`, { action: 'create' })),
    step('old', { action: 'prune' }),
    step('bad', { action: 'update', refused: 'no' }),
  ];
  const text = render(planBlocks({ ...PLAN, steps }), { colors: false, width: 80, most: 20 });
  expect(text).toMatch(
    /new-19\n {2}- ConfigMap default\/old\n {2}~ ConfigMap default\/bad\n.*refused: no\n.*\n {2}… and 10 more steps \(--all\)\n/,
  );
  // eslint-disable-next-line no-control-regex
  expect(planText(PLAN)).not.toMatch(/\u001b/);
});

test('what servers and people wrote moves no cursor and breaks no line', () => {
  const hostile = step('a', {
    action: 'update',
    refused: 'no\u001b[2J\nat all',
    changes: [{ path: 'data.x', before: '\u001b]0;title\u0007', after: 'a\u202eb\u2028c' }],
  });
  const text = planText({ ...PLAN, steps: [hostile], rolls: [] });
  // eslint-disable-next-line no-control-regex
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e\u2028]/);
  expect(text).toContain('! refused: no\\u001b[2J at all\n    id: rancher//ConfigMap/default/a\n');
});

test('Markdown folds each cluster, and shows machines that go', () => {
  const markdown = planMarkdown(PLAN);
  expect(markdown.match(/<details>/g)).toHaveLength(3);
  expect(markdown).toContain(
    '<details open>\n<summary>machines of guest clusters that are replaced or deleted, or may be</summary>',
  );
  expect(markdown).toContain(
    '<summary>rancher &#40;context prod, 2.13.8&#41;: 1 to create, 1 to delete, 1 unchanged, 1 that would fail</summary>',
  );
  expect(markdown).toContain('```diff\n+ + ConfigMap default/new');
  expect(markdown).toContain('- - ConfigMap default/old  (is no longer declared)\n```');
});

test('nothing in a value ends a block of Markdown, or a fold', () => {
  const hostile = step('a', {
    action: 'update',
    changes: [{ path: 'data.x', before: 'x', after: '```\n</details><img src=x> @everyone ````' }],
  });
  const markdown = planMarkdown({
    ...PLAN,
    targets: [{ name: '</summary><b>@all', by: 'x' }, PLAN.targets[0]],
    steps: [hostile],
    rolls: [],
  });
  expect(markdown).toContain('`````diff\n');
  expect(markdown.match(/^`````$/gm)).toHaveLength(1);
  expect(markdown.match(/^<\/details>$/gm)).toHaveLength(2);
  expect(markdown).not.toContain('</summary><b>@all');
});

test('a comment is never longer than GitHub takes', () => {
  const many = Array.from({ length: 5000 }, (_, index) =>
    step(`object-${index}`, { action: 'create' }),
  );
  const markdown = planMarkdown({ ...PLAN, steps: many, rolls: [] });
  expect(markdown.length).toBeLessThan(65_536);
  expect(markdown).toMatch(
    /\n\d+ more lines are left out: \d+ of rancher; see the text of the plan\.\n/,
  );
  const [, left] = /\n(\d+) more lines/.exec(markdown)!;
  expect(markdown.match(/ConfigMap default\/object-/g)).toHaveLength(5000 - Number(left));
});

test('never leaves out a deletion or a failure for a long cluster before it', () => {
  const many = Array.from({ length: 5000 }, (_, index) =>
    step(`object-${index}`, { action: 'create' }),
  );
  const on = (target: string, name: string, more: Partial<PlanStep>): PlanStep => ({
    ...step(name, more),
    id: `${target}//ConfigMap/default/${name}`,
    target,
  });
  const markdown = planMarkdown({
    ...PLAN,
    steps: [
      ...many,
      on('dc1', 'old', { action: 'prune', reason: 'is no longer declared' }),
      on('dc1', 'set', { action: 'reset' }),
      on('shop', 'bad', { action: 'unknown', refused: 'no' }),
      on('dc1', 'small', { action: 'create' }),
    ],
    missingRights: ['dc1 (context dc1): delete configmaps old'],
  });
  const order = [
    '<summary>missing permissions',
    'dc1 (context dc1): delete configmaps old',
    '<summary>an apply would fail at',
    '- ? ConfigMap default/bad  on shop',
    '! refused: no',
    'id: shop//ConfigMap/default/bad',
    '<summary>machines of guest clusters that are replaced or deleted, or may be',
    '<summary>deleted and reset',
    '- - ConfigMap default/old  (is no longer declared)  on dc1',
    '- 0 ConfigMap default/set  on dc1',
    '<summary>rancher ',
    ' of rancher; see the text of the plan',
    '<summary>dc1 ',
    '+ + ConfigMap default/small',
    '<summary>shop ',
  ];
  const places = order.map((text) => [text, markdown.indexOf(text)] as const);
  expect(places.filter(([, at]) => at < 0)).toEqual([]);
  expect(places).toEqual([...places].sort(([, a], [, b]) => a - b));
  expect(markdown.length).toBeLessThan(65_536);
});

test('shows how much of which cluster is left out of a long summary, and leaves the clusters their room', () => {
  const gone = Array.from({ length: 3000 }, (_, index) => ({
    ...step(`object-${index}`, { action: 'prune' }),
    target: index < 2999 ? 'rancher' : 'dc1',
  }));
  const markdown = planMarkdown({ ...PLAN, steps: gone, rolls: [] });
  expect(markdown).toMatch(
    /<summary>deleted and reset<\/summary>[^<]*\d+ more lines are left out: \d+ of rancher, 1 of dc1; see the text of the plan\./,
  );
  expect(markdown).toContain('<summary>dc1 ');
  expect(markdown.length).toBeLessThan(65_536);
});

test('keeps endless lines and countless clusters within a comment', () => {
  const long = step('a', { action: 'update', refused: 'x'.repeat(100_000) });
  const fences = Array.from({ length: 500 }, (_, index) => ({
    name: `cluster-${index}-${'`'.repeat(900)}`,
    by: 'x',
  }));
  const steps = fences.flatMap(({ name }) => [
    { ...step('a', { action: 'create', reason: '`'.repeat(2000) }), target: name },
  ]);
  const markdown = planMarkdown({
    ...PLAN,
    targets: [...PLAN.targets, ...fences],
    steps: [long, ...steps],
    rolls: [],
  });
  expect(markdown.length).toBeLessThan(65_536);
  expect(markdown).toMatch(/\d+ of 503 clusters are left out; see the text of the plan\.$/);
});

test('reports fields that are taken by force, but not as a problem', () => {
  const forced = step('edited', {
    action: 'update',
    forces: [{ manager: 'kubectl-edit', field: '.data.x' }],
  });
  const plan = { ...PLAN, steps: [forced], rolls: [] };
  expect(planText(plan)).toContain(
    '  ~ ConfigMap default/edited\n    ! .data.x is taken from kubectl-edit\n',
  );
  expect(outcomeOf(plan)).toBe('changes');
});

test('a step is counted once', () => {
  const steps = [
    step('a', { action: 'unknown', refused: 'no' }),
    step('b', { action: 'unknown' }),
    step('c', { action: 'prune', refused: 'no' }),
  ];
  expect(planText({ ...PLAN, steps, rolls: [] })).toMatch(
    /^plan: 1 known after apply, 2 that would fail$/m,
  );
});

test.each<[outcome: string, steps: readonly PlanStep[]]>([
  ['nothing', [step('a', {}), step('b', { action: 'keep' })]],
  ['changes', [step('a', { action: 'create' })]],
  ['changes', [step('a', { action: 'unknown' })]],
  ['problems', [step('a', { action: 'update', conflicts: [{ manager: 'm', field: '.f' }] })]],
  ['problems', [step('a', { action: 'create', refused: 'no' })]],
])('comes to %s', (outcome, steps) => {
  expect(outcomeOf({ ...PLAN, steps })).toBe(outcome);
});

test('puts what prevents an apply before all other problems, and in Markdown first of all', () => {
  const plan: Plan = {
    ...PLAN,
    problems: ['this program declares none of the 2 objects that app default applied before'],
  };
  expect(planText(plan)).toContain(
    '\nwhy an apply would not begin\n  ! this program declares none of the 2 objects that app default applied before\n',
  );
  expect(planMarkdown(plan)).toContain(
    '<summary>why an apply would not begin</summary>\n\n```diff\n- ! this program declares none of the 2 objects',
  );
  expect(outcomeOf({ ...plan, steps: [], rolls: [] })).toBe('problems');
});
