import { AssemblyRemoval } from '../../../src/core/output/assembly';
import { buildGraph } from '../../../src/engine/graph/build-graph';
import { inventoryReader } from '../../../src/engine/inventory/inventory';
import { SmallProgram } from '../graph/_assemblies';
import { makePlan } from '../plan/_planning';
import { APP, Trial, writes } from '../run/_running';

const CLUSTER = 'provisioning.cattle.io/v1';
const ANNOTATION = 'provisioning.cattle.io/management-cluster-name';

/** A program whose constructs keep their paths under other names. */
class Named extends SmallProgram {
  public constructor(private readonly removals: readonly AssemblyRemoval[] = []) {
    super();
  }

  public add(
    construct: string,
    ...[target, apiVersion, kind, path, content]: Parameters<SmallProgram['object']>
  ): this {
    const id = this.object(target, apiVersion, kind, path, content);
    const index = this.objects.findIndex((object) => object.id === id);
    this.objects[index] = { ...this.objects[index], construct };
    return this;
  }

  public get assembly(): SmallProgram['assembly'] {
    return { ...super.assembly, removals: this.removals };
  }
}

function importOf(name: string, removals: readonly AssemblyRemoval[] = []): Named {
  const managed = `c-m-${name}`;
  return new Named(removals)
    .target('rancher', 'rancher')
    .target('dc1', 'harvester')
    .add('rancher/import/Cluster', 'rancher', CLUSTER, 'Cluster', `fleet-default/${name}`, {
      metadata: { annotations: { [ANNOTATION]: managed } },
      spec: {},
    })
    .add(
      'rancher/payments/Project',
      'rancher',
      'management.cattle.io/v3',
      'Project',
      `${managed}/payments`,
      { spec: { clusterName: managed, displayName: 'payments' } },
    )
    .add('dc1/payments/Namespace', 'dc1', 'v1', 'Namespace', 'payments', {
      metadata: { annotations: { 'field.cattle.io/projectId': `${managed}:payments` } },
    }) as Named;
}

const OLD = 'rancher/provisioning.cattle.io/Cluster/fleet-default/dc1';
const NEW = 'rancher/provisioning.cattle.io/Cluster/fleet-default/dc-one';
const WORDS =
  'is another object than Cluster fleet-default/dc1, which the same construct (rancher/import/Cluster) wrote before and which holds its projects, members and ' +
  'registration: Cluster fleet-default/dc-one would be created next to it, and would have none of that. Fix: to rename only the construct, set its prop name to "dc1"; ' +
  `to replace the object, add app.acceptRemoval('${OLD}', '<why>')`;

async function applied(before: SmallProgram, after: SmallProgram): Promise<Trial> {
  const trial = new Trial(before);
  expect((await trial.apply()).failed).toEqual([]);
  trial.declared = after;
  trial.forget();
  return trial;
}

async function refused({ program }: Trial): Promise<{ readonly [id: string]: string }> {
  const graph = buildGraph(program.assembly, program.manifests);
  const { steps } = await makePlan(
    { ...program, graph },
    { fieldManager: APP.fieldManager, inventory: inventoryReader(APP) },
  );
  return Object.fromEntries(
    steps.flatMap(({ id, refused: why }) => (why === undefined ? [] : [[id, why]])),
  );
}

const written = ({ clusters }: Trial): readonly unknown[] =>
  Object.values(clusters).flatMap(writes);

test('names the display name of a management Cluster, whose own name is its ID', async () => {
  const edge = (id: string, displayName: string) =>
    new Named()
      .target('rancher', 'rancher')
      .add('rancher/edge/Resource', 'rancher', 'management.cattle.io/v3', 'Cluster', id, {
        spec: { displayName },
      });
  const [why] = Object.values(
    await refused(await applied(edge('c-edge1', 'edge'), edge('c-edge2', 'berlin'))),
  );
  expect(why).toContain('holds its projects, members and registration');
  expect(why).toContain('set its prop name to "edge"');
});

