import {
  Draft,
  DraftProps,
  FoundObject,
  ObjectExpression,
  StaticCall,
  call,
  enumValue,
  Surroundings,
  booleanAt,
  idOfName,
  listAt,
  mapAt,
  numberAt,
  referOn,
  textAt,
} from '../core/draft/draft';
import { Manifest, annotationsOf } from '../core/manifest/manifest';
import { ANNOTATION_DESCRIPTION, GROUPS } from '../core/manifest/names';
import { filledFields } from '../core/text/values';
import { GateId } from '../core/version/feature-gate';
import { FeatureGates } from '../core/version/feature-gates';
import { knownVersion } from '../core/version/product-version';
import { tolerationsProp } from '../harvester/affinity/vm-affinity.adopt';
import { ANNOTATION_NO_CREATOR_RBAC } from '../rancher/binding/binding.kind';
import {
  ANNOTATION_MANAGEMENT_CLUSTER_NAME,
  managementClusterIdOf,
} from '../rancher/cluster/cluster.facts';
import { RancherGate, RancherVersion } from '../rancher/version/rancher-version';

/** The kind of every cluster of Rancher, by its ID. */
export const MANAGEMENT_CLUSTER = `${GROUPS.MANAGEMENT}/Cluster`;

/** A reference to a cluster by the ID that Rancher knows it by. */
export function referToCluster(target: string, clusterId: string): ObjectExpression {
  return referOn(target, MANAGEMENT_CLUSTER, clusterId);
}

/**
 * What a draft that declares a provisioning Cluster provides: the cluster, for projects and
 * members.
 */
export function providesCluster({
  target,
  manifest,
}: Pick<FoundObject, 'target' | 'manifest'>): Required<Draft>['provides'] {
  const name = managementClusterIdOf(manifest);
  return new Map(
    name === undefined
      ? []
      : [[idOfName({ target, group: GROUPS.MANAGEMENT, kind: 'Cluster', name }), (self) => self]],
  );
}

/**
 * The prop `clusterId` of a provisioning Cluster: also for an ID that the library
 * derived, since a derived one depends on the salt of the program.
 */
export function clusterIdProp({ manifest }: FoundObject): StaticCall {
  const id = managementClusterIdOf(manifest);
  // in a file without it
  if (id === undefined) {
    return call('ClusterId', 'late');
  }
  return call(
    'ClusterId',
    annotationsOf(manifest)[ANNOTATION_MANAGEMENT_CLUSTER_NAME] === undefined
      ? 'existing'
      : 'fixed',
    id,
  );
}

/** The management cluster ID that Rancher has chosen, which the program does not write. */
export function existingIdProp({ manifest }: FoundObject): StaticCall {
  return call('ClusterId', 'existing', managementClusterIdOf(manifest)!);
}

/** Whether the Rancher of an object has a feature; true where its version is unknown. */
export function isServed(gate: GateId, { target }: FoundObject, around: Surroundings): boolean {
  const { version } = around.cluster(target);
  const rancher = knownVersion(RancherVersion.parse, version);
  return rancher === undefined || FeatureGates.of(gate).supports(rancher);
}

/**
 * The prop `creatorRbac` of what Rancher binds its creator to; undefined where Rancher binds none.
 */
export function creatorRbacProp(object: FoundObject, around: Surroundings): true | undefined {
  const hasNone =
    annotationsOf(object.manifest)[ANNOTATION_NO_CREATOR_RBAC] === 'true' ||
    !isServed(RancherGate.NO_CREATOR_RBAC, object, around);
  return hasNone ? undefined : true;
}

/** The props that all provisioning Clusters have: description, agents, and their environment. */
export function clusterProps(object: FoundObject, around: Surroundings): DraftProps {
  const { manifest } = object;
  const env = listAt(manifest, 'spec', 'agentEnvVars').filter(
    (each) => typeof each?.name === 'string',
  );
  const creatorRbac = creatorRbacProp(object, around);
  return {
    description: textAt(manifest, 'metadata', 'annotations', ANNOTATION_DESCRIPTION),
    agentEnvVars:
      env.length > 0
        ? Object.fromEntries(env.map(({ name, value }) => [name, value ?? '']))
        : undefined,
    clusterAgent: agentProp(manifest, 'clusterAgentDeploymentCustomization'),
    fleetAgent: agentProp(manifest, 'fleetAgentDeploymentCustomization'),
    webhook: agentProp(manifest, 'webhookDeploymentCustomization'),
    enableNetworkPolicy: booleanAt(manifest, 'spec', 'enableNetworkPolicy'),
    adopted: creatorRbac ? { creatorRbac } : undefined,
  };
}

function agentProp(manifest: Manifest, field: string): DraftProps | undefined {
  const at = mapAt(manifest, 'spec', field);
  if (!at) {
    return undefined;
  }
  const path = ['spec', field];
  const priority = mapAt(manifest, ...path, 'schedulingCustomization', 'priorityClass');
  const scheduling = {
    priorityClass: priority && {
      priority: priority.value,
      preemptionPolicy: enumValue('PreemptionPolicy', priority.preemptionPolicy),
    },
    // that of the webhook has no map of its own
    ...(mapAt(manifest, ...path, 'schedulingCustomization', 'podDisruptionBudget') ??
      mapAt(manifest, ...path, 'podDisruptionBudget')),
  };
  return {
    tolerations: tolerationsProp(listAt(manifest, ...path, 'appendTolerations')),
    affinity: at.overrideAffinity,
    ...mapAt(manifest, ...path, 'overrideResourceRequirements'),
    scheduling: filledFields(scheduling),
    replicas: numberAt(manifest, ...path, 'replicaCount'),
  };
}
