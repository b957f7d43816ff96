import { KubernetesDistribution } from './kubernetes-version';
import { GateId, GateRow } from '../../core/version/feature-gate';
import { KUBERNETES_PRODUCT } from '../version/guest-gates.data';

/** Features that depend on the charts that a release of RKE2 bundles. */
export enum Rke2Gate {
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
}

/**
 * The keys of machineGlobalConfig and machineSelectorConfig that Rancher passes on to a node; it drops all others silently.
 *
 * Read for v1.31.1. Later releases may know more keys (unconfirmed), so an unknown key is only a warning.
 *
 * @see rancher/rancher:pkg/capr/planner/filter.go filterField
 * @see rancher/kontainer-driver-metadata:data/data.json (dev-v2.10) serverArgs and agentArgs
 */
interface PlannerKeys {
  /** Keys for control plane and etcd nodes. */
  readonly server: readonly string[];
  /** Keys for all nodes. */
  readonly agent: readonly string[];
}

const DATASTORE = ['datastore-cafile', 'datastore-certfile', 'datastore-endpoint', 'datastore-keyfile'];

const SERVER_OF_BOTH = [
  'cluster-cidr', 'cluster-dns', 'cluster-domain', ...DATASTORE, 'disable', 'disable-cloud-controller', 'disable-kube-proxy', 'disable-scheduler',
  'egress-selector-mode', 'embedded-registry', 'etcd-arg', 'etcd-expose-metrics', 'kube-apiserver-arg', 'kube-cloud-controller-manager-arg',
  'kube-controller-manager-arg', 'kube-scheduler-arg', 'service-cidr', 'service-node-port-range', 'supervisor-metrics', 'tls-san',
  'tls-san-security', 'write-kubeconfig-group',
];

const AGENT_OF_BOTH = [
  'bind-address', 'debug', 'default-runtime', 'disable-default-registry-endpoint', 'enable-pprof', 'kube-proxy-arg', 'kubelet-arg',
  'protect-kernel-defaults', 'resolv-conf', 'selinux', 'system-default-registry',
];

const EXTRA_OF_RKE2 = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-proxy', 'kube-scheduler', 'cloud-controller-manager']
  .flatMap((component) => [`${component}-extra-env`, `${component}-extra-mount`]);

/** The keys by distribution, as the end of a Kubernetes version names it. */
const PLANNER_KEYS = knownKeys({
  rke2: {
    server: [
      ...SERVER_OF_BOTH, 'audit-policy-file', 'cni', 'container-runtime-endpoint', 'etcd-image', 'kube-apiserver-image', 'kube-controller-manager-image',
      'kube-proxy-arg', 'kube-scheduler-image', 'kubelet-path', 'pause-image', 'runtime-image', 'snapshotter',
      // the dashboard of Rancher 2.14 writes it; that its releases pass it on is unconfirmed
      'ingress-controller',
    ],
    agent: [
      ...AGENT_OF_BOTH, ...EXTRA_OF_RKE2, 'audit-policy-file', 'cloud-provider-config', 'cloud-provider-name', 'control-plane-resource-limits',
      'control-plane-resource-requests', 'profile',
    ],
  },
  k3s: {
    server: [
      ...SERVER_OF_BOTH, 'default-local-storage-path', 'disable-apiserver', 'disable-controller-manager', 'disable-etcd', 'disable-network-policy',
      'flannel-backend', 'helm-job-image', 'kine-tls', 'secrets-encryption',
    ],
    agent: [
      ...AGENT_OF_BOTH, 'disable-apiserver-lb', 'docker', 'flannel-conf', 'flannel-iface', 'pause-image', 'snapshotter', 'vpn-auth', 'vpn-auth-file',
    ],
  },
});

function knownKeys(lists: { readonly [distribution: string]: PlannerKeys }): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(Object.entries(lists).map(([distribution, { server, agent }]) => [distribution, new Set([...server, ...agent])]));
}

/** Keys that name the cloud provider of RKE2; K3s uses a HelmChart instead. */
export const CLOUD_PROVIDER_NAME = 'cloud-provider-name';
export const CLOUD_PROVIDER_CONFIG = 'cloud-provider-config';

/** The names of the distributions. */
export const DISTRIBUTION_NAMES: { readonly [distribution: string]: string } = { rke2: 'RKE2', k3s: 'K3s' };

