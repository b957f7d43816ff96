import { execFileSync } from 'child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { ASSEMBLY_FILE } from '#lib/core/output/assembly';
import { judge } from '#lib/core/rule/judge';
import { World } from '#lib/core/rule/rule';
import { collect } from '#lib/core/synthesis/collect';
import { judgedObjects, judgedTargets } from '#lib/core/synthesis/judge-program';
import { lintPaths } from '#lib/engine/read/lint';
import { ALL_RULES } from '#lib/registry/all-rules';
import { adoptFigures, adoptSection } from './adopt';
import { applyFigures, applySection } from './apply';
import { UNCHECKED, platformApp, writtenBy } from './platform';
import { SHAPES, Shape, ourApp, stockApp } from './shapes';
import { stockChart } from './stock';
import { HarvesterApp, OutputLayout } from 'cdk8s-harvester';

const ROOT = join(__dirname, '..');
/** Outputs are written to memory, since disks differ between machines more than processors. */
const MEMORY = '/dev/shm';
/** Measured rounds, after one that warms up. */
const ROUNDS = 5;
/** Numbers of tenants of the platform; the goals are about the first. */
const PLATFORMS = [500, 1000];
/** Many files take long: with larger shapes, one file per object is not measured. */
const MANY_FILES = 5000;

/** The most that a first synthesis may take of the time of stock with one chart. */
const ONE_CHART_GOAL = 1.5;
/** The most of other ratios at the smaller platform, and of the growth to the larger one. */
const PLATFORM_GOALS = { first: 1.2, again: 1, growth: 2.2, assembly: 2 };
/** The most of other ratios of plain objects, with one file per kind. */
const OBJECT_GOALS = { perKind: 0.35, growth: 4.4, rules: 0.1 };

/** Medians in milliseconds. */
interface Row {
  readonly shape: string;
  readonly objects: number;
  readonly stock?: number;
  readonly perObject?: number;
  readonly perKind: number;
  /** Rules alone. */
  readonly rules: number;
}

/** The sections of the page, in its order, by the names that `npx projen bench` takes. */
const SECTIONS: { readonly [name: string]: () => string | Promise<string> } = {
  platforms: () => platformSection(measurePlatforms(PLATFORMS)),
  objects: () => shapeSection(measureShapes(), requireTimes()),
  apply: async () => applySection(await applyFigures()),
  adopt: () => adoptSection(adoptFigures()),
};

