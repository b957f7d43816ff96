import {
  isLocalServer,
  rancherTokenName,
  viewKubeconfig,
} from '../../../src/guest/kubeconfig/kubeconfig.check';
import { driverText } from '../../../src/guest/machine-config/machine-json.facts';
import { kubeconfig } from '../../support/guest';

test('reads the cluster, namespace and token of the current context', () => {
  expect(viewKubeconfig(kubeconfig('vms', 'https://10.0.0.1:6443', 't'))).toEqual({
    server: 'https://10.0.0.1:6443',
    namespace: 'vms',
    token: 't',
  });
  expect(viewKubeconfig(kubeconfig(''))).toEqual({
    server: 'https://10.10.0.10:6443',
    token: 'secret-token',
  });
  expect(viewKubeconfig('clusters: [{cluster: {server: https://a}}]\n')).toEqual({
    server: 'https://a',
  });
});

test.each(['', 'a: [', '- a', 'apiVersion: v1', 'clusters: {}'])('%j is none', (text) => {
  expect(viewKubeconfig(text)).toBeUndefined();
});

test('knows addresses that are others on each machine', () => {
  expect(
    [
      'https://127.0.0.1:6443',
      'https://localhost/k8s',
      'https://[::1]:6443',
      'https://0.0.0.0',
    ].every(isLocalServer),
  ).toBe(true);
  expect(
    ['https://10.0.0.1', 'https://localhost.example.com', 'https://[fd00::1]:6443', ''].some(
      isLocalServer,
    ),
  ).toBe(false);
});

test('knows tokens of Rancher by the part that is not secret', () => {
  expect(rancherTokenName({ token: 'kubeconfig-u-abcde:hunter2' })).toBe('kubeconfig-u-abcde');
  expect(rancherTokenName({ token: 'kubeconfig-user-abcde12345:hunter2' })).toBe(
    'kubeconfig-user-abcde12345',
  );
  expect(rancherTokenName({ token: 'eyJhbGciOi' })).toBeUndefined();
  expect(rancherTokenName({})).toBeUndefined();
});

test('the driver takes base64 for base64 wherever it could be', () => {
  expect(driverText(Buffer.from('a: b\n').toString('base64'))).toBe('a: b\n');
  expect(driverText('#cloud-config\n')).toBe('#cloud-config\n');
  expect(driverText('')).toBe('');
});
