// Checks the wording of Markdown and of the prose in code: `npx projen words [--count] [path…]`. The words are in .words.yml.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { TextlintKernel } = require('@textlint/kernel');
const markdown = require('@textlint/textlint-plugin-markdown').default;
const { readWords, wordsRule } = require('./words/terms');
const { TypeScriptProcessor, WAIVER } = require('./words/typescript');

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
  const given = args.filter((arg) => !arg.startsWith('-'));
  const folders = new Map();
  let all = 0;
  const files = given.length > 0 ? given.flatMap(filesBelow) : words.paths.flatMap(filesBelow).filter((file) => !words.except.some((other) => file === other || file.startsWith(`${other}/`)));
  for (const file of files) {
    const found = await check(fs.readFileSync(file, 'utf8'), file);
    all += found.length;
    folders.set(path.dirname(file), (folders.get(path.dirname(file)) ?? 0) + found.length);
    if (!count) { for (const { line, column, message } of found) { console.log(`${file}:${line}:${column}: ${message}`); } }
  }
  if (count) { for (const [folder, number] of folders) { console.log(`${String(number).padStart(6)} ${folder}`); } }
  if (count || all > 0) { console.log(`${all} found`); }
  if (all > 0) { process.exitCode = 1; }
}

module.exports = { check, words };

if (require.main === module) { void main(process.argv.slice(2)); }
