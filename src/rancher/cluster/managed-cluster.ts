import { createHash } from 'crypto';
import { Construct, IConstruct } from 'constructs';
import { IRancherTarget, ITarget, rancherTargetOf } from '../../core/app/target';
import { collectProblems } from '../../core/rule/problem';
import { base32 } from '../../core/text/base32';
import { FeatureGates } from '../../core/version/feature-gates';
import { GateId } from '../../core/version/gate-id';
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
    return FeatureGates.of(GateId.MANAGEMENT_CLUSTER_NAME).supports(version) ? ManagementClusterId.derived() : ManagementClusterId.late();
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
