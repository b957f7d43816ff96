import { IVmNetwork } from './vm-network';
import type { InterfaceModel } from '../guest/machine-interface';

/**
 * Options of a network card.
 */
export interface VmNicOptions {
  /**
   * The name of the card, an RFC 1123 label, once in a machine.
   * @default - `nic-<place>`, from 0; `default` for the management network, as the UI has it
   */
  readonly name?: string;
  /** The card that the machine sees. @default InterfaceModel.VIRTIO */
  readonly model?: InterfaceModel;
  /**
   * The hardware address, e.g. `52:54:00:12:34:56`; of an even first number, and once on a cluster network. Set it for a machine that is there
   * already where a GitOps engine applies the manifests.
   * @default - a locally administered address, derived from the target, the machine, and the name or network of the card: always the same
   */
  readonly macAddress?: string;
  /** The place in the order of devices that the machine tries to start from, from 1. @default - it does not start from it */
  readonly bootOrder?: number;
  /**
   * Whether KubeVirt binds the card by `managedtap` instead of a bridge, which DHCP of an overlay network needs: for an `OverlayNetwork` whose Subnet has
   * `enableDHCP`. Harvester 1.6.0 and later. From 1.8.0 on, Harvester itself exchanges the two by what the Subnet says, at every write: set it to
   * what Harvester decides, so that a GitOps engine sees no difference.
   * @default false
   * @see https://github.com/harvester/harvester/blob/v1.8.0/pkg/webhook/resources/virtualmachine/mutator.go patchManagedTapBinding
   */
  readonly managedTap?: boolean;
}

/**
 * A network card of a virtual machine.
 *
 * @see https://docs.harvesterhci.io/latest/networking/harvester-network
 */
export class VmNic {
  /**
   * A card in a network of virtual machines, by a bridge.
   *
   * @param network on the same Harvester
   */
  public static network(network: IVmNetwork, options: VmNicOptions = {}): VmNic {
    return new VmNic(options, network);
  }

  /**
   * A card in the management network, behind the address of the host's pod: the machine reaches out, and others reach it through Services only. One
   * card of a machine may be it.
   */
  public static management(options: VmNicOptions = {}): VmNic {
    return new VmNic(options);
  }

  private constructor(/** @internal */ public readonly _options: VmNicOptions, /** @internal */ public readonly _network?: IVmNetwork) {}
}
