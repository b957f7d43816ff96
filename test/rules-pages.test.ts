import { existsSync, readdirSync, readFileSync } from 'fs';
import { join } from 'path';
import { allRules } from '../src/core/rule/judge-all';
import { PROGRAM_RULES } from '../src/core/rule/program-rules';
import { HARVESTER_SETTINGS } from '../src/harvester/settings/harvester-settings.data';
import { KNOWN_SETTINGS } from '../src/rancher/settings/rancher-setting.data';
import { explain } from '../src/report/explain/explain';
import { ConstructBook } from '../src/report/explain/explain-construct';

interface Pages {
  readonly rulePages: (rules: readonly object[]) => ReadonlyMap<string, string>;
}

const { rulePages } = jest.requireActual<Pages>('../projenrc/rules/pages.js');
const ROOT = join(__dirname, '..');
const RULES = [...allRules(), ...PROGRAM_RULES];

const RULE = { level: 'error', judges: 'every kind', fields: [], source: 'a/b:c.go' };

test('writes a heading for each rule on the page of its family, and an index by area', () => {
  const files = rulePages([
    {
      ...RULE,
      id: 'ip-pool/size',
      what: 'a pool has a <size>',
      says: 'no *size*',
      fields: ['spec.a'],
    },
    { ...RULE, id: 'app/x', what: 'holds' },
  ]);
  expect([...files.keys()]).toEqual([
    'docs/rules.md',
    'docs/rules/app.md',
    'docs/rules/ip-pool.md',
  ]);
  expect(files.get('docs/rules.md')).toContain(
    '## Networks and addresses\n\n[ip-pool](rules/ip-pool.md)\u00a0(1)\n',
  );
  expect(files.get('docs/rules/ip-pool.md')).toContain(
    '## ip-pool/size\n\nA pool has a \\<size>.\n\n- Level: error\n- Judges: every kind\n- Fields: `spec.a`\n- The server answers: `no *size*`\n- Source: a/b:c.go\n',
  );
});

test('refuses a family that is in no area', () => {
  expect(() => rulePages([{ ...RULE, id: 'new-family/x', what: 'holds' }])).toThrow(
    'must list the families new-family',
  );
});

