import { createHash } from 'crypto';
import { ApiObject, Chart } from 'cdk8s';
import { Construct } from 'constructs';
import { checkMachinePool, checkMachinePools } from './_check-machine-pool';
import { waitForNamespace } from './_cloud-provider';
import { ClusterContext } from './_parts';
import { checkSite } from './_provisioned-cluster';
import { checkRke1, checkRke1Credential, checkRke1Pool } from './_rke1-checks';
import { rke1Config } from './_rke1-config';
import { addRke1Pool } from './_rke1-nodes';
import { IGuestCluster } from './guest-cluster-ref';
import { Rke1CloudParts, Rke1CloudProvider } from './rke1-cloud-provider';
import { Rke1ClusterProps } from './rke1-cluster-props';
import { EdgeType, Edges } from '../late';
import { base32 } from '../model/base32';
import { failOnErrors, failUnlessLiteral, parsed } from '../model/errors';
import { makeGuestChart } from '../model/guest-charts';
import { ANNOTATION_CREATOR_ID } from '../model/labels';
import { API_VERSIONS, FLEET_DEFAULT } from '../model/names';
import { note } from '../model/object-notes';
import { Problem } from '../model/problem';
import { DOCKER_ROOT, RKE1_CONFIG, RKE1_VERSION } from '../model/rke1-names';
import { IHarvesterTarget, ITarget } from '../model/target';
import { TargetKind } from '../model/target-kind';
import { CloudCredential, ICloudCredential } from '../rancher';
import { agentEnv, clusterAnnotations, ensureClusterNamespace } from '../rancher/_provisioning-cluster';
import { ManagedCluster } from '../rancher/managed-cluster';
import { FeatureGates, GateId, HarvesterVersion, KubernetesVersion, RancherVersion } from '../versions';

/** Where RKE1 keeps what Kubernetes needs on a node. */
const DATA_DIRECTORY = '/etc/kubernetes';

/**
 * A guest cluster of RKE1 on a Harvester: for platforms that still have them. Rancher before 2.12.0 and Harvester before 1.6.0 only; support for
 * RKE1 ended on 2025-07-31. New clusters are `GuestCluster`s.
 *
 * On Rancher: a management Cluster with its Namespace, a NodeTemplate and a NodePool for each pool, and a cloud credential unless one is given. On
 * the Harvester: the service accounts that the node driver and the cloud provider log in with. What lies below `chart` goes to the cluster itself.
 *
 * Rancher must be rid of all this before it is upgraded to 2.12: else it does not start. A change of a pool's machines reaches new machines only.
 *
 * @see https://docs.harvesterhci.io/v1.5/rancher/node/rke1-cluster
 */
export class Rke1Cluster extends ManagedCluster implements IGuestCluster {
  /** The name that Rancher's UI shows. */
  public readonly name: string;
  /** The namespace of the provisioning Cluster that Rancher makes from the management Cluster, with its id for a name: the Fleet workspace. */
  public readonly clusterNamespace: string;
  public readonly clusterId: string;
  public readonly kubernetesVersion: string;
  public readonly chart: Chart;
  public readonly target?: ITarget;

  constructor(scope: Construct, id: string, props: Rke1ClusterProps) {
    super(scope, id, 'Rke1Cluster');
    const { harvester, kubernetesVersion } = props;
    this.name = props.name ?? id;
    for (const [prop, value] of Object.entries({ name: this.name, kubernetesVersion })) { failUnlessLiteral(this, prop, value); }
    this.clusterId = props.managementClusterId ?? `c-${base32(createHash('sha256').update(this.name).digest()).slice(0, 5)}`;
    failUnlessLiteral(this, 'managementClusterId', this.clusterId);
    this.clusterNamespace = props.fleetWorkspace ?? FLEET_DEFAULT;
    this.kubernetesVersion = kubernetesVersion;
    const rancherVersion = RancherVersion.parse(this.rancher.version);
    failOnErrors(this, [
      ...checkRke1(props, this.name, this.clusterId, rancherVersion), ...checkSite(this, props), ...checkHarvester(props),
      ...checkMachinePools(props.pools), ...checkCredential(this, props.credential),
    ]);

    const target = harvester.target as IHarvesterTarget;
    const context: ClusterContext = {
      scope: this,
      name: this.name,
      clusterNamespace: this.clusterNamespace,
      rancher: this.rancher,
      rancherVersion,
      // what follows the number is no pre-release
      kubernetesVersion: KubernetesVersion.parse(RKE1_VERSION.exec(kubernetesVersion)![1]),
      harvester: target,
      harvesterVersion: HarvesterVersion.parse(target.version),
      harvesterClusterId: harvester.clusterId,
      vmNamespace: props.namespace.namespaceName,
      namespace: props.namespace,
      dataDirectory: DATA_DIRECTORY,
    };
    failOnErrors(this, props.pools.flatMap((pool) => parsed(this, `pools[${pool.name}]`, () => [
      ...checkMachinePool(context, pool), ...checkRke1Pool(context, pool),
    ])));
    const cluster = this.write(props, context);
    this.chart = makeGuestChart(this, 'Chart', {
      targetName: props.targetName ?? this.name,
      version: context.kubernetesVersion.toString(),
      provisioningCluster: `${this.clusterNamespace}/${this.clusterId}`,
      rancher: this.rancher,
      harvester: target,
    });
    this.target = this.chart as unknown as ITarget;
    Edges.of(this.chart)._add(cluster, EdgeType.READY);
  }

