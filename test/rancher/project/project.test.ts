import { ClusterId } from '../../../src/rancher/cluster/managed-cluster';
import { Principal } from '../../../src/rancher/members/principal';
import { ProjectMember } from '../../../src/rancher/project/tenant-namespace';
import { TenantProject } from '../../../src/rancher/project/tenant-project';
import { RoleTemplate } from '../../../src/rancher/role/role-template';
import { ProjectMemberRole } from '../../../src/rancher/role/roles';
import { tenantWorld } from '../../support/tenants';
import { assemblyOf, written } from '../../support/written';

/** The late values of the assembly that are read from a Project. */
const ofProject = (app: Parameters<typeof assemblyOf>[0]): any[] =>
  assemblyOf(app).lateValues.filter(({ source }: any) => source.kind === 'Project');

const ANA = Principal.user('local://u-ana');

describe('the project Default of a cluster', () => {
  test('with its name is plain text, and gets members, roles and namespaces like an own project', () => {
    const { app, rancher, cluster } = tenantWorld();
    const project = TenantProject.defaultOf(rancher, 'default', { cluster, name: 'p-x7k2p' });
    project.grant(
      ProjectMember.of(
        ANA,
        ProjectMemberRole.template(RoleTemplate.vmOperator(rancher, 'vm-operator')),
      ),
    );
    project.addNamespace('more-vms');
    const objects = written(app);
    expect(objects['dc1/Namespace/more-vms'].metadata.annotations).toEqual({
      'field.cattle.io/projectId': 'c-m-harvdc05:p-x7k2p',
    });
    expect(
      Object.values(objects).find(({ kind }) => kind === 'ProjectRoleTemplateBinding'),
    ).toMatchObject({
      metadata: { namespace: 'c-m-harvdc05-p-x7k2p' },
      projectName: 'c-m-harvdc05:p-x7k2p',
      roleTemplateName: 'vm-operator',
    });
    expect(Object.keys(objects).filter((key) => key.includes('/Project/'))).toEqual([]);
    expect(ofProject(app)).toEqual([]);
    expect(assemblyOf(app).findings).toEqual([]);
  });

  test('without its name waits for the project with the label, after the cluster', () => {
    const { app, rancher, cluster } = tenantWorld();
    const project = TenantProject.defaultOf(rancher, 'default', { cluster });
    project.grant(ProjectMember.owner(ANA));
    project.addNamespace('more-vms');
    expect(
      Object.keys(written(app)).filter((key) => /more-vms|ProjectRoleTemplateBinding/.test(key)),
    ).toEqual([]);
    const { edges, objects, findings } = assemblyOf(app);
    const lateValues = ofProject(app);
    const source = {
      resolver: 'labeled-field',
      target: 'rancher',
      apiVersion: 'management.cattle.io/v3',
      kind: 'Project',
      namespace: 'c-m-harvdc05',
      name: 'authz.management.cattle.io/default-project=true',
    };
    expect(lateValues.map(({ id, source: from }) => [id, from])).toEqual([
      [
        'rancher.default.backingnamespace',
        { ...source, path: 'status.backingNamespace|metadata.name' },
      ],
      ['rancher.default.name', { ...source, path: 'metadata.name' }],
    ]);
    for (const { id } of lateValues) {
      expect(edges).toContainEqual({
        from: `late:${id}`,
        to: 'rancher/provisioning.cattle.io/Cluster/fleet-default/dc1',
        type: 'applied',
      });
    }
    const binding = objects.find(({ kind }: any) => kind === 'ProjectRoleTemplateBinding').template;
    expect(binding.metadata.namespace).toBe('${late:rancher.default.backingnamespace}');
    expect(binding.projectName).toBe('c-m-harvdc05:${late:rancher.default.name}');
    expect(findings).toEqual([]);
  });

  test('of a cluster whose ID is late can be used, too', () => {
    const { app, rancher, cluster } = tenantWorld('2.13.8', ClusterId.late());
    TenantProject.defaultOf(rancher, 'default', { cluster }).grant(ProjectMember.owner(ANA));
    app.synth();
    const { objects, findings } = assemblyOf(app);
    const { template } = objects.find(({ kind }: any) => kind === 'ProjectRoleTemplateBinding');
    expect(template.projectName).toBe(
      '${late:rancher.import.clusterid}:${late:rancher.default.name}',
    );
    expect(findings).toEqual([]);
  });

  test('before Rancher 2.9.9 has its bindings in the namespace of its name', () => {
    const { rancher, cluster } = tenantWorld('2.9.8');
    const project = TenantProject.defaultOf(rancher, 'default', { cluster });
    expect(project.backingNamespace).toBe(project.name);
  });

  test('refuses a name that is not valid', () => {
    const { rancher, cluster } = tenantWorld();
    expect(() => TenantProject.defaultOf(rancher, 'default', { cluster, name: 'Default' })).toThrow(
      'name: must have at most 63 characters of a-z, 0-9 and hyphens, got "Default"',
    );
  });
});

test('the project System of a cluster is found by its own label', () => {
  const { app, rancher, cluster } = tenantWorld();
  TenantProject.systemOf(rancher, 'system', { cluster }).grant(ProjectMember.owner(ANA));
  app.synth();
  expect(ofProject(app)[0].source.name).toBe('authz.management.cattle.io/system-project=true');
});
