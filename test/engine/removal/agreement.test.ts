import { NAMES, Output, applied, constructsOf, example, without } from './_outputs';
import { isKeptByEngine } from '../../../src/core/kind/retention';
import { AcceptedRemovals } from '../../../src/core/leaving/accepted-removals';
import {
  OutputChange,
  OutputObject,
  leftOutput,
} from '../../../src/core/leaving/left-output.rules';
import {
  isManifest,
  Manifest,
  objectId,
  objectKey,
  refId,
  refKey,
  valueAt,
} from '../../../src/core/manifest/manifest';
import { Assembly, AssemblyTarget, OutputLayout } from '../../../src/core/output/assembly';
import { readYaml } from '../../../src/core/yaml/yaml-reader';
import { deliverPlain } from '../../../src/delivery/deliver';
import { ArgoCdEngine } from '../../../src/delivery/engine/argo-cd-engine';
import { DeliveryEngine } from '../../../src/delivery/engine/engine';
import { FleetEngine } from '../../../src/delivery/engine/fleet-engine';
import { FluxEngine } from '../../../src/delivery/engine/flux-engine';
import { RunProgram } from '../../../src/engine/auth/run-program';
import { withMembership } from '../../../src/engine/fields/apply-set';
import { buildGraph } from '../../../src/engine/graph/build-graph';
import { inventoryReader } from '../../../src/engine/inventory/inventory';
import { withFates } from '../../../src/engine/read/lint';
import { whatLeaves } from '../../../src/engine/read/what-leaves';
import { Fate, DeliveryWay, whatBecomes } from '../../../src/engine/removal/removal';
import { applyProgram } from '../../../src/engine/run/apply-program';
import { rollsByImpact } from '../../../src/report/impact/cluster-impacts';
import { someOf } from '../../support/cases';
import { FakeCluster, fakeTargets } from '../../support/fake-cluster';
import { makePlan } from '../plan/_planning';
import { APP, QuickClock, fake } from '../run/_running';

type Clusters = { readonly [target: string]: FakeCluster };

const copy = (clusters: Clusters): Clusters =>
  Object.fromEntries(
    Object.entries(clusters).map(([name, cluster]) => {
      const other = fake(`uid-of-${name}`);
      for (const [key, object] of cluster.objects) {
        other.objects.set(key, structuredClone(object));
      }
      return [name, other];
    }),
  );

function programOf({ assembly, manifests }: Output, clusters: Clusters): RunProgram {
  const targets: { [name: string]: AssemblyTarget } = Object.fromEntries(
    assembly.targets.map((target) => [target.name, target]),
  );
  return {
    folder: 'dist',
    digest: 'a1',
    assembly,
    manifests,
    targets: fakeTargets(clusters, targets),
  };
}

const apply = async (output: Output, clusters: Clusters) =>
  applyProgram(programOf(output, clusters), {
    rolls: rollsByImpact,
    app: APP,
    clock: new QuickClock(),
    acceptEmpty: true,
    timeoutMs: 1000,
  });

/** A local administrator: otherwise a login provider is kept as the last way in. */
function seedAdministrator(rancher: FakeCluster | undefined): void {
  const apiVersion = 'management.cattle.io/v3';
  const all = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
  for (const object of [
    { apiVersion, kind: 'GlobalRole', metadata: { name: 'admin' }, rules: all },
    { apiVersion, kind: 'User', metadata: { name: 'u-admin' }, password: 'a-hash' },
    {
      apiVersion,
      kind: 'GlobalRoleBinding',
      metadata: { name: 'grb-admin' },
      globalRoleName: 'admin',
      userName: 'u-admin',
    },
  ]) {
    rancher?.seed(object, 'rancher');
  }
}

/** What each of the objects is after an apply. */
function found(
  ids: Iterable<string>,
  { assembly }: { readonly assembly: Assembly },
  clusters: Clusters,
): [id: string, fate: Fate][] {
  const byId = new Map(assembly.objects.map((object) => [object.id, object]));
  return [...ids].map((id) => {
    const { target, apiVersion, kind, namespace, name, deletion } = byId.get(id)!;
    const live = clusters[target].live(apiVersion, kind, name, namespace);
    if (live === undefined) {
      return [id, 'deleted'];
    }
    return [id, deletion?.policy === 'reset' && isReset(live) ? 'reset' : 'kept'];
  });
}

/** Whether a Setting has its default, a login provider is disabled, or a feature has its default. */
function isReset(live: Manifest): boolean {
  return live.value === '' || live.enabled === false || valueAt(live, 'spec', 'value') === null;
}

const idsOf = (name: string): string =>
  example(name)
    .assembly.objects.map(({ id }) => id)
    .join();

/** Without those that deliver the objects of another one by another engine. */
const PROGRAMS = NAMES.filter(
  (name, index) => NAMES.findIndex((other) => idsOf(other) === idsOf(name)) === index,
);

const TIME_LIMIT_MS = 120_000;

