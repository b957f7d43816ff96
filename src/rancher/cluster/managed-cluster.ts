import { ApiObject } from 'cdk8s';
import { IConstruct } from 'constructs';
import {
  ANNOTATION_MANAGEMENT_CLUSTER_NAME,
  MIRRORED_CLUSTER_ID,
  NOT_MIRRORED,
  derivedClusterId,
} from './cluster.facts';
import {
  AgentDisruptionBudget,
  AgentPriorityClass,
  checkManagementClusterId,
} from './provisioning-cluster.check';
import { literalName, ResourceProps, TextMap } from '../../core/app/resource';
import { note } from '../../core/construct/object-notes';
import { idSaltOf } from '../../core/construct/scope';
import { IRancherTarget, ITarget } from '../../core/construct/target';
import { requireOpen } from '../../core/growing/synthesized';
import { LateType } from '../../core/late/late-text';
import { ANNOTATION_DESCRIPTION, API_VERSIONS, RFC1123_LABEL } from '../../core/manifest/names';
import { Toleration } from '../../core/manifest/taint';
import { Problem, asProps, collectProblems, failOnErrors } from '../../core/problem/problem';
import { checkValues } from '../../core/shape/check-values';
import { compare } from '../../core/text/values';
import { LateSource, LateValue } from '../../core/value/late-value';
import { GateId } from '../../core/version/feature-gate';
import { FeatureGates } from '../../core/version/feature-gates';
import { MemberOptions, checkMembers, writeClusterBinding } from '../binding/binding';
import { ANNOTATION_NO_CREATOR_RBAC } from '../binding/binding.kind';
import { Principal } from '../members/principal';
import { IRancherResource, RancherResource } from '../rancher-resource';
import { ClusterMemberRole } from '../role/roles';
import { RancherGate, RancherVersion } from '../version/rancher-version';

/** Properties that every Deployment of Rancher on a cluster has in common. */
export interface DeploymentCustomization {
  /**
   * Tolerations that are added to those of the agent. Rancher refuses one without a key.
   * @default - no tolerations are added
   */
  readonly tolerations?: Toleration[];
  /**
   * The affinity of the agent's Pods, in the form of a Pod's `spec.affinity`. Replaces that of
   * Rancher.
   * @default - the affinity that Rancher sets
   */
  readonly affinity?: { [key: string]: any };
  /**
   * Resource requests of the agent, e.g. `{cpu: '100m', memory: '256Mi'}`.
   * @default - no requests
   */
  readonly requests?: { [resource: string]: string };
  /** Resource limits of the agent. @default - no limits */
  readonly limits?: { [resource: string]: string };
}

/**
 * Deployment of one of Rancher's agents on a cluster.
 *
 * @see https://ranchermanager.docs.rancher.com/reference-guides/rancher-cluster/agent-deployment-customization
 */
export interface AgentDeployment extends DeploymentCustomization {
  /**
   * The PriorityClass and PodDisruptionBudget that Rancher creates for the agent. Rancher 2.11.0
   * and later, with the feature `cluster-agent-scheduling-customization` enabled.
   * @default - Rancher creates neither
   */
  readonly scheduling?: AgentScheduling;
}

/** The PriorityClass and the PodDisruptionBudget that Rancher creates for an agent. */
export interface AgentScheduling extends AgentDisruptionBudget {
  /** The PriorityClass. @default - Rancher creates none */
  readonly priorityClass?: AgentPriorityClass;
}

/** Deployment of Rancher's webhook on a cluster. Rancher 2.15.0 and later. */
export interface WebhookDeployment extends DeploymentCustomization {
  /**
   * The PodDisruptionBudget that Rancher creates for its webhook. A PriorityClass cannot be set:
   * the webhook has that of Rancher's chart.
   * @default - Rancher creates none
   */
  readonly scheduling?: AgentDisruptionBudget;
  /** Number of replicas: at least 1. @default - the number that Rancher sets */
  readonly replicas?: number;
}

const BUDGET_PROPS: readonly string[] = ['minAvailable', 'maxUnavailable'];

