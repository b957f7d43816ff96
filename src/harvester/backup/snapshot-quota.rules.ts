import { DEFAULT_RESOURCE_QUOTA } from './snapshot-quota.kind';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, valueAt } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule } from '../../core/rule/rule';

const PATH = 'spec.snapshotLimit';

/**
 * Checks a ResourceQuota of Harvester's group, which limits the snapshots of a namespace.
 * @see harvester/harvester:pkg/webhook/resources/resourcequota/validator.go
 */
function* checkSnapshotQuota(quota: Manifest): Iterable<Problem> {
  const { name } = quota.metadata;
  if (name !== DEFAULT_RESOURCE_QUOTA && !isLate(name)) {
    yield {
      path: 'metadata.name', value: name, message: `must be ${DEFAULT_RESOURCE_QUOTA}`, fix: `set ${DEFAULT_RESOURCE_QUOTA}`, says: `name must be ${DEFAULT_RESOURCE_QUOTA}`,
    };
  }
  const limit = valueAt(quota, 'spec', 'snapshotLimit');
  yield* checkBytes(`${PATH}.namespaceTotalSnapshotSizeQuota`, valueAt(limit, 'namespaceTotalSnapshotSizeQuota'));
  const machines = valueAt(limit, 'vmTotalSnapshotSizeQuota');
  for (const [machine, size] of Object.entries(isRecord(machines) ? machines : {})) { yield* checkBytes(`${PATH}.vmTotalSnapshotSizeQuota[${machine}]`, size); }
}

function* checkBytes(path: string, size: unknown): Iterable<Problem> {
  // the rule on types of fields reports other types
  if (typeof size === 'number' && size < 0) {
    yield { path, value: size, message: 'must be 0 or more', fix: 'set a number of bytes', says: 'must be greater than or equal to 0' };
  }
}

const QUOTA: Rule = {
  id: 'snapshot-quota/spec',
  level: 'error',
  kinds: ['harvesterhci.io/ResourceQuota'],
  what: 'the ResourceQuota of Harvester\'s group is named default-resource-quota, and its sizes are bytes',
  source: 'harvester/harvester:pkg/webhook/resources/resourcequota/validator.go',
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    yield* checkSnapshotQuota(manifest);
  },
};

/** Rules on snapshot quotas. */
export const SNAPSHOT_QUOTA_RULES: readonly Rule[] = [QUOTA];
