// The menus of the site, from the pages that list the others: the guides of docs/README.md, and the
// constructs of API.md.
'use strict';

const path = require('node:path');
const { placeOf } = require('./pages');

/** The links of lists or tables; those of a list within a list are below the link before them. */
function itemsOf(section, file) {
  const items = [];
  const links = section.matchAll(/^( *)(?:- |\| )\[([^\]]+)\]\(([^)\s#]+\.md)\)/gm);
  for (const [, indent, name, link] of links) {
    const item = {
      text: name.replaceAll('`', ''),
      link: `/${placeOf(join(file, link)).replace(/\.md$/, '')}`,
    };
    const parent = items.at(-1);
    if (indent === '' || parent === undefined) {
      items.push(item);
    } else {
      parent.collapsed = true;
      parent.items = [...(parent.items ?? []), item];
    }
  }
  return items;
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
