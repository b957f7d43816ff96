import { SmallProgram, waits } from './_assemblies';
import { buildGraph } from '../../../src/engine/graph/build-graph';
import { ApplyGraph } from '../../../src/engine/graph/graph';
import { reverseGraph } from '../../../src/engine/graph/reverse-graph';
import { testOfGrowth } from '../../support/cases';

function reverse({ assembly, manifests }: SmallProgram): ApplyGraph {
  return reverseGraph(buildGraph(assembly, manifests), assembly, manifests);
}

const MANAGEMENT = 'management.cattle.io/v3';
const HARVESTER = 'harvesterhci.io/v1beta1';

/**
 * One Harvester that is imported, with a tenant, a guest cluster and what it runs on. It has only
 * implied edges.
 */
function platform(
  name = 'dc1',
  program = new SmallProgram().target('rancher', 'rancher'),
): { program: SmallProgram; ids: { [what: string]: string } } {
  const id = `c-m-${name}`;
  const shop = `shop-${name}`;
  program
    .target(name, 'harvester')
    .target(shop, 'guest', { provisioningCluster: `fleet-default/${shop}` });
  const ids = {
    cluster: program.object(
      'rancher',
      'provisioning.cattle.io/v1',
      'Cluster',
      `fleet-default/${name}`,
      {
        metadata: { annotations: { 'provisioning.cattle.io/management-cluster-name': id } },
        spec: {},
      },
    ),
    token: program.object('rancher', 'v1', 'Secret', `${id}/crt-token-gitops`),
    setting: program.object(name, HARVESTER, 'Setting', 'cluster-registration-url', {
      value: `{"url":"https://rancher.example.com/v3/import/t_${id}.yaml"}`,
    }),
    ca: program.object(name, HARVESTER, 'Setting', 'additional-ca', { value: 'pem' }),
    project: program.object('rancher', MANAGEMENT, 'Project', `${id}/pay`, {
      spec: { clusterName: id },
    }),
    member: program.object('rancher', MANAGEMENT, 'ProjectRoleTemplateBinding', `${id}-pay/m`, {
      projectName: `${id}:pay`,
    }),
    reader: program.object('rancher', MANAGEMENT, 'ClusterRoleTemplateBinding', `${id}/r`, {
      clusterName: id,
    }),
    namespace: program.object(name, 'v1', 'Namespace', 'pay-vms', {
      metadata: { annotations: { 'field.cattle.io/projectId': `${id}:pay` } },
    }),
    credential: program.object('rancher', 'v1', 'Secret', `cattle-global-data/cc-${name}`),
    network: program.object(
      name,
      'k8s.cni.cncf.io/v1',
      'NetworkAttachmentDefinition',
      'pay-vms/n100',
      { spec: { config: '{}' } },
    ),
    image: program.object(name, HARVESTER, 'VirtualMachineImage', 'pay-vms/ubuntu'),
    balancer: program.object(
      name,
      'loadbalancer.harvesterhci.io/v1beta1',
      'LoadBalancer',
      'pay-vms/lb',
    ),
    config: program.object(
      'rancher',
      'rke-machine-config.cattle.io/v1',
      'HarvesterConfig',
      `fleet-default/${shop}`,
    ),
    guest: program.object(
      'rancher',
      'provisioning.cattle.io/v1',
      'Cluster',
      `fleet-default/${shop}`,
      {
        metadata: {
          annotations: { 'provisioning.cattle.io/management-cluster-name': `c-m-${shop}` },
        },
        spec: {
          rkeConfig: {
            machinePools: [{ machineConfigRef: { kind: 'HarvesterConfig', name: shop } }],
          },
        },
      },
    ),
    guestProject: program.object('rancher', MANAGEMENT, 'Project', `c-m-${shop}/web`, {
      spec: { clusterName: `c-m-${shop}` },
    }),
    service: program.object(shop, 'v1', 'Service', 'default/web', {
      spec: { type: 'LoadBalancer' },
    }),
  };
  program
    .edge(ids.setting, ids.cluster)
    .edge(ids.setting, ids.token)
    .edge(ids.setting, ids.ca, 'ready');
  return { program, ids };
}

function edgesOf(graph: ApplyGraph): string[] {
  return [...graph.nodes.values()].flatMap(({ after }) => after.map(({ kind }) => kind));
}

