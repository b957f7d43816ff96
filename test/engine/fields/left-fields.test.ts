import { OURS, entry, live, widget } from './_objects';
import { LiveObject } from '../../../src/engine/cluster/cluster';
import { differences } from '../../../src/engine/fields/compare-desired';
import { leftFieldWarnings } from '../../../src/engine/fields/left-fields';
import { ownedBy } from '../../../src/engine/fields/managed-fields';
import { planMarkdown, planText } from '../../../src/engine/plan/render-plan';
import { GENERATIONS, recordingOf } from '../../support/recordings';
import { SmallProgram } from '../graph/_assemblies';
import { Trial } from '../run/_running';

type Fields = ReturnType<typeof entry>;

const warnings = (object: LiveObject, desired: object): string[] =>
  leftFieldWarnings(object, differences(desired as never, object, ownedBy(object, OURS)), OURS);

describe('a recorded Project', () => {
  const { objects } = recordingOf(GENERATIONS[0], 'rancher-three-tenants');
  const { applied, states } = objects.find(
    (object) => object.applied.kind === 'Project' && object.states.length > 0,
  )!;
  const recorded = states.at(-1)!.object;
  const { resourceQuota: _, ...spec } = applied.spec as { [field: string]: unknown };
  const withoutQuota = { ...applied, spec };

  test('of which Rancher owns other fields has no warning', () => {
    expect(recorded.metadata.managedFields?.map(({ manager }) => manager)).toEqual([
      OURS,
      'rancher',
    ]);
    expect(warnings(recorded, withoutQuota)).toEqual([]);
  });

  test('of which Rancher owns the quota, too, has one for its fields', () => {
    const [ours, rancher] = recorded.metadata.managedFields as Fields[];
    const { 'f:spec': owned } = ours.fieldsV1 as { 'f:spec': object };
    const theirs = { ...rancher, fieldsV1: { ...(rancher.fieldsV1 as object), 'f:spec': owned } };
    const object = {
      ...recorded,
      metadata: { ...recorded.metadata, managedFields: [ours, theirs] },
    } as LiveObject;
    expect(warnings(object, withoutQuota)).toEqual([
      'spec.resourceQuota.limit.limitsCpu, spec.resourceQuota.limit.limitsMemory remain on Project c-m-harvdc01/web: the program no longer sets them, but rancher owns them, too. ' +
        'Fix: remove them in the UI or with kubectl edit, or set the values that you want in the program',
    ]);
    expect(warnings(object, applied)).toEqual([]);
  });
});

test('fields without another owner are removed, and not reported', () => {
  const ours = entry(OURS, 'Apply', { 'f:spec': { 'f:a': {}, 'f:b': {}, 'f:c': {} } });
  const others = [
    entry('rancher', 'Update', { 'f:spec': { 'f:b': {} } }),
    entry('kubectl', 'Apply', { 'f:spec': { 'f:b': {}, 'f:c': {} } }),
  ];
  const object = live([ours, ...others], {}, { spec: { a: 1, b: 2, c: 3 } });
  expect(warnings(object, widget({ spec: {} }))).toEqual([
    'spec.b remains on Widget x/w: the program no longer sets it, but kubectl, rancher own it, too. Fix: remove it in the UI or with kubectl edit, or set the values that you want in the program, or --take-fields-from kubectl to adopt it',
    'spec.c remains on Widget x/w: the program no longer sets it, but kubectl owns it, too. Fix: remove it in the UI or with kubectl edit, or set the values that you want in the program, or --take-fields-from kubectl to adopt it',
  ]);
});

test('items of lists are known by their keys and values', () => {
  const items = { 'k:{"name":"a"}': { '.': {}, 'f:name': {} }, 'k:{"name":"b"}': { '.': {} } };
  const ours = entry(OURS, 'Apply', {
    'f:list': items,
    'f:set': { 'v:"x"': {}, 'v:"y"': {} },
  });
  const theirs = entry('rancher', 'Update', {
    'f:list': { 'k:{"name":"b"}': { '.': {} } },
    'f:set': { 'v:"y"': {} },
  });
  const object = live(
    [ours, theirs],
    {},
    { list: [{ name: 'a' }, { name: 'b' }], set: ['x', 'y'] },
  );
  expect(warnings(object, widget({ list: [], set: [] }))).toEqual([
    expect.stringMatching(/^list\[1\], set\[1\] remain on Widget x\/w: /),
  ]);
});

describe('a run', () => {
  const OBJECT = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'a', namespace: 'default' },
  };
  const ID = 'dc1//Secret/default/a';
  const encoded = (text: string): string => Buffer.from(text).toString('base64');
  const [KEPT, LEFT] = [encoded('kept-value'), encoded('left-value')];
  const WARNING = expect.stringMatching(
    /^data\.left remains on Secret default\/a: the program no longer sets it, but rancher owns it, too\. Fix: /,
  );

  /** A program with the fields of a Secret. */
  function program(data: object): SmallProgram {
    const declared = new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester');
    declared.object('dc1', 'v1', 'Secret', 'default/a', { data });
    return declared;
  }

  /** A program that adopted a Secret of the UI, and then lost one of its fields. */
  async function trial(): Promise<Trial> {
    const made = new Trial(program({ kept: KEPT, left: LEFT }));
    made.clusters.dc1.seed({ ...OBJECT, data: { kept: KEPT, left: LEFT } }, 'rancher');
    expect((await made.apply({ acceptExisting: [ID] })).failed).toEqual([]);
    expect(made.events.filter(({ type }) => type === 'warning')).toEqual([]);
    made.declared = program({ kept: KEPT });
    made.events.length = 0;
    return made;
  }

  test('reports it in the plan, which shows the object although nothing changes', async () => {
    const plan = await (await trial()).plan();
    expect(plan.steps).toMatchObject([{ id: ID, action: 'unchanged', warnings: [WARNING] }]);
    for (const text of [planText(plan), planMarkdown(plan), JSON.stringify(plan)]) {
      expect(text).toContain('data.left remains on Secret default/a');
      expect(text).not.toContain(LEFT);
    }
  });

  test('reports it in the apply that ends the ownership, and no longer after it', async () => {
    const made = await trial();
    expect((await made.apply()).failed).toEqual([]);
    expect(made.events.filter(({ type }) => type === 'warning')).toEqual([
      { type: 'warning', target: 'dc1', id: ID, message: WARNING },
    ]);
    expect(JSON.stringify(made.events)).not.toContain(LEFT);
    expect(made.clusters.dc1.live('v1', 'Secret', 'a', 'default').data).toEqual({
      kept: KEPT,
      left: LEFT,
    });
    expect((await made.plan()).steps[0].warnings).toBeUndefined();
  });

  test('removes it without a warning if the fields of the other manager are adopted', async () => {
    const made = await trial();
    expect((await made.apply({ takeFieldsFrom: ['rancher'] })).failed).toEqual([]);
    expect(made.events.filter(({ type }) => type === 'warning')).toEqual([]);
    expect(made.clusters.dc1.live('v1', 'Secret', 'a', 'default').data).toEqual({ kept: KEPT });
  });

  test('reports nothing once the other manager removed the field, or the program sets it again', async () => {
    const removed = await trial();
    removed.clusters.dc1.seed({ ...OBJECT, data: { kept: KEPT } }, 'rancher');
    expect((await removed.plan()).steps[0].warnings).toBeUndefined();
    const again = await trial();
    again.declared = program({ kept: KEPT, left: LEFT });
    expect((await again.plan()).steps[0].warnings).toBeUndefined();
  });
});
