/**
 * Names and keys of guest clusters that constructs write, each with its source.
 */

/** The type of a registry's credentials in Rancher's own form. @see rancher/rancher:pkg/apis/rke.cattle.io/v1 AuthConfigSecretType */
export const REGISTRY_AUTH_CONFIG_TYPE = 'rke.cattle.io/auth-config';

/** The other types of Secrets that a registry's configuration names. @see rancher/rancher:pkg/capr/planner/registry.go */
export const BASIC_AUTH_TYPE = 'kubernetes.io/basic-auth';
export const TLS_TYPE = 'kubernetes.io/tls';

/**
 * The keys of an S3 credential begin so; only what follows the last hyphen counts.
 * @see rancher/rancher:pkg/capr/planner/s3args.go getS3Credential
 */
export const S3_CREDENTIAL_PREFIX = 's3credentialConfig-';

/** What the annotation `provisioning.cattle.io/driver` of an S3 credential says. @see rancher/dashboard:shell/models/cloudcredential.js */
export const S3_DRIVER = 's3';

/** The value keys of machineGlobalConfig and machineSelectorConfig that this library writes. @see rancher/kontainer-driver-metadata:data/data.json */
export const CONFIG_KEY = {
  AUDIT_POLICY: 'audit-policy-file',
  CNI: 'cni',
  DISABLE_KUBE_PROXY: 'disable-kube-proxy',
  ETCD_EXPOSE_METRICS: 'etcd-expose-metrics',
  INGRESS_CONTROLLER: 'ingress-controller',
  PROFILE: 'profile',
  PROTECT_KERNEL_DEFAULTS: 'protect-kernel-defaults',
  SELINUX: 'selinux',
} as const;

/** The key of the kubelet's arguments, and the argument by which a kubelet waits for a cloud provider that is not its own. */
export const KUBELET_ARG = 'kubelet-arg';
export const EXTERNAL_CLOUD_PROVIDER = 'cloud-provider=external';

/** The key of bundled components that are left out. What RKE2 bundles is called `rke2-…`, what K3s does is not. */
export const DISABLE = 'disable';
export const RKE2_COMPONENT_PREFIX = 'rke2-';
/** @see rancher/kontainer-driver-metadata:data/data.json (v1.31.1) serverArgs disable */
export const K3S_COMPONENTS: readonly string[] = ['coredns', 'servicelb', 'traefik', 'local-storage', 'metrics-server'];

/** The pod security admission template that goes with a CIS profile. @see rancher/dashboard:shell/edit/provisioning.cattle.io.cluster/rke2.vue */
export const RESTRICTED_TEMPLATE = 'rancher-restricted';

/** Label that node registration gives a node of Linux. @see rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/status.go rke2NodeCommandFormat */
export const NODE_OS_LABEL = 'cattle.io/os=linux';

/** The path of the script that registers a node. @see rancher/rancher:pkg/capr/installer/installer.go SystemAgentInstallPath */
export const SYSTEM_AGENT_INSTALL_PATH = '/system-agent-install.sh';

/**
 * Labels on virtual machines by which Harvester's controllers and the cloud provider know the nodes of a guest cluster.
 * @see harvester/docker-machine-driver-harvester:harvester/create.go; harvester/cloud-provider-harvester:pkg/controller/virtualmachineinstance/controller.go
 */
export const VM_LABEL_GUEST_CLUSTER = 'guestcluster.harvesterhci.io/name';
export const VM_LABEL_CREATOR = 'harvesterhci.io/creator';
export const VM_CREATOR_DRIVER = 'docker-machine-driver-harvester';
