import { KUBERNETES_PRODUCT } from './guest-gates.data';
import { isLate } from '../../core/late/late-token';
import { Manifest, valueAt } from '../../core/manifest/manifest';
import { GROUPS, SETTING_REGISTRATION_URL } from '../../core/manifest/names';
import { Problem, problemsOf } from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { JudgedObject, JudgedTarget, World } from '../../core/rule/rule';
import { named } from '../../core/rule/world-lookup';
import { plainText } from '../../core/text/plain-text';
import { byObject, byText } from '../../core/text/values';
import { knownVersion } from '../../core/version/product-version';
import { Product, Semver, compareToKnown, parseSemver } from '../../core/version/semver';
import { HARVESTER_PRODUCT, harvesterVersionOf } from '../../harvester/version/harvester-version';
import { CLUSTER_KINDS, managementClusterIdOf } from '../../rancher/cluster/cluster.facts';
import {
  SupportLevel,
  SupportMatrix,
  unsupportedPair,
} from '../../rancher/support-matrix/support-matrix.facts';
import {
  RANCHER_PRODUCT,
  RancherVersion,
  rancherVersionOf,
} from '../../rancher/version/rancher-version';
import { GuestHarvesters } from '../cloud-provider/guest-harvester.facts';
import {
  configNameOf,
  configOf,
  kubernetesVersionOf,
  nodeConfigsOf,
  poolsOf,
  rkeConfigOf,
  vmNamespaceOf,
} from '../cluster/cluster-reader.facts';
import { KubernetesDistribution, KubernetesVersion } from '../kubernetes/kubernetes-version';
import { KUBELET_ARG, textsIn } from '../kubernetes/kubernetes.check';
import { cloudInitText, machineReferences } from '../machine-config/machine-json.facts';

/** A guest operating system that machines of new Kubernetes releases cannot run. */
interface GuestSystem {
  readonly name: string;
  /** Matches the file name or display name of its cloud images. */
  readonly image: RegExp;
}

/**
 * The first Kubernetes minor line whose kubelet does not start on a node with cgroup v1
 * (failCgroupV1 is true by default).
 */
const FIRST_WITHOUT_CGROUP_V1 = 35;

/** The kubelet argument that lets it start there nevertheless. */
const ALLOW_CGROUP_V1 = 'fail-cgroupv1=false';

/** A kernel argument that switches systemd to cgroup v2. */
const UNIFIED_CGROUP = 'systemd.unified_cgroup_hierarchy';

const CGROUP_SOURCE =
  'kubernetes/kubernetes#134298 (KEP-5573); kubernetes.io/docs/concepts/architecture/cgroups; seen with K3s 1.35.2 on Rocky Linux 8: NVIDIA/OpenShell#360';

/**
 * Operating systems that mount cgroup v1 by default. SUSE's support matrix could not be read, and
 * RKE2 runs on every Linux with systemd and iptables (docs.rke2.io/install/requirements), so only
 * systems are listed on which Kubernetes itself does not start.
 */
const CGROUP_V1_SYSTEMS: readonly GuestSystem[] = [
  { name: 'CentOS 7', image: /centos[-_ ]?(linux)?[-_ ]?7([-_. ]|$)/i },
  {
    name: 'Enterprise Linux 8',
    image:
      /(rocky|alma|almalinux|rhel|centos|centos[-_ ]?stream|ol|oraclelinux|oracle[-_ ]linux)[-_ ]?(linux)?[-_ ]?8([-_. ]|u\d|$)/i,
  },
  { name: 'Ubuntu 18.04', image: /bionic|ubuntu[-_ ]?18\.04/i },
  { name: 'Ubuntu 20.04', image: /focal|ubuntu[-_ ]?20\.04/i },
  { name: 'Debian 10', image: /buster|debian[-_ ]?10([-_. ]|$)/i },
];

const PATH = 'spec.kubernetesVersion';

function kubernetesOf(manifest: Manifest): KubernetesVersion | undefined {
  const version = rkeConfigOf(manifest) && kubernetesVersionOf(manifest);
  return typeof version === 'string' && !isLate(version) ? parsed(version) : undefined;
}

const parsed = byText((text) => knownVersion(KubernetesVersion.parse, text));

/** The problem of a version whose rules this release of the library does not know. */
function unknownVersion(
  { name, known }: Product,
  path: string,
  version: Semver,
  text: string,
): Problem | undefined {
  const beyond = known ? compareToKnown(version, known) : 0;
  if (!known || beyond === 0) {
    return undefined;
  }
  const reason =
    beyond < 0
      ? 'this release of cdk8s-harvester does not know the rules of earlier versions'
      : `the rules of ${known.last} are the last ones that this release of cdk8s-harvester knows, and it judges later versions by them`;
  return {
    path,
    value: text,
    message: `must be ${name} ${known.first} to ${known.last}: ${reason}`,
    fix: beyond < 0 ? 'correct the version' : 'correct the version, or upgrade cdk8s-harvester',
  };
}

/** The products of a target, and the version of each that it declares. */
const DECLARED = [
  [RANCHER_PRODUCT, 'rancherVersion'],
  [HARVESTER_PRODUCT, 'harvesterVersion'],
  [KUBERNETES_PRODUCT, 'kubernetesVersion'],
] as const;

