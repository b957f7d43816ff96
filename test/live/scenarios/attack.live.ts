import { Manifest } from '../../../src/core/manifest/manifest';
import { plan } from '../../../src/engine';
import { refOf } from '../../../src/engine/cluster/cluster';
import { appOf, APPLY_SET, applySetId } from '../../../src/engine/inventory/apply-set';
import { ClusterId } from '../../../src/rancher/cluster/managed-cluster';
import { HarvesterImport } from '../../../src/rancher/import/harvester-import';
import { ClusterMember, ClusterMembers } from '../../../src/rancher/members/members';
import { Principal } from '../../../src/rancher/members/principal';
import { ProjectMember } from '../../../src/rancher/project/tenant-namespace';
import { TenantProject } from '../../../src/rancher/project/tenant-project';
import { GlobalPermission } from '../../../src/rancher/role/roles';
import { LocalUser } from '../../../src/rancher/user/user';
import { tempFolder } from '../../support/temp';
import { Question, isAllowed } from '../lab/access';
import { Lab } from '../lab/lab';
import { Charts, Walk } from '../walk/walk';

/** Users with the permissions of a tenant: of a Standard User alone, of the owner of a project, and of a member of a cluster. */
const USERS = ['standard', 'owner', 'member'] as const;

describe('an attacker', () => {
  let lab: Lab;
  let walk: Walk;
  const id = (): string => `c-m-${lab.prefix}h`;
  const user = (name: (typeof USERS)[number]): string => lab.name(name);

  /** A platform with a tenant, and more. */
  const platform =
    (more: (charts: Charts) => void = () => undefined) =>
    (charts: Charts): void => {
      const { rancher, dc1 } = charts;
      const users = USERS.map(
        (name) =>
          new LocalUser(rancher, name, { name: user(name), permissions: [GlobalPermission.USER] }),
      );
      const cluster = new HarvesterImport(rancher, 'import', {
        harvester: dc1,
        name: lab.name('dc1'),
        clusterId: ClusterId.fixed(id()),
        register: false,
      });
      new TenantProject(rancher, 'project', {
        cluster,
        name: 'project',
        members: [ProjectMember.owner(Principal.localUser(users[1]))],
      });
      new ClusterMembers(rancher, 'members', {
        cluster,
        members: [ClusterMember.member(Principal.localUser(users[2]))],
      });
      more(charts);
    };

  beforeAll(async () => {
    lab = await Lab.open(tempFolder());
    walk = new Walk(lab, 'attack');
    expect(await walk.commit(platform())).toEqual([]);
  });
  afterAll(async () => {
    const left = [...((await walk?.destroy()) ?? []), ...((await lab?.clean()) ?? [])];
    lab?.close();
    expect(left).toEqual([]);
  });

  test.each(USERS)(
    'with the permissions of %s cannot read or write what a run trusts',
    async (name) => {
      const { namespace, name: inventory } = appOf(walk.app).parent;
      const on = { on: 'rancher', user: user(name), allowed: false } as const;
      const questions: Question[] = [
        { ...on, verb: 'get', resource: 'configmaps', namespace, name: inventory },
        { ...on, verb: 'update', resource: 'configmaps', namespace, name: inventory },
        { ...on, verb: 'create', resource: 'configmaps', namespace },
        { ...on, verb: 'update', group: 'coordination.k8s.io', resource: 'leases', namespace },
        { ...on, verb: 'create', resource: 'namespaces' },
        { ...on, verb: 'get', resource: 'secrets', namespace: 'cattle-system' },
        { ...on, verb: 'get', resource: 'secrets', namespace: id() },
        { ...on, verb: 'create', resource: 'secrets', namespace: id() },
        { ...on, verb: 'create', resource: 'secrets', namespace: 'cattle-local-user-passwords' },
        { ...on, verb: 'create', group: 'management.cattle.io', resource: 'users' },
        { ...on, verb: 'create', group: 'management.cattle.io', resource: 'globalrolebindings' },
        { ...on, verb: 'update', group: 'management.cattle.io', resource: 'settings' },
      ];
      const may: string[] = [];
      for (const question of questions) {
        if (await isAllowed(lab, question)) {
          may.push(`${question.verb} ${question.resource} in ${question.namespace ?? 'all'}`);
        }
      }
      expect(may).toEqual([]);
    },
  );

  test('that creates an object before the program is not followed silently', async () => {
    const trap: Manifest = {
      apiVersion: 'provisioning.cattle.io/v1',
      kind: 'Cluster',
      metadata: { name: lab.name('trap'), namespace: 'fleet-default' },
      ...{ spec: {} },
    };
    await lab.server('rancher').createAs(user('standard'), trap, 'attacker');
    const dist = walk.synthesize(
      platform(({ rancher, dc1 }) => {
        new HarvesterImport(rancher, 'trap', {
          harvester: dc1,
          name: lab.name('trap'),
          clusterId: ClusterId.fixed(`c-m-${lab.prefix}t`),
          register: false,
        });
      }),
    );
    const { plan: planned } = await plan(dist, { config: lab.config, app: walk.app });
    const step = planned.steps.find((each) => each.id.endsWith(`/${lab.name('trap')}`))!;
    expect(step.refused).toEqual(expect.stringContaining('--accept-existing'));
  });

  test('that claims to be a part of the app loses nothing, and nothing of others is deleted', async () => {
    const claimed: Manifest = {
      apiVersion: 'provisioning.cattle.io/v1',
      kind: 'Cluster',
      metadata: {
        name: lab.name('claimed'),
        namespace: 'fleet-default',
        labels: { [APPLY_SET.PART_OF]: applySetId(appOf(walk.app)) },
      },
      ...{ spec: {} },
    };
    await lab.server('rancher').createAs(user('standard'), claimed, appOf(walk.app).fieldManager);
    expect(await walk.commit(platform())).toEqual([]);
    const live = await lab.server('rancher').cluster.read(refOf(claimed));
    expect(live?.metadata.deletionTimestamp).toBeUndefined();
  });
});
