import { Manifest } from '../../../src/core/manifest/manifest';
import { ApiCluster } from '../../../src/engine/cluster/api-cluster';
import { clusterUid } from '../../../src/engine/cluster/cluster';
import { ApiError, ApiRequest, Transport } from '../../../src/engine/transport/api';
import { TestClock } from '../../support/test-clock';

type Answer = { status?: number; body?: unknown } | ApiError;

/** A transport that answers from a function and keeps what it was asked. */
class Script implements Transport {
  public readonly requests: ApiRequest[] = [];
  public closed = false;

  public constructor(private readonly answer: (request: ApiRequest) => Answer | undefined) {}

  public async request(request: ApiRequest) {
    this.requests.push(request);
    const answer = this.answer(request);
    if (answer === undefined) {
      throw new ApiError('not-found', `${request.path} not found`, 404, 'NotFound');
    }
    if (answer instanceof ApiError) {
      throw answer;
    }
    return { status: answer.status ?? 200, body: answer.body as never, warnings: ['w'] };
  }

  public close(): void {
    this.closed = true;
  }

  public paths(method = 'GET'): string[] {
    return this.requests.filter((request) => request.method === method).map(({ path }) => path);
  }
}

const CORE = {
  resources: [
    { name: 'configmaps', kind: 'ConfigMap', namespaced: true },
    { name: 'namespaces', kind: 'Namespace', namespaced: false },
    { name: 'pods/log', kind: 'Pod', namespaced: true },
  ],
};
const RBAC = { resources: [{ name: 'clusterroles', kind: 'ClusterRole', namespaced: false }] };

function discovering(answer: (request: ApiRequest) => Answer | undefined): Script {
  return new Script((request) => {
    if (request.path === '/api/v1') {
      return { body: CORE };
    }
    if (request.path === '/apis/rbac.authorization.k8s.io/v1') {
      return { body: RBAC };
    }
    return answer(request);
  });
}

const MAP: Manifest = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'x' },
  data: { a: '1' },
};

test('an object is applied by one PATCH, strictly, and never with force unasked', async () => {
  const script = discovering(() => ({ status: 201, body: { ...MAP } }));
  const answer = await new ApiCluster(script).apply(MAP, { fieldManager: 'cdk8s-harvester' });
  expect(answer).toEqual({ object: MAP, created: true, warnings: ['w'] });
  expect(script.requests[1]).toMatchObject({
    method: 'PATCH',
    path: '/api/v1/namespaces/x/configmaps/a',
    contentType: 'application/apply-patch+yaml',
    body: MAP,
    query: { fieldManager: 'cdk8s-harvester', fieldValidation: 'Strict', force: 'false' },
  });
  expect(script.requests[1].query).not.toHaveProperty('dryRun');
});

test('marks a dry run as one', async () => {
  const script = discovering(() => ({ body: MAP }));
  expect(
    (await new ApiCluster(script).apply(MAP, { fieldManager: 'm', dryRun: true, force: true }))
      .created,
  ).toBe(false);
  expect(script.requests[1].query).toEqual({
    fieldManager: 'm',
    fieldValidation: 'Strict',
    force: 'true',
    dryRun: 'All',
  });
});

test('keeps names exactly: case, colons, percent signs', async () => {
  const script = discovering(() => ({ body: {} }));
  await new ApiCluster(script).read({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    name: 'Cluster:My%Role',
  });
  expect(script.requests[1].path).toBe(
    '/apis/rbac.authorization.k8s.io/v1/clusterroles/Cluster%3AMy%25Role',
  );
});

test.each(['..', '.', ''])(
  'a name that would be another path (%j) is sent nowhere',
  async (name) => {
    const script = discovering(() => ({ body: {} }));
    const cluster = new ApiCluster(script);
    await expect(
      cluster.read({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'x', name }),
    ).rejects.toThrow(`${JSON.stringify(name)} is not a valid name`);
    await expect(
      cluster.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: name, name: 'a' }, 'u'),
    ).rejects.toThrow('is not a valid name');
    expect(script.paths('DELETE')).toEqual([]);
  },
);

