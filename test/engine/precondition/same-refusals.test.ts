import { Manifest } from '../../../src/core/manifest/manifest';
import { Precondition } from '../../../src/engine/precondition/precondition';
import { FakeCluster } from '../../support/fake-cluster';
import { SmallProgram } from '../graph/_assemblies';
import { Trial } from '../run/_running';

const PROVISIONING = 'provisioning.cattle.io/v1';
const MANAGED = 'provisioning.cattle.io/management-cluster-name';

/** A precondition of a step. */
interface Row {
  /** The program that was applied before. */
  readonly before?: SmallProgram;
  readonly now: SmallProgram;
  /** The ID of the object of the step. */
  readonly step: string;
  /** What exists besides what was applied. */
  readonly exists?: (clusters: { readonly [target: string]: FakeCluster }) => void;
  /** What someone else does then. */
  readonly happens: (clusters: { readonly [target: string]: FakeCluster }) => void;
  readonly says: string;
  /** What must not be written, or deleted. */
  readonly harm: string;
}

/** A program with one object more than those that matter. */
function program(
  ...objects: readonly (readonly [target: string, manifest: Manifest, construct?: string])[]
): SmallProgram {
  const small = new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester');
  small.object('rancher', 'v1', 'ConfigMap', 'default/stays');
  for (const [
    target,
    {
      apiVersion,
      kind,
      metadata: { name, namespace, ...metadata },
      ...content
    },
    construct,
  ] of objects) {
    const id = small.object(
      target,
      apiVersion,
      kind,
      namespace === undefined ? name : `${namespace}/${name}`,
      { metadata, ...content },
    );
    const index = small.objects.findIndex((object) => object.id === id);
    if (construct !== undefined) {
      small.objects[index] = { ...small.objects[index], construct };
    }
  }
  return small;
}

const cluster = (name: string, managed?: string, spec: object = {}): Manifest => ({
  apiVersion: PROVISIONING,
  kind: 'Cluster',
  metadata: {
    name,
    namespace: 'fleet-default',
    ...(managed === undefined ? {} : { annotations: { [MANAGED]: managed } }),
  },
  spec,
});
const vm = (name: string): Manifest => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name, namespace: 'default' },
  spec: {},
});
const service = (name: string): Manifest => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'shop' },
  spec: { type: 'NodePort', ports: [{ port: 80, nodePort: 30080 }] },
});
const map = (name: string): Manifest => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
});
const secret: Manifest = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'account', namespace: 'default' },
};
const credential: Manifest = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'cc-dc1', namespace: 'cattle-global-data' },
};
const registration = (id: string): Manifest => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'Setting',
  metadata: { name: 'cluster-registration-url' },
  value: `{"url":"https://rancher.example.com/v3/import/abc_${id}.yaml"}`,
});

function recreate(on: FakeCluster, manifest: Manifest): void {
  on.objects.delete(
    [...on.objects].find(
      ([
        ,
        {
          kind,
          metadata: { name },
        },
      ]) => kind === manifest.kind && name === manifest.metadata.name,
    )![0],
  );
  on.seed(manifest);
}

/** A Cluster as Rancher has it. */
function live(on: FakeCluster, name: string, managed: string, spec: object = {}): void {
  on.seed(cluster(name, undefined, spec), 'rancher');
  on.change(cluster(name), (object) => {
    object.status = { clusterName: managed };
  });
}

