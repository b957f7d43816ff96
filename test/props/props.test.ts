import { Construction, constructions } from './_constructions';
import { Declarations, readDeclarations } from './_declarations';
import { Generator, Make, Variant } from './_generator';
import { Place, Versions } from './_place';
import { HINTS, NO_PROPS, UNEXERCISED } from './_table';
import { someOf, testOfAll } from '../support/cases';
import { PUBLIC_NAMES } from '../support/public-names';

/** Newest first: what one lacks, another has. */
const VERSIONS: readonly Versions[] = [
  { rancher: '2.15.0', harvester: '1.9.0', kubernetes: 'rke2' },
  { rancher: '2.13.8', harvester: '1.7.2', kubernetes: 'k3s' },
  { rancher: '2.11.3', harvester: '1.5.1', kubernetes: 'rke2' },
  { rancher: '2.7.9', harvester: '1.2.2', kubernetes: 'rke2' },
];

const declarations: Declarations = readDeclarations();
const generator = new Generator(declarations, HINTS, PUBLIC_NAMES);

/**
 * Methods that add what the constructor takes in a list: its members are exercised there, and the
 * construct that they are added to has a first one, with which the made-up values collide.
 */
const ADDITIONS = [
  'GuestCluster.addPool()',
  'HarvesterLoadBalancer.addPort()',
  'IpPool.addRange()',
  'RoleTemplate.addExternalRule()',
  'TenantTeam.addNamespace()',
];

function outputOf({ run }: Construction, given: Make, versions: Versions): string {
  const place = new Place(versions);
  run(place, given(place) as unknown[]);
  return place.output();
}

/** So many props of a construct are tested outside of CI. */
const FEW_PROPS = 3;

/** Why a member has no effect anywhere; undefined where it has. */
function failureOf(entry: Construction, { pairs }: Variant): string | undefined {
  const errors: string[] = [];
  let compared = false;
  for (const versions of VERSIONS) {
    for (const pair of pairs) {
      try {
        const [without, changed] = [
          outputOf(entry, pair.without, versions),
          outputOf(entry, pair.with, versions),
        ];
        if (without !== changed) {
          return undefined;
        }
        compared = true;
      } catch (error) {
        errors.push((error as Error).message);
      }
    }
  }
  return compared
    ? 'changes no byte of the output'
    : `cannot be exercised: ${[...new Set(errors.map((text) => text.split('\n')[0]))].slice(-2).join(' | ') || 'no value is known'}`;
}

/** The entry of the table that excepts a member: by itself, by its path, or by a path above it. */
function exceptionOf(name: string, { key, path }: Variant): string | undefined {
  const at = `${name}: ${path}`;
  return Object.keys(UNEXERCISED).find(
    (entry) =>
      entry === key || entry === at || (entry.endsWith('*') && at.startsWith(entry.slice(0, -1))),
  );
}

describe('every prop changes the output', () => {
  const failures = new Map<string, string>();

  const exercised = constructions(declarations, generator).filter(
    ({ name }) => !ADDITIONS.includes(name),
  );

  test.each(exercised.map((entry) => [entry.name, entry] as const))('%s', (name, entry) => {
    const wrong: string[] = [];
    for (const variant of someOf(generator.argumentVariants(entry.parameters, []), FEW_PROPS)) {
      const failure = failureOf(entry, variant);
      if (failure === undefined) {
        continue;
      }
      const exception = exceptionOf(name, variant);
      failures.set(exception ?? variant.key, failure);
      if (exception === undefined) {
        wrong.push(`${variant.path} (${variant.key}): ${failure}`);
      }
    }
    expect({ name, wrong }).toEqual({ name, wrong: [] });
  });

  testOfAll('those that are excepted are there, and need to be', () => {
    expect(Object.keys(UNEXERCISED).filter((key) => !failures.has(key))).toEqual([]);
  });

  testOfAll('every props interface is walked through', () => {
    const declared = [...declarations.structs.keys()];
    expect(declared.filter((name) => !generator.walked.has(name)).sort()).toEqual(
      Object.keys(NO_PROPS).sort(),
    );
  });

  testOfAll('every hint is used', () => {
    const known = [
      ...Object.keys(HINTS.members),
      ...Object.keys(HINTS.types),
      ...Object.keys(HINTS.always),
    ];
    expect(known.filter((key) => !generator.used.has(key))).toEqual([]);
  });
});
