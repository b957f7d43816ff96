import { RunContext } from './run-context';
import { asksForId, sharedIds } from '../plan/shared-ids';

/** Throws where a Cluster that is about to be created would share the management cluster of another one, before anything is written. */
export async function checkSharedIds(run: RunContext): Promise<void> {
  const { assembly: { objects }, manifests } = run.program;
  const problems: string[] = [];
  for (const { target: { kind, name }, stored, cluster } of run.open) {
    if (kind !== 'rancher') { continue; }
    const entries = stored?.entries ?? [];
    const applied = new Set(entries.filter(({ uid }) => uid !== undefined).map(({ id }) => id));
    const wanted = objects.filter(({ id, target }) => target === name && !applied.has(id))
      .map(({ id }) => ({ id, manifest: manifests.get(id)! })).filter(({ manifest }) => asksForId(manifest));
    const { problems: found, unknown } = await sharedIds(wanted, entries.filter((entry) => entry.kind === 'Cluster'), cluster, run.stop);
    if (unknown !== undefined) { run.warn(unknown, name); }
    problems.push(...[...found].map(([id, problem]) => `${id}: ${problem}`));
  }
  if (problems.length > 0) { throw new Error(`nothing was written\n${problems.join('\n')}`); }
}