test('the groups that are needed are discovered, once, also by many at a time', async () => {
  const script = discovering(() => ({ body: MAP }));
  const cluster = new ApiCluster(script);
  await Promise.all(
    Array.from({ length: 20 }, async () =>
      cluster.read({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'x', name: 'a' }),
    ),
  );
  expect(script.paths().filter((path) => path === '/api/v1')).toHaveLength(1);
  expect(script.requests).toHaveLength(21);
});

test('a kind that was missing is found when its definition has come', async () => {
  let there = false;
  const script = discovering(({ path, method }) => {
    if (path === '/apis/example.com/v1') {
      return there
        ? { body: { resources: [{ name: 'widgets', kind: 'Widget', namespaced: true }] } }
        : undefined;
    }
    return method === 'PATCH' ? { status: 201, body: {} } : undefined;
  });
  const clock = new TestClock();
  const cluster = new ApiCluster(script, clock);
  const widget = {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'w', namespace: 'x' },
  };
  await expect(cluster.apply(widget, { fieldManager: 'm' })).rejects.toMatchObject({
    failure: 'blocked',
    status: 404,
  });
  expect(
    await cluster.read({ apiVersion: 'example.com/v1', kind: 'Widget', namespace: 'x', name: 'w' }),
  ).toBeUndefined();
  expect(await cluster.list('example.com/v1', 'Widget')).toEqual([]);
  await cluster.delete(
    { apiVersion: 'example.com/v1', kind: 'Widget', namespace: 'x', name: 'w' },
    'u',
  );
  there = true;
  expect(await cluster.kind('example.com/v1', 'Widget')).toBeUndefined();
  clock.pass(550);
  expect((await cluster.apply(widget, { fieldManager: 'm' })).created).toBe(true);
  expect(await cluster.kind('example.com/v1', 'Widget')).toEqual({
    plural: 'widgets',
    namespaced: true,
  });
});

test('a group whose API is away is an error, not a missing kind', async () => {
  let away = true;
  const script = discovering(({ path }) => {
    if (path !== '/apis/metrics.k8s.io/v1') {
      return { body: MAP };
    }
    return away
      ? new ApiError('transient', 'service unavailable', 503)
      : { body: { resources: [{ name: 'ms', kind: 'M', namespaced: false }] } };
  });
  const cluster = new ApiCluster(script);
  await expect(cluster.kind('metrics.k8s.io/v1', 'M')).rejects.toMatchObject({
    failure: 'transient',
  });
  // what does not need it continues
  expect(
    await cluster.read({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'x', name: 'a' }),
  ).toEqual(MAP);
  away = false;
  expect(await cluster.kind('metrics.k8s.io/v1', 'M')).toEqual({ plural: 'ms', namespaced: false });
});

test('an object that is not there is undefined; one that may not be read is an error', async () => {
  const cluster = new ApiCluster(
    discovering(({ path }) =>
      path.endsWith('/secret') ? new ApiError('forbidden', 'no', 403) : undefined,
    ),
  );
  expect(
    await cluster.read({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'x', name: 'a' }),
  ).toBeUndefined();
  await expect(
    cluster.read({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'x', name: 'secret' }),
  ).rejects.toMatchObject({ failure: 'forbidden' });
});

test('does not take a server that is not a Kubernetes API for a missing object', async () => {
  const cluster = new ApiCluster(discovering(() => new ApiError('connection', 'a page', 404)));
  await expect(
    cluster.read({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'x', name: 'a' }),
  ).rejects.toMatchObject({ failure: 'connection' });
});

