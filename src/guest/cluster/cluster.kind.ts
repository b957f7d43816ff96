import { groupOf, Manifest } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { tableByName } from '../../core/text/values';
import { HARVESTER_CONFIG_KIND } from '../machine-config/machine-config.kind';

/** Names and keys of guest clusters on Rancher, each with its source. */

/**
 * Annotation of a cloud-config Secret: the Clusters that may use it, separated by commas.
 * @see rancher/rancher:pkg/capr/planner/config.go clusterObjectAuthorized
 */
export const SECRET_AUTHORIZED = 'v2prov-secret-authorized-for-cluster';

/**
 * Annotation of a cloud-config Secret: Rancher deletes it with its Cluster.
 * @see rancher/rancher:pkg/controllers/provisioningv2/secret
 */
export const SECRET_DELETES = 'v2prov-authorized-secret-deletes-on-cluster-removal';

/**
 * Annotation on a Secret or ConfigMap for machineSelectorFiles.
 * @see rancher/rancher:pkg/capr/common.go AuthorizedObjectAnnotation
 */
export const OBJECT_AUTHORIZED = 'rke.cattle.io/object-authorized-for-clusters';

/**
 * The key of the kubeconfig in a cloud-config Secret.
 * @see rancher/rancher:pkg/capr/planner/config.go retrieveClusterAuthorizedSecret
 */
export const CLOUD_CONFIG_KEY = 'credential';

/**
 * How `cloud-provider-config` refers to a Secret: `secret://<namespace>:<name>`.
 * @see rancher/rancher:pkg/capr/planner/config.go checkForSecretFormat
 */
export const SECRET_SCHEME = 'secret://';

/**
 * Annotation on a cloud credential: the node driver.
 * @see rancher/rancher:pkg/controllers/management/cloudcredential/controller.go
 */
export const CREDENTIAL_DRIVER = 'provisioning.cattle.io/driver';

/**
 * Prefix of the keys of a Harvester cloud credential.
 * @see rancher/rancher:pkg/data/management/machinedriver_data.go
 */
export const CREDENTIAL_PREFIX = 'harvestercredentialConfig-';

/**
 * Annotation of a Cluster: Rancher may drop `dynamicSchemaSpec` of a machine pool.
 * @see rancher/webhook:pkg/resources/provisioning.cattle.io/v1/cluster/mutator.go
 */
export const ALLOW_SCHEMA_DROP = 'provisioning.cattle.io/allow-dynamic-schema-drop';

/**
 * The charts for guest clusters; RKE2 bundles them under the same names.
 * @see harvester/charts:charts
 */
export const PROVIDER_CHART = 'harvester-cloud-provider';
export const CSI_CHART = 'harvester-csi-driver';

/**
 * The node driver and the cloud provider of Harvester.
 * @see rancher/rancher:pkg/data/management/machinedriver_data.go; rancher/rke2:pkg/cli/cmds/root.go
 */
export const PROVIDER_NAME = 'harvester';

/**
 * The provisioner of Harvester's CSI driver.
 * @see harvester/harvester-csi-driver:pkg/csi/driver.go
 */
export const CSI_PROVISIONER = 'driver.harvesterhci.io';

/** The default data directories. @see rancher/rancher:pkg/capr/common.go GetDistroDataDir */
export const DATA_DIRECTORY = {
  rke2: '/var/lib/rancher/rke2',
  k3s: '/var/lib/rancher/k3s',
} as const;

/**
 * The path of the cloud config, below the data directory.
 * @see rancher/rancher:pkg/capr/planner/config.go configFile
 */
export const CLOUD_CONFIG_FILE = '/etc/config-files/cloud-provider-config';

/** The defaults of the node driver, which the API server sets. Verified on Rancher 2.13.8. */
export const MACHINE_DEFAULTS: { readonly [field: string]: string } = tableByName({
  cpuCount: '2',
  memorySize: '4',
  diskSize: '0',
  sshPort: '22',
  reservedMemorySize: '-1',
  sshUser: 'root',
  vmNamespace: 'default',
});

