import { NAMES, constructsOf, example, platform } from './_outputs';
import { isKeptByEngine } from '../../../src/core/kind/retention';
import { AcceptedRemovals } from '../../../src/core/leaving/accepted-removals';
import { OutputChange, OutputObject } from '../../../src/core/leaving/left-output.rules';
import { Assembly, AssemblyObject } from '../../../src/core/output/assembly';
import { whatLeaves } from '../../../src/engine/read/what-leaves';
import { DeliveryWay, keptByEngines, whatBecomes } from '../../../src/engine/removal/removal';
import { SmallProgram } from '../graph/_assemblies';

const SHOP = 'rancher/provisioning.cattle.io/Cluster/fleet-default/shop';
const IMPORT = 'rancher/provisioning.cattle.io/Cluster/fleet-default/dc1';

/** What the cluster of `platform` needs. */
const NEEDED = [
  'rancher//Secret/cattle-global-data/cc-dc1',
  'rancher//Secret/fleet-default/cloud-config',
  'rancher/rke-machine-config.cattle.io/HarvesterConfig/fleet-default/nc-shop',
  'dc1//ServiceAccount/shop-vms/shop',
  'dc1//Secret/shop-vms/shop-token',
  'dc1/rbac.authorization.k8s.io/RoleBinding/shop-vms/shop',
  'dc1/rbac.authorization.k8s.io/ClusterRole//cloud',
  'dc1/k8s.cni.cncf.io/NetworkAttachmentDefinition/shop-vms/net',
  'dc1//Namespace//shop-vms',
  'rancher/management.cattle.io/Project/c-m-1/shop',
  IMPORT,
  'rancher//Secret/c-m-1/crt-token-gitops',
  'dc1/harvesterhci.io/Setting//cluster-registration-url',
];

const REVOKED = [
  'rancher/management.cattle.io/User//u-ana',
  'rancher//Secret/cattle-local-user-passwords/u-ana',
  'rancher/management.cattle.io/ProjectRoleTemplateBinding/c-m-1-shop/ana',
  'rancher/management.cattle.io/GlobalRoleBinding//grb-ana',
  'dc1/rbac.authorization.k8s.io/RoleBinding/shop-vms/ana',
];

function becomes(program: SmallProgram, way: DeliveryWay, pruneMachines = false) {
  const { assembly, manifests } = program;
  return whatBecomes({
    assembly,
    manifests,
    way,
    removed: new Set(assembly.objects.map(({ id }) => id)),
    pruneMachines,
    judges: false,
  });
}

function edit(program: SmallProgram, id: string, change: Partial<AssemblyObject>): void {
  const index = program.objects.findIndex((object) => object.id === id);
  program.objects[index] = { ...program.objects[index], ...change };
}

test('a kept guest cluster keeps exactly what it needs, and no access of people', () => {
  const fates = becomes(platform(), 'apply');
  expect(
    [...fates]
      .filter(([, { fate }]) => fate === 'kept')
      .map(([id]) => id)
      .sort(),
  ).toEqual([SHOP, ...NEEDED].sort());
  expect(fates.get(SHOP)).toEqual({
    fate: 'kept',
    reason: 'its machines and their disks would be lost with it',
    loss: 'its machines and their disks',
  });
  for (const id of NEEDED) {
    expect(fates.get(id)).toEqual({
      fate: 'kept',
      reason: `${SHOP} is kept and needs it`,
      neededBy: SHOP,
    });
  }
  for (const id of REVOKED) {
    expect(fates.get(id)).toMatchObject({ fate: 'deleted' });
  }
});

test('with consent, an apply deletes machines and all that only they need', () => {
  const fates = becomes(platform(), 'apply', true);
  expect(
    [...fates].filter(([, { fate }]) => fate !== 'deleted').map(([id, { fate }]) => [id, fate]),
  ).toEqual([['dc1/harvesterhci.io/Setting//cluster-registration-url', 'reset']]);
});

test.each(['flux', 'argo-cd', 'fleet'] as const)(
  '%s keeps what a guest cluster needs, and revokes access of people',
  (way) => {
    const fates = becomes(platform(), way);
    for (const id of [SHOP, ...NEEDED]) {
      expect(fates.get(id)).toMatchObject({ fate: 'kept' });
    }
    for (const id of REVOKED) {
      const remains = way === 'argo-cd' && id.includes('/GlobalRoleBinding/');
      expect(fates.get(id)).toMatchObject(
        remains
          ? { fate: 'kept', reason: expect.stringContaining('Argo CD deletes no object') }
          : { fate: 'deleted' },
      );
    }
    expect(
      fates.get('dc1/k8s.cni.cncf.io/NetworkAttachmentDefinition/shop-vms/other'),
    ).toMatchObject({ fate: 'deleted' });
    expect(fates.get('dc1//ServiceAccount/other/ci')).toMatchObject({ fate: 'deleted' });
    expect(fates.get('dc1//Secret/other/ci-token')).toMatchObject({ fate: 'deleted' });
  },
);

