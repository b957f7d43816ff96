import { IVmNetwork } from '../harvester';

/** The network card that a virtual machine sees. */
export enum InterfaceModel {
  VIRTIO = 'virtio',
  E1000 = 'e1000',
  E1000E = 'e1000e',
  NE2K_PCI = 'ne2k_pci',
  PCNET = 'pcnet',
  RTL8139 = 'rtl8139',
}

/**
 * A network card of the machines of a pool. It is bridged: the only other type, masquerade, works on the management network alone, which machines of
 * the node driver can't use.
 */
export interface MachineInterface {
  /** The network, on the Harvester that the machines run on. */
  readonly network: IVmNetwork;
  /** The card. @default InterfaceModel.VIRTIO */
  readonly model?: InterfaceModel;
  /** The hardware address, e.g. `52:54:00:12:34:56`; for a pool of one machine. @default - Harvester chooses one for each machine */
  readonly macAddress?: string;
}
