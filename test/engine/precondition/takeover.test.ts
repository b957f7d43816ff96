import { SecretValue } from '../../../src/core/value/secret-value';
import { applySetId } from '../../../src/engine/fields/apply-set';
import { buildGraph } from '../../../src/engine/graph/build-graph';
import { inventoryReader } from '../../../src/engine/inventory/inventory';
import { PlanStep } from '../../../src/engine/plan/plan';
import { loadAssembly } from '../../../src/engine/read/load-assembly';
import { ApiError } from '../../../src/engine/transport/api';
import { HarvesterImport } from '../../../src/rancher/import/harvester-import';
import { TokenSource } from '../../../src/rancher/import/registration-token';
import { Principal } from '../../../src/rancher/members/principal';
import { ProjectMember } from '../../../src/rancher/project/tenant-namespace';
import { TenantProject } from '../../../src/rancher/project/tenant-project';
import { FakeCluster } from '../../support/fake-cluster';
import { newApp, newHarvester, newRancher } from '../../support/programs';
import { SmallProgram } from '../graph/_assemblies';
import { makePlan } from '../plan/_planning';
import { APP, Trial, writes } from '../run/_running';

const MANAGEMENT = 'management.cattle.io/v3';
const PROVISIONING = 'provisioning.cattle.io/v1';
const RBAC = 'rbac.authorization.k8s.io/v1';
const IMPORT = 'rancher/provisioning.cattle.io/Cluster/fleet-default/dc1';
const SETTING = 'dc1/harvesterhci.io/Setting//cluster-registration-url';

async function planOf(
  { program }: Trial,
  options: { readonly acceptExisting?: readonly string[] } = {},
): Promise<readonly PlanStep[]> {
  const { steps } = await makePlan(
    { ...program, graph: buildGraph(program.assembly, program.manifests) },
    {
      fieldManager: APP.fieldManager,
      inventory: inventoryReader(APP),
      ...options,
    },
  );
  return steps;
}

/** An import with a tenant, as a program synthesizes it. */
function platform(): { readonly trial: Trial; readonly clusterId: string } {
  const app = newApp();
  const rancher = newRancher(app);
  const dc1 = newHarvester(app);
  const cluster = new HarvesterImport(rancher, 'dc1', {
    harvester: dc1,
    registrationToken: TokenSource.value(SecretValue.unsafePlainText('x'.repeat(54))),
  });
  new TenantProject(rancher, 'shop', {
    cluster,
    tenantNamespaces: [{ name: 'shop-vms' }],
    members: [ProjectMember.owner(Principal.user('local://u-ana'))],
  });
  app.synth();
  const { assembly, manifests } = loadAssembly(app.outdir);
  const trial = new Trial({
    assembly,
    manifests,
    targets: assembly.targets,
  } as unknown as SmallProgram);
  trial.clusters.dc1.seed(
    {
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'Setting',
      metadata: { name: 'cluster-registration-url' },
    },
    'harvester',
  );
  trial.clusters.dc1.reactions.push((object) => {
    if (object.kind === 'Setting') {
      (object as { status?: object }).status = {
        conditions: [{ type: 'configured', status: 'True' }],
      };
    }
  });
  return { trial, clusterId: cluster.clusterId };
}

/**
 * What a Standard User prepares: the Cluster with the predictable ID, as Rancher leaves it, without
 * the annotation of its creator.
 */
function prepare(rancher: FakeCluster, id: string, manager = 'kubectl'): void {
  const labels = { 'applyset.kubernetes.io/part-of': applySetId(APP) };
  rancher.seed(
    {
      apiVersion: PROVISIONING,
      kind: 'Cluster',
      metadata: {
        name: 'dc1',
        namespace: 'fleet-default',
        annotations: { 'provisioning.cattle.io/management-cluster-name': id },
        ...(manager === APP.fieldManager ? { labels } : {}),
      },
      spec: {},
      status: { clusterName: id, ready: true },
    },
    manager,
    manager === APP.fieldManager ? 'Apply' : 'Update',
  );
  rancher.seed(
    { apiVersion: MANAGEMENT, kind: 'Cluster', metadata: { name: id }, spec: {} },
    'rancher',
  );
  rancher.seed(
    {
      apiVersion: MANAGEMENT,
      kind: 'ClusterRoleTemplateBinding',
      metadata: { name: 'creator-cluster-owner', namespace: id },
      clusterName: id,
      roleTemplateName: 'cluster-owner',
      userName: 'u-mallory',
    },
    'rancher',
  );
}

