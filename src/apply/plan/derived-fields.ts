import { AssemblyObject } from '../../model/assembly';
import { at, pathOf, replacedAt } from '../../model/field-path';
import { Manifest } from '../../model/manifest';
import { macAddressPath } from '../../model/virtual-machine/mac-address';
import { Card, cardsOf } from '../../rules/virtual-machine-context';

/** A manifest whose derived fields have the values of the live object, and which of them these are. */
export interface Kept {
  readonly manifest: Manifest;
  /** For people: `card nic-0 keeps its hardware address 52:54:00:12:34:56`. */
  readonly kept: readonly string[];
}

/**
 * Lets the live object win where the program only derived a value: a machine that is adopted keeps the hardware addresses of its cards, by which
 * switches, DHCP servers and its own system know it.
 */
export function keepLiveValues({ derived = [] }: Pick<AssemblyObject, 'derived'>, manifest: Manifest, live: Manifest | undefined): Kept {
  if (derived.length === 0 || !live) { return { manifest, kept: [] }; }
  const cards = cardsOf(manifest);
  const others = matching(cards, cardsOf(live));
  const kept: string[] = [];
  let result = manifest;
  for (const card of cards) {
    const path = macAddressPath(card.index);
    const mac = others.get(card)?.mac;
    if (mac === undefined || mac === card.mac || !derived.includes(path)) { continue; }
    result = replacedAt(result, pathOf(path), at(live, pathOf(macAddressPath(others.get(card)!.index))));
    kept.push(`card ${card.name} keeps its hardware address ${mac}`);
  }
  return { manifest: result, kept };
}

/** The live card that each card is: that of its name in the same network, else the next one of the same network that no other card is. */
function matching(cards: readonly Card[], live: readonly Card[]): ReadonlyMap<Card, Card> {
  const found = new Map<Card, Card>();
  const left = new Set(live);
  const take = (fits: (card: Card, other: Card) => boolean): void => {
    for (const card of cards.filter((each) => !found.has(each))) {
      const other = [...left].find((each) => each.network === card.network && each.isPod === card.isPod && fits(card, each));
      if (!other) { continue; }
      found.set(card, other);
      left.delete(other);
    }
  };
  take((card, other) => card.name === other.name);
  take(() => true);
  return found;
}
