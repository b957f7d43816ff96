import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { COMPILER, compileCSharp } from './csharp';
import { runGo } from './go';
import { runJava } from './java';
import {
  Language,
  REFERENCE_PROGRAMS,
  generate,
  outputIn,
  programsIn,
  writeExpected,
} from './programs';
import { ROOT } from '../installed';

const work = fs.mkdtempSync(path.join(os.tmpdir(), 'cdk8s-harvester-languages-'));
const generated = path.join(work, 'generated');
const expected = path.join(work, 'expected');

/** The pages of `UNTRANSLATED` in projenrc/languages/translations.js. */
const UNTRANSLATED = ['testing'];
/** `Map.of` has no order, which a setting as text repeats. */
const UNORDERED = ['harvester-volume-snapshot-class'];

afterAll(() => {
  fs.rmSync(work, { recursive: true, force: true });
});

beforeAll(() => {
  generate(generated, ROOT, 'java', 'go', 'dotnet');
  writeExpected(expected);
});

/** A test that needs tools: without them it is skipped with a message, and fails in CI. */
function testWith(commands: readonly string[][]): typeof test {
  const missing = commands.filter(([name, ...args]) => spawnSync(name, args).status !== 0);
  if (missing.length === 0 || process.env.CI) {
    return test;
  }
  const names = missing.map(([name]) => name).join(', ');
  process.stderr.write(`SKIPPED: programs that need ${names}, which this machine lacks\n`);
  return test.skip as typeof test;
}

/** Whether a line reports a program that failed, or is of a stack of Node. */
function isOfFailure(line: string): boolean {
  return /^FAILED |^ +at |Error:/.test(line);
}

/** The only line about the program that is wrong, with the prop as the language writes it. */
function failure(prop: string): unknown {
  return expect.stringContaining(`FAILED wrong: [rancher] ${prop}: must be an https URL, got `);
}

/** What each program of a language wrote, and what it writes in TypeScript. */
function outputsOf(language: Language, out: string): [object, object] {
  const names = programsIn(language).map(([name]) => name);
  const outputs = (folder: string): object =>
    Object.fromEntries(names.map((name) => [name, outputIn(path.join(folder, name))]));
  return [outputs(out), outputs(expected)];
}

test('has the program of each page of the reference in each language', () => {
  const languages: readonly Language[] = ['python', 'java', 'go', 'csharp'];
  expect(REFERENCE_PROGRAMS.length).toBeGreaterThan(80);
  expect(
    REFERENCE_PROGRAMS.filter(({ translations }) =>
      languages.some((language) => translations[language] === undefined),
    ).map(({ name }) => name),
  ).toEqual(UNTRANSLATED);
});

testWith([
  ['javac', '-version'],
  ['mvn', '--version'],
])('compiles the Java package, and its programs write what those in TypeScript do', () => {
  const { printed, out } = runJava(path.join(generated, 'java'), path.join(work, 'java'));
  expect(printed.split('\n').filter(isOfFailure)).toEqual([failure('serverUrl')]);
  const [written, inTypeScript] = outputsOf('java', out);
  expect(without(written, UNORDERED)).toEqual(without(inTypeScript, UNORDERED));
});

testWith([['go', 'version']])(
  'compiles the Go module, and its programs write what those in TypeScript do',
  () => {
    const cdk8s = path.join(work, 'cdk8s');
    generate(cdk8s, path.join(ROOT, 'node_modules', 'cdk8s'), 'go');
    const { printed, unformatted, out } = runGo(
      {
        own: path.join(generated, 'go', 'cdk8sharvester'),
        cdk8s: path.join(cdk8s, 'go', 'cdk8s'),
      },
      path.join(work, 'go'),
    );
    expect(printed.split('\n').filter(isOfFailure)).toEqual([failure('ServerUrl')]);
    expect(unformatted).toEqual([]);
    const [written, inTypeScript] = outputsOf('go', out);
    expect(written).toEqual(inTypeScript);
  },
);

testWith([[COMPILER, '--version']])(
  'compiles the programs in C# with the declarations of the packages',
  () => {
    const peers = ['cdk8s', 'constructs'].map((name) => {
      const folder = path.join(work, `${name}-dotnet`);
      generate(folder, path.join(ROOT, 'node_modules', name), 'dotnet');
      return folder;
    });
    compileCSharp([path.join(generated, 'dotnet'), ...peers], path.join(work, 'csharp'));
  },
);

function without(outputs: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(outputs).filter(([name]) => !names.includes(name)));
}
