// The public API: `node projenrc/api.js print` writes it to stdout.
'use strict';

const { publicApi } = require('./api/assembly');

process.stdout.write(JSON.stringify(publicApi()));