describe('a Cluster that someone else made before the first apply', () => {
  test.each([
    ['as kubectl writes it', 'kubectl'],
    ['with the label and the field manager of this app', APP.fieldManager],
  ])('is not adopted, %s, and the Harvester does not register with it', async (_, manager) => {
    const { trial, clusterId } = platform();
    prepare(trial.clusters.rancher, clusterId, manager);
    const { failed, skipped } = await trial.apply();
    expect(failed).toContainEqual({
      id: IMPORT,
      message: expect.stringContaining(
        'u-mallory with role cluster-owner, by ClusterRoleTemplateBinding creator-cluster-owner',
      ),
    });
    expect(failed.find(({ id }) => id === IMPORT)!.message).toContain(
      `to adopt it with all who have access to it, set --accept-existing '${IMPORT}'`,
    );
    expect(skipped.map(({ id }) => id)).toContain(SETTING);
    expect(
      trial.clusters.dc1.live('harvesterhci.io/v1beta1', 'Setting', 'cluster-registration-url')
        .value,
    ).toBeUndefined();
    expect(writes(trial.clusters.rancher)).not.toContain('apply Cluster fleet-default/dc1');
    // nor by the second apply, whose inventory contains what the first expected
    expect((await trial.apply()).failed.map(({ id }) => id)).toContain(IMPORT);
  });

  test('is refused by the plan in the words of the apply, with who has access', async () => {
    const { trial, clusterId } = platform();
    prepare(trial.clusters.rancher, clusterId);
    const { refused } = (await planOf(trial)).find(({ id }) => id === IMPORT)!;
    const { message } = (await trial.apply()).failed.find(({ id }) => id === IMPORT)!;
    expect(message.endsWith(`: ${refused}`)).toBe(true);
  });

  test('is adopted by name, with a report of who has access, and then belongs to the app', async () => {
    const { trial, clusterId } = platform();
    prepare(trial.clusters.rancher, clusterId);
    const step = (await planOf(trial, { acceptExisting: [IMPORT] })).find(
      ({ id }) => id === IMPORT,
    )!;
    expect(step).toMatchObject({
      action: 'update',
      warnings: expect.arrayContaining([
        expect.stringContaining('u-mallory with role cluster-owner'),
      ]),
    });
    expect(step.refused).toBeUndefined();
    expect((await trial.apply({ acceptExisting: [IMPORT] })).failed).toEqual([]);
    expect(trial.events).toContainEqual(
      expect.objectContaining({
        id: IMPORT,
        state: 'adopted',
        message: expect.stringContaining('u-mallory'),
      }),
    );
    trial.forget();
    expect((await trial.apply()).failed).toEqual([]);
    expect(writes(trial.clusters.rancher)).toEqual([]);
    expect(trial.states(IMPORT)).toEqual(['applying', 'unchanged']);
  });

  test('is not needed: a management Cluster with the ID of a new Cluster is refused, too', async () => {
    const { trial, clusterId } = platform();
    const annotations = { 'field.cattle.io/creatorId': 'u-mallory' };
    trial.clusters.rancher.seed(
      {
        apiVersion: MANAGEMENT,
        kind: 'Cluster',
        metadata: { name: clusterId, annotations },
        spec: {},
      },
      'kubectl',
    );
    const { failed } = await trial.apply();
    expect(failed).toContainEqual({
      id: IMPORT,
      message: expect.stringMatching(
        /Cluster c-m-\w+ on rancher already exists and would become part of it: .*u-mallory, who created it/,
      ),
    });
    expect((await planOf(trial)).find(({ id }) => id === IMPORT)!.refused).toContain(
      'would become part of it',
    );
  });

  test('does not stop what has nothing to do with it', async () => {
    const { trial, clusterId } = platform();
    prepare(trial.clusters.rancher, clusterId);
    await trial.apply();
    expect(trial.clusters.dc1.has('v1', 'Namespace', 'shop-vms')).toBe(false);
    expect(trial.clusters.rancher.has('v1', 'Namespace', clusterId)).toBe(true);
  });
});

