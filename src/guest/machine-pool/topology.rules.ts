import { isLate } from '../../core/late/late-token';
import { Manifest, valueAt } from '../../core/manifest/manifest';
import { rules } from '../../core/rule/kit/fact';
import { JudgedObject, World } from '../../core/rule/rule';
import { plainText } from '../../core/text/plain-text';
import { knownVersion } from '../../core/version/product-version';
import { CLUSTER_KINDS } from '../../rancher/cluster/cluster.facts';
import { installedChart } from '../chart/helm-chart.facts';
import { GuestChartVersion } from '../cloud-provider/chart-faults.data';
import { configOf, poolsOf, usesHarvester } from '../cluster/cluster-reader.facts';
import { PROVIDER_CHART } from '../cluster/cluster.kind';
import { rke2Lacks } from '../kubernetes/kubernetes.check';
import { Rke2Gate } from '../kubernetes/rke2.data';
import { TOPOLOGY } from '../machine-config/machine-config.kind';
import { driverText } from '../machine-config/machine-json.facts';

/**
 * The first chart of the cloud provider that labels nodes.
 * @see harvester/docs rancher/node/rke2-cluster.md, custom installation
 */
const FIRST_WITH_TOPOLOGY = '0.1.4';

/**
 * The first chart whose cloud provider writes the zones of a node again after its machine moved.
 * @see harvester/docs rancher/node/rke2-cluster.md
 */
const FIRST_WITH_UPDATES = '0.2.0';

/** What the cloud provider of a Cluster is too old for. */
interface TooOld {
  readonly path: string;
  readonly lacks: string;
  readonly fix: string;
}

/**
 * Whether the cloud provider of a Cluster is older than a chart, or than the first release of RKE2
 * with it; undefined if it is not, or if that is unknown.
 */
function olderThan(manifest: Manifest, first: string, gate: Rke2Gate): TooOld | undefined {
  const chart = installedChart(manifest, PROVIDER_CHART);
  if (chart) {
    const old =
      chart.version !== undefined && !isLate(chart.version) && isChartBefore(chart.version, first);
    return old
      ? {
          path: chart.path,
          lacks: `this needs chart ${first} or later, got ${chart.version}`,
          fix: `use chart ${first} or later`,
        }
      : undefined;
  }
  const kubernetesVersion = plainText(valueAt(manifest, 'spec', 'kubernetesVersion'));
  const lacks = usesHarvester(manifest)
    ? rke2Lacks({ name: '', kubernetesVersion }, gate)
    : undefined;
  return lacks === undefined
    ? undefined
    : { path: 'spec.kubernetesVersion', lacks, fix: 'upgrade RKE2' };
}

const withoutLabels = (manifest: Manifest): TooOld | undefined =>
  olderThan(manifest, FIRST_WITH_TOPOLOGY, Rke2Gate.RKE2_TOPOLOGY_LABELS);

function isChartBefore(version: string, first: string): boolean {
  return knownVersion(GuestChartVersion.parse, version)?.isAtLeast(first) === false;
}

/** The first pool whose machines have, or lack, an affinity that names one of some words. */
function poolBy(
  cluster: JudgedObject,
  world: World,
  words: readonly string[],
  names: boolean,
): string | undefined {
  return poolsOf(cluster.manifest).find((pool) => {
    const config = configOf(cluster, pool, world)?.manifest;
    const affinity =
      config && (typeof config.vmAffinity === 'string' ? driverText(config.vmAffinity) : '');
    return (
      affinity !== undefined &&
      !isLate(affinity) &&
      words.some((word) => affinity.includes(word)) === names
    );
  })?.name;
}

/** Rules for the zones of the nodes of a Cluster. */
export const TOPOLOGY_RULES = rules({ kinds: CLUSTER_KINDS, level: 'warning' }, [
  {
    id: 'cluster/topology-labels',
    what: 'the cloud provider labels nodes with the zones of their machines',
    source: 'harvester/docs rancher/node/rke2-cluster.md (minimum versions)',
    judge: (cluster, world) => {
      const found = withoutLabels(cluster.manifest);
      if (!found) {
        return undefined;
      }
      const spread = poolBy(cluster, world, [TOPOLOGY.ZONE, TOPOLOGY.REGION], true);
      const zones =
        spread === undefined
          ? 'the zones of their machines'
          : `zones, by which machines of pool ${spread} are placed`;
      return {
        path: found.path,
        message: `does not label nodes with ${zones}: ${found.lacks}`,
        fix: found.fix,
      };
    },
  },
  {
    id: 'cluster/topology-drift',
    what: 'machines whose cloud provider labels their nodes only once (before 0.2.0) have an affinity to hosts, which keeps them in their zone',
    source: 'harvester/docs rancher/node/rke2-cluster.md: recommends affinity rules',
    judge: (cluster, world) => {
      const found = withoutLabels(cluster.manifest)
        ? undefined
        : olderThan(cluster.manifest, FIRST_WITH_UPDATES, Rke2Gate.RKE2_CLOUD_PROVIDER_V0_2);
      const pool = found && poolBy(cluster, world, ['nodeAffinity'], false);
      return (
        found &&
        pool !== undefined && {
          path: found.path,
          message: `labels a node with its zone only once: machines of pool ${pool} have no affinity to hosts, so they can move to another zone (${found.lacks})`,
          fix: `place the pool by an affinity to hosts, or ${found.fix}`,
        }
      );
    },
  },
]);
