import { cpSync, mkdirSync, rmSync, writeFileSync } from 'fs';
import { join } from 'path';
import { reportFindings, where } from '../../../src/core/rule/report';
import { readEdits } from '../../../src/engine/read/compared-input';
import { environmentsIn } from '../../../src/engine/read/environments';
import { lintPaths } from '../../../src/engine/read/lint';
import { loadAssembly } from '../../../src/engine/read/load-assembly';
import { fitRows } from '../../../src/report/fits/fit-table';
import { impactsOfEdits } from '../../../src/report/impact/edit-impacts';
import { someOf } from '../../support/cases';
import { COMMITTED_OUTPUTS } from '../../support/committed-outputs';
import { runCli } from '../../support/run-cli';
import { tempFolder } from '../../support/temp';

const EXAMPLES = join(__dirname, '..', '..', '..', 'examples');
const outputOf = (example: string): string => join(EXAMPLES, example, 'dist');
const EXAMPLE = outputOf('reference-stack');

/** A repository with the outputs of one program for several environments. */
function repository(...environments: readonly string[]): string {
  return copies(EXAMPLE, environments);
}

function copies(output: string, environments: readonly string[]): string {
  const folder = join(tempFolder(), 'dist');
  mkdirSync(folder);
  for (const environment of environments) {
    cpSync(output, join(folder, environment), { recursive: true });
  }
  return folder;
}

const brief = (folder: string, before?: string): string[] =>
  lintPaths([folder], before === undefined ? {} : { before: [before] }).map(
    ({ level, rule, object }) => `${level} ${rule} ${object?.name ?? ''}`,
  );

const OUTPUTS = Object.entries(COMMITTED_OUTPUTS);

test.each(someOf(OUTPUTS, 3))(
  'judges three environments of %s in one folder one by one',
  (_, output) => {
    const alone = brief(output);
    const limits = fitRows([output]);
    const folder = copies(output, ['dev', 'prod', 'stage']);
    expect(brief(folder).sort()).toEqual([...alone, ...alone, ...alone].sort());
    expect(fitRows([folder])).toEqual(
      ['dev', 'prod', 'stage'].flatMap((environment) =>
        limits.map((row) => ({ environment, ...row })),
      ),
    );
  },
);

/** The environments with the paths that are judged, compared, and live. */
function split(
  paths: readonly string[],
  compared: { readonly before?: readonly string[]; readonly world?: readonly string[] } = {},
): unknown {
  const pathsOf = (found: ReturnType<typeof environmentsIn>[number]['listed']): string[] =>
    found.map(({ path }) => path);
  return environmentsIn(paths, compared, {}).map(({ name, listed, before, world }) => ({
    name,
    paths: pathsOf(listed),
    before: pathsOf(before),
    world: pathsOf(world),
  }));
}

