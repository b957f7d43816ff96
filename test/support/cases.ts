/**
 * Whether the tests that walk through very many cases run all of them: in CI, and with
 * `npx projen test:all`. Elsewhere they run some, the same ones each time.
 */
export const ALL_CASES = Boolean(process.env.CI);

/**
 * Which cases run where not all do, and which values properties are tried with: another number for
 * others.
 */
export const DRAW = Number(process.env.TEST_DRAW ?? 0);

/** At most so many cases, from all parts of the list; every case where all of them run. */
export function someOf<T>(cases: readonly T[], most: number): readonly T[] {
  if (ALL_CASES) {
    return cases;
  }
  const step = Math.ceil(cases.length / most);
  return cases.filter((_, index) => index % step === DRAW % step);
}

/** How many times a property is tried: a tenth where not all cases run. */
export function runsOf(all: number): number {
  return ALL_CASES ? all : Math.ceil(all / 10);
}

/** A test that is true of all cases together: skipped where only some run. */
export const testOfAll = ALL_CASES ? test : test.skip;

/**
 * A test of how time grows with the size of an input, which needs large ones: skipped where not all
 * cases run.
 */
export const testOfGrowth = testOfAll;
