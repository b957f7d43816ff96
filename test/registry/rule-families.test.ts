import { kindKey } from '../../src/core/manifest/manifest';
import { Rule } from '../../src/core/rule/rule';
import { ALL_KINDS } from '../../src/registry/all-kinds';
import { ALL_RULES } from '../../src/registry/all-rules';
import { RULE_FAMILIES, rulesAbout } from '../../src/registry/rule-families';

const KINDS = [
  ...ALL_KINDS.map(({ group, kind }) => kindKey(group, kind)),
  ...ALL_RULES.flatMap(({ kinds }) => kinds),
];

/** The ids of the rules that judge objects of a kind. */
function idsAbout(kind: string, rules: readonly Rule[]): string[] {
  return rules.filter(({ kinds }) => kinds.includes(kind)).map(({ id }) => id);
}

test.each([...new Set(KINDS)])('loads all rules about %s', (kind) => {
  expect(idsAbout(kind, rulesAbout(new Set([kind])))).toEqual(idsAbout(kind, ALL_RULES));
});

test('names no kind for rules that do not judge it', () => {
  for (const { kinds, rules } of RULE_FAMILIES) {
    const judged = new Set(rules().flatMap((rule) => rule.kinds));
    expect([...(kinds ?? judged)].sort()).toEqual([...judged].sort());
  }
});

test('always loads rules about targets', () => {
  const ofTargets = ALL_RULES.filter(({ judgeTarget }) => judgeTarget);
  expect(rulesAbout(new Set())).toEqual(expect.arrayContaining(ofTargets));
});
