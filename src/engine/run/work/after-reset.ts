import { KindRemoval } from '../../../core/kind/description/removal';
import { kindOf } from '../../../core/kind/kinds';
import { CLUSTER_AGENT } from '../../../rancher/cluster/cluster.facts';
import { InventoryEntry } from '../../inventory/inventory';
import { isFailure, onFailure } from '../../transport/api';
import { inWords, until } from '../../transport/pace';
import { ObjectPlace, RunContext } from '../context/run-context';

/** Time limit for Harvester to remove Rancher's agent. */
const AGENT_MS = 2 * 60_000;

/** Time limit for what Rancher does after a provider was disabled. */
const CARRIED_OUT_MS = 2 * 60_000;

/** Waits for what the server still does after a reset. */
export async function untilCarriedOut(
  run: RunContext,
  id: string,
  place: ObjectPlace,
  entry: InventoryEntry,
): Promise<void> {
  const remains = kindOf<KindRemoval>(entry)?.reset?.remains;
  if (!remains) {
    return;
  }
  const timeoutMs = run.options.timeoutMs ?? CARRIED_OUT_MS;
  let why: string | undefined;
  await until(
    async () => {
      const live = await place.cluster.read(entry, { signal: run.stop });
      const now = live && remains(live);
      if (now !== undefined && now !== why) {
        run.emit(id, place.target.name, 'not-ready', now);
      }
      why = now;
      return now === undefined ? true : undefined;
    },
    timeoutMs,
    () =>
      new Error(
        `is reset, but after ${inWords(timeoutMs)}: ${why}. Fix: check the log of Rancher; then run the command again`,
      ),
    run.pacing,
  );
}

/**
 * Harvester removes Rancher's agent after a reset; while it is there, the Harvester is still
 * connected.
 */
export async function untilDisconnected(
  run: RunContext,
  id: string,
  { target, cluster }: ObjectPlace,
): Promise<void> {
  const { name } = target;
  const agent = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    namespace: CLUSTER_AGENT.namespace,
    name: CLUSTER_AGENT.deployment,
  };
  const label = `Deployment ${agent.namespace}/${agent.name}`;
  const timeoutMs = run.options.timeoutMs ?? AGENT_MS;
  let isReported = false;
  await until(
    async () => {
      const found = await cluster
        .read(agent, { signal: run.stop })
        .catch(onFailure(['forbidden', 'transient', 'blocked'], (error) => error));
      if (!found) {
        return true;
      }
      if (isFailure(found, 'forbidden')) {
        run.warn(
          `cannot check whether Harvester removed Rancher's agent: ${found.message}`,
          name,
          id,
        );
        return true;
      }
      if (!isReported) {
        run.emit(
          id,
          name,
          'not-ready',
          `waits until Harvester has removed Rancher's agent, ${label}`,
        );
      }
      isReported = true;
      return undefined;
    },
    timeoutMs,
    () =>
      new Error(
        `is reset, but Rancher's agent still exists after ${inWords(timeoutMs)}: this Harvester is still connected. ` +
          `Fix: check the log of Harvester's controller, or delete ${label}; then run the command again`,
      ),
    run.pacing,
  );
}
