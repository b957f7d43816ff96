import { isRecord, valueAt, Fields } from '../../core/manifest/manifest';
import { byObject } from '../../core/text/values';
import { versionParser } from '../../core/version/product-version';
import { Semver, compareSemver, parseSemver } from '../../core/version/semver';
import { MachineFacts } from '../cluster/cluster-reader.facts';
import { PROVIDER_CHART } from '../cluster/cluster.kind';

/** A known fault of a chart for guest clusters, and the values that cure it. */
interface ChartFault {
  /** Name of the fault in docs and messages. */
  readonly id: string;
  readonly chart: string;
  /** The first upstream version with the fault, and the first one without. */
  readonly since: string;
  readonly until: string;
  /** What happens. */
  readonly what: string;
  /** The machines of the clusters that are affected. @default - all clusters */
  readonly on?: keyof MachineFacts;
  /** The values that cure it. Those of the user win. */
  readonly cure: Fields;
  /** Paths of values by which a user decides about it. */
  readonly decidedBy: readonly (readonly string[])[];
  /** The version to install instead, where the user names none. */
  readonly instead?: string;
  readonly source: string;
}

const CHARTS = 'rancher/rke2-charts:charts/harvester-cloud-provider';

/** The tolerations of kube-vip from chart 0.2.3 on. */
const CONTROL_PLANE_TOLERATIONS = [
  { effect: 'NoSchedule', key: 'node-role.kubernetes.io/control-plane', operator: 'Exists' },
  { effect: 'NoExecute', key: 'node-role.kubernetes.io/etcd', operator: 'Exists' },
];

/** Known faults of charts for guest clusters. Versions are those of upstream. */
export const CHART_FAULTS: readonly ChartFault[] = [
  {
    id: 'kube-vip-unreachable',
    chart: PROVIDER_CHART,
    since: '0.2.10',
    until: '0.2.11',
    what: 'its kube-vip v0.8.7 does not announce addresses of load balancers reliably, which are then unreachable',
    // the image of chart 0.2.11, whose values of kube-vip are the same
    cure: { 'kube-vip': { image: { tag: 'v0.9.2' } } },
    decidedBy: [['kube-vip', 'image', 'tag'], ['kube-vip', 'enabled']],
    instead: '0.2.11',
    source: 'harvester/docs#909; harvester/harvester#8072',
  },
  {
    id: 'kube-vip-on-dedicated-nodes',
    chart: PROVIDER_CHART,
    since: '0.2.1',
    until: '0.2.3',
    on: 'dedicated',
    what: 'its kube-vip does not run on dedicated control plane nodes that also have the role etcd, and load balancers get no address there',
    cure: { 'kube-vip': { tolerations: CONTROL_PLANE_TOLERATIONS } },
    decidedBy: [['kube-vip', 'tolerations'], ['kube-vip', 'enabled']],
    source: `harvester/harvester#4678; ${CHARTS}/0.2.200, 0.2.300 values.yaml`,
  },
  {
    id: 'one-node-upgrade',
    chart: PROVIDER_CHART,
    since: '0.1.10',
    until: '0.2.6',
    what: 'on one node, its upgrade stalls: the new pod cannot run next to the old one, which it replaces',
    on: 'single',
    // an empty list: Helm merges maps, so an empty map would keep the default. That the pods replace each other is unconfirmed
    cure: { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [] } } },
    decidedBy: [['affinity', 'podAntiAffinity']],
    source: `harvester/harvester#5348; ${CHARTS}/0.1.1000 values.yaml, 0.2.600 templates/deployment.yaml maxUnavailable`,
  },
];

/** The version to use instead of one with a known fault; otherwise the same version. */
export function withoutKnownFault(version: string): string {
  const chart = GuestChartVersion.parse(version);
  return CHART_FAULTS.find((fault) => fault.instead !== undefined && has(chart, fault))?.instead ?? version;
}

/** The known faults of a chart; none if its version is unknown. */
function faultsOf(chart: string, version: GuestChartVersion | undefined, machines: MachineFacts): ChartFault[] {
  return version ? faultsIn(version).filter((fault) => fault.chart === chart && (fault.on === undefined || machines[fault.on] === true)) : [];
}

const faultsIn = byObject((version: GuestChartVersion) => CHART_FAULTS.filter((fault) => has(version, fault)));

