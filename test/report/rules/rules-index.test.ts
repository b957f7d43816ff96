import { Rule } from '../../../src/core/rule/rule';
import { render } from '../../../src/core/text/screen';
import { RancherGate } from '../../../src/rancher/version/rancher-version';
import { printRules } from '../../../src/report/rules/rules-index';
import { shown } from '../../support/shown';

const rule = (id: string, level: Rule['level'], more: Partial<Rule> = {}): Rule =>
  ({ id, level, kinds: ['*'], what: `holds ${id}`, source: 'a/b:c.go', ...more }) as Rule;

const RULES = [
  rule('pool/b', 'warning'),
  rule('addon/x', 'error', { says: 'no | never' }),
  rule('pool/a', 'error', {
    what: 'a pool holds addresses that no other pool of the same network has',
  }),
];

test('prints rules by family for a terminal, without Markdown', () => {
  expect(
    render(printRules(RULES, 'text') as never, { colors: true, width: 60 }).split('\n'),
  ).toEqual([
    '\u001b[1maddon\u001b[22m',
    '  \u001b[31merror\u001b[39m    addon/x  \u001b[2mholds addon/x\u001b[22m',
    '',
    '\u001b[1mpool\u001b[22m',
    '  \u001b[31merror\u001b[39m    pool/a  \u001b[2ma pool holds addresses that no other pool\u001b[22m',
    '           \u001b[2mof the same network has\u001b[22m',
    '  \u001b[33mwarning\u001b[39m  pool/b  \u001b[2mholds pool/b\u001b[22m',
    '',
    "3 rules; cdk8s-harvester explain <rule> prints the server's",
    '  words and the source of one',
  ]);
});

test('writes the page of the documentation as Markdown, and all fields as JSON', () => {
  const page = shown(printRules(RULES, 'markdown'));
  expect(page).toMatch(/^# Rules\n/);
  expect(page).toContain(
    '| `addon/x` | error | every kind | holds addon/x | `no \\| never` | a/b:c.go |',
  );
  expect(page.indexOf('## addon')).toBeLessThan(page.indexOf('## pool'));
  expect(JSON.parse(shown(printRules(RULES, 'json')))[1]).toEqual({
    id: 'addon/x',
    level: 'error',
    what: 'holds addon/x',
    says: 'no | never',
    source: 'a/b:c.go',
    kinds: ['every kind'],
    clusters: [],
    fields: [],
    creation: false,
  });
});

test.each([
  [{ kinds: ['harvesterhci.io/KeyPair'] }, 'KeyPair on Harvester clusters'],
  [{ kinds: ['/Secret', '/ConfigMap'] }, 'Secret, ConfigMap'],
  [
    { kinds: ['/Secret'], on: 'rancher', creation: true },
    'Secret on Rancher management clusters; new objects',
  ],
  [{ kinds: ['/Secret'], surelyOn: 'guest' }, 'Secret on guest clusters'],
  [
    { kinds: ['/Secret'], gate: RancherGate.PASSWORD_SECRET },
    'Secret; a local password in a Secret of cattle-local-user-passwords needs Rancher 2.13.0 or later',
  ],
] as const)('writes what a rule judges: %j', (more, text) => {
  expect(shown(printRules([rule('a/b', 'error', more)], 'markdown'))).toContain(
    `| ${text} | holds a/b |`,
  );
});
