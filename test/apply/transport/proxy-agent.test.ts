import { createServer, IncomingMessage, Server } from 'http';
import { AddressInfo, connect, Socket } from 'net';
import { NodeTransport } from '../../../src/apply/transport/node-transport';
import { FaultProxy } from '../../support/fault-proxy';

let api: FaultProxy;
let proxy: Server;
let asked: IncomingMessage[];
let refuse: string | undefined;

beforeEach(async () => {
  [asked, refuse] = [[], undefined];
  api = await FaultProxy.start(() => ({ status: 200, body: { ok: true } }));
  proxy = createServer().on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    asked.push(request);
    if (refuse) {
      socket.end(`HTTP/1.1 ${refuse}\r\n\r\n`);
      return;
    }
    const [host, port] = request.url!.split(':');
    const upstream = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    for (const end of [socket, upstream]) { end.on('error', () => undefined).on('close', () => [socket, upstream].forEach((other) => other.destroy())); }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  await api.close();
  await new Promise((resolve) => proxy.close(resolve));
});

function transport(): NodeTransport {
  const { port } = proxy.address() as AddressInfo;
  return new NodeTransport({
    name: 'context prod',
    server: new URL(api.url),
    ca: api.ca,
    proxy: new URL(`http://user:p%40ss@127.0.0.1:${port}`),
    credentials: async () => ({ headers: { authorization: 'Bearer tok' } }),
  }, { pace: { baseMs: 1, capMs: 5 } });
}

test('requests go through CONNECT, over one connection; the proxy sees neither them nor the credentials of the server (45)', async () => {
  const client = transport();
  for (let n = 0; n < 3; n++) { expect((await client.request({ method: 'GET', path: '/version' })).body).toEqual({ ok: true }); }
  client.close();
  expect(asked).toHaveLength(1);
  expect(asked[0].url).toBe(new URL(api.url).host);
  expect(asked[0].headers).toMatchObject({ 'proxy-authorization': `Basic ${Buffer.from('user:p@ss').toString('base64')}` });
  expect(asked[0].headers).not.toHaveProperty('authorization');
  expect(api.requests[0].headers).not.toHaveProperty('proxy-authorization');
});

test('a proxy that refuses is told, without its password', async () => {
  refuse = '407 Proxy Authentication Required';
  const error: Error = await transport().request({ method: 'GET', path: '/version' }).then(() => { throw new Error('let through'); }, (thrown) => thrown);
  expect(error).toMatchObject({ failure: 'connection' });
  expect(error.message).toMatch(/proxy 127\.0\.0\.1:\d+: refuses to connect to 127\.0\.0\.1:\d+: 407 Proxy Authentication Required; check proxy-url of the kubeconfig, HTTPS_PROXY and NO_PROXY/);
  expect(error.message).not.toContain('p@ss');
  expect(asked).toHaveLength(1);
});

test('a proxy that can not reach the server for the moment is asked again', async () => {
  refuse = '502 Bad Gateway';
  setTimeout(() => { refuse = undefined; }, 5);
  const client = transport();
  await client.request({ method: 'GET', path: '/version', deadlineMs: performance.now() + 5000 });
  client.close();
  expect(asked.length).toBeGreaterThan(1);
});
