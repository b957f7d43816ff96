import { createHash } from 'crypto';
import { readFileSync } from 'fs';
import { join } from 'path';
import { readAssembly } from './read-assembly';
import { readManifests } from './yaml-file';
import { Assembly, ASSEMBLY_FILE } from '../../model/assembly';
import { Manifest, objectKey, refKey } from '../../model/manifest';

/** An output folder as commands that reach clusters need it. */
export interface LoadedAssembly {
  readonly folder: string;
  readonly assembly: Assembly;
  /** Every object by its id: what its file says, or its template. */
  readonly manifests: ReadonlyMap<string, Manifest>;
  /** sha256 in hex over assembly.json and all files that it names. */
  readonly digest: string;
}

/**
 * Reads an output folder whole. Throws where a file is missing, or does not hold what the assembly says.
 */
export function loadAssembly(folder: string): LoadedAssembly {
  const assembly = readAssembly(folder);
  const names = [...new Set(assembly.objects.flatMap(({ file }) => (file === undefined ? [] : [file])))].sort();
  const digest = createHash('sha256').update(readFileSync(join(folder, ASSEMBLY_FILE)));
  const read = new Map<string, Manifest>();
  for (const name of names) {
    const file = join(folder, name);
    try {
      digest.update(`\0${name}\0`).update(readFileSync(file));
      for (const { manifest } of readManifests(file)) { read.set(`${name} ${objectKey(manifest)}`, manifest); }
    } catch (error) {
      throw new Error(`${file}: ${(error as Error).message}; synthesize again`);
    }
  }
  const missing: string[] = [];
  const manifests = new Map<string, Manifest>();
  for (const object of assembly.objects) {
    const manifest = object.template ?? read.get(`${object.file} ${refKey(object)}`);
    if (manifest) { manifests.set(object.id, manifest); } else { missing.push(`${object.id} in ${object.file} (${object.construct})`); }
  }
  if (missing.length > 0) {
    throw new Error(`${join(folder, ASSEMBLY_FILE)}: names objects that are not in their files, synthesize again: ${missing.join(', ')}`);
  }
  return { folder, assembly, manifests, digest: digest.digest('hex') };
}
