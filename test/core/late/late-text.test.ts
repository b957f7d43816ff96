import { writeFileSync } from 'fs';
import { join } from 'path';
import { parse } from 'yaml';
import { complete, completeText, recordYaml } from '../../../src/core/late/late-text';
import { Assembly } from '../../../src/core/output/assembly';
import { LateSource, LateValue } from '../../../src/core/value/late-value';
import { readYaml } from '../../../src/core/yaml/yaml-reader';
import { loneSurrogate, toYaml } from '../../../src/core/yaml/yaml-writer';
import { LateResolver } from '../../../src/engine/late/late-resolver';
import { HelmChartAddon } from '../../../src/guest/chart/helm-chart';
import { GuestChart } from '../../../src/guest/guest-chart';
import { CloudInit } from '../../../src/harvester/cloud-init/cloud-init';
import { CloudInitFile } from '../../../src/harvester/cloud-init/cloud-init-props';
import { CloudInitTemplate } from '../../../src/harvester/cloud-init/cloud-init-secret';
import { messageOf } from '../../support/message-of';
import { filesIn, newApp, newHarvester, newRancher } from '../../support/programs';
import { fc } from '../../support/properties';
import { tempFolder } from '../../support/temp';

const TOKEN = '${late:rancher.token}';
const VALUES = (value: string) => new Map([['rancher.token', value]]);

/** A document around a text, and the text out of it again. */
interface Layer {
  readonly name: string;
  readonly put: (text: string) => string;
  readonly take: (document: string) => string;
}

const LAYERS: readonly Layer[] = [
  {
    name: 'JSON',
    put: (text) => JSON.stringify({ url: text, on: true }),
    take: (document) => JSON.parse(document).url,
  },
  {
    name: 'a list in JSON',
    put: (text) => JSON.stringify([[text], 1], undefined, 2),
    take: (document) => JSON.parse(document)[0][0],
  },
  {
    name: 'values of a chart',
    put: (text) => toYaml({ a: { list: [{ token: text }], n: 1 } }),
    take: (document) => (readYaml(document)[0] as any).a.list[0].token,
  },
  {
    name: 'cloud-init',
    put: (text) => `#cloud-config\n${toYaml({ write_files: [{ path: '/x', content: text }] })}`,
    take: (document) => (readYaml(document)[0] as any).write_files[0].content,
  },
  {
    name: 'manifests',
    put: (text) => `${toYaml({ kind: 'A' })}---\n${toYaml({ kind: 'B', data: { x: text } })}`,
    take: (document) => (readYaml(document)[1] as any).data.x,
  },
];

const HARD = fc
  .oneof(
    fc.string({ minLength: 1, unit: 'grapheme' }),
    fc.string({ minLength: 1, unit: 'binary' }),
    fc.string({ minLength: 1, unit: 'grapheme-ascii' }),
    fc.constantFrom(
      '0123',
      '1_000',
      '1e3',
      '0x1f',
      'true',
      'yes',
      'on',
      'null',
      '~',
      '.inf',
      '12:30:45',
      '2026-01-01',
      ': ',
      'a: b',
      '- x',
      '# x',
      'x #y',
      '"',
      "'",
      '\\',
      '\\n',
      '\n',
      'a\n',
      '\na',
      'two\nlines\n\n',
      ' lead',
      'trail ',
      '\t',
      '{}',
      '[]',
      '{"a":1}',
      '${}',
      '${x}',
      '$&',
      '$1',
      '%',
      '@',
      '`',
      '|',
      '>',
      '!',
      '&a',
      '*a',
      '<<',
      '=',
      '---',
      '...',
      '\u0085',
      '\u2028',
      '\ufeff',
      '\u0000',
      '😀',
      'é',
      'k: v\nl: [1]\n',
      '"quoted"',
      '-----BEGIN X-----\nabc\n-----END X-----\n',
    ),
  )
  .filter((text) => !loneSurrogate(text) && text !== '' && !text.includes('${late:'));

test('any value comes out equal after parsing, at every depth of documents in documents', () => {
  fc.assert(
    fc.property(
      HARD,
      fc.array(fc.constantFrom(...LAYERS), { maxLength: 4 }),
      fc.constantFrom(['', ''], ['prefix ', ' suffix']),
      (value, layers, [before, after]) => {
        const template = layers.reduce((text, { put }) => put(text), `${before}${TOKEN}${after}`);
        const completed = complete(recordYaml({ field: template }), VALUES(value)).field;
        const out = [...layers].reverse().reduce((text, { take }) => take(text), completed);
        expect(out).toBe(`${before}${value}${after}`);
      },
    ),
    { numRuns: 500 },
  );
});

test.each(LAYERS)(
  '$name is the same text whether the value was known at synthesis or later',
  ({ put }) => {
    for (const value of ['abc', 'two\nlines\n', '0123', 'a: b']) {
      expect(complete(recordYaml(put(`x ${TOKEN}`)), VALUES(value))).toBe(put(`x ${value}`));
    }
  },
);

