// The tests against real API servers: `npx jest -c test/cluster/jest.config.js`.
'use strict';

const path = require('node:path');

module.exports = {
  rootDir: path.resolve(__dirname, '..', '..'),
  testMatch: ['<rootDir>/test/cluster/**/*.test.ts'],
  // these need the engines, too
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/cluster/engines/'],
  setupFiles: ['<rootDir>/src/registry/register.ts'],
  moduleNameMapper: {
    '^cdk8s-harvester$': '<rootDir>/src/index.ts',
    '^cdk8s-harvester/(\\w+)$': '<rootDir>/src/$1.ts',
  },
  // as the unit tests do
  transform: { '^.+\\.ts$': '<rootDir>/projenrc/jest-transform.js' },
  runtime: '<rootDir>/projenrc/jest-runtime.js',
  globalSetup: '<rootDir>/test/cluster/global-setup.ts',
  globalTeardown: '<rootDir>/test/cluster/global-teardown.ts',
  // a test that hangs ends; none fails because the machine is slow or has other work
  testTimeout: 600_000,
  maxWorkers: 2,
  reporters: [
    'default',
    [
      'jest-junit',
      { outputDirectory: 'test-reports', outputName: 'cluster.xml', reportTestSuiteErrors: 'true' },
    ],
  ],
};
