// Distributes the types of an assembly of jsii to pages: one for each construct, with the types
// that only it uses, and one for each source file whose types several constructs use.
'use strict';

const path = require('node:path');

/** The pages by their names: { title, types } with the names of the types, the construct first. */
function pagesOf(types) {
  const constructs = [...types.values()]
    .filter((type) => isConstruct(type, types))
    .map(({ name }) => name)
    .sort();
  const users = usersOf(types, new Set(constructs));
  const pages = new Map(constructs.map((name) => [kebab(name), { title: name, types: [name] }]));
  for (const name of [...types.keys()].filter((key) => !constructs.includes(key)).sort()) {
    const page = pageOf(types.get(name), users.get(name) ?? [], types);
    if (!pages.has(page)) {
      pages.set(page, { title: titleOf(page), types: [] });
    }
    pages.get(page).types.push(name);
  }
  for (const [key, page] of pages) {
    // a page of small types is about the type that has its name, or its only one
    const first =
      page.types.find((name) => kebab(name) === key) ??
      (page.types.length === 1 ? page.types[0] : undefined);
    if (first) {
      pages.set(key, {
        title: first,
        types: [first, ...page.types.filter((name) => name !== first)],
      });
    }
  }
  return new Map([...pages].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function isConstruct(type, types) {
  if (type.kind !== 'class' || !type.base) {
    return false;
  }
  const base = types.get(nameOf(type.base));
  return base ? isConstruct(base, types) : /^(constructs|cdk8s)\./.test(type.base);
}

function pageOf(type, users, types) {
  const file = fileOf(type);
  const [chosen] = [
    ...(users.length === 1 ? users : []),
    // the props of a construct, and its interface, are on its page even if others use them
    ...users.filter((user) =>
      [`${user}Props`, `I${user}`, `Existing${user}Options`].includes(type.name),
    ),
    ...users.filter((user) => fileOf(types.get(user)) === file),
  ];
  return chosen ? kebab(chosen) : path.basename(file, '.ts').replace(/\.(?:check|data|kind)$/, '');
}

/**
 * The constructs that lead to each type, by what they take and give, and what these types take and
 * give.
 */
function usersOf(types, constructs) {
  const users = new Map();
  for (const construct of constructs) {
    const seen = new Set([construct]);
    const queue = [construct];
    while (queue.length > 0) {
      for (const name of neighboursOf(types.get(queue.pop()))) {
        if (!types.has(name) || seen.has(name) || constructs.has(name)) {
          continue;
        }
        seen.add(name);
        queue.push(name);
        users.set(name, [...(users.get(name) ?? []), construct]);
      }
    }
  }
  return users;
}

function neighboursOf(type) {
  const callables = [...(type.initializer ? [type.initializer] : []), ...(type.methods ?? [])];
  const references = [
    ...(type.properties ?? []).map((property) => property.type),
    ...callables.flatMap(({ parameters = [], returns }) => [
      ...parameters.map((parameter) => parameter.type),
      ...(returns ? [returns.type] : []),
    ]),
  ];
  return [
    ...references.flatMap(namesIn),
    ...(type.interfaces ?? []).map(nameOf),
    ...(type.base ? [nameOf(type.base)] : []),
  ];
}

function namesIn(reference) {
  if (reference.fqn) {
    return [nameOf(reference.fqn)];
  }
  if (reference.collection) {
    return namesIn(reference.collection.elementtype);
  }
  return (reference.union?.types ?? []).flatMap(namesIn);
}

function fileOf(type) {
  return type.locationInModule?.filename ?? type.name;
}

/** The types of an assembly of jsii by their names, sorted, each with its name. */
function typesOf({ types }) {
  return new Map(
    Object.values(types)
      .map((type) => [nameOf(type.fqn), { ...legible(type), name: nameOf(type.fqn) }])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/**
 * With its texts as readers know them: a comment in the sources cannot contain the end of a
 * comment, e.g. in a schedule of cron.
 */
function legible(value) {
  if (typeof value === 'string') {
    return value.replaceAll('*\\/', '*/');
  }
  if (Array.isArray(value)) {
    return value.map(legible);
  }
  return value && typeof value === 'object'
    ? Object.fromEntries(Object.entries(value).map(([key, part]) => [key, legible(part)]))
    : value;
}

/** `VmImage` of `cdk8s-harvester.VmImage`. */
function nameOf(fqn) {
  return fqn.slice(fqn.lastIndexOf('.') + 1);
}

function kebab(name) {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase();
}

function titleOf(page) {
  const text = page.replace(/[-.]/g, ' ');
  return `${text[0].toUpperCase()}${text.slice(1)}`;
}

module.exports = { isConstruct, nameOf, pagesOf, typesOf };
