// What the page of a construct refers to: the guides that show it, the kinds that it writes, and its
// names elsewhere.
'use strict';

/** As many guides as a reader looks at: those that show it most often. */
const MOST = 4;

/** A guide: its title, and the code that it shows. */
function guideOf(file, text) {
  const code = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block]) => block).join('\n');
  return { file, title: /^# (.*)$/m.exec(text)[1], code };
}

function linksText(name, { kinds, guides, terraform, forms }) {
  const creation = new RegExp(`\\b(?:new ${name}\\(|${name}\\.)`, 'g');
  const shown = guides
    .map(({ file, title, code }) => ({ file, title, count: [...code.matchAll(creation)].length }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count)
    .slice(0, MOST)
    .map(({ file, title }) => `[${title}](../${file})`);
  return [
    line('Guides', shown),
    line(
      'Writes',
      kinds.map((kind) => `\`${kind.replace(/^\//, '')}\``),
    ),
    line(
      'Terraform',
      terraform.map((each) => `[\`${each}\`](../terraform/${each}.md)`),
    ),
    line('UI', forms),
  ]
    .filter(Boolean)
    .join('\n');
}

function line(title, items) {
  return items.length > 0 ? `- ${title}: ${items.join(', ')}` : '';
}

module.exports = { guideOf, linksText };
