import { Progress, Terminal, progressFor } from '../../../src/cli/terminal/progress';
import { RunEvent, RunSummary } from '../../../src/engine/run/context/events';

class Paper implements Terminal {
  public text = '';
  /** What is shown before the run ends. */
  public last: readonly string[] = [];

  public constructor(
    public readonly isTTY = false,
    public readonly columns = 60,
    public readonly rows = 20,
  ) {}

  public write(text: string): void {
    this.text += text;
  }

  public end(progress: Progress): void {
    this.last = this.screen;
    progress.close();
  }

  /** What a terminal would show in the end. */
  public get screen(): string[] {
    const lines: string[] = [];
    for (const part of this.text.split(/(\u001b\[\d+A\u001b\[J)/)) {
      const up = /^\u001b\[(\d+)A/.exec(part);
      if (up) {
        lines.splice(lines.length - Number(up[1]));
      } else {
        lines.push(...part.split('\n').slice(0, -1));
      }
    }
    return lines;
  }
}

const SUMMARY: RunSummary = {
  done: ['a'],
  counts: { created: 1 },
  failed: [{ id: 'b', message: 'b: no' }],
  skipped: [],
  pending: ['c'],
  interrupted: true,
  seconds: 1.5,
};

const EVENTS: readonly RunEvent[] = [
  { type: 'start', command: 'apply', nodes: 3, targets: ['rancher', 'dc1'] },
  { type: 'node', id: 'a', target: 'rancher', state: 'applying' },
  { type: 'node', id: 'a', target: 'rancher', state: 'created' },
  {
    type: 'node',
    id: 'b',
    target: 'dc1',
    state: 'waiting',
    message: 'failed calling\nwebhook \u001b[31m',
  },
  { type: 'warning', target: 'dc1', message: 'deprecated' },
];

function told(
  paper: Paper,
  format: 'text' | 'json',
  env: NodeJS.ProcessEnv = {},
  more: readonly RunEvent[] = [{ type: 'end', summary: SUMMARY }],
): Paper {
  const progress = progressFor(format, paper, false, env);
  for (const event of [...EVENTS, ...more]) {
    progress.on(event);
  }
  progress.close();
  return paper;
}

test.each<[string, boolean, NodeJS.ProcessEnv]>([
  ['in a pipe', false, {}],
  ['in CI', true, { CI: '1' }],
  ['on a dumb terminal', true, { TERM: 'dumb' }],
])('prints a line per event %s', (_, isTTY, env) => {
  expect(told(new Paper(isTTY), 'text', env).text.split('\n')).toEqual([
    'apply: 3 steps on rancher, dc1',
    'created    a',
    'waiting    b: failed calling webhook \\u001b[31m',
    'warning: dc1: deprecated',
    'interrupted: 1 done, 1 failed, 1 not begun or not through in 1.5 s (1 created)',
    '  failed: b: no',
    '  not done: c',
    'run the same command again to go on where this one ended',
    '',
  ]);
});

test('ends with how many were created, configured and so on', () => {
  const summary: RunSummary = {
    ...SUMMARY,
    done: ['a', 'b', 'c', 'd'],
    failed: [],
    pending: [],
    interrupted: false,
    counts: { created: 1, unchanged: 2, resolved: 1 },
  };
  expect(told(new Paper(), 'text', {}, [{ type: 'end', summary }]).text).toContain(
    '\n4 done in 1.5 s (1 created, 2 unchanged, 1 late values)\n',
  );
});

test.each([false, true])('a failure names its object once (terminal: %s)', (isTTY) => {
  const failed: RunEvent = {
    type: 'node',
    id: 'b',
    target: 'dc1',
    state: 'failed',
    message: 'b (app/b): no',
  };
  const deleted: RunEvent = {
    type: 'node',
    id: 'c',
    target: 'dc1',
    state: 'failed',
    message: 'c: no',
  };
  const { text } = told(new Paper(isTTY), 'text', {}, [failed, deleted]);
  expect(text).toContain('failed     b (app/b): no\n');
  expect(text).toContain('failed     c: no\n');
});

test.each([
  ['the tree', {}],
  ['lines', { CI: '1' }],
])('prints events above an open question, and asks it again (%s)', (_, env) => {
  const paper = new Paper(true);
  const progress = progressFor('text', paper, false, env);
  paper.write('go on? ');
  progress.ask(() => {
    paper.write('go on? ');
  });
  progress.on({ type: 'warning', target: 'dc1', message: 'deprecated' });
  expect(paper.text).toBe('go on? \nwarning: dc1: deprecated\ngo on? ');
  progress.ask(undefined);
  progress.on({ type: 'warning', target: 'dc1', message: 'late' });
  progress.close();
  // nothing is drawn before a run has begun, and so nothing is cleared
  expect(paper.text).toBe('go on? \nwarning: dc1: deprecated\ngo on? warning: dc1: late\n');
});

test('one event a line as JSON, with the time', () => {
  const lines = told(new Paper(), 'json')
    .text.trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ time: _, ...event }) => event)).toEqual([
    ...EVENTS,
    { type: 'end', summary: SUMMARY },
  ]);
  expect(lines[0].time).toMatch(/^20\d\d-/);
});

