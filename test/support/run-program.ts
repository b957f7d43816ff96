import { existsSync, readFileSync } from 'fs';
import { createRequire } from 'module';
import { dirname, join } from 'path';
import * as ts from 'typescript';
import { filesIn } from './programs';
import { libraryModule } from './public-names';
import { ROOT } from './source-library';
import { tempFolder } from './temp';

const real = createRequire(join(ROOT, 'package.json'));

/**
 * Runs a module afresh, with those of its program that it imports; the library is the one that the
 * test has loaded, which takes a second. Returns its exports.
 */
export function runModule(file: string, loaded = new Map<string, { exports: any }>()): any {
  const known = loaded.get(file);
  if (known) {
    return known.exports;
  }
  const module = { exports: {} };
  loaded.set(file, module);
  const { outputText } = ts.transpileModule(readFileSync(file, 'utf8'), {
    fileName: file,
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  });
  const load = (name: string): unknown => {
    const ofLibrary = libraryModule(name);
    if (ofLibrary) {
      return ofLibrary;
    }
    return name.startsWith('.')
      ? runModule(
          join(dirname(file), existsSync(join(dirname(file), `${name}.ts`)) ? `${name}.ts` : name),
          loaded,
        )
      : real(name);
  };
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  const program = new Function('require', 'module', 'exports', '__dirname', outputText) as (
    ...args: unknown[]
  ) => void;
  program(load, module, module.exports, dirname(file));
  return module.exports;
}

/** What the program in a folder writes, all in another folder. */
export function outputOf(folder: string): Record<string, string> {
  const outdir = tempFolder();
  const [cwd, before] = [process.cwd(), process.env.CDK8S_OUTDIR];
  const stderr = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    process.chdir(folder);
    process.env.CDK8S_OUTDIR = outdir;
    runModule(join(folder, 'main.ts'));
    return filesIn(outdir);
  } finally {
    process.chdir(cwd);
    if (before === undefined) {
      delete process.env.CDK8S_OUTDIR;
    } else {
      process.env.CDK8S_OUTDIR = before;
    }
    stderr.mockRestore();
  }
}
