import { existsSync, readFileSync, statSync } from 'fs';
import { join } from 'path';
import { ASSEMBLY_FILE } from '../model/assembly';
import { isRecord } from '../model/manifest';

/** An entry of an object in an assembly, of which nothing is certain: merges damage the file. */
export type PreviousEntry = { readonly [field: string]: unknown };

/**
 * The objects that the assembly of an earlier synthesis names.
 *
 * A damaged assembly is read line by line, as each object is a line: the files of both sides of a merge are of an earlier synthesis, and the
 * next one replaces them.
 */
export function previousEntries(outdir: string): PreviousEntry[] {
  const path = join(outdir, ASSEMBLY_FILE);
  if (!existsSync(path) || !statSync(path).isFile()) { return []; }
  const text = readFileSync(path, 'utf8');
  const assembly = parsed(text);
  if (assembly === undefined) {
    const entries = text.split('\n').map((line) => parsed(line.trim().replace(/,$/, ''))).filter(isRecord);
    if (entries.length > 0) { return entries; }
    throw new Error(`output folder ${outdir}: ${ASSEMBLY_FILE} cannot be read, so the files of the earlier synthesis are not known. Fix: empty the folder, or choose another one`);
  }
  return isRecord(assembly) && Array.isArray(assembly.objects) ? assembly.objects.filter(isRecord) : [];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
