import { waitReady, whereToLook } from '../../../src/engine/ready/wait-ready';
import { ApiError } from '../../../src/engine/transport/api';
import { FakeCluster } from '../../support/fake-cluster';
import { QuickClock } from '../run/_running';

const REF = {
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'VirtualMachineImage',
  namespace: 'x',
  name: 'ubuntu',
};

function newCluster(): FakeCluster {
  const cluster = new FakeCluster();
  cluster.seed({ ...REF, metadata: { namespace: 'x', name: 'ubuntu' } });
  return cluster;
}

function set(
  cluster: FakeCluster,
  ...conditions: { type: string; status: string; message?: string }[]
): void {
  cluster.change(REF, (object) => {
    object.status = { conditions };
  });
}

async function wait(
  cluster: FakeCluster,
  onSleep: (now: number) => void,
  signal?: AbortSignal,
): Promise<string[]> {
  const told: string[] = [];
  await waitReady(cluster, REF, {
    clock: new QuickClock(onSleep),
    random: () => 0.5,
    signal,
    timeoutMs: 600_000,
    onWait: (why) => {
      told.push(why);
    },
    scrub: (text) => text.replace('s3cret', '***'),
  });
  return told;
}

test('reports why it waits, once for each reason, without secrets', async () => {
  const cluster = newCluster();
  set(cluster, { type: 'Imported', status: 'False', message: 'https://s3cret' });
  expect(
    await wait(cluster, (now) => {
      if (now > 60_000) {
        set(cluster, { type: 'Imported', status: 'True' });
      }
    }),
  ).toEqual(['Imported is False: https://***']);
});

test('ignores a failure that passes within two minutes, and fails for one that persists', async () => {
  const cluster = newCluster();
  set(cluster, { type: 'Imported', status: 'False', message: 'no network' });
  await expect(wait(cluster, () => undefined)).rejects.toThrow(
    'has been failing for 2 min: Imported is False: no network',
  );
});

test('what is given up by its controller fails at once', async () => {
  const cluster = newCluster();
  set(cluster, { type: 'RetryLimitExceeded', status: 'True', message: 'gave up' });
  await expect(
    wait(cluster, () => {
      throw new Error('waited');
    }),
  ).rejects.toThrow('failed: RetryLimitExceeded is True: gave up');
});

test('ends in time and reports what it waited for', async () => {
  await expect(wait(newCluster(), () => undefined)).rejects.toThrow(
    /^not ready after 10 min: is being imported\. Usual cause: .* Fix: run the command again to continue waiting$/,
  );
});

test('retries a server that does not answer for a while, and fails where one refuses', async () => {
  const cluster = newCluster();
  set(cluster, { type: 'Imported', status: 'True' });
  let times = 0;
  cluster.fault = () =>
    times++ < 3 ? new ApiError('transient', 'rancher is away', 503) : undefined;
  expect(await wait(cluster, () => undefined)).toEqual(['rancher is away']);
  cluster.fault = () => new ApiError('forbidden', 'may not', 403);
  await expect(wait(cluster, () => undefined)).rejects.toThrow('may not');
});

test('is ended by the signal', async () => {
  const stop = new AbortController();
  await expect(
    wait(
      newCluster(),
      () => {
        stop.abort();
      },
      stop.signal,
    ),
  ).rejects.toThrow('ended');
});

test('looks further after seconds, now and then, and reports what it finds', async () => {
  const cluster = newCluster();
  const told: string[] = [];
  let [looks, time] = [0, 0];
  await waitReady(cluster, REF, {
    clock: new QuickClock((now) => {
      time = now;
      if (now > 60_000) {
        set(cluster, { type: 'Imported', status: 'True' });
      }
    }),
    random: () => 0.5,
    timeoutMs: 600_000,
    onWait: (why) => {
      told.push(`${time < 20_000 ? 'soon' : 'late'}: ${why}`);
    },
    scrub: (text) => text,
    lookFurther: async () => {
      looks++;
      return 'its agent has no image';
    },
  });
  expect(told).toEqual([
    'soon: is being imported',
    'soon: is being imported; its agent has no image',
  ]);
  expect(looks).toBeGreaterThan(1);
  expect(looks).toBeLessThan(6);
});