describe('a program without anything prepared', () => {
  test('is applied, and the second apply writes nothing', async () => {
    const { trial } = platform();
    expect(await trial.apply()).toMatchObject({ failed: [], skipped: [] });
    trial.forget();
    expect(await trial.apply()).toMatchObject({ failed: [], skipped: [] });
    for (const cluster of Object.values(trial.clusters)) {
      expect(writes(cluster)).toEqual([]);
    }
    expect((await planOf(trial)).every(({ refused }) => refused === undefined)).toBe(true);
  });
});

/** A program with one object on a Harvester. */
function one(
  apiVersion: string,
  kind: string,
  path: string,
  content: { [field: string]: unknown } = {},
): { readonly trial: Trial; readonly id: string } {
  const program = new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester');
  const id = program.object('dc1', apiVersion, kind, path, content);
  return { trial: new Trial(program), id };
}

const SUBJECTS = [{ kind: 'User', name: 'u-mallory' }];
const ROLE_REF = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'admin' };

describe.each<
  [
    what: string,
    apiVersion: string,
    kind: string,
    path: string,
    content: { [field: string]: unknown },
  ]
>([
  ['a Secret', 'v1', 'Secret', 'shop/account', { type: 'Opaque' }],
  ['a ServiceAccount', 'v1', 'ServiceAccount', 'shop/driver', {}],
  ['a Role', RBAC, 'Role', 'shop/admin', { rules: [] }],
  ['a RoleBinding', RBAC, 'RoleBinding', 'shop/admins', { roleRef: ROLE_REF, subjects: SUBJECTS }],
  ['a ClusterRole', RBAC, 'ClusterRole', 'admins', { rules: [] }],
  [
    'a ClusterRoleBinding',
    RBAC,
    'ClusterRoleBinding',
    'admins',
    { roleRef: ROLE_REF, subjects: SUBJECTS },
  ],
  ['a Project', MANAGEMENT, 'Project', 'c-m-a/shop', { spec: {} }],
  ['a ProjectRoleTemplateBinding', MANAGEMENT, 'ProjectRoleTemplateBinding', 'shop/owner', {}],
  ['a ClusterRoleTemplateBinding', MANAGEMENT, 'ClusterRoleTemplateBinding', 'c-m-a/owner', {}],
  ['a GlobalRoleBinding', MANAGEMENT, 'GlobalRoleBinding', 'admins', {}],
  ['a RoleTemplate', MANAGEMENT, 'RoleTemplate', 'operator', {}],
  ['a GlobalRole', MANAGEMENT, 'GlobalRole', 'operator', {}],
  ['a User', MANAGEMENT, 'User', 'u-ana', {}],
  [
    'a HarvesterConfig',
    'rke-machine-config.cattle.io/v1',
    'HarvesterConfig',
    'fleet-default/pool',
    {},
  ],
])('%s that someone else made', (_, apiVersion, kind, path, content) => {
  const [name, namespace] = path.split('/').reverse();
  const seed = (cluster: FakeCluster): void => {
    cluster.seed(
      {
        apiVersion,
        kind,
        metadata: {
          name,
          ...(namespace ? { namespace } : {}),
          annotations: { 'example.com/by': 'mallory' },
        },
        ...content,
      },
      'kubectl',
    );
  };

  test('before the first apply is adopted only by name', async () => {
    const { trial, id } = one(apiVersion, kind, path, content);
    seed(trial.clusters.dc1);
    expect((await trial.apply()).failed).toEqual([
      { id, message: expect.stringContaining(`set --accept-existing '${id}'`) },
    ]);
    expect(writes(trial.clusters.dc1)).toEqual([]);
    expect((await trial.apply({ acceptExisting: [id] })).failed).toEqual([]);
    expect(trial.states(id).slice(-1)).toEqual(['adopted']);
    trial.forget();
    expect((await trial.apply()).failed).toEqual([]);
    expect(writes(trial.clusters.dc1)).toEqual([]);
  });

  test('in place of the applied one, between two applies, is adopted only by name', async () => {
    const { trial } = one(apiVersion, kind, path, content);
    expect((await trial.apply()).failed).toEqual([]);
    const { dc1 } = trial.clusters;
    await dc1.delete(
      { apiVersion, kind, name, namespace },
      dc1.live(apiVersion, kind, name, namespace).metadata.uid,
    );
    seed(dc1);
    trial.forget();
    const words = await trial.apply().then(
      ({ failed }) => failed[0]?.message,
      (error: Error) => error.message,
    );
    expect(words).toMatch(/is not in the inventory of this app|was recreated/);
    expect(writes(dc1)).toEqual([]);
  });
});

