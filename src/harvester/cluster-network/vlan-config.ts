import { Construct } from 'constructs';
import { IClusterNetwork } from './cluster-network-ref';
import {
  checkVlanConfig,
  checkBondAddress,
  hardwareAddress,
  macAddressOf,
} from './cluster-network.check';
import {
  API_HARVESTER_NETWORK,
  CLUSTER_NETWORK_KIND,
  LABEL_CLUSTER_NETWORK,
} from './cluster-network.kind';
import { HostNetworks } from './host-networks';
import { ExistingResourceOptions } from '../../core/app/resource';
import { FieldTable } from '../../core/fields/field-table';
import {
  enumField,
  mapField,
  numberField,
  referenceField,
  textsField,
} from '../../core/fields/fields';
import { asProps, collectProblems } from '../../core/problem/problem';
import { requireSameHarvester } from '../harvester-object';
import {
  ExistingHarvesterResource,
  AdoptedObject,
  HarvesterResource,
  HarvesterResourceProps,
  listedProps,
} from '../harvester-resource';
import { IHarvesterResource } from '../harvester-resource-ref';

const KIND = { apiVersion: API_HARVESTER_NETWORK, kind: 'VlanConfig' };

/**
 * The bond mode of an uplink: how its interfaces share the traffic.
 * @see https://www.kernel.org/doc/Documentation/networking/bonding.txt
 */
export enum BondMode {
  /**
   * One interface is active, another replaces it if it fails. Needs no configuration of the switch.
   */
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

/** The uplinks of a cluster network on some or all nodes: declared by the program, or existing. */
export interface IVlanConfig extends IHarvesterResource {
  /** The ID of the object in Rancher's API, which is its name. */
  readonly vlanConfigId: string;
}

/** Properties of the uplinks of a cluster network. */
export interface VlanConfigProps extends HarvesterResourceProps {
  /**
   * Values that keep an existing object unchanged when you adopt it. `cdk8s-harvester adopt`
   * writes them; a new object needs none.
   * @default - the program creates the object
   */
  readonly adopted?: AdoptedObject;
  /** The cluster network, not `mgmt`. */
  readonly clusterNetwork: IClusterNetwork;
  /** The network interfaces of the nodes, at least one, e.g. `enp2s0`. */
  readonly nics: string[];
  /**
   * Labels of the nodes, e.g. `kubernetes.io/hostname`. A node can have only one VlanConfig of a
   * cluster network.
   * @default - all nodes
   */
  readonly nodeSelector?: { readonly [label: string]: string };
  /** The bond mode. @default BondMode.ACTIVE_BACKUP */
  readonly bondMode?: BondMode;
  /**
   * The interval of link monitoring, in milliseconds. -1 means Harvester's default of 100.
   * @default - Harvester's default
   */
  readonly bondMiimon?: number;
  /** The MTU: 576 to 9000, one for all VlanConfigs of a cluster network. @default 1500 */
  readonly mtu?: number;
  /**
   * The MAC address of the bond, e.g. `52:54:00:12:34:56`: set it only where nodeSelector selects a
   * single node.
   * @default - that of an interface
   */
  readonly macAddress?: string;
  /**
   * The length of the transmit queue. -1 means the default of Linux.
   * @default - the default of Linux
   */
  readonly txQueueLength?: number;
}

/** The fields of a VlanConfig. */
export const VLAN_CONFIG_FIELDS = new FieldTable<
  Omit<VlanConfigProps, keyof HarvesterResourceProps | 'adopted'>
>('spec', {
  clusterNetwork: referenceField('clusterNetwork', CLUSTER_NETWORK_KIND),
  nics: textsField('uplink.nics'),
  nodeSelector: mapField('nodeSelector'),
  bondMode: enumField('uplink.bondOptions.mode', 'BondMode', {
    byDefault: BondMode.ACTIVE_BACKUP,
  }),
  bondMiimon: numberField('uplink.bondOptions.miimon'),
  mtu: numberField('uplink.linkAttributes.mtu'),
  macAddress: {
    path: 'uplink.linkAttributes.hardwareAddr',
    write: hardwareAddress,
    read: macAddressOf,
  },
  txQueueLength: numberField('uplink.linkAttributes.txQLen'),
});

/**
 * The VlanConfig of a Harvester: the uplinks of a cluster network on some or all nodes, i.e.
 * interfaces that are bonded into its bridge. The UI calls it network config.
 *
 * Interfaces, MTU and nodes can be changed only while no virtual machine on those nodes uses the
 * cluster network.
 *
 * @see https://docs.harvesterhci.io/latest/networking/clusternetwork
 * @example
 * const storage = new ClusterNetwork(dc1, 'storage');
 * new VlanConfig(dc1, 'storage-uplinks', { clusterNetwork: storage, nics: ['eno3', 'eno4'], bondMode: BondMode.ACTIVE_BACKUP });
 */
export class VlanConfig extends HarvesterResource implements IVlanConfig {
  /** A reference to existing uplinks. */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingResourceOptions,
  ): IVlanConfig {
    return new ExistingVlanConfig(scope, id, 'VlanConfig.fromName', KIND, options);
  }

  /** The cluster network. */
  public readonly clusterNetwork: IClusterNetwork;

  constructor(scope: Construct, id: string, props: VlanConfigProps) {
    super(scope, id, listedProps(props));
    const { clusterNetwork, nics, mtu, macAddress, description } = props;
    this.clusterNetwork = clusterNetwork;
    requireSameHarvester(
      this,
      'clusterNetwork',
      clusterNetwork.name,
      clusterNetwork.harvester,
      this.harvester,
    );
    // forms of the UI read the annotation of the description, lists the field too
    const spec = {
      description,
      ...VLAN_CONFIG_FIELDS.write(props, props.adopted?.asWritten),
    };
    collectProblems(this, [
      ...(nics.length > 0
        ? []
        : [
            {
              path: 'nics',
              message: 'must contain an interface',
              fix: 'add the interfaces of the nodes, e.g. enp2s0',
            },
          ]),
      ...checkBondAddress('macAddress', macAddress),
      ...asProps(checkVlanConfig(spec), VLAN_CONFIG_FIELDS.names),
    ]);
    // the server writes the label too, and refuses an update that lacks it
    this._write(
      { ...KIND, metadata: { labels: { [LABEL_CLUSTER_NETWORK]: clusterNetwork.name } }, spec },
      { props: VLAN_CONFIG_FIELDS.names },
    );
    const networks = HostNetworks.of(this.harvester);
    networks.use(clusterNetwork.name, { construct: this });
    networks.declare(clusterNetwork.name, { construct: this, kind: 'uplink', mtu });
  }

  public get vlanConfigId(): string {
    return this.name;
  }
}

class ExistingVlanConfig extends ExistingHarvesterResource implements IVlanConfig {
  public get vlanConfigId(): string {
    return this.name;
  }
}
