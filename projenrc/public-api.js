// Writes lib/public-api.js: what each public class, method and struct takes, from .jsii, by which
// the library checks the calls of programs that no compiler checks (src/core/guard). Classes
// themselves are guarded by lib/index.js (lazy-modules.js); their methods here, at the end of the
// module that declares them, since a program may call a method of a class that it never imports.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { loadAssemblyFromPath } = require('@jsii/spec');
const ts = require('typescript');

const ROOT = path.join(__dirname, '..');
const LIB = path.join(ROOT, 'lib');

const assemblyOf = (folder) => loadAssemblyFromPath(folder, false);
const OWN = assemblyOf(ROOT);
const ASSEMBLIES = [
  OWN,
  ...Object.keys(OWN.dependencies).map((name) => assemblyOf(path.join(ROOT, 'node_modules', name))),
];
const TYPES = new Map(ASSEMBLIES.flatMap(({ types }) => Object.entries(types)));
/**
 * Types of this package have no two of the same name, in whichever submodule they are; types of
 * other packages keep the name of the package.
 */
const nameOf = (fqn) =>
  fqn.startsWith(`${OWN.name}.`) ? fqn.slice(fqn.lastIndexOf('.') + 1) : fqn;
const valuesOf = ({ fqn, assembly, namespace, name }) =>
  (assembly === OWN.name ? indexOf(namespace) : require(fqn.split('.')[0]))[name];

/** What a submodule exports, or the index. */
function indexOf(namespace) {
  const index = require(path.join(LIB, 'index.js'));
  return namespace === undefined ? index : index[namespace];
}

/** One more than a message lists. */
const MOST_MAKERS = 9;

const PRIMITIVES = { string: 's', number: 'n', boolean: 'b', any: 'a', json: 'a' };

/**
 * A type as a short text, e.g. `[MachinePool` for a list: see ApiTable in
 * src/core/guard/argument-type.ts.
 */
function codeOf(type, used) {
  const { primitive, fqn, collection } = type;
  if (primitive && PRIMITIVES[primitive]) {
    return PRIMITIVES[primitive];
  }
  if (collection) {
    return `${collection.kind === 'array' ? '[' : '{'}${codeOf(collection.elementtype, used)}`;
  }
  if (!fqn) {
    throw new Error(`unknown type ${JSON.stringify(type)}`);
  }
  used.add(fqn);
  return nameOf(fqn);
}

function parametersOf({ parameters = [] }, used) {
  return parameters.map(({ name, type, optional, variadic }) => [
    name,
    (variadic ? '*' : optional ? '?' : '') + codeOf(type, used),
  ]);
}

/** The types above a type, by classes and interfaces, itself included. */
function above(fqn) {
  const { base, interfaces = [] } = TYPES.get(fqn) ?? {};
  return [fqn, ...[base, ...interfaces].filter((parent) => parent).flatMap(above)];
}

/** Those of the type itself come first. */
const inherited = (fqn, member) =>
  [...new Set(above(fqn))].flatMap((parent) => TYPES.get(parent)[member] ?? []);

/** Methods that the language, cdk8s or a resolver calls, with arguments of its own. */
const CALLED_BY_OTHERS = new Set(['toString', 'toJSON', 'toJson', 'resolve', 'validate']);

const isChecked = ({ name, parameters, protected: isProtected, static: isStatic }) =>
  !isStatic && !isProtected && (parameters || !CALLED_BY_OTHERS.has(name));

/** The constructor of a class, which .jsii leaves out where it is private, or inherited. */
function initializerOf(fqn) {
  const { initializer, base } = TYPES.get(fqn);
  return initializer ?? (base && !hasConstructor(fqn) ? initializerOf(base) : undefined);
}

function hasConstructor(fqn) {
  const { name, assembly, locationInModule } = TYPES.get(fqn);
  if (assembly !== OWN.name) {
    return true;
  }
  const { statements } = ts.createSourceFile(
    'module.ts',
    fs.readFileSync(path.join(ROOT, locationInModule.filename), 'utf8'),
    ts.ScriptTarget.Latest,
  );
  return statements
    .find((statement) => ts.isClassDeclaration(statement) && statement.name.text === name)
    .members.some(ts.isConstructorDeclaration);
}

const byName = (methods, used) =>
  Object.fromEntries(methods.map((method) => [method.name, parametersOf(method, used)]));

