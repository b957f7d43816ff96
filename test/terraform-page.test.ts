import { existsSync, readFileSync, readdirSync } from 'fs';
import { join } from 'path';
import { FOLDER, argumentPageOf, argumentPages } from '../projenrc/terraform/arguments';
import { indexPages } from '../projenrc/terraform/page';
import { OWNED_KINDS } from '../src/adopt/read/terraform.data';
import { explain } from '../src/report/explain/explain';
import { ConstructBook } from '../src/report/explain/explain-construct';
import { PROVIDERS, argumentsOf } from '../src/report/explain/terraform-arguments';
import { TERRAFORM_NAMES } from '../src/report/explain/terraform-names.data';

const DOCS = join(__dirname, '..', 'docs');
const INDEXES = indexPages();
const PAGES = argumentPages();
const read = (page: string): string => readFileSync(join(DOCS, page), 'utf8');

test('the pages are current; otherwise run npx projen docs:terraform', () => {
  const pages = new Map([...INDEXES, ...PAGES]);
  expect(new Map([...pages.keys()].map((page) => [page, read(page)]))).toEqual(pages);
  expect(
    readdirSync(join(DOCS, FOLDER))
      .map((file) => `${FOLDER}/${file}`)
      .sort(),
  ).toEqual([...PAGES.keys()].sort());
});

test('the indexes list each resource with a construct, and each whose objects adopt can read', () => {
  const listed = new Set(
    [...[...INDEXES.values()].join('\n').matchAll(/^- \[?`(\w+)`/gm)].map(([, name]) => name),
  );
  expect([...TERRAFORM_NAMES.keys()].filter((name) => !listed.has(name))).toEqual([]);
  expect(Object.keys(OWNED_KINDS).filter((name) => !listed.has(name))).toEqual([]);
});

test.each(PROVIDERS)('each argument of %s is on a page of its resource', (provider) => {
  for (const [resource, rows] of argumentsOf(provider)) {
    const texts = [...PAGES]
      .filter(([page]) => page.startsWith(`${FOLDER}/${resource}.`))
      .map(([, text]) => text)
      .join('\n');
    expect(rows.filter(({ path }) => path !== '' && !texts.includes(`- \`${path}\`: `))).toEqual(
      [],
    );
  }
});

test('a page lists the blocks that have pages of their own', () => {
  expect(PAGES.get(argumentPageOf('rancher2_cluster_v2'))).toContain(
    '- [`rke_config`](rancher2_cluster_v2.rke_config.md): a block of ',
  );
});

test('explain leads to the page of the resource', () => {
  const book = new ConstructBook({ types: {}, pages: {} });
  const [{ docs }] = explain('rancher2_cluster.eks_config_v2.region', book);
  expect(existsSync(join(DOCS, '..', docs))).toBe(true);
});
