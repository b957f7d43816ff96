import { Construct } from 'constructs';
import {
  checkPciResourceName,
  checkPciAddress,
  checkUid,
  pciDeviceName,
} from './device-claim.check';
import { API_DEVICES, DEVICE_KIND, USB_RESOURCE_PREFIX } from './device.kind';
import { ExistingResourceOptions, ResourceOptions } from '../../core/app/resource';
import { OrderingType, Ordering } from '../../core/construct/edge';
import { collectProblems, failOnErrors } from '../../core/problem/problem';
import { LateSource, LateValue } from '../../core/value/late-value';
import { requireSameHarvester } from '../harvester-object';
import { ExistingHarvesterResource, HarvesterResource } from '../harvester-resource';
import { IHarvesterResource } from '../harvester-resource-ref';
import { IHarvesterNode } from '../node/node-ref';

/** A device of a node that is claimed for virtual machines: by the program, or existing. */
export interface IDeviceClaim extends IHarvesterResource {
  /**
   * The resource name of the device, `<vendor>/<type>`, by which virtual machines ask for it. May
   * be a late value.
   */
  readonly resourceName: string;
}

/** Values that keep an existing claim of a device unchanged when you adopt it. */
export interface AdoptedDeviceClaim {
  /**
   * Whether the claim names its device as its owner. Harvester ignores a claim without one, such as that
   * of a manifest which was written by hand.
   * @default true
   */
  readonly owned?: boolean;
}

/** Properties that all claims of devices have. */
export interface DeviceClaimProps extends ResourceOptions {
  /**
   * Values that keep an existing claim unchanged when you adopt it. `cdk8s-harvester adopt`
   * writes them; a new claim needs none.
   * @default - the program creates the claim
   */
  readonly adopted?: AdoptedDeviceClaim;
  /** The description that the UI shows. @default - no description */
  readonly description?: string;
  /**
   * The user that the claim belongs to in the UI, which lets only this user release the device.
   * Immutable.
   * @default 'admin'
   */
  readonly username?: string;
  /**
   * The UID of the object of the device (`metadata.uid`), which the claim names as its owner. With
   * it, the claim is complete in the output.
   * @default - a late value, read from the live device
   */
  readonly deviceUid?: string;
}

/** Properties of the claim of a PCI device. */
export interface PciDeviceClaimProps extends DeviceClaimProps {
  /** The node that the device is in. */
  readonly node: IHarvesterNode;
  /** The PCI address of the device, e.g. `0000:04:01.0`. */
  readonly address: string;
  /**
   * The resource name of the device (`status.resourceName` of the PCIDevice), e.g.
   * `nvidia.com/GP104GL_TESLA_P4`. With it, virtual machines that have the device are complete in
   * the output.
   * @default - a late value, read from the live device
   */
  readonly resourceName?: string;
  /**
   * Whether devices of the same type on the same node have one resource name, so that a virtual
   * machine gets any of them. False gives the device a resource name of its own; needs Harvester
   * 1.9.0.
   * @default true
   */
  readonly resourcePooling?: boolean;
}

/** Options of a reference to the existing claim of a PCI device. */
export interface ExistingPciDeviceClaimOptions extends ExistingResourceOptions {
  /**
   * The resource name of the device (`status.resourceName` of the PCIDevice).
   * @default - a late value, read from the live device
   */
  readonly resourceName?: string;
}

/** Properties of the claim of a USB device. */
export interface UsbDeviceClaimProps extends DeviceClaimProps {
  /**
   * The name of the USBDevice, e.g. `node1-0951-1666-001002`.
   * @default - the path of the construct below its target chart, as for other constructs
   */
  readonly name?: string;
}

/**
 * The PCIDeviceClaim of a Harvester: a PCI device of a node that virtual machines can have, e.g. a
 * GPU. Needs the add-on pcidevices-controller.
 *
 * The name of the claim is the name of the device, which Harvester derives from the node and the
 * address: `node1-000004010`. Harvester detaches the device from its node, so never claim the
 * network card or the disk controller that the node itself uses. The claim names the device as its owner by its
 * UID: without that, Harvester ignores the claim. Add it to `hostDevices` of a VirtualMachine; the
 * node driver has no option for machines of guest clusters.
 *
 * @see https://docs.harvesterhci.io/latest/advanced/addons/pcidevices
 * @example
 * BundledAddon.pciDevices(dc1, 'pcidevices');
 * const gpu = new PciDeviceClaim(dc1, 'gpu', { node: HarvesterNode.fromName(dc1, 'node1', { name: 'node1' }), address: '0000:04:01.0' });
 * new VirtualMachine(dc1, 'render', {
 *   cpus: 8,
 *   memory: Size.gibibytes(32),
 *   disks: [Disk.empty(Size.gibibytes(100))],
 *   hostDevices: [{ claim: gpu }],
 * });
 */
