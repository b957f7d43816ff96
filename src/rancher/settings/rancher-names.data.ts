import { VersionedNames, versionsByName } from '../../core/version/versioned-names';

/** Every setting, by the versions of Rancher that have it. @see rancher/rancher:pkg/settings/setting.go at every release tag from 2.6.0 to 2.15.0, and of main at 59bd052e */
const SETTINGS: readonly VersionedNames[] = [
  {
    since: [],
    names: 'agent-image agent-rollout-timeout aks-refresh api-ui-version auth-image auth-token-max-ttl-minutes auth-user-info-max-age-seconds '
      + 'auth-user-info-resync-cron auth-user-session-ttl-minutes authorization-cache-ttl-seconds authorization-deny-cache-ttl-seconds azure-group-cache-size '
      + 'cacerts chart-default-branch cli-url-darwin cli-url-linux cli-url-windows cluster-controller-start-count cluster-template-enforcement eks-refresh '
      // 2.9.1 and later releases of 2.9 lack eks-refresh-cron
      + 'eks-refresh-cron engine-install-url engine-iso-url engine-newest-version engine-supported-range first-login fleet-default-workspace-name fleet-min-version '
      + 'github-proxy-api-url gke-refresh global-registry-enabled helm-max-history helm-version hide-local-cluster ignore-node-name ingress-ip-domain '
      + 'initial-docker-root-dir install-uuid internal-cacerts internal-server-url jailer-timeout k8s-version k8s-version-to-images '
      + 'k8s-version-to-service-options k8s-versions-current k8s-versions-deprecated kdm-branch kubeconfig-generate-token machine-provision-image '
      + 'machine-version namespace no-default-admin partner-chart-default-branch peer-service rke-metadata-config rke2-chart-default-branch '
      + 'rotate-certs-if-expiring-in-days server-image server-url server-version shell-image system-agent-install-script system-agent-installer-image '
      + 'system-agent-upgrade-image system-agent-version system-catalog system-default-registry system-feature-chart-refresh-seconds system-namespaces '
      + 'tls-ciphers tls-min-version ui-banners ui-brand ui-community-links ui-dashboard-index ui-dashboard-path ui-default-landing ui-feedback-form '
      + 'ui-issues ui-k8s-default-version-range ui-k8s-supported-versions-range ui-offline-preferred ui-pl ui-preferred whitelist-domain whitelist-envvars',
  },
  { since: [], until: ['2.6.4', '2.7.0'], names: 'windows-rke2-install-script' },
  { since: [], until: ['2.8.0'], names: 'kubeconfig-token-ttl-minutes rancher-webhook-min-version rdns-base-url' },
  { since: [], until: ['2.11.0'], names: 'restricted-default-admin telemetry-opt' },
  { since: [], until: ['2.12.0'], names: 'agent-rollout-wait rke-version' },
  { since: [], until: ['2.15.0'], names: 'ui-index ui-path' },
  { since: ['2.6.3', '2.7.0'], names: 'password-min-length wins-agent-version' },
  { since: ['2.6.3', '2.7.0'], until: ['2.12.0'], names: 'is-rke' },
  { since: ['2.6.4', '2.7.0'], names: 'csi-proxy-agent-url csi-proxy-agent-version system-upgrade-controller-chart-version wins-agent-install-script' },
  { since: ['2.6.5', '2.7.0'], names: 'k3s-default-version rke2-default-version' },
  { since: ['2.6.7', '2.7.0'], names: 'csp-adapter-min-version kubeconfig-default-token-ttl-minutes ui-favicon ui-performance wins-agent-upgrade-image' },
  { since: ['2.6.9', '2.7.0'], names: 'ui-dashboard-harvester-legacy-plugin' },
  { since: ['2.7.0'], names: 'config-map-name ui-custom-links' },
  { since: ['2.7.5', '2.8.0'], names: 'cluster-agent-default-affinity fleet-agent-default-affinity rancher-webhook-version skip-hosted-cluster-chart-installation' },
  {
    since: ['2.7.14', '2.8.5', '2.9.0'],
    names: 'delete-inactive-user-after disable-inactive-user-after user-last-login-default user-retention-cron user-retention-dry-run',
  },
  { since: ['2.7.16', '2.8.6', '2.9.0'], names: 'agent-tls-mode' },
  { since: ['2.7.16', '2.8.9', '2.9.3', '2.10.0'], names: 'unprivileged-jail-user' },
  { since: ['2.8.0'], names: 'fleet-version machine-provision-image-pull-policy system-managed-charts-operation-timeout' },
  { since: ['2.8.4', '2.9.0'], names: 'eula-agreed' },
  { since: ['2.8.6', '2.9.0'], names: 'chart-default-url partner-chart-default-url rke2-chart-default-url' },
  { since: ['2.8.11', '2.9.0'], names: 'cli-version' },
  {
    since: ['2.9.0'],
    names: 'aks-operator-version api-host auth-password-requirements-description display-add-extension-repos-banner eks-operator-version '
      + 'gke-operator-version has-support max-ui-plugin-file-byte-size ui-banner-dark ui-banner-footer ui-banner-header ui-banner-light '
      + 'ui-banner-login-consent ui-extensions ui-link-color ui-login-background-dark ui-login-background-light ui-logo-dark ui-logo-light '
      + 'ui-primary-color ui-theme',
  },
  { since: ['2.9.0'], until: ['2.14.0'], names: 'rancher-provisioning-capi-version' },
  { since: ['2.9.11', '2.10.9', '2.11.5', '2.12.1', '2.13.0'], names: 'public-api-body-limit' },
  { since: ['2.10.0'], names: 'k3s-based-upgrader-uninstall-concurrency' },
  { since: ['2.10.0'], until: ['2.11.0'], names: 'telemetry-uid' },
  {
    since: ['2.11.0'],
    names: 'auth-user-session-idle-ttl-minutes cluster-agent-default-pod-disruption-budget cluster-agent-default-priority-class '
      + 'imported-cluster-version-management s3-bucket-check-timeout',
  },
  // the first releases misspell it
  { since: ['2.11.0'], until: ['2.11.4', '2.12.0'], names: 'remodialer-proxy-version' },
  { since: ['2.11.4', '2.12.0'], names: 'remotedialer-proxy-version' },
  { since: ['2.12.0'], names: 'sql-cache-gc-interval sql-cache-gc-keep-count system-agent-upgrader-install-concurrency' },
  { since: ['2.12.1', '2.13.0'], names: 'scc-operator-image' },
  {
    since: ['2.13.0'],
    names: 'ali-operator-version alibaba-refresh cluster-autoscaler-chart-repository cluster-autoscaler-image delete-machine-on-failure-after '
      + 'kev2-operators rancher-turtles-version server-version-type skip-helm-index-filtering ui-content-enabled ui-content-endpoint',
  },
  { since: ['2.13.8', '2.14.4', '2.15.0'], names: 'crt-default-grace-period-minutes crt-default-ttl-minutes' },
  {
    since: ['2.14.0'],
    names: 'disable-default-proxy-endpoints expire-scim-tokens-after fleet-agent-default-pod-disruption-budget fleet-agent-default-priority-class',
  },
  {
    since: ['2.15.0'],
    names: 'imported-cluster-day2-ops-enabled rke2-provisioning-prime-default system-agent-installer-token-long-ttl system-agent-installer-token-short-ttl '
      + 'system-agent-installer-token-ttl-enabled system-default-registry-pull-secrets',
  },
  { since: ['2.15.0'], until: ['2.16.0'], names: 'tls-internal-cn-allowed-services' },
  { since: ['2.16.0'], names: 'auth-token-default-ttl-minutes charts-image kubeconfig-max-token-ttl-minutes' },
];

