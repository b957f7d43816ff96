/**
 * Some machines of a cluster, by labels of their Machine objects on Rancher: `rke.cattle.io/rke-machine-pool-name` is the pool's name,
 * `rke.cattle.io/etcd-role`, `rke.cattle.io/control-plane-role` and `rke.cattle.io/worker-role` are `true` where the machine has the role.
 */
export interface MachineLabels {
  /** Labels that must be there with these values. @default - none */
  readonly matchLabels?: { readonly [key: string]: string };
  /** Further conditions. @default - none */
  readonly matchExpressions?: MachineLabelExpression[];
}

/**
 * A condition on a label of a machine.
 */
export interface MachineLabelExpression {
  /** The label. */
  readonly key: string;
  /** `In`, `NotIn`, `Exists` or `DoesNotExist`. */
  readonly operator: string;
  /** For `In` and `NotIn`. @default - none */
  readonly values?: string[];
}

/**
 * Configuration of some machines, above that for all of them.
 */
export interface MachineSelector {
  /** Which machines. @default - all */
  readonly machines?: MachineLabels;
  /**
   * Keys of the distribution's configuration file, e.g. `{'kubelet-arg': ['max-pods=200']}`. Texts, true or false and lists. A later selector that
   * matches wins, key by key: lists are replaced, not joined.
   */
  readonly config: { readonly [key: string]: any };
}