// an object that only a controller creates is adopted first: made-by-controller.test.ts
const ROWS: { readonly [id in Exclude<Precondition['id'], 'made-by-controller'>]: Row } = {
  'recreated': {
    before: program(['rancher', cluster('dc1')]),
    now: program(
      ['rancher', cluster('dc1', undefined, { localClusterAuthEndpoint: {} })],
      ['rancher', map('more')],
    ),
    step: 'rancher/provisioning.cattle.io/Cluster/fleet-default/dc1',
    happens: ({ rancher }) => {
      recreate(rancher, cluster('dc1'));
    },
    says: 'was recreated (its UID changed',
    harm: 'apply Cluster fleet-default/dc1',
  },
  'shared-id': {
    now: program(['rancher', cluster('dc1', 'c-m-dc1')]),
    step: 'rancher/provisioning.cattle.io/Cluster/fleet-default/dc1',
    happens: ({ rancher }) => {
      live(rancher, 'c-abcde', 'c-m-dc1');
      rancher.seed(
        {
          apiVersion: 'management.cattle.io/v3',
          kind: 'Cluster',
          metadata: { name: 'c-m-dc1' },
          spec: {},
        },
        'rancher',
      );
    },
    says: 'management cluster ID c-m-dc1 already belongs to Cluster fleet-default/c-abcde',
    harm: 'apply Cluster fleet-default/dc1',
  },
  'renamed': {
    before: program(['dc1', vm('one'), 'dc1/vm'], ['dc1', map('stays')]),
    now: program(['dc1', vm('other'), 'dc1/vm'], ['dc1', map('stays')]),
    step: 'dc1/kubevirt.io/VirtualMachine/default/other',
    exists: ({ dc1 }) => {
      recreate(dc1, vm('one'));
      dc1.objects.delete([...dc1.objects.keys()].at(-1)!);
    },
    happens: ({ dc1 }) => {
      dc1.seed(vm('one'));
    },
    says: 'is another object than VirtualMachine default/one, which the same construct (dc1/vm) wrote before',
    harm: 'apply VirtualMachine default/other',
  },
  'former-import': {
    now: program(['rancher', cluster('dc1', 'c-m-new')], ['dc1', registration('c-m-new')]),
    step: 'rancher/provisioning.cattle.io/Cluster/fleet-default/dc1',
    exists: ({ dc1 }) => {
      dc1.seed({ ...registration(''), value: '' }, 'harvester');
    },
    happens: ({ rancher, dc1 }) => {
      live(rancher, 'former', 'c-m-former');
      dc1.change(registration(''), (object) => {
        object.value = registration('c-m-former').value;
      });
    },
    says: 'would be another cluster than Cluster fleet-default/former, whose management cluster c-m-former is named by Setting cluster-registration-url on dc1',
    harm: 'apply Cluster fleet-default/dc1',
  },
  'in-the-way': {
    before: program(['dc1', service('old')]),
    now: program(['dc1', service('new')]),
    step: 'dc1//Service/shop/new',
    happens: ({ dc1 }) => {
      dc1.change(service('old'), (object) => {
        object.metadata.annotations = { 'client.lifecycle.config.k8s.io/deletion': 'detach' };
      });
    },
    says: 'which is no longer declared but kept: is kept by its annotation client.lifecycle.config.k8s.io/deletion',
    harm: 'apply Service shop/new',
  },
  'taken-over': {
    now: program(['dc1', secret]),
    step: 'dc1//Secret/default/account',
    happens: ({ dc1 }) => {
      dc1.seed(secret);
    },
    says: 'already exists, and is not in the inventory of this app (written by kubectl)',
    harm: 'apply Secret default/account',
  },
  'named-secrets': {
    now: program([
      'rancher',
      cluster('shop', undefined, {
        cloudCredentialSecretName: 'cattle-global-data:cc-dc1',
        rkeConfig: {},
      }),
    ]),
    step: 'rancher/provisioning.cattle.io/Cluster/fleet-default/shop',
    happens: ({ rancher }) => {
      rancher.seed(credential);
    },
    says: 'Secret cattle-global-data/cc-dc1, which spec.cloudCredentialSecretName names, is of someone else: written by kubectl',
    harm: 'apply Cluster fleet-default/shop',
  },
  'not-ours': {
    before: program(['dc1', map('old')]),
    now: program(['dc1', map('more')]),
    step: 'dc1//ConfigMap/default/old',
    happens: ({ dc1 }) => {
      recreate(dc1, map('old'));
    },
    says: 'was recreated (its UID changed) and is not managed by this program',
    harm: 'delete ConfigMap default/old',
  },
  'loss': {
    before: program(['rancher', cluster('shop')]),
    now: program(['dc1', map('more')]),
    step: 'rancher/provisioning.cattle.io/Cluster/fleet-default/shop',
    happens: ({ rancher }) => {
      rancher.change(cluster('shop'), (object) => {
        object.spec = { rkeConfig: {} };
      });
    },
    says: 'its machines and their disks would be lost with it. Fix: to delete it, set --prune-machines',
    harm: 'delete Cluster fleet-default/shop',
  },
  'in-use': {
    before: program(['rancher', credential]),
    now: program(['dc1', map('more')]),
    step: 'rancher//Secret/cattle-global-data/cc-dc1',
    happens: ({ rancher }) => {
      live(rancher, 'shop', 'c-m-shop', { cloudCredentialSecretName: 'cattle-global-data:cc-dc1' });
    },
    says: 'Cluster fleet-default/shop uses it: without it, Rancher can neither create nor delete the machines',
    harm: 'delete Secret cattle-global-data/cc-dc1',
  },
};