/** Properties of a cluster that Rancher manages by its agents. */
export interface ManagedClusterProps {
  /** The description in Rancher's UI. @default - no description */
  readonly description?: string;
  /**
   * Environment variables of Rancher's agents, e.g. for a proxy. Immutable for a HarvesterImport on
   * Rancher 2.11.0 and later.
   * @default - no variables
   */
  readonly agentEnvVars?: { readonly [name: string]: string };
  /**
   * Deployment of the cluster agent. Rancher 2.7.5 and later; immutable for a HarvesterImport from
   * 2.11.0 on.
   * @default - Rancher's defaults
   */
  readonly clusterAgent?: AgentDeployment;
  /**
   * Deployment of the Fleet agent. Rancher 2.7.5 and later; immutable for a HarvesterImport from
   * 2.11.0 on.
   * @default - Rancher's defaults
   */
  readonly fleetAgent?: AgentDeployment;
  /**
   * Deployment of Rancher's webhook on the cluster. Rancher 2.15.0 and later.
   * @default - Rancher's defaults
   */
  readonly webhook?: WebhookDeployment;
  /**
   * Whether network policies isolate projects; needs a network plugin that enforces them. Of a
   * HarvesterImport, Rancher reads it when it creates the cluster.
   * @default - Rancher's default, false
   */
  readonly enableNetworkPolicy?: boolean;
}

/** Values that keep an existing cluster unchanged when you adopt it. */
export interface AdoptedManagedCluster {
  /**
   * Whether Rancher makes the user who creates the cluster its owner, as for clusters of its UI. This
   * fails for the identity of a GitOps engine, which is not a user of Rancher: declare ClusterMembers
   * for a new cluster. False needs Rancher 2.10.0: earlier versions always create the binding.
   * @default false
   */
  readonly creatorRbac?: boolean;
}

/** The agent customizations of a provisioning Cluster, under the names of its spec. */
type AgentDeployments = Pick<ManagedClusterProps, 'clusterAgent' | 'fleetAgent' | 'webhook'>;

/** The fields of a provisioning Cluster's spec for its agents. */
export function agentSpec({ clusterAgent, fleetAgent, webhook }: AgentDeployments): {
  [field: string]: unknown;
} {
  return {
    clusterAgentDeploymentCustomization: clusterAgent && agentDeployment(clusterAgent),
    fleetAgentDeploymentCustomization: fleetAgent && agentDeployment(fleetAgent),
    // the budget of the webhook is not nested in schedulingCustomization
    webhookDeploymentCustomization: webhook && {
      ...deployment(webhook),
      podDisruptionBudget: budget(webhook.scheduling),
      replicaCount: webhook.replicas,
    },
  };
}

/** The props by the fields that they set. */
const AGENT_PROPS: { readonly [field: string]: string } = Object.fromEntries(
  ['clusterAgent', 'fleetAgent', 'webhook'].flatMap((prop) => {
    const field = `spec.${prop}DeploymentCustomization`;
    return [
      [`${field}.overrideResourceRequirements`, prop],
      [`${field}.schedulingCustomization.podDisruptionBudget`, `${prop}.scheduling`],
      [
        `${field}.schedulingCustomization.priorityClass.value`,
        `${prop}.scheduling.priorityClass.priority`,
      ],
      [`${field}.schedulingCustomization`, `${prop}.scheduling`],
      [`${field}.podDisruptionBudget`, `${prop}.scheduling`],
      [`${field}.appendTolerations`, `${prop}.tolerations`],
      [`${field}.replicaCount`, `${prop}.replicas`],
      [field, prop],
    ];
  }),
);

/** Checks the values of the deployments, and that this version of Rancher has fields for them. */
export function checkAgents(
  deployments: AgentDeployments,
  rancher: IRancherTarget,
  version: RancherVersion,
): Problem[] {
  const { clusterAgent, fleetAgent, webhook } = deployments;
  if (clusterAgent || fleetAgent || webhook) {
    return [
      ...checkAgentVersions(deployments, version),
      ...checkWebhookScheduling(webhook),
      ...asProps(
        checkValues(
          {
            apiVersion: API_VERSIONS.PROVISIONING,
            kind: 'Cluster',
            spec: agentSpec(deployments),
          },
          rancher,
        ),
        AGENT_PROPS,
      ),
    ];
  }
  return [];
}

