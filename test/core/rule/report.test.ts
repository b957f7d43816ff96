import { join } from 'path';
import { Finding, FindingLevel } from '../../../src/core/rule/finding';
import { report } from '../../../src/core/rule/report';

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
const warning = (more: Partial<Finding> = {}): Finding => finding({ level: FindingLevel.WARNING, ...more });

describe('as Markdown', () => {
  test('shows errors, folds warnings, and gives accepted findings as a number', () => {
    const text = report([finding(), warning(), warning({ fix: 'add a key' }), finding({ suppressed: 'on purpose' })], 'markdown');
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
    expect(report([], 'markdown')).toBe('### Findings: 0 errors, 0 warnings');
  });

  test('names files below the working directory relative to it, with the line, and the construct with its place', () => {
    const text = report([
      finding({ file: join(process.cwd(), 'k8s/a.yaml'), line: 4 }), finding({ construct: 'dc1/a', place: 'main.ts:3:1' }), finding({ file: '/elsewhere/a.yaml' }),
    ], 'markdown');
    expect(text).toContain('<br>in `k8s/a.yaml:4`');
    expect(text).toContain('<br>at `dc1/a` in `main.ts:3:1`');
    expect(text).toContain('<br>in `/elsewhere/a.yaml`');
  });

  test('is not broken by what names and values contain, and notifies no one', () => {
    const evil = '</details>\n- [x](http://evil) @admins `code` <img> **b**\u001b[31m';
    const text = report([finding({ message: evil, value: evil, fix: evil, path: evil, construct: evil, target: evil, object: { apiVersion: 'v1', kind: evil, name: evil } })], 'markdown');
    expect(text.split('\n')).toHaveLength(3);
    const prose = text.replace(/(`+)[^`].*?\1/g, '');
    expect(prose).not.toMatch(/[^\\]<(?!br>|!-- -->)|[^\\]\[x|@[a-z]|\u001b/);
  });
});
