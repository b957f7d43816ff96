import { readdirSync, readFileSync, statSync } from 'fs';
import { builtinModules } from 'module';
import { basename, dirname, join, normalize } from 'path';

const ROOT = join(__dirname, '..');
const SRC = join(ROOT, 'src');
const SUFFIXES = ['kind', 'facts', 'check', 'rules', 'data', 'adopt'];
const MAX_LINES = 600;
const MAX_FILES = 12;

/** The imports that are allowed, by top folder. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  'core': ['core'],
  'harvester': ['core', 'harvester', 'rancher', 'guest'],
  'rancher': ['core', 'harvester', 'rancher', 'guest'],
  'guest': ['core', 'harvester', 'rancher', 'guest'],
  'registry': ['core', 'harvester', 'rancher', 'guest', 'engine', 'registry'],
  'engine': ['core', 'engine'],
  'report': ['core', 'engine', 'report'],
  'delivery': ['core', 'delivery'],
  'adopt': ['core', 'engine', 'report', 'adopt'],
  'commands.ts': ['core', 'engine', 'report', 'delivery', 'adopt', 'testing'],
  'testing': ['core', 'engine', 'report', 'testing'],
  'testing.ts': ['testing'],
  'cli': ['core', 'engine', 'commands.ts', 'report', 'delivery', 'adopt', 'cli'],
};

/**
 * Registers for core what the slices describe, when one of these entries of the package is loaded.
 */
const REGISTER = 'registry/register.ts';
const SUBMODULES = ['auth.ts', 'devices.ts', 'migration.ts', 'rke1.ts', 'settings.ts'];
const ENTRIES = ['cli/main.ts', 'commands.ts', 'index.ts', 'testing.ts', ...SUBMODULES];

/** What a top folder may take from outside of the package. */
const PACKAGES: Record<string, readonly string[]> = {
  // yaml: manifests hold YAML as text (user data, kubeconfigs, manifests in manifests); loaded when
  // the first is read
  core: ['cdk8s', 'constructs', 'yaml'],
  harvester: ['cdk8s', 'constructs'],
  rancher: ['cdk8s', 'constructs'],
  guest: ['cdk8s', 'constructs'],
  engine: ['yaml', '@kubernetes/client-node'],
  report: ['yaml'],
  delivery: ['cdk8s', 'constructs'],
  // diff: changes of programs, as git applies them
  adopt: ['cdk8s', 'constructs', 'diff', 'yaml'],
  cli: ['commander', 'yaml'],
};

/** Slices are pure: only core writes files, and only engine, report and cli reach further. */
const NO_IO = new Set(['harvester', 'rancher', 'guest']);

