import { AgentDeployment, WebhookDeployment } from './agent-deployment';
import { Problem } from '../model/problem';
import { FeatureGates, GateId, RancherVersion } from '../versions';

/** The agent customizations of a provisioning Cluster, under the names of its spec. */
export interface AgentDeployments {
  readonly clusterAgent?: AgentDeployment;
  readonly fleetAgent?: AgentDeployment;
  readonly webhook?: WebhookDeployment;
}

/** The fields of a provisioning Cluster's spec for its agents; what is not asked for is left out. */
export function agentSpec({ clusterAgent, fleetAgent, webhook }: AgentDeployments): { [field: string]: unknown } {
  return {
    clusterAgentDeploymentCustomization: clusterAgent && deployment(clusterAgent, 'schedulingCustomization'),
    fleetAgentDeploymentCustomization: fleetAgent && deployment(fleetAgent, 'schedulingCustomization'),
    webhookDeploymentCustomization: webhook && { ...deployment(webhook, undefined), replicaCount: webhook.replicas },
  };
}

/** What the Rancher of this version has no field for. */
export function checkAgentVersions(deployments: AgentDeployments, version: RancherVersion): Problem[] {
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

function deployment(agent: WebhookDeployment, scheduling: 'schedulingCustomization' | undefined): { [field: string]: unknown } {
  const { tolerations, affinity, requests, limits } = agent;
  return {
    appendTolerations: tolerations?.map((toleration) => ({ ...toleration })),
    overrideAffinity: affinity,
    overrideResourceRequirements: requests || limits ? { requests, limits } : undefined,
    // the webhook's Deployment takes its budget without the layer around it
    ...(scheduling ? { [scheduling]: agent.scheduling && schedulingOf(agent) } : { podDisruptionBudget: budget(agent) }),
  };
}

function schedulingOf(agent: AgentDeployment): { [field: string]: unknown } {
  const { priority, preemptionPolicy } = agent.scheduling!;
  return {
    priorityClass: priority === undefined && preemptionPolicy === undefined ? undefined : { value: priority, preemptionPolicy },
    podDisruptionBudget: budget(agent),
  };
}

function budget({ scheduling }: AgentDeployment): { [field: string]: unknown } | undefined {
  const { minAvailable, maxUnavailable } = scheduling ?? {};
  return minAvailable === undefined && maxUnavailable === undefined ? undefined : { minAvailable, maxUnavailable };
}
