import { IConstruct } from 'constructs';
import { ApiTable, ApiType, Parameters } from './api-table';
import { expected, fixFor, fixForUnknown, given, nearestProp } from './explain-argument';
import { PublicCall, nameOfCall } from './public-call';
import { Step, pathText } from '../manifest/manifest';
import { problemText } from '../rule/problem';
import { nearestName } from '../text/plain-text';

/** The fully qualified name of a class, by which the copies of a library in one program know each other's. */
const RTTI = Symbol.for('jsii.rtti');

/** Before the names of the library's own classes. */
const PACKAGE = 'cdk8s-harvester.';

/** A problem of an argument, or of a part of it. */
interface ArgumentProblem {
  /** The parameter, and the way to the part. */
  readonly path: readonly Step[];
  readonly message: string;
  readonly fix: string;
}

/** Throws all problems of the arguments of a call as one error, with the path of the construct in each line, as constructs do. */
export function failOnArguments(table: ApiTable, call: PublicCall, args: readonly unknown[]): void {
  const { type, method, subclass } = call;
  if (!call.parameters || (!method && table[type]!.isAbstract && !subclass)) {
    throw new Error(`${type}: ${problemText({ path: '', message: 'cannot be created with new', fix: fixFor(type, undefined, table) })}`);
  }
  const problems = new ArgumentCheck(table).check(call, call.parameters, args);
  if (problems.length === 0) { return; }
  const structs = call.parameters.filter(([, code]) => table[code.replace('?', '')]?.props).map(([name]) => name);
  // the only object with props is what the call is about
  const isAbout = ([parameter, ...rest]: readonly Step[]): boolean => structs.length === 1 && parameter === structs[0] && rest.length > 0;
  const textOf = ({ path, ...problem }: ArgumentProblem): string => problemText({ ...problem, path: pathText(isAbout(path) ? path.slice(1) : path) });
  throw new Error(problems.map((problem) => subjectOf(call, args) + textOf(problem)).join('\n'));
}