test('draws a tree on a terminal: what is running by target, and past events above it', () => {
  const paper = told(new Paper(true), 'text', {}, []);
  const time = jest.spyOn(performance, 'now').mockReturnValue(0);
  // before it is closed
  const open = new Paper(true);
  const progress = progressFor('text', open, false, {});
  for (const event of EVENTS) {
    progress.on(event);
  }
  expect(open.screen).toEqual([
    'created    a',
    'warning: dc1: deprecated',
    'apply 0 s: 1 of 3 done',
    'rancher: 1 done',
    'dc1: 0 done, 1 at work',
    expect.stringMatching(/^ {2}… {2}b waiting 0 s: failed calling webhook \\u001b\[31m$/),
  ]);
  time.mockRestore();
  progress.close();
  expect(open.screen).toEqual(['created    a', 'warning: dc1: deprecated']);
  expect(paper.screen).toEqual(open.screen);
});

test('no line of the tree is wider than the terminal, and there are not more than it has', () => {
  const paper = new Paper(true, 30, 8);
  const progress = progressFor('text', paper, false, {});
  progress.on({
    type: 'start',
    command: 'apply',
    nodes: 50,
    targets: Array.from({ length: 20 }, (_, index) => `target-${index}`),
  });
  for (let index = 0; index < 50; index++) {
    progress.on({
      type: 'node',
      id: `object-with-a-long-name-${index}`,
      target: `target-${index % 20}`,
      state: 'waiting',
      message: 'for something that takes long',
    });
  }
  progress.on({ type: 'warning', message: 'draw' });
  expect(paper.screen.length).toBeLessThanOrEqual(7);
  for (const line of paper.screen.slice(1)) {
    expect([...line].length).toBeLessThan(30);
  }
  progress.close();
});

test('a long line on a terminal continues below its text, and what is to be copied is not broken', () => {
  const paper = new Paper(true, 50);
  const progress = progressFor('text', paper, false, {});
  progress.on(EVENTS[0]!);
  const id =
    'rancher/management.cattle.io/ProjectRoleTemplateBinding/c-m-juop4lu7-payments/prtb-hmfrxkni3s';
  progress.on({ type: 'node', id, target: 'rancher', state: 'created' });
  progress.on({
    type: 'node',
    id: 'b',
    target: 'dc1',
    state: 'failed',
    message: `b: not ready. Fix: set --force-conflicts '${id}'`,
  });
  progress.close();
  expect(paper.screen).toEqual([
    'created    rancher/management.cattle.io/',
    '           ProjectRoleTemplateBinding/c-m-',
    '           juop4lu7-payments/prtb-hmfrxkni3s',
    'failed     b: not ready. Fix: set',
    '           --force-conflicts',
    `           '${id}'`,
  ]);
});

test.each<[string, Partial<RunSummary>, readonly string[]]>([
  [
    'what failed',
    { kept: [{ id: 'k', message: 'in use' }] },
    [
      '\u001b[33minterrupted\u001b[39m: 1 done, \u001b[31m1 failed\u001b[39m, \u001b[2m1 kept\u001b[22m, \u001b[33m1 not begun or not through\u001b[39m in 1.5 s (1 created)',
      '  \u001b[31mfailed\u001b[39m: b: no',
      '  \u001b[2mkept\u001b[22m: k: in use',
      '  \u001b[33mnot done\u001b[39m: c',
    ],
  ],
  [
    'that all is done',
    { failed: [], pending: [], interrupted: false },
    ['\u001b[32m1 done\u001b[39m in 1.5 s (1 created)'],
  ],
])('the summary shows in color %s', (_, more, lines) => {
  const paper = new Paper();
  const progress = progressFor('text', paper, true, {});
  progress.on({ type: 'end', summary: { ...SUMMARY, ...more } });
  expect(paper.text.split('\n').slice(0, lines.length)).toEqual(lines);
});

describe('what is waited for', () => {
  const WAIT = 'Cluster fleet-default/shop has 2 of 3 machines';
  const WAITING: readonly RunEvent[] = [
    {
      type: 'node',
      id: 'fleet-default/shop',
      target: 'rancher',
      state: 'not-ready',
      message: WAIT,
    },
    { type: 'node', id: 'web', target: 'dc1', state: 'applying' },
  ];

  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  function begun(paper: Paper, colors = false): void {
    const progress = progressFor('text', paper, colors, {});
    for (const event of EVENTS.slice(0, 3)) {
      progress.on(event);
    }
    jest.advanceTimersByTime(5_000);
    for (const event of WAITING) {
      progress.on(event);
    }
    // what it waits for changes, since when it waits does not
    jest.advanceTimersByTime(85_000);
    progress.on({ ...WAITING[0]!, message: WAIT.replace('2', '1') } as RunEvent);
    jest.advanceTimersByTime(90_000);
    paper.end(progress);
  }

  test('is a line of a log within the first half minute, and then less and less often', () => {
    const paper = new Paper();
    begun(paper);
    const later = WAIT.replace('2', '1');
    expect(paper.text.split('\n').slice(2, -1)).toEqual([
      `not-ready  fleet-default/shop: ${WAIT}`,
      `25 s: fleet-default/shop not-ready for 20 s: ${WAIT}`,
      '25 s: web applying for 20 s',
      `1 min 5 s: fleet-default/shop not-ready for 1 min 0 s: ${WAIT}`,
      '1 min 5 s: web applying for 1 min 0 s',
      `not-ready  fleet-default/shop: ${later}`,
      `2 min 5 s: fleet-default/shop not-ready for 2 min 0 s: ${later}`,
      '2 min 5 s: web applying for 2 min 0 s',
    ]);
  });

  const IMAGE = 'dc1/harvesterhci.io/VirtualMachineImage/default/noble';
  const HINT = 'Usual cause: the nodes cannot reach its url. Fix: check the url';
  const image = (id = IMAGE): RunEvent => ({
    type: 'node',
    id,
    target: 'dc1',
    state: 'not-ready',
    message: 'is being imported',
    hint: HINT,
    limitSeconds: 3_600,
  });

  /** The output of a run that waits for images for some time. */
  function waited(format: 'text' | 'json', seconds: number, paper = new Paper(), ids = [IMAGE]) {
    const progress = progressFor(format, paper, false, {});
    progress.on({ type: 'start', command: 'apply', nodes: 1, targets: ['dc1'] });
    for (const id of ids) {
      progress.on(image(id));
    }
    jest.advanceTimersByTime(seconds * 1000);
    paper.end(progress);
    return paper;
  }

  test('is one line however often it is tried again for the same reason', () => {
    const paper = new Paper();
    const progress = progressFor('text', paper, false, {});
    const tries = ['webhook not ready', 'webhook not ready', 'no answer', 'webhook not ready'];
    for (const message of tries) {
      progress.on({ type: 'node', id: 'a', target: 'dc1', state: 'waiting', message });
    }
    expect(paper.text.split('\n').slice(0, -1)).toEqual([
      'waiting    a: webhook not ready',
      'waiting    a: no answer',
      'waiting    a: webhook not ready',
    ]);
  });

  test('has its time, its limit, and what to do', () => {
    expect(waited('text', 30).text.split('\n').slice(1, -1)).toEqual([
      `not-ready  ${IMAGE}: is being imported`,
      `20 s: ${IMAGE} not-ready for 20 s of at most 1 h 0 min: is being imported`,
      `  ${HINT}`,
    ]);
  });

  test('is reported at least every 5 minutes, however long it takes', () => {
    const at = waited('text', 1_800)
      .text.split('\n')
      .flatMap((row) => /^(.*): .* not-ready for/.exec(row)?.[1] ?? []);
    expect(at).toEqual([
      '20 s',
      '1 min 0 s',
      '2 min 0 s',
      '4 min 0 s',
      '7 min 0 s',
      '12 min 0 s',
      '17 min 0 s',
      '22 min 0 s',
      '27 min 0 s',
    ]);
  });

  test('is at most five lines of a log at a time', () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const rows = waited('text', 30, new Paper(), ids).text.split('\n');
    expect(rows.filter((row) => row.startsWith('20 s: '))).toHaveLength(5);
    expect(rows).toContain('  … and 2 more take as long');
  });

  test('is repeated in JSON, with the seconds that it has taken', () => {
    const events = waited('json', 70)
      .text.trim()
      .split('\n')
      .map((row) => JSON.parse(row) as object);
    expect(events.slice(2)).toEqual(
      [20, 60].map((waitedSeconds) => ({ ...image(), time: expect.any(String), waitedSeconds })),
    );
  });

  test('has what to do in the tree, too, once it takes long', () => {
    expect(waited('text', 10, new Paper(true, 100)).last.join(' ')).not.toContain('Usual cause');
    expect(waited('text', 25, new Paper(true, 100)).last.join(' ')).toContain(HINT);
  });

  test('is in the tree, with the time of the whole run', () => {
    const paper = new Paper(true);
    begun(paper);
    expect(paper.last).toEqual([
      'created    a',
      'apply 3 min 0 s: 1 of 3 done',
      'rancher: 1 done, 1 at work',
      '  …  fleet-default/shop not-ready 2 min 55 s: Cluster',
      '     fleet-default/shop has 1 of 3 machines',
      'dc1: 0 done, 1 at work',
      '  →  web applying 2 min 55 s',
    ]);
  });

  test('is in the colors of the reports', () => {
    const paper = new Paper(true);
    begun(paper, true);
    expect(paper.text).toContain('\u001b[32mcreated\u001b[39m    a');
    expect(paper.text).toContain('\u001b[33mnot-ready\u001b[39m');
  });
});