/** Whether charts of a version have a known fault on any machines. */
export function hasFaults(version: GuestChartVersion): boolean {
  return faultsIn(version).length > 0;
}

/** The values that cure the known faults of the chart of the cloud provider. */
export function curesOf(version: GuestChartVersion | undefined, machines: MachineFacts): Fields[] {
  return faultsOf(PROVIDER_CHART, version, machines).map(({ cure }) => cure);
}

/** The known faults of a chart that its values neither cure nor decide about. */
export function uncuredFaults(chart: string, version: GuestChartVersion | undefined, values: Fields, machines: MachineFacts): ChartFault[] {
  return faultsOf(chart, version, machines).filter(({ decidedBy }) => !decidedBy.some((path) => decides(valueAt(values, ...path))));
}

function has(version: GuestChartVersion, { since, until }: ChartFault): boolean {
  return version.isAtLeast(since) && !version.isAtLeast(until);
}

// `kube-vip.enabled: true` is the default
function decides(value: unknown): boolean {
  return value !== undefined && value !== null && value !== true && !(isRecord(value) && Object.keys(value).length === 0);
}

/**
 * The chart of the CSI driver whose volumes get stuck on Harvester before 1.4.0; earlier and later charts work with every Harvester.
 * @see https://docs.harvesterhci.io/v1.9/rancher/csi-driver; harvester/docs#670
 */
export const BROKEN_CSI_CHART = '0.1.20';

/** Features of the charts for guest clusters, each with the first upstream version that has it. */
export const CHART_FEATURES = {
  // harvester-cloud-provider
  /** Needs Harvester 1.2.0. @see harvester/docs rancher/cloud-provider.md, backward compatibility notice */
  CLOUD_PROVIDER_V0_2: '0.2.2',
  /** `kube-vip.enabled` has an effect. @see harvester/charts:charts/harvester-cloud-provider/Chart.yaml condition */
  KUBE_VIP_SWITCH: '0.2.7',
  /** `extraArgs`, `cloudConfig.secretName` and `vip_subnet` in place of `vip_cidr`. @see harvester/charts:charts/harvester-cloud-provider/values.yaml */
  EXTRA_ARGS: '0.2.12',
  CLOUD_CONFIG_SECRET: '0.2.12',
  // harvester-csi-driver
  /** The value `hostStorageClass`. @see harvester/charts:charts/harvester-csi-driver/values.yaml */
  CSI_HOST_STORAGE_CLASS: '0.1.20',
  /** Creates a VolumeSnapshotClass, so needs its definition. @see harvester/charts:charts/harvester-csi-driver/templates */
  CSI_SNAPSHOT_CLASS: '0.1.25',
  /** Attaches a volume by a patch of the VirtualMachine (driver 0.2.7). @see harvester/harvester-csi-driver:pkg/csi/controller_server.go addVolumeToVM */
  CSI_PATCHES_MACHINES: '0.1.27',
} as const;

/** The cloud provider of Harvester 1.2 and 1.3 for K3s. @see harvester/docs v1.3 rancher/cloud-provider.md */
export const OLDEST_CLOUD_PROVIDER = '0.2.2';

/** A version of a chart for guest clusters in the form of Harvester (`0.2.12`), RKE2 (`0.2.1200`) or Rancher (`108.0.1+up0.2.12`). */
export class GuestChartVersion {
  /** Parses a version; throws if the text is not valid. */
  public static readonly parse = versionParser((text) => {
    const given = typeof text === 'string' ? text.replace(/^v/, '') : '';
    const upstream = /^\d+\.\d+\.\d+\+up(.*)$/.exec(given)?.[1] ?? /^(0\.\d+\.\d+)00$/.exec(given)?.[1] ?? given;
    return new GuestChartVersion(parseSemver(upstream, { what: 'chart version', example: '0.2.11', distributions: false }), upstream);
  });

  private constructor(private readonly semver: Semver, public readonly upstream: string) {}

  /** Whether this is an upstream version or a later one. */
  public isAtLeast(upstream: string): boolean {
    return compareSemver(this.semver, GuestChartVersion.parse(upstream).semver) >= 0;
  }

  /** Whether this version has a feature. */
  public has(feature: keyof typeof CHART_FEATURES): boolean {
    return this.isAtLeast(CHART_FEATURES[feature]);
  }
}
