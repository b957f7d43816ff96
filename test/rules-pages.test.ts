import { existsSync, readdirSync, readFileSync } from 'fs';
import { join } from 'path';
import { allRules } from '../src/core/rule/judge-all';
import { PROGRAM_RULES } from '../src/core/rule/program-rules';
import { explain } from '../src/report/explain/explain';
import { ConstructBook } from '../src/report/explain/explain-construct';

interface Pages {
  readonly rulePages: (rules: readonly object[]) => ReadonlyMap<string, string>;
}

const { rulePages } = jest.requireActual<Pages>('../projenrc/rules/pages.js');
const ROOT = join(__dirname, '..');
const RULES = [...allRules(), ...PROGRAM_RULES];

const RULE = { level: 'error', judges: 'every kind', fields: [], source: 'a/b:c.go' };

test('writes a heading for each rule on the page of its family, and an index', () => {
  const files = rulePages([
    {
      ...RULE,
      id: 'pool/size',
      what: 'a pool has a <size>',
      says: 'no *size*',
      fields: ['spec.a'],
    },
    { ...RULE, id: 'app/x', what: 'holds' },
  ]);
  expect([...files.keys()]).toEqual(['docs/rules.md', 'docs/rules/app.md', 'docs/rules/pool.md']);
  expect(files.get('docs/rules.md')).toContain(
    '## pool\n\n- [`pool/size`](rules/pool.md#poolsize): a pool has a \\<size>\n',
  );
  expect(files.get('docs/rules/pool.md')).toContain(
    '## pool/size\n\nA pool has a \\<size>.\n\n- Level: error\n- Judges: every kind\n- Fields: `spec.a`\n- The server answers: `no *size*`\n- Source: a/b:c.go\n',
  );
});

// as the words of a rule change with the code, only the names are compared
test('has a page for each family, with a heading for each rule', () => {
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
