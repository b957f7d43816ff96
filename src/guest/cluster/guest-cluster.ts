import { Construct } from 'constructs';
import { MachineFacts } from './cluster-reader.facts';
import { ExistingGuestCluster, ExistingGuestClusterOptions } from './existing-guest-cluster';
import { ProvisionedCluster } from './provisioned-cluster';
import { ProvisionedClusterProps } from './provisioned-cluster-props';
import { OrderingType, Ordering } from '../../core/construct/edge';
import { note } from '../../core/construct/object-notes';
import { INamespace, IRancherTarget, targetOf } from '../../core/construct/target';
import { requireOpen } from '../../core/growing/synthesized';
import { Problem, failOnErrors } from '../../core/problem/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import { ANNOTATION_KEEPS_VOLUMES } from '../../rancher/cluster/cluster.facts';
import { CloudCredential, ICloudCredential } from '../../rancher/credential/cloud-credential';
import { IHarvesterImport } from '../../rancher/import/harvester-import';
import { RancherVersion } from '../../rancher/version/rancher-version';
import { ControlPlaneEndpoint } from '../endpoint/control-plane-endpoint';
import { checkMachinePools } from '../machine-pool/checks/check-machine-pools';
import { MachinePool } from '../machine-pool/machine-pool';
import { machinePoolsProps } from '../machine-pool/machine-pool-props';
import { addMachinePools, PoolManifests } from '../machine-pool/machine-pool-spec';
import { checkHostnameLimit } from '../machine-pool/machine-pool.check';
import { ClusterContext, checkRancherOf } from '../parts/cluster-parts';
import { IGuestCluster } from '../parts/guest-cluster-ref';
import { GuestGate } from '../version/guest-gates.data';

/** Properties of a guest cluster whose machines the node driver creates. */
export interface GuestClusterProps extends ProvisionedClusterProps {
  /**
   * The import of the Harvester cluster that the machines run on. Its target must be a
   * HarvesterChart of the program.
   */
  readonly harvesterImport: IHarvesterImport;
  /** The namespace of the machines on that Harvester cluster. */
  readonly vmNamespace: INamespace;
  /** The machine pools, which together have every role. */
  readonly pools: MachinePool[];
  /**
   * The cloud credential with which Rancher's node driver logs in to Harvester. Delete it after the
   * cluster: it is needed to delete the machines.
   * @default - a service account on Harvester that all guest clusters of this Harvester cluster share; none if every pool has a credential
   */
  readonly credential?: ICloudCredential;
  /**
   * The address of the control plane, for users and programs outside of the cluster.
   * @default - each control plane node has an address of its own
   */
  readonly endpoint?: ControlPlaneEndpoint;
  /**
   * The maximum length of host names, 10 to 63, of pools that do not set it. Rancher 2.7.5 and
   * later.
   * @default - Rancher's default, 63
   */
  readonly hostnameLengthLimit?: number;
  /**
   * Whether the deletion of the cluster keeps the volumes of pods that a machine has attached.
   * Without it, Rancher 2.11.0 and later deletes them with the machine. Volumes that no machine has
   * attached are kept in any case: see `doctor`.
   * @default false
   */
  readonly keepVolumes?: boolean;
}

/**
 * An RKE2 or K3s guest cluster whose machines Rancher creates on Harvester, with its node driver.
 *
 * Creates on Rancher: a provisioning Cluster, a HarvesterConfig for each pool, the cloud provider's
 * Secret, and a cloud credential unless it is set. On Harvester: the service accounts that both log
 * in with. Constructs in `chart` go to the guest cluster itself.
 *
 * Apply HarvesterConfigs and the Cluster together: Rancher deletes HarvesterConfigs that no Cluster
 * uses after an hour.
 *
 * @see https://docs.harvesterhci.io/latest/rancher/node/rke2-cluster
 * @see https://ranchermanager.docs.rancher.com/how-to-guides/new-user-guides/launch-kubernetes-with-rancher
 * @example
 * const image = VmImage.download(dc1, 'noble', { url: 'https://cloud-images.ubuntu.com/noble/current/noble-server-cloudimg-amd64.img' });
 * new GuestCluster(rancher, 'orders', {
 *   harvesterImport: harvester,
 *   vmNamespace: new HarvesterNamespace(dc1, 'orders-vms'),
 *   kubernetes: Kubernetes.rke2('v1.33.6+rke2r1'),
 *   pools: [{
 *     name: 'all',
 *     quantity: 3,
 *     roles: MachineRoles.ALL,
 *     cpus: 4,
 *     memory: Size.gibibytes(8),
 *     disks: [Disk.image(image, Size.gibibytes(40))],
 *     networks: [new VmNetwork(dc1, 'prod', { clusterNetwork: ClusterNetwork.mgmt(dc1), vlan: 100 })],
 *   }],
 * });
 */
