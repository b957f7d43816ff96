// Makes every module of lib load another one when it first uses it, as those of aws-cdk-lib do: a
// program uses a few constructs, and no check or rule before it creates objects, while the
// compiler's output loads everything at once, which takes longer than loading cdk8s itself. A
// module that is imported without names is loaded at once: it is imported for what it does.
// Requires get the extension of the file.
// @see aws/aws-cdk:tools/@aws-cdk/lazify/README.md
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const ts = require('typescript');
const { lazyRequires, withExtensions } = require('./lazy-requires');

const ROOT = path.join(__dirname, '..');
const LIB = path.join(ROOT, 'lib');
const PUBLIC_API = require(path.join(LIB, 'public-api.js'));
/** The modules that programs import. */
const ENTRIES = Object.values(require(path.join(ROOT, 'package.json')).exports).flatMap(
  ({ default: file }) => (file ? [path.join(ROOT, file)] : []),
);

/** The index, and its submodules. */
const INDEXES = ['index', ...Object.keys(submodulesOf(statementsOf('index')))];

function statementsOf(name) {
  const text = fs.readFileSync(path.join(ROOT, 'src', `${name}.ts`), 'utf8');
  return [...ts.createSourceFile(name, text, ts.ScriptTarget.Latest).statements];
}

/** The modules that are exported as a whole, `export * as name from './name'`, by name. */
function submodulesOf(statements) {
  return Object.fromEntries(
    statements
      .filter(
        ({ exportClause }) => exportClause !== undefined && ts.isNamespaceExport(exportClause),
      )
      .map(({ exportClause, moduleSpecifier }) => [exportClause.name.text, moduleSpecifier.text]),
  );
}

/**
 * An index of classes that check what programs give them, and are loaded when a program uses them.
 * Enums are copies: their values are all that there is to them.
 */
function lazyIndex(index) {
  const submodules = submodulesOf(statementsOf(index));
  const statements = statementsOf(index).filter(
    ({ exportClause }) => exportClause === undefined || !ts.isNamespaceExport(exportClause),
  );
  const [effects, exported] = [true, false].map((isEffect) =>
    statements.filter((each) => isEffect === (ts.isImportDeclaration(each) && !each.importClause)),
  );
  const unknown = exported.find(
    (statement) =>
      !ts.isExportDeclaration(statement) || !statement.exportClause || !statement.moduleSpecifier,
  );
  if (unknown) {
    throw new Error(
      `src/${index}.ts: must consist of \`export { names } from 'module'\`, \`export * as name from 'module'\`, and \`import 'module'\``,
    );
  }
  const values = exported.flatMap(
    ({ moduleSpecifier: { text: specifier }, exportClause: { elements } }) => {
      // interfaces have no value
      const loaded = require(path.join(LIB, specifier));
      return elements
        .map(({ name }) => name.text)
        .filter((name) => name in loaded)
        .map((name) => `exports.${name} = ${exportOf(index, specifier, name, loaded[name])};`);
    },
  );
  const whole = Object.entries(submodules).map(
    ([name, specifier]) => `exports.${name} = require("${specifier}.js");`,
  );
  return `"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
${effects.map(({ moduleSpecifier: { text } }) => `require("${text}");`).join('\n')}
const { guarded } = require("./core/guard/guard");
let table;
const api = () => table ??= require("./public-api.js");
${[...values, ...whole].join('\n')}
`;
}

/** What an index exports by a name. */
function exportOf(index, specifier, name, value) {
  if (PUBLIC_API[name]?.is) {
    return `guarded("${name}", () => require("${specifier}").${name}, api)`;
  }
  const isEnum =
    typeof value === 'object' && Object.values(value).every((each) => typeof each === 'string');
  if (!isEnum) {
    throw new Error(
      `src/${index}.ts: ${name} must be a class of the public API, or an enum of texts`,
    );
  }
  return `Object.freeze(${JSON.stringify(value)})`;
}

/** What Node's lexer reads the names from by which ES modules import from CommonJS. */
function namesFor(names) {
  return `0 && (module.exports = { ${names.join(', ')} });\n`;
}

/**
 * Another entry, whose names ES modules can import. The lexer takes back a name whose getter it
 * sees load a module.
 */
function importable(file) {
  const getters = fs
    .readFileSync(file, 'utf8')
    .replace(/^Object(?=\.defineProperty\(exports, "(?!__esModule"))/gm, 'Reflect');
  fs.writeFileSync(file, `${getters}\n${namesFor(Object.keys(require(file)))}`);
}

function isIndex(file) {
  return INDEXES.some((name) => file === path.join(LIB, `${name}.js`));
}

for (const name of fs
  .readdirSync(LIB, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.js') && !isIndex(path.join(LIB, file)))) {
  const file = path.join(LIB, name);
  fs.writeFileSync(file, withExtensions(lazyRequires(fs.readFileSync(file, 'utf8'))));
}
for (const name of INDEXES) {
  fs.writeFileSync(path.join(LIB, `${name}.js`), withExtensions(lazyIndex(name)));
}
for (const file of ENTRIES.filter((entry) => !isIndex(entry))) {
  importable(file);
}
