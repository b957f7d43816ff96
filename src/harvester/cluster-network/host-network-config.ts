import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { HostNetworks } from './cluster-network';
import { API_HARVESTER_NETWORK } from './cluster-network.kind';
import { HOST_NETWORK_MODE, checkHostNetworkConfig } from './host-network-config.check';
import { IHarvesterTarget, harvesterTargetOf } from '../../core/app/target';
import { EdgeType } from '../../core/late/edge';
import { note } from '../../core/manifest/object-notes';
import { collectProblems, failOnErrors } from '../../core/rule/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import { GateId } from '../../core/version/gate-id';
import { asProps, objectName } from '../object-name';
import { HarvesterVersion } from '../version/harvester-version';

/**
 * The source of the nodes' addresses on a host network.
 */
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

/**
 * Properties of a host network.
 */
export interface HostNetworkConfigProps {
  /** The name of its cluster network, e.g. `mgmt`: at most 12 characters, and fewer with a VLAN of several digits. Create-only. */
  readonly clusterNetwork: string;
  /** The VLAN: 1 to 4094. Create-only. */
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
  /** The name of the HostNetworkConfig. @default - the id of the construct */
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
 */
export class HostNetworkConfig extends Construct {
  /** The name of the HostNetworkConfig. */
  public readonly hostNetworkConfigName: string;
  /** The Harvester of the HostNetworkConfig. */
  public readonly harvester: IHarvesterTarget;

  constructor(scope: Construct, id: string, props: HostNetworkConfigProps) {
    super(scope, id);
    this.harvester = harvesterTargetOf(this, 'HostNetworkConfig');
    const lacks = FeatureGates.of(GateId.HOST_NETWORK_CONFIG).problem(HarvesterVersion.parse(this.harvester.version), '');
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
