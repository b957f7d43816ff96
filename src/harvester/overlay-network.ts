import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { objectName, objectNamespace } from './_object-name';
import { IVmNetwork } from './vm-network';
import { fail } from '../model/errors';
import { INFRASTRUCTURE_API, LABEL_CLUSTER_NETWORK, LABEL_NETWORK_TYPE, MGMT_CLUSTER_NETWORK, NETWORK_TYPE } from '../model/infrastructure-names';
import { ANNOTATION_DESCRIPTION } from '../model/labels';
import { INamespace } from '../model/namespace';
import { overlayConfig, overlayProvider } from '../model/networks/attachment-config';
import { note } from '../model/object-notes';
import { harvesterTargetOf, IHarvesterTarget } from '../model/target';
import { FeatureGates, GateId, HarvesterVersion } from '../versions';

/**
 * Properties of an overlay network.
 */
export interface OverlayNetworkProps {
  /** The name of the NetworkAttachmentDefinition. @default - the id of the construct */
  readonly name?: string;
  /** Its namespace. @default - `default` */
  readonly namespace?: INamespace;
  /** Text that the UI shows. @default - none */
  readonly description?: string;
  /** Further labels. @default - only those of Harvester */
  readonly labels?: { readonly [key: string]: string };
}

/**
 * A network of virtual machines on a Harvester that Kube-OVN spans over the nodes. Harvester 1.6.0 and later, with the add-on kubeovn-operator.
 *
 * Its addresses come from a Subnet of Kube-OVN, whose `spec.provider` is `provider`. Load balancers do not work on it.
 *
 * @see https://docs.harvesterhci.io/latest/networking/harvester-network#overlay-network-experimental
 */
export class OverlayNetwork extends Construct implements IVmNetwork {
  public readonly networkName: string;
  public readonly namespace: string;
  public readonly harvester: IHarvesterTarget;

  constructor(scope: Construct, id: string, props: OverlayNetworkProps = {}) {
    super(scope, id);
    this.harvester = harvesterTargetOf(this, 'OverlayNetwork');
    const lacks = FeatureGates.of(GateId.NETWORK_OVERLAY).problem(HarvesterVersion.parse(this.harvester.version));
    if (lacks) { fail(this, [{ path: '', message: lacks, fix: 'use a VmNetwork, or upgrade Harvester' }]); }
    this.networkName = objectName(this, props.name);
    this.namespace = objectNamespace(this, this.harvester, props.namespace);
    const network = new ApiObject(this, 'Resource', {
      apiVersion: INFRASTRUCTURE_API.ATTACHMENT,
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
      deletion: { policy: 'delete', reason: 'Harvester refuses it while a Subnet of Kube-OVN names it' },
      othersWrite: ['metadata.labels', 'metadata.annotations', 'metadata.finalizers'],
    });
  }

  public get networkId(): string {
    return `${this.namespace}/${this.networkName}`;
  }

  /** What a Subnet of Kube-OVN names it by: `<name>.<namespace>.ovn`. */
  public get provider(): string {
    return overlayProvider(this.networkName, this.namespace);
  }
}
