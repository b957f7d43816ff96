/**
 * What can be customized in every Deployment that Rancher installs on a cluster.
 */
export interface DeploymentCustomization {
  /**
   * Tolerations added to those of the agent.
   * @default - none are added
   */
  readonly tolerations?: AgentToleration[];
  /**
   * A Kubernetes Affinity that replaces the agent's own, as in a Pod.
   * @default - the agent's own
   */
  readonly affinity?: { [key: string]: any };
  /**
   * Resources requested by the agent, e.g. `{cpu: '100m', memory: '256Mi'}`.
   * @default - none
   */
  readonly requests?: { [resource: string]: string };
  /**
   * Limits of the agent's resources.
   * @default - none
   */
  readonly limits?: { [resource: string]: string };
}

/**
 * How Rancher deploys its agents on a cluster.
 *
 * @see https://ranchermanager.docs.rancher.com/reference-guides/rancher-cluster/agent-deployment-customization
 */
export interface AgentDeployment extends DeploymentCustomization {
  /**
   * A priority class and a disruption budget that Rancher makes for the agent. Rancher 2.11.0 and later, with feature
   * cluster-agent-scheduling-customization.
   * @default - none
   */
  readonly scheduling?: AgentScheduling;
}

/**
 * A toleration of a Pod.
 */
export interface AgentToleration {
  /** The key of the taint. Rancher refuses a toleration without one. */
  readonly key: string;
  /** `Exists` or `Equal`. @default 'Equal' */
  readonly operator?: string;
  /** @default - no value */
  readonly value?: string;
  /** `NoSchedule`, `PreferNoSchedule` or `NoExecute`. @default - every effect */
  readonly effect?: string;
  /** Only with effect NoExecute. @default - for ever */
  readonly tolerationSeconds?: number;
}

/**
 * The PodDisruptionBudget that Rancher creates for an agent or its webhook: `minAvailable` or `maxUnavailable`.
 */
export interface AgentDisruptionBudget {
  /** A number or a percentage, e.g. `1` or `50%`; not together with maxUnavailable. @default - none */
  readonly minAvailable?: string;
  /** A number or a percentage, e.g. `1` or `50%`; not together with minAvailable. @default - none */
  readonly maxUnavailable?: string;
}

/**
 * The PriorityClass and the PodDisruptionBudget that Rancher creates for an agent.
 */
export interface AgentScheduling extends AgentDisruptionBudget {
  /** The value of the PriorityClass: -1,000,000,000 to 1,000,000,000. @default - no priority class is created */
  readonly priority?: number;
  /** `Never` or `PreemptLowerPriority`. @default - Kubernetes' own, PreemptLowerPriority */
  readonly preemptionPolicy?: string;
}

/**
 * How Rancher deploys its webhook on a cluster. Rancher 2.15.0 and later.
 */
export interface WebhookDeployment extends DeploymentCustomization {
  /**
   * A disruption budget that Rancher creates for its webhook. A priority class cannot be set: the webhook has that of Rancher's own
   * charts.
   * @default - none
   */
  readonly scheduling?: AgentDisruptionBudget;
  /** 1 or more. @default - Rancher's own */
  readonly replicas?: number;
}
