import { Size } from 'cdk8s';
import { KindDescription } from '../../../src/core/kind/kind';
import { kindOf } from '../../../src/core/kind/kinds';
import { CustomCluster } from '../../../src/guest/custom/custom-cluster';
import { Kubernetes } from '../../../src/guest/kubernetes/kubernetes';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { ClusterId } from '../../../src/rancher/cluster/managed-cluster';
import { HarvesterImport } from '../../../src/rancher/import/harvester-import';
import { Principal } from '../../../src/rancher/members/principal';
import { ProjectMember } from '../../../src/rancher/project/tenant-namespace';
import { TenantProject, TenantProjectProps } from '../../../src/rancher/project/tenant-project';
import { Cpu } from '../../../src/rancher/quota/cpu';
import { RoleTemplate, RoleTemplateContext } from '../../../src/rancher/role/role-template';
import { ProjectMemberRole } from '../../../src/rancher/role/roles';
import { LocalUser } from '../../../src/rancher/user/user';
import { newApp, newRancher } from '../../support/programs';
import { tenantWorld } from '../../support/tenants';
import { assemblyOf, written, writtenObjects } from '../../support/written';

const ANA = ProjectMember.owner(Principal.user('local://u-ana'));
const QUOTA = { limitsCpu: Cpu.units(32), limitsMemory: Size.gibibytes(128) };
const HALF = { limitsCpu: Cpu.units(16), limitsMemory: Size.gibibytes(64) };

function tenant(props: Partial<TenantProjectProps> = {}, version?: string) {
  const world = tenantWorld(version);
  return {
    ...world,
    project: new TenantProject(world.rancher, 'payments', { cluster: world.cluster, ...props }),
  };
}

const projectOf = (app: Parameters<typeof written>[0]) => written(app)['rancher/Project/payments'];

