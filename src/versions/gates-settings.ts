import { GateRow } from './gate-row';
import { Product } from './product';
import { settingGateId } from './setting-gate-id';

// Inferred, not read at a release tag: upgrade-config stands in a snapshot of the v1.4 branch and in none of 1.2.
const INFERRED = new Set(['upgrade-config']);

const SOURCE = 'harvester/harvester pkg/settings/settings.go at the release tags v1.1.3 to v1.8.2';

// One line for each first version; those of the first line were there in 1.1.3, the earliest release that was read.
const FIRST_VERSIONS: readonly (readonly [string, string])[] = [
  ['', `additional-ca api-ui-version auto-disk-provision-paths backup-target cluster-registration-url containerd-registry
    default-storage-class harvester-csi-ccm-versions http-proxy log-level overcommit-config release-download-url server-version
    ssl-certificates ssl-parameters storage-network support-bundle-image ui-index ui-path ui-plugin-index
    ui-source upgradable-versions upgrade-checker-enabled upgrade-checker-url vip-pools vm-force-reset-policy
    volume-snapshot-class`],
  ['1.2.0', 'csi-driver-config default-vm-termination-grace-period-seconds ntp-servers support-bundle-namespaces support-bundle-timeout'],
  ['1.3.0', 'auto-rotate-rke2-certs support-bundle-expiration'],
  ['1.3.1', 'kubeconfig-default-token-ttl-minutes support-bundle-node-collection-timeout'],
  ['1.4.0', 'additional-guest-memory-overhead-ratio longhorn-v2-data-engine-enabled upgrade-config'],
  ['1.6.0', 'csi-online-expand-validation max-hotplug-ratio rancher-cluster vm-migration-network'],
  ['1.7.0', 'kubevirt-migration'],
  ['1.8.0', 'cluster-pod-security-standard instance-manager-resources rwx-network support-bundle-file-name'],
  ['1.9.0', 'longhorn-v2-data-engine-hugepage-enabled longhorn-v2-data-engine-memory-size traefik-default-tls-options'],
];

/** The settings of Harvester, one gate each, with the id `setting-<name>`. Not exported by the folder. */
export const SETTING_GATES: readonly GateRow[] = FIRST_VERSIONS.flatMap(([since, names]) => names.split(/\s+/).map((name) => ({
  id: settingGateId(name),
  product: Product.HARVESTER,
  since: since ? [since] : [],
  what: `the setting ${name}`,
  source: since === '1.9.0' ? 'harvester/harvester master (3d63c2af1), before the release of 1.9.0' : SOURCE,
  ...(since === '1.9.0' || INFERRED.has(name) ? { confirmed: false as const } : {}),
  hint: 'Harvester accepts unknown settings in silence and does nothing with them',
})));

