import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { checkManagementClusterId } from './provisioning-cluster.check';
import { ANNOTATION_MANAGEMENT_CLUSTER_NAME } from './provisioning-cluster.kind';
import { IRancherTarget } from '../../core/app/target';
import { LateType } from '../../core/late/late-text';
import { LateSource, LateValue } from '../../core/late/late-value';
import { ANNOTATION_DESCRIPTION, API_VERSIONS } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { Problem } from '../../core/rule/problem';
import { compare } from '../../core/text/values';
import { FeatureGates } from '../../core/version/feature-gates';
import { GateId } from '../../core/version/gate-id';
import { ANNOTATION_NO_CREATOR_RBAC } from '../members/creator.kind';
import { RancherVersion } from '../version/rancher-version';

type Texts = { readonly [key: string]: string };

/** Metadata that every provisioning Cluster has, an import as well as a guest cluster. */
interface ClusterMetadata {
  readonly labels?: Texts;
  readonly annotations?: Texts;
  readonly description?: string;
  readonly creatorRbac?: boolean;
}

/** Fields of a provisioning Cluster that Rancher writes. */
export const CLUSTER_OTHERS_WRITE = [
  'metadata.annotations[provisioning.cattle.io/management-cluster-display-name]', 'metadata.annotations[field.cattle.io/creatorId]',
  'metadata.finalizers', 'spec.localClusterAuthEndpoint', 'status',
];

/** The annotations of a provisioning Cluster, with the fixed ID if there is one. */
export function clusterAnnotations(metadata: ClusterMetadata, version: RancherVersion, fixedId: string | undefined): Texts {
  const { annotations, description, creatorRbac } = metadata;
  const noCreatorRbac = !(creatorRbac ?? false) && FeatureGates.of(GateId.NO_CREATOR_RBAC).supports(version);
  return {
    ...annotations,
    ...(description === undefined ? {} : { [ANNOTATION_DESCRIPTION]: description }),
    ...(fixedId === undefined ? {} : { [ANNOTATION_MANAGEMENT_CLUSTER_NAME]: fixedId }),
    ...(noCreatorRbac ? { [ANNOTATION_NO_CREATOR_RBAC]: 'true' } : {}),
  };
}

/** The field `spec.agentEnvVars`; undefined without variables. */
export function agentEnv(variables: Texts | undefined): { name: string; value: string }[] | undefined {
  const env = Object.entries(variables ?? {}).sort(([a], [b]) => compare(a, b)).map(([name, value]) => ({ name, value }));
  return env.length > 0 ? env : undefined;
}

/** The management cluster ID that Rancher chooses, as a late value. */
export function lateClusterId(scope: Construct, rancher: IRancherTarget, namespace: string, name: string): string {
  const late = new LateValue(scope, 'ClusterId', {
    description: `management cluster id of ${namespace}/${name}`,
    type: LateType.NAME,
    source: LateSource.field({ target: rancher, apiVersion: API_VERSIONS.PROVISIONING, kind: 'Cluster', namespace, name }, 'status.clusterName'),
  });
  return late.token;
}

/** Writes the namespace of a cluster's registration tokens, once. */
export function ensureClusterNamespace(scope: Construct, clusterId: string): void {
  if (scope.node.tryFindChild('Namespace')) { return; }
  const namespace = new ApiObject(scope, 'Namespace', { apiVersion: API_VERSIONS.CORE, kind: 'Namespace', metadata: { name: clusterId } });
  note(namespace, {
    deletion: { policy: 'keep', reason: 'Rancher adopts it and removes it with the Cluster; deleting it first would take tokens and projects along' },
    othersWrite: ['metadata.annotations', 'metadata.labels', 'metadata.finalizers'],
  });
}

/** Checks a fixed management cluster ID; a late one is always valid. */
export function checkClusterId(id: string | undefined, name: string, version: RancherVersion): Problem[] {
  if (id === undefined) { return []; }
  const path = 'managementClusterId';
  const gate = FeatureGates.of(GateId.MANAGEMENT_CLUSTER_NAME).problem(version);
  if (gate) { return [{ path, message: gate, fix: 'use ManagementClusterId.late(), or upgrade Rancher' }]; }
  return [...checkManagementClusterId(path, id, name)];
}

/** Checks that the program does not set annotations that the construct writes. */
export function checkOwnAnnotations(annotations: Texts | undefined): Problem[] {
  return checkOwnKeys('annotations', annotations, {
    [ANNOTATION_MANAGEMENT_CLUSTER_NAME]: 'use managementClusterId',
    [ANNOTATION_DESCRIPTION]: 'use description',
    [ANNOTATION_NO_CREATOR_RBAC]: 'use creatorRbac',
  });
}

/** Checks that a map has none of the keys that the construct writes, each with its fix. */
export function checkOwnKeys(prop: string, given: Texts | undefined, own: Texts): Problem[] {
  return Object.entries(own).flatMap(([key, fix]) => (
    given && key in given ? [{ path: `${prop}[${key}]`, value: given[key], message: 'cannot be set: this construct writes it', fix }] : []));
}
