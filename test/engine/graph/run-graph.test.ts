import { SmallProgram } from './_assemblies';
import { buildGraph } from '../../../src/engine/graph/build-graph';
import { ApplyGraph, GraphNode } from '../../../src/engine/graph/graph';
import {
  NodeOutcome,
  NodeWorker,
  RunGraphOptions,
  runGraph,
} from '../../../src/engine/graph/run-graph';
import { ApiError } from '../../../src/engine/transport/api';

const tick = async (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

const graphOf = (program: SmallProgram): ApplyGraph =>
  buildGraph(program.assembly, program.manifests);

/** A worker that writes down what it does; `during` runs within. */
class Recorder implements NodeWorker {
  public readonly log: string[] = [];
  public most = 0;
  private running = 0;

  public constructor(private readonly during: (what: string) => Promise<void> | void = tick) {}

  public async act(node: GraphNode): Promise<void> {
    this.log.push(`act ${short(node)}`);
    this.most = Math.max(this.most, ++this.running);
    try {
      await this.during(`act ${short(node)}`);
    } finally {
      this.running--;
    }
    this.log.push(`acted ${short(node)}`);
  }

  public async settle(node: GraphNode): Promise<void> {
    this.log.push(`settle ${short(node)}`);
    await this.during(`settle ${short(node)}`);
    this.log.push(`settled ${short(node)}`);
  }
}

const short = ({ id }: GraphNode): string => id.split('/').pop()!;

async function outcomesOf(
  graph: ApplyGraph,
  worker: NodeWorker,
  options?: RunGraphOptions,
): Promise<{ [name: string]: string }> {
  const outcomes: ReadonlyMap<string, NodeOutcome> = await runGraph(graph, worker, options);
  return Object.fromEntries(
    [...outcomes].map(([id, outcome]) => [id.split('/').pop()!, outcome.state]),
  );
}

/** A program of ConfigMaps and edges: `b after a`, `c ready b`. */
function programOf(...edges: string[]): SmallProgram {
  const program = new SmallProgram().target('dc1', 'harvester').target('rancher', 'rancher');
  const ids = new Map<string, string>();
  const id = (name: string): string => {
    if (!ids.has(name)) {
      ids.set(name, program.configMap(name));
    }
    return ids.get(name)!;
  };
  for (const edge of edges) {
    const [from, type, to] = edge.split(' ');
    id(from);
    if (to) {
      program.edge(id(from), id(to), type === 'after' ? 'applied' : (type as 'ready'));
    }
  }
  return program;
}

describe('order', () => {
  test('continues after an object is applied, while others wait until it is ready', async () => {
    const worker = new Recorder();
    await runGraph(graphOf(programOf('b after a', 'c ready a')), worker);
    const at = (what: string): number => worker.log.indexOf(what);
    expect(at('act b')).toBeGreaterThan(at('acted a'));
    expect(at('act b')).toBeLessThan(at('settled a'));
    expect(at('act c')).toBeGreaterThan(at('settled a'));
  });

  test('a branch that is slow keeps no other waiting', async () => {
    let finish!: () => void;
    const slow = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const worker = new Recorder(async (what) => (what === 'act a' ? slow : tick()));
    const run = runGraph(graphOf(programOf('b after a', 'd after c', 'e after d')), worker);
    for (let n = 0; n < 10; n++) {
      await tick();
    }
    expect(worker.log).toContain('acted e');
    expect(worker.log).not.toContain('act b');
    finish();
    await run;
    expect(worker.log).toContain('acted b');
  });

  test('only what an edge waits for settles, and what is asked for', async () => {
    const settled = async (settles?: (node: GraphNode) => boolean): Promise<string[]> => {
      const worker = new Recorder();
      await runGraph(graphOf(programOf('b ready a', 'c')), worker, { settles });
      return worker.log.filter((line) => line.startsWith('settled ')).sort();
    };
    expect(await settled()).toEqual(['settled a']);
    expect(await settled((node) => short(node) === 'c')).toEqual(['settled a', 'settled c']);
  });

  test('a group is passed at once, in a chain of many too, and no worker sees it', async () => {
    const program = programOf('a', 'z');
    const [a, z] = program.objects.map(({ id }) => id);
    for (let n = 0; n < 5_000; n++) {
      program
        .late(`l${n}`, { resolver: 'text', text: 'x' })
        .edge(`late:l${n}`, n === 0 ? a : `late:l${n - 1}`);
    }
    program.edge(z, 'late:l4999');
    const worker = new Recorder();
    expect(await outcomesOf(graphOf(program), worker)).toEqual({ a: 'done', z: 'done' });
    expect(worker.log).toEqual(['act a', 'acted a', 'act z', 'acted z']);
  });
});

describe('places', () => {
  test('so many of one target act at a time, of each target', async () => {
    const program = new SmallProgram().target('dc1', 'harvester').target('rancher', 'rancher');
    for (let n = 0; n < 20; n++) {
      program.configMap(`a${n}`, 'dc1');
      program.configMap(`b${n}`, 'rancher');
    }
    const worker = new Recorder();
    const outcomes = await runGraph(graphOf(program), worker, { concurrencyPerTarget: 3 });
    expect(worker.most).toBe(6);
    expect([...outcomes.values()].every(({ state }) => state === 'done')).toBe(true);
    expect(outcomes.size).toBe(40);
  });

  test('late values and objects that become ready take none', async () => {
    const source = {
      resolver: 'field',
      target: 'dc1',
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: 'x',
      path: 'data.x',
    };
    const program = new SmallProgram()
      .target('dc1', 'harvester')
      .late('one', source)
      .late('two', source);
    program.object('dc1', 'v1', 'Secret', 'default/user', {
      stringData: { x: '${late:one}${late:two}' },
    });
    const first = program.configMap('first');
    program.configMap('second');
    program.edge(program.configMap('third'), first, 'ready');
    let finish!: () => void;
    const open = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const worker = new Recorder(async (what) => (/late|settle/.test(what) ? open : tick()));
    const run = runGraph(graphOf(program), worker, { concurrencyPerTarget: 1 });
    for (let n = 0; n < 10; n++) {
      await tick();
    }
    expect(worker.log).toEqual(
      expect.arrayContaining(['act late:one', 'act late:two', 'settle first', 'acted second']),
    );
    finish();
    expect([...(await run).values()].map(({ state }) => state)).toEqual(Array(6).fill('done'));
  });
});

describe('failures', () => {
  const failing = (...whats: string[]): Recorder =>
    new Recorder(async (what) => {
      await tick();
      if (whats.includes(what)) {
        throw new Error(`${what} failed`);
      }
    });

  test('skip what waits for them, with the first failure as reason, and nothing else', async () => {
    const skipped: string[] = [];
    const graph = graphOf(programOf('b after a', 'c after b', 'd after x'));
    const outcomes = await outcomesOf(graph, failing('act a'), {
      onProgress: (node, progress) => {
        if (progress.state === 'skipped') {
          skipped.push(`${short(node)}: ${progress.reason}`);
        }
      },
    });
    expect(outcomes).toEqual({ a: 'failed', b: 'skipped', c: 'skipped', d: 'done', x: 'done' });
    expect(skipped).toEqual(
      ['b', 'c'].map(
        (name) => `${name}: waits for dc1//ConfigMap/default/a (dc1/ConfigMap-a), which failed`,
      ),
    );
  });

  test('do not skip what continues after them, nor what waits for that', async () => {
    const { nodes } = graphOf(programOf('b after a', 'c after b', 'd after a'));
    const goesOn = new Map(
      [...nodes].map(([id, node]) => [id, short(node) === 'b' ? { ...node, goesOn: true } : node]),
    );
    const outcomes = await outcomesOf({ nodes: goesOn }, failing('act a'));
    expect(outcomes).toEqual({ a: 'failed', b: 'done', c: 'done', d: 'skipped' });
  });

  test('go through groups', async () => {
    const program = programOf('a', 'b', 'c', 'd');
    const [a, b, c, d] = program.objects.map(({ id }) => id);
    program.group('early', [a, b]).group('late', [c, d]).edge('late', 'early');
    expect(await outcomesOf(graphOf(program), failing('act a', 'act b'))).toEqual({
      a: 'failed',
      b: 'failed',
      c: 'skipped',
      d: 'skipped',
    });
  });

  test('of what does not become ready leave alone who waits for its being applied', async () => {
    const outcomes = await runGraph(
      graphOf(programOf('b after a', 'c ready a')),
      failing('settle a'),
    );
    expect([...outcomes.values()].map((outcome) => ({ ...outcome, error: undefined }))).toEqual(
      [
        { state: 'done' },
        { state: 'failed', acted: true },
        {
          state: 'skipped',
          because: 'dc1//ConfigMap/default/a',
          reason: expect.any(String) as string,
        },
      ].map((outcome) => ({ ...outcome, error: undefined })),
    );
  });

  test('that are thrown at once count like others', async () => {
    const worker: NodeWorker = {
      act: () => {
        throw new Error('at once');
      },
      settle: tick,
    };
    expect(await outcomesOf(graphOf(programOf('b after a')), worker)).toEqual({
      a: 'failed',
      b: 'skipped',
    });
  });

  test('end the run where that is asked for: what runs is awaited, the rest is pending', async () => {
    const graph = graphOf(programOf('b after a', 'c', 'd', 'e'));
    const worker = new Recorder(async (what) => {
      if (what === 'act a') {
        throw new Error('no');
      }
      await tick();
    });
    expect(await outcomesOf(graph, worker, { failFast: true, concurrencyPerTarget: 2 })).toEqual({
      a: 'failed',
      b: 'skipped',
      c: 'done',
      d: 'pending',
      e: 'pending',
    });
  });
});

describe('interruption', () => {
  test('begins no further step, waits for what runs and reports what is left', async () => {
    const control = new AbortController();
    const worker = new Recorder(async (what) => {
      if (what === 'act a') {
        control.abort();
      }
      await tick();
    });
    const outcomes = await outcomesOf(graphOf(programOf('a', 'b', 'c after a')), worker, {
      signal: control.signal,
      concurrencyPerTarget: 1,
    });
    expect(worker.log).toEqual(['act a', 'acted a']);
    expect(outcomes).toEqual({ a: 'done', b: 'pending', c: 'pending' });
  });

  test('does not fail the steps that it ended', async () => {
    const control = new AbortController();
    const worker = new Recorder(async (what) => {
      if (what !== 'settle a') {
        return;
      }
      control.abort();
      await tick();
      throw new ApiError('aborted', 'ended');
    });
    const outcomes = await runGraph(graphOf(programOf('b ready a')), worker, {
      signal: control.signal,
    });
    expect([...outcomes.values()]).toEqual([
      { state: 'pending', acted: true },
      { state: 'pending', acted: false },
    ]);
  });

  test('before the start leaves all pending', async () => {
    const worker = new Recorder();
    expect(
      await outcomesOf(graphOf(programOf('b after a')), worker, { signal: AbortSignal.abort() }),
    ).toEqual({ a: 'pending', b: 'pending' });
    expect(worker.log).toEqual([]);
  });
});

test('any graph: everything begins after what it waits for, once, and ends', async () => {
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed % below;
  };
  for (let round = 0; round < 30; round++) {
    const edges = [...Array(60)].flatMap((_, n) =>
      n < 2
        ? [`n${n}`]
        : [`n${n} ${['after', 'ready'][random(2)]} n${random(n)}`, `n${n} after n${random(n)}`],
    );
    const graph = graphOf(programOf(...edges));
    const worker = new Recorder(async () => {
      for (let n = random(3); n >= 0; n--) {
        await tick();
      }
    });
    await runGraph(graph, worker, { concurrencyPerTarget: 4 });
    expect(worker.most).toBeLessThanOrEqual(4);
    expect(worker.log.filter((line) => line.startsWith('act '))).toHaveLength(60);
    for (const node of graph.nodes.values()) {
      for (const { to, kind } of node.after) {
        const done = `${kind === 'ready' ? 'settled' : 'acted'} ${to.split('/').pop()}`;
        expect(worker.log.indexOf(done)).toBeLessThan(worker.log.indexOf(`act ${short(node)}`));
      }
    }
  }
});

