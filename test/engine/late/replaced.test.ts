import { gunzipSync } from 'zlib';
import { Manifest } from '../../../src/core/manifest/manifest';
import { AssemblyLateValue } from '../../../src/core/output/assembly';
import { buildGraph } from '../../../src/engine/graph/build-graph';
import { inventoryReader } from '../../../src/engine/inventory/inventory';
import { LateResolver } from '../../../src/engine/late/late-resolver';
import { originOf } from '../../../src/engine/late/origin';
import { PlanStep } from '../../../src/engine/plan/plan';
import { ApiError } from '../../../src/engine/transport/api';
import { SmallProgram } from '../graph/_assemblies';
import { makePlan } from '../plan/_planning';
import { APP, Trial, writes } from '../run/_running';

const TOKEN = {
  resolver: 'secret-key',
  target: 'dc1',
  apiVersion: 'v1',
  kind: 'Secret',
  namespace: 'shop-vms',
  name: 'bot-token',
  path: 'token',
} as const;
const COPY = 'rancher//ConfigMap/fleet-default/cloud-config';

/**
 * A token of a guest's account in the namespace of a tenant, which the program copies to Rancher.
 */
function program(): SmallProgram {
  const small = new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester');
  small.late('token', TOKEN, { sensitive: true, description: 'token of the account' });
  small.late('kubeconfig', { resolver: 'text', text: 'token: ${late:token}' } as never, {
    description: 'kubeconfig of the account',
  });
  small.object('rancher', 'v1', 'ConfigMap', 'fleet-default/cloud-config', {
    data: { kubeconfig: '${late:kubeconfig}' },
  });
  return small;
}

function write(trial: Trial, token: string): void {
  const secret: Manifest = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'bot-token', namespace: 'shop-vms' },
    data: { token: Buffer.from(token).toString('base64') },
  };
  trial.clusters.dc1.seed(secret, 'kubectl');
}

async function planOf({ program: made }: Trial): Promise<PlanStep> {
  const { steps } = await makePlan(
    { ...made, graph: buildGraph(made.assembly, made.manifests) },
    {
      fieldManager: APP.fieldManager,
      inventory: inventoryReader(APP),
      late: new LateResolver(made.assembly, made.targets),
    },
  );
  return steps.find(({ id }) => id === COPY)!;
}

async function applied(): Promise<Trial> {
  const trial = new Trial(program());
  write(trial, 'the-first-token');
  expect((await trial.apply()).failed).toEqual([]);
  trial.forget();
  return trial;
}

const SAYS =
  'late value "token of the account" changed since it was last read: key "token" of Secret shop-vms/bot-token on dc1, which every member of the project of shop-vms ' +
  'with permission to edit Secrets, such as project owners and vm-creators, can write';

describe('a token that a vm-creator replaced', () => {
  test('is reported by plan and apply, once, with where it comes from and who can write there', async () => {
    const trial = await applied();
    write(trial, 'the-token-of-mallory');
    expect(await planOf(trial)).toMatchObject({
      action: 'update',
      warnings: [expect.stringContaining(SAYS)],
    });
    expect((await trial.apply()).failed).toEqual([]);
    expect(trial.events).toContainEqual(
      expect.objectContaining({ type: 'warning', message: expect.stringContaining(SAYS) }),
    );
    expect(trial.told).not.toContain('mallory');
    trial.forget();
    await trial.apply();
    expect(trial.told).not.toContain('changed since');
    expect((await planOf(trial)).warnings).toBeUndefined();
  });

  test('is not in the inventory, and its digest cannot be checked without the key', async () => {
    const [first, second] = [await applied(), await applied()];
    const [one, other] = [first, second].map(({ clusters: { dc1 } }) => {
      const { binaryData } = dc1.live('v1', 'ConfigMap', 'cdk8s-harvester-default', 'kube-system');
      return JSON.parse(gunzipSync(Buffer.from(binaryData.inventory, 'base64')).toString('utf8'))
        .late;
    });
    expect(Object.keys(one)).toEqual(['token']);
    expect(one.token).toMatch(/^[0-9a-f]{64}$/);
    expect(one).not.toEqual(other);
  });
});

test('an identity without permission for the key of the digests can apply, with a warning', async () => {
  const trial = new Trial(program());
  write(trial, 'the-first-token');
  trial.clusters.dc1.fault = ({ verb, what }) =>
    verb !== 'list' && what === 'Secret kube-system/cdk8s-harvester-default'
      ? new ApiError('forbidden', 'secrets is forbidden', 403)
      : undefined;
  expect((await trial.apply()).failed).toEqual([]);
  expect(trial.told).toContain('cannot report late values that someone replaces');
});

test('a token that is the same is not reported, and the second apply writes nothing', async () => {
  const trial = await applied();
  expect((await planOf(trial)).warnings).toBeUndefined();
  await trial.apply();
  expect(trial.told).not.toContain('changed since');
  for (const cluster of Object.values(trial.clusters)) {
    expect(writes(cluster)).toEqual([]);
    expect(
      cluster.did('apply').filter((what) => what.startsWith('ConfigMap kube-system/')),
    ).toEqual([]);
  }
});

test.each<[source: object, says: string | undefined]>([
  [
    { ...TOKEN, kind: 'ConfigMap', resolver: 'field', path: 'data.ca' },
    'such as project owners, can write',
  ],
  [{ ...TOKEN, namespace: 'harvester-system' }, 'which only administrators can write'],
  [
    { ...TOKEN, target: 'shop', namespace: 'kube-system' },
    'which every administrator of the guest cluster can write',
  ],
  [
    { ...TOKEN, target: 'rancher', namespace: 'c-m-a' },
    'which administrators, and owners of its cluster, can write',
  ],
  [{ resolver: 'text', text: 'a' }, undefined],
])('names who can write a source', (source, says) => {
  const targets = [
    { name: 'rancher', kind: 'rancher' },
    { name: 'dc1', kind: 'harvester' },
    { name: 'shop', kind: 'guest' },
  ] as const;
  const origin = originOf(
    { id: 'a', description: 'a', source } as unknown as AssemblyLateValue,
    targets,
  );
  if (says === undefined) {
    expect(origin).toBeUndefined();
  } else {
    expect(origin).toContain(says);
  }
});
