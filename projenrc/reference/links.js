// What the page of a construct refers to: the guides that show it, the kinds that it writes, and
// their rules.
'use strict';

const fs = require('node:fs');
const path = require('node:path');

/** Pages that describe no task. */
const NO_GUIDES = new Set(['architecture.md', 'rules.md', 'speed.md']);

/**
 * Reads the guides, and from the compiled library what constructs write, and the rules. Gives the
 * Markdown for a construct.
 */
function linksOf(root) {
  const { writesOf } = require(path.join(root, 'lib', 'report', 'explain', 'writes.js'));
  const { ALL_RULES } = require(path.join(root, 'lib', 'registry', 'all-rules.js'));
  const guides = fs
    .readdirSync(path.join(root, 'docs'))
    .filter((file) => file.endsWith('.md') && !NO_GUIDES.has(file))
    .sort()
    .map((file) => guideOf(file, fs.readFileSync(path.join(root, 'docs', file), 'utf8')));
  return (name) =>
    linksText(name, { kinds: [...writesOf(name).keys()].sort(), guides, rules: ALL_RULES });
}

/** A guide: its title, and the code that it shows. */
function guideOf(file, text) {
  const code = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block]) => block).join('\n');
  return { file, title: /^# (.*)$/m.exec(text)[1], code };
}

function linksText(name, { kinds, guides, rules }) {
  const creation = new RegExp(`\\b(?:new ${name}\\(|${name}\\.)`);
  const shown = guides
    .filter(({ code }) => creation.test(code))
    .map(({ file, title }) => `[${title}](../${file})`);
  const groups = rules
    .filter((rule) => rule.kinds.some((kind) => kinds.includes(kind)))
    .map(({ id }) => id.split('/')[0]);
  return [
    line('Guides', shown),
    line(
      'Writes',
      kinds.map((kind) => `\`${kind.replace(/^\//, '')}\``),
    ),
    line(
      'Rules',
      [...new Set(groups)].sort().map((group) => `[${group}](../rules/${group}.md)`),
    ),
  ]
    .filter(Boolean)
    .join('\n');
}

function line(title, items) {
  return items.length > 0 ? `- ${title}: ${items.join(', ')}` : '';
}

module.exports = { guideOf, linksOf, linksText };
