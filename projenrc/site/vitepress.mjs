// Configuration of VitePress. `projenrc/site.js` writes what is different for each build next to
// this file's copy, in site.json.
import { readFileSync } from 'node:fs';

const { base, outDir, version, repository, sidebar } = JSON.parse(
  readFileSync(new URL('./site.json', import.meta.url), 'utf8'),
);

/** Anchors of headings as GitHub makes them, so that a link works in both places. */
function slugify(title) {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

/** Text of a cell without the marks of code and links. */
function plain(content) {
  return content.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
}

/** Gives each cell the name of its column, which a phone shows before it. */
function nameCells(md) {
  md.core.ruler.push('name-cells', ({ tokens }) => {
    let names = [];
    let column = 0;
    tokens.forEach((token, index) => {
      if (token.type === 'table_open') {
        names = [];
      } else if (token.type === 'tr_open') {
        column = 0;
      } else if (token.type === 'th_open') {
        names.push(plain(tokens[index + 1].content));
      } else if (token.type === 'td_open') {
        token.attrSet('data-column', names[column]);
        column += 1;
      }
    });
  });
}

/** A program in tabs, the first of which is in TypeScript. */
const TABS = /^::: code-group\n\n(```ts[^]*?^```)\n[^]*?^:::$/gm;

/**
 * The text of a page for the search, without what is folded, since rules and inherited props are
 * found on their own pages, and imports and charts are those of any program, and without programs
 * in other languages. What is folded in `<details class="data">` is only there, and is kept.
 */
function searchable(source, env, md) {
  const folded = /<details(?: class="details custom-block")?>[^]*?<\/details>/g;
  return md.render(source.replace(TABS, '$1'), env).replace(folded, '');
}

/** A word of a query, without those that sections of all subjects have. */
function wordOf(term) {
  const word = term.toLowerCase();
  return /^(?:a|an|and|are|as|at|be|by|for|from|in|is|it|no|not|of|on|or|that|the|to|was|with)$/.test(
    word,
  )
    ? null
    : word;
}

/** Whether longer words may be meant, too. */
function isStart(term) {
  return term.length > 2;
}

/**
 * How much a section counts: a heading that is the word itself leads, a message comes before what
 * has its words, and the sections that all pages of constructs have come last. VitePress sends the
 * sources of these functions to the browser.
 */
function weightOf(id, term, { title }) {
  if (title.toLowerCase() === term) {
    return 1.25;
  }
  if (/\/troubleshooting\//.test(id)) {
    return 2;
  }
  return /#(?:immutable-fields|permissions|rules)$/.test(id) ? 0.2 : 1;
}

export default {
  title: 'cdk8s-harvester',
  description: 'A Harvester and Rancher platform in code',
  lang: 'en-US',
  base,
  outDir,
  cleanUrls: false,
  lastUpdated: false,
  metaChunk: true,
  head: [['link', { rel: 'icon', href: `${base}icon.svg`, type: 'image/svg+xml' }]],
  markdown: {
    anchor: { slugify },
    config: nameCells,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Guides', link: '/guides' },
      { text: 'Reference', link: '/reference/' },
      { text: 'Rules', link: '/rules' },
      { text: 'Commands', link: '/commands' },
      {
        text: version,
        items: [
          { text: 'Changelog', link: '/changelog' },
          { text: 'All versions', link: `${base}../`, target: '_self' },
        ],
      },
    ],
    sidebar,
    outline: { level: [2, 3] },
    search: {
      provider: 'local',
      options: {
        detailedView: true,
        _render: searchable,
        miniSearch: {
          searchOptions: {
            fuzzy: 0.1,
            prefix: isStart,
            processTerm: wordOf,
            boost: { title: 4, titles: 2, text: 1 },
            boostDocument: weightOf,
          },
        },
      },
    },
    socialLinks: [{ icon: 'github', link: repository }],
  },
};
