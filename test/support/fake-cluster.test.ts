import { FakeCluster } from './fake-cluster';
import { Manifest } from '../../src/core/manifest/manifest';

const MANAGER = { fieldManager: 'cdk8s-harvester' };
const map = (data: { [key: string]: unknown }): Manifest => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'm', namespace: 'n' },
  data,
});
const REF = { apiVersion: 'v1', kind: 'ConfigMap', name: 'm', namespace: 'n' };

describe('the fake cluster does as API servers do', () => {
  test('fields of other managers conflict, unless they are the same or taken', async () => {
    const cluster = new FakeCluster();
    cluster.seed(map({ a: '1' }), 'kubectl-edit');
    await cluster.apply(map({ a: '1', b: '2' }), MANAGER);
    await expect(cluster.apply(map({ a: '3' }), MANAGER)).rejects.toMatchObject({
      failure: 'conflict',
      conflicts: [{ manager: 'kubectl-edit', field: '.data.a' }],
    });
    const { object } = await cluster.apply(map({ a: '3' }), { ...MANAGER, force: true });
    // this manager had b and no longer names it
    expect(object.data).toEqual({ a: '3' });
  });

  test('nothing changes without a difference, nor by a dry run', async () => {
    const cluster = new FakeCluster();
    const first = await cluster.apply(map({ a: '1' }), MANAGER);
    expect((await cluster.apply(map({ a: '1' }), MANAGER)).object.metadata.resourceVersion).toBe(
      first.object.metadata.resourceVersion,
    );
    const tried = await cluster.apply(map({ a: '2' }), { ...MANAGER, dryRun: true });
    expect(tried.object.data).toEqual({ a: '2' });
    expect(await cluster.read(REF)).toEqual(first.object);
    expect((await cluster.apply(map({ b: '2' }), MANAGER)).object.data).toEqual({ b: '2' });
  });

  test('deletes an object with a finalizer once it is removed, and only by its uid', async () => {
    const cluster = new FakeCluster();
    const {
      metadata: { uid },
    } = cluster.seed(map({}));
    cluster.change(REF, (live) => {
      live.metadata.finalizers = ['x/y'];
    });
    await expect(cluster.delete(REF, 'other')).rejects.toMatchObject({ failure: 'precondition' });
    await cluster.delete(REF, uid);
    expect([
      (await cluster.read(REF))!.metadata.deletionTimestamp,
      cluster.has('v1', 'ConfigMap', 'm', 'n'),
    ]).toEqual([expect.stringMatching(/^\d/), false]);
    cluster.change(REF, (live) => {
      live.metadata.finalizers = [];
    });
    expect(await cluster.read(REF)).toBeUndefined();
  });
});