describe('a project', () => {
  test('is one of its cluster, by plain strings', () => {
    const { app, project } = tenant({ displayName: 'Payments', description: 'cards' });
    expect(projectOf(app)).toEqual({
      apiVersion: 'management.cattle.io/v3',
      kind: 'Project',
      metadata: {
        name: 'payments',
        namespace: 'c-m-harvdc05',
        annotations: { 'field.cattle.io/no-creator-rbac': 'true' },
      },
      spec: { displayName: 'Payments', description: 'cards', clusterName: 'c-m-harvdc05' },
    });
    expect([project.projectId, project.backingNamespace]).toEqual([
      'c-m-harvdc05:payments',
      'c-m-harvdc05-payments',
    ]);
  });

  test('comes after its cluster, with the namespace that holds it, and never writes the one that holds its bindings', () => {
    const { app } = tenant({ members: [ANA] });
    const objects = written(app);
    expect(Object.keys(objects).filter((key) => key.includes('/Namespace/'))).toEqual([
      'rancher/Namespace/c-m-harvdc05',
    ]);
    expect(assemblyOf(app).edges).toContainEqual({
      from: 'rancher/management.cattle.io/Project/c-m-harvdc05/payments',
      to: 'rancher/provisioning.cattle.io/Cluster/fleet-default/dc1',
      type: 'applied',
    });
  });

  test('has no annotation on a Rancher that does not know it', () => {
    expect(projectOf(tenant({}, '2.9.12').app).metadata.annotations).toBeUndefined();
  });

  test.each([
    ['2.9.8', 'payments'],
    ['2.9.9', 'c-m-harvdc05-payments'],
    ['2.10.4', 'payments'],
    ['2.11.1', 'c-m-harvdc05-payments'],
  ])('on Rancher %s has its bindings in %s', (version, namespace) => {
    const { app, project } = tenant({ members: [ANA] }, version);
    expect(project.backingNamespace).toBe(namespace);
    expect(
      written(app)['rancher/ProjectRoleTemplateBinding/prtb-5sexckr3xs'].metadata.namespace,
    ).toBe(namespace);
  });

  test('that an earlier Rancher made keeps its bindings where they are', () => {
    expect(tenant({ adopted: { backingNamespace: 'payments' } }).project.backingNamespace).toBe(
      'payments',
    );
  });

  test.each([
    ['Payments', 'must have at most 63 characters of a-z, 0-9 and hyphens'],
    ['a:b', 'must have at most 63 characters of a-z, 0-9 and hyphens'],
    ['p'.repeat(64), 'must have at most 63 characters of a-z, 0-9 and hyphens'],
    ['p'.repeat(51), 'must have at most 50 characters (it has 51)'],
    ['p'.repeat(50), undefined],
  ])('named %s is checked', (name, message) => {
    const make = () => tenant({ name });
    if (message) {
      expect(make).toThrow(`[rancher/payments] name: ${message}, got ${JSON.stringify(name)}`);
    } else {
      expect(make().project.name).toBe(name);
    }
  });

  test('of a cluster whose id is late waits for it', () => {
    const world = tenantWorld('2.13.8', ClusterId.late());
    new TenantProject(world.rancher, 'payments', {
      cluster: world.cluster,
      members: [ANA],
      tenantNamespaces: [{ name: 'payments-vms' }],
    });
    expect(Object.keys(written(world.app))).toEqual(['rancher/Cluster/dc1']);
    const templates = assemblyOf(world.app)
      .objects.filter(({ template }: any) => template)
      .map(({ template }: any) => template);
    expect(templates.map(({ kind }: any) => kind).sort()).toEqual([
      'Namespace',
      'Project',
      'ProjectRoleTemplateBinding',
    ]);
    expect(
      templates.find(({ kind }: any) => kind === 'Namespace').metadata.annotations[
        'field.cattle.io/projectId'
      ],
    ).toMatch(/^\$\{late:.*\}:payments$/);
    expect(
      () => new TenantProject(world.rancher, 'p'.repeat(51), { cluster: world.cluster }),
    ).toThrow(
      /must have at most 50 characters \(it has 51\), got "p+": the management cluster ID precedes it/,
    );
  });

  test("has labels and annotations of its own, except for those that are Rancher's", () => {
    const { app } = tenant({
      labels: { team: 'cards' },
      annotations: { 'example.com/cost-centre': '42' },
    });
    expect(projectOf(app).metadata).toMatchObject({
      labels: { team: 'cards' },
      annotations: { 'example.com/cost-centre': '42', 'field.cattle.io/no-creator-rbac': 'true' },
    });
    expect(
      assemblyOf(app).objects.find(({ kind }: any) => kind === 'Project').othersWrite ?? [],
    ).not.toContain('metadata.labels');
    expect(() => tenant({ annotations: { 'field.cattle.io/creatorId': 'u-ana' } })).toThrow(
      'annotations[field.cattle.io/creatorId]: cannot be set, got "u-ana": this construct writes it',
    );
    expect(() =>
      tenant({ labels: { 'authz.management.cattle.io/system-project': 'true' } }),
    ).toThrow(
      'labels[authz.management.cattle.io/system-project]: cannot be set, got "true": it marks a project that Rancher creates',
    );
  });

  test('reports all problems at once', () => {
    expect(() =>
      tenant({
        name: 'A',
        members: [
          ProjectMember.owner(Principal.user('ana')),
          ProjectMember.owner(Principal.user('ben')),
        ],
        tenantNamespaces: [{ name: 'kube-system' }, { name: 'B' }],
      }),
    ).toThrow(
      /name: must have at most 63 characters of a-z, 0-9 and hyphens, got "A"[^]*members: must have the form of a principal, got "ana"[^]*members: must have the form of a principal, got "ben"[^]*tenantNamespaces: cannot be a system namespace, got "kube-system"[^]*tenantNamespaces: must have at most 63 characters of a-z, 0-9 and hyphens, got "B"/,
    );
  });

  test('belongs to the Rancher of its cluster', () => {
    const { cluster } = tenantWorld();
    expect(() => new TenantProject(newRancher(newApp()), 'payments', { cluster })).toThrow(
      /cluster: must be a cluster of Rancher rancher, not of rancher, got "rancher\/import"/,
    );
  });
});

