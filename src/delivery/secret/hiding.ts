import { existsSync } from 'fs';
import { join } from 'path';
import { Manifest, isRecord } from '../../core/manifest/manifest';
import {
  Assembly,
  AssemblyEncryption,
  AssemblyLateValue,
  AssemblyObject,
  AssemblyStoreKey,
} from '../../core/output/assembly';
import { previousEntries } from '../../core/output/output';
import { readRegularText } from '../../core/output/regular-file';
import { Decryption, DeliveredOutput, PlainOutput } from '../../core/program/delivery-step';
import { Finding } from '../../core/rule/finding';
import { GLOBAL_DATA } from '../../rancher/credential/secret.kind';

/** An object as the output contains it in place of the one with secrets. */
export interface HiddenObject {
  readonly entry: AssemblyObject;
  readonly manifest: Manifest;
}

/** Objects whose secrets one tool hides. */
export interface HiddenPart {
  /** The objects that change, by ID. */
  readonly objects?: ReadonlyMap<string, HiddenObject>;
  /**
   * The objects in files of their own, with what precedes `.yaml` in the name of the file, by ID.
   */
  readonly ownFiles: ReadonlyMap<string, string>;
  /** How Flux decrypts them, by ID. */
  readonly decryption?: ReadonlyMap<string, Decryption>;
  /** Why findings about secrets in plain text do not apply, by the ID of the object. */
  readonly answers: ReadonlyMap<string, string>;
  readonly findings?: readonly Finding[];
  /** New late values. */
  readonly lateValues?: readonly AssemblyLateValue[];
  readonly storeKeys?: readonly AssemblyStoreKey[];
  /**
   * Encrypts what is delivered. Throws before anything is written where a tool is missing.
   * @default - nothing is encrypted
   */
  readonly finish?: (
    delivered: DeliveredOutput,
    outdir: string,
  ) => { readonly delivered: DeliveredOutput; readonly notes: readonly string[] };
}

/** How secrets are hidden. */
export interface SecretHiding {
  /** @param ids of the objects to look at */
  readonly hide: (output: PlainOutput, ids: readonly string[]) => HiddenPart;
}

/** An assembly that names how `resolve` encrypts objects which are in no file. */
export function withEncryption(
  assembly: Assembly,
  ids: readonly string[],
  how: Omit<AssemblyEncryption, 'objects'>,
): Assembly {
  const own = new Set(ids);
  const waiting = assembly.objects.filter(
    ({ id, template, onlyApply }) =>
      own.has(id) && template !== undefined && onlyApply === undefined,
  );
  const objects = waiting.map(({ id }) => id);
  return objects.length === 0
    ? assembly
    : { ...assembly, encryption: [...(assembly.encryption ?? []), { objects, ...how }] };
}

/**
 * Whether a Secret must outlive the object from which a controller creates it: the program keeps it,
 * or it is a credential of Rancher. An engine that prunes does not look whether clusters use a
 * credential, without which Rancher can neither create nor delete their machines.
 */
export function outlives({ deletion }: AssemblyObject, { metadata }: Manifest): boolean {
  const { namespace } = metadata;
  return deletion?.policy === 'keep' || namespace === GLOBAL_DATA;
}

/** An object as an earlier synthesis wrote it. */
export interface PreviousText {
  /** The text of its file, or its template as JSON. */
  readonly text: string;
  readonly digest?: string;
  /** Of the values of a SealedSecret, by key. */
  readonly digests?: { readonly [key: string]: string };
}

/** The objects that an earlier synthesis wrote to files of their own, or as templates, by ID. */
export function previousTexts(
  outdir: string,
  ownFiles: ReadonlySet<string>,
): ReadonlyMap<string, PreviousText> {
  const texts = new Map<string, PreviousText>();
  for (const { id, file, template, digest, digests } of previousEntries(outdir)) {
    if (typeof id !== 'string') {
      continue;
    }
    const text = isRecord(template) ? JSON.stringify(template) : textOf(outdir, file, ownFiles);
    if (text === undefined) {
      continue;
    }
    const known = isRecord(digests)
      ? { digests: digests as { readonly [key: string]: string } }
      : {};
    texts.set(id, { text, ...(typeof digest === 'string' ? { digest } : {}), ...known });
  }
  return texts;
}

function textOf(outdir: string, file: unknown, ownFiles: ReadonlySet<string>): string | undefined {
  if (typeof file !== 'string' || !ownFiles.has(file)) {
    return undefined;
  }
  const path = join(outdir, file);
  return existsSync(path) ? readRegularText(path) : undefined;
}
