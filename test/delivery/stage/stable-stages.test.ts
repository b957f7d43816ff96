import { existsSync, readdirSync } from 'fs';
import { join } from 'path';
import { reach } from '../../../src/core/graph/reach';
import { AssemblyEdge } from '../../../src/core/output/assembly';
import { ObjectEdges } from '../../../src/delivery/stage/object-edges';
import { stagesOf } from '../../../src/delivery/stage/stages';
import { LoadedAssembly, loadAssembly } from '../../../src/engine/read/load-assembly';
import { SmallProgram } from '../../engine/graph/_assemblies';
import { someOf } from '../../support/cases';

const EXAMPLES = join(__dirname, '..', '..', '..', 'examples');
const NAMES = readdirSync(EXAMPLES)
  .filter((name) => existsSync(join(EXAMPLES, name, 'dist', 'assembly.json')))
  .sort();

type Program = Pick<LoadedAssembly, 'assembly' | 'manifests'>;

/** The folder of each object. */
function foldersOf(program: Program): Map<string, string> {
  return new Map(
    stagesOf(program).flatMap(({ folder, objects }) => objects.map((id) => [id, folder] as const)),
  );
}

/**
 * A program without one of its objects: with the edges to it; the content of the others remains.
 */
function without({ assembly, manifests }: Program, removed: string): Program {
  const groups = assembly.groups.map((group) => ({
    ...group,
    objects: group.objects.filter((id) => id !== removed),
  }));
  const isLeft = ({ from, to }: AssemblyEdge): boolean => from !== removed && to !== removed;
  return {
    assembly: {
      ...assembly,
      groups,
      objects: assembly.objects.filter(({ id }) => id !== removed),
      edges: assembly.edges.filter(isLeft),
    },
    manifests: new Map([...manifests].filter(([id]) => id !== removed)),
  };
}

/** A program with an object of another name in place of one: nothing refers to it. */
function renamed(program: Program, id: string): Program {
  const { assembly, manifests } = without(program, id);
  const object = program.assembly.objects.find((each) => each.id === id)!;
  const manifest = program.manifests.get(id)!;
  const name = `${object.name}-renamed`;
  return {
    assembly: {
      ...assembly,
      objects: [...assembly.objects, { ...object, id: `${id}-renamed`, name }],
      edges: [
        ...assembly.edges,
        ...program.assembly.edges
          .filter(({ from }) => from === id)
          .map((edge) => ({ ...edge, from: `${id}-renamed` })),
      ],
    },
    manifests: new Map([
      ...manifests,
      [`${id}-renamed`, { ...manifest, metadata: { ...manifest.metadata, name } }],
    ]),
  };
}

/** A program of which some objects wait for a late value. */
function withLate({ assembly, manifests }: Program, ids: ReadonlySet<string>): Program {
  const objects = assembly.objects.map((object) =>
    ids.has(object.id) ? { ...object, lateValues: ['any'] } : object,
  );
  return { assembly: { ...assembly, objects }, manifests };
}

/** What moved, as text. */
function moves(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...before].flatMap(([id, folder]) =>
    after.has(id) && after.get(id) !== folder ? [`${id} from ${folder} to ${after.get(id)}`] : [],
  );
}

/**
 * Edges between objects of one stage, of which the second must be healthy before the first is
 * accepted.
 */
function hardWithin(program: Program): string[] {
  const folders = foldersOf(program);
  const edges = new ObjectEdges(program.assembly, program.manifests);
  return edges.objects.flatMap((object) =>
    edges
      .of(object)
      .filter(
        ({ to, isHard, isLoose }) =>
          isHard && !isLoose && folders.get(object.id) === folders.get(to.id),
      )
      .map(({ to }) => `${object.id} waits for ${to.id}`),
  );
}

/** The folders of the stages that each stage waits for, directly or not. */
function foldersBefore(program: Program): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    stagesOf(program).map((stage) => [
      stage.folder,
      new Set([...reach(stage.after, ({ after }) => after)].map(({ folder }) => folder)),
    ]),
  );
}

