import { BROKEN_CSI_CHART } from './chart-faults.data';
import { checkCloudConfig, checkKubeconfig, kubeconfigOf } from './cloud-config-secret.rules';
import { checkClusterName, checkTopLevelName } from './cluster-name.check';
import { GuestHarvesters } from './guest-harvester.facts';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, valueAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { NO_PROBLEMS, Problem, joined, problemsOf } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { named } from '../../core/rule/world-lookup';
import { plainText } from '../../core/text/plain-text';
import { byObject, byText } from '../../core/text/values';
import { GateId } from '../../core/version/feature-gate';
import { FeatureGates } from '../../core/version/feature-gates';
import { harvesterVersionOf } from '../../harvester/version/harvester-version';
import { CLUSTER_KINDS } from '../../rancher/cluster/cluster.kind';
import { SupportMatrix } from '../../rancher/version/support-matrix';
import { cloudConfigsOf, Fields, clusterDistribution, configOf, kubernetesVersionOf, nodeConfigsOf, poolsOf, rkeConfigOf, usesHarvester, vmNamespaceOf } from '../cluster/cluster-reader.facts';
import { CLOUD_CONFIG_FILE, DATA_DIRECTORY, PROVIDER_CHART } from '../cluster/cluster.kind';
import { KubernetesVersion } from '../kubernetes/kubernetes-version';
import { Rke2Gate } from '../kubernetes/rke2.data';
import { cloudInitText } from '../machine-config/machine-json.facts';

const PLANNER = 'rancher/rancher:pkg/capr/planner/config.go';
const CHART = 'harvester/charts:charts/harvester-cloud-provider/templates/deployment.yaml';
const VALUES = 'spec.rkeConfig.chartValues';

const CLOUD_CONFIG: Rule = {
  id: 'cluster/cloud-config',
  level: 'error',
  kinds: CLUSTER_KINDS,
  what: 'cloud-provider-config names a Secret that is authorized for the Cluster and holds a kubeconfig',
  source: `${PLANNER} retrieveClusterAuthorizedSecret, checkForSecretFormat`,
  judge(cluster: JudgedObject, world: World): Iterable<Problem> {
    const references = cloudConfigsOf(nodeConfigsOf(cluster.manifest));
    if (references.length > 0) { return problemsOf(references, (reference) => checkCloudConfig(cluster, reference, world)); }
    if (!usesHarvester(cluster.manifest)) { return NO_PROBLEMS; }
    return [{
      path: 'spec.rkeConfig.machineSelectorConfig',
      level: 'warning',
      message: 'must set cloud-provider-config for the cloud provider harvester: its pods wait for that file',
      fix: 'write cloud-provider-config: secret://<namespace>:<name>, or write the file with user data',
    }];
  },
};

const CLOUD_NAMESPACE: Rule = {
  id: 'cluster/cloud-namespace',
  level: 'error',
  kinds: CLUSTER_KINDS,
  what: 'the kubeconfig of the cloud provider names the namespace of all virtual machines, and a server that they can reach',
  source: 'harvester/cloud-provider-harvester:pkg/cloud-controller-manager/ccm.go; harvester/docs rancher/cloud-provider.md',
  judge(cluster: JudgedObject, world: World): Iterable<Problem> {
    const { manifest } = cluster;
    const references = cloudConfigsOf(nodeConfigsOf(manifest));
    if (references.length === 0 && !usesHarvester(manifest)) { return NO_PROBLEMS; }
    let first: { readonly name: string; readonly namespace: string } | undefined;
    const ofPools = problemsOf(poolsOf(manifest), (pool) => {
      const config = configOf(cluster, pool, world);
      const namespace = config && vmNamespaceOf(config);
      if (namespace === undefined) { return NO_PROBLEMS; }
      first ??= { name: pool.name, namespace };
      return namespace === first.namespace ? NO_PROBLEMS : [{
        path: `${pool.path}.machineConfigRef`,
        value: namespace,
        message: `must be ${first.namespace}, as for pool ${first.name}: the cloud provider and the CSI driver use only one namespace`,
        fix: 'use one vmNamespace for all machine configurations of a cluster',
      }];
    });
    const ofConfigs = problemsOf(references, (reference) => {
      const config = kubeconfigOf(cluster, reference, world);
      return config === undefined ? NO_PROBLEMS : checkKubeconfig(reference.path, config, first?.namespace);
    });
    return joined(ofPools, ofConfigs);
  },
};

