import { RancherVersion } from './rancher-version';
import {
  CLOUD_PROVIDER_APPS, CSI_DRIVER_APPS, EMBEDDED_RANCHER, HARVESTER_CHARTS, HARVESTER_CHARTS_SOURCE, NODE_DRIVERS, NODE_DRIVER_READ_TO,
  NODE_DRIVER_SOURCE, RANCHER_FOR_HARVESTER,
} from './support-matrix.data';
import { compareSemver, parseSemver } from '../../core/version/semver';
import { KubernetesDistribution, KubernetesVersion } from '../../guest/kubernetes/kubernetes-version';
import { RKE2_CHARTS } from '../../guest/kubernetes/rke2.data';
import { NodeDriverVersion } from '../../guest/machine-config/node-driver.data';
import { HarvesterVersion } from '../../harvester/version/harvester-version';

/**
 * Whether two versions go together.
 */
export enum SupportLevel {
  /** Documented or tested to go together. */
  SUPPORTED = 'supported',

  /** Documented not to go together. */
  UNSUPPORTED = 'unsupported',

  /** No source confirms or excludes it. */
  UNKNOWN = 'unknown',
}

/**
 * Whether a Harvester can be imported into a Rancher, and how this is known.
 */
interface RancherHarvesterSupport {
  /** The verdict. */
  readonly level: SupportLevel;

  /** Whether the official support matrix of SUSE was read; false if the verdict is based on documentation and test reports. */
  readonly confirmed: boolean;

  /** Where the verdict comes from. */
  readonly source: string;

  /** The verdict in words, with what to do. */
  readonly reason: string;
}

/**
 * The node driver that Rancher includes.
 */
interface NodeDriverSupport {
  /** The version of the driver. */
  readonly driver: NodeDriverVersion;

  /** Whether it was read for this version of Rancher; false for versions later than those that were read. */
  readonly confirmed: boolean;

  /** Where it was read. */
  readonly source: string;
}

/**
 * A pair of charts for guest clusters.
 */
interface GuestCharts {
  /** The chart harvester-cloud-provider, e.g. `0.2.1100` as RKE2 counts or `0.2.11` as upstream does. */
  readonly cloudProvider: string;

  /** The chart harvester-csi-driver, e.g. `0.1.2500` as RKE2 counts or `0.1.25` as upstream does. */
  readonly csi: string;

  /** Where the pair was read. */
  readonly source: string;
}

/**
 * Which versions of Rancher, Harvester, the node driver, Kubernetes and the guest charts go together, as data.
 *
 * @see https://www.suse.com/suse-harvester/support-matrix/all-supported-versions/
 */
export class SupportMatrix {
  /**
   * Whether a Harvester can be imported into a Rancher.
   */
  public static rancherSupportsHarvester(rancher: RancherVersion, harvester: HarvesterVersion): SupportLevel {
    return SupportMatrix.rancherHarvester(rancher, harvester).level;
  }

  /**
   * Whether a Harvester can be imported into a Rancher, with the source of that verdict.
   */
  public static rancherHarvester(rancher: RancherVersion, harvester: HarvesterVersion): RancherHarvesterSupport {
    const row = RANCHER_FOR_HARVESTER.find((candidate) => candidate.harvester === harvester.minor);
    const verdict = (level: SupportLevel, reason: string, source: string) => ({ level, reason, source, confirmed: false });
    if (harvester.isBefore('1.3.0') && rancher.isAtLeast('2.10.0')) {
      return verdict(SupportLevel.UNSUPPORTED, 'the Harvester UI Extension of Rancher 2.10.0 and later refuses Harvester before 1.3.0; '
        + 'upgrade Harvester first', 'harvester/docs v1.8 rancher/harvester-ui-extension.md');
    }
    if (!row) {
      return verdict(SupportLevel.UNKNOWN, `nothing is known of Harvester ${harvester.minor}`, 'none');
    }
    if (rancher.isBefore(row.from)) {
      return verdict(SupportLevel.UNSUPPORTED, `Harvester ${row.harvester} needs Rancher ${row.from} or later; upgrade Rancher first`, row.source);
    }
    if (compareSemver(rancher._semver, lineEnd(row.testedMinor)) > 0) {
      return verdict(SupportLevel.UNKNOWN, `Harvester ${row.harvester} was tested up to Rancher ${row.testedMinor}`, row.source);
    }
    return verdict(SupportLevel.SUPPORTED, `Harvester ${row.harvester} works with Rancher ${row.from} to ${row.testedMinor}`, row.source);
  }

