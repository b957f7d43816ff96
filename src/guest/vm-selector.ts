import { VM_LABEL_CREATOR, VM_LABEL_GUEST_CLUSTER } from '../model/guest-names';
import { machineSetName } from '../model/machine-config/machine-set';
import { LABEL_MACHINE_SET, LABEL_NODE_POOL } from '../model/machine-config/names';
import { sortedKeys } from '../model/sorted-keys';

/** What a selector is resolved for. */
export interface PoolIdentity {
  readonly vmNamespace: string;
  readonly cluster: string;
  readonly pool: string;
}

interface LabelSelector {
  readonly matchLabels?: { readonly [key: string]: string };
  readonly matchExpressions?: readonly { readonly key: string; readonly operator: string }[];
}

/**
 * Which virtual machines a rule of affinity speaks of, by the labels that the node driver gives them.
 */
export class VmSelector {
  /** The machines of the same pool of the same cluster. */
  public static samePool(): VmSelector {
    return new VmSelector(({ vmNamespace, cluster, pool }) => ({ matchLabels: { [LABEL_MACHINE_SET]: machineSetName(vmNamespace, cluster, pool) } }), false, 'pool');
  }

  /** The machines of all pools of the same cluster. Rancher 2.11.0 and later, whose node driver labels them so. */
  public static sameCluster(): VmSelector {
    return new VmSelector(({ cluster }) => ({ matchLabels: { [VM_LABEL_GUEST_CLUSTER]: cluster } }), true, 'cluster');
  }

  /**
   * The machines of another cluster, in the same namespace unless the term names others. Rancher 2.11.0 and later.
   *
   * @param name of the provisioning Cluster
   */
  public static guestCluster(name: string): VmSelector {
    return new VmSelector(() => ({ matchLabels: { [VM_LABEL_GUEST_CLUSTER]: name } }), true);
  }

  /**
   * The machines of another pool of the same cluster. Rancher 2.11.0 and later.
   *
   * @param name of the pool
   */
  public static pool(name: string): VmSelector {
    return new VmSelector(({ cluster }) => ({ matchLabels: { [VM_LABEL_GUEST_CLUSTER]: cluster, [LABEL_NODE_POOL]: name } }), true, 'cluster');
  }

  /** Every virtual machine that Harvester's UI, Terraform or the node driver made. */
  public static any(): VmSelector {
    return new VmSelector(() => ({ matchExpressions: [{ key: VM_LABEL_CREATOR, operator: 'Exists' }] }));
  }

  /**
   * Virtual machines with labels of your own.
   *
   * @param labels that all of them have
   */
  public static labels(labels: { readonly [key: string]: string }): VmSelector {
    return new VmSelector(() => ({ matchLabels: sortedKeys(labels) }));
  }

  private constructor(
    /** @internal */ public readonly _resolve: (pool: PoolIdentity) => LabelSelector,
    /** Whether it needs the labels that the node driver writes since 1.0.2. @internal */ public readonly _needsGuestLabels = false,
    /** What it is resolved by, beside the namespace. @internal */ public readonly _relativeTo?: 'pool' | 'cluster',
  ) {}
}
