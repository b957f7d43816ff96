import { Size } from 'cdk8s';
import { CustomCluster } from '../../../src/guest/custom/custom-cluster';
import { Kubernetes } from '../../../src/guest/kubernetes/kubernetes';
import { AccountRole } from '../../../src/harvester/account/service-account-kubeconfig';
import { ClusterNetwork } from '../../../src/harvester/cluster-network/cluster-network';
import { VmImage } from '../../../src/harvester/image/vm-image';
import { Principal } from '../../../src/rancher/members/principal';
import { Cpu } from '../../../src/rancher/quota/cpu';
import { RoleTemplate } from '../../../src/rancher/role/role-template';
import { SharedImages, TenantTeam, TenantTeamProps } from '../../../src/rancher/team/tenant-team';
import { VmQuota } from '../../../src/rancher/team/vm-quota';
import { tenantWorld } from '../../support/tenants';
import { assemblyOf, written } from '../../support/written';

const group = (name: string) => Principal.group(`okta_group://${name}`);
const MACHINES = [{ cpus: 4, memory: Size.gibibytes(16), count: 3 }];

function teamOf(props: Partial<TenantTeamProps> = {}) {
  const world = tenantWorld();
  return {
    ...world,
    team: new TenantTeam(world.rancher, 'payments', { cluster: world.cluster, ...props }),
  };
}

const rolesOf = (objects: Record<string, any>): string[] =>
  Object.values(objects)
    .filter(({ kind }) => kind === 'ProjectRoleTemplateBinding')
    .map(
      ({ groupPrincipalName, projectName, roleTemplateName }) =>
        `${groupPrincipalName} ${roleTemplateName} in ${projectName}`,
    )
    .sort();

test('a team has a project, a namespace, roles, a quota for its machines, a network, isolation and an account', () => {
  const world = tenantWorld();
  const { app } = world;
  const team = new TenantTeam(world.rancher, 'payments', {
    cluster: world.cluster,
    owners: [group('leads')],
    creators: [group('devs')],
    operators: [group('night')],
    viewers: [group('audit')],
    machines: MACHINES,
    teamNetworks: [{ name: 'payments', clusterNetwork: ClusterNetwork.mgmt(world.dc1), vlan: 110 }],
    accountRole: AccountRole.vmCreator(),
  });
  const objects = written(app);
  expect(rolesOf(objects)).toEqual([
    'okta_group://audit vm-viewer in c-m-harvdc05:payments',
    'okta_group://devs vm-creator in c-m-harvdc05:payments',
    'okta_group://leads project-owner in c-m-harvdc05:payments',
    'okta_group://night vm-operator in c-m-harvdc05:payments',
  ]);
  const { limitsCpu, limitsMemory } = VmQuota.forVirtualMachines(MACHINES);
  expect(objects['rancher/Project/payments'].spec.resourceQuota.limit).toEqual({
    limitsCpu: limitsCpu!.amount,
    limitsMemory: `${limitsMemory!.toMebibytes()}Mi`,
  });
  expect(objects['dc1/NetworkAttachmentDefinition/payments'].metadata.namespace).toBe('payments');
  expect(objects['dc1/ServiceAccount/payments-tools'].metadata.namespace).toBe('payments');
  expect(objects['dc1/NetworkPolicy/team-isolation']).toMatchObject({
    metadata: { namespace: 'payments' },
    spec: { podSelector: {}, policyTypes: ['Ingress'] },
  });
  const { from } = objects['dc1/NetworkPolicy/team-isolation'].spec.ingress[0];
  expect(from.slice(0, 2)).toEqual([
    { podSelector: {} },
    { namespaceSelector: { matchLabels: { 'field.cattle.io/projectId': 'payments' } } },
  ]);
  expect(from[2].namespaceSelector.matchExpressions[0].values).toEqual(
    expect.arrayContaining(['kube-system', 'harvester-system', 'longhorn-system']),
  );
  expect(from[2].namespaceSelector.matchExpressions[0].values).not.toContain('harvester-public');
  expect(
    assemblyOf(app).lateValues.find(({ id }: any) => team.kubeconfig!.token === `\${late:${id}}`)
      .sensitive,
  ).toBe(true);
  expect([
    team.networks[0].networkId,
    team.namespaces.map(({ name: namespaceName }) => namespaceName),
  ]).toEqual(['payments/payments', ['payments']]);
  expect(
    assemblyOf(app).findings.filter(({ rule }: any) => rule !== 'late-value/reference-waits'),
  ).toEqual([]);
});

