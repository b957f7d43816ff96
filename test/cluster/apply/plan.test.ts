import { Manifest } from '../../../src/core/manifest/manifest';
import { ApiCluster } from '../../../src/engine/cluster/api-cluster';
import {
  ApplyAnswer,
  ApplyRequest,
  Cluster,
  LiveObject,
  ObjectRef,
  RequestOptions,
} from '../../../src/engine/cluster/cluster';
import { PlanStep } from '../../../src/engine/plan/plan';
import { verifyPlan } from '../../../src/engine/plan/plan-file';
import { NodeTransport } from '../../../src/engine/transport/node-transport';
import { makePlan, MANAGER, planInput } from '../../engine/plan/_planning';
import { fakeTargets } from '../../support/fake-cluster';
import { clusters, describeCluster } from '../clusters';

const namespace = 'plan-test';

/** Counts what a plan asks. */
class Counted implements Cluster {
  public readonly asked: string[] = [];

  public constructor(private readonly cluster: Cluster) {}

  public async read(ref: ObjectRef, options?: RequestOptions): Promise<LiveObject | undefined> {
    this.asked.push(`read ${ref.kind} ${ref.name}`);
    return this.cluster.read(ref, options);
  }

  public async apply(manifest: Manifest, options: ApplyRequest): Promise<ApplyAnswer> {
    expect(options.dryRun).toBe(true);
    this.asked.push(`dry run ${manifest.kind} ${manifest.metadata.name}`);
    return this.cluster.apply(manifest, options);
  }

  public async list(): Promise<LiveObject[]> {
    throw new Error('a plan lists nothing');
  }

  public async patch(): Promise<LiveObject> {
    throw new Error('a plan patches nothing');
  }

  public async delete(): Promise<void> {
    throw new Error('a plan deletes nothing');
  }

  public async kind(...args: Parameters<Cluster['kind']>): ReturnType<Cluster['kind']> {
    return this.cluster.kind(...args);
  }

  public async get(...args: Parameters<Cluster['get']>): Promise<unknown> {
    return this.cluster.get(...args);
  }

  public async upload(...args: Parameters<Cluster['upload']>): Promise<void> {
    return this.cluster.upload(...args);
  }

  public async review(...args: Parameters<Cluster['review']>): Promise<unknown> {
    return this.cluster.review(...args);
  }

  public close(): void {}
}

const object = (
  apiVersion: string,
  kind: string,
  name: string,
  fields: { [field: string]: unknown },
): Manifest => ({ apiVersion, kind, metadata: { name, namespace }, ...fields });

const service = (ports: readonly object[]): Manifest =>
  object('v1', 'Service', 'web', { spec: { selector: { app: 'web' }, ports } });

const guest = (quantity: number, more: object = {}): Manifest =>
  object('provisioning.cattle.io/v1', 'Cluster', 'shop', {
    spec: {
      kubernetesVersion: 'v1.33.6+rke2r1',
      rkeConfig: {
        machinePools: [
          {
            name: 'all',
            quantity,
            etcdRole: true,
            controlPlaneRole: true,
            workerRole: true,
            machineConfigRef: { kind: 'HarvesterConfig', name: 'shop-all' },
            ...more,
          },
        ],
      },
    },
  });

