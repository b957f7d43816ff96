// Builds the site of the documentation from README.md, API.md, docs, and examples: `node
// projenrc/site.js` writes dist/site/<minor version>, and `--preview` serves it. Folders of other
// versions that are there already, e.g. from the branch that publishes them, are kept and listed.
'use strict';

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { sidebarOf } = require('./site/menu');
const { filesOf, placeOf, siteText } = require('./site/pages');
const { withHeads } = require('./site/programs');

const ROOT = path.join(__dirname, '..');
const PARTS = path.join(__dirname, 'site');
const { version, repository } = require('../package.json');
const REPOSITORY = repository.url.replace(/\.git$/, '');
/** A version that no release has: the pages are those of main. */
const UNRELEASED = '0.0.0';

/** The folder of a version: patches change no page that matters. */
function folderOf(full) {
  return full === UNRELEASED ? 'next' : full.split('.').slice(0, 2).join('.');
}

/**
 * Writes what VitePress reads.
 *
 * @param folder where, below the top folder, since VitePress is found from there
 * @param out where VitePress writes the site
 * @param base the path of the site on its server
 */
function stage(folder, out, base) {
  const read = (file) => fs.readFileSync(path.join(ROOT, file), 'utf8');
  const write = (file, text) => {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    fs.writeFileSync(path.join(folder, file), text);
  };
  fs.rmSync(folder, { recursive: true, force: true });
  const pages = filesOf(ROOT);
  const ref = version === UNRELEASED ? 'main' : `v${version}`;
  for (const page of pages) {
    write(placeOf(page), withHeads(siteText(read(page), page, { pages, ref })));
  }
  fs.cpSync(path.join(ROOT, 'docs', 'pictures'), path.join(folder, 'public', 'pictures'), {
    recursive: true,
  });
  fs.copyFileSync(path.join(PARTS, 'icon.svg'), path.join(folder, 'public', 'icon.svg'));
  fs.cpSync(path.join(PARTS, 'theme'), path.join(folder, '.vitepress', 'theme'), {
    recursive: true,
  });
  fs.copyFileSync(path.join(PARTS, 'vitepress.mjs'), path.join(folder, '.vitepress', 'config.mjs'));
  const sidebar = sidebarOf({ guides: read('docs/README.md'), reference: read('API.md') });
  const site = { base, outDir: out, version: folderOf(version), repository: REPOSITORY, sidebar };
  write('.vitepress/site.json', JSON.stringify(site));
}

/** The page above the folders of the versions: it lists them, the newest first. */
function versionsPage(versions) {
  const order = [...versions].sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  const items = order.map((each) => `<li><a href="./${each}/">${each}</a></li>`).join('');
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>cdk8s-harvester</title><style>:root{color-scheme:light dark;font:18px/1.6 system-ui;padding:2rem}</style><h1>cdk8s-harvester</h1><p>Documentation by version:</p><ul>${items}</ul></html>\n`;
}

function vitepress(...args) {
  const program = path.join(ROOT, 'node_modules', 'vitepress', 'bin', 'vitepress.js');
  const { status } = spawnSync(process.execPath, [program, ...args], { stdio: 'inherit' });
  return status ?? 1;
}

function main(preview) {
  const site = path.join(ROOT, 'dist', 'site');
  const staged = path.join(ROOT, 'dist', 'site-pages');
  const folder = folderOf(version);
  const base = `${process.env.DOCS_BASE ?? '/'}${folder}/`;
  if (preview) {
    return vitepress('preview', staged);
  }
  stage(staged, path.join(site, folder), base);
  const status = vitepress('build', staged);
  if (status === 0) {
    const versions = fs
      .readdirSync(site, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && /^(?:next|\d+\.\d+)$/.test(entry.name))
      .map(({ name }) => name);
    fs.writeFileSync(path.join(site, 'index.html'), versionsPage(versions));
  }
  return status;
}

module.exports = { stage, versionsPage };

if (require.main === module) {
  process.exitCode = main(process.argv[2] === '--preview');
}
