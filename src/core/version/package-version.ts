import { readFileSync } from 'fs';
import { join } from 'path';

interface Manifest {
  readonly version: string;
  readonly repository: { readonly url: string };
}

function readManifest(): Manifest {
  return JSON.parse(
    readFileSync(join(__dirname, '..', '..', '..', 'package.json'), 'utf8'),
  ) as Manifest;
}

/** The version of this package: 0.0.0 in its repository, and in no release. */
export function packageVersion(): string {
  return readManifest().version;
}

/** The URL of a page of the documentation, as this version has it. */
export function docsUrl(page: string, { version, repository } = readManifest()): string {
  return `${repository.url.replace(/\.git$/, '')}/blob/${version === '0.0.0' ? 'main' : `v${version}`}/${page}`;
}
