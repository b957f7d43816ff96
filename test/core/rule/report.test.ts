import { join } from 'path';
import { Finding, FindingLevel } from '../../../src/core/rule/finding';
import { briefs, reportFindings, textReport } from '../../../src/core/rule/report';
import { warningsOf } from '../../../src/core/synthesis/synthesis';
import { Block, PLAIN, render } from '../../../src/core/text/screen';

const finding = (more: Partial<Finding> = {}): Finding => ({
  rule: 'image/spec',
  level: FindingLevel.ERROR,
  message: 'must be a URL',
  object: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'a' },
  target: 'dc1',
  path: 'spec.url',
  value: '"x"',
  fix: 'set a URL',
  source: 'somewhere',
  ...more,
});
const warning = (more: Partial<Finding> = {}): Finding =>
  finding({ level: FindingLevel.WARNING, ...more });

describe('as Markdown', () => {
  test('shows errors, folds warnings, and gives accepted findings as a number', () => {
    const text = reportFindings(
      [finding(), warning(), warning({ fix: 'add a key' }), finding({ suppressed: 'on purpose' })],
      'markdown',
    );
    expect(text.split('\n')).toEqual([
      '### Findings: 1 error, 2 warnings',
      '',
      '- **error** `image/spec` ConfigMap default/a on dc1<br>spec.url: must be a URL, got "x"<br>**Fix:** set a URL',
      '',
      '<details><summary>2 warnings</summary>',
      '',
      '- **warning** `image/spec` ConfigMap default/a on dc1<br>spec.url: must be a URL, got "x"<br>**Fix:** set a URL',
      '- **warning** `image/spec` ConfigMap default/a on dc1<br>spec.url: must be a URL, got "x"<br>**Fix:** add a key',
      '',
      '</details>',
      '',
      '1 accepted finding.',
    ]);
  });

  test('is a heading where there are no findings', () => {
    expect(reportFindings([], 'markdown')).toBe('### Findings: 0 errors, 0 warnings');
  });

  test('names files below the working directory relative to it, with the line, and the construct with its place', () => {
    const text = reportFindings(
      [
        finding({ file: join(process.cwd(), 'k8s/a.yaml'), line: 4 }),
        finding({ construct: 'dc1/a', place: 'main.ts:3:1' }),
        finding({ file: '/elsewhere/a.yaml' }),
      ],
      'markdown',
    );
    expect(text).toContain('<br>in `k8s/a.yaml:4`');
    expect(text).toContain('<br>at `dc1/a` in `main.ts:3:1`');
    expect(text).toContain('<br>in `/elsewhere/a.yaml`');
  });

  test('is not broken by what names and values contain, and notifies no one', () => {
    const evil = '</details>\n- [x](http://evil) @admins `code` <img> **b**\u001b[31m';
    const text = reportFindings(
      [
        finding({
          message: evil,
          value: evil,
          fix: evil,
          path: evil,
          construct: evil,
          target: evil,
          object: { apiVersion: 'v1', kind: evil, name: evil },
        }),
      ],
      'markdown',
    );
    expect(text.split('\n')).toHaveLength(3);
    const prose = text.replace(/(`+)[^`].*?\1/g, '');
    expect(prose).not.toMatch(/[^\\]<(?!br>|!-- -->)|[^\\]\[x|@[a-z]|\u001b/);
  });
});

describe('findings of one cause', () => {
  const cause = 'Namespace shop on dc1 and what belongs to it are no longer declared';
  const others = [1, 2, 3].map((count) =>
    warning({
      cause,
      rule: 'output/gone',
      message: `loses ${count}`,
      construct: `dc1/shop-${count}`,
      place: `main.ts:${count}:1`,
    }),
  );
  const three = [
    ...others,
    finding({
      cause,
      rule: 'output/gone',
      message: 'loses all',
      construct: 'dc1/shop',
      place: 'main.ts:9:1',
    }),
  ];

  test('are one finding for people, of the worst level, with their number, one fix, and some of their places', () => {
    expect(textReport([...three, warning()]).split('\n')).toEqual([
      `error  output/gone  ${cause} (4 findings)`,
      '    ConfigMap default/a on dc1: spec.url: loses all, got "x"',
      '    ConfigMap default/a on dc1: spec.url: loses 1, got "x"',
      '    ConfigMap default/a on dc1: spec.url: loses 2, got "x"',
      '    ConfigMap default/a on dc1: spec.url: loses 3, got "x"',
      '  fix: set a URL',
      '  at: dc1/shop (main.ts:9:1), dc1/shop-1 (main.ts:1:1), dc1/shop-2 (main.ts:2:1) and 1 more',
      '',
      'warning  image/spec  ConfigMap default/a on dc1',
      '  spec.url: must be a URL, got "x"',
      '  fix: set a URL',
      '',
      '1 error, 1 warning, from 5 findings',
    ]);
    expect(render(briefs(three), PLAIN)).toBe(`  error  output/gone  ${cause} (4 findings)`);
    expect(reportFindings(three, 'github').split('\n')).toEqual([
      expect.stringMatching(
        /^::error title=output\/gone::Namespace shop on dc1 .* \(4 findings\): .* and 1 more\. Fix: set a URL$/,
      ),
      '1 error, 0 warnings, from 4 findings',
    ]);
    expect(reportFindings(three, 'markdown').split('\n').slice(0, 4)).toEqual([
      '### Findings: 1 error, 0 warnings',
      '',
      `- **error** \`output/gone\` ${cause} (4 findings)<br>**Fix:** set a URL<br>at \`dc1/shop\` in \`main.ts:9:1\``,
      '  - ConfigMap default/a on dc1: spec.url: loses all, got "x"',
    ]);
  });

  test('have their own fixes where these differ', () => {
    const text = textReport([finding({ cause }), finding({ cause, fix: 'remove it' })]);
    expect(text).toContain('must be a URL, got "x". Fix: set a URL\n');
    expect(text).toContain('must be a URL, got "x". Fix: remove it\n');
    expect(text).not.toContain('fix: ');
  });

  test('remain single findings for machines', () => {
    expect(
      JSON.parse(reportFindings(three, 'json')).findings.map((each: Finding) => each.cause),
    ).toEqual(Array(4).fill(cause));
  });
});

test('prints accepted findings as one number, with their reasons', () => {
  const text = textReport([
    finding({ suppressed: 'moved to dc2' }),
    finding({ suppressed: 'moved to dc2' }),
    warning({ suppressed: 'accepted in base.json' }),
  ]);
  expect(text).toBe('0 errors, 0 warnings, 3 accepted: moved to dc2, accepted in base.json');
});

test.each([
  ['none', [], 32],
  ['a warning', [warning()], 33],
  ['a warning and an error', [warning(), finding()], 31],
])('shows the number of findings in the color of the worst one: %s', (_, findings, color) => {
  const last = render(reportFindings(findings, 'text') as Block[], { colors: true })
    .split('\n')
    .at(-1);
  expect(last).toMatch(new RegExp(`^\u001b\\[${color}m\\d errors?, \\d warnings?\u001b\\[39m$`));
});

test('names the prop that sets a field', () => {
  expect(textReport([finding({ prop: 'url' })])).toContain('\n  url: must be a URL');
});

test('prints what always waits for late values as one line, not as a warning', () => {
  const waits = [1, 2].map((count) =>
    warning({
      rule: 'late-value/reference-waits',
      object: { apiVersion: 'v1', kind: 'Cluster', name: `shop-${count}` },
    }),
  );
  expect(textReport(waits).split('\n')).toEqual([
    '0 errors, 0 warnings',
    expect.stringMatching(
      /^these refer to objects that wait for late values: Cluster shop-1 on dc1, Cluster shop-2 on dc1\. apply writes all of them in order; /,
    ),
  ]);
  expect(reportFindings(waits, 'markdown')).toBe('### Findings: 0 errors, 0 warnings');
});

test('names what is kept for the sake of one object once, with all that are', () => {
  const kept = (name: string): Finding =>
    warning({
      object: { apiVersion: 'v1', kind: 'Secret', name },
      path: '',
      value: undefined,
      message: `Secret ${name} was in a.yaml: apply keeps it (Cluster shop is kept and needs it)`,
      cause: 'Cluster shop is no longer declared',
    });
  const text = textReport([kept('a'), kept('b'), kept('c')]);
  expect(text).toContain(
    'Secret a on dc1: was in a.yaml: apply keeps it (Cluster shop is kept and needs it); the same holds for Secret b on dc1, Secret c on dc1\n',
  );
  expect(text.match(/is kept and needs it/g)).toHaveLength(1);
});

test('is empty for what waits where no engine delivers: the line about what is written names apply', () => {
  const waits = warning({ rule: 'late-value/reference-waits' });
  expect(warningsOf([waits], false)).toEqual([]);
  expect(render(warningsOf([waits], true), PLAIN)).toContain('before a GitOps engine gets');
});
