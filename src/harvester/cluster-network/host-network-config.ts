import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { HostNetworks } from './cluster-network';
import { API_HARVESTER_NETWORK } from './cluster-network.kind';
import { HOST_NETWORK_MODE, checkHostNetworkConfig } from './host-network-config.check';
import { IHarvesterTarget, harvesterTargetOf } from '../../core/app/target';
import { EdgeType } from '../../core/late/edge';
import { note } from '../../core/manifest/object-notes';
import { fail, failOnErrors } from '../../core/rule/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import { GateId } from '../../core/version/gate-id';
import { asProps, objectName } from '../object-name';
import { HarvesterVersion } from '../version/harvester-version';

/**
 * How the nodes get their addresses on a network.
 */
export class HostAddresses {
  /** From a DHCP server of the network. */
  public static dhcp(): HostAddresses {
    return new HostAddresses(HOST_NETWORK_MODE.DHCP);
  }

  /**
   * As they are given: one for every node that is selected, all of one network.
   *
   * @param addresses in CIDR form, e.g. `10.20.0.11/24`, by name of the node
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

/**
 * Properties of a network of the nodes.
 */
export interface HostNetworkConfigProps {
  /** The name of the cluster network that carries it, e.g. `mgmt`: up to 12 characters, and fewer with a VLAN of several digits. Create-only. */
  readonly clusterNetwork: string;
  /** The VLAN: 1 to 4094. Create-only. */
  readonly vlan: number;
  /** How the nodes get their addresses. @default HostAddresses.dhcp() */
  readonly addresses?: HostAddresses;
  /** Labels of the nodes that it is for. @default - all nodes */
  readonly nodeSelector?: { readonly [label: string]: string };
  /**
   * Whether overlay networks go over it: one of a Harvester may, on all nodes. It can not be deleted before this is false again.
   * @default false
   */
  readonly underlay?: boolean;
  /** The name of the HostNetworkConfig. @default - the id of the construct */
  readonly name?: string;
  /** Text that the UI shows. @default - none */
  readonly description?: string;
  /** Labels of the HostNetworkConfig. @default - none */
  readonly labels?: { readonly [key: string]: string };
}

/**
 * A network that the nodes of a Harvester themselves have addresses on, beside the management network. Harvester 1.8.0 and later.
 *
 * @see https://docs.harvesterhci.io/latest/networking/hostnetworkconfig
 */
export class HostNetworkConfig extends Construct {
  /** The name of the HostNetworkConfig. */
  public readonly hostNetworkConfigName: string;
  /** The Harvester that it is on. */
  public readonly harvester: IHarvesterTarget;

  constructor(scope: Construct, id: string, props: HostNetworkConfigProps) {
    super(scope, id);
    this.harvester = harvesterTargetOf(this, 'HostNetworkConfig');
    const lacks = FeatureGates.of(GateId.HOST_NETWORK_CONFIG).problem(HarvesterVersion.parse(this.harvester.version));
    if (lacks) { fail(this, [{ path: '', message: lacks, fix: 'upgrade Harvester, or configure the nodes' }]); }
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
      deletion: { policy: 'delete', reason: 'takes the addresses from the nodes; with underlay: true Harvester refuses it' },
      othersWrite: ['metadata.annotations', 'metadata.labels', 'metadata.finalizers', 'status'],
    });
    HostNetworks.of(this.harvester).use(props.clusterNetwork, { construct: this, uplinks: EdgeType.READY });
  }
}
