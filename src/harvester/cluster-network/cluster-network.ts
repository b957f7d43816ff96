import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { checkClusterNetworkName, checkHostNetworkConfig, checkVlanConfig, DEFAULT_MTU, HOST_NETWORK_MODE } from './cluster-network.check';
import { API_HARVESTER_NETWORK, LABEL_CLUSTER_NETWORK, MGMT_CLUSTER_NETWORK } from './cluster-network.kind';
import { know } from '../../core/app/known-objects';
import { objectName } from '../../core/app/resource';
import { harvesterTargetOf, IHarvesterTarget } from '../../core/app/target';
import { Edges, EdgeType } from '../../core/late/edge';
import { ANNOTATION_DESCRIPTION, descriptionAnnotations } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { collectProblems, failOnErrors } from '../../core/rule/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import { asProps } from '../harvester-object';
import { HarvesterGate, HarvesterVersion } from '../version/harvester-version';

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

/** The cluster networks that a program declares on one Harvester, and the objects that use them, in any order. */
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

/** A cluster network of a Harvester: declared by the program, or existing. */
export interface IClusterNetwork extends IConstruct {
  /** The name of the ClusterNetwork, by which networks and VlanConfigs refer to it. */
  readonly clusterNetworkName: string;
  /** The Harvester of the cluster network. */
  readonly harvester: IHarvesterTarget;
}

/** Properties of a cluster network. */
export interface ClusterNetworkProps {
  /** The name of the ClusterNetwork: at most 12 of a-z, 0-9 and hyphens, since it names a Linux bridge. @default - the ID of the construct */
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
 * @example
 * const prod = new ClusterNetwork(dc1, 'prod');
 * new VlanConfig(dc1, 'prod-uplinks', { clusterNetwork: prod.clusterNetworkName, nics: ['eno2'] });
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

/** The bond mode of an uplink: how its interfaces share the traffic. @see https://www.kernel.org/doc/Documentation/networking/bonding.txt */
export enum BondMode {
  /** One interface is active, another replaces it if it fails. Needs no configuration of the switch. */
  ACTIVE_BACKUP = 'active-backup',
  /** LACP. The switch needs an LACP group. */
  LACP = '802.3ad',
  /** Round-robin. The switch needs a static group. */
  BALANCE_RR = 'balance-rr',
  /** By a hash of the addresses. The switch needs a static group. */
  BALANCE_XOR = 'balance-xor',
  /** All traffic on all interfaces. */
  BROADCAST = 'broadcast',
  /** Balances outgoing traffic by load. Needs no configuration of the switch. */
  BALANCE_TLB = 'balance-tlb',
  /** Balances outgoing and incoming traffic by load. Needs no configuration of the switch. */
  BALANCE_ALB = 'balance-alb',
}

/** Properties of the uplinks of a cluster network. */
export interface VlanConfigProps {
  /** The name of the cluster network, not `mgmt`: `ClusterNetwork.clusterNetworkName`. */
  readonly clusterNetwork: string;
  /** The network interfaces of the nodes, at least one, e.g. `enp2s0`. */
  readonly nics: string[];
  /** Labels of the nodes, e.g. `kubernetes.io/hostname`. A node can have only one VlanConfig of a cluster network. @default - all nodes */
  readonly nodeSelector?: { readonly [label: string]: string };
  /** The bond mode. @default BondMode.ACTIVE_BACKUP */
  readonly bondMode?: BondMode;
  /** The interval of link monitoring, in milliseconds. -1 means Harvester's default of 100. @default - Harvester's default */
  readonly miimon?: number;
  /** The MTU: 576 to 9000, one for all VlanConfigs of a cluster network. @default 1500 */
  readonly mtu?: number;
  /** The length of the transmit queue. -1 means the default of Linux. @default - the default of Linux */
  readonly txQueueLength?: number;
  /** The name of the VlanConfig. @default - the ID of the construct */
  readonly name?: string;
  /** The description that the UI shows. @default - no description */
  readonly description?: string;
  /** Additional labels. @default - only that of Harvester */
  readonly labels?: { readonly [key: string]: string };
}

/**
 * The VlanConfig of a Harvester: the uplinks of a cluster network on some or all nodes, i.e. interfaces that are bonded into its bridge. The UI calls
 * it network config.
 *
 * Interfaces, MTU and nodes can be changed only while no virtual machine on those nodes uses the cluster network.
 *
 * @see https://docs.harvesterhci.io/latest/networking/clusternetwork
 * @example
 * const storage = new ClusterNetwork(dc1, 'storage');
 * new VlanConfig(dc1, 'storage-uplinks', { clusterNetwork: storage.clusterNetworkName, nics: ['eno3', 'eno4'], bondMode: BondMode.ACTIVE_BACKUP });
 */
export class VlanConfig extends Construct {
  /** The name of the VlanConfig. */
  public readonly vlanConfigName: string;
  /** The name of the cluster network. */
  public readonly clusterNetwork: string;
  /** The Harvester of the VlanConfig. */
  public readonly harvester: IHarvesterTarget;

