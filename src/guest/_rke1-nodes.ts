import { ApiObject } from 'cdk8s';
import { interfacesOf, machineConfigFields } from './_machine-config';
import { ClusterContext, Fields, NodeFile } from './_parts';
import { MachinePool } from './machine-pool';
import { Rke1Docker } from './rke1-options';
import { EdgeType, Edges } from '../late';
import { filledList } from '../model/defined';
import { fail, parsed } from '../model/errors';
import { PROVIDER_NAME } from '../model/guest/rancher-names';
import { ANNOTATION_CREATOR_ID } from '../model/labels';
import { API_VERSIONS } from '../model/names';
import { note } from '../model/object-notes';
import {
  HARVESTER_CONFIG_FIELD, NODE_POOL_PREFIX, NODE_TEMPLATE_NAMESPACE, NODE_TEMPLATE_PREFIX,
} from '../model/rke1-names';
import { ICloudCredential } from '../rancher';

/** What all pools of an RKE1 cluster share. */
export interface Rke1Machines {
  readonly context: ClusterContext;
  readonly clusterId: string;
  readonly credential: ICloudCredential;
  readonly creatorId?: string;
  readonly docker: Rke1Docker;
  /** Files that every node has. */
  readonly files: readonly NodeFile[];
}

/** Writes NodeTemplate and NodePool of a pool. */
export function addRke1Pool(machines: Rke1Machines, pool: MachinePool, cluster: ApiObject): void {
  const { context: { scope, name }, clusterId } = machines;
  const template = addNodeTemplate(machines, pool);
  const { roles, labels, taints } = pool;
  const nodePool = new ApiObject(scope, `NodePool-${pool.name}`, {
    apiVersion: API_VERSIONS.MANAGEMENT,
    kind: 'NodePool',
    metadata: { name: `${NODE_POOL_PREFIX}${pool.name}`, namespace: clusterId },
    spec: {
      clusterName: clusterId,
      controlPlane: roles.controlPlane,
      deleteNotReadyAfterSecs: pool.unhealthyNodeTimeout?.toSeconds() ?? 0,
      displayName: pool.name,
      drainBeforeDelete: pool.drainBeforeDelete ?? true,
      etcd: roles.etcd,
      // machines are counted after it
      hostnamePrefix: `${name}-${pool.name}-`,
      nodeLabels: labels && { ...labels },
      nodeTaints: filledList(taints?.map(({ key, value, effect }) => ({ key, value, effect }))),
      nodeTemplateName: `${NODE_TEMPLATE_NAMESPACE}:${template.name}`,
      quantity: pool.quantity ?? 1,
      worker: roles.worker,
    },
  });
  note(nodePool, {
    deletion: { policy: 'delete', reason: 'takes its machines along, with their disks; the cluster must have other nodes of its roles' },
    // Rancher lowers the quantity when one machine is picked for removal
    othersWrite: ['metadata.annotations', 'metadata.labels', 'metadata.finalizers', 'spec.quantity', 'status'],
  });
  Edges.of(nodePool)._add(cluster, EdgeType.APPLIED);
  Edges.of(nodePool)._add(template, EdgeType.APPLIED);
}

function addNodeTemplate({ context, credential, creatorId, docker, files }: Rke1Machines, pool: MachinePool): ApiObject {
  const { scope } = context;
  const name = pool.machineConfigName ?? `${NODE_TEMPLATE_PREFIX}${context.name}-${pool.name}`;
  const id = `NodeTemplate-${name}`;
  const identity = { vmNamespace: context.vmNamespace!, cluster: context.name, pool: pool.name };
  const own = pool.credential ?? credential;
  // no container's arguments lie between a template and its driver, so texts stay as they are
  const config = parsed(scope, `pools[${pool.name}]`, () => machineConfigFields(pool, identity, files, (_, text) => text));
  const spec: Fields = {
    cloudCredentialName: own.credentialName,
    displayName: name,
    driver: PROVIDER_NAME,
    engineInsecureRegistry: docker.insecureRegistries,
    engineInstallURL: docker.installUrl,
    engineOpt: docker.options && { ...docker.options },
    engineRegistryMirror: docker.registryMirrors,
    engineStorageDriver: docker.storageDriver,
    useInternalIpAddress: true,
  };
  const shared = scope.node.tryFindChild(id) as ApiObject | undefined;
  if (shared) {
    checkShared(shared, { ...config, credential: own.credentialName }, context, pool);
    return shared;
  }

  const template = new ApiObject(scope, id, {
    apiVersion: API_VERSIONS.MANAGEMENT,
    kind: 'NodeTemplate',
    metadata: {
      name,
      namespace: NODE_TEMPLATE_NAMESPACE,
      annotations: creatorId === undefined ? undefined : { [ANNOTATION_CREATOR_ID]: creatorId },
    },
    spec,
    [HARVESTER_CONFIG_FIELD]: config,
  });
  note(template, {
    deletion: {
      policy: 'delete',
      reason: 'machines that were made from it can then be neither removed nor replaced: delete it after the namespace of the cluster on Rancher is gone',
    },
    othersWrite: ['metadata.annotations', 'metadata.labels', 'metadata.finalizers', 'status'],
  });
  Edges.of(template)._add(own, EdgeType.APPLIED);
  for (const { _image: image, _storageClass: storageClass } of pool.disks) {
    if (image) { Edges.of(template)._add(image, EdgeType.READY); }
    if (storageClass) { Edges.of(template)._add(storageClass, EdgeType.APPLIED); }
  }
  for (const { network } of interfacesOf(pool)) { Edges.of(template)._add(network, EdgeType.APPLIED); }
  return template;
}

function checkShared(shared: ApiObject, fields: Fields, { scope }: ClusterContext, pool: MachinePool): void {
  const { [HARVESTER_CONFIG_FIELD]: config, spec } = shared.toJson() as { [field: string]: Fields };
  const others: Fields = { ...config, credential: spec.cloudCredentialName };
  const different = [...new Set([...Object.keys(fields), ...Object.keys(others)])].filter((field) => fields[field] !== others[field]);
  if (different.length === 0) { return; }
  fail(scope, [{
    path: `pools[${pool.name}].machineConfigName`,
    value: shared.name,
    message: `is shared with another pool, whose machines differ in ${different.sort().join(', ')}`,
    fix: 'make the machines equal, or give each pool a node template of its own',
  }]);
}
