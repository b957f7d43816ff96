import { Manifest, valueAt } from '../../core/manifest/manifest';
import { plainText } from '../../core/text/plain-text';
import { parseSemver } from '../../core/version/semver';
import { HarvesterVersion } from '../../harvester/version/harvester-version';
import { ImportImage, ImportImages } from '../../rancher/import/import-images.data';
import { SupportMatrix } from '../../rancher/support-matrix/support-matrix.facts';
import { RancherVersion } from '../../rancher/version/rancher-version';
import { installedChart } from '../chart/helm-chart.facts';
import { curesOf, withoutKnownFault, GuestChartVersion } from '../cloud-provider/chart-faults.data';
import { nodeConfigsOf, rkeConfigOf, usesHarvester } from '../cluster/cluster-reader.facts';
import { CSI_CHART, PROVIDER_CHART, DISABLE } from '../cluster/cluster.kind';
import { KubernetesDistribution, KubernetesVersion } from '../kubernetes/kubernetes-version';
import { textsIn } from '../kubernetes/kubernetes.check';
import { distributionOf } from '../kubernetes/rke2.data';

/** The versions in a minor line of Rancher, `<patch>:<version>` for each change, as `0:0.3.14 7:0.13.0`. */
interface RancherLine {
  /** The last patch version that was read; the images of later ones are unknown. */
  readonly readTo: number;
  readonly systemAgent: string;
  readonly webhook: string;
  readonly shell: string;
}

const RANCHER_SOURCE = 'rancher/rancher build.yaml and package/Dockerfile at the release tags';

/** What each Rancher runs in guest clusters. @see rancher/rancher:build.yaml webhookVersion, defaultShellVersion; package/Dockerfile CATTLE_SYSTEM_AGENT_VERSION */
export const RANCHER_LINES: { readonly [minor: string]: RancherLine } = {
  '2.8': {
    readTo: 15,
    systemAgent: '0:0.3.4 3:0.3.6 6:0.3.7 7:0.3.8 8:0.3.9 9:0.3.10',
    webhook: '3:0.4.3 4:0.4.5 5:0.4.7 6:0.4.9 7:0.4.10 8:0.4.11 9:0.4.12 10:0.4.13 11:0.4.14 12:0.4.15 13:0.4.16 14:0.4.17 15:0.4.18',
    shell: '3:0.1.23 4:0.1.24 6:0.1.26 13:0.1.28',
  },
  '2.9': {
    readTo: 12,
    systemAgent: '0:0.3.7 1:0.3.8 2:0.3.9 3:0.3.10',
    webhook: '0:0.5.0 1:0.5.1 2:0.5.2 3:0.5.3 4:0.5.4 5:0.5.5 6:0.5.6 7:0.5.7 8:0.5.8 9:0.5.9 10:0.5.10 11:0.5.11 12:0.5.12',
    shell: '0:0.2.1 3:0.2.2 7:0.2.4',
  },
  '2.10': {
    readTo: 12,
    systemAgent: '0:0.3.11',
    webhook: '0:0.6.1 1:0.6.2 2:0.6.3 3:0.6.4 4:0.6.5 5:0.6.6 6:0.6.7 7:0.6.8 8:0.6.9 9:0.6.10 10:0.6.11 11:0.6.12',
    shell: '0:0.3.0 3:0.3.1',
  },
  '2.11': {
    readTo: 16,
    systemAgent: '0:0.3.12',
    webhook: '0:0.7.0 1:0.7.1 2:0.7.2 3:0.7.3 4:0.7.4 5:0.7.5 6:0.7.6 7:0.7.7 8:0.7.8 13:0.7.9 15:0.7.10',
    shell: '0:0.4.0 2:0.4.1 8:0.4.2 15:0.4.4',
  },
  '2.12': {
    readTo: 12,
    systemAgent: '0:0.3.13',
    webhook: '0:0.8.0 1:0.8.1 2:0.8.2 3:0.8.3 4:0.8.4 6:0.8.5 9:0.8.6 11:0.8.7 12:0.8.9',
    shell: '0:0.5.0 4:0.5.1 8:0.5.2 11:0.5.3',
  },
  '2.13': {
    readTo: 8,
    systemAgent: '0:0.3.14 7:0.13.0',
    webhook: '0:0.9.1 2:0.9.2 3:0.9.3 5:0.9.4 6:0.9.5 7:0.9.6 8:0.9.7',
    shell: '0:0.6.0 1:0.6.1 3:0.6.2 4:0.6.3 7:0.6.4',
  },
  '2.14': {
    readTo: 4,
    systemAgent: '0:0.3.15 1:0.3.16 3:0.14.0',
    webhook: '0:0.10.0 1:0.10.4 2:0.10.6 3:0.10.7 4:0.10.9',
    shell: '0:0.7.0 3:0.7.1',
  },
  '2.15': {
    readTo: 0,
    systemAgent: '0:0.15.0',
    webhook: '0:0.11.0',
    shell: '0:0.8.1',
  },
};

