const { projects } = require('../../jest.config.js');

const alone = projects.find((project) => project.displayName === 'alone');

/** For `npm run test:images`, on the stack of this checkout. Never part of `npm test`: it needs a container engine. */
module.exports = {
  ...alone,
  displayName: undefined,
  rootDir: '../..',
  testMatch: ['<rootDir>/tests/images/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  verbose: true,
};
