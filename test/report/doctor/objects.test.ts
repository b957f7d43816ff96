import {
  ID,
  Live,
  NOW,
  TARGETS,
  TOKEN,
  URL_OK,
  condition,
  harvesterSetting,
  managementCluster,
  namespace,
} from './_live';
import { Manifest } from '../../../src/core/manifest/manifest';
import { AssemblyTarget } from '../../../src/core/output/assembly';
import { checkWorld } from '../../../src/report/doctor/doctor';
import { readWorld } from '../../../src/report/doctor/live-world';
import { FakeCluster, fakeTargets } from '../../support/fake-cluster';

const HOUR_AGO = '2026-11-21T11:00:00Z';

function pod(namespaceName: string, app: string, status: object): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `${app}-1`, namespace: namespaceName, labels: { app } },
    status,
  };
}

function waiting(reason: string, message = '', more: object = {}): object {
  return {
    containerStatuses: [
      {
        name: 'cluster-register',
        image: 'registry.example.com/rancher/rancher-agent:v2.13.8',
        state: { waiting: { reason, message } },
        ...more,
      },
    ],
  };
}

test.each(['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName'])(
  'reports an agent that waits with %s, with its image',
  async (reason) => {
    const live = new Live();
    live.dc1.seed(pod('cattle-system', 'cattle-cluster-agent', waiting(reason, 'not found')));
    expect(await live.only('agent/image-pull')).toMatchObject({
      level: 'error',
      object: 'Pod cattle-system/cattle-cluster-agent-1',
      message: `${reason}: cannot pull the image registry.example.com/rancher/rancher-agent:v2.13.8 (not found)`,
      fix: expect.stringContaining('containerd-registry'),
    });
  },
);

test("Fleet's agent is looked at, too, and its init containers", async () => {
  const live = new Live();
  const [status] = (waiting('ImagePullBackOff') as { containerStatuses: object[] })
    .containerStatuses;
  live.dc1.seed(pod('cattle-fleet-system', 'fleet-agent', { initContainerStatuses: [status] }));
  expect(await live.only('agent/image-pull')).toMatchObject({
    object: 'Pod cattle-fleet-system/fleet-agent-1',
  });
});

test('reports an agent that crashes in its own words, without the secrets in them', async () => {
  const live = new Live();
  live.dc1.seed(
    pod(
      'cattle-system',
      'cattle-cluster-agent',
      waiting('CrashLoopBackOff', 'back-off', {
        lastState: { terminated: { reason: 'Error', message: `Get "${URL_OK}": x509` } },
      }),
    ),
  );
  const { message } = await live.only('agent/crashing');
  expect(message).toContain(
    'CrashLoopBackOff: container cluster-register (Error: Get "https://rancher.example.com/v3/import/<secret>_',
  );
});

test('reads from the log of an agent that crashes why it cannot reach Rancher', async () => {
  const path =
    '/api/v1/namespaces/cattle-system/pods/cattle-cluster-agent-1/log?tailLines=60&previous=true';
  const live = new Live({
    paths: {
      [path]: `INFO: ${URL_OK}\nERROR: https://rancher.example.com/ping is not accessible (Could not resolve host: rancher.example.com)\n`,
    },
  });
  live.dc1.seed(pod('cattle-system', 'cattle-cluster-agent', waiting('CrashLoopBackOff')));
  expect(await live.only('agent/cannot-reach-rancher')).toMatchObject({
    object: 'Pod cattle-system/cattle-cluster-agent-1',
    message: expect.stringContaining('cannot resolve the host'),
    fix: expect.stringContaining('DNS'),
  });
});

test('reports a virtual machine whose change waits for a restart', async () => {
  const live = new Live();
  const message = 'a non-live-updatable field was changed in the template spec';
  live.dc1.seed({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'web', namespace: 'shop' },
    status: { conditions: [{ type: 'RestartRequired', status: 'True', message }] },
  });
  expect(await live.only('virtual-machine/restart')).toMatchObject({
    level: 'info',
    object: 'VirtualMachine shop/web',
    message: `waits for a restart: ${message}`,
    fix: 'restart it when convenient: virtctl restart web -n shop, or Restart in the UI',
  });
});

