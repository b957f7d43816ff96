// The machines that Rancher's node driver makes: `npx jest -c test/live/machines/jest.config.js`. README.md lists what it needs.
'use strict';

const base = require('../../cluster/jest.config');

module.exports = {
  ...base,
  testMatch: ['<rootDir>/test/live/machines/*.live.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  globalSetup: undefined,
  globalTeardown: undefined,
  maxWorkers: 1,
  testTimeout: 120_000,
  reporters: ['default'],
};
