import * as fs from 'node:fs';
import * as path from 'node:path';
import { buildSync } from 'esbuild';
import { COMPILERS, INSTALLED_ENV, Installed, ROOT, run } from './installed';

const given = process.env[INSTALLED_ENV];
const { project, tarball, runtimes } = given
  ? (JSON.parse(given) as Installed)
  : { project: '', tarball: '', runtimes: {} as Installed['runtimes'] };
const describeInstalled = given ? describe : describe.skip;

/** What programs import: `.`, `./engine`, … */
const ENTRIES = Object.entries(
  (
    JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
      exports: { [entry: string]: unknown };
    }
  ).exports,
).flatMap(([entry, target]) => (typeof target === 'object' ? [entry] : []));
const SPECIFIERS = ENTRIES.map((entry) => path.posix.join('cdk8s-harvester', entry));

const bin = (...segments: string[]): string => path.join(ROOT, 'node_modules', ...segments);
const TSX = bin('tsx', 'dist', 'cli.mjs');

/**
 * A program by a name of its own in each entry: the number of them that have a value, by specifier.
 */
const COUNT = SPECIFIERS.map(
  (_, index) =>
    `const count${index} = names${index}.filter((value) => value !== undefined).length;`,
).join('\n');
const COUNTS = `JSON.stringify([${SPECIFIERS.map((_, index) => `count${index}`).join(', ')}])`;

let names: readonly (readonly string[])[];

/** Imports every name of every entry. */
function imports(): string {
  return SPECIFIERS.map((specifier, index) => {
    const locals = names[index].map((name) => `${name}_${index}`);
    return `import { ${names[index].map((name, at) => `${name} as ${locals[at]}`).join(', ')} } from '${specifier}';\nconst names${index} = [${locals.join(', ')}];`;
  }).join('\n');
}

function requires(): string {
  return SPECIFIERS.map((specifier, index) => {
    const locals = names[index].map((name) => `${name}_${index}`);
    return `const { ${names[index].map((name, at) => `${name}: ${locals[at]}`).join(', ')} } = require('${specifier}');\nconst names${index} = [${locals.join(', ')}];`;
  }).join('\n');
}

const WAYS: [how: string, runtime: string, ...args: string[]][] = [
  ...['node 20', 'node 22', 'node 24', 'bun'].flatMap(
    (runtime): [string, string, ...string[]][] => [
      ['an ES module', runtime, 'names.mjs'],
      ['CommonJS', runtime, 'names.cjs'],
    ],
  ),
  ...['node 20', 'node 24'].flatMap((node): [string, string, ...string[]][] => [
    ['an ES module of tsx', node, TSX, 'names.mts'],
    ['CommonJS of tsx', node, TSX, 'names.cts'],
    ['a bundle of esbuild', node, 'bundled.mjs'],
  ]),
];

/**
 * Compiles for each entry; neither Node's types nor those of browsers are there unless a program
 * names them.
 */
const MODULES: { readonly [name: string]: readonly [files: readonly string[], options: object] } = {
  nodenext: [['types.mts', 'types.cts'], { module: 'nodenext' }],
  bundler: [['types.ts'], { module: 'esnext', moduleResolution: 'bundler' }],
  commonjs: [['types.ts'], { module: 'commonjs' }],
};

const COMPILED = Object.keys(COMPILERS).flatMap((compiler) => [
  ...Object.keys(MODULES).map((module) => [compiler, module, 'without'] as const),
  [compiler, 'nodenext', 'with'] as const,
]);

