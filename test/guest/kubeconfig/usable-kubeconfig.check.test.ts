import { checkApiServer, checkUsableKubeconfig } from '../../../src/guest/kubeconfig/kubeconfig.check';
import { kubeconfigText } from '../../../src/harvester/namespace/kubeconfig';

const SECRET = 'eyJhbGciOiJSUzI1NiJ9';
const GOOD = kubeconfigText({
  server: 'https://10.10.0.10:6443', certificateAuthority: 'Y2E=', token: SECRET, namespace: 'vms', cluster: 'c', context: 'x', emptyPreferences: true,
});

const messages = (text: string) => checkUsableKubeconfig('kubeconfig', text).map(({ message }) => message);

test('what kubectl and Rancher write is fine, also as JSON', () => {
  expect(messages(GOOD)).toEqual([]);
  expect(messages(JSON.stringify({
    'kind': 'Config',
    'clusters': [{ name: 'a', cluster: { server: 'https://rancher.example.com/k8s/clusters/c-m-x' } }],
    'users': [{ name: 'a', user: { token: SECRET } }],
    'contexts': [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    'current-context': 'a',
  }))).toEqual([]);
});

test.each([
  ['no text of YAML', 'a: [', 'is no kubeconfig: '],
  ['another text', 'hello: world', 'is no kubeconfig'],
  ['base64', Buffer.from(GOOD).toString('base64'), 'is in base64; the driver takes that, but not what marks the volumes of a deleted cluster for removal'],
  ['no current context', GOOD.replace('current-context: x', 'current-context: y'), 'has no current context, which says what it leads to'],
  ['no user', GOOD.replace('user: x', 'user: other'), 'has a current context whose user it does not hold'],
  ['no cluster', GOOD.replace('cluster: c', 'cluster: other'), 'has a current context whose cluster it does not hold'],
  ['no server', GOOD.replace('https://10.10.0.10:6443', '""'), 'names no server in its current context'],
  ['a file of another machine', GOOD.replace(`token: ${SECRET}`, 'client-key: /home/a/key'), 'has "client-key", which is of use on the machine only that it comes from'],
])('%s is refused, and never shown', (_, text, message) => {
  const problems = checkUsableKubeconfig('kubeconfig', text);
  expect(problems.map((problem) => problem.message)).toEqual([expect.stringContaining(message)]);
  expect(JSON.stringify(problems)).not.toContain(SECRET);
  expect(JSON.stringify(problems)).not.toContain(Buffer.from(SECRET).toString('base64').slice(4, 16));
});

test.each(['https://127.0.0.1:6443', 'https://localhost:6443', 'https://[::1]:6443', 'https://0.0.0.0:6443'])('%s is nobody else\'s address', (url) => {
  expect(checkApiServer('server', url)).toEqual([{
    path: 'server',
    value: url,
    message: 'is an address that every machine has for itself, so nobody else reaches the Harvester by it',
    fix: 'give https://<management address of the Harvester>:6443',
  }]);
  expect(messages(GOOD.replace('https://10.10.0.10:6443', url))).toHaveLength(1);
});

test.each(['10.10.0.10', 'http://10.10.0.10:6443', 'https://'])('%s is no URL of an API', (url) => {
  expect(checkApiServer('server', url)).toMatchObject([{ value: url, message: 'is no https URL' }]);
});

test.each(['https://10.10.0.10:6443', 'https://[fd00::10]:6443', 'https://${late:dc1.vip}:6443'])('%s is fine', (url) => {
  expect(checkApiServer('server', url)).toEqual([]);
});
