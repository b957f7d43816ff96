import { SmallProgram, waits } from './_assemblies';
import { buildGraph } from '../../../src/engine/graph/build-graph';
import { ApplyGraph } from '../../../src/engine/graph/graph';
import { testOfGrowth } from '../../support/cases';
import { cpuMs } from '../../support/cpu-time';

const build = (program: SmallProgram): ApplyGraph =>
  buildGraph(program.assembly, program.manifests);

/** The edges of a node, as text. */
function after(graph: ApplyGraph, id: string): string[] {
  return graph.nodes
    .get(id)!
    .after.map(
      ({ to, kind, weight }) => `${kind} ${to}${weight === undefined ? '' : ' (implied)'}`,
    );
}

function newProgram(): SmallProgram {
  return new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester');
}

test('the objects of Forklift are in the order in which they name each other', () => {
  const program = newProgram();
  const add = (kind: string, name: string, spec: object) =>
    program.object('dc1', 'forklift.konveyor.io/v1beta1', kind, `forklift/${name}`, { spec });
  const named = (name: string) => ({ name, namespace: 'forklift' });
  const ids = [
    add('Migration', 'run', { plan: named('wave') }),
    add('Plan', 'wave', { provider: { source: named('esx') }, map: { network: named('nets') } }),
    add('NetworkMap', 'nets', { provider: { source: named('esx') } }),
    add('Provider', 'esx', { type: 'vsphere' }),
  ];
  const graph = build(program);
  expect(ids.slice(1).filter((id, index) => !waits(graph, ids[index], id))).toEqual([]);
});

describe('declared order', () => {
  test('objects wait for each other over clusters, by the type of the edge', () => {
    const program = newProgram();
    const [a, b] = [program.configMap('a'), program.configMap('b', 'rancher')];
    program.edge(a, b, 'ready');
    const graph = build(program);
    expect(after(graph, a)).toEqual([`ready ${b}`]);
    expect([...graph.nodes.keys()]).toEqual([b, a]);
  });

  test('an edge between two groups is one node for each, not one for each pair', () => {
    const program = newProgram();
    const [early, late] = [0, 1].map((side) =>
      [...Array(300).keys()].map((n) => program.configMap(`${side}-${n}`)),
    );
    program
      .group('dc1/early', early)
      .group('dc1/late', late)
      .edge('dc1/late', 'dc1/early', 'ready');
    const graph = build(program);
    expect([...graph.nodes.values()].reduce((sum, node) => sum + node.after.length, 0)).toBe(601);
    expect(after(graph, late[7])).toEqual(['applied group:dc1/late begins']);
    expect(after(graph, 'group:dc1/late begins')).toEqual(['ready group:dc1/early ready']);
    expect(
      graph.nodes.get('group:dc1/early ready')!.after.every(({ kind }) => kind === 'ready'),
    ).toBe(true);
    expect(waits(graph, late[299], early[0])).toBe(true);
    expect(waits(graph, early[0], late[299])).toBe(false);
  });

  test('reports objects that wait for each other with their constructs, and no group between them', () => {
    const program = newProgram();
    const [a, b, c] = ['a', 'b', 'c'].map((name) => program.configMap(name));
    program.group('dc1/both', [b, c]).edge(a, 'dc1/both').edge(c, a);
    expect(() => build(program)).toThrow(
      `these wait for each other: ${a} (dc1/ConfigMap-a) → ${c} (dc1/ConfigMap-c) → ${a} (dc1/ConfigMap-a). Fix: remove one of these edges`,
    );
  });

  test('an edge to nothing is an error of the assembly', () => {
    const program = newProgram();
    program.edge(program.configMap('a'), 'dc1//ConfigMap/default/nosuch');
    expect(() => build(program)).toThrow(
      'an edge must name an object, a late value or a group, got "dc1//ConfigMap/default/nosuch"',
    );
  });

  test('ignores the order of deletion while it applies, and keeps it for destroy', () => {
    const program = newProgram();
    const [a, b] = [program.configMap('a'), program.configMap('b')];
    program.edge(a, b, 'gone');
    const graph = build(program);
    expect(after(graph, a)).toEqual([]);
    expect(graph.whenGone).toEqual([{ from: [a], to: [b] }]);
  });

  test('the same program in another order is the same graph', () => {
    const forth = newProgram();
    const back = newProgram();
    const names = ['d', 'a', 'c', 'b'];
    for (const name of names) {
      forth.configMap(name);
    }
    for (const name of [...names].reverse()) {
      back.configMap(name);
    }
    expect(JSON.stringify([...build(forth).nodes])).toBe(JSON.stringify([...build(back).nodes]));
  });

  test('kinds that others need come first where nothing else decides', () => {
    const program = newProgram();
    const binding = program.object(
      'dc1',
      'rbac.authorization.k8s.io/v1',
      'ClusterRoleBinding',
      'x',
    );
    const secret = program.object('dc1', 'v1', 'Secret', 'default/x');
    const namespace = program.object('dc1', 'v1', 'Namespace', 'other');
    expect([...build(program).nodes.keys()]).toEqual([namespace, secret, binding]);
  });

  testOfGrowth('handles a chain of 20,000, in time that grows with its length', () => {
    const [short, long] = [5_000, 20_000].map((length) => {
      const program = newProgram();
      const ids = [...Array(length).keys()].map((n) => program.configMap(`c${n}`));
      for (let n = 1; n < ids.length; n++) {
        program.edge(ids[n], ids[n - 1]);
      }
      expect([...build(program).nodes.keys()]).toEqual(ids);
      return cpuMs(() => build(program));
    });
    // four times the length; sixteen times the work if each looked at all others
    expect(long / short).toBeLessThan(10);
  });
});