test('every edge is turned round and waits until the other is gone', () => {
  const program = new SmallProgram().target('dc1', 'harvester');
  const [a, b] = [program.configMap('a'), program.configMap('b')];
  program.edge(a, b, 'ready');
  const graph = reverse(program);
  expect(graph.nodes.get(b)!.after).toEqual([{ to: a, kind: 'gone' }]);
  expect(graph.nodes.get(a)!.after).toEqual([]);
});

test('keeps the direction of declared deletion order, and uses late values only for order', () => {
  const source = {
    resolver: 'field',
    target: 'dc1',
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: 'default',
    name: 'a',
    path: 'data.x',
  };
  const program = new SmallProgram().target('dc1', 'harvester').late('x', source);
  const [a, b] = [program.configMap('a'), program.configMap('b')];
  const user = program.object('dc1', 'v1', 'Secret', 'default/user', {
    stringData: { x: '${late:x}' },
  });
  program.edge('late:x', a).edge(a, b, 'gone');
  const graph = reverse(program);
  expect(waits(graph, a, b)).toBe(true);
  expect(waits(graph, a, user)).toBe(true);
  expect(graph.nodes.get('late:x')!.late).toBeUndefined();
});

describe('guest clusters', () => {
  const { program, ids } = platform();
  const graph = reverse(program);

  test.each([
    'credential',
    'config',
    'network',
    'image',
    'namespace',
    'project',
    'token',
    'setting',
    'cluster',
  ])('go before the %s', (what) => {
    expect(waits(graph, ids[what], ids.guest)).toBe(true);
  });

  test.each(['service', 'balancer', 'guestProject'])('go after the %s', (what) => {
    expect(waits(graph, ids.guest, ids[what])).toBe(true);
  });
});

describe('the registration', () => {
  const { program, ids } = platform();
  const graph = reverse(program);

  test('is reset before the import Cluster and its token are deleted', () => {
    expect(waits(graph, ids.cluster, ids.setting)).toBe(true);
    expect(waits(graph, ids.token, ids.setting)).toBe(true);
    expect(waits(graph, ids.cluster, ids.token)).toBe(true);
  });

  test.each(['namespace', 'project', 'member', 'reader', 'network', 'image', 'credential'])(
    'is reset while nothing needs the connection any more: after the %s',
    (what) => {
      expect(waits(graph, ids.setting, ids[what])).toBe(true);
    },
  );

  test('is reset before the certificate authority that it verifies by', () => {
    expect(waits(graph, ids.ca, ids.setting)).toBe(true);
  });
});

describe('projects', () => {
  const { program, ids } = platform();
  const graph = reverse(program);

  test('go before their clusters, imported or guest', () => {
    expect(waits(graph, ids.cluster, ids.project)).toBe(true);
    expect(waits(graph, ids.guest, ids.guestProject)).toBe(true);
  });

  test('go after their members and namespaces, and these before the cluster', () => {
    expect(waits(graph, ids.project, ids.member)).toBe(true);
    expect(waits(graph, ids.project, ids.namespace)).toBe(true);
    expect(waits(graph, ids.namespace, ids.network)).toBe(true);
    for (const tenant of [ids.member, ids.reader, ids.namespace]) {
      expect(waits(graph, ids.cluster, tenant)).toBe(true);
    }
  });
});

test('tenants and tokens of an imported cluster go before its management Cluster', () => {
  const program = new SmallProgram()
    .target('rancher', 'rancher')
    .target('edge', 'guest', { provisioningCluster: 'fleet-default/c-edge1', rancher: 'rancher' });
  const cluster = program.object('rancher', MANAGEMENT, 'Cluster', 'c-edge1', {
    spec: { displayName: 'edge' },
  });
  const tenants = [
    program.object('rancher', MANAGEMENT, 'Project', 'c-edge1/pay', {
      spec: { clusterName: 'c-edge1' },
    }),
    program.object('rancher', MANAGEMENT, 'ClusterRoleTemplateBinding', 'c-edge1/r', {
      clusterName: 'c-edge1',
    }),
    program.object('rancher', 'v1', 'Secret', 'c-edge1/crt-token-gitops'),
    program.object('edge', 'v1', 'Namespace', 'pay', {
      metadata: { annotations: { 'field.cattle.io/projectId': 'c-edge1:pay' } },
    }),
  ];
  const graph = reverse(program);
  expect(tenants.filter((tenant) => !waits(graph, cluster, tenant))).toEqual([]);
});