describe('an import under another name, without a previous output', () => {
  test('is refused by apply before anything is written, and by the plan', async () => {
    const trial = await applied(importOf('dc1'), importOf('dc-one'));
    await expect(trial.apply()).rejects.toThrow(`nothing was written\n${NEW}: ${WORDS}`);
    await expect(trial.apply({ prune: false })).rejects.toThrow('nothing was written');
    expect(written(trial)).toEqual([]);
    // the project follows its cluster, and has the same fix
    expect(await refused(trial)).toEqual({ [NEW]: WORDS });
  });

  test('is applied where the program accepts the removal of the previous one', async () => {
    const trial = await applied(
      importOf('dc1'),
      importOf('dc-one', [{ objects: 'rancher/*', reason: 'Harvester was installed again' }]),
    );
    expect(await refused(trial)).toEqual({});
    expect((await trial.apply()).failed).toEqual([]);
    expect(trial.clusters.rancher.has(CLUSTER, 'Cluster', 'dc-one', 'fleet-default')).toBe(true);
  });

  test('is applied once the previous one is gone, or is being deleted', async () => {
    const trial = await applied(importOf('dc1'), importOf('dc-one'));
    const { rancher } = trial.clusters;
    for (const [apiVersion, kind, name, namespace] of [
      [CLUSTER, 'Cluster', 'dc1', 'fleet-default'],
      ['management.cattle.io/v3', 'Project', 'payments', 'c-m-dc1'],
    ]) {
      rancher.change(
        { apiVersion, kind, name, namespace },
        (live: { metadata: { finalizers: string[] } }) => {
          live.metadata.finalizers = ['test/held'];
        },
      );
      await rancher.delete(
        { apiVersion, kind, name, namespace },
        rancher.live(apiVersion, kind, name, namespace).metadata.uid,
      );
    }
    expect(await refused(trial)).toEqual({});
  });
});

/** A program without an object of the previous one is refused for that. */
function withAnother(program: SmallProgram): SmallProgram {
  program.configMap('stays', program.targets[0].name);
  return program;
}

test.each<[string, (name: string) => SmallProgram, string]>([
  [
    'a project',
    (name) =>
      new Named()
        .target('rancher', 'rancher')
        .add('rancher/p', 'rancher', 'management.cattle.io/v3', 'Project', `c-m-dc1/${name}`, {
          spec: { clusterName: 'c-m-dc1', displayName: 'p' },
        }),
    'holds its members and quotas',
  ],
  [
    'a guest cluster',
    (name) =>
      new Named()
        .target('rancher', 'rancher')
        .add('rancher/g', 'rancher', CLUSTER, 'Cluster', `fleet-default/${name}`, {
          spec: { rkeConfig: {} },
        }),
    'holds its machines and their disks',
  ],
  [
    'a virtual machine',
    (name) =>
      new Named()
        .target('dc1', 'harvester')
        .add('dc1/vm', 'dc1', 'kubevirt.io/v1', 'VirtualMachine', `default/${name}`, { spec: {} }),
    'holds the machine (its volumes are kept)',
  ],
])('%s under another name is refused', async (_, programOf, words) => {
  const trial = await applied(withAnother(programOf('one')), withAnother(programOf('other')));
  await expect(trial.apply()).rejects.toThrow(words);
  expect([written(trial), Object.values(await refused(trial))]).toEqual([
    [],
    [expect.stringContaining(words)],
  ]);
});

test.each<[string, (name: string) => SmallProgram]>([
  [
    'holds nothing',
    (name) =>
      new Named()
        .target('dc1', 'harvester')
        .add('dc1/map', 'dc1', 'v1', 'ConfigMap', `default/${name}`),
  ],
  [
    'has a name from its content',
    (name) =>
      new Named()
        .target('rancher', 'rancher')
        .add(
          'rancher/pool',
          'rancher',
          'rke-machine-config.cattle.io/v1',
          'HarvesterConfig',
          `fleet-default/${name}`,
        ),
  ],
])('an object that %s takes another name', async (_, programOf) => {
  const trial = await applied(withAnother(programOf('one')), withAnother(programOf('other')));
  expect(await refused(trial)).toEqual({});
  expect((await trial.apply()).failed).toEqual([]);
});

