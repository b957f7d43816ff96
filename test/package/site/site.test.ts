import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { lookPage, Looked } from './look';
import { indexOf, SUBJECTS } from './search';
import { inBrowser, lookAt } from '../browser';
import { ROOT } from '../installed';

// the site does not depend on the package that the other tests install
const OUT = path.join(ROOT, 'dist', 'site');
const SITE = path.join(OUT, 'next');
/** Pages about one construct, rule, setting, resource of Terraform, or example. */
const GENERATED = /^(?:reference|rules|settings\/(?:harvester|rancher)|terraform|examples)\//;
/** Pages that are not about a task. */
const OTHERS = ['index', 'guides', 'changelog', 'contributing', 'security'];
/** Three screens of a desktop. */
const LONGEST = 2700;
/** A page that is so much shorter needs no exception: letters are wider on some machines. */
const SHORT = 2500;
/** Pages that are longer than three screens, and why. */
const LONGER: { readonly [page: string]: string } = {
  'commands/adopt': 'lists the options of a command, from its own help',
  'commands/apply': 'lists the options of a command, from its own help',
};
/** Pages whose colors are compared. */
const CONTRAST = ['index', 'start', 'commands', 'rules', 'reference/guest-cluster'];
/** How many results a screen shows. */
const FIRST = 8;
/** What someone types, and a place that the search box lists among the first. */
const QUERIES: { readonly [query: string]: string } = {
  'sshUser': 'reference/machine-pool.html#sshuser-machinepool',
  'ranges overlap with other pools': 'rules/ip-pool.html#ip-pooloverlap',
  'ntp-servers': 'settings/harvester/ntp-servers.html#ntp-servers',
  'rancher2_cluster_v2': 'terraform/rancher2_cluster_v2.html#rancher2_cluster_v2',
  'cluster not found': 'troubleshooting/retries.html#errors-that-pass-by-themselves',
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

/** The pages that people write, each about one task, and those that list what is generated. */
function guides(): string[] {
  return pages()
    .map(nameOf)
    .filter((page) => !GENERATED.test(page) && !OTHERS.includes(page));
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
});

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
          .slice(0, FIRST)
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

  inBrowser('has no guide of more than three screens without a reason', () => {
    const heights = guides().map((page): [string, number] => [page, looked.heights[page]!]);
    const long = heights.filter(([page, height]) => height > LONGEST && !(page in LONGER));
    expect(long).toEqual([]);
    const exceptions = Object.keys(LONGER).filter((page) => !(looked.heights[page]! > SHORT));
    expect(exceptions).toEqual([]);
  });
});