/** The distribution at the end of a Kubernetes version; undefined for other texts. @see rancher/rancher:pkg/capr/common.go GetRuntime */
export function distributionOf(kubernetesVersion: unknown): 'rke2' | 'k3s' | undefined {
  if (typeof kubernetesVersion !== 'string') { return undefined; }
  if (kubernetesVersion.includes('+rke2')) {
return 'rke2';
}
if (kubernetesVersion.includes('+k3s')) {
return 'k3s';
}
return undefined;
}

/** The distribution that knows a key which another does not. */
export function keyBelongsTo(key: string): string | undefined {
  return [...PLANNER_KEYS.keys()].find((distribution) => isPlannerKey(distribution, key));
}

/** Whether Rancher passes a key on to nodes of a distribution. */
export function isPlannerKey(distribution: string, key: string): boolean {
  return PLANNER_KEYS.get(distribution)?.has(key) === true;
}

/** Whether Rancher passes on a value: a string, a boolean or a list. It drops numbers, maps and null silently. */
export function isPlannerValue(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || Array.isArray(value);
}

const CHARTS = 'rancher/rke2 charts/chart_versions.yaml at its tags';

function rke2(id: GateId, versions: string[], what: string, source = CHARTS): GateRow {
  return { id, product: KUBERNETES_PRODUCT, since: versions.map((v) => v.replace('-r', '+rke2r')), what, source };
}

/**
 * Features of the charts that a release of RKE2 bundles. A test compares these rows with the table of bundled charts.
 * `1.33.6-r1` means v1.33.6+rke2r1.
 */
export const KUBERNETES_GATES: readonly GateRow[] = [
  rke2(Rke2Gate.RKE2_BUNDLED_CHARTS, ['1.21.5-r1', '1.22.3-r1'], 'a bundled Harvester cloud provider and CSI driver'),
  rke2(Rke2Gate.RKE2_TOPOLOGY_LABELS, ['1.22.12-r1', '1.23.9-r1', '1.24.3-r1'], 'the zone and region of the Harvester node on nodes of the guest cluster',
    'harvester/docs rancher/node/node-driver.md'),
  rke2(Rke2Gate.RKE2_CLOUD_PROVIDER_V0_2, ['1.24.15-r1', '1.25.11-r1', '1.26.6-r1', '1.27.3-r1', '1.28.1-r1'],
    'a bundled cloud provider of 0.2, which needs Harvester 1.2.0'),
  rke2(Rke2Gate.RKE2_CLOUD_CONFIG_PATH, ['1.30.13-r1', '1.31.9-r1', '1.32.5-r1', '1.33.1-r1', '1.34.1-r1'],
    'a bundled cloud provider that looks for its configuration below /var/lib/rancher/rke2/etc/config-files'),
  rke2(Rke2Gate.RKE2_CLOUD_PROVIDER_DUAL_STACK, ['1.33.13-r2', '1.34.10-r1', '1.35.7-r1', '1.36.3-r1'],
    'a bundled cloud provider with dual-stack load balancers (0.2.12)'),
  rke2(Rke2Gate.RKE2_LOCAL_TRAFFIC_POLICY, ['1.33.13-r2', '1.34.10-r1', '1.35.7-r1', '1.36.3-r1'],
    'a bundled cloud provider whose kube-vip can keep to nodes with endpoints (0.2.12)'),
  rke2(Rke2Gate.RKE2_LOAD_BALANCER_NETWORK, ['1.33.13-r2', '1.34.10-r1', '1.35.7-r1', '1.36.3-r1'],
    'a bundled cloud provider with a network of its own for a load balancer (0.2.14)'),
  rke2(Rke2Gate.RKE2_CSI_HOST_STORAGE_CLASS, ['1.28.15-r1', '1.29.10-r1', '1.30.6-r1', '1.31.1-r2', '1.32.0-r1'],
    'a bundled CSI driver with hostStorageClass and ReadWriteMany volumes (0.1.20)'),
  rke2(Rke2Gate.RKE2_CSI_ONLINE_RESIZE, ['1.30.14-r2', '1.31.11-r1', '1.32.7-r1', '1.33.3-r1', '1.34.1-r1'],
    'a bundled CSI driver with online resizing (0.1.24)'),
  rke2(Rke2Gate.RKE2_CSI_SNAPSHOTS, ['1.31.14-r1', '1.32.10-r1', '1.33.6-r1', '1.34.2-r1', '1.35.0-r1'],
    'a bundled CSI driver with volume snapshots (0.1.25)'),
  rke2(Rke2Gate.RKE2_CSI_BACKUPS, ['1.33.11-r1', '1.34.7-r1', '1.35.4-r1', '1.36.0-r1'],
    'a bundled CSI driver with volume backups (0.1.28)'),
];