export class PciDeviceClaim extends HarvesterResource implements IDeviceClaim {
  /** A reference to an existing claim. */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingPciDeviceClaimOptions,
  ): IDeviceClaim {
    return new ExistingPciDeviceClaim(scope, id, options);
  }

  public readonly resourceName: string;

  constructor(scope: Construct, id: string, props: PciDeviceClaimProps) {
    super(scope, id, { ...props, name: pciDeviceName(props.node.name, props.address) });
    requireSameHarvester(this, 'node', props.node.name, props.node.harvester, this.harvester);
    collectProblems(this, [
      ...checkPciAddress('address', props.address),
      ...checkUid(props.deviceUid),
      ...checkPciResourceName('resourceName', props.resourceName),
    ]);
    failOnErrors(this);
    const spec = {
      address: props.address,
      nodeName: props.node.name,
      userName: props.username ?? DEFAULT_USER,
      disableResourcePooling: props.resourcePooling === false ? true : undefined,
    };
    this._write({
      apiVersion: API_DEVICES,
      kind: DEVICE_KIND.PCI_CLAIM,
      metadata: ownerOf(this, DEVICE_KIND.PCI, props),
      spec,
    });
    Ordering.of(this)._add(props.node, OrderingType.APPLIED);
    this.resourceName =
      props.resourceName ??
      deviceField(this, DEVICE_KIND.PCI, 'ResourceName', 'status.resourceName');
  }
}

/**
 * The USBDeviceClaim of a Harvester: a USB device of a node that virtual machines can have. Needs
 * the add-on pcidevices-controller.
 *
 * The name of the claim is the name of the USBDevice, which Harvester derives from the node, the
 * vendor, the product, and the port: `node1-0951-1666-001002`. The claim names the device as its owner by its UID:
 * without that, Harvester ignores the claim. A device whose USB controller is claimed as a PCI
 * device cannot be used.
 *
 * @see https://docs.harvesterhci.io/latest/advanced/usbpassthrough
 * @example
 * BundledAddon.pciDevices(dc1, 'pcidevices');
 * new UsbDeviceClaim(dc1, 'dongle', { name: 'node1-0951-1666-001002' });
 */
export class UsbDeviceClaim extends HarvesterResource implements IDeviceClaim {
  /** A reference to an existing claim. */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingResourceOptions,
  ): IDeviceClaim {
    return new ExistingUsbDeviceClaim(
      scope,
      id,
      'UsbDeviceClaim.fromName',
      { apiVersion: API_DEVICES, kind: DEVICE_KIND.USB_CLAIM },
      options,
    );
  }

  constructor(scope: Construct, id: string, props: UsbDeviceClaimProps = {}) {
    super(scope, id, props);
    collectProblems(this, checkUid(props.deviceUid));
    failOnErrors(this);
    const spec = { userName: props.username ?? DEFAULT_USER };
    this._write({
      apiVersion: API_DEVICES,
      kind: DEVICE_KIND.USB_CLAIM,
      metadata: ownerOf(this, DEVICE_KIND.USB, props),
      spec,
    });
  }

  public get resourceName(): string {
    return `${USB_RESOURCE_PREFIX}${this.name}`;
  }
}

/**
 * The user of claims that the UI of a Harvester without Rancher makes.
 * @see harvester/harvester-ui-extension:pkg/harvester/utils/auth.js getHarvesterUserName
 */
const DEFAULT_USER = 'admin';

type DeviceKind = typeof DEVICE_KIND.PCI | typeof DEVICE_KIND.USB;
/**
 * The device owns its claim.
 * @see harvester/pcidevices:pkg/controller/pcideviceclaim/pcideviceclaim_controller.go getPCIDeviceForClaim
 */
function ownerOf(
  claim: IHarvesterResource,
  kind: DeviceKind,
  { deviceUid, adopted = {} }: DeviceClaimProps,
): { readonly ownerReferences?: readonly object[] } {
  const { owned = true } = adopted;
  if (!owned) {
    return {};
  }
  const uid = deviceUid ?? deviceField(claim, kind, 'DeviceUid', 'metadata.uid');
  return { ownerReferences: [{ apiVersion: API_DEVICES, kind, name: claim.name, uid }] };
}

/** A field of the device of a claim, as a late value. */
function deviceField(
  claim: IHarvesterResource,
  kind: DeviceKind,
  id: string,
  path: string,
): string {
  const { name, harvester: target } = claim;
  return LateValue._once(claim, id, {
    description: `${path} of the ${kind} ${name}`,
    source: LateSource.field(path, { target, apiVersion: API_DEVICES, kind, name }),
  }).token;
}

class ExistingPciDeviceClaim extends ExistingHarvesterResource implements IDeviceClaim {
  public readonly resourceName: string;

  constructor(scope: Construct, id: string, { name, resourceName }: ExistingPciDeviceClaimOptions) {
    super(
      scope,
      id,
      'PciDeviceClaim.fromName',
      { apiVersion: API_DEVICES, kind: DEVICE_KIND.PCI_CLAIM },
      { name },
    );
    this.resourceName =
      resourceName ?? deviceField(this, DEVICE_KIND.PCI, 'ResourceName', 'status.resourceName');
  }
}

class ExistingUsbDeviceClaim extends ExistingHarvesterResource implements IDeviceClaim {
  public get resourceName(): string {
    return `${USB_RESOURCE_PREFIX}${this.name}`;
  }
}
