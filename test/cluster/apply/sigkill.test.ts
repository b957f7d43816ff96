import { gunzipSync } from 'node:zlib';
import { APPLY_SET, appOf, applySetId } from '../../../src/engine/fields/apply-set';
import { readAssembly } from '../../../src/engine/read/load-assembly';
import { tempFolder } from '../../support/temp';
import { ClusterKind, describeCluster } from '../clusters';
import { Live } from '../doubles/live';
import { Platform } from '../doubles/platform';
import { writeProgram } from '../doubles/program';

/**
 * How many kills: requests at even distances of a whole apply, as the time allows, each at one
 * moment. With SIGKILL_ALL=1 it is each of them at both moments, which takes about 20 minutes.
 */
const ALL = Boolean(process.env.SIGKILL_ALL);
const BUDGET_MS = ALL ? 3_600_000 : 60_000;

/** How many at least, however slow the machine is. */
const LEAST_KILLS = 6;

/**
 * Where on the way of a request the process dies: before the server knows of it, or after it did
 * what it was asked to.
 */
const MOMENTS = ['before', 'after'] as const;

const KINDS: readonly ClusterKind[] = ['rancher', 'harvester', 'guest'];
const TARGETS: { readonly [target: string]: ClusterKind } = {
  rancher: 'rancher',
  dc1: 'harvester',
};

