import { join } from 'path';
import { Stage, stagesOf } from '../../../src/delivery/stage/stages';
import { loadAssembly } from '../../../src/engine/read/load-assembly';
import { SmallProgram } from '../../engine/graph/_assemblies';

/** Stages as text: the kinds and names of each, and what they are after. */
function shown(stages: readonly Stage[]): { readonly [stage: string]: { readonly after: string; readonly objects: readonly string[] } } {
  return Object.fromEntries(stages.map(({ name, target, after, objects }) => (
    [name, { after: after.join(' '), objects: objects.map((id) => id.slice(target.length + 1).split('/').filter((_, index, { length }) => index === 1 || index === length - 1).join(' ')) }])));
}

const ofExample = (name: string): Stage[] => stagesOf(loadAssembly(join(__dirname, '..', '..', '..', 'examples', name, 'dist')));

const namesOf = (stages: readonly Stage[]): { readonly [stage: string]: string } => Object.fromEntries(stages.map(({ name, after }) => [name, after.join(' ')]));

const MANAGEMENT = 'management.cattle.io/v3';

function cluster(program: SmallProgram, name = 'dc1', id = 'c-m-dc1'): string {
  return program.object('rancher', 'provisioning.cattle.io/v1', 'Cluster', `fleet-default/${name}`, {
    metadata: { annotations: { 'provisioning.cattle.io/management-cluster-name': id } },
  });
}

function newProgram(): SmallProgram {
  return new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester');
}

describe('stages of the examples', () => {
  test('delivers Clusters and Users, then Projects and inheriting roles, then bindings', () => {
    const stages = ofExample('three-tenants');
    expect(namesOf(stages)).toEqual({
      'dc1-1': '', 'dc1-2': 'rancher-2', 'dc1-late': 'rancher-1', 'rancher-1': '', 'rancher-2': 'rancher-1', 'rancher-3': 'rancher-2',
    });
    const [first, second, third] = ['rancher-1', 'rancher-2', 'rancher-3'].map((name) => shown(stages)[name].objects);
    expect(first).toEqual(['Namespace c-m-harvdc01', 'RoleTemplate vm-operator', 'User u-ana', 'User u-ben', 'Cluster dc1']);
    expect(second).toEqual(expect.arrayContaining(['Project payments', 'RoleTemplate vm-backup', 'Secret u-ana']));
    expect(new Set(third.map((text) => text.split(' ')[0]))).toEqual(new Set(['ProjectRoleTemplateBinding']));
  });

  test('delivers the Namespaces of a tenant on Harvester after its Project on Rancher', () => {
    expect(namesOf(ofExample('tenants-walk'))).toEqual({ 'dc1': 'rancher-2', 'dc1-late': 'rancher-1', 'rancher-1': '', 'rancher-2': 'rancher-1', 'rancher-3': 'rancher-2' });
  });

  test('lets what waits for an image delay nothing else', () => {
    const stages = ofExample('reference-stack');
    expect(shown(stages)['dc1-2'].objects).toEqual(['VirtualMachineImage ubuntu']);
    expect(stages.filter(({ after }) => after.includes('dc1-2')).map(({ name }) => name)).toEqual(['rancher-3']);
    expect(shown(stages)['rancher-3'].objects).toEqual(['HarvesterConfig nc-shop-all']);
  });

  test('delivers a guest cluster whose credential waits for a late value in a late stage, and its own objects after that', () => {
    const stages = ofExample('k3s-single-node');
    expect(shown(stages)).toMatchObject({
      'rancher-late-1': { after: 'edge', objects: ['Secret cc-edge', 'HarvesterConfig nc-lab-all'] },
      'rancher-late-2': { after: 'rancher-late-1', objects: ['Cluster lab'] },
      'lab': { after: 'rancher-late-2' },
    });
    expect(stages.filter(({ isLate }) => isLate).map(({ name }) => name)).toEqual(['rancher-late-1', 'rancher-late-2']);
  });
});

