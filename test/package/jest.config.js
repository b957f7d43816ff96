// The tests of the packed package: `npx projen test:package`. They need the compiled package, and
// the npm registry for runtimes and peers.
'use strict';

const path = require('node:path');

module.exports = {
  rootDir: path.resolve(__dirname, '..', '..'),
  testMatch: ['<rootDir>/test/package/**/*.test.ts'],
  // as the unit tests do
  transform: { '^.+\\.ts$': '<rootDir>/projenrc/jest-transform.js' },
  globalSetup: '<rootDir>/test/package/global-setup.ts',
  // a run of the compiler or of a program, on a busy machine
  testTimeout: 1_800_000,
  maxWorkers: 2,
  reporters: [
    'default',
    [
      'jest-junit',
      { outputDirectory: 'test-reports', outputName: 'package.xml', reportTestSuiteErrors: 'true' },
    ],
  ],
};
