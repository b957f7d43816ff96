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
  'settings/harvester/ntp-servers',
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
  // colors change at once, so that they can be compared
  const still = shown.createElement('style');
  still.textContent = '* { transition: none !important; }';
  shown.head.append(still);
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
  for (const scheme of ['light', 'dark']) {
    shown.documentElement.classList.toggle('dark', scheme === 'dark');
    for (const weak of weakTexts(frame.contentWindow)) {
      add('has in ' + scheme + ' ' + weak);
    }
  }
  frame.remove();
}
/** Red, green, blue, and opacity of a color as computed styles print it. */
function channels(color) {
  const [r, g, b, a = 1] = color.match(/[\\d.]+/g).map(Number);
  return [r, g, b, a];
}
/** A color over another one. */
function over([r, g, b, a], below) {
  return [r, g, b].map((value, index) => value * a + below[index] * (1 - a)).concat(1);
}
function luminance(color) {
  const [r, g, b] = color.slice(0, 3).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function behind(element, view) {
  const background = channels(view.getComputedStyle(element).backgroundColor);
  if (background[3] === 1) {
    return background;
  }
  return over(background, element.parentElement ? behind(element.parentElement, view) : [255, 255, 255, 1]);
}
/** Texts with less contrast than WCAG 2 AA requires, one of each pair of colors. */
function weakTexts(view) {
  const weak = new Map();
  for (const element of view.document.querySelectorAll('.vp-doc *, .VPSidebar *, .VPNav *, .VPDocAside *')) {
    const text = [...element.childNodes].find((node) => node.nodeType === 3 && node.data.trim());
    const style = view.getComputedStyle(element);
    if (!text || element.getClientRects().length === 0 || style.visibility === 'hidden' || element.closest('[aria-hidden]')) {
      continue;
    }
    const back = behind(element, view);
    const color = over(channels(style.color), back);
    const [dark, light] = [luminance(color), luminance(back)].sort((a, b) => a - b);
    const ratio = (light + 0.05) / (dark + 0.05);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (isLarge ? 3 : 4.5)) {
      weak.set(style.color + back, ratio.toFixed(2) + ' of ' + style.color + ' on ' + back.slice(0, 3) + ': ' + text.data.trim().slice(0, 40));
    }
  }
  return weak.values();
}
/** Loads a page, chooses a language if one is given, and gives the first line of what it shows. */
async function program(page, language) {
  const frame = document.createElement('iframe');
  await new Promise((resolve) => {
    frame.onload = resolve;
    frame.src = '/next/' + page + '.html';
    document.body.append(frame);
  });
  const { document: shown } = frame.contentWindow;
  const group = () => shown.querySelector('.vp-code-group');
  const block = () => group().querySelector('.blocks > .active code').textContent.split('\\n')[0];
  for (let tries = 0; tries < 100 && !group(); tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  // the scripts of the page run after it is there
  await new Promise((resolve) => setTimeout(resolve, 1000));
  if (language) {
    group().querySelector('[data-title="' + language + '"]').click();
  }
  const line = block();
  frame.remove();
  return line;
}
(async () => {
  for (const [width, page] of looks) {
    await look(width, page);
  }
  const lines = [
    await program('reference/vm-network'),
    await program('reference/vm-network', 'Python'),
    await program('reference/late-value'),
  ];
  if (lines.map((line) => line.split(' ')[0]).join() !== 'import,from,from') {
    found.push('shows other languages than the one that was chosen: ' + JSON.stringify(lines));
  }
  document.title = 'done';
  document.body.textContent = JSON.stringify(found);
})();
</script>`;

inBrowser(
  'shows pages in a browser without errors, cuts nothing on a phone or a desktop, and has enough contrast',
  async () => {
    const { found, log } = await lookAt(OUT, LOOK);
    expect(found).toEqual([]);
    expect(log.match(/CONSOLE.*(?:Uncaught|Failed to load|Hydration).*/g)).toBeNull();
  },
);
