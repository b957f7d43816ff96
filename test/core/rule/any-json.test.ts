import * as fc from 'fast-check';
import { WORLDS } from './_worlds';
import { Manifest } from '../../../src/core/manifest/manifest';
import { judge } from '../../../src/core/rule/judge';
import { JudgedObject, World } from '../../../src/core/rule/rule';
import { VALUE_RULES } from '../../../src/core/shape/shape.rules';
import { ALL_RULES } from '../../../src/registry/all-rules';
import { accessMatrix } from '../../../src/report/access/access-matrix';
import { addressTable, printAddresses } from '../../../src/report/addresses/address-table';
import { JUNK, UNREADABLE, oddManifests } from '../../support/any-json';

const alone = new Set(VALUE_RULES);
const RULES = ALL_RULES.filter((rule) => !alone.has(rule));

/** Judges an object with something odd in it: as it is declared, edited, live, and deleted. No rule throws, and no message shows what JavaScript makes of it. */
function judgeOdd(objects: readonly JudgedObject[], index: number, manifest: Manifest): void {
  const [object, others] = [objects[index]!, objects.filter((_, at) => at !== index)];
  const odd = { ...object, manifest };
  const odds = objects.map((other) => (other === object ? odd : other));
  const worlds = [new World(odds, [odd]), new World([odd], others, [object]), new World([object], odds, [odd]), new World([], others, [odd])];
  const findings = [...worlds.flatMap((world) => judge(RULES, world)), ...judge(VALUE_RULES, new World([odd]))];
  expect(findings.filter(({ message, fix }) => UNREADABLE.test(message) || UNREADABLE.test(fix))).toEqual([]);
  if (objects === WORLDS.tenants) { accessMatrix(odds); }
  if (objects === WORLDS.infrastructure) { printAddresses(addressTable(new World(objects.slice(0, 3), odds)), 'text'); }
}

test('the manifests that are turned over reach most of the rules', () => {
  expect(new Set(judge(RULES, new World(WORLDS['guest clusters'])).map(({ rule }) => rule)).size).toBeGreaterThanOrEqual(15);
});

describe.each(Object.entries(WORLDS))('%s', (_, objects) => {
  test.each(JUNK)('are judged if %j replaces any value', (junk) => {
    let count = 0;
    for (const [index, { manifest }] of objects.entries()) {
      for (const odd of oddManifests(manifest, junk)) {
        judgeOdd(objects, index, odd);
        count++;
      }
    }
    expect(count).toBeGreaterThan(40);
  });

  test('are judged with any JSON in any place', () => {
    fc.assert(fc.property(fc.nat(objects.length - 1), fc.nat(), fc.jsonValue(), (index, place, json) => {
      const odds = [...oddManifests(objects[index]!.manifest, json)];
      if (odds.length > 0) { judgeOdd(objects, index, odds[place % odds.length]!); }
    }), { numRuns: 60 });
  });
});
