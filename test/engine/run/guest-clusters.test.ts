import { APP, QuickClock, Trial, fake } from './_running';
import { BoundTarget } from '../../../src/engine/cluster/cluster';
import { readInventory } from '../../../src/engine/inventory/inventory';
import { applyProgram } from '../../../src/engine/run/apply-program';
import { destroyProgram } from '../../../src/engine/run/destroy-program';
import { ApiError } from '../../../src/engine/transport/api';
import { rollsByImpact } from '../../../src/report/impact/cluster-impacts';
import { SmallProgram } from '../graph/_assemblies';

const PROVISIONING = 'provisioning.cattle.io/v1';
const SHOP = {
  apiVersion: PROVISIONING,
  kind: 'Cluster',
  namespace: 'fleet-default',
  name: 'shop',
};
const WEB = 'guest-shop//ConfigMap/default/web';

function newTrial() {
  const program = new SmallProgram().target('rancher', 'rancher').target('guest-shop', 'guest', {
    provisioningCluster: 'fleet-default/shop',
    rancher: 'rancher',
  });
  program.object('rancher', PROVISIONING, 'Cluster', 'fleet-default/shop', {
    spec: { rkeConfig: {} },
  });
  program.configMap('web', 'guest-shop');
  const trial = new Trial(program);
  const guest = fake('uid-of-shop');
  let isUp = false;
  const bound: BoundTarget = {
    ...trial.program.targets.get('guest-shop')!,
    cluster: async () => {
      if (!isUp) {
        throw new ApiError(
          'blocked',
          'Cluster fleet-default/shop on rancher has no kubeconfig yet',
        );
      }
      return guest;
    },
  };
  const run = () => ({
    ...trial.program,
    targets: new Map([...trial.program.targets, ['guest-shop', bound]]),
  });
  return {
    trial,
    guest,
    run,
    up: () => {
      isUp = true;
    },
    down: () => {
      isUp = false;
    },
  };
}

test('a guest that is yet to be made is waited for, and gets its own inventory', async () => {
  const { trial, guest, run, up } = newTrial();
  const events: string[] = [];
  const { failed, done } = await applyProgram(run(), {
    rolls: rollsByImpact,
    app: APP,
    clock: new QuickClock((now) => {
      if (now > 600_000) {
        trial.clusters.rancher.change(SHOP, (object) => {
          object.status = {
            ready: true,
            conditions: ['Provisioned', 'Updated'].map((type) => ({ type, status: 'True' })),
          };
        });
        up();
      }
    }),
    onEvent: (event) => {
      events.push(JSON.stringify(event));
    },
  });
  expect(failed).toEqual([]);
  expect(done).toContain(WEB);
  expect(events.join('\n')).toContain(
    'the cluster does not exist yet: rancher has no Cluster fleet-default/shop',
  );
  expect((await readInventory(guest, APP))?.entries.map(({ id }) => id)).toEqual([WEB]);
  expect(guest.has('v1', 'ConfigMap', 'web', 'default')).toBe(true);
});

test('a guest that is gone keeps nothing of a destroy back', async () => {
  const { trial, run, up, down } = newTrial();
  up();
  trial.clusters.rancher.reactions.push((object) => {
    if (object.kind === 'Cluster') {
      Object.assign(object, {
        status: {
          ready: true,
          conditions: ['Provisioned', 'Updated'].map((type) => ({ type, status: 'True' })),
        },
      });
    }
  });
  expect(
    (await applyProgram(run(), { rolls: rollsByImpact, app: APP, clock: new QuickClock() })).failed,
  ).toEqual([]);
  down();
  const { failed, skipped } = await destroyProgram(run(), { app: APP, clock: new QuickClock() });
  expect({ failed, skipped }).toEqual({ failed: [], skipped: [] });
  expect(
    trial.clusters.rancher.live(PROVISIONING, 'Cluster', 'shop', 'fleet-default'),
  ).toBeUndefined();
});
