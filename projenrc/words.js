// Checks the wording of Markdown and of the prose in code: `npx projen words [--count] [--names] [path…]`. The words are in .words.yml;
// --names looks at the names that code declares, too.
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
  const { messages } = await kernel.lintText(text, {
    ext: path.extname(file),
    filePath: file,
    rules: [{ ruleId: 'words', rule: wordsRule, options: { terms: words.terms } }],
    plugins: [
      { pluginId: 'markdown', plugin: markdown },
      { pluginId: 'typescript', plugin: { Processor: TypeScriptProcessor }, options: { quotations: words.quotations } },
    ],
  });
  const lines = text.split('\n');
  return messages.filter(({ line }) => !WAIVER.test(lines[line - 1]) && !(lines[line - 2]?.startsWith('<!--') && WAIVER.test(lines[line - 2])));
}

/** The same of the names that a file declares. */
function checkNames(text, file) {
  return namesOf(text, file, words.quotations).flatMap(({ position, words: name }) => words.terms.flatMap(({ find, use }) => {
    const [found] = name.match(find) ?? [];
    if (!found) { return []; }
    const before = text.slice(0, position).split('\n');
    return [{ line: before.length, column: before.at(-1).length + 1, message: `name "${name}": "${found}" (use ${use})` }];
  }));
}

function filesBelow(start) {
  if (!fs.statSync(start).isDirectory()) { return [start]; }
  return fs.readdirSync(start, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1)).flatMap((entry) => {
    const file = path.join(start, entry.name);
    if (entry.isDirectory()) { return SKIPPED.has(entry.name) ? [] : filesBelow(file); }
    return CODE.test(entry.name) && !entry.name.endsWith('.d.ts') || entry.name.endsWith('.md') ? [file] : [];
  });
}

async function main(args) {
  const count = args.includes('--count');
  const names = args.includes('--names');
  const given = args.filter((arg) => !arg.startsWith('-'));
  const folders = new Map();
  let all = 0;
  const files = given.length > 0 ? given.flatMap(filesBelow) : words.paths.flatMap(filesBelow).filter((file) => !words.except.some((other) => file === other || file.startsWith(`${other}/`)));
  for (const file of files) {
    const text = fs.readFileSync(file, 'utf8');
    const found = [...await check(text, file), ...(names && CODE.test(file) ? checkNames(text, file) : [])];
    all += found.length;
    folders.set(path.dirname(file), (folders.get(path.dirname(file)) ?? 0) + found.length);
    if (!count) { for (const { line, column, message } of found) { console.log(`${file}:${line}:${column}: ${message}`); } }
  }
  if (count) { for (const [folder, number] of folders) { console.log(`${String(number).padStart(6)} ${folder}`); } }
  if (count || all > 0) { console.log(`${all} found`); }
  if (all > 0) { process.exitCode = 1; }
}

module.exports = { check, checkNames, words };

if (require.main === module) { void main(process.argv.slice(2)); }
