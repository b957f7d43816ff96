import { execFileSync } from 'child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { basename, join } from 'path';
import { judge } from '#lib/core/rule/judge';
import { World } from '#lib/core/rule/rule';
import { collect } from '#lib/core/synthesis/collect';
import { judgedObjects, judgedTargets } from '#lib/core/synthesis/judge-program';
import { lint } from '#lib/engine/read/lint';
import { ALL_RULES } from '#lib/registry/all-rules';
import { adoptFigures, adoptSection } from './adopt';
import { applyFigures, applySection } from './apply';
import { UNCHECKED, platformApp, writtenBy } from './platform';
import { SHAPES, Shape, ourApp, stockApp } from './shapes';
import { HarvesterApp, OutputLayout } from 'cdk8s-harvester';

const ROOT = join(__dirname, '..');
const ROUNDS = 5;
/** Numbers of tenants of the platform. */
const PLATFORMS = [100, 500, 1000];

/** Medians in milliseconds. */
interface Row {
  readonly shape: string;
  readonly objects: number;
  readonly stock?: number;
  readonly perObject: number;
  readonly perKind: number;
  /** Rules alone. */
  readonly rules: number;
}

async function main(): Promise<void> {
  const rows = SHAPES.flatMap((shape) => shape.sizes.map((objects) => measure(shape, objects)));
  const platforms = PLATFORMS.map(measurePlatform);
  const page = report(rows, requireTimes()) + platformSection(platforms) + applySection(await applyFigures()) + adoptSection(adoptFigures());
  writeFileSync(join(ROOT, 'docs', 'speed.md'), page);
  process.stdout.write(page);
}

function measure(shape: Shape, objects: number): Row {
  const times: Record<'stock' | 'perObject' | 'perKind' | 'rules', number[]> = { stock: [], perObject: [], perKind: [], rules: [] };
  // in turn, so that other load on the machine affects all alike; the first round is a warm-up
  for (let round = 0; round <= ROUNDS; round++) {
    const timed = (key: keyof typeof times, ms: number) => { if (round > 0) { times[key].push(ms); } };
    // many files take long: with the large shapes they are written once
    if (objects <= 5000 || round === 1) {
      if (objects <= shape.stockUpTo) { timed('stock', timeOf((outdir) => { const app = stockApp(shape, objects, outdir); return () => app.synth(); })); }
      timed('perObject', timeOf((outdir) => { const app = ourApp(shape, objects, outdir, OutputLayout.FILE_PER_OBJECT); return () => app.synth(); }));
    }
    timed('perKind', timeOf((outdir) => { const app = ourApp(shape, objects, outdir, OutputLayout.FILE_PER_KIND); return () => app.synth(); }));
    timed('rules', rulesTime((outdir) => ourApp(shape, objects, outdir, OutputLayout.FILE_PER_KIND)));
  }
  return {
    shape: shape.name,
    objects,
    ...(times.stock.length > 0 ? { stock: median(times.stock) } : {}),
    perObject: median(times.perObject),
    perKind: median(times.perKind),
    rules: median(times.rules),
  };
}

/** Medians in milliseconds, construction included. */
interface PlatformRow {
  readonly tenants: number;
  readonly objects: number;
  readonly ours: number;
  /** In new processes: into an empty folder, without a change, and after one changed tenant; and stock cdk8s. */
  readonly first: number;
  readonly again: number;
  readonly edited: number;
  readonly stockAlone: number;
  /** Without the check of what the program gives to constructors and methods. */
  readonly unchecked: number;
  readonly rules: number;
  readonly lint: number;
  /** What `yaml` needs to parse the files that lint reads. */
  readonly parsing: number;
  /** Of the heap, once synthesis is done. */
  readonly megabytes: number;
}

