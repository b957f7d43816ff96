import { Construct } from 'constructs';
import { CloudInit } from './cloud-init';
import {
  CLOUD_INIT_KEY,
  CLOUD_INIT_KEYS,
  CLOUD_INIT_LABEL_VALUE,
  LABEL_CLOUD_INIT_TEMPLATE,
  CLOUD_CONFIG_HEADER,
} from './cloud-init.check';
import { NetworkData } from './network-data';
import { ExistingNamespacedResourceOptions } from '../../core/app/resource';
import { API_VERSIONS } from '../../core/manifest/names';
import { failOnErrors } from '../../core/problem/problem';
import { LateValue } from '../../core/value/late-value';
import {
  ExistingNamespacedHarvesterResource,
  NamespacedHarvesterResource,
  NamespacedHarvesterResourceProps,
} from '../harvester-resource';
import { INamespacedHarvesterResource } from '../harvester-resource-ref';

const KIND = { apiVersion: API_VERSIONS.CORE, kind: 'Secret' };

/**
 * Properties of a cloud-init template. All users can read templates in the namespace
 * `harvester-public`.
 */
export interface CloudInitTemplateProps extends NamespacedHarvesterResourceProps {}

/**
 * The ConfigMap of a cloud configuration template, which users select in the UI of Harvester when
 * they create virtual machines. Nothing else reads it, and virtual machines keep a copy.
 *
 * A ConfigMap is not encrypted: do not put passwords in it.
 *
 * @see https://docs.harvesterhci.io/latest/vm/index
 * @example
 * CloudInitTemplate.user(dc1, 'base', CloudInit.of({ packages: ['qemu-guest-agent'] }));
 */
export class CloudInitTemplate extends NamespacedHarvesterResource {
  /** A template of user data. */
  public static user(
    scope: Construct,
    id: string,
    cloudInit: CloudInit,
    props: CloudInitTemplateProps = {},
  ): CloudInitTemplate {
    return new CloudInitTemplate(scope, id, 'user', cloudInit.toText(), props);
  }

  /** A template of network data. */
  public static network(
    scope: Construct,
    id: string,
    networkData: NetworkData,
    props: CloudInitTemplateProps = {},
  ): CloudInitTemplate {
    return new CloudInitTemplate(scope, id, 'network', networkData.toText(), props);
  }

  private constructor(
    scope: Construct,
    id: string,
    kind: string,
    text: string,
    props: CloudInitTemplateProps,
  ) {
    super(scope, id, props);
    failOnErrors(this);
    this._write(
      {
        apiVersion: API_VERSIONS.CORE,
        kind: 'ConfigMap',
        metadata: { labels: { [LABEL_CLOUD_INIT_TEMPLATE]: kind } },
        data: { [CLOUD_INIT_KEY]: text },
      },
      { deletion: 'cloud-init' },
    );
  }
}

/**
 * A Secret with cloud-init for virtual machines: declared by the program, or existing. Its
 * namespace is that of the VMs.
 */
export interface ICloudInitSecret extends INamespacedHarvesterResource {
  /** Whether it contains network data. */
  readonly hasNetworkData: boolean;
}

/** Properties of a Secret with cloud-init. Its namespace is that of the VMs. */
export interface CloudInitSecretProps extends NamespacedHarvesterResourceProps {
  /** The user data that cloud-init runs at the first boot. @default - no user data */
  readonly cloudInit?: CloudInit;
  /**
   * The network configuration that cloud-init applies at the first boot.
   * @default - the default of the image
   */
  readonly networkData?: NetworkData;
}

/** Options of a reference to an existing Secret with cloud-init. */
export interface ExistingCloudInitSecretOptions extends ExistingNamespacedResourceOptions {
  /** Whether it has the key `networkdata` too. @default false */
  readonly hasNetworkData?: boolean;
}

const NO_USER_DATA = `${CLOUD_CONFIG_HEADER}{}\n`;

/**
 * The Secret with user data and network data for virtual machines. A `VirtualMachine` creates its
 * own; this one can be shared by several.
 *
 * A VM reads the Secret at every start, but cloud-init applies it only at the first boot of a disk:
 * a change affects only later VMs.
 *
 * @see https://kubevirt.io/user-guide/user_workloads/startup_scripts/
 * @example
 * new CloudInitSecret(dc1, 'base', { cloudInit: CloudInit.of({ timezone: 'UTC', guestAgent: GuestAgent.preinstalled() }) });
 */
export class CloudInitSecret extends NamespacedHarvesterResource implements ICloudInitSecret {
  /** A reference to an existing Secret with the key `userdata`. */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingCloudInitSecretOptions,
  ): ICloudInitSecret {
    return new ExistingSecret(scope, id, options);
  }

  public readonly hasNetworkData: boolean;

  constructor(scope: Construct, id: string, props: CloudInitSecretProps) {
    super(scope, id, props);
    this.hasNetworkData = props.networkData !== undefined;
    failOnErrors(
      this,
      props.cloudInit || props.networkData
        ? []
        : [
            {
              path: 'cloudInit',
              message: 'must be set, unless networkData is set',
              fix: 'set cloudInit or networkData',
            },
          ],
    );
    this._write(
      {
        ...KIND,
        metadata: { labels: { [LABEL_CLOUD_INIT_TEMPLATE]: CLOUD_INIT_LABEL_VALUE } },
        data: {
          // without user data KubeVirt does not start a VM
          [CLOUD_INIT_KEYS.USER]: this.base64(
            'UserData',
            props.cloudInit?.toText() ?? NO_USER_DATA,
          ),
          [CLOUD_INIT_KEYS.NETWORK]:
            props.networkData && this.base64('NetworkData', props.networkData.toText()),
        },
      },
      { deletion: 'cloud-init' },
    );
  }

  private base64(id: string, text: string): string {
    return LateValue._base64Of(this, id, text, {
      description: `cloud-init of ${this.namespace}/${this.name}, ${id}`,
      sensitive: true,
    });
  }
}

class ExistingSecret extends ExistingNamespacedHarvesterResource implements ICloudInitSecret {
  public readonly hasNetworkData: boolean;

  constructor(scope: Construct, id: string, options: ExistingCloudInitSecretOptions) {
    super(scope, id, 'CloudInitSecret.fromName', KIND, options);
    this.hasNetworkData = options.hasNetworkData ?? false;
  }
}
