import { GET, PATCH, answers, failure, first, server, transport } from './_transport';
import { ApiError } from '../../../src/engine/transport/api';
import { NodeTransport } from '../../../src/engine/transport/node-transport';
import { Fault, ProxiedAnswer, status } from '../../support/fault-proxy';
import { TestClock, eventually } from '../../support/test-clock';

/** Lets requests through once four of them are there, however slow the machine is. */
function onceFourWait(): () => Promise<void> {
  let waiting: (() => void)[] = [];
  return async () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length < 4) {
        return;
      }
      waiting.forEach((letThrough) => letThrough());
      waiting = [];
    });
}

describe('what is sent', () => {
  test('method, path below the base path, query, credentials, content type and body', async () => {
    const proxy = await server();
    const { body, status: code } = await transport(
      proxy,
      {},
      { server: new URL(`${proxy.url}/k8s/clusters/c-m-abc/`) },
    ).request({ ...PATCH, query: { fieldManager: 'cdk8s-harvester', force: 'false' } });
    expect([code, body.kind]).toEqual([200, 'ConfigMap']);
    const [request] = proxy.requests;
    expect(request.path).toBe(
      '/k8s/clusters/c-m-abc/api/v1/namespaces/x/configmaps/a?fieldManager=cdk8s-harvester&force=false',
    );
    expect(request.headers).toMatchObject({
      'authorization': 'Bearer tok-1',
      'content-type': 'application/apply-patch+yaml',
      'accept': 'application/json',
    });
    expect(JSON.parse(request.body)).toEqual(PATCH.body);
  });

  test('no more requests at a time than there are workers, over connections that are kept', async () => {
    const proxy = await server();
    proxy.before = onceFourWait();
    const client = transport(proxy, { workers: 4 });
    await Promise.all(Array.from({ length: 40 }, async () => client.request(GET)));
    expect(proxy.requests).toHaveLength(40);
    expect(proxy.mostAtATime).toBe(4);
    expect(proxy.connections).toBeLessThanOrEqual(4);
  });

  test('nothing to http:// servers', () => {
    expect(
      () =>
        new NodeTransport({
          name: 'context prod',
          server: new URL('http://10.0.0.1:8080'),
          credentials: async () => ({ headers: {} }),
        }),
    ).toThrow(
      '10.0.0.1:8080 (context prod): must be an https:// URL, got http://: credentials are never sent in plain text',
    );
  });

  test('credentials only to their own server: two transports at the same time, redirects not followed', async () => {
    const [one, two] = [await server(), await server()];
    one.fault = ({ path }) =>
      path === '/away'
        ? {
            kind: 'answer',
            answer: { status: 302, headers: { location: `${two.url}/api?token=secret` } },
          }
        : undefined;
    const [toOne, toTwo] = [
      transport(one),
      transport(
        two,
        {},
        { credentials: async () => ({ headers: { authorization: 'Bearer tok-2' } }) },
      ),
    ];
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => (index % 2 ? toOne : toTwo).request(GET)),
    );
    const error = await failure(toOne.request({ method: 'GET', path: '/away' }));
    expect(error.failure).toBe('connection');
    expect(error.message).toContain(`redirects to ${new URL(two.url).host} (302)`);
    expect(error.message).not.toContain('secret');
    expect(new Set(one.requests.map(({ headers }) => headers.authorization))).toEqual(
      new Set(['Bearer tok-1']),
    );
    expect(new Set(two.requests.map(({ headers }) => headers.authorization))).toEqual(
      new Set(['Bearer tok-2']),
    );
    expect(two.requests).toHaveLength(10);
  });
});

