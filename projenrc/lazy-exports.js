// Makes the compiled index files load a module when something of it is first asked for: a program uses a few constructs, and loading all of them
// costs more than cdk8s itself. The compiler has no such mode, so its output is rewritten, as the AWS CDK does with its own library.
'use strict';

const fs = require('node:fs');
const path = require('node:path');

const LIB = path.join(__dirname, '..', 'lib');
// what the compiler writes for `export { A } from './a'` and for `export * from './a'`
const IMPORT = /^var (\w+) = require\("(\.\/[^"]+)"\);$/;
const GETTER = /^Object\.defineProperty\(exports, "(\w+)", \{ enumerable: true, get: function \(\) \{ return (\w+)\.(\w+); \} \}\);$/;
const STAR = /^__exportStar\(require\("(\.\/[^"]+)"\), exports\);$/;

for (const entry of fs.readdirSync(LIB, { withFileTypes: true })) {
  if (entry.isDirectory()) { rewriteBelow(path.join(LIB, entry.name)); }
}

function rewriteBelow(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) { rewriteBelow(file); } else if (entry.name === 'index.js') { fs.writeFileSync(file, rewritten(file)); }
  }
}

function rewritten(file) {
  const modules = new Map();
  const lines = fs.readFileSync(file, 'utf8').split('\n').flatMap((line) => {
    const imported = IMPORT.exec(line);
    if (imported) {
      modules.set(imported[1], imported[2]);
      return [];
    }
    const getter = GETTER.exec(line);
    if (getter && modules.has(getter[2])) { return [lazy(getter[1], modules.get(getter[2]), getter[3])]; }
    const star = STAR.exec(line);
    // an index further down is rewritten itself
    return star && isFile(file, star[1]) ? namesOf(file, star[1]).map((name) => lazy(name, star[1], name)) : [line];
  });
  const text = lines.join('\n');
  for (const name of modules.keys()) {
    if (text.includes(`${name}.`)) { throw new Error(`${file}: ${name} is used in a way that is not known here; the compiler writes another form now`); }
  }
  return text;
}

function lazy(name, module, member) {
  return `Object.defineProperty(exports, "${name}", { enumerable: true, get: function () { return require("${module}").${member}; } });`;
}

function isFile(file, module) {
  return fs.existsSync(path.join(path.dirname(file), `${module}.js`));
}

// modules of interfaces alone have no names
function namesOf(file, module) {
  return Object.keys(require(path.join(path.dirname(file), module)));
}