  /** @internal */
  public _ensureNamespace(): void {
    ensureClusterNamespace(this, this.clusterId);
  }

  private write(props: Rke1ClusterProps, context: ClusterContext): ApiObject {
    const { harvester, namespace } = props;
    // NodePools lie in it
    this._ensureNamespace();
    const cloud = (props.cloudProvider ?? Rke1CloudProvider.harvester())._build(this, {
      harvester: context.harvester!, vmNamespace: namespace.namespaceName, clusterName: this.name,
    });
    if (cloud.account) { waitForNamespace(cloud.account, context); }
    const cluster = this.writeCluster(props, context, cloud);
    const credential = props.credential ?? CloudCredential._defaultFor(harvester, namespace);
    const before = [credential, harvester, namespace, ...(cloud.account ? [cloud.account] : [])];
    for (const other of before) { Edges.of(cluster)._add(other, EdgeType.APPLIED); }
    const machines = { context, clusterId: this.clusterId, credential, creatorId: props.creatorId, docker: props.docker ?? {}, files: cloud.files };
    for (const pool of props.pools) { addRke1Pool(machines, pool, cluster); }
    return cluster;
  }

  private writeCluster(props: Rke1ClusterProps, { rancherVersion }: ClusterContext, cloud: Rke1CloudParts): ApiObject {
    const { annotations, creatorId, authEndpoint: endpoint } = props;
    const cluster = new ApiObject(this, 'Resource', {
      apiVersion: API_VERSIONS.MANAGEMENT,
      kind: 'Cluster',
      metadata: {
        name: this.clusterId,
        labels: props.labels,
        annotations: {
          ...clusterAnnotations({ annotations, creatorRbac: creatorId !== undefined }, rancherVersion, undefined),
          ...(creatorId === undefined ? {} : { [ANNOTATION_CREATOR_ID]: creatorId }),
        },
      },
      spec: {
        agentEnvVars: agentEnv(props.agentEnvVars),
        description: props.description,
        displayName: this.name,
        dockerRootDir: props.docker?.rootDirectory ?? DOCKER_ROOT,
        enableNetworkPolicy: props.enableNetworkPolicy ?? false,
        fleetWorkspaceName: this.clusterNamespace,
        localClusterAuthEndpoint: endpoint && { enabled: endpoint.enabled ?? true, fqdn: endpoint.fqdn, caCerts: endpoint.caCertificates },
        [RKE1_CONFIG]: rke1Config(props, cloud.spec),
      },
    });
    note(cluster, {
      deletion: {
        policy: 'delete',
        reason: 'takes the machines along, with their disks; wait until its namespace on Rancher is gone before its node templates, its credential '
          + 'and the namespace on the Harvester go, which the removal of machines needs',
      },
      othersWrite: [
        'metadata.annotations', 'metadata.labels', 'metadata.finalizers', 'status',
        // Rancher moves their passwords into Secrets
        ...(props.config && 'privateRegistries' in props.config ? [`spec.${RKE1_CONFIG}.privateRegistries`] : []),
      ],
    });
    return cluster;
  }
}

function* checkHarvester({ harvester }: Rke1ClusterProps): Iterable<Problem> {
  const { target } = harvester;
  if (target?.targetKind !== TargetKind.HARVESTER) { return; }
  const gate = FeatureGates.of(GateId.RKE1_GUESTS).problem(HarvesterVersion.parse(target.version), '');
  if (gate) { yield { path: 'harvester', value: harvester.node.path, message: gate, fix: 'use GuestCluster with RKE2 or K3s' }; }
}

function* checkCredential(cluster: ManagedCluster, credential: ICloudCredential | undefined): Iterable<Problem> {
  yield* checkRke1Credential('credential', credential);
  if (!credential || credential.rancher === cluster.rancher) { return; }
  yield {
    path: 'credential',
    value: credential.node.path,
    message: `is a credential of ${credential.rancher.targetName}, this cluster lies in ${cluster.rancher.targetName}`,
    fix: 'create it below the chart of the cluster\'s Rancher',
  };
}
