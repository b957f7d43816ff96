// The public API of the sources: `node projenrc/api.js print` writes it to stdout; `freeze` writes
// it to the file that the tests compare later ones with, as a release does.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { publicApi } = require('./api/assembly');
const { freeze } = require('./api/frozen');

const FROZEN = path.join(__dirname, '..', 'test', 'api', 'frozen.json');

const api = publicApi();
if (process.argv[2] === 'freeze') {
  fs.writeFileSync(FROZEN, freeze(api));
} else {
  process.stdout.write(JSON.stringify(api));
}