/** Objects whose stage does not wait for that of their Namespace. */
function beforeNamespace(program: Program): string[] {
  const before = foldersBefore(program);
  const folders = foldersOf(program);
  return program.assembly.objects.flatMap(({ id, target, namespace }) => {
    const [own, other] = [folders.get(id), folders.get(`${target}//Namespace//${namespace}`)];
    const isOrdered =
      own === undefined || other === undefined || own === other || before.get(own)!.has(other);
    return isOrdered ? [] : [id];
  });
}

/** Edges that the stages do not follow. */
function lost(program: Program): string[] {
  const before = foldersBefore(program);
  const folders = foldersOf(program);
  const edges = new ObjectEdges(program.assembly, program.manifests);
  return edges.objects.flatMap((object) =>
    edges
      .of(object)
      .filter(({ to, isLoose }) => {
        const [own, other] = [folders.get(object.id)!, folders.get(to.id)!];
        return !isLoose && own !== other && !before.get(own)!.has(other);
      })
      .map(({ to }) => `${object.id} waits for ${to.id}`),
  );
}

/**
 * Whether an object declares to wait for another one, so that its own stage is another without
 * that.
 */
const declares = (program: Program): ((id: string, other: string) => boolean) => {
  const edges = new ObjectEdges(program.assembly, program.manifests);
  const after = new Map(
    edges.objects.map((object) => [object.id, edges.of(object).map(({ to }) => to.id)]),
  );
  return (id, other) => reach([id], (each) => after.get(each) ?? []).has(other);
};

describe.each(someOf(NAMES, 5))('the stages of %s', (name) => {
  const program = loadAssembly(join(EXAMPLES, name, 'dist'));
  const folders = foldersOf(program);
  const ids = [...folders.keys()];

  test('do not change when an object is removed or added', () => {
    // those with a stage after a later one have it by an edge to an object, which is removed with
    // the object
    const isDeclared = declares(program);
    const found = ids.flatMap((id) =>
      moves(folders, foldersOf(without(program, id)))
        .filter((text) => !(text.includes('-after-') && isDeclared(text.split(' ')[0], id)))
        .map((text) => `without ${id}: ${text}`),
    );
    expect(found).toEqual([]);
  });

  test('do not change when another object is renamed', () => {
    const isDeclared = declares(program);
    const found = ids.flatMap((id) =>
      moves(folders, foldersOf(renamed(program, id)))
        .filter((text) => !(text.includes('-after-') && isDeclared(text.split(' ')[0], id)))
        .map((text) => `${id} renamed: ${text}`),
    );
    expect(found).toEqual([]);
  });

  test('do not change when another object waits for a late value, and follow all edges', () => {
    const isDeclared = declares(program);
    const found = program.assembly.objects
      .filter(({ lateValues }) => lateValues === undefined)
      .flatMap(({ id }) => {
        const changed = withLate(program, new Set([id]));
        // one that needs the late one, which needs others of its stage, cannot remain with them
        const isBetween = (text: string): boolean =>
          text.includes('/alone-') && isDeclared(text.split(' ')[0], id);
        const moved = moves(folders, foldersOf(changed))
          .filter((text) => !text.startsWith(`${id} `))
          .filter((text) => !isBetween(text));
        return [...moved, ...lost(changed)].map((text) => `${id} late: ${text}`);
      });
    expect(found).toEqual([]);
  });

  test('wait for their namespaces, also where these wait for late values', () => {
    const namespaces = program.assembly.objects.filter(({ kind }) => kind === 'Namespace');
    expect(beforeNamespace(program)).toEqual([]);
    expect(beforeNamespace(withLate(program, new Set(namespaces.map(({ id }) => id))))).toEqual([]);
  });

  test('have no object that waits for one of the same stage, and follow all edges', () => {
    expect(hardWithin(program)).toEqual([]);
    expect(lost(program)).toEqual([]);
  });
});

