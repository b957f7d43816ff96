import { byText } from '../../core/text/values';
import { compareSemver, compareToKnown, parseSemver } from '../../core/version/semver';
import {
  KubernetesDistribution,
  KubernetesVersion,
} from '../../guest/kubernetes/kubernetes-version';
import {
  KUBERNETES_OF_RANCHER,
  KUBERNETES_RELEASES,
  RKE2_CHARTS,
} from '../../guest/kubernetes/rke2.data';
import { HarvesterVersion } from '../../harvester/version/harvester-version';
import { RANCHER_PRODUCT, RancherVersion } from '../version/rancher-version';

const HARVESTER_CHARTS_SOURCE = 'harvester/charts, branch release-v<minor>';

/** Minor line of Harvester: chart of the cloud provider, chart of the CSI driver. */
const HARVESTER_CHARTS: readonly (readonly [string, string, string])[] = [
  ['1.4', '0.2.9', '0.1.22'],
  ['1.5', '0.2.10', '0.1.23'],
  ['1.6', '0.2.10', '0.1.24'],
  ['1.7', '0.2.11', '0.1.25'],
  ['1.8', '0.2.11', '0.1.25'],
  ['1.9', '0.2.12', '0.1.30'],
];

/**
 * Chart of the cloud provider and the tag of its image, by the first chart of each.
 * @see harvester/charts, values.yaml at the tags of the chart
 */
export const CLOUD_PROVIDER_APPS: readonly (readonly [string, string])[] = [
  ['0.2.1', 'v0.2.0'],
  ['0.2.4', 'v0.2.1'],
  ['0.2.6', 'v0.2.2'],
  ['0.2.7', 'v0.2.4'],
  ['0.2.11', 'v0.2.5'],
  ['0.2.12', 'v0.2.6'],
  ['0.2.14', 'v0.2.7'],
  ['0.2.15', 'v0.2.8'],
];

/**
 * Chart of the CSI driver and the tag of its image, by the first chart of each.
 * @see harvester/charts, values.yaml at the tags of the chart
 */
export const CSI_DRIVER_APPS: readonly (readonly [string, string])[] = [
  ['0.1.5', 'v0.1.1'],
  ['0.1.10', 'v0.1.2'],
  ['0.1.11', 'v0.1.3'],
  ['0.1.15', 'v0.1.4'],
  ['0.1.16', 'v0.1.5'],
  ['0.1.18', 'v0.1.7'],
  ['0.1.19', 'v0.2.0'],
  ['0.1.20', 'v0.2.1'],
  ['0.1.21', 'v0.2.2'],
  ['0.1.24', 'v0.2.3'],
  ['0.1.25', 'v0.2.4'],
  ['0.1.26', 'v0.2.6'],
  ['0.1.27', 'v0.2.7'],
  ['0.1.28', 'v0.2.8'],
  ['0.1.29', 'v0.2.9'],
];

/**
 * The Rancher inside each release of Harvester, and whether the image rancher/rancher-agent of that
 * version is in the ISO.
 * @see harvester/upgrade-helpers manifests/image-lists; harvester/harvester#10007 for 1.6; harvester/harvester:scripts/images/rancher-images.txt of the branch v1.9
 */
export const EMBEDDED_RANCHER: Record<
  string,
  { readonly rancher: string; readonly agentImage: boolean }
> = {
  '1.3.0': { rancher: '2.8.2', agentImage: false },
  '1.3.1': { rancher: '2.8.3', agentImage: false },
  '1.3.2': { rancher: '2.8.5', agentImage: false },
  '1.4.0': { rancher: '2.9.2', agentImage: false },
  '1.4.1': { rancher: '2.9.3', agentImage: true },
  '1.5.0': { rancher: '2.11.0', agentImage: true },
  '1.5.1': { rancher: '2.11.2', agentImage: true },
  '1.6.0': { rancher: '2.12.0', agentImage: false },
  '1.6.1': { rancher: '2.12.2', agentImage: false },
  '1.7.0': { rancher: '2.13.0', agentImage: true },
  '1.7.1': { rancher: '2.13.1', agentImage: true },
  '1.7.2': { rancher: '2.13.3', agentImage: true },
  '1.7.3': { rancher: '2.13.3', agentImage: true },
  '1.8.0': { rancher: '2.14.0', agentImage: true },
  '1.8.1': { rancher: '2.14.2', agentImage: true },
  '1.8.2': { rancher: '2.14.3', agentImage: true },
  '1.9.0': { rancher: '2.15.0', agentImage: true },
};

