import { Manifest } from '../../../src/core/manifest/manifest';
import { RunProgram } from '../../../src/engine/auth/run-program';
import { ApiCluster } from '../../../src/engine/cluster/api-cluster';
import { Cluster } from '../../../src/engine/cluster/cluster';
import { appOf } from '../../../src/engine/fields/apply-set';
import { ApplyRunOptions, applyProgram } from '../../../src/engine/run/apply-program';
import { RunEvent, RunSummary } from '../../../src/engine/run/context/events';
import { destroyProgram } from '../../../src/engine/run/destroy-program';
import { ApiRequest } from '../../../src/engine/transport/api';
import { NodeTransport } from '../../../src/engine/transport/node-transport';
import { rollsByImpact } from '../../../src/report/impact/cluster-impacts';
import { rbacOf } from '../../../src/report/rbac/rbac';
import { SmallProgram } from '../../engine/graph/_assemblies';
import { fakeTargets } from '../../support/fake-cluster';
import { ClusterKind, clusters, describeCluster } from '../clusters';

const APP = appOf('preflight-test');
const NAMESPACE = 'preflight-test';
const KINDS: { readonly [target: string]: ClusterKind } = { rancher: 'rancher', dc1: 'harvester' };
const RBAC = 'rbac.authorization.k8s.io';

class Counted extends NodeTransport {
  public readonly requests: ApiRequest[] = [];

  public override async request(request: ApiRequest): ReturnType<NodeTransport['request']> {
    this.requests.push(request);
    return super.request(request);
  }
}

function transportOf(kind: ClusterKind, token = clusters().connections[kind].token): Counted {
  const { url, ca } = clusters().connections[kind];
  return new Counted({
    name: kind,
    server: new URL(url),
    ca,
    credentials: async () => ({ headers: { authorization: `Bearer ${token}` } }),
  });
}

function program(...names: string[]): SmallProgram {
  const made = new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester');
  for (const target of Object.keys(KINDS)) {
    for (const name of names) {
      made.object(target, 'v1', 'ConfigMap', `${NAMESPACE}/${name}`, { data: { name } });
    }
  }
  return made;
}

const POOLS = 'rke-machine-config.cattle.io/v1';

/** A guest cluster of one pool on the Rancher. */
function withPool(memorySize: string): SmallProgram {
  const made = program('a');
  made.targets[0] = { ...made.targets[0], version: '2.13.8' };
  made.object('rancher', POOLS, 'HarvesterConfig', `${NAMESPACE}/shop-all`, {
    cpuCount: '4',
    memorySize,
  });
  made.object('rancher', 'provisioning.cattle.io/v1', 'Cluster', `${NAMESPACE}/shop`, {
    spec: {
      kubernetesVersion: 'v1.33.6+rke2r1',
      rkeConfig: {
        machinePools: [
          {
            name: 'all',
            quantity: 3,
            etcdRole: true,
            controlPlaneRole: true,
            workerRole: true,
            machineConfigRef: { kind: 'HarvesterConfig', name: 'shop-all' },
          },
        ],
      },
    },
  });
  return made;
}

