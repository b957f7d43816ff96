import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { CloudInit } from './cloud-init';
import { CLOUD_INIT_KEY, LABEL_CLOUD_INIT_TEMPLATE } from './cloud-init.kind';
import { NetworkData } from './network-data';
import { IHarvesterTarget, INamespace, harvesterTargetOf } from '../../core/app/target';
import { ANNOTATION_DESCRIPTION, API_VERSIONS } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { failOnErrors } from '../../core/rule/problem';
import { objectName, objectNamespace } from '../object-name';

/**
 * Properties of a cloud-init template.
 */
export interface CloudInitTemplateProps {
  /** The name of the ConfigMap. @default - the id of the construct */
  readonly name?: string;
  /** The namespace. All users can read templates in `harvester-public`. @default - `default` */
  readonly namespace?: INamespace;
  /** The description that the UI shows. @default - no description */
  readonly description?: string;
  /** Additional labels. @default - only that of Harvester */
  readonly labels?: { readonly [key: string]: string };
}

/**
 * The ConfigMap of a cloud configuration template, which users select in the UI of Harvester when they create virtual machines. Nothing else reads
 * it, and virtual machines keep a copy.
 *
 * A ConfigMap is not encrypted: do not put passwords in it.
 *
 * @see https://docs.harvesterhci.io/latest/vm/index
 */
export class CloudInitTemplate extends Construct {
  /**
   * A template of user data.
   * @param cloudInit the setup of a VM at its first boot
   */
  public static user(scope: Construct, id: string, cloudInit: CloudInit, props: CloudInitTemplateProps = {}): CloudInitTemplate {
    return new CloudInitTemplate(scope, id, 'user', cloudInit.toText(), props);
  }

  /**
   * A template of network data.
   * @param networkData the network configuration of a VM
   */
  public static network(scope: Construct, id: string, networkData: NetworkData, props: CloudInitTemplateProps = {}): CloudInitTemplate {
    return new CloudInitTemplate(scope, id, 'network', networkData.toText(), props);
  }

  /** The name of the ConfigMap. */
  public readonly templateName: string;
  /** The namespace of the ConfigMap. */
  public readonly namespace: string;
  /** The Harvester of the template. */
  public readonly harvester: IHarvesterTarget;

  private constructor(scope: Construct, id: string, kind: string, text: string, props: CloudInitTemplateProps) {
    super(scope, id);
    this.harvester = harvesterTargetOf(this, 'CloudInitTemplate');
    this.templateName = objectName(this, props.name);
    this.namespace = objectNamespace(this, this.harvester, props.namespace);
    failOnErrors(this);
    const template = new ApiObject(this, 'Resource', {
      apiVersion: API_VERSIONS.CORE,
      kind: 'ConfigMap',
      metadata: {
        name: this.templateName,
        namespace: this.namespace,
        labels: { ...props.labels, [LABEL_CLOUD_INIT_TEMPLATE]: kind },
        ...(props.description === undefined ? {} : { annotations: { [ANNOTATION_DESCRIPTION]: props.description } }),
      },
      data: { [CLOUD_INIT_KEY]: text },
    });
    note(template, { deletion: { policy: 'delete', reason: 'virtual machines keep their copies' } });
  }
}
