import { SmallProgram } from './_assemblies';
import { FakeCluster } from '../../support/fake-cluster';
import { Trial, fake } from '../run/_running';

const MANAGEMENT = 'management.cattle.io/v3';
const PROVISIONING = 'provisioning.cattle.io/v1';
const RBAC = 'rbac.authorization.k8s.io/v1';
const FINALIZER = 'auth.cattle.io/capi-resources-cleanup';
const PROJECT = 'c-m-dc1-shop';
const GUEST = 'rancher/provisioning.cattle.io/Cluster/fleet-default/k8s';
const BINDING = `rancher/management.cattle.io/ProjectRoleTemplateBinding/${PROJECT}/prtb-ana`;

/** What identifies an object on its cluster. */
type Ref = readonly [apiVersion: string, kind: string, name: string, namespace?: string];

/** All by which the people of the program have access. */
const ACCESS: readonly Ref[] = [
  [MANAGEMENT, 'ProjectRoleTemplateBinding', 'prtb-ana', PROJECT],
  [MANAGEMENT, 'ClusterRoleTemplateBinding', 'crtb-ops', 'c-m-dc1'],
  [MANAGEMENT, 'GlobalRoleBinding', 'grb-ana'],
  [MANAGEMENT, 'User', 'u-ana'],
  ['v1', 'Secret', 'u-ana', 'cattle-local-user-passwords'],
  [MANAGEMENT, 'OIDCClient', 'grafana'],
];
const READERS: Ref = [RBAC, 'RoleBinding', 'readers', 'shop-vms'];

/** What Rancher needs to delete the machines of the guest cluster. */
const DRIVER: readonly Ref[] = [
  ['v1', 'ServiceAccount', 'node-driver', 'harvester-system'],
  [RBAC, 'RoleBinding', 'node-driver', 'shop-vms'],
  [RBAC, 'ClusterRoleBinding', 'node-driver'],
  ['v1', 'Namespace', 'shop-vms'],
];
const CREDENTIAL: Ref = ['v1', 'Secret', 'cc-dc1', 'cattle-global-data'];

/** A guest cluster on a Harvester, people with access, and what deletes its machines. */
function platform(): SmallProgram {
  const program = new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester');
  program.configMap('stays', 'rancher');
  program.object('rancher', MANAGEMENT, 'User', 'u-ana');
  program.object('rancher', 'v1', 'Secret', 'cattle-local-user-passwords/u-ana');
  program.object('rancher', MANAGEMENT, 'GlobalRoleBinding', 'grb-ana', {
    globalRoleName: 'user',
    userName: 'u-ana',
  });
  program.object('rancher', MANAGEMENT, 'ProjectRoleTemplateBinding', `${PROJECT}/prtb-ana`, {
    projectName: 'c-m-dc1:shop',
    roleTemplateName: 'project-owner',
    userPrincipalName: 'local://u-ana',
  });
  program.object('rancher', MANAGEMENT, 'ClusterRoleTemplateBinding', 'c-m-dc1/crtb-ops', {
    clusterName: 'c-m-dc1',
    roleTemplateName: 'cluster-owner',
    groupPrincipalName: 'github_team://1',
  });
  program.object('rancher', MANAGEMENT, 'OIDCClient', 'grafana');
  program.object('rancher', 'v1', 'Secret', 'cattle-global-data/cc-dc1');
  program.object('dc1', 'v1', 'Namespace', 'shop-vms');
  program.object('dc1', 'v1', 'ServiceAccount', 'harvester-system/node-driver');
  const driver = {
    subjects: [{ kind: 'ServiceAccount', name: 'node-driver', namespace: 'harvester-system' }],
  };
  program.object('dc1', RBAC, 'RoleBinding', 'shop-vms/node-driver', driver);
  program.object('dc1', RBAC, 'ClusterRoleBinding', 'node-driver', driver);
  program.object('dc1', RBAC, 'RoleBinding', 'shop-vms/readers', {
    subjects: [{ kind: 'Group', name: 'readers' }],
  });
  program.object('rancher', PROVISIONING, 'Cluster', 'fleet-default/k8s', {
    spec: { rkeConfig: {}, cloudCredentialSecretName: 'cattle-global-data:cc-dc1' },
  });
  return program;
}

/** A fake cluster that reports who the run is. */
function knowing(uid: string, username: string): FakeCluster {
  const cluster = fake(uid);
  cluster.answers = (kind) =>
    kind === 'SelfSubjectReview' ? { userInfo: { username, groups: [] } } : { allowed: true };
  return cluster;
}

