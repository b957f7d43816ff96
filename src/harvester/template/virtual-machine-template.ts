import { Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import { ExistingNamespacedResourceOptions } from '../../core/app/resource';
import { OrderingType, Ordering } from '../../core/construct/edge';
import { valueAt } from '../../core/manifest/manifest';
import { API_VERSIONS } from '../../core/manifest/names';
import { failOnErrors } from '../../core/problem/problem';
import { filledFields } from '../../core/text/values';
import { requireSameHarvester } from '../harvester-object';
import {
  ExistingNamespacedHarvesterResource,
  AdoptedObject,
  HarvesterResourceProps,
  NamespacedHarvesterResource,
  NamespacedHarvesterResourceProps,
  listedProps,
} from '../harvester-resource';
import { INamespacedHarvesterResource } from '../harvester-resource-ref';
import { IVmImage } from '../image/vm-image';
import { VmSpecProps } from '../virtual-machine/props/virtual-machine-props';
import { writeMachine } from '../virtual-machine/virtual-machine';
import { KIND_TEMPLATE, KIND_TEMPLATE_VERSION } from '../virtual-machine/virtual-machine.kind';

const TEMPLATE = { apiVersion: API_VERSIONS.HARVESTER, kind: KIND_TEMPLATE };
const VERSION = { apiVersion: API_VERSIONS.HARVESTER, kind: KIND_TEMPLATE_VERSION };

/** A template of virtual machines on a Harvester: declared by the program, or existing. */
export interface IVirtualMachineTemplate extends INamespacedHarvesterResource {
  /** `<namespace>/<name>`, by which versions refer to the template. */
  readonly templateId: string;
}

/** Properties of a template of virtual machines. */
export interface VirtualMachineTemplateProps extends NamespacedHarvesterResourceProps {
  /**
   * Values that keep an existing object unchanged when you adopt it. `cdk8s-harvester adopt`
   * writes them; a new object needs none.
   * @default - the program creates the object
   */
  readonly adopted?: AdoptedObject;
}

/**
 * The VirtualMachineTemplate of a Harvester: a name for the versions of a virtual machine, from
 * which users of the UI create virtual machines.
 *
 * Deleting it deletes its versions.
 *
 * @see https://docs.harvesterhci.io/latest/vm/create-vm
 * @example
 * const template = new VirtualMachineTemplate(dc1, 'web', { description: 'web servers' });
 * new VirtualMachineTemplateVersion(dc1, 'web-v1', {
 *   template, isDefault: true, cpus: 2, memory: Size.gibibytes(4), disks: [Disk.empty(Size.gibibytes(40))],
 * });
 */
export class VirtualMachineTemplate
  extends NamespacedHarvesterResource
  implements IVirtualMachineTemplate
{
  /** A reference to an existing template. */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingNamespacedResourceOptions,
  ): IVirtualMachineTemplate {
    return new ExistingTemplate(scope, id, 'VirtualMachineTemplate.fromName', TEMPLATE, options);
  }

  /** The default version. @internal */
  public _default?: VirtualMachineTemplateVersion;

  constructor(scope: Construct, id: string, props: VirtualMachineTemplateProps = {}) {
    super(scope, id, listedProps(props));
    const spec = () =>
      filledFields({
        description: props.description,
        defaultVersionId: this._default?.versionId,
      }) ?? (props.adopted?.asWritten ? undefined : {});
    this._write({ ...TEMPLATE, spec: Lazy.any({ produce: spec }) });
  }

  public get templateId(): string {
    return `${this.namespace}/${this.name}`;
  }
}

class ExistingTemplate
  extends ExistingNamespacedHarvesterResource
  implements IVirtualMachineTemplate
{
  public get templateId(): string {
    return `${this.namespace}/${this.name}`;
  }
}

/** Properties of a version of a template of virtual machines. */
export interface VirtualMachineTemplateVersionProps extends HarvesterResourceProps, VmSpecProps {
  /** The template. The version is created in its namespace. */
  readonly template: IVirtualMachineTemplate;
  /**
   * Whether the UI proposes this version. The program must declare the template.
   * @default - Harvester proposes the first version
   */
  readonly isDefault?: boolean;
  /** The image that the version names (`spec.imageId`), besides those of its disks. @default - not set */
  readonly image?: IVmImage;
}

/**
 * The VirtualMachineTemplateVersion of a Harvester: a virtual machine that users of the UI begin
 * with.
 *
 * A version is immutable: for a change, declare another version, and make it the default. Harvester
 * refuses every update, so only `apply` delivers versions. A version that is no longer declared is
 * kept until its template is deleted.
 *
 * A Secret `<name>-cloudinit` with the version's cloud-init is created in the same namespace.
 *
 * @see https://docs.harvesterhci.io/latest/vm/create-vm
 * @example
 * const template = VirtualMachineTemplate.fromName(dc1, 'Web', { name: 'web', namespace: 'default' });
 * new VirtualMachineTemplateVersion(dc1, 'web-v2', { template, cpus: 4, memory: Size.gibibytes(8), disks: [Disk.empty(Size.gibibytes(40))] });
 */
export class VirtualMachineTemplateVersion extends NamespacedHarvesterResource {
  constructor(scope: Construct, id: string, props: VirtualMachineTemplateVersionProps) {
    super(scope, id, listedProps(props));
    const { template, isDefault, sshKeys = [], description } = props;
    requireSameHarvester(this, 'template', template.name, template.harvester, this.harvester);
    if (isDefault) {
      this.becomeDefault(template);
    }
    const identity = {
      target: this.harvester.targetName,
      name: this.name,
      namespace: this.namespace,
      isTemplate: true,
    };
    const { manifest, secret } = writeMachine(this, identity, props);
    const { spec } = manifest;
    const { labels, annotations } = manifest.metadata;
    const version = this._write({
      ...VERSION,
      spec: {
        templateId: template.templateId,
        description,
        imageId: props.image?.imageId,
        keyPairIds: sshKeys.length > 0 ? sshKeys.map(({ keyPairId }) => keyPairId) : undefined,
        vm: { metadata: { labels, annotations }, spec },
      },
    });
    if (secret) {
      Ordering.of(version)._add(secret, OrderingType.APPLIED);
    }
    Ordering.of(this)._add(template, OrderingType.APPLIED);
  }

  /** `<namespace>/<name>`, by which the template refers to its default version. */
  public get versionId(): string {
    return `${this.namespace}/${this.name}`;
  }

  /** @internal */
  public _namespaceOf({ template }: VirtualMachineTemplateVersionProps): string {
    return template.namespace;
  }

  // by property, not by class: two copies of the library in one program have two classes
  private becomeDefault(template: IVirtualMachineTemplate): void {
    const declared =
      template.node.defaultChild === undefined ? undefined : (template as VirtualMachineTemplate);
    const problem = !declared
      ? {
          message: 'requires a template of the program: this one exists already',
          fix: 'declare the template with new VirtualMachineTemplate, or remove isDefault',
        }
      : declared._default && {
          message: `cannot be set for two versions: ${declared._default.name} is the default`,
          fix: 'remove isDefault from one of them',
        };
    failOnErrors(this, problem ? [{ path: 'isDefault', ...problem }] : []);
    declared!._default = this;
    this.node.addValidation({
      validate: () => {
        const id = valueAt(declared!.apiObject.toJson(), 'spec', 'defaultVersionId');
        if (id === this.versionId) {
          return [];
        }
        return [
          `isDefault: a patch makes ${String(id)} the default version of ${declared!.name}. Fix: remove isDefault, or the patch`,
        ];
      },
    });
  }
}
