import { Product } from './product-version';

/**
 * The features that depend on a version, by id. Every Harvester setting is one too, see `FeatureGates.harvesterSetting`.
 *
 * The feature, its versions and its source are members of its gate: `FeatureGates.of(id).what`.
 */
export enum GateId {
  // Rancher: import and registration
  MANAGEMENT_CLUSTER_NAME = 'management-cluster-name',
  REGISTRATION_TOKEN_SECRET = 'registration-token-secret',
  REGISTRATION_TOKEN_TTL = 'registration-token-ttl',
  REGISTRATION_TOKEN_LIFETIME_CHECKED = 'registration-token-lifetime-checked',
  REGISTRATION_TOKEN_ROTATION = 'registration-token-rotation',
  NO_CREATOR_RBAC = 'no-creator-rbac',
  IMPORTED_SPEC_CREATE_ONLY = 'imported-spec-create-only',
  AGENT_DEPLOYMENT_CUSTOMIZATION = 'agent-deployment-customization',
  SCHEDULING_CUSTOMIZATION = 'scheduling-customization',
  WEBHOOK_DEPLOYMENT_CUSTOMIZATION = 'webhook-deployment-customization',
  DRY_RUN_CLUSTER_CREATION = 'dry-run-cluster-creation',
  AGENT_TLS_STRICT_DEFAULT = 'agent-tls-strict-default',
  CHARTS_IMAGE = 'charts-image',
  HARVESTER_UI_EXTENSION = 'harvester-ui-extension',
  FLEET_ON_HARVESTER = 'fleet-on-harvester',

  // Rancher: tenancy, users, tokens
  PROJECT_BACKING_NAMESPACE = 'project-backing-namespace',
  PROJECT_QUOTA_EXTENDED = 'project-quota-extended',
  DUPLICATE_CLUSTER_BINDING_REFUSED = 'duplicate-cluster-binding-refused',
  DUPLICATE_PROJECT_BINDING_REFUSED = 'duplicate-project-binding-refused',
  BINDING_NAME_FORMULA = 'binding-name-formula',
  GLOBAL_BINDING_USER_PRINCIPAL = 'global-binding-user-principal',
  GLOBAL_ROLE_NAMESPACED_RULES = 'global-role-namespaced-rules',
  GLOBAL_ROLE_INHERITED_NAMESPACED_RULES = 'global-role-inherited-namespaced-rules',
  ROLE_TEMPLATE_EXTERNAL_RULES = 'role-template-external-rules',
  CONTAINER_LIMIT_VALIDATED = 'container-limit-validated',
  AGGREGATED_ROLE_TEMPLATES = 'aggregated-role-templates',
  HARVESTER_ROLE_TEMPLATES = 'harvester-role-templates',
  PASSWORD_SECRET = 'password-secret',
  TOKEN_TTL_DEFAULTS = 'token-ttl-defaults',
  KUBECONFIG_MAX_TTL_SETTING = 'kubeconfig-max-ttl-setting',
  HARVESTER_TOKENS_NEVER_EXPIRE = 'harvester-tokens-never-expire',

  // Rancher: guest clusters
  PROVISIONING_CLUSTER = 'provisioning-cluster',
  LOCAL_CLUSTER_AUTH_ENDPOINT = 'local-cluster-auth-endpoint',
  MACHINE_POOL_HEALTH = 'machine-pool-health',
  CERTIFICATE_ROTATION = 'certificate-rotation',
  DRAIN_BEFORE_DELETE_TIMEOUT = 'drain-before-delete-timeout',
  DRAIN_IGNORE_ERRORS = 'drain-ignore-errors',
  MACHINE_SELECTOR_FILES = 'machine-selector-files',
  POD_SECURITY_TEMPLATE = 'pod-security-template',
  MACHINE_POOL_DEFAULTS = 'machine-pool-defaults',
  STACK_PREFERENCE = 'stack-preference',
  DATA_DIRECTORIES = 'data-directories',
  STRUCTURAL_CLUSTER_DEFINITION = 'structural-cluster-definition',
  AUTOSCALING = 'autoscaling',
  ETCD_S3_RETENTION = 'etcd-s3-retention',
  MACHINE_POOL_USERDATA = 'machine-pool-userdata',
  MACHINE_METADATA_IN_PLACE = 'machine-metadata-in-place',
  INGRESS_CONTROLLER_KEY = 'ingress-controller-key',
  RKE1 = 'rke1',
  VM_MULTIPLE_DISKS = 'vm-multiple-disks',
  VM_EFI = 'vm-efi',
  VM_VGPU = 'vm-vgpu',
  VM_CPU_PINNING = 'vm-cpu-pinning',
  VM_TPM = 'vm-tpm',
  VM_RESERVED_MEMORY = 'vm-reserved-memory',
  VM_CPU_MODEL = 'vm-cpu-model',
  VM_GUEST_LABELS = 'vm-guest-labels',
  VM_NODE_AFFINITY = 'vm-node-affinity',
  VM_WORKLOAD_AFFINITY = 'vm-workload-affinity',

