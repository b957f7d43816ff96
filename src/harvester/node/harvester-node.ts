import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { NODE_LABEL, checkNodeLabels } from './node.check';
import { IHarvesterTarget, harvesterTargetOf } from '../../core/app/target';
import { API_VERSIONS } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { failOnErrors } from '../../core/rule/problem';
import { defined } from '../../core/text/values';
import { objectName } from '../object-name';

/** The labels that a program sets on a node of a Harvester cluster. */
export interface HarvesterNodeProps {
  /**
   * The zone of the node, e.g. a rack or a room: label `topology.kubernetes.io/zone`. Give all nodes one, or none. Machines of guest clusters spread over
   * zones with `VmAffinity.spreadOverZones`, and the cloud provider labels their nodes with the zone of the host.
   * @default - not set
   */
  readonly zone?: string;
  /** The region of the node, e.g. a site: label `topology.kubernetes.io/region`. @default - not set */
  readonly region?: string;
  /** Other labels, e.g. for `VmAffinity.onNodes`. @default - no other labels */
  readonly labels?: { readonly [key: string]: string };
}

/**
 * A Node of a Harvester cluster, with labels of the program. The node exists already: it joins when Harvester is installed on a machine.
 *
 * Only these labels are written, by server-side apply: all other fields keep their values. `apply` refuses to create a Node, and never deletes one; labels
 * that the program no longer declares are removed by the next apply, but those of a HarvesterNode that is removed from the program are kept.
 *
 * Taints are not supported: the list of taints has a single owner, and Kubernetes' controllers write it.
 *
 * @see https://docs.harvesterhci.io/latest/rancher/node/rke2-cluster
 * @example
 * for (const [node, zone] of Object.entries({ 'node-1': 'rack-a', 'node-2': 'rack-b', 'node-3': 'rack-c' })) {
 *   HarvesterNode.fromName(dc1, node, node, { zone, region: 'dc1' });
 * }
 */
export class HarvesterNode extends Construct {
  /**
   * An existing node, by its name.
   *
   * @param scope a HarvesterChart, or a construct in one
   * @param id the ID of the construct
   * @param name the name of the Node, which is the host name of the machine
   * @param props its labels
   */
  public static fromName(scope: Construct, id: string, name: string, props: HarvesterNodeProps): HarvesterNode {
    return new HarvesterNode(scope, id, name, props);
  }

  /** The name of the Node. */
  public readonly nodeName: string;
  /** The Harvester of the Node. */
  public readonly harvester: IHarvesterTarget;

  private constructor(scope: Construct, id: string, name: string, props: HarvesterNodeProps) {
    super(scope, id);
    this.harvester = harvesterTargetOf(this, 'HarvesterNode.fromName');
    this.nodeName = objectName(this, name);
    failOnErrors(this, [...checkNodeLabels(props)]);
    const node = new ApiObject(this, 'Resource', {
      apiVersion: API_VERSIONS.CORE,
      kind: 'Node',
      metadata: { name: this.nodeName, labels: defined({ ...props.labels, [NODE_LABEL.ZONE]: props.zone, [NODE_LABEL.REGION]: props.region }) },
    });
    note(node, { deletion: { policy: 'keep', reason: 'is a machine of the cluster, and keeps its labels' } });
  }
}
