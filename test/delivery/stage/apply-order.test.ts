import { existsSync, readdirSync } from 'fs';
import { join } from 'path';
import { reach } from '../../../src/core/graph/reach';
import { Stage, stagesOf } from '../../../src/delivery/stage/stages';
import { buildGraph } from '../../../src/engine/graph/build-graph';
import { ApplyGraph } from '../../../src/engine/graph/graph';
import { runGraph } from '../../../src/engine/graph/run-graph';
import { LoadedAssembly, loadAssembly } from '../../../src/engine/read/load-assembly';

const EXAMPLES = join(__dirname, '..', '..', '..', 'examples');
const NAMES = readdirSync(EXAMPLES)
  .filter((name) => existsSync(join(EXAMPLES, name, 'dist', 'assembly.json')))
  .sort();

/** Pairs of objects of which the first waits for the second, directly or through others. */
function waitingPairs({ nodes }: ApplyGraph): (readonly [waiting: string, awaited: string])[] {
  return [...nodes.values()]
    .filter(({ object }) => object)
    .flatMap(({ id }) => {
      const awaited = reach([id], (each) => nodes.get(each)!.after.map(({ to }) => to));
      return [...awaited]
        .filter((other) => other !== id && nodes.get(other)!.object)
        .map((other) => [id, other] as const);
    });
}

/** Objects in the order in which apply begins and ends them. */
async function applied(graph: ApplyGraph): Promise<readonly string[]> {
  const log: string[] = [];
  await runGraph(graph, {
    act: async ({ id }) => {
      log.push(`begin ${id}`);
      await new Promise(setImmediate);
      log.push(`end ${id}`);
    },
    settle: async () => {
      await new Promise(setImmediate);
    },
  });
  return log;
}

const readExample = (name: string): LoadedAssembly => loadAssembly(join(EXAMPLES, name, 'dist'));

/** What is wrong with stages, by the order of a graph. */
function contradictions(graph: ApplyGraph, stages: readonly Stage[]): string[] {
  const stageOf = new Map(
    stages.flatMap((stage) => stage.objects.map((id) => [id, stage] as const)),
  );
  const before = new Map(stages.map((stage) => [stage, reach(stage.after, ({ after }) => after)]));
  return waitingPairs(graph).flatMap(([waiting, awaited]) => {
    const [later, earlier] = [stageOf.get(waiting), stageOf.get(awaited)];
    if (!later || !earlier || later === earlier || before.get(later)!.has(earlier)) {
      return [];
    }
    return [`${waiting} in ${later.name} waits for ${awaited} in ${earlier.name}`];
  });
}

test.each(NAMES)(
  'delivers %s in stages that do not contradict the order of apply',
  async (name) => {
    const program = readExample(name);
    const graph = buildGraph(program.assembly, program.manifests);
    expect(contradictions(graph, stagesOf(program))).toEqual([]);
    const log = await applied(graph);
    const place = new Map(log.map((line, index) => [line, index]));
    expect(
      waitingPairs(graph).filter(
        ([waiting, awaited]) => place.get(`end ${awaited}`)! > place.get(`begin ${waiting}`)!,
      ),
    ).toEqual([]);
    expect(log).toHaveLength(
      2 * [...graph.nodes.values()].filter(({ object, late }) => object ?? late).length,
    );
  },
);

test('finds stages in another order', () => {
  const program = readExample('three-tenants');
  const stages = stagesOf(program);
  const [first, second] = ['rancher-clusters', 'rancher-projects-c-m-harvdc01'].map((name) =>
    stages.find((stage) => stage.name === name)!,
  );
  const objectsOf = new Map([
    [first, second.objects],
    [second, first.objects],
  ]);
  const swapped = stages.map((stage) => ({
    ...stage,
    objects: objectsOf.get(stage) ?? stage.objects,
  }));
  expect(contradictions(buildGraph(program.assembly, program.manifests), swapped)).toContainEqual(
    expect.stringContaining('in rancher-clusters waits for'),
  );
});
