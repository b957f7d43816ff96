import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { RegistrationToken, TokenSource } from './registration-token';
import { know } from '../../core/app/known-objects';
import { IHarvesterTarget, ITarget, TargetKind } from '../../core/app/target';
import { EdgeType, Edges } from '../../core/late/edge';
import { API_VERSIONS, FLEET_DEFAULT, RFC1123_LABEL, SETTING_REGISTRATION_URL } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { Problem, fail, failOnErrors, failUnlessLiteral } from '../../core/rule/problem';
import { markManagedAs } from '../../core/synthesis/target-info';
import { AdditionalCa } from '../../harvester/settings/additional-ca';
import { HarvesterSetting } from '../../harvester/settings/harvester-setting';
import { AgentDeployment, AgentDeployments, WebhookDeployment, agentSpec, checkAgents } from '../cluster/agent-deployment';
import { IManagedCluster, ManagedCluster, ManagementClusterId } from '../cluster/managed-cluster';
import {
  CLUSTER_OTHERS_WRITE, agentEnv, checkClusterId, checkOwnAnnotations, checkOwnKeys, clusterAnnotations, ensureClusterNamespace,
  lateClusterId,
} from '../cluster/provisioning-cluster';
import { LABEL_PROVIDER, PROVIDER_HARVESTER } from '../cluster/provisioning-cluster.kind';
import { RancherVersion } from '../version/rancher-version';

/**
 * A Harvester cluster in a Rancher: one that the program imports, or one that is imported already.
 */
export interface IHarvesterImport extends IManagedCluster {}

/**
 * Properties of an import.
 */
export interface HarvesterImportProps {
  /** The Harvester that is imported. */
  readonly harvester: IHarvesterTarget;
  /**
   * The name that Rancher shows: 2 to 63 of a-z, 0-9 and hyphens, not `local`, not `c-` with five characters.
   * @default - the name of the Harvester's target
   */
  readonly name?: string;
  /**
   * The namespace of the provisioning Cluster: a Fleet workspace.
   * @default 'fleet-default'
   */
  readonly namespace?: string;
  /**
   * The id of the management cluster. Create-only.
   * @default ManagementClusterId.derived(), and ManagementClusterId.late() below Rancher 2.8.0
   */
  readonly managementClusterId?: ManagementClusterId;
  /**
   * Where the registration token comes from. With TokenSource.value or TokenSource.secret one commit is enough.
   * @default TokenSource.rancherDefault()
   */
  readonly token?: TokenSource;
  /**
   * Whether the Harvester is told to register, by its Setting cluster-registration-url.
   * @default true
   */
  readonly register?: boolean;
  /**
   * Whether the Harvester takes Rancher's certificate unseen when it fetches the import manifest, which it applies as administrator.
   * @default false
   */
  readonly insecureSkipTlsVerify?: boolean;
  /** Text that Rancher's UI shows. @default - none */
  readonly description?: string;
  /** Labels of the Cluster, also on its Fleet cluster. Create-only on Rancher 2.11.0 and later. @default - only `provider.cattle.io: harvester` */
  readonly labels?: { readonly [key: string]: string };
  /** Annotations of the provisioning Cluster. @default - only those of this construct */
  readonly annotations?: { readonly [key: string]: string };
  /** Environment of the cluster agent, e.g. its proxy. Create-only on Rancher 2.11.0 and later. @default - none */
  readonly agentEnvVars?: { readonly [name: string]: string };
  /** How the cluster agent is deployed. Create-only on Rancher 2.11.0 and later. @default - Rancher's own */
  readonly clusterAgent?: AgentDeployment;
  /** How the Fleet agent is deployed. Create-only on Rancher 2.11.0 and later. @default - Rancher's own */
  readonly fleetAgent?: AgentDeployment;
  /** How Rancher's webhook is deployed. Rancher 2.15.0 and later. @default - Rancher's own */
  readonly webhook?: WebhookDeployment;
  /**
   * Whether Rancher binds the one who applies as cluster owner. An identity of a GitOps engine is no user of Rancher, so the binding would fail;
   * give access by bindings of your own. False needs Rancher 2.10.0: earlier ones always bind.
   * @default false
   */
  readonly creatorRbac?: boolean;
}

/**
 * Imports a Harvester cluster into Rancher.
 *
 * On Rancher: a provisioning Cluster; with a token of your own also the Namespace of the cluster and the token's Secret. On Harvester: the Setting
 * cluster-registration-url, and additional-ca where the Rancher chart names private authorities. With a fixed id and a token of your own, all of it
 * is known at synthesis.
 *
 * @see https://docs.harvesterhci.io/latest/rancher/virtualization-management
 */
export class HarvesterImport extends ManagedCluster implements IHarvesterImport {
  /**
   * A Harvester that is imported already, by the id of its management cluster: `c-m-…`, or `c-` with five characters when the UI imported it.
   *
   * @param scope below a RancherChart
   * @param id of the construct
   * @param clusterId as in the URL of Rancher's UI, or `status.clusterName` of its provisioning Cluster
   * @param harvester the Harvester itself; guest clusters and tenants need it for what they declare there
   */
  public static fromClusterId(scope: Construct, id: string, clusterId: string, harvester?: IHarvesterTarget): IHarvesterImport {
    return new ImportedHarvester(scope, id, clusterId, harvester);
  }

  public readonly clusterId: string;
  /** The name of the provisioning Cluster. */
  public readonly name: string;
  /** The Harvester that is imported. */
  public readonly harvester: IHarvesterTarget;
  public readonly target?: ITarget;
  /** The token that the Harvester registers with. */
  public readonly token: RegistrationToken;
  private readonly namespace: string;
  private readonly cluster: ApiObject;

