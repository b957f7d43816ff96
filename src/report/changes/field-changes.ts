import { ChangeStep, propName, stepsText } from './prop-names';
import { KindFields } from '../../core/kind/description/fields';
import { kindOf } from '../../core/kind/kinds';
import { holdsEncrypted } from '../../core/late/encrypted-values';
import { isLate } from '../../core/late/late-token';
import {
  FieldPath,
  Manifest,
  isRecord,
  sameValue,
  valueAt,
  withLeaves,
} from '../../core/manifest/manifest';
import { show } from '../../core/problem/problem';
import { secrecyOf } from '../../core/secret/definition';
import { MASK } from '../../core/secret/redactor';
import { holdsSecret } from '../../core/secret/secret-texts';
import { jsonOf } from '../../core/text/values';

/** A field of an object that a change sets otherwise. */
export interface FieldChange {
  /** The path of the field, e.g. `spec.resourceQuota.limit.limitsCpu`. */
  readonly path: string;
  /** The prop that sets it. @default - none is known */
  readonly prop?: string;
  /** The previous value as short text. @default - the field is new, or not shown */
  readonly before?: string;
  /** The value as short text. @default - the field is removed, or not shown */
  readonly after?: string;
  /** Why no value is shown. @default - the values are shown */
  readonly hidden?: string;
}

/** A place where two manifests differ. */
interface Difference {
  readonly steps: readonly ChangeStep[];
  /** The same place in the manifest, which decides whether it is a secret. */
  readonly at: FieldPath;
  readonly before: unknown;
  readonly after: unknown;
}

/** Keys by which the items of a list are known. */
const ITEM_KEYS = ['name', 'key', 'id'] as const;

/** Why a value is not shown. */
export const SECRET_DIFFERS = 'differs, and is not shown: it is a secret, or may contain one';
const ENCRYPTED_DIFFERS = 'differs, value unknown: it is encrypted';

/**
 * The fields in which two states of an object differ, without secrets.
 *
 * @param hasProps whether a construct of the library wrote the object, so that its props are known
 */
export function fieldChanges(before: Manifest, after: Manifest, hasProps: boolean): FieldChange[] {
  const all = differencesIn(before, after, [], []).map((difference) =>
    fieldChange(difference, before, after, hasProps),
  );
  // late values of other objects look alike
  const changes = all.filter(
    ({ before: was, after: is, hidden }) => hidden !== undefined || was !== is,
  );
  return withoutRepeated(changes);
}

/** The fields of an added object that a review shows, such as its quota. */
export function addedFields(manifest: Manifest, hasProps: boolean): FieldChange[] {
  const { shownWhenAdded = [] } = kindOf<KindFields>(manifest) ?? {};
  return shownWhenAdded.flatMap((path) => {
    const value = valueAt(manifest, ...path.map(String));
    const fields = jsonIn(value) ?? value;
    const none = { ...manifest, metadata: { name: manifest.metadata.name } };
    if (isRecord(fields)) {
      return differencesIn({}, fields, path.map(String), path)
        .flatMap(leafDifferences)
        .map((difference) => fieldChange(difference, none, manifest, hasProps));
    }
    return [];
  });
}

/** The leaves of a map that is added as a whole. */
function leafDifferences(difference: Difference): Difference[] {
  const { steps, before, after } = difference;
  return before === undefined && isRecord(after)
    ? differencesIn({}, after, steps, difference.at).flatMap(leafDifferences)
    : [difference];
}

function fieldChange(
  difference: Difference,
  before: Manifest,
  after: Manifest,
  hasProps: boolean,
): FieldChange {
  const prop = hasProps ? propName(after, difference.steps) : undefined;
  return {
    path: stepsText(difference.steps),
    ...(prop === undefined ? {} : { prop }),
    ...shownValues(difference, before, after),
  };
}

/** Changes without those of a prop that another field shows with the same values. */
function withoutRepeated(changes: readonly FieldChange[]): FieldChange[] {
  const shown = new Set<string>();
  return changes.filter(({ path, prop, before, after, hidden }) => {
    const isOnce = path.startsWith('metadata.') || prop === undefined || prop.includes('[]');
    if (isOnce || hidden !== undefined) {
      return true;
    }
    const key = JSON.stringify([prop, plainNumber(before), plainNumber(after)]);
    const isRepeated = shown.has(key);
    shown.add(key);
    return !isRepeated;
  });
}

/** A number, also of a quantity, which is text: the CPUs of a machine and their limit. */
function plainNumber(text: string | undefined): string | undefined {
  return text?.replace(/^"(\d+)"$/, '$1');
}

