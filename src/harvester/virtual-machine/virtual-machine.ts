import { ApiObjectMetadata } from 'cdk8s';
import { Construct } from 'constructs';
import {
  ANNOTATION_RUN_STRATEGY,
  API_KUBEVIRT,
  KIND_INSTANCE,
  KIND_VIRTUAL_MACHINE,
  isHotplug,
} from './machine-manifest.facts';
import { isDisk } from './props/check-disks';
import { VM_PROPS, checkVirtualMachine, checkVmManifest } from './props/check-virtual-machine';
import {
  VirtualMachineProps,
  VmHostDevice,
  VmInput,
  VmRunStrategy,
} from './props/virtual-machine-props';
import {
  isBridged,
  MachineIdentity,
  macAddressesOf,
  machineManifest,
  nicName,
  nicsOf,
} from './props/virtual-machine-spec';
import { macAddressPath } from './virtual-machine.check';
import { INSTANCE, MAX_SOCKETS, MEMORY, REWRITTEN } from './virtual-machine.kind';
import {
  ExistingNamespacedResourceOptions,
  defaultNamespace,
  objectName,
  ResourceManifest,
} from '../../core/app/resource';
import { OrderingType, Ordering } from '../../core/construct/edge';
import { ObjectNotes, note } from '../../core/construct/object-notes';
import { GrowingProps } from '../../core/growing/growing-props';
import { isRecord, Manifest, valueAt } from '../../core/manifest/manifest';
import { Toleration } from '../../core/manifest/taint';
import { failOnErrors } from '../../core/problem/problem';
import { LateSource, LateValue } from '../../core/value/late-value';
import { FeatureGates } from '../../core/version/feature-gates';
import { CloudInit } from '../cloud-init/cloud-init';
import { GuestAgent } from '../cloud-init/cloud-init-props';
import { CloudInitSecret, ICloudInitSecret } from '../cloud-init/cloud-init-secret';
import { CLOUD_INIT_SUFFIX } from '../cloud-init/cloud-init.check';
import { HarvesterNamespace } from '../harvester-namespace';
import {
  ExistingNamespacedHarvesterResource,
  NamespacedHarvesterResource,
} from '../harvester-resource';
import { INamespacedHarvesterResource } from '../harvester-resource-ref';
import { Disk } from '../machine/disk';
import { Nic } from '../machine/nic';
import { IVmNetwork } from '../network/vm-network';
import { awaitStorage } from '../storage/harvester-storage-class';
import { HarvesterGate, HarvesterVersion } from '../version/harvester-version';

/** A virtual machine on a Harvester: declared by the program, or existing. */
export interface IVirtualMachine extends INamespacedHarvesterResource {
  /** The ID of the object in Rancher's API: `<namespace>/<name>`. */
  readonly virtualMachineId: string;
}

/**
 * The lists to which the CSI driver of a guest cluster adds volumes, and from which it removes
 * them, on VMs that are its nodes.
 *
 * @see harvester/harvester-csi-driver:pkg/csi/controller_server.go addVolumeToVM, removeVolumeFromVM; before 0.2.7 KubeVirt does the same for addvolume
 */
const HOTPLUGGED: readonly string[] = [`${INSTANCE}.volumes`, `${INSTANCE}.domain.devices.disks`];

/**
 * The KubeVirt VirtualMachine: a virtual machine on a Harvester, as Harvester's UI writes it.
 *
 * Harvester creates the volumes once: a different image or class for an existing disk has no
 * effect. Volumes are kept when the VM is deleted, and a VM of the same name uses them again.
 * Changes to CPU, memory or devices take effect at the next start. From Harvester 1.8 on, the
 * StorageClass of an image is a late value, so the VM is in the assembly and not in the output,
 * unless the image has `volumeStorageClass`.
 *
 * A Secret `<name>-cloudinit` with the VM's cloud-init is created in the same namespace.
 *
 * @see https://docs.harvesterhci.io/latest/vm/index
 * @example
 * const image = VmImage.download(dc1, 'noble', { url: 'https://cloud-images.ubuntu.com/noble/current/noble-server-cloudimg-amd64.img' });
 * new VirtualMachine(dc1, 'web', {
 *   cpus: 2,
 *   memory: Size.gibibytes(4),
 *   disks: [Disk.image(image, Size.gibibytes(40))],
 *   networks: [new VmNetwork(dc1, 'prod', { clusterNetwork: ClusterNetwork.mgmt(dc1), vlan: 100 })],
 *   cloudInit: CloudInit.of({ packages: ['nginx'], guestAgent: GuestAgent.install() }),
 * });
 */