  constructor(scope: Construct, id: string, props: HarvesterImportProps) {
    super(scope, id, 'HarvesterImport');
    this.harvester = props.harvester;
    this.target = props.harvester;
    this.name = props.name ?? props.harvester.targetName;
    this.namespace = props.namespace ?? FLEET_DEFAULT;
    for (const [prop, value] of [['name', this.name], ['namespace', this.namespace]] as const) { failUnlessLiteral(this, prop, value); }
    failOnErrors(this, this.checkHarvester());
    const version = RancherVersion.parse(this.rancher.version);
    const fixedId = (props.managementClusterId ?? ManagementClusterId._defaultFor(version))._of(this.namespace, this.name);
    const agents: AgentDeployments = { clusterAgent: props.clusterAgent, fleetAgent: props.fleetAgent, webhook: props.webhook };
    failOnErrors(this, [...checkClusterId(fixedId, this.name, version), ...checkAgents(agents, version), ...checkOwn(props)]);

    this.cluster = this.writeCluster(props, version, fixedId, agents);
    this.clusterId = fixedId ?? lateClusterId(this, this.rancher, this.namespace, this.name);
    markManagedAs(this.harvester, this.rancher, this.clusterId);
    this.token = new RegistrationToken(this, 'Token', { cluster: this, source: props.token });
    if (props.register ?? true) { this.registerHarvester(props.insecureSkipTlsVerify ?? false); }
  }

  /** @internal */
  public _ensureNamespace(): void {
    ensureClusterNamespace(this, this.clusterId);
  }

  private checkHarvester(): Problem[] {
    const { targetKind, targetName, node } = this.harvester;
    if (targetKind !== TargetKind.HARVESTER) {
      return [{ path: 'harvester', value: targetName, message: `is a ${targetKind} target`, fix: 'give a HarvesterChart' }];
    }
    return node.root === this.node.root ? [] : [{
      path: 'harvester', value: targetName, message: 'belongs to another app, which would never write its Setting', fix: 'put both charts into one app',
    }];
  }

  private writeCluster(props: HarvesterImportProps, version: RancherVersion, fixedId: string | undefined, agents: AgentDeployments): ApiObject {
    const cluster = new ApiObject(this, 'Resource', {
      apiVersion: API_VERSIONS.PROVISIONING,
      kind: 'Cluster',
      metadata: {
        name: this.name,
        namespace: this.namespace,
        labels: { ...props.labels, [LABEL_PROVIDER]: PROVIDER_HARVESTER },
        annotations: clusterAnnotations(props, version, fixedId),
      },
      spec: { ...agentSpec(agents), agentEnvVars: agentEnv(props.agentEnvVars) },
    });
    note(cluster, {
      deletion: {
        policy: 'delete',
        reason: 'takes the management cluster, its namespaces, projects and bindings along and cleans nothing on the Harvester: reset its Setting '
          + `${SETTING_REGISTRATION_URL} first, and never delete its namespace cattle-system, which holds the Rancher that it embeds`,
      },
      othersWrite: CLUSTER_OTHERS_WRITE,
    });
    return cluster;
  }

  private registerHarvester(insecureSkipTlsVerify: boolean): void {
    const scope = this.harvester as unknown as Construct;
    const id = 'ClusterRegistrationUrl';
    const other = scope.node.tryFindChild(id);
    if (other) {
      const registered = other instanceof HarvesterSetting;
      fail(this, [{
        path: 'harvester',
        value: this.harvester.targetName,
        message: registered ? 'is imported by another HarvesterImport already, and a Harvester registers with one Rancher' : `has a child "${id}" of another kind`,
        fix: registered ? 'give one of them register: false' : 'give that child another id',
      }]);
    }
    const setting = HarvesterSetting.clusterRegistrationUrl(scope, id, { url: this.token.registrationUrl, insecureSkipTlsVerify });
    // destroy goes the other way: the Setting is reset before the Cluster goes
    Edges.of(setting)._add(this.cluster, EdgeType.APPLIED);
    if (this.token.isKnown) { Edges.of(setting)._add(this.token, EdgeType.APPLIED); }
    if (this.rancher.caCertificates) {
      const ca = AdditionalCa.of(scope);
      ca.trust(this.rancher.caCertificates);
      Edges.of(setting)._add(ca, EdgeType.READY);
    }
  }
}

/** A Harvester that somebody else imported. */
class ImportedHarvester extends ManagedCluster implements IHarvesterImport {
  constructor(scope: Construct, id: string, public readonly clusterId: string, public readonly target?: ITarget) {
    super(scope, id, 'HarvesterImport.fromClusterId');
    if (!RFC1123_LABEL.test(clusterId)) {
      fail(this, [{ path: 'clusterId', value: clusterId, message: 'is no id of a management cluster', fix: 'give it as in the URL of Rancher\'s UI, e.g. c-m-abcd1234 or c-abcde' }]);
    }
    know(this, { target: this.rancher, apiVersion: API_VERSIONS.MANAGEMENT, kind: 'Cluster', name: clusterId });
    if (target) { markManagedAs(target, this.rancher, clusterId); }
  }

  /** @internal */
  public _ensureNamespace(): void {
    // the cluster is there, so is its namespace
  }
}

function checkOwn({ labels, annotations }: HarvesterImportProps): Problem[] {
  return [...checkOwnKeys('labels', labels, { [LABEL_PROVIDER]: 'leave it out: it marks the import as a Harvester' }), ...checkOwnAnnotations(annotations)];
}
