import { createHash } from 'crypto';
import { existsSync } from 'fs';
import { join } from 'path';
import { withUnknownValues } from '../../core/late/encrypted-values';
import { Manifest, objectKey, refKey } from '../../core/manifest/manifest';
import { ANNOTATION_PLACEHOLDER } from '../../core/manifest/names';
import {
  Assembly,
  ASSEMBLY_FILE,
  AssemblyObject,
  AssemblyTarget,
} from '../../core/output/assembly';
import { parseAssembly } from '../../core/output/check-assembly';
import { readRegularFile, readRegularText } from '../../core/output/regular-file';
import { some } from '../../core/text/plain-text';
import { Product, parseSemver, Semver } from '../../core/version/semver';
import { KUBERNETES_PRODUCT } from '../../guest/version/guest-gates.data';
import { HARVESTER_PRODUCT } from '../../harvester/version/harvester-version';
import { RANCHER_PRODUCT } from '../../rancher/version/rancher-version';
import { decryptedTemplate, NotDecrypted } from '../files/decrypt';
import { documentsIn, manifestsOfDocuments } from '../files/documents';
import { findFiles } from '../files/find-files';

type Kind = AssemblyTarget['kind'];

/** The product whose version a target declares, by the kind of the target. */
export const PRODUCT_OF: { readonly [kind in Kind]: Product } = {
  rancher: RANCHER_PRODUCT,
  harvester: HARVESTER_PRODUCT,
  guest: KUBERNETES_PRODUCT,
};

/** Reads the version of a target's product. Throws if it is not valid. */
export function parseVersion(kind: Kind, text: string): Semver {
  return parseSemver(text, PRODUCT_OF[kind]);
}

/** Reads the assembly of an output folder. Throws if it is damaged. */
export function readAssembly(folder: string): Assembly {
  const file = join(folder, ASSEMBLY_FILE);
  let text: string;
  try {
    text = readRegularText(file);
  } catch (error) {
    refuseFolderOfOutputs(folder);
    throw new Error(`${file}: ${(error as Error).message}`);
  }
  return parseAssembly(text, file);
}

/** Throws for a folder that is not an output, and contains outputs, such as those of environments. */
export function refuseFolderOfOutputs(folder: string): void {
  if (existsSync(join(folder, ASSEMBLY_FILE)) || !existsSync(folder)) {
    return;
  }
  const { assemblies } = findFiles(folder, {});
  if (assemblies.length > 0) {
    throw new Error(
      `${folder}: must be the output of one environment, and contains ${some(assemblies)}. Fix: name one of them`,
    );
  }
}

/** A complete output folder. */
export interface LoadedAssembly {
  readonly folder: string;
  readonly assembly: Assembly;
  /** All objects by ID: from their files, or templates with placeholders. */
  readonly manifests: ReadonlyMap<string, Manifest>;
  /** SHA-256 in hex over assembly.json and all files that it names. */
  readonly digest: string;
}

/**
 * Reads a complete output folder. Throws if a file is missing or does not contain the objects of
 * the assembly.
 */
export function loadAssembly(folder: string): LoadedAssembly {
  return load(folder, readAssembly(folder), readRegularFile, refuse);
}

/**
 * Reads a complete output folder for what does not depend on secrets. Without a key, an encrypted
 * value is unknown, and the rest of its object is not.
 */
export function loadReadable(folder: string): LoadedAssembly {
  return load(folder, readAssembly(folder), readRegularFile, ({ documents }) =>
    manifestsOfDocuments(documents).map(({ manifest }) => withUnknownValues(manifest) ?? manifest),
  );
}

/** An output that is in memory only. @param files the texts of its files, by their names */
export function assemblyOfFiles(files: ReadonlyMap<string, string>): LoadedAssembly {
  const textOf = (file: string): string => files.get(file) ?? '';
  const assembly = parseAssembly(textOf(ASSEMBLY_FILE), ASSEMBLY_FILE);
  return load('', assembly, (file) => Buffer.from(textOf(file), 'utf8'), refuse);
}

