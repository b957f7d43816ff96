import { createHash } from 'crypto';
import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import {
  Rke1CloudParts,
  Rke1CloudProvider,
  Rke1ClusterProps,
  Rke1Docker,
} from './rke1-cluster-props';
import { checkRke1, checkRke1Credential, checkRke1Pool, rke1Config } from './rke1-config';
import {
  DOCKER_ROOT,
  HARVESTER_CONFIG_FIELD,
  NODE_POOL_PREFIX,
  NODE_TEMPLATE_NAMESPACE,
  NODE_TEMPLATE_PREFIX,
  RKE1_CONFIG,
  RKE1_VERSION,
} from './rke1.kind';
import { OrderingType, Ordering } from '../../core/construct/edge';
import { note } from '../../core/construct/object-notes';
import { IHarvesterTarget, ITarget, TargetKind } from '../../core/construct/target';
import { API_VERSIONS, FLEET_DEFAULT } from '../../core/manifest/names';
import {
  Problem,
  collectProblems,
  failOnErrors,
  parsed,
  requireLiteral,
} from '../../core/problem/problem';
import { base32 } from '../../core/text/plain-text';
import { filledList } from '../../core/text/values';
import { SecretValue } from '../../core/value/secret-value';
import { FeatureGates } from '../../core/version/feature-gates';
import { HarvesterGate, HarvesterVersion } from '../../harvester/version/harvester-version';
import { ANNOTATION_CREATOR_ID } from '../../rancher/binding/binding.kind';
import {
  agentEnv,
  clusterAnnotations,
  ManagedCluster,
  ClusterId,
} from '../../rancher/cluster/managed-cluster';
import { CloudCredential, ICloudCredential } from '../../rancher/credential/cloud-credential';
import { ILocalUser } from '../../rancher/members/principal';
import { RancherVersion } from '../../rancher/version/rancher-version';
import { authEndpointSpec } from '../cluster/cluster-spec';
import { PROVIDER_NAME } from '../cluster/cluster.kind';
import { checkSite } from '../cluster/provisioned-cluster';
import { GuestChart } from '../guest-chart';
import { KubernetesVersion } from '../kubernetes/kubernetes-version';
import { checkEveryRole, checkMachinePools } from '../machine-pool/checks/check-machine-pools';
import { MachinePool } from '../machine-pool/machine-pool';
import {
  machineConfigFields,
  machineFields,
  awaitParts,
  userDataWith,
} from '../machine-pool/machine-pool-spec';
import { checkShared } from '../machine-pool/machine-pool.check';
import { ClusterContext, ClusterFields, NodeFile, checkRancherOf } from '../parts/cluster-parts';
import { makeGuestChart, IGuestCluster, guestKubeconfig } from '../parts/guest-cluster-ref';

/** The common settings of all pools of an RKE1 cluster. */
interface Rke1Machines {
  readonly context: ClusterContext;
  readonly clusterId: string;
  readonly credential: ICloudCredential;
  readonly creator?: ILocalUser;
  readonly docker: Rke1Docker;
  /** Files on every node. */
  readonly files: readonly NodeFile[];
}

/** Writes NodeTemplate and NodePool of a pool. */
function addRke1Pool(machines: Rke1Machines, pool: MachinePool, cluster: ApiObject): void {
  const { clusterId } = machines;
  const { scope, name } = machines.context;
  const template = addNodeTemplate(machines, pool);
  const { roles, nodeLabels: labels, taints } = pool;
  const nodePool = new ApiObject(scope, `NodePool-${pool.name}`, {
    apiVersion: API_VERSIONS.MANAGEMENT,
    kind: 'NodePool',
    metadata: { name: `${NODE_POOL_PREFIX}${pool.name}`, namespace: clusterId },
    spec: {
      clusterName: clusterId,
      controlPlane: roles.controlPlane,
      deleteNotReadyAfterSecs: pool.unhealthyNodeTimeout?.toSeconds() ?? 0,
      displayName: pool.name,
      drainBeforeDelete: pool.drainBeforeDelete ?? true,
      etcd: roles.etcd,
      // Rancher appends a number
      hostnamePrefix: `${name}-${pool.name}-`,
      nodeLabels: labels && { ...labels },
      nodeTaints: filledList(taints?.map(({ key, value, effect }) => ({ key, value, effect }))),
      nodeTemplateName: `${NODE_TEMPLATE_NAMESPACE}:${template.name}`,
      quantity: pool.quantity ?? 1,
      worker: roles.worker,
    },
  });
  Ordering.of(nodePool)._add(cluster, OrderingType.APPLIED);
  Ordering.of(nodePool)._add(template, OrderingType.APPLIED);
}

