import { MANAGER, configMap, planOf } from './_planning';
import { Manifest } from '../../../src/core/manifest/manifest';
import { rewriteOf } from '../../../src/engine/fields/managed-fields';
import { MachineLoss, Plan } from '../../../src/engine/plan/plan';
import { verifyPlan } from '../../../src/engine/plan/plan-file';
import { FakeCluster } from '../../support/fake-cluster';

const declared = [
  { manifest: configMap('a', { x: '2' }) },
  { manifest: configMap('b', { y: '1' }) },
];

function cluster(): FakeCluster {
  const fake = new FakeCluster();
  fake.seed(configMap('a', { x: '1' }), MANAGER, 'Apply');
  return fake;
}

async function after(
  edit: (fake: FakeCluster) => void,
  objects: readonly { readonly manifest: Manifest }[] = declared,
): Promise<readonly string[]> {
  const fake = cluster();
  const saved = JSON.parse(JSON.stringify(await planOf(fake, objects))) as Plan;
  edit(fake);
  return verifyPlan(saved, await planOf(fake, objects)).map(
    ({ id, message }) => `${id ?? ''} ${message}`,
  );
}

test('nothing changed', async () => {
  expect(await after(() => {})).toEqual([]);
});

test('ignores what only others write', async () => {
  expect(
    await after((fake) =>
      fake.change(configMap('a'), (live) => {
        live.status = { phase: 'Ready' };
      }),
    ),
  ).toEqual([]);
});

test('the object was edited', async () => {
  expect(
    await after((fake) =>
      fake.change(configMap('a'), (live) => {
        live.data.x = '7';
      }),
    ),
  ).toEqual(['rancher//ConfigMap/default/a was edited after the plan was made: data.x']);
});

test('the object is gone', async () => {
  expect(await after((fake) => fake.objects.delete('/ConfigMap/default/a'))).toEqual([
    'rancher//ConfigMap/default/a the object was deleted after the plan was made',
  ]);
});

test('another object has the name', async () => {
  expect(
    await after((fake) =>
      fake.change(configMap('a'), (live) => {
        live.metadata.uid = 'other';
      }),
    ),
  ).toEqual(['rancher//ConfigMap/default/a the object was recreated after the plan was made']);
});

test('refuses an object that was created since', async () => {
  expect(
    await after((fake) => {
      fake.seed(configMap('b', { y: '9' }), 'kubectl');
    }),
  ).toEqual([
    'rancher//ConfigMap/default/b an object with that name was created after the plan was made',
  ]);
});

test('a Secret was written, which shows no value', async () => {
  const secret = (value: string): Manifest => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', namespace: 'default' },
    data: { key: value },
  });
  const fake = new FakeCluster();
  fake.seed(secret('b25l'), MANAGER, 'Apply');
  const saved = await planOf(fake, [{ manifest: secret('dHdv') }]);
  fake.change(secret(''), (live) => {
    live.data.key = 'b3RoZXI=';
  });
  expect(verifyPlan(saved, await planOf(fake, [{ manifest: secret('dHdv') }]))).toMatchObject([
    {
      message: expect.stringContaining('was written after the plan was made, and contains secrets'),
    },
  ]);
});

test('continues after an apply that was ended: completed steps are not a mismatch', async () => {
  expect(
    await after((fake) => {
      fake.seed(configMap('a', { x: '2' }), MANAGER, 'Apply');
      fake.seed(configMap('b', { y: '1' }), MANAGER, 'Apply');
    }),
  ).toEqual([]);
});

test('other manifests, and another cluster, make another plan', async () => {
  const plan = await planOf(cluster(), declared);
  expect(verifyPlan(plan, { ...plan, assembly: 'b2' })).toMatchObject([
    { message: expect.stringContaining('make a new plan') },
  ]);
  const of = (clusterUid: string): Plan => ({
    ...plan,
    targets: [{ ...plan.targets[0], clusterUid }],
  });
  expect(verifyPlan(of('one'), of('two'))).toMatchObject([
    {
      target: 'rancher',
      message: expect.stringContaining('is not the cluster that the plan was made for'),
    },
  ]);
});

test('accepts a late value that is known since', async () => {
  const base = await planOf(new FakeCluster(), [declared[1]]);
  const [step] = base.steps;
  const saved: Plan = { ...base, steps: [{ ...step, waitsFor: ['id'], digest: 'open' }] };
  expect(verifyPlan(saved, base)).toEqual([]);
});

test('a pool that rolls unannounced is a mismatch', async () => {
  const plan = await planOf(cluster(), declared);
  const rolls: MachineLoss[] = [
    {
      target: 'rancher',
      cluster: 'fleet-default/shop',
      pool: 'all',
      effect: 'replace',
      machines: 3,
      what: 'its machines are replaced',
      causes: [],
    },
  ];
  expect(verifyPlan(plan, { ...plan, rolls })).toMatchObject([
    {
      message:
        'the plan does not contain: pool all of fleet-default/shop on rancher: 3 machines replaced: its machines are replaced',
    },
  ]);
});

describe('an adoption', () => {
  const taking = { takeFieldsFrom: ['kubectl', 'helm'] };

  async function between(edit: (fake: FakeCluster) => unknown): Promise<readonly string[]> {
    const fake = new FakeCluster();
    fake.seed(configMap('a', { x: '1', gone: '1' }), 'kubectl');
    const saved = JSON.parse(JSON.stringify(await planOf(fake, declared, taking))) as Plan;
    expect(saved).toMatchObject({
      takeFieldsFrom: ['kubectl', 'helm'],
      steps: [{ takesOver: ['kubectl'] }, {}],
    });
    await edit(fake);
    return verifyPlan(saved, await planOf(fake, declared, taking)).map(({ message }) => message);
  }

  test('is as planned, also where half of it was done before', async () => {
    expect(await between(() => {})).toEqual([]);
    // the managers are rewritten, and the apply that follows was not made
    expect(
      await between((fake) => {
        const live = fake.live('v1', 'ConfigMap', 'a', 'default');
        return fake.patch(
          { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', namespace: 'default' },
          rewriteOf(live, live, { fieldManager: MANAGER, takeFieldsFrom: ['kubectl'] })!.patch,
          {},
        );
      }),
    ).toEqual([]);
  });

  test('is another one where it would be from another manager, too', async () => {
    expect(
      await between((fake) => {
        fake.seed(configMap('a', { y: '1' }), 'helm');
      }),
    ).toEqual(['has other field managers now, which the plan does not name: helm']);
  });
});
