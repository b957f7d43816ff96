import { createHash } from 'crypto';
import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { checkManagementClusterId } from './provisioning-cluster.check';
import { ANNOTATION_MANAGEMENT_CLUSTER_NAME } from './provisioning-cluster.kind';
import { IRancherTarget, ITarget, rancherTargetOf } from '../../core/app/target';
import { LateType } from '../../core/late/late-text';
import { LateSource, LateValue } from '../../core/late/late-value';
import { ANNOTATION_DESCRIPTION, API_VERSIONS } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { collectProblems, Problem } from '../../core/rule/problem';
import { base32 } from '../../core/text/plain-text';
import { compare } from '../../core/text/values';
import { FeatureGates } from '../../core/version/feature-gates';
import { ANNOTATION_NO_CREATOR_RBAC } from '../members/creator.kind';
import { RancherGate } from '../version/rancher-gate';
import { RancherVersion } from '../version/rancher-version';

/**
 * A cluster that Rancher manages, by its management cluster ID.
 */
export interface IManagedCluster extends IConstruct {
  /**
   * The management cluster ID, e.g. `c-m-harvdc05`: the namespace of registration tokens and projects, and the first half of a project ID.
   * May be a late value.
   */
  readonly clusterId: string;
  /** The Rancher that manages the cluster. */
  readonly rancher: IRancherTarget;
  /**
   * The target for objects on the cluster itself.
   * @default - the program has no target for the cluster
   */
  readonly target?: ITarget;
}

/**
 * A cluster that Rancher manages, declared by the program or not.
 * @internal
 */
export abstract class ManagedCluster extends Construct implements IManagedCluster {
  public abstract readonly clusterId: string;
  public abstract readonly target?: ITarget;
  public readonly rancher: IRancherTarget;

  protected constructor(scope: Construct, id: string, what: string) {
    super(scope, id);
    this.rancher = rancherTargetOf(this, what);
  }

  /**
   * Writes the namespace of the cluster's tokens, once, if the program declares the cluster: an apply right after the Cluster would race Rancher,
   * which creates the namespace, too.
   * @internal
   */
  public abstract _ensureNamespace(): void;
}

/** Collects the problem of a cluster of another Rancher. */
export function requireSameRancher(construct: IConstruct, what: string, rancher: IRancherTarget, cluster: IManagedCluster): void {
  if (cluster.rancher === rancher) { return; }
  collectProblems(construct, [{
    path: 'cluster',
    value: cluster.node.path,
    message: `must be a cluster of Rancher ${rancher.targetName}, not of ${cluster.rancher.targetName}`,
    fix: `create the ${what} below the chart ${cluster.rancher.targetName}`,
  }]);
}

/**
 * The management cluster ID of a provisioning Cluster: fixed at synthesis, or chosen by Rancher.
 *
 * With a fixed ID everything that refers to it is known at synthesis: namespaces of tokens and projects, bindings, project IDs, scopes of IP pools.
 * It is immutable: Rancher ignores a change.
 *
 * @see https://github.com/rancher/rancher/blob/v2.13.8/pkg/controllers/provisioningv2/cluster/controller.go
 */
export class ManagementClusterId {
  /**
   * Derived from Fleet workspace and name of the provisioning Cluster: `c-m-` and eight characters, the same in every synthesis. Rancher 2.8.0 and later.
   */
  public static derived(): ManagementClusterId {
    return new ManagementClusterId((namespace, name) => `c-m-${base32(createHash('sha256').update(`${namespace}/${name}`).digest()).slice(0, 8)}`);
  }

  /**
   * An ID of your own, e.g. `c-m-harvdc05`. Rancher 2.8.0 and later.
   *
   * An RFC 1123 label of at most 63 characters, unique in the Rancher; not `local`, and not `c-` with five characters, Rancher's legacy form.
   * `<ID>-<project>` has at most 63 characters as well, so keep it short.
   */
  public static fixed(id: string): ManagementClusterId {
    return new ManagementClusterId(() => id);
  }

  /**
   * The random ID that Rancher chooses: a late value, known after the Cluster was applied. The only option below Rancher 2.8.0.
   */
  public static late(): ManagementClusterId {
    return new ManagementClusterId(undefined);
  }

  /**
   * The default: derived, and late below Rancher 2.8.0, which ignores a chosen ID.
   * @internal
   */
  public static _defaultFor(version: RancherVersion): ManagementClusterId {
    return FeatureGates.of(RancherGate.MANAGEMENT_CLUSTER_NAME).supports(version) ? ManagementClusterId.derived() : ManagementClusterId.late();
  }

  private constructor(private readonly produce: ((namespace: string, name: string) => string) | undefined) {}

  /**
   * The ID if it is fixed, undefined if it is late.
   * @internal
   */
  public _of(namespace: string, name: string): string | undefined {
    return this.produce?.(namespace, name);
  }
}

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
  const noCreatorRbac = !(creatorRbac ?? false) && FeatureGates.of(RancherGate.NO_CREATOR_RBAC).supports(version);
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
  const gate = FeatureGates.of(RancherGate.MANAGEMENT_CLUSTER_NAME)._lack(version);
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