describe('machines that are deleted', () => {
  const ROLL: RunEvent = {
    type: 'roll',
    target: 'rancher',
    cluster: 'fleet-default/shop',
    pool: 'all',
    effect: 'replace',
    machines: 3,
    what: 'its machines are replaced',
    causes: ['memorySize: "8" -> "16"'],
  };
  const LINE =
    'machines: pool all of fleet-default/shop on rancher: 3 machines replaced: its machines are replaced; for memorySize: "8" -> "16"';

  test('on a line', () => {
    expect(told(new Paper(), 'text', {}, [ROLL]).text).toContain(`\n${LINE}\n`);
    const some: RunEvent = {
      type: 'roll',
      target: 'rancher',
      cluster: 'fleet-default/shop',
      effect: 'unknown',
      what: 'cannot be predicted',
      causes: [],
    };
    expect(told(new Paper(), 'text', {}, [some]).text).toContain(
      '\nmachines: fleet-default/shop on rancher: machines may be replaced or deleted: cannot be predicted\n',
    );
  });

  test('above the tree', () => {
    const { screen } = told(new Paper(true), 'text', {}, [ROLL]);
    expect(
      screen
        .slice(-3)
        .map((line) => line.trim())
        .join(' '),
    ).toBe(LINE);
    for (const line of screen) {
      expect(line.length).toBeLessThan(60);
    }
  });

  test('as they are to machines', () => {
    expect(
      JSON.parse(told(new Paper(), 'json', {}, [ROLL]).text.trimEnd().split('\n').at(-1)!),
    ).toMatchObject(ROLL);
  });
});
