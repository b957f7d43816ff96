import { ObjectEdge, ObjectEdges } from './object-edges';
import { ownStageName, stageName } from './stage-names';
import { TargetKind } from '../../core/construct/target';
import { inCircles, inverted, reach } from '../../core/graph/reach';
import { PlacedStage, stagePlaceOf } from '../../core/kind/description/stage-place';
import { kindOf, rankOf } from '../../core/kind/kinds';
import { Manifest } from '../../core/manifest/manifest';
import { Assembly, AssemblyObject } from '../../core/output/assembly';
import { compare, grouped, remembered } from '../../core/text/values';

/** Objects of a target that an engine can apply in one request after the other, in any order. */
export interface Stage {
  /**
   * `<target>-<what it contains>`: the name of its Kustomization or bundle, if that is short
   * enough.
   */
  readonly name: string;
  readonly target: string;
  /** The folder of its objects below the output: `<target>/<what it contains>`. */
  readonly folder: string;
  /**
   * Its place among the stages of the target: greater than those of the stages that it waits for.
   */
  readonly wave: number;
  /** IDs of its objects, sorted. */
  readonly objects: readonly string[];
  /** The stages that must be healthy before, without those that others of them wait for. */
  readonly after: readonly Stage[];
  /**
   * Whether its object contains late values, so that it is not in the output: `resolve` writes it.
   */
  readonly isLate: boolean;
  /** IDs of its objects that must be healthy before objects of other stages. */
  readonly awaited: ReadonlySet<string>;
}

/** An assembly with its manifests by ID. */
interface StagedProgram {
  readonly assembly: Assembly;
  readonly manifests: ReadonlyMap<string, Manifest>;
}

/**
 * The stages of all targets, in order within each target.
 *
 * The stage of an object follows from the object itself: its kind, its namespace, and what it
 * declares to wait for. No other object of the program moves it.
 *
 * @param left IDs of objects that no engine delivers
 */
export function stagesOf(program: StagedProgram, left: ReadonlySet<string> = new Set()): Stage[] {
  return new Staging(program, left).stages();
}

/** An object with the stage of its kind. */
interface StagedObject extends PlacedStage {
  readonly object: AssemblyObject;
  readonly isLate: boolean;
  /** The folder that it has without late values. */
  readonly base: string;
}

/** An object in its stage. */
interface Placed extends StagedObject {
  /** The folder of its stage. */
  readonly folder: string;
  /** The objects of other stages that it waits for. */
  readonly after: readonly ObjectEdge[];
}

/** The stage of an object that cannot be in that of its kind. */
type StageApart = Pick<Placed, 'isAlone' | 'base' | 'folder' | 'place'>;

/** What the objects of a stage have to do with those of others. */
interface Draft {
  readonly folder: string;
  readonly objects: Placed[];
  readonly after: Set<string>;
  readonly awaited: Set<string>;
}

class Staging {
  private readonly edges: ObjectEdges;
  private readonly kinds: ReadonlyMap<string, TargetKind>;
  /** Each after those that it waits for. */
  private readonly placed = new Map<string, Placed>();

  constructor(
    private readonly program: StagedProgram,
    left: ReadonlySet<string>,
  ) {
    const { assembly, manifests } = program;
    this.kinds = new Map(assembly.targets.map(({ name, kind }) => [name, kind as TargetKind]));
    this.edges = new ObjectEdges(assembly, manifests);
    for (const object of this.edges.objects) {
      if (!left.has(object.id)) {
        this.placed.set(object.id, this.place(object));
      }
    }
    this.breakCircles();
  }

  public stages(): Stage[] {
    const drafts = this.drafts();
    const stages = new Map<string, Stage>();
    // each after those that it waits for
    for (const folder of inOrder(drafts)) {
      stages.set(folder, stageOf(folder, drafts, stages));
    }
    refuseSameName(stages.values());
    return [...stages.values()].sort(
      (a, b) => compare(a.target, b.target) || a.wave - b.wave || compare(a.name, b.name),
    );
  }

