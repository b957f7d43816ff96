import { KindDescription, ON_HARVESTER } from '../../core/kind/kind';
import { READY, Readiness, allTrue, waiting } from '../../core/kind/readiness';
import { Manifest, valueAt } from '../../core/manifest/manifest';

/** The API of load balancers and IP pools. @see harvester/load-balancer-harvester:pkg/apis/loadbalancer.harvesterhci.io/v1beta1 */
export const GROUP_LOAD_BALANCER = 'loadbalancer.harvesterhci.io';
export const API_LOAD_BALANCER = `${GROUP_LOAD_BALANCER}/v1beta1`;
export const KIND_LOAD_BALANCER = 'LoadBalancer';

/** Sources of a load balancer's address. @see harvester/load-balancer-harvester:pkg/apis/loadbalancer.harvesterhci.io/v1beta1/loadbalancer.go IPAM */
export const IPAM_POOL = 'pool';
export const IPAM_DHCP = 'dhcp';
export const IPAM_MODES: readonly string[] = [IPAM_POOL, IPAM_DHCP];

/** Types of workloads. @see harvester/load-balancer-harvester:pkg/apis/loadbalancer.harvesterhci.io/v1beta1/loadbalancer.go WorkloadType */
export const WORKLOAD_VM = 'vm';
export const WORKLOAD_CLUSTER = 'cluster';

/** Label of the Service that Harvester creates for a load balancer. @see harvester/load-balancer-harvester:pkg/lb/servicelb/manager.go */
export const LABEL_OWN_SERVICE = 'loadbalancer.harvesterhci.io/servicelb';

/** Harvester's LoadBalancer of virtual machines or of a guest cluster. */
export const LOAD_BALANCER_DESCRIPTION: KindDescription = {
  group: GROUP_LOAD_BALANCER,
  version: 'v1beta1',
  kind: KIND_LOAD_BALANCER,
  scope: 'Namespaced',
  targets: ON_HARVESTER,
  rank: 60,
  ready: { judge: loadBalancerReadiness },
};

function loadBalancerReadiness(live: Manifest): Readiness {
  const ready = allTrue(live, ['Ready']);
  if (ready.state !== 'ready') { return ready; }
  return valueAt(live, 'status', 'address') ? READY : waiting('has no address yet');
}
