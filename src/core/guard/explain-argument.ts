import { ApiTable, ApiType, isOfLibrary, isPlainStruct } from './argument-type';
import { show } from '../problem/problem';
import { classNameOf } from '../text/class-name';
import { nearestName } from '../text/plain-text';

const PRIMITIVES: { readonly [code: string]: string } = {
  's': 'text',
  'n': 'a number',
  'b': 'true or false',
  '[': 'a list',
  '{': 'an object',
  'a': 'a value',
};

/** How many names a message lists. */
const MOST = 8;

/** A name as programs write it, without its package. */
function plainName(type: string): string {
  return type.slice(type.lastIndexOf('.') + 1);
}

function withArticle(name: string): string {
  // 'an IVmNetwork', 'a User'
  return `${/^[AEIO]/.test(name) ? 'an' : 'a'} ${name}`;
}

function oneOf(names: readonly string[]): string {
  const shown = names.length <= MOST ? names : [...names.slice(0, MOST - 1), 'another one'];
  return shown.length === 1 ? shown[0]! : `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)!}`;
}

/** What a value of a type is, e.g. `an IVmNetwork`. */
export function expected(code: string, { [code]: type }: ApiTable): string {
  if (!type) {
    return PRIMITIVES[code[0]!]!;
  }
  if (type.props) {
    return `an object with props of ${plainName(code)}`;
  }
  return code.startsWith('constructs.') ? 'a construct' : withArticle(plainName(code));
}

/** What a value is. */
export function givenText(code: string, value: unknown, { [code]: type }: ApiTable): string {
  return type?.values && typeof value === 'string' && isLike(value, Object.values(type.values))
    ? show(value)
    : givenType(value);
}

/** How much longer than all values of an enum a text is that may be meant as one of them. */
const LONGER = 4;

/**
 * Whether a text may be meant as one of some values: it is as short as they are, and has only
 * characters that they have, or other letters. A secret has others.
 */
function isLike(text: string, values: readonly (string | number)[]): boolean {
  const known = values.map(String);
  const signs = known.join('').replace(/[0-9]/g, '0');
  return (
    text.length <= Math.max(...known.map((value) => value.length)) + LONGER &&
    [...text].every((sign) => /[A-Za-z]/.test(sign) || signs.includes(sign.replace(/[0-9]/, '0')))
  );
}

/** What a value is, without the value, which may be a secret. */
function givenType(value: unknown): string {
  if (Array.isArray(value)) {
    return 'a list';
  }
  if (typeof value === 'object' && value !== null) {
    if (isPlainStruct(value)) {
      return 'an object';
    }
    const { _refersTo: existing } = value as { readonly _refersTo?: string };
    const type = (Object.getPrototypeOf(value) as { constructor?: { name: string } } | null)
      ?.constructor;
    const name = existing ?? (type && classNameOf(type));
    return name && name !== 'Object' ? withArticle(name) : 'an object';
  }
  switch (typeof value) {
    case 'string':
      return value === '' ? 'an empty text' : 'text';
    case 'number':
      return Number.isFinite(value) ? 'a number' : String(value);
    case 'function':
      return isOfLibrary(value) || String(value).startsWith('class')
        ? `the class ${classNameOf(value)}`
        : 'a function';
    case 'boolean':
      return String(value);
    case 'undefined':
      return 'undefined';
    default:
      return value === null ? 'null' : `a ${typeof value}`;
  }
}

/** What to do about a value of a wrong type. */
export function fixFor(code: string, value: unknown, table: ApiTable): string {
  const type = table[code];
  if (type) {
    return code.startsWith('constructs.')
      ? 'set a construct'
      : fixForType(plainName(code), value, type);
  }
  if (value === undefined || value === null) {
    return `set ${PRIMITIVES[code[0]!] ?? 'a value'}`;
  }
  switch (code[0]) {
    case 's':
      if (typeof (value as { token?: unknown }).token === 'string') {
        return 'use its property token';
      }
      if (typeof (value as { expressionString?: unknown }).expressionString === 'string') {
        return 'use its property expressionString';
      }
      return ['number', 'boolean'].includes(typeof value) ? 'put it in quotes' : 'set text';
    case 'n':
      return typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))
        ? 'remove the quotes'
        : 'set a number';
    case 'b':
      return 'set true or false';
    case '[':
      return 'put it in brackets: [ ]';
    default:
      return 'set an object of keys and values';
  }
}

function fixForType(
  name: string,
  value: unknown,
  { props, required, values, makers }: ApiType,
): string {
  if (props) {
    return `set an object with ${required!.length > 0 ? required!.join(' and ') : oneOf(Object.keys(props))}`;
  }
  if (values) {
    const members = Object.keys(values);
    const nearest = typeof value === 'string' ? nearestName(value, members) : undefined;
    return `use ${oneOf((nearest ? [nearest] : members).map((member) => `${name}.${member}`))}`;
  }
  return makers ? `use ${oneOf(makers)}` : `use ${withArticle(name)}`;
}

/**
 * The prop that was probably meant: a similar one, or one with more or fewer words, as `vlan` for
 * `vlanId`.
 */
export function nearestProp(typed: string, props: readonly string[]): string | undefined {
  const words = wordsOf(typed);
  const hasAll = (some: readonly string[], all: readonly string[]): boolean =>
    some.every((word) => all.includes(word));
  return (
    nearestName(typed, props) ??
    props
      .map((prop) => ({
        prop,
        own: wordsOf(prop),
        // the plural that was typed: `tenantNamespaces` for `namespaces`, not `backingNamespace`
        hasTyped: prop.toLowerCase().includes(typed.toLowerCase()),
      }))
      .filter(({ own }) => hasAll(own, words) || hasAll(words, own))
      .sort(
        (a, b) =>
          Math.abs(a.own.length - words.length) - Math.abs(b.own.length - words.length) ||
          Number(b.hasTyped) - Number(a.hasTyped),
      )[0]?.prop
  );
}

/** The words of a name, in the singular. */
function wordsOf(name: string): string[] {
  return name.split(/(?=[A-Z])/).map((word) => singular(word.toLowerCase()));
}

/** `quantity` of `quantities`, `address` of `addresses`, `pool` of `pools`. */
function singular(word: string): string {
  if (word.endsWith('ies')) {
    return `${word.slice(0, -'ies'.length)}y`;
  }
  return word.replace(/(?<=ss|x|ch|sh)es$|(?<!s)s$/, '');
}

/** What to do about a prop that a struct does not have. */
export function fixForUnknown(
  typed: string,
  nearest: string | undefined,
  props: { readonly [prop: string]: string },
  table: ApiTable,
): string {
  if (nearest) {
    return `use ${nearest} if that is what you mean`;
  }
  const names = Object.keys(props);
  // a prop of a part, e.g. of the pools of a cluster
  const part = names.find((name) =>
    Object.hasOwn(table[props[name]!.replace(/^[[{]+/, '')]?.props ?? {}, typed),
  );
  return part
    ? `set ${part}${props[part]!.includes('[') ? '[]' : ''}.${typed}`
    : `use ${oneOf(names)}`;
}
