// The pages of the site, from the Markdown files that people also read in the repository: where each
// is on the site, and its text with links between these places.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { withTabs } = require('./tabs');
const { REPOSITORY } = require('../release/pages');

/** Blocks and spans of code, which are kept. */
const CODE = /(^ *```[^]*?^ *```$|`[^`\n]+`)/m;
/** What Markdown of these pages contains of HTML; all else in angle brackets is text. */
const TAGS = /(?<!\\)<(?!\/?(?:details|summary|br|a|sub|sup)\b|!--|https?:)/g;
/** Where each folder of pages is on the site. */
const FOLDERS = [
  [/^README\.md$/, 'index.md'],
  [/^API\.md$/, 'reference/index.md'],
  [/^docs\/README\.md$/, 'guides.md'],
  [/^docs\/(.*)$/, '$1'],
  [/^examples\/([\w-]+)\/README\.md$/, 'examples/$1.md'],
  [/^([A-Z]+)\.md$/, '$1.md'],
];

/** The Markdown files of the site, as paths from the top folder. */
function filesOf(root) {
  const below = (folder) =>
    fs
      .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => `${folder}/${file}`);
  return [
    ...['README.md', 'API.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'],
    ...below('docs').filter((file) => file.endsWith('.md')),
    ...below('examples').filter((file) => /^examples\/[\w-]+\/README\.md$/.test(file)),
  ].sort();
}

/** The path of a file on the site. */
function placeOf(file) {
  const [pattern, place] = FOLDERS.find(([each]) => each.test(file));
  return file.replace(pattern, place).replace(/^[A-Z]+\.md$/, (name) => name.toLowerCase());
}

/**
 * Text of a page of the site: links to other pages lead to their places, links to other files of
 * the repository to the repository, translations are tabs, and what is not HTML is text.
 *
 * @param file path of the page from the top folder
 * @param pages all pages
 * @param ref branch or tag of the files in the repository
 */
function siteText(text, file, { pages, ref }) {
  const blob = new RegExp(`^${REPOSITORY}/(?:blob|tree|raw)/[^/]+/`);
  const address = (link, isImage) => {
    if (/^(?:https?:|mailto:)/.test(link) && !blob.test(link)) {
      return link;
    }
    const [target, anchor] = link.split('#');
    const from = blob.test(target)
      ? target.replace(blob, '')
      : path.posix.join(path.posix.dirname(file), target);
    const own = target === '' ? file : from.replace(/\/$/, '');
    const page = [own, `${own}/README.md`].find((each) => pages.includes(each));
    const hash = anchor === undefined ? '' : `#${anchor}`;
    if (page) {
      return target === '' ? hash : `/${placeOf(page)}${hash}`;
    }
    return isImage ? `/${own.replace(/^docs\//, '')}` : `${REPOSITORY}/blob/${ref}/${own}${hash}`;
  };
  return withTabs(text)
    .split(CODE)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(TAGS, '&lt;')))
    .join('')
    .split(/(^ *```[^]*?^ *```$)/m)
    .map((part) =>
      /^ *```/.test(part)
        ? part
        : part.replace(
            /(!?)(\[(?:[^\]`]|`[^`]*`)*\]\()([^)\s]+)\)/g,
            (_, image, before, link) => `${image}${before}${address(link, image === '!')})`,
          ),
    )
    .join('');
}

module.exports = { filesOf, placeOf, siteText };
