import type { IGuestCluster } from '../guest';
import { ANY } from '../model/load-balancer/names';
import { INamespace } from '../model/namespace';
import type { ITenantProject } from '../rancher';

/**
 * A scope in plain text, see IpPoolScope.
 */
export interface IpPoolScopeFields {
  /** `<cluster id>/<name of the Project object>`, with a slash; empty is a namespace outside of every project. @default '*' */
  readonly project?: string;
  /** The namespace that the load balancer is in on the Harvester: of a guest cluster that of its machines. @default '*' */
  readonly namespace?: string;
  /** The name of the guest cluster as its cloud provider knows it; empty is a load balancer of virtual machines. @default '*' */
  readonly guestCluster?: string;
}

/**
 * Who may take addresses of an IP pool: what is not said is everybody.
 *
 * The scopes of one pool must not overlap, nor those of pools on the same network without priority.
 */
export class IpPoolScope {
  /** Every load balancer of the Harvester. A pool with this scope alone is the global pool, which takes who finds no other; there is one. */
  public static everything(): IpPoolScope {
    return new IpPoolScope({});
  }

  /**
   * The load balancers in a namespace of the Harvester.
   * @param namespace of virtual machines, or of the machines of guest clusters
   */
  public static namespace(namespace: INamespace): IpPoolScope {
    return new IpPoolScope({ namespace: namespace.namespaceName });
  }

  /**
   * The load balancers in all namespaces of a project.
   * @param project of the Harvester, in Rancher
   */
  public static project(project: ITenantProject): IpPoolScope {
    return new IpPoolScope({ project: `${project.cluster.clusterId}/${project.projectName}` });
  }

  /**
   * The load balancers of a guest cluster.
   * @param cluster that runs on the Harvester
   */
  public static guestCluster(cluster: IGuestCluster): IpPoolScope {
    return new IpPoolScope({ guestCluster: cluster.name });
  }

  /**
   * A scope by plain names.
   * @param fields what is left out is everybody
   */
  public static of(fields: IpPoolScopeFields): IpPoolScope {
    return new IpPoolScope(fields);
  }

  private constructor(private readonly fields: IpPoolScopeFields) {}

  /** @internal */
  public _toSpec(): { project: string; namespace: string; guestCluster: string } {
    const { project = ANY, namespace = ANY, guestCluster = ANY } = this.fields;
    return { project, namespace, guestCluster };
  }
}
