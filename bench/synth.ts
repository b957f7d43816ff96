import { readFileSync } from 'fs';
import { Module } from 'module';
import { join } from 'path';
import type { App } from 'cdk8s';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';

/**
 * One synthesis of a platform in a process of its own, which prints its milliseconds:
 * `synth.ts <ours|stock|chart> <outdir> <tenants, or file of manifests> [edited]`.
 */
const [, , side, outdir, input, edited] = process.argv;
// stock loads nothing of the library
const filename = join(__dirname, side === 'ours' ? 'platform.ts' : 'stock.ts');
const compilerOptions = { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022 };
const { outputText } = transpileModule(readFileSync(filename, 'utf8'), { compilerOptions });
const manifests =
  side === 'ours'
    ? undefined
    : new Map(JSON.parse(readFileSync(input, 'utf8')) as [string, object[]][]);

const start = performance.now();
// loading the modules is a part of every synthesis, compiling the benchmark is not
const program = new Module(filename) as Module & { _compile(code: string, name: string): void };
program.filename = filename;
program.paths = module.paths;
program._compile(outputText, filename);
newApp(program.exports).synth();
process.stdout.write(String(performance.now() - start));

function newApp(exports: unknown): App {
  if (manifests === undefined) {
    const { platformApp } = exports as typeof import('./platform');
    return platformApp(Number(input), outdir, undefined, edited !== undefined);
  }
  const { stockPlatform, stockChart } = exports as typeof import('./stock');
  return side === 'stock' ? stockPlatform(manifests, outdir) : stockChart(manifests, outdir);
}