async function made({ before, now, exists }: Row): Promise<Trial> {
  const trial = new Trial(before ?? now);
  if (before) {
    expect((await trial.apply()).failed).toEqual([]);
  }
  trial.declared = now;
  exists?.(trial.clusters);
  trial.forget();
  return trial;
}

/** All that an apply reports, and what it did. */
async function applied(
  trial: Trial,
  plan?: Awaited<ReturnType<Trial['plan']>>,
): Promise<{ readonly says: string; readonly did: readonly string[] }> {
  const summary = await trial.apply({ plan, timeoutMs: 5_000 }).then(
    ({ failed }) => failed.map(({ message }) => message).join('\n'),
    (error: Error) => error.message,
  );
  const did = Object.values(trial.clusters).flatMap(({ calls }) =>
    calls
      .filter(({ verb }) => verb === 'apply' || verb === 'delete')
      .map(({ verb, what }) => `${verb} ${what}`),
  );
  return {
    says:
      summary + trial.events.map((event) => ('message' in event ? event.message : '')).join('\n'),
    did,
  };
}

/** As from a file. */
const saved = async (trial: Trial) =>
  JSON.parse(JSON.stringify(await trial.plan())) as Awaited<ReturnType<Trial['plan']>>;

describe.each(Object.entries(ROWS))('%s', (id, row) => {
  test.each([
    ['', false],
    [' of the plan', true],
  ])('a plan, and an apply%s, refuse the step in the same words', async (_, isSaved) => {
    const trial = await made(row);
    row.happens(trial.clusters);
    const plan = await saved(trial);
    const step = plan.steps.find((each) => each.id === row.step)!;
    expect([step.refused, step.reason].join(' ')).toContain(row.says);
    trial.forget();
    const { says, did } = await applied(trial, isSaved ? plan : undefined);
    expect(says).toContain(row.says);
    expect(did).not.toContain(row.harm);
  });

  test.each([
    ['made at its beginning', false],
    ['saved before', true],
  ])('is judged again where the step of a plan is executed that was %s', async (_, isSaved) => {
    const trial = await made(row);
    const plan = await saved(trial);
    const { preconditions } = plan.steps.find((each) => each.id === row.step)!;
    expect(preconditions).toContainEqual(expect.objectContaining({ id }));
    expect(preconditions).not.toContainEqual(
      expect.objectContaining({ problem: expect.anything() }),
    );
    let isDone = false;
    for (const on of Object.values(trial.clusters)) {
      on.before = async ({ verb, what }) => {
        if (isDone || verb !== 'apply' || what.startsWith('Lease')) {
          return;
        }
        // the plan is made; nothing but the lock is written
        isDone = true;
        row.happens(trial.clusters);
      };
    }
    trial.forget();
    const { says, did } = await applied(trial, isSaved ? plan : undefined);
    expect(isDone).toBe(true);
    expect(says).toContain(row.says);
    expect(did).not.toContain(row.harm);
  });

  test('does not stop the step while it holds', async () => {
    const trial = await made(row);
    const { says, did } = await applied(trial);
    expect(says).not.toContain(row.says);
    expect(did).toContain(row.harm);
  });
});

const changed: Row = {
  ...ROWS['taken-over'],
  before: program(['dc1', secret]),
  now: program(['dc1', { ...secret, type: 'Opaque' }]),
};

test.each<[string, Row]>([
  ['a recreated Cluster', ROWS.recreated],
  ['a Secret', changed],
])('%s that someone makes while its step is executed is not written', async (_, row) => {
  const trial = await made(row);
  let writes = 0;
  for (const on of Object.values(trial.clusters)) {
    on.before = async ({ verb, what }) => {
      // it was read, and judged
      if (`${verb} ${what}` === row.harm && writes++ === 0) {
        recreate(on, row === ROWS.recreated ? cluster('dc1') : secret);
      }
    };
  }
  const { says } = await applied(trial);
  expect(writes).toBe(1);
  expect(says).toContain(row.says);
  expect(
    Object.values(trial.clusters)
      .flatMap(({ objects }) => [...objects.values()])
      .some(
        ({ kind, metadata: { managedFields } }) =>
          ['Cluster', 'Secret'].includes(kind) &&
          managedFields.some(({ manager }: { manager: string }) => manager === 'cdk8s-harvester'),
      ),
  ).toBe(false);
});