/** Which Rancher a minor line of Harvester asks for. */
interface RancherForHarvesterRow {
  /** Minor line of Harvester. */
  readonly harvester: string;
  /** The first version of Rancher that its documentation names. */
  readonly from: string;
  /** The last minor line of Rancher that it was tested with. */
  readonly testedMinor: string;
  readonly source: string;
}

const EXTENSION = 'harvester/docs v1.8 rancher/harvester-ui-extension.md';

// The official pages below suse.com/suse-harvester/support-matrix could not be read: these rows are
// based on the documentation of Harvester (first version) and on the reports of its release tests
// (last line), so none of them is confirmed.
export const RANCHER_FOR_HARVESTER: readonly RancherForHarvesterRow[] = [
  {
    harvester: '1.2',
    from: '2.7.6',
    testedMinor: '2.8',
    source: 'release notes of Harvester v1.2.0; harvester/tests#1279',
  },
  {
    harvester: '1.3',
    from: '2.8.0',
    testedMinor: '2.10',
    source: 'harvester/docs v1.5 harvester-ui-extension.md; embedded Rancher 2.8',
  },
  {
    harvester: '1.4',
    from: '2.9.0',
    testedMinor: '2.10',
    source: 'harvester/docs v1.5 harvester-ui-extension.md; embedded Rancher 2.9',
  },
  {
    harvester: '1.5',
    from: '2.11.0',
    testedMinor: '2.12',
    source: `${EXTENSION}; harvester/tests#2132`,
  },
  {
    harvester: '1.6',
    from: '2.12.0',
    testedMinor: '2.13',
    source: `${EXTENSION}; harvester/tests#2646`,
  },
  {
    harvester: '1.7',
    from: '2.13.0',
    testedMinor: '2.14',
    source: `${EXTENSION}; harvester/tests#2687`,
  },
  { harvester: '1.8', from: '2.14.0', testedMinor: '2.14', source: EXTENSION },
  {
    harvester: '1.9',
    from: '2.15.0',
    testedMinor: '2.15',
    source: 'harvester/harvester-ui-extension#982',
  },
];

/**
 * The Fleet of each Rancher, `<rancher>=<fleet>` where the pair was read, `<rancher>~<fleet>` where
 * it was inferred from the date of the change that added that Fleet to the branch of that Rancher.
 *
 * Read: fleetVersion in build.yaml (package/Dockerfile before 2.8.3) at every tag of
 * rancher/rancher to 2.15.0; 2.15.1 as quoted in public.
 *
 * @see https://github.com/rancher/rancher/blob/main/build.yaml
 */
