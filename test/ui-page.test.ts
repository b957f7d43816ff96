import { readFileSync } from 'fs';
import { join } from 'path';
import { PUBLIC_NAMES } from './support/public-names';
import { ALL_KINDS } from '../src/registry/all-kinds';

const PAGE = ['coming-from-the-ui.md', 'coming-from-the-ui/harvester.md']
  .map((page) => readFileSync(join(__dirname, '..', 'docs', page), 'utf8'))
  .join('\n');

/** The forms, with what serves each. */
const ROWS = [...PAGE.matchAll(/^\| ([A-Z].*?) \| (.*) \|$/gm)].map(
  ([, form, here]) => [form, here] as const,
);

test('the table of forms has the rows of both UIs', () => {
  expect(ROWS.length).toBeGreaterThan(50);
});

test.each(ROWS)('%s is served by constructs, or by objects whose kinds are known', (_, here) => {
  const kinds = new Set(ALL_KINDS.map(({ kind }) => kind));
  const names = [...here.matchAll(/`([A-Z]\w+)/g)].map(([, name]) => name);
  expect(names.filter((name) => !(name in PUBLIC_NAMES) && !kinds.has(name))).toEqual([]);
  expect(names.length > 0 || /out of scope|an action, not an object/.test(here)).toBe(true);
});
