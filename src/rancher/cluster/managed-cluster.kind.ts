/**
 * Names that only live clusters show: what Rancher and Harvester make there by themselves.
 */

/** Rancher's agent on a cluster that it manages. @see rancher/rancher:pkg/systemtemplate/template.go */
export const CLUSTER_AGENT = { namespace: 'cattle-system', deployment: 'cattle-cluster-agent', selector: 'app=cattle-cluster-agent' } as const;

/** Fleet's agent on such a cluster. @see rancher/fleet:charts/fleet-agent/templates/deployment.yaml */
export const FLEET_AGENT = { namespace: 'cattle-fleet-system', deployment: 'fleet-agent', selector: 'app=fleet-agent' } as const;

/** Annotation on a cloud credential: when its kubeconfig expires, in milliseconds since 1970. @see rancher/rancher:pkg/api/norman/store/cred (2.9.3 to 2.11) */
export const ANNOTATION_CREDENTIAL_EXPIRY = 'rancher.io/expiration-timestamp';

/** Names of the Rancher tokens that Rancher makes for kubeconfigs. @see rancher/rancher:pkg/controllers/management/cloudcredential/controller.go */
export const KUBECONFIG_TOKEN = /^kubeconfig-(?:u|user)-[a-z0-9-]+$/;

/** What stands before the name of a cloud credential in a Cluster. @see rancher/rancher:pkg/capr/machineprovision/args.go GetCloudCredentialSecret */
export const CREDENTIAL_REFERENCE = /^cattle-global-data:(.+)$/;

/** The conditions of a Harvester Setting, a management Cluster, a LoadBalancer that say whether it works. */
export const CONDITION = { CONFIGURED: 'configured', CONNECTED: 'Connected', READY: 'Ready' } as const;

/** Annotation on a Harvester Setting: the digest of the value that was acted on last. @see harvester/harvester:pkg/controller/master/setting/handler.go */
export const ANNOTATION_SETTING_HASH = 'harvesterhci.io/hash';

/** Waiting reasons of a container whose image does not come. @see kubernetes/kubernetes:pkg/kubelet/images/types.go */
export const IMAGE_PROBLEMS: readonly string[] = [
  'ErrImagePull', 'ImagePullBackOff', 'ErrImageNeverPull', 'InvalidImageName', 'ImageInspectError', 'RegistryUnavailable', 'SignatureValidationFailed',
];

/** Finalizer on namespaces of clusters that Rancher manages. @see rancher/rancher:pkg/controllers/managementuser/rbac/namespace_handler.go */
export const FINALIZER_NAMESPACE_AUTH = 'controller.cattle.io/namespace-auth';