  constructor(scope: Construct, id: string, props: VlanConfigProps) {
    super(scope, id);
    this.harvester = harvesterTargetOf(this, 'VlanConfig');
    this.vlanConfigName = objectName(this, props.name);
    this.clusterNetwork = props.clusterNetwork;
    const spec = specOf(props);
    failOnErrors(this, [
      ...(props.nics.length > 0 ? [] : [{ path: 'nics', message: 'must contain an interface', fix: 'add the interfaces of the nodes, e.g. enp2s0' }]),
      ...asProps(checkVlanConfig(spec), {
        'uplink.linkAttributes.mtu': 'mtu', 'uplink.linkAttributes.txQLen': 'txQueueLength', 'uplink.bondOptions.miimon': 'miimon', 'uplink.bondOptions.mode': 'bondMode',
      }),
    ]);
    const config = new ApiObject(this, 'Resource', {
      apiVersion: API_HARVESTER_NETWORK,
      kind: 'VlanConfig',
      // the server writes the label too, and refuses an update that lacks it
      metadata: {
        name: this.vlanConfigName,
        labels: { ...props.labels, [LABEL_CLUSTER_NETWORK]: props.clusterNetwork },
        // forms of the UI read the annotation, lists the field too
        annotations: descriptionAnnotations(props.description),
      },
      spec,
    });
    note(config, {
      deletion: { policy: 'delete', reason: 'removes the cluster network from its nodes; Harvester refuses it while virtual machines there use it' },
      othersWrite: ['metadata.annotations', 'metadata.finalizers', 'status'],
    });
    const networks = HostNetworks.of(this.harvester);
    networks.use(props.clusterNetwork, { construct: this });
    networks.declare(props.clusterNetwork, { construct: this, kind: 'uplink', mtu: props.mtu });
  }
}

function specOf(props: VlanConfigProps): { readonly [field: string]: unknown } {
  const { clusterNetwork, nics, nodeSelector, bondMode, miimon, mtu, txQueueLength, description } = props;
  const link = mtu === undefined && txQueueLength === undefined ? undefined : { mtu, txQLen: txQueueLength };
  const bondOptions = { mode: bondMode ?? BondMode.ACTIVE_BACKUP, miimon };
  return { description, clusterNetwork, nodeSelector, uplink: { nics, linkAttributes: link, bondOptions } };
}

/** The source of the nodes' addresses on a host network. */
export class HostAddresses {
  /** A DHCP server of the network. */
  public static dhcp(): HostAddresses {
    return new HostAddresses(HOST_NETWORK_MODE.DHCP);
  }

