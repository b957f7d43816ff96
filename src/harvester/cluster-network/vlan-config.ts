import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { HostNetworks } from './cluster-network';
import { API_HARVESTER_NETWORK, LABEL_CLUSTER_NETWORK } from './cluster-network.kind';
import { checkVlanConfig } from './vlan-config.check';
import { IHarvesterTarget, harvesterTargetOf } from '../../core/app/target';
import { descriptionAnnotations } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { failOnErrors } from '../../core/rule/problem';
import { asProps, objectName } from '../object-name';

/**
 * The bond mode of an uplink: how its interfaces share the traffic.
 *
 * @see https://www.kernel.org/doc/Documentation/networking/bonding.txt
 */
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

/**
 * Properties of the uplinks of a cluster network.
 */
export interface VlanConfigProps {
  /** The name of the cluster network, not `mgmt`: `ClusterNetwork.clusterNetworkName`. */
  readonly clusterNetwork: string;
  /** The network interfaces of the nodes, at least one, e.g. `enp2s0`. */
  readonly nics: string[];
  /**
   * Labels of the nodes, e.g. `kubernetes.io/hostname`. A node can have only one VlanConfig of a cluster network.
   * @default - all nodes
   */
  readonly nodeSelector?: { readonly [label: string]: string };
  /** The bond mode. @default BondMode.ACTIVE_BACKUP */
  readonly bondMode?: BondMode;
  /** The interval of link monitoring, in milliseconds. -1 means Harvester's default of 100. @default - Harvester's default */
  readonly miimon?: number;
  /** The MTU: 576 to 9000, one for all VlanConfigs of a cluster network. @default 1500 */
  readonly mtu?: number;
  /** The length of the transmit queue. -1 means the default of Linux. @default - the default of Linux */
  readonly txQueueLength?: number;
  /** The name of the VlanConfig. @default - the id of the construct */
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
