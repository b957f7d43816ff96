import { mkdirSync, mkdtempSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { dirname, join, relative } from 'path';
import { textReport } from '../../../src/core/rule/report';
import {
  lintPaths,
  readBaseline,
  applyBaseline,
  writeBaseline,
} from '../../../src/engine/read/lint';
import { readInput } from '../../../src/engine/read/read-input';
import '../../../src/registry/register';

const OBJECT = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a, namespace: b }\n';

/** A folder with files by their paths. */
function repository(files: { readonly [path: string]: string }): string {
  const root = mkdtempSync(join(tmpdir(), 'repository-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** The findings of a repository, as `level rule path message`. */
function told(root: string, exclude: readonly string[] = []): string[] {
  return lintPaths([root], { targetKind: 'rancher', rancherVersion: '2.13.8', exclude }).map(
    ({ level, rule, file = '', message }) =>
      `${level} ${rule} ${relative(root, file)}${message.slice(file.length)}`,
  );
}

/** The names of the objects that are read. */
const names = (root: string, exclude: readonly string[] = []): string[] =>
  readInput([root], { exclude }).objects.map(({ manifest }) => manifest.metadata.name);

test('reports a chart once, and nothing of its files', () => {
  const root = repository({
    'charts/shop/Chart.yaml': 'apiVersion: v2\nname: shop\n',
    'charts/shop/values.yaml': 'replicas: 1\n',
    'charts/shop/fleet.yaml': 'dependsOn: []\ndependsOn: []\n',
    'charts/shop/charts/db/Chart.yaml': 'apiVersion: v2\nname: db\n',
    'charts/shop/templates/a.yaml': '{{- if .Values.a }}\na: {{ .Values.b }}\n{{- end }}\n',
    'a.yaml': OBJECT,
  });
  expect(told(root)).toEqual([
    'warning lint/not-judged charts/shop is a Helm chart, whose files are not manifests',
  ]);
  expect(told(join(root, 'charts', 'shop'))).toEqual([
    'warning lint/not-judged  is a Helm chart, whose files are not manifests',
  ]);
  expect(names(root)).toEqual(['a']);
});

test('knows files of Fleet and kustomizations with their patches', () => {
  const root = repository({
    'fleet.yaml': 'defaultNamespace: shop\n',
    'twice/fleet.yaml': 'helm: {}\nhelm: {}\n',
    'app/kustomization.yaml':
      'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a.yaml]\npatches:\n- path: patch.yaml\n',
    'app/a.yaml': OBJECT,
    'app/patch.yaml': OBJECT.replace('name: a', 'name: patched'),
  });
  expect(told(root)).toEqual([
    expect.stringMatching(
      /^warning lint\/not-judged app\/kustomization.yaml is a kustomization, whose changes/,
    ),
    expect.stringMatching(
      /^warning lint\/not-judged app\/patch.yaml is a patch of .*kustomization/,
    ),
    expect.stringMatching(
      /^warning lint\/not-judged twice\/fleet.yaml is a file of Fleet.*duplicate/,
    ),
  ]);
  expect(names(root)).toEqual(['a']);
});

test('reports the files of one tool as one block, each file once', () => {
  const kustomization =
    'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: []\n';
  const root = repository({
    'a/kustomization.yaml': kustomization,
    'b/kustomization.yaml': kustomization,
    'b/values.yaml': 'replicas: 1\n',
  });
  const text = textReport(lintPaths([root], { targetKind: 'rancher' })).replaceAll(`${root}/`, '');
  expect(text.split('\n')).toEqual([
    'warning  lint/not-judged  kustomizations are not built here (2 findings)',
    '    a/kustomization.yaml: is a kustomization, whose changes are not made here',
    '    b/kustomization.yaml: is a kustomization, whose changes are not made here',
    '  fix: read the output of kustomize build instead, or name the file in .cdk8s-harvester-ignore',
    '',
    'warning  lint/not-judged  b/values.yaml',
    '  holds what is not judged: document 1 has no apiVersion and no kind',
    '  fix: set apiVersion and kind, or name the file in .cdk8s-harvester-ignore',
    '',
    '0 errors, 2 warnings, from 3 findings',
  ]);
});

test('calls the generator of KSOPS and other parts of a kustomization what they are', () => {
  const list = (...files: string[]): string => `[${files.map((name) => `${name}.yaml`).join()}]`;
  const root = repository({
    'kustomization.yaml': `resources: ${list('a')}\ngenerators: ${list('ksops')}\ntransformers: ${list('names')}\nreplacements:\n- path: values.yaml\n`,
    'a.yaml': OBJECT,
    'ksops.yaml':
      'apiVersion: viaduct.ai/v1\nkind: ksops\nmetadata: { name: secrets }\nfiles: [./login.enc.yaml]\n',
    'names.yaml':
      'apiVersion: builtin\nkind: PrefixTransformer\nmetadata: { name: p }\nprefix: dev-\n',
    'values.yaml': '- source: { kind: ConfigMap }\n',
  });
  const found = told(root).map((text) => text.replace(root, ''));
  expect(found.filter((text) => !text.includes('is a kustomization'))).toEqual([
    'warning lint/not-judged ksops.yaml is a generator of /kustomization.yaml',
    'warning lint/not-judged names.yaml is a transformer of /kustomization.yaml',
    'warning lint/not-judged values.yaml is a list of replacements of /kustomization.yaml',
  ]);
  expect(names(root)).toEqual(['a']);
});

test('warns of templates and placeholders, and judges the other objects', () => {
  const root = repository({
    'a.yaml': `{{ range .x }}\n${OBJECT}{{ end }}\n`,
    'b.yaml': `${OBJECT}---\n${OBJECT.replace('name: a', 'name: "${NAME}"')}`,
    'broken.yaml': 'a: [\n',
  });
  expect(told(root)).toEqual([
    expect.stringMatching(/^error lint\/no-yaml broken.yaml/),
    expect.stringMatching(/^warning lint\/not-judged a.yaml is a template/),
    expect.stringMatching(
      /^warning lint\/not-judged b.yaml has a ConfigMap with the placeholder \$\{NAME\} in place/,
    ),
  ]);
  expect(names(root)).toEqual(['a']);
});

describe('leaves files out', () => {
  const files = {
    'a.yaml': OBJECT,
    'values.yaml': 'a: 1\n',
    'x/values.yaml': 'a: 1\n',
    'x/y/b.yaml': OBJECT.replace('name: a', 'name: b'),
    'x/y/c.yaml': OBJECT.replace('name: a', 'name: c'),
  };

  test.each([
    [['values.yaml'], ['a', 'b', 'c']],
    [['x/'], ['a']],
    [['x'], ['a']],
    [['y/'], ['a']],
    [['/y/'], ['a', 'b', 'c']],
    [['x/*.yaml'], ['a', 'b', 'c']],
    [['x/**/b.yaml'], ['a', 'c']],
    [['**/?.yaml'], []],
    [['x/**', '!x/y'], ['a']],
    [['*.yaml', '!a.yaml'], ['a']],
    [['a.yaml/'], ['a', 'b', 'c']],
    [
      ['# a.yaml', ''],
      ['a', 'b', 'c'],
    ],
  ])('by the patterns %j, on the command line and in a file', (patterns, expected) => {
    expect(names(repository(files), patterns)).toEqual(expected);
    const root = repository({ ...files, '.cdk8s-harvester-ignore': patterns.join('\n') });
    expect(names(root)).toEqual(expected);
  });

  test('by the ignore file of a folder, from there on', () => {
    const root = repository({ ...files, 'x/.cdk8s-harvester-ignore': '/y/b.yaml\na.yaml\n' });
    expect(names(root)).toEqual(['a', 'c']);
    expect(told(root, ['values.yaml'])).toEqual([]);
  });
});

test('accepts findings about whole files by a baseline', () => {
  const root = repository({ 'broken.yaml': 'a: [\n', 'values.yaml': 'a: 1\n' });
  const baseline = join(repository({}), 'baseline.json');
  const found = lintPaths([root]);
  expect(found).toHaveLength(2);
  writeBaseline(baseline, found);
  const accepted = applyBaseline(lintPaths([root]), readBaseline(baseline), baseline);
  expect(accepted.unused).toBe(0);
  expect(accepted.findings.every(({ suppressed }) => suppressed !== undefined)).toBe(true);
  writeFileSync(join(root, 'values.yaml'), OBJECT);
  writeFileSync(join(root, 'other.yaml'), 'a: [\n');
  const later = applyBaseline(lintPaths([root]), readBaseline(baseline), baseline);
  expect(later.unused).toBe(1);
  expect(
    later.findings.filter(({ rule, suppressed }) => !suppressed && rule === 'lint/no-yaml'),
  ).toHaveLength(1);
});
