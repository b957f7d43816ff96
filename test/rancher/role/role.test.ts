import { GlobalRoleBinding } from '../../../src/rancher/members/members';
import { Principal } from '../../../src/rancher/members/principal';
import { RancherChart } from '../../../src/rancher/rancher-chart';
import { GlobalRole } from '../../../src/rancher/role/global-role';
import {
  RoleTemplate,
  RoleTemplateContext,
  RoleTemplateProps,
} from '../../../src/rancher/role/role-template';
import { ClusterMemberRole, GlobalPermission } from '../../../src/rancher/role/roles';
import { newApp, newRancher } from '../../support/programs';
import { assemblyOf, written } from '../../support/written';

const START = {
  verbs: ['update'],
  apiGroups: ['subresources.kubevirt.io'],
  resources: ['virtualmachines/start'],
};

function world(version?: string) {
  const app = newApp();
  return { app, rancher: newRancher(app, version) };
}

const there = (rancher: RancherChart, name: string) =>
  RoleTemplate.fromName(rancher, name, { name });

describe('a RoleTemplate', () => {
  const make = (props: Partial<RoleTemplateProps>, version?: string) =>
    new RoleTemplate(world(version).rancher, 'vm-operator', {
      context: RoleTemplateContext.PROJECT,
      ...props,
    });

  test('has rules and inherits others, after those of the program', () => {
    const { app, rancher } = world();
    const base = new RoleTemplate(rancher, 'base', {
      context: RoleTemplateContext.PROJECT,
      inherits: [there(rancher, 'read-only')],
    });
    new RoleTemplate(rancher, 'vm-operator', {
      context: RoleTemplateContext.PROJECT,
      displayName: 'VM operator',
      description: 'starts and stops',
      rules: [START],
      inherits: [there(rancher, 'monitoring-ui-view'), base],
      projectCreatorDefault: true,
    });
    expect(written(app)['rancher/RoleTemplate/vm-operator']).toEqual({
      apiVersion: 'management.cattle.io/v3',
      kind: 'RoleTemplate',
      metadata: { name: 'vm-operator' },
      displayName: 'VM operator',
      description: 'starts and stops',
      context: 'project',
      rules: [START],
      roleTemplateNames: ['monitoring-ui-view', 'base'],
      projectCreatorDefault: true,
    });
    expect(assemblyOf(app).edges).toEqual(
      [{ from: 'rancher/vm-operator', to: 'rancher/base', type: 'applied' }].map(
        ({ from, to, type }) => ({
          from: from.replace('rancher/', 'rancher/management.cattle.io/RoleTemplate//'),
          to: to.replace('rancher/', 'rancher/management.cattle.io/RoleTemplate//'),
          type,
        }),
      ),
    );
  });

  test.each([
    [{}, 'cannot be empty without inherits: the role has no permissions'],
    [
      { name: 'read-only', rules: [START] },
      'name: cannot be the name of a built-in role, got "read-only"',
    ],
    [
      { name: 'VM', rules: [START] },
      'name: must consist of lower-case letters, digits and hyphens, got "VM"',
    ],
    [{ rules: [{ ...START, verbs: [] }] }, 'cannot be empty'],
    [
      { rules: [START], clusterCreatorDefault: true },
      'clusterCreatorDefault: can be set only with context cluster, got true. Fix: remove it, or set context to cluster',
    ],
    [
      { context: RoleTemplateContext.CLUSTER, rules: [START], projectCreatorDefault: true },
      'projectCreatorDefault: can be set only with context project, got true. Fix: remove it, or set context to project',
    ],
    [
      { rules: [{ ...START, nonResourceUrls: ['/metrics'] }] },
      'rules[0].nonResourceUrls: cannot be set together with resources',
    ],
  ])('with %j is refused', (props, message) => {
    expect(() => make(props)).toThrow(message);
  });

  test('cannot inherit a role that this version of Rancher lacks', () => {
    const { rancher } = world();
    expect(
      () =>
        new RoleTemplate(rancher, 'x', {
          context: RoleTemplateContext.PROJECT,
          inherits: [there(rancher, 'virt-project-view')],
        }),
    ).toThrow('2.14.1 or later, got 2.13.8');
    expect(() => there(rancher, 'A b')).toThrow('name: must be a valid object name, got "A b"');
  });

  test('can refer to a ClusterRole of the cluster', () => {
    const { app, rancher } = world();
    new RoleTemplate(rancher, 'vm-chart', {
      context: RoleTemplateContext.CLUSTER,
      external: true,
      externalRules: [START],
    });
    expect(written(app)['rancher/RoleTemplate/vm-chart']).toMatchObject({
      external: true,
      externalRules: [START],
    });
    expect(() => make({ external: true, rules: [START] })).toThrow(
      'have no effect in an external role',
    );
    expect(() => make({ rules: [START], externalRules: [START] })).toThrow(
      /externalRules: cannot be set in a role that is not external \(.*\)\. Fix: use rules, or set external to true$/,
    );
    expect(() => make({ external: true, externalRules: [{ ...START, verbs: [] }] })).toThrow(
      'cannot be empty',
    );
    expect(() => make({ external: true, externalRules: [START] }, '2.8.5')).toThrow(
      /externalRules: .*2\.9\.0 or later, got 2\.8\.5/,
    );
    expect(make({ external: true }, '2.8.5').apiObject.toJson()).toMatchObject({ external: true });
  });

  test('gets rules that it did not have at first', () => {
    const { app, rancher } = world();
    const heir = new RoleTemplate(rancher, 'heir', {
      context: RoleTemplateContext.CLUSTER,
      inherits: [there(rancher, 'nodes-view')],
    });
    heir.addRule(START);
    const external = new RoleTemplate(rancher, 'external', {
      context: RoleTemplateContext.CLUSTER,
      external: true,
    });
    external.addExternalRule(START);
    const objects = written(app);
    expect([
      objects['rancher/RoleTemplate/heir'].rules,
      objects['rancher/RoleTemplate/external'].externalRules,
    ]).toEqual([[START], [START]]);
  });

  test('has findings with the names of its props', () => {
    const { app, rancher } = world();
    new RoleTemplate(rancher, 'circle', {
      context: RoleTemplateContext.CLUSTER,
      inherits: [RoleTemplate.fromName(rancher, 'itself', { name: 'circle' })],
    });
    expect(() => app.synth()).toThrow('inherits: go in a circle: circle -> circle');
  });

  test('that is there is named', () => {
    const { rancher } = world();
    expect(RoleTemplate.fromName(rancher, 'a', { name: 'project-owner' }).context).toBe('project');
    expect(RoleTemplate.fromName(rancher, 'b', { name: 'of-a-chart' }).context).toBeUndefined();
  });
});

