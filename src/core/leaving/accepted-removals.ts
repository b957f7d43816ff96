import { acceptedRemoval } from './removal-pattern';
import { Manifest, objectId, refId } from '../manifest/manifest';
import { AssemblyRemoval } from '../output/assembly';
import { Finding, FindingLevel } from '../rule/finding';
import { OUTPUT_UNUSED_ACCEPTANCE } from '../rule/program-rules';
import { plural, some } from '../text/plain-text';

/** What identifies an object of an output. */
interface Named {
  readonly target: string;
  readonly manifest: Manifest;
  readonly construct?: string;
}

/**
 * The removals that a program accepts.
 *
 * A statement that names one object accepts its removal at any time. One that names several, by a
 * pattern or a construct, was reviewed with the change that it came with: once the previous output
 * contains it, it accepts nothing more, since it could fit objects that no one thought of.
 */
export class AcceptedRemovals {
  private readonly former: ReadonlySet<string>;

  /**
   * @param removals of the new output
   * @param previous those of the previous output
   */
  constructor(
    private readonly removals: readonly AssemblyRemoval[],
    previous: readonly AssemblyRemoval[] = [],
  ) {
    this.former = new Set(previous.map(({ objects }) => objects));
  }

  /** The statement that accepts the removal of an object. */
  public of(object: Named): AssemblyRemoval | undefined {
    const id = idOf(object);
    return this.removals.find(
      (each) => (each.objects === id || !this.former.has(each.objects)) && fits(each, object),
    );
  }

  /** The statement that accepted other removals, and fits this one, too. */
  public outdated(object: Named): AssemblyRemoval | undefined {
    const id = idOf(object);
    return this.removals.find(
      (each) => each.objects !== id && this.former.has(each.objects) && fits(each, object),
    );
  }

  /**
   * The statements that fit no object which leaves.
   *
   * @param leaving the findings about all objects that leave
   * @param after the objects of the new output
   * @param isDelivered whether the previous output is delivered, so that a statement in it has done
   *   its work: a synthesis cannot know that
   */
  public unused(
    leaving: readonly Finding[],
    after: readonly Named[],
    isDelivered: boolean,
  ): Finding[] {
    const isUsed = ({ objects }: AssemblyRemoval): boolean =>
      leaving.some(
        ({ target = '', object, construct }) =>
          object !== undefined &&
          acceptedRemoval([{ objects, reason: '' }], refId(target, object), construct),
      );
    return this.removals
      .filter((each) => (isDelivered || !this.former.has(each.objects)) && !isUsed(each))
      .map((each) =>
        unusedFinding(
          each,
          this.former.has(each.objects),
          after.filter((object) => fits(each, object)),
        ),
      );
  }
}

function idOf({ target, manifest }: Named): string {
  return objectId(target, manifest);
}

function fits(removal: AssemblyRemoval, object: Named): boolean {
  return acceptedRemoval([removal], idOf(object), object.construct) !== undefined;
}

/** How many objects a finding names. */
const MAX_NAMED = 3;

function unusedFinding(
  { objects }: AssemblyRemoval,
  isFormer: boolean,
  declared: readonly Named[],
): Finding {
  const remain =
    declared.length === 0
      ? ''
      : `; it fits ${plural(declared.length, 'object')} that the program declares: ${some(declared.map(idOf), MAX_NAMED)}`;
  const { id, source } = OUTPUT_UNUSED_ACCEPTANCE;
  return {
    rule: id,
    level: FindingLevel.WARNING,
    message: isFormer
      ? `is in the previous output, too, and fits no object that leaves now${remain}`
      : `fits no object that leaves the output${remain}`,
    path: `app.acceptRemoval('${objects}')`,
    fix: isFormer
      ? 'remove the statement: the removals that it accepted are delivered'
      : 'correct the ID or the path of the construct, or remove the statement',
    source,
  };
}
