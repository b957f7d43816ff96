// The menus of the site, from the pages that list the others: the guides of docs/README.md, and the
// constructs of API.md.
'use strict';

const path = require('node:path');
const { placeOf } = require('./pages');

/** A line of a list, or a row of a table, of which only the first cell is an item. */
const LINE = /^( *)(?:- (.*)|\| (\[.*?) \|.*)$/gm;
const LINK = /\[([^\]]+)\]\(([^)\s#]+)\.md\)/g;

/**
 * The links of lists and tables. A link of a list within a list is below the link before them, and
 * so is one to the folder of a page: `[Machine pools](machines.md): [scale](machines/scale.md)`.
 */
function itemsOf(section, file) {
  const items = [];
  const pages = new Map();
  for (const [, indent, listed, cell] of section.matchAll(LINE)) {
    for (const [, name, page] of (listed ?? cell).matchAll(LINK)) {
      const item = itemOf(name, join(file, `${page}.md`));
      const parent = indent === '' ? pages.get(path.posix.dirname(page)) : items.at(-1);
      if (parent === undefined) {
        items.push(item);
      } else {
        parent.collapsed = true;
        parent.items = [...(parent.items ?? []), item];
      }
      pages.set(page, item);
    }
  }
  return items;
}

/** An item; a link in a sentence begins in lower case. */
function itemOf(name, page) {
  const text = name.replaceAll('`', '');
  return {
    text: `${text[0].toUpperCase()}${text.slice(1)}`,
    link: `/${placeOf(page).replace(/\.md$/, '')}`,
  };
}

/** Groups of links from the headings of a page, and the lists or tables below them. */
function groupsOf(text, file) {
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title] = section.split('\n');
      return { text: title, collapsed: true, items: itemsOf(section, file) };
    })
    .filter(({ items }) => items.length > 0);
}

function join(file, link) {
  return path.posix.join(path.posix.dirname(file), link);
}

/** The side bar of each part of the site. */
function sidebarOf({ guides, reference }) {
  const guideGroups = groupsOf(guides, 'docs/README.md');
  const referenceGroups = groupsOf(reference, 'API.md');
  return {
    '/reference/': [{ text: 'All constructs', link: '/reference/' }, ...referenceGroups],
    '/': [{ text: 'All guides', link: '/guides' }, ...guideGroups],
  };
}

module.exports = { groupsOf, sidebarOf };
