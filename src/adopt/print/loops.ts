import { Draft, DraftValue, Expression, ObjectExpression } from '../../core/draft/draft';
import { argsOf, Statement, Statements } from '../evaluate/statements';

/** Statements that differ in a few values. */
export interface Loop {
  readonly items: readonly Draft[];
  /** The names of the values that differ; the first one is `id`. */
  readonly keys: readonly string[];
  /** The values of each statement. */
  readonly values: readonly (readonly DraftValue[])[];
  /** The statement with placeholders for the values. */
  readonly statement: Statement;
}

/** Fewer statements are easier to read one by one. */
const MIN_ITEMS = 4;
/** A row with more values is as hard to read as a statement. */
const MAX_KEYS = 4;

/** The statements of a module; those that repeat as loops, in the place of the first one. */
export function loopsIn(
  drafts: readonly Draft[],
  statements: Statements,
  isRepeatable: (draft: Draft) => boolean,
): readonly (Statement | Loop)[] {
  const groups = new Map<string, Draft[]>();
  for (const draft of drafts) {
    if (
      !isRepeatable(draft) ||
      (draft.comments ?? []).length > 0 ||
      draft.takesNoId ||
      draft.calls
    ) {
      continue;
    }
    const form = formOf(statements.of(draft));
    groups.set(form, [...(groups.get(form) ?? []), draft]);
  }
  const loops = new Map<Draft, Loop | undefined>();
  for (const items of groups.values()) {
    const loop = items.length < MIN_ITEMS ? undefined : loopOf(items, statements);
    if (loop) {
      items.forEach((draft, index) =>
        loops.set(draft, index === items.length - 1 ? loop : undefined),
      );
    }
  }
  return drafts.flatMap((draft): (Statement | Loop)[] => {
    if (!loops.has(draft)) {
      return [statements.of(draft)];
    }
    const loop = loops.get(draft);
    return loop ? [loop] : [];
  });
}

function loopOf(items: readonly Draft[], statements: Statements): Loop | undefined {
  const all = items.map((draft) => statements.of(draft));
  const places = leavesOf(argsOf(all[0]))
    .map(([path]) => path)
    .filter((path) => {
      const values = all.map((each) => text(at(argsOf(each), path)));
      return new Set(values).size > 1;
    });
  if (places.length + 1 > MAX_KEYS) {
    return undefined;
  }
  const keys = ['id', ...places.map((path) => keyOf(path))];
  if (new Set(keys).size < keys.length || keys.some((each) => !/^[a-z]\w*$/i.test(each))) {
    return undefined;
  }
  const [first] = all;
  const args = places.reduce<DraftValue>(
    (value, path, index) => replaced(value, path, new Placeholder(keys[index + 1])),
    argsOf(first),
  );
  if (!Array.isArray(args)) {
    return undefined;
  }
  const statement = { ...first, args, props: {} };
  return {
    items,
    keys,
    values: all.map((each) => [each.id, ...places.map((path) => at(argsOf(each), path))]),
    statement,
  };
}

type Path = readonly (string | number)[];

/** What statements of one loop have in common: all but their texts and numbers. */
function formOf(statement: Statement): string {
  const { scope } = statement;
  const { type, method } = statement.draft;
  const leaves = leavesOf(argsOf(statement)).map(([path, value]) => [
    path,
    value instanceof Expression ? text(value) : typeof value,
  ]);
  return JSON.stringify([type, method, text(scope), leaves]);
}

/** The literals, and the expressions, of a value. */
function leavesOf(value: DraftValue, path: Path = []): readonly (readonly [Path, DraftValue])[] {
  if (value === undefined) {
    return [];
  }
  if (typeof value !== 'object' || value === null || value instanceof Expression) {
    return [[path, value]];
  }
  return Object.entries(value).flatMap(([key, each]) =>
    leavesOf(each as DraftValue, [...path, key]),
  );
}

/** A text that is the same for values that print the same. */
function text(value: DraftValue | Expression): string {
  return JSON.stringify(value, (key, each) => {
    if (key === 'draft') {
      return `${each.type} ${each.id}`;
    }
    if (each instanceof ObjectExpression) {
      return each.object;
    }
    return each;
  });
}

function at(value: any, path: Path): DraftValue {
  return path.reduce((current, step) => current[step], value);
}

function replaced(value: DraftValue, [step, ...rest]: Path, by: DraftValue): DraftValue {
  if (step === undefined) {
    return by;
  }
  if (Array.isArray(value)) {
    return value.map((each, index) =>
      String(index) === String(step) ? replaced(each, rest, by) : each,
    );
  }
  return Object.fromEntries(
    Object.entries(value as object).map(([key, each]) => [
      key,
      key === step ? replaced(each, rest, by) : each,
    ]),
  );
}

function keyOf(path: Path): string {
  return String([...path].reverse().find((step) => !/^\d+$/.test(String(step))) ?? '');
}

/** The variable of a loop. */
export class Placeholder extends Expression {
  public constructor(public readonly name: string) {
    super();
  }
}