describe('what only asks for an order', () => {
  /** b after a, where it is enough that a was tried; a after z. */
  function loose(): ApplyGraph {
    const { nodes } = graphOf(programOf('a after z', 'b', 'c after b'));
    const [a, b] = ['dc1//ConfigMap/default/a', 'dc1//ConfigMap/default/b'];
    return {
      nodes: new Map(
        [...nodes].map(([id, node]) => [
          id,
          id === b ? { ...node, after: [{ to: a, kind: 'ended' as const }] } : node,
        ]),
      ),
    };
  }

  test('waits for the other, and continues once it is done', async () => {
    const worker = new Recorder();
    expect(await outcomesOf(loose(), worker)).toEqual({
      a: 'done',
      b: 'done',
      c: 'done',
      z: 'done',
    });
    expect(worker.log.indexOf('act b')).toBeGreaterThan(worker.log.indexOf('acted a'));
  });

  test.each(['a', 'z'])(
    'continues where %s fails, so that the other fails or is skipped',
    async (failing) => {
      const worker = new Recorder((what) => {
        if (what === `act ${failing}`) {
          throw new Error('no');
        }
      });
      expect(await outcomesOf(loose(), worker)).toMatchObject({
        [failing]: 'failed',
        a: failing === 'a' ? 'failed' : 'skipped',
        b: 'done',
        c: 'done',
      });
    },
  );
});
