import { SecretValue } from '../../src/core/value/secret-value';
import { ClusterId } from '../../src/rancher/cluster/managed-cluster';
import { CloudCredential } from '../../src/rancher/credential/cloud-credential';
import { HarvesterImport } from '../../src/rancher/import/harvester-import';
import { TokenSource } from '../../src/rancher/import/registration-token';
import {
  ClusterMember,
  ClusterMembers,
  GlobalRoleBinding,
} from '../../src/rancher/members/members';
import { Principal } from '../../src/rancher/members/principal';
import { ProjectMember } from '../../src/rancher/project/tenant-namespace';
import { TenantProject } from '../../src/rancher/project/tenant-project';
import { GlobalRole } from '../../src/rancher/role/global-role';
import { RoleTemplate, RoleTemplateContext } from '../../src/rancher/role/role-template';
import { GlobalPermission, ProjectMemberRole } from '../../src/rancher/role/roles';
import { LocalUser } from '../../src/rancher/user/user';
import { messageOf } from '../support/message-of';
import { newApp, newHarvester, newRancher } from '../support/programs';
import { tenantWorld } from '../support/tenants';
import { assemblyOf, written } from '../support/written';

const ANA = Principal.user('local://u-x7k2p');
const AUDIT = Principal.group('okta_group://audit');