/** Names and keys of guest clusters that constructs write, each with its source. */

/**
 * The type of a registry's credentials in Rancher's own form.
 * @see rancher/rancher:pkg/apis/rke.cattle.io/v1 AuthConfigSecretType
 */
export const REGISTRY_AUTH_CONFIG_TYPE = 'rke.cattle.io/auth-config';

/**
 * The other types of Secrets that a registry's configuration names.
 * @see rancher/rancher:pkg/capr/planner/registry.go
 */
export const BASIC_AUTH_TYPE = 'kubernetes.io/basic-auth';
export const TLS_TYPE = 'kubernetes.io/tls';

/**
 * Prefix of the keys of an S3 credential; Rancher reads only what follows the last hyphen.
 * @see rancher/rancher:pkg/capr/planner/s3args.go getS3Credential
 */
export const S3_CREDENTIAL_PREFIX = 's3credentialConfig-';

/**
 * The annotation `provisioning.cattle.io/driver` of an S3 credential.
 * @see rancher/dashboard:shell/models/cloudcredential.js
 */
export const S3_DRIVER = 's3';

/**
 * The value keys of machineGlobalConfig and machineSelectorConfig that this library writes.
 * @see rancher/kontainer-driver-metadata:data/data.json
 */
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

/**
 * The key of bundled components that are not installed. Those of RKE2 begin with `rke2-`, those of
 * K3s do not.
 */
export const DISABLE = 'disable';
export const RKE2_COMPONENT_PREFIX = 'rke2-';
/** @see rancher/kontainer-driver-metadata:data/data.json (v1.31.1) serverArgs disable */
export const K3S_COMPONENTS: readonly string[] = [
  'coredns',
  'servicelb',
  'traefik',
  'local-storage',
  'metrics-server',
];

/**
 * The pod security admission template for a CIS profile.
 * @see rancher/dashboard:shell/edit/provisioning.cattle.io.cluster/rke2.vue
 */
export const RESTRICTED_TEMPLATE = 'rancher-restricted';

/**
 * Label that node registration sets on Linux nodes.
 * @see rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/status.go rke2NodeCommandFormat
 */
export const NODE_OS_LABEL = 'cattle.io/os=linux';

/**
 * The path of the script that registers a node.
 * @see rancher/rancher:pkg/capr/installer/installer.go SystemAgentInstallPath
 */
export const SYSTEM_AGENT_INSTALL_PATH = '/system-agent-install.sh';

/**
 * Labels of virtual machines by which Harvester's controllers and the cloud provider recognize the
 * nodes of a guest cluster.
 * @see harvester/docker-machine-driver-harvester:harvester/create.go; harvester/cloud-provider-harvester:pkg/controller/virtualmachineinstance/controller.go
 */
export const VM_LABEL_GUEST_CLUSTER = 'guestcluster.harvesterhci.io/name';
export const VM_LABEL_CREATOR = 'harvesterhci.io/creator';
export const VM_CREATOR_DRIVER = 'docker-machine-driver-harvester';

/**
 * The Secret in which Rancher keeps the kubeconfig of a guest cluster.
 * @see rancher/rancher:pkg/provisioningv2/kubeconfig/manager.go getKubeConfigSecretName
 */
export const kubeconfigSecretOf = (clusterName: string): string => `${clusterName}-kubeconfig`;

/**
 * The key of the kubeconfig in this Secret.
 * @see rancher/rancher:pkg/provisioningv2/kubeconfig/manager.go getKubeConfigData
 */
export const KUBECONFIG_KEY = 'value';

/** Whether an object is a provisioning Cluster. */
export function isCluster({ apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>): boolean {
  return groupOf(apiVersion) === GROUPS.PROVISIONING && kind === 'Cluster';
}

/** Whether an object is a provisioning Cluster or a machine configuration of one. */
export function isClusterPart(object: Pick<Manifest, 'apiVersion' | 'kind'>): boolean {
  return isCluster(object) || object.kind === HARVESTER_CONFIG_KIND;
}