describe('members', () => {
  test('are bindings with the names that the webhook would give them', () => {
    const { app } = tenant({
      members: [
        ANA,
        ProjectMember.readOnly(Principal.group('okta_group://audit', { displayName: 'Audit' })),
      ],
    });
    const objects = written(app);
    expect(objects['rancher/ProjectRoleTemplateBinding/prtb-5sexckr3xs']).toEqual({
      apiVersion: 'management.cattle.io/v3',
      kind: 'ProjectRoleTemplateBinding',
      metadata: { name: 'prtb-5sexckr3xs', namespace: 'c-m-harvdc05-payments' },
      projectName: 'c-m-harvdc05:payments',
      roleTemplateName: 'project-owner',
      userPrincipalName: 'local://u-ana',
    });
    expect(objects['rancher/ProjectRoleTemplateBinding/prtb-khcwjmfe5r']).toMatchObject({
      metadata: { annotations: { 'auth.cattle.io/principal-display-name': 'Audit' } },
      roleTemplateName: 'read-only',
      groupPrincipalName: 'okta_group://audit',
    });
  });

  test('come after the project, their role and their user', () => {
    const { app, rancher, project } = tenant();
    const operator = new RoleTemplate(rancher, 'vm-operator', {
      context: RoleTemplateContext.PROJECT,
      inherits: [RoleTemplate.fromName(rancher, 'read-only', { name: 'read-only' })],
    });
    project.grant(
      ProjectMember.of(
        Principal.localUser(new LocalUser(rancher, 'u-ana')),
        ProjectMemberRole.template(operator),
      ),
    );
    app.synth();
    const from = assemblyOf(app)
      .edges.filter((edge: any) => edge.from.includes('ProjectRoleTemplateBinding'))
      .map((edge: any) => edge.to);
    expect(from.sort()).toEqual([
      'rancher/management.cattle.io/Project/c-m-harvdc05/payments',
      'rancher/management.cattle.io/RoleTemplate//vm-operator',
      'rancher/u-ana',
    ]);
  });

  test('are given a role once', () => {
    expect(() => tenant({ members: [ANA, ANA] })).toThrow(
      '[rancher/payments] members: cannot have the role project-owner twice, got "local://u-ana"',
    );
  });

  test.each([
    [
      ProjectMember.owner(Principal.user('ana')),
      /members: must have the form of a principal, got "ana".*local:\/\//,
    ],
    [
      ProjectMember.owner(Principal.user('okta_group://x')),
      /must be the principal of a user, not of a group, got "okta_group:\/\/x"\. Fix: use Principal\.group/,
    ],
    [
      ProjectMember.of(Principal.user('local://u'), ProjectMemberRole.of('cluster-owner')),
      /must be a role of context project, not cluster, got "cluster-owner"/,
    ],
    [
      ProjectMember.of(Principal.user('local://u'), ProjectMemberRole.VIRTUALIZATION_VIEW),
      /virt-project-view needs Rancher 2\.14\.1 or later, got 2\.13\.8/,
    ],
    [
      ProjectMember.of(Principal.user('local://u'), ProjectMemberRole.of('No Role')),
      /must consist of lower-case letters, digits and hyphens, got "No Role"/,
    ],
  ])('are checked (%#)', (member, message) => {
    expect(() => tenant({ members: [member] })).toThrow(message);
  });

  test('of a role of another context are refused', () => {
    const { rancher, project } = tenant();
    const template = new RoleTemplate(rancher, 'x', {
      context: RoleTemplateContext.CLUSTER,
      inherits: [RoleTemplate.fromName(rancher, 'nodes-view', { name: 'nodes-view' })],
    });
    expect(() =>
      project.grant(
        ProjectMember.of(Principal.user('local://u'), ProjectMemberRole.template(template)),
      ),
    ).toThrow('must be a role of context project, not cluster');
  });
});

