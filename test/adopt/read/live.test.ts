import { readLive } from '../../../src/adopt/read/live';
import { apiVersionOf } from '../../../src/core/kind/kinds';
import { Manifest } from '../../../src/core/manifest/manifest';
import { ApiCluster } from '../../../src/engine/cluster/api-cluster';
import { ApiError, ApiRequest, Transport } from '../../../src/engine/transport/api';
import { NodeTransport } from '../../../src/engine/transport/node-transport';
import { ALL_KINDS } from '../../../src/registry/all-kinds';
import { FakeCluster } from '../../support/fake-cluster';
import { FaultProxy } from '../../support/fault-proxy';

const KUBERNETES = { '/version': { gitVersion: 'v1.34.4+rke2r1' } };
const NOT_ON_RANCHER = new Set(['harvesterhci.io/Setting']);
const READING = ['kind', 'get', 'list', 'read'];

function setting(apiVersion: string, name: string, value: string): Manifest {
  return { apiVersion, kind: 'Setting', metadata: { name }, value, default: '' };
}

function rancher(): FakeCluster {
  const cluster = new FakeCluster({ paths: KUBERNETES, missing: NOT_ON_RANCHER });
  cluster.seed(setting('management.cattle.io/v3', 'server-version', 'v2.13.8'));
  cluster.seed(setting('management.cattle.io/v3', 'server-url', 'https://rancher.example.com'));
  return cluster;
}

test('reads the objects of a Rancher with its version and URL', async () => {
  const cluster = rancher();
  cluster.seed({
    apiVersion: 'management.cattle.io/v3',
    kind: 'Project',
    metadata: { name: 'p-shop', namespace: 'c-m-1' },
    spec: { displayName: 'Shop' },
  });
  const found = await readLive({ name: 'rancher', cluster });
  expect(found).toMatchObject({
    name: 'rancher',
    kind: 'rancher',
    version: '2.13.8',
    serverUrl: 'https://rancher.example.com',
    unread: [],
  });
  const project = found.objects.find(({ manifest }) => manifest.kind === 'Project')!;
  expect(project).toMatchObject({
    target: 'rancher',
    from: 'context rancher',
    manifest: {
      metadata: { name: 'p-shop', uid: expect.any(String) as string },
      spec: { displayName: 'Shop' },
    },
  });
});

test('reads the version and the management address of a Harvester', async () => {
  const cluster = new FakeCluster({ paths: KUBERNETES });
  cluster.seed({ ...setting('harvesterhci.io/v1beta1', 'server-version', ''), default: 'v1.7.2' });
  // of the Rancher within
  cluster.seed(setting('management.cattle.io/v3', 'server-version', 'v2.12.0'));
  cluster.seed({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'vip', namespace: 'harvester-system' },
    data: { ip: '10.10.0.10' },
  });
  expect(await readLive({ name: 'dc1', cluster, by: 'context prod-dc1' })).toMatchObject({
    kind: 'harvester',
    version: '1.7.2',
    vip: '10.10.0.10',
  });
});

test('reads the version of a guest cluster, and no version of a build without a release', async () => {
  const missing = new Set(['harvesterhci.io/Setting', 'management.cattle.io/Project']);
  expect(
    await readLive({ name: 'shop', cluster: new FakeCluster({ paths: KUBERNETES, missing }) }),
  ).toMatchObject({ kind: 'guest', version: 'v1.34.4+rke2r1' });
  const head = new FakeCluster({ paths: KUBERNETES, missing: NOT_ON_RANCHER });
  head.seed(setting('management.cattle.io/v3', 'server-version', 'v2.14-head'));
  expect(await readLive({ name: 'rancher', cluster: head })).not.toHaveProperty('version');
});

test('writes nothing, and runs no dry run', async () => {
  const cluster = rancher();
  await readLive({ name: 'rancher', cluster });
  expect(cluster.calls.filter(({ verb }) => !READING.includes(verb))).toEqual([]);
  expect(cluster.did('list').length).toBeGreaterThan(40);
});

test('lists no kind whose objects hold sessions of users, and none of another product', async () => {
  const cluster = rancher();
  await readLive({ name: 'rancher', cluster });
  const listed = cluster.did('list');
  expect(listed).toContain('Project /');
  expect(listed).not.toContain('Token /');
  expect(listed).not.toContain('VirtualMachineImage /');
});

test('keeps the keys of Secrets, and of their values only what is not secret in cloud credentials', async () => {
  const cluster = rancher();
  cluster.seed({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'cc-s3',
      namespace: 'cattle-global-data',
      annotations: {
        'kubectl.kubernetes.io/last-applied-configuration': '{"data":{"a":"cGFzcw=="}}',
        'a': 'b',
      },
    },
    data: {
      's3credentialConfig-accessKey': 'QUtJQQ==',
      's3credentialConfig-secretKey': 'aHVzaA==',
      's3credentialConfig-defaultBucket': 'YmFja3Vwcw==',
    },
  });
  cluster.seed({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'db', namespace: 'shop' },
    data: { password: 'aHVzaA==', host: 'ZGI=' },
    stringData: { token: 'hush' },
  });
  const { objects } = await readLive({ name: 'rancher', cluster });
  const secrets = objects
    .filter(({ manifest }) => manifest.kind === 'Secret')
    .map(({ manifest }) => manifest);
  expect(secrets.map(({ data }) => data)).toEqual([
    {
      's3credentialConfig-accessKey': '',
      's3credentialConfig-secretKey': '',
      's3credentialConfig-defaultBucket': 'YmFja3Vwcw==',
    },
    { password: '', host: '' },
  ]);
  expect(secrets[0].metadata.annotations).toEqual({ a: 'b' });
  expect(JSON.stringify(objects)).not.toMatch(/aHVzaA|hush|QUtJ|cGFzcw/);
});

