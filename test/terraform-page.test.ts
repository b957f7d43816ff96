import { readFileSync } from 'fs';
import { argumentPage, pageOf } from '../projenrc/terraform/arguments';
import { PAGE, pageWith } from '../projenrc/terraform/page';
import { OWNED_KINDS } from '../src/adopt/read/terraform.data';
import { PROVIDERS } from '../src/report/explain/terraform-arguments';
import { TERRAFORM_NAMES } from '../src/report/explain/terraform-names.data';

const page = readFileSync(PAGE, 'utf8');

test('the tables of the page are current; otherwise run npx projen docs:terraform', () => {
  expect(page).toBe(pageWith(page));
});

test.each(PROVIDERS)(
  'the page with the arguments of %s is current; otherwise run npx projen docs:terraform',
  (provider) => {
    expect(readFileSync(pageOf(provider), 'utf8')).toBe(argumentPage(provider));
  },
);

test('the page has a row for each resource with a construct, and for each whose objects adopt can read', () => {
  const rows = new Set(
    [...page.matchAll(/^\| \[?`((?:rancher2|harvester)_\w+)`/gm)].map(([, name]) => name),
  );
  expect([...TERRAFORM_NAMES.keys()].filter((name) => !rows.has(name))).toEqual([]);
  expect(Object.keys(OWNED_KINDS).filter((name) => !rows.has(name))).toEqual([]);
});

test('refuses a page without the line that the tables follow', () => {
  expect(() => pageWith('# Coming from Terraform\n')).toThrow('must contain the line');
});
