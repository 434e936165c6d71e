const { projects } = require('../../jest.config.js');

const alone = projects.find((project) => project.displayName === 'alone');

/** The fault tests alone, for `npm run test:faults`: they bring their own Postgres, Redis and Kafka. */
module.exports = {
  ...alone,
  displayName: undefined,
  globalSetup: undefined,
  globalTeardown: undefined,
  rootDir: '../..',
  testMatch: ['<rootDir>/tests/faults/*.test.ts'],
};
