import { Manifest, objectKey } from '../../../src/core/manifest/manifest';
import { AssemblyTarget } from '../../../src/core/output/assembly';
import { buildGraph } from '../../../src/engine/graph/build-graph';
import { inventoryReader } from '../../../src/engine/inventory/inventory';
import { contentsOfNamespace, inUse } from '../../../src/engine/precondition/in-use';
import { ApiError } from '../../../src/engine/transport/api';
import { FakeCluster } from '../../support/fake-cluster';
import { SmallProgram } from '../graph/_assemblies';
import { makePlan } from '../plan/_planning';
import { APP, appliedThen, fake } from '../run/_running';

const HARVESTER: AssemblyTarget = {
  name: 'dc1',
  kind: 'harvester',
  version: '1.7.2',
  folder: 'dc1',
  construct: 'dc1',
  properties: {},
};
const NAMESPACE = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'shop', uid: 'u', resourceVersion: '1' },
};

type Contained = readonly [
  apiVersion: string,
  kind: string,
  name: string,
  rest?: object,
  metadata?: object,
];

function withObjects(...objects: readonly Contained[]): FakeCluster {
  const cluster = fake('dc1');
  for (const [apiVersion, kind, name, rest = {}, metadata = {}] of objects) {
    cluster.seed({ apiVersion, kind, metadata: { name, namespace: 'shop', ...metadata }, ...rest });
  }
  return cluster;
}

test('names backups, images, template versions, snapshots, Secrets and workloads that would be lost with a namespace', async () => {
  const cluster = withObjects(
    ['harvesterhci.io/v1beta1', 'VirtualMachineBackup', 'nightly'],
    ['harvesterhci.io/v1beta1', 'VirtualMachineImage', 'golden'],
    ['harvesterhci.io/v1beta1', 'VirtualMachineTemplateVersion', 'web-1'],
    ['snapshot.storage.k8s.io/v1', 'VolumeSnapshot', 'before'],
    ['v1', 'Secret', 'a', { type: 'Opaque' }],
    ['v1', 'Secret', 'b'],
    ['v1', 'Secret', 'c'],
    ['v1', 'Secret', 'd'],
    ['apps/v1', 'Deployment', 'theirs'],
  );
  expect(await contentsOfNamespace('shop', HARVESTER, cluster)).toEqual({
    text:
      '1 VirtualMachineTemplateVersion (web-1), 1 VirtualMachineImage (golden), 1 VirtualMachineBackup (nightly), 1 VolumeSnapshot (before), ' +
      '4 Secrets (a, b, c, and 1 more), 1 Deployment (theirs)',
    passes: false,
    unseen: [],
  });
});

test('leaves out what controllers create, and other namespaces', async () => {
  const owned = {
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'x', uid: 'y' }],
  };
  const cluster = withObjects(
    ['v1', 'Secret', 'token', { type: 'kubernetes.io/service-account-token' }],
    [
      'v1',
      'Secret',
      'copied',
      {},
      { annotations: { 'management.cattle.io/project-scoped-secret-copy': 'p' } },
    ],
    ['v1', 'Pod', 'web-abc', {}, owned],
    ['v1', 'ConfigMap', 'kube-root-ca.crt'],
    ['harvesterhci.io/v1beta1', 'VirtualMachineBackup', 'elsewhere', {}, { namespace: 'other' }],
  );
  expect((await contentsOfNamespace('shop', HARVESTER, cluster)).text).toBe('');
  expect(await inUse(NAMESPACE, HARVESTER, cluster)).toBeUndefined();
});

test('leaves out what the same run deletes, with the claims of a virtual machine', async () => {
  const cluster = withObjects(
    [
      'kubevirt.io/v1',
      'VirtualMachine',
      'db',
      {},
      { annotations: { 'harvesterhci.io/removedPersistentVolumeClaims': 'db-root' } },
    ],
    ['v1', 'PersistentVolumeClaim', 'db-root'],
    ['v1', 'PersistentVolumeClaim', 'db-data'],
  );
  const isGoing = (live: Manifest): boolean =>
    objectKey(live) === 'kubevirt.io/VirtualMachine/shop/db';
  expect((await contentsOfNamespace('shop', HARVESTER, cluster, { isGoing })).text).toBe(
    '1 PersistentVolumeClaim (db-data)',
  );
});

test('skips kinds that the cluster does not serve', async () => {
  const guest: AssemblyTarget = { ...HARVESTER, kind: 'guest' };
  const cluster = new FakeCluster({ missing: new Set(['snapshot.storage.k8s.io/VolumeSnapshot']) });
  expect(await inUse(NAMESPACE, guest, cluster)).toBeUndefined();
});

test('waits for what is being deleted already', async () => {
  const cluster = withObjects([
    'harvesterhci.io/v1beta1',
    'VirtualMachineBackup',
    'nightly',
    {},
    { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['x'] },
  ]);
  expect(await inUse(NAMESPACE, HARVESTER, cluster)).toMatchObject({
    passes: true,
    why: expect.stringContaining('1 VirtualMachineBackup (nightly)'),
  });
});

test('refuses where data cannot be listed, and reports it where Secrets cannot', async () => {
  const cluster = withObjects();
  const forbid = (...kinds: string[]) => {
    cluster.fault = ({ verb, what }) =>
      verb === 'list' && kinds.includes(what.split(' ')[0])
        ? new ApiError('forbidden', 'forbidden', 403)
        : undefined;
  };
  forbid('VirtualMachineBackup', 'VolumeSnapshot');
  expect((await inUse(NAMESPACE, HARVESTER, cluster))?.why).toBe(
    'may contain objects of kinds that this identity cannot list: VirtualMachineBackup, VolumeSnapshot',
  );
  forbid('Secret');
  expect(await inUse(NAMESPACE, HARVESTER, cluster)).toEqual({
    notes: ['Namespace shop was not searched for Secrets: this identity cannot list them'],
  });
});

test('keeps a namespace with the backups of a tenant when it is pruned, and shows it in the plan', async () => {
  const program = (...namespaces: string[]): SmallProgram => {
    const declared = new SmallProgram().target('dc1', 'harvester');
    for (const name of namespaces) {
      declared.object('dc1', 'v1', 'Namespace', name);
    }
    declared.object('dc1', 'v1', 'ConfigMap', 'default/stays');
    return declared;
  };
  const trial = await appliedThen(program('shop'), program());
  trial.clusters.dc1.seed({
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'VirtualMachineBackup',
    metadata: { name: 'nightly', namespace: 'shop' },
  });
  const { program: now } = trial;
  const options = { fieldManager: APP.fieldManager, inventory: inventoryReader(APP) };
  const plan = await makePlan({ ...now, graph: buildGraph(now.assembly, now.manifests) }, options);
  expect(plan.steps.find(({ id }) => id === 'dc1//Namespace//shop')).toMatchObject({
    action: 'prune',
    refused: expect.stringContaining('contains 1 VirtualMachineBackup (nightly)'),
  });
  const { failed } = await trial.apply();
  expect(failed).toEqual([
    {
      id: 'dc1//Namespace//shop',
      message: expect.stringContaining(
        'contains 1 VirtualMachineBackup (nightly), which would be lost with it. Fix: ',
      ),
    },
  ]);
  expect(trial.clusters.dc1.has('v1', 'Namespace', 'shop')).toBe(true);
});