/**
 * The charts of the Harvester cloud provider and CSI driver that RKE2 releases bundle: for each minor line the release
 * of each change, the release of RKE2, the chart of the cloud provider, the chart of the CSI driver.
 * `5-1 1.200 1.300` in `1.21` means v1.21.5+rke2r1 with cloud provider 0.1.200 and CSI driver 0.1.300.
 * Not exported by the folder.
 *
 * @see https://github.com/rancher/rke2/blob/master/charts/chart_versions.yaml
 */
export const RKE2_CHARTS: Record<string, string> = {
  '1.21': '5-1 1.200 1.300, 7-1 1.300 1.400, 8-1 1.800 1.900, 10-2 1.1000 1.1000, 12-1 1.1100 1.1100',
  '1.22': '3-1 1.200 1.300, 4-1 1.300 1.400, 5-1 1.800 1.900, 7-2 1.1000 1.1000, 9-1 1.1100 1.1100, 12-1 1.1300 1.1100',
  '1.23': '1-1 1.800 1.900, 4-2 1.1000 1.1000, 6-1 1.1100 1.1100, 9-1 1.1300 1.1100, 16-1 1.1400 1.1500',
  '1.24': '1-1 1.1100 1.1100, 3-1 1.1300 1.1100, 10-1 1.1400 1.1500, 12-1 1.1400 1.1600, 15-1 2.200 1.1600',
  '1.25': '0-1 1.1300 1.1100, 6-1 1.1400 1.1500, 8-1 1.1400 1.1600, 11-1 2.200 1.1600',
  '1.26': '0-1 1.1300 1.1100, 1-1 1.1400 1.1500, 3-1 1.1400 1.1600, 6-1 2.200 1.1600, 14-1 2.200 1.1700',
  '1.27': '1-1 1.1400 1.1600, 3-1 2.200 1.1600, 11-1 2.200 1.1700, 13-1 2.300 1.1700, 15-1 2.400 1.1700, 16-2 2.400 1.1800',
  '1.28': '1-1 2.200 1.1600, 7-1 2.200 1.1700, 9-1 2.300 1.1700, 11-1 2.400 1.1700, 13-1 2.400 1.1800, 14-1 2.600 1.1800, '
    + '15-1 2.600 1.2000',
  '1.29': '0-1 2.200 1.1600, 2-1 2.200 1.1700, 4-1 2.300 1.1700, 6-1 2.400 1.1700, 8-1 2.400 1.1800, 9-1 2.600 1.1800, '
    + '10-1 2.600 1.2000, 12-1 2.600 1.2100, 13-1 2.900 1.2200, 14-1 2.900 1.2300',
  '1.30': '0-1 2.300 1.1700, 2-1 2.400 1.1700, 4-1 2.400 1.1800, 5-1 2.600 1.1800, 6-1 2.600 1.2000, 8-1 2.600 1.2100, '
    + '9-1 2.900 1.2200, 10-1 2.900 1.2300, 13-1 2.1000 1.2300, 14-2 2.1000 1.2400',
  '1.31': '0-1 2.600 1.1800, 1-2 2.600 1.2000, 4-1 2.600 1.2100, 5-1 2.900 1.2200, 6-1 2.900 1.2300, 9-1 2.1000 1.2300, '
    + '11-1 2.1000 1.2400, 14-1 2.1100 1.2500',
  '1.32': '0-1 2.600 1.2100, 1-1 2.900 1.2200, 2-1 2.900 1.2300, 5-1 2.1000 1.2300, 7-1 2.1000 1.2400, 10-1 2.1100 1.2500',
  '1.33': '0-1 2.900 1.2300, 1-1 2.1000 1.2300, 3-1 2.1000 1.2400, 6-1 2.1100 1.2500, 11-1 2.1100 1.2800, 13-2 2.1400 1.3000',
  '1.34': '1-1 2.1000 1.2400, 2-1 2.1100 1.2500, 7-1 2.1100 1.2800, 10-1 2.1400 1.3000',
  '1.35': '0-1 2.1100 1.2500, 4-1 2.1100 1.2800, 7-1 2.1400 1.3000',
  '1.36': '0-1 2.1100 1.2800, 3-1 2.1400 1.3000',
};

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

