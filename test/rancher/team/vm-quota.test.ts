import { Size } from 'cdk8s';
import { World } from '../../../src/core/rule/rule';
import { FixedAddresses } from '../../../src/guest/machine-pool/fixed-addresses';
import { MachinePool, MachineRoles } from '../../../src/guest/machine-pool/machine-pool';
import { Disk } from '../../../src/harvester/machine/disk';
import { VGpu } from '../../../src/harvester/machine/vgpu';
import { fitPlan } from '../../../src/harvester/resource-quota/quota-fit.facts';
import { quotaLimit } from '../../../src/rancher/quota/quota';
import { VmQuota } from '../../../src/rancher/team/vm-quota';
import { guest, machineConfig, pool } from '../../support/guest';
import { HARVESTER, RANCHER, tenant } from '../../support/tenancy';

test('machines fit the quota that is computed for them', () => {
  const machine = { cpus: 2, memory: Size.gibibytes(4), storage: Size.gibibytes(40) };
  const { limitsCpu, limitsMemory, requestsStorage } = VmQuota.forVirtualMachines([machine]);
  // 4797464313 bytes were measured
  expect([limitsCpu!.amount, limitsMemory!.toMebibytes(), requestsStorage!.toGibibytes()]).toEqual([
    '2015m',
    Math.ceil(4797464313 / 1024 ** 2),
    40,
  ]);
});

test('machines add up', () => {
  const machines = [
    { cpus: 2, memory: Size.gibibytes(4), count: 3 },
    { cpus: 8, memory: Size.gibibytes(24) },
  ];
  const { limitsCpu, limitsMemory, requestsStorage } = VmQuota.forVirtualMachines(machines);
  expect(limitsCpu!.amount).toBe('14060m');
  expect(limitsMemory!.toMebibytes()).toBeGreaterThan(36 * 1024 + 4 * 360);
  expect(requestsStorage).toBeUndefined();
});

test('the overhead grows with the setting of Harvester', () => {
  const machine = { cpus: 2, memory: Size.gibibytes(4) };
  const memory = (overheadRatio: number) =>
    VmQuota.forVirtualMachines([machine], { overheadRatio }).limitsMemory!.toMebibytes();
  expect(memory(4.5)).toBe(Math.ceil(5682461313 / 1024 ** 2));
  expect(memory(0)).toBeLessThan(memory(1.5));
});

test.each([
  [[], {}, 'VmQuota.forVirtualMachines: machines: must have at least one machine'],
  [
    [{ cpus: 0, memory: Size.gibibytes(1) }],
    {},
    'machines[0].cpus: must be a whole number of 1 or more, got 0',
  ],
  [
    [{ cpus: 1, memory: Size.gibibytes(1), count: 1.5 }],
    {},
    'machines[0].count: must be a whole number of 1 or more, got 1.5',
  ],
  [
    [{ cpus: 1, memory: Size.gibibytes(1) }],
    { overheadRatio: 0.5 },
    'overheadRatio: must be 0, or from 1 to 10, got 0.5',
  ],
  [
    [{ cpus: 1, memory: Size.gibibytes(1) }],
    { memoryOvercommit: 50 },
    'memoryOvercommit: must be 100 or more, got 50',
  ],
])('%j with %j is refused', (machines, options, message) => {
  expect(() => VmQuota.forVirtualMachines(machines, options)).toThrow(message);
});

