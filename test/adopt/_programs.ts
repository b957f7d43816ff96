import { mkdirSync, symlinkSync, writeFileSync } from 'fs';
import { dirname, join } from 'path';
import * as ts from 'typescript';
import { HIDDEN_VALUE } from '../../src/adopt/read/hidden-secrets';
import { mayBecome } from '../../src/core/late/late-token';
import { Manifest, pathText } from '../../src/core/manifest/manifest';
import { LiveObject } from '../../src/engine/cluster/cluster';
import { differences, keepLiveValues, meansTheSame } from '../../src/engine/fields/compare-desired';
import { ROOT } from '../support/source-library';
import { tempFolder } from '../support/temp';

/**
 * Writes a program that can be compiled and run. Returns its folder. @param outdir relative to the
 * module of its app
 */
export function writeProgram(files: ReadonlyMap<string, string>, outdir?: string): string {
  const folder = tempFolder();
  const output = outdir === undefined ? '' : `, outdir: \`\${__dirname}/${outdir}\``;
  const delivery = `import { Delivery, type HarvesterAppProps } from 'cdk8s-harvester';\n\nexport const DELIVERY: HarvesterAppProps = { delivery: Delivery.none()${output} };\n`;
  const directory = [...files.keys()].find((file) => file.endsWith('platform.ts')) ?? '';
  for (const [file, text] of [
    ...files,
    [join(dirname(directory), 'delivery.ts'), delivery] as const,
  ]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir');
  return folder;
}

/** What is wrong with files, as strictly as a new project is compiled. */
export function diagnosticsOf(files: readonly string[]): string[] {
  const program = ts.createProgram([...files], {
    ...{ noEmit: true, strict: true, noUnusedLocals: true, skipLibCheck: true, types: ['node'] },
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.Preserve,
    paths: {
      'cdk8s-harvester': [join(ROOT, 'src', 'index.ts')],
      'cdk8s-harvester/*': [join(ROOT, 'src', '*.ts')],
      '*': [join(ROOT, 'node_modules', '*')],
    },
  });
  return files.flatMap((file) => {
    const source = program.getSourceFile(file)!;
    return [
      ...program.getSyntacticDiagnostics(source),
      ...program.getSemanticDiagnostics(source),
    ].map(
      ({ messageText, start }) =>
        `${file}:${source.getLineAndCharacterOfPosition(start ?? 0).line + 1}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    );
  });
}

/** The fields of a found object that a program would change. */
export function fieldsChanged(rendered: Manifest, manifest: Manifest): string[] {
  const live = manifest as LiveObject;
  const isSame = (before: unknown, after: unknown): boolean =>
    before === HIDDEN_VALUE ||
    (typeof before === 'string' && typeof after === 'string' && mayBecome(after, before));
  return differences(keepLiveValues({}, rendered, live).manifest, live, undefined)
    .filter(
      ({ path, before, after }) =>
        !meansTheSame(live, path, before, after) && !isSame(before, after),
    )
    .map(({ path }) => pathText(path));
}