/** Writes the NodeTemplate of a pool, or takes that of another pool with the same machines. */
function addNodeTemplate(machines: Rke1Machines, pool: MachinePool): ApiObject {
  const { context, creator } = machines;
  const { scope } = context;
  const name = pool.machineConfigName ?? `${NODE_TEMPLATE_PREFIX}${context.name}-${pool.name}`;
  const id = `NodeTemplate-${name}`;
  const credential = pool.credential ?? machines.credential;
  const { fields: config, outdated } = nodeConfig(machines, pool);
  const shared = scope.node.tryFindChild(id) as ApiObject | undefined;
  if (shared) {
    const own = { ...config, credential: credential.credentialId };
    failOnErrors(scope, checkShared(pool, name, own, sharedConfig(shared)));
    return shared;
  }

  const template = new ApiObject(scope, id, {
    apiVersion: API_VERSIONS.MANAGEMENT,
    kind: 'NodeTemplate',
    metadata: {
      name,
      namespace: NODE_TEMPLATE_NAMESPACE,
      annotations: creator && { [ANNOTATION_CREATOR_ID]: creator.name },
    },
    spec: nodeTemplateSpec(name, credential, machines.docker),
    [HARVESTER_CONFIG_FIELD]: config,
  });
  note(template, { outdated });
  for (const needed of [credential, ...(creator ? [creator] : [])]) {
    Ordering.of(template)._add(needed, OrderingType.APPLIED);
  }
  awaitParts(template, pool);
  return template;
}

/** The fields of the node driver for a pool. */
function nodeConfig(
  { context, files }: Rke1Machines,
  pool: MachinePool,
): ReturnType<typeof machineConfigFields> {
  const identity = { vmNamespace: context.vmNamespace!, cluster: context.name, pool: pool.name };
  return parsed(context.scope, `pools[${pool.name}]`, () =>
    machineConfigFields(
      machineFields(pool, identity),
      pool,
      userDataWith(files),
      // fields of a template are not arguments of a container, so Kubernetes does not expand them
      (_, text) => text,
    ),
  );
}

/** What a template contains that a pool of the same name must contain, too. */
function sharedConfig(template: ApiObject): ClusterFields {
  const { [HARVESTER_CONFIG_FIELD]: config, spec } = template.toJson() as {
    [field: string]: ClusterFields;
  };
  return { ...config, credential: spec.cloudCredentialName };
}

function nodeTemplateSpec(
  displayName: string,
  credential: ICloudCredential,
  docker: Rke1Docker,
): ClusterFields {
  return {
    cloudCredentialName: credential.credentialId,
    displayName,
    driver: PROVIDER_NAME,
    engineInsecureRegistry: docker.insecureRegistries,
    engineInstallURL: docker.installUrl,
    engineOpt: docker.options && { ...docker.options },
    engineRegistryMirror: docker.registryMirrors,
    engineStorageDriver: docker.storageDriver?.name,
    useInternalIpAddress: true,
  };
}

/** The directory of Kubernetes on a node. */
const DATA_DIRECTORY = '/etc/kubernetes';

