import { join } from 'path';
import { LateResolver, LateResolverOptions } from './late-resolver';
import { rankOf } from '../../core/kind/rank';
import { LATE_VALUES_VERSION, lateIdsIn } from '../../core/late/late-text';
import { Manifest, groupOf } from '../../core/manifest/manifest';
import { Assembly, AssemblyLateValue, AssemblyObject } from '../../core/output/assembly';
import { toYaml } from '../../core/yaml/yaml-writer';
import { BoundTargets } from '../cluster/cluster';
import { LoadedAssembly } from '../read/load-assembly';
import { PRIVATE_MODE, checkPrivateFile, writePrivateFile } from '../secret/private-file';

/** The late values of an assembly: known and failed. */
interface ResolvedAssembly {
  readonly resolver: LateResolver;
  readonly known: readonly AssemblyLateValue[];
  readonly failed: readonly { readonly late: AssemblyLateValue; readonly message: string }[];
}

/** Resolves all late values concurrently and reports all that fail. */
export async function resolveAll(assembly: Assembly, targets: BoundTargets, options: LateResolverOptions): Promise<ResolvedAssembly> {
  const resolver = new LateResolver(assembly, targets, options);
  const outcomes = await Promise.allSettled(assembly.lateValues.map(async ({ id }) => resolver.resolve(id)));
  const known = assembly.lateValues.filter((_, at) => outcomes[at].status === 'fulfilled');
  const failed = assembly.lateValues.flatMap((late, at) => {
    const outcome = outcomes[at];
    return outcome.status === 'rejected' ? [{ late, message: (outcome.reason as Error).message }] : [];
  });
  return { resolver, known, failed };
}

/** File mode of objects without secrets, like other files of an output. */
const PUBLIC_MODE = 0o644;

/**
 * Writes the values for synthesis (`lateValuesFile`). Texts are left out: synthesis composes them.
 */
export function writeValues(file: string, { lateValues }: Assembly, { values }: LateResolver): void {
  const read = lateValues.filter(({ source }) => source.resolver !== 'text').map(({ id }) => id).sort();
  const content = { schemaVersion: LATE_VALUES_VERSION, values: Object.fromEntries(read.map((id) => [id, values.get(id)])) };
  writePrivateFile(file, `${JSON.stringify(content, undefined, 2)}\n`);
}

/**
 * Writes the completed objects that wait for late values, one file per object and one folder per target. Returns the files.
 */
export function writeManifests(folder: string, { assembly, manifests }: LoadedAssembly, resolver: LateResolver): string[] {
  const folders = new Map(assembly.targets.map((target) => [target.name, target.folder]));
  const files = assembly.objects.filter(({ template }) => template !== undefined).map((object) => {
    const template = manifests.get(object.id)!;
    const manifest = resolver.complete(template);
    const isPrivate = isSecret(object) || lateIdsIn(template).some((id) => resolver.isSensitive(id));
    const file = join(folder, folders.get(object.target) ?? object.target, nameOf(manifest));
    return { file, content: toYaml(manifest), mode: isPrivate ? PRIVATE_MODE : PUBLIC_MODE };
  });
  // all or nothing, as far as can be checked before
  for (const { file, mode } of files) { checkPrivateFile(file, mode); }
  for (const { file, content, mode } of files) { writePrivateFile(file, content, mode); }
  return files.map(({ file }) => file).sort();
}

function isSecret({ apiVersion, kind }: AssemblyObject): boolean {
  return kind === 'Secret' && groupOf(apiVersion) === '';
}

// begins with the rank of the kind, as in the output of synthesis: kubectl applies the folder in this order
function nameOf(manifest: Manifest): string {
  const { kind, apiVersion, metadata: { namespace, name } } = manifest;
  const parts = [kind, groupOf(apiVersion), namespace ?? '', name].filter((part) => part !== '').map((part) => part.replace(/[^A-Za-z0-9.-]/g, '_'));
  return `${String(rankOf(manifest)).padStart(2, '0')}-${parts.join('.').toLowerCase()}.yaml`;
}
