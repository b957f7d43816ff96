import { LateResolver, LateResolverOptions } from './late-resolver';
import { Assembly, AssemblyLateValue } from '../../model/assembly';
import { BoundTargets } from '../bind/targets';

/** What became of the late values of an assembly. */
export interface ResolvedAssembly {
  readonly resolver: LateResolver;
  readonly known: readonly AssemblyLateValue[];
  readonly failed: readonly { readonly late: AssemblyLateValue; readonly message: string }[];
}

/**
 * Looks for all late values at once, and tells of all that are not found.
 */
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
