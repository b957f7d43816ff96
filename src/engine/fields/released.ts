import { APPLY_SET, appOfManager, isSetOf } from './apply-set';
import {
  ANNOTATION_ADOPTED,
  hasKey,
  OwnedFields,
  ownedFieldsOf,
  withoutLastApplied,
} from './managed-fields';
import { ANNOTATION_LAST_APPLIED } from '../../core/kind/field-managers';
import { isRecord, Manifest, pointerOf } from '../../core/manifest/manifest';
import { Cluster, JsonPatchOperation, LiveObject, ObjectRef } from '../cluster/cluster';

/**
 * The result of a dry run without the fields that an adoption removes: fields of adopted field
 * managers that the program does not declare. The dry run keeps them, since their field managers
 * still own them; what a server writes instead is unknown.
 *
 * @param rewritten the object with its future field managers
 */
export function withoutReleased(
  result: LiveObject,
  rewritten: LiveObject,
  manifest: Manifest,
  fieldManager: string,
): LiveObject {
  const entries = (rewritten.metadata.managedFields ?? []).filter(({ fieldsV1 }) =>
    isRecord(fieldsV1),
  );
  const isOwn = (entry: (typeof entries)[number]): boolean =>
    entry.manager === fieldManager && entry.operation === 'Apply' && !entry.subresource;
  const ours = entries.find(isOwn);
  if (!ours) {
    return result;
  }
  const others = entries
    .filter((entry) => !isOwn(entry))
    .map(({ fieldsV1 }) => ownedFieldsOf(fieldsV1));
  // not compared if it is removed: it repeats secrets
  const seen =
    rewritten.metadata.annotations?.[ANNOTATION_LAST_APPLIED] === undefined
      ? withoutLastApplied(result)
      : result;
  return left(seen, ownedFieldsOf(ours.fieldsV1), manifest, others) as LiveObject;
}

function left(
  value: unknown,
  ours: OwnedFields,
  wanted: unknown,
  others: readonly OwnedFields[],
): unknown {
  if (isRecord(value)) {
    return leftOfMap(value, ours, isRecord(wanted) ? wanted : {}, others);
  }
  return Array.isArray(value)
    ? leftOfList(value, ours, Array.isArray(wanted) ? wanted : [], others)
    : value;
}

function leftOfMap(
  value: { readonly [key: string]: unknown },
  ours: OwnedFields,
  wanted: { readonly [key: string]: unknown },
  others: readonly OwnedFields[],
): unknown {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      const owned = ours.fields.get(key);
      if (!owned) {
        return [[key, inner]];
      }
      const theirs = others.flatMap(({ fields }) => fields.get(key) ?? []);
      const named = Object.hasOwn(wanted, key) && wanted[key] !== null ? wanted[key] : undefined;
      const rest = hasParts(owned) ? left(inner, owned, named, theirs) : inner;
      const goes =
        named === undefined && theirs.length === 0 && (!hasParts(owned) || isEmpty(rest));
      return goes ? [] : [[key, rest]];
    }),
  );
}

function leftOfList(
  value: readonly unknown[],
  ours: OwnedFields,
  wanted: readonly unknown[],
  others: readonly OwnedFields[],
): unknown {
  return value.flatMap((item) => {
    const entry = ours.items.find(({ key }) => hasKey(item, key));
    if (!entry) {
      return ours.values.includes(item) &&
        !wanted.includes(item) &&
        !others.some(({ values }) => values.includes(item))
        ? []
        : [item];
    }
    const theirs = others.flatMap(({ items }) =>
      items.filter(({ key }) => hasKey(item, key)).map(({ owned }) => owned),
    );
    const named = wanted.find((candidate) => hasKey(candidate, entry.key));
    return named === undefined && theirs.length === 0
      ? []
      : [left(item, entry.owned, named, theirs)];
  });
}

function hasParts({ fields, items, values }: OwnedFields): boolean {
  return fields.size + items.length + values.length > 0;
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value)
    ? value.length === 0
    : isRecord(value) && Object.keys(value).length === 0;
}

/**
 * Releases all fields and marks of the app on an object that is kept, without changing its other
 * fields. Applying an object without fields would do the same, but would also remove fields without
 * another owner, such as a value that was just reset.
 *
 * The field managers are kept if there is no other one: without any, a server would invent one that
 * owns everything.
 */
export async function giveUp(
  cluster: Cluster,
  ref: ObjectRef,
  fieldManager: string,
  options: { readonly signal?: AbortSignal } = {},
): Promise<void> {
  const live = await cluster.read(ref, options);
  const managedFields = live?.metadata.managedFields ?? [];
  // a patch of one field, as a reset of a login, is an update
  const others = managedFields.filter(
    ({ manager, subresource }) => manager !== fieldManager || subresource,
  );
  if (!live || others.length === managedFields.length) {
    return;
  }
  const changes: JsonPatchOperation[] = [
    ...marksOn(live, fieldManager).map(([field, key]): JsonPatchOperation => ({
      op: 'remove',
      path: pointerOf(['metadata', field, key]),
    })),
    ...(others.length > 0
      ? [{ op: 'add', path: '/metadata/managedFields', value: others } as const]
      : []),
  ];
  if (changes.length === 0) {
    return;
  }
  const unchanged = {
    op: 'test',
    path: '/metadata/resourceVersion',
    value: live.metadata.resourceVersion,
  } as const;
  await cluster.patch(ref, [unchanged, ...changes], { fieldManager, ...options });
}

/**
 * The marks of an app on an object: its own label, not that of another app, and its annotations.
 */
function marksOn({ metadata }: LiveObject, fieldManager: string): [field: string, key: string][] {
  const { labels = {}, annotations = {} } = metadata;
  const [app, set] = [appOfManager(fieldManager), labels[APPLY_SET.PART_OF]];
  return [
    ...(app && set !== undefined && isSetOf(set, app)
      ? [['labels', APPLY_SET.PART_OF] as [string, string]]
      : []),
    ...(annotations[ANNOTATION_ADOPTED] === undefined
      ? []
      : [['annotations', ANNOTATION_ADOPTED] as [string, string]]),
  ];
}
