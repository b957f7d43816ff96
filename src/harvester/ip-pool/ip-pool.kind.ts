/** The kind of pools of addresses. */
export const KIND_IP_POOL = 'IPPool';

/** Matches every value in the scope of a pool. @see harvester/load-balancer-harvester:pkg/ipam/selector.go All */
export const ANY = '*';

/**
 * Annotation of an IPPool: an address to release by hand, which the controller removes.
 * @see harvester/load-balancer-harvester:pkg/controller/ippool/controller.go
 */
export const ANNOTATION_RELEASE_IP = 'loadbalancer.harvesterhci.io/manuallyReleaseIP';
