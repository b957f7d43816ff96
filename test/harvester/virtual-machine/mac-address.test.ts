import { ApiObject, JsonPatch, Size } from 'cdk8s';
import { VmImage } from '../../../src/harvester/image/vm-image';
import { Disk } from '../../../src/harvester/machine/disk';
import { Nic } from '../../../src/harvester/machine/nic';
import { VmNetwork } from '../../../src/harvester/network/vm-network';
import { VirtualMachine } from '../../../src/harvester/virtual-machine/virtual-machine';
import { derivedMac } from '../../../src/harvester/virtual-machine/virtual-machine.check';
import { newApp, newHarvester } from '../../support/programs';
import { fc } from '../../support/properties';
import { assemblyOf } from '../../support/written';

type Nics = (network: (name: string) => VmNetwork) => Nic[] | undefined;

/** A machine on a Harvester. */
function machineOf(nics: Nics = () => undefined, { target = 'dc1', name = 'web' } = {}) {
  const app = newApp();
  const dc1 = newHarvester(app, '1.7.2', target);
  const network = (called: string): any =>
    dc1.node.tryFindChild(`Net-${called}`) ??
    VmNetwork.fromName(dc1, `Net-${called}`, { name: called });
  const machine = new VirtualMachine(dc1, name, {
    cpus: 1,
    memory: Size.gibibytes(2),
    disks: [Disk.image(VmImage.fromName(dc1, 'Noble', { name: 'noble' }), Size.gibibytes(10))],
    nics: nics(network),
  });
  const interfaces = (): any[] =>
    dc1.toJson().find(({ kind }) => kind === 'VirtualMachine').spec.template.spec.domain.devices
      .interfaces;
  return { app, machine, macs: () => interfaces().map(({ macAddress }) => macAddress), interfaces };
}

test('gives every NIC an address, the same in each synthesis, and exposes them', () => {
  const nics: Nics = (network) => [
    Nic.management(),
    Nic.network(network('prod')),
    Nic.network(network('prod')),
  ];
  const { macs, machine } = machineOf(nics);
  expect(new Set(macs()).size).toBe(3);
  expect(macs()).toEqual(machineOf(nics).macs());
  expect(machine.macAddresses).toEqual(macs());
});

test('derives unicast, locally administered addresses that differ by target, VM and NIC', () => {
  const text = fc.stringMatching(/^[a-z0-9]{1,20}$/);
  const identity = fc.record({ target: text, namespace: text, machine: text, nic: text });
  fc.assert(
    fc.property(identity, identity, (a, b) => {
      const mac = derivedMac(a);
      expect(mac).toMatch(/^[0-9a-f][26ae](:[0-9a-f]{2}){5}$/);
      expect(derivedMac({ ...a })).toBe(mac);
      if (JSON.stringify(a) !== JSON.stringify(b)) {
        expect(derivedMac(b)).not.toBe(mac);
      }
    }),
  );
  expect(machineOf(() => undefined, { target: 'dc2' }).macs()).not.toEqual(machineOf().macs());
  expect(machineOf(() => undefined, { name: 'db' }).macs()).not.toEqual(machineOf().macs());
});

test('keeps the address of a NIC when others are added or removed', () => {
  const [, prod, named] = machineOf((network) => [
    Nic.management(),
    Nic.network(network('prod')),
    Nic.network(network('prod'), { name: 'b' }),
  ]).macs();
  expect(
    machineOf((network) => [Nic.network(network('test')), Nic.network(network('prod'))]).macs()[1],
  ).toBe(prod);
  expect(machineOf((network) => [Nic.network(network('test'), { name: 'b' })]).macs()).toEqual([
    named,
  ]);
});

test('uses the address of the program, and does not mark it as derived', () => {
  const { app, macs } = machineOf((network) => [
    Nic.network(network('prod'), { macAddress: '52:54:00:AB:00:01' }),
    Nic.management(),
  ]);
  expect(macs()[0]).toBe('52:54:00:ab:00:01');
  app.synth();
  expect(
    assemblyOf(app).objects.find(({ kind }: any) => kind === 'VirtualMachine').derived,
  ).toEqual(['spec.template.spec.domain.devices.interfaces[1].macAddress']);
});

test('does not mark a patched address as derived', () => {
  const { app, machine } = machineOf();
  (machine.node.findChild('Resource') as ApiObject).addJsonPatch(
    JsonPatch.replace(
      '/spec/template/spec/domain/devices/interfaces/0/macAddress',
      '52:54:00:00:00:09',
    ),
  );
  app.synth();
  expect(
    assemblyOf(app).objects.find(({ kind }: any) => kind === 'VirtualMachine'),
  ).not.toHaveProperty('derived');
});

test('refuses two VMs with one address on the management network', () => {
  const app = newApp();
  const dc1 = newHarvester(app);
  for (const name of ['a', 'b']) {
    new VirtualMachine(dc1, name, {
      cpus: 1,
      memory: Size.gibibytes(2),
      disks: [Disk.empty(Size.gibibytes(1))],
      nics: [Nic.management({ macAddress: '52:54:00:00:00:01' })],
    });
  }
  expect(app.validate().map(({ rule }) => rule)).toContain('virtual-machine/mac-twice');
});

test('warns of a plain manifest whose NIC has no address, and refuses one with a duplicate address', () => {
  const { app, macs, machine } = machineOf();
  const foreign = (name: string, macAddress?: string) =>
    new ApiObject(machine, name, {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: { name, namespace: 'default' },
      spec: {
        runStrategy: 'Halted',
        template: {
          spec: {
            domain: {
              cpu: { cores: 1 },
              resources: { limits: { memory: '1Gi' } },
              devices: { interfaces: [{ name: 'a', masquerade: {}, macAddress }] },
            },
            networks: [{ name: 'a', pod: {} }],
          },
        },
      },
    });
  foreign('bare');
  foreign('taken', macs()[0]);
  const found = app
    .validate()
    .filter(({ rule }) => rule.startsWith('virtual-machine/mac'))
    .map(({ level, rule, object }) => `${level} ${rule} ${object?.name}`);
  expect(found.sort()).toEqual([
    'error virtual-machine/mac-twice taken',
    'warning virtual-machine/mac-address bare',
  ]);
});