/** Every feature, by the versions of Rancher that have it. @see rancher/rancher:pkg/features/feature.go at the same tags */
const FEATURES: readonly VersionedNames[] = [
  {
    since: [],
    names: 'continuous-delivery fleet istio-virtual-service-ui legacy multi-cluster-management multi-cluster-management-agent provisioningv2 rke2 '
      + 'token-hashing unsupported-storage-drivers',
  },
  { since: [], until: ['2.9.0'], names: 'monitoringv1' },
  { since: [], until: ['2.14.0'], names: 'embedded-cluster-api' },
  { since: [], until: ['2.16.0'], names: 'auth' },
  { since: ['2.6.1', '2.7.0'], names: 'harvester' },
  { since: ['2.6.5', '2.7.0'], until: ['2.15.0'], names: 'rke1-custom-node-cleanup' },
  { since: ['2.7.5', '2.8.0'], names: 'harvester-baremetal-container-workload' },
  { since: ['2.7.14', '2.8.5'], until: ['2.9.0'], names: 'external-rules' },
  { since: ['2.8.0'], names: 'provisioningv2-fleet-workspace-back-population' },
  { since: ['2.8.9', '2.9.3', '2.10.0'], names: 'provisioningprebootstrap' },
  { since: ['2.9.0'], names: 'uiextension' },
  { since: ['2.9.0'], until: ['2.15.0'], names: 'rke1-ui' },
  { since: ['2.9.0'], until: ['2.16.0'], names: 'ui-sql-cache' },
  { since: ['2.9.6', '2.10.2', '2.11.0'], names: 'clean-stale-secrets' },
  { since: ['2.10.0'], names: 'managed-system-upgrade-controller' },
  { since: ['2.11.0'], names: 'aggregated-roletemplates cluster-agent-scheduling-customization v2prov-etcd-snapshot-backpopulate' },
  { since: ['2.11.0'], until: ['2.12.0'], names: 'imperative-api-extension' },
  { since: ['2.12.0'], names: 'oidc-provider rancher-scc-registration-extension' },
  { since: ['2.12.0'], until: ['2.13.0'], names: 'ext-kubeconfigs ext-tokens' },
  { since: ['2.13.0'], names: 'cluster-autoscaling turtles' },
  { since: ['2.13.8', '2.14.4', '2.15.0'], names: 'crt-token-ttl-rotation' },
  { since: ['2.14.0'], names: 'consistent-hashing-cluster-ownership scim v3-public' },
  { since: ['2.15.0'], names: 'cluster-shell hide-local-auth-provider imported-day-2-ops node-shell pod-shell' },
];

/** The settings of Rancher, and the versions that have them. */
export const RANCHER_SETTINGS = versionsByName(SETTINGS);

/** The features of Rancher, and the versions that have them. */
export const RANCHER_FEATURES = versionsByName(FEATURES);
