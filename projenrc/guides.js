// The guides: pages that people write, in docs and in its folders but those that a build writes.
'use strict';

const fs = require('node:fs');
const path = require('node:path');

/** Folders of pages that a build writes. */
const WRITTEN = /^(?:commands|reference|rules|settings|terraform|troubleshooting)\//;

/** The guides as paths from `docs`, in order. */
function guidesOf(root) {
  return fs
    .readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && !WRITTEN.test(file))
    .sort();
}

module.exports = { guidesOf };