const CHARTS_SOURCE = 'harvester/charts, values.yaml at the tags of both charts';

/** The last charts that were read; the images of later ones are unknown. */
export const CHARTS_READ_TO = { provider: '0.2.15', csi: '0.1.31' } as const;

/** The image of kube-vip in the cloud provider's chart, by the first chart of each tag. */
export const KUBE_VIP_TAGS: readonly (readonly [string, string])[] = [
  ['0.2.2', 'v0.6.0'], ['0.2.7', 'v0.8.7'], ['0.2.11', 'v0.9.2'], ['0.2.12', 'v1.1.2'], ['0.2.15', 'v1.2.3'],
];

const OLD_SIDECARS = { 'csi-node-driver-registrar': 'v2.3.0', 'csi-resizer': 'v1.2.0', 'csi-provisioner': 'v2.1.2', 'csi-attacher': 'v3.2.1' };

/** The sidecars of the CSI driver's chart, by the first chart of each set. */
export const CSI_SIDECARS: readonly (readonly [string, { readonly [name: string]: string }])[] = [
  ['0.1.5', OLD_SIDECARS],
  ['0.1.25', { ...OLD_SIDECARS, 'csi-provisioner': 'v5.3.0-20250709', 'csi-snapshotter': 'v8.3.0-20250709' }],
  ['0.1.30', {
    'csi-node-driver-registrar': 'v2.16.0-20260428',
    'csi-resizer': 'v2.1.0-20260428',
    'csi-provisioner': 'v5.3.0-20260428',
    'csi-attacher': 'v4.11.0-20260428',
    'csi-snapshotter': 'v8.5.0-20260428',
  }],
];

const KUBE_VIP = 'rancher/mirrored-kube-vip-kube-vip-iptables';

/** What determines the images of a guest cluster. */
interface GuestImagesOptions {
  /** The release of the distribution, e.g. `v1.33.6+rke2r1`. */
  readonly kubernetes: string;
  readonly rancher: RancherVersion;
  /** The Harvester that the machines run on, whose chart of the cloud provider is the default with K3s. @default - unknown */
  readonly harvester?: HarvesterVersion;
  /** A chart of the cloud provider; null if its version is unknown, false for none. @default - that of RKE2, or of Harvester with K3s */
  readonly cloudProviderChart?: string | null | false;
  /** A chart of the CSI driver; null if its version is unknown, false for none. @default - that of RKE2; none with K3s */
  readonly csiChart?: string | null | false;
}

/** A list of images that a release publishes: the library does not contain it. */
interface ImageList {
  readonly url: string;
  readonly purpose: string;
}

/** The images that the nodes of a guest cluster pull, for clusters without internet access. */
export class GuestImages {
  /** The list of the distribution's images, as the release publishes it. */
  public static listOf(release: string, architecture = 'amd64'): ImageList {
    const kubernetes = releaseOf(release);
    const rke2 = kubernetes.distribution === KubernetesDistribution.RKE2;
    const folder = `${rke2 ? 'rancher/rke2' : 'k3s-io/k3s'}/releases/download/${encodeURIComponent(kubernetes.toString())}`;
    return {
      url: `https://github.com/${folder}/${rke2 ? `rke2-images-all.linux-${architecture}.txt` : 'k3s-images.txt'}`,
      purpose: `all images of ${rke2 ? 'RKE2, its charts and network plugins' : 'K3s'}`,
    };
  }

