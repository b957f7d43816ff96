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

/** A program in tabs, the first of which is in TypeScript. */
const TABS = /^::: code-group\n\n(```ts[^]*?^```)\n[^]*?^:::$/gm;

/**
 * The text of a page for the search, without what is folded, since rules and inherited props are
 * found on their own pages, and without programs in other languages. What is folded in
 * `<details class="data">` is only there, and is kept.
 */
function searchable(source, env, md) {
  return md.render(source.replace(TABS, '$1'), env).replace(/<details>[^]*?<\/details>/g, '');
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
          searchOptions: { fuzzy: 0.1, prefix: true, boost: { title: 4, titles: 2, text: 1 } },
        },
      },
    },
    socialLinks: [{ icon: 'github', link: repository }],
  },
};