function measurePlatform(tenants: number): PlatformRow {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  platformApp(tenants, folder).synth();
  const files = writtenBy(folder);
  const input = join(folder, '..', `${basename(folder)}.json`);
  writeFileSync(input, JSON.stringify([...files]));
  const times: Record<Exclude<keyof PlatformRow, 'tenants' | 'objects'>, number[]> = { first: [], again: [], edited: [], stockAlone: [], ours: [], unchecked: [], rules: [], lint: [], parsing: [], megabytes: [] };
  // in turn, so that other load on the machine affects both alike; the first round is a warm-up
  for (let round = 0; round <= ROUNDS; round++) {
    const [ownFolder, stockFolder] = [mkdtempSync(join(tmpdir(), 'bench-')), mkdtempSync(join(tmpdir(), 'bench-'))];
    times.first.push(processTime('ours', ownFolder, String(tenants)));
    times.stockAlone.push(processTime('stock', stockFolder, input));
    times.again.push(processTime('ours', ownFolder, String(tenants)));
    times.edited.push(processTime('ours', ownFolder, String(tenants), 'edited'));
    for (const each of [ownFolder, stockFolder]) { rmSync(each, { recursive: true }); }
    times.ours.push(timeOf((outdir) => () => { platformApp(tenants, outdir).synth(); }));
    times.unchecked.push(timeOf((outdir) => () => { platformApp(tenants, outdir, UNCHECKED).synth(); }));
    times.rules.push(rulesTime(() => platformApp(tenants, folder)));
    times.lint.push(timeOf(() => () => { lint([folder]); }));
    times.parsing.push(timeOf(() => () => { writtenBy(folder); }));
    times.megabytes.push(heapOf(() => { const app = platformApp(tenants, folder); app.synth(); return app; }));
  }
  rmSync(folder, { recursive: true });
  rmSync(input);
  const objects = [...files.values()].flat().length;
  const measured = Object.entries(times).map(([name, values]) => [name, median(values.slice(1))] as const);
  const medians = Object.fromEntries(measured) as Record<keyof typeof times, number>;
  return { tenants, objects, ...medians };
}

/** What a synthesis in a new process takes, modules included. */
function processTime(...args: readonly string[]): number {
  execFileSync('sync');
  return Number(execFileSync(process.execPath, ['--require', 'ts-node/register/transpile-only', join(__dirname, 'synth.ts'), ...args], { cwd: ROOT, encoding: 'utf8' }));
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
  const at = (tenants: number) => rows.find((row) => row.tenants === tenants)!;
  return `
## Platforms

Each tenant has a project, members, a quota and, on one of five Harvester clusters, a guest cluster of two machine pools with cloud provider, CSI driver,
storage class and cloud-init. Stock cdk8s gets the same manifests ready-made and writes the same files. Each synthesis runs in a new process, and its time
includes loading the modules and constructing the program, on both sides.

Goals at 500 tenants: first synthesis at most 1.20 of stock, without a change at most 1.00, growth from 500 to 1,000 tenants at most 2.20, rules at most
0.20 of the whole in a warm process, \`lint\` of the output at most 0.50 of parsing its files with the package \`yaml\`, at most 60 MB per 1,000 objects.

| tenants | objects | first synthesis / stock | without a change / stock | one changed tenant / stock | rules / whole | with / without the check of props | lint / parsing | MB per 1,000 objects |
|---|---|---|---|---|---|---|---|---|
${rows.map((row) => `| ${row.tenants} | ${row.objects.toLocaleString('en')} | ${[row.first, row.again, row.edited].map((ms) => (ms / row.stockAlone).toFixed(2)).join(' | ')} | ${(row.rules / row.ours).toFixed(2)} | ${(row.ours / row.unchecked).toFixed(2)} | ${(row.lint / row.parsing).toFixed(2)} | ${(row.megabytes / row.objects * 1000).toFixed(0)} |`).join('\n')}

Growth from 500 to 1,000 tenants: ${(at(1000).first / at(500).first).toFixed(2)} (stock ${(at(1000).stockAlone / at(500).stockAlone).toFixed(2)}).
`;
}