describe('an import', () => {
  const IMPORT = {
    apiVersion: 'provisioning.cattle.io/v1',
    kind: 'Cluster',
    namespace: 'fleet-default',
    name: 'dc1',
  };
  const MANAGEMENT = {
    apiVersion: 'management.cattle.io/v3',
    kind: 'Cluster',
    metadata: { name: 'c-m-harvdc01' },
  };
  const connectedImport = (): FakeCluster => {
    const cluster = new FakeCluster();
    cluster.seed({
      ...IMPORT,
      metadata: { namespace: 'fleet-default', name: 'dc1' },
      status: { clusterName: 'c-m-harvdc01', ready: true },
    });
    return cluster;
  };
  const waitFor = async (
    cluster: FakeCluster,
    onSleep: (now: number) => void,
  ): Promise<string[]> => {
    const told: string[] = [];
    const onWait = (why: string): void => {
      told.push(why);
    };
    await waitReady(cluster, IMPORT, {
      clock: new QuickClock(onSleep),
      random: () => 0.5,
      timeoutMs: 600_000,
      onWait,
      scrub: (text) => text,
    });
    return told;
  };

  test('is ready once its management Cluster is', async () => {
    const cluster = connectedImport();
    const told = await waitFor(cluster, (now) => {
      const conditions = [
        { type: 'Connected', status: now > 60_000 ? 'True' : 'False' },
        ...(now > 90_000 ? [{ type: 'Ready', status: 'True' }] : []),
      ];
      cluster.objects.clear();
      cluster.seed({
        ...IMPORT,
        metadata: { namespace: 'fleet-default', name: 'dc1' },
        status: { clusterName: 'c-m-harvdc01', ready: true },
      });
      if (now > 30_000) {
        cluster.seed({ ...MANAGEMENT, status: { conditions } });
      }
    });
    expect(told).toEqual([
      'its management.cattle.io/v3 Cluster c-m-harvdc01 does not exist',
      'its agent has not connected yet',
      'Rancher has not checked its API yet (no condition Ready)',
    ]);
  });

  test('is not ready while its management Cluster must not be read', async () => {
    const cluster = connectedImport();
    cluster.fault = ({ what }) =>
      what === 'Cluster c-m-harvdc01'
        ? new ApiError('forbidden', 'cannot get clusters.management.cattle.io', 403)
        : undefined;
    await expect(waitFor(cluster, () => undefined)).rejects.toThrow(
      'cannot get clusters.management.cattle.io',
    );
  });
});

test.each([
  [{ sourceType: 'download', url: 'https://a/b.img' }, 'the nodes cannot reach its url'],
  [{ sourceType: 'upload' }, 'Longhorn does not run the pod that takes the file'],
])(
  'reports what usually causes a long wait for an image %o, and the limit',
  async (spec, cause) => {
    const cluster = newCluster();
    cluster.change(REF, (object) => {
      object.spec = spec;
      object.status = {
        conditions: [{ type: 'Imported', status: 'Unknown', reason: 'Importing' }],
      };
    });
    const told: unknown[] = [];
    await expect(
      waitReady(cluster, REF, {
        clock: new QuickClock(),
        random: () => 0.5,
        timeoutMs: 60_000,
        onWait: (why, notes) => {
          told.push([why, notes]);
        },
        scrub: (text) => text,
      }),
    ).rejects.toThrow(cause);
    expect(told).toEqual([
      [
        'is being imported; Imported is Unknown (Importing)',
        { hint: expect.stringContaining(cause), limitSeconds: 60 },
      ],
    ]);
  },
);

test('a kind without a known cause shows where to look', () => {
  expect(
    whereToLook({ apiVersion: 'a.example.com/v1', kind: 'Widget', name: 'w', namespace: 'x' }),
  ).toBe('Its conditions and events show more: kubectl describe widget.a.example.com w -n x');
});