  private drafts(): ReadonlyMap<string, Draft> {
    const drafts = new Map<string, Draft>();
    const draftOf = (folder: string): Draft =>
      remembered(drafts, folder, () => ({
        folder,
        objects: [],
        after: new Set(),
        awaited: new Set(),
      }));
    for (const placed of this.placed.values()) {
      const draft = draftOf(placed.folder);
      draft.objects.push(placed);
      for (const edge of placed.after) {
        const { folder } = this.placedEnd(edge);
        draft.after.add(folder);
        if (edge.isHard) {
          draftOf(folder).awaited.add(edge.to.id);
        }
      }
    }
    return drafts;
  }

  /**
   * An object that waits for one of a later place cannot be in the stage of its kind: it has one of
   * its own. So does an object that waits for one of the same stage, unless engines order both by
   * themselves.
   *
   * @param circle IDs of objects in stages that wait for each other
   */
  private place(object: AssemblyObject, circle: ReadonlySet<string> = NONE): Placed {
    const staged = this.staged(object);
    const edges = this.edges.of(object).filter(({ to }) => this.placed.has(to.id));
    const followed = edges.filter(
      (edge) => !edge.isLoose || this.placedEnd(edge).place < staged.place,
    );
    const later = edges
      .filter((edge) => this.needsStageApart(staged, edge, circle))
      .map((edge) => this.placedEnd(edge));
    const stage =
      staged.isAlone || later.length > 0
        ? this.stageApart(staged, followed, later)
        : // one that is not resolved yet must not hold back others
          { folder: staged.isLate ? aloneFolder(staged) : staged.base };
    return {
      ...staged,
      ...stage,
      // engines order objects of one stage by themselves
      after: followed.filter((edge) => this.placedEnd(edge).folder !== stage.folder),
    };
  }

  /** An object with the stage of its kind. */
  private staged(object: AssemblyObject): StagedObject {
    const { id, target } = object;
    const manifest = this.program.manifests.get(id)!;
    const stage = stagePlaceOf(
      manifest,
      this.kinds.get(target)!,
      rankOf(manifest),
      kindOf(manifest),
    );
    const isLate = object.lateValues !== undefined;
    return {
      ...stage,
      place: stage.place + (isLate ? LATER : 0),
      object,
      isLate,
      base: `${target}/${stageName(stage)}`,
    };
  }

  /** The object at the end of an edge, in its stage. */
  private placedEnd({ to }: ObjectEdge): Placed {
    return this.placed.get(to.id)!;
  }

  /** Whether an object cannot be in the stage of its kind, as it waits for another object. */
  private needsStageApart(
    staged: StagedObject,
    edge: ObjectEdge,
    circle: ReadonlySet<string>,
  ): boolean {
    const other = this.placedEnd(edge);
    const isInCircle = circle.has(edge.to.id);
    if (edge.isLoose) {
      return false;
    }
    if (other.base === staged.base) {
      // the rest of the stage may be what the late one waits for
      return edge.isHard || (other.isLate && isInCircle);
    }
    if (other.place < staged.place) {
      return false;
    }
    // kinds refer to each other in one direction, so that their stages wait for each other in one
    // direction, too
    return other.isAlone === true || isInCircle || !this.edges.isImplied(staged.object, edge.to);
  }

  /**
   * The stage of an object that cannot be in that of its kind.
   *
   * @param followed the objects that it comes after
   * @param later those because of which it cannot be in the stage of its kind
   */
  private stageApart(
    staged: StagedObject,
    followed: readonly ObjectEdge[],
    later: readonly Placed[],
  ): StageApart {
    const { object, isLate, base } = staged;
    const places = [staged.place, ...followed.map((edge) => this.placedEnd(edge).place)];
    const common = staged.isAlone ? undefined : onlyStage(later, base);
    if (common === undefined) {
      return {
        isAlone: true,
        base: `${object.target}/${ownStageName(object, false)}`,
        folder: aloneFolder(staged),
        place: Math.max(...places, 0),
      };
    }
    const together = `${base}-after-${common.replace('/', '-')}`;
    return {
      isAlone: true,
      base: together,
      folder: isLate ? aloneFolder(staged) : together,
      place: Math.max(...places, Math.floor(later[0].place) + LATER),
    };
  }

