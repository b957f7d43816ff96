import { roundTrip } from './_round-trip';
import { Construction, constructions } from '../props/_constructions';
import { readDeclarations } from '../props/_declarations';
import { Generator, Make } from '../props/_generator';
import { Place, Versions } from '../props/_place';
import { HINTS } from '../props/_table';
import { someOf, testOfAll } from '../support/cases';
import { PUBLIC_NAMES } from '../support/public-names';

/** Newest first: what one lacks, another has. */
const VERSIONS: readonly Versions[] = [
  { rancher: '2.15.0', harvester: '1.9.0', kubernetes: 'rke2' },
  { rancher: '2.13.8', harvester: '1.7.2', kubernetes: 'k3s' },
];

const declarations = readDeclarations();
const generator = new Generator(declarations, HINTS, PUBLIC_NAMES);

/** All ways to make constructs, by name: `IpPool`, `IpPool.globalPool`. */
export const CONSTRUCTIONS: ReadonlyMap<string, Construction> = new Map(
  constructions(declarations, generator).map((each) => [each.name, each]),
);

/**
 * Tests that adopting what constructs render makes the same constructs again, which render the
 * same: with each of their props in turn.
 *
 * @param names the classes, with all their ways to make them
 * @param exceptions what a program cannot say again, by `<construction>: <path of the prop>`, with the reason
 * @param isExact whether the same static method comes back
 */
export function testInverses(
  names: readonly string[],
  exceptions: { readonly [place: string]: string } = {},
  isExact = false,
): void {
  const used = new Set<string>();
  const entries = [...CONSTRUCTIONS.values()].filter(({ name }) =>
    names.includes(name.split('.')[0]),
  );

  test.each(entries.map((entry) => [entry.name, entry] as const))(
    '%s: adopting what it renders makes it again',
    (name, entry) => {
      const failures = [...failuresOf(entry, isExact)].filter(([path]) => {
        const exception = [`${name}: ${path}`, `${name}: *`].find((each) => each in exceptions);
        if (exception) {
          used.add(exception);
        }
        return exception === undefined;
      });
      expect({ name, failures: Object.fromEntries(failures) }).toEqual({ name, failures: {} });
    },
  );

  testOfAll('what is excepted needs to be', () => {
    expect(Object.keys(exceptions).filter((each) => !used.has(each))).toEqual([]);
  });
}

/**
 * Constructs with more props are tested with the first values of each: the forms of texts are
 * tested with the others.
 */
const MANY_PROPS = 100;
const FEW_VALUES = 3;
/** So many props of a construct are tested outside of CI. */
const FEW_PROPS = 2;

/** What is wrong after a round trip of a construct, by the prop that is exercised. */
function failuresOf(entry: Construction, isExact: boolean): Map<string, string[]> {
  const failures = new Map<string, string[]>();
  const variants = generator.argumentVariants(entry.parameters, []);
  const givens: readonly (readonly [string, readonly Make[]])[] =
    variants.length > 0
      ? variants.map(({ path, pairs }) => [path, pairs.map((pair) => pair.with)] as const)
      : [['', [generator.arguments(entry.parameters.filter(({ optional }) => !optional))]]];
  for (const [path, makes] of someOf(givens, FEW_PROPS)) {
    for (const make of makes.slice(0, variants.length > MANY_PROPS ? FEW_VALUES : undefined)) {
      const found = failureOf(entry, make, isExact);
      if (found.length > 0) {
        failures.set(path, found);
        break;
      }
    }
  }
  return failures;
}

function failureOf(entry: Construction, make: Make, isExact: boolean): string[] {
  for (const versions of VERSIONS) {
    const place = placeOf(entry, make, versions);
    if (!place) {
      continue;
    }
    const { adopted, poor, wrong } = roundTrip(place);
    const made = adopted.statements
      .all()
      .map(({ draft: { type, method } }) => (method ? `${type}.${method}` : type));
    const other =
      isExact && adopted.leftOut.size === 0 && !made.includes(entry.name)
        ? [`comes back as ${made.join(', ')}`]
        : [];
    return [...poor, ...wrong, ...other].map((each) => each.slice(0, 600));
  }
  return [];
}

/** Undefined for what the construct refuses: that is tested with its checks. */
function placeOf({ run }: Construction, make: Make, versions: Versions): Place | undefined {
  const place = new Place(versions);
  try {
    run(place, make(place) as unknown[]);
    return place;
  } catch {
    return undefined;
  }
}

/** A program for each prop of a construct, except for those that it refuses. */
export function* placesOf(
  entry: Construction,
  versions: Versions,
): Iterable<readonly [prop: string, place: Place]> {
  const variants = generator
    .argumentVariants(entry.parameters, [])
    .map(({ path, pairs: [pair] }) => [path, pair.with] as const);
  for (const [path, make] of [
    ['', generator.arguments(entry.parameters.filter(({ optional }) => !optional))] as const,
    ...variants,
  ]) {
    const place = placeOf(entry, make, versions);
    if (place) {
      yield [path, place];
    }
  }
}

/**
 * A program with a construct that has no other props than it needs; undefined for one that is
 * refused.
 */
export function baseOf(entry: Construction): Place | undefined {
  return placeOf(
    entry,
    generator.arguments(entry.parameters.filter(({ optional }) => !optional)),
    VERSIONS[0],
  );
}
