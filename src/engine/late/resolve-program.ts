import { join } from 'path';
import { LateEncryption, LateFile, PUBLIC_MODE } from './late-encryption';
import { LateResolver, LateResolverOptions } from './late-resolver';
import { reach } from '../../core/graph/reach';
import { rankOf } from '../../core/kind/all-kinds';
import { LATE_VALUES_VERSION, lateIdsIn } from '../../core/late/late-text';
import { isOutside } from '../../core/late/secret-value';
import { groupOf, Manifest } from '../../core/manifest/manifest';
import { Assembly, AssemblyLateValue, AssemblyTarget } from '../../core/output/assembly';
import { Redactor, secretPathsOf } from '../../core/secret/redactor';
import { fieldText, isSecretObject } from '../../core/secret/secret-fields';
import { toYaml } from '../../core/yaml/yaml-writer';
import { BindOptions, bindTargets } from '../auth/bind-targets';
import { BoundTargets } from '../cluster/cluster';
import { LoadedAssembly, refusePlaceholders } from '../read/load-assembly';
import { checkPrivateFile, PRIVATE_MODE, writePrivateFile } from '../secret/private-file';

/** The late values of an assembly: known and failed. */
interface ResolvedAssembly {
  readonly resolver: LateResolver;
  readonly known: readonly AssemblyLateValue[];
  readonly failed: readonly { readonly late: AssemblyLateValue; readonly message: string }[];
}

/** Resolves late values concurrently, by default all, and reports all that fail. */
export async function resolveAll(
  assembly: Assembly, targets: BoundTargets, options: LateResolverOptions, wanted = assembly.lateValues,
): Promise<ResolvedAssembly> {
  const resolver = new LateResolver(assembly, targets, options);
  const outcomes = await Promise.allSettled(wanted.map(async ({ id }) => resolver.resolve(id)));
  const known = wanted.filter((_, at) => outcomes[at].status === 'fulfilled');
  const failed = wanted.flatMap((late, at) => {
    const outcome = outcomes[at];
    return outcome.status === 'rejected' ? [{ late, message: (outcome.reason as Error).message }] : [];
  });
  return { resolver, known, failed };
}

/** Writes the values for synthesis (`lateValuesFile`). Texts are left out, since synthesis composes them, and secrets that synthesis has. */
export function writeValues(file: string, { lateValues }: Assembly, { values }: LateResolver): void {
  const read = lateValues.filter(({ source }) => source.resolver !== 'text' && !isOutside(source)).map(({ id }) => id).sort();
  const content = { schemaVersion: LATE_VALUES_VERSION, values: Object.fromEntries(read.map((id) => [id, values.get(id)])) };
  writePrivateFile(file, `${JSON.stringify(content, undefined, 2)}\n`);
}

/**
 * Writes the completed objects that wait for late values, one file per object and one folder per target or stage. Returns the files, and what to print about them.
 */
export function writeManifests(
  folder: string, { assembly, manifests }: LoadedAssembly, resolver: LateResolver,
): Pick<ResolveResult, 'files' | 'notes'> {
  const folders = new Map(assembly.targets.map((target) => [target.name, target.folder]));
  const late = assembly.lateValues.filter(({ id }) => resolver.isSensitive(id)).map(({ id }) => id);
  const encryption = new LateEncryption(assembly);
  const files = assembly.objects.filter(({ template, onlyApply }) => template !== undefined && onlyApply === undefined).map((object): LateFile => {
    const template = manifests.get(object.id)!;
    const manifest = resolver.complete(template);
    const isPrivate = isSecretObject(object) || lateIdsIn(template).some((id) => resolver.isSensitive(id));
    const file = join(folder, object.stage ?? folders.get(object.target) ?? object.target, nameOf(manifest));
    const secrets = new Set(secretPathsOf(template, new Set(late)).map(fieldText));
    return encryption.file(object, manifest, secrets, file) ?? { file, content: toYaml(manifest), mode: isPrivate ? PRIVATE_MODE : PUBLIC_MODE };
  });
  // all or nothing, as far as can be checked before
  for (const { file, mode } of files) { checkPrivateFile(file, mode); }
  for (const { file, content, mode } of files) { writePrivateFile(file, content, mode); }
  return { files: files.map(({ file }) => file).sort(), notes: encryption.notes };
}

