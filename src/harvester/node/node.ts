import { Construct } from 'constructs';
import { ImageArchive, NodeImageCloudInit } from './node-image-cloud-init.data';
import { IHarvesterNode } from './node-ref';
import { checkNodeCloudInit, checkNodeFile, checkNodeLabels } from './node.check';
import { NODE_LABEL, LABEL_MANAGED_NODE, oemFileOf } from './node.kind';
import { ExistingResourceOptions, ResourceOptions, ResourceProps } from '../../core/app/resource';
import { API_VERSIONS } from '../../core/manifest/names';
import { asProps, failOnErrors } from '../../core/problem/problem';
import { defined } from '../../core/text/values';
import { freeForm } from '../../core/value/free-form';
import { toYaml } from '../../core/yaml/yaml-writer';
import {
  ExistingHarvesterResource,
  HarvesterResource,
  HarvesterResourceProps,
} from '../harvester-resource';
import { HarvesterGate } from '../version/harvester-version';
import { requireGate } from '../version/require-gate';

const NODE = { apiVersion: API_VERSIONS.CORE, kind: 'Node' };
const CLOUD_INIT = { apiVersion: API_VERSIONS.HARVESTER_NODE, kind: 'CloudInit' };

/**
 * The labels that a program sets on a node of a Harvester cluster. Its name is the host name of the
 * machine.
 */
export interface HarvesterNodeProps extends ResourceProps {
  /**
   * The zone of the node, e.g. a rack or a room: label `topology.kubernetes.io/zone`. Give all
   * nodes one, or none. Machines of guest clusters spread over zones with
   * `VmAffinity.spreadOverZones`, and the cloud provider labels their nodes with the zone of the
   * host.
   * @default - not set
   */
  readonly zone?: string;
  /**
   * The region of the node, e.g. a site: label `topology.kubernetes.io/region`.
   * @default - not set
   */
  readonly region?: string;
}

/**
 * A Node of a Harvester cluster, with labels of the program. The node exists already: it joins when
 * Harvester is installed on a machine.
 *
 * Only these labels are written, by server-side apply: all other fields keep their values. `apply`
 * refuses to create a Node, and never deletes one; labels that the program no longer declares are
 * removed by the next apply, but those of a HarvesterNode that is removed from the program are
 * kept.
 *
 * Taints are not supported: the list of taints has a single owner, and Kubernetes' controllers
 * write it.
 *
 * @see https://docs.harvesterhci.io/latest/rancher/node/rke2-cluster
 * @example
 * new HarvesterNode(dc1, 'node-1', { zone: 'rack-a', region: 'dc1' });
 * new HarvesterNode(dc1, 'node-2', { zone: 'rack-b', region: 'dc1' });
 */
export class HarvesterNode extends HarvesterResource implements IHarvesterNode {
  /** A reference to a node whose labels the program does not write. */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingResourceOptions,
  ): IHarvesterNode {
    return new ExistingHarvesterNode(scope, id, 'HarvesterNode.fromName', NODE, options);
  }

  constructor(scope: Construct, id: string, props: HarvesterNodeProps = {}) {
    super(scope, id, props);
    failOnErrors(this, [...checkNodeLabels(props)]);
    this._write({
      ...NODE,
      metadata: {
        labels: defined({ [NODE_LABEL.ZONE]: props.zone, [NODE_LABEL.REGION]: props.region }),
      },
    });
  }

  public get nodeId(): string {
    return this.name;
  }
}

class ExistingHarvesterNode extends ExistingHarvesterResource implements IHarvesterNode {
  public get nodeId(): string {
    return this.name;
  }
}