  // the node driver
  DRIVER_MULTIPLE_DISKS = 'driver-multiple-disks',
  DRIVER_EFI = 'driver-efi',
  DRIVER_CPU_PINNING = 'driver-cpu-pinning',
  DRIVER_TPM = 'driver-tpm',
  DRIVER_GUEST_LABELS = 'driver-guest-labels',
  DRIVER_RESERVED_MEMORY = 'driver-reserved-memory',
  DRIVER_CPU_MODEL = 'driver-cpu-model',

  // Harvester, its settings aside
  REGISTRATION_URL_JSON = 'registration-url-json',
  REGISTRATION_RESPONSE_CAP = 'registration-response-cap',
  CLOUD_INIT_RESOURCE = 'cloud-init-resource',
  IMAGE_CLASS_BY_UID = 'image-class-by-uid',
  IMAGE_NAME_IS_LABEL = 'image-name-is-label',
  OVERCOMMIT_LOWER_DEFAULTS = 'overcommit-lower-defaults',
  FORCE_RESET_FAST_DEFAULT = 'force-reset-fast-default',
  NO_PROXY_MUST_COVER_NODES = 'no-proxy-must-cover-nodes',
  CPU_MANAGER = 'cpu-manager',
  NODE_AFFINITY = 'node-affinity',
  WORKLOAD_AFFINITY = 'workload-affinity',
  RKE1_GUESTS = 'rke1-guests',
  CLOUD_PROVIDER_V0_2 = 'cloud-provider-v0-2',
  CSI_CLUSTER_ROLE = 'csi-cluster-role',
  CSI_VOLUMES_RWX = 'csi-volumes-rwx',
  CSI_ONLINE_RESIZE = 'csi-online-resize',
  CSI_SNAPSHOTS = 'csi-snapshots',
  CSI_BACKUPS = 'csi-backups',
  CSI_MACHINE_PATCH = 'csi-machine-patch',
  IMAGE_BACKEND_CDI = 'image-backend-cdi',
  IMAGE_CRYPTO = 'image-crypto',
  IMAGE_DISPLAY_NAME_LABEL = 'image-display-name-label',
  VOLUME_SHARED = 'volume-shared',
  VOLUME_CLASS_FIXED = 'volume-class-fixed',
  ADDON_DELETION_REFUSED = 'addon-deletion-refused',
  VCLUSTER_GLOBAL_HOSTNAME = 'vcluster-global-hostname',
  STORAGE_ACCESS_MODES_ASKED = 'storage-access-modes-asked',
  VLAN_CONFIG_LABEL_CHECKED = 'vlan-config-label-checked',
  CLUSTER_NETWORK_MUST_EXIST = 'cluster-network-must-exist',
  NETWORK_TRUNK = 'network-trunk',
  NETWORK_OVERLAY = 'network-overlay',
  OVERLAY_BINDING_BY_SUBNET = 'overlay-binding-by-subnet',
  HOST_NETWORK_CONFIG = 'host-network-config',
  STORAGE_VLAN_EXCLUSIVE = 'storage-vlan-exclusive',
  LOAD_BALANCER_NETWORK = 'load-balancer-network',
  LOAD_BALANCER_CLEANUP = 'load-balancer-cleanup',
  LOAD_BALANCER_LOOSE_POOLS = 'load-balancer-loose-pools',
  LOAD_BALANCER_IPAM_FIXED = 'load-balancer-ipam-fixed',

  // Kubernetes: what an RKE2 release contains
  RKE2_BUNDLED_CHARTS = 'rke2-bundled-charts',
  RKE2_TOPOLOGY_LABELS = 'rke2-topology-labels',
  RKE2_CLOUD_PROVIDER_V0_2 = 'rke2-cloud-provider-v0-2',
  RKE2_CLOUD_CONFIG_PATH = 'rke2-cloud-config-path',
  RKE2_CLOUD_PROVIDER_DUAL_STACK = 'rke2-cloud-provider-dual-stack',
  RKE2_LOCAL_TRAFFIC_POLICY = 'rke2-local-traffic-policy',
  RKE2_LOAD_BALANCER_NETWORK = 'rke2-load-balancer-network',
  RKE2_CSI_HOST_STORAGE_CLASS = 'rke2-csi-host-storage-class',
  RKE2_CSI_ONLINE_RESIZE = 'rke2-csi-online-resize',
  RKE2_CSI_SNAPSHOTS = 'rke2-csi-snapshots',
  RKE2_CSI_BACKUPS = 'rke2-csi-backups',
  RKE2_IMAGE_DIRECTORY_WATCHED = 'rke2-image-directory-watched',
}

/** A feature gate as data. Not exported by the folder. */
export interface GateRow {
  readonly id: GateId | string;
  readonly product: Product;
  /** First versions, one for each minor line; empty: always. */
  readonly since: readonly string[];
  /** First versions that lack it again. */
  readonly until?: readonly string[];
  /** What it is, as the subject of a sentence. */
  readonly what: string;
  readonly source: string;
  /** Only for what was inferred rather than read or seen. */
  readonly confirmed?: false;
  /** What to do with a version that lacks it. */
  readonly hint?: string;
}
