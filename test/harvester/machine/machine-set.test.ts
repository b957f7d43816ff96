import { machineSetName } from '../../../src/harvester/affinity/vm-affinity.check';

test('the label of a machine set is namespace, cluster and pool, dots turned into hyphens', () => {
  expect(machineSetName('payments', 'shop', 'all')).toBe('payments-shop-all');
  expect(machineSetName('payments', 'shop.eu', 'all')).toBe('payments-shop-eu-all');
});

test('what is too long for a label is hashed as the node driver does', () => {
  // FNV-1a of 32 bits, in base64 for URLs without padding; worked out by another implementation
  expect(machineSetName('n'.repeat(40), 'c'.repeat(20), 'pool')).toBe('hash_jBlBCQ_z');
});