test('teams share roles and images, and take roles of the program', () => {
  const { app, rancher, cluster } = tenantWorld();
  const images = new SharedImages(rancher, 'shared', { cluster });
  const viewer = RoleTemplate.vmViewer(rancher, 'my-viewer');
  for (const name of ['a', 'b']) {
    new TenantTeam(rancher, name, {
      cluster,
      creators: [group('devs')],
      viewers: [group('audit')],
      roles: { viewers: viewer },
      images,
      accountRole: AccountRole.vmViewer(),
    });
  }
  const objects = written(app);
  expect(
    Object.keys(objects)
      .filter((key) => key.includes('/RoleTemplate/'))
      .sort(),
  ).toEqual([
    'rancher/RoleTemplate/my-viewer',
    'rancher/RoleTemplate/shared-user',
    'rancher/RoleTemplate/vm-creator',
  ]);
  expect(rolesOf(objects).filter((line) => line.includes('shared'))).toEqual([
    'okta_group://devs shared-user in c-m-harvdc05:shared',
  ]);
  expect(rolesOf(objects)).toContain('okta_group://audit my-viewer in c-m-harvdc05:a');
  for (const name of ['a', 'b']) {
    expect(objects[`dc1/RoleBinding/${name}-${name}-tools-image-user`].metadata.namespace).toBe(
      'shared',
    );
  }
});

test('with several namespaces has isolation and the account in each, and a quota of a namespace', () => {
  const { app } = teamOf({
    name: 'pay',
    displayName: 'Payments',
    tenantNamespaces: [{ name: 'x' }, { name: 'y' }],
    machines: MACHINES,
    quota: { limitsCpu: Cpu.units(64), pods: 20 },
    namespaceQuota: { limitsCpu: Cpu.units(8), limitsMemory: Size.gibibytes(8), pods: 10 },
    allowedCidrs: ['10.20.0.0/16'],
    accountRole: AccountRole.vmOperator(),
    server: 'https://dc1.example.com:6443',
  });
  app.synth();
  const { objects } = assemblyOf(app);
  expect(
    objects
      .filter(({ kind }: any) => kind === 'NetworkPolicy')
      .map(({ namespace }: any) => namespace)
      .sort(),
  ).toEqual(['x', 'y']);
  expect(
    objects
      .filter(({ kind }: any) => kind === 'RoleBinding')
      .map(({ namespace }: any) => namespace)
      .sort(),
  ).toEqual(['x', 'y']);
  const all = written(app);
  expect(all['rancher/Project/pay'].spec).toMatchObject({
    displayName: 'Payments',
    resourceQuota: { limit: { limitsCpu: '64', pods: '20' } },
  });
  expect(all['dc1/NetworkPolicy/team-isolation'].spec.ingress[0].from[3]).toEqual({
    ipBlock: { cidr: '10.20.0.0/16' },
  });
});

test('isolation can be left out', () => {
  expect(
    Object.keys(written(teamOf({ networkIsolation: false }).app)).filter((key) =>
      key.includes('NetworkPolicy'),
    ),
  ).toEqual([]);
});

test('refuses what cannot work', () => {
  expect(() => teamOf({ tenantNamespaces: [], allowedCidrs: ['10.0.0.0'] })).toThrow(
    /tenantNamespaces: cannot be empty: no user can create[^]*allowedCidrs\[0\]: must be a network in CIDR notation, got "10.0.0.0"/,
  );
  expect(() => teamOf({ networkIsolation: false, allowedCidrs: ['10.0.0.0/8'] })).toThrow(
    'allowedCidrs: has no effect without networkIsolation',
  );
  const { rancher, cluster, dc1 } = tenantWorld();
  const networks = [{ name: 'n', clusterNetwork: ClusterNetwork.mgmt(dc1), vlan: 110 }];
  new TenantTeam(rancher, 'payments', { cluster, teamNetworks: networks });
  expect(() => new TenantTeam(rancher, 'b', { cluster, teamNetworks: networks })).toThrow(
    'teamNetworks[0].vlan: must be a VLAN of this team alone, got 110: rancher/payments has it in cluster network mgmt',
  );
  const guest = new CustomCluster(rancher, 'shop', {
    kubernetes: Kubernetes.rke2('v1.33.6+rke2r1'),
  });
  expect(() => new TenantTeam(rancher, 'c', { cluster: guest })).toThrow(
    'cluster: must be an imported Harvester whose chart the program has',
  );
});

