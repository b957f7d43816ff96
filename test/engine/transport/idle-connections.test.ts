import { GET, server, transport } from './_transport';

test('where nothing comes on one connection, none of the idle ones is tried (27)', async () => {
  const proxy = await server();
  const client = transport(proxy, { tryTimeoutMs: 1_500 });
  proxy.before = async () => { while (proxy.requests.length < 8) { await new Promise((resolve) => setTimeout(resolve, 10)); } };
  await Promise.all(Array.from({ length: 8 }, async () => client.request(GET)));
  proxy.before = undefined;
  expect(proxy.connections).toBe(8);
  const dead = proxy.freeze();
  for (let n = 0; n < 3; n++) { expect((await client.request(GET)).status).toBe(200); }
  expect([dead.requests, proxy.connections]).toEqual([1, 9]);
});