/** Whether the provisioning Cluster of a guest, with its version, is known. */
function hasCluster(
  { provisioningCluster, kubernetesVersion }: JudgedTarget,
  world: World,
): boolean {
  const [namespace, name = ''] = provisioningCluster?.split('/') ?? [];
  return named(world, GROUPS.PROVISIONING, 'Cluster', name).some(
    ({ manifest }) =>
      manifest.metadata.namespace === namespace &&
      kubernetesVersionOf(manifest) === kubernetesVersion,
  );
}

/**
 * Kubernetes has a patch version of a minor line about once a month.
 * @see https://kubernetes.io/releases/patch-releases/
 */
const RELEASES_OF_A_YEAR = 12;

const releaseOf = byObject((version: KubernetesVersion) =>
  SupportMatrix.kubernetesRelease(version),
);

const rangeOf = byObject((rancher: RancherVersion) => {
  const [first, last] = SupportMatrix.kubernetesOf(rancher) ?? [];
  return first === undefined || last === undefined
    ? undefined
    : { first, last, from: `${first}.0-0`, lastMinor: Number(last.split('.')[1]) };
});

/**
 * The newest release that is known of a minor line, of the same distribution, and those beyond it.
 */
function within(
  { distribution }: KubernetesVersion,
  minor: string,
  beyond: 'later' | 'earlier',
): string {
  const { newest } = releaseOf(
    KubernetesVersion.parse(
      `v${minor}.0+${distribution === KubernetesDistribution.RKE2 ? 'rke2r' : 'k3s'}${NO_RELEASE}`,
    ),
  );
  return newest === undefined
    ? `a release of Kubernetes that is ${beyond}`
    : `${newest} or ${beyond}`;
}

/**
 * No release of a patch version has as high a number, so that the table names the ones that exist.
 */
const NO_RELEASE = 999;

/** The Harvester that a Cluster imports, or that its machines run on. */
function harvesterOf(cluster: JudgedObject, world: World): JudgedTarget | undefined {
  const harvesters = GuestHarvesters.in(world);
  if (rkeConfigOf(cluster.manifest)) {
    return poolsOf(cluster.manifest).some((pool) => configNameOf(pool) !== undefined)
      ? harvesters.of(cluster)
      : undefined;
  }
  const id = managementClusterIdOf(cluster.manifest);
  return id === undefined ? undefined : importsOf(harvesters).get(`${cluster.target.name}/${id}`);
}

/** The Harvester clusters by the management clusters that they are. */
const importsOf = byObject(
  ({ targets }: GuestHarvesters): ReadonlyMap<string, JudgedTarget> =>
    new Map(
      [...targets.values()].flatMap((target) =>
        target.managedAs === undefined ? [] : [[target.managedAs, target] as const],
      ),
    ),
);

/** The targets whose registration URL is known. */
const registeredIn = byObject(
  (world: World): ReadonlySet<string> =>
    new Set(
      world
        .ofKind(GROUPS.HARVESTER, 'Setting')
        .filter(({ manifest }) => manifest.metadata.name === SETTING_REGISTRATION_URL)
        .map(({ target }) => target.name),
    ),
);

