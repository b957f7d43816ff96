/** The namespace of cloud credentials. @see rancher/webhook:pkg/resources/provisioning.cattle.io/v1/cluster/validator.go globalNamespace */
export const GLOBAL_DATA = 'cattle-global-data';

/** Annotation on a cloud credential: when its kubeconfig expires, in milliseconds since 1970. @see rancher/rancher:pkg/api/norman/store/cred (2.9.3 to 2.11) */
export const ANNOTATION_CREDENTIAL_EXPIRY = 'rancher.io/expiration-timestamp';

/** Names of the Rancher tokens that Rancher makes for kubeconfigs. @see rancher/rancher:pkg/controllers/management/cloudcredential/controller.go */
export const KUBECONFIG_TOKEN = /^kubeconfig-(?:u|user)-[a-z0-9-]+$/;

/** Reference of a Cluster to a cloud credential; the group is its name. @see rancher/rancher:pkg/capr/machineprovision/args.go GetCloudCredentialSecret */
export const CREDENTIAL_REFERENCE = /^cattle-global-data:(.+)$/;
