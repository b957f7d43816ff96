// Finishes what the compiler wrote, file by file.
//
// Index files load a module when something of it is first used: a program uses a few constructs, and loading all of them costs more than cdk8s
// itself. The compiler has no such mode, so its output is rewritten, as the AWS CDK does with its own library. The names stay visible to Node's
// lexer, by which ES modules import from CommonJS: it knows `exports.A = void 0` and gives up a name that it sees with another getter.
//
// Source maps that hold the sources once more are half of the package, so they go.
'use strict';

const fs = require('node:fs');
const path = require('node:path');

const LIB = path.join(__dirname, '..', 'lib');
// what the compiler writes for `export { A } from './a'` and for `export * from './a'`
const IMPORT = /^var (\w+) = require\("(\.\/[^"]+)"\);$/;
const GETTER = /^Object\.defineProperty\(exports, "(\w+)", \{ enumerable: true, get: function \(\) \{ return (\w+)\.(\w+); \} \}\);$/;
const STAR = /^__exportStar\(require\("(\.\/[^"]+)"\), exports\);$/;
const NAMES = /^exports\.\w+ = (exports\.\w+ = )*void 0;$/;
const SOURCE_MAP = /^\/\/# sourceMappingURL=data:.*\n?/m;

const DEFINE = 'function lazy(name, load) { Object.defineProperty(exports, name, { enumerable: true, configurable: true, get: load }); }';

rewriteBelow(LIB);

function rewriteBelow(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      rewriteBelow(file);
    } else if (entry.name.endsWith('.js')) {
      const text = fs.readFileSync(file, 'utf8').replace(SOURCE_MAP, '');
      fs.writeFileSync(file, entry.name === 'index.js' && folder !== LIB ? lazily(file, text) : text);
    }
  }
}

function lazily(file, text) {
  const modules = new Map();
  const names = [];
  const lazy = (name, module, member) => {
    names.push(name);
    return `lazy("${name}", function () { return require("${module}").${member}; });`;
  };
  const lines = text.split('\n').flatMap((line) => {
    const imported = IMPORT.exec(line);
    if (imported) {
      modules.set(imported[1], imported[2]);
      return [];
    }
    // written anew below, for what `export *` stands for too
    if (NAMES.test(line)) { return []; }
    const getter = GETTER.exec(line);
    if (getter && modules.has(getter[2])) { return [lazy(getter[1], modules.get(getter[2]), getter[3])]; }
    const star = STAR.exec(line);
    // an index further down is rewritten itself
    return star && isFile(file, star[1]) ? namesOf(file, star[1]).map((name) => lazy(name, star[1], name)) : [line];
  });
  if (names.length > 0) {
    const first = lines.findIndex((line) => line.startsWith('lazy('));
    lines.splice(first, 0, `${names.map((name) => `exports.${name} = `).join('')}void 0;`, DEFINE);
  }
  const result = lines.join('\n');
  for (const name of modules.keys()) {
    if (result.includes(`${name}.`)) { throw new Error(`${file}: ${name} is used in a way that is not known here; the compiler writes another form now`); }
  }
  return result;
}

function isFile(file, module) {
  return fs.existsSync(path.join(path.dirname(file), `${module}.js`));
}

// modules of interfaces alone have no names
function namesOf(file, module) {
  return Object.keys(require(path.join(path.dirname(file), module)));
}