describe('namespaces', () => {
  test('lie on the cluster itself and name the project', () => {
    const { app, project } = tenant({ tenantNamespaces: [{ name: 'payments-vms' }] });
    expect(written(app)['dc1/Namespace/payments-vms']).toEqual({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name: 'payments-vms',
        annotations: { 'field.cattle.io/projectId': 'c-m-harvdc05:payments' },
      },
    });
    expect(project.declaredNamespace('payments-vms').name).toBe('payments-vms');
    expect(project.declaredNamespace('payments-vms').target.targetName).toBe('dc1');
    expect(assemblyOf(app).edges).toContainEqual({
      from: 'dc1//Namespace//payments-vms',
      to: 'rancher/management.cattle.io/Project/c-m-harvdc05/payments',
      type: 'applied',
    });
  });

  test('that are not declared are not given out', () => {
    expect(() =>
      tenant({ tenantNamespaces: [{ name: 'a' }, { name: 'b' }] }).project.declaredNamespace('c'),
    ).toThrow('namespace: must be a declared namespace of this project, got "c": a, b');
  });

  test('need a cluster that the program knows', () => {
    const { rancher } = tenantWorld();
    const cluster = HarvesterImport.fromClusterId(rancher, 'other', { clusterId: 'c-x7k2p' });
    expect(
      () =>
        new TenantProject(rancher, 'orders', {
          cluster,
          tenantNamespaces: [{ name: 'orders-vms' }],
        }),
    ).toThrow(/cannot be created, got "orders-vms".*HarvesterImport\.fromClusterId/);
    expect(new TenantProject(rancher, 'billing', { cluster }).projectId).toBe('c-x7k2p:billing');
  });

  test.each([
    ['kube-system', 'cannot be a system namespace'],
    ['harvester-public', 'cannot be a system namespace'],
    ['default', 'cannot be a system namespace'],
    ['A_b', 'must have at most 63 characters of a-z, 0-9 and hyphens'],
    ['${late:x}', 'must have at most 63 characters of a-z, 0-9 and hyphens'],
  ])('named %s are refused', (name, message) => {
    expect(() => tenant({ tenantNamespaces: [{ name }] })).toThrow(message);
  });

  test('are in one project', () => {
    const { rancher, cluster } = tenant({ tenantNamespaces: [{ name: 'shared' }] });
    expect(
      () =>
        new TenantProject(rancher, 'orders', { cluster, tenantNamespaces: [{ name: 'shared' }] }),
    ).toThrow('cannot be declared twice on dc1, got "shared": a namespace is in one project');
  });

  test('keep labels and annotations of their own, except for those that the construct writes', () => {
    const { app, project } = tenant();
    project.addNamespace('vms', { labels: { team: 'a' }, annotations: { note: 'b' } });
    expect(() =>
      project.addNamespace('more', { annotations: { 'field.cattle.io/projectId': 'x:y' } }),
    ).toThrow(
      'annotations[field.cattle.io/projectId]: cannot be set, got "x:y": this construct writes it',
    );
    expect(written(app)['dc1/Namespace/vms'].metadata).toMatchObject({
      labels: { team: 'a' },
      annotations: { note: 'b' },
    });
  });

  test('do not clash with one that belongs to no tenant without a finding', () => {
    const { app, dc1 } = tenant({ tenantNamespaces: [{ name: 'twice' }] });
    new HarvesterNamespace(dc1, 'twice');
    expect(() => app.synth()).toThrow(/twice/);
  });
});

