import { spawnSync } from 'child_process';
import { appOf } from '../../../src/engine/fields/apply-set';
import { Lock } from '../../../src/engine/inventory/lease';
import { QuickClock, fake } from '../run/_running';

const APP = appOf();
const REF = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  namespace: 'kube-system',
  name: 'cdk8s-harvester-default',
};
const lease = (cluster: ReturnType<typeof fake>) =>
  cluster.live(REF.apiVersion, REF.kind, REF.name, REF.namespace);

test('one run at a time: who holds it and renews it is named', async () => {
  const cluster = fake('u');
  const first = await Lock.acquire(cluster, APP);
  const told: string[] = [];
  let renewals = 0;
  const clock = new QuickClock(() => {
    cluster.change(REF, (object) => {
      object.spec.renewTime = `later ${renewals++}`;
    });
  });
  await expect(
    Lock.acquire(cluster, APP, {
      clock,
      onWait: (message) => {
        told.push(message);
      },
    }),
  ).rejects.toThrow(
    new RegExp(
      `another run of app default is active: .*@.* \\(process ${process.pid}\\) since 20.*. Fix: wait until it ends`,
    ),
  );
  expect(told).toEqual([
    expect.stringMatching(/^locked by .*; checking for 60 s whether that run is active$/),
  ]);
  await first.release();
  expect(lease(cluster)).toBeUndefined();
});

test('takes an abandoned lock after its time on our own clock', async () => {
  const cluster = fake('u');
  const first = await Lock.acquire(cluster, APP);
  const { uid } = lease(cluster).metadata;
  const clock = new QuickClock();
  const second = await Lock.acquire(cluster, APP, { clock });
  expect(clock.now()).toBeGreaterThanOrEqual(60_000);
  const taken = lease(cluster).metadata.uid;
  expect(taken).not.toBe(uid);
  // what the first gives back is no longer its own
  await first.release();
  expect(lease(cluster).metadata.uid).toBe(taken);
  await second.release();
});

test('takes the lock of a deleted process of this machine at once', async () => {
  const cluster = fake('u');
  const first = await Lock.acquire(cluster, APP);
  const { pid } = spawnSync(process.execPath, ['-e', '0']);
  cluster.change(REF, (object) => {
    const [, machine] = object.metadata.annotations['cdk8s-harvester/process'].split(' ');
    object.metadata.annotations['cdk8s-harvester/process'] = `${pid} ${machine}`;
  });
  const clock = new QuickClock();
  const second = await Lock.acquire(cluster, APP, { clock });
  expect(clock.now()).toBeLessThan(5_000);
  await second.release();
  await first.release();
});

test('of two that come at the same time, one gets it', async () => {
  const cluster = fake('u');
  let renewals = 0;
  const renew = (object: { spec: { renewTime: string } }): void => {
    object.spec.renewTime = `later ${renewals++}`;
  };
  const clock = (): QuickClock =>
    new QuickClock(() => {
      if (lease(cluster)) {
        cluster.change(REF, renew);
      }
    });
  const outcomes = await Promise.allSettled([
    Lock.acquire(cluster, APP, { clock: clock() }),
    Lock.acquire(cluster, APP, { clock: clock() }),
  ]);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') {
      await outcome.value.release();
    }
  }
});

test('reports that the lock is lost, and does not create it again', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'performance', 'nextTick', 'queueMicrotask'] });
  try {
    const cluster = fake('u');
    const lost: string[] = [];
    await Lock.acquire(cluster, APP, {
      onLost: (message) => {
        lost.push(message);
      },
    });
    await jest.advanceTimersByTimeAsync(20_000);
    expect(lost).toEqual([]);
    await cluster.delete(REF, lease(cluster).metadata.uid);
    await jest.advanceTimersByTimeAsync(20_000);
    expect(lost).toEqual(['another run took the lock']);
    expect(lease(cluster)).toBeUndefined();
  } finally {
    jest.useRealTimers();
  }
});