describe('a GlobalRole', () => {
  test('has rules on the management cluster, in its namespaces, in all clusters and on workspaces', () => {
    const { app, rancher } = world();
    const nodes = new RoleTemplate(rancher, 'nodes', {
      context: RoleTemplateContext.CLUSTER,
      inherits: [there(rancher, 'nodes-view')],
    });
    const rules = [
      { verbs: ['get'], apiGroups: ['management.cattle.io'], resources: ['settings'] },
    ];
    new GlobalRole(rancher, 'auditor', {
      rules,
      namespacedRules: {
        'cattle-global-data': [
          { verbs: ['list'], apiGroups: [''], resources: ['secrets'], resourceNames: ['x'] },
        ],
      },
      inheritedClusterRoles: [ClusterMemberRole.VIEW_PROJECTS, ClusterMemberRole.template(nodes)],
      fleetWorkspacePermissions: { rules, workspaceVerbs: ['get'] },
      newUserDefault: true,
    });
    expect(written(app)['rancher/GlobalRole/auditor']).toEqual({
      apiVersion: 'management.cattle.io/v3',
      kind: 'GlobalRole',
      metadata: { name: 'auditor' },
      displayName: 'auditor',
      rules,
      namespacedRules: {
        'cattle-global-data': [
          { verbs: ['list'], apiGroups: [''], resources: ['secrets'], resourceNames: ['x'] },
        ],
      },
      inheritedClusterRoles: ['projects-view', 'nodes'],
      inheritedFleetWorkspacePermissions: { resourceRules: rules, workspaceVerbs: ['get'] },
      newUserDefault: true,
    });
    expect(assemblyOf(app).edges).toHaveLength(1);
  });

  test.each([
    [{}, 'cannot be empty: the role has no permissions'],
    [{ name: 'admin' }, 'name: cannot be the name of a built-in role, got "admin"'],
    [
      { inheritedClusterRoles: [ClusterMemberRole.of('project-owner')] },
      'inheritedClusterRoles: must be a role of context cluster, not project, got "project-owner"',
    ],
    [
      { namespacedRules: { a: [{ verbs: ['get'], nonResourceUrls: ['/metrics'] }] } },
      'namespacedRules[a][0].nonResourceURLs',
    ],
    [{ fleetWorkspacePermissions: {} }, 'rules: cannot be empty: the role has no permissions'],
    [
      {
        fleetWorkspacePermissions: {
          rules: [{ verbs: ['get'], nonResourceUrls: ['/metrics'] }],
          workspaceVerbs: ['get'],
        },
      },
      'fleetWorkspacePermissions.rules[0].nonResourceUrls: means nothing in a namespace',
    ],
    [
      { fleetWorkspacePermissions: { workspaceVerbs: ['get'] } },
      'fleetWorkspacePermissions.rules: must be set together with the verbs',
    ],
    [
      { fleetWorkspacePermissions: { rules: [START] } },
      'fleetWorkspacePermissions.workspaceVerbs: must be set together with the rules',
    ],
    [
      { fleetWorkspacePermissions: { workspaceVerbs: [] } },
      'fleetWorkspacePermissions.workspaceVerbs: cannot be empty (the server: ',
    ],
    [
      {
        fleetWorkspacePermissions: {
          rules: [{ ...START, nonResourceUrls: ['/metrics'] }],
          workspaceVerbs: ['get'],
        },
      },
      'fleetWorkspacePermissions.rules[0].nonResourceUrls: cannot be set together with resources',
    ],
  ])('with %j is refused', (props, message) => {
    expect(() => new GlobalRole(world().rancher, 'auditor', props)).toThrow(message);
  });

  test('gets rules that it did not have at first', () => {
    const { app, rancher } = world();
    const role = new GlobalRole(rancher, 'reader', {
      inheritedClusterRoles: [ClusterMemberRole.VIEW_NODES],
    });
    role.addRule(START);
    expect(written(app)['rancher/GlobalRole/reader'].rules).toEqual([START]);
  });

  test('has rules for namespaces of every cluster from 2.15.0 on', () => {
    const { app, rancher } = world('2.15.0');
    const inheritedNamespacedRules = {
      'harvester-public': [
        { verbs: ['get'], apiGroups: ['harvesterhci.io'], resources: ['keypairs'] },
      ],
    };
    new GlobalRole(rancher, 'reader', { inheritedNamespacedRules });
    expect(written(app)['rancher/GlobalRole/reader']).toMatchObject({ inheritedNamespacedRules });
    // by the definitions of that version too
    expect(assemblyOf(app).findings).toEqual([]);
    expect(() => new GlobalRole(world().rancher, 'reader', { inheritedNamespacedRules })).toThrow(
      /inheritedNamespacedRules: .*2\.15\.0 or later, got 2\.13\.8/,
    );
    expect(
      () =>
        new GlobalRole(rancher, 'all', {
          inheritedNamespacedRules: { '*': inheritedNamespacedRules['harvester-public'] },
        }),
    ).toThrow('must be the name of a Namespace: Rancher does not expand patterns such as *');
    expect(
      () =>
        new GlobalRole(rancher, 'urls', {
          inheritedNamespacedRules: { a: [{ verbs: ['get'], nonResourceUrls: ['/metrics'] }] },
        }),
    ).toThrow('inheritedNamespacedRules[a][0].nonResourceURLs');
  });

  test('has rules for namespaces from 2.9.0 on', () => {
    const namespacedRules = { a: [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'] }] };
    expect(() => new GlobalRole(world('2.8.5').rancher, 'auditor', { namespacedRules })).toThrow(
      /namespacedRules: .*2\.9\.0 or later, got 2\.8\.5/,
    );
  });
});

describe('a GlobalRoleBinding', () => {
  const bind = (principal: Principal, permission = GlobalPermission.USER, version?: string) => {
    const { app, rancher } = world(version);
    const { name: bindingName } = new GlobalRoleBinding(rancher, 'grb', { permission, principal });
    const { metadata, apiVersion, kind, ...fields } =
      written(app)[`rancher/GlobalRoleBinding/${bindingName}`];
    return fields;
  };

  test('names a local user by its User, on every version', () => {
    expect(bind(Principal.user('local://u-ana'))).toEqual({
      globalRoleName: 'user',
      userName: 'u-ana',
    });
    expect(bind(Principal.user('local://u-ana'), GlobalPermission.ADMIN, '2.8.5')).toEqual({
      globalRoleName: 'admin',
      userName: 'u-ana',
    });
  });

  test('names groups and others by their principals, users from 2.11.0 on', () => {
    expect(bind(Principal.group('okta_group://all'))).toEqual({
      globalRoleName: 'user',
      groupPrincipalName: 'okta_group://all',
    });
    expect(bind(Principal.user('okta_user://ana'))).toEqual({
      globalRoleName: 'user',
      userPrincipalName: 'okta_user://ana',
    });
    expect(() => bind(Principal.user('okta_user://ana'), GlobalPermission.USER, '2.10.5')).toThrow(
      /principal: .*2\.11\.0 or later/,
    );
  });

  test.each([
    ['restricted-admin', '2.13.8', 'needs Rancher before 2.9.0'],
    ['manage-oidc-clients', '2.12.0', '2.13.0 or later'],
  ])('of %s on %s is refused', (id, version, message) => {
    expect(() => bind(Principal.user('local://u'), GlobalPermission.of(id), version)).toThrow(
      message,
    );
  });

  test('of a role of the program comes after it', () => {
    const { app, rancher } = world();
    const role = new GlobalRole(rancher, 'auditor', {
      inheritedClusterRoles: [ClusterMemberRole.VIEW_NODES],
    });
    new GlobalRoleBinding(rancher, 'grb', {
      permission: GlobalPermission.role(role),
      principal: Principal.group('okta_group://all'),
    });
    app.synth();
    expect(assemblyOf(app).edges).toEqual([
      expect.objectContaining({
        to: 'rancher/management.cattle.io/GlobalRole//auditor',
        type: 'applied',
      }),
    ]);
  });
});
