import { QuickClock, Trial } from './_running';
import { appOf } from '../../../src/engine/fields/apply-set';
import { readInventory } from '../../../src/engine/inventory/inventory';
import { SmallProgram } from '../graph/_assemblies';

const HARVESTER = 'harvesterhci.io/v1beta1';
const IMAGE = 'dc1/harvesterhci.io/VirtualMachineImage/default/noble';
const REF = {
  apiVersion: HARVESTER,
  kind: 'VirtualMachineImage',
  namespace: 'default',
  name: 'noble',
};

/** A program with an image that nothing downloads. */
function platform(): Trial {
  const program = new SmallProgram().target('dc1', 'harvester');
  program.object('dc1', HARVESTER, 'VirtualMachineImage', 'default/noble', {
    spec: { displayName: 'noble', sourceType: 'download', url: 'http://192.0.2.1/noble.img' },
  });
  program.configMap('a');
  return new Trial(program);
}

const lock = (trial: Trial): unknown =>
  trial.clusters.dc1.live(
    'coordination.k8s.io/v1',
    'Lease',
    'cdk8s-harvester-default',
    'kube-system',
  );

test('an apply that is interrupted while it waits releases the lock, and the next run continues', async () => {
  const trial = platform();
  const { dc1 } = trial.clusters;
  const ended = new AbortController();
  const clock = new QuickClock((now) => {
    if (now > 60_000) {
      ended.abort(new Error('interrupted'));
    }
  });
  const summary = await trial.apply({ wait: true, clock, signal: ended.signal });
  expect(summary).toMatchObject({ interrupted: true, failed: [], pending: [IMAGE] });
  expect(lock(trial)).toBeUndefined();
  const { uid } = dc1.live(HARVESTER, 'VirtualMachineImage', 'noble', 'default').metadata;
  const stored = await readInventory(dc1, appOf());
  expect(stored?.entries.find(({ id }) => id === IMAGE)?.uid).toBe(uid);
  expect(trial.events).toContainEqual({
    type: 'node',
    id: IMAGE,
    target: 'dc1',
    state: 'not-ready',
    message: 'is being imported',
    hint: expect.stringContaining('the nodes cannot reach its url'),
    limitSeconds: 3_600,
  });

  dc1.change(REF, (image) => {
    image.status = { conditions: [{ type: 'Imported', status: 'True' }] };
  });
  trial.forget();
  expect(await trial.apply({ wait: true })).toMatchObject({ failed: [], pending: [] });
  expect(dc1.live(HARVESTER, 'VirtualMachineImage', 'noble', 'default').metadata.uid).toBe(uid);
  expect(trial.states(IMAGE)).toEqual(['applying', 'unchanged', 'ready']);
});

test('a late value is reported with why it is not known, where to look, and the limit', async () => {
  const program = new SmallProgram().target('dc1', 'harvester');
  program.late('token', {
    resolver: 'secret-key',
    target: 'dc1',
    apiVersion: 'v1',
    kind: 'Secret',
    namespace: 'shop',
    name: 'bot',
    path: 'token',
  });
  program.object('dc1', 'v1', 'ConfigMap', 'default/b', { data: { token: '${late:token}' } });
  const trial = new Trial(program);
  await trial.apply({ timeoutMs: 30_000 });
  expect(trial.events).toContainEqual({
    type: 'node',
    id: 'late:token',
    target: 'dc1',
    state: 'waiting',
    message: 'the token: Secret shop/bot does not exist yet',
    hint: 'Its conditions and events show more: kubectl describe secret bot -n shop',
    limitSeconds: 30,
  });
});