test('a deletion that the program chose lifts what keeps the cluster, and all that only it needs', () => {
  const program = platform();
  for (const id of [
    SHOP,
    'rancher/rke-machine-config.cattle.io/HarvesterConfig/fleet-default/nc-shop',
  ]) {
    edit(program, id, {
      deletion: {
        policy: 'delete',
        reason: 'is deleted by the choice of the program',
        chosen: true,
      },
    });
  }
  const kept = keptByEngines(program.assembly, program.manifests);
  // a Namespace, an import and a Setting are kept for their own sake
  expect([...kept.keys()].sort()).toEqual([
    'dc1//Namespace//other',
    'dc1//Namespace//shop-vms',
    'dc1/harvesterhci.io/Setting//cluster-registration-url',
    'rancher//Secret/c-m-1/crt-token-gitops',
    IMPORT,
  ]);
});

test('a retained User keeps its password, a retained Project its Secrets and its cluster', () => {
  const program = platform();
  const secret = program.object('rancher', 'v1', 'Secret', 'c-m-1-shop/registry', {
    metadata: { labels: { 'management.cattle.io/project-scoped-secret': 'shop' } },
  });
  const retained = { deletion: { policy: 'keep', reason: 'is retained by the program' } } as const;
  edit(program, 'rancher/management.cattle.io/User//u-ana', retained);
  edit(program, 'rancher/management.cattle.io/Project/c-m-1/shop', retained);
  const fates = becomes(program, 'apply', true);
  expect(fates.get('rancher//Secret/cattle-local-user-passwords/u-ana')).toMatchObject({
    fate: 'kept',
    neededBy: 'rancher/management.cattle.io/User//u-ana',
  });
  expect(fates.get(secret)).toMatchObject({
    fate: 'kept',
    neededBy: 'rancher/management.cattle.io/Project/c-m-1/shop',
  });
  expect(fates.get(IMPORT)).toMatchObject({
    fate: 'kept',
    neededBy: 'rancher/management.cattle.io/Project/c-m-1/shop',
  });
  expect(fates.get('rancher/management.cattle.io/GlobalRoleBinding//grb-ana')).toMatchObject({
    fate: 'deleted',
  });
});

test.each(['apply', 'flux', 'argo-cd', 'fleet'] as const)(
  'a kept machine keeps the uplinks and the addresses of its networks, and of no others, by %s',
  (way) => {
    const program = new SmallProgram().target('dc1', 'harvester');
    const network = (name: string, clusterNetwork: string): string =>
      program.object('dc1', 'k8s.cni.cncf.io/v1', 'NetworkAttachmentDefinition', `shop/${name}`, {
        spec: { config: JSON.stringify({ type: 'bridge', bridge: `${clusterNetwork}-br` }) },
      });
    const subnet = (name: string): string =>
      program.object('dc1', 'kubeovn.io/v1', 'Subnet', `${name}-subnet`, {
        spec: { vpc: 'shop-vpc', provider: `${name}.shop.ovn` },
      });
    const fabric = (name: string): string[] => [
      program.object('dc1', 'network.harvesterhci.io/v1beta1', 'ClusterNetwork', name),
      program.object('dc1', 'network.harvesterhci.io/v1beta1', 'VlanConfig', `${name}-uplinks`, {
        spec: { clusterNetwork: name },
      }),
    ];
    const vpc = program.object('dc1', 'kubeovn.io/v1', 'Vpc', 'shop-vpc');
    const kept = [
      ...fabric('first'),
      network('vlan', 'first'),
      network('apps', 'mgmt'),
      subnet('apps'),
      vpc,
    ];
    const left = [
      ...fabric('second'),
      network('other', 'second'),
      network('db', 'mgmt'),
      subnet('db'),
    ];
    const machine = program.object('dc1', 'kubevirt.io/v1', 'VirtualMachine', 'shop/web', {
      spec: {
        template: {
          spec: {
            networks: ['vlan', 'apps'].map((name) => ({
              name,
              multus: { networkName: `shop/${name}` },
            })),
          },
        },
      },
    });
    const fates = becomes(program, way);
    for (const id of kept) {
      expect([id, fates.get(id)]).toEqual([
        id,
        { fate: 'kept', reason: `${machine} is kept and needs it`, neededBy: machine },
      ]);
    }
    for (const id of left) {
      expect([id, fates.get(id)?.fate]).toEqual([id, 'deleted']);
    }
  },
);