function refuse(error: NotDecrypted): never {
  throw error;
}

/** @param undecrypted the objects in place of those that cannot be decrypted here, or throws */
function load(
  folder: string,
  assembly: Assembly,
  readFile: (file: string) => Uint8Array,
  undecrypted: (error: NotDecrypted) => readonly Manifest[],
): LoadedAssembly {
  /** What `read` returns, or what it threw is replaced with. */
  const decrypting = (read: () => readonly Manifest[]): readonly Manifest[] => {
    try {
      return read();
    } catch (error) {
      if (error instanceof NotDecrypted) {
        return undecrypted(error);
      }
      throw error;
    }
  };
  const names = [
    ...new Set(assembly.objects.flatMap(({ file }) => (file === undefined ? [] : [file]))),
  ].sort();
  const digest = createHash('sha256').update(readFile(join(folder, ASSEMBLY_FILE)));
  const read = new Map<string, Manifest>();
  for (const name of names) {
    const file = join(folder, name);
    try {
      const bytes = readFile(file);
      digest.update(`\0${name}\0`).update(bytes);
      const found = decrypting(() =>
        manifestsOfDocuments(documentsIn(bytes)).map(({ manifest }) => manifest),
      );
      for (const manifest of found) {
        read.set(`${name} ${objectKey(manifest)}`, manifest);
      }
    } catch (error) {
      throw new Error(
        `${file}: ${(error as Error).message}${error instanceof NotDecrypted ? '' : '. Fix: synthesize again'}`,
      );
    }
  }
  const missing: AssemblyObject[] = [];
  const manifests = new Map<string, Manifest>();
  for (const object of assembly.objects) {
    const manifest =
      object.template === undefined
        ? read.get(`${object.file} ${refKey(object)}`)
        : templateOf(object, folder, decrypting);
    if (manifest) {
      manifests.set(object.id, manifest);
    } else {
      missing.push(object);
    }
  }
  refuseMissing(folder, missing);
  return { folder, assembly, manifests, digest: digest.digest('hex') };
}

/** Throws if an assembly names objects that are not in their files. */
export function refuseMissing(folder: string, missing: readonly AssemblyObject[]): void {
  if (missing.length > 0) {
    const named = missing.map(({ id, file, construct }) => `${id} in ${file} (${construct})`);
    throw new Error(
      `${join(folder, ASSEMBLY_FILE)}: names objects that are not in their files: ${named.join(', ')}. Fix: synthesize again`,
    );
  }
}

function templateOf(
  { id, template }: AssemblyObject,
  folder: string,
  decrypting: (read: () => readonly Manifest[]) => readonly Manifest[],
): Manifest {
  try {
    return decrypting(() => [decryptedTemplate(template!)])[0];
  } catch (error) {
    throw error instanceof NotDecrypted
      ? new Error(`${join(folder, ASSEMBLY_FILE)}: ${id} ${error.message}`)
      : error;
  }
}

/**
 * Throws if an output contains placeholders instead of secrets: a build without secrets is only for
 * review.
 */
export function refusePlaceholders({ folder, assembly, manifests }: LoadedAssembly): void {
  const named = new Map(
    (assembly.placeholders ?? []).map((entry) => [entry.in, entry.secrets.join(', ')]),
  );
  for (const [id, { metadata }] of manifests) {
    const secrets = metadata.annotations?.[ANNOTATION_PLACEHOLDER];
    if (secrets !== undefined) {
      named.set(id, secrets);
    }
  }
  if (named.size === 0) {
    return;
  }
  const lines = [...named].map(([id, secrets]) => `  ${id}: ${secrets}`);
  throw new Error(
    `${folder}: contains placeholders instead of secrets, so it cannot be planned or applied:\n${lines.join('\n')}\n` +
      'Fix: synthesize where the secrets are set, without CDK8S_HARVESTER_SECRETS',
  );
}
