import { GET, OK, PATCH, failure, server, transport } from './_transport';
import { ApiError, Connection } from '../../../src/engine/transport/api';
import { FaultProxy, status } from '../../support/fault-proxy';
import { TestClock, eventually } from '../../support/test-clock';

describe('401', () => {
  test('of a webhook is a refusal of the object: no other credentials are asked for', async () => {
    const message =
      'admission webhook "rancher.cattle.io.clusters.provisioning.cattle.io" denied the request: Unauthorized';
    const proxy = await server(() => status(401, 'Unauthorized', message));
    expect(await failure(transport(proxy).request(PATCH))).toMatchObject({
      failure: 'invalid',
      message: expect.stringContaining('denied the request: Unauthorized'),
    });
    expect(proxy.requests).toHaveLength(1);
  });

  function rotating(): { asked: boolean[]; credentials: Connection['credentials'] } {
    const asked: boolean[] = [];
    let token = 'old';
    return {
      asked,
      credentials: async (refresh) => {
        asked.push(refresh);
        if (refresh) {
          token = 'new';
        }
        return { headers: { authorization: `Bearer ${token}` } };
      },
    };
  }

  test('asks once for new credentials, for all requests together, and continues', async () => {
    const proxy = await server(({ headers }) =>
      headers.authorization === 'Bearer new' ? OK : status(401, 'Unauthorized', 'Unauthorized'),
    );
    const source = rotating();
    const client = transport(proxy, {}, { credentials: source.credentials });
    await Promise.all(Array.from({ length: 8 }, async () => client.request(GET)));
    expect(source.asked.filter((refresh) => refresh)).toHaveLength(1);
  });

  test('does not ask again where a later try fails for the moment', async () => {
    let answered = 0;
    const proxy = await server(({ headers }) => {
      if (headers.authorization !== 'Bearer new') {
        return status(401, 'Unauthorized', 'Unauthorized');
      }
      return ++answered < 3 ? status(503, 'ServiceUnavailable', 'later') : OK;
    });
    const source = rotating();
    await transport(proxy, {}, { credentials: source.credentials }).request(GET);
    expect(source.asked.filter((refresh) => refresh)).toHaveLength(1);
  });

  test('names the context of a token that remains refused', async () => {
    const proxy = await server(() => status(401, 'Unauthorized', 'Unauthorized'));
    const error = await failure(transport(proxy).request(GET));
    expect(error.failure).toBe('auth');
    expect(error.message).toMatch(
      /^Unauthorized: 127\.0\.0\.1:\d+ \(context prod\) rejected the credentials. Fix: get new ones$/,
    );
    expect(proxy.requests).toHaveLength(2);
  });

  test('does not treat missing credentials as a failure of the network', async () => {
    const proxy = await server();
    const error = await failure(
      transport(
        proxy,
        {},
        {
          credentials: async () => {
            throw new ApiError('auth', 'the command returned no credentials');
          },
        },
      ).request(GET),
    );
    expect([error.failure, error.message]).toEqual(['auth', 'the command returned no credentials']);
  });
});

describe('TLS', () => {
  async function tls(
    rotation: Parameters<FaultProxy['rotate']>[0],
    more: Partial<Connection> = {},
  ): Promise<ApiError> {
    const proxy = await server();
    proxy.rotate(rotation);
    const error = await failure(transport(proxy, {}, more).request(GET));
    expect(proxy.requests).toHaveLength(0);
    return error;
  }

  test.each([
    [
      'another authority',
      { newAuthority: true },
      /its certificate is (signed by an unknown authority|not signed by the authority)/,
    ],
    [
      'another host',
      { hosts: ['other.example.com'] },
      /its certificate is for another host name \(ERR_TLS_CERT_ALTNAME_INVALID\)\. Fix: use a host name/,
    ],
    [
      'expired',
      { notBefore: new Date(Date.now() - 9e8), notAfter: new Date(Date.now() - 8e8) },
      /its certificate has expired \(CERT_HAS_EXPIRED\)/,
    ],
    [
      'not yet valid',
      { notBefore: new Date(Date.now() + 8e8), notAfter: new Date(Date.now() + 9e8) },
      /not valid yet \(CERT_NOT_YET_VALID\)\. Fix: check the clock of this machine/,
    ],
  ])('a certificate of %s is final', async (_, rotation, words) => {
    const error = await tls(rotation);
    expect(error.failure).toBe('connection');
    expect(error.message).toMatch(words);
  });

  test("ignores an authority of the environment that is not the kubeconfig's", async () => {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    try {
      expect((await tls({ newAuthority: true })).failure).toBe('connection');
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    }
  });

  test('tls-server-name is what the certificate is checked for', async () => {
    const proxy = await server();
    proxy.rotate({ hosts: ['api.example.com'] });
    expect(
      (await transport(proxy, {}, { tlsServerName: 'api.example.com' }).request(GET)).status,
    ).toBe(200);
  });

  test('accepts a certificate that is renewed by the same authority', async () => {
    const proxy = await server();
    const client = transport(proxy);
    await client.request(GET);
    proxy.rotate();
    expect((await client.request(GET)).status).toBe(200);
  });
});