function entryOf(fqn, used) {
  const type = TYPES.get(fqn);
  const isOwn = type.assembly === OWN.name;
  if (type.kind === 'enum') {
    return { values: valuesOf(type) };
  }
  if (type.datatype) {
    const props = inherited(fqn, 'properties');
    const required = [
      ...new Set(props.filter(({ optional }) => !optional).map(({ name }) => name)),
    ];
    return {
      props: Object.fromEntries(props.map(({ name, type: code }) => [name, codeOf(code, used)])),
      required,
    };
  }
  const members = [
    ...inherited(fqn, 'properties').filter(({ optional }) => !optional),
    ...inherited(fqn, 'methods'),
  ]
    .filter((member) => !member.static && !member.protected)
    .map(({ name }) => name);
  // every construct is one
  const makers = type.assembly === 'constructs' ? [] : makersOf(fqn);
  const made = makers.length > 0 ? { makers: makers.slice(0, MOST_MAKERS) } : {};
  const construct = above(fqn).includes('constructs.IConstruct') ? { isConstruct: true } : {};
  if (type.kind === 'interface' || !isOwn) {
    return { members: [...new Set(members)], ...construct, ...made };
  }
  const initializer = initializerOf(fqn);
  const statics = above(fqn)
    .reverse()
    .filter((parent) => TYPES.get(parent).assembly === OWN.name)
    .flatMap((parent) => TYPES.get(parent).methods ?? []);
  return {
    is: [...new Set(above(fqn).slice(1).map(nameOf))],
    ...construct,
    ...(initializer && { create: parametersOf(initializer, used) }),
    ...(type.abstract && { isAbstract: true }),
    statics: byName(
      statics.filter((method) => method.static),
      used,
    ),
    methods: byName((type.methods ?? []).filter(isChecked), used),
    ...made,
  };
}

/** How a program gets an instance of a type: what a message can recommend. */
function makersOf(fqn) {
  return [...TYPES]
    .filter(
      ([other, { kind, assembly }]) =>
        kind === 'class' &&
        assembly === (fqn.startsWith(`${OWN.name}.`) ? OWN.name : TYPES.get(fqn).assembly),
    )
    .flatMap(([other, { name, methods = [], properties = [] }]) => [
      ...methods
        .filter(
          (method) =>
            method.static &&
            method.returns?.type.fqn &&
            above(method.returns.type.fqn).includes(fqn),
        )
        .map((method) => `${name}.${method.name}`),
      ...properties
        .filter((property) => property.static && property.type.fqn === fqn)
        .map((property) => `${name}.${property.name}`),
      ...(above(other).includes(fqn) && initializerOf(other) && !TYPES.get(other).abstract
        ? [`new ${name}`]
        : []),
    ]);
}

/** All types that programs give, by name. */
function tableOf() {
  const table = {};
  const used = new Set(Object.keys(OWN.types));
  // grows while types are read
  for (const fqn of used) {
    table[nameOf(fqn)] = entryOf(fqn, used);
  }
  return table;
}

/** Lets the methods of a class check their arguments. */
function guardMethods(name, { locationInModule }, methods) {
  const file = path.join(
    LIB,
    locationInModule.filename.replace(/^src\//, '').replace(/\.ts$/, '.js'),
  );
  const to = (target) =>
    JSON.stringify(`./${path.posix.relative(path.dirname(file), path.join(LIB, target))}`);
  fs.appendFileSync(
    file,
    `\nrequire(${to('core/guard/guard')}).guardMethods(${JSON.stringify(name)}, exports.${name}, ${JSON.stringify(methods)}, () => require(${to('public-api.js')}));\n`,
  );
}

const OWN_NAMES = new Map(Object.keys(OWN.types).map((fqn) => [nameOf(fqn), fqn]));
if (OWN_NAMES.size < Object.keys(OWN.types).length) {
  throw new Error('src: two exported types have the same name in two submodules');
}
const table = tableOf();
// a module, since tsx on Node 20.12 cannot require JSON; parsed from text, which is faster
fs.writeFileSync(
  path.join(LIB, 'public-api.js'),
  `module.exports = JSON.parse(${JSON.stringify(JSON.stringify(table))});\n`,
);
for (const [name, { methods = {} }] of Object.entries(table)) {
  if (Object.keys(methods).length > 0) {
    guardMethods(name, TYPES.get(OWN_NAMES.get(name)), Object.keys(methods));
  }
}