test('kubectl apply deletes nothing', () => {
  for (const [, { fate }] of becomes(platform(), 'kubectl')) {
    expect(fate).toBe('kept');
  }
});

test('a server refuses to delete what objects that remain use', () => {
  const program = platform();
  const network = program.object(
    'dc1',
    'network.harvesterhci.io/v1beta1',
    'ClusterNetwork',
    'fabric',
  );
  program.object('dc1', 'network.harvesterhci.io/v1beta1', 'VlanConfig', 'uplinks', {
    spec: { clusterNetwork: 'fabric' },
  });
  const { assembly, manifests } = program;
  expect(
    whatBecomes({ assembly, manifests, way: 'flux', removed: new Set([network]) }).get(network),
  ).toMatchObject({ fate: 'blocks', reason: expect.stringContaining('uplinks') });
});

test('an object that another target declares now is moved', () => {
  const program = platform();
  const id = 'dc1//ServiceAccount/other/ci';
  const { assembly, manifests } = program;
  const [object] = assembly.objects.filter((each) => each.id === id);
  const now = [{ ...object, id: 'dc2//ServiceAccount/other/ci', target: 'dc2' }];
  expect(
    whatBecomes({ assembly, manifests, way: 'flux', removed: new Set([id]), now }).get(id),
  ).toEqual({ fate: 'moved', reason: 'is deleted on dc1, and declared on dc2' });
});

describe.each(NAMES)('example %s', (name) => {
  const { assembly, manifests } = example(name);

  test('the entries and the annotations of its output say what is kept', () => {
    const kept = keptByEngines(assembly, manifests);
    for (const { id, kept: entry, onlyApply } of assembly.stages === undefined
      ? []
      : assembly.objects) {
      const { reason, neededBy } = onlyApply === undefined ? (kept.get(id) ?? {}) : {};
      expect({ id, reason: entry?.reason, neededBy: entry?.neededBy }).toEqual({
        id,
        reason,
        neededBy,
      });
      expect({ id, isKept: onlyApply === undefined && isKeptByEngine(manifests.get(id)!) }).toEqual(
        { id, isKept: reason !== undefined },
      );
    }
    expect([...kept.values()].filter(({ reason }) => reason === '')).toEqual([]);
  });

  test('what becomes of an object does not depend on the constructs that leave with it, by an engine', () => {
    const alone = keptByEngines(assembly, manifests);
    for (const removed of [...assembly.objects.map(({ id }) => [id]), ...constructsOf(assembly)]) {
      const fates = whatBecomes({
        assembly,
        manifests,
        way: 'flux',
        removed: new Set(removed),
        judges: false,
      });
      expect(
        [...fates].filter(
          ([id, { fate }]) =>
            (fate === 'kept') !==
            (alone.has(id) ||
              assembly.objects.some(
                (object) => object.id === id && object.onlyApply !== undefined,
              )),
        ),
      ).toEqual([]);
    }
  });
});

/** The ServiceAccount of the credential that the guest clusters of `sharing` share. */
const ACCOUNT = 'dc1//ServiceAccount/harvester-system/driver';
const bindingIn = (namespace: string): string =>
  `dc1/rbac.authorization.k8s.io/RoleBinding/${namespace}/driver`;
const namespaceOf = (name: string): string => `dc1//Namespace//${name}-vms`;
const projectOf = (name: string): string => `rancher/management.cattle.io/Project/c-m-1/${name}`;
const clusterOf = (name: string): string =>
  `rancher/provisioning.cattle.io/Cluster/fleet-default/${name}`;
const machinesOf = (name: string): string =>
  `rancher/rke-machine-config.cattle.io/HarvesterConfig/fleet-default/nc-${name}`;

