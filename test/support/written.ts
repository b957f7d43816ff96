import { writeFileSync } from 'fs';
import { join } from 'path';
import { parseAllDocuments } from 'yaml';
import { filesIn } from './programs';
import { HarvesterApp } from '../../src/core/app/harvester-app';
import { ASSEMBLY_FILE, Assembly } from '../../src/core/output/assembly';
import { printAssembly } from '../../src/core/output/print-assembly';
import { readAssembly } from '../../src/engine/read/load-assembly';

/** The objects that an app wrote, each with the name of its target. */
export function writtenObjects(app: HarvesterApp): { target: string; object: any }[] {
  app.synth();
  const files = Object.entries(filesIn(app.outdir)).filter(([file]) => file.endsWith('.yaml'));
  return files.flatMap(([file, text]) =>
    parseAllDocuments(text).map((document) => ({
      target: file.split('/')[0],
      object: document.toJS(),
    })),
  );
}

/** The objects that an app wrote, by `<target>/<Kind>/<name>`. */
export function written(app: HarvesterApp): Record<string, any> {
  return Object.fromEntries(
    writtenObjects(app).map(({ target, object }) => [
      `${target}/${object.kind}/${object.metadata.name}`,
      object,
    ]),
  );
}

/** The assembly of an app that was synthesized. */
export function assemblyOf(app: HarvesterApp): any {
  return readAssembly(app.outdir);
}

/** Writes an assembly to a folder as synthesis does. */
export function writeAssembly(folder: string, assembly: Assembly): void {
  writeFileSync(join(folder, ASSEMBLY_FILE), printAssembly(assembly));
}