const KINDS: readonly (readonly [
  apiVersion: string,
  kind: string,
  path: string,
  content?: object,
])[] = [
  ['v1', 'Namespace', 'n'],
  ['v1', 'Secret', 'n/s'],
  ['v1', 'ConfigMap', 'm/c'],
  ['v1', 'ServiceAccount', 'n/a'],
  ['rbac.authorization.k8s.io/v1', 'Role', 'n/r'],
  ['management.cattle.io/v3', 'User', 'u'],
  ['management.cattle.io/v3', 'RoleTemplate', 'r'],
  ['management.cattle.io/v3', 'RoleTemplate', 'i', { roleTemplateNames: ['r-1'] }],
  ['management.cattle.io/v3', 'Project', 'c-m-a/p', { spec: { clusterName: 'c-m-a' } }],
  [
    'management.cattle.io/v3',
    'ProjectRoleTemplateBinding',
    'c-m-a-p/b',
    { projectName: 'c-m-a:p-8' },
  ],
  [
    'provisioning.cattle.io/v1',
    'Cluster',
    'fleet-default/c',
    { metadata: { annotations: { 'provisioning.cattle.io/management-cluster-name': 'c-m-a' } } },
  ],
  [
    'provisioning.cattle.io/v1',
    'Cluster',
    'fleet-default/g',
    {
      metadata: { annotations: { 'provisioning.cattle.io/management-cluster-name': 'c-m-a' } },
      spec: { rkeConfig: {} },
    },
  ],
  ['harvesterhci.io/v1beta1', 'VirtualMachineImage', 'n/i'],
  ['k8s.cni.cncf.io/v1', 'NetworkAttachmentDefinition', 'n/n'],
  ['kubevirt.io/v1', 'VirtualMachine', 'n/v'],
  ['apps/v1', 'Deployment', 'n/d'],
  ['example.com/v1', 'Unknown', 'n/x'],
];

/** Numbers that follow from a seed. */
class Random {
  constructor(private state: number) {}

  /** A whole number below a limit. */
  public int(limit: number): number {
    // the minimal standard generator of Park and Miller
    this.state = (this.state * 48271) % 2147483647;
    return this.state % limit;
  }

  public pick<T>(items: readonly T[]): T {
    return items[this.int(items.length)];
  }
}

/** A program with objects of all kinds and with edges between any of them, which form no circle. */
function generated(seed: number): SmallProgram {
  const random = new Random(seed);
  const program = new SmallProgram()
    .target('rancher', 'rancher')
    .target('dc1', 'harvester')
    .target('shop', 'guest');
  const ids = Array.from({ length: 30 }, (_, index) => {
    const [apiVersion, kind, path, content = {}] = random.pick(KINDS);
    return program.object(
      random.pick(['rancher', 'dc1', 'shop']),
      apiVersion,
      kind,
      `${path}-${index}`,
      content as { [field: string]: unknown },
    );
  });
  for (let count = random.int(12); count > 0; count--) {
    const [one, other] = [random.int(ids.length), random.int(ids.length)];
    if (one !== other) {
      program.edge(
        ids[Math.max(one, other)],
        ids[Math.min(one, other)],
        random.pick(['applied', 'ready']),
      );
    }
  }
  return program;
}

test('has stages without circles for every program, which follow all edges', () => {
  for (let seed = 1; seed <= 80; seed++) {
    const program = generated(seed);
    let found: string[];
    try {
      found = [...hardWithin(program), ...lost(program)];
    } catch (error) {
      // declared edges that contradict what objects refer to
      if (/these wait for each other/.test((error as Error).message)) {
        continue;
      }
      throw error;
    }
    expect(found.map((text) => `seed ${seed}: ${text}`)).toEqual([]);
  }
});

test('has stages without circles where any objects wait for late values', () => {
  for (let seed = 1; seed <= 80; seed++) {
    const { assembly, manifests } = generated(seed);
    const random = new Random(seed + 1000);
    const ids = new Set(assembly.objects.map(({ id }) => id).filter(() => random.int(4) === 0));
    let found: string[];
    try {
      found = lost(withLate({ assembly, manifests }, ids));
    } catch (error) {
      // declared edges that contradict what objects refer to
      if (/these wait for each other/.test((error as Error).message)) {
        continue;
      }
      throw error;
    }
    expect(found.map((text) => `seed ${seed}: ${text}`)).toEqual([]);
  }
});

test('moves no object of a generated program that does not wait for the one that is removed', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const program = generated(seed);
    const folders = foldersOf(program);
    const isDeclared = declares(program);
    const found = [...folders.keys()].flatMap((id) =>
      moves(folders, foldersOf(without(program, id))).filter(
        (text) => !isDeclared(text.split(' ')[0], id),
      ),
    );
    expect(found.map((text) => `seed ${seed}: ${text}`)).toEqual([]);
  }
});