const CLUSTER_NAME: Rule = {
  id: 'cluster/cloud-cluster-name',
  level: 'error',
  kinds: CLUSTER_KINDS,
  what: 'global.cattle.clusterName of the cloud provider is the name of the Cluster; clusterName at the top level has no effect',
  source: `${CHART}; harvester/cloud-provider-harvester:pkg/utils/config.go`,
  judge(cluster: JudgedObject, world: World): Iterable<Problem> {
    const { manifest } = cluster;
    const ofTop = problemsOf(providerValuesOf(manifest), ({ path, values }) => checkTopLevelName(`${path}.clusterName`, values));
    if (clusterDistribution(manifest) !== 'rke2' || !usesHarvester(manifest)) { return ofTop; }
    return joined(ofTop, checkNestedName(cluster, world));
  },
};

function checkNestedName(cluster: JudgedObject, world: World): readonly Problem[] {
  const { manifest } = cluster;
  const { name } = manifest.metadata;
  const entries = providerValuesOf(manifest);
  let given: unknown;
  for (const { values } of entries) {
    if (given === undefined) { given = valueAt(values, 'global', 'cattle', 'clusterName'); }
  }
  // a name of digits without quotes
  const told = typeof given === 'number' ? String(given) : given;
  const isMissing = told === undefined || told === '';
  if (!isMissing && (told === name || isLate(told) || isLate(name))) { return NO_PROBLEMS; }
  const path = `${entries[0]?.path ?? `${VALUES}.${PROVIDER_CHART}`}.global.cattle.clusterName`;
  const fix = `write ${JSON.stringify(name)}`;
  if (isMissing) { return checkClusterName(path, told, fix); }
  const taken = typeof told === 'string' && sharesHarvester(cluster, named(world, GROUPS.PROVISIONING, 'Cluster', told), world);
  return [taken
    ? { path, value: told, message: `must be ${name}: it is the name of another Cluster, and the load balancers of the two would collide`, fix }
    : {
      path,
      value: told,
      // machines of a custom cluster may have this label
      level: 'warning',
      message: `must be the name of the Cluster, ${name}, which the labels of the virtual machines contain`,
      fix,
    }];
}

// names only collide on the same Harvester cluster
function sharesHarvester(cluster: JudgedObject, others: readonly JudgedObject[], world: World): boolean {
  const harvesters = GuestHarvesters.in(world);
  const own = harvesters.of(cluster);
  return others.some((other) => own === harvesters.of(other));
}

const PROVIDER = new RegExp(`^${PROVIDER_CHART}(-\\d|$)`);

interface ChartValues { readonly path: string; readonly values: Fields }

/** The values of the cloud provider; newer dashboards add its version to the key. */
export const providerValuesOf = byObject((manifest: Manifest): readonly ChartValues[] => {
  const charts = rkeConfigOf(manifest)?.chartValues;
  if (!isRecord(charts)) { return []; }
  let found: readonly ChartValues[] = [];
  for (const chart in charts) {
    const values = charts[chart];
    if (PROVIDER.test(chart) && isRecord(values)) { found = [...found, { path: `${VALUES}.${chart}`, values }]; }
  }
  return found;
});

const CONFIG_PATH: Rule = {
  id: 'cluster/cloud-config-path',
  level: 'error',
  kinds: CLUSTER_KINDS,
  what: 'cloudConfigPath of the bundled cloud provider is where Rancher writes the file: below the data directory of the distribution',
  source: `${PLANNER} configFile; rancher/rke2-charts: hostPath of type File`,
  judge(cluster: JudgedObject, world: World): Iterable<Problem> {
    const { manifest } = cluster;
    const distribution = clusterDistribution(manifest);
    if (distribution !== 'rke2' || !usesHarvester(manifest) || cloudConfigsOf(nodeConfigsOf(manifest)).length === 0) { return NO_PROBLEMS; }
    const directory = valueAt(manifest, 'spec', 'rkeConfig', 'dataDirectories', 'k8sDistro') || DATA_DIRECTORY[distribution];
    const [entry] = providerValuesOf(manifest);
    const told = entry?.values.cloudConfigPath;
    const path = `${entry?.path ?? `${VALUES}.${PROVIDER_CHART}`}.cloudConfigPath`;
    if (typeof directory !== 'string' || isLate(directory) || isLate(told)) { return NO_PROBLEMS; }
    const expected = `${directory}${CLOUD_CONFIG_FILE}`;
    if (told === expected || entry?.values.cloudConfig !== undefined) { return NO_PROBLEMS; }
    if (typeof told === 'string' && told !== '') {
      const written = poolsOf(manifest).some((pool) => {
        const config = configOf(cluster, pool, world);
        return config === undefined || cloudInitText(config.manifest, 'userData')?.includes(told) === true;
      });
      // user data may write the file where the chart looks
      if (written && poolsOf(manifest).length > 0) { return NO_PROBLEMS; }
      return [{
        path,
        value: told,
        message: 'must be the path at which Rancher writes the file: otherwise the pods of the cloud provider wait for it indefinitely',
        fix: `write ${expected}`,
      }];
    } else if (directory !== DATA_DIRECTORY.rke2) {
      return [{
        path,
        message: `must be set together with the data directory ${directory}: the chart looks below ${DATA_DIRECTORY.rke2}`,
        fix: `write ${expected}`,
      }];
    } else if (kubernetesOf(manifest)?.lacks(Rke2Gate.RKE2_CLOUD_CONFIG_PATH)) {
      return [{
        path,
        level: 'warning',
        message: 'must be set: the chart that this RKE2 bundles may look at /etc/kubernetes/cloud-config',
        fix: `write ${expected}`,
      }];
    }
    return NO_PROBLEMS;
  },
};