/** Measures the sections that the arguments name, or all, and keeps the others of the page. */
async function main(): Promise<void> {
  const chosen = process.argv.slice(2);
  const unknown = chosen.find((name) => !Object.hasOwn(SECTIONS, name));
  if (unknown !== undefined) {
    throw new Error(`${unknown}: must be one of ${Object.keys(SECTIONS).join(', ')}`);
  }
  const page = join(ROOT, 'bench', 'speed.md');
  const former = readFileSync(page, 'utf8').split(/(?=\n## (?!Platforms))/);
  const sections: string[] = [];
  for (const [index, [name, measured]] of Object.entries(SECTIONS).entries()) {
    const isChosen = chosen.length === 0 || chosen.includes(name);
    sections.push(isChosen ? await logged(name, measured) : former[index]);
  }
  writeFileSync(page, sections.join(''));
  process.stdout.write(sections.join(''));
}

function measureShapes(): Row[] {
  return SHAPES.flatMap((shape) =>
    shape.sizes.map((objects) =>
      logged(`${shape.name}, ${objects} objects`, () => measure(shape, objects)),
    ),
  );
}

/** Prints how long a part of the benchmark takes. */
function logged<T>(name: string, measured: () => T): T {
  const start = performance.now();
  const log = () => {
    process.stderr.write(`${name}: ${((performance.now() - start) / 1000).toFixed(0)} s\n`);
  };
  const result = measured();
  if (result instanceof Promise) {
    void result.then(log);
  } else {
    log();
  }
  return result;
}

/**
 * The medians of several rounds. In each, all are measured in turn, so that other load on the
 * machine affects all alike.
 */
function medians<K extends string>(measures: { readonly [key in K]: () => number }): {
  readonly [key in K]: number;
} {
  const keys = Object.keys(measures) as K[];
  const rounds = Array.from(
    { length: ROUNDS + 1 },
    () => new Map(keys.map((key) => [key, measures[key]()])),
  );
  return Object.fromEntries(
    keys.map((key) => [key, median(rounds.slice(1).map((round) => round.get(key)!))]),
  ) as { [key in K]: number };
}

function measure(shape: Shape, objects: number): Row {
  const ours = (layout: OutputLayout) => () =>
    timeOf((outdir) => {
      const app = ourApp(shape, objects, outdir, layout);
      return () => app.synth();
    });
  const stock = () =>
    timeOf((outdir) => {
      const app = stockApp(shape, objects, outdir);
      return () => app.synth();
    });
  const measured = medians<'stock' | 'perObject' | 'perKind' | 'rules'>({
    ...(objects <= shape.stockUpTo ? { stock } : {}),
    ...(objects <= MANY_FILES ? { perObject: ours(OutputLayout.FILE_PER_OBJECT) } : {}),
    perKind: ours(OutputLayout.FILE_PER_KIND),
    rules: () => rulesTime((outdir) => ourApp(shape, objects, outdir, OutputLayout.FILE_PER_KIND)),
  } as Record<'stock' | 'perObject' | 'perKind' | 'rules', () => number>);
  return { shape: shape.name, objects, ...measured };
}

/**
 * Medians in milliseconds of processes that load the library, construct the program, and write it.
 */
interface PlatformRow {
  readonly tenants: number;
  readonly objects: number;
  /** Into an empty folder. */
  readonly first: number;
  readonly again: number;
  readonly edited: number;
  readonly stock: number;
  /** Stock with one chart for all objects, its fastest form. */
  readonly oneChart: number;
  /** The first synthesis to the disk of the machine. */
  readonly firstOnDisk: number;
  readonly oneChartOnDisk: number;
  /** Bytes of `assembly.json` by those of the YAML next to it. */
  readonly assembly: number;
  readonly warm?: WarmFigures;
}

/** Medians in milliseconds in a process that did the same before. */
interface WarmFigures {
  readonly whole: number;
  /** Stock with one chart for all objects, construction included. */
  readonly oneChart: number;
  readonly construction: number;
  /** Of manifests, YAML, and what is in them: late values and secrets. */
  readonly rendering: number;
  /** Without the check of what the program gives to constructors and methods. */
  readonly unchecked: number;
  readonly rules: number;
  readonly lint: number;
  /** What `yaml` needs to parse the files that lint reads. */
  readonly parsing: number;
  /** Of the heap, once synthesis is done. */
  readonly megabytes: number;
}

/** All sizes in turn, since growth compares them. */
function measurePlatforms(sizes: readonly number[]): PlatformRow[] {
  const base = mkdtempSync(join(MEMORY, 'bench-'));
  const disk = mkdtempSync(join(tmpdir(), 'bench-'));
  const platforms = sizes.map((tenants) => {
    const [folder, own, stock, input] = ['dist', 'own', 'stock', 'input.json'].map((name) =>
      join(base, `${tenants}-${name}`),
    );
    platformApp(tenants, folder).synth();
    const files = writtenBy(folder);
    writeFileSync(input, JSON.stringify([...files]));
    return { tenants, folder, own, stock, input, files };
  });
  const inEmpty = (outdir: string, ...args: readonly string[]) => {
    rmSync(outdir, { recursive: true, force: true });
    return processTime(...args);
  };
  const times = medians(
    Object.fromEntries(
      platforms.flatMap(({ tenants, own, stock, input }) =>
        Object.entries({
          first: () => inEmpty(own, 'ours', own, String(tenants)),
          stock: () => inEmpty(stock, 'stock', stock, input),
          oneChart: () => inEmpty(stock, 'chart', stock, input),
          firstOnDisk: () => inEmpty(join(disk, 'own'), 'ours', join(disk, 'own'), String(tenants)),
          oneChartOnDisk: () => inEmpty(join(disk, 'stock'), 'chart', join(disk, 'stock'), input),
          again: () => processTime('ours', own, String(tenants)),
          edited: () => processTime('ours', own, String(tenants), 'edited'),
        }).map(([key, measured]) => [`${key} ${tenants}`, measured]),
      ),
    ),
  );
  const rows = platforms.map(({ tenants, folder, files }, index): PlatformRow => {
    const sizeOf = (file: string) => statSync(join(folder, file)).size;
    const timeOfSynthesis = (key: string) => times[`${key} ${tenants}`];
    return {
      tenants,
      objects: [...files.values()].flat().length,
      first: timeOfSynthesis('first'),
      stock: timeOfSynthesis('stock'),
      oneChart: timeOfSynthesis('oneChart'),
      firstOnDisk: timeOfSynthesis('firstOnDisk'),
      oneChartOnDisk: timeOfSynthesis('oneChartOnDisk'),
      again: timeOfSynthesis('again'),
      edited: timeOfSynthesis('edited'),
      assembly:
        sizeOf(ASSEMBLY_FILE) / [...files.keys()].map(sizeOf).reduce((sum, size) => sum + size),
      ...(index === 0 ? { warm: warmFigures(tenants, folder, files) } : {}),
    };
  });
  rmSync(base, { recursive: true });
  rmSync(disk, { recursive: true });
  return rows;
}

function warmFigures(
  tenants: number,
  folder: string,
  files: ReadonlyMap<string, object[]>,
): WarmFigures {
  return medians({
    whole: () =>
      timeOf((outdir) => () => {
        platformApp(tenants, outdir).synth();
      }),
    oneChart: () =>
      timeOf((outdir) => () => {
        stockChart(files, outdir).synth();
      }),
    construction: () =>
      timeOf((outdir) => () => {
        platformApp(tenants, outdir);
      }),
    rendering: () =>
      timeOf((outdir) => {
        const app = platformApp(tenants, outdir);
        return () => {
          collect(app);
        };
      }),
    unchecked: () =>
      timeOf((outdir) => () => {
        platformApp(tenants, outdir, UNCHECKED).synth();
      }),
    rules: () => rulesTime(() => platformApp(tenants, folder)),
    lint: () =>
      timeOf(() => () => {
        lintPaths([folder]);
      }),
    parsing: () =>
      timeOf(() => () => {
        writtenBy(folder);
      }),
    megabytes: () =>
      heapOf(() => {
        const app = platformApp(tenants, folder);
        app.synth();
        return app;
      }),
  });
}

/** What a synthesis in a new process takes, modules included. */
function processTime(...args: readonly string[]): number {
  execFileSync('sync');
  return Number(
    execFileSync(
      process.execPath,
      ['--require', 'ts-node/register/transpile-only', join(__dirname, 'synth.ts'), ...args],
      { cwd: ROOT, encoding: 'utf8' },
    ),
  );
}

function heapOf(run: () => unknown): number {
  const { gc } = globalThis as { gc?: () => void };
  gc?.();
  const before = process.memoryUsage().heapUsed;
  const kept = run();
  gc?.();
  const after = process.memoryUsage().heapUsed;
  return kept === undefined ? 0 : (after - before) / 1e6;
}

function platformSection(rows: readonly PlatformRow[]): string {
  const [small, large] = rows;
  const { warm } = small;
  const ofChart = (small.first / small.oneChart).toFixed(2);
  const ofChartOnDisk = (small.firstOnDisk / small.oneChartOnDisk).toFixed(2);
  const goals = PLATFORM_GOALS;
  const missed = missedGoals([
    ['the first synthesis', small.first / small.stock, goals.first],
    ['a synthesis without a change', small.again / small.stock, goals.again],
    ['the growth', large.first / small.first, goals.growth],
    ['the size of `assembly.json`', small.assembly, goals.assembly],
  ]);
  const ofStock = ({ stock, ...row }: PlatformRow, key: 'first' | 'again' | 'edited') =>
    (row[key] / stock).toFixed(2);
  return `# Speed

<!-- generated by \`npx projen bench\`; do not edit -->

This page compares this library with stock cdk8s, in one run, in turn. Times differ between machines; ratios differ less. The time of this library includes
all rules and the assembly, which stock does not have.

## Platforms

Each tenant has a project, members, a quota and, on one of five Harvester clusters, a guest cluster of two machine pools with cloud provider, CSI driver,
storage class and cloud-init. Stock cdk8s gets the same manifests ready-made and writes the same files. Each synthesis runs in a new process, and its time
includes loading the modules and constructing the program, on both sides. Outputs are written to \`${MEMORY}\`, which is memory, so that the disk is not compared.

Goals at ${small.tenants} tenants: first synthesis at most ${goals.first.toFixed(2)} of stock, without a change at most ${goals.again.toFixed(2)}, growth from ${small.tenants} to ${large.tenants.toLocaleString('en')} tenants at most ${goals.growth.toFixed(2)}, and
\`assembly.json\` at most ${goals.assembly} times as large as the YAML next to it.${missed}

| tenants | objects | first synthesis / stock | without a change / stock | one changed tenant / stock | \`assembly.json\` / YAML |
|---|---|---|---|---|---|
${rows.map((row) => `| ${row.tenants.toLocaleString('en')} | ${row.objects.toLocaleString('en')} | ${(['first', 'again', 'edited'] as const).map((key) => ofStock(row, key)).join(' | ')} | ${row.assembly.toFixed(2)} |`).join('\n')}

Stock writes one file per chart, which takes it longer than one file for all. Compared with the latter, the first synthesis at ${small.tenants} tenants takes ${ofChart}
times as long. The goal is ${ONE_CHART_GOAL.toFixed(2)} times.${Number(ofChart) > ONE_CHART_GOAL ? ' It is missed.' : ''} With outputs on the disk of this machine it takes ${ofChartOnDisk} times as long,
since it makes a folder for each cluster.

What each part of a synthesis is for, and its time in a process that did the same before, compared with all that stock does with one chart:

| part | what it is for | time / stock |
|---|---|---|
${partRows(warm!)}

Growth from ${small.tenants} to ${large.tenants.toLocaleString('en')} tenants: ${(large.first / small.first).toFixed(2)} (stock ${(large.stock / small.stock).toFixed(2)}).

In a process that did the same before, at ${small.tenants} tenants:

| | value | goal |
|---|---|---|
| rules / synthesis | ${(warm!.rules / warm!.whole).toFixed(2)} | 0.20 |
| \`lint\` of the output / parsing its files with the package \`yaml\` | ${(warm!.lint / warm!.parsing).toFixed(2)} | 0.50 |
| synthesis with / without the check of props | ${(warm!.whole / warm!.unchecked).toFixed(2)} | |
| memory, in MB per 1,000 objects | ${((warm!.megabytes / small.objects) * 1000).toFixed(0)} | 60 |
`;
}

/** The parts of a synthesis: each takes some of the time of stock with one chart. */
function partRows({ whole, oneChart, construction, rendering, rules }: WarmFigures): string {
  const parts = [
    [
      'construction',
      'objects from props, checks of arguments and props with the shape of each kind, places for errors',
      construction,
    ],
    ['rendering', 'manifests and their YAML, late values and secrets in them', rendering],
    ['rules', 'what servers refuse or mishandle, over all targets together', rules],
    [
      'output',
      'order of objects, what they wait for, `assembly.json`, files by target and kind',
      Math.max(whole - construction - rendering - rules, 0),
    ],
  ] as const;
  return parts
    .map(([part, use, time]) => `| ${part} | ${use} | ${(time / oneChart).toFixed(2)} |`)
    .join('\n');
}

/** A sentence that names the goals that are missed; nothing where none is. */
function missedGoals(
  ratios: readonly (readonly [what: string, ratio: number, goal: number])[],
): string {
  const missed = ratios.filter(([, ratio, goal]) => Number(ratio.toFixed(2)) > goal);
  return missed.length === 0
    ? ''
    : ` Missed by ${missed.map(([what, ratio]) => `${what} (${ratio.toFixed(2)})`).join(' and ')}.`;
}

/** Builds outside of the measured time, then runs. */
function timeOf(build: (outdir: string) => () => void): number {
  const outdir = mkdtempSync(join(MEMORY, 'bench-'));
  const run = build(outdir);
  // what the runs before wrote gets to the disk, and what they left is swept, before the next one
  // is measured
  execFileSync('sync');
  (globalThis as { gc?: () => void }).gc?.();
  const start = performance.now();
  run();
  const ms = performance.now() - start;
  rmSync(outdir, { recursive: true });
  return ms;
}

/** The rules alone, over what a synthesis gives them. */
function rulesTime(app: (outdir: string) => HarvesterApp): number {
  return timeOf((outdir) => {
    const program = collect(app(outdir));
    const judged = judgedObjects(judgedTargets(program), program.objects);
    return () => judge(ALL_RULES, new World(judged));
  });
}

/** What the program of an example imports from the package. */
function importsOf(example: string): string[] {
  const text = readFileSync(join(ROOT, 'examples', example, 'main.ts'), 'utf8');
  return /import \{([^}]*)\} from 'cdk8s-harvester'/
    .exec(text)![1]
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** How long loading takes at most, compared with cdk8s. */
const LOADING_GOAL = 1.3;

interface RequireTimes {
  readonly cdk8s: number;
  readonly quickstart: number;
  readonly reference: number;
  /** The modules of the reference stack, by a program that is an ES module. */
  readonly imported: number;
}

/**
 * Medians of what loading takes in a new process: modules are loaded when something of them is
 * used, so by what an example uses.
 */
function requireTimes(): RequireTimes {
  const once = (name: string, members: readonly string[], how = 'require') => {
    const names = members.join(', ');
    const load = how === 'import' ? `await import('${name}')` : `require('${name}')`;
    // a class is loaded when something of it is used
    const program = `const start = performance.now(); const { ${names} } = ${load}; for (const each of [${names}]) { each.prototype; } process.stdout.write(String(performance.now() - start))`;
    const type = how === 'import' ? 'module' : 'commonjs';
    return Number(
      execFileSync(process.execPath, [`--input-type=${type}`, '-e', program], {
        cwd: ROOT,
        encoding: 'utf8',
      }),
    );
  };
  const [small, large] = [importsOf('quickstart'), importsOf('reference-stack')];
  const rounds = Array.from({ length: 15 }, () => ({
    cdk8s: once('cdk8s', []),
    quickstart: once('cdk8s-harvester', small),
    reference: once('cdk8s-harvester', large),
    imported: once('cdk8s-harvester', large, 'import'),
  }));
  const of = (key: keyof RequireTimes) => median(rounds.map((round) => round[key]));
  return {
    cdk8s: of('cdk8s'),
    quickstart: of('quickstart'),
    reference: of('reference'),
    imported: of('imported'),
  };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

function shapeSection(rows: readonly Row[], required: RequireTimes): string {
  const slowest = Math.max(required.quickstart, required.reference);
  const missed = slowest / required.cdk8s > LOADING_GOAL ? ' It is missed.' : '';
  const importMissed =
    required.imported / required.reference > LOADING_GOAL ? ' It is missed.' : '';
  const ratio = (value?: number, base?: number) =>
    value === undefined || base === undefined ? '—' : (value / base).toFixed(2);
  const growth = (shape: string) => {
    const at = (objects: number) =>
      rows.find((row) => row.shape === shape && row.objects === objects)!.perKind;
    return at(20000) / at(5000);
  };
  const shapes = SHAPES.filter(({ sizes }) => sizes.includes(20000)).map(({ name }) => name);
  const goals = OBJECT_GOALS;
  const missedOfObjects = missedGoals([
    [
      'the time with one file per kind',
      Math.max(...rows.map(({ perKind, stock = Infinity }) => perKind / stock)),
      goals.perKind,
    ],
    ['the growth', Math.max(...shapes.map(growth)), goals.growth],
    ['rules', Math.max(...rows.map(({ rules, perKind }) => rules / perKind)), goals.rules],
  ]);
  return `
## Plain objects

Objects of about 25 leaves that are not of this library, in a process that did the same before. Construction is not included.

Goals: at most ${goals.perKind.toFixed(2)} of stock's time with one file per kind, growth of at most ${goals.growth.toFixed(2)}, and rules at most ${goals.rules.toFixed(2)} of synthesis.${missedOfObjects}

| shape | objects | one file per kind / stock | one file per object / stock | rules / synthesis |
|---|---|---|---|---|
${rows.map((row) => `| ${row.shape} | ${row.objects.toLocaleString('en')} | ${ratio(row.perKind, row.stock)} | ${ratio(row.perObject, row.stock)} | ${ratio(row.rules, row.perKind)} |`).join('\n')}

Stock writes one file per chart. A shape without a ratio was not run with stock: synthesis of ten dependent charts does not end there, and that of 20,000
objects takes too long.

Growth from 5,000 to 20,000 objects with one file per kind (4.00 is linear): ${shapes.map((shape) => `${growth(shape).toFixed(2)} with ${shape}`).join(', ')}.

Loading the modules of the [quickstart](https://github.com/cdk8s-harvester/cdk8s-harvester/tree/main/examples/quickstart) takes ${ratio(required.quickstart, required.cdk8s)} times as long as \`require('cdk8s')\`, which is part of it; those of the
[reference stack](https://github.com/cdk8s-harvester/cdk8s-harvester/tree/main/examples/reference-stack) take ${ratio(required.reference, required.cdk8s)} times as long.
The goal is ${LOADING_GOAL.toFixed(2)} times.${missed}

An ES module that imports them takes ${ratio(required.imported, required.reference)} times as long as \`require\`. The goal is ${LOADING_GOAL.toFixed(2)} times.${importMissed}
`;
}

void main();
