import { isRecord } from '../../model/manifest';
import { LiveObject } from '../cluster/cluster';

/** What one manager has of a value, as `metadata.managedFields` says it. */
export interface OwnedFields {
  /** Of a map, by key. */
  readonly fields: ReadonlyMap<string, OwnedFields>;
  /** Of a list whose items are known by keys. */
  readonly items: readonly { readonly key: { readonly [name: string]: unknown }; readonly owned: OwnedFields }[];
  /** Of a list that is a set. */
  readonly values: readonly unknown[];
}

/**
 * What a manager has by server-side apply; undefined where it never applied the object.
 *
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/ , sigs.k8s.io/structured-merge-diff fieldpath (f:, k:, v:, i:)
 */
export function ownedBy(live: LiveObject, manager: string): OwnedFields | undefined {
  const entry = live.metadata.managedFields?.find((candidate) => (
    candidate.manager === manager && candidate.operation === 'Apply' && !candidate.subresource));
  return entry ? ownedFieldsOf(entry.fieldsV1) : undefined;
}

/** Who else has fields of an object, by name. */
export function otherManagers(live: LiveObject, manager: string): string[] {
  return [...new Set((live.metadata.managedFields ?? []).map((entry) => entry.manager).filter((name) => name !== manager))].sort();
}

/** Whether an item has the keys of a list's entry; keys that it leaves out have defaults. */
export function hasKey(item: unknown, key: { readonly [name: string]: unknown }): boolean {
  return isRecord(item) && Object.entries(key).every(([name, value]) => item[name] === undefined || item[name] === value)
    && Object.keys(key).some((name) => item[name] !== undefined);
}

/** What an entry of `metadata.managedFields` says. */
export function ownedFieldsOf(fieldsV1: unknown): OwnedFields {
  const fields = new Map<string, OwnedFields>();
  const items: OwnedFields['items'][number][] = [];
  const values: unknown[] = [];
  for (const [name, below] of isRecord(fieldsV1) ? Object.entries(fieldsV1) : []) {
    const [kind, text] = [name.slice(0, 2), name.slice(2)];
    if (kind === 'f:') { fields.set(text, ownedFieldsOf(below)); }
    if (kind === 'k:') { items.push({ key: JSON.parse(text), owned: ownedFieldsOf(below) }); }
    if (kind === 'v:') { values.push(JSON.parse(text)); }
  }
  return { fields, items, values };
}