test("labels are those of all that is the team's alone", () => {
  const { app } = teamOf({
    labels: { team: 'pay' },
    creators: [group('devs')],
    accountRole: AccountRole.vmViewer(),
    server: 'https://harvester.example.com:6443',
    tenantNamespaces: [
      { name: 'a', labels: { team: 'own' } },
      { name: 'b', labels: { stage: 'prod' } },
    ],
  });
  const labels = Object.fromEntries(
    Object.entries(written(app)).map(([key, { metadata }]) => [
      key.replace(/prtb-.*/, 'prtb'),
      metadata.labels,
    ]),
  );
  expect(labels).toMatchObject({
    'rancher/Project/payments': { team: 'pay' },
    'rancher/ProjectRoleTemplateBinding/prtb': { team: 'pay' },
    'dc1/Namespace/a': { team: 'own' },
    'dc1/Namespace/b': { team: 'pay', stage: 'prod' },
    'dc1/NetworkPolicy/team-isolation': { team: 'pay' },
    'dc1/ServiceAccount/payments-tools': { team: 'pay' },
    'dc1/Secret/payments-tools-token': { team: 'pay' },
  });
  expect(labels['rancher/RoleTemplate/vm-creator']).toBeUndefined();
});

const ORDERS = Principal.group('okta_group://orders');

test('shares the images of one namespace with its users, who can read no Secrets', () => {
  const { app, rancher, dc1, cluster } = tenantWorld();
  const images = new SharedImages(rancher, 'shared', {
    cluster,
    displayName: 'Shared',
    imagesNamespace: { name: 'shared-images' },
    users: [Principal.group('okta_group://payments')],
  });
  images.grant(ORDERS);
  VmImage.download(dc1, 'debian', {
    namespace: images.namespace,
    url: 'https://example.com/debian.qcow2',
  });
  const objects = written(app);
  expect(objects['rancher/Project/shared'].spec.displayName).toBe('Shared');
  expect(objects['dc1/Namespace/shared-images'].metadata.annotations).toEqual({
    'field.cattle.io/projectId': 'c-m-harvdc05:shared',
  });
  expect(
    objects['rancher/RoleTemplate/shared-user'].rules.flatMap(({ resources }: any) => resources),
  ).not.toContain('secrets');
  const bindings = Object.values(objects).filter(
    ({ kind }) => kind === 'ProjectRoleTemplateBinding',
  );
  expect(
    bindings
      .map(({ groupPrincipalName, roleTemplateName }) => [groupPrincipalName, roleTemplateName])
      .sort(),
  ).toEqual([
    ['okta_group://orders', 'shared-user'],
    ['okta_group://payments', 'shared-user'],
  ]);
  expect(assemblyOf(app).findings).toEqual([]);
});

test('can take a role that the program has', () => {
  const { app, rancher, cluster } = tenantWorld();
  const role = RoleTemplate.imageUser(rancher, 'image-user');
  expect(new SharedImages(rancher, 'shared', { cluster, role, users: [ORDERS] }).role).toBe(role);
  expect(Object.keys(written(app)).filter((key) => key.includes('/RoleTemplate/'))).toEqual([
    'rancher/RoleTemplate/image-user',
  ]);
});

test('images of another Harvester are refused', () => {
  const { rancher, cluster } = tenantWorld();
  const images = new SharedImages(rancher, 'images', { cluster });
  const other = tenantWorld();
  expect(
    () => new TenantTeam(other.rancher, 'payments', { cluster: other.cluster, images }),
  ).toThrow(
    '[rancher/payments] images: must be on the same Harvester, dc1, got "images": it is on dc1',
  );
});
