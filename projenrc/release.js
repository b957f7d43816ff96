// What a release changes in the pages that the packages hold, besides the version: `pin` after the
// bump, `unpin` before the version is restored. The tasks bump and unbump run it, whose environment
// names the files.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { guidesOf } = require('./guides');
const { notes, pinned } = require('./release/pages');

const ROOT = path.join(__dirname, '..');
/** Copies of the pages, in the folder that each release deletes first. */
const KEPT = path.join(ROOT, 'dist', 'unpinned');

function pages() {
  const guides = guidesOf(ROOT).map((file) => `docs/${file}`);
  return ['README.md', 'CHANGELOG.md', 'SECURITY.md', ...guides];
}

function pin({ BUMPFILE, CHANGELOG, RELEASETAG }) {
  const read = (file) => fs.readFileSync(path.join(ROOT, file), 'utf8');
  const [version, tag] = [BUMPFILE, RELEASETAG].map((file) => read(file).trim());
  fs.writeFileSync(
    path.join(ROOT, CHANGELOG),
    notes(read(CHANGELOG), read('CHANGELOG.md'), version),
  );
  for (const page of pages()) {
    const text = read(page);
    fs.mkdirSync(path.dirname(path.join(KEPT, page)), { recursive: true });
    fs.writeFileSync(path.join(KEPT, page), text);
    fs.writeFileSync(
      path.join(ROOT, page),
      pinned(text, tag, {
        isReadme: page === 'README.md',
        isFolder: (file) => fs.statSync(path.join(ROOT, file)).isDirectory(),
      }),
    );
  }
}

function unpin() {
  if (!fs.existsSync(KEPT)) {
    return;
  }
  fs.cpSync(KEPT, ROOT, { recursive: true });
  fs.rmSync(KEPT, { recursive: true });
}

try {
  ({ pin, unpin })[process.argv[2]](process.env);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
