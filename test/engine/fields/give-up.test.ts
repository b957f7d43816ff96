import { giveUp } from '../../../src/engine/fields/released';
import { FakeCluster } from '../../support/fake-cluster';

const OURS = 'cdk8s-harvester';
const REF = { apiVersion: 'harvesterhci.io/v1beta1', kind: 'Setting', name: 'log-level' };
const setting = { apiVersion: REF.apiVersion, kind: REF.kind, metadata: { name: REF.name } };

function managers(cluster: FakeCluster): string[] {
  const { managedFields } = cluster.live(REF.apiVersion, REF.kind, REF.name).metadata;
  return managedFields.map(({ manager }: { manager: string }) => manager);
}

test('releases the object, and keeps its fields', async () => {
  const cluster = new FakeCluster();
  cluster.seed({ ...setting, default: 'info' }, 'harvester');
  cluster.seed({ ...setting, value: '' }, OURS, 'Apply');
  await giveUp(cluster, REF, OURS);
  expect(managers(cluster)).toEqual(['harvester']);
  expect(cluster.live(REF.apiVersion, REF.kind, REF.name)).toMatchObject({
    value: '',
    default: 'info',
  });
});

test('writes nothing where the program has no field, no other manager has one, or the object is deleted', async () => {
  const [theirs, alone, gone] = [new FakeCluster(), new FakeCluster(), new FakeCluster()];
  theirs.seed({ ...setting, value: 'x' }, 'harvester');
  alone.seed({ ...setting, value: '' }, OURS, 'Apply');
  for (const cluster of [theirs, alone, gone]) {
    await giveUp(cluster, REF, OURS);
    expect(cluster.did('patch')).toEqual([]);
  }
});
