// The tests with running GitOps engines: `npx jest -c test/cluster/engines/jest.config.js`. ENGINES
// names the folders of tests to run, with commas.
'use strict';

const base = require('../jest.config');

/** What the tests of each folder need, by its name in build.js. */
const NEEDS = {
  flux: ['flux', 'secrets'],
  health: ['flux', 'lua'],
  argocd: ['argocd', 'kustomize', 'secrets'],
  fleet: ['fleet'],
  secrets: ['secrets', 'definitions'],
};

const engines = (process.env.ENGINES || 'flux,health,secrets').split(',');
const unknown = engines.filter((name) => !NEEDS[name]);
if (unknown.length > 0) {
  throw new Error(
    `ENGINES: got ${unknown.join(', ')}, expected some of ${Object.keys(NEEDS).join(', ')}`,
  );
}

module.exports = {
  ...base,
  testMatch: engines.map((name) => `<rootDir>/test/cluster/engines/${name}/**/*.test.ts`),
  testPathIgnorePatterns: [],
  globals: { builds: [...new Set(engines.flatMap((name) => NEEDS[name]))] },
  globalSetup: '<rootDir>/test/cluster/engines/global-setup.ts',
  testTimeout: 900_000,
  reporters: [
    'default',
    [
      'jest-junit',
      { outputDirectory: 'test-reports', outputName: 'engines.xml', reportTestSuiteErrors: 'true' },
    ],
  ],
};
