import { createHash } from 'crypto';
import { lstatSync, readdirSync } from 'fs';
import { basename, dirname, join } from 'path';
import { Assembly, AssemblyEncryption, AssemblyLateValue, AssemblyObject } from './assembly';
import { readRegularText } from './regular-file';
import { reach } from '../graph/reach';
import { lateIdsIn } from '../late/late-text';
import { LATE_OPEN } from '../late/late-token';
import { isRecord } from '../manifest/manifest';
import { sensitiveIds } from '../secret/redactor';
import { compare, grouped, jsonOf } from '../text/values';

/** The record in a file of `resolve`. */
export interface LateRecord {
  /** The object that it was made for, by `lateName`. */
  readonly object: string;
  /** Digest of what it was made from, by `LateTemplates`. */
  readonly from: string;
  /** As `digest` of an assembly. @default - not encrypted, or without a key for digests */
  readonly digest?: string;
  /** As `digests` of an assembly. @default - not sealed, or without a key for digests */
  readonly digests?: { readonly [key: string]: string };
}

/** A file that `resolve` wrote, by its path below the output folder. */
export interface LateFile {
  readonly file: string;
  readonly record: LateRecord;
}

/**
 * The file below a folder that lists what `resolve` wrote there, which shows that a file was lost.
 * Engines and kubectl do not read it.
 */
export const LATE_LIST = 'late-files.txt';

const LIST_HEAD =
  '# Written by cdk8s-harvester resolve: the files of objects that waited for late values. Commit it with them.\n';

/** Engines and kustomize skip comments, and SOPS keeps them in plain text. */
const COMMENT = '# cdk8s-harvester: ';

/** How comments of earlier versions begin. */
const ANY_COMMENT = '# cdk8s-harvester ';

const LATE_FILE = /^[a-z0-9-]+\/([a-z0-9-]+\/)?[^/\\\0]+\.yaml$/;

/**
 * The ID of an object in a file or list of `resolve`, which contain no placeholder of a late value.
 */
export function lateName(id: string): string {
  return id.replaceAll(LATE_OPEN, '{late:');
}

/** A text with its record in its first line. */
export function withRecord(record: LateRecord, text: string): string {
  return `${COMMENT}${JSON.stringify(record)}\n${text}`;
}

/** A text without its first comment, and the record in it, if it has one. */
export function readRecord(text: string): { readonly record?: LateRecord; readonly text: string } {
  if (!text.startsWith(COMMENT)) {
    return { text: text.startsWith(ANY_COMMENT) ? text.slice(text.indexOf('\n') + 1) : text };
  }
  const end = text.indexOf('\n');
  const record = jsonOf(text.slice(COMMENT.length, end));
  const isWhole =
    isRecord(record) && typeof record.object === 'string' && typeof record.from === 'string';
  return {
    text: text.slice(end + 1),
    ...(isWhole ? { record: record as unknown as LateRecord } : {}),
  };
}

/** What the objects of an assembly that wait for late values are made from. */
export class LateTemplates {
  /** The objects that `resolve` writes, by `lateName`. */
  public readonly objects: ReadonlyMap<string, AssemblyObject>;
  private readonly folders: ReadonlyMap<string, string>;
  private readonly lateValues: ReadonlyMap<string, AssemblyLateValue>;
  private readonly encryption: ReadonlyMap<string, Omit<AssemblyEncryption, 'objects'>>;

  constructor({ targets, objects, lateValues, encryption = [] }: Assembly) {
    this.objects = new Map(
      objects.filter(isLateObject).map((object) => [lateName(object.id), object]),
    );
    this.folders = new Map(targets.map(({ name, folder }) => [name, folder]));
    this.lateValues = new Map(lateValues.map((late) => [late.id, late]));
    this.encryption = new Map(
      encryption.flatMap(({ objects: ids, ...how }) => ids.map((id) => [id, how] as const)),
    );
  }

  /** The folder that `resolve` writes an object to. */
  public folderOf({ stage, target }: AssemblyObject): string {
    return stage ?? this.folders.get(target) ?? target;
  }

  /**
   * A digest that changes with the template of an object, the sources of its late values, and its
   * encryption. A template is hashed as it is in the assembly, so the digest discloses nothing that
   * the assembly does not contain.
   */
  public digestOf({ id, template, lateValues = [] }: AssemblyObject): string {
    const ids = [
      ...reach(lateValues, (late) => lateIdsIn(this.lateValues.get(late)?.source)),
    ].sort();
    const sources = ids.map((late) => this.lateValues.get(late)?.source);
    return createHash('sha256')
      .update(JSON.stringify([template, sources, this.encryption.get(id) ?? {}]))
      .digest('hex');
  }
}

