import { ApiObject, Lazy } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { RouteConfig, bridgeConfig, checkAttachment, checkRoute, checkVlanId, overlayConfig, overlayProvider, printRoute } from './vm-network.check';
import { VlanTrunk, ANNOTATION_ROUTE, API_ATTACHMENT, LABEL_NETWORK_TYPE, LABEL_VLAN_ID, NETWORK_TYPE } from './vm-network.kind';
import { objectName } from '../../core/app/resource';
import { IHarvesterTarget, INamespace, harvesterTargetOf } from '../../core/app/target';
import { EdgeType } from '../../core/late/edge';
import { ANNOTATION_DESCRIPTION, DEFAULT_NAMESPACE } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { Problem, collectProblems, failOnErrors } from '../../core/rule/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import { HostNetworks } from '../cluster-network/cluster-network';
import { checkClusterNetworkName, checkMtu } from '../cluster-network/cluster-network.check';
import { LABEL_CLUSTER_NETWORK, MGMT_CLUSTER_NETWORK } from '../cluster-network/cluster-network.kind';
import { objectNamespace, ExistingObject } from '../harvester-object';
import { HarvesterGate, HarvesterVersion } from '../version/harvester-version';

/**
 * The source of a VM network's CIDR and gateway, which Harvester uses to check that the nodes can reach it, and for load balancers.
 *
 * @see https://docs.harvesterhci.io/latest/networking/harvester-network
 */
export class VmNetworkRoute {
  /**
   * Reads CIDR and gateway from a DHCP server of the network.
   *
   * @param dhcpServer the IP address of the server; any server that answers by default
   */
  public static auto(dhcpServer?: string): VmNetworkRoute {
    return new VmNetworkRoute({ mode: 'auto', serverIPAddr: dhcpServer });
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

  private constructor(
    /** @internal */
    public readonly _config: RouteConfig,
  ) {}
}

/** A VM network on a Harvester, i.e. a NetworkAttachmentDefinition: declared by the program, or existing. */
export interface IVmNetwork extends IConstruct {
  /** The name of the NetworkAttachmentDefinition. */
  readonly networkName: string;
  /** The namespace of the NetworkAttachmentDefinition. */
  readonly namespace: string;
  /** `<namespace>/<name>`, by which machine configurations, IP pools and load balancers refer to the network. */
  readonly networkId: string;
  /** The Harvester of the network. */
  readonly harvester: IHarvesterTarget;
}

/** A range of VLANs of a trunk, inclusive. */
export interface VlanRange {
  /** The first VLAN: 1 to 4094. */
  readonly first: number;
  /** The last VLAN. @default - only the first */
  readonly last?: number;
}

/** Properties of a VM network. */
export interface VmNetworkProps {
  /** The name of its cluster network: `mgmt`, or `ClusterNetwork.clusterNetworkName`. Immutable. */
  readonly clusterNetwork: string;
  /** The VLAN: 1 to 4094. Cannot be combined with `trunk`. @default - untagged */
  readonly vlan?: number;
  /** The VLANs that reach the VMs tagged. Harvester 1.7.0 and later. @default - no trunk */
  readonly trunk?: VlanRange[];
  /** The source of CIDR and gateway. Cannot be combined with `trunk`. @default - Harvester does not know them */
  readonly route?: VmNetworkRoute;
  /**
   * The MTU: that of the cluster network, with which the server overwrites any other.
   * @default - that of the VlanConfigs of the program, otherwise chosen by the server
   */
  readonly mtu?: number;
  /** The name of the NetworkAttachmentDefinition. @default - the ID of the construct */
  readonly name?: string;
  /** The namespace. All users can read networks in `harvester-public`. @default - `default` */
  readonly namespace?: INamespace;
  /** The description that the UI shows. @default - no description */
  readonly description?: string;
  /** Additional labels. @default - only those of Harvester */
  readonly labels?: { readonly [key: string]: string };
}

/**
 * The NetworkAttachmentDefinition of a VM network on a Harvester: a VLAN, untagged, or a trunk of VLANs. For networks of Kube-OVN, see
 * `OverlayNetwork`.
 *
 * It can be changed and deleted only while no virtual machine on it runs.
 *
 * @see https://docs.harvesterhci.io/latest/networking/harvester-network
 * @example
 * new VmNetwork(dc1, 'prod', { clusterNetwork: 'mgmt', vlan: 100 });
 */
export class VmNetwork extends Construct implements IVmNetwork {
  /**
   * A reference to an existing network.
   *
   * @param scope a HarvesterChart, or a construct in one
   * @param id the ID of the construct
   * @param name the name of the NetworkAttachmentDefinition
   * @param namespace the namespace of the NetworkAttachmentDefinition, `default` by default
   */
  public static fromName(scope: Construct, id: string, name: string, namespace?: string): IVmNetwork {
    return new ExistingNetwork(scope, id, name, namespace ?? DEFAULT_NAMESPACE);
  }

