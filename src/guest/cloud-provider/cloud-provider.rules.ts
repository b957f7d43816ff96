import { BROKEN_CSI_CHART } from './chart-faults.data';
import { checkCloudConfig, checkKubeconfig, kubeconfigOfSecret } from './cloud-config-secret.rules';
import { checkClusterName, checkTopLevelName, clusterNameIn } from './cluster-name.check';
import { GuestHarvesters } from './guest-harvester.facts';
import { isLate } from '../../core/late/late-token';
import { Manifest, valueAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { SomeProblems, joinedProblems, problemsOf } from '../../core/problem/problem';
import { Findings } from '../../core/rule/findings';
import { rules } from '../../core/rule/kit/fact';
import { JudgedObject, World } from '../../core/rule/rule';
import { named } from '../../core/rule/world-lookup';
import { filledText, plainText } from '../../core/text/plain-text';
import { byText } from '../../core/text/values';
import { FeatureGates } from '../../core/version/feature-gates';
import { knownVersion } from '../../core/version/product-version';
import { harvesterVersionOf } from '../../harvester/version/harvester-version';
import { CLUSTER_KINDS } from '../../rancher/cluster/cluster.facts';
import { SupportMatrix } from '../../rancher/support-matrix/support-matrix.facts';
import {
  cloudConfigsOf,
  clusterDistribution,
  configOf,
  kubernetesVersionOf,
  poolsOf,
  providerPath,
  providerValuesOf,
  userDataOf,
  usesHarvester,
  vmNamespaceOf,
} from '../cluster/cluster-reader.facts';
import { CLOUD_CONFIG_FILE, DATA_DIRECTORY } from '../cluster/cluster.kind';
import { KubernetesVersion } from '../kubernetes/kubernetes-version';
import { Rke2Gate } from '../kubernetes/rke2.data';

const PLANNER = 'rancher/rancher:pkg/capr/planner/config.go';
const CHART = 'harvester/charts:charts/harvester-cloud-provider/templates/deployment.yaml';
const DEFAULT_DIRECTORY = DATA_DIRECTORY.rke2;

function checkNestedName(cluster: JudgedObject, world: World): SomeProblems {
  const { name } = cluster.manifest.metadata;
  const entries = providerValuesOf(cluster.manifest);
  const told = entries
    .map(({ values }) => clusterNameIn(values))
    .find((each) => each !== undefined);
  const path = `${providerPath(entries)}.global.cattle.clusterName`;
  const fix = `write ${JSON.stringify(name)}`;
  if (told === undefined || told === '') {
    return checkClusterName(path, told, fix);
  }
  if (told === name || isLate(told) || isLate(name)) {
    return undefined;
  }
  return typeof told === 'string' &&
    sharesHarvester(cluster, named(world, GROUPS.PROVISIONING, 'Cluster', told), world)
    ? {
        path,
        value: told,
        message: `must be ${name}: it is the name of another Cluster, and the load balancers of the two would collide`,
        fix,
      }
    : {
        path,
        value: told,
        // machines of a custom cluster may have this label
        level: 'warning',
        message: `must be the name of the Cluster, ${name}, which the labels of the virtual machines contain`,
        fix,
      };
}

// names only collide on the same Harvester cluster
function sharesHarvester(
  cluster: JudgedObject,
  others: readonly JudgedObject[],
  world: World,
): boolean {
  const harvesters = GuestHarvesters.in(world);
  const own = harvesters.of(cluster);
  return others.some((other) => own === harvesters.of(other));
}

/** Checks where the bundled cloud provider looks for its cloud config. */
function checkConfigPath(cluster: JudgedObject, world: World): Findings {
  const { manifest } = cluster;
  const directory =
    valueAt(manifest, 'spec', 'rkeConfig', 'dataDirectories', 'k8sDistro') || DEFAULT_DIRECTORY;
  const entries = providerValuesOf(manifest);
  const { cloudConfigPath: told, cloudConfig } = entries[0]?.values ?? {};
  if (typeof directory !== 'string' || isLate(directory) || isLate(told)) {
    return undefined;
  }
  const expected = `${directory}${CLOUD_CONFIG_FILE}`;
  if (told === expected || cloudConfig !== undefined) {
    return undefined;
  }
  const at = { path: `${providerPath(entries)}.cloudConfigPath`, fix: `write ${expected}` };
  const file = filledText(told);
  if (file !== undefined) {
    // user data may write the file where the chart looks
    return (
      !userDataOf(cluster, world).some((text) => text === undefined || text.includes(file)) && {
        ...at,
        value: told,
        message:
          'must be the path at which Rancher writes the file: otherwise the pods of the cloud provider wait for it indefinitely',
      }
    );
  } else if (directory !== DEFAULT_DIRECTORY) {
    return {
      ...at,
      message: `must be set together with the data directory ${directory}: the chart looks below ${DEFAULT_DIRECTORY}`,
    };
  }
  return (
    kubernetesOf(manifest)?.looksElsewhere && {
      ...at,
      level: 'warning',
      message:
        'must be set: the chart that this RKE2 bundles may look at /etc/kubernetes/cloud-config',
    }
  );
}

/** The bundled charts of the Kubernetes of a cluster. */
interface Kubernetes {
  /** The upstream version of the CSI driver chart. */
  readonly csi?: string;
  /** The Harvester versions that the charts need. */
  readonly needs: ReadonlyArray<{ readonly harvester: string; readonly what: string }>;
  /** Whether the cloud provider may look for its cloud config where Rancher does not write it. */
  readonly looksElsewhere: boolean;
}

function kubernetesOf(manifest: Manifest): Kubernetes | undefined {
  return kubernetesAt(plainText(kubernetesVersionOf(manifest)));
}

const kubernetesAt = byText((text): Kubernetes | undefined => {
  const version = knownVersion(KubernetesVersion.parse, text);
  if (!version) {
    return undefined;
  }
  const chart = SupportMatrix.bundledCharts(version)?.csi;
  const csi = chart === undefined ? undefined : SupportMatrix.upstreamChart(chart);
  return {
    ...(csi === undefined ? {} : { csi }),
    needs: [
      ...(FeatureGates.of(Rke2Gate.RKE2_CLOUD_PROVIDER_V0_2).supports(version)
        ? [{ harvester: '1.2.0', what: 'a cloud provider of 0.2' }]
        : []),
      ...(csi === BROKEN_CSI_CHART
        ? [
            {
              harvester: '1.4.0',
              what: `the CSI driver ${BROKEN_CSI_CHART}, whose volumes get stuck on older versions`,
            },
          ]
        : []),
    ],
    looksElsewhere: !FeatureGates.of(Rke2Gate.RKE2_CLOUD_CONFIG_PATH).supports(version),
  };
});

/**
 * The upstream version of the CSI driver chart that the Kubernetes of a Cluster bundles; undefined
 * if it is unknown.
 */
export function bundledCsi(manifest: Manifest): string | undefined {
  return kubernetesOf(manifest)?.csi;
}

/** Rules for the Harvester cloud provider of a Cluster. */
export const CLOUD_RULES = rules({ kinds: CLUSTER_KINDS }, [
  {
    id: 'cluster/cloud-config',
    what: 'cloud-provider-config names a Secret that is authorized for the Cluster and holds a kubeconfig',
    source: `${PLANNER} retrieveClusterAuthorizedSecret, checkForSecretFormat`,
    judge: (cluster, world) => {
      const references = cloudConfigsOf(cluster.manifest);
      if (references.length > 0) {
        return problemsOf(references, (reference) => checkCloudConfig(cluster, reference, world));
      }
      return (
        usesHarvester(cluster.manifest) && {
          path: 'spec.rkeConfig.machineSelectorConfig',
          level: 'warning',
          message:
            'must set cloud-provider-config for the cloud provider harvester: its pods wait for that file',
          fix: 'write cloud-provider-config: secret://<namespace>:<name>, or write the file with user data',
        }
      );
    },
  },
  {
    id: 'cluster/cloud-namespace',
    what: 'the kubeconfig of the cloud provider names the namespace of all virtual machines, and a server that they can reach',
    source:
      'harvester/cloud-provider-harvester:pkg/cloud-controller-manager/ccm.go; harvester/docs rancher/cloud-provider.md',
    when: ({ manifest }) => cloudConfigsOf(manifest).length > 0 || usesHarvester(manifest),
    judge: (cluster, world) => {
      const { manifest } = cluster;
      let first: { readonly name: string; readonly namespace: string } | undefined;
      const ofPools = problemsOf(poolsOf(manifest), (pool) => {
        const config = configOf(cluster, pool, world);
        const namespace = config && vmNamespaceOf(config);
        if (namespace === undefined) {
          return undefined;
        }
        first ??= { name: pool.name, namespace };
        return (
          namespace !== first.namespace && {
            path: `${pool.path}.machineConfigRef`,
            value: namespace,
            message: `must be ${first.namespace}, as for pool ${first.name}: the cloud provider and the CSI driver use only one namespace`,
            fix: 'use one vmNamespace for all machine configurations of a cluster',
          }
        );
      });
      return joinedProblems(
        ofPools,
        problemsOf(cloudConfigsOf(manifest), (reference) => {
          const config = kubeconfigOfSecret(cluster, reference, world);
          return config && checkKubeconfig(reference.path, config, first?.namespace);
        }),
      );
    },
  },
  {
    id: 'cluster/cloud-cluster-name',
    what: 'global.cattle.clusterName of the cloud provider is the name of the Cluster; clusterName at the top level has no effect',
    source: `${CHART}; harvester/cloud-provider-harvester:pkg/utils/config.go`,
    judge: (cluster, world) =>
      joinedProblems(
        problemsOf(providerValuesOf(cluster.manifest), ({ path, values }) =>
          checkTopLevelName(`${path}.clusterName`, values),
        ),
        clusterDistribution(cluster.manifest) === 'rke2' &&
          usesHarvester(cluster.manifest) &&
          checkNestedName(cluster, world),
      ),
  },
  {
    id: 'cluster/cloud-config-path',
    what: 'cloudConfigPath of the bundled cloud provider is where Rancher writes the file: below the data directory of the distribution',
    source: `${PLANNER} configFile; rancher/rke2-charts: hostPath of type File`,
    when: ({ manifest }) =>
      clusterDistribution(manifest) === 'rke2' &&
      usesHarvester(manifest) &&
      cloudConfigsOf(manifest).length > 0,
    judge: checkConfigPath,
  },
  {
    id: 'cluster/harvester-version',
    what: 'the cloud provider and the CSI driver that RKE2 bundles work with the Harvester version',
    source: 'harvester/docs rancher/cloud-provider.md; harvester/docs#670: rancher/csi-driver.md',
    when: ({ manifest }) => usesHarvester(manifest),
    judge: (cluster, world) => {
      const kubernetes = kubernetesOf(cluster.manifest);
      const harvester =
        kubernetes && harvesterVersionOf(GuestHarvesters.in(world).of(cluster) ?? cluster.target);
      return (
        harvester &&
        problemsOf(
          kubernetes.needs,
          ({ harvester: first, what }) =>
            harvester.isBefore(first) && {
              path: 'spec.kubernetesVersion',
              value: kubernetesVersionOf(cluster.manifest),
              message: `must be a release for Harvester ${harvester}: it bundles ${what}, which needs Harvester ${first} or later`,
              fix: 'upgrade Harvester, or choose another release of RKE2',
            },
        )
      );
    },
  },
]);
