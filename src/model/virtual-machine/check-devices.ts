import { isLate } from '../late-token';
import { isRecord, valueAt } from '../manifest';
import { Problem } from '../problem';

type Fields = { readonly [field: string]: unknown };

const DISKS = 'spec.template.spec.domain.devices.disks';
const INTERFACES = 'spec.template.spec.domain.devices.interfaces';
const NETWORKS = 'spec.template.spec.networks';
const MAC = /^[0-9a-f]{2}(?:([:-])[0-9a-f]{2})(?:\1[0-9a-f]{2}){4}$/i;

/** What is wrong with the disks of a machine's instance, and with the volumes that they are. */
export function* checkDisks(instance: Fields): Iterable<Problem> {
  const disks = records(valueAt(instance, 'domain', 'devices', 'disks'));
  const volumes = new Set(records(instance.volumes).map(([, { name }]) => name));
  yield* twice(DISKS, disks, 'disk');
  yield* twice('spec.template.spec.volumes', records(instance.volumes), 'volume');
  for (const [index, disk] of disks) {
    const path = `${DISKS}[${index}]`;
    // a CD-ROM may be empty, on versions that let one be put in later
    if (typeof disk.name === 'string' && !isLate(disk.name) && !volumes.has(disk.name) && !isRecord(disk.cdrom)) {
      yield {
        path: `${path}.name`,
        value: disk.name,
        message: 'names no volume',
        fix: 'add a volume of that name',
        says: `${path}.Name '${disk.name}' not found.`,
      };
    }
    if (valueAt(disk, 'cdrom', 'bus') === 'virtio') {
      yield {
        path: `${path}.cdrom.bus`,
        value: 'virtio',
        message: 'is no bus for a CD-ROM',
        fix: 'use sata or scsi',
        says: 'Bus type virtio is invalid for CD-ROM device',
      };
    }
  }
  yield* checkBootOrders(disks, records(valueAt(instance, 'domain', 'devices', 'interfaces')));
}

function* checkBootOrders(disks: readonly [number, Fields][], interfaces: readonly [number, Fields][]): Iterable<Problem> {
  const seen = new Set<unknown>();
  const placed = (path: string, items: readonly [number, Fields][]) => items.map(([index, device]) => [`${path}[${index}]`, device] as const);
  const devices = [...placed(DISKS, disks), ...placed(INTERFACES, interfaces)];
  for (const [path, { bootOrder }] of devices) {
    if (typeof bootOrder !== 'number') { continue; }
    if (!Number.isInteger(bootOrder) || bootOrder < 1) {
      yield {
        path: `${path}.bootOrder`,
        value: bootOrder,
        message: 'is no place in an order',
        fix: 'give a whole number from 1',
        says: 'must have a boot order > 0, if supplied',
      };
    } else if (seen.has(bootOrder)) {
      yield {
        path: `${path}.bootOrder`,
        value: bootOrder,
        message: 'is the place of two devices',
        fix: 'give each another place',
        says: 'already set for a different device.',
      };
    }
    seen.add(bootOrder);
  }
}

/** What is wrong with the network cards of a machine's instance, and with the networks that they are in. */
export function* checkNetworkCards(instance: Fields): Iterable<Problem> {
  const cards = records(valueAt(instance, 'domain', 'devices', 'interfaces'));
  const networks = records(instance.networks);
  const byName = new Map(networks.map(([, network]) => [network.name, network]));
  const names = new Set(cards.map(([, { name }]) => name));
  yield* twice(INTERFACES, cards, 'network card');
  yield* twice(NETWORKS, networks, 'network');
  for (const [index, card] of cards) { yield* checkCard(`${INTERFACES}[${index}]`, card, byName.get(card.name)); }
  for (const [index, { name }] of networks) {
    if (typeof name === 'string' && !isLate(name) && !names.has(name)) {
      yield {
        path: `${NETWORKS}[${index}].name`,
        value: name,
        message: 'names no network card',
        fix: 'add an interface of that name',
        says: `${NETWORKS}[${index}].name '${name}' not found.`,
      };
    }
  }
  const pods = networks.filter(([, network]) => isRecord(network.pod));
  for (const [index] of pods.slice(1)) {
    yield {
      path: `${NETWORKS}[${index}].pod`,
      message: 'is the management network once more',
      fix: 'keep one card of it',
      says: 'more than one interface is connected to a pod network',
    };
  }
  yield* checkMacs(cards);
}

function* checkCard(path: string, card: Fields, network: Fields | undefined): Iterable<Problem> {
  if (!network) {
    if (typeof card.name === 'string' && !isLate(card.name)) {
      yield {
        path: `${path}.name`,
        value: card.name,
        message: 'names no network',
        fix: 'add a network of that name',
        says: `${path}.name '${card.name}' not found.`,
      };
    }
    return;
  }
  if (isRecord(card.masquerade) && !isRecord(network.pod)) {
    yield {
      path: `${path}.masquerade`,
      message: 'is for the management network only',
      fix: 'use bridge: {}',
      says: 'Masquerade interface only implemented with pod network',
    };
  }
}

function* checkMacs(cards: readonly [number, Fields][]): Iterable<Problem> {
  const seen = new Set<string>();
  for (const [index, { macAddress }] of cards) {
    if (typeof macAddress !== 'string' || macAddress === '' || isLate(macAddress)) { continue; }
    const path = `${INTERFACES}[${index}].macAddress`;
    const mac = macAddress.toLowerCase();
    if (!MAC.test(mac)) {
      yield {
        path,
        value: macAddress,
        message: 'is no hardware address',
        fix: 'give six pairs of hexadecimal digits with colons, e.g. 52:54:00:12:34:56',
        says: 'has malformed MAC address',
      };
    } else if (parseInt(mac.slice(0, 2), 16) % 2 === 1) {
      // the server takes it, and no switch carries it
      yield { path, value: macAddress, level: 'warning', message: 'is an address of a group of cards', fix: 'begin with an even number, e.g. 52' };
    } else if (seen.has(mac)) {
      yield { path, value: macAddress, level: 'warning', message: 'is the address of two cards', fix: 'give each card another' };
    }
    seen.add(mac);
  }
}

function* twice(path: string, items: readonly [number, Fields][], what: string): Iterable<Problem> {
  const seen = new Set<unknown>();
  for (const [index, { name }] of items) {
    if (typeof name !== 'string' || isLate(name)) { continue; }
    if (seen.has(name)) {
      yield { path: `${path}[${index}].name`, value: name, message: `is the name of two of a kind: ${what}`, fix: 'give each another name' };
    }
    seen.add(name);
  }
}

function records(list: unknown): [number, Fields][] {
  return (Array.isArray(list) ? list : []).flatMap((item, index): [number, Fields][] => (isRecord(item) ? [[index, item]] : []));
}
