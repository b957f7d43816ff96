import { hasKey, OwnedFields } from './managed-fields';
import { KeptValues, KindFields, WrittenOnce } from '../../core/kind/description/fields';
import { KindRefusals } from '../../core/kind/description/refusals';
import { ANNOTATION_LAST_APPLIED } from '../../core/kind/field-managers';
import { KindDescription } from '../../core/kind/kind';
import { kindOf } from '../../core/kind/kinds';
import { withoutNewMarks } from '../../core/kind/retention';
import {
  FieldPath,
  FieldPattern,
  isRecord,
  Manifest,
  pathText,
  patternOf,
  Step,
} from '../../core/manifest/manifest';
import { AssemblyObject } from '../../core/output/assembly';
import { quantityOf, remembered } from '../../core/text/values';
import { isSameStructure } from '../../core/yaml/structured-text';
import { LiveObject } from '../cluster/cluster';

/** Fields of every object that servers and controllers write. */
const METADATA = [
  'metadata.managedFields',
  'metadata.resourceVersion',
  'metadata.uid',
  'metadata.generation',
  'metadata.creationTimestamp',
  'metadata.selfLink',
  'metadata.finalizers',
  'metadata.deletionTimestamp',
  'metadata.deletionGracePeriodSeconds',
  `metadata.annotations[${ANNOTATION_LAST_APPLIED}]`,
  'status',
];

const COMMON = METADATA.map(patternOf);
const BY_KIND = new Map<KindDescription, readonly FieldPattern[]>();

/**
 * Fields of an object that others write, by its kind: not a change where the program does not set
 * them. Those that they rewrite although the program sets them are in the assembly (`othersWrite`).
 *
 * @param manifest without one, only what servers write on objects of every kind
 */
export function noiseOf(manifest?: Manifest): readonly FieldPattern[] {
  const description = manifest && kindOf<KindFields>(manifest);
  if (!description) {
    return COMMON;
  }
  return remembered(BY_KIND, description, () => [
    ...COMMON,
    ...(description.writtenByOthers ?? []).map(patternOf),
  ]);
}

/** Whether the product reads a value of a live object as the value of the program. */
export function meansTheSame(
  live: LiveObject,
  path: FieldPath,
  before: unknown,
  desired: unknown,
): boolean {
  const kind = kindOf<KindFields>(live);
  return (
    (kind?.meansTheSame?.(live, pathText(path), before, desired) ?? false) ||
    isSameStructure(kind?.texts, path, before, desired)
  );
}

/** Why an object must not be written in a dry run; undefined where it may be. */
export function untriable(manifest: Manifest): string | undefined {
  return kindOf<KindRefusals>(manifest)?.untriable?.(manifest);
}

/** The fix for a refusal that lasts until something else changes; undefined for others. */
export function fixOfRefusal(
  of: Pick<Manifest, 'apiVersion' | 'kind'>,
  words: string,
): string | undefined {
  return kindOf<KindRefusals>(of)?.notYet?.(words);
}

/**
 * The words of a server whose webhook has side effects even in a dry run.
 * @see kubernetes/apiserver:pkg/admission/plugin/webhook/errors
 */
export const NO_DRY_RUN = /does not support dry run/i;

/** Why the words of a refused dry run say nothing of a real apply; undefined where they do. */
export function onlyInDryRun(manifest: Manifest, words: string): string | undefined {
  return kindOf<KindRefusals>(manifest)?.onlyInDryRun?.(words);
}

/**
 * A manifest in which the values of the live object replace those that the program only derived, or
 * wrote at creation, without what only GitOps engines need.
 */
export function keepLiveValues(
  { derived = [] }: Pick<AssemblyObject, 'derived'>,
  declared: Manifest,
  live: Manifest | undefined,
): KeptValues {
  const manifest = live ? withoutNewMarks(declared, live) : declared;
  const { keepLive, writtenOnce } = (live && kindOf<KindFields>(manifest)) ?? {};
  const keep = derived.length > 0 ? keepLive : undefined;
  const values = keep ? keep(manifest, live!, derived) : { manifest, kept: [] };
  return writtenOnce ? keepWritten(values, writtenOnce(values.manifest), live!) : values;
}

/** Keeps the live values of fields that are written at creation only. */
function keepWritten(
  { manifest, kept }: KeptValues,
  fields: readonly WrittenOnce[],
  live: Manifest,
): KeptValues {
  const changed = fields.flatMap(({ path, owner, what }) => {
    const [is, was] = [valueByName(manifest, path, manifest), valueByName(live, path, manifest)];
    return was === undefined || was === null || was === is ? [] : [{ path, owner, what, was }];
  });
  return {
    manifest: changed.reduce(
      (found, { path, was }) => withValue(found, path, was) as Manifest,
      manifest,
    ),
    kept: [
      ...kept,
      ...changed.map(
        ({ owner, what, was }) => `${what} remains ${String(was)}, which ${owner} sets`,
      ),
    ],
  };
}