describe('objects that Rancher named are declared under their names', () => {
  test('a project with its members, as its UI creates them', () => {
    const { app, rancher, cluster } = tenantWorld('2.13.8', ClusterId.existing('c-m-abcd1234'));
    const project = new TenantProject(rancher, 'payments', {
      cluster,
      name: 'p-x7k2p',
      displayName: 'Payments',
      adopted: { creatorRbac: true },
      members: [
        ProjectMember.owner(ANA, { bindingName: 'prtb-aaaaa' }),
        ProjectMember.of(ANA, ProjectMemberRole.VIEW_SECRETS, { bindingName: 'prtb-bbbbb' }),
      ],
    });
    project.grant(ProjectMember.readOnly(AUDIT, { bindingName: 'prtb-ccccc' }));
    project.grant(ProjectMember.member(AUDIT));
    const objects = written(app);
    expect(objects['rancher/Project/p-x7k2p'].metadata).toEqual({
      name: 'p-x7k2p',
      namespace: 'c-m-abcd1234',
    });
    const bindings = Object.values(objects).filter(
      ({ kind }) => kind === 'ProjectRoleTemplateBinding',
    );
    expect(
      bindings.map(({ metadata: { name, namespace }, roleTemplateName: role, projectName }) => [
        namespace,
        name,
        projectName,
        role,
      ]),
    ).toEqual(
      [
        [expect.stringMatching(/^prtb-[a-z2-7]{10}$/), 'project-member'],
        ['prtb-aaaaa', 'project-owner'],
        ['prtb-bbbbb', 'secrets-view'],
        ['prtb-ccccc', 'read-only'],
      ].map(([name, role]) => ['c-m-abcd1234-p-x7k2p', name, 'c-m-abcd1234:p-x7k2p', role]),
    );
    expect(app.findings).toEqual([]);
  });

  test('members of a cluster', () => {
    const { app, rancher, cluster } = tenantWorld();
    const members = new ClusterMembers(rancher, 'members', {
      cluster,
      members: [
        ClusterMember.owner(ANA, { bindingName: 'crtb-aaaaa' }),
        ClusterMember.member(AUDIT, { bindingName: 'crtb-bbbbb' }),
      ],
    });
    expect(Object.keys(written(app)).filter((key) => key.includes('Binding'))).toEqual(
      ['crtb-aaaaa', 'crtb-bbbbb'].map((name) => `rancher/ClusterRoleTemplateBinding/${name}`),
    );
    expect(() => members.grant(ClusterMember.owner(AUDIT, { bindingName: 'crtb-aaaaa' }))).toThrow(
      '[rancher/members] bindingName: must be unique, got "crtb-aaaaa": another binding of the same construct has this name. Fix: use the name of the binding of this member',
    );
  });

  test('a user with global permissions', () => {
    const app = newApp();
    const rancher = newRancher(app);
    const user = new LocalUser(rancher, 'ana', {
      name: 'u-x7k2p',
      username: 'ana',
      permissions: [],
    });
    new GlobalRoleBinding(rancher, 'ana-user', {
      name: 'grb-x7k2p',
      permission: GlobalPermission.USER,
      principal: Principal.localUser(user),
    });
    expect(written(app)['rancher/GlobalRoleBinding/grb-x7k2p']).toEqual({
      apiVersion: 'management.cattle.io/v3',
      kind: 'GlobalRoleBinding',
      metadata: { name: 'grb-x7k2p' },
      globalRoleName: 'user',
      userName: 'u-x7k2p',
    });
    expect(app.findings).toEqual([]);
  });

  test('roles, credentials and tokens', () => {
    const { app, rancher, cluster } = tenantWorld();
    new RoleTemplate(rancher, 'a', {
      name: 'rt-x7k2p',
      context: RoleTemplateContext.PROJECT,
      rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
    });
    new GlobalRole(rancher, 'b', {
      name: 'gr-x7k2p',
      rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
    });
    const kubeconfig = SecretValue.unsafePlainText(
      JSON.stringify({
        'apiVersion': 'v1',
        'kind': 'Config',
        'clusters': [{ name: 'a', cluster: { server: 'https://10.10.0.10:6443' } }],
        'contexts': [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
        'current-context': 'a',
        'users': [{ name: 'a', user: { token: 'generated' } }],
      }),
    );
    CloudCredential.imported(rancher, 'c', {
      name: 'cc-x7k2p',
      displayName: 'dc1',
      harvesterImport: cluster,
      kubeconfig,
    });
    const keys = Object.keys(written(app));
    expect(
      ['RoleTemplate/rt-x7k2p', 'GlobalRole/gr-x7k2p', 'Secret/cc-x7k2p'].filter(
        (name) => !keys.includes(`rancher/${name}`),
      ),
    ).toEqual([]);
  });

  test.each([
    ['prtb_x', 'must be the name of an object, got "prtb_x"'],
    ['', 'must be the name of an object, got ""'],
  ])('unless the name is none: %s', (bindingName, message) => {
    const { rancher, cluster } = tenantWorld();
    const members = [ProjectMember.owner(ANA, { bindingName })];
    expect(messageOf(() => new TenantProject(rancher, 'payments', { cluster, members }))).toContain(
      message,
    );
    expect(
      messageOf(
        () =>
          new GlobalRoleBinding(rancher, 'grb', {
            name: bindingName,
            permission: GlobalPermission.USER,
            principal: ANA,
          }),
      ),
    ).toContain('name: must be');
  });
});

describe('the ID of an existing cluster', () => {
  test.each(['2.13.8', '2.7.9'])('is known and not written, on Rancher %s', (version) => {
    const app = newApp();
    const rancher = newRancher(app, version);
    const cluster = new HarvesterImport(rancher, 'import', {
      harvester: newHarvester(app, version === '2.7.9' ? '1.2.2' : '1.7.2'),
      name: 'site-a',
      clusterId: ClusterId.existing('c-m-abcd1234'),
      adopted: { creatorRbac: true },
      registrationToken: TokenSource.declared({ name: 'crt-x7k2p' }),
      register: false,
    });
    new TenantProject(rancher, 'payments', { cluster });
    const objects = written(app);
    expect(objects['rancher/Cluster/site-a'].metadata).toEqual({
      name: 'site-a',
      namespace: 'fleet-default',
      labels: { 'provider.cattle.io': 'harvester' },
    });
    expect(Object.keys(objects).sort()).toEqual([
      'rancher/Cluster/site-a',
      'rancher/ClusterRegistrationToken/crt-x7k2p',
      'rancher/Project/payments',
    ]);
    expect(
      assemblyOf(app).objects.filter(
        ({ lateValues }: { lateValues?: unknown[] }) => lateValues?.length,
      ),
    ).toEqual([]);
  });

  test('may have any form that Rancher has given it', () => {
    const { cluster } = tenantWorld('2.13.8', ClusterId.existing('c-x7k2p'));
    expect(cluster.clusterId).toBe('c-x7k2p');
    expect(messageOf(() => tenantWorld('2.13.8', ClusterId.existing('c_x')))).toContain(
      'clusterId: must be a management cluster ID, got "c_x"',
    );
  });
});
