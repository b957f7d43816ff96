import { KindFields } from '../../../core/kind/description/fields';
import { FIELD_MANAGER } from '../../../core/kind/field-managers';
import { kindOf } from '../../../core/kind/kinds';
import { Manifest } from '../../../core/manifest/manifest';
import { Cluster, refOf } from '../../cluster/cluster';
import { adoption, applyObject } from '../../fields/apply-object';
import { ownedBy } from '../../fields/managed-fields';
import { until } from '../../transport/pace';
import { RunContext } from '../context/run-context';

/** How long a controller may take before it writes an object: Rancher 2.15.0 takes less than 1 s. */
const WRITTEN_MS = 10_000;

/**
 * Waits until a controller has written an object without the record of who set which fields, and
 * sets the fields again. Does nothing with other objects.
 */
export async function setAgain(
  manifest: Manifest,
  cluster: Cluster,
  { pacing, kill, fields }: Pick<RunContext, 'pacing' | 'kill' | 'fields'>,
): Promise<void> {
  const { fieldManager } = fields;
  const losesRecord = kindOf<KindFields>(manifest)?.losesRecord;
  if (!losesRecord?.(manifest)) {
    return;
  }
  const live = await until(
    async (passedMs) => {
      const now = await cluster.read(refOf(manifest), { signal: pacing.signal });
      const isLate = passedMs >= WRITTEN_MS;
      return now && losesRecord(now) && !isLate ? undefined : { now };
    },
    WRITTEN_MS,
    () => new Error('was not read'),
    pacing,
  );
  if (!live.now || ownedBy(live.now, fieldManager)) {
    return;
  }
  // all fields are those that this run wrote: none may remain with a manager that does not exist
  const takeFieldsFrom = [FIELD_MANAGER.BEFORE_FIRST_APPLY];
  const options = { fieldManager, takeFieldsFrom, signal: kill };
  const rewrite = await adoption(live.now, manifest, cluster, options);
  await applyObject(cluster, manifest, { ...options, live: live.now, rewrite });
}