/** The text of every TypeScript file below a folder. */
function readTexts(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .sort();
  return new Map(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
}

const texts = readTexts(SRC);
const files = [...texts.keys()];

function specifiersIn(text: string): string[] {
  return [
    ...text.matchAll(
      /^\s*(?:import|export)\b[^;'"]*?from '([^']+)'|\brequire\('([^']+)'\)|\bimport\('([^']+)'\)|^\s*import '([^']+)'/gm,
    ),
  ].map((match) => match.slice(1).find((specifier) => specifier !== undefined)!);
}

/** The files of a folder that each of them imports. */
function importsIn(all: ReadonlyMap<string, string>): Map<string, string[]> {
  return new Map(
    [...all].map(([file, text]) => {
      const paths = specifiersIn(text)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => normalize(join(dirname(file), specifier)));
      const found = paths.flatMap((path) =>
        [`${path}.ts`, join(path, 'index.ts')].filter((other) => all.has(other)).slice(0, 1),
      );
      return [file, [...new Set(found)]];
    }),
  );
}

const imports = importsIn(texts);
const isConstruct = (file: string): boolean =>
  /\bclass \w+ extends (Construct|ApiObject|Chart|TargetChart|App)\b/.test(texts.get(file)!);
const suffixOf = (file: string): string | undefined =>
  SUFFIXES.find((suffix) => file.endsWith(`.${suffix}.ts`));
/**
 * What a slice describes as data: descriptions, checks, rules, tables, and the versions of its
 * product.
 */
const isData = (file: string): boolean =>
  suffixOf(file) !== undefined || basename(dirname(file)) === 'version';
const topOf = (file: string): string => file.split('/')[0];
const inFolders = files.filter((file) => file !== 'index.ts' && !SUBMODULES.includes(file));

/** Imports that no rule allows, as `file -> file`. */
function offenders(
  from: readonly string[],
  isAllowed: (file: string, other: string) => boolean,
): string[] {
  return from.flatMap((file) =>
    imports
      .get(file)!
      .filter((other) => !isAllowed(file, other))
      .map((other) => `${file} -> ${other}`),
  );
}

/** The files that import each other or themselves in a loop, types included. */
function cyclesIn(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = [];
  const state = new Map<string, { index: number; low: number; isOpen: boolean }>();
  const open: string[] = [];
  const visit = (file: string): { index: number; low: number; isOpen: boolean } => {
    const own = { index: state.size, low: state.size, isOpen: true };
    state.set(file, own);
    open.push(file);
    for (const other of graph.get(file)!) {
      const known = state.get(other) ?? visit(other);
      if (known.isOpen) {
        own.low = Math.min(own.low, known.low);
      }
    }
    if (own.low === own.index) {
      const loop = open.splice(open.indexOf(file));
      for (const each of loop) {
        state.get(each)!.isOpen = false;
      }
      if (loop.length > 1 || graph.get(file)!.includes(file)) {
        found.push(loop);
      }
    }
    return own;
  };
  for (const file of graph.keys()) {
    if (!state.has(file)) {
      visit(file);
    }
  }
  return found;
}

test('knows every top folder of src', () => {
  expect([...new Set(inFolders.map(topOf))].sort()).toEqual(Object.keys(MAY_IMPORT).sort());
});

test('finds imports of every form', () => {
  expect(
    specifiersIn(
      "import { a } from './a';\nimport type { b } from '../b';\nexport { c } from './c';\nconst d = require('./d') as typeof import('./e');\nimport './f';",
    ),
  ).toEqual(['./a', '../b', './c', './d', './e', './f']);
  expect(imports.get('core/synthesis/judge-program.ts')).toContain('core/rule/judge.ts');
});

test('finds a cycle of imports', () => {
  const graph = importsIn(
    new Map([
      ['a.ts', "import { b } from './sub/b';"],
      ['sub/b.ts', "import type { c } from '.';"],
      ['sub/index.ts', "export { a } from '../a';"],
      ['d.ts', "import { a } from './a';"],
      ['e.ts', "import './e';"],
    ]),
  );
  expect(cyclesIn(graph).map((loop) => [...loop].sort())).toEqual([
    ['a.ts', 'sub/b.ts', 'sub/index.ts'],
    ['e.ts'],
  ]);
});

test('has no import cycle, types included', () => {
  expect(cyclesIn(imports)).toEqual([]);
});

/** The folders that files import from other folders, of the files of a selection. */
function foldersOf(selected: readonly string[]): Map<string, string[]> {
  const graph = new Map(selected.map((file) => [dirname(file), new Set<string>()]));
  for (const file of selected) {
    for (const other of imports.get(file)!) {
      if (selected.includes(other) && dirname(other) !== dirname(file)) {
        graph.get(dirname(file))!.add(dirname(other));
      }
    }
  }
  return new Map([...graph].map(([folder, others]) => [folder, [...others]]));
}

/** The cycles of folders, each sorted. */
const folderCycles = (selected: readonly string[]): string[][] =>
  cyclesIn(foldersOf(selected)).map((loop) => loop.sort());

test('finds the folders that a folder imports', () => {
  const graph = foldersOf(['core/rule/kit/fact.ts', 'core/rule/rule.ts', 'core/text/values.ts']);
  expect([...graph]).toEqual([
    ['core/rule/kit', ['core/rule']],
    ['core/rule', ['core/text']],
    ['core/text', []],
  ]);
});

// import/no-cycle of ESLint would find them, too, but walks through all imports again for each file
test.each(['test', 'examples', 'bench', 'projenrc'])(
  'has no import cycle in the folder %s',
  (folder) => {
    expect(cyclesIn(importsIn(readTexts(join(ROOT, folder))))).toEqual([]);
  },
);

test('has one index file, the public library, which names what it exports', () => {
  expect(files.filter((file) => basename(file) === 'index.ts')).toEqual(['index.ts']);
  expect([...texts.get('index.ts')!.matchAll(/^export \*.*$/gm)].map(([line]) => line)).toEqual(
    SUBMODULES.map((file) => basename(file, '.ts')).map(
      (name) => `export * as ${name} from './${name}';`,
    ),
  );
  // adopt proves what it writes with the library that the program will import
  expect(
    offenders(
      inFolders,
      (file, other) => other !== 'index.ts' || file === 'adopt/evaluate/library.ts',
    ),
  ).toEqual([]);
});

test('re-exports nothing but in the public entries', () => {
  expect(
    inFolders.filter(
      (file) =>
        !['commands.ts', 'testing.ts'].includes(file) &&
        /^export (type )?(\*|\{[^}]*\} from)/m.test(texts.get(file)!),
    ),
  ).toEqual([]);
});