test('judges manifests in none of the outputs as a world of their own', () => {
  const folder = repository('dev', 'prod');
  const shared = join(folder, 'shared.yaml');
  writeFileSync(shared, 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shared\n');
  expect(split([folder])).toEqual([
    { name: 'dev', paths: [join(folder, 'dev')], before: [], world: [] },
    { name: 'prod', paths: [join(folder, 'prod')], before: [], world: [] },
    { name: '', paths: [folder], before: [], world: [] },
  ]);
  expect(environmentsIn([folder], {}, {}).at(-1)!.listed).toMatchObject([
    { files: [shared], assemblies: [] },
  ]);
});

test('joins output folders that are given one by one', () => {
  const folder = repository('rancher', 'harvester');
  const paths = [join(folder, 'rancher'), join(folder, 'harvester')];
  expect(split(paths)).toEqual([{ name: undefined, paths, before: [], world: [] }]);
  expect(split(paths, { before: [folder] })).toEqual([
    { name: undefined, paths, before: [folder], world: [] },
  ]);
});

test('separates an output from the outputs in its folder', () => {
  const folder = repository('prod');
  cpSync(EXAMPLE, folder, { recursive: true });
  const [root, prod] = environmentsIn([folder], {}, {});
  expect([root!.name, prod!.name]).toEqual(['.', 'prod']);
  expect(root!.listed[0]!.files.filter((file) => file.includes('/prod/'))).toEqual([]);
  expect(root!.listed[0]!.files.length).toBe(prod!.listed[0]!.files.length);
});

test('gives each environment the live objects of the same one', () => {
  const folder = repository('dev', 'prod');
  const platform = repository('dev', 'stage', 'prod');
  expect(split([folder], { world: [platform] })).toMatchObject([
    { name: 'dev', world: [join(platform, 'dev')] },
    { name: 'prod', world: [join(platform, 'prod')] },
  ]);
  const other = repository('lab', 'test');
  expect(() => split([folder], { world: [other] })).toThrow(
    `--world ${other}: must contain an output of dev, prod, got lab, test`,
  );
});

test('refuses to compare one output with those of several environments', () => {
  const folder = repository('dev', 'prod');
  expect(() => lintPaths([join(folder, 'dev')], { before: [folder] })).toThrow(
    `--before ${folder}: must be one output, got those of dev, prod. Fix: name the one of the same environment, e.g. --before ${folder}/dev`,
  );
  expect(() => lintPaths([join(folder, 'dev')], { world: [folder] })).toThrow('--world');
});

test('names the environment of a finding', () => {
  const findings = lintPaths([repository('dev', 'prod')]);
  expect(new Set(findings.map(({ environment }) => environment))).toEqual(new Set(['dev', 'prod']));
  expect(reportFindings(findings, 'text').toString()).not.toBe('');
  expect(where(findings[0]!)).toMatch(/ on \S+ in (?:dev|prod)$/);
});

test('refuses a folder of several outputs where a command takes one', () => {
  const folder = repository('dev', 'prod');
  expect(() => loadAssembly(folder)).toThrow(
    `${folder}: must be the output of one environment, and contains ${folder}/dev, ${folder}/prod. Fix: name one of them`,
  );
});

test('compares each environment with its previous state', () => {
  const before = repository('dev', 'prod');
  const after = repository('dev', 'prod');
  expect(brief(after, before)).toEqual(brief(after));
  expect(impactsOfEdits(readEdits([after], [before], {}))).toEqual([]);
  rmSync(join(after, 'prod'), { recursive: true });
  const removed = brief(after, before).filter((finding) => finding.startsWith('error'));
  expect(removed.length).toBeGreaterThan(0);
  expect(brief(EXAMPLE, EXAMPLE)).not.toEqual(expect.arrayContaining(removed));
});

test('compares quotas within each environment', () => {
  const alone = fitRows([EXAMPLE]);
  const rows = fitRows([repository('dev', 'prod')]);
  expect(alone.length).toBeGreaterThan(0);
  expect(rows).toEqual(
    ['dev', 'prod'].flatMap((environment) => alone.map((row) => ({ environment, ...row }))),
  );
});

test.each(['access', 'addresses', 'fits', 'images'])(
  '%s reports three environments as three times one',
  async (command) => {
    const options = ['--output', 'json'];
    const folder = repository('dev', 'stage', 'prod');
    const [one, three] = [
      await runCli(command, EXAMPLE, ...options),
      await runCli(command, folder, ...options),
    ];
    expect([one.stderr, three.stderr]).toEqual(['', '']);
    const rowsOf = (text: string): object[] =>
      Object.values({ rows: JSON.parse(text) as unknown }).flatMap((value) =>
        Array.isArray(value) ? (value as object[]) : Object.values(value as object).flat(),
      );
    const isRow = (row: unknown): boolean => typeof row === 'object';
    const [single, all] = [one, three].map(({ stdout }) => rowsOf(stdout).filter(isRow));
    expect(single!.length).toBeGreaterThan(0);
    expect(all!.length).toBe(single!.length * (command === 'images' ? 1 : 3));
    for (const environment of command === 'images' ? [] : ['dev', 'stage', 'prod']) {
      expect(JSON.stringify(all)).toContain(`"environment":"${environment}"`);
    }
  },
);

test.each(['access', 'addresses', 'fits'])('%s names environments', async (command) => {
  const { stdout } = await runCli(command, repository('dev', 'prod'), '--output', 'markdown');
  expect(stdout).toMatch(/ in prod\b/);
});