  /**
   * Static addresses in one network, one for every selected node.
   *
   * @param addresses the addresses as CIDRs, e.g. `10.20.0.11/24`, by name of the node
   */
  public static fixed(addresses: { [node: string]: string }): HostAddresses {
    return new HostAddresses(HOST_NETWORK_MODE.STATIC, addresses);
  }

  private constructor(
    /** @internal */
    public readonly _mode: string,
    /** @internal */
    public readonly _ips?: { readonly [node: string]: string },
  ) {}
}

/** Properties of a host network. */
export interface HostNetworkConfigProps {
  /** The name of its cluster network, e.g. `mgmt`: at most 12 characters, and fewer with a VLAN of several digits. Immutable. */
  readonly clusterNetwork: string;
  /** The VLAN: 1 to 4094. Immutable. */
  readonly vlan: number;
  /** The source of the nodes' addresses. @default HostAddresses.dhcp() */
  readonly addresses?: HostAddresses;
  /** Labels of the nodes. @default - all nodes */
  readonly nodeSelector?: { readonly [label: string]: string };
  /**
   * Whether overlay networks use it. A Harvester can have one such network, on all nodes. It cannot be deleted until this is false again.
   * @default false
   */
  readonly underlay?: boolean;
  /** The name of the HostNetworkConfig. @default - the ID of the construct */
  readonly name?: string;
  /** The description that the UI shows. @default - no description */
  readonly description?: string;
  /** Labels of the HostNetworkConfig. @default - no labels */
  readonly labels?: { readonly [key: string]: string };
}

/**
 * The HostNetworkConfig of a Harvester: a network on which the nodes have addresses, in addition to the management network. Harvester 1.8.0 and later.
 *
 * @see https://docs.harvesterhci.io/latest/networking/hostnetworkconfig
 * @example
 * const dc2 = new HarvesterChart(app, 'dc2', { version: '1.8.2' });
 * new HostNetworkConfig(dc2, 'backup', { clusterNetwork: 'mgmt', vlan: 30, addresses: HostAddresses.fixed({ 'node-1': '10.30.0.11/24' }) });
 */
export class HostNetworkConfig extends Construct {
  /** The name of the HostNetworkConfig. */
  public readonly hostNetworkConfigName: string;
  /** The Harvester of the HostNetworkConfig. */
  public readonly harvester: IHarvesterTarget;

  constructor(scope: Construct, id: string, props: HostNetworkConfigProps) {
    super(scope, id);
    this.harvester = harvesterTargetOf(this, 'HostNetworkConfig');
    const lacks = FeatureGates.of(HarvesterGate.HOST_NETWORK_CONFIG)._lack(HarvesterVersion.parse(this.harvester.version));
    if (lacks) { collectProblems(this, [{ path: '', message: lacks, fix: 'upgrade Harvester, or configure the nodes' }]); }
    this.hostNetworkConfigName = objectName(this, props.name);
    const addresses = props.addresses ?? HostAddresses.dhcp();
    const spec = {
      description: props.description,
      clusterNetwork: props.clusterNetwork,
      vlanID: props.vlan,
      mode: addresses._mode,
      ips: addresses._ips,
      nodeSelector: props.nodeSelector && { matchLabels: props.nodeSelector },
      underlay: props.underlay,
    };
    failOnErrors(this, asProps(checkHostNetworkConfig(spec), { vlanID: 'vlan', ips: 'addresses' }));
    const config = new ApiObject(this, 'Resource', {
      apiVersion: API_HARVESTER_NETWORK, kind: 'HostNetworkConfig', metadata: { name: this.hostNetworkConfigName, labels: props.labels }, spec,
    });
    note(config, {
      deletion: { policy: 'delete', reason: 'removes the addresses from the nodes; with underlay: true Harvester refuses it' },
      othersWrite: ['metadata.annotations', 'metadata.labels', 'metadata.finalizers', 'status'],
    });
    HostNetworks.of(this.harvester).use(props.clusterNetwork, { construct: this, uplinks: EdgeType.READY });
  }
}
