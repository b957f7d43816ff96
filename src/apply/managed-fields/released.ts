import { withoutLastApplied } from './rewrite';
import { ANNOTATION_LAST_APPLIED } from '../../model/field-managers';
import { isRecord, Manifest } from '../../model/manifest';
import { LiveObject } from '../cluster/cluster';
import { hasKey, OwnedFields, ownedFieldsOf } from '../plan/owned-fields';

/**
 * What a dry run gives, without what goes once fields of former managers are ours: those that the program does not name. The dry run itself leaves
 * them, since they still have them then; what a server writes in their place is not known.
 *
 * @param rewritten the object with the managers as they are going to be
 */
export function withoutReleased(result: LiveObject, rewritten: LiveObject, manifest: Manifest, fieldManager: string): LiveObject {
  const entries = (rewritten.metadata.managedFields ?? []).filter(({ fieldsV1 }) => isRecord(fieldsV1));
  const isOurs = (entry: typeof entries[number]): boolean => entry.manager === fieldManager && entry.operation === 'Apply' && !entry.subresource;
  const ours = entries.find(isOurs);
  if (!ours) { return result; }
  const others = entries.filter((entry) => !isOurs(entry)).map(({ fieldsV1 }) => ownedFieldsOf(fieldsV1));
  // where it goes it is not even looked at: it repeats what is secret
  const seen = rewritten.metadata.annotations?.[ANNOTATION_LAST_APPLIED] === undefined ? withoutLastApplied(result) : result;
  return left(seen, ownedFieldsOf(ours.fieldsV1), manifest, others) as LiveObject;
}

function left(value: unknown, ours: OwnedFields, wanted: unknown, others: readonly OwnedFields[]): unknown {
  if (isRecord(value)) { return leftOfMap(value, ours, isRecord(wanted) ? wanted : {}, others); }
  return Array.isArray(value) ? leftOfList(value, ours, Array.isArray(wanted) ? wanted : [], others) : value;
}

function leftOfMap(
  value: { readonly [key: string]: unknown }, ours: OwnedFields, wanted: { readonly [key: string]: unknown }, others: readonly OwnedFields[],
): unknown {
  return Object.fromEntries(Object.entries(value).flatMap(([key, inner]) => {
    const owned = ours.fields.get(key);
    if (!owned) { return [[key, inner]]; }
    const theirs = others.flatMap(({ fields }) => fields.get(key) ?? []);
    const named = Object.hasOwn(wanted, key) && wanted[key] !== null ? wanted[key] : undefined;
    const rest = hasParts(owned) ? left(inner, owned, named, theirs) : inner;
    const goes = named === undefined && theirs.length === 0 && (!hasParts(owned) || isEmpty(rest));
    return goes ? [] : [[key, rest]];
  }));
}

function leftOfList(value: readonly unknown[], ours: OwnedFields, wanted: readonly unknown[], others: readonly OwnedFields[]): unknown {
  return value.flatMap((item) => {
    const entry = ours.items.find(({ key }) => hasKey(item, key));
    if (!entry) { return ours.values.includes(item) && !wanted.includes(item) && !others.some(({ values }) => values.includes(item)) ? [] : [item]; }
    const theirs = others.flatMap(({ items }) => items.filter(({ key }) => hasKey(item, key)).map(({ owned }) => owned));
    const named = wanted.find((candidate) => hasKey(candidate, entry.key));
    return named === undefined && theirs.length === 0 ? [] : [left(item, entry.owned, named, theirs)];
  });
}

function hasParts({ fields, items, values }: OwnedFields): boolean {
  return fields.size + items.length + values.length > 0;
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : isRecord(value) && Object.keys(value).length === 0;
}
