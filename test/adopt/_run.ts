import { posix } from 'path';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';
import { Manifest } from '../../src/core/manifest/manifest';
import { readYaml } from '../../src/core/yaml/yaml-reader';
import { filesIn } from '../support/programs';
import { libraryModule } from '../support/public-names';
import { tempFolder } from '../support/temp';

/** Synthesizes the files of an adopted program, into a folder. Returns the objects that it writes. */
export function synthesized(
  files: ReadonlyMap<string, string>,
  outdir = tempFolder(),
): readonly Manifest[] {
  const loaded = new Map<string, any>([
    ['delivery', { DELIVERY: { outdir, printWarnings: false } }],
  ]);
  const load = (path: string): any => {
    const known = loaded.get(path);
    if (known) {
      return known;
    }
    const { outputText } = transpileModule(files.get(`${path}.ts`)!, {
      compilerOptions: { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022 },
    });
    const exported = {};
    loaded.set(path, exported);
    const needed = (name: string): unknown => {
      if (name.startsWith('.')) {
        return load(posix.join(posix.dirname(path), name));
      }
      // eslint-disable-next-line @typescript-eslint/no-require-imports
      return libraryModule(name) ?? require(name);
    };
    new Function('exports', 'require', outputText)(exported, needed);
    return exported;
  };
  load('platform').app.synth();
  return Object.entries(filesIn(outdir))
    .filter(([file]) => file.endsWith('.yaml'))
    .flatMap(([, text]) => readYaml(text) as Manifest[]);
}
