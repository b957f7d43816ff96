import { Accepts, accepts } from './accept-arguments';
import { ApiTable, Parameters } from './argument-type';
import { failOnArguments, PublicCall, Subclass } from './check-arguments';
import { calledByProgram, createdByProgram } from '../construct/program-place';
import { lazily } from '../text/values';

/*
 * The boundary between programs and the library, which every call of a public constructor, static
 * method, or method crosses.
 *
 * TypeScript refuses a misspelled prop and a value of a wrong type. In JavaScript, behind a cast,
 * and with runners that only remove types (tsx, bun, node) nothing does, and the prop is lost
 * without a message. The library's own modules import each other's classes directly, and pay
 * nothing.
 *
 * It also knows where the program is: what fails, and what a construct leads to, names that place.
 */

type Class = abstract new (...args: never[]) => object;
type Method = (this: unknown, ...args: unknown[]) => unknown;

/**
 * Fails on arguments that are not in order. The fast check comes first, and this slow one, which
 * explains, only where that finds something.
 */
function explain(table: ApiTable, call: PublicCall, args: readonly unknown[]): void {
  calledByProgram(call.entry, () => failOnArguments(table, call, args));
}

/** Gives a wrapper the name and the length of the function that it wraps. */
function named<T extends Method>(
  wrapper: T,
  { name, length }: { readonly name: string; readonly length: number },
): T {
  return Object.defineProperties(wrapper, {
    name: { value: name, configurable: true },
    length: { value: length, configurable: true },
  });
}

/** What takes the place of a class until it is loaded: it can be created and extended, and has a name. */
function shellOf<T extends Class>(name: string): T {
  const shell = function (): void {
    // the guard creates an object of the class
  };
  return Object.defineProperty(shell, 'name', { value: name, configurable: true }) as unknown as T;
}

/**
 * The class as the compiled lib/index.js exports it: its constructor and its static methods check
 * what they are given. For everything else it is the class: it has the prototype, the static
 * values, and the type information for other languages.
 *
 * The class is loaded when a program uses it: an ES module takes all names of the library when it
 * imports one.
 *
 * @param find loads the class
 * @param load reads the public API
 */
export function guarded<T extends Class>(name: string, find: () => T, load: () => ApiTable): T {
  const shell = shellOf<T>(name);
  let found: T | undefined;

  const target = (): T => {
    if (found === undefined) {
      found = find();
      // a proxy must describe a property that cannot change as its target has it
      Object.defineProperty(shell, 'prototype', { value: found.prototype, writable: false });
      // so that `object.constructor === VmNetwork` holds for programs
      found.prototype.constructor = guard;
    }
    return found;
  };

  let accept: Accepts | undefined;

  const construct = (_: T, args: unknown[], newTarget: Class): object => {
    const table = load();
    const { create, isAbstract } = table[name]!;
    const subclass = newTarget === guard ? undefined : subclassOf(newTarget, guard);
    const isCreatable = create !== undefined && (!isAbstract || subclass !== undefined);
    const isAccepted = isCreatable && (accept ??= accepts(table, create))(args);
    if (!isAccepted) {
      explain(table, { type: name, parameters: create, subclass, entry: construct }, args);
    }
    return createdByProgram(
      construct,
      () => Reflect.construct(target(), args, subclass ? newTarget : target()) as object,
    );
  };

  const statics = new Map<unknown, { readonly method: Method; readonly checked: Method }>();

  const checkedStatic = (key: string, method: Method): Method => {
    const parameters = load()[name]!.statics![key]!;
    let acceptStatic: Accepts | undefined;
    const checked: Method = named(function (...args) {
      const table = load();
      const isAccepted = (acceptStatic ??= accepts(table, parameters))(args);
      if (!isAccepted) {
        explain(table, { type: name, method: key, parameters, entry: checked }, args);
      }
      return createdByProgram(checked, () =>
        Reflect.apply(method, this === guard ? target() : this, args),
      );
    }, method);
    statics.set(key, { method, checked });
    return checked;
  };

  const guard: T = new Proxy(shell, {
    construct: construct as never,
    get: (_, key, receiver): unknown => {
      const value: unknown = Reflect.get(target(), key, receiver);
      if (typeof value !== 'function') {
        return value;
      }
      const known = statics.get(key);
      // a test may have replaced the method
      if (known) {
        return known.method === value ? known.checked : value;
      }
      return typeof key === 'string' && Object.hasOwn(load()[name]!.statics!, key)
        ? checkedStatic(key, value as Method)
        : value;
    },
    apply: (_, self, args) => Reflect.apply(target() as never, self, args) as unknown,
    has: (_, key) => Reflect.has(target(), key),
    set: (_, key, value, receiver) => Reflect.set(target(), key, value, receiver),
    deleteProperty: (_, key) => Reflect.deleteProperty(target(), key),
    defineProperty: (_, key, how) => Reflect.defineProperty(target(), key, how),
    getOwnPropertyDescriptor: (_, key) => Reflect.getOwnPropertyDescriptor(target(), key),
    getPrototypeOf: () => Reflect.getPrototypeOf(target()),
    setPrototypeOf: (_, prototype) => Reflect.setPrototypeOf(target(), prototype),
    ownKeys: () => Reflect.ownKeys(target()),
  });
  return guard;
}

/**
 * Whether a class of the program can have props of its own: a constructor without parameters, or
 * none, passes on the props of its base class.
 */
function subclassOf(newTarget: Class, base: Class): Subclass {
  for (let each = newTarget; each !== base; each = Object.getPrototypeOf(each) as Class) {
    if (each.length > 0) {
      return 'own props';
    }
  }
  return 'no own props';
}

/**
 * Lets methods of a class check what they are given. The compiled module of the class calls it,
 * since a program may call a method of an object whose class it never imports. A method that the
 * class inherits is replaced where it is declared, for the other classes that inherit it.
 */
export function guardMethods(
  name: string,
  target: Class,
  methods: readonly string[],
  load: () => ApiTable,
): void {
  // a require finds the module again at each call, which takes longer than the check
  const table = lazily(load);
  for (const key of methods) {
    let owner = target.prototype as { [key: string]: Method };
    while (!Object.hasOwn(owner, key)) {
      owner = Object.getPrototypeOf(owner) as typeof owner;
    }
    const method = owner[key]!;
    let accept: Accepts | undefined;
    const checked: Method = named(function (...args) {
      // a method without parameters, e.g. a synthesis, reports the place of its call itself
      if (args.length === 0 && method.length === 0) {
        return Reflect.apply(method, this, args);
      }
      const parameters: Parameters = table()[name]!.methods![key]!;
      const isAccepted = (accept ??= accepts(table(), parameters))(args);
      if (!isAccepted) {
        const call = { type: name, method: key, parameters, object: this, entry: checked };
        explain(table(), call, args);
      }
      return parameters.length === 0
        ? Reflect.apply(method, this, args)
        : calledByProgram(checked, () => Reflect.apply(method, this, args));
    }, method);
    Object.defineProperty(owner, key, { value: checked, writable: true, configurable: true });
  }
}
