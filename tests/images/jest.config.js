const { projects } = require('../../jest.config.js');

const blackbox = projects.find((project) => project.displayName === 'blackbox');

/** For `npm run test:images`, on the stack of this checkout. Never part of `npm test`: it needs a container engine. */
module.exports = {
  ...blackbox,
  displayName: undefined,
  rootDir: '../..',
  testMatch: ['<rootDir>/tests/images/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  verbose: true,
};
