// Checks the formatting and the types, and lints, with one program for both: `node
// projenrc/check.js <path…>`. Fixes what the linter can fix.
'use strict';

const { spawnSync } = require('node:child_process');
const { ESLint } = require('eslint');
const ts = require('typescript');
const { program, ROOT } = require('./check/program');

/** Reports what `tsc` reports; returns whether there was nothing. */
function checkTypes() {
  const diagnostics = ts.sortAndDeduplicateDiagnostics(ts.getPreEmitDiagnostics(program));
  process.stdout.write(
    ts.formatDiagnosticsWithColorAndContext(diagnostics, {
      getCurrentDirectory: () => ROOT,
      getCanonicalFileName: (file) => file,
      getNewLine: () => '\n',
    }),
  );
  return diagnostics.length === 0;
}

/** Reports what `eslint --fix` reports; returns whether there was no error. */
async function lint(paths) {
  const options = { cwd: ROOT, errorOnUnmatchedPattern: false };
  const overrideConfig = {
    files: ['**/*.ts'],
    languageOptions: { parser: require('./check/program') },
  };
  const results = await new ESLint({ ...options, overrideConfig }).lintFiles(paths);
  const fixable = results
    .filter(
      ({ fixableErrorCount, fixableWarningCount }) => fixableErrorCount + fixableWarningCount > 0,
    )
    .map(({ filePath }) => filePath);
  // the shared program does not follow the fixes; nor does the one that the parser builds for a
  // single run, as which it regards CI
  process.env.TSESTREE_SINGLE_RUN = 'false';
  const fixed =
    fixable.length > 0 ? await new ESLint({ ...options, fix: true }).lintFiles(fixable) : [];
  await ESLint.outputFixes(fixed);
  const reported = [...results.filter(({ filePath }) => !fixable.includes(filePath)), ...fixed];
  process.stdout.write(await (await new ESLint(options).loadFormatter()).format(reported));
  return reported.every(({ errorCount }) => errorCount === 0);
}

/** Reports the files that `npx projen format` would change; returns whether there was none. */
function checkFormat() {
  const prettier = require.resolve('prettier/bin/prettier.cjs');
  const options = ['--check', '--log-level', 'warn', '--cache', '.'];
  const { status } = spawnSync(process.execPath, [prettier, ...options], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  return status === 0;
}

async function main(paths) {
  const isFormatted = checkFormat();
  // first the types, which the linter then asks for
  const isTyped = checkTypes();
  const isClean = await lint(paths);
  process.exitCode = isFormatted && isTyped && isClean ? 0 : 1;
}

void main(process.argv.slice(2));
