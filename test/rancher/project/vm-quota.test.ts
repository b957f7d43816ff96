import { Size } from 'cdk8s';
import { VmQuota } from '../../../src/rancher/project/quota';

test('machines fit the quota that is computed for them', () => {
  const machine = { cpus: 2, memory: Size.gibibytes(4), storage: Size.gibibytes(40) };
  const { limitsCpu, limitsMemory, requestsStorage } = VmQuota.forVirtualMachines([machine]);
  // 4797464313 bytes were measured
  expect([limitsCpu!.amount, limitsMemory!.toMebibytes(), requestsStorage!.toGibibytes()]).toEqual(['2015m', Math.ceil(4797464313 / 1024 ** 2), 40]);
});

test('machines add up', () => {
  const machines = [{ cpus: 2, memory: Size.gibibytes(4), count: 3 }, { cpus: 8, memory: Size.gibibytes(24) }];
  const { limitsCpu, limitsMemory, requestsStorage } = VmQuota.forVirtualMachines(machines);
  expect(limitsCpu!.amount).toBe('14060m');
  expect(limitsMemory!.toMebibytes()).toBeGreaterThan(36 * 1024 + 4 * 360);
  expect(requestsStorage).toBeUndefined();
});

test('the overhead grows with the setting of Harvester', () => {
  const machine = { cpus: 2, memory: Size.gibibytes(4) };
  const memory = (overheadRatio: number) => VmQuota.forVirtualMachines([machine], { overheadRatio }).limitsMemory!.toMebibytes();
  expect(memory(4.5)).toBe(Math.ceil(5682461313 / 1024 ** 2));
  expect(memory(0)).toBeLessThan(memory(1.5));
});

test.each([
  [[], {}, 'VmQuota.forVirtualMachines: machines: cannot be empty'], [[{ cpus: 0, memory: Size.gibibytes(1) }], {}, 'machines[0].cpus: must be a whole number of 1 or more, got 0'], [[{ cpus: 1, memory: Size.gibibytes(1), count: 1.5 }], {}, 'machines[0].count: must be a whole number of 1 or more, got 1.5'],
  [[{ cpus: 1, memory: Size.gibibytes(1) }], { overheadRatio: 0.5 }, 'overheadRatio: must be 0, or from 1 to 10, got 0.5'],
  [[{ cpus: 1, memory: Size.gibibytes(1) }], { memoryOvercommit: 50 }, 'memoryOvercommit: must be 100 or more, got 50'],
])('%j with %j is refused', (machines, options, message) => { expect(() => VmQuota.forVirtualMachines(machines, options)).toThrow(message); });