export const FLEET_OF_RANCHER = `
  2.8.0=0.9.0 2.8.1=0.9.0 2.8.2=0.9.0 2.8.3=0.9.2 2.8.4=0.9.4 2.8.5=0.9.5 2.8.6=0.9.6 2.8.7=0.9.8 2.8.8=0.9.9 2.8.9=0.9.10 2.8.10=0.9.11
  2.8.11=0.9.12 2.8.12=0.9.13 2.8.13=0.9.15 2.8.14=0.9.16 2.8.15=0.9.17
  2.9.0=0.10.0 2.9.1=0.10.1 2.9.2=0.10.2 2.9.3=0.10.4 2.9.4=0.10.6 2.9.5=0.10.7 2.9.6=0.10.8 2.9.7=0.10.9 2.9.8=0.10.10 2.9.9=0.10.12
  2.9.10=0.10.13 2.9.11=0.10.15 2.9.12=0.10.16
  2.10.0=0.11.1 2.10.1=0.11.2 2.10.2=0.11.3 2.10.3=0.11.4 2.10.4=0.11.5 2.10.5=0.11.7 2.10.6=0.11.8 2.10.7=0.11.9 2.10.8=0.11.9
  2.10.9=0.11.10 2.10.10=0.11.11 2.10.11=0.11.12 2.10.12=0.11.14
  2.11.0=0.12.0 2.11.1=0.12.2 2.11.2=0.12.3 2.11.3=0.12.4 2.11.4=0.12.5 2.11.5=0.12.6 2.11.6=0.12.7 2.11.7=0.12.8 2.11.8=0.12.9
  2.11.9=0.12.10 2.11.10=0.12.11 2.11.11=0.12.12 2.11.12=0.12.13 2.11.13=0.12.14 2.11.14=0.12.15 2.11.15=0.12.17 2.11.16=0.12.18
  2.12.0=0.13.0 2.12.1=0.13.1 2.12.2=0.13.2 2.12.3=0.13.4 2.12.4=0.13.5 2.12.5=0.13.6 2.12.6=0.13.7 2.12.7=0.13.8 2.12.8=0.13.9
  2.12.9=0.13.10 2.12.10=0.13.11 2.12.11=0.13.13 2.12.12=0.13.14
  2.13.0=0.14.0 2.13.1=0.14.1 2.13.2=0.14.2 2.13.3=0.14.3 2.13.4=0.14.4 2.13.5=0.14.5 2.13.6=0.14.6 2.13.7=0.14.8 2.13.8=0.14.9
  2.13.9~0.14.10 2.13.10~0.14.11
  2.14.0=0.15.0 2.14.1=0.15.1 2.14.2=0.15.2 2.14.3=0.15.4 2.14.4=0.15.5 2.14.5~0.15.6
  2.15.0=0.16.0 2.15.1=0.16.1
`;

/** The minor line of Fleet in each minor line of Rancher. */
export const FLEET_LINES: Record<string, string> = {
  '2.8': '0.9',
  '2.9': '0.10',
  '2.10': '0.11',
  '2.11': '0.12',
  '2.12': '0.13',
  '2.13': '0.14',
  '2.14': '0.15',
  '2.15': '0.16',
};

/** Whether two versions go together. */
export enum SupportLevel {
  /** Documented or tested to go together. */
  SUPPORTED = 'supported',
  /** Documented not to go together. */
  UNSUPPORTED = 'unsupported',
  /** No source confirms or excludes it. */
  UNKNOWN = 'unknown',
}

/** Whether a Harvester can be imported into a Rancher, and how this is known. */
interface RancherHarvesterSupport {
  /** The verdict. */
  readonly level: SupportLevel;
  /**
   * Whether the official support matrix of SUSE was read; false if the verdict is based on
   * documentation and test reports.
   */
  readonly confirmed: boolean;
  /** Where the verdict comes from. */
  readonly source: string;
  /** The verdict in words, with what to do. */
  readonly reason: string;
}

/** Whether a release of Kubernetes exists. */
interface ReleaseSupport {
  /** The verdict. */
  readonly level: SupportLevel;
  /** Where the releases were read. */
  readonly source?: string;
  /** When they were read; only for a release that does not exist, or is later than all of them. */
  readonly readOn?: string;
  /**
   * The last release of the same patch version, otherwise the newest of the minor line; only for a
   * release that does not exist.
   */
  readonly nearest?: string;
  /**
   * The newest release of the minor line; only for a release that does not exist, or is later.
   */
  readonly newest?: string;
  /** By how many patch versions a release is later than the newest one that was read. */
  readonly ahead?: number;
}

/** A pair of charts for guest clusters. */
interface GuestCharts {
  /**
   * The chart harvester-cloud-provider, e.g. `0.2.1100` as RKE2 counts or `0.2.11` as upstream
   * does.
   */
  readonly cloudProvider: string;
  /**
   * The chart harvester-csi-driver, e.g. `0.1.2500` as RKE2 counts or `0.1.25` as upstream does.
   */
  readonly csi: string;
  /** Where the pair was read. */
  readonly source: string;
}

/** The charts that a release of RKE2 includes. */
const chartsOfRke2 = byText((release): GuestCharts | undefined => {
  const kubernetes = KubernetesVersion.parse(release);
  const changes = (RKE2_CHARTS[kubernetes.minor] ?? '')
    .split(', ')
    .filter((change) => change !== '')
    .map((change) => {
      const [from, cloudProvider, csi] = change.split(' ');
      return {
        from: `${kubernetes.minor}.${from.replace('-', '+rke2r')}`,
        cloudProvider: `0.${cloudProvider}`,
        csi: `0.${csi}`,
      };
    });
  const last = changes.reverse().find((change) => kubernetes.isAtLeast(change.from));
  return (
    last && {
      cloudProvider: last.cloudProvider,
      csi: last.csi,
      source: `rancher/rke2 charts/chart_versions.yaml at v${last.from}`,
    }
  );
});

