/**
 * Names of Harvester's load balancer and of the cloud provider in guest clusters, each with its source.
 */

/** @see harvester/load-balancer-harvester:pkg/apis/loadbalancer.harvesterhci.io/v1beta1 */
export const GROUP_LOAD_BALANCER = 'loadbalancer.harvesterhci.io';

/** The apiVersion of IPPool and LoadBalancer that is stored. */
export const API_LOAD_BALANCER = 'loadbalancer.harvesterhci.io/v1beta1';

export const KIND_IP_POOL = 'IPPool';
export const KIND_LOAD_BALANCER = 'LoadBalancer';

/** A group that the documentation of IPPool names and no Harvester has. @see harvester/docs:docs/networking/ippool.md */
export const WRONG_GROUP_OF_POOLS = 'networking.harvesterhci.io';

/** @see harvester/load-balancer-harvester:pkg/apis/loadbalancer.harvesterhci.io/v1beta1/loadbalancer.go IPAM */
export const IPAM_POOL = 'pool';
export const IPAM_DHCP = 'dhcp';
export const IPAM_MODES: readonly string[] = [IPAM_POOL, IPAM_DHCP];

/** @see harvester/load-balancer-harvester:pkg/apis/loadbalancer.harvesterhci.io/v1beta1/loadbalancer.go WorkloadType */
export const WORKLOAD_VM = 'vm';
export const WORKLOAD_CLUSTER = 'cluster';

/** Label on the Service that Harvester makes of a load balancer. @see harvester/load-balancer-harvester:pkg/lb/servicelb/manager.go */
export const LABEL_OWN_SERVICE = 'loadbalancer.harvesterhci.io/servicelb';

/** What stands for every value in the scope of a pool. @see harvester/load-balancer-harvester:pkg/ipam/selector.go All */
export const ANY = '*';

/** The prefix of the cloud provider's keys. @see harvester/cloud-provider-harvester:pkg/utils/consts.go */
export const CLOUD_PROVIDER_PREFIX = 'cloudprovider.harvesterhci.io/';

/** Annotation on a Service: `pool` or `dhcp`; without it the cloud provider takes `pool`, Rancher's UI `dhcp`. */
export const ANNOTATION_IPAM = 'cloudprovider.harvesterhci.io/ipam';

/** Annotation on a Service: the `<namespace>/<name>` whose address it shares. As a label, `<namespace>.<name>`, the cloud provider's own mark. */
export const ANNOTATION_PRIMARY_SERVICE = 'cloudprovider.harvesterhci.io/primary-service';

/** Annotation on a Service: the VM network of its address, `<namespace>/<name>`. Cloud provider 0.2.7 and later, Harvester 1.9 and later. */
export const ANNOTATION_NETWORK = 'cloudprovider.harvesterhci.io/network';

/**
 * Annotations on a Service that are copied to Harvester and overwritten there.
 * @see harvester/load-balancer-harvester:pkg/webhook/loadbalancer/mutator.go
 */
export const ANNOTATIONS_OVERWRITTEN: readonly string[] = ['cloudprovider.harvesterhci.io/project', 'cloudprovider.harvesterhci.io/namespace'];

/** The annotations of a Service that the cloud provider reads, for what is left of the prefix to be told. */
export const SERVICE_ANNOTATIONS: readonly string[] = [ANNOTATION_IPAM, ANNOTATION_PRIMARY_SERVICE, ANNOTATION_NETWORK, ...ANNOTATIONS_OVERWRITTEN];

/**
 * Annotations on a Service that the cloud provider writes for kube-vip.
 * @see harvester/cloud-provider-harvester:pkg/cloud-controller-manager/annotation.go
 */
export const ANNOTATION_KUBE_VIP_IPS = 'kube-vip.io/loadbalancerIPs';
export const ANNOTATION_KUBE_VIP_INTERFACE = 'kube-vip.io/serviceInterface';

/** Annotation on a Service that kube-vip writes: the node that answers. @see kube-vip/kube-vip:pkg/services (updateStatus) */
export const ANNOTATION_KUBE_VIP_HOST = 'kube-vip.io/vipHost';

/**
 * Annotation on an IPPool: an address to give back by hand, which the controller removes.
 * @see harvester/load-balancer-harvester:pkg/controller/ippool/controller.go
 */
export const ANNOTATION_RELEASE_IP = 'loadbalancer.harvesterhci.io/manuallyReleaseIP';

/**
 * Annotations on a Service that kube-vip reads: the address and the MAC address to ask DHCP for. It writes there what it got.
 * @see harvester/harvester.github.io:kb/2023-08-21; kube-vip/kube-vip:pkg/services (updateStatus)
 */
export const ANNOTATION_KUBE_VIP_REQUESTED_IP = 'kube-vip.io/requestedIP';
export const ANNOTATION_KUBE_VIP_HWADDR = 'kube-vip.io/hwaddr';

/** The kind of networks of virtual machines. @see k8snetworkplumbingwg/network-attachment-definition-client */
export const KIND_NETWORK_ATTACHMENT = 'NetworkAttachmentDefinition';

/** `<namespace>/<name>`: a network, or a Service. */
export const NAMESPACED_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?\/[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;
