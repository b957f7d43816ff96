import { join } from 'path';
import { shortened } from '../../../src/delivery/stage/stage-names';
import { Stage, stagesOf } from '../../../src/delivery/stage/stages';
import { loadAssembly } from '../../../src/engine/read/load-assembly';
import { SmallProgram } from '../../engine/graph/_assemblies';

/** Stages as text: the kinds and names of each, and what they are after. */
function shown(stages: readonly Stage[]): {
  readonly [stage: string]: { readonly after: string; readonly objects: readonly string[] };
} {
  return Object.fromEntries(
    stages.map(({ folder, target, after, objects }) => [
      folder,
      {
        after: after.map((other) => other.folder).join(' '),
        objects: objects.map((id) =>
          id
            .slice(target.length + 1)
            .split('/')
            .filter((_, index, { length }) => index === 1 || index === length - 1)
            .join(' '),
        ),
      },
    ]),
  );
}

const ofExample = (name: string): Stage[] =>
  stagesOf(loadAssembly(join(__dirname, '..', '..', '..', 'examples', name, 'dist')));

const namesOf = (stages: readonly Stage[]): { readonly [stage: string]: string } =>
  Object.fromEntries(
    stages.map(({ folder, after }) => [folder, after.map((other) => other.folder).join(' ')]),
  );

const MANAGEMENT = 'management.cattle.io/v3';

function cluster(program: SmallProgram, name = 'dc1', id = 'c-m-dc1'): string {
  return program.object(
    'rancher',
    'provisioning.cattle.io/v1',
    'Cluster',
    `fleet-default/${name}`,
    {
      metadata: { annotations: { 'provisioning.cattle.io/management-cluster-name': id } },
    },
  );
}

function newProgram(): SmallProgram {
  return new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester');
}

describe('stages of the examples', () => {
  test('delivers Clusters, Users, and roles, then Projects, then their members', () => {
    const stages = ofExample('three-tenants');
    expect(namesOf(stages)).toMatchObject({
      'dc1/late-setting-cluster-registration-url': 'rancher/clusters',
      'dc1/namespace-web': 'rancher/projects-c-m-harvdc01',
      'rancher/alone-roletemplate-vm-backup': 'rancher/roles',
      'rancher/clusters': '',
      'rancher/access': 'rancher/users',
      'rancher/projects-c-m-harvdc01': 'rancher/clusters rancher/namespace-c-m-harvdc01',
      'rancher/members-c-m-harvdc01':
        'rancher/access rancher/alone-roletemplate-vm-backup rancher/projects-c-m-harvdc01',
    });
    expect(shown(stages)['rancher/access'].objects).toEqual([
      'Secret u-ana',
      'Secret u-ben',
      'GlobalRoleBinding grb-agalw2h5qn',
      'GlobalRoleBinding grb-xnalybmcgd',
    ]);
  });

  test('lets what waits for an image delay nothing else', () => {
    const stages = ofExample('reference-stack');
    expect(shown(stages)['dc1/images-default'].objects).toEqual(['VirtualMachineImage ubuntu']);
    const waiting = stages
      .filter(({ after }) => after.some(({ folder }) => folder === 'dc1/images-default'))
      .map(({ folder }) => folder);
    expect(waiting).toEqual(['rancher/machine-configs-payments-vms']);
    expect(shown(stages)['rancher/machine-configs-payments-vms'].objects).toEqual([
      'HarvesterConfig nc-shop-all',
    ]);
  });

  test('delivers a guest cluster after the late stage of its credential, and its own objects after that', () => {
    const stages = ofExample('k3s-single-node');
    expect(shown(stages)).toMatchObject({
      'rancher/late-secret-cattle-global-data-cc-edge': {
        after: 'edge/access',
        objects: ['Secret cc-edge'],
      },
      'rancher/late-harvesterconfig-fleet-default-nc-lab-all': {
        objects: ['HarvesterConfig nc-lab-all'],
      },
      'rancher/guest-lab': {
        after:
          'rancher/late-harvesterconfig-fleet-default-nc-lab-all rancher/late-secret-cattle-global-data-cc-edge',
        objects: ['Cluster lab'],
      },
      'lab/services': { after: 'rancher/guest-lab' },
    });
    expect(stages.filter(({ isLate }) => isLate).map(({ folder }) => folder)).toEqual([
      'rancher/late-secret-cattle-global-data-cc-edge',
      'rancher/late-harvesterconfig-fleet-default-nc-lab-all',
    ]);
  });

  test('puts objects of one stage that wait for the same later one together', () => {
    expect(
      shown(ofExample('custom-cluster'))['dc1/namespace-edge-vms-after-rancher-guest-edge'],
    ).toEqual({
      after: 'rancher/guest-edge',
      objects: [
        'Secret edge-control-cloudinit',
        'Secret edge-work-1-cloudinit',
        'Secret edge-work-2-cloudinit',
      ],
    });
  });
});

