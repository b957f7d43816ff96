// Load balancers with the real controllers: `npx jest -c test/live/balancers/jest.config.js`. README.md lists what they need.
'use strict';

const base = require('../machines/jest.config');

module.exports = {
  ...base,
  testMatch: ['<rootDir>/test/live/balancers/*.live.ts'],
  // a commit waits for controllers, and is applied twice
  testTimeout: 600_000,
};