describe('an upgrade in progress', () => {
  const upgrade = (completed?: string, annotations: { [key: string]: string } = {}): Manifest => ({
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'Upgrade',
    metadata: {
      name: 'hvst-upgrade-a',
      namespace: 'harvester-system',
      labels: { 'harvesterhci.io/latestUpgrade': 'true' },
      annotations,
    },
    status: {
      conditions: completed === undefined ? [] : [{ type: 'Completed', status: completed }],
    },
  });
  const found = async (version: string, object: Manifest) => {
    const live = new Live();
    for (const manifest of [harvesterSetting('server-version', version), object]) {
      live.dc1.seed(manifest);
    }
    return (await live.of('node/join-blocked')).map(({ level, message }) => `${level} ${message}`);
  };

  test('is a note from Harvester 1.9 on, which refuses nodes meanwhile', async () => {
    expect(await found('v1.9.0', upgrade())).toEqual([
      'info is in progress: until it is completed, Harvester refuses nodes that join',
    ]);
    expect(await found('v1.9.0', upgrade('Unknown'))).toHaveLength(1);
    expect(await found('v1.8.2', upgrade())).toEqual([]);
  });

  test('is none once it ended, or where nodes may join', async () => {
    for (const ended of ['True', 'False']) {
      expect(await found('v1.9.0', upgrade(ended))).toEqual([]);
    }
    expect(
      await found('v1.9.0', upgrade(undefined, { 'harvesterhci.io/allow-node-join': 'true' })),
    ).toEqual([]);
  });
});

