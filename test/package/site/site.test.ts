import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { lookPage, Looked } from './look';
import { indexOf, SHOWN, SUBJECTS } from './search';
import { inBrowser, lookAt } from '../browser';
import { ROOT } from '../installed';

// the site does not depend on the package that the other tests install
const OUT = path.join(ROOT, 'dist', 'site');
const SITE = path.join(OUT, 'next');
/** Pages whose colors are compared. */
const CONTRAST = ['index', 'start', 'commands', 'rules', 'reference/guest-cluster'];
/** What someone types, and a place that the search box lists among the first. */
const FIRST = 3;
const QUERIES: { readonly [query: string]: string } = {
  'sshUser': 'reference/machine-pool.html#sshuser-machinepool',
  'ranges overlap with other pools': 'rules/ip-pool.html#ip-pooloverlap',
  'ntp-servers': 'settings/harvester/ntp-servers.html#ntp-servers',
  'rancher2_cluster_v2': 'terraform-rancher2.html#rancher2_cluster_v2',
  'cluster not found': 'troubleshooting.html#rancher-does-not-accept-the-token-of-the-agent',
};

/** The files of the pages. */
function pages(): string[] {
  return fs
    .readdirSync(SITE, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.html') && file !== '404.html')
    .sort();
}

function nameOf(page: string): string {
  return page.replace(/\.html$/, '');
}

function htmlOf(page: string): string {
  return fs.readFileSync(path.join(SITE, page), 'utf8');
}

let built: { status: number | null; output: string };

beforeAll(() => {
  // fails where a page links to one that does not exist
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [path.join(ROOT, 'projenrc', 'site.js')],
    { encoding: 'utf8', env: { ...process.env, DOCS_BASE: '/' } },
  );
  built = { status, output: `${stdout}${stderr}` };
}, 900_000);

test('builds the site without dead links', () => {
  expect(built).toEqual({ status: 0, output: expect.not.stringContaining('dead link') });
  expect(fs.readFileSync(path.join(OUT, 'index.html'), 'utf8')).toContain('href="./next/"');
});

test('has an anchor for each link', () => {
  const anchors = new Map(
    pages().map((page) => [
      page,
      new Set([...htmlOf(page).matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)),
    ]),
  );
  const broken = pages().flatMap((page) =>
    [...htmlOf(page).matchAll(/ href="\/next\/([^"#]*)#([^"]+)"| href="#([^"]+)"/g)]
      .map(([, file, anchor, own]): [string, string] => [
        file === undefined ? page : file.replace(/(?:^|\/)$/, (end) => `${end}index.html`),
        decodeURIComponent(anchor ?? own),
      ])
      .filter(([file, anchor]) => !anchors.get(file)?.has(anchor))
      .map((link) => `${page}: ${link.join('#')}`),
  );
  expect(broken).toEqual([]);
});

test('loads nothing from other servers', () => {
  const loaded = pages().flatMap((page) =>
    [...htmlOf(page).matchAll(/<(?:script|img|link)\b[^>]*(?:src|href)="(https?:[^"]*)"/g)].map(
      ([, address]) => `${page}: ${address}`,
    ),
  );
  expect(loaded).toEqual([]);
});

describe('the search', () => {
  test.each(SUBJECTS)('shows the place of each %s', (_, subjects) => {
    const index = indexOf(SITE);
    const lost = subjects.filter(
      ({ query, places }) =>
        !index
          .placesOf(query)
          .slice(0, SHOWN)
          .some((place) => places.some((each) => place.startsWith(each))),
    );
    expect(subjects.length).toBeGreaterThan(50);
    expect(lost).toEqual([]);
  });

  test('lists the page of a construct before all others', () => {
    const index = indexOf(SITE);
    const [, constructs] = SUBJECTS.find(([what]) => what === 'construct')!;
    const later = constructs.filter(
      ({ query, places: [page] }) => !index.placesOf(query)[0]!.startsWith(page!),
    );
    expect(later).toEqual([]);
  });
});

describe('in a browser', () => {
  let looked: Looked;
  let log: string;

  inBrowser('shows pages without errors, and cuts nothing on a phone or a desktop', async () => {
    const look = lookPage(pages().map(nameOf), CONTRAST, Object.keys(QUERIES));
    const result = await lookAt(OUT, look);
    looked = result.found as Looked;
    log = result.log;
    expect(looked.faults).toEqual([]);
    expect(log.match(/CONSOLE.*(?:Uncaught|Failed to load|Hydration).*/g)).toBeNull();
  });

  inBrowser('finds by its search box what people look for', () => {
    const later = Object.entries(QUERIES).filter(
      ([query, place]) => !looked.places[query]!.slice(0, FIRST).includes(`/next/${place}`),
    );
    expect({ later, places: looked.places }).toMatchObject({ later: [] });
  });
});
