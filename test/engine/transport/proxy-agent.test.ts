import { NodeTransport, NodeTransportOptions } from '../../../src/engine/transport/node-transport';
import { ConnectProxy } from '../../support/connect-proxy';
import { FaultProxy } from '../../support/fault-proxy';
import { TestClock } from '../../support/test-clock';

let api: FaultProxy;
let proxy: ConnectProxy;

beforeEach(async () => {
  api = await FaultProxy.start(() => ({ status: 200, body: { ok: true } }));
  proxy = await ConnectProxy.start();
});

afterEach(async () => {
  await api.close();
  await proxy.close();
});

function transport(options: NodeTransportOptions = {}): NodeTransport {
  return new NodeTransport(
    {
      name: 'context prod',
      server: new URL(api.url),
      ca: api.ca,
      proxy: new URL(`http://user:p%40ss@${proxy.host}`),
      credentials: async () => ({ headers: { authorization: 'Bearer tok' } }),
    },
    { pace: { baseMs: 1, capMs: 5 }, ...options },
  );
}

test('requests go through CONNECT, over one connection; the proxy sees neither them nor the credentials of the server', async () => {
  const client = transport();
  for (let n = 0; n < 3; n++) {
    expect((await client.request({ method: 'GET', path: '/version' })).body).toEqual({ ok: true });
  }
  client.close();
  expect(proxy.asked).toHaveLength(1);
  expect(proxy.asked[0].url).toBe(new URL(api.url).host);
  expect(proxy.asked[0].headers).toMatchObject({
    'proxy-authorization': `Basic ${Buffer.from('user:p@ss').toString('base64')}`,
  });
  expect(proxy.asked[0].headers).not.toHaveProperty('authorization');
  expect(api.requests[0].headers).not.toHaveProperty('proxy-authorization');
});

test('reports a proxy that refuses, without its password', async () => {
  proxy.refuse = '407 Proxy Authentication Required';
  const error: Error = await transport()
    .request({ method: 'GET', path: '/version' })
    .then(
      () => {
        throw new Error('let through');
      },
      (thrown) => thrown,
    );
  expect(error).toMatchObject({ failure: 'connection' });
  expect(error.message).toMatch(
    /proxy 127\.0\.0\.1:\d+: refuses to connect to 127\.0\.0\.1:\d+: 407 Proxy Authentication Required\. Fix: correct proxy-url of the kubeconfig, HTTPS_PROXY or NO_PROXY/,
  );
  expect(error.message).not.toContain('p@ss');
  expect(proxy.asked).toHaveLength(1);
});

test('asks a proxy again that cannot reach the server for the moment', async () => {
  proxy.refuse = '502 Bad Gateway';
  proxy.refusals = 1;
  const client = transport({ clock: new TestClock() });
  await client.request({ method: 'GET', path: '/version', deadlineMs: 60_000 });
  client.close();
  expect(proxy.asked.length).toBeGreaterThan(1);
});
