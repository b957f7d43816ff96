// The program that the type check and the linter share, and for the linter a parser that takes
// files from it: building and checking it takes longer than all rules.
'use strict';

const path = require('node:path');
const parser = require('@typescript-eslint/parser');
const ts = require('typescript');

const ROOT = path.join(__dirname, '..', '..');
const CONFIG = path.join(ROOT, 'tsconfig.all.json');

function buildProgram() {
  const onUnRecoverableConfigFileDiagnostic = ({ messageText }) => {
    throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
  };
  const { fileNames, options, errors } = ts.getParsedCommandLineOfConfigFile(
    CONFIG,
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic },
  );
  const host = ts.createCompilerHost(options);
  // as tsc does
  host.jsDocParsingMode = ts.JSDocParsingMode.ParseForTypeErrors;
  return ts.createProgram({
    rootNames: fileNames,
    options,
    host,
    configFileParsingDiagnostics: errors,
  });
}

const program = buildProgram();

module.exports = {
  ROOT,
  program,
  meta: parser.meta,
  parseForESLint: (code, options) =>
    parser.parseForESLint(code, { ...options, project: undefined, programs: [program] }),
};