  /** The images that can be named exactly, those of Rancher first. An unknown tag is undefined. */
  public static forCluster(options: GuestImagesOptions): ImportImage[] {
    const { rancher, harvester } = options;
    const kubernetes = releaseOf(options.kubernetes);
    const bundled = SupportMatrix.bundledCharts(kubernetes);
    const isRke2 = kubernetes.distribution === KubernetesDistribution.RKE2;
    const ofHarvester = isRke2 || !harvester ? undefined : SupportMatrix.harvesterChartsBundled(harvester)?.cloudProvider;
    const provider = options.cloudProviderChart ?? (options.cloudProviderChart === null ? null : ofHarvester && withoutKnownFault(ofHarvester));
    const charts = [
      [provider, bundled?.cloudProvider, providerImages], [options.csiChart, bundled?.csi, csiImages],
    ] as const;
    return [
      ...distributionImages(kubernetes),
      ...rancherImages(rancher),
      ...charts.flatMap(([given, known, imagesOf]) => {
        if (given === false || (given === undefined && !isRke2)) { return []; }
        const text = given === null ? undefined : given ?? known;
        return imagesOf(text === undefined ? undefined : GuestChartVersion.parse(text));
      }),
    ];
  }

  private constructor() {}
}

function releaseOf(text: string): KubernetesVersion {
  const version = KubernetesVersion.parse(text);
  if (version.distribution === undefined) {
    throw new Error(`kubernetes version: must name a distribution, e.g. v1.33.6+rke2r1, got ${JSON.stringify(text)}. Fix: add +rke2rN or +k3sN`);
  }
  return version;
}

// an image tag cannot have a plus sign: rancher/rancher:pkg/capr/planner/planner.go getInstallerImage
function distributionImages(kubernetes: KubernetesVersion): ImportImage[] {
  const tag = kubernetes.toString().replace('+', '-');
  const { distribution } = kubernetes;
  const source = 'rancher/rancher pkg/capr/planner/planner.go getInstallerImage; rancher/rke2 scripts/build-images';
  const image = (name: string, purpose: string) => new ImportImage({ image: name, tag, purpose, required: true, confirmed: true, source });
  return [
    image(`rancher/system-agent-installer-${distribution}`, 'installs the distribution on a node, by the system agent'),
    ...(distribution === KubernetesDistribution.RKE2 ? [image('rancher/rke2-runtime', 'the binaries and charts of RKE2')] : []),
  ];
}

function rancherImages(rancher: RancherVersion): ImportImage[] {
  const line = RANCHER_LINES[rancher.minor];
  const known = line !== undefined && rancher.preRelease === undefined && rancher.patchNumber <= line.readTo ? line : undefined;
  const image = (name: string, tag: string | undefined, purpose: string) => new ImportImage({
    image: name, tag, purpose, required: false, confirmed: tag !== undefined, source: RANCHER_SOURCE, ...(tag ? {} : { note: 'compare rancher-images.txt of the Rancher release' }),
  });
  const at = (changes: string | undefined): string | undefined => (changes === undefined ? undefined : versionAt(changes, rancher.patchNumber));
  const agent = at(known?.systemAgent);
  return [
    ...ImportImages.forRancher(rancher),
    image('rancher/rancher-webhook', at(known?.webhook), 'Rancher\'s webhook (cattle-system/rancher-webhook)'),
    image('rancher/shell', at(known?.shell), 'jobs by which Rancher installs charts, and its kubectl shell'),
    image('rancher/system-agent', agent && `${agent}-suc`, 'upgrades of the system agent; Rancher itself serves its first installation'),
    image('rancher/system-upgrade-controller', undefined, 'the controller of these upgrades'),
  ];
}

function versionAt(changes: string, patch: number): string | undefined {
  const last = changes.split(' ').map((change) => change.split(':')).filter(([from]) => Number(from) <= patch).at(-1);
  return last && `v${last[1]}`;
}