describe('a Namespace that someone else made', () => {
  const subjects = (
    kind: string,
    name: string,
    namespace?: string,
  ): { readonly [field: string]: unknown } => ({
    roleRef: ROLE_REF,
    subjects: [{ kind, name, ...(namespace ? { namespace } : {}) }],
  });

  test('is adopted, and called so, if no one has access to it', async () => {
    const { trial, id } = one('v1', 'Namespace', 'shop');
    const { dc1 } = trial.clusters;
    dc1.seed({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    dc1.seed({
      apiVersion: RBAC,
      kind: 'RoleBinding',
      metadata: { name: 'proxier', namespace: 'shop' },
      ...subjects('User', 'system:kube-proxy'),
    });
    expect((await trial.apply()).failed).toEqual([]);
    expect(trial.states(id)).toEqual(['applying', 'adopted']);
  });

  test.each<[who: string, binding: { readonly [field: string]: unknown }, says: string]>([
    [
      'a user',
      subjects('User', 'u-mallory'),
      'User u-mallory with role admin, by RoleBinding planted',
    ],
    [
      'an account of a tenant',
      subjects('ServiceAccount', 'bot', 'team-b'),
      'ServiceAccount team-b/bot with role admin',
    ],
    [
      'all accounts of a namespace',
      subjects('Group', 'system:serviceaccounts:team-b'),
      'Group system:serviceaccounts:team-b',
    ],
  ])('is adopted only by name if %s has access to it', async (_, binding, says) => {
    const { trial, id } = one('v1', 'Namespace', 'shop');
    const { dc1 } = trial.clusters;
    dc1.seed({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    dc1.seed({
      apiVersion: RBAC,
      kind: 'RoleBinding',
      metadata: { name: 'planted', namespace: 'shop' },
      ...binding,
    });
    expect((await planOf(trial))[0].refused).toContain(says);
    expect((await trial.apply()).failed).toEqual([{ id, message: expect.stringContaining(says) }]);
    expect((await trial.apply({ acceptExisting: [id] })).failed).toEqual([]);
    expect(trial.events).toContainEqual(
      expect.objectContaining({ id, state: 'adopted', message: expect.stringContaining(says) }),
    );
  });

  test('is refused if its bindings cannot be listed', async () => {
    const { trial, id } = one('v1', 'Namespace', 'shop');
    const { dc1 } = trial.clusters;
    dc1.seed({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    dc1.fault = ({ verb, what }) =>
      verb === 'list' && what.startsWith('RoleBinding')
        ? new ApiError('forbidden', 'no', 403)
        : undefined;
    expect((await trial.apply()).failed).toEqual([
      {
        id,
        message: expect.stringContaining(
          'the RoleBindings in namespace shop cannot be listed (no)',
        ),
      },
    ]);
  });
});

test('an object that another client creates while it is applied is not adopted silently', async () => {
  const { trial, id } = one('v1', 'Secret', 'shop/account', { data: { a: 'YQ==' } });
  const { dc1 } = trial.clusters;
  dc1.before = async ({ verb, what }) => {
    if (
      verb === 'apply' &&
      what === 'Secret shop/account' &&
      !dc1.live('v1', 'Secret', 'account', 'shop')
    ) {
      dc1.seed({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'account', namespace: 'shop' },
        data: { b: 'Yg==' },
      });
    }
  };
  expect((await trial.apply()).failed).toEqual([
    {
      id,
      message: expect.stringContaining(
        'was created by someone else at the same time (written by kubectl)',
      ),
    },
  ]);
});

test('an object whose creation was not recorded, since the run died, is still of the app if no one else has access to it', async () => {
  const { trial, id } = one('v1', 'Secret', 'shop/account', { data: { a: 'YQ==' } });
  const { dc1 } = trial.clusters;
  let saved = 0;
  dc1.fault = ({ verb, what }) =>
    verb === 'apply' && what.startsWith('ConfigMap kube-system/') && ++saved > 1
      ? new Error('the process died')
      : undefined;
  await trial.apply().catch(() => undefined);
  dc1.fault = undefined;
  expect(dc1.has('v1', 'Secret', 'account', 'shop')).toBe(true);
  expect((await trial.apply()).failed).toEqual([]);
  // but not one that someone can delete by its owner
  const { trial: other } = one('v1', 'Secret', 'shop/account', { data: { a: 'YQ==' } });
  other.clusters.dc1.seed(
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 'account',
        namespace: 'shop',
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'm', uid: 'u' }],
      } as never,
      data: { a: 'YQ==' },
    },
    APP.fieldManager,
    'Apply',
  );
  await other.apply();
  expect((await other.apply()).failed).toEqual([
    { id, message: expect.stringContaining('the owner of ConfigMap m, with which it is deleted') },
  ]);
});

test('an object that Rancher marked with the user of the run that died, and with a declared owner, is still of the app', async () => {
  const program = new SmallProgram().target('rancher', 'rancher');
  program.object('rancher', PROVISIONING, 'Cluster', 'fleet-default/shop', {
    spec: { rkeConfig: {} },
  });
  // the program may name a creator itself
  program.object('rancher', 'v1', 'Secret', 'cattle-global-data/cc', {
    metadata: {
      name: 'cc',
      namespace: 'cattle-global-data',
      annotations: { 'field.cattle.io/creatorId': 'u-ana' },
    },
  });
  const id = program.object(
    'rancher',
    'rke-machine-config.cattle.io/v1',
    'HarvesterConfig',
    'fleet-default/pool',
  );
  const run = async (creator: string): Promise<readonly { readonly id: string }[]> => {
    const trial = new Trial(program);
    const { rancher } = trial.clusters;
    rancher.reactions.push((object) => {
      if (object.kind !== 'HarvesterConfig') {
        return;
      }
      Object.assign(object.metadata, {
        annotations: { 'field.cattle.io/creatorId': creator },
        ownerReferences: [{ apiVersion: PROVISIONING, kind: 'Cluster', name: 'shop', uid: 'u' }],
      });
    });
    rancher.answers = (kind) =>
      kind === 'SelfSubjectReview' ? { userInfo: { username: 'u-admin' } } : { allowed: true };
    let saved = 0;
    rancher.fault = ({ verb, what }) =>
      verb === 'apply' && what.startsWith('ConfigMap kube-system/') && ++saved > 1
        ? new Error('the process died')
        : undefined;
    await trial.apply().catch(() => undefined);
    rancher.fault = undefined;
    return (await trial.apply()).failed;
  };
  expect(await run('u-admin')).toEqual([]);
  expect((await run('u-mallory')).map((each) => each.id)).toEqual([id]);
});

test('objects of a restored cluster, which have other UIDs, are still of the app if the user accepts the cluster and they carry the marks', async () => {
  const { trial, id } = one('v1', 'Secret', 'shop/account', { data: { a: 'YQ==' } });
  const { dc1 } = trial.clusters;
  await trial.apply();
  dc1.live('v1', 'Secret', 'account', 'shop').metadata.uid = 'restored';
  expect((await trial.apply()).failed.map((each) => each.id)).toEqual([id]);
  expect((await trial.apply({ acceptNewCluster: ['dc1'] })).failed).toEqual([]);
  expect((await trial.apply()).failed).toEqual([]);
});

test('refuses --accept-existing of an object that the program does not declare', async () => {
  const { trial } = one('v1', 'Secret', 'shop/account');
  await expect(trial.apply({ acceptExisting: ['dc1//Secret/shop/other'] })).rejects.toThrow(
    '--accept-existing: must be the ID of an object, got dc1//Secret/shop/other',
  );
});
