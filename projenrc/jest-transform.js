// Transpiles for jest, a few milliseconds faster per file than the compiler, of which a fresh clone
// has hundreds. The library's modules load each other when they are first used, as the compiled
// ones do, so that a test of a few modules does not load all; tests and their helpers load at once,
// since some register hooks when they are loaded.
'use strict';

const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const path = require('node:path');
const esbuild = require('esbuild');
const { lazyRequires } = require('./lazy-requires');

const SRC = path.join(__dirname, '..', 'src') + path.sep;
const OWN = [
  __filename,
  require.resolve('./lazy-requires'),
  require.resolve('esbuild/package.json'),
]
  .map((file) => readFileSync(file))
  .join('');

// What jest.spyOn needs: exports that can be replaced, and `import *` that gives the module itself,
// as the compiler's output does, not a copy.
const HELPERS = [
  [
    'var __defProp = Object.defineProperty;',
    'var __defProp = (object, key, property) => Object.defineProperty(object, key, { ...property, configurable: true });',
  ],
  [
    'var __toESM = (mod, isNodeMode, target) => (',
    'var __toESM = (mod, isNodeMode, target) => mod?.__esModule ? mod : (',
  ],
];

/** Replaces the helpers that the code has; other code of theirs would break jest.spyOn silently. */
function withReplaceableExports(code) {
  let result = code;
  for (const [theirs, ours] of HELPERS) {
    const declaration = theirs.slice(0, theirs.indexOf('=') + 1);
    if (code.includes(declaration) && !code.includes(theirs)) {
      throw new Error(
        `projenrc/jest-transform.js: this release of esbuild has another helper than \`${theirs}\`. Fix: change HELPERS`,
      );
    }
    result = result.replace(theirs, ours);
  }
  return result;
}

module.exports = {
  canInstrument: false,

  getCacheKey(text, file, { configString }) {
    return createHash('sha256')
      .update([OWN, configString, file, text].join('\0'))
      .digest('hex')
      .slice(0, 32);
  },

  process(text, file) {
    const { code, map } = esbuild.transformSync(text, {
      loader: 'ts',
      format: 'cjs',
      platform: 'node',
      target: 'es2022',
      sourcefile: file,
      sourcemap: true,
      // import() in jest's contexts needs a flag of node
      supported: { 'dynamic-import': false },
    });
    const replaceable = withReplaceableExports(code);
    return { code: file.startsWith(SRC) ? lazyRequires(replaceable) : replaceable, map };
  },
};
