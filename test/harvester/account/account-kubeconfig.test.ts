import { harvesterApiUrl, kubeconfigText } from '../../../src/harvester/account/account-kubeconfig';

const PARTS = {
  server: 'https://10.10.0.10:6443',
  ca: 'Y2E=',
  token: 'eyJ.a.b',
  namespace: 'payments-vms',
  cluster: 'default',
  context: 'default',
  preferences: false,
};

test('writes a kubeconfig byte for byte as Harvester does', () => {
  expect(kubeconfigText(PARTS)).toBe(`apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: Y2E=
    server: https://10.10.0.10:6443
  name: default
contexts:
- context:
    cluster: default
    namespace: payments-vms
    user: default
  name: default
current-context: default
kind: Config
users:
- name: default
  user:
    token: eyJ.a.b
`);
});

test('writes the additional line of kubectl 1.33 and earlier', () => {
  const [withLine, without] = [true, false].map((preferences) =>
    kubeconfigText({ ...PARTS, preferences }),
  );
  expect(withLine).toBe(without.replace('kind: Config\n', 'kind: Config\npreferences: {}\n'));
});

test('quotes names that YAML would parse as numbers or booleans', () => {
  const text = kubeconfigText({ ...PARTS, namespace: '123', cluster: 'on', context: '1e3' });
  expect(text).toContain(
    '    cluster: "on"\n    namespace: "123"\n    user: "1e3"\n  name: "1e3"\ncurrent-context: "1e3"\n',
  );
});

test.each([
  ['10.10.0.10', 'https://10.10.0.10:6443'],
  ['fd00::10', 'https://[fd00::10]:6443'],
  ['[fd00::10]', 'https://[fd00::10]:6443'],
  ['harvester.example.com', 'https://harvester.example.com:6443'],
  ['${late:dc1.vip}', 'https://${late:dc1.vip}:6443'],
])('gives the API of a Harvester at %s the URL %s', (vip, url) => {
  expect(harvesterApiUrl(vip)).toBe(url);
});
