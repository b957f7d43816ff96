import { createHash } from 'crypto';

/** What a hardware address is derived from. */
export interface CardIdentity {
  /** The name of the target, so that machines of the same name on two Harvesters that share a network differ. */
  readonly target: string;
  readonly namespace: string;
  readonly machine: string;
  /** The name of the card, or what it is in: other cards of the machine do not change it. */
  readonly card: string;
}

/**
 * The hardware address of a network card that the program gives none: always the same, locally administered, of one card.
 *
 * Harvester's webhook writes a random one into a card without an address, at each server-side apply again, as the list of cards is replaced as a
 * whole.
 *
 * @see harvester/harvester:pkg/webhook/resources/virtualmachine/mutator.go patchInterfaceMacAddress, pkg/util/network/common.go
 *   GenerateLAAMacAddress; seen on Harvester 1.7.2: the first, second and third apply gave three addresses
 */
export function derivedMac({ target, namespace, machine, card }: CardIdentity): string {
  const bytes = createHash('sha256').update([target, namespace, machine, card].join('\n')).digest().subarray(0, 6);
  // the second bit says that it is given locally, the first would make it the address of a group
  bytes[0] += 2 - bytes[0] % 4;
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(':');
}

/** What a card is named by for its address: its own name, or its network and its place among the cards there. */
export function cardKeys(cards: readonly { readonly name?: string; readonly network?: string }[]): string[] {
  const seen = new Map<string, number>();
  return cards.map(({ name, network }) => {
    if (name !== undefined) { return `name ${name}`; }
    const place = seen.get(network ?? '') ?? 0;
    seen.set(network ?? '', place + 1);
    return `network ${network ?? ''} ${place}`;
  });
}

/** Where a manifest holds the address of a card. */
export function macAddressPath(index: number): string {
  return `spec.template.spec.domain.devices.interfaces[${index}].macAddress`;
}
