import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { applyAll, deleteAll } from './apply-all';
import { Client } from './client';
import { clientOf, clusters, describeCluster } from './clusters';
import { ControlPlane } from './control-plane';
import { Manifest } from '../../src/core/manifest/manifest';

const namespace = 'control-plane-test';

function machineConfig(fields: { [name: string]: unknown }): Manifest {
  return {
    apiVersion: 'rke-machine-config.cattle.io/v1',
    kind: 'HarvesterConfig',
    metadata: { name: 'pool', namespace },
    ...fields,
  };
}

function configMap(
  name: string,
  data: { [key: string]: unknown },
  inNamespace = namespace,
): Manifest {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: inNamespace }, data };
}

async function createNamespace(client: Client, name = namespace): Promise<void> {
  expect(
    (await client.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })).status,
  ).toBeLessThan(300);
}

describeCluster('strict validation', () => {
  let rancher: Client;

  beforeAll(async () => {
    rancher = clientOf('rancher');
    await createNamespace(rancher);
  });

  test('refuses a field that the definition does not have', async () => {
    const { status, body } = await rancher.apply(machineConfig({ cpus: '4' }));
    expect(body.message).toContain('.cpus: field not declared in schema');
    expect(status).toBeGreaterThanOrEqual(400);
  });

  test('refuses a value of another type', async () => {
    const { status, body } = await rancher.apply(machineConfig({ cpuCount: 4 }));
    expect(body.message).toContain('.cpuCount: expected string, got');
    expect(status).toBeGreaterThanOrEqual(400);
  });

  test('refuses the same in a built-in type', async () => {
    expect((await rancher.apply(configMap('wrong', { port: 443 }))).body.message).toContain(
      '.data.port: expected string, got',
    );
  });
});

describeCluster('server-side apply', () => {
  let rancher: Client;

  beforeAll(async () => {
    rancher = clientOf('rancher');
    await createNamespace(rancher);
  });

  test('done twice changes nothing, and the server adds its defaults', async () => {
    const first = await rancher.apply(machineConfig({ memorySize: '8' }));
    const second = await rancher.apply(machineConfig({ memorySize: '8' }));
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(second.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
    expect(second.body).toMatchObject({ memorySize: '8', cpuCount: '2' });
  });

  test('takes no field from another manager', async () => {
    const object = configMap('shared', { key: 'ours' });
    await rancher.request('PATCH', await rancher.pathOf(object), {
      query: { fieldManager: 'somebody-else' },
      contentType: 'application/apply-patch+yaml',
      body: configMap('shared', { key: 'theirs' }),
    });
    const { status, body } = await rancher.apply(object);
    expect(status).toBe(409);
    expect(body.message).toContain('conflict with "somebody-else": .data.key');
  });

  test('knows the kinds of a definition that came after the first look', async () => {
    const widget = {
      apiVersion: 'late.test/v1',
      kind: 'Widget',
      metadata: { name: 'one', namespace },
    };
    await expect(rancher.apply(widget)).rejects.toThrow(
      'the server knows no kind "Widget" in version "late.test/v1"',
    );
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.late.test' },
      spec: {
        group: 'late.test',
        scope: 'Namespaced',
        names: { kind: 'Widget', plural: 'widgets' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object' } },
          },
        ],
      },
    };
    const { applied } = await applyAll(rancher, [widget, definition]);
    expect(applied.map(({ object, answer }) => [object.kind, answer.status])).toEqual([
      ['CustomResourceDefinition', 201],
      ['Widget', 201],
    ]);
    expect((await rancher.list('late.test/v1', 'Widget', namespace)).body.items).toHaveLength(1);
    await deleteAll(rancher, [definition]);
  });

  test('creates and names the missing namespaces', async () => {
    const given = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `${namespace}-given` } };
    const objects = [
      configMap('a', {}, `${namespace}-given`),
      configMap('b', {}, `${namespace}-missing`),
      given,
    ];
    const { applied, createdNamespaces } = await applyAll(rancher, objects, {
      createNamespaces: true,
    });
    expect(createdNamespaces).toEqual([`${namespace}-missing`]);
    expect(applied.map(({ object }) => object.kind)).toEqual([
      'Namespace',
      'ConfigMap',
      'ConfigMap',
    ]);
  });

  test('shows the warnings of the server', async () => {
    expect((await rancher.get('/api/v1/componentstatuses')).warnings).toEqual([
      'v1 ComponentStatus is deprecated in v1.19+',
    ]);
  });
});

describeCluster('controllers', () => {
  let harvester: Client;

  beforeAll(async () => {
    harvester = clientOf('harvester');
    await createNamespace(harvester);
  });

  test('fill the token Secret of a service account', async () => {
    const account = {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'robot', namespace },
    };
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 'robot-token',
        namespace,
        annotations: { 'kubernetes.io/service-account.name': 'robot' },
      },
      type: 'kubernetes.io/service-account-token',
    };
    await applyAll(harvester, [account, secret]);
    while (!(await harvester.read(secret)).body.data?.token) {
      await sleep(50);
    }
    const { data } = (await harvester.read(secret)).body;
    const token = Buffer.from(data.token, 'base64').toString();
    const ca = Buffer.from(data['ca.crt'], 'base64').toString();
    const { status, body } = await new Client({
      url: clusters().connections.harvester.url,
      ca,
      token,
    }).get('/api/v1/nodes');
    expect(status).toBe(403);
    expect(body.message).toContain(
      `User "system:serviceaccount:${namespace}:robot" cannot list resource "nodes"`,
    );
  });

  test('empty and remove a deleted namespace', async () => {
    const name = `${namespace}-doomed`;
    await createNamespace(harvester, name);
    await harvester.apply(configMap('inside', {}, name));
    await deleteAll(harvester, [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }]);
    expect((await harvester.read(configMap('inside', {}, name))).status).toBe(404);
  });
});

describeCluster('a control plane', () => {
  test("of one's own gives a kubeconfig and leaves nothing behind", async () => {
    const plane = await ControlPlane.start({ assets: clusters().assets, controllers: false });
    const kubeconfig = plane.writeKubeconfig();
    expect(JSON.parse(fs.readFileSync(kubeconfig, 'utf8')).clusters[0].cluster.server).toBe(
      plane.url,
    );
    const client = new Client(plane);
    expect((await client.get('/readyz')).status).toBe(200);
    await plane.stop();
    expect(fs.existsSync(path.dirname(kubeconfig))).toBe(false);
    await expect(client.get('/readyz')).rejects.toThrow('ECONNREFUSED');
  });

  test('quotes its log when it does not start', async () => {
    const assets = fs.mkdtempSync(path.join(os.tmpdir(), 'cdk8s-harvester-no-assets-'));
    fs.writeFileSync(path.join(assets, 'etcd'), '#!/bin/sh\necho the disk is full >&2; exit 7\n', {
      mode: 0o755,
    });
    fs.writeFileSync(path.join(assets, 'kube-apiserver'), '#!/bin/sh\nsleep 5\n', { mode: 0o755 });
    try {
      await expect(ControlPlane.start({ assets })).rejects.toThrow(
        /etcd exited with 7\n--- etcd .*\nthe disk is full\n/,
      );
    } finally {
      fs.rmSync(assets, { recursive: true });
    }
  });
});