describe('stages of chains', () => {
  test('delivers a cluster network, its VlanConfigs, its networks, then pools and machines', () => {
    const program = newProgram();
    const network = 'network.harvesterhci.io/v1beta1';
    program.object('dc1', network, 'ClusterNetwork', 'prod');
    program.object('dc1', network, 'VlanConfig', 'uplinks', { spec: { clusterNetwork: 'prod' } });
    program.object('dc1', 'k8s.cni.cncf.io/v1', 'NetworkAttachmentDefinition', 'default/vlan100', { spec: { config: '{"bridge":"prod-br"}' } });
    program.object('dc1', 'loadbalancer.harvesterhci.io/v1beta1', 'IPPool', 'pool', { spec: { selector: { network: 'default/vlan100' } } });
    program.object('dc1', 'kubevirt.io/v1', 'VirtualMachine', 'default/vm', {
      spec: { template: { spec: { networks: [{ name: 'nic-0', multus: { networkName: 'default/vlan100' } }] } } },
    });
    program.object('dc1', 'k8s.cni.cncf.io/v1', 'NetworkAttachmentDefinition', 'default/other', { spec: { config: '{"bridge":"mgmt-br"}' } });
    expect(shown(stagesOf(program))).toEqual({
      'dc1-1': { after: '', objects: ['NetworkAttachmentDefinition other', 'ClusterNetwork prod'] },
      'dc1-2': { after: 'dc1-1', objects: ['VlanConfig uplinks'] },
      'dc1-3': { after: 'dc1-2', objects: ['NetworkAttachmentDefinition vlan100'] },
      'dc1-4': { after: 'dc1-3', objects: ['VirtualMachine vm', 'IPPool pool'] },
    });
  });

  test('has a stage for each level of inheritance between roles', () => {
    const program = newProgram();
    const role = (name: string, ...bases: string[]): string => program.object('rancher', MANAGEMENT, 'RoleTemplate', name, { roleTemplateNames: bases });
    role('c', 'b', 'project-member');
    role('b', 'a');
    role('a');
    expect(shown(stagesOf(program))).toEqual({
      'rancher-1': { after: '', objects: ['RoleTemplate a'] },
      'rancher-2': { after: 'rancher-1', objects: ['RoleTemplate b'] },
      'rancher-3': { after: 'rancher-2', objects: ['RoleTemplate c'] },
    });
  });

  test('writes one stage where engines order everything by themselves', () => {
    const program = newProgram();
    const namespace = program.object('dc1', 'v1', 'Namespace', 'shop');
    const account = program.object('dc1', 'v1', 'ServiceAccount', 'shop/robot');
    program.object('dc1', 'v1', 'Secret', 'shop/token', { metadata: { annotations: { 'kubernetes.io/service-account.name': 'robot' } } });
    program.object('dc1', 'rbac.authorization.k8s.io/v1', 'Role', 'shop/reader');
    const binding = program.object('dc1', 'rbac.authorization.k8s.io/v1', 'RoleBinding', 'shop/readers', {
      roleRef: { kind: 'Role', name: 'reader' }, subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: 'shop' }],
    });
    // as constructs declare it
    program.edge(account, namespace).edge(binding, account);
    expect(namesOf(stagesOf(program))).toEqual({ dc1: '' });
  });

  test('delivers a definition before its objects', () => {
    const program = newProgram();
    program.object('dc1', 'example.com/v1', 'Widget', 'default/w');
    program.object('dc1', 'apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'widgets.example.com', { spec: { group: 'example.com', names: { kind: 'Widget' } } });
    expect(shown(stagesOf(program))['dc1-1'].objects).toEqual(['CustomResourceDefinition widgets.example.com']);
  });

  test('follows edges that the program declares, over targets and between groups', () => {
    const program = newProgram();
    const [early, late] = [0, 1].map((side) => ['a', 'b'].map((name) => program.configMap(`${name}-${side}`, side === 0 ? 'dc1' : 'rancher')));
    program.group('dc1/early', early).group('rancher/late', late).edge('rancher/late', 'dc1/early', 'ready');
    expect(namesOf(stagesOf(program))).toEqual({ dc1: '', rancher: 'dc1' });
    expect([...stagesOf(program)[0].awaited].sort()).toEqual(early);
  });

  test('names only the stages that no other one waits for already', () => {
    const program = newProgram();
    const id = cluster(program);
    const project = program.object('rancher', MANAGEMENT, 'Project', 'c-m-dc1/payments', { spec: { clusterName: 'c-m-dc1' } });
    const member = program.object('rancher', MANAGEMENT, 'ProjectRoleTemplateBinding', 'c-m-dc1-payments/prtb', { projectName: 'c-m-dc1:payments' });
    program.edge(project, id).edge(member, id);
    expect(namesOf(stagesOf(program))).toEqual({ 'rancher-1': '', 'rancher-2': 'rancher-1', 'rancher-3': 'rancher-2' });
  });

  test('puts what needs a late object of its target into a late stage, and knows what the source of the value needs', () => {
    const program = newProgram();
    const token = program.object('dc1', 'v1', 'Secret', 'default/token');
    program.late('ca', { resolver: 'field', target: 'dc1', apiVersion: 'v1', kind: 'Secret', namespace: 'default', name: 'token', path: 'data.ca' });
    program.edge('late:ca', token);
    const credential = program.object('rancher', 'v1', 'Secret', 'fleet-default/credential', { stringData: { ca: '${late:ca}' } });
    const user = program.configMap('user', 'rancher');
    program.edge(user, credential);
    program.configMap('other', 'rancher');
    expect(shown(stagesOf(program))).toEqual({
      'dc1': { after: '', objects: ['Secret token'] },
      'rancher': { after: '', objects: ['ConfigMap other'] },
      'rancher-late': { after: 'dc1', objects: ['ConfigMap user', 'Secret credential'] },
    });
  });

  test('gives the same stages to the same program in another order', () => {
    const forth = newProgram();
    const back = newProgram();
    const fill = (program: SmallProgram, names: readonly string[]): void => {
      for (const name of names) { program.object('rancher', MANAGEMENT, 'RoleTemplate', name, { roleTemplateNames: name === 'a' ? [] : ['a'] }); }
    };
    fill(forth, ['a', 'b', 'c']);
    fill(back, ['c', 'b', 'a']);
    expect(shown(stagesOf(back))).toEqual(shown(stagesOf(forth)));
  });

  test('refuses two targets whose stages would have one folder', () => {
    const program = newProgram().target('rancher-1', 'rancher');
    cluster(program);
    program.object('rancher', MANAGEMENT, 'Project', 'c-m-dc1/payments', { spec: { clusterName: 'c-m-dc1' } });
    program.configMap('a', 'rancher-1');
    expect(() => stagesOf(program)).toThrow('stage rancher-1: must be of one target, got rancher and rancher-1. Fix: rename one of the targets');
  });
});
