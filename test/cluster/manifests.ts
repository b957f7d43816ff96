import * as fs from 'node:fs';
import * as path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { Manifest } from '../../src/model/manifest';

/** The objects in the YAML files of a folder and the folders in it, in the order of the files' names. */
export function readManifests(folder: string): Manifest[] {
  return fs.readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(file => /\.ya?ml$/.test(file))
    .sort()
    .flatMap(file => readFile(path.join(folder, file)));
}

function readFile(file: string): Manifest[] {
  return parseAllDocuments(fs.readFileSync(file, 'utf8')).flatMap(document => {
    if (document.errors.length > 0) throw new Error(`${file}: ${document.errors[0].message}`);
    const object = document.toJS() as Manifest | null;
    return object === null ? [] : [object];
  });
}
