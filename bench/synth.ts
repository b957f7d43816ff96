import { readFileSync } from 'fs';
import { Module } from 'module';
import { join } from 'path';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';

/**
 * One synthesis of a platform in a process of its own, which prints its milliseconds:
 * `synth.ts <ours|stock|chart> <outdir> <tenants, or file of manifests> [edited]`.
 */
const [, , side, outdir, input, edited] = process.argv;
const filename = join(__dirname, 'platform.ts');
const compilerOptions = { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022 };
const { outputText } = transpileModule(readFileSync(filename, 'utf8'), { compilerOptions });
const manifests =
  side === 'ours'
    ? undefined
    : new Map(JSON.parse(readFileSync(input, 'utf8')) as [string, object[]][]);

const start = performance.now();
// loading the library is a part of every synthesis, compiling the benchmark is not
const platform = new Module(filename) as Module & { _compile(code: string, name: string): void };
platform.filename = filename;
platform.paths = module.paths;
platform._compile(outputText, filename);
const { platformApp, stockPlatform, stockChart } = platform.exports as typeof import('./platform');
const stock = side === 'stock' ? stockPlatform : stockChart;
const app = manifests
  ? stock(manifests, outdir)
  : platformApp(Number(input), outdir, undefined, edited !== undefined);
app.synth();
process.stdout.write(String(performance.now() - start));