/** Two guest clusters with one credential, each with a namespace and a project of its own. */
function sharing(): SmallProgram {
  const program = new SmallProgram()
    .target('rancher', 'rancher')
    .target('dc1', 'harvester', { managedAs: 'rancher/c-m-1' });
  const RBAC = 'rbac.authorization.k8s.io/v1';
  program.object('rancher', 'provisioning.cattle.io/v1', 'Cluster', 'fleet-default/dc1', {
    metadata: { annotations: { 'provisioning.cattle.io/management-cluster-name': 'c-m-1' } },
    spec: {},
  });
  const role = program.object('dc1', RBAC, 'ClusterRole', 'driver', { rules: [] });
  const account = program.object('dc1', 'v1', 'ServiceAccount', 'harvester-system/driver');
  const token = program.object('dc1', 'v1', 'Secret', 'harvester-system/driver-token', {
    metadata: { annotations: { 'kubernetes.io/service-account.name': 'driver' } },
    type: 'kubernetes.io/service-account-token',
  });
  const credential = program.object('rancher', 'v1', 'Secret', 'cattle-global-data/cc-dc1', {
    data: { 'harvestercredentialConfig-clusterId': Buffer.from('c-m-1').toString('base64') },
  });
  const bindings = ['shop', 'vision'].map((name) => {
    program.object('rancher', 'management.cattle.io/v3', 'Project', `c-m-1/${name}`, {
      spec: { clusterName: 'c-m-1' },
    });
    program.object('dc1', 'v1', 'Namespace', `${name}-vms`, {
      metadata: { annotations: { 'field.cattle.io/projectId': `c-m-1:${name}` } },
    });
    program.object(
      'rancher',
      'rke-machine-config.cattle.io/v1',
      'HarvesterConfig',
      `fleet-default/nc-${name}`,
      { vmNamespace: `${name}-vms` },
    );
    program.object('rancher', 'provisioning.cattle.io/v1', 'Cluster', `fleet-default/${name}`, {
      spec: {
        cloudCredentialSecretName: 'cattle-global-data:cc-dc1',
        kubernetesVersion: 'v1.33.6+rke2r1',
        rkeConfig: {
          machinePools: [
            {
              name: 'all',
              quantity: 3,
              machineConfigRef: { kind: 'HarvesterConfig', name: `nc-${name}` },
            },
          ],
        },
      },
    });
    return program.object('dc1', RBAC, 'RoleBinding', `${name}-vms/driver`, {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'driver' },
      subjects: [{ kind: 'ServiceAccount', name: 'driver', namespace: 'harvester-system' }],
    });
  });
  program.group('dc1/driver', [account, token, role, ...bindings]);
  program.edge(credential, 'dc1/driver');
  return program;
}

/** What becomes of some objects of `sharing`. */
function leavingOf(
  program: SmallProgram,
  removed: readonly string[],
  way: DeliveryWay,
  pruneMachines = false,
) {
  const { assembly, manifests } = program;
  return whatBecomes({
    assembly,
    manifests,
    way,
    removed: new Set(removed),
    pruneMachines,
    judges: false,
  });
}

/** All that is of one guest cluster of `sharing`. */
const partsOf = (name: string): string[] => [
  clusterOf(name),
  machinesOf(name),
  bindingIn(`${name}-vms`),
  namespaceOf(name),
  projectOf(name),
];

