import { IConstruct } from 'constructs';
import { ApiTable, ApiType } from './api-table';
import { expected, fixFor, fixForUnknown, givenType, nearestProp } from './explain-argument';
import { PublicCall, nameOfCall } from './public-call';
import { Step, pathText } from '../manifest/manifest';
import { Problem, problemText } from '../rule/problem';
import { nearestName } from '../text/plain-text';

/** Parameters whose props are the options of a call: a message names the prop alone. */
const OPTIONS = new Set(['props', 'options']);

/** The fully qualified name of a class, by which the copies of a library in one program know each other's. */
const RTTI = Symbol.for('jsii.rtti');

/** Before the names of the library's own classes. */
const PACKAGE = 'cdk8s-harvester.';

/** Throws all problems of the arguments of a call as one error, with the path of the construct in each line, as constructs do. */
export function failOnArguments(table: ApiTable, call: PublicCall, args: readonly unknown[]): void {
  const problems = new ArgumentCheck(table).check(call, args);
  if (problems.length > 0) { throw new Error(problems.map((problem) => subjectOf(call, args) + problemText(problem)).join('\n')); }
}

/** What a message is about: the path of the construct, or the class and the method. */
function subjectOf(call: PublicCall, [scope, id]: readonly unknown[]): string {
  if (isConstruct(call.object)) { return `[${call.object.node.path}] ${call.method!}: `; }
  if (!isConstruct(scope)) { return `${nameOfCall(call)}: `; }
  const { path } = scope.node;
  if (!call.parameters?.[1]?.startsWith('id:') || typeof id !== 'string') { return `[${path}] ${nameOfCall(call)}: `; }
  return `[${path === '' ? id : `${path}/${id}`}] `;
}

function isConstruct(value: unknown): value is IConstruct {
  return typeof (value as IConstruct | undefined)?.node?.path === 'string';
}

/** Looks through the arguments of one call. */
class ArgumentCheck {
  private readonly problems: Problem[] = [];
  /** Where the check is. */
  private readonly path: Step[] = [];

  constructor(private readonly table: ApiTable) {}

  public check({ type, method, parameters, subclass }: PublicCall, args: readonly unknown[]): readonly Problem[] {
    if (!parameters || (!method && this.table[type]!.isAbstract && !subclass)) {
      this.report(`${type} cannot be created with new`, fixFor(type, {}, this.table));
      return this.problems;
    }
    const names = parameters.map((parameter) => parameter.slice(0, parameter.indexOf(':')));
    parameters.forEach((parameter, index) => {
      const [name, code] = [names[index]!, parameter.slice(names[index]!.length + 1)];
      // a call without its options lacks what is required of them
      const value = args[index] === undefined && this.hasRequired(code) ? {} : args[index];
      const isOptions = OPTIONS.has(name) && isStructLike(value);
      if (!isOptions) { this.path.push(name); }
      if (code[0] === '*') { this.list(`[${code.slice(1)}`, args.slice(index)); } else { this.given(code, value, isOptions && subclass === 'own props'); }
      if (!isOptions) { this.path.pop(); }
    });
    // a static method may be given to Array.map, which passes more
    if (args.length > names.length && names[0] === 'scope' && !parameters.at(-1)!.includes(':*')) {
      this.report(`cannot take ${args.length} arguments`, `set ${names.join(', ')} only`);
    }
    return this.problems;
  }

  private report(message: string, fix: string): void {
    this.problems.push({ path: pathText(this.path), message, fix });
  }

  /** A parameter or a prop, with `!` before its code if it must be set. */
  private given(code: string, value: unknown, isOpen = false): void {
    if (code[0] === '!') { this.value(code.slice(1), value, isOpen); return; }
    if (value === null && code !== 'a') { this.refuse(code, value, 'leave it out'); return; }
    if (value !== undefined) { this.value(code, value, isOpen); }
  }

  private hasRequired(code: string): boolean {
    return code[0] === '!' && Object.values(this.table[code.slice(1)]?.props ?? {}).some((prop) => prop[0] === '!');
  }

