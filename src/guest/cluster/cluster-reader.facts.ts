import { MACHINE_DEFAULTS, PROVIDER_CHART, PROVIDER_NAME, SECRET_SCHEME } from './cluster.kind';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, itemsAt, valueAt, Fields } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { JudgedObject, World } from '../../core/rule/rule';
import { filledText, plainText, textOrEmpty } from '../../core/text/plain-text';
import { byObject } from '../../core/text/values';
import {
  CLOUD_PROVIDER_NAME,
  distributionOf,
  CLOUD_PROVIDER_CONFIG,
} from '../kubernetes/rke2.data';
import { GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_KIND } from '../machine-config/machine-config.kind';
import { cloudInitText } from '../machine-config/machine-json.facts';

/** What is known of the machines of a cluster; undefined if it is unknown. */
export interface MachineFacts {
  /** Whether the cluster has one machine. */
  readonly single?: boolean;
  /** Whether all control plane machines have the role etcd too, and none of them is a worker. */
  readonly dedicated?: boolean;
}

/** A machine pool and its path. */
export interface ClusterPool {
  readonly path: string;
  readonly name: string;
  readonly fields: Fields;
}

/** The rkeConfig of a Cluster; undefined for imports. */
export function rkeConfigOf({ spec }: Manifest): Fields | undefined {
  const config = isRecord(spec) ? spec.rkeConfig : undefined;
  return isRecord(config) ? config : undefined;
}

/** The text of the objects that the control plane of a Cluster applies; empty without any. */
export function additionalManifestOf(manifest: Manifest): string {
  return filledText(rkeConfigOf(manifest)?.additionalManifest) ?? '';
}

/** The Kubernetes version of a Cluster, as it is written. */
export function kubernetesVersionOf({ spec }: Manifest): unknown {
  return isRecord(spec) ? spec.kubernetesVersion : undefined;
}

/** The distribution of a Cluster; undefined for imports, and if it is unknown. */
export function clusterDistribution(manifest: Manifest): 'rke2' | 'k3s' | undefined {
  return distributionOf(kubernetesVersionOf(manifest));
}

/** The machine pools of a Cluster that are maps. */
export const poolsOf = byObject((manifest: Manifest): readonly ClusterPool[] => {
  const all = itemsAt(rkeConfigOf(manifest), 'machinePools').map((fields, index) => ({
    path: `spec.rkeConfig.machinePools[${index}]`,
    name: nameOf(fields),
    fields,
  }));
  return all.every(isPool) ? all : all.filter(isPool);
});

function isPool(pool: { readonly fields: unknown }): pool is ClusterPool {
  return isRecord(pool.fields);
}

function nameOf(pool: unknown): string {
  return textOrEmpty(valueAt(pool, 'name'));
}

/** Whether a pool deletes a machine before it creates the one that replaces it. */
export function deletesFirst({ rollingUpdate }: Fields): boolean {
  return ['0', '0%'].includes(plainText(valueAt(rollingUpdate, 'maxSurge') ?? ''));
}

/** What is known of the machines of a Cluster; nothing without pools, as in custom clusters. */
export function machineFactsOf(manifest: Manifest): MachineFacts {
  const pools = poolsOf(manifest);
  if (pools.length === 0) {
    return {};
  }
  const counts = pools.map(({ fields }) =>
    typeof fields.quantity === 'number' && fields.autoscalingMaxSize === undefined
      ? fields.quantity
      : Infinity,
  );
  const controlPlane = pools.filter(({ fields }) => fields.controlPlaneRole === true);
  return {
    single: counts.reduce((sum, count) => sum + count, 0) === 1,
    dedicated:
      controlPlane.length > 0 &&
      controlPlane.every(({ fields }) => fields.etcdRole === true && fields.workerRole !== true),
  };
}

/**
 * The name of the HarvesterConfig that a pool refers to; undefined for machine configurations of
 * other drivers.
 */
export function configNameOf({ fields }: ClusterPool): string | undefined {
  const ref = fields.machineConfigRef;
  if (
    !isRecord(ref) ||
    ref.kind !== HARVESTER_CONFIG_KIND ||
    typeof ref.name !== 'string' ||
    ref.name === ''
  ) {
    return undefined;
  }
  const { apiVersion } = ref;
  return apiVersion === undefined ||
    apiVersion === '' ||
    plainText(apiVersion).startsWith(`${GROUP_MACHINE_CONFIG}/`)
    ? ref.name
    : undefined;
}

const configsIn = byObject((_: World) => new Map<ClusterPool, JudgedObject | undefined>());

/** The machine configuration of a pool, which is always in the namespace of the Cluster. */
export function configOf(
  cluster: JudgedObject,
  pool: ClusterPool,
  world: World,
): JudgedObject | undefined {
  const known = configsIn(world);
  let config = known.get(pool);
  if (config === undefined && !known.has(pool)) {
    const name = configNameOf(pool);
    const { namespace } = cluster.manifest.metadata;
    config =
      name === undefined
        ? undefined
        : world.find(cluster, GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_KIND, namespace, name);
    known.set(pool, config);
  }
  return config;
}

/**
 * The user data of the machines of each pool, empty without any; undefined if the machine
 * configuration is not known.
 */
