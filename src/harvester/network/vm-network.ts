import { Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import {
  RouteConfig,
  bridgeConfig,
  checkAttachment,
  checkRoute,
  checkVlanId,
  overlayConfig,
  overlayProvider,
  printRoute,
} from './vm-network.check';
import {
  ANNOTATION_ROUTE,
  API_ATTACHMENT,
  LABEL_NETWORK_TYPE,
  LABEL_VLAN_ID,
  NETWORK_TYPE,
} from './vm-network.kind';
import { ExistingNamespacedResourceOptions } from '../../core/app/resource';
import { OrderingType } from '../../core/construct/edge';
import { Problem, failOnErrors, propOf } from '../../core/problem/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import { IClusterNetwork } from '../cluster-network/cluster-network-ref';
import { checkClusterNetworkName, checkMtu } from '../cluster-network/cluster-network.check';
import {
  LABEL_CLUSTER_NETWORK,
  MGMT_CLUSTER_NETWORK,
} from '../cluster-network/cluster-network.kind';
import { HostNetworks } from '../cluster-network/host-networks';
import { requireSameHarvester } from '../harvester-object';
import {
  ExistingNamespacedHarvesterResource,
  NamespacedHarvesterResource,
  NamespacedHarvesterResourceProps,
} from '../harvester-resource';
import { INamespacedHarvesterResource } from '../harvester-resource-ref';
import { HarvesterGate, HarvesterVersion } from '../version/harvester-version';
import { requireGate } from '../version/require-gate';

const KIND = { apiVersion: API_ATTACHMENT, kind: 'NetworkAttachmentDefinition' };

/** The props that set fields of other names. */
const PROPS = {
  'spec.config.vlanTrunk[].minID': 'trunk[].first',
  'spec.config.vlanTrunk[].maxID': 'trunk[].last',
  'spec.config.vlanTrunk': 'trunk',
  'spec.config.vlan': 'vlan',
};

/** Options of CIDR and gateway from a DHCP server. */
export interface AutoRouteOptions {
  /** The IP address of the server. @default - any server that answers */
  readonly dhcpServer?: string;
}

/**
 * The source of a VM network's CIDR and gateway, which Harvester uses to check that the nodes can
 * reach it, and for load balancers.
 *
 * @see https://docs.harvesterhci.io/latest/networking/harvester-network
 */
export class VmNetworkRoute {
  /** Reads CIDR and gateway from a DHCP server of the network. */
  public static auto(options: AutoRouteOptions = {}): VmNetworkRoute {
    return new VmNetworkRoute({ mode: 'auto', serverIPAddr: options.dhcpServer });
  }

  /**
   * Sets CIDR and gateway.
   *
   * @param cidr the range of addresses, e.g. `10.20.0.0/24`
   * @param gateway the IP address of the gateway, in that range
   */
  public static manual(cidr: string, gateway: string): VmNetworkRoute {
    return new VmNetworkRoute({ mode: 'manual', cidr, gateway });
  }

  declare private readonly nominal: true;

  private constructor(
    /** @internal */
    public readonly _config: RouteConfig,
  ) {}
}

/**
 * A VM network on a Harvester, i.e. a NetworkAttachmentDefinition: declared by the program, or
 * existing.
 */
export interface IVmNetwork extends INamespacedHarvesterResource {
  /**
   * `<namespace>/<name>`, by which machine configurations, IP pools and load balancers refer to the
   * network.
   */
  readonly networkId: string;
}

/** A range of VLANs of a trunk, inclusive. */
export interface VlanRange {
  /** The first VLAN: 1 to 4094. */
  readonly first: number;
  /** The last VLAN. @default - only the first */
  readonly last?: number;
}

/** Properties of a VM network. */
export interface VmNetworkProps extends NamespacedHarvesterResourceProps {
  /** The cluster network that the VLAN is on, e.g. `ClusterNetwork.mgmt(dc1)`. Immutable. */
  readonly clusterNetwork: IClusterNetwork;
  /** The VLAN: 1 to 4094. Cannot be combined with `trunk`. @default - untagged */
  readonly vlan?: number;
  /** The VLANs that reach the VMs tagged. Harvester 1.7.0 and later. @default - no trunk */
  readonly trunk?: VlanRange[];
  /**
   * The source of CIDR and gateway. Cannot be combined with `trunk`.
   * @default - Harvester does not know them
   */
  readonly route?: VmNetworkRoute;
  /**
   * The MTU: that of the cluster network, with which the server overwrites any other.
   * @default - that of the VlanConfigs of the program, otherwise chosen by the server
   */
  readonly mtu?: number;
}

/**
 * The NetworkAttachmentDefinition of a VM network on a Harvester: a VLAN, untagged, or a trunk of
 * VLANs. For networks of Kube-OVN, see `OverlayNetwork`.
 *
 * It can be changed and deleted only while no virtual machine on it runs.
 *
 * @see https://docs.harvesterhci.io/latest/networking/harvester-network
 * @example
 * new VmNetwork(dc1, 'prod', { clusterNetwork: ClusterNetwork.mgmt(dc1), vlan: 100 });
 */
export class VmNetwork extends NamespacedHarvesterResource implements IVmNetwork {
  /** A reference to an existing network. */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingNamespacedResourceOptions,
  ): IVmNetwork {
    return new ExistingNetwork(scope, id, 'VmNetwork.fromName', KIND, options);
  }

  /** The cluster network that the VLAN is on. */
  public readonly clusterNetwork: IClusterNetwork;
  /** The VLAN of the network. @default - untagged */
  public readonly vlan?: number;

  constructor(scope: Construct, id: string, props: VmNetworkProps) {
    super(scope, id, props);
    this.vlan = props.vlan;
    this.clusterNetwork = props.clusterNetwork;
    const { name: clusterNetwork, harvester } = props.clusterNetwork;
    requireSameHarvester(this, 'clusterNetwork', clusterNetwork, harvester, this.harvester);
    // the UI shows entries of this form only
    const vlanTrunk = props.trunk?.map(({ first, last }) => ({
      minID: first,
      maxID: last ?? first,
    }));
    const config = (mtu = props.mtu) =>
      bridgeConfig({ name: this.name, clusterNetwork, vlan: props.vlan, vlanTrunk, mtu });
    const labels = labelsOf(props);
    failOnErrors(this, this.check(props, config(), { ...this.labels, ...labels }));

    const networks = HostNetworks.of(this.harvester);
    this._write(
      {
        ...KIND,
        metadata: {
          labels,
          annotations: props.route && { [ANNOTATION_ROUTE]: printRoute(props.route._config) },
        },
        // the VlanConfigs may come later in the program
        spec: {
          config: Lazy.any({ produce: () => config(props.mtu ?? networks.mtuOf(clusterNetwork)) }),
        },
      },
      { props: PROPS },
    );
    networks.use(clusterNetwork, { construct: this, uplinks: OrderingType.APPLIED });
  }

  public get networkId(): string {
    return `${this.namespace}/${this.name}`;
  }

  private *check(
    props: VmNetworkProps,
    config: string,
    labels: { readonly [key: string]: string },
  ): Iterable<Problem> {
    const { trunk, vlan, route } = props;
    yield* checkClusterNetworkName('clusterNetwork', props.clusterNetwork.name);
    yield* checkMtu('mtu', props.mtu);
    if (route) {
      yield* checkRoute('route', route._config);
    }
    if (route && trunk) {
      yield {
        path: 'route',
        message: 'cannot be combined with trunk, which has the addresses of several networks',
        fix: 'remove route',
      };
    }
    if (trunk?.length === 0) {
      yield {
        path: 'trunk',
        message: 'must contain a VLAN',
        fix: 'add VLANs, or remove trunk for an untagged network',
      };
    }
    // in the manifest it means an untagged network
    if (vlan === 0) {
      yield* checkVlanId('vlan', vlan);
    }
    const version = HarvesterVersion.parse(this.harvester.version);
    const context = { lacksTrunk: FeatureGates.of(HarvesterGate.NETWORK_TRUNK)._lack(version) };
    for (const problem of checkAttachment(
      config,
      { name: this.name, namespace: this.namespace, labels },
      context,
    )) {
      // the check of clusterNetwork covers the bridge
      if (problem.path !== 'spec.config.bridge') {
        yield {
          ...problem,
          path: propOf(problem.path, PROPS) ?? problem.path,
          fix: problem.fix.replace('vlanTrunk', 'trunk'),
        };
      }
    }
  }
}