/** Applied, with a guest cluster whose deletion hangs. */
async function applied(program: SmallProgram, username = 'u-admin'): Promise<Trial> {
  const trial = new Trial(program, {
    rancher: knowing('uid-of-rancher', username),
    dc1: knowing('uid-of-dc1', username),
  });
  const { rancher } = trial.clusters;
  rancher.reactions.push((object) => {
    if (object.kind === 'Cluster') {
      Object.assign(object, { status: { clusterName: 'c-m-k8s', ready: true } });
      Object.assign(object.metadata, { finalizers: [FINALIZER] });
    }
  });
  expect((await trial.apply()).failed).toEqual([]);
  trial.declared = new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester');
  trial.declared.configMap('stays', 'rancher');
  trial.forget();
  return trial;
}

const remove = {
  apply: async (trial: Trial) => trial.apply({ pruneMachines: true }),
  destroy: async (trial: Trial) => trial.destroy(),
};
const leftOf = (cluster: FakeCluster, refs: readonly Ref[]): string[] =>
  refs.filter((ref) => cluster.has(...ref)).map(([, kind, name]) => `${kind} ${name}`);
const namesOf = (refs: readonly Ref[]): string[] => refs.map(([, kind, name]) => `${kind} ${name}`);

describe.each(['apply', 'destroy'] as const)('%s with a guest cluster that hangs', (command) => {
  test('ends all access of people, fails, and keeps what the cluster needs', async () => {
    const trial = await applied(platform());
    const { rancher, dc1 } = trial.clusters;
    const { failed } = await remove[command](trial);
    expect(failed.map(({ id }) => id)).toEqual([GUEST]);
    expect(failed[0].message).toContain(FINALIZER);
    expect(leftOf(rancher, ACCESS)).toEqual([]);
    expect(leftOf(dc1, [READERS])).toEqual([]);
    expect(leftOf(rancher, [CREDENTIAL])).toEqual(namesOf([CREDENTIAL]));
    expect(leftOf(dc1, DRIVER)).toEqual(namesOf(DRIVER));
  });

  test('deletes access before the cluster, and bindings before their User', async () => {
    const trial = await applied(platform());
    await remove[command](trial);
    const { calls } = trial.clusters.rancher;
    const deleted = calls.filter(({ verb }) => verb === 'delete').map(({ what }) => what);
    const at = (text: string): number => deleted.findIndex((what) => what.includes(text));
    const [user, guest] = [at('User u-ana'), at('fleet-default/k8s')];
    for (const binding of ['grb-ana', 'prtb-ana']) {
      expect(at(binding)).toBeGreaterThanOrEqual(0);
      expect(at(binding)).toBeLessThan(user);
    }
    expect(at('grafana')).toBeLessThan(guest);
    expect(at('grb-ana')).toBeLessThan(guest);
  });

  test('deletes a User although its binding hangs', async () => {
    const trial = await applied(platform());
    const { rancher } = trial.clusters;
    const ref = { apiVersion: MANAGEMENT, kind: 'ProjectRoleTemplateBinding' };
    rancher.change({ ...ref, namespace: PROJECT, name: 'prtb-ana' }, ({ metadata }) => {
      metadata.finalizers = ['clusterscoped.controller.cattle.io/cluster-prtb-sync_c-m-dc1'];
    });
    const { failed } = await remove[command](trial);
    expect(failed.map(({ id }) => id).sort()).toEqual([BINDING, GUEST]);
    expect(leftOf(rancher, ACCESS)).toEqual([]);
  });

  test('keeps the binding of the identity that runs it', async () => {
    const trial = await applied(platform(), 'u-ana');
    const { rancher } = trial.clusters;
    const { failed } = await remove[command](trial);
    expect(failed.map(({ id }) => id)).toEqual([GUEST]);
    expect(leftOf(rancher, ACCESS).sort()).toEqual(
      ['ProjectRoleTemplateBinding prtb-ana', 'GlobalRoleBinding grb-ana', 'User u-ana']
        .concat('Secret u-ana')
        .sort(),
    );
  });
});

test('destroy ends access that the program declares after a guest cluster', async () => {
  const program = platform();
  program.group('members', [BINDING]).edge(GUEST, 'members');
  const trial = await applied(program);
  trial.declared = program;
  const { failed } = await trial.destroy();
  expect(failed.map(({ id }) => id)).toEqual([GUEST]);
  expect(leftOf(trial.clusters.rancher, ACCESS)).toEqual([]);
});
