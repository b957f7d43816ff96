import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { CloudInit } from './cloud-init';
import { CLOUD_INIT_KEYS, CLOUD_INIT_LABEL_VALUE, LABEL_CLOUD_INIT_TEMPLATE } from './cloud-init.kind';
import { NetworkData } from './network-data';
import { know } from '../../core/app/known-objects';
import { IHarvesterTarget, INamespace, harvesterTargetOf } from '../../core/app/target';
import { LateType } from '../../core/late/late-text';
import { waitsForCluster } from '../../core/late/late-token';
import { LateSource, LateValue } from '../../core/late/late-value';
import { ANNOTATION_DESCRIPTION, API_VERSIONS } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { fail } from '../../core/rule/problem';
import { CLOUD_CONFIG_HEADER } from '../../guest/machine-config/machine-config.kind';
import { DEFAULT_NAMESPACE } from '../namespace/namespace.kind';
import { objectName, objectNamespace } from '../object-name';

/**
 * A Secret with cloud-init of virtual machines: one that the program declares, or one that is there.
 */
export interface ICloudInitSecret extends IConstruct {
  /** The name of the Secret. */
  readonly secretName: string;
  /** Its namespace, that of the machines. */
  readonly namespace: string;
  /** Whether it holds network data. */
  readonly hasNetworkData: boolean;
  /** The Harvester that it is on. */
  readonly harvester: IHarvesterTarget;
}

/**
 * Properties of a Secret with cloud-init.
 */
export interface CloudInitSecretProps {
  /** What a machine does at its first start. @default - nothing */
  readonly cloudInit?: CloudInit;
  /** How a machine configures its network cards at its first start. @default - as its image has it */
  readonly networkData?: NetworkData;
  /** The name of the Secret. @default - the id of the construct */
  readonly name?: string;
  /** Its namespace, that of the machines. @default - `default` */
  readonly namespace?: INamespace;
  /** Text that the UI shows. @default - none */
  readonly description?: string;
  /** Labels of the Secret. @default - only that of Harvester's UI */
  readonly labels?: { readonly [key: string]: string };
}

const NO_USER_DATA = `${CLOUD_CONFIG_HEADER}{}\n`;

/**
 * A Secret with user data and network data that virtual machines start with. A `VirtualMachine` makes one of its own; this one is for several.
 *
 * A machine reads it at its start, and cloud-init acts on it at the first start of a disk only: a change is for later machines.
 *
 * @see https://kubevirt.io/user-guide/user_workloads/startup_scripts/
 */
export class CloudInitSecret extends Construct implements ICloudInitSecret {
  /**
   * A Secret that is there, with the key `userdata`.
   *
   * @param scope below a HarvesterChart
   * @param id of the construct
   * @param name of the Secret
   * @param namespace of it; the default is `default`
   * @param hasNetworkData whether it has the key `networkdata` too; the default is that it has not
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
    if (!props.cloudInit && !props.networkData) {
      fail(this, [{ path: 'cloudInit', message: 'is missing, and so is networkData: there is nothing to keep', fix: 'give one of both' }]);
    }
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
        // without user data KubeVirt does not start a machine
        [CLOUD_INIT_KEYS.USER]: this.base64('UserData', props.cloudInit?.toText() ?? NO_USER_DATA),
        [CLOUD_INIT_KEYS.NETWORK]: props.networkData && this.base64('NetworkData', props.networkData.toText()),
      },
    });
    note(secret, {
      deletion: { policy: 'delete', reason: 'machines that name it do not start without it' },
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

class ExistingSecret extends Construct implements ICloudInitSecret {
  public readonly harvester: IHarvesterTarget;

  constructor(
    scope: Construct, id: string, public readonly secretName: string, public readonly namespace: string, public readonly hasNetworkData: boolean,
  ) {
    super(scope, id);
    this.harvester = harvesterTargetOf(this, 'CloudInitSecret.fromName');
    objectName(this, secretName);
    objectName(this, namespace, 'namespace');
    know(this, { target: this.harvester, apiVersion: API_VERSIONS.CORE, kind: 'Secret', namespace, name: secretName });
  }
}