// the type has no such props, but a JavaScript program can set them
function checkWebhookScheduling(webhook: WebhookDeployment | undefined): Problem[] {
  const given = Object.entries(webhook?.scheduling ?? {}).filter(
    ([prop, value]) => value !== undefined && !BUDGET_PROPS.includes(prop),
  );
  return given.map(([prop, value]) => ({
    path: `webhook.scheduling.${prop}`,
    value,
    message: `cannot be set for the webhook: webhookDeploymentCustomization has no priority class, only ${BUDGET_PROPS.join(' or ')}`,
    fix: 'remove it, or set it in clusterAgent or fleetAgent',
  }));
}

function checkAgentVersions(deployments: AgentDeployments, version: RancherVersion): Problem[] {
  const asked: [path: string, gate: GateId, present: boolean][] = [
    [
      'clusterAgent',
      RancherGate.AGENT_DEPLOYMENT_CUSTOMIZATION,
      deployments.clusterAgent !== undefined,
    ],
    [
      'fleetAgent',
      RancherGate.AGENT_DEPLOYMENT_CUSTOMIZATION,
      deployments.fleetAgent !== undefined,
    ],
    [
      'clusterAgent.scheduling',
      RancherGate.SCHEDULING_CUSTOMIZATION,
      deployments.clusterAgent?.scheduling !== undefined,
    ],
    [
      'fleetAgent.scheduling',
      RancherGate.SCHEDULING_CUSTOMIZATION,
      deployments.fleetAgent?.scheduling !== undefined,
    ],
    ['webhook', RancherGate.WEBHOOK_DEPLOYMENT_CUSTOMIZATION, deployments.webhook !== undefined],
  ];
  return asked.flatMap(([path, gate, present]) =>
    present ? FeatureGates.of(gate)._check(path, version, 'remove it, or upgrade Rancher') : [],
  );
}

function deployment({ tolerations, affinity, requests, limits }: DeploymentCustomization): {
  [field: string]: unknown;
} {
  return {
    appendTolerations: tolerations?.map((toleration) => ({ ...toleration })),
    overrideAffinity: affinity,
    overrideResourceRequirements: requests || limits ? { requests, limits } : undefined,
  };
}

function agentDeployment(agent: AgentDeployment): { [field: string]: unknown } {
  const { scheduling } = agent;
  if (!scheduling) {
    return deployment(agent);
  }
  const { priorityClass } = scheduling;
  return {
    ...deployment(agent),
    schedulingCustomization: {
      priorityClass: priorityClass && {
        value: priorityClass.priority,
        preemptionPolicy: priorityClass.preemptionPolicy,
      },
      podDisruptionBudget: budget(scheduling),
    },
  };
}

function budget({ minAvailable, maxUnavailable }: AgentDisruptionBudget = {}):
  { [field: string]: unknown } | undefined {
  return minAvailable === undefined && maxUnavailable === undefined
    ? undefined
    : { minAvailable, maxUnavailable };
}

/** A cluster that Rancher manages, by its management cluster ID. */
export interface IManagedCluster extends IRancherResource {
  /**
   * The management cluster ID, e.g. `c-m-harvdc05`: the namespace of registration tokens and
   * projects, and the first half of a project ID. May be a late value.
   */
  readonly clusterId: string;
  /**
   * The target for objects on the cluster itself, where the program has one.
   * @internal
   */
  readonly _clusterTarget?: ITarget;

  /**
   * Grants a user or group a role in the cluster.
   *
   * @example
   * shop.grant(Principal.groupOf(AuthProvider.OKTA, 'shop-team'), ClusterMemberRole.MEMBER);
   */
  grant(principal: Principal, role: ClusterMemberRole, options?: MemberOptions): void;
}

/** A cluster that Rancher manages, declared by the program or not. @internal */
export abstract class ManagedCluster extends RancherResource implements IManagedCluster {
  public abstract readonly clusterId: string;
  /** @internal */
  public abstract readonly _clusterTarget?: ITarget;
  /** Whether Rancher created the cluster, and with it the namespace of its tokens. @internal */
  public _exists = false;

  /** Names of clusters have a form of their own. @internal */
  public _nameOf({ name }: ResourceProps): string {
    return literalName(this, name);
  }

  /** Grants a user or group a role in the cluster. */
  public grant(principal: Principal, role: ClusterMemberRole, options: MemberOptions = {}): void {
    requireOpen(this, 'grant');
    const member = { principal, role, bindingName: options.bindingName };
    const version = RancherVersion.parse(this.rancher.version);
    failOnErrors(this, checkMembers([member], 'cluster', version, this.rancher));
    writeClusterBinding(this, this, member);
  }

