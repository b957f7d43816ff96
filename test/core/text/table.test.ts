import {
  markdownCode,
  markdownFence,
  markdownTable,
  markdownText,
} from '../../../src/core/text/table';

test('writes a Markdown table', () => {
  expect(
    markdownTable(
      ['id', 'count'],
      [
        ['a', 1],
        ['b', ''],
      ],
    ),
  ).toEqual(['| id | count |', '|---|---|', '| a | 1 |', '| b |  |']);
});

test('escapes markup, links and the end of a cell in values', () => {
  expect(markdownText('a|b\n#1 <b>[x](y)</b> `c` *d* _e_ ~f~ \\ {g}')).toBe(
    'a\\|b \\#1 \\<b\\>\\[x\\](y)\\</b\\> \\`c\\` \\*d\\* \\_e\\_ \\~f\\~ \\\\ \\{g\\}',
  );
});

test.each([
  ['a|b\nc', '`a\\|b c`'],
  ['a`b', '`` a`b ``'],
  ['``', '``` `` ```'],
])('writes %j as code in a cell', (value, code) => {
  expect(markdownCode(value)).toBe(code);
});

test('fences a block by more backticks than it holds', () => {
  expect(markdownFence('a ```` b', 3)).toBe('`````');
  expect(markdownFence('a', 3)).toBe('```');
});
