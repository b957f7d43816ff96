import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { ImageArchive, NodeImageCloudInit } from './node-image-cloud-init';
import { harvesterTargetOf } from '../../core/app/target';
import { API_VERSIONS } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { parsed } from '../../core/rule/problem';

/**
 * Properties of images that nodes load.
 */
export interface NodeImagesProps {
  /**
   * Archives of images, on a server that the nodes reach; `cdk8s-harvester images --output commands` says how to make them.
   * @default - none
   */
  readonly archives?: ImageArchive[];
  /**
   * A folder on the nodes whose archives are taken, e.g. of a mounted disk. Absolute.
   * @default - none
   */
  readonly directory?: string;
  /**
   * Labels of the nodes that load them.
   * @default - every node
   */
  readonly nodeSelector?: { readonly [label: string]: string };
  /**
   * Name of the resource, and with `.yaml` of its file on the nodes.
   * @default '99-import-images'
   */
  readonly name?: string;
}

/**
 * Container images that Harvester nodes load when they boot, for clusters without internet: a node-level CloudInit resource on Harvester.
 *
 * It takes effect at the next boot of a node. UNCONFIRMED: this was not run on a Harvester node.
 *
 * @see https://docs.harvesterhci.io/latest/advanced/cloudinitcrd
 */
export class NodeImages extends Construct {
  constructor(scope: Construct, id: string, props: NodeImagesProps) {
    super(scope, id);
    harvesterTargetOf(this, 'NodeImages');
    const name = props.name ?? '99-import-images';
    const cloudInit = new ApiObject(this, 'Resource', {
      apiVersion: API_VERSIONS.HARVESTER_NODE,
      kind: 'CloudInit',
      metadata: { name },
      spec: parsed(this, '', () => NodeImageCloudInit.spec({
        archives: props.archives, directory: props.directory, filename: name, matchSelector: props.nodeSelector && { ...props.nodeSelector },
      })),
    });
    note(cloudInit, {
      deletion: { policy: 'delete', reason: 'removes the file from the nodes; images that are loaded stay' },
      othersWrite: ['metadata.finalizers', 'status'],
    });
  }
}
