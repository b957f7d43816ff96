// The frozen API: the types of an assembly without documentation and sources, a line for each
// member, so that a change of the file is readable.
'use strict';

const PACKAGE = 'cdk8s-harvester.';
const MEMBERS = ['properties', 'methods', 'members'];
/** What neither a program nor a subclass depends on. */
const DROPPED = new Set([
  'assembly',
  'docs',
  'locationInModule',
  'locationInSourceFile',
  'overrides',
  'symbolId',
]);
const PRIMITIVES = new Set(['any', 'boolean', 'date', 'json', 'number', 'string']);

/** The text of the file. `thaw` reads it. */
function freeze({ assembly, names }) {
  const types = Object.values(assembly.types)
    .sort((a, b) => (a.fqn < b.fqn ? -1 : 1))
    .map(({ fqn, ...type }) => {
      const head = Object.fromEntries(
        Object.entries(type).filter(([key]) => !MEMBERS.includes(key)),
      );
      const members = MEMBERS.filter((key) => type[key]).map(
        (key) =>
          `"${key}":[\n  ${type[key].map((member) => line(memberOf(member, type))).join(',\n  ')}]`,
      );
      return `"${fqn.slice(PACKAGE.length)}":${[line(head).slice(0, -1), ...members].join(',\n ')}}`;
    });
  return `{"names":[\n${names.map((name) => `"${name}"`).join(',\n')}],\n"types":{\n${types.join(',\n')}}}\n`;
}

/** A member without what all of its kind have. */
function memberOf({ name, immutable, abstract, ...rest }, { kind }) {
  return {
    name,
    ...(rest.type && !immutable ? { immutable: false } : {}),
    ...(abstract && kind !== 'interface' ? { abstract } : {}),
    ...rest,
  };
}

function line(value) {
  return JSON.stringify(value, (key, part) => {
    if (DROPPED.has(key)) {
      return undefined;
    }
    return key === 'type' || key === 'elementtype' ? textOf(part) : part;
  });
}

/** `IVmImage`, `cdk8s.Size`, `string[]`, `{string}`, `string|number`. */
function textOf({ fqn, primitive, collection, union }) {
  if (collection) {
    return collection.kind === 'array'
      ? `${textOf(collection.elementtype)}[]`
      : `{${textOf(collection.elementtype)}}`;
  }
  return union
    ? `(${union.types.map(textOf).join('|')})`
    : (primitive ?? (fqn.startsWith(PACKAGE) ? fqn.slice(PACKAGE.length) : fqn));
}

/** @param others the packages whose types keep the name of the package */
function referenceOf(text, others) {
  if (text.endsWith('[]')) {
    return { collection: { kind: 'array', elementtype: referenceOf(text.slice(0, -2), others) } };
  }
  if (text.startsWith('{')) {
    return { collection: { kind: 'map', elementtype: referenceOf(text.slice(1, -1), others) } };
  }
  if (text.startsWith('(')) {
    const types = text.slice(1, -1).split('|');
    return { union: { types: types.map((each) => referenceOf(each, others)) } };
  }
  if (PRIMITIVES.has(text)) {
    return { primitive: text };
  }
  const isOther = others.some((name) => text.startsWith(`${name}.`));
  return { fqn: isOther ? text : `${PACKAGE}${text}` };
}

/**
 * The API that a file describes; from the assembly comes what is not frozen, such as the
 * dependencies.
 */
function thaw(text, assembly) {
  const others = Object.keys(assembly.dependencies);
  const { types, names } = JSON.parse(text, (key, part) =>
    key === 'type' ? referenceOf(part, others) : part,
  );
  const complete = Object.entries(types).map(([name, type]) => {
    const all = { immutable: true, ...(type.kind === 'interface' ? { abstract: true } : {}) };
    const properties = type.properties?.map((property) => ({ ...all, ...property }));
    const methods = type.methods?.map((method) => ({
      ...(all.abstract ? { abstract: true } : {}),
      ...method,
    }));
    return [
      `${PACKAGE}${name}`,
      {
        ...type,
        ...(properties && { properties }),
        ...(methods && { methods }),
        assembly: assembly.name,
        fqn: `${PACKAGE}${name}`,
      },
    ];
  });
  return { assembly: { ...assembly, types: Object.fromEntries(complete) }, names };
}

module.exports = { freeze, thaw };