  private breakCircles(): void {
    const drafts = this.drafts();
    const folders = inCircles(drafts.keys(), (folder) => drafts.get(folder)!.after);
    const objects = [...this.placed.values()]
      .filter(({ folder }) => folders.has(folder))
      .map(({ object }) => object);
    const circle = new Set(objects.map(({ id }) => id));
    for (const object of objects) {
      this.placed.set(object.id, this.place(object, circle));
    }
  }
}

const NONE: ReadonlySet<string> = new Set();

/** The folder of an object that shares its stage with no other one. */
function aloneFolder({ object, isLate }: StagedObject): string {
  return `${object.target}/${ownStageName(object, isLate)}`;
}

/**
 * The stage of a kind that all of these are in, other than a given one: objects of one stage that
 * wait for it can be together.
 */
function onlyStage(objects: readonly Placed[], other: string): string | undefined {
  const [first, ...others] = new Set(objects.map(({ base }) => base));
  return others.length === 0 && first !== other && objects.every(({ isAlone }) => !isAlone)
    ? first
    : undefined;
}

/**
 * Objects with late values come after those of the same stage, from which the values may be read.
 */
const LATER = 0.5;

/** Leaves room for objects with stages of their own. */
const WAVES_APART = 10;

/** The stage of a folder. @param stages those that it waits for */
function stageOf(
  folder: string,
  drafts: ReadonlyMap<string, Draft>,
  stages: ReadonlyMap<string, Stage>,
): Stage {
  const { objects, after, awaited } = drafts.get(folder)!;
  const [first] = objects;
  const { target } = first.object;
  const before = [...after].map((other) => stages.get(other)!);
  const waves = before.filter((other) => other.target === target).map(({ wave }) => wave + 1);
  const indirect = indirectlyBefore(after, drafts);
  return {
    name: folder.replace('/', '-'),
    target,
    folder,
    wave: Math.max(first.place * WAVES_APART, ...waves),
    objects: objects.map(({ object }) => object.id).sort(compare),
    after: before
      .filter((other) => !indirect.has(other.folder))
      .sort((a, b) => compare(a.name, b.name)),
    isLate: first.isLate,
    awaited,
  };
}

/** The folders that these wait for. */
function indirectlyBefore(
  folders: Iterable<string>,
  drafts: ReadonlyMap<string, Draft>,
): ReadonlySet<string> {
  const before = (folder: string): Iterable<string> => drafts.get(folder)!.after;
  return reach(
    [...folders].flatMap((folder) => [...before(folder)]),
    before,
  );
}

/** The folders of stages, each after those that it waits for. */
function inOrder(drafts: ReadonlyMap<string, Draft>): Iterable<string> {
  const waits = new Map([...drafts.values()].map(({ folder, after }) => [folder, after.size]));
  const waiting = inverted(
    [...drafts.values()].flatMap(({ folder, after }) =>
      [...after].map((other) => [folder, other] as const),
    ),
  );
  const ready = [...drafts.keys()].filter((folder) => waits.get(folder) === 0);
  // a list is walked with what is added on the way
  for (const folder of ready) {
    for (const other of waiting.get(folder) ?? []) {
      waits.set(other, waits.get(other)! - 1);
      if (waits.get(other) === 0) {
        ready.push(other);
      }
    }
  }
  if (ready.length < drafts.size) {
    const circle = [...drafts.keys()].filter((folder) => waits.get(folder)! > 0);
    throw new Error(`stages: ${circle.join(', ')} wait for each other`);
  }
  return ready;
}

/** Throws if stages of two targets have the same name. */
function refuseSameName(stages: Iterable<Stage>): void {
  for (const [name, [first, second]] of grouped(stages, (stage) => stage.name)) {
    if (second) {
      throw new Error(
        `stage ${name}: must be of one target, got ${first.target} and ${second.target}. Fix: rename one of the targets`,
      );
    }
  }
}
