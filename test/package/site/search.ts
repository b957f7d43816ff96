import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { runInNewContext } from 'node:vm';
import { ROOT } from '../installed';

/** The index of the site as its search box reads it. */
export interface Index {
  /** The places that a query finds, the best first. */
  readonly placesOf: (query: string) => readonly string[];
}

interface MiniSearch {
  readonly search: (query: string) => readonly { readonly id: string }[];
}

interface MiniSearchClass {
  readonly loadJSON: (json: string, options: object) => MiniSearch;
}

interface SiteData {
  readonly themeConfig: {
    readonly search: { readonly options: { readonly miniSearch: { searchOptions: object } } };
  };
}

/** The library of the search box, in the version that VitePress has. */
const miniSearch = createRequire(require.resolve('vitepress/package.json'))(
  'minisearch',
) as MiniSearchClass;

/** The text of the chunk of a built site whose name begins so. */
function chunk(site: string, start: string): string {
  const folder = path.join(site, 'assets', 'chunks');
  const [file] = fs.readdirSync(folder).filter((name) => name.startsWith(start));
  return fs.readFileSync(path.join(folder, file!), 'utf8');
}

/** What VitePress writes before the source of a function. */
const FUNCTION = '_vp-fn_';

/** The options of the search, as the pages have them. */
function searchOptions(site: string): object {
  const window: { __VP_SITE_DATA__?: SiteData } = {};
  runInNewContext(chunk(site, 'metadata.'), { window });
  const { searchOptions: written } = window.__VP_SITE_DATA__!.themeConfig.search.options.miniSearch;
  const read = (value: unknown): unknown =>
    typeof value === 'string' && value.startsWith(FUNCTION)
      ? runInNewContext(`(${value.slice(FUNCTION.length)})`)
      : value;
  return Object.fromEntries(Object.entries(written).map(([name, value]) => [name, read(value)]));
}

export function indexOf(site: string): Index {
  const module = chunk(site, '@localSearchIndex');
  const json = runInNewContext(
    module.replace(/export\s*\{\s*(\w+) as default\s*\};?\s*$/, '$1'),
  ) as string;
  const index = miniSearch.loadJSON(json, {
    fields: ['title', 'titles', 'text'],
    storeFields: ['title', 'titles'],
    searchOptions: searchOptions(site),
  });
  return { placesOf: (query) => index.search(query).map(({ id }) => id.replace('/next/', '')) };
}

/** What people search for, and the places that answer. */
export interface Subject {
  readonly query: string;
  /** The beginnings of these places. */
  readonly places: readonly string[];
}

/** The pages of a folder of docs, by their paths without their ends. */
function pagesIn(folder: string): [page: string, text: string][] {
  const docs = path.join(ROOT, 'docs');
  return fs
    .readdirSync(path.join(docs, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .sort()
    .map((file) => [
      `${folder}/${file.replace(/\.md$/, '')}`,
      fs.readFileSync(path.join(docs, folder, file), 'utf8'),
    ]);
}

function constructs(): Subject[] {
  const index = fs.readFileSync(path.join(ROOT, 'API.md'), 'utf8');
  return [...index.matchAll(/^\| \[`(\w+)`\]\(docs\/([\w/-]+)\.md\)/gm)].map(([, name, page]) => ({
    query: name!,
    places: [`${page}.html`],
  }));
}

/** Each prop with its construct, since constructs have props of the same name. */
function props(): Subject[] {
  return pagesIn('reference').flatMap(([page, text]) =>
    [...text.matchAll(/^### (\w+) \((\w+)\)$/gm)].map(([, prop, owner]) => ({
      query: `${prop} ${owner}`,
      places: [`${page}.html#${prop}-${owner}`.toLowerCase()],
    })),
  );
}

function rules(): Subject[] {
  return pagesIn('rules').flatMap(([page, text]) =>
    [...text.matchAll(/^## (.*)$/gm)].map(([, id]) => ({
      query: id!,
      places: [`${page}.html#${id!.toLowerCase().replace(/[^\w-]/g, '')}`],
    })),
  );
}

/** The pages in the folders of the products; those next to the folders list them. */
function settings(): Subject[] {
  return pagesIn('settings')
    .filter(([page]) => page.split('/').length > 2)
    .map(([page]) => ({ query: path.basename(page), places: [`${page}.html`] }));
}

/** A message as code, which contains backticks between two of them. */
const MESSAGE = /`` (.+?) ``|`([^`]+)`/g;
/** The messages that an item of a list begins with. */
const MESSAGES = /^- (?:\w+: )?((?:(?:`` .+? ``|`[^`]+`)(?:, )?)+)[:.(]/gm;

/** The messages of servers and agents, with spaces for names and numbers. */
function messages(): Subject[] {
  const texts = pagesIn('troubleshooting').map(([, text]) => text);
  const spans = [...texts.join('\n').matchAll(MESSAGES)].flatMap(([, list]) =>
    [...list!.matchAll(MESSAGE)].map(([, quoted, span]) => (quoted ?? span)!),
  );
  const known = [...pagesIn('troubleshooting'), ...pagesIn('rules')];
  return [...new Set(spans)].map((span) => ({
    query: span.replaceAll('…', ' '),
    places: known.filter(([, text]) => text.includes(span)).map(([page]) => `${page}.html`),
  }));
}

/** All that the search must find, by what it is. */
export const SUBJECTS: readonly (readonly [what: string, subjects: readonly Subject[]])[] = [
  ['construct', constructs()],
  ['prop', props()],
  ['rule', rules()],
  ['setting', settings()],
  ['message', messages()],
];