  private refuse(code: string, value: unknown, fix = fixFor(code, value, this.table)): void {
    this.report(`must be ${expected(code, this.table)}, got ${givenType(value)}`, fix);
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

  private struct(code: string, { props, isOpen: isOpenType }: ApiType, value: { readonly [key: string]: unknown }, isOpen: boolean): void {
    const keys = Object.keys(value);
    const known = Object.keys(props!);
    const meant = new Set<string>();
    for (const key of keys) {
      // undefined is how a program takes a prop out of what it spreads
      if (Object.hasOwn(props!, key) || value[key] === undefined) { continue; }
      const free = known.filter((prop) => value[prop] === undefined);
      const nearest = isOpen || isOpenType ? nearestName(key, free) : nearestProp(key, free);
      if (nearest) { meant.add(nearest); } else if (isOpen || isOpenType) { continue; }
      this.path.push(key);
      this.report(`is not a prop of ${code}`, fixForUnknown(key, nearest, props!, this.table) + (isOpen ? `, or do not pass ${key} on` : ''));
      this.path.pop();
    }
    for (const prop of known) {
      const given = value[prop];
      if (given === undefined && (props![prop]![0] !== '!' || meant.has(prop))) { continue; }
      this.path.push(prop);
      if (given === undefined) { this.report('must be set', fixFor(props![prop]!.slice(1), given, this.table)); } else { this.given(props![prop]!, given); }
      this.path.pop();
    }
  }

  private isInstance(code: string, { is, members }: ApiType, value: unknown): boolean {
    if (typeof value !== 'object' || value === null) { return false; }
    const types = typesOf(value);
    if (types.includes(code)) { return true; }
    // a class is known by its name, in all copies of a library; a class of another package may be another version
    if (is) { return false; }
    // what an exported class implements is known, so that an image is not a network, even with the same members; that of a program's class is not known
    const own = ownTypeOf(value);
    const declared = own && this.table[own]?.is;
    if (declared) { return declared.includes(code); }
    // the members of some interfaces are internal
    return members!.length > 0 ? members!.every((member) => member in value) : !isPlain(value);
  }
}

/** The name of a class in the table; undefined where the class is a program's. */
function typeNameOf(type: unknown): string | undefined {
  const { fqn } = (type as { [RTTI]?: { readonly fqn: string } } | undefined)?.[RTTI] ?? {};
  return fqn?.startsWith(PACKAGE) ? fqn.slice(PACKAGE.length) : fqn;
}

const prototypeOf = (value: object): object | null => Object.getPrototypeOf(value) as object | null;

/** The names of the exported classes that an object is an instance of. */
function typesOf(value: object): string[] {
  const types: string[] = [];
  for (let prototype = prototypeOf(value); prototype; prototype = prototypeOf(prototype)) {
    const name = typeNameOf(prototype.constructor);
    if (name) { types.push(name); }
  }
  return types;
}

/** The name of the class of an object, if that is an exported one. */
function ownTypeOf(value: object): string | undefined {
  const constructor = prototypeOf(value)?.constructor;
  return constructor && Object.hasOwn(constructor, RTTI) ? typeNameOf(constructor) : undefined;
}

/** Whether an object belongs to no class. Tests run in realms of their own, whose Object is another one. */
function isPlain(value: object): boolean {
  const prototype = prototypeOf(value);
  return prototype === null || prototypeOf(prototype) === null;
}

/** Whether a value can be a struct or a map: a plain object, or one of a class of the program. */
function isStructLike(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && (isPlain(value) || (Object.prototype.toString.call(value) === '[object Object]' && typesOf(value).length === 0));
}

/** Whether cdk8s resolves a value at synthesis: `Lazy.any`, which is of any type, and what has `resolve`. */
function isToken(value: unknown): boolean {
  const { produce, resolve } = (value ?? {}) as { readonly [key: string]: unknown };
  return typeof value === 'object' && (typeof produce === 'function' || typeof resolve === 'function');
}
