import { LateResolver, LateResolverOptions } from './late-resolver';
import { writeManifests } from './write-manifests';
import { reach } from '../../core/graph/reach';
import { LATE_VALUES_VERSION, lateIdsIn } from '../../core/late/late-text';
import { Assembly, AssemblyLateValue, AssemblyTarget } from '../../core/output/assembly';
import { isLateObject } from '../../core/output/late-files';
import { Redactor } from '../../core/secret/redactor';
import { isOutside } from '../../core/value/secret-value';
import { BindOptions, bindTargets } from '../auth/bind-targets';
import { BoundTargets } from '../cluster/cluster';
import { LoadedAssembly, refusePlaceholders } from '../read/load-assembly';
import { checkPrivateFile, writePrivateFile } from '../secret/private-file';

/** The late values of an assembly: known and failed. */
interface ResolvedAssembly {
  readonly resolver: LateResolver;
  readonly known: readonly AssemblyLateValue[];
  readonly failed: readonly { readonly late: AssemblyLateValue; readonly message: string }[];
}

/** Resolves late values concurrently, by default all, and reports all that fail. */
export async function resolveAll(
  assembly: Assembly,
  targets: BoundTargets,
  options: LateResolverOptions,
  wanted = assembly.lateValues,
): Promise<ResolvedAssembly> {
  const resolver = new LateResolver(assembly, targets, options);
  const outcomes = await Promise.allSettled(wanted.map(async ({ id }) => resolver.resolve(id)));
  const known = wanted.filter((_, at) => outcomes[at].status === 'fulfilled');
  const failed = wanted.flatMap((late, at) => {
    const outcome = outcomes[at];
    return outcome.status === 'rejected'
      ? [{ late, message: (outcome.reason as Error).message }]
      : [];
  });
  return { resolver, known, failed };
}

/**
 * Writes the values for synthesis (`lateValuesFile`). Texts are left out, since synthesis composes
 * them, and secrets that synthesis has.
 */
export function writeValues(
  file: string,
  { lateValues }: Assembly,
  { values }: LateResolver,
): void {
  const read = lateValues
    .filter(({ source }) => source.resolver !== 'text' && !isOutside(source))
    .map(({ id }) => id)
    .sort();
  const content = {
    schemaVersion: LATE_VALUES_VERSION,
    values: Object.fromEntries(read.map((id) => [id, values.get(id)])),
  };
  writePrivateFile(file, `${JSON.stringify(content, undefined, 2)}\n`);
}

/** How late values are resolved, and where they are written. */
export interface ResolveRunOptions
  extends BindOptions, Pick<LateResolverOptions, 'timeoutMs' | 'signal'> {
  /**
   * File for the values, which synthesis reads as `lateValuesFile` (mode 0600).
   * @default - not written
   */
  readonly writeValues?: string;
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
  /** The files of earlier runs that were removed, since nothing is written to them now. */
  readonly removed: readonly string[];
  /** Warnings about these files. */
  readonly notes: readonly string[];
}

const NOTHING_WRITTEN = { files: [], removed: [], notes: [] } as const;

/** Resolves the late values of a program on the live clusters. Nothing is written to them. */
export async function resolveProgram(
  loaded: LoadedAssembly,
  options: ResolveRunOptions,
): Promise<ResolveResult> {
  const { writeValues: out, writeManifests: folder, onWarning } = options;
  // waiting for minutes is useless if the file cannot be written
  if (out !== undefined) {
    checkPrivateFile(out);
  }
  if (folder !== undefined) {
    refusePlaceholders(loaded);
  }
  const targets = targetsToAsk(loaded.assembly, options);
  const binding = await bindTargets(targets, {
    ...options,
    // the config file names the targets of other commands, too
    onWarning: (target, message) => {
      if (targets.some(({ name }) => name === target)) {
        onWarning?.(target, message);
      }
    },
  });
  try {
    return await resolveBound(loaded, binding.targets, options);
  } finally {
    binding.close();
  }
}

async function resolveBound(
  loaded: LoadedAssembly,
  targets: BoundTargets,
  { writeValues: out, writeManifests: folder, timeoutMs, signal }: ResolveRunOptions,
): Promise<ResolveResult> {
  const wanted = valuesToResolve(loaded, folder !== undefined);
  const { resolver, known, failed } = await resolveAll(
    loaded.assembly,
    targets,
    { timeoutMs, signal },
    wanted,
  );
  signal?.throwIfAborted();
  // a text fails with the message of the values that it contains
  const redactor = Redactor.of(loaded.manifests.values()).with(resolver.secrets);
  const complete = failed.length === 0;
  if (complete && out !== undefined) {
    writeValues(out, loaded.assembly, resolver);
  }
  const {
    files: manifests,
    removed,
    notes,
  } = complete && folder !== undefined ? writeManifests(folder, loaded, resolver) : NOTHING_WRITTEN;
  return {
    known: known.map(({ id, description }) => ({
      id,
      description,
      value: resolver.values.get(id)!,
      sensitive: resolver.isSensitive(id),
    })),
    failed: failed.map(({ late, message }) => ({
      id: late.id,
      message: redactor.scrub(message),
    })),
    files: [...(complete && out !== undefined ? [out] : []), ...manifests],
    removed,
    notes: notes.map((note) => redactor.scrub(note)),
  };
}

/**
 * The late values of live clusters, and those that are written into objects: only these need the
 * secrets of the program.
 */
function valuesToResolve(
  { assembly, manifests }: LoadedAssembly,
  isWritten: boolean,
): readonly AssemblyLateValue[] {
  const { objects, lateValues } = assembly;
  const byId = new Map(lateValues.map((late) => [late.id, late]));
  const written = objects
    .filter((object) => isWritten && isLateObject(object))
    .flatMap(({ id }) => lateIdsIn(manifests.get(id)));
  const needed = reach(written, (id) => lateIdsIn(byId.get(id)?.source));
  return lateValues.filter(
    ({ id }) =>
      needed.has(id) ||
      [...reach([id], (inner) => lateIdsIn(byId.get(inner)?.source))].every((inner) => {
        const source = byId.get(inner)?.source;
        return source === undefined || !isOutside(source);
      }),
  );
}

/**
 * The targets that late values are read from, and those with a context; the kubeconfigs of guest
 * clusters are read from their Rancher.
 */
function targetsToAsk(
  { targets, lateValues }: Assembly,
  { context: contexts }: BindOptions,
): AssemblyTarget[] {
  const asked = new Set(
    lateValues.flatMap(({ source }) => ('target' in source ? [source.target] : [])),
  );
  const guests = targets.some(({ name, kind }) => kind === 'guest' && asked.has(name));
  return targets.filter(
    ({ name, kind }) =>
      asked.has(name) || contexts?.has(name) === true || (guests && kind === 'rancher'),
  );
}