/** The bundled charts and features of the Kubernetes of a cluster. */
interface Kubernetes {
  /** The upstream version of the CSI driver chart. */
  readonly csi?: string;
  /** The Harvester versions that the charts need. */
  readonly needs: ReadonlyArray<{ readonly harvester: string; readonly what: string }>;
  lacks(gate: GateId): boolean;
  problem(gate: GateId): string | undefined;
}

function kubernetesOf(manifest: Manifest): Kubernetes | undefined {
  return kubernetesAt(plainText(kubernetesVersionOf(manifest)));
}

const kubernetesAt = byText((text): Kubernetes | undefined => {
  try {
    const version = KubernetesVersion.parse(text);
    const chart = SupportMatrix.bundledCharts(version)?.csi;
    const csi = chart === undefined ? undefined : SupportMatrix.upstreamChart(chart);
    const lacks = (gate: GateId): boolean => !FeatureGates.of(gate).supports(version);
    return {
      ...(csi === undefined ? {} : { csi }),
      needs: [
        ...(lacks(Rke2Gate.RKE2_CLOUD_PROVIDER_V0_2) ? [] : [{ harvester: '1.2.0', what: 'a cloud provider of 0.2' }]),
        ...(csi === BROKEN_CSI_CHART ? [{ harvester: '1.4.0', what: `the CSI driver ${BROKEN_CSI_CHART}, whose volumes get stuck on older versions` }] : []),
      ],
      lacks,
      problem: (gate) => FeatureGates.of(gate)._lack(version),
    };
  } catch {
    // another rule reports versions that cannot be parsed
    return undefined;
  }
});

/** The upstream version of the CSI driver chart that the Kubernetes of a Cluster bundles; undefined if it is unknown. */
export function bundledCsi(manifest: Manifest): string | undefined {
  return kubernetesOf(manifest)?.csi;
}

const COMPATIBILITY: Rule = {
  id: 'cluster/harvester-version',
  level: 'error',
  kinds: CLUSTER_KINDS,
  what: 'the cloud provider and the CSI driver that RKE2 bundles work with the Harvester version',
  source: 'harvester/docs rancher/cloud-provider.md; harvester/docs#670: rancher/csi-driver.md',
  judge(cluster: JudgedObject, world: World): Iterable<Problem> {
    const { manifest } = cluster;
    const kubernetes = usesHarvester(manifest) ? kubernetesOf(manifest) : undefined;
    const harvester = kubernetes && harvesterVersionOf(GuestHarvesters.in(world).of(cluster) ?? cluster.target);
    if (!harvester) { return NO_PROBLEMS; }
    return problemsOf(kubernetes!.needs, ({ harvester: first, what }) => (!harvester.isBefore(first) ? NO_PROBLEMS : [{
      path: 'spec.kubernetesVersion',
      value: kubernetesVersionOf(manifest),
      message: `must be a release for Harvester ${harvester}: it bundles ${what}, which needs Harvester ${first} or later`,
      fix: 'upgrade Harvester, or choose another release of RKE2',
    }]));
  },
};

/** Rules for the Harvester cloud provider of a Cluster. */
export const CLOUD_RULES: readonly Rule[] = [CLOUD_CONFIG, CLOUD_NAMESPACE, CLUSTER_NAME, CONFIG_PATH, COMPATIBILITY];