export class VirtualMachine extends NamespacedHarvesterResource implements IVirtualMachine {
  /** A reference to an existing VM. */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingNamespacedResourceOptions,
  ): IVirtualMachine {
    return new ExistingVirtualMachine(
      scope,
      id,
      'VirtualMachine.fromName',
      { apiVersion: API_KUBEVIRT, kind: KIND_VIRTUAL_MACHINE },
      options,
    );
  }

  /**
   * The Secret with the cloud-init: created for the VM, or set by `cloudInitSecret`.
   * @default - the VM has no cloud-init, or has it inline
   */
  public readonly cloudInitSecret?: ICloudInitSecret;
  private readonly identity: MachineIdentity;
  private readonly growing: GrowingProps<VirtualMachineProps>;

  constructor(scope: Construct, id: string, props: VirtualMachineProps) {
    super(scope, id, props);
    const identity = {
      target: this.harvester.targetName,
      name: this.name,
      namespace: this.namespace,
    };
    this.identity = identity;
    this.growing = new GrowingProps(this, props, (all) => this.manifestOf(all));
    const secret = machineSecret(this, identity, props);
    this.cloudInitSecret = secret;
    const machine = this._writeGrowing(this.growing, this.notesOf(props));
    if (secret) {
      Ordering.of(machine)._add(secret, OrderingType.APPLIED);
    }
    // only the Cluster: charts of objects inside it wait for its nodes
    const cluster = props.guestCluster?.node.defaultChild;
    if (cluster) {
      Ordering.of(this)._add(cluster, OrderingType.APPLIED);
    }
  }

  /**
   * The MAC addresses of the NICs, in order: set by the program, or derived. When `apply` adopts an
   * existing VM, the live address of a NIC takes precedence over a derived one. With `adopted.asWritten`
   * only those that the program sets: Harvester chooses the others.
   */
  public get macAddresses(): string[] {
    const props = this.growing.current;
    const macAddresses = macAddressesOf(this.identity, props);
    // Harvester chooses those that the manifest lacks
    return props.adopted?.asWritten
      ? macAddresses.filter((_, index) => nicsOf(props)[index]._options.macAddress !== undefined)
      : macAddresses;
  }

  /**
   * Adds a disk. Added disks follow those of the constructor; a running VM gets them at its next
   * start.
   *
   * @example
   * const image = VmImage.fromName(dc1, 'noble', { name: 'noble' });
   * const web = new VirtualMachine(dc1, 'web-data', { cpus: 2, memory: Size.gibibytes(4), disks: [Disk.image(image, Size.gibibytes(40))] });
   * web.addDisk(Disk.empty(Size.gibibytes(100)));
   */
  public addDisk(disk: Disk): void {
    this.grow('addDisk', { disks: [...this.growing.current.disks, disk] });
  }

  /**
   * Adds a NIC. Added NICs follow those of the constructor, whose `networks` are NICs as well; the
   * first one of a VM without any replaces the one in the management network.
   */
  public addNic(nic: Nic): void {
    const { networks, nics } = this.growing.current;
    const given = nics ?? networks?.map((network) => Nic.network(network)) ?? [];
    this.grow('addNic', { networks: undefined, nics: [...given, nic] });
  }

  /** Adds a NIC in a network: `addNic` without options. */
  public addNetwork(network: IVmNetwork): void {
    this.addNic(Nic.network(network));
  }

  /** Adds a device of the host. Added devices follow those of the constructor. */
  public addHostDevice(device: VmHostDevice): void {
    this.grow('addHostDevice', {
      hostDevices: [...(this.growing.current.hostDevices ?? []), device],
    });
  }

  /** Adds an input device. Added devices follow those of the constructor. */
  public addInput(input: VmInput): void {
    this.grow('addInput', { inputs: [...(this.growing.current.inputs ?? []), input] });
  }

  /** Lets the VM run on nodes with a taint. */
  public addToleration(toleration: Toleration): void {
    this.grow('addToleration', {
      tolerations: [...(this.growing.current.tolerations ?? []), toleration],
    });
  }

  public get virtualMachineId(): string {
    return `${this.namespace}/${this.name}`;
  }

  /**
   * The address of the first NIC, a late value. In a VM network it needs the guest agent, or a
   * cluster network that sees the leases.
   */
  public get address(): string {
    return this.addressOf(this.nicNames()[0]);
  }

  /**
   * The address of a NIC, a late value: `apply` waits until the running VM reports it.
   *
   * @param nic the name of the NIC, e.g. `nic-0`, or `default` in the management network
   */
  public addressOf(nic: string): string {
    const names = this.nicNames();
    failOnErrors(
      this,
      names.includes(nic)
        ? []
        : [
            {
              path: 'addressOf',
              value: nic,
              message: 'must be the name of a NIC',
              fix: `use one of ${names.join(', ')}`,
            },
          ],
    );
    const { harvester: target, namespace, name } = this;
    return LateValue._once(
      this,
      `Address-${nic}`,
      {
        description: `address of the virtual machine ${namespace}/${name}, NIC ${nic}`,
        source: LateSource.field(`status.interfaces.name=${nic}.ipAddress`, {
          target,
          apiVersion: API_KUBEVIRT,
          kind: KIND_INSTANCE,
          namespace,
          name,
        }),
      },
      this.apiObject,
      OrderingType.READY,
    ).token;
  }

  private nicNames(): readonly string[] {
    return nicsOf(this.growing.current).map(nicName);
  }

  private grow(method: string, more: Partial<VirtualMachineProps>): void {
    const props = { ...this.growing.current, ...more };
    this.growing.change(method, props);
    note(this.apiObject, this.notesOf(props));
    // the claims of its volumes are in an annotation
    const { annotations = {} } = this.growing.written.metadata as ApiObjectMetadata;
    for (const [key, value] of Object.entries(annotations)) {
      this.metadata.addAnnotation(key, value);
    }
  }

  private manifestOf(props: VirtualMachineProps): ResourceManifest {
    return machineManifestOf(this, this.identity, props);
  }

  private notesOf(props: VirtualMachineProps): ObjectNotes {
    const macAddresses = macAddressesOf(this.identity, props);
    return {
      props: VM_PROPS,
      derived: nicsOf(props).flatMap(({ _options }, index) =>
        _options.macAddress === undefined && !props.adopted?.asWritten
          ? [{ path: macAddressPath(index), value: macAddresses[index] }]
          : [],
      ),
      othersWrite: (rendered) => [
        ...REWRITTEN.filter((field) => !isOfHotplug(rendered, field)),
        ...(props.runStrategy === VmRunStrategy.HALTED
          ? [`metadata.annotations[${ANNOTATION_RUN_STRATEGY}]`]
          : []),
        ...this.bindings(props),
        ...(props.guestCluster ? HOTPLUGGED : []),
      ],
    };
  }

  // Harvester picks one of the two by the Subnet of the network
  private bindings(props: VirtualMachineProps): string[] {
    if (
      !FeatureGates.of(HarvesterGate.OVERLAY_BINDING_BY_SUBNET).supports(
        HarvesterVersion.parse(this.harvester.version),
      )
    ) {
      return [];
    }
    return nicsOf(props).flatMap(({ _network: network }, index) => {
      if (network && !isBridged(network)) {
        return ['bridge', 'binding'].map(
          (field) => `${INSTANCE}.domain.devices.interfaces[${index}].${field}`,
        );
      }
      return [];
    });
  }
}

