import { SETTING_REGISTRATION_URL } from '../../core/manifest/names';

/**
 * The names of Harvester's settings.
 *
 * @see harvester/harvester:pkg/settings/settings.go
 */
export const SETTING = {
  ADDITIONAL_CA: 'additional-ca',
  ADDITIONAL_GUEST_MEMORY_OVERHEAD_RATIO: 'additional-guest-memory-overhead-ratio',
  API_UI_VERSION: 'api-ui-version',
  AUTO_DISK_PROVISION_PATHS: 'auto-disk-provision-paths',
  AUTO_ROTATE_RKE2_CERTS: 'auto-rotate-rke2-certs',
  BACKUP_TARGET: 'backup-target',
  CLUSTER_POD_SECURITY_STANDARD: 'cluster-pod-security-standard',
  CLUSTER_REGISTRATION_URL: SETTING_REGISTRATION_URL,
  CONTAINERD_REGISTRY: 'containerd-registry',
  CSI_DRIVER_CONFIG: 'csi-driver-config',
  CSI_ONLINE_EXPAND_VALIDATION: 'csi-online-expand-validation',
  DEFAULT_STORAGE_CLASS: 'default-storage-class',
  DEFAULT_VM_TERMINATION_GRACE_PERIOD_SECONDS: 'default-vm-termination-grace-period-seconds',
  HARVESTER_CSI_CCM_VERSIONS: 'harvester-csi-ccm-versions',
  HTTP_PROXY: 'http-proxy',
  INSTANCE_MANAGER_RESOURCES: 'instance-manager-resources',
  KUBECONFIG_DEFAULT_TOKEN_TTL_MINUTES: 'kubeconfig-default-token-ttl-minutes',
  KUBEVIRT_MIGRATION: 'kubevirt-migration',
  LOG_LEVEL: 'log-level',
  LONGHORN_V2_DATA_ENGINE_ENABLED: 'longhorn-v2-data-engine-enabled',
  LONGHORN_V2_DATA_ENGINE_HUGEPAGE_ENABLED: 'longhorn-v2-data-engine-hugepage-enabled',
  LONGHORN_V2_DATA_ENGINE_MEMORY_SIZE: 'longhorn-v2-data-engine-memory-size',
  MAX_HOTPLUG_RATIO: 'max-hotplug-ratio',
  NTP_SERVERS: 'ntp-servers',
  OVERCOMMIT_CONFIG: 'overcommit-config',
  RANCHER_CLUSTER: 'rancher-cluster',
  RELEASE_DOWNLOAD_URL: 'release-download-url',
  RWX_NETWORK: 'rwx-network',
  SERVER_VERSION: 'server-version',
  SSL_CERTIFICATES: 'ssl-certificates',
  SSL_PARAMETERS: 'ssl-parameters',
  STORAGE_NETWORK: 'storage-network',
  SUPPORT_BUNDLE_EXPIRATION: 'support-bundle-expiration',
  SUPPORT_BUNDLE_FILE_NAME: 'support-bundle-file-name',
  SUPPORT_BUNDLE_IMAGE: 'support-bundle-image',
  SUPPORT_BUNDLE_NAMESPACES: 'support-bundle-namespaces',
  SUPPORT_BUNDLE_NODE_COLLECTION_TIMEOUT: 'support-bundle-node-collection-timeout',
  SUPPORT_BUNDLE_TIMEOUT: 'support-bundle-timeout',
  TRAEFIK_DEFAULT_TLS_OPTIONS: 'traefik-default-tls-options',
  UI_INDEX: 'ui-index',
  UI_PATH: 'ui-path',
  UI_PLUGIN_INDEX: 'ui-plugin-index',
  UI_SOURCE: 'ui-source',
  UPGRADABLE_VERSIONS: 'upgradable-versions',
  UPGRADE_CHECKER_ENABLED: 'upgrade-checker-enabled',
  UPGRADE_CHECKER_URL: 'upgrade-checker-url',
  UPGRADE_CONFIG: 'upgrade-config',
  VIP_POOLS: 'vip-pools',
  VM_FORCE_RESET_POLICY: 'vm-force-reset-policy',
  VM_MIGRATION_NETWORK: 'vm-migration-network',
  VOLUME_SNAPSHOT_CLASS: 'volume-snapshot-class',
} as const;

/** The settings that hold a network. */
export const NETWORK_SETTINGS: readonly string[] = [SETTING.STORAGE_NETWORK, SETTING.VM_MIGRATION_NETWORK, SETTING.RWX_NETWORK];

/** Annotation on a Harvester Setting: the digest of the value that was acted on last. @see harvester/harvester:pkg/controller/master/setting/handler.go */
export const ANNOTATION_SETTING_HASH = 'harvesterhci.io/hash';