test('collects the kinds that it may not list, with the words of the server', async () => {
  const cluster = rancher();
  cluster.fault = ({ verb, what }) =>
    verb === 'list' && what === 'Secret /'
      ? new ApiError('forbidden', 'secrets is forbidden: User "u-ana" cannot list resource', 403)
      : undefined;
  const { unread, objects } = await readLive({ name: 'rancher', cluster });
  expect(unread).toEqual([
    { kind: '/Secret', reason: 'secrets is forbidden: User "u-ana" cannot list resource' },
  ]);
  expect(objects.length).toBeGreaterThan(0);
});

test('fails when the credentials are refused', async () => {
  const cluster = rancher();
  cluster.fault = ({ verb }) =>
    verb === 'list' ? new ApiError('auth', 'rejected the credentials (401)', 401) : undefined;
  await expect(readLive({ name: 'rancher', cluster })).rejects.toThrow('rejected the credentials');
});

test('leaves out objects that are being deleted', async () => {
  const cluster = rancher();
  cluster.seed({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'old', finalizers: ['x'] },
  });
  cluster.change({ apiVersion: 'v1', kind: 'Namespace', name: 'old' }, (object) => {
    object.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
  });
  const { objects } = await readLive({ name: 'rancher', cluster });
  expect(objects.map(({ manifest }) => manifest.metadata.name)).not.toContain('old');
});

/** Answers lists in pages. */
function paged(path: string, objects: ReadonlyMap<string, readonly object[]>): object | undefined {
  const url = new URL(path, 'https://x');
  const version = /^\/(?:api|apis)\/(v1|[^/]+\/[^/]+)$/.exec(url.pathname)?.[1];
  if (url.pathname === '/version') {
    return KUBERNETES['/version'];
  }
  if (version !== undefined) {
    const kinds = ALL_KINDS.filter(
      (each) => apiVersionOf(each) === version && !NOT_ON_RANCHER.has(`${each.group}/${each.kind}`),
    );
    return {
      resources: kinds.map(({ kind, scope }) => ({
        name: kind.toLowerCase(),
        kind,
        namespaced: scope === 'Namespaced',
      })),
    };
  }
  const items = objects.get(url.pathname) ?? [];
  const [start, limit] = [
    Number(url.searchParams.get('continue') ?? 0),
    Number(url.searchParams.get('limit')),
  ];
  return {
    items: items.slice(start, start + limit),
    metadata: start + limit < items.length ? { continue: String(start + limit) } : {},
  };
}

const PROJECTS = new Map([
  [
    '/apis/management.cattle.io/v3/project',
    Array.from({ length: 1100 }, (_, index) => ({
      metadata: {
        name: `p-${index}`,
        namespace: `c-${index % 7}`,
        uid: `u-${index}`,
        managedFields: [
          {
            fieldsV1: {
              'f:spec': Object.fromEntries(
                Array.from({ length: 40 }, (__, field) => [`f:${field}`, {}]),
              ),
            },
          },
        ],
      },
      spec: { displayName: `Project ${index}`, description: 'x'.repeat(2000) },
    })),
  ],
]);

test('reads all pages of a list, by GET only', async () => {
  const requests: ApiRequest[] = [];
  const transport: Transport = {
    request: async (request) => {
      requests.push(request);
      const query = new URLSearchParams(request.query);
      return {
        status: 200,
        body: paged(`${request.path}?${query.toString()}`, PROJECTS),
        warnings: [],
      };
    },
    close: () => undefined,
  };
  const { objects } = await readLive({ name: 'rancher', cluster: new ApiCluster(transport) });
  expect(objects).toHaveLength(1100);
  expect(new Set(requests.map(({ method }) => method))).toEqual(new Set(['GET']));
  expect(
    objects.slice(0, 3).map(
      ({
        manifest: {
          metadata: { namespace, name },
        },
      }) => `${namespace}/${name}`,
    ),
  ).toEqual(['c-0/p-0', 'c-0/p-1001', 'c-0/p-1008']);
});

test('reads a thousand objects over TLS in one request for each page of a kind', async () => {
  const proxy = await FaultProxy.start(({ path }) => ({
    status: 200,
    body: paged(path, PROJECTS),
  }));
  const transport = new NodeTransport({
    name: 'context rancher',
    server: new URL(proxy.url),
    ca: proxy.ca,
    credentials: async () => ({ headers: {} }),
  });
  try {
    const { objects } = await readLive({ name: 'rancher', cluster: new ApiCluster(transport) });
    expect(objects).toHaveLength(1100);
    const paths = proxy.requests.map(({ path }) => path);
    expect(paths.filter((path, at) => paths.indexOf(path) !== at)).toEqual([]);
    expect(paths.filter((path) => path.includes('continue='))).toHaveLength(2);
    expect(new Set(proxy.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
  } finally {
    transport.close();
    await proxy.close();
  }
});
