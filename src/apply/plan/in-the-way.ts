import { Leftover } from './prune-steps';
import { Manifest, objectLabel } from '../../model/manifest';
import { uniqueValueOf } from '../../model/unique-values';

/** An object that is no longer declared and still has a value of which the server has only one, which a declared object is to get. */
export interface InTheWay {
  /** The id of the declared object. */
  readonly id: string;
  /** The id of the one that is in its way. */
  readonly by: string;
  /** The value and who has it: `nodePort TCP 30080 of Service default/web`. */
  readonly what: string;
  /** Why it cannot be deleted first, where the kind says so. */
  readonly stays?: string;
  readonly fix: string;
}

/** A declared object. */
interface Declared {
  readonly id: string;
  readonly target: string;
  readonly manifest: Manifest;
}

/** What is in the way of declared objects. */
export function inTheWay(declared: readonly Declared[], leftovers: readonly Leftover[]): InTheWay[] {
  const former = leftovers.filter(({ entry, live }) => live && entry.policy === 'delete' && uniqueValueOf(entry));
  if (former.length === 0) { return []; }
  return declared.flatMap(({ id, target, manifest }) => {
    const unique = uniqueValueOf(manifest);
    return unique === undefined ? [] : former.flatMap(({ target: on, entry, live }) => {
      const values = on === target && uniqueValueOf(entry) === unique ? unique.shared(manifest, live!) : [];
      if (values.length === 0) { return []; }
      const stays = unique.stays?.(live!);
      return [{
        id, by: entry.id, what: `${unique.what} ${values.join(', ')} of ${objectLabel(live!)}`, fix: unique.fix, ...(stays === undefined ? {} : { stays }),
      }];
    });
  });
}

/** What to say of an object whose value stays taken. */
export function stillTaken({ what, fix }: InTheWay, why: string): string {
  return `needs ${what}, which is no longer declared and stays: ${why}. Fix: ${fix}`;
}
