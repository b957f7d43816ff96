import { Outcomes } from './outcomes';
import { objectId, refId } from '../../../core/manifest/manifest';
import { LiveObject } from '../../cluster/cluster';
import { ApplyGraph, withDependents, withNeeds } from '../../graph/graph';
import { isManagement, isProvisioningCluster, isRegistration } from '../../graph/object-index';
import { Leftover } from '../../inventory/inventory';
import { refusedDeletion } from '../../precondition/in-use';
import { keptOf } from '../../precondition/kept';
import { importedId } from '../../precondition/management-cluster';
import { onFailure } from '../../transport/api';
import { RunContext } from '../context/run-context';

/** An import that others use. */
interface UsedImport {
  readonly target: string;
  /** Why it cannot be deleted. */
  readonly why: Error;
}

type UsedImports = ReadonlyMap<string, UsedImport>;

/**
 * The imports that a run cannot delete, since others use their management clusters. They are judged
 * before anything is removed: a Harvester is disconnected before its import is deleted, and the
 * others would lose it although the import remains.
 */
export async function usedImports(
  gone: readonly Leftover[],
  run: RunContext,
): Promise<UsedImports> {
  const imports = gone.filter(
    ({ target, entry }) =>
      entry.policy === 'delete' &&
      (isProvisioningCluster(entry) || isManagement(entry, 'Cluster')) &&
      run.has(target) &&
      !run.options.acceptInUse?.includes(entry.id),
  );
  const used = new Map<string, UsedImport>();
  for (const each of imports) {
    const { id } = each.entry;
    const why = await whyUsed(each, gone, run);
    if (why !== undefined) {
      used.set(id, { target: each.target, why: new Error(`${id}: ${run.scrub(why)}`) });
    }
  }
  return used;
}

/** Reports the imports that are not deleted, and returns their outcomes. */
export function refusedImports(used: UsedImports, run: RunContext): Outcomes {
  return new Map(
    [...used].map(([id, { target, why }]) => {
      run.emit(id, target, 'failed', why.message);
      return [id, { state: 'failed', error: why, acted: false }] as const;
    }),
  );
}

/**
 * The IDs of what is not removed while these imports remain: them, the Settings that connect
 * Harvesters to them, and what is removed after these.
 */
export function keptByImports(used: UsedImports, graph: ApplyGraph): ReadonlySet<string> {
  const connections = [...withNeeds(used.keys(), graph)].filter((id) => {
    const object = graph.nodes.get(id)?.object;
    return object !== undefined && isRegistration(object);
  });
  return withDependents([...used.keys(), ...connections], graph);
}

async function whyUsed(
  { target: on, entry }: Leftover,
  gone: readonly Leftover[],
  run: RunContext,
): Promise<string | undefined> {
  const { target, cluster } = await run.place(on, () => undefined);
  const live = await cluster
    .read(entry, { signal: run.stop })
    .catch(onFailure(['forbidden', 'blocked', 'invalid'], () => undefined));
  if (
    !live ||
    importedId(live) === undefined ||
    live.metadata.deletionTimestamp !== undefined ||
    keptOf(entry, live, on, run.fields)
  ) {
    return undefined;
  }
  const deleted = gone.filter((each) => each.entry.policy === 'delete');
  const ids = new Set(deleted.map((each) => refId(each.target, each.entry)));
  const use = await refusedDeletion(
    { id: entry.id, live, target, cluster },
    deleted.map((each) => [each.target, each.entry] as const),
    {
      isGoing: (other: LiveObject) => ids.has(objectId(on, other)),
      fieldManager: run.fields.fieldManager,
      signal: run.stop,
    },
  );
  return use?.passes ? undefined : use?.why;
}
