import { createHash } from 'crypto';
import { rankOf } from '../kind/rank';
import { Manifest, groupOf, kindKey } from '../manifest/manifest';

/**
 * The layout of the files of a target.
 */
export enum OutputLayout {
  /** One file per kind, `<rank>-<kind>.<group>.yaml`: few files, whatever the number of objects. */
  FILE_PER_KIND = 'file-per-kind',
  /** One file per object, `<rank>-<kind>.<group>_<namespace>_<name>.yaml`. */
  FILE_PER_OBJECT = 'file-per-object',
}

// what most file systems allow, less room for suffixes that tools add
const MAX_FILE_NAME = 200;

/**
 * The names of the files of one output. A rank is that of the kind, so that `kubectl apply -f folder` meets Namespaces first and bindings last, and
 * adding an object renames no file. Where every object has a file, one that refers to others of its rank comes after them by its level, `28.1-`.
 */
export class FileNames {
  private readonly kinds = new Map<string, string>();

  constructor(private readonly layout: OutputLayout) {}

  /**
   * `<target>/<file>` of an object.
   *
   * @param level how many others of its rank must be there first
   */
  public of(target: string, manifest: Manifest, level: number): string {
    const kind = kindKey(groupOf(manifest.apiVersion), manifest.kind);
    const name = `${target}/${this.file(manifest, level, '')}`;
    const owner = this.kinds.get(name);
    if (owner === undefined) { this.kinds.set(name, kind); }
    // kinds that differ in their case only: some file systems cannot distinguish their files
    return owner === undefined || owner === kind ? name : `${target}/${this.file(manifest, level, `-${shortHash(kind)}`)}`;
  }

  // no two objects of a target have the same: groups and namespaces contain no `_`, and in names it is encoded; names that a file system may
  // fold or refuse (capitals, colons) are encoded too
  private file(manifest: Manifest, level: number, suffix: string): string {
    const { kind, apiVersion, metadata: { namespace, name } } = manifest;
    const group = groupOf(apiVersion);
    const place = this.layout === OutputLayout.FILE_PER_OBJECT && level > 0 ? `.${level}` : '';
    const base = `${String(rankOf(manifest)).padStart(2, '0')}${place}-${encode(kind.toLowerCase())}${group ? `.${encode(group)}` : ''}${suffix}`;
    if (this.layout === OutputLayout.FILE_PER_KIND) { return `${short(base)}.yaml`; }
    return `${short([base, ...(namespace ? [encode(namespace)] : []), encode(name)].join('_'))}.yaml`;
  }
}

function short(base: string): string {
  return base.length <= MAX_FILE_NAME ? base : `${base.slice(0, MAX_FILE_NAME - 17)}_${shortHash(base)}`;
}

function encode(text: string): string {
  return text.replace(/[^a-z0-9.-]/g, (character) => [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase()}`).join(''));
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