test('reports an agent without a node', async () => {
  const live = new Live();
  live.dc1.seed(
    pod('cattle-system', 'cattle-cluster-agent', {
      conditions: [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes are available' }],
    }),
  );
  expect((await live.only('agent/crashing')).message).toBe(
    'cannot be scheduled: 0/3 nodes are available',
  );
});

test.each<[what: string, conditions: readonly object[], level: string, words: string]>([
  [
    'lost its connection',
    [
      { type: 'Provisioned', status: 'True' },
      { type: 'Connected', status: 'False' },
    ],
    'error',
    'has lost its connection',
  ],
  [
    'lost its connection, by its condition Ready',
    [
      { type: 'Connected', status: 'False' },
      { type: 'Ready', status: 'False', reason: 'Disconnected' },
    ],
    'error',
    'has lost its connection',
  ],
  ['has not connected to a Rancher 2.13 yet', [], 'warning', 'has not connected yet'],
  [
    'has not connected to a Rancher 2.15 yet',
    [{ type: 'Connected', status: 'False' }],
    'warning',
    'has not connected yet',
  ],
])('reports a management cluster that %s', async (_, conditions, level, words) => {
  const live = new Live();
  live.rancher.seed({ ...managementCluster('c-m-other'), status: { conditions } });
  expect(await live.only('cluster/not-connected')).toMatchObject({
    level,
    message: expect.stringContaining(`dc1 ${words}`),
  });
});

test("reports a Setting that Harvester could not apply, without the token in the server's words", async () => {
  const live = new Live();
  live.dc1.seed(
    harvesterSetting(
      'cluster-registration-url',
      JSON.stringify({ url: URL_OK }),
      condition('configured', 'False', `Get "${URL_OK}": tls: failed to verify certificate`),
    ),
  );
  const { message } = await live.only('setting/not-configured');
  expect(message).toContain('tls: failed to verify certificate');
  expect(message).not.toContain(TOKEN);
});

test('reports a Project without its namespace', async () => {
  const live = new Live();
  live.rancher.seed({
    apiVersion: 'management.cattle.io/v3',
    kind: 'Project',
    metadata: { name: 'payments', namespace: ID },
    spec: {},
    status: { backingNamespace: `${ID}-payments` },
  });
  expect(await live.only('project/no-namespace')).toMatchObject({
    level: 'error',
    message: expect.stringContaining(`${ID}-payments does not exist`),
  });
  live.rancher.seed(namespace(`${ID}-payments`));
  expect(await live.of('project/no-namespace')).toEqual([]);
});

test('reports a namespace whose deletion is stuck, with what holds it and how to release it', async () => {
  const live = new Live();
  live.dc1.seed(
    namespace(
      'payments-vms',
      { deletionTimestamp: HOUR_AGO, finalizers: ['controller.cattle.io/namespace-auth'] },
      {
        status: {
          conditions: [
            {
              type: 'NamespaceContentRemaining',
              status: 'True',
              message: 'virtualmachines.kubevirt.io has 1 resource instances',
            },
          ],
        },
      },
    ),
  );
  const { message, fix } = await live.only('namespace/terminating');
  expect(message).toBe(
    'has been Terminating for 60 minutes; held by controller.cattle.io/namespace-auth; virtualmachines.kubevirt.io has 1 resource instances',
  );
  expect(fix).toContain('connect the cluster to Rancher again');
});

test('a namespace that has just been deleted is none', async () => {
  const live = new Live();
  live.dc1.seed(
    namespace('payments-vms', { deletionTimestamp: '2026-11-21T11:55:00Z', finalizers: ['x'] }),
  );
  expect(await live.diagnose()).toEqual([]);
});

test('reports a Cluster whose deletion is stuck', async () => {
  const live = new Live();
  live.rancher.change(
    {
      apiVersion: 'provisioning.cattle.io/v1',
      kind: 'Cluster',
      namespace: 'fleet-default',
      name: 'dc1',
    },
    (object) => {
      object.metadata.finalizers = ['wrangler.cattle.io/provisioning-cluster-remove'];
      object.metadata.deletionTimestamp = HOUR_AGO;
    },
  );
  expect((await live.only('object/terminating')).message).toBe(
    'its deletion started 60 minutes ago; held by wrangler.cattle.io/provisioning-cluster-remove',
  );
});

test('reports a machine config that no pool uses', async () => {
  const live = new Live();
  for (const name of ['used', 'left']) {
    live.rancher.seed({
      apiVersion: 'rke-machine-config.cattle.io/v1',
      kind: 'HarvesterConfig',
      metadata: { name, namespace: 'fleet-default' },
    });
  }
  live.rancher.seed({
    apiVersion: 'provisioning.cattle.io/v1',
    kind: 'Cluster',
    metadata: { name: 'shop', namespace: 'fleet-default' },
    spec: {
      rkeConfig: {
        machinePools: [{ machineConfigRef: { kind: 'HarvesterConfig', name: 'used' } }],
      },
    },
  });
  expect(await live.only('machine-config/orphan')).toMatchObject({
    level: 'info',
    object: 'HarvesterConfig fleet-default/left',
  });
});

test.each([
  [
    'without an address',
    { conditions: [{ type: 'Ready', status: 'False', message: 'no address in the pool' }] },
    'error',
    'has no address: no address in the pool',
  ],
  ['that no controller has reconciled', {}, 'warning', 'has no address'],
])('reports a load balancer %s', async (_, status, level, message) => {
  const live = new Live();
  live.dc1.seed({
    apiVersion: 'loadbalancer.harvesterhci.io/v1beta1',
    kind: 'LoadBalancer',
    metadata: { name: 'web', namespace: 'default', creationTimestamp: HOUR_AGO },
    status,
  });
  expect(await live.only('load-balancer/not-ready')).toMatchObject({ level, message });
});

test('reports a namespace whose quota Rancher found too large', async () => {
  const live = new Live();
  const conditions = [
    {
      Type: 'ResourceQuotaValidated',
      Status: 'False',
      Message: 'Resource quota [limitsCpu=36] exceeds project limit',
    },
  ];
  live.dc1.seed(
    namespace('vms', {
      annotations: { 'cattle.io/status': JSON.stringify({ Conditions: conditions }) },
    }),
  );
  expect((await live.only('namespace/quota')).message).toBe(
    'Resource quota [limitsCpu=36] exceeds project limit; its ResourceQuota still has the full size',
  );
});

describe('the zones of guest nodes', () => {
  const SHOP: AssemblyTarget = {
    name: 'shop',
    kind: 'guest',
    version: 'v1.33.6+rke2r1',
    folder: 'shop',
    construct: 'shop',
    properties: {},
  };
  const node = (name: string, labels: { [key: string]: string }, more: object = {}) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
    ...more,
  });

  async function zonesOf(labels: { [key: string]: string }, providerID = 'harvester://uid-1') {
    const [dc1, shop] = [new FakeCluster(), new FakeCluster()];
    dc1.seed(node('node-1', { 'topology.kubernetes.io/zone': 'rack-a' }));
    dc1.seed({
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstance',
      metadata: {
        name: 'shop-all-1',
        namespace: 'vms',
        ownerReferences: [
          {
            apiVersion: 'kubevirt.io/v1',
            kind: 'VirtualMachine',
            name: 'shop-all-1',
            uid: 'uid-1',
          },
        ],
      },
      status: { nodeName: 'node-1' },
    });
    shop.seed(node('shop-all-1', labels, { spec: { providerID } }));
    const world = await readWorld(fakeTargets({ dc1, shop }, { ...TARGETS, shop: SHOP }), NOW);
    return checkWorld(world)
      .filter(({ check }) => check === 'node/zone')
      .map(({ target, object, message }) => [target, object, message]);
  }

  test('are reported if they differ from those of their host', async () => {
    expect(await zonesOf({ 'topology.kubernetes.io/zone': 'rack-b' })).toEqual([
      [
        'shop',
        'Node shop-all-1',
        'runs on node-1 of dc1: topology.kubernetes.io/zone is rack-b, that of its host is rack-a',
      ],
    ]);
    expect((await zonesOf({}))[0][2]).toContain(
      'topology.kubernetes.io/zone is not set, that of its host is rack-a',
    );
  });

  test('are right if they are the same, and unknown for machines from elsewhere', async () => {
    expect(await zonesOf({ 'topology.kubernetes.io/zone': 'rack-a' })).toEqual([]);
    expect(await zonesOf({}, 'harvester://uid-2')).toEqual([]);
    expect(await zonesOf({}, 'aws:///i-1')).toEqual([]);
  });
});