class ExistingNetwork extends ExistingNamespacedHarvesterResource implements IVmNetwork {
  public get networkId(): string {
    return `${this.namespace}/${this.name}`;
  }
}

// the UI shows entries of this form only
function labelsOf({ clusterNetwork, vlan, trunk }: VmNetworkProps): {
  readonly [key: string]: string;
} {
  const untagged = trunk ? NETWORK_TYPE.TRUNK : NETWORK_TYPE.UNTAGGED;
  return {
    [LABEL_CLUSTER_NETWORK]: clusterNetwork.name,
    [LABEL_NETWORK_TYPE]: vlan === undefined ? untagged : NETWORK_TYPE.VLAN,
    ...(vlan === undefined ? {} : { [LABEL_VLAN_ID]: String(vlan) }),
  };
}

/** Properties of an overlay network. */
export interface OverlayNetworkProps extends NamespacedHarvesterResourceProps {}

/**
 * The NetworkAttachmentDefinition of a VM network that Kube-OVN spans over the nodes. Harvester
 * 1.6.0 and later, with the add-on kubeovn-operator.
 *
 * The addresses of its machines come from a Subnet of Kube-OVN, whose `spec.provider` is
 * `provider`. Load balancers do not work on it.
 *
 * @see https://docs.harvesterhci.io/latest/networking/harvester-network#overlay-network-experimental
 * @example
 * BundledAddon.kubeOvn(dc1, 'kube-ovn');
 * new OverlayNetwork(dc1, 'apps');
 */
export class OverlayNetwork extends NamespacedHarvesterResource implements IVmNetwork {
  constructor(scope: Construct, id: string, props: OverlayNetworkProps = {}) {
    super(scope, id, props);
    requireGate(this, HarvesterGate.NETWORK_OVERLAY, 'use a VmNetwork, or upgrade Harvester');
    failOnErrors(this);
    this._write(
      {
        ...KIND,
        metadata: {
          labels: {
            [LABEL_CLUSTER_NETWORK]: MGMT_CLUSTER_NETWORK,
            [LABEL_NETWORK_TYPE]: NETWORK_TYPE.OVERLAY,
          },
        },
        spec: { config: overlayConfig(this.name, this.namespace) },
      },
      { deletion: 'overlay' },
    );
  }

  public get networkId(): string {
    return `${this.namespace}/${this.name}`;
  }

  /** The provider by which a Subnet of Kube-OVN refers to the network: `<name>.<namespace>.ovn`. */
  public get provider(): string {
    return overlayProvider(this.name, this.namespace);
  }
}