export function userDataOf(cluster: JudgedObject, world: World): ReadonlyArray<string | undefined> {
  return poolsOf(cluster.manifest).map((pool) => {
    const config = configOf(cluster, pool, world);
    return config && (cloudInitText(config.manifest, 'userData') ?? '');
  });
}

/** The namespace of the virtual machines of a machine configuration; undefined if it is late. */
export function vmNamespaceOf({ manifest }: Pick<JudgedObject, 'manifest'>): string | undefined {
  const namespace = manifest.vmNamespace;
  if (namespace === undefined || namespace === null || namespace === '') {
    return MACHINE_DEFAULTS.vmNamespace;
  }
  return typeof namespace === 'string' && !isLate(namespace) ? namespace : undefined;
}

/** The configuration of nodes, and its path. */
export interface NodeConfig {
  readonly path: string;
  readonly config: Fields;
}

/**
 * The node configurations in a Cluster: the global one, and those for machines that match a
 * selector.
 */
export const nodeConfigsOf = byObject((manifest: Manifest): readonly NodeConfig[] => {
  const rke = rkeConfigOf(manifest);
  if (!rke) {
    return [];
  }
  const all = [
    { path: 'spec.rkeConfig.machineGlobalConfig', config: rke.machineGlobalConfig },
  ].concat(
    itemsAt(rke, 'machineSelectorConfig').map((entry, index) => ({
      path: `spec.rkeConfig.machineSelectorConfig[${index}].config`,
      config: valueAt(entry, 'config'),
    })),
  );
  return all.every(isNodeConfig) ? all : all.filter(isNodeConfig);
});

function isNodeConfig(entry: { readonly config: unknown }): entry is NodeConfig {
  return isRecord(entry.config);
}

/** Whether a Cluster has the cloud provider of Harvester that RKE2 bundles. */
export const usesHarvester = byObject((manifest: Manifest): boolean =>
  nodeConfigsOf(manifest).some(({ config }) => config[CLOUD_PROVIDER_NAME] === PROVIDER_NAME),
);

/** Whether a Cluster has the cloud provider of Harvester, bundled or by a chart. */
export function hasProvider(manifest: Manifest): boolean {
  return usesHarvester(manifest) || additionalManifestOf(manifest).includes(PROVIDER_CHART);
}

/** A pool that uses a machine configuration. */
interface PoolUser {
  readonly cluster: JudgedObject;
  readonly pool: ClusterPool;
}

/**
 * The users of each machine configuration; of several with the same identity, those of the first.
 */
const usersIn = byObject((world: World): ReadonlyMap<JudgedObject, readonly PoolUser[]> => {
  const users = new Map<JudgedObject, PoolUser[]>();
  for (const cluster of world.ofKind(GROUPS.PROVISIONING, 'Cluster')) {
    for (const pool of poolsOf(cluster.manifest)) {
      const config = configOf(cluster, pool, world);
      const known = config && users.get(config);
      if (known) {
        known.push({ cluster, pool });
      } else if (config) {
        users.set(config, [{ cluster, pool }]);
      }
    }
  }
  return users;
});

const NO_USERS: readonly PoolUser[] = [];

/** The pools of all Clusters that use a machine configuration. */
export function usersOf(config: JudgedObject, world: World): readonly PoolUser[] {
  return usersIn(world).get(world.same(config)[0] ?? config) ?? NO_USERS;
}

/** A reference to a cloud-config Secret, with its path. */
export interface CloudConfigReference {
  readonly path: string;
  readonly text: string;
  readonly namespace?: string;
  readonly name?: string;
}

/**
 * The cloud configs that the node configurations of a Cluster name; without name and namespace if
 * the text is not a reference.
 */
export const cloudConfigsOf = byObject((manifest: Manifest): readonly CloudConfigReference[] =>
  nodeConfigsOf(manifest).flatMap(({ path, config }) => {
    const text = filledText(config[CLOUD_PROVIDER_CONFIG]);
    return text === undefined ? [] : [readReference(`${path}.${CLOUD_PROVIDER_CONFIG}`, text)];
  }),
);

function readReference(path: string, text: string): CloudConfigReference {
  const [namespace, name, more] = text.startsWith(SECRET_SCHEME)
    ? text.slice(SECRET_SCHEME.length).split(':')
    : [];
  return namespace && name && more === undefined ? { path, text, namespace, name } : { path, text };
}
/** The values of a chart that RKE2 bundles, in a Cluster. */
interface ChartValues {
  readonly path: string;
  readonly values: Fields;
}

const CHART_VALUES = 'spec.rkeConfig.chartValues';
const PROVIDER_VALUES = new RegExp(`^${PROVIDER_CHART}(-\\d|$)`);

/** The values of the cloud provider; newer dashboards add its version to the key. */

export const providerValuesOf = byObject((manifest: Manifest): readonly ChartValues[] => {
  const charts = rkeConfigOf(manifest)?.chartValues;
  return Object.entries(isRecord(charts) ? charts : {}).flatMap(([chart, values]) =>
    PROVIDER_VALUES.test(chart) && isRecord(values)
      ? [{ path: `${CHART_VALUES}.${chart}`, values }]
      : [],
  );
});

/** The path of the values of the cloud provider, also where there are none. */
export function providerPath([entry]: readonly ChartValues[]): string {
  return entry?.path ?? `${CHART_VALUES}.${PROVIDER_CHART}`;
}
