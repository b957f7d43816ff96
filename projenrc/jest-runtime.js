// Makes a worker do for all of its test files together what jest does for each of them: read and
// compile modules. And ends with a file what jest leaves on: storages for asynchronous calls, all of
// which Node before 24 visits for each promise of the later files.
'use strict';

const hooks = require('node:async_hooks');
const { statSync } = require('node:fs');
const { Script } = require('node:vm');
const { default: Runtime } = require('jest-runtime');

/**
 * Tools of tests that take half a second to load, and have no state of a test: a worker loads them
 * once.
 */
const SHARED_TOOLS = ['typescript'];

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

/** Modules of jest itself by their file: it reads them again for each test file. */
const internals = new Map();

/** What the transform made of a file, with the time at which the file was written. */
const transformed = new Map();

/** Makes the cache of a test file answer with what earlier test files of the worker read. */
function shareTransforms(cache) {
  const transform = cache.transform.bind(cache);
  const readInternal = (filename, options) => {
    if (!internals.has(filename)) {
      internals.set(filename, transform(filename, options));
    }
    return internals.get(filename);
  };
  cache.transform = (filename, options) => {
    if (options?.isInternalModule) {
      return readInternal(filename, options);
    }
    // in watch mode, a file may change between two runs of one process
    const { mtimeMs } = statSync(filename);
    const known = transformed.get(filename);
    if (known?.mtimeMs !== mtimeMs) {
      const code = transform(filename, options);
      transformed.set(filename, { mtimeMs, result: cache.transforms.get(filename) });
      return code;
    }
    const { result } = known;
    cache.transforms.set(filename, result);
    if (result.sourceMapPath) {
      cache.sourceMaps.set(filename, result.sourceMapPath);
    }
    return result.code;
  };
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
    const { transformCache } = executor ?? {};
    const { transforms, sourceMaps } = transformCache ?? {};
    requireFields({
      executor,
      coreModule,
      environment,
      testPath,
      transformCache,
      transforms,
      sourceMaps,
    });
    if (!collectCoverage) {
      shareTransforms(transformCache);
    }
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

  requireModule(from, moduleName, ...options) {
    return SHARED_TOOLS.includes(moduleName)
      ? require(moduleName)
      : super.requireModule(from, moduleName, ...options);
  }

  teardown() {
    super.teardown();
    for (const storage of this.storages) {
      storage.disable();
    }
  }
};
