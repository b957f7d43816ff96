import { ApiObject, Lazy } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { HostNetworks } from './_host-networks';
import { objectName, objectNamespace } from './_object-name';
import { VmNetworkRoute } from './vm-network-route';
import { EdgeType } from '../late';
import { checkClusterNetworkName } from '../model/checks/cluster-network';
import { checkMtu } from '../model/checks/mtu';
import { failOnErrors } from '../model/errors';
import {
  ANNOTATION_ROUTE, DEFAULT_NAMESPACE, INFRASTRUCTURE_API, LABEL_CLUSTER_NETWORK, LABEL_NETWORK_TYPE, LABEL_VLAN_ID, NETWORK_TYPE,
} from '../model/infrastructure-names';
import { know } from '../model/known-objects';
import { ANNOTATION_DESCRIPTION } from '../model/labels';
import { INamespace } from '../model/namespace';
import { checkAttachment } from '../model/networks/attachment-check';
import { bridgeConfig, VlanTrunk } from '../model/networks/attachment-config';
import { checkRoute, printRoute } from '../model/networks/route';
import { note } from '../model/object-notes';
import { Problem } from '../model/problem';
import { harvesterTargetOf, IHarvesterTarget } from '../model/target';
import { FeatureGates, GateId, HarvesterVersion } from '../versions';

/**
 * A network of virtual machines on a Harvester, i.e. a NetworkAttachmentDefinition: one that the program declares, or one that is there.
 */
export interface IVmNetwork extends IConstruct {
  /** The name of the NetworkAttachmentDefinition. */
  readonly networkName: string;
  /** Its namespace. */
  readonly namespace: string;
  /** `<namespace>/<name>`, as machine configurations, IP pools and load balancers refer to it. */
  readonly networkId: string;
  /** The Harvester that it is on. */
  readonly harvester: IHarvesterTarget;
}

/**
 * VLANs of a trunk, from one to another, both included.
 */
export interface VlanRange {
  /** The first: 1 to 4094. */
  readonly first: number;
  /** The last. @default - only the first */
  readonly last?: number;
}

/**
 * Properties of a network of virtual machines.
 */
export interface VmNetworkProps {
  /** The name of the cluster network that carries it: `mgmt`, or `ClusterNetwork.clusterNetworkName`. Create-only. */
  readonly clusterNetwork: string;
  /** The VLAN: 1 to 4094. Not with `trunk`. @default - untagged */
  readonly vlan?: number;
  /** The VLANs that reach the virtual machines with their tags. Harvester 1.7.0 and later. @default - none */
  readonly trunk?: VlanRange[];
  /** How Harvester knows the addresses. Not with `trunk`. @default - it does not */
  readonly route?: VmNetworkRoute;
  /**
   * The MTU: that of the cluster network, which the server writes over any other.
   * @default - that of the VlanConfigs of the program, or else what the server writes
   */
  readonly mtu?: number;
  /** The name of the NetworkAttachmentDefinition. @default - the id of the construct */
  readonly name?: string;
  /** Its namespace; those of `harvester-public` are for all users. @default - `default` */
  readonly namespace?: INamespace;
  /** Text that the UI shows. @default - none */
  readonly description?: string;
  /** Further labels. @default - only those of Harvester */
  readonly labels?: { readonly [key: string]: string };
}

/**
 * A network of virtual machines on a Harvester: tagged with a VLAN, untagged, or a trunk of VLANs. For those of Kube-OVN see `OverlayNetwork`.
 *
 * It is changed, and deleted, only while no virtual machine on it runs.
 *
 * @see https://docs.harvesterhci.io/latest/networking/harvester-network
 */
export class VmNetwork extends Construct implements IVmNetwork {
  /**
   * A network that is there.
   *
   * @param scope below a HarvesterChart
   * @param id of the construct
   * @param name of the NetworkAttachmentDefinition
   * @param namespace of it; the default is `default`
   */
  public static fromName(scope: Construct, id: string, name: string, namespace?: string): IVmNetwork {
    return new ExistingNetwork(scope, id, name, namespace ?? DEFAULT_NAMESPACE);
  }

  public readonly networkName: string;
  public readonly namespace: string;
  public readonly harvester: IHarvesterTarget;
  /** The name of the cluster network that carries it. */
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
    failOnErrors(this, [...this.check(props, config(), labels)]);

    const networks = HostNetworks.of(this.harvester);
    const network = new ApiObject(this, 'Resource', {
      apiVersion: INFRASTRUCTURE_API.ATTACHMENT,
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
    if (route && trunk) { yield { path: 'route', message: 'does not go with a trunk, which has the addresses of several networks', fix: 'leave it out' }; }
    if (trunk?.length === 0) { yield { path: 'trunk', message: 'is empty', fix: 'name VLANs, or leave it out for an untagged network' }; }
    if (trunk && vlan !== undefined) { yield { path: 'vlan', value: vlan, message: 'does not go with a trunk', fix: 'give vlan or trunk' }; }
    if (vlan === 0) { yield { path: 'vlan', value: vlan, message: 'is no VLAN', fix: 'use 1 to 4094, or leave it out for an untagged network' }; }
    const version = HarvesterVersion.parse(this.harvester.version);
    const context = { lacksTrunk: FeatureGates.of(GateId.NETWORK_TRUNK).problem(version) };
    for (const problem of checkAttachment(config, { name: this.networkName, namespace: this.namespace, labels }, context)) {
      // of the bridge, the name of the cluster network has told already
      if (problem.path !== 'spec.config.bridge') { yield { ...problem, path: propOf(problem.path) }; }
    }
  }
}

class ExistingNetwork extends Construct implements IVmNetwork {
  public readonly harvester: IHarvesterTarget;

  constructor(scope: Construct, id: string, public readonly networkName: string, public readonly namespace: string) {
    super(scope, id);
    this.harvester = harvesterTargetOf(this, 'VmNetwork.fromName');
    objectName(this, networkName);
    objectName(this, namespace, 'namespace');
    know(this, { target: this.harvester, apiVersion: INFRASTRUCTURE_API.ATTACHMENT, kind: 'NetworkAttachmentDefinition', namespace, name: networkName });
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
