/** Levels of conventions section 7: unit touches nothing, integration touches real services, blackbox drives processes. */
const base = {
  testEnvironment: 'node',
  transform: { '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2023' }, module: { type: 'commonjs' } }] },
  moduleFileExtensions: ['ts', 'js', 'mjs', 'json'],
  modulePathIgnorePatterns: ['/.sluice/'],
  setupFilesAfterEnv: ['<rootDir>/tests/setup/time-limit.js'],
};
const roots = ['<rootDir>/libs', '<rootDir>/services', '<rootDir>/deploy'];
const ignored = ['/node_modules/', '/dist/'];
const withStack = {
  globalSetup: '<rootDir>/tests/setup/start-stack.mjs',
  globalTeardown: '<rootDir>/tests/setup/stop-stack.mjs',
};

module.exports = {
  reporters: ['default', '<rootDir>/tests/setup/passed-rules.js', '<rootDir>/tests/setup/closing-line.js'],
  projects: [
    {
      ...base,
      displayName: 'architecture',
      roots: ['<rootDir>/tests'],
      testMatch: ['<rootDir>/tests/*.test.ts'],
    },
    {
      ...base,
      displayName: 'unit',
      roots: [...roots, '<rootDir>/tests/setup', '<rootDir>/tests/load', '<rootDir>/tests/crash'],
      testMatch: ['**/src/**/*.test.ts', '<rootDir>/tests/setup/*.test.ts'],
      testPathIgnorePatterns: [...ignored, '\\.int\\.test\\.ts$'],
    },
    {
      ...base,
      ...withStack,
      displayName: 'integration',
      roots,
      testMatch: ['**/src/**/*.int.test.ts', '**/test/**/*.test.ts'],
      testPathIgnorePatterns: ignored,
    },
    {
      ...base,
      ...withStack,
      displayName: 'blackbox',
      setupFilesAfterEnv: ['<rootDir>/tests/setup/black-box-timeout.js'],
      roots: ['<rootDir>/tests'],
      testMatch: ['<rootDir>/tests/*/**/*.test.ts'],
      testPathIgnorePatterns: [...ignored, '<rootDir>/tests/(architecture|setup|load/src|crash/src|images|cluster)/'],
    },
  ],
};
