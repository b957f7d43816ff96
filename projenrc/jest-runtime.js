// Compiles a module once for all test files of a worker: jest itself compiles all modules again for
// each of them, which is half of the time of the unit tests. Jest has no option for it, so this
// class replaces one private function of jest, `compile` of its executor. It throws where a release
// of jest lacks that function or no longer calls it. Without this file, tests take longer and have
// the same results.
'use strict';

const hooks = require('node:async_hooks');
const { Script } = require('node:vm');
const { default: Runtime } = require('jest-runtime');

/**
 * Tools of tests that take half a second to load, and have no state of a test: a worker loads them
 * once.
 */
const SHARED_TOOLS = ['typescript'];

/** The compiled modules by file. */
const scripts = new Map();

/**
 * The code as a function of the parameters, which each test file gets with its own globals;
 * undefined where jest is to compile it.
 */
function scriptOf(code, filename, parameters) {
  const known = scripts.get(filename);
  if (known?.code === code) {
    return known.script;
  }
  const head = `(function (${parameters.join(',')}) {`;
  let script;
  try {
    // import() is answered per file
    if (!/\bimport\s*\(/.test(code)) {
      script = new Script(`${head}${code}\n})`, { filename, columnOffset: -head.length });
    }
  } catch {
    // jest explains errors of syntax
  }
  scripts.set(filename, { code, script });
  return script;
}

/** Stops the tests where a release of jest compiles modules in another way. */
function failForJest(what) {
  throw new Error(
    `projenrc/jest-runtime.js: this release of jest ${what}. Fix: change the file, or delete the override jest.runtime in .projenrc.ts`,
  );
}

module.exports = class extends Runtime {
  /** What the test file left on: Node before 24 visits each of them for every later promise. */
  storages = [];
  hasCompiled = false;

  constructor(...given) {
    super(...given);
    const [, environment, , , , { collectCoverage }, testPath] = given;
    const { executor } = this;
    if (!executor?.compile || !executor.injectedModuleParameters) {
      failForJest('lacks executor.compile or executor.injectedModuleParameters');
    }
    const compile = executor.compile.bind(executor);
    executor.compile = (code, filename) => {
      this.hasCompiled = true;
      const context = environment.getVmContext();
      // a test is loaded once; coverage counts from the start of the file
      const isKept = context && filename !== testPath && !collectCoverage;
      const script = isKept
        ? scriptOf(code, filename, executor.injectedModuleParameters)
        : undefined;
      return script ? script.runInContext(context) : compile(code, filename);
    };
  }

  requireModule(from, moduleName, ...options) {
    return SHARED_TOOLS.includes(moduleName)
      ? require(moduleName)
      : super.requireModule(from, moduleName, ...options);
  }

  /** Modules of jest itself, which makes a storage for asynchronous calls in each test file. */
  requireInternalModule(from, moduleName) {
    if (moduleName !== 'node:async_hooks') {
      return super.requireInternalModule(from, moduleName);
    }
    const { storages } = this;
    class AsyncLocalStorage extends hooks.AsyncLocalStorage {
      constructor(...args) {
        super(...args);
        storages.push(this);
      }
    }
    return { ...hooks, AsyncLocalStorage };
  }

  teardown() {
    super.teardown();
    for (const storage of this.storages) {
      storage.disable();
    }
    if (!this.hasCompiled) {
      failForJest('does not call executor.compile');
    }
  }
};