test('names the encoding once for each YAML text around a token', () => {
  expect(recordYaml(toYaml({ a: toYaml({ b: TOKEN }) }))).toContain(
    '${late:rancher.token|yaml|yaml}',
  );
  expect(recordYaml(JSON.stringify({ a: TOKEN }))).toBe(JSON.stringify({ a: TOKEN }));
  expect(recordYaml(`echo ${TOKEN}\n`)).toBe(`echo ${TOKEN}\n`);
  const once = recordYaml(toYaml({ b: TOKEN }));
  expect(recordYaml(once)).toBe(once);
});

describe('YAML that people wrote, in a field that holds YAML', () => {
  const TEXT = `# keep me\nhost:   x   # and me\ntoken: ${TOKEN}\nsingle: '${TOKEN}'\nflow: {a: "${TOKEN}", b: 1}\nblock: |\n  echo ${TOKEN}\n  done\nlast: 1\n`;

  test('keeps its comments and its form, and gets the very values', () => {
    fc.assert(
      fc.property(HARD, (value) => {
        const completed = complete(recordYaml({ spec: { valuesContent: TEXT } }), VALUES(value))
          .spec.valuesContent;
        expect(completed).toContain('# keep me\nhost:   x   # and me\n');
        expect(readYaml(completed)).toEqual([
          {
            host: 'x',
            token: value,
            single: value,
            flow: { a: value, b: 1 },
            block: `echo ${value}\ndone\n`,
            last: 1,
          },
        ]);
      }),
    );
  });

  test('is not touched in a field that holds any text', () => {
    expect(complete(recordYaml({ data: { text: TEXT } }), VALUES('abc')).data.text).toBe(
      TEXT.replaceAll(TOKEN, 'abc'),
    );
  });
});

test('keeps the record while a value is not known yet', () => {
  const template = recordYaml(toYaml({ a: `${TOKEN} \${late:rancher.other}` }));
  const half = complete(template, VALUES('1'));
  expect(half).toContain('${late:rancher.other|yaml}');
  expect(parse(completeText(half, new Map([['rancher.other', 'x: y']])))).toEqual({ a: '1 x: y' });
});

test('a template whose YAML was broken by hand is refused, with the object and without the value', () => {
  const manifest = {
    apiVersion: 'helm.cattle.io/v1',
    kind: 'HelmChart',
    metadata: { name: 'a', namespace: 'x' },
    spec: { valuesContent: 'a: [${late:rancher.token|yaml}' },
  };
  const late = {
    id: 'rancher.token',
    description: 't',
    type: 'string',
    sensitive: false,
    construct: 'rancher/token',
    source: { resolver: 'text', text: 's3cret' },
  };
  const resolver = new LateResolver({ lateValues: [late] } as unknown as Assembly, new Map());
  return resolver.resolve('rancher.token').then(() => {
    const message = messageOf(() => resolver.complete(manifest));
    expect(message).toContain(
      'HelmChart x/a: a text with a late value is recorded as YAML, but is not valid YAML',
    );
    expect(message).not.toContain('s3cret');
  });
});

test('a value of any form completes a HelmChart, and a file of cloud-init that the library writes', () => {
  const value = '0123';
  const file = join(tempFolder(), 'values.json');
  writeFileSync(file, JSON.stringify({ schemaVersion: '1', values: { 'rancher.v': value } }));
  const app = newApp({ lateValuesFile: file });
  const rancher = newRancher(app);
  const late = new LateValue(rancher, 'v', {
    description: 'v',
    source: LateSource.field('data.x', {
      target: rancher,
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: 'default',
      name: 's',
    }),
  });
  const shop = new GuestChart(app, 'shop', { version: 'v1.33.6+rke2r1' });
  new HelmChartAddon(shop, 'chart', {
    chart: 'web',
    repository: 'https://charts.example.com',
    values: { image: { tag: late.token } },
  });
  const userData = CloudInit.of({
    files: [CloudInitFile.text('/etc/app.json', JSON.stringify({ tag: late.token }))],
  });
  CloudInitTemplate.user(newHarvester(app), 'template', userData);
  app.synth();
  const files = Object.entries(filesIn(app.outdir))
    .filter(([name]) => name.endsWith('.yaml'))
    .flatMap(([, text]) => readYaml(text)) as any[];
  const chart = files.find(({ kind }) => kind === 'HelmChart');
  expect(readYaml(chart.spec.valuesContent)).toEqual([{ image: { tag: value } }]);
  const template = files.find(({ kind }) => kind === 'ConfigMap');
  const [config] = readYaml(template.data.cloudInit) as any[];
  expect(JSON.parse(config.write_files[0].content)).toEqual({ tag: value });
});

describe('a text in a field of YAML', () => {
  test.each([
    '- ${late:rancher.token}\n',
    'token: ${late:rancher.token}\n',
    '["${late:rancher.token}", last]\n',
    '? ${late:rancher.token}\n',
    '${late:rancher.token}:\n',
  ])('that is a collection is recorded: %j', (valuesContent) => {
    expect(recordYaml({ valuesContent }).valuesContent).toContain('|yaml}');
  });

  test.each([
    '${late:rancher.token}',
    'Bearer ${late:rancher.token}',
    'a:${late:rancher.token}-b\n',
  ])('that is one value is not: %j', (valuesContent) => {
    expect(recordYaml({ valuesContent })).toEqual({ valuesContent });
  });
});