const systemOf = byObject(({ spec }: Manifest): string | undefined => {
  const file = plainText(valueAt(spec, 'url')).split(/[?#]/, 1)[0].split('/').pop() ?? '';
  const names = [file, plainText(valueAt(spec, 'displayName'))];
  return CGROUP_V1_SYSTEMS.find(({ image }) => names.some((name) => image.test(name)))?.name;
});

/**
 * Rules on versions: which are known, and which go together: Kubernetes with Rancher and the guest
 * operating system, Harvester with Rancher.
 */
export const VERSION_RULES = rules({ kinds: CLUSTER_KINDS, level: 'warning' }, [
  {
    id: 'version/unknown',
    what: 'this release of the library knows the rules of the versions of Rancher, Harvester, and Kubernetes in the program',
    source: DECLARED.map(([{ known }]) => known!.source).join('; '),
    judge: ({ manifest }) => {
      const version = kubernetesOf(manifest);
      return (
        version && unknownVersion(KUBERNETES_PRODUCT, PATH, version._semver, version.toString())
      );
    },
    judgeTarget: (target: JudgedTarget, world) =>
      problemsOf(DECLARED, ([product, declared]) => {
        const version = knownVersion((text) => parseSemver(text, product), target[declared]);
        const problem = version && unknownVersion(product, 'version', version, target[declared]!);
        // the Cluster of a guest is judged itself
        return problem && !(product === KUBERNETES_PRODUCT && hasCluster(target, world)) && problem;
      }),
  },
  {
    id: 'cluster/kubernetes-release',
    level: 'error',
    what: 'the release of RKE2 or K3s exists: no machine can install another; of later patch versions than those that were read, those that are later by more than a year of releases are warnings',
    source:
      'tags of rancher/rke2, rancher/system-agent-installer-rke2, rancher/system-agent-installer-k3s; rancher/rancher:pkg/capr/planner/planner.go getInstallerImage',
    judge: ({ manifest }) => {
      const version = kubernetesOf(manifest);
      const release = version && releaseOf(version);
      if (release === undefined || release.level === SupportLevel.SUPPORTED) {
        return undefined;
      }
      const { nearest, newest, readOn, ahead = 0 } = release;
      if (release.level === SupportLevel.UNKNOWN) {
        return (
          ahead > RELEASES_OF_A_YEAR && {
            path: PATH,
            value: version!.toString(),
            level: 'warning',
            message: `may not exist: it is later by ${ahead} patch versions than ${newest}, the newest of this minor line on ${readOn}`,
            fix: `make sure that this release exists, or use ${newest}`,
          }
        );
      }
      return {
        path: PATH,
        value: version!.toString(),
        message: `must be a release that exists: the newest of this minor line on ${readOn} was ${newest}`,
        fix: nearest === newest ? `use ${newest}` : `use ${nearest} or ${newest}`,
      };
    },
  },
  {
    id: 'cluster/kubernetes-support',
    what: 'Rancher provisions the Kubernetes minor line of a cluster; outside of its range it offers no release, and does not know its charts and options',
    source:
      'rancher/kontainer-driver-metadata:channels-rke2.yaml minChannelServerVersion, maxChannelServerVersion; rancher/rancher#51253, #53764, #55306',
    judge: ({ manifest, target }) => {
      const version = kubernetesOf(manifest);
      const rancher = version?.distribution && rancherVersionOf(target);
      const range = rancher && rangeOf(rancher);
      if (!range) {
        return undefined;
      }
      const { first, last, lastMinor } = range;
      const below = version!.isBefore(range.from);
      return (
        (below || version!.minorNumber > lastMinor) && {
          path: PATH,
          value: version!.toString(),
          message: `must be Kubernetes ${first} to ${last}, which Rancher ${rancher} supports`,
          fix: below
            ? `use ${within(version!, first, 'later')}, and upgrade existing clusters before Rancher`
            : `upgrade Rancher first, or use ${within(version!, last, 'earlier')}`,
        }
      );
    },
  },
  {
    id: 'cluster/harvester-support',
    what: 'Rancher and the Harvester that it imports or creates machines on support each other (inferred, unconfirmed: not verified on a running system)',
    source: 'harvester/docs rancher/; the rows of SupportMatrix name their sources',
    judge: (cluster, world) => {
      const rancher = rancherVersionOf(cluster.target);
      const target = rancher && harvesterOf(cluster, world);
      // registration/unsupported-versions judges a registration
      if (!target || registeredIn(world).has(target.name)) {
        return undefined;
      }
      const harvester = harvesterVersionOf(target);
      if (!harvester) {
        return undefined;
      }
      const unsupported = unsupportedPair(rancher, harvester);
      return (
        unsupported && {
          path: rkeConfigOf(cluster.manifest) ? 'spec.rkeConfig.machinePools' : 'metadata.name',
          message: `cannot manage Harvester ${harvester} (${target.name}) with Rancher ${rancher}: ${unsupported.why}`,
          fix: unsupported.fix,
        }
      );
    },
  },
  {
    id: 'cluster/guest-system',
    what: 'from Kubernetes 1.35 on, the operating system of machines mounts cgroup v2, or the kubelet does not start (recognized by the name of the image)',
    source: CGROUP_SOURCE,
    judge: (cluster, world) => {
      const { manifest } = cluster;
      const version = kubernetesOf(manifest);
      if (!version || version.majorNumber !== 1 || version.minorNumber < FIRST_WITHOUT_CGROUP_V1) {
        return undefined;
      }
      if (
        nodeConfigsOf(manifest).some(({ config }) =>
          textsIn(config[KUBELET_ARG]).includes(ALLOW_CGROUP_V1),
        )
      ) {
        return undefined;
      }
      const harvester = GuestHarvesters.in(world).of(cluster);
      return problemsOf(poolsOf(manifest), (pool) => {
        const config = configOf(cluster, pool, world);
        if (
          !config ||
          !harvester ||
          cloudInitText(config.manifest, 'userData')?.includes(UNIFIED_CGROUP)
        ) {
          return undefined;
        }
        return problemsOf(machineReferences(config.manifest).images, (reference) => {
          const [namespace, name] = reference.includes('/')
            ? reference.split('/')
            : [vmNamespaceOf(config), reference];
          const isKnown = !isLate(reference) && namespace !== undefined;
          const image = isKnown
            ? world.find(
                { target: harvester },
                GROUPS.HARVESTER,
                'VirtualMachineImage',
                namespace,
                name,
              )
            : undefined;
          const system = image && systemOf(image.manifest);
          return (
            system && {
              path: `${pool.path}.machineConfigRef`,
              value: reference,
              message: `must be an image with cgroup v2: ${system} mounts cgroup v1, on which the kubelet of Kubernetes ${version.minor} does not start`,
              fix: 'use a later version of the operating system, or an earlier release of Kubernetes',
              says: 'kubelet is configured to not run on a host using cgroup v1',
            }
          );
        });
      });
    },
  },
]);
