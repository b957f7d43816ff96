import { Construct } from 'constructs';
import { Comparison, FieldFacts, compareLive } from './evaluate/compare';
import { Evaluated, evaluate } from './evaluate/evaluate';
import { factsByKind, NO_FACTS } from './evaluate/facts-by-kind';
import { OmittedField, omittedFields } from './evaluate/omitted';
import { completionByCalls, MAX_REFUSALS, withoutRefused } from './evaluate/refused';
import { remainingErrors } from './evaluate/remaining-errors';
import { completedManifest, Rendered, renderedBy } from './evaluate/rendered';
import {
  API_OBJECT,
  apiObject,
  Completion,
  Statements,
  foundId,
  reachOf,
} from './evaluate/statements';
import { exposedIn } from './evaluate/variables';
import { ALL_INVERSES } from './inverses/all-inverses';
import { cleaned } from './select/cleaned';
import { ReadSurroundings } from './surroundings';
import { othersWriteOf } from '../core/construct/object-notes';
import {
  Draft,
  FoundObject,
  FoundCluster,
  Inverse,
  Surroundings,
  isFor,
} from '../core/draft/draft';
import {
  FieldPath,
  FieldPattern,
  groupOf,
  idOf,
  kindKey,
  objectLabel,
  pathOf,
  patternOf,
  replacedAt,
} from '../core/manifest/manifest';
import { ProgramObject } from '../core/program/program';
import { Finding } from '../core/rule/finding';
import { isSuppressible } from '../core/rule/rule';

/** A program that declares what was found. */
export interface Adopted {
  readonly statements: Statements;
  readonly evaluated: Evaluated;
  /** Why better statements were dropped, by the ID of their first object. */
  readonly dropped: ReadonlyMap<string, readonly string[]>;
  /** Why constructs refuse values, which JSON patches set, by the ID of their first object. */
  readonly refusals: ReadonlyMap<string, readonly string[]>;
  /** Why objects are not declared, by their IDs. */
  readonly leftOut: ReadonlyMap<string, string>;
  /** Objects that differ from what the program renders even so. */
  readonly differences: ReadonlyMap<string, Comparison>;
  /** Fields that the program does not declare, by the IDs of their objects. */
  readonly omitted: ReadonlyMap<string, readonly OmittedField[]>;
  /** Objects that the program declares beyond what was found. */
  readonly created: readonly ProgramObject[];
  /** Errors of the program that nothing accepts. */
  readonly errors: readonly Finding[];
}

/** What is adopted, and how. */
export interface AdoptOptions {
  /** @default - those of all constructs */
  readonly inverses?: readonly Inverse[];
  /**
   * Why an object is not declared; undefined for one that is. Others can refer to it.
   * @default - all are declared that the inverses do not leave out
   */
  readonly leaveOut?: (object: FoundObject) => string | undefined;
  /**
   * Why an object that no construct declares is not declared as it is either; undefined for one
   * that is.
   * @default - all are that the inverses allow
   */
  readonly notPlain?: (object: FoundObject) => string | undefined;
  /**
   * IDs that the program has already in its charts, each as `<target>/<ID>`.
   * @default - none: the program is new
   */
  readonly takenIds?: Iterable<string>;
  /** Environment variables that the program reads already. @default - none: the program is new */
  readonly takenVariables?: readonly string[];
  /**
   * Objects that the program declares already: references to them are valid.
   * @default - none: the program is new
   */
  readonly declared?: readonly Pick<FoundObject, 'target' | 'manifest'>[];
}

/** What is known of a draft from earlier rounds. */
interface Attempt {
  /** What takes the place of the guess. */
  amended?: Draft;
  completion?: Completion;
  /** Whether it was compared before. */
  isCompleted?: boolean;
  /** Why the construct refused values, which JSON patches set. */
  refusals?: readonly string[];
  /** The props that it lost last. */
  refused?: readonly FieldPattern[];
  /** What is left of it without them: used where no other draft declares the object. */
  relaxed?: Draft;
  rejected?: string;
}