describe('what is tried again', () => {
  test('429 with Retry-After: waits that long, lets fewer through, all succeed', async () => {
    const proxy = await server();
    const clock = new TestClock();
    const times: number[] = [];
    proxy.before = () => {
      times.push(clock.now());
    };
    proxy.fault = answers(8, {
      ...status(429, 'TooManyRequests', 'too many requests'),
      headers: { 'retry-after': '1' },
    });
    const client = transport(proxy, { workers: 8, clock });
    await Promise.all(Array.from({ length: 24 }, async () => client.request(GET)));
    expect(proxy.requests).toHaveLength(32);
    // the ninth request comes after the pause
    expect(times[8] - times[0]).toBeGreaterThanOrEqual(1000);
  });

  test('429 without Retry-After: by our own pauses', async () => {
    const proxy = await server();
    proxy.fault = answers(3, status(429, 'TooManyRequests', 'too many requests'));
    expect((await transport(proxy).request(GET)).status).toBe(200);
    expect(proxy.requests).toHaveLength(4);
  });

  test.each([
    [
      '503 with a page of a proxy',
      {
        status: 503,
        headers: { 'content-type': 'text/html' },
        body: '<html><title>503 away</title></html>',
      },
    ],
    [
      '502',
      { status: 502, headers: { 'content-type': 'text/html' }, body: '<html>Bad gateway</html>' },
    ],
    ['500 etcdserver: leader changed', status(500, 'InternalError', 'etcdserver: leader changed')],
    [
      '500 etcdserver: request timed out',
      status(500, 'InternalError', 'etcdserver: request timed out'),
    ],
    [
      '504 timeout',
      status(504, 'Timeout', 'Timeout: request did not complete within requested timeout'),
    ],
  ])('%s', async (_, answer) => {
    const proxy = await server();
    proxy.fault = answers(2, answer);
    expect((await transport(proxy).request(PATCH)).status).toBe(200);
    expect(proxy.requests).toHaveLength(3);
  });

  test.each<[string, Fault]>([
    ['a connection that is cut before the server sees the request', { kind: 'cut-before' }],
    ['a connection that is cut after the server did it', { kind: 'cut-after' }],
    ['an answer that ends in the middle', { kind: 'truncate' }],
    ['a server that accepts and never answers', { kind: 'hang' }],
  ])('%s', async (_, fault) => {
    const proxy = await server();
    const clock = new TestClock();
    proxy.fault = first(2, fault);
    if (fault.kind === 'hang') {
      proxy.before = ({ n }) => {
        if (n <= 2) {
          clock.pass(100);
        }
      };
    }
    expect((await transport(proxy, { tryTimeoutMs: 100, clock }).request(PATCH)).status).toBe(200);
    expect(proxy.requests).toHaveLength(3);
  });

  test('waits for a slow body while it continues', async () => {
    const proxy = await server();
    const clock = new TestClock();
    // each pause begins when the piece before it has arrived, which the client notes the time of
    proxy.pause = async (ms) => {
      const { looks } = clock;
      await eventually(() => clock.looks > looks);
      clock.pass(ms);
    };
    // longer than a try may take, with pauses below it
    proxy.fault = first(1, { kind: 'slow', ms: 300, pieces: 6 });
    const deadlineMs = 60_000;
    expect(
      (await transport(proxy, { tryTimeoutMs: 1500, clock }).request({ ...GET, deadlineMs })).body
        .kind,
    ).toBe('ConfigMap');
    expect(clock.now()).toBeGreaterThan(1500);
    expect(proxy.requests).toHaveLength(1);
  });

  test('a connection that a proxy drops while it is idle', async () => {
    const proxy = await server();
    const client = transport(proxy);
    await client.request(GET);
    proxy.cutAll();
    expect((await client.request(GET)).status).toBe(200);
  });

  test('waits until the deadline, then reports what was tried', async () => {
    const proxy = await server();
    const page = '<html><title>Rancher is starting</title></html>';
    proxy.fault = answers(Infinity, {
      status: 503,
      headers: { 'content-type': 'text/html' },
      body: page,
    });
    const clock = new TestClock();
    const error = await failure(transport(proxy, { clock }).request({ ...GET, deadlineMs: 300 }));
    expect(error).toMatchObject({ failure: 'transient', status: 503 });
    expect(error.message).toMatch(
      /^127\.0\.0\.1:\d+ \(context prod\): 503 Rancher is starting; tried 17 times in 0\.3s$/,
    );
    // the pauses are 4, 8, 16 and then 20 ms: the next one would end after the deadline
    expect([proxy.requests.length, clock.now()]).toEqual([17, 288]);
  });

  test('eight times where there is no deadline', async () => {
    const proxy = await server();
    proxy.fault = answers(Infinity, status(500, 'InternalError', 'etcdserver: leader changed'));
    expect((await failure(transport(proxy).request(GET))).message).toMatch(
      /^etcdserver: leader changed; tried 8 times/,
    );
    expect(proxy.requests).toHaveLength(8);
  });

  test('not where the server asks to wait beyond the deadline', async () => {
    const proxy = await server();
    proxy.fault = answers(Infinity, {
      ...status(429, 'TooManyRequests', 'slow down'),
      headers: { 'retry-after': '3600' },
    });
    const error = await failure(
      transport(proxy, { clock: new TestClock() }).request({ ...GET, deadlineMs: 1000 }),
    );
    expect([error.failure, error.message]).toEqual(['transient', 'slow down']);
    expect(proxy.requests).toHaveLength(1);
  });

  test('leaves a server that is down alone for a while, and reports it', async () => {
    const proxy = await server();
    const notices: string[] = [];
    proxy.fault = answers(6, { status: 502, headers: { 'content-type': 'text/html' }, body: '' });
    const pace = { baseMs: 1, capMs: 2, breakAfter: 5, breakMs: 300 };
    const clock = new TestClock();
    const client = transport(proxy, {
      workers: 2,
      pace,
      clock,
      onNotice: (message) => notices.push(message),
    });
    const deadlineMs = 5000;
    await Promise.all([
      client.request({ ...GET, deadlineMs }),
      client.request({ ...GET, deadlineMs }),
    ]);
    expect(clock.now()).toBeGreaterThanOrEqual(300);
    expect(notices[0]).toMatch(
      /^127\.0\.0\.1:\d+ \(context prod\) unavailable, trying again in 0\.3s: .*502$/,
    );
    expect(notices[1]).toMatch(/answers again after 0\.\ds$/);
  });
});

