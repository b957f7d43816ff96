import { JudgedObject, Rule } from './rule';
import { checkSnapshotQuota } from '../model/checks/snapshot-quota';
import { Problem } from '../model/problem';

const QUOTA: Rule = {
  id: 'snapshot-quota/spec',
  level: 'error',
  kinds: ['harvesterhci.io/ResourceQuota'],
  what: 'the ResourceQuota of Harvester\'s own group is named default-resource-quota, and its sizes are bytes',
  source: 'harvester/harvester:pkg/webhook/resources/resourcequota/validator.go',
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    yield* checkSnapshotQuota(manifest);
  },
};

/** Rules on quotas of snapshots. */
export const SNAPSHOT_QUOTA_RULES: readonly Rule[] = [QUOTA];
