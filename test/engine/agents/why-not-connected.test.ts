import { createHash } from 'crypto';
import { Manifest } from '../../../src/core/manifest/manifest';
import { agentWords, troubleInLog } from '../../../src/engine/agents/agent-pods';
import { LiveObject } from '../../../src/engine/cluster/cluster';
import { ApiError } from '../../../src/engine/transport/api';
import { FakeCluster } from '../../support/fake-cluster';

const TOKEN = 'sekret0123456789registrationtoken';
const URL_OF = (id: string): string =>
  JSON.stringify({
    url: `https://rancher.example.com/v3/import/${TOKEN}_${id}.yaml`,
    insecureSkipTLSVerify: false,
  });
const LOG = '/api/v1/namespaces/cattle-system/pods/agent-1/log?tailLines=60';

const IMPORT = {
  apiVersion: 'provisioning.cattle.io/v1',
  kind: 'Cluster',
  metadata: { name: 'dc1', uid: 'u', resourceVersion: '1' },
  spec: {},
  status: { clusterName: 'c-m-dc1' },
} as LiveObject;

function registered(id: string, configured: object = { status: 'True' }): Manifest {
  const value = URL_OF(id);
  return {
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'Setting',
    value,
    status: { conditions: [{ type: 'configured', ...configured }] },
    metadata: {
      name: 'cluster-registration-url',
      annotations: { 'harvesterhci.io/hash': createHash('sha224').update(value).digest('hex') },
    },
  };
}

const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace: 'cattle-system', name: 'cattle-cluster-agent' },
};

const pod = (status: object): Manifest => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    namespace: 'cattle-system',
    name: 'agent-1',
    labels: { app: 'cattle-cluster-agent' },
  },
  status,
});

const waits = (reason: string, message = ''): object => ({
  phase: 'Running',
  containerStatuses: [
    {
      name: 'cluster-register',
      image: 'rancher/rancher-agent:v2.13.8',
      state: { waiting: { reason, message } },
    },
  ],
});

interface World {
  readonly harvester?: readonly object[];
  readonly rancher?: readonly object[];
  readonly log?: string;
  readonly previous?: string;
}

interface Worlds {
  readonly dc1: FakeCluster;
  readonly words: (live?: LiveObject) => Promise<string | undefined>;
}

function world({ harvester = [], rancher = [], log, previous }: World): Worlds {
  const dc1 = new FakeCluster({
    paths: {
      ...(log === undefined ? {} : { [LOG]: log }),
      ...(previous === undefined ? {} : { [`${LOG}&previous=true`]: previous }),
    },
  });
  const management = new FakeCluster();
  for (const object of harvester) {
    dc1.seed(object as Manifest);
  }
  for (const object of rancher) {
    management.seed(object as Manifest);
  }
  return {
    dc1,
    words: async (live = IMPORT) =>
      agentWords(live, management, async () => [{ name: 'dc1', version: '1.7.2', cluster: dc1 }]),
  };
}

test('reports nothing while nothing is wrong', async () => {
  expect(
    await world({
      harvester: [registered('c-m-dc1'), DEPLOYMENT, pod({ phase: 'Running' })],
      log: 'level=info msg="Connecting to wss://rancher"',
    }).words(),
  ).toBeUndefined();
});

test('reports nothing of a cluster of machines, or of an import that Rancher has not handled yet', async () => {
  const { words } = world({ harvester: [registered('c-m-other')] });
  expect(await words({ ...IMPORT, spec: { rkeConfig: {} } })).toBeUndefined();
  expect(await words({ ...IMPORT, status: {} })).toBeUndefined();
});

test('reports that no Harvester has its registration URL', async () => {
  expect(await world({ harvester: [registered('c-m-other')] }).words()).toContain(
    'no Harvester of this program has a registration URL of c-m-dc1 yet (Setting cluster-registration-url of dc1)',
  );
});

test('repeats the condition of the registration Setting, without its token', async () => {
  const message = `Get "https://rancher.example.com/v3/import/${TOKEN}_c-m-dc1.yaml": tls: failed to verify certificate: x509: certificate signed by unknown authority`;
  const setting = registered('c-m-dc1', { status: 'False', message });
  const words = await world({
    harvester: [{ ...setting, metadata: { name: 'cluster-registration-url' } }],
  }).words();
  expect(words).toContain('on dc1: Setting cluster-registration-url is configured=False: Get');
  expect(words).toContain('x509: certificate signed by unknown authority');
  expect(words).not.toContain(TOKEN);
});

