import { Assembly, AssemblyObject } from './assembly';
import { pathsUpwards } from './implied-edges';
import { DeletionNote, KindRemoval, deletes } from '../kind/description/removal';
import { kindOf } from '../kind/kinds';

/** What deleting an object means, without a reason that the description of its kind has. */
export type DeletionForm = Pick<DeletionNote, 'policy' | 'chosen'> &
  Partial<Pick<DeletionNote, 'reason'>>;

/**
 * The reason of a policy that the description of the kind does not give: another version of the
 * library wrote it.
 */
const UNKNOWN_REASON = 'as the program chose';

type Described = Pick<AssemblyObject, 'apiVersion' | 'kind' | 'construct'>;

/**
 * Prints and reads what deleting an object means. Left out is what a construct above it or
 * its kind describes: both are texts alone. A policy that does not delete is always written, since another
 * version of the library may describe the kind otherwise.
 */
export class DeletionForms {
  private readonly byConstruct: ReadonlyMap<string, DeletionNote>;

  constructor(effects: Assembly['effects'] = []) {
    this.byConstruct = new Map(
      effects.map(({ construct, effect }) => [construct, deletes(effect)]),
    );
  }

  /** Undefined where nothing is to be written. */
  public print(object: AssemblyObject): DeletionForm | undefined {
    const { deletion } = object;
    if (deletion === undefined || isSame(deletion, this.impliedFor(object))) {
      return undefined;
    }
    const { reason: _, ...form } = deletion;
    return isSame(deletion, kindOf<KindRemoval>(object)?.deletion) ? form : deletion;
  }

  public read(object: Described, form: DeletionForm | undefined): DeletionNote | undefined {
    if (form === undefined) {
      return this.impliedFor(object);
    }
    const { reason } = form;
    if (reason !== undefined) {
      return { ...form, reason };
    }
    const described = kindOf<KindRemoval>(object)?.deletion;
    return described?.policy === form.policy ? described : { ...form, reason: UNKNOWN_REASON };
  }

  /** Of the nearest construct that describes it, otherwise of the kind if it is deleted. */
  private impliedFor(object: Described): DeletionNote | undefined {
    if (this.byConstruct.size > 0) {
      for (const path of pathsUpwards(object.construct)) {
        const said = this.byConstruct.get(path);
        if (said) {
          return said;
        }
      }
    }
    const described = kindOf<KindRemoval>(object)?.deletion;
    return described?.policy === 'delete' ? described : undefined;
  }
}

function isSame(note: DeletionNote, other: DeletionNote | undefined): boolean {
  return (
    note === other ||
    (note.policy === other?.policy && note.reason === other.reason && note.chosen === other.chosen)
  );
}