/** What the public API of core names by its class, which is in another folder. */
const TYPES_OF_PROGRAM: Record<string, readonly string[]> = {
  'core/app/harvester-app.ts': ['delivery/delivery.ts', 'delivery/secret/secret-delivery.ts'],
  'core/program/secret-choice.ts': ['delivery/secret/secret-delivery.ts'],
};

const isTypeOfProgram = (file: string, other: string): boolean =>
  TYPES_OF_PROGRAM[file]?.includes(other) ?? false;

test('imports only what a folder may know', () => {
  // what is described as data may be read by everything above core
  const isAllowed = (file: string, other: string): boolean =>
    MAY_IMPORT[topOf(file)].includes(topOf(other)) ||
    (topOf(file) !== 'core' && isData(other)) ||
    other === REGISTER ||
    // the classes that the props of a program choose from: their types only, which cost no import
    isTypeOfProgram(file, other) ||
    // stages come from the graph that apply uses, and what is kept from the answer that apply gives
    file === 'adopt/evaluate/library.ts' ||
    (topOf(file) === 'delivery' && ['engine/graph', 'engine/removal'].includes(dirname(other)));
  expect(offenders(inFolders, isAllowed)).toEqual([]);
});

test('registers what the slices describe in every entry, before anything else', () => {
  expect(files.filter((file) => imports.get(file)!.includes(REGISTER)).sort()).toEqual(
    [...ENTRIES].sort(),
  );
  expect(ENTRIES.filter((file) => imports.get(file)![0] !== REGISTER)).toEqual([]);
});

test('imports no construct into descriptions, checks, rules and data, nor into what acts on live clusters', () => {
  expect(offenders(inFolders.filter(isData), (_, other) => !isConstruct(other))).toEqual([]);
  expect(
    offenders(
      inFolders.filter((file) => ['engine', 'report', 'cli'].includes(topOf(file))),
      (_, other) => !isConstruct(other),
    ),
  ).toEqual([]);
});

test('acts on live clusters and reports by kinds and facts of the slices, not by their checks and rules', () => {
  const isSlice = (file: string): boolean => NO_IO.has(topOf(file));
  const isFact = (file: string): boolean =>
    basename(dirname(file)) === 'version' || ['kind', 'facts', 'data'].includes(suffixOf(file)!);
  const acting = inFolders.filter((file) => ['engine', 'report'].includes(topOf(file)));
  expect(offenders(acting, (_, other) => !isSlice(other) || isFact(other))).toEqual([]);
});

/** What a file of a slice is for, by its suffix and its imports. */
type Role = 'knowledge' | 'constructs' | 'rules' | 'inverses';

/** The roles that each role may import: knowledge < constructs, rules < inverses. */
const MAY_USE: Record<Role, readonly Role[]> = {
  knowledge: ['knowledge'],
  constructs: ['knowledge', 'constructs'],
  rules: ['knowledge', 'rules'],
  inverses: ['knowledge', 'constructs', 'rules', 'inverses'],
};

/** The roles that each top folder above the slices may import. */
const MAY_USE_FROM_ABOVE: Record<string, readonly Role[]> = {
  registry: ['knowledge', 'rules'],
  engine: ['knowledge'],
  report: ['knowledge'],
  delivery: ['knowledge'],
  testing: ['knowledge'],
  cli: ['knowledge'],
  adopt: ['knowledge', 'rules', 'inverses'],
};

const isOfSlice = (file: string): boolean => NO_IO.has(topOf(file));

/** Whether a file without a suffix takes part in building constructs, itself or by an import. */
function buildsConstructs(file: string, seen: Set<string> = new Set()): boolean {
  seen.add(file);
  return (
    specifiersIn(texts.get(file)!).some((name) => name === 'constructs' || name === 'cdk8s') ||
    imports
      .get(file)!
      .some(
        (other) =>
          isOfSlice(other) && !isData(other) && !seen.has(other) && buildsConstructs(other, seen),
      )
  );
}

function roleOf(file: string): Role {
  const suffix = suffixOf(file);
  if (suffix === 'rules' || suffix === 'adopt') {
    return suffix === 'rules' ? 'rules' : 'inverses';
  }
  return isData(file) || !buildsConstructs(file) ? 'knowledge' : 'constructs';
}

test('finds the role of a file of a slice', () => {
  expect(
    [
      'harvester/ip-pool/ip-pool.ts',
      'harvester/ip-pool/ip-pool.check.ts',
      'harvester/ip-pool/ip-pool.rules.ts',
      'harvester/ip-pool/ip-pool.adopt.ts',
      'harvester/node/node-ref.ts',
      'harvester/version/harvester-version.ts',
      'guest/machine-pool/machine-pool-spec.ts',
    ].map(roleOf),
  ).toEqual([
    'constructs',
    'knowledge',
    'rules',
    'inverses',
    'knowledge',
    'knowledge',
    'constructs',
  ]);
});

