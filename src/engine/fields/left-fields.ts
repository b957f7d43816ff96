import { Difference } from './compare-desired';
import { adoptHint, hasKey, OwnedFields, ownedFieldsOf } from './managed-fields';
import { FieldPath, isRecord, objectLabel, pathText } from '../../core/manifest/manifest';
import { grouped } from '../../core/text/values';
import { LiveObject } from '../cluster/cluster';

/**
 * Warnings about fields that the app wrote and the program no longer declares, but that remain,
 * since other field managers own them, too: a server-side apply removes only a field without
 * another owner. One for the same owners; without values. After an apply the app no longer owns
 * them, so that there is nothing left to compare.
 *
 * @param live the object as it is before the apply, with its future field managers
 * @param found how it differs from the program
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/
 */
export function leftFieldWarnings(
  live: LiveObject,
  found: readonly Difference[],
  fieldManager: string,
): string[] {
  const left = found
    .filter(({ owned, after }) => owned && after === undefined)
    .map(({ path }) => ({ field: pathText(path), managers: ownersOf(live, path, fieldManager) }))
    .filter(({ managers }) => managers.length > 0);
  return [...grouped(left, ({ managers }) => managers.join(', ')).values()].map((fields) =>
    warningOf(live, fields),
  );
}

interface LeftField {
  readonly field: string;
  readonly managers: readonly string[];
}

function warningOf(live: LiveObject, left: readonly LeftField[]): string {
  const [{ managers }] = left;
  const [them, remain] = left.length === 1 ? ['it', 'remains'] : ['them', 'remain'];
  const owners = `${managers.join(', ')} ${managers.length === 1 ? 'owns' : 'own'}`;
  const hint = adoptHint(managers.map((manager) => ({ manager, field: left[0].field })));
  return (
    `${left.map(({ field }) => field).join(', ')} ${remain} on ${objectLabel(live)}: the program no longer sets ${them}, but ${owners} ${them}, too. ` +
    `Fix: remove ${them} in the UI or with kubectl edit, or set the values that you want in the program${hint}`
  );
}

/** The other field managers that own a field of a live object. */
function ownersOf(live: LiveObject, path: FieldPath, fieldManager: string): string[] {
  const owners = (live.metadata.managedFields ?? []).filter(
    ({ manager, fieldsV1 }) =>
      manager !== fieldManager && isOwned(ownedFieldsOf(fieldsV1), live, path),
  );
  return [...new Set(owners.map(({ manager }) => manager))].sort();
}

function isOwned(owned: OwnedFields, value: unknown, [step, ...rest]: FieldPath): boolean {
  if (step === undefined) {
    return true;
  }
  if (typeof step === 'string') {
    const below = owned.fields.get(step);
    const inner = isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined;
    return below !== undefined && isOwned(below, inner, rest);
  }
  const item: unknown = Array.isArray(value) ? value[step] : undefined;
  return (
    owned.values.includes(item) ||
    owned.items.some(({ key, owned: below }) => hasKey(item, key) && isOwned(below, item, rest))
  );
}