test('these orders hold as hard edges: none of them is one that may be left out', () => {
  const { program, ids } = platform();
  // the program asks for the opposite of the implied order, which yields
  program.edge(ids.project, ids.namespace);
  const graph = reverse(program);
  expect(waits(graph, ids.namespace, ids.project)).toBe(true);
  expect(waits(graph, ids.cluster, ids.setting)).toBe(true);
  expect(waits(graph, ids.cluster, ids.project)).toBe(true);
  expect(waits(graph, ids.credential, ids.guest)).toBe(true);
  expect(new Set(edgesOf(graph))).toEqual(new Set(['gone', 'ended']));
});

test('prefers the order of the program to the facts', () => {
  const { program, ids } = platform();
  program.edge(ids.image, ids.guest);
  const graph = reverse(program);
  expect(waits(graph, ids.guest, ids.image)).toBe(true);
  expect(waits(graph, ids.credential, ids.guest)).toBe(true);
});

test('each Harvester is let go on its own, all guest clusters before all else', () => {
  const { program, ids } = platform();
  const other = platform('dc2', program).ids;
  const graph = reverse(program);
  expect(waits(graph, ids.cluster, other.setting)).toBe(false);
  expect(waits(graph, other.cluster, ids.setting)).toBe(false);
  expect(waits(graph, ids.credential, other.guest)).toBe(true);
  expect(waits(graph, ids.guest, other.service)).toBe(false);
});

test('finds the cluster of a registration that only the live cluster knows by the namespace of its token', () => {
  const program = new SmallProgram()
    .target('rancher', 'rancher')
    .target('dc1', 'harvester')
    .target('dc2', 'harvester');
  const ids = ['dc1', 'dc2'].map((name) => {
    program.late(`${name}.url`, {
      resolver: 'registration-url',
      target: 'rancher',
      apiVersion: MANAGEMENT,
      kind: 'ClusterRegistrationToken',
      namespace: `c-m-${name}`,
      name: 'default-token',
      path: 'status.manifestUrl',
    });
    return {
      cluster: program.object(
        'rancher',
        'provisioning.cattle.io/v1',
        'Cluster',
        `fleet-default/${name}`,
        {
          metadata: {
            annotations: { 'provisioning.cattle.io/management-cluster-name': `c-m-${name}` },
          },
        },
      ),
      setting: program.object(name, HARVESTER, 'Setting', 'cluster-registration-url', {
        value: `{"url":"\${late:${name}.url}"}`,
      }),
    };
  });
  const graph = reverse(program);
  expect(waits(graph, ids[0].cluster, ids[0].setting)).toBe(true);
  expect(waits(graph, ids[0].cluster, ids[1].setting)).toBe(false);
  expect(waits(graph, ids[1].cluster, ids[1].setting)).toBe(true);
});

test('a registration under a late cluster id is known by its placeholder', () => {
  const program = new SmallProgram()
    .target('rancher', 'rancher')
    .target('dc1', 'harvester')
    .late('id', {
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
  const project = program.object('rancher', MANAGEMENT, 'Project', '${late:id}/pay', {
    spec: { clusterName: '${late:id}' },
  });
  const namespace = program.object('dc1', 'v1', 'Namespace', 'pay', {
    metadata: { annotations: { 'field.cattle.io/projectId': '${late:id}:pay' } },
  });
  const setting = program.object('dc1', HARVESTER, 'Setting', 'cluster-registration-url', {
    value: '{"url":"https://r/v3/import/t_${late:id}.yaml"}',
  });
  const graph = reverse(program);
  for (const earlier of [project, namespace, setting]) {
    expect(waits(graph, cluster, earlier)).toBe(true);
  }
  expect(waits(graph, project, namespace)).toBe(true);
});

testOfGrowth('handles a platform of many: edges grow with objects, not with their square', () => {
  let program = new SmallProgram().target('rancher', 'rancher');
  for (let n = 0; n < 40; n++) {
    program = platform(`dc${n}`, program).program;
  }
  const graph = reverse(program);
  expect(edgesOf(graph).length).toBeLessThan(program.objects.length * 60);
});
