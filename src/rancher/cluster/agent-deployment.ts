import { Problem } from '../../core/rule/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import { GateId } from '../../core/version/gate';
import { RancherGate } from '../version/rancher-gate';
import { RancherVersion } from '../version/rancher-version';

/**
 * Properties that every Deployment of Rancher on a cluster has in common.
 */
export interface DeploymentCustomization {
  /**
   * Tolerations that are added to those of the agent.
   * @default - no tolerations are added
   */
  readonly tolerations?: AgentToleration[];
  /**
   * The affinity of the agent's Pods, in the form of a Pod's `spec.affinity`. Replaces that of Rancher.
   * @default - the affinity that Rancher sets
   */
  readonly affinity?: { [key: string]: any };
  /**
   * Resource requests of the agent, e.g. `{cpu: '100m', memory: '256Mi'}`.
   * @default - no requests
   */
  readonly requests?: { [resource: string]: string };
  /**
   * Resource limits of the agent.
   * @default - no limits
   */
  readonly limits?: { [resource: string]: string };
}

/**
 * Deployment of one of Rancher's agents on a cluster.
 *
 * @see https://ranchermanager.docs.rancher.com/reference-guides/rancher-cluster/agent-deployment-customization
 */
export interface AgentDeployment extends DeploymentCustomization {
  /**
   * The PriorityClass and PodDisruptionBudget that Rancher creates for the agent. Rancher 2.11.0 and later, with the feature
   * `cluster-agent-scheduling-customization` enabled.
   * @default - Rancher creates neither
   */
  readonly scheduling?: AgentScheduling;
}

/**
 * A toleration of a Pod.
 */
export interface AgentToleration {
  /** The key of the taint. Rancher refuses a toleration without a key. */
  readonly key: string;
  /** How the value is compared: `Exists` or `Equal`. @default 'Equal' */
  readonly operator?: string;
  /** The value of the taint. @default - no value */
  readonly value?: string;
  /** The effect of the taint: `NoSchedule`, `PreferNoSchedule` or `NoExecute`. @default - every effect */
  readonly effect?: string;
  /** Seconds until the Pod is evicted; only with effect `NoExecute`. @default - the Pod is never evicted */
  readonly tolerationSeconds?: number;
}

/**
 * The PodDisruptionBudget that Rancher creates for an agent or its webhook: set `minAvailable` or `maxUnavailable`.
 */
export interface AgentDisruptionBudget {
  /** Pods that must remain available, as a number or a percentage, e.g. `1` or `50%`. @default - no minimum */
  readonly minAvailable?: string;
  /** Pods that may be unavailable, as a number or a percentage, e.g. `1` or `50%`. @default - no maximum */
  readonly maxUnavailable?: string;
}

/**
 * The PriorityClass and the PodDisruptionBudget that Rancher creates for an agent.
 */
export interface AgentScheduling extends AgentDisruptionBudget {
  /** The value of the PriorityClass: -1,000,000,000 to 1,000,000,000. @default - Rancher creates no PriorityClass */
  readonly priority?: number;
  /** The preemption policy of the PriorityClass: `Never` or `PreemptLowerPriority`. @default 'PreemptLowerPriority' */
  readonly preemptionPolicy?: string;
}

/**
 * Deployment of Rancher's webhook on a cluster. Rancher 2.15.0 and later.
 */
export interface WebhookDeployment extends DeploymentCustomization {
  /**
   * The PodDisruptionBudget that Rancher creates for its webhook. A PriorityClass cannot be set: the webhook has that of Rancher's chart.
   * @default - Rancher creates none
   */
  readonly scheduling?: AgentDisruptionBudget;
  /** Number of replicas: at least 1. @default - the number that Rancher sets */
  readonly replicas?: number;
}

const BUDGET_PROPS: readonly string[] = ['minAvailable', 'maxUnavailable'];

/** The agent customizations of a provisioning Cluster, under the names of its spec. */
export interface AgentDeployments {
  readonly clusterAgent?: AgentDeployment;
  readonly fleetAgent?: AgentDeployment;
  readonly webhook?: WebhookDeployment;
}

/** The fields of a provisioning Cluster's spec for its agents. */
export function agentSpec({ clusterAgent, fleetAgent, webhook }: AgentDeployments): { [field: string]: unknown } {
  return {
    clusterAgentDeploymentCustomization: clusterAgent && agentDeployment(clusterAgent),
    fleetAgentDeploymentCustomization: fleetAgent && agentDeployment(fleetAgent),
    // the budget of the webhook is not nested in schedulingCustomization
    webhookDeploymentCustomization: webhook && {
      ...deployment(webhook), podDisruptionBudget: budget(webhook.scheduling), replicaCount: webhook.replicas,
    },
  };
}

/** Checks that this version of Rancher has fields for the deployments. */
export function checkAgents(deployments: AgentDeployments, version: RancherVersion): Problem[] {
  return [...checkAgentVersions(deployments, version), ...checkWebhookScheduling(deployments.webhook)];
}

// the type has no such props, but a JavaScript program can set them
function checkWebhookScheduling(webhook: WebhookDeployment | undefined): Problem[] {
  const given = Object.entries(webhook?.scheduling ?? {}).filter(([prop, value]) => value !== undefined && !BUDGET_PROPS.includes(prop));
  return given.map(([prop, value]) => ({
    path: `webhook.scheduling.${prop}`,
    value,
    message: `cannot be set for the webhook: webhookDeploymentCustomization has no priority class, only ${BUDGET_PROPS.join(' or ')}`,
    fix: 'remove it, or set it in clusterAgent or fleetAgent',
  }));
}

function checkAgentVersions(deployments: AgentDeployments, version: RancherVersion): Problem[] {
  const asked: [path: string, gate: GateId, present: boolean][] = [
    ['clusterAgent', RancherGate.AGENT_DEPLOYMENT_CUSTOMIZATION, deployments.clusterAgent !== undefined],
    ['fleetAgent', RancherGate.AGENT_DEPLOYMENT_CUSTOMIZATION, deployments.fleetAgent !== undefined],
    ['clusterAgent.scheduling', RancherGate.SCHEDULING_CUSTOMIZATION, deployments.clusterAgent?.scheduling !== undefined],
    ['fleetAgent.scheduling', RancherGate.SCHEDULING_CUSTOMIZATION, deployments.fleetAgent?.scheduling !== undefined],
    ['webhook', RancherGate.WEBHOOK_DEPLOYMENT_CUSTOMIZATION, deployments.webhook !== undefined],
  ];
  return asked.flatMap(([path, gate, present]) => {
    const message = present ? FeatureGates.of(gate)._lack(version) : undefined;
    return message ? [{ path, message, fix: 'remove it, or upgrade Rancher' }] : [];
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
