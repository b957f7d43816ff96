import { Manifest } from '../../../src/core/manifest/manifest';
import { ApiCluster } from '../../../src/engine/cluster/api-cluster';
import { LiveObject, clusterUid } from '../../../src/engine/cluster/cluster';
import { ApiError, Connection } from '../../../src/engine/transport/api';
import { NodeTransport } from '../../../src/engine/transport/node-transport';
import { Fault, FaultProxy } from '../../support/fault-proxy';
import { clientOf, clusters, describeCluster } from '../clusters';

const namespace = 'transport-test';
const MANAGER = { fieldManager: 'cdk8s-harvester' };

function configMap(name: string, data: { [key: string]: unknown } = { a: '1' }): Manifest {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data };
}

async function refusal(promise: Promise<unknown>): Promise<ApiError> {
  return promise.then(
    () => {
      throw new Error('was not refused');
    },
    (error: ApiError) => error,
  );
}

describeCluster('the transport and the cluster client', () => {
  let proxy: FaultProxy;
  let cluster: ApiCluster;
  let token: string;

  function connection(through?: FaultProxy): Connection {
    const { url, ca } = clusters().connections.guest;
    return {
      name: 'context guest',
      server: new URL(through?.url ?? url),
      ca: through?.ca ?? ca,
      credentials: async () => ({ headers: { authorization: `Bearer ${token}` } }),
    };
  }

  beforeAll(async () => {
    ({ token } = clusters().connections.guest);
    proxy = await FaultProxy.start(clusters().connections.guest);
    await clientOf('guest').apply({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    });
  });

  beforeEach(() => {
    proxy.fault = undefined;
    proxy.requests.length = 0;
    cluster = new ApiCluster(
      new NodeTransport(connection(proxy), { tryTimeoutMs: 2000, pace: { baseMs: 5, capMs: 50 } }),
    );
  });

  afterEach(() => cluster.close());

  afterAll(async () => {
    await proxy?.close();
    await clientOf('guest').delete({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    });
  });

  async function read(name: string): Promise<LiveObject | undefined> {
    return cluster.read({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name });
  }

  test('create, apply again, dry run, read, delete', async () => {
    const created = await cluster.apply(configMap('round'), MANAGER);
    expect(created.created).toBe(true);
    const again = await cluster.apply(configMap('round'), MANAGER);
    expect([again.created, again.object.metadata.resourceVersion]).toEqual([
      false,
      created.object.metadata.resourceVersion,
    ]);
    const dry = await cluster.apply(configMap('round', { a: '2' }), { ...MANAGER, dryRun: true });
    expect(dry.object.data).toEqual({ a: '2' });
    expect((await read('round'))!.data).toEqual({ a: '1' });

    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'round' };
    expect(await refusal(cluster.delete(ref, 'another-uid'))).toMatchObject({
      failure: 'precondition',
      status: 409,
    });
    expect((await read('round'))!.metadata.uid).toBe(created.object.metadata.uid);
    await cluster.delete(ref, created.object.metadata.uid);
    expect(await read('round')).toBeUndefined();
    await cluster.delete(ref, created.object.metadata.uid);
  });

  test('creates one object when the answer is lost and the request is repeated', async () => {
    proxy.fault = ({ method, n }) =>
      method === 'PATCH' && n <= 3 ? { kind: 'cut-after' } : undefined;
    const { object } = await cluster.apply(configMap('lost'), MANAGER);
    expect(proxy.count('PATCH')).toBeGreaterThan(1);
    expect(object.metadata.resourceVersion).toBe((await read('lost'))!.metadata.resourceVersion);
    expect(
      object.metadata.managedFields!.filter(({ manager }) => manager === MANAGER.fieldManager),
    ).toHaveLength(1);
  });

  test.each<[string, Fault]>([
    ['5', { kind: 'cut-before' }],
    ['7', { kind: 'truncate' }],
    ['8', { kind: 'hang' }],
  ])('a fault of the way (%s) is tried again and nothing is doubled', async (number, fault) => {
    let faults = 0;
    proxy.fault = ({ method }) => (method === 'PATCH' && faults++ < 1 ? fault : undefined);
    await cluster.apply(configMap(`fault-${number}`), MANAGER);
    expect(proxy.count('PATCH')).toBe(2);
    expect((await read(`fault-${number}`))!.data).toEqual({ a: '1' });
  });

  test('accepts a delete whose answer was lost', async () => {
    const { object } = await cluster.apply(configMap('gone'), MANAGER);
    let faults = 0;
    proxy.fault = ({ method }) =>
      method === 'DELETE' && faults++ < 1 ? { kind: 'cut-after' } : undefined;
    await cluster.delete(
      { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'gone' },
      object.metadata.uid,
    );
    expect(proxy.count('DELETE')).toBe(2);
    expect(await read('gone')).toBeUndefined();
  });

  test('names the manager and the field of a conflict, and takes no ownership', async () => {
    await cluster.apply(configMap('owned', { a: 'theirs' }), { fieldManager: 'kubectl-edit' });
    const error = await refusal(cluster.apply(configMap('owned', { a: 'ours' }), MANAGER));
    expect(error).toMatchObject({
      failure: 'conflict',
      conflicts: [{ manager: 'kubectl-edit', field: '.data.a' }],
    });
    expect((await read('owned'))!.data).toEqual({ a: 'theirs' });
    await cluster.apply(configMap('owned', { a: 'ours' }), { ...MANAGER, force: true });
    expect((await read('owned'))!.data).toEqual({ a: 'ours' });
  });

  test('refuses an unknown field by its path', async () => {
    const error = await refusal(cluster.apply({ ...configMap('typo'), dataa: {} }, MANAGER));
    expect(error.failure).toBe('invalid');
    expect(error.message).toContain('.dataa: field not declared in schema');
  });

  test('masks a secret that the server repeats', async () => {
    const canary = 'C4nary_sEcret!value';
    const error = await refusal(
      cluster.apply(
        {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'echo', namespace },
          type: 'Opaque',
          data: { token: canary },
        },
        MANAGER,
      ),
    );
    expect(error.failure).toBe('invalid');
    expect(error.message).not.toContain(canary);
    const key = await refusal(
      cluster.apply(
        {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'echo', namespace },
          stringData: { token: { [canary]: canary } },
        },
        MANAGER,
      ),
    );
    expect(key.failure).toBe('invalid');
    expect(key.message).not.toContain(canary);
  });

  test('reports a missing namespace or kind as blocked', async () => {
    const inNowhere = {
      ...configMap('a'),
      metadata: { name: 'a', namespace: 'transport-nowhere' },
    };
    expect(await refusal(cluster.apply(inNowhere, MANAGER))).toMatchObject({
      failure: 'blocked',
      status: 404,
    });
    expect(
      await refusal(
        cluster.apply(
          { apiVersion: 'nope.example.com/v1', kind: 'Nope', metadata: { name: 'a' } },
          MANAGER,
        ),
      ),
    ).toMatchObject({ failure: 'blocked' });
    expect(await cluster.read({ apiVersion: 'v1', kind: 'Nope', name: 'a' })).toBeUndefined();
  });

  test('reports an unknown token, and uses a renewed one', async () => {
    const good = token;
    token = 'wrong';
    try {
      expect(await refusal(cluster.get('/version'))).toMatchObject({
        failure: 'auth',
        status: 401,
      });
      let asked = 'wrong';
      const renewing = new ApiCluster(
        new NodeTransport({
          ...connection(proxy),
          credentials: async (refresh) => {
            if (refresh) {
              asked = good;
            }
            return { headers: { authorization: `Bearer ${asked}` } };
          },
        }),
      );
      expect(await clusterUid(renewing)).toMatch(/^[0-9a-f-]{36}$/);
      renewing.close();
    } finally {
      token = good;
    }
  });

  test('a list in pages is whole', async () => {
    const direct = new ApiCluster(new NodeTransport(connection()));
    const names = Array.from({ length: 620 }, (_, index) => `page-${index}`);
    await Promise.all(
      names.map(async (name) =>
        direct.apply(
          { ...configMap(name), metadata: { name, namespace, labels: { paged: 'yes' } } },
          MANAGER,
        ),
      ),
    );
    const listed = await cluster.list('v1', 'ConfigMap', { namespace, labelSelector: 'paged=yes' });
    expect(listed.map(({ metadata }) => metadata.name).sort()).toEqual([...names].sort());
    expect(proxy.count('GET', /limit=500/)).toBe(2);
    direct.close();
  });
});