test('reports once what it waits for, while a server does not answer at all', async () => {
  const proxy = await server();
  const notices: string[] = [];
  proxy.fault = () => ({ kind: 'cut-before' });
  const client = transport(proxy, {
    clock: new TestClock(),
    onNotice: (message) => notices.push(message),
  });
  await Promise.all([failure(client.request(GET)), failure(client.request(GET))]);
  await failure(client.request(GET));
  expect(notices).toEqual([
    expect.stringMatching(/^does not answer, trying again: 127\.0\.0\.1:\d+ \(context prod\): /),
  ]);
});

describe('what is not tried again', () => {
  test.each<[string, ApiError['failure'], ProxiedAnswer]>([
    [
      '400 of strict validation',
      'invalid',
      status(
        400,
        'BadRequest',
        'failed to create typed patch object: .spec.quantityy: field not declared in schema',
      ),
    ],
    [
      '500 of a manager whose version is gone',
      'invalid',
      status(500, '', 'request to convert CR to an invalid group/version: example.com/v1'),
    ],
    [
      '500 of a manager whose version lacks a field',
      'invalid',
      status(
        500,
        '',
        'failed to prune fields: failed to convert merged object: .spec.c: field not declared in schema',
      ),
    ],
    [
      '422',
      'invalid',
      status(
        422,
        'Invalid',
        'ConfigMap "a" is invalid: data: Forbidden: field is immutable when `immutable` is set',
      ),
    ],
    [
      'a webhook that denies with 403',
      'invalid',
      status(
        403,
        'Forbidden',
        'admission webhook "rancher.cattle.io.projects" denied the request: no',
      ),
    ],
    [
      'a webhook that denies with 400',
      'invalid',
      status(
        400,
        'BadRequest',
        'admission webhook "validator.harvesterhci.io" denied the request: no',
      ),
    ],
    [
      'a webhook whose backend is down',
      'blocked',
      status(
        500,
        'InternalError',
        'Internal error occurred: failed calling webhook "x": connection refused',
      ),
    ],
    [
      '403',
      'forbidden',
      status(
        403,
        'Forbidden',
        'configmaps "a" is forbidden: User "u" cannot patch resource "configmaps"',
      ),
    ],
    [
      'a namespace that is going',
      'blocked',
      status(
        403,
        'Forbidden',
        'configmaps "a" is forbidden: unable to create new content in namespace x because it is being terminated',
      ),
    ],
    [
      'a namespace that is not there',
      'blocked',
      status(404, 'NotFound', 'namespaces "x" not found', { name: 'x', kind: 'namespaces' }),
    ],
    [
      'an object that is not there',
      'not-found',
      status(404, 'NotFound', 'configmaps "a" not found', { name: 'a', kind: 'configmaps' }),
    ],
    [
      'a kind that is not served',
      'blocked',
      { status: 404, headers: { 'content-type': 'text/plain' }, body: '404 page not found\n' },
    ],
    [
      'a uid that is another',
      'precondition',
      status(409, 'Conflict', 'Precondition failed: UID in precondition: 1, UID in object meta: 2'),
    ],
    [
      'an object that is too large',
      'invalid',
      status(413, 'RequestEntityTooLarge', 'Request entity too large: limit is 3145728'),
    ],
    ['an unknown error', 'blocked', status(500, 'InternalError', 'Internal error occurred: boom')],
    [
      'a project whose namespace is still going',
      'blocked',
      status(
        500,
        'InternalError',
        'failed to create project namespace : namespace c-m-1-orders already exists',
      ),
    ],
  ])('%s', async (_, expected, answer) => {
    const proxy = await server(() => answer);
    const error = await failure(transport(proxy).request(PATCH));
    expect(error).toMatchObject({ failure: expected, status: answer.status });
    expect(proxy.requests).toHaveLength(1);
  });

  test('a conflict names the other manager and the field', async () => {
    const proxy = await server(() =>
      status(
        409,
        'Conflict',
        'Apply failed with 1 conflict: conflict with "kubectl-edit" using v1: .data.a',
        {
          causes: [
            {
              reason: 'FieldManagerConflict',
              message: 'conflict with "kubectl-edit" using v1 at 2026-01-01T00:00:00Z',
              field: '.data.a',
            },
          ],
        },
      ),
    );
    const error = await failure(transport(proxy).request(PATCH));
    expect(error.failure).toBe('conflict');
    expect(error.conflicts).toEqual([{ manager: 'kubectl-edit', field: '.data.a' }]);
  });

  test('200 with a page to sign in', async () => {
    const proxy = await server();
    proxy.fault = first(9, { kind: 'login-page' });
    const error = await failure(transport(proxy).request(GET));
    expect(error.failure).toBe('connection');
    expect(error.message).toMatch(
      /^127\.0\.0\.1:\d+ \(context prod\) answers with text\/html, so it is not a Kubernetes API\. Fix: correct the server/,
    );
    expect(proxy.requests).toHaveLength(1);
  });

  test('a 404 page of something else', async () => {
    const proxy = await server(() => ({
      status: 404,
      headers: { 'content-type': 'text/html' },
      body: '<html><title>Not here</title></html>',
    }));
    expect(await failure(transport(proxy).request(GET))).toMatchObject({ failure: 'connection' });
  });
});

