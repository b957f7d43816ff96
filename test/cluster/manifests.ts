import * as fs from 'node:fs';
import * as path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { Manifest } from '../../src/core/manifest/manifest';
import { ASSEMBLY_FILE } from '../../src/core/output/assembly';

/**
 * The objects in the YAML and JSON files of a folder and the folders in it, those in lists too, in
 * the order of the files' names.
 */
export function readManifests(folder: string): Manifest[] {
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ya?ml|json)$/.test(file) && path.basename(file) !== ASSEMBLY_FILE)
    .sort()
    .flatMap((file) => readManifestFile(path.join(folder, file)));
}

/** The objects in a YAML or JSON file. */
export function readManifestFile(file: string): Manifest[] {
  return parseAllDocuments(fs.readFileSync(file, 'utf8')).flatMap((document) => {
    if (document.errors.length > 0) {
      throw new Error(`${file}: ${document.errors[0].message}`);
    }
    const object = document.toJS() as Manifest | null;
    if (object === null) {
      return [];
    }
    return object.kind === 'List' ? (object.items as Manifest[]) : [object];
  });
}
