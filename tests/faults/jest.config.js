const { projects } = require('../../jest.config.js');

const blackbox = projects.find((project) => project.displayName === 'blackbox');

/** The fault tests alone, for `npm run test:faults`: they bring their own Postgres, Redis and Kafka. */
module.exports = {
  ...blackbox,
  displayName: undefined,
  globalSetup: undefined,
  globalTeardown: undefined,
  rootDir: '../..',
  testMatch: ['<rootDir>/tests/faults/*.test.ts'],
};
