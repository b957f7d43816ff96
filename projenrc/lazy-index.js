// Writes lib/index.js from the names in src/index.ts, as getters: a program uses a few constructs, and loading all of them takes longer than cdk8s
// itself, while the compiler loads every module at once. Node's lexer, by which ES modules import from CommonJS, reads the names from the last line.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const ts = require('typescript');

const ROOT = path.join(__dirname, '..');
const LIB = path.join(ROOT, 'lib');
const INDEX = path.join(ROOT, 'src', 'index.ts');

const { statements } = ts.createSourceFile(INDEX, fs.readFileSync(INDEX, 'utf8'), ts.ScriptTarget.Latest);
const unknown = statements.find((statement) => !ts.isExportDeclaration(statement) || !statement.exportClause || !statement.moduleSpecifier);
if (unknown) { throw new Error('src/index.ts: must consist of `export { names } from \'module\'`'); }

const values = statements.flatMap(({ moduleSpecifier: { text: specifier }, exportClause: { elements } }) => {
  // interfaces have no value
  const loaded = require(path.join(LIB, specifier));
  return elements.map(({ name }) => name.text).filter((name) => name in loaded).map((name) => ({ name, specifier }));
});

fs.writeFileSync(path.join(LIB, 'index.js'), `"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
const lazy = (name, get) => Object.defineProperty(exports, name, { enumerable: true, configurable: true, get });
${values.map(({ name, specifier }) => `lazy("${name}", () => require("${specifier}").${name});`).join('\n')}
0 && (module.exports = { ${values.map(({ name }) => name).join(', ')} });
`);
