import { KindRemoval } from '../../core/kind/description/removal';
import { kindOf } from '../../core/kind/kinds';
import { Manifest, objectLabel } from '../../core/manifest/manifest';
import { AssemblyObject } from '../../core/output/assembly';
import { Leftover } from '../inventory/inventory';

/**
 * An object that is no longer declared and still has a unique value that a declared object needs.
 */
export interface InTheWay {
  /** The ID of the declared object. */
  readonly id: string;
  /** The ID of the object that has the value. */
  readonly by: string;
  /** The value and its owner: `nodePort TCP 30080 of Service default/web`. */
  readonly what: string;
  /** Why it cannot be deleted first. @default - it can */
  readonly stays?: string;
  readonly fix: string;
}

/**
 * Finds objects that are no longer declared and have values that declared ones need.
 *
 * @param keptFor why an object is not deleted
 */
export function waysOf(
  declared: readonly {
    readonly object: Pick<AssemblyObject, 'id' | 'target'>;
    readonly manifest: Manifest;
  }[],
  leftovers: readonly Leftover[],
  keptFor: (id: string) => string | undefined,
): InTheWay[] {
  const holders = leftovers.filter(
    ({ entry, live }) => live && entry.policy === 'delete' && kindOf<KindRemoval>(entry)?.unique,
  );
  if (holders.length === 0) {
    return [];
  }
  return declared.flatMap(({ object, manifest }) => {
    const { id, target } = object;
    const unique = kindOf<KindRemoval>(manifest)?.unique;
    if (unique === undefined) {
      return [];
    }
    return holders.flatMap(({ target: on, entry, live }) => {
      const values =
        on === target && kindOf<KindRemoval>(entry)?.unique === unique
          ? unique.shared(manifest, live!)
          : [];
      if (values.length === 0) {
        return [];
      }
      const stays = unique.stays?.(live!) ?? keptFor(entry.id);
      return [
        {
          id,
          by: entry.id,
          what: `${unique.what} ${values.join(', ')} of ${objectLabel(live!)}`,
          fix: unique.fix,
          ...(stays === undefined ? {} : { stays }),
        },
      ];
    });
  });
}

/** The error for an object whose value is not released. */
export function stillTaken({ what, fix }: InTheWay, why: string): string {
  return `needs ${what}, which is no longer declared but kept: ${why}. Fix: ${fix}`;
}
