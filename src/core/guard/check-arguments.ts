import { IConstruct } from 'constructs';
import { accepts, fitsType } from './accept-arguments';
import { ApiTable, ApiType, isInstance, isStructLike, isToken, Parameters } from './argument-type';
import { expected, fixFor, fixForUnknown, givenText, nearestProp } from './explain-argument';
import { pathText, Step } from '../manifest/manifest';
import { problemText } from '../problem/problem';
import { nearestName } from '../text/plain-text';

/** Whether a class of the program may pass on its own props with those of its base class. */
export type Subclass = 'own props' | 'no own props';

/** A call of the public API. */
export interface PublicCall {
  /** The class, e.g. `VmNetwork`. */
  readonly type: string;
  /** The method; undefined for a constructor. */
  readonly method?: string;
  /** Undefined for a constructor that programs cannot call. */
  readonly parameters: Parameters | undefined;
  /** The object of a method that is not static. */
  readonly object?: unknown;
  /**
   * The class of the program that calls the constructor of its base class; undefined where the
   * program creates an instance of the class itself.
   */
  readonly subclass?: Subclass;
  /** The function that the program called: frames of the library are above it. */
  readonly entry: (...args: never[]) => unknown;
}

/** A call as a program writes it, e.g. `VmNetwork.fromName`. */
export function nameOfCall({ type, method }: PublicCall): string {
  return method ? `${type}.${method}` : type;
}

/** A problem of an argument, or of a part of it. */
interface ArgumentProblem {
  /** The parameter, and the way to the part. */
  readonly path: readonly Step[];
  readonly message: string;
  readonly fix: string;
}

/**
 * Throws all problems of the arguments of a call as one error, with the path of the construct in
 * each line, as constructs do.
 */
export function failOnArguments(table: ApiTable, call: PublicCall, args: readonly unknown[]): void {
  const { type, method, subclass } = call;
  if (!call.parameters || (!method && table[type]!.isAbstract && !subclass)) {
    throw new Error(
      `${type}: ${problemText({ path: '', message: 'cannot be created with new', fix: fixFor(type, undefined, table) })}`,
    );
  }
  const problems = new ArgumentCheck(table).check(call, call.parameters, args);
  if (problems.length === 0) {
    return;
  }
  const structs = call.parameters
    .filter(([, code]) => table[code.replace('?', '')]?.props)
    .map(([name]) => name);
  // the only object with props is what the call is about
  const isAbout = ([parameter, ...rest]: readonly Step[]): boolean =>
    structs.length === 1 && parameter === structs[0] && rest.length > 0;
  const textOf = ({ path, ...problem }: ArgumentProblem): string =>
    problemText({ ...problem, path: pathText(isAbout(path) ? path.slice(1) : path) });
  throw new Error(problems.map((problem) => subjectOf(call, args) + textOf(problem)).join('\n'));
}

/** What a message is about: the path of the construct, or the class and the method. */
function subjectOf(call: PublicCall, [scope, id]: readonly unknown[]): string {
  if (isConstruct(call.object)) {
    return call.object.node.path === ''
      ? `${nameOfCall(call)}: `
      : `[${call.object.node.path}] ${call.method!}: `;
  }
  const [first, second] = call.parameters ?? [];
  if (first?.[0] !== 'scope' || !isConstruct(scope)) {
    return `${nameOfCall(call)}: `;
  }
  const { path } = scope.node;
  if (second?.[0] !== 'id' || typeof id !== 'string') {
    return `[${path}] ${nameOfCall(call)}: `;
  }
  return `[${path === '' ? id : `${path}/${id}`}] `;
}

function isConstruct(value: unknown): value is IConstruct {
  return typeof (value as IConstruct | undefined)?.node?.path === 'string';
}

/** Looks through the arguments of one call. */
class ArgumentCheck {
  private readonly problems: ArgumentProblem[] = [];
  /** Where the check is. */
  private readonly path: Step[] = [];

  constructor(private readonly table: ApiTable) {}

  public check(
    { subclass }: PublicCall,
    parameters: Parameters,
    args: readonly unknown[],
  ): readonly ArgumentProblem[] {
    const last = parameters.at(-1);
    const [first, index, all] = args;
    // what Array.map and others pass: the item, its index, and the list
    const isMapped =
      args.length === 3 &&
      typeof index === 'number' &&
      Array.isArray(all) &&
      Object.is(all[index], first);
    if (
      isMapped &&
      (parameters.length === 2 || last?.[1].startsWith('*')) &&
      !accepts(this.table, parameters)(args)
    ) {
      this.report(
        'cannot take the index and the list that methods such as map pass',
        'call it in an arrow function: (each) => …(each)',
      );
      return this.problems;
    }
    this.parameters(parameters, args, subclass === 'own props');
    if (
      !last?.[1].startsWith('*') &&
      !(isMapped && parameters.length < 2) &&
      args.slice(parameters.length).some((arg) => arg !== undefined)
    ) {
      const names = parameters.map(([name]) => name).join(', ');
      this.report(
        `cannot take ${args.length === 1 ? 'an argument' : `${args.length} arguments`}`,
        names === '' ? 'call it without arguments' : `set ${names} only`,
      );
    }
    return this.problems;
  }