  /**
   * The node driver of a Rancher, or nothing for versions before 2.6.3.
   */
  public static nodeDriver(rancher: RancherVersion): NodeDriverSupport | undefined {
    const row = [...NODE_DRIVERS].reverse().find(([from]) => rancher.isAtLeast(from));
    if (!row) {
      return undefined;
    }
    const confirmed = compareSemver(rancher._semver, lineEnd(NODE_DRIVER_READ_TO)) <= 0;
    return { driver: NodeDriverVersion.parse(row[1]), confirmed, source: NODE_DRIVER_SOURCE };
  }

  /**
   * The charts for guest clusters that were current when a Harvester was released, or nothing where they were not read.
   *
   * The numbers are those of upstream, e.g. `0.2.11`.
   */
  public static harvesterChartsBundled(harvester: HarvesterVersion): GuestCharts | undefined {
    const row = HARVESTER_CHARTS.find(([minor]) => minor === harvester.minor);
    return row && { cloudProvider: row[1], csi: row[2], source: HARVESTER_CHARTS_SOURCE.replace('<minor>', harvester.minor) };
  }

  /**
   * The charts that a release of RKE2 includes; undefined for K3s, for releases before v1.21.5+rke2r1 and for minor lines
   * later than the table.
   *
   * The numbers are those of RKE2, e.g. `0.2.1100`, which is `0.2.11` upstream.
   *
   * @param kubernetes an RKE2 release, e.g. `v1.33.6+rke2r1`
   */
  public static bundledCharts(kubernetes: KubernetesVersion): GuestCharts | undefined {
    if (kubernetes.distribution !== KubernetesDistribution.RKE2) {
      return undefined;
    }
    const changes = (RKE2_CHARTS[kubernetes.minor] ?? '').split(', ').filter((change) => change !== '').map((change) => {
      const [release, cloudProvider, csi] = change.split(' ');
      return { from: `${kubernetes.minor}.${release.replace('-', '+rke2r')}`, cloudProvider: `0.${cloudProvider}`, csi: `0.${csi}` };
    });
    const last = changes.reverse().find((change) => kubernetes.isAtLeast(change.from));
    return last && { cloudProvider: last.cloudProvider, csi: last.csi, source: `rancher/rke2 charts/chart_versions.yaml at v${last.from}` };
  }

  /**
   * The number that upstream gives to a chart which RKE2 packages: `0.2.11` for `0.2.1100`.
   *
   * @param chart a chart version as `bundledCharts` returns it
   */
  public static upstreamChart(chart: string): string {
    const match = /^(0\.[0-9]+\.[0-9]+)00$/.exec(chart);
    if (!match) {
      throw new Error(`chart: must be a chart version of RKE2, got ${JSON.stringify(chart)}. Fix: use a version such as 0.2.1100`);
    }
    return match[1];
  }

  /**
   * The release of harvester/cloud-provider-harvester in a chart, or nothing for charts before 0.2.2.
   *
   * @param chart an upstream version of the chart, e.g. `0.2.11`
   */
  public static cloudProviderOf(chart: string): string | undefined {
    return programOf(chart, CLOUD_PROVIDER_APPS);
  }

  /**
   * The release of harvester/harvester-csi-driver in a chart, or nothing for charts before 0.1.17.
   *
   * @param chart an upstream version of the chart, e.g. `0.1.25`
   */
  public static csiDriverOf(chart: string): string | undefined {
    return programOf(chart, CSI_DRIVER_APPS);
  }

  /**
   * The Rancher inside a release of Harvester, or nothing where it was not read.
   */
  public static embeddedRancher(harvester: HarvesterVersion): RancherVersion | undefined {
    const row = EMBEDDED_RANCHER[harvester.toString()];
    return row && RancherVersion.parse(row.rancher);
  }

  private constructor() {}
}

function programOf(chart: string, table: readonly (readonly [string, string])[]): string | undefined {
  const rules = { what: 'chart', example: '0.2.11', distributions: false };
  const version = parseSemver(chart, rules);
  return [...table].reverse().find(([first]) => compareSemver(version, parseSemver(first, rules)) >= 0)?.[1];
}

// No patch version reaches this number.
function lineEnd(minor: string) {
  return parseSemver(`${minor}.99999`, { what: 'minor', example: '2.13', distributions: false });
}
