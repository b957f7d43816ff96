/** What a fresh Harvester has of a Setting, and what its controller does about a value. */
export interface SettingBehavior {
  readonly name: string;
  readonly default?: string;
  /** Carried out once at the start, before anyone gave a value. */
  readonly atStart?: boolean;
  /** A syncer carries the value out. Settings without one never get a status. */
  readonly synced?: boolean;
  /** The syncer fails, since the recorded server lacked an object. */
  readonly fails?: string;
  /** An empty value is removed each time, also where it is carried out already. */
  readonly dropsEmpty?: boolean;
  /** An empty value is answered with this. */
  readonly emptyFails?: string;
}

/** What Harvester 1.8 does otherwise, or the recorded server lacked. */
const FROM_1_8: { readonly [name: string]: Partial<SettingBehavior> } = {
  'additional-guest-memory-overhead-ratio': { dropsEmpty: true },
  'log-level': { dropsEmpty: true },
  'kubeconfig-default-token-ttl-minutes': {
    fails:
      'error fetching setting kubeconfig-default-token-ttl-minutes: settings.management.cattle.io "kubeconfig-default-token-ttl-minutes" not found',
  },
  'longhorn-v2-data-engine-enabled': { fails: 'settings.longhorn.io "v2-data-engine" not found' },
  'overcommit-config': {
    default: '{"cpu":1000,"memory":150,"storage":100}',
    fails: 'settings.longhorn.io "storage-over-provisioning-percentage" not found',
  },
  'ssl-parameters': { fails: 'helmchartconfigs.helm.cattle.io "rke2-ingress-nginx" not found' },
};

/** The Settings of a version, e.g. `1.8.2`. */
export function settingsOf(version: string): readonly SettingBehavior[] {
  const [, minor] = version.split('.').map(Number);
  return minor < 8
    ? SETTINGS
    : SETTINGS.map((setting) => ({ ...setting, ...FROM_1_8[setting.name] }));
}

/** The Settings of 1.7.2, as harvester-settings-set.json and harvester-settings-reset.json show them. */
export const SETTINGS: readonly SettingBehavior[] = [
  { name: 'additional-ca', synced: true, fails: 'deployments.apps "harvester" not found' },
  { name: 'additional-guest-memory-overhead-ratio', default: '1.5', atStart: true, synced: true },
  {
    name: 'auto-disk-provision-paths',
    synced: true,
    fails: 'managedcharts.management.cattle.io "harvester" not found',
  },
  {
    name: 'auto-rotate-rke2-certs',
    default: '{"enable":false,"expiringInHours":240}',
    synced: true,
    emptyFails: 'unexpected end of JSON input',
  },
  {
    name: 'containerd-registry',
    synced: true,
    fails: 'clusters.provisioning.cattle.io "local" not found',
  },
  {
    name: 'csi-driver-config',
    default:
      '{"driver.longhorn.io":{"volumeSnapshotClassName":"longhorn-snapshot","backupVolumeSnapshotClassName":"longhorn"}}',
  },
  { name: 'csi-online-expand-validation', default: '{"driver.longhorn.io":true}' },
  { name: 'default-storage-class', default: 'longhorn' },
  { name: 'default-vm-termination-grace-period-seconds', default: '120' },
  {
    name: 'http-proxy',
    default: '{}',
    synced: true,
    fails: 'clusters.provisioning.cattle.io "local" not found',
  },
  { name: 'kubeconfig-default-token-ttl-minutes', default: '0', atStart: true, synced: true },
  {
    name: 'kubevirt-migration',
    default:
      '{"parallelOutboundMigrationsPerNode":2,"parallelMigrationsPerCluster":5,"allowAutoConverge":false,"bandwidthPerMigration":0,"completionTimeoutPerGiB":150,"progressTimeout":150,"unsafeMigrationOverride":false,"allowPostCopy":false,"allowWorkloadDisruption":false,"disableTLS":false,"matchSELinuxLevelOnMigration":false}',
    synced: true,
  },
  { name: 'log-level', default: 'info', synced: true },
  { name: 'longhorn-v2-data-engine-enabled', default: 'false', synced: true },
  { name: 'max-hotplug-ratio', default: '4', synced: true },
  { name: 'ntp-servers', synced: true },
  {
    name: 'overcommit-config',
    default: '{"cpu":1600,"memory":150,"storage":200}',
    atStart: true,
    synced: true,
  },
  { name: 'rancher-cluster', default: '{}' },
  { name: 'release-download-url', default: 'https://releases.rancher.com/harvester' },
  { name: 'ssl-parameters', default: '{}', synced: true },
  { name: 'support-bundle-expiration', default: '30' },
  { name: 'support-bundle-image', default: '{}' },
  { name: 'support-bundle-namespaces' },
  { name: 'support-bundle-node-collection-timeout', default: '30' },
  { name: 'support-bundle-timeout', default: '50' },
  { name: 'ui-source', default: 'auto' },
  {
    name: 'upgrade-config',
    default:
      '{"imagePreloadOption":{"strategy":{"type":"sequential"}},"nodeUpgradeOption":{"strategy":{"mode":"auto"}},"restoreVM": false, "logReadyTimeout": "5"}',
  },
  { name: 'vip-pools', synced: true, emptyFails: 'unexpected end of JSON input' },
  {
    name: 'vm-force-reset-policy',
    default: '{"enable":true,"period":15,"vmMigrationTimeout":180}',
  },
  { name: 'volume-snapshot-class', default: 'longhorn' },
  // test/recordings: seen, registration
  { name: 'cluster-registration-url', synced: true },
];
