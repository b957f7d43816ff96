import { versionParser } from '../../core/version/product-version';
import { Semver, compareSemver, parseSemver } from '../../core/version/semver';

/**
 * The chart of the CSI driver whose volumes get stuck on Harvester before 1.4.0; earlier and later charts work with every Harvester.
 * @see https://docs.harvesterhci.io/v1.9/rancher/csi-driver; harvester/docs#670
 */
export const BROKEN_CSI_CHART = '0.1.20';

/**
 * Features of the charts for guest clusters, each with the first upstream version that has it.
 */
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

/**
 * A version of a chart for guest clusters in the form of Harvester (`0.2.12`), RKE2 (`0.2.1200`) or Rancher
 * (`108.0.1+up0.2.12`).
 */
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