describe('the quota of machine pools', () => {
  const POOL: MachinePool = {
    name: 'all',
    quantity: 3,
    roles: MachineRoles.ALL,
    cpus: 2,
    memory: Size.gibibytes(4),
    disks: [Disk.empty(Size.gibibytes(40)), Disk.empty(Size.gibibytes(10))],
  };
  const machines = (count: number) =>
    VmQuota.forVirtualMachines([{ cpus: 2, memory: Size.gibibytes(4), count }]);
  const amounts = ({ limitsCpu, limitsMemory }: ReturnType<typeof machines>) => [
    limitsCpu!.amount,
    limitsMemory!.toMebibytes(),
  ];

  test.each([
    [{}, 4],
    [{ quantity: undefined }, 2],
    [{ quantity: 0 }, 0],
    [{ rollingUpdate: { maxSurge: '0', maxUnavailable: '1' } }, 3],
    [{ rollingUpdate: { maxSurge: '34%' } }, 5],
    [{ quantity: undefined, autoscaling: { min: 1, max: 5 } }, 6],
  ])('with %j has room for %d machines', (fields, count) => {
    expect(amounts(VmQuota.forMachinePools([{ ...POOL, ...fields }]))).toEqual(
      count === 0 ? ['0m', 0] : amounts(machines(count)),
    );
  });

  test('adds up pools, which may all be replaced at the same time', () => {
    expect(
      amounts(VmQuota.forMachinePools([POOL, { ...POOL, name: 'more', quantity: 1 }])),
    ).toEqual(amounts(machines(6)));
  });

  test('adds a TPM, virtual GPUs and dedicated CPUs', () => {
    const memory = (fields: object) =>
      VmQuota.forMachinePools([
        { ...POOL, quantity: 1, rollingUpdate: { maxSurge: '0' }, ...fields },
      ]).limitsMemory!.toMebibytes();
    expect(memory({ tpm: true })).toBeGreaterThan(memory({}));
    expect(memory({ vgpus: [VGpu.nvidia('A2')] })).toBeGreaterThan(memory({ tpm: true }) + 1000);
    expect(
      VmQuota.forMachinePools([
        {
          ...POOL,
          quantity: 1,
          rollingUpdate: { maxSurge: '0' },
          cpuPinning: true,
          isolateEmulatorThread: true,
        },
      ]).limitsCpu!.amount,
    ).toBe('3015m');
  });

  test('has no room for machines that wait for the address of another', () => {
    const fixedAddresses = FixedAddresses.of({
      addresses: ['10.0.0.11', '10.0.0.12'],
      subnet: '10.0.0.0/24',
      nameservers: ['10.0.0.1'],
    });
    expect(
      amounts(VmQuota.forMachinePools([{ ...POOL, quantity: undefined, fixedAddresses }])),
    ).toEqual(amounts(machines(2)));
  });

  test('limits storage only with that of the volumes of guest clusters', () => {
    expect(VmQuota.forMachinePools([POOL]).requestsStorage).toBeUndefined();
    const { requestsStorage, limitsCpu } = VmQuota.forMachinePools([POOL], {
      volumes: Size.gibibytes(100),
    });
    expect(requestsStorage!.toGibibytes()).toBe(300);
    // and the pods that attach them
    expect(limitsCpu!.amount).toBe('8460m');
  });

  test('is one in which they fit', () => {
    const limit = quotaLimit(VmQuota.forMachinePools([POOL], { volumes: Size.gibibytes(0) }));
    const rows = (limits: object) =>
      fitPlan(
        new World([
          {
            target: HARVESTER,
            manifest: tenant('vms', undefined, {
              'field.cattle.io/resourceQuota': JSON.stringify({ limit: limits }),
            }),
          },
          {
            target: RANCHER,
            manifest: machineConfig({
              vmNamespace: 'vms',
              cpuCount: '2',
              memorySize: '4',
              diskInfo: JSON.stringify({ disks: [{ size: 40 }, { size: 10 }] }),
            }),
          },
          { target: RANCHER, manifest: guest({ machinePools: [pool({ quantity: 3 })] }) },
        ]),
      ).map(({ resource, fits }) => [resource, fits]);
    expect(rows(limit)).toEqual([
      ['limitsCpu', 'yes'],
      ['limitsMemory', 'yes'],
      ['requestsStorage', 'yes'],
    ]);
    expect(
      rows({ ...limit, limitsCpu: '8059m', limitsMemory: '18300Mi', requestsStorage: '199Gi' }).map(
        ([, fits]) => fits,
      ),
    ).toEqual(['without surge', 'without surge', 'without surge']);
  });

  test.each([
    [[], {}, 'VmQuota.forMachinePools: pools: must have at least one pool'],
    [[POOL], { overheadRatio: 0.5 }, 'overheadRatio: must be 0, or from 1 to 10, got 0.5'],
  ])('refuses %j with %j', (pools, options, message) => {
    expect(() => VmQuota.forMachinePools(pools, options)).toThrow(message);
  });
});
