import { createHash } from 'crypto';

/** The input of a derived MAC address. */
interface NicIdentity {
  /** The name of the target, so that VMs of the same name on two Harvesters that share a network differ. */
  readonly target: string;
  readonly namespace: string;
  readonly machine: string;
  /** The name of the NIC, or its network: other NICs of the VM do not change it. */
  readonly nic: string;
}

/**
 * The MAC address of a NIC for which the program sets none: always the same, locally administered, unicast.
 *
 * Harvester's webhook writes a random one into a NIC without an address, at each server-side apply again, since the list of NICs is replaced as a
 * whole.
 *
 * @see harvester/harvester:pkg/webhook/resources/virtualmachine/mutator.go patchInterfaceMacAddress, pkg/util/network/common.go
 *   GenerateLAAMacAddress; seen on Harvester 1.7.2: the first, second and third apply gave three addresses
 */
export function derivedMac({ target, namespace, machine, nic }: NicIdentity): string {
  const bytes = createHash('sha256').update([target, namespace, machine, nic].join('\n')).digest().subarray(0, 6);
  // the second bit marks a locally administered address, the first would make it multicast
  bytes[0] += 2 - bytes[0] % 4;
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(':');
}

/** The identity of each NIC for its address: its own name, or its network and its position among the NICs there. */
export function nicKeys(nics: readonly { readonly name?: string; readonly network?: string }[]): string[] {
  const seen = new Map<string, number>();
  return nics.map(({ name, network }) => {
    if (name !== undefined) { return `name ${name}`; }
    const place = seen.get(network ?? '') ?? 0;
    seen.set(network ?? '', place + 1);
    return `network ${network ?? ''} ${place}`;
  });
}

/** The path of a NIC's address in a manifest. */
export function macAddressPath(index: number): string {
  return `spec.template.spec.domain.devices.interfaces[${index}].macAddress`;
}
