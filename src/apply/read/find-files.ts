import { existsSync, readdirSync, statSync } from 'fs';
import { join } from 'path';
import { ASSEMBLY_FILE } from '../../model/assembly';

const MANIFEST_FILE = /\.(ya?ml|json)$/i;

/** Files of an output folder and of projects that are JSON or YAML but no manifests. */
const NO_MANIFESTS = new Set([ASSEMBLY_FILE, 'construct-metadata.json', 'package.json', 'package-lock.json']);

/** What a path on the command line stands for. */
export interface FoundFiles {
  /** The manifest files, sorted. */
  readonly files: readonly string[];
  /** Folders among them that hold an assembly. */
  readonly assemblies: readonly string[];
}

/**
 * The manifest files at a path: the file itself, or all of a folder and those below it. Hidden folders and node_modules are left out.
 */
export function findFiles(path: string): FoundFiles {
  if (!existsSync(path)) { throw new Error(`${path}: no such file or folder`); }
  if (!statSync(path).isDirectory()) { return { files: [path], assemblies: [] }; }
  const files: string[] = [];
  const assemblies: string[] = [];
  const walk = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const inner = join(folder, entry.name);
      if (entry.name.startsWith('.') || entry.name === 'node_modules') { continue; }
      if (entry.name === ASSEMBLY_FILE) { assemblies.push(folder); }
      if (entry.isDirectory()) { walk(inner); } else if (MANIFEST_FILE.test(entry.name) && !NO_MANIFESTS.has(entry.name)) { files.push(inner); }
    }
  };
  walk(path);
  return { files, assemblies };
}
