import { createRequire } from 'module';
import * as ts from 'typescript';
import { Block, blocksOfPages, blocksOfSources, textOf } from './support/docs/blocks';
import {
  GIVEN,
  GIVEN_TO_SOURCES,
  OTHER_VERSIONS,
  Values,
  contextOf,
  errorsOf,
  prepare,
} from './support/docs/context';
import { RUNNING, SUBMODULES, programOf } from './support/docs/program';
import { FakeCluster, fakeTargets } from './support/fake-cluster';
import { tempFolder } from './support/temp';
import * as engine from '../src/commands';
import * as bind from '../src/engine/auth/bind-targets';
import * as library from '../src/index';
import * as matchers from '../src/testing';
import { someOf } from './support/cases';

const ENTRIES = new Map<string, unknown>([
  ['cdk8s-harvester', library],
  ...SUBMODULES.map((name) => [`cdk8s-harvester/${name}`, library[name]] as const),
  ['cdk8s-harvester/engine', engine],
  ['cdk8s-harvester/testing', matchers],
]);
const real = createRequire(__filename);

// a review needs a clone with a base, and an adoption or its update clusters
const pages = blocksOfPages().filter(
  ({ language, code }) => language === 'ts' && !/await (?:review|adopt|adoptUpdate)\(/.test(code),
);
const examples = blocksOfSources();
/** So many run where not all do. */
const MOST_BLOCKS = 25;
const isLive = ({ code }: Block): boolean => code.includes('await apply(');

/** Runs a block as CommonJS; returns a function for the errors of its app. */
function run({ page, code }: Block, given: object): () => string[] {
  prepare(library, code);
  const context = contextOf(library, page, code);
  let made: Values | undefined;
  Object.assign(globalThis, {
    [RUNNING]: {
      given: context,
      done: (values: Values) => {
        made = values;
      },
    },
  });
  const { text } = programOf(code, ts.ModuleKind.CommonJS, Object.keys(given));
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  const program = new Function('require', 'exports', 'test', text) as (...args: unknown[]) => void;
  // a test of the block is run at once: jest has no tests within tests
  program(
    (name: string): unknown => ENTRIES.get(name) ?? real(name),
    {},
    (_: string, judge: () => void) => {
      judge();
    },
  );
  return () => (made ? errorsOf(library, context, made) : ['the block did not run to its end']);
}

const cwd = process.cwd();
const env = { ...process.env };
let logged: jest.SpyInstance;
beforeEach(() => {
  process.chdir(tempFolder());
  logged = jest.spyOn(console, 'log').mockReturnValue();
  // warnings of programs
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => {
  jest.restoreAllMocks();
  process.chdir(cwd);
  process.env = { ...env };
});

test.each(
  someOf(
    pages.filter((block) => !isLive(block)),
    MOST_BLOCKS,
  ),
)('runs $name', (block) => {
  expect(run(block, GIVEN)()).toEqual([]);
});

test.each(someOf(examples, MOST_BLOCKS))('runs the example of $name', (block) => {
  expect(run(block, GIVEN_TO_SOURCES)()).toEqual([]);
});

test.each(pages.filter(isLive))('applies to clusters in $name', async (block) => {
  const clusters = { dc1: new FakeCluster() };
  jest
    .spyOn(bind, 'bindTargets')
    .mockImplementation(async () => ({ targets: fakeTargets(clusters), close: () => {} }));
  run(block, GIVEN);
  // the block does not wait for its end; where it fails, node ends the process
  while (!logged.mock.calls.some(([text]) => /^\d+ done/.test(text as string))) {
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
  expect(logged.mock.calls.at(-1)).toEqual(['1 done, 0 failed']);
  expect(clusters.dc1.has('v1', 'ConfigMap', 'given', 'default')).toBe(true);
});

test.each(OTHER_VERSIONS)('%s states the versions for %s', (page, part, stated) => {
  expect(
    [...pages, ...examples].some((block) => block.page === page && block.code.includes(part)),
  ).toBe(true);
  // a doc comment continues on the next line
  expect(textOf(page).replace(/\n\s*\* /g, ' ')).toContain(stated);
});
