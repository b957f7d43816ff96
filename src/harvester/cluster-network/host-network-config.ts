import { Construct } from 'constructs';
import { IClusterNetwork } from './cluster-network-ref';
import { checkHostNetworkConfig, HOST_NETWORK_MODE } from './cluster-network.check';
import { API_HARVESTER_NETWORK } from './cluster-network.kind';
import { HostNetworks } from './host-networks';
import { ExistingResourceOptions } from '../../core/app/resource';
import { OrderingType } from '../../core/construct/edge';
import { asProps, collectProblems } from '../../core/problem/problem';
import { LabelRequirement, expression } from '../affinity/vm-affinity';
import { requireSameHarvester } from '../harvester-object';
import {
  ExistingHarvesterResource,
  HarvesterResource,
  HarvesterResourceProps,
} from '../harvester-resource';
import { IHarvesterResource } from '../harvester-resource-ref';
import { IHarvesterNode } from '../node/node-ref';
import { HarvesterGate } from '../version/harvester-version';
import { requireGate } from '../version/require-gate';

const KIND = { apiVersion: API_HARVESTER_NETWORK, kind: 'HostNetworkConfig' };

/** The props that set fields of other names. */
const PROPS = {
  'spec.vlanID': 'vlan',
  'spec.ips': 'addresses',
  'spec.nodeSelector.matchExpressions': 'nodeRequirements',
  'spec.nodeSelector': 'nodeSelector',
};

/** The address of a node on a host network. */
export interface NodeAddress {
  /** The node. */
  readonly node: IHarvesterNode;
  /** The address as a CIDR, e.g. `10.20.0.11/24`. */
  readonly address: string;
}

/** The source of the nodes' addresses on a host network. */
export class HostAddresses {
  /** A DHCP server of the network. */
  public static dhcp(): HostAddresses {
    return new HostAddresses(HOST_NETWORK_MODE.DHCP);
  }

  /**
   * Static addresses in one network.
   *
   * @param addresses one address for every selected node
   */
  public static fixed(addresses: NodeAddress[]): HostAddresses {
    return new HostAddresses(HOST_NETWORK_MODE.STATIC, addresses);
  }

  declare private readonly nominal: true;

  private constructor(
    /** @internal */
    public readonly _mode: string,
    /** @internal */
    public readonly _addresses?: readonly NodeAddress[],
  ) {}
}

/**
 * A network on which the nodes of a Harvester have addresses: declared by the program, or existing.
 */
export interface IHostNetworkConfig extends IHarvesterResource {
  /** The ID of the object in Rancher's API, which is its name. */
  readonly hostNetworkConfigId: string;
}

/** Properties of a host network. */
export interface HostNetworkConfigProps extends HarvesterResourceProps {
  /**
   * The cluster network that the VLAN is on. Its name has at most 12 characters, and fewer with a
   * VLAN of several digits. Immutable.
   */
  readonly clusterNetwork: IClusterNetwork;
  /** The VLAN: 1 to 4094. Immutable. */
  readonly vlan: number;
  /** The source of the nodes' addresses. @default HostAddresses.dhcp() */
  readonly addresses?: HostAddresses;
  /** Labels of the nodes. @default - all nodes */
  readonly nodeSelector?: { readonly [label: string]: string };
  /**
   * Requirements on the labels of the nodes, in addition to nodeSelector: all operators but
   * GREATER_THAN and LESS_THAN.
   * @default - no requirements
   */
  readonly nodeRequirements?: LabelRequirement[];
  /**
   * Whether overlay networks use it. A Harvester can have one such network, on all nodes. It cannot
   * be deleted until this is false again.
   * @default false
   */
  readonly underlay?: boolean;
}

/**
 * The HostNetworkConfig of a Harvester: a network on which the nodes have addresses, in addition to
 * the management network. Harvester 1.8.0 and later.
 *
 * @see https://docs.harvesterhci.io/latest/networking/hostnetworkconfig
 * @example
 * const dc2 = new HarvesterChart(app, 'dc2', { version: '1.8.2' });
 * const node = HarvesterNode.fromName(dc2, 'node-1', { name: 'node-1' });
 * new HostNetworkConfig(dc2, 'backup', {
 *   clusterNetwork: ClusterNetwork.mgmt(dc2), vlan: 30, addresses: HostAddresses.fixed([{ node, address: '10.30.0.11/24' }]),
 * });
 */
export class HostNetworkConfig extends HarvesterResource implements IHostNetworkConfig {
  /** A reference to an existing host network. */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingResourceOptions,
  ): IHostNetworkConfig {
    return new ExistingHostNetworkConfig(scope, id, 'HostNetworkConfig.fromName', KIND, options);
  }

  /** The cluster network that the VLAN is on. */
  public readonly clusterNetwork: IClusterNetwork;

  constructor(scope: Construct, id: string, props: HostNetworkConfigProps) {
    super(scope, id, props);
    requireGate(
      this,
      HarvesterGate.HOST_NETWORK_CONFIG,
      'upgrade Harvester, or write network configuration to the nodes with NodeCloudInit',
    );
    const {
      clusterNetwork,
      addresses: { _mode: mode, _addresses: addresses } = HostAddresses.dhcp(),
    } = props;
    this.clusterNetwork = clusterNetwork;
    requireSameHarvester(
      this,
      'clusterNetwork',
      clusterNetwork.name,
      clusterNetwork.harvester,
      this.harvester,
    );
    for (const [index, { node }] of (addresses ?? []).entries()) {
      const path = `addresses[${index}].node`;
      requireSameHarvester(this, path, node.name, node.harvester, this.harvester);
      if (addresses!.findIndex((other) => other.node.name === node.name) < index) {
        collectProblems(this, [
          {
            path,
            value: node.name,
            message: 'must be unique',
            fix: 'set one address for each node',
          },
        ]);
      }
    }
    const spec = {
      description: props.description,
      clusterNetwork: clusterNetwork.name,
      vlanID: props.vlan,
      mode,
      ips:
        addresses && Object.fromEntries(addresses.map(({ node, address }) => [node.name, address])),
      nodeSelector: (props.nodeSelector || props.nodeRequirements) && {
        matchLabels: props.nodeSelector,
        matchExpressions: props.nodeRequirements?.map(expression),
      },
      underlay: props.underlay,
    };
    collectProblems(this, asProps(checkHostNetworkConfig(spec), PROPS));
    this._write({ ...KIND, spec }, { props: PROPS });
    HostNetworks.of(this.harvester).use(clusterNetwork.name, {
      construct: this,
      uplinks: OrderingType.READY,
    });
  }

  public get hostNetworkConfigId(): string {
    return this.name;
  }
}

class ExistingHostNetworkConfig extends ExistingHarvesterResource implements IHostNetworkConfig {
  public get hostNetworkConfigId(): string {
    return this.name;
  }
}