export class GuestCluster extends ProvisionedCluster implements IGuestCluster {
  /**
   * A reference to an existing guest cluster, on machines of the node driver or a custom cluster:
   * with its chart, kubeconfig, projects and members.
   */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingGuestClusterOptions,
  ): IGuestCluster {
    return new ExistingGuestCluster(scope, id, options);
  }

  /** The import of the Harvester that its machines run on. */
  public readonly harvesterImport: IHarvesterImport;
  /** The namespace of its machines on that Harvester. */
  public readonly vmNamespace: INamespace;
  private readonly endpoint?: ControlPlaneEndpoint;
  private readonly pools: readonly MachinePool[];
  private readonly machines: FirstMachines;
  private readonly firstMachineSets: readonly string[];

  constructor(scope: Construct, id: string, props: GuestClusterProps) {
    const {
      harvesterImport: harvester,
      vmNamespace: namespace,
      credential,
      endpoint,
      hostnameLengthLimit,
      keepVolumes,
    } = props;
    const machines: FirstMachines = { controlPlane: [], names: [] };
    const manifests = new PoolManifests();
    super(scope, id, props, {
      harvesterImport: harvester,
      namespace,
      facts: machineFacts(props.pools),
      check: (context) => [
        ...checkMachinePools(context, props.pools, manifests),
        ...checkOwn(scope, props, context),
      ],
      write: (context, parts) => {
        const hasOwn = props.pools.every((pool) => pool.credential !== undefined);
        const login =
          credential ?? (hasOwn ? undefined : CloudCredential._defaultFor(harvester, namespace));
        const {
          entries,
          configs,
          controlPlane,
          names,
          props: fields,
        } = addMachinePools(context, props.pools, parts.files, manifests);
        parts.before.push(...(login ? [login] : []), ...configs);
        Object.assign(machines, { login, controlPlane, names });
        endpoint?._write(parts);
        endpoint?._balance(context, controlPlane);
        return {
          credentialName: login?.credentialId,
          pools: entries,
          props: fields,
          hostnameLengthLimit,
          authorizedEndpoint: endpoint?._authEndpoint(),
          annotations: keepVolumes ? { [ANNOTATION_KEEPS_VOLUMES]: 'true' } : undefined,
        };
      },
    });
    this.harvesterImport = harvester;
    this.vmNamespace = namespace;
    this.pools = props.pools;
    this.endpoint = endpoint;
    this.machines = machines;
    this.firstMachineSets = [...machines.controlPlane];
  }

  /**
   * Adds a machine pool, e.g. one with GPUs that another part of the program needs. Added pools
   * follow those of the constructor, sorted by name, so that the order of the parts does not
   * matter. All pools together must have every role at synthesis.
   *
   * @example
   * const image = VmImage.fromName(dc1, 'jammy', { name: 'jammy' });
   * shop.addPool({
   *   name: 'batch',
   *   roles: MachineRoles.WORKER,
   *   cpus: 8,
   *   memory: Size.gibibytes(32),
   *   disks: [Disk.image(image, Size.gibibytes(80))],
   *   networks: [new VmNetwork(dc1, 'batch', { clusterNetwork: ClusterNetwork.mgmt(dc1), vlan: 130 })],
   * });
   */
  public addPool(pool: MachinePool): void {
    requireOpen(this, 'addPool');
    const { pools: added } = this._additions;
    const pools = [...this.pools, ...added.map((each) => each.pool), pool];
    const manifests = new PoolManifests();
    failOnErrors(this, [
      ...checkMachinePools(this._context, pools, manifests),
      ...this._checkFacts(machineFacts(pools)),
      ...(this.machines.login || pool.credential
        ? []
        : [
            {
              path: `pools[${pool.name}].credential`,
              message: 'must be set: the other pools have credentials of their own',
              fix: 'set it, or set credential of the cluster',
            },
          ]),
    ]);
    const { entries, configs, controlPlane, names } = addMachinePools(
      this._context,
      [pool],
      this._files,
      manifests,
    );
    this._additions.addPool({ pool, entries, controlPlane, names });
    for (const config of configs) {
      Ordering.of(this._cluster)._add(config, OrderingType.APPLIED);
    }
    const all = this._additions.pools;
    const isFirst = this.machines.controlPlane.length === 0;
    this.machines.controlPlane.splice(
      this.firstMachineSets.length,
      Infinity,
      ...all.flatMap((each) => each.controlPlane),
    );
    if (isFirst) {
      this.endpoint?._balance(this._context, this.machines.controlPlane);
    }
    note(this._cluster, {
      props: machinePoolsProps([...this.machines.names, ...all.flatMap((each) => each.names)]),
    });
  }
}

/** What the pools of the constructor became. */
interface FirstMachines {
  /** The credential of pools without one of their own. */
  readonly login?: ICloudCredential;
  /** The machine sets of the control plane, which its endpoint balances: added ones are appended. */
  readonly controlPlane: string[];
  /** The pools of Rancher, by the names that the program gives them. */
  readonly names: readonly string[];
}

function machineFacts(pools: readonly MachinePool[]): MachineFacts {
  const controlPlane = pools.filter(({ roles }) => roles.controlPlane);
  return {
    single: pools.length === 1 && pools.every(isSingle),
    dedicated:
      controlPlane.length > 0 && controlPlane.every(({ roles }) => roles.etcd && !roles.worker),
  };
}

function isSingle({ fixedAddresses, quantity, autoscaling }: MachinePool): boolean {
  return (
    autoscaling === undefined &&
    (fixedAddresses ? fixedAddresses._count(quantity) : (quantity ?? 1)) === 1
  );
}

/** Checks the props that custom clusters do not have, apart from the pools. */
function* checkOwn(
  scope: Construct,
  props: GuestClusterProps,
  context: ClusterContext | undefined,
): Iterable<Problem> {
  const { credential, endpoint, hostnameLengthLimit, kubernetes, authorizedEndpoint } = props;
  const rancher = targetOf(scope)!;
  if (endpoint) {
    yield* endpoint._check(context, kubernetes._distribution.globalConfig, authorizedEndpoint);
  }
  yield* checkHostnameLimit(hostnameLengthLimit);
  const version =
    hostnameLengthLimit === undefined ? undefined : RancherVersion.parse(rancher.version);
  yield* FeatureGates.of(GuestGate.MACHINE_POOL_DEFAULTS)._check(
    'hostnameLengthLimit',
    version,
    'remove it, or declare a newer Rancher',
  );
  yield* checkRancherOf('credential', credential, rancher as IRancherTarget);
}
