// The rules that judge what a construct writes: a line for each, which leads to the page of its
// family. That page has the reasons, and the words of the server.
'use strict';

const { anchorOf, line, oneLine } = require('../rules/text');

/** The family of rules that judge objects of all kinds. */
const OF_ALL_KINDS = 'object/';
/** What ends the first statement of a rule; a value, or text in quotes, follows other colons. */
const END = /;|: (?!true\b|false\b|[\d"`])/g;
/** `ntp-servers: the time servers of all nodes` has a name before its colon. */
const FEWEST_WORDS = 3;

function rulesSection(rules) {
  const own = rules.filter(({ id }) => !id.startsWith(OF_ALL_KINDS));
  if (own.length === 0) {
    return '';
  }
  return [
    '## Rules',
    'These judge what it writes, and so do the [rules of all kinds](../rules/object.md).',
    `<details>\n<summary>${own.length === 1 ? '1 rule' : `${own.length} rules`}</summary>`,
    own.map(item).join('\n'),
    '</details>',
  ].join('\n\n');
}

function item({ id, what }) {
  const [family] = id.split('/');
  return `- [\`${id}\`](../rules/${family}.md#${anchorOf(id)}): ${line(firstStatement(what))}`;
}

/** What a rule requires, without the reason and the exceptions that follow. */
function firstStatement(what) {
  const text = oneLine(what);
  const starts = [...text.matchAll(END)].map(({ index }) => text.slice(0, index));
  return starts.find((start) => !isInBrackets(start) && wordsOf(start) >= FEWEST_WORDS) ?? text;
}

function isInBrackets(start) {
  return start.split('(').length !== start.split(')').length;
}

function wordsOf(text) {
  return text.split(' ').length;
}

module.exports = { firstStatement, rulesSection };