describe('a Harvester that is registered as another live Cluster, without an inventory', () => {
  const ID = (name: string): string =>
    `rancher/provisioning.cattle.io/Cluster/fleet-default/${name}`;

  /** An import that an engine, or another app, applied; and the program under another name. */
  function delivered(
    by: 'setting' | 'namespace',
    removals: readonly AssemblyRemoval[] = [],
  ): Trial {
    const program = importOf('dc-one', removals);
    program.objects[0] = { ...program.objects[0], construct: 'rancher/other/Cluster' };
    const value = (name: string): string =>
      JSON.stringify({ url: `https://rancher.example.com/v3/import/abcdefgh_c-m-${name}.yaml` });
    if (by === 'setting') {
      program.object('dc1', 'harvesterhci.io/v1beta1', 'Setting', 'cluster-registration-url', {
        value: value('dc-one'),
      });
    }
    const trial = new Trial(program);
    const { rancher, dc1 } = trial.clusters;
    rancher.seed(
      {
        apiVersion: CLUSTER,
        kind: 'Cluster',
        metadata: { name: 'dc1', namespace: 'fleet-default' },
        spec: {},
      },
      'flux',
    );
    rancher.change(
      { apiVersion: CLUSTER, kind: 'Cluster', name: 'dc1', namespace: 'fleet-default' },
      (live: { status: unknown }) => {
        live.status = { clusterName: 'c-m-dc1' };
      },
    );
    if (by === 'setting') {
      dc1.seed(
        {
          apiVersion: 'harvesterhci.io/v1beta1',
          kind: 'Setting',
          metadata: { name: 'cluster-registration-url' },
          value: value('dc1'),
        },
        'flux',
      );
    } else {
      dc1.seed(
        {
          apiVersion: 'v1',
          kind: 'Namespace',
          metadata: {
            name: 'payments',
            annotations: { 'field.cattle.io/projectId': 'c-m-dc1:payments' },
          },
        },
        'flux',
      );
    }
    trial.forget();
    return trial;
  }

  test.each([
    ['setting', 'Setting cluster-registration-url'],
    ['namespace', 'Namespace payments'],
  ] as const)('is refused by what its %s names', async (by, label) => {
    const trial = delivered(by);
    const words = `would be another cluster than Cluster fleet-default/dc1, whose management cluster c-m-dc1 is named by ${label} on dc1`;
    await expect(trial.apply()).rejects.toThrow(`nothing was written\n${ID('dc-one')}: ${words}`);
    await expect(trial.apply()).rejects.toThrow(
      `set its prop name to "dc1"; to replace fleet-default/dc1, add app.acceptRemoval('${ID('dc1')}', '<why>')`,
    );
    expect(written(trial)).toEqual([]);
    expect((await refused(trial))[ID('dc-one')]).toContain(words);
  });

  test('is accepted where the program accepts the removal of the other Cluster', async () => {
    const trial = delivered('setting', [{ objects: ID('dc1'), reason: 'replaced' }]);
    expect((await refused(trial))[ID('dc-one')]).toBeUndefined();
    await trial.apply();
    expect(trial.clusters.rancher.has(CLUSTER, 'Cluster', 'dc-one', 'fleet-default')).toBe(true);
  });

  test('is accepted where that Cluster is of another Rancher', async () => {
    const trial = delivered('setting');
    const { rancher } = trial.clusters;
    await rancher.delete(
      { apiVersion: CLUSTER, kind: 'Cluster', name: 'dc1', namespace: 'fleet-default' },
      rancher.live(CLUSTER, 'Cluster', 'dc1', 'fleet-default').metadata.uid,
    );
    expect((await refused(trial))[ID('dc-one')]).toBeUndefined();
  });
});

