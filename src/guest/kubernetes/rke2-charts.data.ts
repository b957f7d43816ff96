/**
 * The charts that RKE2 installs, with the first minor line that has one in some release; read to 1.36.
 * @see rancher/rke2:charts/chart_versions.yaml at its release tags
 */
export const RKE2_BUNDLED_CHARTS: { readonly [chart: string]: string } = {
  'harvester-cloud-provider': '1.21',
  'harvester-csi-driver': '1.21',
  'rancher-vsphere-cpi': '1.21',
  'rancher-vsphere-csi': '1.21',
  'rke2-calico': '1.21',
  'rke2-calico-crd': '1.21',
  'rke2-canal': '1.21',
  'rke2-cilium': '1.21',
  'rke2-coredns': '1.21',
  'rke2-flannel': '1.26',
  'rke2-ingress-nginx': '1.21',
  'rke2-metrics-server': '1.21',
  'rke2-multus': '1.21',
  'rke2-ovirt-csi-driver': '1.36',
  'rke2-runtimeclasses': '1.29',
  'rke2-security-responder': '1.36',
  'rke2-snapshot-controller': '1.25',
  'rke2-snapshot-controller-crd': '1.25',
  'rke2-snapshot-validation-webhook': '1.25',
  'rke2-traefik': '1.30',
  'rke2-traefik-crd': '1.30',
};

/** The first minor line of RKE2 whose charts and profiles were not read. */
export const RKE2_NOT_READ = '1.37.0';

/** The network plugin of each chart that only one plugin uses. */
export const CNI_OF_CHART: { readonly [chart: string]: string } = {
  'rke2-calico': 'calico',
  'rke2-calico-crd': 'calico',
  'rke2-canal': 'canal',
  'rke2-cilium': 'cilium',
  'rke2-flannel': 'flannel',
  'rke2-multus': 'multus',
};

/** The ingress controller of each chart that only one of them uses. */
export const INGRESS_OF_CHART: { readonly [chart: string]: string } = {
  'rke2-ingress-nginx': 'ingress-nginx',
  'rke2-traefik': 'traefik',
  'rke2-traefik-crd': 'traefik',
};

/** The charts that K3s installs; its other components are plain manifests. @see k3s-io/k3s:manifests */
export const K3S_BUNDLED_CHARTS: readonly string[] = ['traefik', 'traefik-crd'];

/**
 * The hardening profiles of RKE2: the first releases that accept each one, by minor line, and the first that refuses it again.
 * @see rancher/rke2:pkg/cli/cmds/profile_linux.go validateProfile, pkg/rke2/rke2.go isCISMode, at the release tags
 */
export const RKE2_PROFILES: { readonly [profile: string]: { readonly since: readonly string[]; readonly until?: string; readonly says?: string } } = {
  'cis-1.5': { since: ['1.18.0'], until: '1.25.0' },
  'cis-1.6': { since: ['1.20.0'], until: '1.25.0' },
  'cis-1.23': { since: ['1.25.0'], until: '1.30.0', says: "cis-1.23 profile is deprecated. Please use 'cis' instead." },
  'cis': { since: ['1.25.15', '1.26.10', '1.27.7', '1.28.2'] },
  'etcd': { since: ['1.30.14', '1.31.10', '1.32.6', '1.33.2'] },
};
