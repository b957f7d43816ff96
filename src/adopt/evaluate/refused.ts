import { Completion, PatchOperation } from './statements';
import { Draft, DraftProps, DraftValue, Expression, StaticCall } from '../../core/draft/draft';
import { FieldPattern, isRecord, patternOf, pointerOf } from '../../core/manifest/manifest';

/** A problem of a construct: `[rancher/shop] pools[all].quantity: must be …`. */
const PROBLEM = /^\[[^\]]*\] ([A-Za-z]\w*(?:\.\w+|\[[^\]]*\])*): /;

/** A label or an annotation that a construct refuses: `[shop/web] annotations[example.com/a]: cannot be set`. */
const METADATA_PROBLEM = /^\[[^\]]*\] (labels|annotations)\[([^\]]+)\]: /;

/** How often a draft loses what its construct refuses. */
export const MAX_REFUSALS = 8;

/** A draft without the props that its construct refuses. */
export interface Relaxed {
  readonly draft: Draft;
  /** The props that it lacks. */
  readonly paths: readonly FieldPattern[];
}

/**
 * What completes an object without the labels and annotations that its construct refuses as props:
 * the program adds them to the object itself. Undefined where none of them is at fault.
 *
 * @param message why the construct could not be made, a line for each problem
 */
export function completionByCalls(
  completion: Completion | undefined,
  message: string,
): Completion | undefined {
  const refused = message.split('\n').flatMap((line) => {
    const [, kind, key] = METADATA_PROBLEM.exec(line) ?? [];
    const field = kind as 'labels' | 'annotations' | undefined;
    const value = field === undefined ? undefined : completion?.[field]?.[key];
    return field === undefined || value === undefined ? [] : [{ field, key, value }];
  });
  if (completion === undefined || refused.length === 0) {
    return undefined;
  }
  const rest = (
    field: 'labels' | 'annotations',
  ): { readonly [key: string]: string } | undefined => {
    const kept = Object.entries(completion[field] ?? {}).filter(
      ([key]) => !refused.some((each) => each.field === field && each.key === key),
    );
    return kept.length > 0 ? Object.fromEntries(kept) : undefined;
  };
  return {
    ...completion,
    labels: rest('labels'),
    annotations: rest('annotations'),
    patches: [
      ...completion.patches,
      ...refused.map(({ field, key, value }): PatchOperation => ({
        op: 'add',
        path: pointerOf(['metadata', field, key]),
        value,
      })),
    ],
  };
}

/**
 * A draft without the props that its construct refuses, so that one value does not cost the
 * construct: JSON patches set the fields. Undefined where no prop of the draft is at fault.
 *
 * @param message why the construct could not be made, a line for each problem
 * @param before the props that the draft lost last: a construct that fails for another reason needs them
 */
export function withoutRefused(
  draft: Draft,
  message: string,
  before: readonly FieldPattern[] = [],
): Relaxed | undefined {
  const fields = message.split('\n').flatMap((line) => PROBLEM.exec(line)?.[1] ?? []);
  // no patch gives an object another name
  const named = fields.map(patternOf).filter((path) => path.length > 1 || path[0] !== 'name');
  const paths = named.length > 0 ? named : before.map((path) => path.slice(0, -1));
  let props: DraftProps | undefined;
  const removed: FieldPattern[] = [];
  for (const path of paths) {
    const [less, at] = withoutPath(props ?? draft.props, path);
    if (less) {
      props = less;
      removed.push(at);
    }
  }
  return props && { draft: { ...draft, props }, paths: removed };
}

/** Props without what a path names, or without the smallest prop around it that they have. */
function withoutPath(
  props: DraftProps,
  path: FieldPattern,
): readonly [DraftProps | undefined, FieldPattern] {
  for (let at = path; at.length > 0; at = at.slice(0, -1)) {
    const less = without(props, at) as DraftProps | undefined;
    if (less) {
      return [less, at];
    }
  }
  return [undefined, path];
}

/** A value without what a path names; undefined if it has none, or is not made of props. */
function without(value: DraftValue, path: FieldPattern): DraftValue {
  if (value instanceof StaticCall) {
    return withoutArg(value, path);
  }
  const [step, ...rest] = path;
  if (value instanceof Expression || !isRecord(value)) {
    return Array.isArray(value)
      ? withoutItem(value as readonly DraftValue[], step, rest)
      : undefined;
  }
  const fields = value as DraftProps;
  const name = String(step);
  if (fields[name] === undefined) {
    return undefined;
  }
  if (rest.length === 0) {
    return { ...fields, [name]: undefined };
  }
  const inner = without(fields[name], rest);
  return inner === undefined ? undefined : { ...fields, [name]: inner };
}

/** A call one of whose arguments lacks something: constructs name its props by their own paths. */
function withoutArg({ type, method, args }: StaticCall, path: FieldPattern): DraftValue {
  const less = args.map((arg) => (isRecord(arg) ? without(arg as DraftProps, path) : undefined));
  const found = less.findIndex((arg) => arg !== undefined);
  if (found === -1) {
    return undefined;
  }
  return new StaticCall(
    type,
    method,
    args.map((arg, index) => (index === found ? less[found] : arg)),
  );
}

/** A list whose item lacks something: items remain, since their places count. */
function withoutItem(
  items: readonly DraftValue[],
  step: FieldPattern[number],
  rest: FieldPattern,
): DraftValue {
  const found = items.findIndex(
    (item, index) => index === step || (isRecord(item) && item.name === step),
  );
  const inner = found === -1 || rest.length === 0 ? undefined : without(items[found], rest);
  return inner === undefined
    ? undefined
    : items.map((item, index) => (index === found ? inner : item));
}
