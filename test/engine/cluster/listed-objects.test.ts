import { ListedObjects } from '../../../src/engine/cluster/cluster';
import { ApiError } from '../../../src/engine/transport/api';
import { FakeCluster } from '../../support/fake-cluster';
import { TestClock } from '../../support/test-clock';

const LABELS = { 'example.com/set': 'ours' };
const SELECTOR = 'example.com/set=ours';

function refs(count: number, kind = 'ConfigMap') {
  return Array.from({ length: count }, (_, n) => ({
    apiVersion: 'v1',
    kind,
    namespace: 'x',
    name: `map-${n}`,
  }));
}

/** A cluster with so many objects of the set, and one that lacks its label. */
function filled(count: number): FakeCluster {
  const cluster = new FakeCluster();
  for (const { name, ...ref } of refs(count)) {
    cluster.seed({ ...ref, metadata: { name, namespace: 'x', labels: LABELS } });
  }
  cluster.seed({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'other', namespace: 'x' },
  });
  return cluster;
}

test('many objects of a kind are read by one list', async () => {
  const cluster = filled(30);
  const listed = new ListedObjects(cluster, SELECTOR, refs(30));
  const names = await Promise.all(
    refs(30).map(async (ref) => (await listed.read(ref))?.metadata.name),
  );
  expect(names).toEqual(refs(30).map(({ name }) => name));
  expect(cluster.calls.map(({ verb, body }) => [verb, body])).toEqual([['list', SELECTOR]]);
});

test('few are read one by one, and so is a kind of which none is expected', async () => {
  const cluster = filled(9);
  const listed = new ListedObjects(cluster, SELECTOR, refs(9));
  for (const ref of refs(9)) {
    expect((await listed.read(ref))?.metadata.name).toBe(ref.name);
  }
  expect(
    await listed.read({ apiVersion: 'v1', kind: 'Secret', namespace: 'x', name: 'map-0' }),
  ).toBeUndefined();
  expect(cluster.calls.map(({ verb }) => verb)).toEqual(Array.from({ length: 10 }, () => 'read'));
});

test('what lacks the label is read by its name, and what is not there is not there', async () => {
  const cluster = filled(10);
  const listed = new ListedObjects(cluster, SELECTOR, refs(10));
  expect((await listed.read({ ...refs(1)[0], name: 'other' }))?.metadata.name).toBe('other');
  expect(await listed.read({ ...refs(1)[0], name: 'none' })).toBeUndefined();
  expect(cluster.did('read')).toEqual(['ConfigMap x/other', 'ConfigMap x/none']);
});

test('reads the current state when asked again', async () => {
  const cluster = filled(20);
  const listed = new ListedObjects(cluster, SELECTOR, refs(20));
  const [ref] = refs(1);
  await listed.read(ref);
  cluster.change(ref, (live) => {
    live.data = { new: 'b' };
  });
  expect((await listed.read(ref))?.data).toEqual({ new: 'b' });
});

test('lists again for many objects when a list is old, but not for a few', async () => {
  const cluster = filled(30);
  const clock = new TestClock();
  const listed = new ListedObjects(cluster, SELECTOR, refs(30), clock);
  await listed.read(refs(30)[0]);
  clock.pass(60_000);
  cluster.change(refs(30)[1], (live) => {
    live.data = { new: 'b' };
  });
  expect((await listed.read(refs(30)[1]))?.data).toEqual({ new: 'b' });
  expect(cluster.did('list')).toHaveLength(2);
  for (const ref of refs(30).slice(2, 25)) {
    await listed.read(ref);
  }
  clock.pass(60_000);
  await listed.read(refs(30)[29]);
  expect([cluster.did('list').length, cluster.did('read')]).toEqual([2, ['ConfigMap x/map-29']]);
});

test('reads each object where a list is refused, and does not ask for the list again', async () => {
  const cluster = filled(20);
  cluster.fault = ({ verb }) =>
    verb === 'list' ? new ApiError('forbidden', 'configmaps is forbidden', 403) : undefined;
  const listed = new ListedObjects(cluster, SELECTOR, refs(20));
  const names = await Promise.all(
    refs(20).map(async (ref) => (await listed.read(ref))?.metadata.name),
  );
  expect(names).toEqual(refs(20).map(({ name }) => name));
  expect([cluster.did('list').length, cluster.did('read').length]).toEqual([1, 20]);
});

test('a cluster that knows us no more fails the read', async () => {
  const cluster = filled(20);
  cluster.fault = () => new ApiError('auth', 'Unauthorized', 401);
  await expect(new ListedObjects(cluster, SELECTOR, refs(20)).read(refs(1)[0])).rejects.toThrow(
    'Unauthorized',
  );
  expect(cluster.did('read')).toEqual([]);
});