/** Whether `resolve` writes an object. */
export function isLateObject({
  template,
  onlyApply,
}: Pick<AssemblyObject, 'template' | 'onlyApply'>): boolean {
  return template !== undefined && onlyApply === undefined;
}

/**
 * The files that the list of a folder names, with the objects that they were written for; empty
 * without a list.
 */
export function listedLateFiles(outdir: string): ReadonlyMap<string, string> {
  const path = join(outdir, LATE_LIST);
  if (!isRegularFile(path)) {
    return new Map();
  }
  // a line that a merge left is not an entry, and both of its sides are entries
  const entries = readRegularText(path).split('\n').map(jsonOf).filter(isRecord);
  return new Map(
    entries.flatMap(({ file, object }) =>
      typeof file === 'string' && LATE_FILE.test(file) && typeof object === 'string'
        ? [[file, object] as const]
        : [],
    ),
  );
}

/** The text of a list. */
export function printLateList(files: Iterable<LateFile>): string {
  const lines = [...files]
    .sort((a, b) => compare(a.file, b.file))
    .map(({ file, record }) => `${JSON.stringify({ file, object: record.object })}\n`);
  return `${LIST_HEAD}${lines.join('')}`;
}

/**
 * The files below a folder that `resolve` wrote, by their records: in the folders of its list, and
 * in further folders.
 *
 * @param folders names of folders in which `resolve` may have written files
 */
export function lateFilesIn(outdir: string, folders: Iterable<string> = []): LateFile[] {
  const listed = [...listedLateFiles(outdir).keys()];
  const further = [...new Set([...folders, ...listed.map(dirname)])].flatMap((folder) => {
    const path = join(outdir, folder);
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory()
      ? readdirSync(path).map((name) => `${folder}/${name}`)
      : [];
  });
  const names = new Set([...listed, ...further.filter((file) => LATE_FILE.test(file))]);
  return [...names].sort(compare).flatMap((file): LateFile[] => {
    const path = join(outdir, file);
    const record = isRegularFile(path) ? readRecord(readRegularText(path)).record : undefined;
    return record ? [{ file, record }] : [];
  });
}

/** A folder outside of a repository, for completed objects that nothing encrypts. */
export const OUTSIDE = '../late';

/** Whether an object in no file waits for a credential that nothing encrypts. */
export function waitsForSecret({ objects, lateValues, encryption }: Assembly): boolean {
  const secrets = sensitiveIds(lateValues);
  return (
    encryption === undefined &&
    objects.some(
      ({ file, onlyApply, lateValues: ids = [] }) =>
        file === undefined && onlyApply === undefined && ids.some((id) => secrets.has(id)),
    )
  );
}

/** What becomes of the files of `resolve` when an output is written. */
export interface LateChange {
  /** The files that remain, where they are then. */
  readonly kept: readonly LateFile[];
  /** Files that move to the folder of another stage, with their content. */
  readonly moved: ReadonlyMap<string, string>;
  /** Files that are removed: their objects are in no file of `resolve` now. */
  readonly removed: readonly string[];
}

/** What becomes of files of `resolve` with another output. */
export function lateChange(files: readonly LateFile[], now: LateTemplates): LateChange {
  const [kept, moved, removed]: [LateFile[], Map<string, string>, string[]] = [[], new Map(), []];
  for (const [name, own] of grouped(files, ({ record }) => record.object)) {
    const object = now.objects.get(name);
    const folder = object && now.folderOf(object);
    const isFresh = ({ record }: LateFile): boolean =>
      object !== undefined && record.from === now.digestOf(object);
    const best =
      own.find((file) => isFresh(file) && file.file.startsWith(`${folder}/`)) ??
      own.find(isFresh) ??
      own[0];
    removed.push(...own.filter((file) => file !== best || !object).map(({ file }) => file));
    if (!object) {
      continue;
    }
    const place = `${folder}/${basename(best.file)}`;
    if (place !== best.file) {
      moved.set(best.file, place);
    }
    kept.push({ ...best, file: place });
  }
  return { kept, moved, removed };
}

function isRegularFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
