import { GET, server, transport } from './_transport';
import { TestClock, eventually } from '../../support/test-clock';

test('where nothing comes on one connection, none of the idle ones is tried', async () => {
  const proxy = await server();
  const clock = new TestClock();
  const client = transport(proxy, { tryTimeoutMs: 1_500, clock });
  proxy.before = async () => eventually(() => proxy.requests.length >= 8);
  await Promise.all(Array.from({ length: 8 }, async () => client.request(GET)));
  proxy.before = undefined;
  expect(proxy.connections).toBe(8);
  const dead = proxy.freeze();
  const answered = client.request(GET);
  await eventually(() => dead.requests === 1);
  clock.pass(1_500);
  expect((await answered).status).toBe(200);
  for (let n = 0; n < 2; n++) {
    expect((await client.request(GET)).status).toBe(200);
  }
  expect([dead.requests, proxy.connections]).toEqual([1, 9]);
});