/**
 * The Kubernetes minor lines that Rancher provisions, from the first Rancher of each row up to the next row.
 *
 * Read in Rancher's release metadata (minChannelServerVersion and maxChannelServerVersion of all releases) to 2.10, and in the issues by which
 * Rancher drops a minor line from then on: rancher/rancher#45882, #47591, #48628, #49679, #51253, #53764, #55306.
 *
 * @see rancher/kontainer-driver-metadata:channels-rke2.yaml, channels.yaml, branches release-v2.7 to dev-v2.10
 */
export const KUBERNETES_OF_RANCHER: readonly (readonly [rancher: string, first: number, last: number])[] = [
  ['2.8.0', 25, 27], ['2.8.3', 25, 28], ['2.9.0', 27, 30], ['2.10.0', 28, 31], ['2.11.0', 30, 32], ['2.12.0', 31, 33], ['2.13.0', 32, 34],
  ['2.14.0', 33, 35], ['2.15.0', 34, 36],
];

/** The releases of a distribution on one day. */
interface Releases {
  /** The day or month in which they were read: later releases are unknown. */
  readonly readOn: string;
  readonly source: string;
  /** By minor line, all patch versions: `7-3` is v1.33.7+rke2r1 to r3, `8` is v1.33.8+rke2r1. Gaps are versions that were never released. */
  readonly lines: { readonly [minor: string]: string };
}

/** The releases of both distributions that Rancher can install: each needs an image rancher/system-agent-installer-<distribution>. */
export const KUBERNETES_RELEASES: Record<KubernetesDistribution, Releases> = {
  [KubernetesDistribution.RKE2]: {
    readOn: '2026-08-21',
    source: 'tags of rancher/rke2 and rancher/system-agent-installer-rke2',
    lines: {
      '1.24': '1-2 2 3 4 6 7 8 9-2 10 11 12 13 14 15 16 17',
      '1.25': '0 2 3 4 5-2 6 7 8 9 10 11 12 13 14 15-2 16-2',
      '1.26': '0-2 1 2 3 4 5 6 7 8 9 10-2 11 12 13 14 15',
      '1.27': '1 2 3 4 5 6 7-2 8 9 10 11 12 13 14 15 16-2',
      '1.28': '1 2 3-2 4 5 6 7 8 9 10 11 12 13 14 15',
      '1.29': '0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15',
      '1.30': '0 1 2 3 4 5 6 7 8 9 10 11 12 13 14-4',
      '1.31': '0 1-2 2 3 4 5 6 7 8 9 10 11 12 13 14-2',
      '1.32': '0 1 2 3 4 5 6 7 8 9 10 11-3 12 13-2',
      '1.33': '0 1 2 3 4 5 6 7-3 8 9 10-3 11 12-2 13-2',
      '1.34': '1 2 3-3 4 5 6-3 7 8-2 9 10',
      '1.35': '0-3 1 2 3-3 4 5-2 6 7',
      '1.36': '0 1-2 2 3',
    },
  },
  [KubernetesDistribution.K3S]: {
    readOn: '2026-05',
    // some first releases of a line have no tag there
    source: 'tags of rancher/system-agent-installer-k3s',
    lines: {
      '1.24': '0 1 2-2 3 4 6 7 8 9-2 10 11 12 13 14 15 16 17',
      '1.25': '0 2 3 4 5-2 6 7 8 9 10 11 12 13 14 15-2 16-4',
      '1.26': '0-2 1 2 3 4 5 6 7 8 9 10-2 11-2 12 13-2 14 15',
      '1.27': '0 1 2 3 4 5 6 7-2 8-2 9 10-2 11 12 13 14 15-2 16',
      '1.28': '0 1 2 3-2 4-2 5 6-2 7 8 9 10 11-2 12 13 14 15',
      '1.29': '0 1-2 2 3 4 5 6-2 7 8 9 10 11 12 13 14 15',
      '1.30': '0 1 2-2 3 4 5 6 7 8 9 10 11 12 13 14-2',
      '1.31': '0 1 2 3 4 5 6 7 8 9 10 11 12 13 14',
      '1.32': '0 1 2 3 4 5 6 7 8 9 10 11-3 12 13',
      '1.33': '0 1 2 3 4 5 6 7-3 8 9 10 11 12',
      '1.34': '0 1 2 3-3 4 5 6 7 8',
      '1.35': '0-3 1 2 3 4 5',
      '1.36': '0 1',
    },
  },
};