  /**
   * Writes the namespace of the cluster's tokens, once, if the program declares the cluster: an
   * apply right after the Cluster would race Rancher, which creates the namespace, too.
   * @internal
   */
  public _ensureNamespace(): void {
    if (this._exists || this.node.tryFindChild('Namespace')) {
      return;
    }
    const namespace = new ApiObject(this, 'Namespace', {
      apiVersion: API_VERSIONS.CORE,
      kind: 'Namespace',
      metadata: { name: this.clusterId },
    });
    note(namespace, { deletion: 'cluster' });
  }
}

/** Collects the problem of a cluster of another Rancher. */
export function requireSameRancher(
  construct: IConstruct,
  what: string,
  rancher: IRancherTarget,
  cluster: IManagedCluster,
): void {
  if (cluster.rancher === rancher) {
    return;
  }
  collectProblems(construct, [
    {
      path: 'cluster',
      value: cluster.node.path,
      message: `must be a cluster of Rancher ${rancher.targetName}, not of ${cluster.rancher.targetName}`,
      fix: `create the ${what} below the chart ${cluster.rancher.targetName}`,
    },
  ]);
}

/**
 * The management cluster ID of a provisioning Cluster: fixed at synthesis, or chosen by Rancher.
 *
 * With a fixed ID everything that refers to it is known at synthesis: namespaces of tokens and
 * projects, bindings, project IDs, scopes of IP pools. It is immutable: Rancher ignores a change.
 *
 * @see https://github.com/rancher/rancher/blob/v2.13.8/pkg/controllers/provisioningv2/cluster/controller.go
 */
export class ClusterId {
  /**
   * Derived from Fleet workspace and name of the provisioning Cluster, and from `idSalt` of
   * HarvesterApp, if it is set: `c-m-` and eight characters, the same in every synthesis. Rancher
   * 2.8.0 and later.
   */
  public static derived(): ClusterId {
    return new ClusterId(derivedClusterId);
  }

  /**
   * An ID of your own, e.g. `c-m-harvdc05`. Rancher 2.8.0 and later.
   *
   * An RFC 1123 label of at most 63 characters, unique in the Rancher; not `local`, and not `c-`
   * with five characters, Rancher's legacy form. `<ID>-<project>` has at most 63 characters as
   * well, so keep it short.
   */
  public static fixed(id: string): ClusterId {
    return new ClusterId(() => id);
  }

  /**
   * The ID of a Cluster that exists already, e.g. one that Rancher chose for a cluster of its UI:
   * `status.clusterName` of the provisioning Cluster.
   *
   * Nothing is written to the Cluster, so that it remains as it is, on every version of Rancher. Do
   * not use it for a new Cluster: Rancher would choose another ID.
   */
  public static existing(id: string): ClusterId {
    return new ClusterId(() => id, false);
  }

  /**
   * The random ID that Rancher chooses: a late value, known after the Cluster was applied. The only
   * option below Rancher 2.8.0.
   */
  public static late(): ClusterId {
    return new ClusterId(undefined);
  }

  /** The default: derived, and late below Rancher 2.8.0, which ignores a chosen ID. @internal */
  public static _defaultFor(version: RancherVersion): ClusterId {
    return FeatureGates.of(RancherGate.MANAGEMENT_CLUSTER_NAME).supports(version)
      ? ClusterId.derived()
      : ClusterId.late();
  }

  private constructor(
    private readonly produce:
      ((namespace: string, name: string, salt?: string) => string) | undefined,
    /** Whether the Cluster asks Rancher for the ID. @internal */ public readonly _isWritten = true,
  ) {}

  /** The ID if it is fixed, undefined if it is late. @internal */
  public _of(scope: IConstruct, namespace: string, name: string): string | undefined {
    return this.produce?.(namespace, name, idSaltOf(scope));
  }
}

/**
 * The annotations that a construct sets on a provisioning Cluster, with the fixed ID if there is
 * one.
 */
export function clusterAnnotations(
  {
    description,
    adopted,
    clusterId,
  }: Pick<ManagedClusterProps, 'description'> & {
    readonly adopted?: AdoptedManagedCluster;
    readonly clusterId?: ClusterId;
  },
  version: RancherVersion,
  fixedId: string | undefined,
): TextMap {
  return {
    ...(description === undefined ? {} : { [ANNOTATION_DESCRIPTION]: description }),
    ...(fixedId === undefined || clusterId?._isWritten === false
      ? {}
      : { [ANNOTATION_MANAGEMENT_CLUSTER_NAME]: fixedId }),
    ...creatorAnnotations(adopted?.creatorRbac, version),
  };
}

