import { readFileSync, readdirSync } from 'fs';
import { join } from 'path';
import { Rke2Gate } from '../../../src/guest/kubernetes/rke2.data';
import { GuestGate } from '../../../src/guest/version/guest-gates.data';
import { HarvesterGate } from '../../../src/harvester/version/harvester-version';
import { RancherGate } from '../../../src/rancher/version/rancher-version';

const SOURCES = join(__dirname, '..', '..', '..', 'src');

const GATES = { RancherGate, HarvesterGate, GuestGate, Rke2Gate };

/** Gates that no code reads, and why they are kept. */
const UNREAD: { readonly [gate: string]: string } = {
  ...Object.fromEntries(
    [
      'DRIVER_MULTIPLE_DISKS',
      'DRIVER_EFI',
      'DRIVER_CPU_PINNING',
      'DRIVER_TPM',
      'DRIVER_GUEST_LABELS',
      'DRIVER_RESERVED_MEMORY',
      'DRIVER_CPU_MODEL',
    ].map((name) => [
      `GuestGate.${name}`,
      'the version behind a gate of machines, by the node driver',
    ]),
  ),
  'HarvesterGate.REGISTRATION_URL_JSON': 'the plain form of the setting works with all versions',
  'Rke2Gate.RKE2_CSI_ONLINE_RESIZE': 'the version of a bundled chart, which a test compares',
  'RancherGate.DRY_RUN_CLUSTER_CREATION':
    'a fault of the server that releases fix; seen on Rancher 2.13.8 only',
};

test('code reads each gate, outside of the table of gates', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(SOURCES, name), 'utf8'));
  const unread = Object.entries(GATES).flatMap(([name, gates]) => {
    const others = files.filter((text) => !text.includes(`export enum ${name} {`));
    return Object.keys(gates)
      .map((gate) => `${name}.${gate}`)
      .filter((gate) => !others.some((text) => new RegExp(`\\b${gate}\\b`).test(text)));
  });
  expect(unread.sort()).toEqual(Object.keys(UNREAD).sort());
});
