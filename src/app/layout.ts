import { createHash } from 'crypto';
import { OutputLayout } from './output-layout';
import { rankOf } from '../model/kinds';
import { groupOf, Manifest } from '../model/manifest';

// what most file systems allow, less room for suffixes that tools add
const MAX_FILE_NAME = 200;

/**
 * The name of an object's file. Its rank is that of the kind, so that `kubectl apply -f folder` meets Namespaces first and bindings last, and
 * adding an object renames no file.
 */
export function fileOf(manifest: Manifest, layout: OutputLayout): string {
  const { kind, apiVersion } = manifest;
  const group = groupOf(apiVersion);
  const base = `${String(rankOf(manifest)).padStart(2, '0')}-${kind.toLowerCase()}${group ? `.${group}` : ''}`;
  return `${layout === OutputLayout.FILE_PER_KIND ? base : objectBase(base, manifest)}.yaml`;
}

// no two objects of a target have the same: `_` stands in no group and no namespace, and in names it is encoded; names that a file system may
// fold or refuse (capitals, colons) are encoded too
function objectBase(kind: string, { metadata: { namespace, name } }: Manifest): string {
  const base = [kind, ...(namespace ? [encode(namespace)] : []), encode(name)].join('_');
  return base.length <= MAX_FILE_NAME ? base : `${base.slice(0, MAX_FILE_NAME - 17)}_${shortHash(base)}`;
}

function encode(text: string): string {
  return text.replace(/[^a-z0-9.-]/g, (character) => [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase()}`).join(''));
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