test('reports that the Deployment does not exist, or has no pods', async () => {
  expect(await world({ harvester: [registered('c-m-dc1')] }).words()).toContain(
    'on dc1: there is no Deployment cattle-system/cattle-cluster-agent',
  );
  expect(await world({ harvester: [registered('c-m-dc1'), DEPLOYMENT] }).words()).toContain(
    'on dc1: Deployment cattle-system/cattle-cluster-agent has no pods',
  );
});

test('reports the image that cannot be pulled', async () => {
  const words = await world({
    harvester: [registered('c-m-dc1'), DEPLOYMENT, pod(waits('ImagePullBackOff', 'not found'))],
  }).words();
  expect(words).toContain(
    'on dc1: ImagePullBackOff: cannot pull the image rancher/rancher-agent:v2.13.8 (not found). Fix: make rancher/rancher-agent:v2.13.8 available in the cluster',
  );
});

test.each<[why: string, log: string, says: string]>([
  [
    'DNS',
    'ERROR: https://rancher.example.com/ping is not accessible (Could not resolve host: rancher.example.com)',
    'cannot resolve the host',
  ],
  [
    'DNS of Go',
    'level=error msg="dial tcp: lookup rancher.example.com on 10.53.0.10:53: no such host"',
    'cannot resolve the host',
  ],
  [
    'a proxy',
    'level=error msg="Get https://rancher: proxyconnect tcp: dial tcp 10.0.0.9:3128: connect: connection refused"',
    'the proxy does not let the agent through',
  ],
  [
    'a proxy of curl',
    'ERROR: https://rancher.example.com/ping is not accessible (Received HTTP code 403 from proxy after CONNECT)',
    'the proxy does not let the agent through',
  ],
  [
    'a certificate',
    'level=fatal msg="Get https://rancher: x509: certificate signed by unknown authority"',
    'does not trust the certificate',
  ],
  [
    'an authority',
    'ERROR: Configured cacerts checksum (aaa) does not match given --ca-checksum (bbb)',
    'authority of Rancher is not the one',
  ],
  [
    'the network',
    'ERROR: https://rancher.example.com/ping is not accessible (Failed to connect to rancher.example.com port 443: Connection refused)',
    "cannot reach Rancher's server-url",
  ],
  [
    'a token',
    'level=error msg="Failed to connect to proxy" error="websocket: bad handshake"',
    'does not accept the token',
  ],
])('reads %s from the log of an agent that crashes', async (_, line, says) => {
  expect(troubleInLog(`INFO: starting\n${line}\nINFO: end`)?.message).toContain(`${says}`);
  const { words } = world({
    harvester: [registered('c-m-dc1'), DEPLOYMENT, pod(waits('CrashLoopBackOff'))],
    previous: `INFO: starting\n${line}`,
  });
  expect(await words()).toContain(says);
});

test('reads the log of an agent that runs, too', async () => {
  const { words } = world({
    harvester: [registered('c-m-dc1'), DEPLOYMENT, pod({ phase: 'Running' })],
    log: 'error="dial tcp: lookup rancher.example.com: no such host"',
  });
  expect(await words()).toContain('cannot resolve the host');
});

test('reports that strict agents have no authority to trust', async () => {
  const setting = (name: string, value: string): object => ({
    apiVersion: 'management.cattle.io/v3',
    kind: 'Setting',
    metadata: { name },
    value,
  });
  const harvester = [registered('c-m-dc1'), DEPLOYMENT, pod({ phase: 'Running' })];
  expect(
    await world({
      harvester,
      rancher: [setting('agent-tls-mode', 'strict'), setting('cacerts', '')],
    }).words(),
  ).toContain('agent-tls-mode of Rancher is strict and its cacerts is empty');
  expect(
    await world({
      harvester,
      rancher: [setting('agent-tls-mode', 'strict'), setting('cacerts', '-----BEGIN')],
    }).words(),
  ).toBeUndefined();
});

test('reports nothing that it cannot read', async () => {
  const { dc1, words } = world({
    harvester: [registered('c-m-dc1'), DEPLOYMENT, pod(waits('ImagePullBackOff'))],
  });
  dc1.fault = ({ verb }) =>
    verb === 'list' || verb === 'get'
      ? new ApiError('forbidden', 'pods is forbidden', 403)
      : undefined;
  expect(await words()).toBeUndefined();
});
