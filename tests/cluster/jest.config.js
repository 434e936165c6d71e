const { projects } = require('../../jest.config.js');

const alone = projects.find((project) => project.displayName === 'alone');

/** For `npm run test:cluster`. Never part of `npm test`: it needs a cluster. */
module.exports = {
  ...alone,
  displayName: undefined,
  globalSetup: undefined,
  globalTeardown: undefined,
  rootDir: '../..',
  testMatch: ['<rootDir>/tests/cluster/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  verbose: true,
};
