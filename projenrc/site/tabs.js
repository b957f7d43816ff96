// A program and its translations: in the repository the translations are folded below the program,
// on the site they are its tabs.
'use strict';

const { LANGUAGES } = require('../languages/translations');

const titles = LANGUAGES.map(({ title }) => title).join('|');
const PROGRAM = /^```ts\n(?:(?!```).*\n)*```$/.source;
const TRANSLATION = `\\n\\n<details>\\n<summary>(?:${titles})</summary>\\n\\n\`\`\`\\w+\\n[^]*?^\`\`\`\\n\\n</details>`;
const TRANSLATED = new RegExp(`(${PROGRAM})((?:${TRANSLATION})+)`, 'gm');
const PARTS = /<summary>(.*)<\/summary>\n\n```(\w+)\n([^]*?^```)/gm;

/** Text of a page with tabs, as VitePress writes them in Markdown. */
function withTabs(text) {
  return text.replace(TRANSLATED, (_, program, translations) => {
    const tabs = [...translations.matchAll(PARTS)].map(
      ([, title, language, code]) => `\`\`\`${language} [${title}]\n${code}`,
    );
    return ['::: code-group', program.replace('```ts', '```ts [TypeScript]'), ...tabs, ':::'].join(
      '\n\n',
    );
  });
}

module.exports = { withTabs };
