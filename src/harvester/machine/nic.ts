import { IVmNetwork } from '../network/vm-network';

/** The emulated hardware of a NIC. */
export enum InterfaceModel {
  /** Paravirtualized: the fastest one. */
  VIRTIO = 'virtio',
  /** Intel 82540EM. */
  E1000 = 'e1000',
  /** Intel 82574L. */
  E1000E = 'e1000e',
  /** NE2000 on PCI. */
  NE2K_PCI = 'ne2k_pci',
  /** AMD PCnet. */
  PCNET = 'pcnet',
  /** Realtek RTL8139. */
  RTL8139 = 'rtl8139',
}

/** Options of a NIC. */
export interface NicOptions {
  /**
   * The name of the NIC: an RFC 1123 label, unique within the VM. A MachinePool accepts no other
   * than the default.
   * @default - `nic-<index>`, from 0; `default` for the management network, as in the UI
   */
  readonly name?: string;
  /** The emulated hardware of the NIC. @default InterfaceModel.VIRTIO */
  readonly model?: InterfaceModel;
  /**
   * The MAC address, e.g. `52:54:00:12:34:56`. The first number must be even, and the address
   * unique on its cluster network. Set it for a VM that exists already if a GitOps engine applies
   * the manifests. Only for a MachinePool of one machine.
   * @default - a locally administered address, always the same: derived from the target, the VM, and the name or network of the NIC; in a MachinePool
   * Harvester chooses one for each machine
   */
  readonly macAddress?: string;
  /**
   * The position in the boot order of the VM's devices, from 1. Cannot be set in a MachinePool.
   * @default - the VM does not boot from this NIC
   */
  readonly bootOrder?: number;
  /**
   * Whether KubeVirt binds the NIC by `managedtap` instead of a bridge. DHCP of an overlay network
   * needs it: set it for an `OverlayNetwork` whose Subnet has `enableDHCP`. Harvester 1.6.0 and
   * later. From 1.8.0 on, Harvester itself picks the binding by the Subnet at every write: set the
   * same one, so that a GitOps engine sees no difference. Cannot be set in a MachinePool.
   * @default false
   * @see https://github.com/harvester/harvester/blob/v1.8.0/pkg/webhook/resources/virtualmachine/mutator.go patchManagedTapBinding
   */
  readonly managedTap?: boolean;
  /**
   * The address in an overlay network, within the CIDR of its Subnet. The VM gets it at its next
   * start. Harvester 1.9.0 and later. Cannot be set in a MachinePool.
   * @default - the Subnet assigns an address
   */
  readonly staticAddress?: string;
  /**
   * Whether a NIC in the management network is bound by a bridge: the guest has the address of the
   * pod itself, and the VM cannot migrate. Cannot be set in a MachinePool.
   * @default - false: masquerade, behind the address of the pod
   */
  readonly bridged?: boolean;
}

/**
 * A NIC of a VirtualMachine, or of each machine of a MachinePool.
 * @see https://docs.harvesterhci.io/latest/networking/harvester-network
 */
export class Nic {
  /** A NIC in a VM network, bound by a bridge. */
  public static network(network: IVmNetwork, options: NicOptions = {}): Nic {
    return new Nic(options, network);
  }

  /**
   * A NIC in the management network, behind the address of the VM's pod: the VM can open
   * connections, but is reachable only through Services. A VirtualMachine can have at most one such
   * NIC, a machine of a pool none.
   */
  public static management(options: NicOptions = {}): Nic {
    return new Nic(options);
  }

  declare private readonly nominal: true;

  private constructor(
    /** @internal */ public readonly _options: NicOptions,
    /** @internal */ public readonly _network?: IVmNetwork,
  ) {}
}