  public readonly networkName: string;
  public readonly namespace: string;
  public readonly harvester: IHarvesterTarget;
  /** The name of its cluster network. */
  public readonly clusterNetwork: string;

  constructor(scope: Construct, id: string, props: VmNetworkProps) {
    super(scope, id);
    this.harvester = harvesterTargetOf(this, 'VmNetwork');
    this.networkName = objectName(this, props.name);
    this.namespace = objectNamespace(this, this.harvester, props.namespace);
    this.clusterNetwork = props.clusterNetwork;
    const config = (mtu = props.mtu) => bridgeConfig({
      name: this.networkName, clusterNetwork: props.clusterNetwork, vlan: props.vlan, vlanTrunk: props.trunk?.map(trunkEntry), mtu,
    });
    const labels = labelsOf(props);
    failOnErrors(this, this.check(props, config(), labels));

    const networks = HostNetworks.of(this.harvester);
    const network = new ApiObject(this, 'Resource', {
      apiVersion: API_ATTACHMENT,
      kind: 'NetworkAttachmentDefinition',
      metadata: {
        name: this.networkName,
        namespace: this.namespace,
        labels,
        annotations: {
          ...(props.description === undefined ? {} : { [ANNOTATION_DESCRIPTION]: props.description }),
          ...(props.route ? { [ANNOTATION_ROUTE]: printRoute(props.route._config) } : {}),
        },
      },
      // the VlanConfigs may come later in the program
      spec: { config: Lazy.any({ produce: () => config(props.mtu ?? networks.mtuOf(props.clusterNetwork)) }) },
    });
    note(network, {
      deletion: { policy: 'delete', reason: 'Harvester refuses it while virtual machines are on it' },
      othersWrite: ['metadata.labels', `metadata.annotations[${ANNOTATION_ROUTE}]`, 'metadata.finalizers', 'spec.config'],
    });
    networks.use(props.clusterNetwork, { construct: this, uplinks: EdgeType.APPLIED });
  }

  public get networkId(): string {
    return `${this.namespace}/${this.networkName}`;
  }

  private* check(props: VmNetworkProps, config: string, labels: { readonly [key: string]: string }): Iterable<Problem> {
    const { trunk, vlan, route } = props;
    yield* checkClusterNetworkName('clusterNetwork', props.clusterNetwork);
    yield* checkMtu('mtu', props.mtu);
    if (route) { yield* checkRoute('route', route._config); }
    if (route && trunk) { yield { path: 'route', message: 'cannot be combined with trunk, which has the addresses of several networks', fix: 'remove route' }; }
    if (trunk?.length === 0) { yield { path: 'trunk', message: 'must contain a VLAN', fix: 'add VLANs, or remove trunk for an untagged network' }; }
    // in the manifest it means an untagged network
    if (vlan === 0) { yield* checkVlanId('vlan', vlan); }
    const version = HarvesterVersion.parse(this.harvester.version);
    const context = { lacksTrunk: FeatureGates.of(HarvesterGate.NETWORK_TRUNK)._lack(version) };
    for (const problem of checkAttachment(config, { name: this.networkName, namespace: this.namespace, labels }, context)) {
      // the check of clusterNetwork covers the bridge
      if (problem.path !== 'spec.config.bridge') { yield { ...problem, path: propOf(problem.path), fix: problem.fix.replace('vlanTrunk', 'trunk') }; }
    }
  }
}

class ExistingNetwork extends ExistingObject implements IVmNetwork {
  constructor(scope: Construct, id: string, public readonly networkName: string, public readonly namespace: string) {
    super(scope, id, 'VmNetwork.fromName', { apiVersion: API_ATTACHMENT, kind: 'NetworkAttachmentDefinition', namespace, name: networkName });
  }

