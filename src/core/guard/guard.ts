import { ApiTable } from './api-table';
import { failOnArguments } from './check-arguments';
import { PublicCall, Subclass } from './public-call';
import { calledByProgram, createdByProgram } from '../app/program-place';

/**
 * The boundary between programs and the library, which every call of a public constructor, static method, or method with parameters crosses.
 *
 * TypeScript refuses a misspelled prop and a value of a wrong type. In JavaScript, behind a cast, and with runners that only remove types (tsx, bun,
 * node) nothing does, and the prop is lost without a message. The library's own modules import each other's classes directly, and pay nothing.
 *
 * It also knows where the program is: what fails, and what a construct leads to, names that place.
 */
function enter<T>(table: ApiTable, call: PublicCall, args: readonly unknown[], proceed: () => T): T {
  const checked = (): T => {
    failOnArguments(table, call, args);
    return proceed();
  };
  return call.object === undefined ? createdByProgram(call.entry, checked) : calledByProgram(call.entry, checked);
}

type Class = abstract new (...args: never[]) => object;
type Method = (this: unknown, ...args: unknown[]) => unknown;

/**
 * The class as the compiled lib/index.js exports it: its constructor and its static methods check what they are given. For everything else it is the
 * class: it has the prototype, the static values, and the type information for other languages.
 *
 * @param load reads the public API, at the first call
 */
export function guarded<T extends Class>(name: string, target: T, load: () => ApiTable): T {
  const statics = new Map<string, { readonly method: unknown; readonly checked: Method }>();

  const checkedStatic = (key: string, method: Method): Method => {
    const known = statics.get(key);
    // a test may have replaced the method
    if (known) { return known.method === method ? known.checked : method; }
    const checked: Method = function (...args) {
      const table = load();
      const call = { type: name, method: key, parameters: table[name]!.statics![key], entry: checked };
      return enter(table, call, args, () => Reflect.apply(method, this === guard ? target : this, args));
    };
    statics.set(key, { method, checked });
    return checked;
  };

  const construct = (_: T, args: unknown[], newTarget: Class): object => {
    const table = load();
    const subclass = newTarget === guard ? undefined : subclassOf(newTarget, guard);
    const call = { type: name, parameters: table[name]!.create, subclass, entry: construct };
    return enter(table, call, args, () => Reflect.construct(target, args, subclass ? newTarget : target) as object);
  };

  const guard: T = new Proxy(target, {
    construct: construct as never,
    get: (_, key, receiver): unknown => {
      const value: unknown = Reflect.get(target, key, receiver);
      if (typeof value !== 'function' || typeof key !== 'string') { return value; }
      return statics.has(key) || Object.hasOwn(load()[name]!.statics!, key) ? checkedStatic(key, value as Method) : value;
    },
  });
  // so that `object.constructor === VmNetwork` holds for programs
  target.prototype.constructor = guard;
  return guard;
}

/** Whether a class of the program can have props of its own: a constructor without parameters, or none, passes on the props of its base class. */
function subclassOf(newTarget: Class, base: Class): Subclass {
  for (let each = newTarget; each !== base; each = Object.getPrototypeOf(each) as Class) {
    if (each.length > 0) { return 'own props'; }
  }
  return 'no own props';
}

/**
 * Lets methods of a class check what they are given. The compiled module of the class calls it, since a program may call a method of an object whose
 * class it never imports. A method that the class inherits is replaced where it is declared, for the other classes that inherit it.
 */
export function guardMethods(name: string, target: Class, methods: readonly string[], load: () => ApiTable): void {
  for (const key of methods) {
    let owner = target.prototype as { [key: string]: Method };
    while (!Object.hasOwn(owner, key)) { owner = Object.getPrototypeOf(owner) as typeof owner; }
    const method = owner[key]!;
    const checked: Method = function (...args) {
      const table = load();
      const call = { type: name, method: key, parameters: table[name]!.methods![key]!, object: this, entry: checked };
      return enter(table, call, args, () => Reflect.apply(method, this, args));
    };
    Object.defineProperty(owner, key, { value: checked, writable: true, configurable: true });
  }
}
