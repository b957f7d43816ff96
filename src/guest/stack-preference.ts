/**
 * The families of addresses that components on a node use to talk to each other.
 *
 * @see rancher/rancher:pkg/apis/rke.cattle.io/v1/networking_stack_preference_types.go
 */
export enum StackPreference {
  /** IPv4. */
  IPV4 = 'ipv4',
  /** IPv6. Harvester's node driver needs an IPv4 address of a machine, so only for custom clusters. */
  IPV6 = 'ipv6',
  /** Both. */
  DUAL = 'dual',
}
