import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { DEFAULT_MTU, checkClusterNetworkName } from './cluster-network.check';
import { API_HARVESTER_NETWORK, MGMT_CLUSTER_NETWORK } from './cluster-network.kind';
import { know } from '../../core/app/known-objects';
import { IHarvesterTarget, harvesterTargetOf } from '../../core/app/target';
import { EdgeType, Edges } from '../../core/late/edge';
import { ANNOTATION_DESCRIPTION } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { collectProblems, failOnErrors } from '../../core/rule/problem';
import { objectName } from '../object-name';

const HOST_NETWORKS = Symbol.for('cdk8s-harvester.HostNetworks');

/** A ClusterNetwork, or a VlanConfig with its uplinks. */
interface Carrier {
  readonly construct: IConstruct;
  readonly kind: 'network' | 'uplink';
  readonly mtu?: number;
}

interface User {
  readonly construct: IConstruct;
  /** The state of the uplinks to wait for. Undefined if only the ClusterNetwork matters. */
  readonly uplinks?: EdgeType;
}

/**
 * The cluster networks that a program declares on one Harvester, and the objects that use them, in any order.
 */
export class HostNetworks {
  /** The cluster networks of a Harvester. */
  public static of(harvester: IHarvesterTarget): HostNetworks {
    const holder = harvester as unknown as { [HOST_NETWORKS]?: HostNetworks };
    if (!holder[HOST_NETWORKS]) { Object.defineProperty(holder, HOST_NETWORKS, { value: new HostNetworks() }); }
    return holder[HOST_NETWORKS]!;
  }

  private readonly carriers = new Map<string, Carrier[]>();
  private readonly users = new Map<string, User[]>();

  /** Declares a ClusterNetwork or an uplink, for which its users wait. */
  public declare(clusterNetwork: string, carrier: Carrier): void {
    this.carriers.set(clusterNetwork, [...this.carriers.get(clusterNetwork) ?? [], carrier]);
    for (const user of this.users.get(clusterNetwork) ?? []) { order(user, carrier); }
  }

  /** Declares a user of a cluster network. */
  public use(clusterNetwork: string, user: User): void {
    this.users.set(clusterNetwork, [...this.users.get(clusterNetwork) ?? [], user]);
    for (const carrier of this.carriers.get(clusterNetwork) ?? []) { order(user, carrier); }
  }

  /** The MTU of a cluster network's uplinks, if the program declares one other than the default. */
  public mtuOf(clusterNetwork: string): number | undefined {
    const mtu = this.carriers.get(clusterNetwork)?.find((carrier) => carrier.mtu)?.mtu;
    return mtu === DEFAULT_MTU ? undefined : mtu;
  }
}

function order(user: User, carrier: Carrier): void {
  const type = carrier.kind === 'network' ? EdgeType.APPLIED : user.uplinks;
  if (type && user.construct !== carrier.construct) { Edges.of(user.construct)._add(carrier.construct, type); }
}

/**
 * A cluster network of a Harvester: declared by the program, or existing.
 */
export interface IClusterNetwork extends IConstruct {
  /** The name of the ClusterNetwork, by which networks and VlanConfigs refer to it. */
  readonly clusterNetworkName: string;
  /** The Harvester of the cluster network. */
  readonly harvester: IHarvesterTarget;
}

/**
 * Properties of a cluster network.
 */
export interface ClusterNetworkProps {
  /**
   * The name of the ClusterNetwork: at most 12 of a-z, 0-9 and hyphens, since it names a Linux bridge.
   * @default - the id of the construct
   */
  readonly name?: string;
  /** The description that the UI shows. @default - no description */
  readonly description?: string;
  /** Labels of the ClusterNetwork. @default - no labels */
  readonly labels?: { readonly [key: string]: string };
}

/**
 * The ClusterNetwork of a Harvester: a bridge on every node, with uplinks from `VlanConfig`s, on which `VmNetwork`s are created.
 *
 * Every Harvester has the cluster network `mgmt`, with the uplinks that the installer configured.
 *
 * @see https://docs.harvesterhci.io/latest/networking/clusternetwork
 */
export class ClusterNetwork extends Construct implements IClusterNetwork {
  /** The name of the cluster network that every Harvester has. */
  public static readonly MGMT: string = MGMT_CLUSTER_NETWORK;

  /**
   * A reference to an existing cluster network, e.g. `mgmt`.
   *
   * @param scope a HarvesterChart, or a construct in one
   * @param id the ID of the construct
   * @param name the name of the ClusterNetwork
   */
  public static fromName(scope: Construct, id: string, name: string): IClusterNetwork {
    return new ExistingClusterNetwork(scope, id, name);
  }

  public readonly clusterNetworkName: string;
  public readonly harvester: IHarvesterTarget;

  constructor(scope: Construct, id: string, props: ClusterNetworkProps = {}) {
    super(scope, id);
    this.harvester = harvesterTargetOf(this, 'ClusterNetwork');
    this.clusterNetworkName = objectName(this, props.name);
    if (this.clusterNetworkName === MGMT_CLUSTER_NETWORK) {
      collectProblems(this, [{ path: 'name', value: MGMT_CLUSTER_NETWORK, message: 'cannot be created: every Harvester has this cluster network', fix: 'use ClusterNetwork.fromName, or choose a different name' }]);
    }
    failOnErrors(this, checkClusterNetworkName('name', this.clusterNetworkName));
    const network = new ApiObject(this, 'Resource', {
      apiVersion: API_HARVESTER_NETWORK,
      kind: 'ClusterNetwork',
      metadata: {
        name: this.clusterNetworkName,
        labels: props.labels,
        ...(props.description === undefined ? {} : { annotations: { [ANNOTATION_DESCRIPTION]: props.description } }),
      },
    });
    note(network, {
      deletion: { policy: 'delete', reason: 'Harvester refuses it while VlanConfigs or networks use it' },
      othersWrite: ['metadata.annotations', 'metadata.finalizers', 'status'],
    });
    HostNetworks.of(this.harvester).declare(this.clusterNetworkName, { construct: this, kind: 'network' });
  }
}

class ExistingClusterNetwork extends Construct implements IClusterNetwork {
  public readonly harvester: IHarvesterTarget;

  constructor(scope: Construct, id: string, public readonly clusterNetworkName: string) {
    super(scope, id);
    this.harvester = harvesterTargetOf(this, 'ClusterNetwork.fromName');
    failOnErrors(this, checkClusterNetworkName('name', clusterNetworkName));
    know(this, { target: this.harvester, apiVersion: API_HARVESTER_NETWORK, kind: 'ClusterNetwork', name: clusterNetworkName });
  }
}
