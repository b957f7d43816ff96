import { ClusterId } from '../../../src/rancher/cluster/managed-cluster';
import {
  ClusterMember,
  ClusterMembers,
  GlobalRoleBinding,
} from '../../../src/rancher/members/members';
import { Principal } from '../../../src/rancher/members/principal';
import { ProjectMember } from '../../../src/rancher/project/tenant-namespace';
import { TenantProject } from '../../../src/rancher/project/tenant-project';
import { RancherChart } from '../../../src/rancher/rancher-chart';
import { RoleTemplate, RoleTemplateContext } from '../../../src/rancher/role/role-template';
import { ClusterMemberRole, GlobalPermission } from '../../../src/rancher/role/roles';
import { LocalUser } from '../../../src/rancher/user/user';
import { messageOf } from '../../support/message-of';
import { newApp, newRancher } from '../../support/programs';
import { tenantWorld } from '../../support/tenants';
import { assemblyOf, written } from '../../support/written';

const AUDIT = Principal.group('okta_group://audit');

test('a member is a binding in the namespace of the cluster, with the name of the webhook, after the cluster', () => {
  const { app, rancher, cluster } = tenantWorld();
  new ClusterMembers(rancher, 'members', {
    cluster,
    members: [ClusterMember.member(AUDIT), ClusterMember.owner(Principal.user('local://u-ana'))],
  });
  const objects = written(app);
  expect(objects['rancher/ClusterRoleTemplateBinding/crtb-agml4btuaz']).toEqual({
    apiVersion: 'management.cattle.io/v3',
    kind: 'ClusterRoleTemplateBinding',
    metadata: { name: 'crtb-agml4btuaz', namespace: 'c-m-harvdc05' },
    clusterName: 'c-m-harvdc05',
    roleTemplateName: 'cluster-member',
    groupPrincipalName: 'okta_group://audit',
  });
  expect(assemblyOf(app).edges).toContainEqual({
    from: 'rancher/management.cattle.io/ClusterRoleTemplateBinding/c-m-harvdc05/crtb-agml4btuaz',
    to: 'rancher/provisioning.cattle.io/Cluster/fleet-default/dc1',
    type: 'applied',
  });
  expect(
    Object.values(objects).filter(({ roleTemplateName }) => roleTemplateName === 'cluster-owner'),
  ).toHaveLength(1);
});

test('a member of a cluster whose id is late waits for it, with a name that does not change', () => {
  const names = [1, 2].map(() => {
    const { app, rancher, cluster } = tenantWorld('2.13.8', ClusterId.late());
    new ClusterMembers(rancher, 'members', { cluster, members: [ClusterMember.member(AUDIT)] });
    app.synth();
    return assemblyOf(app)
      .objects.map(({ template }: any) => template)
      .filter((template: any) => template?.kind === 'ClusterRoleTemplateBinding')[0].metadata.name;
  });
  expect(names[0]).toMatch(/^crtb-[a-z2-7]{10}$/);
  expect(names[0]).toBe(names[1]);
});

test.each([
  [
    ClusterMember.of(AUDIT, ClusterMemberRole.of('project-owner')),
    'must be a role of context cluster, not project, got "project-owner"',
  ],
  [ClusterMember.of(AUDIT, ClusterMemberRole.VIRTUALIZATION_MANAGE), '2.14.1 or later, got 2.13.8'],
  [
    ClusterMember.owner(Principal.group('local://u')),
    'must be the principal of a group, not of a user',
  ],
])('members are checked (%#)', (member, message) => {
  const { rancher, cluster } = tenantWorld();
  expect(() => new ClusterMembers(rancher, 'members', { cluster, members: [member] })).toThrow(
    message,
  );
});

test('labels and annotations are those of each binding', () => {
  const { app, rancher, cluster } = tenantWorld();
  const members = new ClusterMembers(rancher, 'members', {
    cluster,
    members: [ClusterMember.owner(AUDIT)],
    labels: { team: 'a' },
    annotations: { note: 'b' },
  });
  members.grant(ClusterMember.member(AUDIT));
  const bindings = Object.values(written(app)).filter(
    ({ kind }) => kind === 'ClusterRoleTemplateBinding',
  );
  expect(bindings.map(({ metadata: { labels, annotations } }) => [labels, annotations])).toEqual(
    Array(2).fill([{ team: 'a' }, { note: 'b' }]),
  );
});

test('a role is given once, and only one of clusters', () => {
  const { rancher, cluster } = tenantWorld();
  const members = new ClusterMembers(rancher, 'members', {
    cluster,
    members: [ClusterMember.owner(AUDIT)],
  });
  expect(() => members.grant(ClusterMember.owner(AUDIT))).toThrow(
    'cannot have the role cluster-owner twice',
  );
  const template = new RoleTemplate(rancher, 'x', {
    context: RoleTemplateContext.PROJECT,
    inherits: [RoleTemplate.fromName(rancher, 'view', { name: 'view' })],
  });
  expect(() =>
    members.grant(ClusterMember.of(AUDIT, ClusterMemberRole.template(template))),
  ).toThrow('must be a role of context cluster, not project');
});

test('members lie on the Rancher of the cluster', () => {
  const { cluster } = tenantWorld();
  expect(() => new ClusterMembers(newRancher(newApp()), 'members', { cluster })).toThrow(
    '[rancher/members] cluster: must be a cluster of Rancher rancher, not of rancher, got "rancher/import"',
  );
});

describe('objects of another Rancher are refused', () => {
  const { rancher, cluster } = tenantWorld();
  const elsewhere = new RancherChart(newApp(), 'other', {
    version: '2.13.8',
    serverUrl: 'https://other.example.com',
  });
  const problem = (id: string, member: ClusterMember) =>
    messageOf(() => new ClusterMembers(rancher, id, { cluster, members: [member] }));

  test('a template', () => {
    const template = RoleTemplate.fromName(elsewhere, 'template', { name: 'audit' });
    expect(problem('a', ClusterMember.of(AUDIT, ClusterMemberRole.template(template)))).toBe(
      '[rancher/a] members: must be of the same Rancher, rancher, got "other/template": it is on other. Fix: use one on rancher',
    );
  });
  test('a user', () => {
    const user = LocalUser.fromName(elsewhere, 'user', { name: 'u-ana' });
    expect(problem('b', ClusterMember.owner(Principal.localUser(user)))).toBe(
      '[rancher/b] members: must be of the same Rancher, rancher, got "other/user": it is on other. Fix: use one on rancher',
    );
  });
  test('a user of a project', () => {
    const user = LocalUser.fromName(elsewhere, 'user of a project', { name: 'u-ana' });
    const members = [ProjectMember.owner(Principal.localUser(user))];
    expect(messageOf(() => new TenantProject(rancher, 'p', { cluster, members }))).toContain(
      '[rancher/p] members: must be of the same Rancher, rancher, got',
    );
  });
});

test('binds a group of Kubernetes by its name', () => {
  const { app, rancher, cluster } = tenantWorld();
  new ClusterMembers(rancher, 'members', {
    cluster,
    members: [ClusterMember.member(Principal.groupName('system:authenticated'))],
  });
  expect(
    Object.values(written(app)).find(({ kind }: any) => kind === 'ClusterRoleTemplateBinding'),
  ).toMatchObject({
    groupName: 'system:authenticated',
    roleTemplateName: 'cluster-member',
  });
  expect(
    () =>
      new GlobalRoleBinding(rancher, 'all', {
        permission: GlobalPermission.USER,
        principal: Principal.groupName('system:authenticated'),
      }),
  ).toThrow('principal: cannot be a group by its name');
});
