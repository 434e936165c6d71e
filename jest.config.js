const { alone } = require('./tests/tiers');

/**
 * Dependencies without a CommonJS build, and what they import that has none. Node requires them; jest does so only with VM modules, which
 * make unit tests a quarter slower (51.9 -> 68.4 s on two cores), so they are compiled like our own code.
 */
const esModules = ['jose', 'oauth4webapi', 'openid-client'];

/** Levels of docs/contributing/conventions.md, section 7: unit touches nothing, integration touches real services, blackbox drives processes. */
const base = {
  testEnvironment: 'node',
  transform: { '^.+\\.(ts|js)$': ['@swc/jest', { jsc: { target: 'es2023' }, module: { type: 'commonjs' } }] },
  transformIgnorePatterns: [`/node_modules/\\.pnpm/(?!(?:${esModules.join('|')})@)`, '^(?!.*/node_modules/).*\\.js$'],
  moduleFileExtensions: ['ts', 'js', 'mjs', 'json'],
  modulePathIgnorePatterns: ['/.sluice/'],
  setupFilesAfterEnv: ['<rootDir>/tests/setup/time-limit.js'],
};
const roots = ['<rootDir>/libs', '<rootDir>/services', '<rootDir>/deploy'];
const ignored = ['/node_modules/', '/dist/'];
const patternOf = (part) => `<rootDir>/${part.replaceAll('.', '\\.')}`;
const withServices = {
  globalSetup: '<rootDir>/tests/setup/start-services.ts',
  globalTeardown: '<rootDir>/tests/setup/stop-services.ts',
};
const withSharedStacks = {
  globalSetup: '<rootDir>/tests/setup/start-shared-stacks.ts',
  globalTeardown: '<rootDir>/tests/setup/stop-shared-stacks.ts',
};

const blackbox = {
  ...base,
  setupFilesAfterEnv: ['<rootDir>/tests/setup/black-box-timeout.js'],
  roots: ['<rootDir>/tests'],
};
const notBlackbox = [...ignored, '<rootDir>/tests/(architecture|load/src|crash/src|images|cluster)/'];

module.exports = {
  reporters: ['default', '<rootDir>/tests/setup/run-report.js'],
  testSequencer: '<rootDir>/tests/setup/seeded-order.js',
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
      roots: [...roots, '<rootDir>/tests/load', '<rootDir>/tests/crash'],
      testMatch: ['**/src/**/*.test.ts'],
      testPathIgnorePatterns: [...ignored, '\\.int\\.test\\.ts$'],
    },
    {
      ...base,
      ...withServices,
      displayName: 'integration',
      roots,
      testMatch: ['**/src/**/*.int.test.ts', '**/test/**/*.test.ts'],
      testPathIgnorePatterns: ignored,
    },
    {
      ...blackbox,
      ...withSharedStacks,
      displayName: 'blackbox',
      testMatch: ['<rootDir>/tests/*/**/*.test.ts'],
      testPathIgnorePatterns: [...notBlackbox, ...alone.map(patternOf)],
    },
    {
      ...blackbox,
      ...withServices,
      displayName: 'alone',
      testMatch: alone.map((part) => `<rootDir>/${part}${part.endsWith('/') ? '**/*.test.ts' : ''}`),
      testPathIgnorePatterns: notBlackbox,
    },
  ],
};