describe.each(someOf(PROGRAMS, 3))('example %s', (name) => {
  const before = applied(example(name));
  let first: Clusters;

  beforeAll(async () => {
    first = Object.fromEntries(
      before.assembly.targets.map((target) => [target.name, fake(`uid-of-${target.name}`)]),
    );
    for (const { target, apiVersion, kind, name: of, deletion } of before.assembly.objects) {
      if (deletion?.policy === 'reset') {
        first[target].seed({ apiVersion, kind, metadata: { name: of }, default: '' }, 'harvester');
      }
    }
    seedAdministrator(first.rancher);
    expect((await apply(before, first)).failed).toEqual([]);
  });

  test(
    'plan, apply, and the answer agree on each object that leaves, alone and with its construct',
    async () => {
      const { assembly, manifests } = before;
      for (const removed of [
        ...assembly.objects.map(({ id }) => [id]),
        ...constructsOf(assembly),
        assembly.objects.map(({ id }) => id),
      ]) {
        const gone = new Set(removed);
        const after = without(before, gone);
        const answer = whatBecomes({
          assembly,
          manifests,
          way: 'apply',
          removed: gone,
          judges: false,
        });
        const clusters = copy(first);
        const program = programOf(after, clusters);
        const plan = await makePlan(
          { ...program, graph: buildGraph(after.assembly, after.manifests) },
          {
            app: APP.id,
            fieldManager: APP.fieldManager,
            inventory: inventoryReader(APP),
            finish: withMembership(APP),
            acceptEmpty: true,
          },
        );
        const steps = new Map(plan.steps.map((step) => [step.id, step]));
        const planned = removed.map((id) => [
          id,
          ({ prune: 'deleted', keep: 'kept', reset: 'reset' } as { [action: string]: Fate })[
            steps.get(id)?.action ?? ''
          ],
        ]);
        expect({ removed, planned }).toEqual({
          removed,
          planned: removed.map((id) => [id, answer.get(id)!.fate]),
        });
        const { failed } = await apply(after, clusters);
        expect({ removed, failed }).toEqual({ removed, failed: [] });
        expect({ removed, found: found(removed, before, clusters) }).toEqual({
          removed,
          found: planned,
        });
      }
    },
    TIME_LIMIT_MS,
  );

  test.each<readonly [DeliveryWay, DeliveryEngine]>([
    ['flux', new FluxEngine({ sourceName: 'platform' })],
    ['argo-cd', new ArgoCdEngine({ repository: 'https://git.example.com/platform.git' })],
    ['fleet', new FleetEngine({ repository: 'https://git.example.com/platform.git' })],
  ])('annotations, entries, lint, and the answer agree for %s', (way, engine) => {
    const {
      assembly: { stages: _, engineFiles: __, ...plain },
      manifests,
    } = before;
    const { assembly, files } = deliverPlain(
      { assembly: plain, manifests, layout: OutputLayout.FILE_PER_KIND },
      engine,
    );
    const written = new Map(
      [...files]
        .filter(([file]) => file.endsWith('.yaml'))
        .flatMap(([file, text]) =>
          readYaml(text)
            .filter(isManifest)
            .map((manifest) => [`${file} ${objectKey(manifest)}`, manifest] as const),
        ),
    );
    const inFiles = assembly.objects.filter(({ file }) => file !== undefined);
    const delivered = inFiles.map(
      ({ target, file, kept, construct, deletion, ...object }): OutputObject => ({
        target,
        manifest: written.get(`${file} ${refKey(object)}`)!,
        file,
        kept,
        construct,
        policy: deletion?.policy,
      }),
    );
    const idOf = new Map(
      assembly.objects.map((object) => [refId(object.target, object), object.id]),
    );
    const change = (after: readonly OutputObject[]): OutputChange => ({
      before: delivered,
      after,
      removals: new AcceptedRemovals([]),
      lateValue: () => undefined,
      hasProgram: true,
      hasEngine: true,
    });
    expect(
      delivered.filter(({ manifest, kept }) => isKeptByEngine(manifest) !== (kept !== undefined)),
    ).toEqual([]);
    for (const removed of [
      ...assembly.objects.map(({ id }) => [id]),
      ...constructsOf(assembly),
      assembly.objects.map(({ id }) => id),
    ]) {
      const gone = new Set(removed);
      const left = change(
        delivered.filter(
          ({ target, manifest }) => !gone.has(idOf.get(objectId(target, manifest))!),
        ),
      );
      const answer = whatBecomes({ assembly, manifests, way, removed: gone });
      const leaves = [...whatLeaves(left, [assembly])].map(([key, { fate }]) => [
        idOf.get(key),
        fate,
      ]);
      expect({ removed, leaves }).toEqual({
        removed,
        leaves: leaves.map(([id]) => [id, answer.get(id!)!.fate]),
      });
      const words = leftOutput(withFates(left, whatLeaves(left, [assembly]))).map(
        ({ target, object, message }) => [
          idOf.get(refId(target!, object!)),
          /the engine (keeps it on the cluster|does not delete it)/.test(message),
        ],
      );
      expect({ removed, words: new Map(words as [string, boolean][]) }).toEqual({
        removed,
        words: new Map(leaves.map(([id, fate]) => [id, fate === 'kept'])),
      });
    }
  });
});