class ExistingVirtualMachine
  extends ExistingNamespacedHarvesterResource
  implements IVirtualMachine
{
  public get virtualMachineId(): string {
    return `${this.namespace}/${this.name}`;
  }
}

/**
 * Checks the props of a VM, or of a version of a template, and makes its manifest and its Secret.
 * Throws if something is wrong.
 */
export function writeMachine(
  scope: NamespacedHarvesterResource,
  identity: MachineIdentity,
  props: VirtualMachineProps,
) {
  const manifest = machineManifestOf(scope, identity, props);
  return { manifest, secret: machineSecret(scope, identity, props) };
}

/** Checks the props of a VM, and makes its manifest. Throws if something is wrong. */
function machineManifestOf(
  scope: NamespacedHarvesterResource,
  identity: MachineIdentity,
  props: VirtualMachineProps,
) {
  const { cloudInitSecretName } = props.adopted ?? {};
  if (cloudInitSecretName !== undefined) {
    objectName(scope, cloudInitSecretName, 'adopted.cloudInitSecretName');
  }
  const secretName = secretNameOf(identity, props);
  const user =
    props.cloudInitSecret ??
    (hasOwnSecret(props) ? { name: secretName, hasNetworkData: !!props.networkData } : undefined);
  const networkData =
    props.networkDataSecret?.name ?? (user?.hasNetworkData ? user.name : undefined);
  const secret =
    user || networkData !== undefined ? { userData: user?.name, networkData } : undefined;
  const version = HarvesterVersion.parse(scope.harvester.version);
  const has = (gate: HarvesterGate) => FeatureGates.of(gate).supports(version);
  const written = {
    ...identity,
    vgpusAreHostDevices: has(HarvesterGate.VGPU_IS_HOST_DEVICE),
  };
  const manifest = props.disks.every(isDisk) ? machineManifest(written, props, secret) : undefined;
  failOnErrors(scope, [
    ...checkVirtualMachine(identity, props, scope.harvester),
    ...(manifest
      ? checkVmManifest(manifest, {
          asksMemory: has(HarvesterGate.MEMORY_ASKED),
          checksGuestMemory: has(HarvesterGate.GUEST_MEMORY_CHECKED),
        })
      : []),
  ]);
  waitFor(scope, props);
  return manifest!;
}

