import { Manifest } from '../../../src/core/manifest/manifest';
import { keepLiveValues } from '../../../src/engine/fields/compare-desired';
import { FakeCluster } from '../../support/fake-cluster';
import { SmallProgram } from '../graph/_assemblies';
import { Declared, stepOf } from '../plan/_planning';
import { Trial } from '../run/_running';

interface Nic {
  readonly name: string;
  readonly mac?: string;
  readonly network?: string;
}

/** A machine with these cards. */
function machine(nics: readonly Nic[], cores = 1): Manifest {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      template: {
        spec: {
          domain: {
            cpu: { cores },
            devices: {
              interfaces: nics.map(({ name, mac, network }) => ({
                name,
                [network ? 'bridge' : 'masquerade']: {},
                macAddress: mac,
              })),
            },
          },
          networks: nics.map(({ name, network }) => ({
            name,
            ...(network ? { multus: { networkName: network } } : { pod: {} }),
          })),
        },
      },
    },
  };
}

const derivedOf = (...indexes: number[]): string[] =>
  indexes.map((index) => `spec.template.spec.domain.devices.interfaces[${index}].macAddress`);
const macsOf = (manifest: any): unknown[] =>
  manifest.spec.template.spec.domain.devices.interfaces.map(({ macAddress }: any) => macAddress);

test.each<[string, Nic[], Nic[], string[]]>([
  [
    'of a live card of the name',
    [{ name: 'a', network: 'n', mac: '02:00:00:00:00:01' }],
    [{ name: 'a', network: 'n', mac: '52:54:00:00:00:01' }],
    ['52:54:00:00:00:01'],
  ],
  [
    'of the live card in the same network where names differ',
    [{ name: 'nic-0', network: 'n', mac: '02:00:00:00:00:01' }],
    [{ name: 'default', network: 'n', mac: '52:54:00:00:00:01' }],
    ['52:54:00:00:00:01'],
  ],
  [
    'of its own where the live card is in another network',
    [{ name: 'a', network: 'n', mac: '02:00:00:00:00:01' }],
    [{ name: 'a', network: 'm', mac: '52:54:00:00:00:01' }],
    ['02:00:00:00:00:01'],
  ],
  [
    'of the network where a card was put before it',
    [
      { name: 'nic-0', network: 'm', mac: '02:01:00:00:00:01' },
      { name: 'nic-1', network: 'n', mac: '02:02:00:00:00:01' },
    ],
    [{ name: 'nic-0', network: 'n', mac: '52:54:00:00:00:01' }],
    ['02:01:00:00:00:01', '52:54:00:00:00:01'],
  ],
  [
    'of each once',
    [
      { name: 'a', network: 'n', mac: '02:01:00:00:00:01' },
      { name: 'b', network: 'n', mac: '02:02:00:00:00:01' },
    ],
    [{ name: 'b', network: 'n', mac: '52:54:00:00:00:01' }],
    ['02:01:00:00:00:01', '52:54:00:00:00:01'],
  ],
  [
    'of the management network',
    [{ name: 'default', mac: '02:00:00:00:00:01' }],
    [{ name: 'x', mac: '52:54:00:00:00:01' }],
    ['52:54:00:00:00:01'],
  ],
  [
    'of its own where the live one is malformed',
    [{ name: 'a', network: 'n', mac: '02:00:00:00:00:01' }],
    [{ name: 'a', network: 'n', mac: '52:54:00' }],
    ['02:00:00:00:00:01'],
  ],
  [
    'of a live card in the form of a switch',
    [{ name: 'a', network: 'n', mac: '02:00:00:00:00:01' }],
    [{ name: 'a', network: 'n', mac: '5254.0000.0001' }],
    ['5254.0000.0001'],
  ],
])('a derived address gives way to that %s', (_, declared, live, expected) => {
  const { manifest } = keepLiveValues(
    { derived: derivedOf(...declared.keys()) },
    machine(declared),
    machine(live),
  );
  expect(macsOf(manifest)).toEqual(expected);
});

test('an address of the program gives way to none', () => {
  const declared = machine([{ name: 'a', mac: '52:54:00:00:00:01' }]);
  expect(
    keepLiveValues({}, declared, machine([{ name: 'a', mac: '52:54:00:00:00:02' }])).manifest,
  ).toBe(declared);
});

const ID = 'dc1/kubevirt.io/VirtualMachine/default/web';

/** A program with a machine whose address is derived, or not. */
function program(mac: string, derived: boolean, cores = 1): SmallProgram {
  const small = new SmallProgram().target('dc1', 'harvester');
  const { spec } = machine([{ name: 'a', mac }], cores);
  small.object('dc1', 'kubevirt.io/v1', 'VirtualMachine', 'default/web', { spec });
  if (derived) {
    small.objects.splice(0, 1, { ...small.objects[0], derived: derivedOf(0) });
  }
  return small;
}

const liveMac = (trial: Trial): unknown =>
  macsOf(trial.clusters.dc1.live('kubevirt.io/v1', 'VirtualMachine', 'web', 'default'))[0];

test.each([
  ['keeps', true, '52:54:00:00:00:01'],
  ['does not keep', false, '02:00:00:00:00:01'],
])(
  'apply %s the live address of a machine where the program derives: %s',
  async (_, derived, expected) => {
    const trial = new Trial(program('02:00:00:00:00:01', derived));
    trial.clusters.dc1.seed(machine([{ name: 'a', mac: '52:54:00:00:00:01' }]));
    await trial.apply({ forceConflicts: [ID] });
    expect(liveMac(trial)).toBe(expected);
    trial.declared = program('02:00:00:00:00:01', derived, 2);
    await trial.apply({ forceConflicts: [ID] });
    expect(liveMac(trial)).toBe(expected);
  },
);

test('a new machine gets the derived address', async () => {
  const trial = new Trial(program('02:00:00:00:00:01', true));
  await trial.apply();
  expect(liveMac(trial)).toBe('02:00:00:00:00:01');
});

test('shows in the plan which address is kept, without a change', async () => {
  const cluster = new FakeCluster({});
  cluster.seed(machine([{ name: 'a', mac: '52:54:00:00:00:01' }]), 'harvester');
  const declared = {
    manifest: machine([{ name: 'a', mac: '02:00:00:00:00:01' }], 2),
    derived: derivedOf(0),
  } as Declared;
  const step = await stepOf(cluster, declared, {
    forceConflicts: ['rancher/kubevirt.io/VirtualMachine/default/web'],
  });
  expect(step.reason).toContain('card a keeps its hardware address 52:54:00:00:00:01');
  expect(step.changes.map(({ path }) => path)).toEqual(['spec.template.spec.domain.cpu.cores']);
});

test('shows in the plan which address is kept where nothing changes', async () => {
  const trial = new Trial(program('02:00:00:00:00:01', true));
  trial.clusters.dc1.seed(machine([{ name: 'a', mac: '52:54:00:00:00:01' }]));
  await trial.apply({ forceConflicts: [ID] });
  const step = (await trial.plan()).steps.find(({ id }) => id === ID)!;
  expect([step.action, step.reason]).toEqual([
    'unchanged',
    'card a keeps its hardware address 52:54:00:00:00:01',
  ]);
});
