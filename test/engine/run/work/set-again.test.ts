import { Manifest } from '../../../../src/core/manifest/manifest';
import { refOf } from '../../../../src/engine/cluster/cluster';
import { ownedBy } from '../../../../src/engine/fields/managed-fields';
import { setAgain } from '../../../../src/engine/run/work/set-again';
import { FakeCluster } from '../../../support/fake-cluster';
import { QuickClock } from '../_running';

const MANAGER = 'cdk8s-harvester-app';

const provider = (type: string, enabled = true): Manifest => ({
  apiVersion: 'management.cattle.io/v3',
  kind: 'AuthConfig',
  metadata: { name: type.replace('Config', '') },
  type,
  enabled,
});

/** What Rancher 2.15.0 makes of an enabled provider: seen in test/live. */
function migrate(cluster: FakeCluster, manifest: Manifest, ...types: string[]): void {
  cluster.change(manifest, (live) => {
    delete live.metadata.managedFields;
    live.status = { conditions: types.map((type) => ({ type, status: 'True' })) };
  });
}

/** How long it waits, with what a controller does after half a second. */
async function waited(
  cluster: FakeCluster,
  manifest: Manifest,
  controller: () => void = () => undefined,
): Promise<number> {
  let passed = 0;
  const clock = new QuickClock((now) => {
    passed = now;
    if (now > 500) {
      controller();
    }
  });
  await setAgain(manifest, cluster, {
    pacing: { clock, random: () => 0.5 },
    kill: new AbortController().signal,
    fields: { fieldManager: MANAGER },
  });
  return passed;
}

test.each([
  ['okta', ['OktaPasswordMigrated']],
  ['shibboleth', ['SecretsMigrated', 'ShibbolethSecretFixed']],
])('sets the fields of %s again that Rancher no longer records', async (name, conditions) => {
  const cluster = new FakeCluster();
  const manifest = provider(`${name}Config`);
  cluster.seed(manifest, MANAGER, 'Apply');
  const passed = await waited(cluster, manifest, () => migrate(cluster, manifest, ...conditions));
  expect(passed).toBeLessThan(5_000);
  expect(ownedBy((await cluster.read(refOf(manifest)))!, MANAGER)?.fields.has('enabled')).toBe(
    true,
  );
});

test.each([
  ['another provider', provider('pingConfig')],
  ['one that is not enabled', provider('oktaConfig', false)],
])('leaves %s alone', async (_, manifest) => {
  const cluster = new FakeCluster();
  cluster.seed(manifest, MANAGER, 'Apply');
  expect(await waited(cluster, manifest)).toBe(0);
  expect(cluster.calls).toEqual([]);
});

test('ends where Rancher does not write, such as before 2.9', async () => {
  const cluster = new FakeCluster();
  const manifest = provider('oktaConfig');
  cluster.seed(manifest, MANAGER, 'Apply');
  expect(await waited(cluster, manifest)).toBeLessThan(15_000);
  expect(cluster.did('apply')).toEqual([]);
});