/** The annotation by which Rancher makes no one owner of a new cluster or project. */
export function creatorAnnotations(
  creatorRbac: boolean | undefined,
  version: RancherVersion,
): TextMap {
  return !(creatorRbac ?? false) && FeatureGates.of(RancherGate.NO_CREATOR_RBAC).supports(version)
    ? { [ANNOTATION_NO_CREATOR_RBAC]: 'true' }
    : {};
}

/** The field `spec.agentEnvVars`; undefined without variables. */
export function agentEnv(
  variables: TextMap | undefined,
): { name: string; value: string }[] | undefined {
  const env = Object.entries(variables ?? {})
    .sort(([a], [b]) => compare(a, b))
    .map(([name, value]) => ({ name, value }));
  return env.length > 0 ? env : undefined;
}

/** The management cluster ID that Rancher chooses, as a late value. */
export function lateClusterId(cluster: ManagedCluster, namespace: string): string {
  const { rancher: target, name } = cluster;
  return LateValue._once(cluster, 'ClusterId', {
    description: `management cluster id of ${namespace}/${name}`,
    type: LateType.NAME,
    source: LateSource.field('status.clusterName', {
      target,
      apiVersion: API_VERSIONS.PROVISIONING,
      kind: 'Cluster',
      namespace,
      name,
    }),
  }).token;
}

/**
 * Checks a fixed management cluster ID; a late one is always valid, and Rancher checked that of an
 * existing cluster.
 */
export function checkClusterId(
  id: string | undefined,
  name: string,
  version: RancherVersion,
  chosen?: ClusterId,
): readonly Problem[] {
  if (id === undefined) {
    return [];
  }
  const path = 'clusterId';
  if (chosen?._isWritten === false) {
    if (RFC1123_LABEL.test(id)) {
      return [];
    }
    return [
      {
        path,
        value: id,
        message: 'must be a management cluster ID',
        fix: 'copy status.clusterName of the provisioning Cluster, e.g. c-m-abcd1234 or c-abcde',
      },
    ];
  }
  const tooOld = FeatureGates.of(RancherGate.MANAGEMENT_CLUSTER_NAME)._check(
    path,
    version,
    'use ClusterId.late(), or upgrade Rancher',
  );
  return tooOld.length > 0 ? tooOld : checkManagementClusterId(path, id, name);
}

/** Checks the ID and the Fleet workspace of such a Cluster. */
export function* checkMirroredId(
  id: string,
  fleetWorkspace: string | undefined,
): Iterable<Problem> {
  if (!MIRRORED_CLUSTER_ID.test(id)) {
    yield {
      path: 'clusterId',
      value: id,
      message: NOT_MIRRORED,
      fix: "use e.g. ClusterId.fixed('c-shop1')",
    };
  }
  if (fleetWorkspace !== undefined && !RFC1123_LABEL.test(fleetWorkspace)) {
    yield {
      path: 'fleetWorkspace',
      value: fleetWorkspace,
      message: 'must be the name of a Fleet workspace',
      fix: 'use e.g. fleet-default',
    };
  }
}

/** Checks that the program does not set annotations that the construct writes. */
export function checkOwnAnnotations(annotations: TextMap | undefined): Problem[] {
  return checkOwnKeys('annotations', annotations, {
    [ANNOTATION_MANAGEMENT_CLUSTER_NAME]: 'use clusterId',
    [ANNOTATION_DESCRIPTION]: 'use description',
    [ANNOTATION_NO_CREATOR_RBAC]: 'use adopted.creatorRbac',
  });
}

/** Checks that a map has none of the keys that the construct writes, each with its fix. */
export function checkOwnKeys(prop: string, given: TextMap | undefined, own: TextMap): Problem[] {
  if (!given) {
    return [];
  }
  return Object.entries(own).flatMap(([key, fix]) => {
    if (key in given) {
      return [
        {
          path: `${prop}[${key}]`,
          value: given[key],
          message: 'cannot be set: this construct writes it',
          fix,
        },
      ];
    }
    return [];
  });
}
