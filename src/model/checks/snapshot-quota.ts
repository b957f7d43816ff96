import { DEFAULT_RESOURCE_QUOTA } from '../infrastructure-names';
import { isLate } from '../late-token';
import { isRecord, Manifest, valueAt } from '../manifest';
import { Problem } from '../problem';

const PATH = 'spec.snapshotLimit';

/**
 * What Harvester refuses in a ResourceQuota of its own group, which limits the snapshots of a namespace.
 * @see harvester/harvester:pkg/webhook/resources/resourcequota/validator.go
 */
export function* checkSnapshotQuota(quota: Manifest): Iterable<Problem> {
  const { name } = quota.metadata;
  if (name !== DEFAULT_RESOURCE_QUOTA && !isLate(name)) {
    yield {
      path: 'metadata.name', value: name, message: 'is not the one that a namespace may have', fix: `name it ${DEFAULT_RESOURCE_QUOTA}`, says: `name must be ${DEFAULT_RESOURCE_QUOTA}`,
    };
  }
  const limit = valueAt(quota, 'spec', 'snapshotLimit');
  yield* checkBytes(`${PATH}.namespaceTotalSnapshotSizeQuota`, valueAt(limit, 'namespaceTotalSnapshotSizeQuota'));
  const machines = valueAt(limit, 'vmTotalSnapshotSizeQuota');
  for (const [machine, size] of Object.entries(isRecord(machines) ? machines : {})) { yield* checkBytes(`${PATH}.vmTotalSnapshotSizeQuota[${machine}]`, size); }
}

function* checkBytes(path: string, size: unknown): Iterable<Problem> {
  // another type is told where all kinds are judged by their definitions
  if (typeof size === 'number' && size < 0) {
    yield { path, value: size, message: 'is negative', fix: 'give a number of bytes from 0', says: 'must be greater than or equal to 0' };
  }
}