/** Properties of a CloudInit of Harvester's nodes. */
export interface NodeCloudInitProps extends HarvesterResourceProps {
  /**
   * The steps by boot stage of Elemental, e.g. `{ network: [{ commands: ['…'] }] }`. Set `stages`
   * or `contents`.
   * @see https://docs.harvesterhci.io/latest/advanced/cloudinitcrd
   * @default - the stages of `contents`
   */
  readonly stages?: { readonly [stage: string]: any };
  /**
   * The name in the file, which Elemental logs when it runs the stages. Only with `stages`.
   * @default - the name of the object
   */
  readonly title?: string;
  /**
   * The file as text: an Elemental cloud config in YAML, which is written as it is.
   * @default - written from `stages`
   */
  readonly contents?: string;
  /**
   * The name of the file in /oem. Files there apply in alphabetical order. `90_custom.yaml` and
   * `99_settings.yaml` belong to Harvester.
   * @default - the name of the object with `.yaml`
   */
  readonly filename?: string;
  /**
   * Labels of the nodes that get the file.
   * @default - all nodes: `harvesterhci.io/managed: "true"`
   */
  readonly nodeSelector?: { readonly [label: string]: string };
  /** Whether Harvester stops updating the file on the nodes. @default false */
  readonly paused?: boolean;
}

/**
 * The CloudInit of Harvester's nodes: a configuration file that Harvester writes to its nodes. It
 * takes effect at the next boot of a node. Harvester 1.3.0 and later.
 *
 * This is for the nodes of Harvester. For virtual machines, see `CloudInit`. For container images,
 * see `NodeImages`.
 *
 * @see https://docs.harvesterhci.io/latest/advanced/cloudinitcrd
 * @example
 * new NodeCloudInit(dc1, '99-sysctl', { stages: { boot: [{ commands: ['sysctl -w vm.max_map_count=262144'] }] } });
 */
export class NodeCloudInit extends HarvesterResource {
  constructor(scope: Construct, id: string, props: NodeCloudInitProps) {
    super(scope, id, props);
    requireGate(this, HarvesterGate.CLOUD_INIT_RESOURCE, 'write the file to /oem on every node');
    const stages = freeForm('stages', props.stages ?? {});
    failOnErrors(this, [...checkNodeFile(props), ...stages.problems]);
    const spec = {
      matchSelector: props.nodeSelector ?? { [LABEL_MANAGED_NODE]: 'true' },
      // otherwise the server appends it, and changes the object
      filename: oemFileOf(props.filename ?? this.name),
      contents: props.contents ?? toYaml({ name: props.title ?? this.name, stages: stages.value }),
      paused: props.paused ?? false,
    };
    failOnErrors(this, asProps(checkNodeCloudInit(spec)));
    this._write({ ...CLOUD_INIT, spec });
  }
}

/** Properties of container images that nodes import. */
export interface NodeImagesProps extends ResourceOptions {
  /**
   * The name of the CloudInit and, with `.yaml`, of its file on the nodes. Files there apply in
   * alphabetical order, which is why the default is not the ID of the construct.
   * @default '99-import-images'
   */
  readonly name?: string;
  /**
   * Archives of images on a server that the nodes can reach. `cdk8s-harvester images --output
   * commands` prints how to create them.
   * @default - no downloads
   */
  readonly archives?: ImageArchive[];
  /**
   * The absolute path of a directory on the nodes with archives to import, e.g. of a mounted disk.
   * @default - no directory
   */
  readonly directory?: string;
  /** Labels of the nodes that import the images. @default - every node */
  readonly nodeSelector?: { readonly [label: string]: string };
}

/**
 * The CloudInit with container images that Harvester nodes import when they boot, for clusters
 * without internet access.
 *
 * It takes effect at the next boot of a node. Unconfirmed (not verified on a running system).
 *
 * @see https://docs.harvesterhci.io/latest/advanced/cloudinitcrd
 * @example
 * new NodeImages(dc1, 'images', { archives: [{ url: 'https://files.example.com/rancher-import-images.tar' }] });
 */
export class NodeImages extends HarvesterResource {
  constructor(scope: Construct, id: string, props: NodeImagesProps) {
    super(scope, id, { ...props, name: props.name ?? '99-import-images' });
    const { archives, directory, nodeSelector } = props;
    const options = {
      archives,
      directory,
      filename: this.name,
      matchSelector: nodeSelector && { ...nodeSelector },
    };
    failOnErrors(this, asProps(NodeImageCloudInit.check(options), { filename: 'name' }));
    this._write({ ...CLOUD_INIT, spec: NodeImageCloudInit.spec(options) }, { deletion: 'images' });
  }
}
