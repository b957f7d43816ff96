import { isLate } from '../../core/late/late-token';
import { Manifest, valueAt } from '../../core/manifest/manifest';
import { NO_PROBLEMS, Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { plainText } from '../../core/text/plain-text';
import { rke2Lacks } from '../../harvester/context.rules';
import { CLUSTER_KINDS } from '../../rancher/cluster/cluster.kind';
import { installedChart } from '../chart/helm-chart.rules';
import { GuestChartVersion } from '../cloud-provider/chart-faults.data';
import { configOf, poolsOf, usesHarvester } from '../cluster/cluster-reader.check';
import { PROVIDER_CHART } from '../cluster/cluster.kind';
import { Rke2Gate } from '../kubernetes/rke2.data';
import { TOPOLOGY } from '../machine-config/machine-config.kind';
import { driverText } from '../machine-config/machine-json.check';

/** The first chart of the cloud provider that labels nodes. @see harvester/docs rancher/node/rke2-cluster.md, custom installation */
const FIRST_WITH_TOPOLOGY = '0.1.4';

/** Why the cloud provider of a Cluster does not label nodes with zones; undefined if it does, or if that is unknown. */
function lacksTopology(manifest: Manifest): { readonly path: string; readonly lacks: string; readonly fix: string } | undefined {
  const chart = installedChart(manifest, PROVIDER_CHART);
  if (chart) {
    const old = chart.version !== undefined && !isLate(chart.version) && isChartBefore(chart.version, FIRST_WITH_TOPOLOGY);
    return old ? { path: chart.path, lacks: `this needs chart ${FIRST_WITH_TOPOLOGY} or later, got ${chart.version}`, fix: `use chart ${FIRST_WITH_TOPOLOGY} or later` } : undefined;
  }
  const kubernetesVersion = plainText(valueAt(manifest, 'spec', 'kubernetesVersion'));
  const lacks = usesHarvester(manifest) ? rke2Lacks({ name: '', kubernetesVersion }, Rke2Gate.RKE2_TOPOLOGY_LABELS) : undefined;
  return lacks === undefined ? undefined : { path: 'spec.kubernetesVersion', lacks, fix: 'upgrade RKE2' };
}

function isChartBefore(version: string, first: string): boolean {
  try {
    return !GuestChartVersion.parse(version).isAtLeast(first);
  } catch {
    // not a version
    return false;
  }
}

const TOPOLOGY_LABELS: Rule = {
  id: 'cluster/topology-labels',
  level: 'warning',
  kinds: CLUSTER_KINDS,
  what: 'if virtual machines are spread over zones, the cloud provider labels nodes with the zones of their machines',
  source: 'harvester/docs rancher/node/rke2-cluster.md (minimum versions)',
  judge(cluster: JudgedObject, world: World): Iterable<Problem> {
    const { manifest } = cluster;
    const spread = poolsOf(manifest).find((pool) => {
      const affinity = configOf(cluster, pool, world)?.manifest.vmAffinity;
      return typeof affinity === 'string' && [TOPOLOGY.ZONE, TOPOLOGY.REGION].some((key) => driverText(affinity).includes(key));
    });
    const found = spread && lacksTopology(manifest);
    if (!found) { return NO_PROBLEMS; }
    return [{
      path: found.path,
      message: `does not label nodes with zones, by which machines of pool ${spread.name} are placed: ${found.lacks}`,
      fix: found.fix,
    }];
  },
};

/** Rules for the zones of the nodes of a Cluster. */
export const TOPOLOGY_RULES: readonly Rule[] = [TOPOLOGY_LABELS];
