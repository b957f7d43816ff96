import { existsSync } from 'fs';
import { join } from 'path';
import { isCiphertext } from '../../core/late/encrypted-values';
import {
  at,
  FieldPath,
  isRecord,
  Manifest,
  objectId,
  refId,
  replacedAt,
} from '../../core/manifest/manifest';
import { ANNOTATION_PLACEHOLDER } from '../../core/manifest/names';
import { Assembly, AssemblyObject } from '../../core/output/assembly';
import { isLateObject } from '../../core/output/late-files';
import { readRegularText } from '../../core/output/regular-file';
import { Finding } from '../../core/rule/finding';
import { ENCRYPTED } from '../../core/rule/program-rules';
import { some } from '../../core/text/plain-text';
import { attempt } from '../../core/text/values';
import { decryptedTemplate } from '../../engine/files/decrypt';
import { refuseUnread } from '../../engine/files/file-findings';
import { ReadOptions } from '../../engine/files/find-files';
import { lateFindings } from '../../engine/read/late-output';
import { Input, readInput } from '../../engine/read/read-input';
import { leaves } from '../impact/impact';

/** What is committed, compared with what the program writes. */
export interface StaleOutput {
  /**
   * What differs: `<id> is missing`, `<id> differs in spec.a`. Empty if the output is up to date.
   */
  readonly differences: readonly string[];
  /** How many objects contain secrets, whose values cannot be compared. */
  readonly secrets: number;
}

/** A committed output, and what is wrong with the files that `resolve` wrote in it. */
interface JudgedOutput extends StaleOutput {
  /** As `lint` finds them; their files are below the committed folder. */
  readonly late: readonly Finding[];
}

/** How many fields of an object are named. */
const MOST_FIELDS = 3;

/** The parts of an assembly that are as they are in any synthesis. */
const PARTS = [
  'targets',
  'groups',
  'edges',
  'lateValues',
  'removals',
  'stages',
  'storeKeys',
] as const satisfies readonly (keyof Assembly)[];

/**
 * Compares a committed output with one that was written without secrets: values that are encrypted,
 * sealed, or placeholders are equal.
 *
 * @param written folder of the output without secrets
 * @param committed folder of the same output in the repository
 * @returns undefined for outputs without an assembly
 */
export function staleOutput(
  written: string,
  committed: string,
  reading: ReadOptions,
): JudgedOutput | undefined {
  const [fresh, old] = [written, committed].map((folder) => {
    const input = readInput([folder], reading);
    refuseUnread(input.findings, ENCRYPTED);
    return input;
  });
  const [assembly] = fresh.assemblies;
  const [before] = old.assemblies;
  if (assembly === undefined) {
    return undefined;
  }
  if (before === undefined) {
    return { differences: ['assembly.json is missing'], secrets: 0, late: [] };
  }
  const judged = judgeObjects(assembly.objects, { before, fresh, old });
  const ids = new Set(assembly.objects.map(({ id }) => id));
  const differences = [
    ...judged.flatMap(({ difference }) => difference ?? []),
    ...before.objects
      .filter(({ id }) => !ids.has(id))
      .map(({ id }) => `${id} is no longer written`),
    ...(assembly.engineFiles ?? [])
      .filter(({ file }) => textOf(committed, file) !== textOf(written, file))
      .map(({ file }) => `${file} differs`),
  ];
  return {
    differences: differences.length > 0 ? differences : partDifferences(before, assembly),
    secrets: judged.filter(({ isSecret }) => isSecret).length,
    late: lateFindings(old),
  };
}

/** An object of the output, compared with the committed one. */
interface JudgedEntry {
  /** What differs, as a sentence. @default - nothing */
  readonly difference?: string;
  /** Whether values of it are secrets, which cannot be compared. */
  readonly isSecret?: boolean;
}