describe('stages of chains', () => {
  test('delivers a cluster network, its VlanConfigs, its networks, then pools and machines', () => {
    const program = newProgram();
    const network = 'network.harvesterhci.io/v1beta1';
    program.object('dc1', network, 'ClusterNetwork', 'prod');
    program.object('dc1', network, 'VlanConfig', 'uplinks', { spec: { clusterNetwork: 'prod' } });
    program.object('dc1', 'k8s.cni.cncf.io/v1', 'NetworkAttachmentDefinition', 'default/vlan100', {
      spec: { config: '{"bridge":"prod-br"}' },
    });
    program.object('dc1', 'loadbalancer.harvesterhci.io/v1beta1', 'IPPool', 'pool', {
      spec: { selector: { network: 'default/vlan100' } },
    });
    program.object('dc1', 'kubevirt.io/v1', 'VirtualMachine', 'default/vm', {
      spec: {
        template: {
          spec: { networks: [{ name: 'nic-0', multus: { networkName: 'default/vlan100' } }] },
        },
      },
    });
    program.object('dc1', 'k8s.cni.cncf.io/v1', 'NetworkAttachmentDefinition', 'default/other', {
      spec: { config: '{"bridge":"mgmt-br"}' },
    });
    expect(shown(stagesOf(program))).toEqual({
      'dc1/cluster-networks': { after: '', objects: ['ClusterNetwork prod'] },
      'dc1/uplinks': { after: 'dc1/cluster-networks', objects: ['VlanConfig uplinks'] },
      'dc1/networks-default': {
        after: 'dc1/uplinks',
        objects: ['NetworkAttachmentDefinition other', 'NetworkAttachmentDefinition vlan100'],
      },
      'dc1/machines-default': { after: 'dc1/networks-default', objects: ['VirtualMachine vm'] },
      'dc1/pools': { after: 'dc1/networks-default', objects: ['IPPool pool'] },
    });
  });

  test('has a stage of its own for each role that inherits', () => {
    const program = newProgram();
    const role = (name: string, ...bases: string[]): string =>
      program.object('rancher', MANAGEMENT, 'RoleTemplate', name, { roleTemplateNames: bases });
    role('c', 'b', 'project-member');
    role('b', 'a');
    role('a');
    expect(shown(stagesOf(program))).toEqual({
      'rancher/roles': { after: '', objects: ['RoleTemplate a'] },
      'rancher/alone-roletemplate-b': { after: 'rancher/roles', objects: ['RoleTemplate b'] },
      'rancher/alone-roletemplate-c': {
        after: 'rancher/alone-roletemplate-b',
        objects: ['RoleTemplate c'],
      },
    });
    const waves = stagesOf(program).map(({ wave }) => wave);
    expect(waves).toEqual([...new Set(waves)].sort((one, other) => one - other));
  });

  test('puts a Namespace with what is in it, which engines order by themselves', () => {
    const program = newProgram();
    const namespace = program.object('dc1', 'v1', 'Namespace', 'shop');
    const account = program.object('dc1', 'v1', 'ServiceAccount', 'shop/robot');
    program.object('dc1', 'v1', 'Secret', 'shop/token', {
      metadata: { annotations: { 'kubernetes.io/service-account.name': 'robot' } },
    });
    program.object('dc1', 'rbac.authorization.k8s.io/v1', 'Role', 'shop/reader');
    const binding = program.object(
      'dc1',
      'rbac.authorization.k8s.io/v1',
      'RoleBinding',
      'shop/readers',
      {
        roleRef: { kind: 'Role', name: 'reader' },
        subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: 'shop' }],
      },
    );
    // as constructs declare it
    program.edge(account, namespace).edge(binding, account);
    expect(namesOf(stagesOf(program))).toEqual({
      'dc1/namespace-shop': '',
      'dc1/access': 'dc1/namespace-shop',
    });
  });

  test('delivers a definition before its objects', () => {
    const program = newProgram();
    program.object('dc1', 'example.com/v1', 'Widget', 'default/w');
    program.object(
      'dc1',
      'apiextensions.k8s.io/v1',
      'CustomResourceDefinition',
      'widgets.example.com',
      { spec: { group: 'example.com', names: { kind: 'Widget' } } },
    );
    expect(shown(stagesOf(program))).toEqual({
      'dc1/definitions': { after: '', objects: ['CustomResourceDefinition widgets.example.com'] },
      'dc1/workloads': { after: 'dc1/definitions', objects: ['Widget w'] },
    });
  });

  test('follows edges that the program declares, over targets and between groups', () => {
    const program = newProgram();
    const [early, late] = [0, 1].map((side) =>
      ['a', 'b'].map((name) =>
        program.configMap(`${name}-${side}`, side === 0 ? 'dc1' : 'rancher'),
      ),
    );
    program
      .group('dc1/early', early)
      .group('rancher/late', late)
      .edge('rancher/late', 'dc1/early', 'ready');
    expect(namesOf(stagesOf(program))).toEqual({
      'dc1/namespace-default': '',
      'rancher/namespace-default-after-dc1-namespace-default': 'dc1/namespace-default',
    });
    expect([...stagesOf(program)[0].awaited].sort()).toEqual(early);
  });

  test('names only the stages that no other one waits for already', () => {
    const program = newProgram();
    const id = cluster(program);
    const project = program.object('rancher', MANAGEMENT, 'Project', 'c-m-dc1/payments', {
      spec: { clusterName: 'c-m-dc1' },
    });
    const member = program.object(
      'rancher',
      MANAGEMENT,
      'ProjectRoleTemplateBinding',
      'c-m-dc1-payments/prtb',
      { projectName: 'c-m-dc1:payments' },
    );
    program.edge(project, id).edge(member, id);
    expect(namesOf(stagesOf(program))).toEqual({
      'rancher/clusters': '',
      'rancher/projects-c-m-dc1': 'rancher/clusters',
      'rancher/members-c-m-dc1': 'rancher/projects-c-m-dc1',
    });
  });

  test('puts what contains a late value into a late stage, for which the others wait where they are', () => {
    const program = newProgram();
    const token = program.object('dc1', 'v1', 'Secret', 'default/token');
    program.late('ca', {
      resolver: 'field',
      target: 'dc1',
      apiVersion: 'v1',
      kind: 'Secret',
      namespace: 'default',
      name: 'token',
      path: 'data.ca',
    });
    program.edge('late:ca', token);
    const credential = program.object('rancher', 'v1', 'Secret', 'cattle-global-data/credential', {
      stringData: { ca: '${late:ca}' },
    });
    const user = program.object('rancher', 'apps/v1', 'Deployment', 'default/user');
    program.edge(user, credential);
    expect(shown(stagesOf(program))).toEqual({
      'dc1/namespace-default': { after: '', objects: ['Secret token'] },
      'rancher/late-secret-cattle-global-data-credential': {
        after: 'dc1/namespace-default',
        objects: ['Secret credential'],
      },
      'rancher/workloads': {
        after: 'rancher/late-secret-cattle-global-data-credential',
        objects: ['Deployment user'],
      },
    });
  });

  test('gives the same stages to the same program in another order', () => {
    const forth = newProgram();
    const back = newProgram();
    const fill = (program: SmallProgram, names: readonly string[]): void => {
      for (const name of names) {
        program.object('rancher', MANAGEMENT, 'RoleTemplate', name, {
          roleTemplateNames: name === 'a' ? [] : ['a'],
        });
      }
    };
    fill(forth, ['a', 'b', 'c']);
    fill(back, ['c', 'b', 'a']);
    expect(shown(stagesOf(back))).toEqual(shown(stagesOf(forth)));
  });

  test('divides stages by tenants and clusters, so that a failure holds back no other', () => {
    const program = newProgram();
    for (const name of ['a', 'b']) {
      program.object('dc1', 'v1', 'Namespace', name);
      program.configMap('own', 'dc1');
      program.object('rancher', 'provisioning.cattle.io/v1', 'Cluster', `fleet-default/${name}`, {
        spec: { rkeConfig: {} },
      });
    }
    expect(Object.keys(shown(stagesOf(program)))).toEqual([
      'dc1/namespace-a',
      'dc1/namespace-b',
      'dc1/namespace-default',
      'rancher/guest-a',
      'rancher/guest-b',
    ]);
  });

  test('gives projects of a guest cluster the stage of their cluster, after the guest', () => {
    const program = newProgram();
    program.object('rancher', 'provisioning.cattle.io/v1', 'Cluster', 'fleet-default/shop', {
      metadata: { annotations: { 'provisioning.cattle.io/management-cluster-name': 'c-m-shop' } },
      spec: { rkeConfig: {} },
    });
    program.object('rancher', MANAGEMENT, 'Project', 'c-m-shop/web', {
      spec: { clusterName: 'c-m-shop' },
    });
    program.object('rancher', MANAGEMENT, 'ProjectRoleTemplateBinding', 'c-m-shop-web/prtb', {
      projectName: 'c-m-shop:web',
    });
    expect(namesOf(stagesOf(program))).toEqual({
      'rancher/guest-shop': '',
      'rancher/projects-c-m-shop': 'rancher/guest-shop',
      'rancher/members-c-m-shop': 'rancher/projects-c-m-shop',
    });
  });

  test('gives an object that declares to wait for a later one a stage of its own, and those behind it theirs', () => {
    const program = newProgram();
    const id = cluster(program);
    const setting = program.object('dc1', 'harvesterhci.io/v1beta1', 'Setting', 'ntp-servers', {
      value: '{}',
    });
    const project = program.object('rancher', MANAGEMENT, 'Project', 'c-m-dc1/payments', {
      spec: { clusterName: 'c-m-dc1' },
    });
    program.object('rancher', MANAGEMENT, 'Project', 'c-m-dc1/other', {
      spec: { clusterName: 'c-m-dc1' },
    });
    program.object('dc1', 'v1', 'Namespace', 'shop', {
      metadata: { annotations: { 'field.cattle.io/projectId': 'c-m-dc1:payments' } },
    });
    program.edge(project, id).edge(project, setting);
    expect(shown(stagesOf(program))).toMatchObject({
      'rancher/projects-c-m-dc1': { after: 'rancher/clusters', objects: ['Project other'] },
      'rancher/projects-c-m-dc1-after-dc1-settings': {
        after: 'dc1/settings rancher/clusters',
        objects: ['Project payments'],
      },
      'dc1/alone-namespace-shop': { after: 'rancher/projects-c-m-dc1-after-dc1-settings' },
    });
  });

  test('splits stages that wait for each other', () => {
    const program = newProgram();
    const guest = (name: string): string =>
      program.object('rancher', 'provisioning.cattle.io/v1', 'Cluster', `fleet-default/${name}`, {
        metadata: {
          annotations: { 'provisioning.cattle.io/management-cluster-name': `c-m-${name}` },
        },
        spec: { rkeConfig: {} },
      });
    guest('a');
    program.object('rancher', MANAGEMENT, 'Project', 'c-m-a/first', {
      spec: { clusterName: 'c-m-a' },
    });
    const second = program.object('rancher', MANAGEMENT, 'Project', 'c-m-a/second', {
      spec: { clusterName: 'c-m-other' },
    });
    program.edge('rancher/provisioning.cattle.io/Cluster/fleet-default/a', second);
    expect(shown(stagesOf(program))).toEqual({
      'rancher/projects-c-m-a': { after: '', objects: ['Project second'] },
      'rancher/guest-a': { after: 'rancher/projects-c-m-a', objects: ['Cluster a'] },
      'rancher/projects-c-m-a-after-rancher-guest-a': {
        after: 'rancher/guest-a',
        objects: ['Project first'],
      },
    });
  });

  test('refuses two targets whose stages would have one name', () => {
    const program = newProgram().target('rancher-namespace', 'rancher');
    program.object('rancher', 'v1', 'Namespace', 'settings');
    program.object('rancher-namespace', MANAGEMENT, 'Setting', 'a');
    expect(() => stagesOf(program)).toThrow(
      'stage rancher-namespace-settings: must be of one target, got rancher and rancher-namespace. Fix: rename one of the targets',
    );
  });

  test('shortens long names, and replaces what a name cannot contain', () => {
    const program = newProgram();
    const long = 'a-namespace-with-a-very-long-name-which-fills-a-label';
    program.object('dc1', 'v1', 'Namespace', `${long}-1`);
    program.object('dc1', 'v1', 'Namespace', `${long}-2`);
    program.object('rancher', MANAGEMENT, 'RoleTemplate', 'rt:One', {
      roleTemplateNames: ['project-member'],
    });
    const names = stagesOf(program).map(({ name }) => name);
    expect(names.filter((name) => !/^[a-z0-9-]+$/.test(name))).toEqual([]);
    const short = new Set(names.map((name) => shortened(name, 53)));
    expect([...short].filter((name) => name.length > 53)).toEqual([]);
    expect(short.size).toBe(3);
  });
});
