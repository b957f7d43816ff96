import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { CloudInit } from './cloud-init';
import { CLOUD_INIT_KEY, CLOUD_INIT_KEYS, CLOUD_INIT_LABEL_VALUE, LABEL_CLOUD_INIT_TEMPLATE } from './cloud-init.check';
import { NetworkData } from './network-data';
import { objectName } from '../../core/app/resource';
import { harvesterTargetOf, IHarvesterTarget, INamespace } from '../../core/app/target';
import { LateType } from '../../core/late/late-text';
import { waitsForCluster } from '../../core/late/late-token';
import { LateSource, LateValue } from '../../core/late/late-value';
import { ANNOTATION_DESCRIPTION, API_VERSIONS, DEFAULT_NAMESPACE } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { failOnErrors } from '../../core/rule/problem';
import { CLOUD_CONFIG_HEADER } from '../../guest/machine-config/machine-config.kind';
import { objectNamespace, ExistingObject } from '../harvester-object';

/** Properties of a cloud-init template. */
export interface CloudInitTemplateProps {
  /** The name of the ConfigMap. @default - the ID of the construct */
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
 * @example
 * CloudInitTemplate.user(dc1, 'base', CloudInit.of({ packages: ['qemu-guest-agent'] }));
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

/** A Secret with cloud-init for virtual machines: declared by the program, or existing. */
export interface ICloudInitSecret extends IConstruct {
  /** The name of the Secret. */
  readonly secretName: string;
  /** The namespace of the Secret, which is that of the VMs. */
  readonly namespace: string;
  /** Whether it contains network data. */
  readonly hasNetworkData: boolean;
  /** The Harvester of the Secret. */
  readonly harvester: IHarvesterTarget;
}

/** Properties of a Secret with cloud-init. */
export interface CloudInitSecretProps {
  /** The user data that cloud-init runs at the first boot. @default - no user data */
  readonly cloudInit?: CloudInit;
  /** The network configuration that cloud-init applies at the first boot. @default - the default of the image */
  readonly networkData?: NetworkData;
  /** The name of the Secret. @default - the ID of the construct */
  readonly name?: string;
  /** The namespace, which is that of the VMs. @default - `default` */
  readonly namespace?: INamespace;
  /** The description that the UI shows. @default - no description */
  readonly description?: string;
  /** Labels of the Secret. @default - only that of Harvester's UI */
  readonly labels?: { readonly [key: string]: string };
}

const NO_USER_DATA = `${CLOUD_CONFIG_HEADER}{}\n`;

/**
 * The Secret with user data and network data for virtual machines. A `VirtualMachine` creates its own; this one can be shared by several.
 *
 * A VM reads the Secret at every start, but cloud-init applies it only at the first boot of a disk: a change affects only later VMs.
 *
 * @see https://kubevirt.io/user-guide/user_workloads/startup_scripts/
 * @example
 * new CloudInitSecret(dc1, 'base', { cloudInit: CloudInit.of({ timezone: 'UTC', guestAgent: GuestAgent.preinstalled() }) });
 */
export class CloudInitSecret extends Construct implements ICloudInitSecret {
  /**
   * A reference to an existing Secret with the key `userdata`.
   *
   * @param scope a HarvesterChart, or a construct in one
   * @param id the ID of the construct
   * @param name the name of the Secret
   * @param namespace the namespace of the Secret, `default` by default
   * @param hasNetworkData whether it has the key `networkdata` too, false by default
   */
  public static fromName(scope: Construct, id: string, name: string, namespace?: string, hasNetworkData?: boolean): ICloudInitSecret {
    return new ExistingSecret(scope, id, name, namespace ?? DEFAULT_NAMESPACE, hasNetworkData ?? false);
  }

  public readonly secretName: string;
  public readonly namespace: string;
  public readonly hasNetworkData: boolean;
  public readonly harvester: IHarvesterTarget;

  constructor(scope: Construct, id: string, props: CloudInitSecretProps) {
    super(scope, id);
    this.harvester = harvesterTargetOf(this, 'CloudInitSecret');
    this.secretName = objectName(this, props.name);
    this.namespace = objectNamespace(this, this.harvester, props.namespace);
    this.hasNetworkData = props.networkData !== undefined;
    failOnErrors(this, props.cloudInit || props.networkData ? [] : [
      { path: 'cloudInit', message: 'must be set, unless networkData is set', fix: 'set cloudInit or networkData' },
    ]);
    const secret = new ApiObject(this, 'Resource', {
      apiVersion: API_VERSIONS.CORE,
      kind: 'Secret',
      metadata: {
        name: this.secretName,
        namespace: this.namespace,
        labels: { ...props.labels, [LABEL_CLOUD_INIT_TEMPLATE]: CLOUD_INIT_LABEL_VALUE },
        ...(props.description === undefined ? {} : { annotations: { [ANNOTATION_DESCRIPTION]: props.description } }),
      },
      data: {
        // without user data KubeVirt does not start a VM
        [CLOUD_INIT_KEYS.USER]: this.base64('UserData', props.cloudInit?.toText() ?? NO_USER_DATA),
        [CLOUD_INIT_KEYS.NETWORK]: props.networkData && this.base64('NetworkData', props.networkData.toText()),
      },
    });
    note(secret, {
      deletion: { policy: 'delete', reason: 'virtual machines that refer to it do not start without it' },
      // the UI makes the machine its owner
      othersWrite: ['metadata.ownerReferences'],
    });
  }

  private base64(id: string, text: string): string {
    if (!waitsForCluster(text)) { return Buffer.from(text).toString('base64'); }
    return new LateValue(this, id, {
      source: LateSource.text(text), description: `cloud-init of ${this.namespace}/${this.secretName}, ${id}`, type: LateType.STRING, sensitive: true,
    }).base64;
  }
}

class ExistingSecret extends ExistingObject implements ICloudInitSecret {
  constructor(
    scope: Construct, id: string, public readonly secretName: string, public readonly namespace: string, public readonly hasNetworkData: boolean,
  ) {
    super(scope, id, 'CloudInitSecret.fromName', { apiVersion: API_VERSIONS.CORE, kind: 'Secret', namespace, name: secretName });
  }
}
