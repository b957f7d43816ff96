/** The prefix of the cloud provider's keys. @see harvester/cloud-provider-harvester:pkg/utils/consts.go */
export const CLOUD_PROVIDER_PREFIX = 'cloudprovider.harvesterhci.io/';

/** Annotation of a Service: `pool` or `dhcp`. Without it the cloud provider uses `pool`, and Rancher's UI `dhcp`. */
export const ANNOTATION_IPAM = 'cloudprovider.harvesterhci.io/ipam';

/** Annotation of a Service: the `<namespace>/<name>` whose address it shares. As a label, `<namespace>.<name>`, the cloud provider's own mark. */
export const ANNOTATION_PRIMARY_SERVICE = 'cloudprovider.harvesterhci.io/primary-service';

/** Annotation of a Service: the VM network of its address, `<namespace>/<name>`. Cloud provider 0.2.7 and later, Harvester 1.9 and later. */
export const ANNOTATION_NETWORK = 'cloudprovider.harvesterhci.io/network';

/**
 * Annotations of a Service that are copied to Harvester and overwritten there.
 * @see harvester/load-balancer-harvester:pkg/webhook/loadbalancer/mutator.go
 */
export const ANNOTATIONS_OVERWRITTEN: readonly string[] = ['cloudprovider.harvesterhci.io/project', 'cloudprovider.harvesterhci.io/namespace'];

/** The annotations of a Service that the cloud provider reads: any other with its prefix is a mistake. */
export const SERVICE_ANNOTATIONS: readonly string[] = [ANNOTATION_IPAM, ANNOTATION_PRIMARY_SERVICE, ANNOTATION_NETWORK, ...ANNOTATIONS_OVERWRITTEN];

/**
 * Annotations of a Service that the cloud provider writes for kube-vip.
 * @see harvester/cloud-provider-harvester:pkg/cloud-controller-manager/annotation.go
 */
export const ANNOTATION_KUBE_VIP_IPS = 'kube-vip.io/loadbalancerIPs';
export const ANNOTATION_KUBE_VIP_INTERFACE = 'kube-vip.io/serviceInterface';

/** Annotation of a Service that kube-vip writes: the node that answers. @see kube-vip/kube-vip:pkg/services (updateStatus) */
export const ANNOTATION_KUBE_VIP_HOST = 'kube-vip.io/vipHost';

/**
 * Annotations of a Service that kube-vip reads: the address and the MAC address to request from DHCP. It writes there what it received.
 * @see harvester/harvester.github.io:kb/2023-08-21; kube-vip/kube-vip:pkg/services (updateStatus)
 */
export const ANNOTATION_KUBE_VIP_REQUESTED_IP = 'kube-vip.io/requestedIP';
export const ANNOTATION_KUBE_VIP_HWADDR = 'kube-vip.io/hwaddr';
