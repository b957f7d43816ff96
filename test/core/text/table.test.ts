import { markdownCode, markdownFence, markdownTable, markdownText, textTable } from '../../../src/core/text/table';

test('aligns the columns of a text table, without spaces at the end of a line', () => {
  expect(textTable(['NAME', 'SIZE', 'WHY'], [['long-name', 3, 'x'], ['a', 1000, '']])).toBe('NAME       SIZE  WHY\nlong-name  3     x\na          1000');
});

test('writes a Markdown table', () => {
  expect(markdownTable(['id', 'count'], [['a', 1], ['b', '']])).toEqual(['| id | count |', '|---|---|', '| a | 1 |', '| b |  |']);
});

test('escapes markup, links and the end of a cell in values', () => {
  expect(markdownText('a|b\n#1 <b>[x](y)</b> `c` *d* _e_ ~f~ \\ {g}')).toBe('a\\|b \\#1 \\<b\\>\\[x\\](y)\\</b\\> \\`c\\` \\*d\\* \\_e\\_ \\~f\\~ \\\\ \\{g\\}');
});

test.each([
  ['a|b\nc', '`a\\|b c`'], ['a`b', '`` a`b ``'], ['``', '``` `` ```'],
])('writes %j as code in a cell', (value, code) => { expect(markdownCode(value)).toBe(code); });

test('fences a block by more backticks than it holds', () => {
  expect(markdownFence('a ```` b', 3)).toBe('`````');
  expect(markdownFence('a', 3)).toBe('```');
});