function secretNameOf({ name }: MachineIdentity, { adopted }: VirtualMachineProps): string {
  return adopted?.cloudInitSecretName ?? `${name}${CLOUD_INIT_SUFFIX}`;
}

/** The Secret with the cloud-init: the given one, or a new one of the props. */
function machineSecret(
  scope: NamespacedHarvesterResource,
  identity: MachineIdentity,
  props: VirtualMachineProps,
): ICloudInitSecret | undefined {
  return (
    props.cloudInitSecret ??
    (hasOwnSecret(props) ? ownSecret(scope, secretNameOf(identity, props), props) : undefined)
  );
}

function ownSecret(
  scope: NamespacedHarvesterResource,
  name: string,
  props: VirtualMachineProps,
): CloudInitSecret {
  const { sshKeys = [], cloudInit, networkData, labels, annotations } = props;
  // a version of a template is in the namespace of its template
  const namespace =
    props.namespace ??
    (scope.namespace === defaultNamespace(scope)
      ? undefined
      : HarvesterNamespace.fromName(scope, 'Namespace', { name: scope.namespace }));
  // as the UI does: keys first, and keys alone do not drop the agent
  const keys =
    sshKeys.length === 0
      ? []
      : [
          CloudInit.of({
            sshAuthorizedKeys: sshKeys.map(({ publicKey }) => publicKey),
            guestAgent: cloudInit ? GuestAgent._unsaid() : undefined,
          }),
        ];
  const parts = [...keys, ...(cloudInit ? [cloudInit] : [])];
  return new CloudInitSecret(scope, 'CloudInit', {
    name,
    namespace,
    labels,
    annotations,
    networkData,
    cloudInit: parts.length === 0 ? undefined : CloudInit.combine(...parts),
  });
}

function waitFor(scope: NamespacedHarvesterResource, props: VirtualMachineProps): void {
  const edges = Ordering.of(scope);
  for (const { _claim: claim, _volume: volume } of props.disks) {
    if (claim) {
      awaitStorage(scope, scope.harvester, claim.image, claim.storageClass);
    }
    if (volume) {
      edges._add(volume, OrderingType.APPLIED);
    }
  }
  for (const { _network: network } of nicsOf(props)) {
    if (network) {
      edges._add(network, OrderingType.APPLIED);
    }
  }
  for (const each of [
    ...(props.sshKeys ?? []),
    ...(props.networkDataSecret ? [props.networkDataSecret] : []),
  ]) {
    edges._add(each, OrderingType.APPLIED);
  }
  for (const { claim } of props.hostDevices ?? []) {
    if (claim) {
      edges._add(claim, OrderingType.READY);
    }
  }
}

/**
 * Whether a field belongs to the user, because CPU and memory can be added while the VM runs.
 *
 * @see harvester/harvester:pkg/webhook/resources/virtualmachine/mutator.go generateMemoryPatch (1.6.0 and later)
 */
function isOfHotplug(machine: Manifest, field: string): boolean {
  if (!isHotplug(machine)) {
    return false;
  }
  return (
    field === MAX_SOCKETS || (field === MEMORY && isRecord(valueAt(machine, ...MEMORY.split('.'))))
  );
}

const hasOwnSecret = ({
  cloudInit,
  networkData,
  cloudInitInline,
  sshKeys = [],
}: VirtualMachineProps): boolean =>
  !cloudInitInline && (!!cloudInit || !!networkData || sshKeys.length > 0);