/** What a message is about: the path of the construct, or the class and the method. */
function subjectOf(call: PublicCall, [scope, id]: readonly unknown[]): string {
  if (isConstruct(call.object)) { return `[${call.object.node.path}] ${call.method!}: `; }
  const [first, second] = call.parameters ?? [];
  if (first?.[0] !== 'scope' || !isConstruct(scope)) { return `${nameOfCall(call)}: `; }
  const { path } = scope.node;
  if (second?.[0] !== 'id' || typeof id !== 'string') { return `[${path}] ${nameOfCall(call)}: `; }
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

  public check({ subclass }: PublicCall, parameters: Parameters, args: readonly unknown[]): readonly ArgumentProblem[] {
    for (let index = 0; index < parameters.length; index++) {
      const [name, code] = parameters[index]!;
      // a call without its options lacks what is required of them
      const value = args[index] === undefined && this.table[code]?.required?.length ? {} : args[index];
      this.path.push(name);
      switch (code[0]) {
        case '*': this.list(`[${code.slice(1)}`, args.slice(index)); break;
        case '?': this.optional(code.slice(1), value); break;
        default: this.value(code, value, subclass === 'own props');
      }
      this.path.pop();
    }
    // a static method without a scope may be given to Array.map, which passes more
    if (args.length > parameters.length && parameters[0]?.[0] === 'scope' && parameters.at(-1)![1][0] !== '*') {
      this.report(`cannot take ${args.length} arguments`, `set ${parameters.map(([name]) => name).join(', ')} only`);
    }
    return this.problems;
  }

  private report(message: string, fix: string): void {
    this.problems.push({ path: [...this.path], message, fix });
  }

  private optional(code: string, value: unknown): void {
    if (value === undefined || code === 'a') { return; }
    if (value === null) { this.refuse(code, value, 'leave it out'); } else { this.value(code, value); }
  }

  private refuse(code: string, value: unknown, fix = fixFor(code, value, this.table)): void {
    this.report(`must be ${expected(code, this.table)}, got ${given(code, value, this.table)}`, fix);
  }

  private value(code: string, value: unknown, isOpen = false): void {
    switch (code[0]) {
      case 'a': return;
      case 's': if (typeof value !== 'string' && !isToken(value)) { this.refuse(code, value); } return;
      case 'n': if (!Number.isFinite(value) && !isToken(value)) { this.refuse(code, value); } return;
      case 'b': if (typeof value !== 'boolean' && !isToken(value)) { this.refuse(code, value); } return;
      case '[': this.list(code, value); return;
      case '{': this.map(code, value); return;
      default: this.named(code, this.table[code]!, value, isOpen);
    }
  }

  private list(code: string, value: unknown): void {
    if (!Array.isArray(value)) { this.refuse(code, value); return; }
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index];
      this.path.push(index);
      if (item === undefined || item === null) { this.refuse(code.slice(1), item, 'remove it from the list'); } else { this.value(code.slice(1), item); }
      this.path.pop();
    }
  }

  private map(code: string, value: unknown): void {
    if (isToken(value)) { return; }
    if (!isStructLike(value)) { this.refuse(code, value); return; }
    for (const key of Object.keys(value)) {
      this.path.push(key);
      this.value(code.slice(1), value[key]);
      this.path.pop();
    }
  }

  private named(code: string, type: ApiType, value: unknown, isOpen: boolean): void {
    if (type.props) {
      if (isStructLike(value)) { this.struct(code, type, value, isOpen); } else { this.refuse(code, value); }
    } else if (type.values) {
      if (!Object.values(type.values).includes(value as string)) { this.refuse(code, value); }
    } else if (!this.isInstance(code, type, value)) {
      this.refuse(code, value);
    }
  }

  private struct(code: string, type: ApiType, value: Record<string, unknown>, isOpen: boolean): void {
    const { props, required } = type;
    let unknown: string[] | undefined;
    for (const key in value) {
      const item = value[key];
      // undefined is how a program takes a prop out of what it spreads
      if (item === undefined) { continue; }
      if (!Object.hasOwn(props!, key)) { (unknown ??= []).push(key); continue; }
      this.path.push(key);
      if (item === null && required!.includes(key)) { this.refuse(props![key]!, item); } else { this.optional(props![key]!, item); }
      this.path.pop();
    }
    const meant = unknown?.map((key) => this.unknownProp(key, code, type, value, isOpen));
    for (const prop of required!) {
      if (value[prop] !== undefined || meant?.includes(prop)) { continue; }
      this.path.push(prop);
      this.report('must be set', fixFor(props![prop]!, undefined, this.table));
      this.path.pop();
    }
  }

  /** Refuses a prop that a struct does not have, unless it is a subclass's own, and returns the one that is meant. */
  private unknownProp(key: string, code: string, { props }: ApiType, value: Record<string, unknown>, isOpen: boolean): string | undefined {
    const names = Object.keys(props!);
    const nearest = isOpen ? nearestName(key, names) : nearestProp(key, names);
    if (isOpen && !nearest) { return undefined; }
    const isSet = nearest !== undefined && value[nearest] !== undefined;
    const fix = isSet ? `remove it, since ${nearest} is set` : fixForUnknown(key, nearest, props!, this.table);
    this.path.push(key);
    this.report(`is not a prop of ${code}`, isOpen ? `${fix}, or do not pass ${key} on` : fix);
    this.path.pop();
    return nearest;
  }

  private isInstance(code: string, { is, members }: ApiType, value: unknown): boolean {
    if (typeof value !== 'object' || value === null) { return false; }
    const own = typeOf(value);
    if (own && (own === code || this.table[own]?.is?.includes(code))) { return true; }
    // what an exported class implements is known: an image is not a network, even with the same members
    if (own && this.table[own]?.is) { return false; }
    // and so is what an existing object is, whose class is not exported
    const existing = this.table[(value as { readonly _refersTo?: string })._refersTo ?? '']?.is;
    if (existing) { return existing.includes(code); }
    for (let prototype = prototypeOf(value); prototype; prototype = prototypeOf(prototype)) {
      if (nameOf(prototype.constructor) === code) { return true; }
    }
    // classes are known by their names, in all copies of a library; those of another package may be of another version
    if (is) { return false; }
    // the members of some interfaces are internal
    return members!.length > 0 ? members!.every((member) => member in value) : !isPlain(value);
  }
}

const NAMES = new WeakMap<object, string>();

/** The name of an exported class as the table has it; empty for a class of a program. */
function nameOf(type: unknown): string {
  if (typeof type !== 'function') { return ''; }
  let name = NAMES.get(type);
  if (name === undefined) {
    const { fqn = '' } = Object.hasOwn(type, RTTI) ? (type as unknown as { readonly [RTTI]: { readonly fqn?: string } })[RTTI] : {};
    name = fqn.startsWith(PACKAGE) ? fqn.slice(PACKAGE.length) : fqn;
    NAMES.set(type, name);
  }
  return name;
}

const prototypeOf = (value: object): object | null => Object.getPrototypeOf(value) as object | null;

/** The name of the class of an object, if that is an exported one. */
function typeOf(value: object): string {
  return nameOf(prototypeOf(value)?.constructor);
}

/** Whether an object belongs to no class. Tests run in realms of their own, whose Object is another one. */
function isPlain(value: object): boolean {
  const prototype = prototypeOf(value);
  return prototype === null || prototypeOf(prototype) === null;
}

/** Whether a value can be a struct or a map: a plain object, or one of a class of the program. */
function isStructLike(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
    && (isPlain(value) || (Object.prototype.toString.call(value) === '[object Object]' && !isExported(value)));
}

/** Whether an object is an instance of a class of a library. */
function isExported(value: object): boolean {
  return RTTI in (value.constructor as unknown as object);
}

/** Whether cdk8s resolves a value at synthesis: `Lazy.any`, which is of any type, and what has `resolve`. */
function isToken(value: unknown): boolean {
  const { produce, resolve } = (value ?? {}) as { readonly [key: string]: unknown };
  return typeof value === 'object' && (typeof produce === 'function' || typeof resolve === 'function');
}
