const { projects } = require('../../jest.config.js');

const unit = projects.find(({ displayName }) => displayName === 'unit');

/** The unit tests of the mutated folders, in Stryker's environment, which knows which test covers which line. */
module.exports = {
  ...unit,
  rootDir: '../..',
  roots: ['<rootDir>/libs/types/src', '<rootDir>/libs/writes/src'],
  testEnvironment: '@stryker-mutator/jest-runner/jest-env/node',
};
