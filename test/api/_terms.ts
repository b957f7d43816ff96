import { readFileSync } from 'fs';
import { join } from 'path';
import { Api, Named, TypeReference, elementOf, isText, nameOf } from './_api';

/** What is wrong with a public name: where, and what is right. */
export interface Violation {
  readonly path: string;
  readonly message: string;
}

/** A row of the table of names. */
export interface Term {
  readonly names: readonly string[];
  /** The types that props and parameters of this name may have; any if there are none. */
  readonly types: readonly string[];
  /** The same of attributes. */
  readonly attributeTypes: readonly string[];
  /** The names that are not used instead. */
  readonly others: readonly string[];
}

/** The rows of the first table below a heading, as cells. */
export function rowsBelow(
  heading: string,
  markdown = readFileSync(join(__dirname, '..', '..', 'ARCHITECTURE.md'), 'utf8'),
): readonly (readonly string[])[] {
  const lines = markdown.split('\n');
  const start = lines.indexOf(heading);
  if (start < 0) {
    throw new Error(`ARCHITECTURE.md has no heading ${heading}`);
  }
  const table = lines
    .slice(
      start + 1,
      lines.findIndex((line, at) => at > start && /^#{1,6} /.test(line)),
    )
    .filter((line) => line.startsWith('|'));
  return table.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** Reads the table of names: name, type, meaning, other names. */
export function termsOf(rows: readonly (readonly string[])[]): readonly Term[] {
  return rows.map(([names, types, , others]): Term => {
    const [props, attributes = props] = types.split('attribute:');
    return {
      names: spansOf(names),
      types: spansOf(props),
      attributeTypes: spansOf(attributes),
      others: spansOf(others),
    };
  });
}

function spansOf(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text);
}

/** Second names, in the API. */
export function secondNames(api: Api, terms: readonly Term[]): readonly Violation[] {
  const methods = [...api.types.values()]
    .flatMap((type) => api.callablesOf(type))
    .map(({ path, name }) => ({ path, name }));
  return secondNamesIn([...api.named(), ...methods], terms);
}

/** Second names among any names. */
export function secondNamesIn(
  named: readonly Pick<Named, 'path' | 'name'>[],
  terms: readonly Term[],
): readonly Violation[] {
  return named.flatMap(({ path, name }) =>
    terms
      .filter(({ others }) => others.includes(name))
      .map(({ names }) => ({ path, message: `is another name of ${names.join(', ')}` })),
  );
}

/** Listed names with another type than the table has. */
export function otherTypes(api: Api, terms: readonly Term[]): readonly Violation[] {
  const existing = api.existingOptions();
  return api.named().flatMap(({ path, name, type, role, owner }) => {
    const term = terms.find(({ names, types }) => names.includes(name) && types.length > 0);
    const element = elementOf(type);
    const actual = element.primitive ?? nameOf(element.fqn ?? 'any');
    const allowed = role === 'attribute' ? term?.attributeTypes : term?.types;
    if (!allowed || allowed.includes(actual) || (isText(type) && existing.has(nameOf(owner.fqn)))) {
      return [];
    }
    return [{ path, message: `must be ${allowed.join(' or ')}, got ${actual}` }];
  });
}

/** Text that names what an interface refers to. */
export function textReferences(api: Api, terms: readonly Term[]): readonly Violation[] {
  const existing = api.existingOptions();
  const listed = terms.flatMap(({ names, types }) =>
    names.map((name) => [name, types[0]] as const),
  );
  const references = new Map(listed.filter(([, type]) => isReference(api, type)));
  for (const name of [...api.types.keys()].filter((key) => isReference(api, key))) {
    const term = lowerFirst(name.slice(1));
    const short = lowerFirst(name.slice(1).replace(/^[A-Z][a-z0-9]+(?=[A-Z])/, ''));
    for (const each of [short, term]) {
      references.set(each, references.get(each) ?? name);
    }
  }
  const text = api
    .named()
    .filter(
      ({ role, type, owner }) =>
        role !== 'attribute' && isText(type) && !existing.has(nameOf(owner.fqn)),
    );
  // those with the name itself have another type than the table has
  return text
    .filter(
      ({ name }) => !terms.some(({ names, types }) => types.length > 0 && names.includes(name)),
    )
    .flatMap(({ path, name }) => {
      const found = references.get(name.replace(/(Name|Id)?s?$/, '')) ?? references.get(name);
      return found ? [{ path, message: `is text: refer to ${found}` }] : [];
    });
}

function isReference(api: Api, name: string | undefined): boolean {
  const type = api.find(name);
  // what any construct is cannot be meant
  return (
    type?.kind === 'interface' &&
    !type.datatype &&
    api.isConstruct(type) &&
    !/Resource$/.test(name!)
  );
}

function lowerFirst(text: string): string {
  return `${text[0].toLowerCase()}${text.slice(1)}`;
}

/**
 * The names of props and attributes that have several types. A class has the type of the interface
 * that it implements.
 */
export function severalTypes(api: Api): readonly Violation[] {
  const types = new Map<string, Map<string, string>>();
  for (const { name, type, path, role } of api.named()) {
    if (role !== 'parameter') {
      const byType = types.get(name) ?? new Map<string, string>();
      types.set(name, byType.set(typeText(type), byType.get(typeText(type)) ?? path));
    }
  }
  return [...types].flatMap(([name, byType]) => {
    const different = [...byType].filter(
      ([text]) => ![...byType.keys()].some((other) => other !== text && isAbove(api, other, text)),
    );
    return different.length < 2
      ? []
      : [
          {
            path: name,
            message: `must have one type: ${different.map(([text, path]) => `${text} in ${path}`).join(', ')}`,
          },
        ];
  });
}

/** Whether all objects of a type are of another one, e.g. those of a class of its interface. */
function isAbove(api: Api, above: string, text: string): boolean {
  const type = api.find(text);
  return type !== undefined && api.lineOf(type).includes(above);
}

function typeText({ collection, fqn, primitive }: TypeReference): string {
  if (collection) {
    const element = typeText(collection.elementtype);
    return collection.kind === 'array' ? `list of ${element}` : `map of ${element}`;
  }
  return fqn === undefined ? (primitive ?? 'any') : nameOf(fqn);
}
