import { existsSync } from 'fs';
import { join, relative, sep } from 'path';
import { ReadOptions } from './find-files';
import { loadAssembly, refuseFolderOfOutputs, refusePlaceholders } from './load-assembly';
import { readInput, refuseUnread } from './read-input';
import { PlainOutput } from '../../core/app/delivery-step';
import { KindReferences } from '../../core/kind/description/references';
import { kindOf } from '../../core/kind/kinds';
import { Manifest, objectId } from '../../core/manifest/manifest';
import {
  ASSEMBLY_FILE,
  ASSEMBLY_VERSION,
  AssemblyTarget,
  OutputLayout,
  Assembly,
  AssemblyObject,
} from '../../core/output/assembly';
import { readRegularText } from '../../core/output/regular-file';
import { compare } from '../../core/text/values';

/** A cluster that manifests without an assembly are for: its folder has its name. */
export type PlainTarget = Pick<AssemblyTarget, 'name' | 'kind' | 'version'>;

/** An output that is for no engine, with the files that it was read from. */
interface ReadOutput {
  readonly output: PlainOutput;
  readonly files: readonly string[];
}

/**
 * Reads the output of a synthesis, or a folder with a folder of manifests for each target.
 *
 * @param targets of manifests without an assembly
 * @param options how they are read
 */
export function readPlainOutput(
  path: string,
  targets: readonly PlainTarget[],
  options: ReadOptions = {},
): ReadOutput {
  if (!existsSync(join(path, ASSEMBLY_FILE))) {
    refuseFolderOfOutputs(path);
    return manifestsOf(path, targets, options);
  }
  const loaded = loadAssembly(path);
  const { assembly, manifests } = loaded;
  refusePlaceholders(loaded);
  if (targets.length > 0) {
    throw new Error(
      `--target: the targets of ${path} are in its ${ASSEMBLY_FILE}. Fix: leave the option out`,
    );
  }
  if (assembly.stages) {
    throw new Error(
      `${path}: is for an engine already. Fix: synthesize it without delivery, or with the delivery for the other engine`,
    );
  }
  const files = assembly.objects.flatMap(({ file }) => file ?? []);
  const isOwn = new Set(
    assembly.objects
      .filter((object) => kindOf<KindReferences>(object)?.makes)
      .map(({ file }) => file),
  );
  const isPerObject = files.some(
    (file) => file.includes('_') && !file.endsWith('.sops.yaml') && !isOwn.has(file),
  );
  return {
    output: {
      assembly,
      manifests,
      layout: isPerObject ? OutputLayout.FILE_PER_OBJECT : OutputLayout.FILE_PER_KIND,
    },
    files: [...files.map((file) => join(path, file)), join(path, ASSEMBLY_FILE)],
  };
}

function manifestsOf(
  path: string,
  targets: readonly PlainTarget[],
  options: ReadOptions,
): ReadOutput {
  if (targets.length === 0) {
    throw new Error(
      `${path}: has no ${ASSEMBLY_FILE}. Fix: name the clusters of its folders, e.g. --target rancher=rancher@2.13.8 --target dc1=harvester@1.7.2`,
    );
  }
  const { objects, findings } = readInput([path], options);
  refuseUnread(findings);
  const folderOf = (file: string): string => relative(path, file).split(sep)[0];
  const elsewhere = [...new Set(objects.map(({ file }) => folderOf(file!)))].filter(
    (folder) => !targets.some(({ name }) => name === folder),
  );
  if (elsewhere.length > 0) {
    throw new Error(
      `${path}: each folder must be a target, got ${elsewhere.join(', ')}. Fix: add --target <name>=<kind>@<version> for each, or move it elsewhere`,
    );
  }
  const placed = objects.map(({ manifest, file }) => ({
    manifest,
    file: file!,
    target: folderOf(file!),
  }));
  return {
    output: { ...assemblyOfManifests(targets, placed), layout: OutputLayout.FILE_PER_KIND },
    files: objects.map(({ file }) => file!),
  };
}

/** Throws if a file is encrypted: what is decrypted here would be written in plain text. */
export function refuseEncrypted(path: string, files: readonly string[]): void {
  const encrypted = [...new Set(files)].find((file) =>
    /\bENC\[AES256_GCM,/.test(readRegularText(file)),
  );
  if (encrypted !== undefined) {
    throw new Error(
      `${path}: ${relative(path, encrypted)} is encrypted by SOPS, and its secrets would be written in plain text. Fix: add --sops-recipient <public key>`,
    );
  }
}

/** An object of a file that no synthesis wrote. */
interface PlainObject {
  readonly target: string;
  readonly manifest: Manifest;
  readonly file: string;
}

/**
 * Manifests that no synthesis wrote, as a program without edges: their order follows from what they
 * refer to.
 */
export function assemblyOfManifests(
  targets: readonly Pick<AssemblyTarget, 'name' | 'kind' | 'version'>[],
  objects: readonly PlainObject[],
): {
  readonly assembly: Assembly;
  readonly manifests: ReadonlyMap<string, Manifest>;
} {
  const manifests = new Map<string, Manifest>();
  const files = new Map<string, string>();
  const entries = objects.map(({ target, manifest, file }): AssemblyObject => {
    const id = objectId(target, manifest);
    const other = files.get(id);
    if (other !== undefined) {
      throw new Error(
        `${id}: must be in one file, got ${other} and ${file}. Fix: remove one of them`,
      );
    }
    files.set(id, file);
    manifests.set(id, manifest);
    const {
      apiVersion,
      kind,
      metadata: { namespace, name },
    } = manifest;
    return {
      id,
      target,
      apiVersion,
      kind,
      ...(namespace ? { namespace } : {}),
      name,
      construct: file,
      file: `${target}/all.yaml`,
    };
  });
  const sorted = [...targets].sort((a, b) => compare(a.name, b.name));
  const assembly: Assembly = {
    schemaVersion: ASSEMBLY_VERSION,
    targets: sorted.map(({ name, kind, version }) => ({
      name,
      kind,
      version,
      folder: name,
      construct: name,
      properties: {},
    })),
    objects: entries.sort((a, b) => compare(a.id, b.id)),
    groups: [],
    edges: [],
    lateValues: [],
    findings: [],
  };
  return { assembly, manifests };
}