describeCluster('before anything is written', () => {
  const admin: { [target: string]: Cluster } = {};
  const counted: { [target: string]: Counted } = {};
  const apis: { [target: string]: Cluster } = {};
  const events: RunEvent[] = [];

  const programOf = (
    { assembly, manifests }: SmallProgram,
    clustersOf: { [target: string]: Cluster } = apis,
  ): RunProgram => ({
    folder: 'dist',
    digest: 'a1',
    assembly,
    manifests,
    targets: fakeTargets(
      clustersOf,
      Object.fromEntries(assembly.targets.map((target) => [target.name, target])),
    ),
  });

  async function apply(
    of: SmallProgram,
    options: Partial<ApplyRunOptions> = {},
    clustersOf = apis,
  ): Promise<RunSummary> {
    events.splice(0);
    Object.values(counted).forEach(({ requests }) => requests.splice(0));
    return applyProgram(programOf(of, clustersOf), {
      rolls: rollsByImpact,
      app: APP,
      onEvent: (event) => {
        events.push(event);
      },
      ...options,
    });
  }

  const refusal = async (run: Promise<unknown>): Promise<string> =>
    run.then(
      () => {
        throw new Error('it was not refused');
      },
      (error: Error) => error.message,
    );

  const write = async (target: string, ...manifests: readonly Manifest[]): Promise<void> => {
    for (const manifest of manifests) {
      await admin[target].apply(manifest, { fieldManager: 'preflight-test', force: true });
    }
  };

  /** Gives the identity exactly what a program needs. */
  async function grant(of: SmallProgram): Promise<void> {
    for (const target of of.assembly.targets) {
      await write(target.name, ...rbacOf(programOf(of), target, { app: APP }).manifests);
    }
  }

  const seen = async (target: string, name: string): Promise<boolean> =>
    (await admin[target].read({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: NAMESPACE,
      name,
    })) !== undefined;

  beforeAll(async () => {
    for (const [target, kind] of Object.entries(KINDS)) {
      admin[target] = new ApiCluster(transportOf(kind));
      const account = { name: APP.parent.name, namespace: 'kube-system' };
      await write(
        target,
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
        { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account },
      );
      const transport = transportOf(kind);
      const { body } = await transport.request({
        method: 'POST',
        path: `/api/v1/namespaces/kube-system/serviceaccounts/${account.name}/token`,
        body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
      });
      transport.close();
      counted[target] = transportOf(kind, body.status.token);
      apis[target] = new ApiCluster(counted[target]);
    }
  });

  afterAll(async () => {
    for (const [target, cluster] of Object.entries(admin)) {
      const goes = [
        { apiVersion: 'v1', kind: 'Namespace', name: NAMESPACE },
        ...['ClusterRole', 'ClusterRoleBinding'].map((kind) => ({
          apiVersion: `${RBAC}/v1`,
          kind,
          name: APP.parent.name,
        })),
        ...['Role', 'RoleBinding'].map((kind) => ({
          apiVersion: `${RBAC}/v1`,
          kind,
          namespace: 'kube-system',
          name: APP.parent.name,
        })),
        { apiVersion: 'v1', kind: 'ConfigMap', ...APP.parent },
      ];
      for (const ref of goes) {
        const live = await cluster.read(ref);
        if (live) {
          await cluster.delete(ref, live.metadata.uid);
        }
      }
      cluster.close();
      apis[target]?.close();
    }
  });

  test('reports all missing permissions on both clusters, not only that for the lock', async () => {
    const message = await refusal(apply(program('a', 'b')));
    for (const target of Object.keys(KINDS)) {
      expect(message).toContain(
        `\n  ${target} (context ${target}): get, patch, create configmaps a, b in namespace ${NAMESPACE}\n`,
      );
      expect(message).toContain(
        `\n  ${target} (context ${target}): get, patch, create configmaps ${APP.parent.name} in namespace kube-system\n`,
      );
    }
    expect(message).toContain(
      `\n  rancher (context rancher): get, patch, create, delete leases.coordination.k8s.io ${APP.parent.name} in namespace kube-system\n`,
    );
    expect(await seen('rancher', 'a')).toBe(false);
  });

  test('what rbac prints is enough, with few questions', async () => {
    const many = program(...Array.from({ length: 40 }, (_, index) => `map-${index}`));
    await grant(many);
    expect(await apply(many)).toMatchObject({ failed: [], skipped: [] });
    for (const { requests } of Object.values(counted)) {
      // one as an administrator, one for what holds everywhere, and one for each of two namespaces
      expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(4);
    }
    expect(events.filter(({ type }) => type === 'warning')).toEqual([]);
    expect(await destroyProgram(programOf(many), { app: APP, timeoutMs: 600_000 })).toMatchObject({
      failed: [],
    });
  });

  test('names the permission that one more object needs, writes nothing, and releases the lock', async () => {
    await grant(program('a'));
    const more = program('a');
    more.object('dc1', 'v1', 'ConfigMap', `${NAMESPACE}/more`, { data: { x: '1' } });
    more.object('dc1', 'harvesterhci.io/v1beta1', 'KeyPair', `${NAMESPACE}/ana`, {
      spec: { publicKey: 'ssh-ed25519 AAAA ana' },
    });
    expect((await refusal(apply(more))).split('\n').slice(0, -1)).toEqual([
      'missing permissions; nothing was written',
      `  dc1 (context dc1): get, patch, create configmaps more in namespace ${NAMESPACE}`,
      `  dc1 (context dc1): get, patch, create keypairs.harvesterhci.io ana in namespace ${NAMESPACE}`,
    ]);
    expect(await seen('rancher', 'a')).toBe(false);
    expect(
      await admin.rancher.read({
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        ...APP.parent,
      }),
    ).toBeUndefined();
    expect(
      counted.rancher.requests.filter(
        ({ method, path }) => method === 'PATCH' && !path.includes('/leases/'),
      ),
    ).toEqual([]);
  });

  test('needs no permission to write objects that are as declared', async () => {
    await grant(program('a'));
    await apply(program('a'));
    for (const target of Object.keys(KINDS)) {
      await write(target, {
        apiVersion: `${RBAC}/v1`,
        kind: 'Role',
        metadata: { name: APP.parent.name, namespace: NAMESPACE },
        rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
      });
    }
    expect(await apply(program('a'))).toMatchObject({ failed: [] });
    const edited = program();
    edited.object('rancher', 'v1', 'ConfigMap', `${NAMESPACE}/a`, { data: { name: 'other' } });
    edited.object('dc1', 'v1', 'ConfigMap', `${NAMESPACE}/a`, { data: { name: 'a' } });
    expect(await refusal(apply(edited))).toContain(
      `nothing was written\n  rancher (context rancher): patch configmaps a in namespace ${NAMESPACE}\nFix: `,
    );
    expect(await refusal(destroyProgram(programOf(program('a')), { app: APP }))).toContain(
      `dc1 (context dc1): delete configmaps a in namespace ${NAMESPACE}`,
    );
  });

  test('continues with a warning when a run binds its own account', async () => {
    await grant(program('a'));
    const own = program('a');
    own.object('dc1', `${RBAC}/v1`, 'RoleBinding', `${NAMESPACE}/own`, {
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'ServiceAccount', name: APP.parent.name, namespace: 'kube-system' }],
    });
    const { failed } = await apply(own, { timeoutMs: 3_000 });
    expect(failed.map(({ id }) => id)).toEqual([`dc1/${RBAC}/RoleBinding/${NAMESPACE}/own`]);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'warning',
        target: 'dc1',
        message: expect.stringContaining('rolebindings.rbac.authorization.k8s.io own'),
      }),
    );
  });

  test('reports machines that will be replaced, and keeps them on request', async () => {
    expect(await apply(withPool('8'), { failOnMachineLoss: true }, admin)).toMatchObject({
      failed: [],
    });
    expect(await apply(withPool('8'), { failOnMachineLoss: true }, admin)).toMatchObject({
      failed: [],
    });
    expect(events.filter(({ type }) => type === 'roll')).toEqual([]);
    expect(await refusal(apply(withPool('16'), { failOnMachineLoss: true }, admin))).toContain(
      `pool all of ${NAMESPACE}/shop on rancher: 3 machines replaced`,
    );
    const config = async () =>
      admin.rancher.read({
        apiVersion: POOLS,
        kind: 'HarvesterConfig',
        namespace: NAMESPACE,
        name: 'shop-all',
      });
    expect(await config()).toMatchObject({ memorySize: '8' });
    expect(await apply(withPool('16'), {}, admin)).toMatchObject({ failed: [] });
    expect(events.find(({ type }) => type === 'roll')).toMatchObject({
      cluster: `${NAMESPACE}/shop`,
      pool: 'all',
      machines: 3,
      causes: [expect.stringMatching(/memorySize: "8" -> "16"/)],
    });
    expect(await config()).toMatchObject({ memorySize: '16' });
  });
});
