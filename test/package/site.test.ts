import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { inBrowser, lookAt } from './browser';
import { ROOT } from './installed';

// the site does not depend on the package that the other tests install
const OUT = path.join(ROOT, 'dist', 'site');
const SITE = path.join(OUT, 'next');
const WIDTHS = [390, 1366];
/** Pages of each form. */
const LOOKED_AT = [
  'index',
  'guides',
  'start',
  'tenants',
  'commands',
  'rules',
  'reference/index',
  'reference/guest-cluster',
  'reference/machine-pool',
];

function pages(): string[] {
  return fs
    .readdirSync(SITE, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.html') && file !== '404.html')
    .sort();
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

/** Shows each page in a frame, and writes what is wider than the frame into its own title. */
const LOOK = `<!doctype html><title>looking</title><body><script>
const found = [];
const looks = ${JSON.stringify(WIDTHS.flatMap((width) => LOOKED_AT.map((page) => [width, page])))};
async function look(width, page) {
  const frame = document.createElement('iframe');
  frame.style.cssText = 'border:0;height:900px;width:' + width + 'px';
  await new Promise((resolve) => {
    frame.onload = resolve;
    frame.src = '/next/' + page + '.html';
    document.body.append(frame);
  });
  const { document: shown } = frame.contentWindow;
  for (let tries = 0; tries < 100 && !shown.querySelector('.vp-doc h1'); tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const add = (what) => found.push(page + ' at ' + width + ': ' + what);
  if (!shown.querySelector('.vp-doc h1')) {
    add('has no content');
  }
  if (shown.documentElement.scrollWidth > width) {
    add('is ' + shown.documentElement.scrollWidth + ' wide');
  }
  for (const code of shown.querySelectorAll('.vp-doc pre')) {
    if (code.scrollWidth > code.clientWidth + 1) {
      add('cuts ' + code.textContent.trim().slice(0, 60));
    }
  }
  frame.remove();
}
(async () => {
  for (const [width, page] of looks) {
    await look(width, page);
  }
  document.title = 'done';
  document.body.textContent = JSON.stringify(found);
})();
</script>`;

inBrowser(
  'shows pages in a browser without errors, and cuts nothing on a phone or a desktop',
  async () => {
    const { found, log } = await lookAt(OUT, LOOK);
    expect(found).toEqual([]);
    expect(log.match(/CONSOLE.*(?:Uncaught|Failed to load|Hydration).*/g)).toBeNull();
  },
);