test('reads lists in pages, and begins again where the server cannot continue', async () => {
  let broken = false;
  const script = discovering(({ query }) => {
    const start = Number(query!.continue ?? 0);
    if (start === 500 && !broken) {
      broken = true;
      return new ApiError('blocked', 'The provided continue parameter is too old', 410, 'Expired');
    }
    const items = Array.from({ length: Math.min(500, 1200 - start) }, (_, index) => ({
      metadata: { name: `o${start + index}` },
    }));
    return {
      body: { items, metadata: start + 500 < 1200 ? { continue: String(start + 500) } : {} },
    };
  });
  const objects = await new ApiCluster(script).list('v1', 'ConfigMap', {
    labelSelector: 'a=b',
    namespace: 'x',
  });
  expect(objects).toHaveLength(1200);
  expect(new Set(objects.map(({ metadata }) => metadata.name)).size).toBe(1200);
  expect(objects[1199]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
  expect(script.requests[1]).toMatchObject({
    path: '/api/v1/namespaces/x/configmaps',
    query: { limit: '500', labelSelector: 'a=b' },
  });
  expect(script.requests).toHaveLength(1 + 2 + 3);
});

test('a list over all namespaces', async () => {
  const script = discovering(() => ({ body: { items: [], metadata: {} } }));
  await new ApiCluster(script).list('v1', 'ConfigMap');
  expect(script.requests[1].path).toBe('/api/v1/configmaps');
});

describe('a JSON patch', () => {
  const REF = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'x', name: 'a' };
  const STEPS = [{ op: 'test', path: '/metadata/resourceVersion', value: '7' }] as const;

  test('is sent as it is, with our name', async () => {
    const script = discovering(() => ({ body: MAP }));
    expect(await new ApiCluster(script).patch(REF, STEPS, { fieldManager: 'm' })).toEqual(MAP);
    expect(script.requests[1]).toMatchObject({
      method: 'PATCH',
      path: '/api/v1/namespaces/x/configmaps/a',
      contentType: 'application/json-patch+json',
      query: { fieldManager: 'm' },
      body: STEPS,
    });
  });

  test('is to be tried again where its test fails, and for no other refusal', async () => {
    const failing = (message: string) =>
      new ApiCluster(discovering(() => new ApiError('invalid', message, 422, 'Invalid'))).patch(
        REF,
        STEPS,
        { fieldManager: 'm' },
      );
    await expect(
      failing('the server rejected our request due to an error in our request'),
    ).rejects.toMatchObject({
      failure: 'blocked',
      message: 'ConfigMap a was written by another client at the same time: it is read again',
    });
    await expect(failing('metadata.managedFields: Invalid value')).rejects.toMatchObject({
      failure: 'invalid',
    });
    await expect(
      new ApiCluster(discovering(() => undefined)).patch({ ...REF, kind: 'Widget' }, STEPS, {
        fieldManager: 'm',
      }),
    ).rejects.toMatchObject({ failure: 'not-found' });
  });
});

describe('deletion', () => {
  const REF = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'x', name: 'a' };

  test('is of this uid alone, in the background', async () => {
    const script = discovering(() => ({ body: {} }));
    await new ApiCluster(script).delete(REF, 'uid-1');
    expect(script.requests[1]).toMatchObject({
      method: 'DELETE',
      path: '/api/v1/namespaces/x/configmaps/a',
      body: {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        propagationPolicy: 'Background',
        preconditions: { uid: 'uid-1' },
      },
    });
  });

  test('of what is gone, or going, is done', async () => {
    await new ApiCluster(discovering(() => undefined)).delete(REF, 'uid-1');
    const going = new ApiError(
      'blocked',
      'Operation cannot be fulfilled on namespaces "x": The system is ensuring all content is removed',
      409,
      'Conflict',
    );
    await new ApiCluster(discovering(() => going)).delete(
      { apiVersion: 'v1', kind: 'Namespace', name: 'x' },
      'uid-1',
    );
  });

  test('is refused and reported for an object that was recreated', async () => {
    const other = new ApiError('precondition', 'Precondition failed', 409, 'Conflict');
    await expect(
      new ApiCluster(discovering(() => other)).delete(REF, 'uid-1'),
    ).rejects.toMatchObject({ failure: 'precondition' });
  });
});

test('signal and deadline go along with every request, discovery too', async () => {
  const script = discovering(() => ({ body: { items: [], metadata: {} } }));
  const options = { signal: new AbortController().signal, deadlineMs: 7 };
  const cluster = new ApiCluster(script);
  await cluster.list('v1', 'ConfigMap', options);
  await cluster.apply(MAP, { fieldManager: 'm', ...options });
  expect(script.requests.map(({ signal, deadlineMs }) => [signal, deadlineMs])).toEqual(
    script.requests.map(() => [options.signal, 7]),
  );
});

test('a cluster is known by its kube-system', async () => {
  const script = discovering(({ path }) =>
    path === '/api/v1/namespaces/kube-system'
      ? { body: { metadata: { uid: 'uid-ks' } } }
      : undefined,
  );
  const cluster = new ApiCluster(script);
  expect(await clusterUid(cluster)).toBe('uid-ks');
  cluster.close();
  expect(script.closed).toBe(true);
});
