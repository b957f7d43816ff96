import { Finding, FindingLevel } from '../../../src/core/rule/finding';
import { Block, render } from '../../../src/core/text/screen';
import { joinedChanges } from '../../../src/report/changes/change';
import { printReview } from '../../../src/report/review/render-review';
import { FoundReview } from '../../../src/report/review/review';

const COMMIT = { sha: '0123456789abcdef', subject: 'Ask @ana about <b>' };

function reviewOf(found: Partial<FoundReview> = {}): FoundReview {
  return {
    program: 'platform',
    base: COMMIT,
    head: COMMIT,
    failures: [],
    ...joinedChanges([]),
    environments: [],
    outputs: [],
    remarks: [],
    notes: [],
    stops: [],
    ...found,
  };
}

function finding(index: number): Finding {
  return {
    rule: 'object/name',
    level: index % 2 === 0 ? FindingLevel.ERROR : FindingLevel.WARNING,
    message: `must be short ${'x'.repeat(200)}`,
    path: 'metadata.name',
    fix: 'shorten it',
    source: 'x',
    object: { apiVersion: 'v1', kind: 'ConfigMap', name: `c${index}` },
  };
}

const markdown = (found: Partial<FoundReview>): string =>
  printReview(reviewOf(found), 'markdown') as string;

test('text is titled by the program, and underlines its parts', () => {
  const text = (found: Partial<FoundReview>): string =>
    render(printReview(reviewOf(found), 'text') as Block[], { colors: true });
  expect(text({})).toMatch(/^\u001b\[1mReview of platform\u001b\[22m: /);
  expect(text({ program: '.' })).toMatch(/^\u001b\[1mReview\u001b\[22m: /);
  expect(text({ notes: ['the live clusters'] })).toContain(
    '\n\u001b[1m\u001b[4mNot judged here\u001b[24m\u001b[22m\n- the live clusters',
  );
});

test('begins a comment with a line by which the next run finds it, for each program', () => {
  expect(markdown({}).split('\n')[0]).toBe('<!-- cdk8s-harvester review: platform -->');
  expect(markdown({ program: 'a--b/c' }).split('\n')[0]).toBe(
    '<!-- cdk8s-harvester review: a%2D%2Db%2Fc -->',
  );
});

test('notifies no one, and shows no markup of names', () => {
  expect(markdown({ notes: ['@ana and <img>'] })).toContain('- @<!-- -->ana and \\<img\\>');
  expect(markdown({})).not.toMatch(/@ana|<b>/);
});

test('shortens the longest sections of a comment to 60,000 characters, closes what they open, and counts what is left out', () => {
  const text = markdown({
    findings: Array.from({ length: 400 }, (_, index) => finding(index)),
    failures: [
      {
        side: 'base',
        reason: Array.from({ length: 2000 }, (_, index) => `line ${index} ${'y'.repeat(40)}`).join(
          '\n',
        ),
      },
    ],
    outputs: [{ folder: 'dist', differences: ['dc1//ConfigMap/default/a is missing'], secrets: 1 }],
    notes: ['the live clusters'],
  });
  expect(text.length).toBeLessThanOrEqual(60_000);
  expect(text.length).toBeGreaterThan(50_000);
  expect(text.match(/^```$/gm)).toHaveLength(2);
  expect(text.match(/<details>/g)?.length).toBe(text.match(/<\/details>/g)?.length);
  expect(
    text.match(
      /^\d+ more lines are left out; `cdk8s-harvester review --output text` prints them\.$/gm,
    ),
  ).toHaveLength(2);
  // short sections are whole
  expect(text).toContain(
    '### Committed output `dist`: 1 difference; the secrets of 1 object are not compared\n\n- dc1//ConfigMap/default/a is missing\n\nFix:',
  );
  expect(text).toContain('### Not judged here\n\n- the live clusters');
});

test('shows no impact without both sides, and nothing of a change that cannot be synthesized', () => {
  const of = (side: 'base' | 'change') =>
    JSON.parse(
      printReview(reviewOf({ failures: [{ side, reason: 'why' }] }), 'json') as string,
    ) as { impact: unknown };
  expect(of('base').impact).toBeNull();
  expect(markdown({ failures: [{ side: 'change', reason: 'why' }] })).not.toContain('Findings');
});
