import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { buildSync } from 'esbuild';
import * as ts from 'typescript';
import { INSTALLED_ENV, Installed, ROOT, run } from './installed';
import { blocksOfPages } from '../support/docs/blocks';
import { GIVEN } from '../support/docs/context';
import { RUNNING, programOf } from '../support/docs/program';
import { tempFolder } from '../support/temp';

const given = process.env[INSTALLED_ENV];
const { project, runtimes }: Partial<Installed> = given ? (JSON.parse(given) as Installed) : {};
const nodes = Object.entries(runtimes ?? { 'this node': process.execPath }).filter(([name]) =>
  name.includes('node'),
);

const PEERS = ['cdk8s', 'constructs'];

const blocks = blocksOfPages();

describe('the blocks of TypeScript in the docs', () => {
  const programs = blocks.filter(({ language }) => language === 'ts');
  const work = fs.mkdtempSync(path.join(project ?? os.tmpdir(), 'docs-'));
  afterAll(() => {
    fs.rmSync(work, { recursive: true, force: true });
  });

  beforeAll(() => {
    // without the npm registry, the library as it is compiled
    if (!project) {
      const modules = path.join(work, 'node_modules');
      fs.mkdirSync(modules);
      fs.symlinkSync(ROOT, path.join(modules, 'cdk8s-harvester'), 'dir');
      for (const peer of PEERS) {
        fs.symlinkSync(path.join(ROOT, 'node_modules', peer), path.join(modules, peer), 'dir');
      }
    }
    fs.writeFileSync(path.join(work, 'package.json'), '{ "type": "module" }');
    buildSync({
      entryPoints: [path.join(ROOT, 'test', 'support', 'docs', 'context.ts')],
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: path.join(work, 'context.js'),
      external: PEERS,
    });
    programs.forEach(({ code }, index) => {
      fs.writeFileSync(
        path.join(work, `block-${index}.js`),
        programOf(code, ts.ModuleKind.ES2022, Object.keys(GIVEN)).text,
      );
    });
    fs.writeFileSync(path.join(work, 'blocks.json'), JSON.stringify(programs));
    fs.writeFileSync(
      path.join(work, 'main.js'),
      `
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as library from 'cdk8s-harvester';
import { contextOf, errorsOf, prepare } from './context.js';

// those of jest, for blocks that are tests
globalThis.expect = createRequire(${JSON.stringify(path.join(ROOT, 'package.json'))})('expect').expect;
globalThis.test = (_, judge) => judge();
const results = [];
let errors;
process.on('unhandledRejection', ({ message }) => { errors.push(message); });
const { log } = console;
console.log = () => {};
const blocks = JSON.parse(readFileSync(new URL('blocks.json', import.meta.url), 'utf8'));
for (const [index, { name, page, code }] of blocks.entries()) {
  const folder = mkdtempSync(join(tmpdir(), 'docs-run-'));
  const env = { ...process.env };
  process.chdir(folder);
  errors = [];
  try {
    prepare(library, code);
    const context = contextOf(library, page, code);
    let made;
    globalThis.${RUNNING} = { given: context, done: (values) => { made = values; } };
    await import(\`./block-\${index}.js\`);
    // for what the block does not wait for, and what fails here: it lacks clusters
    for (let tries = code.includes('await ') ? 1000 : 1; tries > 0 && errors.length === 0 && !existsSync('gitops/assembly.json'); tries--) { await new Promise((resolve) => { setTimeout(resolve, 10); }); }
    if (errors.length === 0) { errors = made ? errorsOf(library, context, made) : ['the block did not run to its end']; }
  } catch (error) {
    errors.push(error.message);
  } finally {
    process.chdir(tmpdir());
    rmSync(folder, { recursive: true });
    process.env = env;
  }
  results.push([name, errors]);
}
log(JSON.stringify(results));
`,
    );
  });

  test.each(nodes)('run as ES modules with %s', (_, node) => {
    const env = { ...process.env, KUBECONFIG: path.join(work, 'none') };
    const results = JSON.parse(run(node, [path.join(work, 'main.js')], work, env).stdout) as [
      name: string,
      errors: string[],
    ][];
    expect(results.map(([name]) => name)).toEqual(programs.map(({ name }) => name));
    // these get as far as to what they need: clusters, a clone with a base, manifests
    const lacks = {
      apply: 'context',
      review: 'must be in the work tree of a Git repository',
      adopt: 'manifests/dc1: does not exist',
      adoptUpdate: 'has no context',
    };
    const lackOf = (name: string): string | undefined => {
      const { code } = programs.find((each) => each.name === name)!;
      return Object.entries(lacks).find(([command]) => code.includes(`await ${command}(`))?.[1];
    };
    expect(
      Object.keys(lacks).filter(
        (command) => !programs.some(({ code }) => code.includes(`await ${command}(`)),
      ),
    ).toEqual([]);
    expect(results).toEqual(
      results.map(([name]) => [
        name,
        lackOf(name) === undefined ? [] : [expect.stringContaining(lackOf(name)!)],
      ]),
    );
  });
});

describe('explain', () => {
  const topics = [
    ...new Set(
      blocks.flatMap(({ code }) =>
        [...code.matchAll(/\bcdk8s-harvester explain (?:"([^"]+)"|([^\s|&;>]+))/g)].map(
          ([, quoted, word]) => quoted ?? word,
        ),
      ),
    ),
  ];

  test('is in the docs', () => {
    expect(topics).toContain('harvester_image');
  });

  // it reads what the build of the package writes
  test.each(topics)('explains %s', (topic) => {
    const root = project ? path.join(project, 'node_modules', 'cdk8s-harvester') : ROOT;
    expect(
      run(
        process.execPath,
        [path.join(root, 'bin', 'cdk8s-harvester'), 'explain', topic],
        os.tmpdir(),
      ).stdout,
    ).toMatch(
      /^[\w./* -]+(?: \([^)]*\))?: (?:argument|construct|exit code|field|kind|member|rule|search|setting)\n {2}\S/,
    );
  });
});

describe('Python', () => {
  const TEMPLATES = path.join(ROOT, 'templates');
  const sources = new Map([
    ...blocks
      .filter(({ language }) => language === 'python')
      .map(({ name, code }) => [name, code] as const),
    ...fs
      .readdirSync(TEMPLATES, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.py'))
      .map(
        (file) =>
          [`templates/${file}`, fs.readFileSync(path.join(TEMPLATES, file), 'utf8')] as const,
      ),
  ]);
  const hasPython = spawnSync('python3', ['--version']).status === 0;
  // in CI it is a failure
  const testPython = hasPython || process.env.CI ? test : test.skip;
  if (!hasPython) {
    console.error(
      'SKIPPED: compiling Python of docs and templates, since there is no python3 on this machine',
    );
  }

  testPython.each([...sources])('%s compiles', (name, code) => {
    const folder = tempFolder();
    const file = path.join(folder, name.replaceAll(/[^\w.]/g, '-'));
    fs.writeFileSync(file, code);
    run('python3', ['-m', 'py_compile', file], folder);
  });

  test('is in docs and templates', () => {
    expect([...sources.keys()]).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^docs\/testing\.md:/),
        'templates/python/main.py',
      ]),
    );
  });
});