describe('quotas', () => {
  test('are written to the project and its namespaces, in the units of the program and canonical order', () => {
    const { app, project } = tenant({
      quota: { ...QUOTA, pods: 50 },
      namespaceQuota: { limitsMemory: Size.mebibytes(2048), pods: 10, limitsCpu: Cpu.millis(4000) },
      tenantNamespaces: [{ name: 'a' }],
    });
    project.addNamespace('b', { quota: { limitsCpu: Cpu.millis(1500) } });
    const objects = written(app);
    expect(JSON.stringify(objects['rancher/Project/payments'].spec.resourceQuota)).toBe(
      '{"limit":{"limitsCpu":"32","limitsMemory":"128Gi","pods":"50"}}',
    );
    expect(objects['rancher/Project/payments'].spec.namespaceDefaultResourceQuota).toEqual({
      limit: { limitsCpu: '4000m', limitsMemory: '2048Mi', pods: '10' },
    });
    const annotation = (name: string) =>
      objects[`dc1/Namespace/${name}`].metadata.annotations['field.cattle.io/resourceQuota'];
    expect(annotation('a')).toBe(
      '{"limit":{"pods":"10","limitsCpu":"4000m","limitsMemory":"2048Mi"}}',
    );
    expect(annotation('b')).toBe(
      '{"limit":{"pods":"10","limitsCpu":"1500m","limitsMemory":"2048Mi"}}',
    );
  });

  test('and labels of a namespace are set where it is declared', () => {
    const namespaces = [
      { name: 'a', quota: { limitsCpu: Cpu.units(20) }, labels: { stage: 'prod' } },
      { name: 'b' },
    ];
    const { app } = tenant({
      quota: QUOTA,
      namespaceQuota: { limitsCpu: Cpu.units(12), limitsMemory: Size.gibibytes(64) },
      tenantNamespaces: namespaces,
    });
    const { labels, annotations } = written(app)['dc1/Namespace/a'].metadata;
    expect(labels).toEqual({ stage: 'prod' });
    expect(annotations['field.cattle.io/resourceQuota']).toBe(
      '{"limit":{"limitsCpu":"20","limitsMemory":"64Gi"}}',
    );
    expect(() =>
      tenant({ quota: QUOTA, namespaceQuota: HALF, tenantNamespaces: namespaces }),
    ).toThrow('a 20, b 16');
    expect(() =>
      tenant({
        quota: QUOTA,
        tenantNamespaces: [
          { name: 'a', quota: { pods: 1 }, annotations: { 'field.cattle.io/projectId': 'x' } },
        ],
      }),
    ).toThrow(
      /tenantNamespaces\[a\]\.annotations\[field[^]*tenantNamespaces\[a\]\.quota\.pods: cannot be limited in a namespace only/,
    );
  });

  test('of a project with one namespace are those of the namespace', () => {
    const { app } = tenant({ quota: QUOTA, tenantNamespaces: [{ name: 'a' }] });
    expect(projectOf(app).spec.namespaceDefaultResourceQuota).toEqual({
      limit: { limitsCpu: '32', limitsMemory: '128Gi' },
    });
  });

  test('of several namespaces must fit the project, which the server does not see to', () => {
    expect(() =>
      tenant({ quota: QUOTA, tenantNamespaces: [{ name: 'a' }, { name: 'b' }] }),
    ).toThrow(
      /\[rancher\/payments\] quota\.limitsCpu: must be at least the sum of the quotas of the project's namespaces, got "32": a 32, b 32 .*exceeds project limit.*lower namespaceQuota.*can have the quota 0/,
    );
    const none = { limitsCpu: Cpu.units(0), limitsMemory: Size.gibibytes(0) };
    expect(
      tenant({
        quota: QUOTA,
        tenantNamespaces: [{ name: 'a' }, { name: 'b', quota: none }],
      }).app.validate(),
    ).toEqual([]);
    expect(
      tenant({
        quota: QUOTA,
        namespaceQuota: HALF,
        tenantNamespaces: [{ name: 'a' }, { name: 'b' }],
      }).app.validate(),
    ).toEqual([]);
    expect(() =>
      tenant({
        quota: QUOTA,
        namespaceQuota: HALF,
        tenantNamespaces: [{ name: 'a' }, { name: 'b' }, { name: 'c' }],
      }),
    ).toThrow('a 16, b 16, c 16');
    const { project } = tenant({ quota: QUOTA, tenantNamespaces: [] });
    project.addNamespace('a', { quota: HALF });
    expect(project.addNamespace('b', { quota: HALF }).name).toBe('b');
    expect(() =>
      project.addNamespace('c', {
        quota: { limitsCpu: Cpu.millis(1), limitsMemory: Size.mebibytes(0) },
      }),
    ).toThrow('c 1m');
  });

  test('name the same resources, and no default is larger than the whole', () => {
    expect(() => tenant({ quota: QUOTA, namespaceQuota: { limitsCpu: Cpu.units(64) } })).toThrow(
      /namespaceQuota\.limitsMemory[^]*namespaceQuota\.limitsCpu: must be at most the quota of the project, 32, got "64"/,
    );
    expect(() => tenant({ namespaceQuota: HALF })).toThrow(
      'must be set: a default for namespaces needs a quota of the project',
    );
    expect(() => tenant({ quota: {} })).toThrow('cannot be empty');
    expect(() => tenant({ quota: { pods: 1.5 } })).toThrow(
      'quota.pods: must be a whole number, got 1.5',
    );
    expect(() => tenant({ quota: { pods: -1 } })).toThrow(
      'quota.pods: must be 0 or more, got "-1"',
    );
  });

  test('of a namespace count only for what the project limits', () => {
    expect(() =>
      tenant({ quota: QUOTA, namespaceQuota: HALF }).project.addNamespace('a', {
        quota: { pods: 5 },
      }),
    ).toThrow(
      'tenantNamespaces[a].quota.pods: cannot be limited in a namespace only, got "5": Rancher drops it',
    );
    expect(() => tenant().project.addNamespace('a', { quota: HALF })).toThrow(
      'cannot be set without a quota of the project: Rancher removes it',
    );
  });

  test('of other resources need their version', () => {
    const extended = { 'requests.nvidia.com/gpu': '2' };
    expect(() => tenant({ quota: { extended } })).toThrow(
      /quota\.extended: .*2\.14\.0 or later, got 2\.13\.8/,
    );
    expect(projectOf(tenant({ quota: { extended } }, '2.14.0').app).spec.resourceQuota).toEqual({
      limit: { extended },
    });
    expect(() => tenant({ quota: { extended: { 'x/y': 'two' } } }, '2.14.0')).toThrow(
      'quota.extended.x/y: must be a Kubernetes quantity, got "two"',
    );
  });

  const VM_COUNT = 'count/virtualmachines.kubevirt.io';

  test('of virtual machines are extended resources from Rancher 2.14.0 on', () => {
    const { app } = tenant(
      {
        quota: { virtualMachines: 9 },
        namespaceQuota: { virtualMachines: 4 },
        tenantNamespaces: [{ name: 'a' }, { name: 'b' }],
      },
      '2.14.0',
    );
    const objects = written(app);
    expect(objects['rancher/Project/payments'].spec).toMatchObject({
      resourceQuota: { limit: { extended: { [VM_COUNT]: '9' } } },
      namespaceDefaultResourceQuota: { limit: { extended: { [VM_COUNT]: '4' } } },
    });
    expect(objects['dc1/Namespace/a'].metadata.annotations['field.cattle.io/resourceQuota']).toBe(
      `{"limit":{"extended":{"${VM_COUNT}":"4"}}}`,
    );
    expect(Object.keys(objects).filter((key) => key.includes('ResourceQuota'))).toEqual([]);
  });

  test('of virtual machines are a ResourceQuota in each namespace before that', () => {
    const { app, project } = tenant({
      quota: { virtualMachines: 9, pods: 20 },
      namespaceQuota: { virtualMachines: 4, pods: 9 },
      tenantNamespaces: [{ name: 'a' }],
    });
    project.addNamespace('b', { quota: { virtualMachines: 5 } });
    const list = writtenObjects(app).map(({ object }) => object);
    expect(list.find(({ kind }) => kind === 'Project').spec).toMatchObject({
      resourceQuota: { limit: { pods: '20' } },
      namespaceDefaultResourceQuota: { limit: { pods: '9' } },
    });
    expect(
      list
        .filter(({ kind }) => kind === 'ResourceQuota')
        .map(({ metadata, spec }) => [metadata.namespace, metadata.name, spec.hard]),
    ).toEqual([
      ['a', 'virtual-machines', { [VM_COUNT]: '4' }],
      ['b', 'virtual-machines', { [VM_COUNT]: '5' }],
    ]);
    expect(
      list.find(({ metadata }) => metadata.name === 'b').metadata.annotations[
        'field.cattle.io/resourceQuota'
      ],
    ).toBe('{"limit":{"pods":"9"}}');
  });

  test('of virtual machines alone leave the Project of an earlier Rancher without a quota', () => {
    const { app } = tenant({ quota: { virtualMachines: 4 }, tenantNamespaces: [{ name: 'a' }] });
    expect(projectOf(app).spec).not.toHaveProperty('resourceQuota');
    expect(written(app)['dc1/Namespace/a'].metadata.annotations).not.toHaveProperty([
      'field.cattle.io/resourceQuota',
    ]);
  });

  test.each(['2.13.8', '2.14.4', '2.15.0'])(
    'of virtual machines are checked by the name of the prop, on Rancher %s',
    (version) => {
      expect(() => tenant({ quota: { virtualMachines: -1 } }, version)).toThrow(
        'quota.virtualMachines: must be 0 or more, got "-1"',
      );
      expect(() => tenant({ quota: { virtualMachines: 1.5 } }, version)).toThrow(
        'quota.virtualMachines: must be a whole number, got 1.5',
      );
      expect(() =>
        tenant(
          { quota: { virtualMachines: 1 }, tenantNamespaces: [{ name: 'a' }, { name: 'b' }] },
          version,
        ),
      ).toThrow('quota.virtualMachines: must be at least the sum');
      expect(() =>
        tenant({ quota: { virtualMachines: 1, extended: { [VM_COUNT]: '1' } } }, version),
      ).toThrow(`quota.extended: cannot limit ${VM_COUNT} next to virtualMachines`);
    },
  );

  test('have defaults for containers, whose requests fit their limits', () => {
    const containerDefaults = {
      requestsCpu: Cpu.millis(100),
      requestsMemory: Size.mebibytes(128),
      limitsCpu: Cpu.millis(500),
      limitsMemory: Size.mebibytes(512),
    };
    const { app, project } = tenant({ containerDefaults });
    project.addNamespace('a', { containerDefaults: { limitsCpu: Cpu.units(1) } });
    project.addNamespace('b');
    const objects = written(app);
    expect(objects['rancher/Project/payments'].spec.containerDefaultResourceLimit).toEqual({
      requestsCpu: '100m',
      requestsMemory: '128Mi',
      limitsCpu: '500m',
      limitsMemory: '512Mi',
    });
    expect(
      objects['dc1/Namespace/a'].metadata.annotations[
        'field.cattle.io/containerDefaultResourceLimit'
      ],
    ).toBe(
      '{"requestsCpu":"100m","requestsMemory":"128Mi","limitsCpu":"1","limitsMemory":"512Mi"}',
    );
    expect(objects['dc1/Namespace/b'].metadata.annotations).toEqual({
      'field.cattle.io/projectId': 'c-m-harvdc05:payments',
    });
    expect(() =>
      tenant({ containerDefaults: { requestsCpu: Cpu.units(2), limitsCpu: Cpu.units(1) } }),
    ).toThrow('requested CPU 2 is greater than limit 1');
  });
});

test('a project that is there takes members and namespaces, and writes none of its own', () => {
  const { app, rancher, cluster } = tenantWorld();
  const project = TenantProject.fromName(rancher, 'default', { cluster, name: 'p-x7k2p' });
  project.grant(ANA);
  project.addNamespace('more', { quota: HALF });
  const objects = written(app);
  expect(Object.keys(objects).filter((key) => key.includes('/Project/'))).toEqual([]);
  expect(objects['dc1/Namespace/more'].metadata.annotations).toEqual({
    'field.cattle.io/projectId': 'c-m-harvdc05:p-x7k2p',
    'field.cattle.io/resourceQuota': '{"limit":{"limitsCpu":"16","limitsMemory":"64Gi"}}',
  });
  expect(project.backingNamespace).toBe('c-m-harvdc05-p-x7k2p');
  expect(() => TenantProject.fromName(rancher, 'bad', { cluster, name: 'a:b' })).toThrow(
    'must have at most 63 characters of a-z, 0-9 and hyphens',
  );
});

test('records what is deleted with a project', () => {
  const { app } = tenant({ tenantNamespaces: [{ name: 'a' }], members: [ANA] });
  app.synth();
  const notes = assemblyOf(app).objects.map(({ id, deletion, othersWrite }: any) => [
    id,
    deletion?.policy,
    othersWrite,
  ]);
  expect(notes.find(([id]: any) => id.includes('/Project/'))).toEqual([
    'rancher/management.cattle.io/Project/c-m-harvdc05/payments',
    'delete',
    undefined,
  ]);
  expect(
    kindOf<KindDescription>({ apiVersion: 'management.cattle.io/v3', kind: 'Project' })!
      .writtenByOthers,
  ).toContain('spec.resourceQuota.usedLimit');
  expect(notes.find(([id]: any) => id.includes('TemplateBinding'))[2]).toBeUndefined();
});

test('a project of a guest cluster has its namespaces in the guest', () => {
  const { app, rancher } = tenantWorld();
  const cluster = new CustomCluster(rancher, 'shop', {
    kubernetes: Kubernetes.rke2('v1.33.6+rke2r1'),
    clusterId: ClusterId.fixed('c-m-shop0001'),
  });
  const project = new TenantProject(rancher, 'web', {
    cluster,
    tenantNamespaces: [{ name: 'web-prod' }],
    members: [ANA],
  });
  const objects = written(app);
  expect(objects['shop/Namespace/web-prod'].metadata.annotations).toEqual({
    'field.cattle.io/projectId': 'c-m-shop0001:web',
  });
  expect(objects['rancher/Project/web'].metadata.namespace).toBe('c-m-shop0001');
  expect(project.declaredNamespace('web-prod').target).toBe(cluster.chart);
});
