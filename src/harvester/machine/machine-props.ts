import { Size } from 'cdk8s';
import { Disk } from './disk';
import { Nic } from './nic';
import { VGpu } from './vgpu';
import { Problem } from '../../core/problem/problem';
import { VmAffinity } from '../affinity/vm-affinity';
import { CloudInit } from '../cloud-init/cloud-init';
import { NetworkData } from '../cloud-init/network-data';
import { checkResourceName } from '../device/device-claim.check';
import { IVmNetwork } from '../network/vm-network';

/**
 * What a VirtualMachine and the machines of a MachinePool have in common, so that the same lines
 * describe either. What the node driver cannot create is an error of the pool.
 */
export interface MachineProps {
  /** The number of virtual CPUs: a whole number of 1 or more. */
  readonly cpus: number;
  /**
   * The memory, in whole MiB; in a MachinePool in whole GiB. The guest of a VirtualMachine gets
   * `reservedMemory` less.
   */
  readonly memory: Size;
  /**
   * The part of the memory that is reserved for QEMU, in whole MiB. In a MachinePool Rancher 2.12.0
   * and later.
   * @default - 100 MiB, unless a Harvester setting changes it
   */
  readonly reservedMemory?: Size;
  /** The disks, at least one, in boot order. The first one in a MachinePool has a cloud image. */
  readonly disks: Disk[];
  /**
   * The networks, each with a NIC of the default model. Rancher reads the IPv4 address of a machine
   * of a pool from the first one.
   * @default - the NICs of `nics`
   */
  readonly networks?: IVmNetwork[];
  /**
   * The NICs in detail, instead of `networks`.
   * @default - a NIC of the default model for each of `networks`; without these a VirtualMachine has one in the management network
   */
  readonly nics?: Nic[];
  /**
   * The CPU model, e.g. `host-passthrough`. In a MachinePool Rancher 2.14.0 and later.
   * @default - KubeVirt's default, host-model
   */
  readonly cpuModel?: string;
  /**
   * Whether each virtual CPU has a dedicated core. The host must have its CPU manager enabled,
   * which Harvester 1.4.0 and later have. In a MachinePool Rancher 2.11.0 and later.
   * @default false
   */
  readonly cpuPinning?: boolean;
  /**
   * Whether QEMU's emulator thread has a dedicated core too. Requires cpuPinning.
   * @default false
   */
  readonly isolateEmulatorThread?: boolean;
  /**
   * Whether the machine boots with UEFI instead of BIOS. In a MachinePool Rancher 2.7.11, 2.8.3,
   * 2.9.0 and later.
   * @default false
   */
  readonly efi?: boolean;
  /** Whether UEFI boots only signed systems. Requires efi. @default false */
  readonly secureBoot?: boolean;
  /** Whether the machine has a TPM. In a MachinePool Rancher 2.11.0 and later. @default false */
  readonly tpm?: boolean;
  /**
   * The virtual GPUs. In a MachinePool Rancher 2.7.11, 2.8.3, 2.9.0 and later.
   * @default - no virtual GPUs
   */
  readonly vgpus?: VGpu[];
  /**
   * The user data that cloud-init runs at the first boot. Set the SSH keys of a MachinePool here:
   * the node driver cannot use a Harvester KeyPair.
   * @default - no user data; with `sshKeys`, the keys and an install of qemu-guest-agent; in a MachinePool that install, as by Rancher's UI
   */
  readonly cloudInit?: CloudInit;
  /**
   * The network configuration that cloud-init applies at the first boot. Static addresses only for
   * one machine: not in a MachinePool of several.
   * @default - the default of the image, which is DHCP in a cloud image
   */
  readonly networkData?: NetworkData;
  /**
   * The hosts that the machine runs on.
   * @default - any host; machines of a MachinePool, and VMs with `guestCluster`, run on different hosts if possible
   */
  readonly affinity?: VmAffinity;
}

/** The NICs of a machine, from either of the two props. Undefined if both are missing. */
export function givenNics({ networks, nics }: MachineProps): readonly Nic[] | undefined {
  return nics ?? networks?.map((network) => Nic.network(network));
}

/** Checks what the manifests of a machine do not show. */
export function checkMachineProps({ cpus, networks, nics, vgpus = [] }: MachineProps): Problem[] {
  return [
    ...(Number.isInteger(cpus) && cpus >= 1
      ? []
      : [
          {
            path: 'cpus',
            value: cpus,
            message: 'must be a whole number of 1 or more',
            fix: 'set cpus to 1 or more',
          },
        ]),
    ...(networks && nics
      ? [
          {
            path: 'nics',
            message: 'cannot be set together with networks',
            fix: 'set one of the two',
          },
        ]
      : []),
    ...vgpus.flatMap(({ _resourceName }, index) =>
      checkResourceName(
        `vgpus[${index}]`,
        _resourceName,
        'use VGpu.nvidia, or a name such as nvidia.com/NVIDIA_A2-2Q',
      ),
    ),
  ];
}
