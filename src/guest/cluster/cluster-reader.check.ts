import { GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_KIND, MACHINE_DEFAULTS, PROVIDER_NAME } from './cluster.kind';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, valueAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { JudgedObject, World } from '../../core/rule/rule';
import { plainText } from '../../core/text/plain-text';
import { byObject, grouped } from '../../core/text/values';
import { MachineFacts } from '../cloud-provider/chart-faults.data';
import { CLOUD_PROVIDER_NAME } from '../kubernetes/rke2.data';

/** A JSON object. */
export interface Fields { readonly [key: string]: unknown }

/** A machine pool and its path. */
export interface Pool {
  readonly path: string;
  readonly name: string;
  readonly fields: Fields;
}

/** The rkeConfig of a Cluster; undefined for imports. */
export function rkeConfigOf(manifest: Manifest): Fields | undefined {
  const config = valueAt(manifest, 'spec', 'rkeConfig');
  return isRecord(config) ? config : undefined;
}

/** The machine pools of a Cluster that are maps. */
export const poolsOf = byObject((manifest: Manifest): readonly Pool[] => {
  const pools = rkeConfigOf(manifest)?.machinePools;
  if (!Array.isArray(pools)) { return []; }
  return pools.flatMap((fields: unknown, index): Pool[] => (isRecord(fields)
    ? [{ path: `spec.rkeConfig.machinePools[${index}]`, name: typeof fields.name === 'string' ? fields.name : '', fields }] : []));
});

/** What is known of the machines of a Cluster; nothing without pools, as in custom clusters. */
export function machineFactsOf(manifest: Manifest): MachineFacts {
  const pools = poolsOf(manifest).map(({ fields }) => fields);
  if (pools.length === 0) { return {}; }
  const counts = pools.map(({ quantity, autoscalingMaxSize }) => (typeof quantity === 'number' && autoscalingMaxSize === undefined ? quantity : Infinity));
  const controlPlane = pools.filter(({ controlPlaneRole }) => controlPlaneRole === true);
  return {
    single: counts.reduce((sum, count) => sum + count, 0) === 1,
    dedicated: controlPlane.length > 0 && controlPlane.every(({ etcdRole, workerRole }) => etcdRole === true && workerRole !== true),
  };
}

/** The name of the HarvesterConfig that a pool refers to; undefined for machine configurations of other drivers. */
export function configNameOf({ fields }: Pool): string | undefined {
  const ref = fields.machineConfigRef;
  if (!isRecord(ref) || ref.kind !== HARVESTER_CONFIG_KIND || typeof ref.name !== 'string' || ref.name === '') { return undefined; }
  const { apiVersion } = ref;
  return apiVersion === undefined || apiVersion === '' || plainText(apiVersion).startsWith(`${GROUP_MACHINE_CONFIG}/`) ? ref.name : undefined;
}

const configsIn = byObject((_: World) => new Map<Pool, JudgedObject | undefined>());

/** The machine configuration of a pool, which is always in the namespace of the Cluster. */
export function configOf(cluster: JudgedObject, pool: Pool, world: World): JudgedObject | undefined {
  const known = configsIn(world);
  let config = known.get(pool);
  if (config === undefined && !known.has(pool)) {
    const name = configNameOf(pool);
    const { namespace } = cluster.manifest.metadata;
    config = name === undefined ? undefined : world.find(cluster, GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_KIND, namespace, name);
    known.set(pool, config);
  }
  return config;
}

/** The namespace of the virtual machines of a machine configuration; undefined if it is late. */
export function vmNamespaceOf({ manifest }: JudgedObject): string | undefined {
  const namespace = manifest.vmNamespace;
  if (namespace === undefined || namespace === null || namespace === '') { return MACHINE_DEFAULTS.vmNamespace; }
  return typeof namespace === 'string' && !isLate(namespace) ? namespace : undefined;
}

/** The configuration of nodes, and its path. */
export interface NodeConfig {
  readonly path: string;
  readonly config: Fields;
}

/** The node configurations in a Cluster: the global one, and those for machines that match a selector. */
export const nodeConfigsOf = byObject((manifest: Manifest): readonly NodeConfig[] => {
  const rke = rkeConfigOf(manifest);
  if (!rke) { return []; }
  const entries = Array.isArray(rke.machineSelectorConfig) ? rke.machineSelectorConfig : [];
  return [
    { path: 'spec.rkeConfig.machineGlobalConfig', config: rke.machineGlobalConfig },
    ...entries.map((entry: unknown, index) => ({ path: `spec.rkeConfig.machineSelectorConfig[${index}].config`, config: valueAt(entry, 'config') })),
  ].flatMap(({ path, config }) => (isRecord(config) ? [{ path, config }] : []));
});

/** Whether a Cluster has the cloud provider of Harvester that RKE2 bundles. */
export const usesHarvester = byObject((manifest: Manifest): boolean => (
  nodeConfigsOf(manifest).some(({ config }) => config[CLOUD_PROVIDER_NAME] === PROVIDER_NAME)));

/** A pool that uses a machine configuration. */
interface PoolUser {
  readonly cluster: JudgedObject;
  readonly pool: Pool;
}

const configKey = ({ target, manifest }: JudgedObject, name: string): string => `${target.name} ${manifest.metadata.namespace ?? ''}/${name}`;

/** The users of each machine configuration, by its identity. */
const usersIn = byObject((world: World): ReadonlyMap<string, readonly PoolUser[]> => {
  const users = world.ofKind(GROUPS.PROVISIONING, 'Cluster').flatMap((cluster) => poolsOf(cluster.manifest).map((pool): PoolUser => ({ cluster, pool })));
  return grouped(users.filter(({ pool }) => configNameOf(pool) !== undefined), ({ cluster, pool }) => configKey(cluster, configNameOf(pool)!));
});

const usersByConfig = byObject((_: World) => new Map<JudgedObject, readonly PoolUser[]>());

/** The pools of all Clusters that use a machine configuration. */
export function usersOf(config: JudgedObject, world: World): readonly PoolUser[] {
  const known = usersByConfig(world);
  let users = known.get(config);
  if (!users) { known.set(config, users = usersIn(world).get(configKey(config, config.manifest.metadata.name)) ?? []); }
  return users;
}