/** Why a Rancher cannot manage a Harvester, and what to do. */
interface UnsupportedPair {
  /** A sentence without a period. */
  readonly why: string;
  readonly fix: string;
  readonly source: string;
}

/** Undefined for a pair that is supported, or of which nothing is known. */
export function unsupportedPair(
  rancher: RancherVersion,
  harvester: HarvesterVersion,
): UnsupportedPair | undefined {
  if (harvester.isBefore('1.3.0') && rancher.isAtLeast('2.10.0')) {
    return {
      why: 'the Harvester UI Extension of Rancher 2.10.0 and later refuses Harvester before 1.3.0',
      fix: 'upgrade Harvester first',
      source: 'harvester/docs v1.8 rancher/harvester-ui-extension.md',
    };
  }
  const row = rowOf(harvester);
  if (row === undefined || !rancher.isBefore(row.from)) {
    return undefined;
  }
  return {
    why: `Harvester ${row.harvester} needs Rancher ${row.from} or later`,
    fix: 'upgrade Rancher first',
    source: row.source,
  };
}

function rowOf({ minor }: HarvesterVersion): (typeof RANCHER_FOR_HARVESTER)[number] | undefined {
  return RANCHER_FOR_HARVESTER.find(({ harvester }) => harvester === minor);
}

/**
 * Which versions of Rancher, Harvester, the node driver, Kubernetes and the guest charts go
 * together, as data.
 *
 * @see https://www.suse.com/suse-harvester/support-matrix/all-supported-versions/
 */
export class SupportMatrix {
  /** Whether a Harvester can be imported into a Rancher, with the source of that verdict. */
  public static rancherHarvester(
    rancher: RancherVersion,
    harvester: HarvesterVersion,
  ): RancherHarvesterSupport {
    const verdict = (level: SupportLevel, reason: string, source: string) => ({
      level,
      reason,
      source,
      confirmed: false,
    });
    const unsupported = unsupportedPair(rancher, harvester);
    if (unsupported) {
      const { why, fix, source } = unsupported;
      return verdict(SupportLevel.UNSUPPORTED, `${why}; ${fix}`, source);
    }
    const row = rowOf(harvester);
    if (!row) {
      return verdict(
        SupportLevel.UNKNOWN,
        `nothing is known of Harvester ${harvester.minor}`,
        'none',
      );
    }
    // no patch version reaches this number
    const lineEnd = parseSemver(`${row.testedMinor}.99999`, {
      what: 'minor',
      example: '2.13',
      distributions: false,
    });
    if (compareSemver(rancher._semver, lineEnd) > 0) {
      return verdict(
        SupportLevel.UNKNOWN,
        `Harvester ${row.harvester} was tested up to Rancher ${row.testedMinor}`,
        row.source,
      );
    }
    return verdict(
      SupportLevel.SUPPORTED,
      `Harvester ${row.harvester} works with Rancher ${row.from} to ${row.testedMinor}`,
      row.source,
    );
  }

  /**
   * The Kubernetes minor lines that a Rancher provisions, as `[1.32, 1.34]`; undefined before 2.8.0
   * and for minor lines later than the table.
   */
  public static kubernetesOf(
    rancher: RancherVersion,
  ): readonly [first: string, last: string] | undefined {
    if (compareToKnown(rancher._semver, RANCHER_PRODUCT.known) > 0) {
      return undefined;
    }
    const row = [...KUBERNETES_OF_RANCHER].reverse().find(([from]) => rancher.isAtLeast(from));
    return row && [`1.${row[1]}`, `1.${row[2]}`];
  }

