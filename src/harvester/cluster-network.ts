import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { HostNetworks } from './_host-networks';
import { objectName } from './_object-name';
import { checkClusterNetworkName } from '../model/checks/cluster-network';
import { fail, failOnErrors } from '../model/errors';
import { INFRASTRUCTURE_API, MGMT_CLUSTER_NETWORK } from '../model/infrastructure-names';
import { know } from '../model/known-objects';
import { ANNOTATION_DESCRIPTION } from '../model/labels';
import { note } from '../model/object-notes';
import { harvesterTargetOf, IHarvesterTarget } from '../model/target';

/**
 * A cluster network of a Harvester: one that the program declares, or one that is there.
 */
export interface IClusterNetwork extends IConstruct {
  /** The name of the ClusterNetwork: what networks and VlanConfigs refer to it by. */
  readonly clusterNetworkName: string;
  /** The Harvester that it is on. */
  readonly harvester: IHarvesterTarget;
}

/**
 * Properties of a cluster network.
 */
export interface ClusterNetworkProps {
  /**
   * The name: up to 12 of a-z, 0-9 and hyphens, since a bridge of Linux is named after it.
   * @default - the id of the construct
   */
  readonly name?: string;
  /** Text that the UI shows. @default - none */
  readonly description?: string;
  /** Labels of the ClusterNetwork. @default - none */
  readonly labels?: { readonly [key: string]: string };
}

/**
 * A cluster network of a Harvester: a bridge on every node, which `VlanConfig`s give uplinks and `VmNetwork`s lie on.
 *
 * Every Harvester has one, `mgmt`, with the uplinks that the installer gave it.
 *
 * @see https://docs.harvesterhci.io/latest/networking/clusternetwork
 */
export class ClusterNetwork extends Construct implements IClusterNetwork {
  /** The name of the cluster network that every Harvester has. */
  public static readonly MGMT: string = MGMT_CLUSTER_NETWORK;

  /**
   * A cluster network that is there, e.g. `mgmt`.
   *
   * @param scope below a HarvesterChart
   * @param id of the construct
   * @param name of the ClusterNetwork
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
    failOnErrors(this, [...checkClusterNetworkName('name', this.clusterNetworkName)]);
    if (this.clusterNetworkName === MGMT_CLUSTER_NETWORK) {
      fail(this, [{ path: 'name', value: MGMT_CLUSTER_NETWORK, message: 'is on every Harvester from the start', fix: 'use ClusterNetwork.fromName, or give another name' }]);
    }
    const network = new ApiObject(this, 'Resource', {
      apiVersion: INFRASTRUCTURE_API.NETWORK,
      kind: 'ClusterNetwork',
      metadata: {
        name: this.clusterNetworkName,
        labels: props.labels,
        ...(props.description === undefined ? {} : { annotations: { [ANNOTATION_DESCRIPTION]: props.description } }),
      },
    });
    note(network, {
      deletion: { policy: 'delete', reason: 'Harvester refuses it while VlanConfigs or networks are on it' },
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
    failOnErrors(this, [...checkClusterNetworkName('name', clusterNetworkName)]);
    know(this, { target: this.harvester, apiVersion: INFRASTRUCTURE_API.NETWORK, kind: 'ClusterNetwork', name: clusterNetworkName });
  }
}