describe('two guest clusters that share a credential', () => {
  test('one leaves with consent: what only it needs is deleted', () => {
    const fates = leavingOf(sharing(), partsOf('vision'), 'apply', true);
    expect([...fates].map(([id, { fate }]) => [id, fate])).toEqual(
      expect.arrayContaining(partsOf('vision').map((id) => [id, 'deleted'])),
    );
    expect(fates.size).toBe(partsOf('vision').length);
  });

  test('one leaves without consent: it keeps what it needs, and nothing is kept for the other', () => {
    const fates = leavingOf(sharing(), partsOf('vision'), 'apply');
    for (const id of partsOf('vision')) {
      expect([id, fates.get(id)?.fate]).toEqual([id, 'kept']);
      expect(fates.get(id)?.neededBy ?? '').not.toBe(clusterOf('shop'));
    }
    expect(fates.get(bindingIn('vision-vms'))?.neededBy).toBe(clusterOf('vision'));
  });

  test('both remain: each keeps its own permission, and the shared ServiceAccount', () => {
    const removed = [
      ACCOUNT,
      ...['shop', 'vision'].flatMap((name) =>
        partsOf(name).filter((id) => id !== clusterOf(name) && id !== machinesOf(name)),
      ),
    ];
    const fates = leavingOf(sharing(), removed, 'apply', true);
    for (const id of removed) {
      expect([id, fates.get(id)?.fate]).toEqual([id, 'kept']);
    }
    for (const name of ['shop', 'vision']) {
      for (const id of [bindingIn(`${name}-vms`), namespaceOf(name), projectOf(name)]) {
        expect([id, [clusterOf(name), machinesOf(name)]]).toEqual([
          id,
          expect.arrayContaining([fates.get(id)?.neededBy]),
        ]);
      }
    }
  });

  test('machines of one in the namespace of the other keep that, too', () => {
    const program = sharing();
    program.manifests.set(machinesOf('shop'), {
      ...program.manifests.get(machinesOf('shop'))!,
      vmNamespace: 'vision-vms',
    });
    const fates = leavingOf(program, partsOf('vision'), 'apply', true);
    expect(fates.get(bindingIn('vision-vms'))).toMatchObject({ fate: 'kept' });
    expect(fates.get(namespaceOf('vision'))).toMatchObject({ fate: 'kept' });
  });

  test('machines whose namespace is not known keep all permissions of the credential', () => {
    const program = sharing();
    program.objects.splice(
      program.objects.findIndex(({ id }) => id === machinesOf('shop')),
      1,
    );
    program.manifests.delete(machinesOf('shop'));
    const fates = leavingOf(program, partsOf('vision'), 'apply', true);
    expect(fates.get(bindingIn('vision-vms'))).toMatchObject({
      fate: 'kept',
      neededBy: clusterOf('shop'),
    });
    expect(fates.get(namespaceOf('vision'))).toMatchObject({ fate: 'kept' });
  });

  test('a permission that no guest cluster is known to use remains, without its namespace', () => {
    const program = sharing();
    const own = [bindingIn('vision-vms'), namespaceOf('vision'), projectOf('vision')];
    for (const id of [clusterOf('vision'), machinesOf('vision')]) {
      program.objects.splice(
        program.objects.findIndex((object) => object.id === id),
        1,
      );
      program.manifests.delete(id);
    }
    const fates = leavingOf(program, own, 'apply', true);
    expect(own.map((id) => fates.get(id)?.fate)).toEqual(['kept', 'deleted', 'deleted']);
    expect(fates.get(own[0]!)?.neededBy).toBe(ACCOUNT);
  });

  test('one that remains for another reason keeps its permission', () => {
    const { assembly, manifests } = sharing();
    const fates = whatBecomes({
      assembly,
      manifests,
      way: 'apply',
      removed: new Set(partsOf('vision')),
      pruneMachines: true,
      own: ({ id }) =>
        id === clusterOf('vision')
          ? { fate: 'released', reason: 'others set its fields' }
          : { fate: 'deleted', reason: 'is no longer declared' },
      judges: false,
    });
    expect(fates.get(bindingIn('vision-vms'))).toMatchObject({ fate: 'kept', neededBy: ACCOUNT });
  });

  test('an engine, which deletes in no order, keeps the permission of one that it deletes', () => {
    const program = sharing();
    const chosen = { policy: 'delete', reason: 'is chosen', chosen: true } as const;
    for (const id of partsOf('vision')) {
      edit(program, id, { deletion: chosen });
    }
    const fates = leavingOf(program, partsOf('vision'), 'flux');
    expect(fates.get(bindingIn('vision-vms'))).toMatchObject({ fate: 'kept', neededBy: ACCOUNT });
    for (const id of [clusterOf('vision'), namespaceOf('vision'), projectOf('vision')]) {
      expect([id, fates.get(id)?.fate]).toEqual([id, 'deleted']);
    }
  });
});

test('an apply deletes a machine configuration whose Cluster names another one now', () => {
  const before = platform();
  const now = platform();
  const old = 'rancher/rke-machine-config.cattle.io/HarvesterConfig/fleet-default/nc-shop';
  const { spec, ...cluster } = now.manifests.get(SHOP)!;
  const text = JSON.stringify(spec).replace('"nc-shop"', '"nc-other"');
  now.manifests.set(SHOP, { ...cluster, spec: JSON.parse(text) });
  now.manifests.delete(old);
  const objectsOf = ({ assembly, manifests }: SmallProgram): OutputObject[] =>
    assembly.objects.flatMap(({ id, target }) => {
      const manifest = manifests.get(id);
      return manifest ? [{ target, manifest }] : [];
    });
  const change: OutputChange = {
    before: objectsOf(before),
    after: objectsOf(now),
    removals: new AcceptedRemovals([]),
    lateValue: () => undefined,
    hasProgram: true,
    hasEngine: false,
  };
  const { assembly } = before;
  // the construct of the previous Cluster waited for it, too
  const waiting = { ...assembly, edges: [...assembly.edges, { from: SHOP, to: old }] } as Assembly;
  for (const each of [assembly, waiting]) {
    expect([...whatLeaves(change, [each])].map(([, { fate }]) => fate)).toEqual(['deleted']);
  }
});