describeInstalled('the entries of the packed package', () => {
  beforeAll(() => {
    names = SPECIFIERS.map(
      (specifier) =>
        JSON.parse(
          run(
            runtimes['node 20'],
            ['-p', `JSON.stringify(Object.keys(require('${specifier}')))`],
            project,
          ).stdout,
        ) as string[],
    );
    const [esm, cjs] = [`${imports()}\n${COUNT}`, `${requires()}\n${COUNT}`];
    const files = {
      'names.mjs': `${esm}\nconsole.log(${COUNTS});`,
      'names.mts': `${esm}\nconsole.log(${COUNTS});`,
      'names.cjs': `${cjs}\nconsole.log(${COUNTS});`,
      'names.cts': `${cjs}\nconsole.log(${COUNTS});`,
      'names.jest.js': `${cjs}\ntest('has the names', () => { expect(${COUNTS}).toBe(process.env.COUNTS); });`,
      'names.test.mjs': `import { expect, test } from 'vitest';\n${esm}\ntest('has the names', () => { expect(${COUNTS}).toBe(process.env.COUNTS); });`,
    };
    for (const [file, text] of Object.entries(files)) {
      fs.writeFileSync(path.join(project, file), text);
    }
    const types = SPECIFIERS.map(
      (specifier, index) =>
        `import * as entry${index} from '${specifier}';\nexport const names${index}: readonly string[] = Object.keys(entry${index});`,
    ).join('\n');
    for (const file of ['types.ts', 'types.mts', 'types.cts']) {
      fs.writeFileSync(path.join(project, file), types);
    }
    buildSync({
      absWorkingDir: project,
      entryPoints: ['names.mjs'],
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: 'bundled.mjs',
      // of all of it, programs load only what they use
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      },
      external: ['@kubernetes/client-node'],
    });
  });

  const expected = (): string => JSON.stringify(names.map(({ length }) => length));

  test.each(WAYS)('have all of their names in %s with %s', (_, runtime, ...args) => {
    expect(names.map(({ length }) => length > 0)).toEqual(ENTRIES.map(() => true));
    expect(run(runtimes[runtime], args, project).stdout.trim()).toBe(expected());
  });

  test.each(['node 20', 'node 24'])(
    'load a class when an ES module uses it, with %s',
    (runtime) => {
      const file = path.join(project, 'lazy.mjs');
      fs.writeFileSync(
        file,
        `import { createRequire } from 'node:module';
import { GuestCluster, VirtualMachine } from 'cdk8s-harvester';
const { cache } = createRequire(import.meta.url);
const isLoaded = (name) => Object.keys(cache).some((each) => each.endsWith(name));
const files = ['/virtual-machine.js', '/guest-cluster.js'];
const before = files.map(isLoaded);
VirtualMachine.prototype;
console.log(JSON.stringify([before, files.map(isLoaded), GuestCluster.name]));`,
      );
      const { stdout } = run(runtimes[runtime], [file], project);
      expect(JSON.parse(stdout)).toEqual([[false, false], [true, false], 'GuestCluster']);
    },
  );

  test('have all of their names in a test of jest', () => {
    run(
      runtimes['node 24'],
      [
        bin('jest', 'bin', 'jest.js'),
        '--rootDir',
        project,
        '--testMatch',
        '**/names.jest.js',
        '--ci',
      ],
      project,
      { ...process.env, COUNTS: expected() },
    );
  });

  test('have all of their names in a test of vitest', () => {
    // where a project has it, next to what it tests
    fs.symlinkSync(
      path.dirname(runtimes.vitest),
      path.join(project, 'node_modules', 'vitest'),
      'dir',
    );
    run(
      runtimes['node 24'],
      [runtimes.vitest, 'run', '--root', project, 'names.test.mjs'],
      project,
      { ...process.env, COUNTS: expected() },
    );
  });

  test.each(COMPILED)(
    'have types that %s checks as %s, %s those of Node',
    (compiler, module, node) => {
      const [files, options] = MODULES[module];
      const config = `${compiler}-${module}-${node}.json`.replaceAll(' ', '-');
      fs.writeFileSync(
        path.join(project, config),
        JSON.stringify({
          compilerOptions: {
            target: 'es2022',
            lib: ['es2022'],
            strict: true,
            noEmit: true,
            skipLibCheck: false,
            ...options,
            types: node === 'with' ? ['node'] : [],
            typeRoots: [bin('@types')],
          },
          files,
        }),
      );
      run(process.execPath, [runtimes[compiler], '-p', config], project);
    },
  );

  test('are resolved alike by all module resolutions', () => {
    const { stdout } = run(
      process.execPath,
      [
        bin('@arethetypeswrong', 'cli', 'dist', 'index.js'),
        tarball,
        '--entrypoints',
        ...ENTRIES,
        '--format',
        'json',
      ],
      project,
    );
    expect((JSON.parse(stdout) as { problems?: object }).problems ?? {}).toEqual({});
  });
});