describe('late values', () => {
  const source = {
    resolver: 'field',
    target: 'rancher',
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: 'default',
    name: 'source',
    path: 'data.key',
  };

  test('are nodes between their source and who uses them, with those that they are made of', () => {
    const program = newProgram()
      .late('key', source)
      .late('text', { resolver: 'text', text: 'a ${late:key|json} b' });
    const origin = program.configMap('source', 'rancher');
    const user = program.object('dc1', 'v1', 'Secret', 'default/user', {
      stringData: { x: '${late:text}' },
    });
    program.edge('late:text', 'late:key', 'value').edge('late:key', origin);
    const graph = build(program);
    expect([...graph.nodes.keys()]).toEqual([origin, 'late:key', 'late:text', user]);
    expect(graph.nodes.get('late:key')).toMatchObject({ target: 'rancher', late: { id: 'key' } });
    expect(graph.nodes.get('late:text')).toMatchObject({ target: '', late: { id: 'text' } });
    expect(after(graph, user)).toEqual(['value late:text']);
  });

  test('that synthesis was given are not resolved again, but still order', () => {
    const program = newProgram().late('key', source);
    const [origin, user] = [program.configMap('source', 'rancher'), program.configMap('user')];
    program.edge(user, 'late:key', 'value').edge('late:key', origin);
    const graph = build(program);
    expect(graph.nodes.get('late:key')!.late).toBeUndefined();
    expect(waits(graph, user, origin)).toBe(true);
  });

  test('that the assembly does not have are an error that names who waits', () => {
    const program = newProgram();
    program.object('dc1', 'v1', 'Secret', 'default/user', { stringData: { x: '${late:nosuch}' } });
    program.edges.length = 0;
    expect(() => build(program)).toThrow(
      'dc1/Secret-user waits for the late value "nosuch", which is missing. Fix: synthesize again',
    );
  });
});