/**
 * An RKE1 guest cluster on Harvester, for platforms that still have one. Only for Rancher before
 * 2.12.0 and Harvester before 1.6.0; support for RKE1 ended on 2025-07-31. Use `GuestCluster` for
 * new clusters.
 *
 * Creates on Rancher: a management Cluster with its Namespace, a NodeTemplate and a NodePool for
 * each pool, and a cloud credential unless it is set. On Harvester: the service accounts of the
 * node driver and the cloud provider. Constructs in `chart` go to the cluster itself.
 *
 * Delete all RKE1 objects before you upgrade Rancher to 2.12: otherwise it does not start. Changes
 * of a pool only apply to new machines.
 *
 * @see https://docs.harvesterhci.io/v1.5/rancher/node/rke1-cluster
 * @example
 * new Rke1Cluster(rancher, 'legacy', {
 *   harvesterImport: harvester,
 *   vmNamespace: new HarvesterNamespace(dc1, 'legacy-vms'),
 *   kubernetesVersion: 'v1.27.16-rancher1-1',
 *   pools: [{
 *     name: 'all',
 *     quantity: 3,
 *     roles: MachineRoles.ALL,
 *     sshUser: 'ubuntu',
 *     cpus: 4,
 *     memory: Size.gibibytes(8),
 *     disks: [Disk.image(VmImage.fromName(dc1, 'noble', { name: 'image-noble' }), Size.gibibytes(40))],
 *     networks: [VmNetwork.fromName(dc1, 'prod', { name: 'prod' })],
 *   }],
 * });
 */
export class Rke1Cluster extends ManagedCluster implements IGuestCluster {
  /**
   * The Fleet workspace of the cluster. Rancher creates a provisioning Cluster there, named after
   * the management cluster ID.
   */
  public readonly fleetWorkspace: string;
  public readonly clusterId: string;
  public readonly kubernetesVersion: string;
  public readonly chart: GuestChart;
  /** @internal */
  public readonly _clusterTarget: ITarget;

  constructor(scope: Construct, id: string, props: Rke1ClusterProps) {
    super(scope, id, props);
    const { kubernetesVersion } = props;
    requireLiteral(this, 'kubernetesVersion', kubernetesVersion);
    this.fleetWorkspace = props.fleetWorkspace ?? FLEET_DEFAULT;
    this._exists = props.clusterId?._isWritten === false;
    this.clusterId = this.idOf(props.clusterId);
    requireLiteral(this, 'clusterId', this.clusterId);
    this.kubernetesVersion = kubernetesVersion;
    const rancherVersion = RancherVersion.parse(this.rancher.version);
    this.checkPlace(props, rancherVersion);
    const context = this.contextOf(props, rancherVersion);
    failOnErrors(this, [
      ...checkMachinePools(context, props.pools),
      ...checkEveryRole(props.pools),
      ...props.pools.flatMap((pool) => [...checkRke1Pool(context, pool)]),
    ]);
    const cluster = this.write(props, context);
    const chart = makeGuestChart(this, {
      targetName: props.targetName ?? this.name,
      version: context.kubernetesVersion.toString(),
      provisioningCluster: `${this.fleetWorkspace}/${this.clusterId}`,
      rancher: this.rancher,
      harvester: context.harvester,
    });
    this.chart = chart;
    this._clusterTarget = chart;
    Ordering.of(chart)._add(cluster, OrderingType.READY);
  }

  /** The kubeconfig of the cluster through Rancher, a late value. */
  public get kubeconfig(): SecretValue {
    // Rancher mirrors the management Cluster to a provisioning Cluster of its ID
    return guestKubeconfig(this, this.clusterId, this.apiObject);
  }

  private idOf(chosen: ClusterId | undefined): string {
    if (chosen) {
      // a random ID has another form, so it must be refused
      return chosen._of(this, this.fleetWorkspace, this.name) ?? '';
    }
    const hash = createHash('sha256').update(this.name).digest();
    return `c-${base32(hash).slice(0, 5)}`;
  }

  /** Checks everything but the pools; these as well where they cannot be checked afterward. */
  private checkPlace(props: Rke1ClusterProps, rancherVersion: RancherVersion): void {
    const { credential, harvesterImport, vmNamespace: namespace, pools } = props;
    const problems = [
      ...checkRke1(props, this.name, this.clusterId, rancherVersion),
      ...checkSite(this, { harvesterImport, namespace }),
      ...checkHarvester(props),
    ];
    collectProblems(this, [
      ...problems,
      ...checkRke1Credential('credential', credential),
      ...checkRancherOf('credential', credential, this.rancher),
    ]);
    // what the machines are checked against depends on these
    const needed = ['harvesterImport', 'kubernetesVersion', 'vmNamespace'];
    if (problems.some(({ path }) => needed.includes(path))) {
      failOnErrors(this, [...checkMachinePools(undefined, pools), ...checkEveryRole(pools)]);
    }
  }

