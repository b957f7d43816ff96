import {
  checkApiServer,
  checkUsableKubeconfig,
} from '../../../src/guest/kubeconfig/kubeconfig.check';
import { kubeconfigText } from '../../../src/harvester/account/account-kubeconfig';

const SECRET = 'eyJhbGciOiJSUzI1NiJ9';
const GOOD = kubeconfigText({
  server: 'https://10.10.0.10:6443',
  ca: 'Y2E=',
  token: SECRET,
  namespace: 'vms',
  cluster: 'c',
  context: 'x',
  preferences: true,
});

const messages = (text: string) =>
  checkUsableKubeconfig('kubeconfig', text).map(({ message }) => message);

test('what kubectl and Rancher write is fine, also as JSON', () => {
  expect(messages(GOOD)).toEqual([]);
  expect(
    messages(
      JSON.stringify({
        'kind': 'Config',
        'clusters': [
          { name: 'a', cluster: { server: 'https://rancher.example.com/k8s/clusters/c-m-x' } },
        ],
        'users': [{ name: 'a', user: { token: SECRET } }],
        'contexts': [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
        'current-context': 'a',
      }),
    ),
  ).toEqual([]);
});

test.each([
  ['no text of YAML', 'a: [', 'must be a kubeconfig: bad indent at line 1, column 5'],
  ['another text', 'hello: world', 'must be a kubeconfig'],
  [
    'base64',
    Buffer.from(GOOD).toString('base64'),
    'must not be encoded in base64: Rancher could not mark the volumes of a deleted cluster for deletion',
  ],
  [
    'no current context',
    GOOD.replace('current-context: x', 'current-context: y'),
    'must have a current context',
  ],
  [
    'no user',
    GOOD.replace('user: x', 'user: other'),
    'must contain the user of its current context',
  ],
  [
    'no cluster',
    GOOD.replace('cluster: c', 'cluster: other'),
    'must contain the cluster of its current context',
  ],
  [
    'no server',
    GOOD.replace('https://10.10.0.10:6443', '""'),
    'must have a server in its current context',
  ],
  [
    'a file of another machine',
    GOOD.replace(`token: ${SECRET}`, 'client-key: /home/a/key'),
    'must not contain "client-key", which works only on the machine that it comes from',
  ],
])('%s is refused, and never shown', (_, text, message) => {
  const problems = checkUsableKubeconfig('kubeconfig', text);
  expect(problems.map((problem) => problem.message)).toEqual([expect.stringContaining(message)]);
  expect(JSON.stringify(problems)).not.toContain(SECRET);
  expect(JSON.stringify(problems)).not.toContain(
    Buffer.from(SECRET).toString('base64').slice(4, 16),
  );
});

test.each([
  'https://127.0.0.1:6443',
  'https://localhost:6443',
  'https://[::1]:6443',
  'https://0.0.0.0:6443',
])('%s is a local address', (url) => {
  expect(checkApiServer('server', url)).toEqual([
    {
      path: 'server',
      value: url,
      message: 'must not be a local address, at which other machines do not reach Harvester',
      fix: 'use https://<management address of the Harvester cluster>:6443',
    },
  ]);
  expect(messages(GOOD.replace('https://10.10.0.10:6443', url))).toHaveLength(1);
});

test.each(['10.10.0.10', 'http://10.10.0.10:6443', 'https://'])(
  '%s is not the URL of an API',
  (url) => {
    expect(checkApiServer('server', url)).toMatchObject([
      { value: url, message: 'must be an https URL' },
    ]);
  },
);

test.each(['https://10.10.0.10:6443', 'https://[fd00::10]:6443', 'https://${late:dc1.vip}:6443'])(
  '%s is fine',
  (url) => {
    expect(checkApiServer('server', url)).toEqual([]);
  },
);