/**
 * More rounds than objects can have candidates: each round completes or drops at least one draft.
 */
const MAX_ROUNDS = 20;

/**
 * Makes the program whose rendering is what was found: guesses statements, renders them, completes
 * or drops those that differ, and repeats.
 */
export function adopt(clusters: readonly FoundCluster[], options: AdoptOptions = {}): Adopted {
  return new Adoption(clusters, options).run();
}

/**
 * Why the statement of an object cannot be evaluated, so that no program has it; undefined where it
 * can.
 */
export function failureOf(
  object: FoundObject,
  { statements, evaluated }: Adopted,
): string | undefined {
  const draft = statements.declarer(foundId(object));
  const error = draft && evaluated.errors.get(draft);
  return error === undefined ? undefined : `cannot be declared: ${error}`;
}

/** The objects that an inverse begins with, and no draft declares yet. */
function objectsOf(inverse: Inverse, around: Surroundings): readonly FoundObject[] {
  const clusters = around.clusters.filter((cluster) => isFor(inverse, cluster));
  return clusters.flatMap(({ name }) =>
    inverse.kinds.flatMap((kind) => around.objects(name, kind)),
  );
}

class Adoption {
  /** By the draft's key. */
  private readonly attempts = new Map<string, Attempt>();
  private readonly keys = new Map<Draft, string>();
  private readonly facts: ReadonlyMap<string, FieldFacts>;
  private readonly dropped = new Map<string, string[]>();
  private readonly leftOut: Map<string, string>;
  private readonly undeclared = new Map<string, string>();
  private readonly inverses: readonly Inverse[];
  private readonly takenIds: readonly string[];
  private readonly declared: NonNullable<AdoptOptions['declared']>;
  private readonly takenVariables: readonly string[];
  private readonly leftPlain: AdoptOptions['notPlain'];

