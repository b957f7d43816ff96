/**
 * Names around cloud credentials, the Harvester cloud provider and the CSI driver, each with its
 * source.
 */

/**
 * Annotation of a cloud credential: the name that Rancher's UI shows.
 * @see rancher/rancher:pkg/api/norman/customization/cred/store.go
 */
export const ANNOTATION_NAME = 'field.cattle.io/name';

/**
 * Whether Rancher manages the Harvester.
 * @see harvester/docker-machine-driver-harvester:harvester/flags.go
 */
export const CLUSTER_TYPE = { IMPORTED: 'imported', EXTERNAL: 'external' } as const;

/**
 * Name prefix of the cloud-config Secret, as Rancher's UI generates it.
 * @see rancher/dashboard:shell/edit/provisioning.cattle.io.cluster/rke2.vue
 */
export const CLOUD_CONFIG_PREFIX = 'harvesterconfig';

/**
 * Where cloud configs lay before, and where generate_addon.sh writes them.
 * @see harvester/cloud-provider-harvester:deploy/generate_addon.sh
 */
export const LEGACY_CLOUD_CONFIG_PATH = '/etc/kubernetes/cloud-config';

/**
 * Where RKE2 has it, and where generate_addon_csi.sh writes it.
 * @see harvester/harvester-csi-driver:deploy/generate_addon_csi.sh
 */
export const RKE2_CLOUD_CONFIG_PATH =
  '/var/lib/rancher/rke2/etc/config-files/cloud-provider-config';

/**
 * The ClusterRoles of Harvester for guest clusters.
 * @see harvester/harvester:deploy/charts/harvester/templates/rbac.yaml
 */
export const CLUSTER_ROLE_CLOUD_PROVIDER = 'harvesterhci.io:cloudprovider';
export const CLUSTER_ROLE_CSI_DRIVER = 'harvesterhci.io:csi-driver';

/**
 * The system namespace of a Harvester.
 * @see harvester/harvester:pkg/util/constants.go HarvesterSystemNamespaceName
 */
export const HARVESTER_SYSTEM = 'harvester-system';

/**
 * The ConfigMap in the system namespace whose key holds the management address.
 * @see harvester/harvester:pkg/api/kubeconfig/generate_handler.go
 */
export const VIP_CONFIG_MAP = 'vip';
export const VIP_KEY = 'ip';

/**
 * The port of Harvester's Kubernetes API at its management address.
 * @see harvester/harvester:pkg/api/kubeconfig/generate_handler.go
 */
export const HARVESTER_API_PORT = 6443;

/**
 * The type of Secret that Kubernetes fills with a token.
 * @see kubernetes/kubernetes:staging/src/k8s.io/api/core/v1/types.go
 */
export const TYPE_SERVICE_ACCOUNT_TOKEN = 'kubernetes.io/service-account-token';

/**
 * The cloud provider of RKE2 that is none of its own; that of Harvester is among rancher-names.
 * @see rancher/rke2:pkg/cli/cmds/root.go validateCloudProviderName
 */
export const CLOUD_PROVIDER_EXTERNAL = 'external';

/** The repository of these charts. @see harvester/docs rancher/cloud-provider.md */
export const HARVESTER_CHARTS_REPOSITORY = 'https://charts.harvesterhci.io/';

/**
 * Keys of the Secret that the charts read a kubeconfig from.
 * @see harvester/harvester-csi-driver:pkg/csi/manager.go; harvester/charts:charts/harvester-cloud-provider/values.yaml
 */
export const SECRET_KEY_CLOUD_PROVIDER = 'cloud-config';
export const SECRET_KEY_CSI = 'cloud-provider-config';

/**
 * The name of that Secret in Harvester's documentation.
 * @see harvester/docs v1.9 rancher/cloud-provider.md
 */
export const GUEST_CLOUD_CONFIG_SECRET = 'hcp-cloud-config';

/**
 * The parameters of a StorageClass that the CSI driver reads.
 * @see harvester/harvester-csi-driver:pkg/csi/controller_server.go
 */
export const CSI_PARAMETER = {
  HOST_STORAGE_CLASS: 'hostStorageClass',
  HOST_VOLUME_MODE: 'hostVolumeMode',
} as const;

/** The only value of hostVolumeMode that it acts on. */
export const HOST_VOLUME_FILESYSTEM = 'filesystem';

/**
 * Annotation that makes a VolumeSnapshotClass the default one.
 * @see kubernetes-csi/external-snapshotter:pkg/utils/util.go
 */
export const ANNOTATION_DEFAULT_SNAPSHOT_CLASS = 'snapshot.storage.kubernetes.io/is-default-class';
