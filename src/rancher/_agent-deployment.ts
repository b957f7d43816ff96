import { AgentDeployment, AgentDisruptionBudget, DeploymentCustomization, WebhookDeployment } from './agent-deployment';
import { Problem } from '../model/problem';
import { FeatureGates, GateId, RancherVersion } from '../versions';

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
