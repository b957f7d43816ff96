// The menus of the site, from the pages that list the others: the guides of docs/README.md, and the
// constructs of API.md.
'use strict';

const path = require('node:path');
const { placeOf } = require('./pages');

/** Groups of links from the headings of a page, and the lists or tables below them. */
function groupsOf(text, file) {
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title] = section.split('\n');
      const items = [...section.matchAll(/^(?:- |\| )\[([^\]]+)\]\(([^)\s#]+\.md)\)/gm)].map(
        ([, name, link]) => ({
          text: name.replaceAll('`', ''),
          link: `/${placeOf(join(file, link)).replace(/\.md$/, '')}`,
        }),
      );
      return { text: title, collapsed: true, items };
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