  public get networkId(): string {
    return `${this.namespace}/${this.networkName}`;
  }
}

// the UI shows entries of this form only
function trunkEntry({ first, last }: VlanRange): VlanTrunk {
  return { minID: first, maxID: last ?? first };
}

function labelsOf({ clusterNetwork, vlan, trunk, labels }: VmNetworkProps): { readonly [key: string]: string } {
  const untagged = trunk ? NETWORK_TYPE.TRUNK : NETWORK_TYPE.UNTAGGED;
  return {
    ...labels,
    [LABEL_CLUSTER_NETWORK]: clusterNetwork,
    [LABEL_NETWORK_TYPE]: vlan === undefined ? untagged : NETWORK_TYPE.VLAN,
    ...(vlan === undefined ? {} : { [LABEL_VLAN_ID]: String(vlan) }),
  };
}

function propOf(path: string): string {
  return path.replace(/^spec\.config\.?/, '').replace('vlanTrunk', 'trunk').replace(/\.minID$/, '.first').replace(/\.maxID$/, '.last');
}

/** Properties of an overlay network. */
export interface OverlayNetworkProps {
  /** The name of the NetworkAttachmentDefinition. @default - the ID of the construct */
  readonly name?: string;
  /** The namespace of the NetworkAttachmentDefinition. @default - `default` */
  readonly namespace?: INamespace;
  /** The description that the UI shows. @default - no description */
  readonly description?: string;
  /** Additional labels. @default - only those of Harvester */
  readonly labels?: { readonly [key: string]: string };
}

/**
 * The NetworkAttachmentDefinition of a VM network that Kube-OVN spans over the nodes. Harvester 1.6.0 and later, with the add-on kubeovn-operator.
 *
 * Its addresses come from a Subnet of Kube-OVN, whose `spec.provider` is `provider`. Load balancers do not work on it.
 *
 * @see https://docs.harvesterhci.io/latest/networking/harvester-network#overlay-network-experimental
 * @example
 * BundledAddon.kubeOvn(dc1, 'kube-ovn');
 * new OverlayNetwork(dc1, 'apps');
 */
export class OverlayNetwork extends Construct implements IVmNetwork {
  public readonly networkName: string;
  public readonly namespace: string;
  public readonly harvester: IHarvesterTarget;

  constructor(scope: Construct, id: string, props: OverlayNetworkProps = {}) {
    super(scope, id);
    this.harvester = harvesterTargetOf(this, 'OverlayNetwork');
    const lacks = FeatureGates.of(HarvesterGate.NETWORK_OVERLAY)._lack(HarvesterVersion.parse(this.harvester.version));
    if (lacks) { collectProblems(this, [{ path: '', message: lacks, fix: 'use a VmNetwork, or upgrade Harvester' }]); }
    this.networkName = objectName(this, props.name);
    this.namespace = objectNamespace(this, this.harvester, props.namespace);
    failOnErrors(this);
    const network = new ApiObject(this, 'Resource', {
      apiVersion: API_ATTACHMENT,
      kind: 'NetworkAttachmentDefinition',
      metadata: {
        name: this.networkName,
        namespace: this.namespace,
        labels: { ...props.labels, [LABEL_CLUSTER_NETWORK]: MGMT_CLUSTER_NETWORK, [LABEL_NETWORK_TYPE]: NETWORK_TYPE.OVERLAY },
        ...(props.description === undefined ? {} : { annotations: { [ANNOTATION_DESCRIPTION]: props.description } }),
      },
      spec: { config: overlayConfig(this.networkName, this.namespace) },
    });
    note(network, {
      deletion: { policy: 'delete', reason: 'Harvester refuses it while a Subnet of Kube-OVN uses it' },
      othersWrite: ['metadata.labels', 'metadata.annotations', 'metadata.finalizers'],
    });
  }

  public get networkId(): string {
    return `${this.namespace}/${this.networkName}`;
  }

  /** The provider by which a Subnet of Kube-OVN refers to the network: `<name>.<namespace>.ovn`. */
  public get provider(): string {
    return overlayProvider(this.networkName, this.namespace);
  }
}
