import { setTimeout } from 'node:timers/promises';
import { RunProgram } from '../../../src/engine/auth/run-program';
import { ApiCluster } from '../../../src/engine/cluster/api-cluster';
import { Cluster, ObjectRef } from '../../../src/engine/cluster/cluster';
import { appOf } from '../../../src/engine/fields/apply-set';
import { applyProgram } from '../../../src/engine/run/apply-program';
import { destroyProgram } from '../../../src/engine/run/destroy-program';
import { NodeTransport } from '../../../src/engine/transport/node-transport';
import { examineClusters } from '../../../src/report/doctor/doctor';
import { rollsByImpact } from '../../../src/report/impact/cluster-impacts';
import { rbacOf } from '../../../src/report/rbac/rbac';
import { SmallProgram } from '../../engine/graph/_assemblies';
import { fakeTargets } from '../../support/fake-cluster';
import { ClusterKind, clusters, describeCluster } from '../clusters';

const APP = appOf('rbac-test');
const NAMESPACE = 'rbac-test';
const EXISTING = 'rbac-test-existing';
const CLUSTER_ID = 'c-m-rbactest';
const KINDS: { readonly [target: string]: ClusterKind } = { rancher: 'rancher', dc1: 'harvester' };

function transportOf(kind: ClusterKind, token = clusters().connections[kind].token): NodeTransport {
  const { url, ca } = clusters().connections[kind];
  return new NodeTransport({
    name: kind,
    server: new URL(url),
    ca,
    credentials: async () => ({ headers: { authorization: `Bearer ${token}` } }),
  });
}

function newProgram(...names: string[]): SmallProgram {
  const program = new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester');
  for (const target of Object.keys(KINDS)) {
    program.object(target, 'v1', 'Namespace', NAMESPACE);
    for (const name of names) {
      program.object(target, 'v1', 'ConfigMap', `${NAMESPACE}/${name}`, { data: { name } });
    }
    program.object(target, 'v1', 'ConfigMap', `${EXISTING}/a`, { data: { key: 'a' } });
  }
  program.object('rancher', 'v1', 'Secret', `${NAMESPACE}/token`, {
    stringData: { token: 'a-token' },
  });
  program.object('rancher', 'v1', 'Namespace', CLUSTER_ID);
  program.object('rancher', 'provisioning.cattle.io/v1', 'Cluster', `${EXISTING}/dc1`, {
    metadata: { annotations: { 'provisioning.cattle.io/management-cluster-name': CLUSTER_ID } },
    spec: {},
  });
  program.object('dc1', 'harvesterhci.io/v1beta1', 'KeyPair', `${NAMESPACE}/ana`, {
    spec: { publicKey: 'ssh-ed25519 AAAA ana' },
  });
  program.object('dc1', 'k8s.cni.cncf.io/v1', 'NetworkAttachmentDefinition', `${NAMESPACE}/prod`, {
    spec: { config: '{}' },
  });
  program.object('dc1', 'loadbalancer.harvesterhci.io/v1beta1', 'IPPool', 'rbac-test', {
    spec: { ranges: [{ subnet: '10.9.8.0/24', gateway: '10.9.8.1' }], selector: {} },
  });
  return program;
}

/** Waits for the end of an object that the tests of another file deleted on the same server. */
async function untilNotTerminating(cluster: Cluster, ref: ObjectRef): Promise<void> {
  const isTerminating = async (): Promise<boolean> =>
    (await cluster.read(ref))?.metadata.deletionTimestamp !== undefined;
  while (await isTerminating()) {
    await setTimeout(200);
  }
}

