import { createHash } from 'crypto';
import { ObjectEdge, ObjectEdges } from './object-edges';
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

/** An object in its stage. */
interface Placed extends PlacedStage {
  readonly object: AssemblyObject;
  readonly isLate: boolean;
  /** The folder of its stage. */
  readonly folder: string;
  /** The folder that it has without late values. */
  readonly base: string;
  /** The objects of other stages that it waits for. */
  readonly after: readonly ObjectEdge[];
}

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
    const next = (folder: string): Iterable<string> => drafts.get(folder)!.after;
    const stages = new Map<string, Stage>();
    // each after those that it waits for
    for (const folder of inOrder(drafts)) {
      const { objects, after, awaited } = drafts.get(folder)!;
      const [
        {
          object: { target },
          place,
          isLate,
        },
      ] = objects;
      const indirect = reach(
        [...after].flatMap((other) => [...next(other)]),
        next,
      );
      const before = [...after].map((other) => stages.get(other)!);
      stages.set(folder, {
        name: folder.replace('/', '-'),
        target,
        folder,
        wave: Math.max(
          place * WAVES_APART,
          ...before.filter((other) => other.target === target).map(({ wave }) => wave + 1),
        ),
        objects: objects.map(({ object }) => object.id).sort(compare),
        after: before
          .filter((other) => !indirect.has(other.folder))
          .sort((a, b) => compare(a.name, b.name)),
        isLate,
        awaited,
      });
    }
    refuseTwice(stages.values());
    return [...stages.values()].sort(
      (a, b) => compare(a.target, b.target) || a.wave - b.wave || compare(a.name, b.name),
    );
  }

  private drafts(): ReadonlyMap<string, Draft> {
    const drafts = new Map<string, Draft>();
    const of = (folder: string): Draft =>
      remembered(drafts, folder, () => ({
        folder,
        objects: [],
        after: new Set(),
        awaited: new Set(),
      }));
    for (const placed of this.placed.values()) {
      const draft = of(placed.folder);
      draft.objects.push(placed);
      for (const { to, isHard } of placed.after) {
        const other = this.placed.get(to.id)!;
        draft.after.add(other.folder);
        if (isHard) {
          of(other.folder).awaited.add(to.id);
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
    const manifest = this.program.manifests.get(object.id)!;
    const own = stagePlaceOf(
      manifest,
      this.kinds.get(object.target)!,
      rankOf(manifest),
      kindOf(manifest),
    );
    const isLate = object.lateValues !== undefined;
    const place = own.place + (isLate ? LATER : 0);
    const base = `${object.target}/${stageName(own)}`;
    const alone = `${object.target}/${ownStageName(object, isLate)}`;
    const edges = this.edges.of(object).filter(({ to }) => this.placed.has(to.id));
    const otherOf = ({ to }: ObjectEdge): Placed => this.placed.get(to.id)!;
    const isFollowed = (edge: ObjectEdge): boolean => otherOf(edge).place < place || !edge.isLoose;
    const needsOwn = (edge: ObjectEdge): boolean => {
      const other = otherOf(edge);
      if (edge.isLoose) {
        return false;
      }
      if (other.base === base) {
        // the rest of the stage may be what the late one waits for
        return edge.isHard || (other.isLate && circle.has(edge.to.id));
      }
      // kinds refer to each other in one direction, so that their stages wait for each other in one
      // direction, too
      return (
        other.place >= place &&
        (other.isAlone === true || circle.has(edge.to.id) || !this.edges.isImplied(object, edge.to))
      );
    };
    const followed = edges.filter(isFollowed);
    const common = { ...own, object, isLate, base };
    const later = edges.filter(needsOwn).map(otherOf);
    if (!own.isAlone && later.length === 0) {
      // one that is not resolved yet must not hold back others
      const folder = isLate ? alone : base;
      return {
        ...common,
        place,
        folder,
        // engines order objects of one stage by themselves
        after: followed.filter((edge) => otherOf(edge).folder !== folder),
      };
    }
    const together = own.isAlone ? undefined : onlyStage(later, base);
    const after =
      together === undefined ? undefined : `${base}-after-${together.replace('/', '-')}`;
    const folder = isLate || after === undefined ? alone : after;
    return {
      ...common,
      isAlone: true,
      after: followed.filter((edge) => otherOf(edge).folder !== folder),
      place: Math.max(
        place,
        ...followed.map((edge) => otherOf(edge).place),
        together === undefined ? 0 : Math.floor(later[0].place) + LATER,
      ),
      folder,
      base: after ?? `${object.target}/${ownStageName(object, false)}`,
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
    throw new Error(
      `stages: ${[...drafts.keys()].filter((folder) => waits.get(folder)! > 0).join(', ')} wait for each other`,
    );
  }
  return ready;
}

/** Throws if stages of two targets have the same name. */
function refuseTwice(stages: Iterable<Stage>): void {
  for (const [name, [first, second]] of grouped(stages, (stage) => stage.name)) {
    if (second) {
      throw new Error(
        `stage ${name}: must be of one target, got ${first.target} and ${second.target}. Fix: rename one of the targets`,
      );
    }
  }
}

/** The longest name of the folder of a stage. */
const MAX_FOLDER = 100;

/**
 * A text as part of a name: what a name cannot contain is replaced, and a digest of the text
 * distinguishes it from others.
 */
function slug(text: string): string {
  const plain = text
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return plain === text ? text : `${plain}-${digest(text)}`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

/** A name of at most some length; a digest distinguishes a shortened one from others. */
export function shortened(name: string, longest: number): string {
  return name.length <= longest
    ? name
    : `${name.slice(0, longest - 9).replace(/-+$/, '')}-${digest(name)}`;
}

/** An object as its stage is named for it. */
interface NamedObject {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** The name of a stage below its target: what it contains, e.g. `projects-c-m-x7k2p`. */
function stageName({ stage, part }: PlacedStage): string {
  return shortened([stage, ...(part === undefined ? [] : [slug(part)])].join('-'), MAX_FOLDER);
}

/**
 * The name of a stage of one object below its target: `alone-roletemplate-auditor`, or `late-…` for
 * one that contains late values.
 */
function ownStageName({ kind, namespace, name }: NamedObject, isLate: boolean): string {
  const words = [kind.toLowerCase(), ...(namespace === undefined ? [] : [namespace]), name];
  return shortened([isLate ? 'late' : 'alone', ...words.map(slug)].join('-'), MAX_FOLDER);
}
