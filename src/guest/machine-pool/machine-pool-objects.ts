import { ApiObject } from 'cdk8s';
import { MachinePool } from './machine-pool';
import { machineConfigFields, machinePoolEntry, nicsOf } from './machine-pool-spec';
import { EdgeType, Edges } from '../../core/late/edge';
import { LateType } from '../../core/late/late-text';
import { waitsForCluster } from '../../core/late/late-token';
import { LateSource, LateValue } from '../../core/late/late-value';
import { note } from '../../core/manifest/object-notes';
import { fail, parsed } from '../../core/rule/problem';
import { fieldsOfKind } from '../../core/shape/known-shapes';
import { lazily } from '../../core/text/values';
import { ClusterContext, Fields, NodeFile } from '../cluster/cluster-parts';
import { HARVESTER_CONFIG_KIND } from '../cluster/cluster.kind';
import { isExpanded } from '../machine-config/machine-config.check';
import { MACHINE_CONFIG_API, MACHINE_CONFIG_PREFIX } from '../machine-config/machine-config.kind';

/** The parts of a guest cluster that a pool becomes. */
export interface AddedMachinePool {
  /** The entry of `rkeConfig.machinePools`. */
  readonly entry: Fields;
  /** The HarvesterConfig, which several pools may share. */
  readonly config: ApiObject;
}

/**
 * Writes the HarvesterConfigs of a cluster's pools below its construct and returns the entries of the pools for the Cluster.
 *
 * @param files that every node of the cluster has
 */
export function addMachinePools(context: ClusterContext, pools: readonly MachinePool[], files: readonly NodeFile[]): AddedMachinePool[] {
  return pools.map((pool) => {
    const name = pool.machineConfigName ?? `${MACHINE_CONFIG_PREFIX}${context.name}-${pool.name}`;
    return { entry: machinePoolEntry(pool, name, context.rancherVersion), config: addMachineConfig(context, pool, name, files) };
  });
}

function addMachineConfig(context: ClusterContext, pool: MachinePool, name: string, files: readonly NodeFile[]): ApiObject {
  const { scope } = context;
  const id = `MachineConfig-${name}`;
  const shared = scope.node.tryFindChild(id) as ApiObject | undefined;
  const encode = (what: string, text: string): string => encoded(context, `${name}-${what}`, text);
  const identity = { vmNamespace: context.vmNamespace!, cluster: context.name, pool: pool.name };
  const fields = parsed(scope, `pools[${pool.name}]`, () => machineConfigFields(pool, identity, files, encode));
  if (shared) {
    const { apiVersion, kind, metadata, ...others } = shared.toJson() as Fields;
    const different = [...new Set([...Object.keys(fields), ...Object.keys(others)])].filter((field) => fields[field] !== others[field]);
    if (different.length > 0) {
      fail(scope, [{
        path: `pools[${pool.name}].machineConfigName`,
        value: name,
        message: `cannot be shared with another pool, whose machines differ in ${different.sort().join(', ')}`,
        fix: 'make the machines equal, or use another machineConfigName for each pool',
      }]);
    }
    return shared;
  }

  const config = new ApiObject(scope, id, {
    apiVersion: MACHINE_CONFIG_API, kind: HARVESTER_CONFIG_KIND, metadata: { name, namespace: context.fleetWorkspace }, ...fields,
  });
  note(config, {
    deletion: { policy: 'delete', reason: 'Rancher deletes it with its Cluster; without it Rancher cannot create machines of the pool' },
    othersWrite: [
      'metadata.annotations[field.cattle.io/creatorId]', 'metadata.annotations[ownerBindingsCreated]', 'metadata.ownerReferences',
      // the API server fills in the driver's defaults
      ...driverFields().filter((field) => !(field in fields)),
    ],
  });
  for (const { _image: image, _storageClass: storageClass } of pool.disks) {
    if (image) { Edges.of(config)._add(image, EdgeType.READY); }
    if (storageClass) { Edges.of(config)._add(storageClass, EdgeType.APPLIED); }
  }
  for (const { network } of nicsOf(pool)) { Edges.of(config)._add(network, EdgeType.APPLIED); }
  // the Cluster waits for the HarvesterConfig, and so for the credential
  if (pool.credential) { Edges.of(config)._add(pool.credential, EdgeType.APPLIED); }
  return config;
}

/** The flags of the node driver, in the order of the committed outputs: switches first. */
const driverFields = lazily((): readonly string[] => {
  const isSwitch = (field: string) => /^(cpuPinning|enable[A-Z]|isolate)/.test(field);
  const fields = fieldsOfKind(MACHINE_CONFIG_API, HARVESTER_CONFIG_KIND);
  return [...fields.filter(isSwitch), ...fields.filter((field) => !isSwitch(field))];
});

/**
 * A text for the node driver: plain, so that people can review it, or in base64, which the driver also reads, if Kubernetes would
 * otherwise change it on the way.
 */
function encoded({ scope }: ClusterContext, id: string, text: string): string {
  if (!isExpanded(text)) { return text; }
  if (!waitsForCluster(text)) { return Buffer.from(text).toString('base64'); }
  const late = scope.node.tryFindChild(id) as LateValue | undefined
    ?? new LateValue(scope, id, { source: LateSource.text(text), description: `cloud-init of machines, ${id}`, type: LateType.STRING, sensitive: true });
  return late.base64;
}