  private parameters(parameters: Parameters, args: readonly unknown[], isOpen: boolean): void {
    for (let index = 0; index < parameters.length; index++) {
      const [name, code] = parameters[index]!;
      // props in the place of the ID: what is missing is the ID
      if (
        args[index] === undefined &&
        this.table[code]?.props &&
        this.problems.length > 0 &&
        isStructLike(args[index - 1])
      ) {
        continue;
      }
      // a call without its options lacks what is required of them
      const value =
        args[index] === undefined && this.table[code]?.required?.length ? {} : args[index];
      this.path.push(name);
      switch (code[0]) {
        case '*':
          this.list(`[${code.slice(1)}`, args.slice(index));
          break;
        case '?':
          this.optional(code.slice(1), value, isOpen);
          break;
        default:
          this.value(code, value, isOpen);
      }
      this.path.pop();
    }
  }

  private report(message: string, fix: string): void {
    this.problems.push({ path: [...this.path], message, fix });
  }

  private optional(code: string, value: unknown, isOpen = false): void {
    if (value === undefined || code === 'a') {
      return;
    }
    if (value === null) {
      this.refuse(code, value, 'leave it out');
    } else {
      this.value(code, value, isOpen);
    }
  }

  private refuse(code: string, value: unknown, fix = fixFor(code, value, this.table)): void {
    this.report(
      `must be ${expected(code, this.table)}, got ${givenText(code, value, this.table)}`,
      fix,
    );
  }

  private value(code: string, value: unknown, isOpen = false): void {
    switch (code[0]) {
      case 'a':
        return;
      case 's':
        if (typeof value !== 'string' && !isToken(value)) {
          this.refuse(code, value);
        }
        return;
      case 'n':
        if (!Number.isFinite(value) && !isToken(value)) {
          this.refuse(code, value);
        }
        return;
      case 'b':
        if (typeof value !== 'boolean' && !isToken(value)) {
          this.refuse(code, value);
        }
        return;
      case '[':
        this.list(code, value);
        return;
      case '{':
        this.map(code, value);
        return;
      default:
        this.named(code, this.table[code]!, value, isOpen);
    }
  }

  private list(code: string, value: unknown): void {
    if (!Array.isArray(value)) {
      this.refuse(code, value);
      return;
    }
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index];
      this.path.push(index);
      if (item === undefined || item === null) {
        this.missingItem(code.slice(1), item);
      } else {
        this.value(code.slice(1), item);
      }
      this.path.pop();
    }
  }

  private missingItem(code: string, item: unknown): void {
    // a misspelled member of an enum is undefined
    this.refuse(
      code,
      item,
      this.table[code]?.values ? fixFor(code, item, this.table) : 'remove it from the list',
    );
  }

  private map(code: string, value: unknown): void {
    if (isToken(value)) {
      return;
    }
    if (!isStructLike(value)) {
      this.refuse(code, value);
      return;
    }
    for (const key of Object.keys(value)) {
      this.path.push(key);
      this.value(code.slice(1), value[key]);
      this.path.pop();
    }
  }

  private named(code: string, type: ApiType, value: unknown, isOpen: boolean): void {
    if (type.props) {
      if (isStructLike(value)) {
        this.struct(code, type, value, isOpen);
      } else {
        this.refuse(code, value);
      }
    } else if (type.values) {
      if (!Object.values(type.values).includes(value as string)) {
        this.refuse(code, value);
      }
    } else if (!isInstance(code, this.table, value)) {
      this.refuse(code, value);
    }
  }

  private struct(
    code: string,
    type: ApiType,
    value: Record<string, unknown>,
    isOpen: boolean,
  ): void {
    const { props, required } = type;
    let unknown: string[] | undefined;
    for (const key in value) {
      const item = value[key];
      // undefined is how a program takes a prop out of what it spreads
      if (item === undefined) {
        continue;
      }
      if (!Object.hasOwn(props!, key)) {
        (unknown ??= []).push(key);
        continue;
      }
      this.path.push(key);
      if (item === null && required!.includes(key)) {
        this.refuse(props![key]!, item);
      } else {
        this.optional(props![key]!, item);
      }
      this.path.pop();
    }
    const meant = unknown?.map((key) => this.unknownProp(key, code, type, value, isOpen));
    for (const prop of required!) {
      if (value[prop] !== undefined || meant?.includes(prop)) {
        continue;
      }
      this.path.push(prop);
      this.report('must be set', fixFor(props![prop]!, undefined, this.table));
      this.path.pop();
    }
  }

  /**
   * Refuses a prop that a struct does not have, unless it is a subclass's own, and returns the one
   * that is meant.
   */
  private unknownProp(
    key: string,
    code: string,
    { props, required }: ApiType,
    value: Record<string, unknown>,
    isOpen: boolean,
  ): string | undefined {
    const names = Object.keys(props!);
    const missing = (): string | undefined =>
      required!.find(
        (prop) => value[prop] === undefined && this.isOnlyFor(props![prop]!, value[key]),
      );
    const nearest =
      nearestName(key, names) ?? (isOpen ? undefined : (missing() ?? nearestProp(key, names)));
    if (isOpen && !nearest) {
      return undefined;
    }
    const isSet = nearest !== undefined && value[nearest] !== undefined;
    const fix = isSet
      ? `remove it, since ${nearest} is set`
      : fixForUnknown(key, nearest, props!, this.table);
    this.path.push(key);
    this.report(`is not a prop of ${code}`, isOpen ? `${fix}, or do not pass ${key} on` : fix);
    this.path.pop();
    return nearest;
  }

  /**
   * Whether a value is an instance of the class or interface that a prop takes: few props take one.
   */
  private isOnlyFor(code: string, value: unknown): boolean {
    const type = this.table[code];
    return type !== undefined && !type.props && !type.values && fitsType(code, this.table)(value);
  }
}
