import { spawnSync } from 'child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { pathToFileURL } from 'url';

interface Pages {
  readonly placeOf: (file: string) => string;
  readonly siteText: (
    text: string,
    file: string,
    options: { readonly pages: readonly string[]; readonly ref: string },
  ) => string;
}

interface Menu {
  readonly sidebarOf: (pages: { readonly guides: string; readonly reference: string }) => object;
}

const { placeOf, siteText } = jest.requireActual<Pages>('../projenrc/site/pages.js');
const { sidebarOf } = jest.requireActual<Menu>('../projenrc/site/menu.js');
const { versionsPage } = jest.requireActual<{ versionsPage: (names: string[]) => string }>(
  '../projenrc/site.js',
);
const { REPOSITORY } = jest.requireActual<{ REPOSITORY: string }>('../projenrc/release/pages.js');

const PAGES = ['README.md', 'API.md', 'docs/start.md', 'docs/README.md', 'examples/a/README.md'];

function text(given: string, file = 'docs/start.md'): string {
  return siteText(given, file, { pages: PAGES, ref: 'v0.1.0' });
}

test.each([
  ['README.md', 'index.md'],
  ['API.md', 'reference/index.md'],
  ['CHANGELOG.md', 'changelog.md'],
  ['docs/README.md', 'guides.md'],
  ['docs/reference/vm-image.md', 'reference/vm-image.md'],
  ['examples/quickstart/README.md', 'examples/quickstart.md'],
])('places %s at %s', (file, place) => {
  expect(placeOf(file)).toBe(place);
});

test('leads links between pages to their places, and other files to those of the version', () => {
  expect(text('[a](../API.md#x) [b](#y) [c](../examples/a) [d](../src/index.ts#L1)')).toBe(
    `[a](/reference/index.md#x) [b](#y) [c](/examples/a.md) [d](${REPOSITORY}/blob/v0.1.0/src/index.ts#L1)`,
  );
  expect(text(`[e](${REPOSITORY}/tree/main/examples/a) [f](https://cdk8s.io)`)).toBe(
    '[e](/examples/a.md) [f](https://cdk8s.io)',
  );
});

test('shows pictures from the site, and links whose text is code', () => {
  expect(text('![p](pictures/p.svg) [`a[0]`](start.md)')).toBe(
    '![p](/pictures/p.svg) [`a[0]`](/start.md)',
  );
});

test('shows angle brackets as text, and keeps code as it is', () => {
  expect(text('a <name> `<id>` <details>')).toBe('a &lt;name> `<id>` <details>');
  const block = '```ts\nconst a: Map<string> = x[0](start.md);\n```';
  expect(text(block)).toBe(block);
});

test('lists guides and constructs by their headings, pages of a folder below their first page', () => {
  expect(
    sidebarOf({
      guides:
        '# Guides\n\n## Start\n\n- [Start](start.md): how\n  - [In Go](start/go.md)\n\n## Empty\n',
      reference:
        '# API\n\n## Harvester\n\n| [`VmImage`](docs/reference/vm-image.md) | The image. |\n',
    }),
  ).toEqual({
    '/': [
      { text: 'All guides', link: '/guides' },
      {
        text: 'Start',
        collapsed: true,
        items: [
          {
            text: 'Start',
            link: '/start',
            collapsed: true,
            items: [{ text: 'In Go', link: '/start/go' }],
          },
        ],
      },
    ],
    '/reference/': [
      { text: 'All constructs', link: '/reference/' },
      {
        text: 'Harvester',
        collapsed: true,
        items: [{ text: 'VmImage', link: '/reference/vm-image' }],
      },
    ],
  });
});

test('lists pages of a folder below the page of its name, also from the same line', () => {
  const guides =
    '## Machines\n\n- [Pools](machines.md): [scale them](machines/scaling.md), [quotas](tenants.md)\n';
  expect(sidebarOf({ guides, reference: '' })).toMatchObject({
    '/': [
      { text: 'All guides' },
      {
        text: 'Machines',
        items: [
          { text: 'Pools', items: [{ text: 'Scale them', link: '/machines/scaling' }] },
          { text: 'Quotas', link: '/tenants' },
        ],
      },
    ],
  });
});

test('lists versions, the newest first', () => {
  const page = versionsPage(['0.2', '0.10', 'next']);
  expect([...page.matchAll(/href="\.\/(.*?)\/"/g)].map(([, name]) => name)).toEqual([
    'next',
    '0.10',
    '0.2',
  ]);
});

/** What the search of the site reads of a page that is rendered as this text. */
function searched(html: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'site-'));
  const config = join(folder, 'config.mjs');
  try {
    copyFileSync(join(__dirname, '..', 'projenrc', 'site', 'vitepress.mjs'), config);
    writeFileSync(join(folder, 'site.json'), '{}');
    const program = `
      const { default: site } = await import(${JSON.stringify(pathToFileURL(config).href)});
      const { _render } = site.themeConfig.search.options;
      process.stdout.write(_render(${JSON.stringify(html)}, {}, { render: (text) => text }));
    `;
    const args = ['--input-type=module', '--eval', program];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(stderr).toBe('');
    return stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('leaves folded imports and charts out of the search, and keeps folded data', () => {
  const head = '<details class="details custom-block"><summary>Imports</summary>vip</details>';
  expect(searched(`a ${head} b <details>props</details> c`)).toBe('a  b  c');
  expect(searched('<details class="data">old name</details>')).toContain('old name');
});