describe('what changes between the check and the turn of the step is refused in the same words', () => {
  /** Applies a program whose step waits for a ConfigMap, before which something changes. */
  async function changedBefore(
    trial: Trial,
    step: string,
    target: string,
    change: () => void,
  ): Promise<unknown> {
    const first = trial.declared.object(target, 'v1', 'ConfigMap', 'default/first');
    trial.declared.edge(step, first);
    trial.clusters[target].before = async ({ verb, what }) => {
      if (verb === 'apply' && what === 'ConfigMap default/first') {
        change();
      }
    };
    return (await trial.apply()).failed;
  }

  test('a virtual machine under another name', async () => {
    const programOf = (name: string): SmallProgram =>
      withAnother(
        new Named()
          .target('dc1', 'harvester')
          .add('dc1/vm', 'dc1', 'kubevirt.io/v1', 'VirtualMachine', `default/${name}`, {
            spec: {},
          }),
      );
    const trial = await applied(programOf('one'), programOf('other'));
    const { dc1 } = trial.clusters;
    const one = {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      name: 'one',
      namespace: 'default',
    };
    await dc1.delete(one, dc1.live(one.apiVersion, one.kind, one.name, one.namespace).metadata.uid);
    const step = 'dc1/kubevirt.io/VirtualMachine/default/other';
    expect(
      await changedBefore(trial, step, 'dc1', () => {
        dc1.seed(
          {
            apiVersion: one.apiVersion,
            kind: one.kind,
            metadata: { name: 'one', namespace: 'default' },
            spec: {},
          },
          'test',
        );
      }),
    ).toEqual([
      {
        id: step,
        message: expect.stringContaining(
          'is another object than VirtualMachine default/one, which the same construct (dc1/vm) wrote before',
        ),
      },
    ]);
    expect(dc1.live(one.apiVersion, one.kind, 'other', 'default')).toBeUndefined();
  });

  test('a Harvester that is registered as another Cluster', async () => {
    const program = importOf('dc-one');
    const value = (name: string): string =>
      JSON.stringify({ url: `https://rancher.example.com/v3/import/abcdefgh_c-m-${name}.yaml` });
    program.object('dc1', 'harvesterhci.io/v1beta1', 'Setting', 'cluster-registration-url', {
      value: value('dc-one'),
    });
    const trial = new Trial(program);
    const { rancher, dc1 } = trial.clusters;
    dc1.seed(
      {
        apiVersion: 'harvesterhci.io/v1beta1',
        kind: 'Setting',
        metadata: { name: 'cluster-registration-url' },
        value: '',
      },
      'harvester',
    );
    expect(
      await changedBefore(trial, NEW, 'rancher', () => {
        rancher.seed(
          {
            apiVersion: CLUSTER,
            kind: 'Cluster',
            metadata: { name: 'dc1', namespace: 'fleet-default' },
            spec: {},
          },
          'flux',
        );
        rancher.change(
          { apiVersion: CLUSTER, kind: 'Cluster', name: 'dc1', namespace: 'fleet-default' },
          (live: { status: unknown }) => {
            live.status = { clusterName: 'c-m-dc1' };
          },
        );
        dc1.change(
          {
            apiVersion: 'harvesterhci.io/v1beta1',
            kind: 'Setting',
            name: 'cluster-registration-url',
          },
          (live: { value: string }) => {
            live.value = value('dc1');
          },
        );
      }),
    ).toContainEqual({
      id: NEW,
      message: expect.stringContaining(
        'would be another cluster than Cluster fleet-default/dc1, whose management cluster c-m-dc1 is named by',
      ),
    });
    expect(rancher.live(CLUSTER, 'Cluster', 'dc-one', 'fleet-default')).toBeUndefined();
  });
});
