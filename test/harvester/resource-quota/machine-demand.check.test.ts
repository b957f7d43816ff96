import { podAmounts, VmSize } from '../../../src/harvester/resource-quota/machine-demand.check';

const GIB = 1024 ** 3;
const vmMemoryLimit = (vm: VmSize): number => podAmounts(vm).limitsMemory;

test.each([
  [1.5, 4797464313],
  [4.5, 5682461313],
])('two CPUs and 4 GiB at ratio %d take what was measured on Harvester 1.7.0', (ratio, bytes) => {
  expect(vmMemoryLimit({ cpus: 2, memory: 4 * GIB, ratio })).toBe(bytes);
});

test('a machine of 24 GiB does not fit a quota of 24 GiB', () => {
  expect(vmMemoryLimit({ cpus: 8, memory: 24 * GIB })).toBeGreaterThan(24 * GIB + 400 * 1024 ** 2);
});

test('no ratio leaves the overhead as KubeVirt computes it', () => {
  expect(vmMemoryLimit({ cpus: 2, memory: 4 * GIB, ratio: 0 })).toBe(
    4 * GIB + 294998017 + 60_000_000,
  );
  expect(vmMemoryLimit({ cpus: 2, memory: 4 * GIB, ratio: 1 })).toBe(
    vmMemoryLimit({ cpus: 2, memory: 4 * GIB, ratio: 0 }),
  );
});

test('the console log takes CPU too', () => {
  expect(podAmounts({ cpus: 2, memory: 4 * GIB }).limitsCpu).toBe(2.015);
});

test('an older Harvester takes less, so a machine fits there too', () => {
  // of the Harvester 1.4 documentation: 1 CPU, 2 GiB
  const computed = vmMemoryLimit({ cpus: 1, memory: 2 * GIB });
  expect(computed).toBeGreaterThanOrEqual(2532309561);
  expect(computed - 2532309561).toBeLessThan(100 * 1024 ** 2);
});