function judgeObjects(
  objects: readonly AssemblyObject[],
  { before, fresh, old }: { readonly before: Assembly; readonly fresh: Input; readonly old: Input },
): JudgedEntry[] {
  const entries = new Map(before.objects.map((object) => [object.id, object]));
  const [manifests, previous] = [manifestsOf(fresh), manifestsOf(old)];
  return objects.map((object) => {
    const entry = entries.get(object.id);
    if (entry === undefined) {
      return { difference: `${object.id} is missing` };
    }
    if (entry.file !== object.file) {
      return {
        difference: `${object.id} is in ${placeOf(entry)}, and belongs in ${placeOf(object)}`,
      };
    }
    const now = manifests.get(keyOf(object));
    // the file of `resolve` is of the template, which it follows or not
    const was = isLateObject(entry) ? templateOf(entry) : previous.get(keyOf(entry));
    return now && was ? judgeFields(object.id, was, now) : {};
  });
}

function judgeFields(id: string, was: Manifest, now: Manifest): JudgedEntry {
  const paths = leaves('', was, withoutMark(now));
  const open = paths.filter(([path, value, by]) => !isHidden(path, value, by));
  const isSecret = open.length < paths.length;
  if (open.length === 0) {
    return { isSecret };
  }
  const fields = open.map(([path]) => path.replace(/^\./, '') || 'everything');
  return { isSecret, difference: `${id} differs in ${some(fields, MOST_FIELDS)}` };
}

/** The parts of the assembly that differ, as a sentence. */
function partDifferences(before: Assembly, assembly: Assembly): string[] {
  const parts = PARTS.filter((part) =>
    leaves('', before[part], assembly[part]).some(([path, was, is]) => !isHidden(path, was, is)),
  );
  return parts.length > 0 ? [`assembly.json differs in ${parts.join(', ')}`] : [];
}

/** The objects of an input by target and name. */
function manifestsOf({ objects, encrypted }: Input): ReadonlyMap<string, Manifest> {
  return new Map(
    [...objects, ...encrypted].map(({ target, manifest }) => [
      objectId(target.name, manifest),
      manifest,
    ]),
  );
}

/** The template of an object that waits, decrypted if there is a key. */
function templateOf({ template }: AssemblyObject): Manifest | undefined {
  return template && (attempt(() => decryptedTemplate(template)) ?? template);
}

function keyOf(object: AssemblyObject): string {
  return refId(object.target, object);
}

function placeOf({ file }: AssemblyObject): string {
  return file ?? 'assembly.json';
}

/** Where annotations of an object are: its own, and those that it gives to its Secret. */
const ANNOTATIONS: readonly FieldPath[] = [
  ['metadata', 'annotations'],
  ['spec', 'template', 'metadata', 'annotations'],
  ['spec', 'target', 'template', 'metadata', 'annotations'],
];

/** Without what marks an object that contains placeholders. */
function withoutMark(manifest: Manifest): Manifest {
  return ANNOTATIONS.reduce((marked, path) => {
    const annotations = at(marked, path);
    if (!isRecord(annotations) || annotations[ANNOTATION_PLACEHOLDER] === undefined) {
      return marked;
    }
    const { [ANNOTATION_PLACEHOLDER]: _, ...others } = annotations;
    return replacedAt(marked, path, Object.keys(others).length > 0 ? others : undefined);
  }, manifest);
}

/** Whether one of both values is a secret that only the other side contains. */
function isHidden(path: string, was: unknown, is: unknown): boolean {
  return (
    /^\.(?:sops|spec\.encryptedData)\b/.test(path) ||
    holds(was, isCiphertext) ||
    holds(is, (text) => text.includes('placeholder-'))
  );
}

/** Whether a text of a value, or what it encodes, matches. */
function holds(value: unknown, has: (text: string) => boolean): boolean {
  if (typeof value === 'string') {
    return has(value) || has(Buffer.from(value, 'base64').toString('latin1'));
  }
  if (Array.isArray(value)) {
    return value.some((item) => holds(item, has));
  }
  return isRecord(value) && Object.values(value).some((item) => holds(item, has));
}

function textOf(folder: string, file: string): string | undefined {
  const path = join(folder, file);
  return existsSync(path) ? readRegularText(path) : undefined;
}
