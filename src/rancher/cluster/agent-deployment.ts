import { Problem } from '../../core/rule/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import { GateId } from '../../core/version/gate-id';
import { RancherVersion } from '../version/rancher-version';

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

const BUDGET_PROPS: readonly string[] = ['minAvailable', 'maxUnavailable'];

/** The agent customizations of a provisioning Cluster, under the names of its spec. */
export interface AgentDeployments {
  readonly clusterAgent?: AgentDeployment;
  readonly fleetAgent?: AgentDeployment;
  readonly webhook?: WebhookDeployment;
}

/** The fields of a provisioning Cluster's spec for its agents; what is not asked for is left out. */
export function agentSpec({ clusterAgent, fleetAgent, webhook }: AgentDeployments): { [field: string]: unknown } {
  return {
    clusterAgentDeploymentCustomization: clusterAgent && agentDeployment(clusterAgent),
    fleetAgentDeploymentCustomization: fleetAgent && agentDeployment(fleetAgent),
    // the webhook's Deployment takes its budget without the layer around it
    webhookDeploymentCustomization: webhook && {
      ...deployment(webhook), podDisruptionBudget: budget(webhook.scheduling), replicaCount: webhook.replicas,
    },
  };
}

/** What Rancher has no field for: this version of it, or any. */
export function checkAgents(deployments: AgentDeployments, version: RancherVersion): Problem[] {
  return [...checkAgentVersions(deployments, version), ...checkWebhookScheduling(deployments.webhook)];
}

// the type has no such props; a value of a wider type may
function checkWebhookScheduling(webhook: WebhookDeployment | undefined): Problem[] {
  const given = Object.entries(webhook?.scheduling ?? {}).filter(([prop, value]) => value !== undefined && !BUDGET_PROPS.includes(prop));
  return given.map(([prop, value]) => ({
    path: `webhook.scheduling.${prop}`,
    value,
    message: `cannot be set for the webhook: webhookDeploymentCustomization has no priority class, only ${BUDGET_PROPS.join(' or ')}`,
    fix: 'leave it out, or set it in clusterAgent or fleetAgent',
  }));
}

function checkAgentVersions(deployments: AgentDeployments, version: RancherVersion): Problem[] {
  const asked: [path: string, gate: GateId, present: boolean][] = [
    ['clusterAgent', GateId.AGENT_DEPLOYMENT_CUSTOMIZATION, deployments.clusterAgent !== undefined],
    ['fleetAgent', GateId.AGENT_DEPLOYMENT_CUSTOMIZATION, deployments.fleetAgent !== undefined],
    ['clusterAgent.scheduling', GateId.SCHEDULING_CUSTOMIZATION, deployments.clusterAgent?.scheduling !== undefined],
    ['fleetAgent.scheduling', GateId.SCHEDULING_CUSTOMIZATION, deployments.fleetAgent?.scheduling !== undefined],
    ['webhook', GateId.WEBHOOK_DEPLOYMENT_CUSTOMIZATION, deployments.webhook !== undefined],
  ];
  return asked.flatMap(([path, gate, present]) => {
    const message = present ? FeatureGates.of(gate).problem(version) : undefined;
    return message ? [{ path, message, fix: 'leave it out, or name a newer Rancher' }] : [];
  });
}

function deployment({ tolerations, affinity, requests, limits }: DeploymentCustomization): { [field: string]: unknown } {
  return {
    appendTolerations: tolerations?.map((toleration) => ({ ...toleration })),
    overrideAffinity: affinity,
    overrideResourceRequirements: requests || limits ? { requests, limits } : undefined,
  };
}

function agentDeployment(agent: AgentDeployment): { [field: string]: unknown } {
  const { scheduling } = agent;
  if (!scheduling) { return deployment(agent); }
  const { priority, preemptionPolicy } = scheduling;
  return {
    ...deployment(agent),
    schedulingCustomization: {
      priorityClass: priority === undefined && preemptionPolicy === undefined ? undefined : { value: priority, preemptionPolicy },
      podDisruptionBudget: budget(scheduling),
    },
  };
}

function budget({ minAvailable, maxUnavailable }: AgentDisruptionBudget = {}): { [field: string]: unknown } | undefined {
  return minAvailable === undefined && maxUnavailable === undefined ? undefined : { minAvailable, maxUnavailable };
}
