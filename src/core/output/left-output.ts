import { existsSync, readFileSync } from 'fs';
import { join } from 'path';
import { AssemblyRemoval } from './assembly';
import { FinishedObject } from './assembly-writer';
import { OutputObject, leftOutput } from './left-output.rules';
import { PreviousEntry, previousEntries } from './output';
import { DeliveredOutput } from '../app/delivery-step';
import { Manifest, isManifest, isRecord, objectKey, refKey } from '../manifest/manifest';
import { Finding } from '../rule/finding';
import { sortFindings } from '../rule/judge';
import { Program } from '../synthesis/program';
import { readYaml } from '../yaml/yaml-reader';

/** What a synthesis is about to write. */
interface Written {
  readonly program: Program;
  readonly objects: readonly FinishedObject[];
  readonly delivered?: DeliveredOutput;
}

/**
 * What an earlier synthesis wrote to a folder, and this one does not.
 *
 * The findings are not part of the assembly: a second synthesis would not find them again, and the same program must write the same bytes.
 */
export function leftOutputOf({ program, objects, delivered }: Written, outdir: string, removals: readonly AssemblyRemoval[]): Finding[] {
  const inFile = delivered && new Set(delivered.assembly.objects.filter(({ file }) => file !== undefined).map(({ id }) => id));
  const after = objects.map(({ declared: { id }, finished: { target, manifest, construct, lateIds } }): OutputObject => ({
    target: target.targetName, manifest, construct, ...((inFile?.has(id) ?? lateIds.length === 0) ? { file: target.targetName } : {}),
  }));
  const written = new Set(after.filter(({ file }) => file !== undefined).map(({ target, manifest }) => `${target}/${objectKey(manifest)}`));
  const files = new PreviousFiles(outdir);
  const before = previousEntries(outdir).flatMap((entry): OutputObject[] => {
    const object = identityOf(entry);
    // the others need no manifest
    if (!object || written.has(`${object.target}/${refKey(object)}`)) { return []; }
    const { target, construct, file, policy } = object;
    return [{ target, construct, file, policy, manifest: files.manifest(object) }];
  });
  if (before.length === 0) { return []; }
  const late = new Map(program.lateValues.map(({ lateId, description, source }) => [lateId, { description, source: source.object ?? {} }]));
  return sortFindings(leftOutput({ before, after, removals, lateValue: (id) => late.get(id), hasProgram: true }));
}

interface Identity {
  readonly target: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly construct?: string;
  readonly file: string;
  readonly policy?: string;
}

/** Who an entry of an assembly is, where it is in a file; the assembly may be damaged. */
function identityOf({ target, apiVersion, kind, namespace, name, construct, file, deletion }: PreviousEntry): Identity | undefined {
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  if (typeof target !== 'string' || typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof name !== 'string' || typeof file !== 'string') {
    return undefined;
  }
  return {
    target,
    apiVersion,
    kind,
    namespace: text(namespace),
    name,
    construct: text(construct),
    file,
    policy: isRecord(deletion) ? text(deletion.policy) : undefined,
  };
}

/** The manifests of an earlier output, read where they are asked for. */
class PreviousFiles {
  private readonly read = new Map<string, ReadonlyMap<string, Manifest>>();

  constructor(private readonly outdir: string) {}

  /** What the file holds; who the object is, where the file does not hold it. */
  public manifest(object: Identity): Manifest {
    const { apiVersion, kind, namespace, name, file } = object;
    return this.file(file).get(refKey(object)) ?? { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } };
  }

  private file(name: string): ReadonlyMap<string, Manifest> {
    const known = this.read.get(name) ?? new Map(this.parse(name).map((manifest) => [objectKey(manifest), manifest]));
    this.read.set(name, known);
    return known;
  }

  private parse(name: string): Manifest[] {
    const path = join(this.outdir, name);
    try {
      return existsSync(path) ? readYaml(readFileSync(path, 'utf8')).filter(isManifest) : [];
    } catch {
      // edited by hand or half merged: this synthesis replaces it
      return [];
    }
  }
}