function providerImages(chart: GuestChartVersion | undefined): ImportImage[] {
  const known = chart?.isAtLeast(KUBE_VIP_TAGS[0][0]) && isRead(chart, CHARTS_READ_TO.provider) ? chart : undefined;
  const image = chartImage(PROVIDER_CHART, chart);
  const cures = curesOf(known, {}).flatMap((cure) => imageTag(cure));
  return [
    image('rancher/harvester-cloud-provider', known && SupportMatrix.cloudProviderOf(known.upstream), 'the Harvester cloud provider'),
    image(KUBE_VIP, known && since(KUBE_VIP_TAGS, known), 'kube-vip, which announces addresses of load balancers'),
    ...cures.map((tag) => image(KUBE_VIP, tag, 'kube-vip in place of that of the chart, which has a known fault')),
  ];
}

function imageTag(cure: { readonly [key: string]: unknown }): string[] {
  const { image } = (cure['kube-vip'] ?? {}) as { readonly image?: { readonly tag: string } };
  return image ? [image.tag] : [];
}

function csiImages(chart: GuestChartVersion | undefined): ImportImage[] {
  const known = chart?.isAtLeast(CSI_SIDECARS[0][0]) && isRead(chart, CHARTS_READ_TO.csi) ? chart : undefined;
  const image = chartImage(CSI_CHART, chart);
  const sidecars = known ? since(CSI_SIDECARS, known)! : OLD_SIDECARS;
  return [
    image('rancher/harvester-csi-driver', known && SupportMatrix.csiDriverOf(known.upstream), 'the Harvester CSI driver'),
    ...Object.entries(sidecars).map(([name, tag]) => image(`rancher/mirrored-longhornio-${name}`, known && tag, `sidecar of the CSI driver: ${name}`)),
  ];
}

function chartImage(chart: string, version: GuestChartVersion | undefined) {
  return (image: string, tag: string | undefined, purpose: string): ImportImage => new ImportImage({
    image,
    tag,
    purpose: `${purpose} (chart ${chart} ${version?.upstream ?? 'of an unknown version'})`,
    required: true,
    confirmed: tag !== undefined,
    source: CHARTS_SOURCE,
    ...(tag ? {} : { note: 'compare values.yaml of the chart' }),
  });
}

function isRead(chart: GuestChartVersion, readTo: string): boolean {
  return !chart.isAtLeast(`${nextPatch(readTo)}-0`);
}

function nextPatch(version: string): string {
  const { major, minor, patch } = parseSemver(version, { what: 'chart', example: '0.2.11', distributions: false });
  return `${major}.${minor}.${patch + 1}`;
}

function since<T>(table: readonly (readonly [string, T])[], chart: GuestChartVersion): T | undefined {
  return [...table].reverse().find(([first]) => chart.isAtLeast(first))?.[1];
}

/** What a guest cluster runs, as far as it determines images. */
interface GuestRelease {
  /** The release of the distribution. */
  readonly kubernetes: string;
  /** A chart that the cluster installs; null if its version is unknown, false if there is none. @default - that of RKE2 */
  readonly cloudProviderChart?: string | null | false;
  readonly csiChart?: string | null | false;
}

/** The release and the charts of a provisioning Cluster; undefined for imports, and for releases that are late or not valid. */
export function guestReleaseOf(manifest: Manifest): GuestRelease | undefined {
  const kubernetes = plainText(valueAt(manifest, 'spec', 'kubernetesVersion'));
  const distribution = distributionOf(kubernetes);
  if (!rkeConfigOf(manifest) || distribution === undefined) { return undefined; }
  const isBundled = distribution === 'rke2' && usesHarvester(manifest);
  const disabled = nodeConfigsOf(manifest).flatMap(({ config }) => textsIn(config[DISABLE]));
  const chart = (name: string): { readonly version?: string | null | false } => {
    const installed = installedChart(manifest, name);
    if (installed) { return { version: installed.version ?? null }; }
    return isBundled && !disabled.includes(name) ? {} : { version: false };
  };
  return { kubernetes, cloudProviderChart: chart(PROVIDER_CHART).version, csiChart: chart(CSI_CHART).version };
}
