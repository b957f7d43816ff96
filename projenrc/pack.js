// The package.json of the package: `node projenrc/pack.js strip` takes out what only developers of
// this project need, and `restore` writes the whole file again. npm runs both around each `npm pack`.
'use strict';

const fs = require('node:fs');
const path = require('node:path');

const FILE = path.join(__dirname, '..', 'package.json');
/** The whole file, while the stripped one is packed. */
const KEPT = path.join(__dirname, '..', 'node_modules', '.package.json');
const DEVELOPERS = ['scripts', 'devDependencies', 'devEngines', 'overrides', 'jest', '//'];

/** A package.json without the fields of developers. */
function stripped(text) {
  const fields = JSON.parse(text);
  for (const field of DEVELOPERS) {
    delete fields[field];
  }
  return `${JSON.stringify(fields, null, 2)}\n`;
}

function strip() {
  const text = fs.readFileSync(FILE, 'utf8');
  fs.writeFileSync(KEPT, text);
  fs.writeFileSync(FILE, stripped(text));
}

function restore() {
  fs.copyFileSync(KEPT, FILE);
  fs.rmSync(KEPT);
}

module.exports = { stripped };

if (require.main === module) {
  ({ strip, restore })[process.argv[2]]();
}