function differencesIn(
  before: unknown,
  after: unknown,
  steps: readonly ChangeStep[],
  at: FieldPath,
): Difference[] {
  if (sameValue(before, after)) {
    return [];
  }
  if (isRecord(before) && isRecord(after)) {
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) =>
      differencesIn(before[key], after[key], [...steps, key], [...at, key]),
    );
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    return differencesOfLists(before, after, steps, at);
  }
  const [old, now] = [jsonIn(before), jsonIn(after)];
  if (old !== undefined && now !== undefined && !sameValue(old, now)) {
    return differencesIn(old, now, steps, at);
  }
  if (isText(before) && isText(after)) {
    return [{ steps, at, ...differingLines(before, after) }];
  }
  return [{ steps, at, before, after }];
}

/** Items by their names; others by their places, or as what is added and removed. */
function differencesOfLists(
  before: readonly unknown[],
  after: readonly unknown[],
  steps: readonly ChangeStep[],
  at: FieldPath,
): Difference[] {
  const [old, now] = [byName(before), byName(after)];
  if (old && now) {
    return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) =>
      differencesIn(
        old.get(name),
        now.get(name),
        [...steps, { item: name }],
        [...at, Math.max(0, after.indexOf(now.get(name) ?? old.get(name)))],
      ),
    );
  }
  if ([...before, ...after].every((item) => typeof item !== 'object')) {
    const added = after.filter((item) => !before.includes(item));
    const removed = before.filter((item) => !after.includes(item));
    if (added.length + removed.length > 0) {
      const listOf = (items: readonly unknown[]): unknown => (items.length > 0 ? items : undefined);
      return [{ steps, at: [...at, 0], before: listOf(removed), after: listOf(added) }];
    }
    return [{ steps, at: [...at, 0], before, after }];
  }
  return Array.from({ length: Math.max(before.length, after.length) }, (_, index) =>
    differencesIn(before[index], after[index], [...steps, { item: String(index) }], [...at, index]),
  ).flat();
}

/** The items of a list by their names; undefined if they have none, or share one. */
function byName(items: readonly unknown[]): ReadonlyMap<string, unknown> | undefined {
  const records = items.filter(isRecord);
  const key = ITEM_KEYS.find((each) => records.every((item) => typeof item[each] === 'string'));
  if (records.length < items.length || key === undefined) {
    return undefined;
  }
  const named = new Map(records.map((item) => [item[key] as string, item]));
  return named.size === items.length ? named : undefined;
}

/** The map or list in a JSON text. */
function jsonIn(text: unknown): unknown {
  if (typeof text !== 'string' || !/^\s*[[{]/.test(text)) {
    return undefined;
  }
  const value = jsonOf(text);
  return typeof value === 'object' && value !== null ? value : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.includes('\n');
}

/** The lines in which two texts differ, without those that begin and end both. */
function differingLines(
  before: string,
  after: string,
): { readonly before: string; readonly after: string } {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const start = now.findIndex((line, index) => line !== old[index]);
  const least = Math.min(old.length, now.length);
  let same = 0;
  while (same < least - Math.max(0, start) && old.at(-1 - same) === now.at(-1 - same)) {
    same += 1;
  }
  const from = start < 0 ? now.length : start;
  const part = (lines: readonly string[]): string =>
    lines.slice(from, Math.max(from, lines.length - same)).join('\n');
  return { before: part(old), after: part(now) };
}

/** Both values as they may be shown. */
function shownValues(
  { at, before, after }: Difference,
  was: Manifest,
  is: Manifest,
): Pick<FieldChange, 'before' | 'after' | 'hidden'> {
  if (holdsEncrypted(before) || holdsEncrypted(after)) {
    return { hidden: ENCRYPTED_DIFFERS };
  }
  const [old, now] = [masked(before, at, was), masked(after, at, is)];
  if (old === MASK || now === MASK) {
    return { hidden: SECRET_DIFFERS };
  }
  return {
    ...(old === undefined ? {} : { before: textOf(old) }),
    ...(now === undefined ? {} : { after: textOf(now) }),
  };
}

/** A value without the secrets in it. */
function masked(value: unknown, at: FieldPath, manifest: Manifest): unknown {
  return withLeaves(
    value,
    (leaf, path) => {
      const isShown =
        leaf === undefined || leaf === null || typeof leaf === 'boolean' || isWaiting(leaf);
      if (isShown) {
        return leaf;
      }
      const isSecret =
        secrecyOf(path, manifest) !== undefined || (typeof leaf === 'string' && holdsSecret(leaf));
      return isSecret ? MASK : leaf;
    },
    at,
  );
}

/** A late value in a text, as `Side` resolves it. */
const LATE_WITHIN = /\$\{late [^}]*\}/g;

/** Whether a value is a late one, and nothing else. */
function isWaiting(value: unknown): boolean {
  return isLate(value) || (typeof value === 'string' && /^\$\{late [^}]*\}$/.test(value));
}
const KNOWN_LATER = '(known after apply)';

function textOf(value: unknown): string {
  if (typeof value === 'string' && value.search(LATE_WITHIN) >= 0) {
    const text = value.replace(LATE_WITHIN, KNOWN_LATER);
    return text === KNOWN_LATER ? text : show(text);
  }
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) {
    return value.map(show).join(', ');
  }
  return show(value);
}