test('imports in the slices in the order of roles: knowledge, constructs and rules, inverses', () => {
  const sliceFiles = inFolders.filter(isOfSlice);
  expect(
    offenders(
      sliceFiles,
      (file, other) => !isOfSlice(other) || MAY_USE[roleOf(file)].includes(roleOf(other)),
    ),
  ).toEqual([]);
});

const partOf = (file: string): string => (isOfSlice(file) ? roleOf(file) : topOf(file));

test.each([...new Set(inFolders.map(partOf))].sort())('has no cycle of folders in %s', (part) => {
  expect(folderCycles(inFolders.filter((file) => partOf(file) === part))).toEqual([]);
});

test('imports of the slices, from above them, only the roles that a top folder may know', () => {
  const above = inFolders.filter((file) => topOf(file) in MAY_USE_FROM_ABOVE);
  expect(
    offenders(
      above,
      (file, other) => !isOfSlice(other) || MAY_USE_FROM_ABOVE[topOf(file)].includes(roleOf(other)),
    ),
  ).toEqual([]);
});

test('takes from outside of the package only what a folder may take', () => {
  const taken = inFolders.flatMap((file) =>
    specifiersIn(texts.get(file)!)
      .filter((specifier) => !specifier.startsWith('.'))
      .map((specifier) => ({ file, specifier: specifier.replace(/^node:/, '') })),
  );
  const isAllowed = ({ file, specifier }: { file: string; specifier: string }): boolean => {
    if (/^(fs|net|http|https|child_process|dns)(\/|$)/.test(specifier)) {
      return !NO_IO.has(topOf(file));
    }
    if (builtinModules.includes(specifier)) {
      return true;
    }
    return PACKAGES[topOf(file)].includes(
      specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/'),
    );
  };
  expect(taken.filter((each) => !isAllowed(each))).toEqual([]);
});

/** Names that the entries give to what they make of a function or a type of the same name. */
const OF_ENTRIES = ['AdoptOptions', 'Impact', 'adopt'];

test('gives an exported name one home', () => {
  const homes = files.flatMap((file) =>
    [
      ...texts
        .get(file)!
        .matchAll(
          /^export (?:async |abstract )?(?:function\*?|const|class|interface|type|enum) (\w+)/gm,
        ),
    ].map(([, name]) => ({ name: name!, file })),
  );
  const several = homes.filter(({ name, file }) =>
    homes.some((other) => other.name === name && other.file !== file),
  );
  expect([...new Set(several.map(({ name }) => name))].sort()).toEqual(OF_ENTRIES);
});

test(`keeps files below ${MAX_LINES} lines and folders at ${MAX_FILES} files`, () => {
  const isLong = (file: string): boolean => texts.get(file)!.split('\n').length > MAX_LINES + 1;
  expect(inFolders.filter(isLong)).toEqual([]);
  const folders = [...new Set(inFolders.map(dirname))];
  const filesOf = (folder: string): string[] =>
    readdirSync(join(SRC, folder)).filter((name) => statSync(join(SRC, folder, name)).isFile());
  expect(folders.filter((folder) => filesOf(folder).length > MAX_FILES)).toEqual([]);
});

/** Folders of tests below a top folder of src that have the bodies and the projects of others. */
const OF_OTHERS = ['adopt/bodies', 'adopt/corpus'];

/** The tests of a top folder of src, such as `engine/plan/steps/make-plan.test.ts`. */
const testFiles = [...readTexts(__dirname).keys()].filter(
  (file) => file.endsWith('.test.ts') && readdirSync(SRC).includes(topOf(file)),
);

test('has the tests of a folder of src in the folder of the same path', () => {
  const folders = new Set(files.map(dirname));
  const elsewhere = testFiles.filter((file) => {
    const folder = dirname(file);
    return folder !== '.' && !folders.has(folder) && !OF_OTHERS.includes(folder);
  });
  expect(elsewhere).toEqual([]);
});

test('has a test with the name of a module next to it, unless another test is there', () => {
  const misplaced = testFiles.flatMap((file) => {
    const name = basename(file).replace('.test.ts', '.ts');
    const homes = files.filter((other) => basename(other) === name && topOf(other) === topOf(file));
    const tests = homes.map((home) => home.replace(/\.ts$/, '.test.ts'));
    const isTested = tests.some((other) => testFiles.includes(other));
    return homes.length === 0 || isTested ? [] : [{ file, belongsTo: tests }];
  });
  expect(misplaced).toEqual([]);
});
