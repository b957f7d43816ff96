import { ImmutableField } from '../../core/kind/description/immutable-fields';
import { deletes } from '../../core/kind/description/removal';
import { KindDescription, ON_HARVESTER } from '../../core/kind/kind';
import { whenTrue } from '../../core/kind/ready/health';
import { READY, Readiness, allTrue, waiting } from '../../core/kind/ready/readiness';
import { Manifest, valueAt } from '../../core/manifest/manifest';
import { GROUP_LOAD_BALANCER } from '../../core/manifest/names';
import { HarvesterGate } from '../version/harvester-version';

export const API_LOAD_BALANCER = `${GROUP_LOAD_BALANCER}/v1beta1`;
export const KIND_LOAD_BALANCER = 'LoadBalancer';

/**
 * Sources of a load balancer's address.
 * @see
 * harvester/load-balancer-harvester:pkg/apis/loadbalancer.harvesterhci.io/v1beta1/loadbalancer.go
 * IPAM
 */
export const IPAM_POOL = 'pool';
export const IPAM_DHCP = 'dhcp';
export const IPAM_MODES: readonly string[] = [IPAM_POOL, IPAM_DHCP];

/**
 * Types of workloads.
 * @see
 * harvester/load-balancer-harvester:pkg/apis/loadbalancer.harvesterhci.io/v1beta1/loadbalancer.go
 * WorkloadType
 */
export const WORKLOAD_VM = 'vm';
export const WORKLOAD_CLUSTER = 'cluster';

/**
 * Label of the Service that Harvester creates for a load balancer.
 * @see harvester/load-balancer-harvester:pkg/lb/servicelb/manager.go
 */
export const LABEL_OWN_SERVICE = 'loadbalancer.harvesterhci.io/servicelb';

/**
 * Label of the load balancer of a Service: its guest cluster.
 * @see harvester/cloud-provider-harvester:pkg/utils/consts.go
 */
export const LABEL_GUEST_CLUSTER = 'cloudprovider.harvesterhci.io/cluster';

/** Labels of the load balancer of a Service: its namespace and its name in the guest cluster. */
export const LABEL_SERVICE_NAMESPACE = 'cloudprovider.harvesterhci.io/serviceNamespace';
export const LABEL_SERVICE_NAME = 'cloudprovider.harvesterhci.io/serviceName';

/** Harvester's LoadBalancer of virtual machines or of a guest cluster. */
export const LOAD_BALANCER_DESCRIPTION: KindDescription = {
  group: GROUP_LOAD_BALANCER,
  version: 'v1beta1',
  kind: KIND_LOAD_BALANCER,
  part: { noun: 'load balancer', order: 60 },
  scope: 'Namespaced',
  targets: ON_HARVESTER,
  rank: 60,
  stage: 'balancers',
  // the webhook replaces the whole map
  writtenByOthers: ['metadata.annotations'],
  deletion: deletes('releases its address; an IP pool can be deleted only after it'),
  immutable: [
    {
      id: 'load-balancer/fixed',
      what: 'ipam and workloadType of a load balancer are immutable',
      says: "can't change the IPAM from pool to dhcp",
      source:
        'harvester/load-balancer-harvester:pkg/webhook/loadbalancer/validator.go checkIPAM, checkWorkloadType (Harvester 1.4.0 and later)',
      fields: [
        fixed('ipam', 'IPAM', IPAM_DHCP),
        fixed('workloadType', 'WorkloadType', WORKLOAD_CLUSTER),
      ],
      fix: 'delete and recreate the load balancer, which gets a different address',
    },
  ],
  ready: {
    judge: loadBalancerReadiness,
    hint: () =>
      'Usual causes: its IP pool has no free address, no virtual machine has the labels of its backendServerSelector, or no DHCP server answers. Fix: compare it ' +
      'with `cdk8s-harvester addresses --world`',
  },
  // a pool without a free address must not hold back what needs none
  health: {
    healthy: { all: [whenTrue('Ready'), { text: 'status.address' }] },
    misread: true,
    slow: true,
  },
};

/** A field of two meanings: that of a special value, and that of all others. */
function fixed(field: string, words: string, special: string): ImmutableField {
  return {
    path: `spec.${field}`,
    default: '',
    compared: (value) => value === special,
    omitted: 'changes',
    says: (previous, now) => `can't change the ${words} from ${previous} to ${now}`,
    since: HarvesterGate.LOAD_BALANCER_IPAM_FIXED,
  };
}

function loadBalancerReadiness(live: Manifest): Readiness {
  const ready = allTrue(live, ['Ready']);
  if (ready.state !== 'ready') {
    return ready;
  }
  return valueAt(live, 'status', 'address') ? READY : waiting('has no address yet');
}
