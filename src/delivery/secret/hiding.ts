import { Decryption, DeliveredOutput, PlainOutput } from '../../core/app/delivery-step';
import { Manifest } from '../../core/manifest/manifest';
import { Assembly, AssemblyEncryption, AssemblyLateValue, AssemblyObject, AssemblyStoreKey } from '../../core/output/assembly';
import { Finding } from '../../core/rule/finding';

/** An object as the output contains it in place of the one with secrets. */
export interface HiddenObject {
  readonly entry: AssemblyObject;
  readonly manifest: Manifest;
}

/** Objects whose secrets one tool hides. */
export interface HiddenPart {
  /** The objects that change, by ID. */
  readonly objects?: ReadonlyMap<string, HiddenObject>;
  /** The objects in files of their own, with what precedes `.yaml` in the name of the file, by ID. */
  readonly ownFiles: ReadonlyMap<string, string>;
  /** How Flux decrypts them, by ID. */
  readonly decryption?: ReadonlyMap<string, Decryption>;
  /** Why findings about secrets in plain text do not apply, by the ID of the object. */
  readonly answers: ReadonlyMap<string, string>;
  readonly findings?: readonly Finding[];
  /** New late values. */
  readonly lateValues?: readonly AssemblyLateValue[];
  readonly storeKeys?: readonly AssemblyStoreKey[];
  /** Encrypts what is delivered. Throws before anything is written where a tool is missing. @default - nothing is encrypted */
  readonly finish?: (delivered: DeliveredOutput, outdir: string) => { readonly delivered: DeliveredOutput; readonly notes: readonly string[] };
}

/** How secrets are hidden. */
export interface SecretHiding {
  /** @param ids of the objects to look at */
  readonly hide: (output: PlainOutput, ids: readonly string[]) => HiddenPart;
}

/** An assembly that names how `resolve` encrypts objects which are in no file. */
export function withEncryption(assembly: Assembly, ids: readonly string[], how: Omit<AssemblyEncryption, 'objects'>): Assembly {
  const own = new Set(ids);
  const waiting = assembly.objects.filter(({ id, template, onlyApply }) => own.has(id) && template !== undefined && onlyApply === undefined);
  const objects = waiting.map(({ id }) => id);
  return objects.length === 0 ? assembly : { ...assembly, encryption: [...assembly.encryption ?? [], { objects, ...how }] };
}
