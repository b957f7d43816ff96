/** The only name that Harvester reads a ResourceQuota by. @see harvester/harvester:pkg/util/constants.go DefaultResourceQuotaName */
export const DEFAULT_RESOURCE_QUOTA = 'default-resource-quota';
