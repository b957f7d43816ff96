import { WORLDS } from './_worlds';
import { Manifest } from '../../../src/core/manifest/manifest';
import { judge } from '../../../src/core/rule/judge';
import { JudgedObject, World } from '../../../src/core/rule/rule';
import { VALUE_RULES } from '../../../src/core/shape/shape.rules';
import { ALL_RULES } from '../../../src/registry/all-rules';
import { accessMatrix } from '../../../src/report/access/access-matrix';
import { addressTable, printAddresses } from '../../../src/report/addresses/address-table';
import { JUNK, UNREADABLE, oddManifests } from '../../support/any-json';
import { ALL_CASES, someOf } from '../../support/cases';
import { fc } from '../../support/properties';

/** So many values, each in so many places of a world, are tested outside of CI. */
const FEW = 4;

const alone = new Set(VALUE_RULES);
const RULES = ALL_RULES.filter((rule) => !alone.has(rule));

/**
 * Judges an object with something odd in it: as it is declared, edited, live, and deleted. Returns
 * the messages that show what JavaScript makes of it.
 */
function judgeOdd(objects: readonly JudgedObject[], index: number, manifest: Manifest): string[] {
  const [object, others] = [objects[index]!, objects.filter((_, at) => at !== index)];
  const odd = { ...object, manifest };
  const odds = objects.map((other) => (other === object ? odd : other));
  const worlds = [
    new World(odds, [odd]),
    new World([odd], others, [object]),
    new World([object], odds, [odd]),
    new World([], others, [odd]),
  ];
  if (objects === WORLDS.tenants) {
    accessMatrix(odds);
  }
  if (objects === WORLDS.infrastructure) {
    printAddresses(addressTable(new World(objects.slice(0, 3), odds)), 'text');
  }
  const findings = [
    ...worlds.flatMap((world) => judge(RULES, world)),
    ...judge(VALUE_RULES, new World([odd])),
  ];
  return findings
    .map(({ message, fix }) => `${message}. Fix: ${fix}`)
    .filter((text) => UNREADABLE.test(text));
}

test('the manifests that are turned over reach most of the rules', () => {
  expect(
    new Set(judge(RULES, new World(WORLDS['guest clusters'])).map(({ rule }) => rule)).size,
  ).toBeGreaterThanOrEqual(15);
});

describe.each(Object.entries(WORLDS))('%s', (_, objects) => {
  test.each(someOf(JUNK, FEW))('are judged if %j replaces any value', (junk) => {
    const odds = objects.flatMap(({ manifest }, index) =>
      [...oddManifests(manifest, junk)].map((odd) => ({ index, odd })),
    );
    expect(odds.length).toBeGreaterThan(40);
    const judged = someOf(odds, FEW).flatMap(({ index, odd }) => judgeOdd(objects, index, odd));
    expect(judged).toEqual([]);
  });

  test('are judged with any JSON in any place', () => {
    fc.assert(
      fc.property(fc.nat(objects.length - 1), fc.nat(), fc.jsonValue(), (index, place, json) => {
        const odds = [...oddManifests(objects[index]!.manifest, json)];
        if (odds.length > 0) {
          expect(judgeOdd(objects, index, odds[place % odds.length]!)).toEqual([]);
        }
      }),
      { numRuns: ALL_CASES ? 60 : 6 },
    );
  });
});
