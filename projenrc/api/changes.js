// What a new API breaks for programs that use the frozen one, by public name. Comparing member by
// member names them all; jsii-diff also knows which types replace which.
'use strict';

const path = require('node:path');
const { compareAssemblies } = require('jsii-diff');
const { Assembly, TypeSystem } = require('jsii-reflect');

/** The fields of an assembly that name a type. */
const REFERENCES = new Set(['fqn', 'base', 'interfaces']);
const MODULES = path.join(__dirname, '..', '..', 'node_modules');

/**
 * The breaking changes, as { name, message, isNew }; `name` is `VmImage`, `VmImage.imageId`,
 * `DiskBus.SATA`, or `--out`.
 */
async function breakingChanges(frozen, current) {
  const found = compareMembers(frozen.assembly, current.assembly);
  // a member that a base declares changes there
  const own = [...found.values()]
    .filter(({ name, source }) => source === name || !found.has(source))
    .map(({ source, ...change }) => change);
  const types = new Set([...found.keys()].map((name) => name.split('.')[0]));
  // its subclasses changed only with a base that was removed
  const isOfRemoved = (message) =>
    [...message.matchAll(/could not find type [\w-]+\.(?:[a-z]\w*\.)?(\w+)/g)].some(([, base]) =>
      found.has(base),
    );
  const others = (await compareTypes(frozen.assembly, current.assembly)).filter(
    ({ name, message }) => !types.has(name.split('.')[0]) && !isOfRemoved(message),
  );
  const names = frozen.names
    .filter((name) => !current.names.includes(name))
    .map((name) => ({ name, message: 'was removed' }));
  return [...own, ...others, ...names].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * The frozen API, whose references to types lead to where these are now: a member whose type only
 * got another name, or moved into a submodule, did not change. The types keep their names.
 *
 * @param renamed types by the names that they had
 */
function withNewNames({ assembly, names }, current, renamed) {
  const own = `${assembly.name}.`;
  const places = new Map(Object.values(current.assembly.types).map(({ name, fqn }) => [name, fqn]));
  const placeOf = (fqn) => {
    const name = fqn.slice(own.length);
    return places.get(name) ?? places.get(renamed.get(name)) ?? fqn;
  };
  const moved = (value, key) => {
    if (typeof value === 'string') {
      return REFERENCES.has(key) && value.startsWith(own) ? placeOf(value) : value;
    }
    if (Array.isArray(value)) {
      return value.map((each) => moved(each, key));
    }
    return value && typeof value === 'object'
      ? Object.fromEntries(Object.entries(value).map(([each, part]) => [each, moved(part, each)]))
      : value;
  };
  const types = Object.entries(assembly.types).map(([fqn, type]) => {
    const place = placeOf(fqn) === fqn || !renamed.has(type.name) ? placeOf(fqn) : fqn;
    return [place, { ...moved(type), fqn: place }];
  });
  return { assembly: { ...assembly, types: Object.fromEntries(types) }, names };
}

/** The types that are in another submodule. */
function movedTypes(frozen, current) {
  const places = new Map(Object.values(current.assembly.types).map(({ name, fqn }) => [name, fqn]));
  return Object.values(frozen.assembly.types)
    .filter(({ name, fqn }) => places.has(name) && places.get(name) !== fqn)
    .map(({ name }) => ({ name, message: `is ${places.get(name)} now` }));
}

/** What the changelog does not name in a table of its newest section: old name, new name. */
function unnamed(changes, changelog) {
  const [, section = ''] = /^## \[[^\]]+\].*?$(.*?)(?=^## |(?![^]))/ms.exec(changelog) ?? [];
  const rows = section
    .split('\n')
    .map((line) => line.split('|').slice(1, -1))
    .filter(([, replacement = '']) => replacement.trim() !== '');
  const [removed, added] = [0, 1].map(
    (column) =>
      new Set(
        rows.flatMap((cells) =>
          [...cells[column].matchAll(/`([^`(:]+)[^`]*`/g)].map(([, name]) => name),
        ),
      ),
  );
  return changes.filter(({ name, isNew }) => !removed.has(name) && !(isNew && added.has(name)));
}

async function compareTypes(frozen, current) {
  const [old, now] = await Promise.all([frozen, current].map(loaded));
  // the package is experimental as a whole until 1.0.0, and was not always
  const mismatches = [...compareAssemblies(old, now).mismatches].filter(
    ({ message }) => !message.includes('stability not allowed'),
  );
  return mismatches.map(({ violationKey, message }) => ({
    name: violationKey
      .replace(/^[^:]*:/, '')
      .replace(`${current.name}.`, '')
      .replace(/^[a-z]\w*\.(?=[A-Z])/, '')
      .replace(/\.<initializer>$/, ''),
    message,
  }));
}

async function loaded(assembly) {
  const system = new TypeSystem();
  for (const module of Object.keys(assembly.dependencies)) {
    await system.loadModule(path.join(MODULES, module));
  }
  return system.addAssembly(new Assembly(system, assembly));
}

/** What changed in each member that a program can use, by name; `source` names the declaration. */
function compareMembers(frozen, current) {
  const [old, now] = [membersOf(frozen), membersOf(current)];
  const changes = new Map();
  for (const [name, member] of old) {
    const message = changeOf(member, now.get(name));
    // those of a type that was removed went with it
    if (message && (!member.type || now.has(member.type))) {
      changes.set(name, { name, message, source: member.source });
    }
  }
  for (const [name, { type, source, isStruct, isRequired }] of now) {
    if (isStruct && isRequired && !old.has(name) && old.has(type)) {
      changes.set(name, { name, message: 'is new and required', source, isNew: true });
    }
  }
  return changes;
}

function changeOf(old, now) {
  if (!now) {
    return 'was removed';
  }
  if (old.signature !== now.signature) {
    return `was ${old.signature}, and is ${now.signature}`;
  }
  if (old.isStruct ? !old.isRequired && now.isRequired : old.isRequired && !now.isRequired) {
    return `was ${old.isRequired ? 'required' : 'optional'}`;
  }
  const isKept = old.parameters.every((parameter, index) =>
    isAccepted(parameter, now.parameters[index]),
  );
  return isKept && now.parameters.slice(old.parameters.length).every(({ optional }) => optional)
    ? undefined
    : 'has other parameters';
}

function isAccepted(old, now) {
  return (
    now !== undefined &&
    typeText(old.type) === typeText(now.type) &&
    old.variadic === now.variadic &&
    (!old.optional || now.optional === true)
  );
}

/** Types, constructors, and their public members, with inherited ones, by their names. */
function membersOf({ types }) {
  const found = new Map();
  for (const type of Object.values(types)) {
    const isStruct = type.datatype === true;
    found.set(type.name, {
      source: type.name,
      signature: isStruct ? 'struct' : type.kind,
      parameters: type.initializer?.parameters ?? [],
    });
    for (const owner of lineOf(type, types)) {
      for (const member of [
        ...(owner.properties ?? []),
        ...(owner.methods ?? []),
        ...(owner.members ?? []),
      ]) {
        const name = `${type.name}.${member.name}`;
        if (found.has(name)) {
          continue;
        }
        found.set(name, {
          type: type.name,
          source: `${owner.name}.${member.name}`,
          isStruct,
          isRequired: member.type !== undefined && !member.optional,
          signature: typeText(member.type ?? member.returns?.type),
          parameters: member.parameters ?? [],
        });
      }
    }
  }
  return found;
}

function lineOf(type, types) {
  return [
    type,
    ...[type.base, ...(type.interfaces ?? [])].flatMap((fqn) =>
      types[fqn] ? lineOf(types[fqn], types) : [],
    ),
  ];
}

function typeText({ fqn, primitive, collection, union } = { primitive: 'nothing' }) {
  if (collection) {
    return `${collection.kind === 'array' ? 'list' : 'map'} of ${typeText(collection.elementtype)}`;
  }
  return union
    ? union.types.map(typeText).join(' or ')
    : (fqn ?? primitive).replace(/^cdk8s-harvester\.(?:\w+\.(?=[A-Z]))?/, '');
}

module.exports = { breakingChanges, movedTypes, unnamed, withNewNames };
