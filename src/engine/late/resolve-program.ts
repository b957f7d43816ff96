import { LateResolverOptions } from './late-resolver';
import { resolveAll, writeManifests, writeValues } from './write-resolved';
import { Assembly, AssemblyTarget } from '../../core/output/assembly';
import { Redactor } from '../../core/secret/redactor';
import { BindOptions, bindTargets } from '../auth/bind-targets';
import { LoadedAssembly, refusePlaceholders } from '../read/load-assembly';
import { checkPrivateFile } from '../secret/private-file';

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
    const { resolver, known, failed } = await resolveAll(loaded.assembly, binding.targets, { timeoutMs, signal });
    signal?.throwIfAborted();
    // a text fails with the message of the values that it contains
    const redactor = Redactor.of(loaded.manifests.values()).with(resolver.secrets);
    const complete = failed.length === 0;
    if (complete && out !== undefined) { writeValues(out, loaded.assembly, resolver); }
    const manifests = complete && folder !== undefined ? writeManifests(folder, loaded, resolver) : [];
    return {
      known: known.map(({ id, description }) => ({ id, description, value: resolver.values.get(id)!, sensitive: resolver.isSensitive(id) })),
      failed: failed.map(({ late: { id }, message }) => ({ id, message: redactor.scrub(message) })),
      files: [...(complete && out !== undefined ? [out] : []), ...manifests],
    };
  } finally {
    binding.close();
  }
}

/** The targets that late values are read from, and those with a context; the kubeconfigs of guest clusters are read from their Rancher. */
function targetsToAsk({ targets, lateValues }: Assembly, { contexts }: BindOptions): AssemblyTarget[] {
  const asked = new Set(lateValues.flatMap(({ source }) => ('target' in source ? [source.target] : [])));
  const guests = targets.some(({ name, kind }) => kind === 'guest' && asked.has(name));
  return targets.filter(({ name, kind }) => asked.has(name) || contexts?.has(name) === true || (guests && kind === 'rancher'));
}
