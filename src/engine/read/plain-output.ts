import { existsSync } from 'fs';
import { join } from 'path';
import { loadAssembly, refuseFolderOfOutputs, refusePlaceholders } from './load-assembly';
import { readInput } from './read-input';
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
import { ReadOutput } from '../../core/program/delivery-step';
import { compare } from '../../core/text/values';
import { refuseUnread } from '../files/file-findings';
import { ReadOptions } from '../files/find-files';

/** The manifests of a cluster, which no synthesis wrote. */
export interface ClusterManifests extends Pick<AssemblyTarget, 'kind' | 'version'> {
  /** The folder with them. */
  readonly folder: string;
}

/** Reads the output of a synthesis. */
export function readPlainOutput(path: string): ReadOutput {
  if (!existsSync(join(path, ASSEMBLY_FILE))) {
    refuseFolderOfOutputs(path);
    throw new Error(
      `${path}: has no ${ASSEMBLY_FILE}. Fix: for manifests that no synthesis wrote, set --from for each cluster, e.g. --from dc1:harvester@1.7.2=manifests/dc1`,
    );
  }
  const loaded = loadAssembly(path);
  const { assembly, manifests } = loaded;
  refusePlaceholders(loaded);
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

/**
 * Reads folders of manifests that no synthesis wrote.
 *
 * @param from by the name of their cluster
 * @param options how they are read
 */
export function readPlainManifests(
  from: { readonly [target: string]: ClusterManifests },
  options: ReadOptions = {},
): ReadOutput {
  const placed = Object.entries(from).flatMap(([target, { folder }]) => {
    const { objects, findings } = readInput([folder], options);
    refuseUnread(findings);
    return objects.map(({ manifest, file }) => ({ manifest, file: file!, target }));
  });
  const targets = Object.entries(from).map(([name, { kind, version }]) => ({
    name,
    kind,
    version,
  }));
  return {
    output: { ...assemblyOfManifests(targets, placed), layout: OutputLayout.FILE_PER_KIND },
    files: placed.map(({ file }) => file),
  };
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
    const { apiVersion, kind } = manifest;
    const { namespace, name } = manifest.metadata;
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