// begins with the rank of the kind, as in the output of synthesis: kubectl applies the folder in this order
function nameOf(manifest: Manifest): string {
  const { kind, apiVersion, metadata: { namespace, name } } = manifest;
  const parts = [kind, groupOf(apiVersion), namespace ?? '', name].filter((part) => part !== '').map((part) => part.replace(/[^A-Za-z0-9.-]/g, '_'));
  return `${String(rankOf(manifest)).padStart(2, '0')}-${parts.join('.').toLowerCase()}.yaml`;
}

/** How late values are resolved, and where they are written. */
export interface ResolveOptions extends BindOptions, Pick<LateResolverOptions, 'timeoutMs' | 'signal'> {
  /** File for the values, which synthesis reads as `lateValuesFile` (mode 0600). @default - not written */
  readonly out?: string;
  /** Folder for the completed objects that wait for late values. @default - not written */
  readonly writeManifests?: string;
}

/** A late value of a program. */
export interface ResolvedValue {
  readonly id: string;
  readonly description: string;
  /** Holds a secret if `sensitive`: never print it then. */
  readonly value: string;
  readonly sensitive: boolean;
}

/** The late values of a program as far as the clusters have them. */
export interface ResolveResult {
  readonly known: readonly ResolvedValue[];
  /** Why the others are not known, without secrets. */
  readonly failed: readonly { readonly id: string; readonly message: string }[];
  /** The files that were written; none if a value is not known. */
  readonly files: readonly string[];
  /** Warnings about these files. */
  readonly notes: readonly string[];
}

/** Resolves the late values of a program on the live clusters. Nothing is written to them. */
export async function resolveProgram(loaded: LoadedAssembly, options: ResolveOptions): Promise<ResolveResult> {
  const { out, writeManifests: folder, onWarning, timeoutMs, signal } = options;
  // waiting for minutes is useless if the file cannot be written
  if (out !== undefined) { checkPrivateFile(out); }
  if (folder !== undefined) { refusePlaceholders(loaded); }
  const targets = targetsToAsk(loaded.assembly, options);
  const binding = await bindTargets(targets, {
    ...options,
    // the config file names the targets of other commands, too
    onWarning: (target, message) => { if (targets.some(({ name }) => name === target)) { onWarning?.(target, message); } },
  });
  try {
    const wanted = valuesToResolve(loaded, folder !== undefined);
    const { resolver, known, failed } = await resolveAll(loaded.assembly, binding.targets, { timeoutMs, signal }, wanted);
    signal?.throwIfAborted();
    // a text fails with the message of the values that it contains
    const redactor = Redactor.of(loaded.manifests.values()).with(resolver.secrets);
    const complete = failed.length === 0;
    if (complete && out !== undefined) { writeValues(out, loaded.assembly, resolver); }
    const { files: manifests, notes } = complete && folder !== undefined ? writeManifests(folder, loaded, resolver) : { files: [], notes: [] };
    return {
      known: known.map(({ id, description }) => ({ id, description, value: resolver.values.get(id)!, sensitive: resolver.isSensitive(id) })),
      failed: failed.map(({ late: { id }, message }) => ({ id, message: redactor.scrub(message) })),
      files: [...(complete && out !== undefined ? [out] : []), ...manifests],
      notes,
    };
  } finally {
    binding.close();
  }
}

/** The late values of live clusters, and those that are written into objects: only these need the secrets of the program. */
function valuesToResolve({ assembly: { objects, lateValues }, manifests }: LoadedAssembly, isWritten: boolean): readonly AssemblyLateValue[] {
  const byId = new Map(lateValues.map((late) => [late.id, late]));
  const written = objects.filter(({ template, onlyApply }) => isWritten && template !== undefined && onlyApply === undefined)
    .flatMap(({ id }) => lateIdsIn(manifests.get(id)));
  const needed = reach(written, (id) => lateIdsIn(byId.get(id)?.source));
  return lateValues.filter(({ id }) => needed.has(id) || [...reach([id], (inner) => lateIdsIn(byId.get(inner)?.source))].every((inner) => {
    const source = byId.get(inner)?.source;
    return source === undefined || !isOutside(source);
  }));
}

/** The targets that late values are read from, and those with a context; the kubeconfigs of guest clusters are read from their Rancher. */
function targetsToAsk({ targets, lateValues }: Assembly, { contexts }: BindOptions): AssemblyTarget[] {
  const asked = new Set(lateValues.flatMap(({ source }) => ('target' in source ? [source.target] : [])));
  const guests = targets.some(({ name, kind }) => kind === 'guest' && asked.has(name));
  return targets.filter(({ name, kind }) => asked.has(name) || contexts?.has(name) === true || (guests && kind === 'rancher'));
}