const OBJECTS: readonly Manifest[] = [
  object('v1', 'ConfigMap', 'plain', { data: { a: '1', b: '2' } }),
  object('v1', 'Secret', 'login', { data: { password: 'aHVudGVyMg==' } }),
  object('v1', 'Secret', 'text', { stringData: { password: 'hunter2' } }),
  object('v1', 'ResourceQuota', 'quota', {
    spec: { hard: { 'limits.memory': '1024Mi', 'limits.cpu': '2000m' } },
  }),
  object('v1', 'ServiceAccount', 'account', {}),
  service([
    { name: 'http', port: 80 },
    { name: 'https', port: 443, targetPort: 8443 },
  ]),
  object('apps/v1', 'Deployment', 'web', {
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          containers: [
            {
              name: 'web',
              image: 'nginx',
              env: [{ name: 'A', value: '1' }],
              resources: { limits: { memory: '1024Mi', cpu: '1000m' } },
            },
          ],
          volumes: [{ name: 'tmp', emptyDir: {} }],
        },
      },
    },
  }),
  object('rbac.authorization.k8s.io/v1', 'Role', 'reader', {
    rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }],
  }),
  object('rke-machine-config.cattle.io/v1', 'HarvesterConfig', 'shop-all', {
    cpuCount: '4',
    userData: '#cloud-config\n',
  }),
  guest(3),
];