  constructor(
    private readonly clusters: readonly FoundCluster[],
    options: AdoptOptions,
  ) {
    const {
      inverses = ALL_INVERSES,
      leaveOut,
      takenIds = [],
      takenVariables = [],
      declared = [],
    } = options;
    [this.inverses, this.takenIds, this.takenVariables, this.declared] = [
      inverses,
      [...takenIds],
      takenVariables,
      declared,
    ];
    this.leftPlain = options.notPlain;
    this.facts = factsByKind(inverses);
    const around = new ReadSurroundings(clusters, () => true);
    const reasons = [
      ...inverses.flatMap((inverse) =>
        (inverse.leftOut ? objectsOf(inverse, around) : []).map(
          (object) => [foundId(object), tried(() => inverse.leftOut!(object, around))] as const,
        ),
      ),
      ...(leaveOut
        ? clusters
            .flatMap(({ objects }) => objects)
            .map((object) => [foundId(object), leaveOut(object)] as const)
        : []),
    ];
    this.leftOut = new Map(
      reasons.filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
  }

  public run(): Adopted {
    for (let round = 1; ; round++) {
      const statements = this.guess();
      const evaluated = evaluate(statements);
      const { isSettled, differences, created } = this.judge(statements, evaluated);
      if (!isSettled && round < MAX_ROUNDS) {
        continue;
      }
      const errors = remainingErrors(evaluated, this.clusters, this.declared);
      // the clusters run with it
      if (round < MAX_ROUNDS && this.accept(errors, evaluated, statements)) {
        continue;
      }
      const exposed = exposedIn(statements);
      if (exposed.size > 0) {
        exposed.forEach((reason, id) => this.leftOut.set(id, reason));
        round = 0;
        continue;
      }
      // a construct may also write what was found and left out, such as the account of a credential
      const found = new Set(this.clusters.flatMap(({ objects }) => objects).map(foundId));
      return {
        statements,
        evaluated,
        dropped: this.dropped,
        refusals: this.refusalsOf(statements),
        leftOut: new Map([...this.leftOut, ...this.undeclared]),
        differences,
        omitted: this.omitted(statements, evaluated),
        created: created.filter(({ id }) => !found.has(id)),
        errors,
      };
    }
  }

  /** Accepts errors in what was found, each once. Returns whether there were any to accept. */
  private accept(
    errors: readonly Finding[],
    { constructs }: Evaluated,
    statements: Statements,
  ): boolean {
    let isNew = false;
    const drafts = [...constructs]
      .filter(([draft]) => this.keys.has(draft))
      .map(([draft, { node }]) => ({ draft, path: node.path }))
      .sort((a, b) => b.path.length - a.path.length);
    for (const finding of errors) {
      const { rule, message, construct } = finding;
      const above =
        construct === undefined
          ? undefined
          : drafts.find(({ path }) => construct === path || construct.startsWith(`${path}/`));
      // a namespace of a project is in the chart of another cluster than the project
      const object = above ? undefined : idOfFinding(finding);
      const draft =
        above?.draft ?? (object === undefined ? undefined : statements.declarer(object));
      const attempt = draft && this.attempts.get(this.keys.get(draft) ?? '');
      const { suppressions = [], ...completion } = attempt?.completion ?? { patches: [] };
      const isAccepted = suppressions.some((each) => each.rule === rule && each.object === object);
      const isReached = object === undefined || (draft && reachOf(draft, object)) !== undefined;
      if (!attempt || !isSuppressible(rule) || isAccepted || !isReached) {
        continue;
      }
      attempt.completion = {
        ...completion,
        suppressions: [
          ...suppressions,
          { rule, reason: `adopted as it is on the cluster: ${message}`, object },
        ],
      };
      isNew = true;
    }
    return isNew;
  }

  /** The best statements that were not dropped; each object is declared once. */
  private guess(): Statements {
    const claimed = new Set(this.leftOut.keys());
    this.undeclared.clear();
    const around: ReadSurroundings = new ReadSurroundings(
      this.clusters,
      (object) => !claimed.has(foundId(object)),
      (id) => statements.declarer(id) !== undefined,
    );
    const statements = new Statements(around, this.inverses, this.takenIds, this.takenVariables);
    const guess: Guess = { claimed, around, statements };
    this.inverses.forEach((inverse, index) => {
      for (const object of objectsOf(inverse, around)) {
        if (!claimed.has(foundId(object))) {
          this.addBest(inverse, index, object, guess);
        }
      }
    });
    this.addRelaxed(guess);
    this.addPlain(guess);
    return statements;
  }

  /** Adds the first draft of an object that was not dropped. */
  private addBest(inverse: Inverse, index: number, object: FoundObject, guess: Guess): void {
    const made = tried(() => inverse.drafts?.(object, guess.around)) ?? [];
    const candidates = Array.isArray(made) ? (made as readonly Draft[]) : [made as Draft];
    for (const [candidate, guessed] of candidates.entries()) {
      const key = `${index}/${candidate}/${foundId(object)}`;
      const { amended: draft = guessed, rejected } = this.attempts.get(key) ?? {};
      if (rejected === undefined && isFree(draft, guess)) {
        this.add(draft, key, guess);
        return;
      }
    }
  }

  /** Adds what is left of drafts whose objects no other draft declares. */
  private addRelaxed(guess: Guess): void {
    for (const [key, attempt] of this.attempts) {
      const { relaxed } = attempt;
      if (relaxed && isFree(relaxed, guess)) {
        attempt.amended = relaxed;
        attempt.rejected = undefined;
        attempt.relaxed = undefined;
        this.add(relaxed, key, guess);
      }
    }
  }

  /** Adds the objects that no construct declares, as they are. */
  private addPlain(guess: Guess): void {
    for (const object of this.clusters.flatMap(({ objects }) => objects)) {
      const id = foundId(object);
      if (guess.claimed.has(id)) {
        continue;
      }
      const reason = this.notPlain(object, guess.around);
      if (reason === undefined) {
        this.add(apiObject(object), `api/${id}`, guess);
      } else {
        this.undeclared.set(id, reason);
      }
    }
  }

  private add(draft: Draft, key: string, { claimed, statements }: Guess): void {
    for (const object of draft.declares) {
      claimed.add(foundId(object));
    }
    this.keys.set(draft, key);
    statements.add(draft, this.attempts.get(key)?.completion);
  }

  private notPlain(object: FoundObject, around: Surroundings): string | undefined {
    const kind = kindKey(groupOf(object.manifest.apiVersion), object.manifest.kind);
    const own = this.inverses.filter(
      (inverse) => inverse.kinds.includes(kind) && isFor(inverse, around.cluster(object.target)),
    );
    return (
      own
        .map(({ notPlain }) => tried(() => notPlain?.(object, around)))
        .find((reason) => reason !== undefined) ?? this.leftPlain?.(object)
    );
  }

  private judge(statements: Statements, evaluated: Evaluated): Judgement {
    const rendered = renderedBy(evaluated, statements);
    const differences = new Map<string, Comparison>();
    let isSettled = true;
    for (const { draft } of statements.all()) {
      const key = this.keys.get(draft)!;
      const attempt = this.attempts.get(key) ?? {};
      this.attempts.set(key, attempt);
      const failed = evaluated.errors.get(draft);
      if (evaluated.blocked.has(draft)) {
        continue;
      }
      const reason =
        failed ??
        this.differs(draft, attempt, rendered, evaluated.constructs.get(draft)!, differences);
      if (reason === undefined) {
        continue;
      }
      const byCalls = failed ? completionByCalls(attempt.completion, failed) : undefined;
      if (byCalls) {
        attempt.completion = byCalls;
        isSettled = false;
        continue;
      }
      if (failed !== undefined) {
        this.relax(draft, attempt, failed);
      }
      // nothing else can declare it
      if (draft.type === API_OBJECT && (failed !== undefined || reason !== COMPLETED)) {
        continue;
      }
      isSettled = false;
      if (reason === COMPLETED) {
        continue;
      }
      attempt.rejected = reason;
      const id = foundId(draft.declares[0]);
      const isFirst = (attempt.refusals ?? []).length < 2;
      if (isFirst) {
        this.dropped.set(id, [
          ...(this.dropped.get(id) ?? []),
          `${draft.type}${draft.method ? `.${draft.method}` : ''}: ${reason}`,
        ]);
      }
    }
    return { isSettled, differences, created: rendered.created };
  }

  /** Keeps a draft without the values that its construct refuses, for when no other one is left. */
  private relax(draft: Draft, attempt: Attempt, failed: string): void {
    const { refusals = [] } = attempt;
    const relaxed =
      draft.type === API_OBJECT || refusals.length >= MAX_REFUSALS
        ? undefined
        : withoutRefused(draft, failed, attempt.refused);
    attempt.relaxed = relaxed?.draft;
    attempt.refused = relaxed?.paths;
    attempt.refusals = [...refusals, failed];
  }

  private factsOf({ manifest }: FoundObject): FieldFacts {
    const { apiVersion, kind } = manifest;
    return this.facts.get(kindKey(groupOf(apiVersion), kind)) ?? NO_FACTS;
  }

  private refusalsOf(statements: Statements): ReadonlyMap<string, readonly string[]> {
    return new Map(
      statements.all().flatMap(({ draft }): [string, readonly string[]][] => {
        const { refusals } = this.attempts.get(this.keys.get(draft)!) ?? {};
        return refusals ? [[foundId(draft.declares[0]), refusals]] : [];
      }),
    );
  }

  private omitted(
    statements: Statements,
    evaluated: Evaluated,
  ): ReadonlyMap<string, readonly OmittedField[]> {
    const { byId } = renderedBy(evaluated, statements);
    const fields = new Map<string, readonly OmittedField[]>();
    for (const { draft } of statements.all()) {
      const serverOwns = (draft.serverOwns ?? []).map(patternOf);
      for (const object of draft.declares) {
        const written = byId.get(foundId(object));
        if (written) {
          const { manifest, notes } = written;
          const others = othersWriteOf(notes, manifest);
          fields.set(
            foundId(object),
            omittedFields(object.manifest, manifest, this.factsOf(object), serverOwns, others),
          );
        }
      }
    }
    return fields;
  }

  /** Why a draft cannot remain; undefined if it renders what was found. */
  private differs(
    draft: Draft,
    attempt: Attempt,
    rendered: Rendered,
    made: Construct,
    differences: Map<string, Comparison>,
  ): string | undefined {
    const [extra] = rendered.extra(made);
    if (extra) {
      return `would create ${objectLabel(extra.manifest)}`;
    }
    const missing = draft.declares.find((object) => !rendered.byId.has(foundId(object)));
    if (missing) {
      return `does not render ${objectLabel(missing.manifest)}`;
    }
    const found = this.compareDeclared(draft, rendered);
    if (found.size === 0) {
      return undefined;
    }
    const differing = new Map(
      [...found].map(([object, comparison]) => [foundId(object), pathsOf(comparison)]),
    );
    const amended = attempt.isCompleted ? undefined : tried(() => draft.amend?.(differing));
    if (amended) {
      attempt.amended = amended;
      return COMPLETED;
    }
    const lost = [...found].find(
      ([object]) =>
        attempt.isCompleted ||
        (object !== draft.declares[0] && !draft.patchable?.has(foundId(object))),
    );
    if (lost) {
      const [object, comparison] = lost;
      differences.set(foundId(object), comparison);
      return `renders ${objectLabel(object.manifest)} otherwise: ${pathsOf(comparison)
        .slice(0, 3)
        .map((path) => path.join('.'))
        .join(', ')}`;
    }
    attempt.completion = completedManifest(draft, found, rendered);
    attempt.isCompleted = true;
    return COMPLETED;
  }

  /** The objects of a draft that it renders in another form. */
  private compareDeclared(draft: Draft, { byId }: Rendered): Map<FoundObject, Comparison> {
    const found = new Map<FoundObject, Comparison>();
    for (const object of draft.declares) {
      const { manifest, notes } = byId.get(foundId(object))!;
      const others = othersWriteOf(notes, manifest);
      // what users wrote: without the fields that a draft leaves to the server
      const owned = (draft.serverOwns ?? []).map(pathOf);
      const declared = owned.reduce(
        (fields, path) => replacedAt(fields, path, undefined),
        cleaned(object.manifest),
      );
      const facts = this.factsOf(object);
      const comparison = compareLive(manifest, object.manifest, declared, facts, others);
      if (comparison.changes.length + comparison.leftovers.length > 0) {
        found.set(object, comparison);
      }
    }
    return found;
  }
}

/** A program while its statements are guessed. */
interface Guess {
  /** The IDs of objects that a statement declares, or that are left out. */
  readonly claimed: Set<string>;
  readonly around: ReadSurroundings;
  readonly statements: Statements;
}

/** Whether no other statement declares an object of a draft. */
function isFree({ declares }: Draft, { claimed }: Guess): boolean {
  return declares.every((object) => !claimed.has(foundId(object)));
}

/** The ID of the object that a finding is about; undefined for one about the program. */
function idOfFinding({ target, object }: Finding): string | undefined {
  if (target === undefined || object === undefined) {
    return undefined;
  }
  const { apiVersion, kind, namespace, name } = object;
  return idOf(target, groupOf(apiVersion), kind, namespace, name);
}

/**
 * What an inverse makes of an object; nothing of one with fields of types that it does not expect.
 */
function tried<T>(guess: () => T): T | undefined {
  try {
    return guess();
  } catch {
    return undefined;
  }
}

function pathsOf({ changes, leftovers }: Comparison): FieldPath[] {
  return [...changes, ...leftovers].map(({ path }) => path);
}

/** Another round shows whether it is complete. */
const COMPLETED = 'completed';

/** What a round showed. */
interface Judgement {
  /** Whether nothing was completed or dropped. */
  readonly isSettled: boolean;
  readonly differences: ReadonlyMap<string, Comparison>;
  readonly created: readonly ProgramObject[];
}