describe('implied order', () => {
  test('puts a Namespace before its objects, on its own cluster', () => {
    const program = newProgram();
    const namespace = program.object('dc1', 'v1', 'Namespace', 'tenant');
    const [inside, elsewhere] = ['dc1', 'rancher'].map((target) =>
      program.object(target, 'v1', 'ConfigMap', 'tenant/x'),
    );
    const graph = build(program);
    expect(after(graph, inside)).toEqual([`applied ${namespace} (implied)`]);
    expect(after(graph, elsewhere)).toEqual([]);
  });

  test('a definition is served before its objects', () => {
    const program = newProgram();
    const crd = program.object(
      'dc1',
      'apiextensions.k8s.io/v1',
      'CustomResourceDefinition',
      'widgets.example.com',
      {
        spec: { group: 'example.com', names: { kind: 'Widget' } },
      },
    );
    const widget = program.object('dc1', 'example.com/v1', 'Widget', 'default/w');
    expect(after(build(program), widget)).toEqual([`ready ${crd} (implied)`]);
  });

  test('a role and an account before their binding, an account before its token', () => {
    const program = newProgram();
    const rbac = 'rbac.authorization.k8s.io';
    const role = program.object('dc1', `${rbac}/v1`, 'Role', 'default/r');
    const account = program.object('dc1', 'v1', 'ServiceAccount', 'default/a');
    const token = program.object('dc1', 'v1', 'Secret', 'default/t', {
      metadata: { annotations: { 'kubernetes.io/service-account.name': 'a' } },
    });
    const binding = program.object('dc1', `${rbac}/v1`, 'RoleBinding', 'default/b', {
      roleRef: { apiGroup: rbac, kind: 'Role', name: 'r' },
      subjects: [{ kind: 'ServiceAccount', name: 'a', namespace: 'default' }],
    });
    const graph = build(program);
    expect(after(graph, token)).toEqual([`applied ${account} (implied)`]);
    expect(after(graph, binding)).toEqual([
      `applied ${account} (implied)`,
      `applied ${role} (implied)`,
    ]);
  });

  test('a Cluster before its Project, a Project before members and namespaces on another cluster', () => {
    const program = newProgram();
    const cluster = program.object(
      'rancher',
      'provisioning.cattle.io/v1',
      'Cluster',
      'fleet-default/dc1',
      {
        metadata: { annotations: { 'provisioning.cattle.io/management-cluster-name': 'c-m-dc1' } },
      },
    );
    const management = 'management.cattle.io/v3';
    const project = program.object('rancher', management, 'Project', 'c-m-dc1/pay', {
      spec: { clusterName: 'c-m-dc1' },
    });
    const role = program.object('rancher', management, 'RoleTemplate', 'vm-operator');
    const user = program.object('rancher', management, 'User', 'u-ana');
    const member = program.object(
      'rancher',
      management,
      'ProjectRoleTemplateBinding',
      'c-m-dc1-pay/m',
      {
        projectName: 'c-m-dc1:pay',
        roleTemplateName: 'vm-operator',
        userPrincipalName: 'local://u-ana',
      },
    );
    const namespace = program.object('dc1', 'v1', 'Namespace', 'pay-vms', {
      metadata: { annotations: { 'field.cattle.io/projectId': 'c-m-dc1:pay' } },
    });
    const graph = build(program);
    expect(after(graph, project)).toEqual([`applied ${cluster} (implied)`]);
    expect(after(graph, member)).toEqual([
      `applied ${project} (implied)`,
      `applied ${role} (implied)`,
      `applied ${user} (implied)`,
    ]);
    expect(after(graph, namespace)).toEqual([`applied ${project} (implied)`]);
  });

  test('puts a FleetWorkspace before the objects in the namespace that Rancher creates for it', () => {
    const program = newProgram();
    const fleet = 'fleet.cattle.io/v1alpha1';
    const repository = program.object('rancher', fleet, 'GitRepo', 'bakery/shop');
    const workspace = program.object(
      'rancher',
      'management.cattle.io/v3',
      'FleetWorkspace',
      'bakery',
    );
    const other = program.object('rancher', fleet, 'GitRepo', 'florist/shop');
    const graph = build(program);
    expect(after(graph, repository)).toEqual([`applied ${workspace} (implied)`]);
    expect(after(graph, other)).toEqual([]);
  });

  test('puts a Cluster whose ID is a late value before the objects in its namespace', () => {
    const program = newProgram().late('id', {
      resolver: 'field',
      target: 'rancher',
      apiVersion: 'provisioning.cattle.io/v1',
      kind: 'Cluster',
      namespace: 'fleet-default',
      name: 'dc1',
      path: 'status.clusterName',
    });
    const cluster = program.object(
      'rancher',
      'provisioning.cattle.io/v1',
      'Cluster',
      'fleet-default/dc1',
    );
    const project = program.object(
      'rancher',
      'management.cattle.io/v3',
      'Project',
      '${late:id}/pay',
      { spec: { clusterName: '${late:id}' } },
    );
    expect(after(build(program), project)).toContain(`applied ${cluster} (implied)`);
  });

  test('what a guest cluster refers to comes before it', () => {
    const program = newProgram();
    const config = program.object(
      'rancher',
      'rke-machine-config.cattle.io/v1',
      'HarvesterConfig',
      'fleet-default/pool',
    );
    const cloud = program.object('rancher', 'v1', 'Secret', 'fleet-default/hc-shop');
    const credential = program.object('rancher', 'v1', 'Secret', 'cattle-global-data/cc');
    const cluster = program.object(
      'rancher',
      'provisioning.cattle.io/v1',
      'Cluster',
      'fleet-default/shop',
      {
        spec: {
          cloudCredentialSecretName: 'cattle-global-data:cc',
          rkeConfig: {
            machinePools: [{ machineConfigRef: { kind: 'HarvesterConfig', name: 'pool' } }],
            machineSelectorConfig: [
              { config: { 'cloud-provider-config': 'secret://fleet-default:hc-shop' } },
            ],
          },
        },
      },
    );
    expect(after(build(program), cluster)).toEqual(
      [credential, cloud, config].map((id) => `applied ${id} (implied)`),
    );
  });

  test('cluster networks before networks, networks before pools, claims and keys before machines', () => {
    const program = newProgram();
    const clusterNetwork = program.object(
      'dc1',
      'network.harvesterhci.io/v1beta1',
      'ClusterNetwork',
      'prod',
    );
    const network = program.object(
      'dc1',
      'k8s.cni.cncf.io/v1',
      'NetworkAttachmentDefinition',
      'default/n100',
      { spec: { config: '{"bridge":"prod-br","vlan":100}' } },
    );
    const pool = program.object('dc1', 'loadbalancer.harvesterhci.io/v1beta1', 'IPPool', 'p', {
      spec: { selector: { network: 'default/n100' } },
    });
    const machine = program.object('dc1', 'kubevirt.io/v1', 'VirtualMachine', 'vms/m', {
      spec: { template: { networks: [{ multus: { networkName: 'default/n100' } }] } },
    });
    const graph = build(program);
    expect(after(graph, network)).toEqual([`applied ${clusterNetwork} (implied)`]);
    expect(after(graph, pool)).toEqual([`applied ${network} (implied)`]);
    expect(after(graph, machine)).toEqual([`applied ${network} (implied)`]);
  });

  test('gives way where the program asks for the other order', () => {
    const program = newProgram();
    const namespace = program.object('dc1', 'v1', 'Namespace', 'tenant');
    const inside = program.object('dc1', 'v1', 'ConfigMap', 'tenant/x');
    const other = program.object('dc1', 'v1', 'ConfigMap', 'tenant/y');
    program.edge(namespace, inside);
    const graph = build(program);
    expect(after(graph, inside)).toEqual([]);
    expect(after(graph, namespace)).toEqual([`applied ${inside}`]);
    expect(after(graph, other)).toEqual([`applied ${namespace} (implied)`]);
  });

  test('of a circle of its own the least is left out', () => {
    const program = newProgram();
    const namespace = program.object('dc1', 'v1', 'Namespace', 'tenant', {
      spec: { secretRef: { name: 's', namespace: 'tenant' } },
    });
    const secret = program.object('dc1', 'v1', 'Secret', 'tenant/s');
    const graph = build(program);
    expect(after(graph, namespace)).toEqual([]);
    expect(after(graph, secret)).toEqual([`applied ${namespace} (implied)`]);
  });

  test('finds no reference in a Secret, and accepts odd content', () => {
    const program = newProgram();
    program.object('dc1', 'v1', 'Secret', 'default/named');
    const secret = program.object('dc1', 'v1', 'Secret', 'default/x', {
      stringData: { secretName: 'named' },
    });
    const odd = program.object('dc1', 'v1', 'Service', 'default/odd', {
      spec: {
        secretRef: null,
        configMap: [1],
        claimName: 7,
        imagePullSecrets: [null, { name: 3 }],
      },
      subjects: [null],
    });
    const graph = build(program);
    expect(after(graph, secret)).toEqual([]);
    expect(after(graph, odd)).toEqual([]);
  });
});