/** A value by its path in a manifest, of an object that may have the items of lists in another order. */
function valueByName(object: unknown, path: FieldPath, manifest: unknown): unknown {
  let [value, beside] = [object, manifest];
  for (const step of path) {
    const next: unknown =
      isRecord(beside) || Array.isArray(beside) ? Reflect.get(beside, step) : undefined;
    if (typeof step === 'number') {
      value = Array.isArray(value) ? value.find((item) => isSameItem(item, next)) : undefined;
    } else {
      value = isRecord(value) ? own(value, step) : undefined;
    }
    beside = next;
  }
  return value;
}

/** A copy of a value with another value at a path that it has. */
function withValue(value: unknown, [step, ...rest]: FieldPath, leaf: unknown): unknown {
  if (step === undefined) {
    return leaf;
  }
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) =>
      index === step ? withValue(item, rest, leaf) : item,
    );
  }
  return isRecord(value)
    ? { ...value, [step]: withValue(own(value, String(step)), rest, leaf) }
    : value;
}

/** A field that is not as declared. */
export interface Difference extends FieldDiff {
  /** Whether the app owns the field: its live value is the one that it wrote last. */
  readonly owned: boolean;
}

/**
 * Maps whose values are quantities: the server may write `1024Mi` as `1Gi`, and Rancher's UI writes
 * `1000m` into the `limit` of a quota.
 * @see k8s.io/apimachinery/pkg/api/resource Quantity.CanonicalizeBytes
 */
const QUANTITIES: readonly Step[] = [
  'limit',
  'limits',
  'requests',
  'hard',
  'capacity',
  'default',
  'defaultRequest',
  'max',
  'min',
];

/**
 * Compares a live object with its manifest: declared fields with another value, and fields that the
 * app wrote and the program no longer declares. Other fields do not matter.
 */
export function differences(
  desired: Manifest,
  live: LiveObject,
  owned: OwnedFields | undefined,
): Difference[] {
  const found: Difference[] = [];
  const { apiVersion: _, kind: __, ...wanted } = desired;
  new Comparison(found).walk(wanted, live, owned, []);
  return found;
}

/** Whether two scalars at a path mean the same. */
function sameScalar(path: FieldPath, a: unknown, b: unknown): boolean {
  if (a === b) {
    return true;
  }
  if (!QUANTITIES.includes(path[path.length - 2])) {
    return false;
  }
  const [one, other] = [quantityOf(a), quantityOf(b)];
  return one !== undefined && one === other;
}

/**
 * A manifest whose quantities have the texts of the live object where they mean the same: `8`
 * remains `8000m`, so that an apply neither changes such a field nor takes it from another field
 * manager.
 */
export function withLiveQuantities(desired: Manifest, live: LiveObject): Manifest {
  return withLiveTexts(desired, live, []) as Manifest;
}

function withLiveTexts(desired: unknown, live: unknown, path: FieldPath): unknown {
  if (isRecord(desired) && isRecord(live)) {
    const entries = Object.entries(desired).map(([key, value]) => {
      return [key, withLiveTexts(value, own(live, key), [...path, key])] as const;
    });
    return entries.some(([key, value]) => value !== desired[key])
      ? Object.fromEntries(entries)
      : desired;
  }
  if (Array.isArray(desired) && Array.isArray(live) && desired.length === live.length) {
    const items = desired.map((item: unknown, index) =>
      isSameItem(item, live[index]) ? withLiveTexts(item, live[index], [...path, index]) : item,
    );
    return items.some((item, index) => item !== desired[index]) ? items : desired;
  }
  return typeof live === 'string' && desired !== live && sameScalar(path, desired, live)
    ? live
    : desired;
}

/** Whether items of two lists may be the same one: their names, if they have any, are equal. */
function isSameItem(one: unknown, other: unknown): boolean {
  return isRecord(one) && isRecord(other) && one.name === other.name;
}

