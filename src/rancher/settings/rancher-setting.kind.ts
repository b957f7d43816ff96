import { KindDescription } from '../../core/kind/kind';
import { GROUPS } from '../../core/manifest/names';

/** The setting with Rancher's version, which Rancher writes. @see rancher/rancher:pkg/settings/setting.go ServerVersion */
export const RANCHER_SERVER_VERSION = 'server-version';

/**
 * Settings of Rancher without a check: it accepts any text, or users are not meant to set them.
 * @see rancher/rancher:pkg/settings/setting.go of 2.6 to 2.8, and names that later versions add
 */
export const UNCHECKED_SETTINGS: readonly string[] = [
  'agent-rollout-timeout', 'agent-rollout-wait', 'aks-operator-version', 'aks-refresh', 'ali-operator-version', 'api-ui-version', 'auth-image',
  'authorization-cache-ttl-seconds', 'authorization-deny-cache-ttl-seconds', 'azure-group-cache-size', 'base-registry', 'chart-default-branch',
  'chart-default-url', 'charts-image', 'cli-url-darwin', 'cli-url-linux', 'cli-url-windows', 'cluster-agent-default-affinity',
  'cluster-controller-start-count', 'cluster-template-enforcement', 'config-map-name', 'csi-proxy-agent-url', 'csi-proxy-agent-version',
  'csp-adapter-min-version', 'eks-operator-version', 'eks-refresh', 'eks-refresh-cron', 'engine-install-url', 'engine-iso-url',
  'engine-newest-version', 'engine-supported-range', 'eula-agreed', 'first-login', 'fleet-agent-default-affinity', 'fleet-min-version',
  'fleet-version', 'github-proxy-api-url', 'gke-operator-version', 'gke-refresh', 'global-registry-enabled', 'helm-max-history', 'helm-version',
  'ignore-node-name', 'ingress-ip-domain', 'initial-docker-root-dir', 'install-uuid', 'internal-cacerts', 'internal-server-url', 'is-rke',
  'jailer-timeout', 'k3s-based-upgrader-uninstall-concurrency', 'k3s-default-version', 'k8s-version', 'k8s-version-to-images',
  'k8s-version-to-service-options', 'k8s-versions-current', 'k8s-versions-deprecated', 'kdm-branch', 'kubeconfig-default-ttl-minutes',
  'kubeconfig-token-ttl-minutes', 'machine-provision-image', 'machine-provision-image-pull-policy', 'machine-version', 'namespace',
  'no-default-admin', 'partner-chart-default-branch', 'partner-chart-default-url', 'peer-service', 'rancher-provisioning-capi-version',
  'rancher-turtles-version', 'rancher-webhook-min-version', 'rancher-webhook-version', 'rdns-base-url', 'remotedialer-proxy-version',
  'restricted-default-admin', 'rke-metadata-config', 'rke-version', 'rke2-chart-default-branch', 'rke2-chart-default-url', 'rke2-default-version',
  'rotate-certs-if-expiring-in-days', 'server-image', 'server-version', 'server-version-type', 'shell-image', 'skip-hosted-cluster-chart-installation',
  'sql-cache-gc-interval', 'sql-cache-gc-keep-count', 'system-agent-install-script', 'system-agent-installer-image', 'system-agent-upgrade-image',
  'system-agent-version', 'system-catalog', 'system-default-registry-pull-secrets', 'system-feature-chart-refresh-seconds',
  'system-managed-charts-operation-timeout', 'system-namespaces', 'system-upgrade-controller-chart-version', 'telemetry-opt', 'tls-ciphers',
  'tls-min-version', 'ui-banners', 'ui-brand', 'ui-community-links', 'ui-custom-links', 'ui-dashboard-harvester-legacy-plugin',
  'ui-dashboard-index', 'ui-dashboard-path', 'ui-default-landing', 'ui-favicon', 'ui-feedback-form', 'ui-index', 'ui-issues',
  'ui-k8s-default-version-range', 'ui-k8s-supported-versions-range', 'ui-offline-preferred', 'ui-path', 'ui-performance', 'ui-pl', 'ui-preferred',
  'whitelist-domain', 'whitelist-envvars', 'wins-agent-install-script', 'wins-agent-upgrade-image', 'wins-agent-version',
];

/** Annotation on a Rancher Setting: allows agent-tls-mode to become strict unchecked. @see rancher/webhook:pkg/resources/management.cattle.io/v3/setting/validator.go */
export const ANNOTATION_FORCE = 'cattle.io/force';

const CONFIGURATION = { group: GROUPS.MANAGEMENT, version: 'v3', scope: 'Cluster', rank: 12, createdByRancher: true } as const;

/** Rancher's Setting and Feature, which the Rancher that a Harvester embeds and Rancher's agents on guests serve, too. */
export const RANCHER_SETTING_DESCRIPTIONS: readonly KindDescription[] = [
  {
    ...CONFIGURATION,
    kind: 'Setting',
    writtenByOthers: ['default', 'customized', 'source', 'metadata.annotations'],
    kept: [{ never: true, says: 'a Setting is Rancher\'s: it is reset, never deleted' }],
  },
  { ...CONFIGURATION, kind: 'Feature', kept: [{ says: 'a Feature is Rancher\'s: set spec.value instead' }] },
];