describe('a server that does not answer', () => {
  test('is tried for as long as one request may take; the next requests try once whether it is back', async () => {
    const proxy = await server();
    const clock = new TestClock();
    let hangs = Infinity;
    proxy.fault = ({ n }) => {
      if (n > hangs) {
        return undefined;
      }
      clock.pass(250);
      return { kind: 'hang' };
    };
    const client = transport(proxy, { retryMs: 1500, tryTimeoutMs: 250, clock });
    expect((await failure(client.request(PATCH))).message).toMatch(
      /no answer in time.*tried 6 times/,
    );
    const tried = proxy.requests.length;
    expect(tried).toBe(6);
    expect((await failure(client.request(PATCH))).message).not.toContain('tried');
    expect(proxy.requests).toHaveLength(tried + 1);
    hangs = tried + 1;
    expect((await client.request(GET)).status).toBe(200);
    // it answered: it is tried again as before
    hangs = tried + 4;
    expect((await client.request(GET)).status).toBe(200);
  });

  test('is not waited for beyond the time of a request, also after many failures', async () => {
    const proxy = await server();
    proxy.fault = () => ({ kind: 'cut-before' });
    const client = transport(proxy, {
      clock: new TestClock(),
      retryMs: 500,
      pace: { baseMs: 1, capMs: 2, breakAfter: 3, breakMs: 3_600_000 },
    });
    expect((await failure(client.request(GET))).failure).toBe('transient');
    expect(proxy.requests).toHaveLength(3);
    expect((await failure(client.request(GET))).message).toMatch(
      /requests pause after many failures, the last one: .*ECONNRESET/,
    );
    expect(proxy.requests).toHaveLength(3);
  });
});
