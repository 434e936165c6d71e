/**
 * Mutation tests of what decides a write: planning, and the rules of `libs/types`. Only unit tests judge, so that a run takes minutes.
 * Numbers are not Stryker's to move: see move-limits.mjs.
 */
export default {
  testRunner: 'jest',
  plugins: ['@stryker-mutator/jest-runner'],
  jest: { projectType: 'custom', configFile: 'tests/mutate/jest.config.js', enableFindRelatedTests: true },
  mutate: [
    'libs/writes/src/planning/*.ts',
    'libs/types/src/{*-rules,field-names,field-mappings,value-mappings,forwarded-headers}.ts',
    'libs/types/src/{cron-schedule,update-mask,connection-credentials,time,publish-manifest,body-issue,states}.ts',
    '!**/*.test.ts',
  ],
  coverageAnalysis: 'perTest',
  // A copy of the checkout is changed, never the checkout itself. Not below a folder that jest leaves out.
  tempDirName: '.stryker-tmp',
  ignorePatterns: ['.sluice', 'reports', 'coverage'],
  // There is none of this name: the one there is cannot be read by Stryker, which needs the JavaScript API of TypeScript.
  tsconfigFile: 'tsconfig.none.json',
  concurrency: 2,
  reporters: ['clear-text', 'json'],
  clearTextReporter: { allowColor: false, logTests: false },
  jsonReporter: { fileName: '.sluice/mutation.json' },
  // Source of the bound: issue "Every rule of writing and searching".
  thresholds: { high: 90, low: 80, break: 80 },
};