  /**
   * Whether a release of RKE2 or K3s exists: unknown for later patch versions than the table, for
   * pre-releases, and for minor lines out of the table.
   */
  public static kubernetesRelease(version: KubernetesVersion): ReleaseSupport {
    const table = version.distribution && KUBERNETES_RELEASES[version.distribution];
    const patches =
      version.preRelease === undefined ? patchesOf(table?.lines[version.minor]) : undefined;
    const newest = patches?.at(-1);
    if (!table || !patches || newest === undefined) {
      return { level: SupportLevel.UNKNOWN };
    }
    const { readOn, source } = table;
    if (version.patchNumber >= newest.patch) {
      return {
        level: SupportLevel.UNKNOWN,
        source,
        readOn,
        newest: version._sibling(newest.patch, newest.releases),
        ahead: version.patchNumber - newest.patch,
      };
    }
    const known = patches.find(({ patch }) => patch === version.patchNumber);
    if (known && version.release! <= known.releases) {
      return { level: SupportLevel.SUPPORTED, source };
    }
    const nearest = known ?? newest;
    const release = (of: typeof newest) => version._sibling(of.patch, of.releases);
    return {
      level: SupportLevel.UNSUPPORTED,
      source,
      readOn,
      nearest: release(nearest),
      newest: release(newest),
    };
  }

  /**
   * The charts for guest clusters that were current when a Harvester was released, or nothing where
   * they were not read.
   *
   * The numbers are those of upstream, e.g. `0.2.11`.
   */
  public static harvesterChartsBundled(harvester: HarvesterVersion): GuestCharts | undefined {
    const row = HARVESTER_CHARTS.find(([minor]) => minor === harvester.minor);
    return (
      row && {
        cloudProvider: row[1],
        csi: row[2],
        source: HARVESTER_CHARTS_SOURCE.replace('<minor>', harvester.minor),
      }
    );
  }

  /**
   * The charts that a release of RKE2 includes; undefined for K3s, for releases before
   * v1.21.5+rke2r1 and for minor lines later than the table.
   *
   * The numbers are those of RKE2, e.g. `0.2.1100`, which is `0.2.11` upstream.
   *
   * @param kubernetes an RKE2 release, e.g. `v1.33.6+rke2r1`
   */
  public static bundledCharts(kubernetes: KubernetesVersion): GuestCharts | undefined {
    return kubernetes.distribution === KubernetesDistribution.RKE2
      ? chartsOfRke2(kubernetes.toString())
      : undefined;
  }

  /**
   * The number that upstream gives to a chart which RKE2 packages: `0.2.11` for `0.2.1100`.
   *
   * @param chart a chart version as `bundledCharts` returns it
   */
  public static upstreamChart(chart: string): string {
    const match = /^(0\.[0-9]+\.[0-9]+)00$/.exec(chart);
    if (!match) {
      throw new Error(
        `chart: must be a chart version of RKE2, got ${JSON.stringify(chart)}. Fix: use a version such as 0.2.1100`,
      );
    }
    return match[1];
  }

  /**
   * The release of harvester/cloud-provider-harvester in a chart, or nothing for charts before
   * 0.2.1.
   *
   * @param chart an upstream version of the chart, e.g. `0.2.11`
   */
  public static cloudProviderOf(chart: string): string | undefined {
    return programOf(chart, CLOUD_PROVIDER_APPS);
  }

  /**
   * The release of harvester/harvester-csi-driver in a chart, or nothing for charts before 0.1.5.
   *
   * @param chart an upstream version of the chart, e.g. `0.1.25`
   */
  public static csiDriverOf(chart: string): string | undefined {
    return programOf(chart, CSI_DRIVER_APPS);
  }

  private constructor() {}
}

function programOf(
  chart: string,
  table: readonly (readonly [string, string])[],
): string | undefined {
  const rules = { what: 'chart', example: '0.2.11', distributions: false };
  const version = parseSemver(chart, rules);
  return [...table]
    .reverse()
    .find(([first]) => compareSemver(version, parseSemver(first, rules)) >= 0)?.[1];
}

// `7-3` is patch version 7 with three releases, `8` has one
function patchesOf(
  line: string | undefined,
): Array<{ readonly patch: number; readonly releases: number }> | undefined {
  return line?.split(' ').map((text) => {
    const [patch, releases = '1'] = text.split('-');
    return { patch: Number(patch), releases: Number(releases) };
  });
}

// No patch version reaches this number.
