const { projects } = require('../../jest.config.js');

const blackbox = projects.find((project) => project.displayName === 'blackbox');

/** For `npm run test:cluster`. Never part of `npm test`: it needs a cluster. */
module.exports = {
  ...blackbox,
  displayName: undefined,
  globalSetup: undefined,
  globalTeardown: undefined,
  rootDir: '../..',
  testMatch: ['<rootDir>/tests/cluster/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  verbose: true,
};