describeCluster('the identity that rbac prints', () => {
  const admin: { [target: string]: Cluster } = {};
  let apis: { [target: string]: Cluster } = {};

  const programOf = ({ assembly, manifests }: SmallProgram): RunProgram => ({
    folder: 'dist',
    digest: 'a1',
    assembly,
    manifests,
    targets: fakeTargets(
      apis,
      Object.fromEntries(assembly.targets.map((target) => [target.name, target])),
    ),
  });

  /** Gives the identity what a program needs, and nothing from before. */
  async function grant(
    program: SmallProgram,
    before?: SmallProgram,
    doctor = false,
  ): Promise<void> {
    for (const target of program.assembly.targets) {
      const { manifests } = rbacOf(programOf(program), target, {
        app: APP,
        before: before && programOf(before),
        doctor,
      });
      for (const manifest of manifests) {
        await admin[target.name].apply(manifest, { fieldManager: 'rbac-test', force: true });
      }
    }
  }

  beforeAll(async () => {
    for (const [target, kind] of Object.entries(KINDS)) {
      const transport = transportOf(kind);
      admin[target] = new ApiCluster(transport);
      for (const name of [
        EXISTING,
        'harvester-system',
        'cattle-system',
        'cattle-fleet-system',
        'cattle-global-data',
        'fleet-default',
      ]) {
        await admin[target].apply(
          { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
          { fieldManager: 'rbac-test' },
        );
      }
    }
    await grant(newProgram('a', 'b'));
    const tokens: { [target: string]: string } = {};
    for (const [target, kind] of Object.entries(KINDS)) {
      const transport = transportOf(kind);
      const { body } = await transport.request({
        method: 'POST',
        path: `/api/v1/namespaces/kube-system/serviceaccounts/${APP.parent.name}/token`,
        body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
      });
      tokens[target] = body.status.token;
      transport.close();
    }
    apis = Object.fromEntries(
      Object.entries(KINDS).map(([target, kind]) => [
        target,
        new ApiCluster(transportOf(kind, tokens[target])),
      ]),
    );
  });

  afterAll(async () => {
    for (const [target, cluster] of Object.entries(admin)) {
      for (const name of [NAMESPACE, EXISTING, CLUSTER_ID]) {
        const live = await cluster.read({ apiVersion: 'v1', kind: 'Namespace', name });
        if (live) {
          await cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name }, live.metadata.uid);
        }
      }
      cluster.close();
      apis[target]?.close();
    }
  });

  test('applies the program, and again', async () => {
    const summary = await applyProgram(programOf(newProgram('a', 'b')), {
      rolls: rollsByImpact,
      app: APP,
    });
    expect(summary).toMatchObject({ failed: [], skipped: [], pending: [] });
    expect(summary.done).toHaveLength(newProgram('a', 'b').objects.length);
    expect(
      await applyProgram(programOf(newProgram('a', 'b')), { rolls: rollsByImpact, app: APP }),
    ).toMatchObject({ failed: [] });
  });

  test.each([
    [
      'another ConfigMap in the same namespace',
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'other', namespace: NAMESPACE } },
    ],
    [
      'another Namespace',
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'rbac-test-other' } },
    ],
    [
      'a Secret in a namespace of others',
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'other-token', namespace: 'kube-system' },
      },
    ],
    [
      'rights',
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: APP.parent.name },
        rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
      },
    ],
  ])('may not write %s', async (_, manifest) => {
    await expect(
      apis.rancher.apply(manifest, { fieldManager: APP.fieldManager }),
    ).rejects.toMatchObject({ failure: 'forbidden' });
  });

  test('may not read the Secrets of others', async () => {
    await expect(
      apis.rancher.list('v1', 'Secret', { namespace: 'kube-system' }),
    ).rejects.toMatchObject({ failure: 'forbidden' });
    await expect(
      apis.dc1.read({ apiVersion: 'v1', kind: 'Secret', namespace: NAMESPACE, name: 'token' }),
    ).rejects.toMatchObject({ failure: 'forbidden' });
  });

  test('reads for doctor what it is allowed with --doctor, and nothing else', async () => {
    const program = programOf(newProgram('a', 'b'));
    const unseen = async (): Promise<string[]> => {
      const { diagnoses } = await examineClusters(program, program.targets, { app: APP });
      expect(
        diagnoses.filter(
          ({ check }) => check === 'target/unreachable' || check.startsWith('drift/'),
        ),
      ).toEqual([]);
      return diagnoses
        .filter(({ check }) => check === 'target/not-seen')
        .map(({ message }) => message);
    };
    expect((await unseen()).join('\n')).toMatch(/^credentials could not be read .*forbidden/m);
    // Rancher creates it
    const extensions = { apiVersion: 'v1', kind: 'Namespace', name: 'cattle-ui-plugin-system' };
    await untilNotTerminating(admin.rancher, extensions);
    await admin.rancher.apply(
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: extensions.name } },
      { fieldManager: 'rbac-test', force: true },
    );
    await grant(newProgram('a', 'b'), undefined, true);
    expect(await unseen()).toEqual([]);
  });

  test('prunes undeclared objects once --before names them', async () => {
    await grant(newProgram('a'), newProgram('a', 'b'));
    expect(
      await applyProgram(programOf(newProgram('a')), { rolls: rollsByImpact, app: APP }),
    ).toMatchObject({ failed: [] });
    expect(
      await admin.dc1.read({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        namespace: NAMESPACE,
        name: 'b',
      }),
    ).toBeUndefined();
  });

  test('destroys the program', async () => {
    expect(
      await destroyProgram(programOf(newProgram('a')), { app: APP, timeoutMs: 30_000 }),
    ).toMatchObject({ failed: [] });
    expect(
      await admin.rancher.read({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        namespace: EXISTING,
        name: 'a',
      }),
    ).toBeUndefined();
  });
});