describeCluster('SIGKILL on the way of an apply', () => {
  const folder = tempFolder();
  let platform: Platform;

  beforeAll(async () => {
    platform = await Platform.start();
  });
  afterAll(async () => {
    await platform?.stop();
  });

  /** Whose turn it is: the doubles leave the others alone. */
  function turn(name: string): string {
    const of = new RegExp(`(^|-)${name}(-|$)`);
    const ids = new Set<string>();
    const dist = writeProgram(folder, { name, extras: false });
    for (const { kind, namespace } of readAssembly(dist).objects) {
      if (kind === 'ClusterRegistrationToken') {
        ids.add(namespace!);
      }
    }
    const own = ({ kind, metadata }: Live): boolean =>
      kind === 'Setting' ||
      of.test(metadata.name) ||
      of.test(metadata.namespace ?? '') ||
      ids.has(metadata.namespace ?? '');
    for (const double of platform.doubles) {
      double.only = own;
    }
    return dist;
  }

  /** Resets the Settings, which always exist, as if they had never been written. */
  async function freshSettings(): Promise<void> {
    for (const name of ['cluster-registration-url', 'ntp-servers']) {
      const answer = await platform.clients.harvester.request(
        'PATCH',
        `/apis/harvesterhci.io/v1beta1/settings/${name}`,
        {
          contentType: 'application/merge-patch+json',
          body: { value: null, metadata: { managedFields: [{}] } },
        },
      );
      expect(answer.status).toBe(200);
    }
  }

  /** The uids of all objects of an app, by cluster and name; each only once. */
  async function members(app: string, dist: string): Promise<Map<string, string>> {
    const selector = `${APPLY_SET.PART_OF}=${applySetId(appOf(app))}`;
    const found = new Map<string, string>();
    const kinds = new Map(
      readAssembly(dist).objects.map(({ target, apiVersion, kind }) => [
        `${target} ${apiVersion} ${kind}`,
        { target, apiVersion, kind },
      ]),
    );
    for (const { target, apiVersion, kind } of kinds.values()) {
      const cluster = TARGETS[target] ?? 'guest';
      const client = platform.clients[cluster];
      const sample = await client.pathOf({
        apiVersion,
        kind,
        metadata: { name: 'x', namespace: 'y' },
      });
      const all = sample.replace(/\/namespaces\/y/, '').replace(/\/x$/, '');
      const { body } = await client.request('GET', all, { query: { labelSelector: selector } });
      for (const { metadata } of body.items as Live[]) {
        found.set(
          `${target} ${kind} ${metadata.namespace ?? ''}/${metadata.name}`,
          String(metadata.uid),
        );
      }
    }
    return found;
  }

  async function inventories(app: string): Promise<string[]> {
    const { namespace, name } = appOf(app).parent;
    const ids = await Promise.all(
      KINDS.map(async (kind) => {
        const { status, body } = await platform.clients[kind].get(
          `/api/v1/namespaces/${namespace}/configmaps/${name}`,
        );
        if (status !== 200) {
          return [];
        }
        const { entries } = JSON.parse(
          gunzipSync(Buffer.from(body.binaryData.inventory as string, 'base64')).toString('utf8'),
        ) as { entries: { id: string; uid?: string }[] };
        return entries.map(({ id }) => id);
      }),
    );
    return ids.flat().sort();
  }

  async function wholeApply(app: string, dist: string): Promise<void> {
    const { stdout, stderr, exitCode } = await platform.cli(
      'apply',
      dist,
      '--app',
      app,
      '--timeout',
      '600',
    );
    expect([exitCode, exitCode === 0 ? '' : stdout + stderr]).toEqual([0, '']);
  }

  test(
    'loses and duplicates nothing when it is killed at any request and run again',
    async () => {
      // a run without a kill, to count the requests
      const first = turn('kill-0');
      platform.calm();
      await wholeApply('kill-0', first);
      const total = platform.proxies.reduce((sum, { requests }) => sum + requests.length, 0);
      const whole = await members('kill-0', first);
      expect(whole.size).toBeGreaterThan(10);

      const deadline = Date.now() + BUDGET_MS;
      const tried: string[] = [];
      for (const [at, moment] of spread(total).flatMap((n) =>
        (ALL ? MOMENTS : [MOMENTS[n % 2]]).map((each) => [n, each] as const),
      )) {
        if (Date.now() > deadline && tried.length >= LEAST_KILLS) {
          break;
        }
        await freshSettings();
        const app = `kill-${at}${moment[0]}`;
        const dist = turn(app);
        await killedAt(app, dist, at, moment);
        const before = await members(app, dist);

        await wholeApply(app, dist);
        const after = await members(app, dist);
        tried.push(`${at} ${moment}`);
        // all that a run without a kill makes, once
        expect([
          app,
          [...after.keys()]
            .map((key) => key.replaceAll(app, 'kill-0').replace(/c-m-\w{8}\b/g, 'id'))
            .sort(),
        ]).toEqual([app, [...whole.keys()].map((key) => key.replace(/c-m-\w{8}\b/g, 'id')).sort()]);
        // existing objects were neither recreated nor forgotten
        for (const [key, uid] of before) {
          expect([app, key, after.get(key)]).toEqual([app, key, uid]);
        }
        expect([app, await inventories(app)]).toEqual([
          app,
          readAssembly(dist)
            .objects.map(({ id }) => id)
            .sort(),
        ]);
        expect(
          (
            await platform.clients.rancher.get(
              `/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/cdk8s-harvester-${app}`,
            )
          ).status,
        ).toBe(404);
        expect([app, platform.problems]).toEqual([app, []]);
      }
      console.log(`killed at ${tried.length} of ${total} requests: ${tried.join(', ')}`);
      expect(tried.length).toBeGreaterThanOrEqual(LEAST_KILLS);
    },
    BUDGET_MS + 600_000,
  );

  /** Runs an apply until its n-th request, over all clusters, and ends it there. */
  async function killedAt(
    app: string,
    dist: string,
    n: number,
    moment: (typeof MOMENTS)[number],
  ): Promise<void> {
    platform.calm();
    let count = 0;
    let killed = false;
    const cli = platform.spawn('apply', dist, '--app', app, '--timeout', '600');
    for (const proxy of platform.proxies) {
      proxy.fault = () => {
        // what was sent at the same time dies with the process, too
        if (killed) {
          return { kind: 'cut-before' };
        }
        if (++count !== n) {
          return undefined;
        }
        killed = true;
        cli.kill('SIGKILL');
        return { kind: moment === 'before' ? 'cut-before' : 'cut-after' };
      };
    }
    const { exitCode } = await cli.ended;
    platform.calm();
    // a run that needed fewer requests than the first one ended by itself
    expect(killed ? exitCode : undefined).toBeUndefined();
  }
});

/**
 * 1 to n in an order in which each beginning is spread over all: what time cuts off leaves no part
 * out.
 */
function spread(n: number): number[] {
  // a step near the golden section that has no divisor in common with n
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
  let step = Math.max(1, Math.round(n * 0.618));
  while (divisor(step, n) !== 1) {
    step++;
  }
  return Array.from({ length: n }, (_, index) => ((index * step) % n) + 1);
}
