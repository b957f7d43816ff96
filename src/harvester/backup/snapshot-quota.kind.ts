import { KindDescription, ON_HARVESTER } from '../../core/kind/kind';
import { GROUPS } from '../../core/manifest/names';

/** The only name that Harvester reads a ResourceQuota by. @see harvester/harvester:pkg/util/constants.go DefaultResourceQuotaName */
export const DEFAULT_RESOURCE_QUOTA = 'default-resource-quota';

/** Harvester's ResourceQuota, which limits the snapshots of a namespace. */
export const SNAPSHOT_QUOTA_DESCRIPTION: KindDescription = {
  group: GROUPS.HARVESTER, version: 'v1beta1', kind: 'ResourceQuota', scope: 'Namespaced', targets: ON_HARVESTER, rank: 20,
};