/** The value of an own property, never an inherited one: `constructor` may be a key. */
function own(value: Fields, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

interface Fields {
  readonly [key: string]: unknown;
}

class Comparison {
  public constructor(private readonly found: Difference[]) {}

  public walk(
    desired: unknown,
    live: unknown,
    owned: OwnedFields | undefined,
    path: FieldPath,
  ): void {
    // servers treat null as absent
    if (desired === null || desired === undefined) {
      if (owned && live !== undefined && live !== null) {
        this.differs(path, live, undefined, owned);
      }
    } else if (isRecord(desired) && isRecord(live)) {
      this.map(desired, live, owned, path);
    } else if (Array.isArray(desired) && Array.isArray(live)) {
      this.list(desired, live, owned, path);
    } else if (!sameScalar(path, desired, live)) {
      this.differs(path, live, desired, owned);
    }
  }

  private map(
    desired: Fields,
    live: Fields,
    owned: OwnedFields | undefined,
    path: FieldPath,
  ): void {
    for (const [key, value] of Object.entries(desired)) {
      this.walk(value, own(live, key), owned?.fields.get(key), [...path, key]);
    }
    for (const [key, below] of owned?.fields ?? []) {
      if (!Object.hasOwn(desired, key)) {
        this.gone(own(live, key), below, [...path, key]);
      }
    }
  }

  private list(
    desired: readonly unknown[],
    live: readonly unknown[],
    owned: OwnedFields | undefined,
    path: FieldPath,
  ): void {
    if (owned && owned.items.length > 0) {
      this.keyed(desired, live, owned, path);
    } else if (owned && owned.values.length > 0) {
      desired.forEach((value, index) => {
        if (!live.includes(value)) {
          this.differs([...path, index], undefined, value, undefined);
        }
      });
      for (const value of owned.values) {
        if (!desired.includes(value) && live.includes(value)) {
          this.differs([...path, live.indexOf(value)], value, undefined, owned);
        }
      }
    } else if (desired.length !== live.length) {
      this.differs(path, live, desired, owned);
    } else {
      // an atomic list: the server owns what it adds to our items
      desired.forEach((item, index) => this.within(item, live[index], owned, [...path, index]));
    }
  }

  private keyed(
    desired: readonly unknown[],
    live: readonly unknown[],
    owned: OwnedFields,
    path: FieldPath,
  ): void {
    const met = new Set<unknown>();
    desired.forEach((item, index) => {
      const entry = owned.items.find(({ key }) => hasKey(item, key));
      const there =
        entry && live.find((candidate) => isRecord(candidate) && hasKey(candidate, entry.key));
      met.add(entry);
      if (there === undefined) {
        this.differs([...path, index], undefined, item, undefined);
      } else {
        this.walk(item, there, entry!.owned, [...path, index]);
      }
    });
    for (const entry of owned.items) {
      const index = met.has(entry)
        ? -1
        : live.findIndex((candidate) => hasKey(candidate, entry.key));
      if (index >= 0) {
        this.differs([...path, index], live[index], undefined, owned);
      }
    }
  }

  /** Within an atomic list, whose items have no owners: it is owned as a whole or not at all. */
  private within(
    desired: unknown,
    live: unknown,
    owned: OwnedFields | undefined,
    path: FieldPath,
  ): void {
    if (desired === null || desired === undefined) {
      return;
    }
    if (isRecord(desired) && isRecord(live)) {
      for (const [key, value] of Object.entries(desired)) {
        this.within(value, own(live, key), owned, [...path, key]);
      }
    } else if (Array.isArray(desired) && Array.isArray(live) && desired.length === live.length) {
      desired.forEach((item, index) => this.within(item, live[index], owned, [...path, index]));
    } else if (!sameScalar(path, desired, live)) {
      this.differs(path, live, desired, owned);
    }
  }

  /** Fields that the app owns and the program no longer declares. */
  private gone(live: unknown, owned: OwnedFields, path: FieldPath): void {
    if (live === undefined) {
      return;
    }
    if (owned.fields.size === 0 || !isRecord(live)) {
      this.differs(path, live, undefined, owned);
    } else {
      for (const [key, below] of owned.fields) {
        this.gone(own(live, key), below, [...path, key]);
      }
    }
  }

  private differs(
    path: FieldPath,
    before: unknown,
    after: unknown,
    owned: OwnedFields | undefined,
  ): void {
    this.found.push({ path, before, after, owned: owned !== undefined });
  }
}

/** A field that differs between two versions of an object. */
export interface FieldDiff {
  readonly path: FieldPath;
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * The fields in which two values differ, as deep as both have the same structure. List items are
 * matched by name if all have one.
 */
export function fieldDiff(before: unknown, after: unknown, path: FieldPath = []): FieldDiff[] {
  if (isRecord(before) && isRecord(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => fieldDiff(own(before, key), own(after, key), [...path, key]));
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    return listDiff(before, after, path);
  }
  if (isRecord(before ?? after) && (before === undefined || after === undefined)) {
    const entries = Object.keys((before ?? after) as object);
    if (entries.length > 0) {
      return fieldDiff(before ?? {}, after ?? {}, path);
    }
  }
  return before === after ||
    (before ?? after) === null ||
    JSON.stringify(before) === JSON.stringify(after)
    ? []
    : [{ path, before, after }];
}

function listDiff(
  before: readonly unknown[],
  after: readonly unknown[],
  path: FieldPath,
): FieldDiff[] {
  const [old, now] = [named(before), named(after)];
  if (old && now) {
    const kept = [...now].flatMap(([name, [item, index]]) =>
      fieldDiff(old.get(name)?.[0], item, [...path, index]),
    );
    const gone = [...old]
      .filter(([name]) => !now.has(name))
      .map(([, [item, index]]) => ({ path: [...path, index], before: item, after: undefined }));
    return [...kept, ...gone];
  }
  if (before.length === after.length && before.some(isRecord)) {
    return before.flatMap((item, index) => fieldDiff(item, after[index], [...path, index]));
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before, after }];
}

// items by name with their indexes; undefined if some have no name, or share one
function named(list: readonly unknown[]): Map<string, [item: unknown, index: number]> | undefined {
  const byName = new Map<string, [unknown, number]>();
  for (const [index, item] of list.entries()) {
    if (!isRecord(item) || typeof item.name !== 'string' || byName.has(item.name)) {
      return undefined;
    }
    byName.set(item.name, [item, index]);
  }
  return list.length > 0 ? byName : undefined;
}