describe('ending', () => {
  test('an abort ends a request that waits for its answer, for its place, or for its next try', async () => {
    const proxy = await server();
    proxy.fault = ({ path }) =>
      path === '/busy'
        ? { kind: 'answer', answer: { ...status(503, 'x', 'x') } }
        : { kind: 'hang' };
    const client = transport(proxy, {
      workers: 2,
      pace: { baseMs: 60_000, capMs: 60_000 },
      clock: new TestClock(),
    });
    const abort = new AbortController();
    const deadlineMs = 100_000;
    const all = [{ ...GET, path: '/busy' }, GET, GET, GET].map(async (request) =>
      failure(client.request({ ...request, deadlineMs, signal: abort.signal })),
    );
    // no time passes: the abort alone ends them
    await eventually(() => proxy.requests.length === 3);
    abort.abort();
    expect((await Promise.all(all)).map((error) => error.failure)).toEqual([
      'aborted',
      'aborted',
      'aborted',
      'aborted',
    ]);
    expect(await failure(client.request({ ...GET, signal: abort.signal }))).toMatchObject({
      failure: 'aborted',
    });
  });
});

describe('further messages of the server', () => {
  test('Warning headers, each as its text', async () => {
    const proxy = await server(() => ({
      ...OK,
      headers: {
        warning: ['299 - "v1beta1 is deprecated, use \\"v1\\""', '299 - "unknown field"'],
      },
    }));
    expect((await transport(proxy).request(GET)).warnings).toEqual([
      'v1beta1 is deprecated, use "v1"',
      'unknown field',
    ]);
  });

  test('reports a clock that differs once', async () => {
    const notices: string[] = [];
    const proxy = await server(() => ({
      ...OK,
      headers: { date: new Date(Date.now() - 86_400_000).toUTCString() },
    }));
    const client = transport(proxy, { onNotice: (message) => notices.push(message) });
    await client.request(GET);
    await client.request(GET);
    expect(notices).toEqual([
      expect.stringMatching(
        /the clock of this machine is 1440m(?:\d+s)? ahead of the server's; this has no effect here$/,
      ),
    ]);
  });

  test('plain text, as of health checks', async () => {
    const proxy = await server(() => ({
      status: 200,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: 'ok',
    }));
    expect((await transport(proxy).request({ method: 'GET', path: '/readyz' })).body).toBe('ok');
  });
});

describe('secrets in errors', () => {
  const canary = 'c4n4ry-Pa55word';
  const forms = [canary, Buffer.from(canary).toString('base64'), encodeURIComponent(canary)];

  test.each<[string, object]>([
    [
      'data of a Secret',
      { kind: 'Secret', data: { anything: Buffer.from(canary).toString('base64') } },
    ],
    ['stringData of a Secret', { kind: 'Secret', stringData: { anything: canary } }],
    ['a field that is named so', { kind: 'Widget', spec: { rancher: { apiToken: canary } } }],
    [
      'JSON in the value of a Setting',
      { kind: 'Setting', value: JSON.stringify({ Auth: { Password: canary } }) },
    ],
    [
      'a line of cloud-init',
      { kind: 'HarvesterConfig', userData: `#cloud-config\npassword: x\n${canary}\n` },
    ],
  ])('scrubs %s where the server repeats it', async (_, body) => {
    const proxy = await server(() => ({
      ...status(422, 'Invalid', `a is invalid: x: Invalid value: "${forms.join('" "')}": bad`),
      headers: { warning: [`299 - "found ${canary}"`] },
    }));
    const error = await failure(transport(proxy).request({ ...PATCH, body }));
    for (const form of forms) {
      expect(error.message).not.toContain(form);
    }
    expect(error.message).toMatch(/a is invalid: x: Invalid value: "<secret>"/);
  });

  test('the token that a request is signed with', async () => {
    const proxy = await server(() => status(403, 'Forbidden', `token ${canary} may not`));
    const error = await failure(
      transport(
        proxy,
        {},
        { credentials: async () => ({ headers: { authorization: `Bearer ${canary}` } }) },
      ).request(GET),
    );
    expect(error.message).not.toContain(canary);
  });
});
