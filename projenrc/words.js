// Checks the wording of Markdown and of the prose in code: `npx projen words [--count] [--names]
// [path…]`. The words are in .words.yml; --names looks at the names that code declares, too.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { TextlintKernel } = require('@textlint/kernel');
const markdown = require('@textlint/textlint-plugin-markdown').default;
const { readWords, wordsRule } = require('./words/terms');
const { TypeScriptProcessor, WAIVER, namesOf } = require('./words/typescript');

const CODE = /\.(?:ts|tsx|js|mjs)$/;
const SKIPPED = new Set(['node_modules', 'dist', 'lib', '.git', 'recordings', '__snapshots__']);

const kernel = new TextlintKernel();
const words = readWords();

/** What is reported of a text: { line, column, message }. */
async function check(text, file) {
  // most files contain none of the terms, in prose or elsewhere
  if (!words.terms.some(({ near }) => near.test(text))) {
    return [];
  }
  const { messages } = await kernel.lintText(text, {
    ext: path.extname(file),
    filePath: file,
    rules: [{ ruleId: 'words', rule: wordsRule, options: { terms: words.terms } }],
    plugins: [
      { pluginId: 'markdown', plugin: markdown },
      {
        pluginId: 'typescript',
        plugin: { Processor: TypeScriptProcessor },
        options: { quotations: words.quotations },
      },
    ],
  });
  const lines = text.split('\n');
  return messages.filter(
    ({ line }) =>
      !WAIVER.test(lines[line - 1]) &&
      !(lines[line - 2]?.startsWith('<!--') && WAIVER.test(lines[line - 2])),
  );
}

/** The same of the names that a file declares. */
function checkNames(text, file) {
  return namesOf(text, file, words.quotations).flatMap(({ position, words: name }) =>
    words.terms.flatMap(({ find, use }) => {
      const [found] = name.match(find) ?? [];
      if (!found) {
        return [];
      }
      const before = text.slice(0, position).split('\n');
      return [
        {
          line: before.length,
          column: before.at(-1).length + 1,
          message: `name "${name}": "${found}" (use ${use})`,
        },
      ];
    }),
  );
}

function filesBelow(start) {
  if (!fs.statSync(start).isDirectory()) {
    return [start];
  }
  return fs
    .readdirSync(start, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const file = path.join(start, entry.name);
      if (entry.isDirectory()) {
        return SKIPPED.has(entry.name) ? [] : filesBelow(file);
      }
      return (CODE.test(entry.name) && !entry.name.endsWith('.d.ts')) || entry.name.endsWith('.md')
        ? [file]
        : [];
    });
}

/** What is reported of files: { file, line, column, message }. */
async function checkFiles(files, names) {
  const found = [];
  for (const file of files) {
    const text = fs.readFileSync(file, 'utf8');
    found.push(
      ...[
        ...(await check(text, file)),
        ...(names && CODE.test(file) ? checkNames(text, file) : []),
      ].map((each) => ({ file, ...each })),
    );
  }
  return found;
}

/** Everything that is reported in the paths of .words.yml. */
async function checkProject(names) {
  const isIn = (file, folder) => file === folder || file.startsWith(`${folder}/`);
  return checkFiles(
    words.paths
      .flatMap(filesBelow)
      .filter((file) => !words.except.some((folder) => isIn(file, folder))),
    names,
  );
}

async function main(args) {
  const given = args.filter((arg) => !arg.startsWith('-'));
  const names = args.includes('--names');
  const found =
    given.length > 0
      ? await checkFiles(given.flatMap(filesBelow), names)
      : await checkProject(names);
  if (args.includes('--count')) {
    const folders = new Map();
    for (const { file } of found) {
      folders.set(path.dirname(file), (folders.get(path.dirname(file)) ?? 0) + 1);
    }
    for (const [folder, number] of folders) {
      console.log(`${String(number).padStart(6)} ${folder}`);
    }
  } else {
    for (const { file, line, column, message } of found) {
      console.log(`${file}:${line}:${column}: ${message}`);
    }
  }
  if (found.length > 0) {
    console.log(`${found.length} found`);
    process.exitCode = 1;
  }
}

module.exports = { check, checkNames, words };

if (require.main === module) {
  void main(process.argv.slice(2));
}
