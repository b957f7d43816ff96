// Makes a worker do for all of its test files together what jest does for each of them: compile
// modules. And ends with a file what jest leaves on: storages for asynchronous calls, all of which
// Node before 24 visits for each promise of the later files.
'use strict';

const hooks = require('node:async_hooks');
const { Script } = require('node:vm');
const { default: Runtime } = require('jest-runtime');

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

/** Private fields of jest: a release may rename them. */
function requireFields(fields) {
  const missing = Object.keys(fields).filter((name) => fields[name] === undefined);
  if (missing.length > 0) {
    throw new Error(
      `projenrc/jest-runtime.js: this release of jest lacks ${missing.join(', ')}. Fix: change the file, or delete the override jest.runtime in .projenrc.ts`,
    );
  }
}

module.exports = class extends Runtime {
  constructor(...given) {
    super(...given);
    const storages = [];
    this.storages = storages;
    class AsyncLocalStorage extends hooks.AsyncLocalStorage {
      constructor(...args) {
        super(...args);
        storages.push(this);
      }
    }
    const {
      executor,
      coreModule,
      _environment: environment,
      _testPath: testPath,
      _coverageOptions: { collectCoverage },
    } = this;
    requireFields({ executor, coreModule, environment, testPath });
    const requireCore = coreModule.require.bind(coreModule);
    coreModule.require = (name) =>
      /^(node:)?async_hooks$/.test(name) ? { ...hooks, AsyncLocalStorage } : requireCore(name);
    const compile = executor.compile.bind(executor);
    executor.compile = (code, filename) => {
      const context = environment.getVmContext();
      // a test is loaded once; coverage counts from the start of the file
      const isKept = context && filename !== testPath && !collectCoverage;
      return (
        (isKept
          ? scriptOf(code, filename, executor.injectedModuleParameters)
          : undefined
        )?.runInContext(context) ?? compile(code, filename)
      );
    };
  }

  teardown() {
    super.teardown();
    for (const storage of this.storages) {
      storage.disable();
    }
  }
};