describeCluster('a plan', () => {
  const { connections } = process.env.CDK8S_HARVESTER_TEST_CLUSTERS
    ? clusters()
    : { connections: undefined };
  let live: ApiCluster;

  beforeAll(async () => {
    const { url, ca, token } = connections!.rancher;
    live = new ApiCluster(
      new NodeTransport({
        name: 'rancher',
        server: new URL(url),
        ca,
        credentials: async () => ({ headers: { authorization: `Bearer ${token}` } }),
      }),
    );
    await live.apply(
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      { fieldManager: 'test' },
    );
    for (const manifest of OBJECTS) {
      await live.apply(manifest, { fieldManager: MANAGER });
    }
  });

  afterAll(async () => {
    const ref = { apiVersion: 'v1', kind: 'Namespace', name: namespace };
    const found = await live.read(ref);
    if (found) {
      await live.delete(ref, found.metadata.uid);
    }
    live.close();
  });

  async function plan(
    ...manifests: readonly Manifest[]
  ): Promise<{ steps: readonly PlanStep[]; asked: readonly string[] }> {
    const counted = new Counted(live);
    const input = planInput(
      manifests.map((manifest) => ({ manifest })),
      fakeTargets({ rancher: counted }),
    );
    const { steps } = await makePlan(input, { fieldManager: MANAGER });
    return { steps, asked: counted.asked };
  }

  async function only(manifest: Manifest): Promise<PlanStep> {
    return (await plan(manifest)).steps[0];
  }

  test('of what was just applied is quiet, and asks once for each object', async () => {
    const { steps, asked } = await plan(...OBJECTS);
    expect(steps.filter(({ action }) => action !== 'unchanged')).toEqual([]);
    expect(asked).toEqual(OBJECTS.map(({ kind, metadata: { name } }) => `read ${kind} ${name}`));
  });

  test('shows a changed, a removed, and a new field', async () => {
    expect(
      (await only(object('v1', 'ConfigMap', 'plain', { data: { a: '7', c: '3' } }))).changes,
    ).toEqual([
      { path: 'data.a', before: '1', after: '7' },
      { path: 'data.b', before: '2' },
      { path: 'data.c', after: '3' },
    ]);
  });

  test('meets items of a list by their keys', async () => {
    expect(
      (
        await only(
          service([
            { name: 'https', port: 443, targetPort: 8443 },
            { name: 'http', port: 80 },
          ]),
        )
      ).action,
    ).toBe('unchanged');
    const { action, changes } = await only(
      service([
        { name: 'http', port: 80 },
        { name: 'https', port: 443, targetPort: 9443 },
      ]),
    );
    expect({ action, changes }).toEqual({
      action: 'update',
      changes: [{ path: 'spec.ports[1].targetPort', before: 8443, after: 9443 }],
    });
    expect((await only(service([{ name: 'http', port: 80 }]))).changes).toMatchObject([
      { path: 'spec.ports[1]', before: { name: 'https', port: 443 } },
    ]);
  });

  test('shows the change of a machine pool', async () => {
    expect((await only(guest(5))).changes).toEqual([
      { path: 'spec.rkeConfig.machinePools[0].quantity', before: 3, after: 5 },
    ]);
    expect((await only(guest(3, { drainBeforeDelete: true }))).changes).toEqual([
      { path: 'spec.rkeConfig.machinePools[0].drainBeforeDelete', after: true },
    ]);
  });

  test('hides what is secret', async () => {
    const hash = expect.stringMatching(/^<sha256:[0-9a-f]{8}>$/);
    expect(
      (await only(object('v1', 'Secret', 'login', { data: { password: 'Y2FuYXJ5' } }))).changes,
    ).toEqual([{ path: 'data.password', before: hash, after: hash }]);
    const config = object('rke-machine-config.cattle.io/v1', 'HarvesterConfig', 'shop-all', {
      cpuCount: '4',
      userData: '#cloud-config\npassword: canary\n',
    });
    expect((await only(config)).changes).toEqual([{ path: 'userData', before: hash, after: hash }]);
  });

  test('shows the words of a server that refuses, and what was not tried', async () => {
    const wrong = object('rke-machine-config.cattle.io/v1', 'HarvesterConfig', 'wrong', {
      cpus: '4',
    });
    expect((await only(wrong)).refused).toContain('.cpus: field not declared in schema');
    const elsewhere: Manifest = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'plan-test-nowhere' },
    };
    expect(await only(elsewhere)).toMatchObject({
      action: 'create',
      reason: expect.stringContaining('namespaces "plan-test-nowhere" not found'),
    });
    expect((await only(object('example.com/v1', 'Nothing', 'a', {}))).reason).toContain(
      'the cluster does not serve Nothing of example.com/v1',
    );
  });

  test('names who else has a field, and takes nothing', async () => {
    const edited = object('v1', 'ConfigMap', 'edited', { data: { a: '1' } });
    await live.apply(edited, { fieldManager: MANAGER });
    await live.apply(object('v1', 'ConfigMap', 'edited', { data: { a: 'theirs' } }), {
      fieldManager: 'somebody',
      force: true,
    });
    const step = await only(edited);
    expect(step).toMatchObject({
      action: 'update',
      changes: [{ path: 'data.a', before: 'theirs', after: '1' }],
      conflicts: [{ manager: 'somebody' }],
    });
    expect(step.conflicts[0].field).toContain('data.a');
    expect(
      (await live.read({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'edited' }))!.data,
    ).toEqual({ a: 'theirs' });
  });

  test('adopts objects that others applied identically, and reports it', async () => {
    const theirs = object('v1', 'ConfigMap', 'theirs', { data: { a: '1' } });
    await live.apply(theirs, { fieldManager: 'kubectl' });
    expect(await only(theirs)).toMatchObject({
      action: 'update',
      changes: [],
      conflicts: [],
      reason: 'already exists, written by kubectl: it is adopted',
    });
  });

  test('that is saved stops where the object was edited since', async () => {
    const desired = object('v1', 'ConfigMap', 'raced', { data: { a: '2' } });
    await live.apply(object('v1', 'ConfigMap', 'raced', { data: { a: '1' } }), {
      fieldManager: MANAGER,
    });
    const targets = fakeTargets({ rancher: live });
    const saved = await makePlan(planInput([{ manifest: desired }], targets), {
      fieldManager: MANAGER,
    });
    expect(saved.targets[0].clusterUid).toMatch(/^[0-9a-f-]{36}$/);
    expect(
      verifyPlan(
        saved,
        await makePlan(planInput([{ manifest: desired }], targets), { fieldManager: MANAGER }),
      ),
    ).toEqual([]);
    await live.apply(object('v1', 'ConfigMap', 'raced', { data: { a: '9' } }), {
      fieldManager: MANAGER,
    });
    expect(
      verifyPlan(
        saved,
        await makePlan(planInput([{ manifest: desired }], targets), { fieldManager: MANAGER }),
      ),
    ).toMatchObject([{ message: 'was edited after the plan was made: data.a' }]);
  });
});
