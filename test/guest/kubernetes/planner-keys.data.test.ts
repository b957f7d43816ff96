import {
  distributionOf,
  isPlannerKey,
  isPlannerValue,
  keyBelongsTo,
} from '../../../src/guest/kubernetes/rke2.data';

test('the end of a version names its distribution', () => {
  expect(
    ['v1.33.6+rke2r1', 'v1.33.6+k3s1', 'v1.33.6', '', undefined, 3].map(distributionOf),
  ).toEqual(['rke2', 'k3s', undefined, undefined, undefined, undefined]);
});

test('each distribution has keys of its own', () => {
  const keys = [
    'cni',
    'tls-san',
    'flannel-backend',
    'cloud-provider-name',
    'kubelet-arg',
    'docker',
    'ingress-controller',
    'cnii',
  ];
  expect(keys.filter((key) => isPlannerKey('rke2', key))).toEqual([
    'cni',
    'tls-san',
    'cloud-provider-name',
    'kubelet-arg',
    'ingress-controller',
  ]);
  expect(keys.filter((key) => isPlannerKey('k3s', key))).toEqual([
    'tls-san',
    'flannel-backend',
    'kubelet-arg',
    'docker',
  ]);
  expect(isPlannerKey('kubeadm', 'cni')).toBe(false);
  expect(['cni', 'docker', 'cnii'].map(keyBelongsTo)).toEqual(['rke2', 'k3s', undefined]);
});

test('texts, booleans and lists are passed on, nothing else', () => {
  expect(['', 'a', false, true, [], [1]].every(isPlannerValue)).toBe(true);
  expect([1, 0, null, undefined, {}].some(isPlannerValue)).toBe(false);
});