/** Builds outside of the measured time, then runs. */
function timeOf(build: (outdir: string) => () => void): number {
  const outdir = mkdtempSync(join(tmpdir(), 'bench-'));
  const run = build(outdir);
  // what the runs before wrote gets to the disk, and what they left is swept, before the next one is measured
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
  return /import \{([^}]*)\} from 'cdk8s-harvester'/.exec(text)![1].split(',').map((name) => name.trim()).filter((name) => name !== '');
}

interface RequireTimes { readonly cdk8s: number; readonly quickstart: number; readonly reference: number }

/** Medians of what loading takes in a new process: modules are loaded when something of them is used, so by what an example uses. */
function requireTimes(): RequireTimes {
  const once = (name: string, members: readonly string[]) => Number(execFileSync(process.execPath, [
    '-e', `const start = performance.now(); const { ${members.join(', ')} } = require('${name}'); process.stdout.write(String(performance.now() - start))`,
  ], { cwd: ROOT, encoding: 'utf8' }));
  const [small, large] = [importsOf('quickstart'), importsOf('reference-stack')];
  const rounds = Array.from({ length: 15 }, () => ({
    cdk8s: once('cdk8s', []), quickstart: once('cdk8s-harvester', small), reference: once('cdk8s-harvester', large),
  }));
  const of = (key: keyof RequireTimes) => median(rounds.map((round) => round[key]));
  return { cdk8s: of('cdk8s'), quickstart: of('quickstart'), reference: of('reference') };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

function report(rows: readonly Row[], required: RequireTimes): string {
  const ratio = (value: number, base: number | undefined) => (base === undefined ? '—' : (value / base).toFixed(2));
  const growth = (shape: string, key: 'stock' | 'perObject' | 'perKind') => {
    const at = (objects: number) => rows.find((row) => row.shape === shape && row.objects === objects)?.[key];
    return ratio(at(20000)!, at(5000));
  };
  const shapes = SHAPES.filter(({ sizes }) => sizes.includes(20000)).map(({ name }) => name);
  return `# Speed

<!-- generated by \`npx projen bench\`; do not edit -->

This page compares this library with stock cdk8s, in one run, in turn, with objects of about 25 leaves. Times differ between machines; ratios differ less.
The time of this library includes all rules and the assembly, which stock does not have.

Goals: at most 0.35 of stock's time at 5,000 objects with one file per kind, growth of at most 4.40, rules at most 0.10 of synthesis, and loading the modules of the
quickstart or the reference stack at most 1.30 of \`require('cdk8s')\`.

| shape | objects | one file per kind / stock | one file per object / stock | rules / synthesis |
|---|---|---|---|---|
${rows.map((row) => `| ${row.shape} | ${row.objects.toLocaleString('en')} | ${ratio(row.perKind, row.stock)} | ${ratio(row.perObject, row.stock)} | ${ratio(row.rules, row.perKind)} |`).join('\n')}

Stock writes one file per chart. A shape without a ratio was not run with stock: synthesis of ten dependent charts does not end there.

Growth from 5,000 to 20,000 objects (4.00 is linear):

| shape | stock | one file per kind | one file per object |
|---|---|---|---|
${shapes.map((shape) => `| ${shape} | ${rows.some((row) => row.shape === shape && row.stock) ? growth(shape, 'stock') : '—'} | ${growth(shape, 'perKind')} | ${growth(shape, 'perObject')} |`).join('\n')}

Loading the modules of the [quickstart](https://github.com/cdk8s-harvester/cdk8s-harvester/tree/main/examples/quickstart) takes ${ratio(required.quickstart, required.cdk8s)} times as long as \`require('cdk8s')\`, which is part of it; those of the
[reference stack](https://github.com/cdk8s-harvester/cdk8s-harvester/tree/main/examples/reference-stack) take ${ratio(required.reference, required.cdk8s)} times as long.
`;
}

void main();
