import { Construct } from 'constructs';
import { IClusterNetwork } from './cluster-network-ref';
import { checkClusterNetworkName } from './cluster-network.check';
import { API_HARVESTER_NETWORK, MGMT_CLUSTER_NETWORK } from './cluster-network.kind';
import { HostNetworks } from './host-networks';
import { ExistingResourceOptions } from '../../core/app/resource';
import { IHarvesterTarget, chartOf, harvesterTargetOf } from '../../core/construct/target';
import { collectProblems, fail, failOnErrors } from '../../core/problem/problem';
import {
  ExistingHarvesterResource,
  HarvesterResource,
  HarvesterResourceProps,
} from '../harvester-resource';

const KIND = { apiVersion: API_HARVESTER_NETWORK, kind: 'ClusterNetwork' };

/**
 * Properties of a cluster network. Its name has at most 12 of a-z, 0-9 and hyphens, since it names
 * a Linux bridge.
 */
export interface ClusterNetworkProps extends HarvesterResourceProps {}

/**
 * The ClusterNetwork of a Harvester: a bridge on every node, with uplinks from `VlanConfig`s, on
 * which `VmNetwork`s are created.
 *
 * Every Harvester has the cluster network `mgmt`, with the uplinks that the installer configured:
 * `ClusterNetwork.mgmt`.
 *
 * @see https://docs.harvesterhci.io/latest/networking/clusternetwork
 * @example
 * const prod = new ClusterNetwork(dc1, 'prod');
 * new VlanConfig(dc1, 'prod-uplinks', { clusterNetwork: prod, nics: ['eno2'] });
 */
export class ClusterNetwork extends HarvesterResource implements IClusterNetwork {
  /** The cluster network `mgmt`, which every Harvester has. */
  public static mgmt(scope: Construct): IClusterNetwork {
    const chart = chartOf(harvesterTargetOf(scope, 'ClusterNetwork.mgmt'));
    const existing = chart.node.tryFindChild(MGMT_ID);
    if (existing && (existing as Partial<IClusterNetwork>).name !== MGMT_CLUSTER_NETWORK) {
      fail(chart, [
        {
          path: MGMT_ID,
          message: 'cannot be the ID of another construct',
          fix: 'give that construct another ID',
        },
      ]);
    }
    return (existing as IClusterNetwork | undefined) ?? new ManagementNetwork(chart, MGMT_ID);
  }

  /**
   * A reference to an existing cluster network other than `mgmt`, for which see
   * `ClusterNetwork.mgmt`.
   */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingResourceOptions,
  ): IClusterNetwork {
    return new ExistingClusterNetwork(scope, id, options);
  }

  constructor(scope: Construct, id: string, props: ClusterNetworkProps = {}) {
    super(scope, id, props);
    if (this.name === MGMT_CLUSTER_NETWORK) {
      collectProblems(this, [
        {
          path: 'name',
          value: MGMT_CLUSTER_NETWORK,
          message: 'cannot be created: every Harvester has this cluster network',
          fix: 'use ClusterNetwork.mgmt, or choose a different name',
        },
      ]);
    }
    failOnErrors(this, checkClusterNetworkName('name', this.name));
    this._write(KIND);
    HostNetworks.of(this.harvester).declare(this.name, { construct: this, kind: 'network' });
  }

  public get clusterNetworkId(): string {
    return this.name;
  }
}

const MGMT_ID = 'ClusterNetwork-mgmt';

/** Unlike other existing objects, it is on every Harvester, so that the output does not list it. */
class ManagementNetwork extends Construct implements IClusterNetwork {
  public readonly name = MGMT_CLUSTER_NETWORK;
  /** @internal */
  public readonly _refersTo = 'ClusterNetwork';

  public get clusterNetworkId(): string {
    return this.name;
  }

  public get harvester(): IHarvesterTarget {
    return harvesterTargetOf(this, 'ClusterNetwork.mgmt');
  }

  public get target(): IHarvesterTarget {
    return this.harvester;
  }
}

class ExistingClusterNetwork extends ExistingHarvesterResource implements IClusterNetwork {
  constructor(scope: Construct, id: string, options: ExistingResourceOptions) {
    super(scope, id, 'ClusterNetwork.fromName', KIND, options);
    failOnErrors(this, checkClusterNetworkName('name', options.name));
  }

  public get clusterNetworkId(): string {
    return this.name;
  }
}
