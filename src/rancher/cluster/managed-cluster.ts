import { createHash } from 'crypto';
import { Construct, IConstruct } from 'constructs';
import { IRancherTarget, ITarget, rancherTargetOf } from '../../core/app/target';
import { base32 } from '../../core/text/base32';
import { FeatureGates } from '../../core/version/feature-gates';
import { GateId } from '../../core/version/gate-id';
import { RancherVersion } from '../version/rancher-version';

/**
 * A cluster that Rancher manages, by its management cluster id.
 */
export interface IManagedCluster extends IConstruct {
  /**
   * The id of the management cluster, e.g. `c-m-harvdc05`: the namespace of its registration tokens and projects, the first half of a project id.
   * May hold a late value.
   */
  readonly clusterId: string;
  /** The Rancher that manages it. */
  readonly rancher: IRancherTarget;
  /**
   * The target that the cluster itself is: where its Namespaces and other objects go.
   * @default - the cluster is no target of the program
   */
  readonly target?: ITarget;
}

/**
 * A cluster that Rancher manages and the program may or may not declare.
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
   * Writes the namespace of the cluster's tokens once, where the program declares the cluster: without it an apply right after the Cluster races
   * Rancher's creation of it.
   * @internal
   */
  public abstract _ensureNamespace(): void;
}

/**
 * The id of the management cluster behind a provisioning Cluster: fixed at synthesis, or what Rancher makes up.
 *
 * A fixed id makes everything that names it a plain string: namespaces of tokens and projects, bindings, project ids, scopes of IP pools. It is
 * create-only: Rancher ignores a change.
 *
 * @see https://github.com/rancher/rancher/blob/v2.13.8/pkg/controllers/provisioningv2/cluster/controller.go
 */
export class ManagementClusterId {
  /**
   * Made from namespace and name of the provisioning Cluster: `c-m-` and eight characters, the same in every synthesis. Rancher 2.8.0 and later.
   */
  public static derived(): ManagementClusterId {
    return new ManagementClusterId((namespace, name) => `c-m-${base32(createHash('sha256').update(`${namespace}/${name}`).digest()).slice(0, 8)}`);
  }

  /**
   * An id of your own, e.g. `c-m-harvdc05`. Rancher 2.8.0 and later.
   *
   * An RFC 1123 label of up to 63 characters, not `local` and not `c-` with five characters, which is Rancher's legacy form; unique in the Rancher.
   * `<id>-<project>` must fit 63 characters as well, so keep it short.
   */
  public static fixed(id: string): ManagementClusterId {
    return new ManagementClusterId(() => id);
  }

  /**
   * The random id that Rancher makes: a late value, known after the Cluster was applied. The only way for Rancher below 2.8.0.
   */
  public static late(): ManagementClusterId {
    return new ManagementClusterId(undefined);
  }

  /**
   * What an import or a cluster has where the program gives none: derived, and late below Rancher 2.8.0, which ignores a chosen ID.
   * @internal
   */
  public static _defaultFor(version: RancherVersion): ManagementClusterId {
    return FeatureGates.of(GateId.MANAGEMENT_CLUSTER_NAME).supports(version) ? ManagementClusterId.derived() : ManagementClusterId.late();
  }

  private constructor(private readonly produce: ((namespace: string, name: string) => string) | undefined) {}

  /**
   * The id where it is fixed, undefined where it is late.
   * @internal
   */
  public _of(namespace: string, name: string): string | undefined {
    return this.produce?.(namespace, name);
  }
}
