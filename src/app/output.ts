import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'fs';
import { dirname, join } from 'path';
import { ASSEMBLY_FILE } from '../model/assembly';
import { isRecord } from '../model/manifest';

/** Files by their path below the output folder: `<target>/<file>`, or a bare name. */
export type Files = ReadonlyMap<string, string>;

/**
 * Writes a whole output, or nothing.
 *
 * What is new or changed is written beside the old files first, where a full disk or a missing right shows; then it takes its place, the assembly
 * last. What an earlier synthesis wrote and this one does not is removed; files of other people stay.
 */
export function writeOutput(outdir: string, files: Files): void {
  mkdirSync(outdir, { recursive: true });
  const stale = filesOf(outdir).filter((file) => !files.has(file));
  const folders = [...new Set([...files.keys()].map((file) => dirname(file)))];
  // a folder that is not there yet is written whole and moved once: a rename for each of thousands of files costs as much as writing them
  const fresh = new Set(folders.filter((folder) => !existsSync(join(outdir, folder))));
  const staging = mkdtempSync(join(outdir, '.staging-'));
  try {
    for (const folder of folders) { mkdirSync(join(staging, folder), { recursive: true }); }
    const single: string[] = [];
    for (const [file, content] of files) {
      const isFresh = fresh.has(dirname(file));
      if (!isFresh && holds(join(outdir, file), content)) { continue; }
      writeFileSync(join(staging, file), content);
      if (!isFresh && file !== ASSEMBLY_FILE) { single.push(file); }
    }
    for (const folder of fresh) { renameSync(join(staging, folder), join(outdir, folder)); }
    for (const file of single) { renameSync(join(staging, file), join(outdir, file)); }
    // the assembly names all others: until here a reader sees the old one
    if (existsSync(join(staging, ASSEMBLY_FILE))) { renameSync(join(staging, ASSEMBLY_FILE), join(outdir, ASSEMBLY_FILE)); }
    for (const file of stale) { rmSync(join(outdir, file), { force: true }); }
    for (const folder of new Set(stale.map((file) => dirname(file)))) { removeIfEmpty(join(outdir, folder)); }
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

function holds(path: string, content: string): boolean {
  return existsSync(path) && readFileSync(path, 'utf8') === content;
}

// only what an assembly of ours names is ours to remove, and only below the output folder
function filesOf(outdir: string): string[] {
  const path = join(outdir, ASSEMBLY_FILE);
  if (!existsSync(path)) { return []; }
  let assembly: unknown;
  try {
    assembly = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    throw new Error(`output folder ${outdir}: ${ASSEMBLY_FILE} can not be read, so it is not known which files are of an earlier synthesis; `
      + 'empty the folder, or choose another one');
  }
  const objects = isRecord(assembly) && Array.isArray(assembly.objects) ? assembly.objects : [];
  const files = objects.map((object: unknown) => (isRecord(object) ? object.file : undefined));
  return [...new Set(files)].filter((file): file is string => typeof file === 'string' && /^[a-z0-9-]+\/[^/\\]+$/.test(file));
}

function removeIfEmpty(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length === 0) { rmSync(folder, { recursive: true }); }
}
