import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { ImageArchive, NodeImageCloudInit } from './node-image-cloud-init.data';
import { harvesterTargetOf } from '../../core/app/target';
import { API_VERSIONS } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { failOnErrors } from '../../core/rule/problem';
import { asProps } from '../object-name';

/**
 * Properties of container images that nodes import.
 */
export interface NodeImagesProps {
  /**
   * Archives of images on a server that the nodes can reach. `cdk8s-harvester images --output commands` prints how to create them.
   * @default - no downloads
   */
  readonly archives?: ImageArchive[];
  /**
   * The absolute path of a directory on the nodes with archives to import, e.g. of a mounted disk.
   * @default - no directory
   */
  readonly directory?: string;
  /**
   * Labels of the nodes that import the images.
   * @default - every node
   */
  readonly nodeSelector?: { readonly [label: string]: string };
  /**
   * The name of the CloudInit and, with `.yaml`, of its file on the nodes.
   * @default '99-import-images'
   */
  readonly name?: string;
}

/**
 * The CloudInit with container images that Harvester nodes import when they boot, for clusters without internet access.
 *
 * It takes effect at the next boot of a node. Unconfirmed (not verified on a running system).
 *
 * @see https://docs.harvesterhci.io/latest/advanced/cloudinitcrd
 * @example
 * new NodeImages(dc1, 'images', { archives: [{ url: 'https://files.example.com/rancher-import-images.tar' }] });
 */
export class NodeImages extends Construct {
  constructor(scope: Construct, id: string, props: NodeImagesProps) {
    super(scope, id);
    harvesterTargetOf(this, 'NodeImages');
    const name = props.name ?? '99-import-images';
    const { archives, directory, nodeSelector } = props;
    const options = { archives, directory, filename: name, matchSelector: nodeSelector && { ...nodeSelector } };
    failOnErrors(this, asProps(NodeImageCloudInit.check(options), { filename: 'name' }));
    const cloudInit = new ApiObject(this, 'Resource', {
      apiVersion: API_VERSIONS.HARVESTER_NODE,
      kind: 'CloudInit',
      metadata: { name },
      spec: NodeImageCloudInit.spec(options),
    });
    note(cloudInit, {
      deletion: { policy: 'delete', reason: 'removes the file from the nodes; imported images are kept' },
      othersWrite: ['metadata.finalizers', 'status'],
    });
  }
}
