import { RunEvent, RunSummary } from '../../src/apply/run/events';
import { progressFor } from '../../src/cli/progress';
import { Terminal } from '../../src/cli/progress-text';

class Paper implements Terminal {
  public text = '';

  public constructor(public readonly isTTY = false, public readonly columns = 60, public readonly rows = 20) {}

  public write(text: string): void { this.text += text; }

  /** What a terminal would show in the end. */
  public get screen(): string[] {
    const lines: string[] = [];
    for (const part of this.text.split(/(\u001b\[\d+A\u001b\[J)/)) {
      const up = /^\u001b\[(\d+)A/.exec(part);
      if (up) { lines.splice(lines.length - Number(up[1])); } else { lines.push(...part.split('\n').slice(0, -1)); }
    }
    return lines;
  }
}

const SUMMARY: RunSummary = { done: ['a'], failed: [{ id: 'b', message: 'b: no' }], skipped: [], pending: ['c'], interrupted: true, seconds: 1.5 };

const EVENTS: readonly RunEvent[] = [
  { type: 'start', command: 'apply', nodes: 3, targets: ['rancher', 'dc1'] },
  { type: 'node', id: 'a', target: 'rancher', state: 'applying' },
  { type: 'node', id: 'a', target: 'rancher', state: 'created' },
  { type: 'node', id: 'b', target: 'dc1', state: 'waiting', message: 'failed calling\nwebhook \u001b[31m' },
  { type: 'warning', target: 'dc1', message: 'deprecated' },
];

function told(paper: Paper, format: 'text' | 'json', env: NodeJS.ProcessEnv = {}, more: readonly RunEvent[] = [{ type: 'end', summary: SUMMARY }]): Paper {
  const progress = progressFor(format, paper, env);
  for (const event of [...EVENTS, ...more]) { progress.on(event); }
  progress.close();
  return paper;
}

test.each<[string, boolean, NodeJS.ProcessEnv]>([['in a pipe', false, {}], ['in CI', true, { CI: '1' }], ['on a dumb terminal', true, { TERM: 'dumb' }]])('a line for each thing that happens %s', (_, isTTY, env) => {
  expect(told(new Paper(isTTY), 'text', env).text.split('\n')).toEqual([
    'apply: 3 steps on rancher, dc1',
    'created    a',
    'waiting    b: failed calling webhook \\u001b[31m',
    'warning: dc1: deprecated',
    'interrupted: 1 done, 1 failed, 1 not begun or not through in 1.5 s',
    '  failed: b: no',
    '  not done: c',
    'run the same command again to go on where this one ended',
    '',
  ]);
});

test('one event a line as JSON, with the time', () => {
  const lines = told(new Paper(), 'json').text.trimEnd().split('\n').map((line) => JSON.parse(line));
  expect(lines.map(({ time: _, ...event }) => event)).toEqual([...EVENTS, { type: 'end', summary: SUMMARY }]);
  expect(lines[0].time).toMatch(/^20\d\d-/);
});

test('a tree on a terminal: what goes on by target, and what happened above it', () => {
  const paper = told(new Paper(true), 'text', { NO_COLOR: '1' }, []);
  // before it is closed
  const open = new Paper(true);
  const progress = progressFor('text', open, { NO_COLOR: '1' });
  for (const event of EVENTS) { progress.on(event); }
  expect(open.screen).toEqual([
    'created    a',
    'warning: dc1: deprecated',
    '1 of 3',
    'rancher: 1 done',
    'dc1: 0 done, 1 at work',
    expect.stringMatching(/^ {2}… b waiting 0 s: failed calling webhook \\u001b\[31m$/),
  ]);
  progress.close();
  expect(open.screen).toEqual(['created    a', 'warning: dc1: deprecated']);
  expect(paper.screen).toEqual(open.screen);
});

test('no line of the tree is longer than the terminal, and there are not more than it has', () => {
  const paper = new Paper(true, 30, 8);
  const progress = progressFor('text', paper, {});
  progress.on({ type: 'start', command: 'apply', nodes: 50, targets: Array.from({ length: 20 }, (_, index) => `target-${index}`) });
  for (let index = 0; index < 50; index++) { progress.on({ type: 'node', id: `object-with-a-long-name-${index}`, target: `target-${index % 20}`, state: 'waiting', message: 'for something that takes long' }); }
  progress.on({ type: 'warning', message: 'draw' });
  expect(paper.screen.length).toBeLessThanOrEqual(7);
  for (const line of paper.screen.slice(1)) { expect([...line].length).toBeLessThan(30); }
  progress.close();
});