// as the words of a rule change with the code, only the names are compared
test('has a page for each family, with a heading for each rule; otherwise run npx projen compile and docs:rules', () => {
  const families = [...new Set(RULES.map(({ id }) => id.split('/')[0]))].sort();
  const folder = join(ROOT, 'docs', 'rules');
  expect(readdirSync(folder).sort()).toEqual(families.map((family) => `${family}.md`).sort());
  const headings = families.flatMap((family) =>
    [...readFileSync(join(folder, `${family}.md`), 'utf8').matchAll(/^## (.*)$/gm)].map(
      ([, id]) => id,
    ),
  );
  expect(headings.sort()).toEqual(RULES.map(({ id }) => id).sort());
});

test.each(['ip-pool/overlap', 'harvester-setting/ntp-servers', 'ip-pool/*'])(
  'explains %s with a link to a heading that exists',
  (id) => {
    const [file, anchor] = explain(id, new ConstructBook({ types: {}, pages: {} }))[0].docs.split(
      '#',
    );
    expect(existsSync(join(ROOT, file))).toBe(true);
    const anchors = [...readFileSync(join(ROOT, file), 'utf8').matchAll(/^## (.*)$/gm)].map(
      ([, title]) => title.replace(/[^\w-]/g, ''),
    );
    expect(anchor === undefined || anchors.includes(anchor)).toBe(true);
  },
);

interface SettingPages {
  readonly settingPages: (all: {
    readonly settings: readonly object[];
    readonly others: readonly object[];
  }) => ReadonlyMap<string, string>;
}

const { settingPages } = jest.requireActual<SettingPages>('../projenrc/rules/settings.js');

test('writes a page for each setting, and an index', () => {
  const files = settingPages({
    settings: [
      {
        product: 'Harvester',
        name: 'ntp-servers',
        what: 'the <time> servers',
        factory: 'ntpServers',
        parts: [
          { title: 'allowed values', lines: ['{"ntpServers":[]}'] },
          { title: 'rules', lines: ['harvester-setting/ntp-servers (error)'] },
        ],
      },
    ],
    others: [{ name: 'brand', versions: 'Rancher 2.9.0 and later' }],
  });
  expect(files.get('docs/all-settings.md')).toContain(
    '[`ntp-servers`](settings/harvester/ntp-servers.md)\n',
  );
  expect(files.get('docs/settings/harvester.md')).toContain(
    '- [`ntp-servers`](harvester/ntp-servers.md): the \\<time> servers\n',
  );
  expect(files.get('docs/settings/others-of-rancher.md')).toContain(
    '- Rancher 2.9.0 and later: `brand`\n',
  );
  expect(files.get('docs/settings/harvester/ntp-servers.md')).toContain(
    '[`HarvesterSetting.ntpServers`](../../reference/harvester-setting.md)',
  );
  expect(files.get('docs/settings/harvester/ntp-servers.md')).toContain(
    'value: \'{"ntpServers":[]}\'\n```\n\n- Rules: [`harvester-setting/ntp-servers`](../../rules/harvester-setting.md#harvester-settingntp-servers) (error)\n',
  );
});

test.each([
  ['harvester', HARVESTER_SETTINGS],
  ['rancher', KNOWN_SETTINGS],
])('has a page for each setting of %s, to which explain leads', (product, settings) => {
  const pages = [...settings.keys()].map((name) => `docs/settings/${product}/${name}.md`);
  expect(
    readdirSync(join(ROOT, 'docs', 'settings', product))
      .map((file) => `docs/settings/${product}/${file}`)
      .sort(),
  ).toEqual(pages.sort());
  const [name] = settings.keys();
  const book = new ConstructBook({ types: {}, pages: {} });
  expect(explain(name, book).map(({ docs }) => docs)).toContain(
    `docs/settings/${product}/${name}.md`,
  );
});

interface Troubleshooting {
  readonly readable: (words: RegExp) => string;
  readonly troubleshootingPages: (messages: {
    readonly rules: readonly object[];
    readonly passing: readonly object[];
    readonly agents: readonly object[];
  }) => ReadonlyMap<string, string>;
}

const { readable, troubleshootingPages } = jest.requireActual<Troubleshooting>(
  '../projenrc/rules/troubleshooting.js',
);

test.each([
  [/setting backup-target is empty/, '`setting backup-target is empty`'],
  [/could not resolve (host|proxy)|i\/o timeout/, '`could not resolve host`, `i/o timeout`'],
  [/value: "([^"]+)": cluster not found/, '`value: … : cluster not found`'],
  [/namespace\W+namespace (\S+) already exists/, '`namespace … namespace … already exists`'],
])('writes %s as the texts that it matches', (words, text) => {
  expect(readable(words)).toBe(text);
});

test('lists what servers and agents answer by area, and what passes by itself', () => {
  const source = 'harvester/a:b.go';
  const pages = troubleshootingPages({
    rules: [
      { id: 'ip-pool/size', what: 'a pool is small', says: 'too *big*', source },
      { id: 'ip-pool/none', what: 'nothing is quoted', source },
      { id: 'volume/size', what: 'a volume is small', says: 'a `size`', source },
      { id: 'volume/shrink', what: 'a volume keeps its size', says: 'a `size`', source },
    ],
    passing: [
      { kind: 'Image', words: /no class/, missing: { kind: 'a/StorageClass' } },
      { kind: 'Project', words: /exists/, missing: { kind: '/Namespace', going: true } },
      { kind: 'Pool', words: /in use/ },
    ],
    agents: [{ words: /no such host/, what: 'the name is unknown', fix: 'add it' }],
  });
  expect(pages.get('docs/troubleshooting/networks.md')).toContain(
    '## Harvester\n\n- `too *big*`: [a pool is small](../rules/ip-pool.md#ip-poolsize)\n',
  );
  expect(pages.get('docs/troubleshooting/volumes.md')).toContain(
    '- `` a `size` ``: [a volume keeps its size](../rules/volume.md#volumeshrink); [a volume is small]',
  );
  expect(pages.get('docs/troubleshooting.md')).toContain(
    '- [Networks and addresses](troubleshooting/networks.md): ip-pool\n',
  );
  const retries = pages.get('docs/troubleshooting/retries.md');
  expect(retries).toContain('- Image: `no class`. It waits for a StorageClass.');
  expect(retries).toContain(
    '- Project: `exists`. It waits until the previous Namespace is deleted.',
  );
  expect(retries).toContain('- Pool: `in use`. A controller is not done yet.');
  expect(pages.get('docs/troubleshooting/agents.md')).toContain(
    '## The name is unknown\n\n- `no such host`. Fix: add it.',
  );
});

test('gives answers to edits a page of their own where an area has too many', () => {
  const rules = Array.from({ length: 51 }, (_, index) => ({
    id: `kubernetes/kind-${index}${index < 2 ? '-update' : ''}`,
    what: `rule ${index}`,
    says: `message ${index}`,
    source: 'kubernetes/kubernetes:a.go',
  }));
  const pages = troubleshootingPages({ rules, passing: [], agents: [] });
  expect(pages.get('docs/troubleshooting/kubernetes-edits.md')).toContain('`message 1`');
  expect(pages.get('docs/troubleshooting/kubernetes.md')).not.toContain('`message 1`');
});
