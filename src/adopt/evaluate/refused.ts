import { Draft, DraftProps, DraftValue, Expression } from '../../core/draft/draft';
import { FieldPattern, isRecord, patternOf } from '../../core/manifest/manifest';

/** A problem of a construct: `[rancher/shop] pools[all].quantity: must be …`. */
const PROBLEM = /^\[[^\]]*\] ([A-Za-z]\w*(?:\.\w+|\[[^\]]*\])*): /;

/** How often a draft loses what its construct refuses. */
export const MAX_REFUSALS = 8;

/** A draft without the props that its construct refuses. */
export interface Relaxed {
  readonly draft: Draft;
  /** The props that it lacks. */
  readonly paths: readonly FieldPattern[];
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
  const named = message
    .split('\n')
    .flatMap((line) => PROBLEM.exec(line)?.[1] ?? [])
    .map(patternOf);
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
function without(value: DraftValue, [step, ...rest]: FieldPattern): DraftValue {
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
