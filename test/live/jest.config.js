// The scenarios on a running Rancher and a running Harvester: `npx projen test:live`. README.md lists what they need.
'use strict';

const base = require('../cluster/jest.config');

module.exports = {
  ...base,
  // named apart, so that `npm test` runs the tests of the runner (*.test.ts), and never a scenario
  testMatch: [
    '<rootDir>/test/live/scenarios/*.live.ts',
    // those that change what a server has once, such as a provider of logins
    ...(process.env.LIVE_OWN ? ['<rootDir>/test/live/scenarios/own/*.live.ts'] : []),
    // the products whose validators judge the rules
    ...(process.env.LIVE_JUDGE ? ['<rootDir>/test/live/judge/*.live.ts'] : []),
    // a folder to write recordings to
    ...(process.env.LIVE_RECORD ? ['<rootDir>/test/live/record/*.live.ts'] : []),
  ],
  testPathIgnorePatterns: ['/node_modules/'],
  globalSetup: '<rootDir>/test/live/global-setup.ts',
  globalTeardown: undefined,
  // the scenarios share the servers
  maxWorkers: 1,
  testTimeout: 900_000,
  reporters: [
    'default',
    [
      'jest-junit',
      { outputDirectory: 'test-reports', outputName: 'live.xml', reportTestSuiteErrors: 'true' },
    ],
  ],
};