  private contextOf(props: Rke1ClusterProps, rancherVersion: RancherVersion): ClusterContext {
    const { harvesterImport, vmNamespace: namespace } = props;
    const harvester = harvesterImport._clusterTarget as IHarvesterTarget;
    // the suffix is not a pre-release
    const [, version] = RKE1_VERSION.exec(props.kubernetesVersion)!;
    return {
      scope: this,
      name: this.name,
      fleetWorkspace: this.fleetWorkspace,
      rancher: this.rancher,
      rancherVersion,
      kubernetesVersion: KubernetesVersion.parse(version),
      harvester,
      harvesterVersion: HarvesterVersion.parse(harvester.version),
      harvesterClusterId: harvesterImport.clusterId,
      vmNamespace: namespace.name,
      namespace,
      dataDirectory: DATA_DIRECTORY,
    };
  }

  private write(props: Rke1ClusterProps, context: ClusterContext): ApiObject {
    const { harvesterImport: harvester, vmNamespace: namespace } = props;
    // NodePools are in this namespace
    this._ensureNamespace();
    const cloud = (props.cloudProvider ?? Rke1CloudProvider.harvester())._build(this, {
      vmNamespace: namespace,
      clusterName: this.name,
    });
    const cluster = this.writeCluster(props, context, cloud);
    const credential = props.credential ?? CloudCredential._defaultFor(harvester, namespace);
    const before = [credential, harvester, namespace, cloud.account, props.creator].filter(
      (other) => other !== undefined,
    );
    for (const other of before) {
      Ordering.of(cluster)._add(other, OrderingType.APPLIED);
    }
    const machines = {
      context,
      clusterId: this.clusterId,
      credential,
      creator: props.creator,
      docker: props.docker ?? {},
      files: cloud.files,
    };
    for (const pool of props.pools) {
      addRke1Pool(machines, pool, cluster);
    }
    return cluster;
  }

  private writeCluster(
    props: Rke1ClusterProps,
    { rancherVersion }: ClusterContext,
    cloud: Rke1CloudParts,
  ): ApiObject {
    const { creator, authorizedEndpoint } = props;
    return this._write(
      {
        apiVersion: API_VERSIONS.MANAGEMENT,
        kind: 'Cluster',
        metadata: {
          name: this.clusterId,
          annotations: {
            ...clusterAnnotations(
              { adopted: { creatorRbac: creator !== undefined } },
              rancherVersion,
              undefined,
            ),
            ...(creator ? { [ANNOTATION_CREATOR_ID]: creator.name } : {}),
          },
        },
        spec: {
          agentEnvVars: agentEnv(props.agentEnvVars),
          description: props.description,
          displayName: this.name,
          dockerRootDir: props.docker?.rootDirectory ?? DOCKER_ROOT,
          enableNetworkPolicy: props.enableNetworkPolicy ?? false,
          fleetWorkspaceName: this.fleetWorkspace,
          localClusterAuthEndpoint: authEndpointSpec(authorizedEndpoint),
          [RKE1_CONFIG]: rke1Config(props, cloud.spec),
        },
      },
      {
        deletion: 'rke1',
        // Rancher moves their passwords into Secrets
        othersWrite: [`spec.${RKE1_CONFIG}.privateRegistries`],
      },
    );
  }
}

function checkHarvester({ harvesterImport }: Rke1ClusterProps): readonly Problem[] {
  const { _clusterTarget: target } = harvesterImport;
  const version =
    target?.targetKind === TargetKind.HARVESTER
      ? HarvesterVersion.parse(target.version)
      : undefined;
  return FeatureGates.of(HarvesterGate.RKE1_GUESTS)._check(
    'harvesterImport',
    version,
    'use GuestCluster with RKE2 or K3s',
  );
}
