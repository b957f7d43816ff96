import { ImmutableField, ImmutableFields } from '../../kind/description/immutable-fields';
import { KindDescription } from '../../kind/kind';
import { isLate } from '../../late/late-token';
import {
  at,
  FieldPath,
  isFromServer,
  isRecord,
  kindKey,
  Manifest,
  pathOf,
  pathText,
  sameValue,
} from '../../manifest/manifest';
import { Problem } from '../../problem/problem';
import { plainText } from '../../text/plain-text';
import { GateId } from '../../version/feature-gate';
import { hasFeature } from '../../version/target-features';
import { JudgedObject, JudgedTarget, Rule, World } from '../rule';

/** A rule on edits. */
type UpdateRule = Omit<Rule, 'judgeUpdate'> & {
  readonly judgeUpdate: (object: JudgedObject, before: Manifest, world: World) => Iterable<Problem>;
};

/** The rules on the immutable fields of kinds. */
export function immutableRules(kinds: readonly KindDescription[]): UpdateRule[] {
  return kinds.flatMap((kind) => (kind.immutable ?? []).map((row) => ruleOf(kind, row)));
}

/** The rule on immutable fields of an ID, for a slice whose rule of that ID checks more. */
export function immutableRule(id: string, ...kinds: readonly KindDescription[]): UpdateRule {
  const rule = immutableRules(kinds).find((each) => each.id === id);
  if (!rule) {
    throw new Error(`no kind has immutable fields of the rule ${id}`);
  }
  return rule;
}

function ruleOf({ group, kind }: KindDescription, row: ImmutableFields): UpdateRule {
  const { id, level = 'error', what, says, source, on, since, when, fields, general } = row;
  const compiled = fields.map((field) => ({ field, path: pathOf(field.path) }));
  return {
    id,
    level,
    kinds: [kindKey(group, kind)],
    what,
    ...(says === undefined ? {} : { says }),
    ...(general ? { general } : {}),
    source,
    *judgeUpdate(object: JudgedObject, before: Manifest, world: World): Iterable<Problem> {
      const { manifest, target } = object;
      if (
        on?.some((each) => each === target.kind) === false ||
        lacks(target, since) ||
        when?.(manifest, before) === false
      ) {
        return;
      }
      const states = { manifest, before, written: world.writtenBefore(object) };
      for (const { field, path } of compiled) {
        if (field.when?.(manifest, before) === false) {
          continue;
        }
        const accepted = lacks(target, field.since) ? { level: 'warning' as const } : {};
        for (const change of changesOf(field, path, states)) {
          yield { ...problemOf(row, field, change), ...accepted };
        }
      }
    },
  };
}

function lacks(target: JudgedTarget, since: GateId | undefined): boolean {
  return since !== undefined && hasFeature(target, since) === false;
}

/** A field with a different value. */
interface Change {
  readonly path: string;
  readonly now: unknown;
  readonly was: unknown;
}

/** The states of an object that an edit compares. */
interface States {
  readonly manifest: Manifest;
  readonly before: Manifest;
  /** The previous manifest, where `before` is what a server made of it. */
  readonly written: Manifest | undefined;
}

function* changesOf(
  field: ImmutableField,
  path: FieldPath,
  { manifest, before, written }: States,
): Iterable<Change> {
  const [now, was, set] = [manifest, before, written].map(
    (state) => (field.read && state ? field.read(state) : at(state, path)) ?? undefined,
  );
  const maybeFilledIn = (value: unknown): boolean => isFromServer(before) && value === undefined;
  if (!field.keys) {
    if (isChanged(field, now, was, maybeFilledIn(set))) {
      yield { path: field.path, now: now ?? field.default, was: was ?? field.default };
    }
    return;
  }
  const [map, old, own] = [now, was, set].map((value) => (isRecord(value) ? value : {}));
  for (const key of new Set([...Object.keys(map), ...Object.keys(old)])) {
    const isExcepted = field.keys.except?.includes(key);
    if (isExcepted || !isChanged(field, map[key], old[key], maybeFilledIn(own[key]))) {
      continue;
    }
    yield { path: pathText([...path, key]), now: map[key], was: old[key] };
  }
}

/** @param maybeFilledIn whether the server may have filled in the previous value */
function isChanged(
  field: ImmutableField,
  now: unknown,
  was: unknown,
  maybeFilledIn: boolean,
): boolean {
  const { compared = (value: unknown) => value, default: assumed, addable, omitted, read } = field;
  if (read && (now === undefined || was === undefined)) {
    return false;
  }
  if (now === undefined && (omitted === 'keeps' || (omitted === undefined && maybeFilledIn))) {
    return false;
  }
  const [is, old] = [compared(now ?? assumed), compared(was ?? assumed)];
  if (sameValue(is, old) || holdsLate(now) || holdsLate(was)) {
    return false;
  }
  return !(addable && compared(was) === undefined);
}

function holdsLate(value: unknown): boolean {
  return isLate(typeof value === 'string' ? value : JSON.stringify(value));
}

function problemOf(
  row: ImmutableFields,
  field: ImmutableField,
  { path, now, was }: Change,
): Problem {
  const says =
    typeof field.says === 'function'
      ? field.says(plainText(was ?? ''), plainText(now ?? ''))
      : field.says;
  const from = field.hidden ? '' : ` from ${JSON.stringify(was)}`;
  return {
    path,
    ...(now === undefined || field.hidden ? {} : { value: now }),
    message:
      row.message ??
      (was === undefined ? 'cannot be added to an existing object' : `cannot be changed${from}`),
    fix: field.fix ?? row.fix,
    ...(says === undefined ? {} : { says }),
  };
}
