import { adminEnv, defineEnv, postgresEnv, type EnvValues } from '@sluice/config';

const fields = {
  ...postgresEnv,
  SLUICE_ADMIN_KEY: adminEnv.SLUICE_ADMIN_KEY,
  MANAGEMENT_URL: { type: 'url', doc: 'The management service, without /v1.' },
  SEARCH_URL: { type: 'url', doc: 'The search service, without /v1.' },
  WRITE_GATEWAY_URL: { type: 'url', doc: 'The write gateway, without /v1.' },
  SANDBOX_URL: { type: 'url', doc: 'The sandbox that the services take for HubSpot and Salesforce.' },
  CRASH_TEST_WRITES: { type: 'integer', min: 10, max: 1_000_000, default: 2_000, doc: 'Records that are written.' },
  CRASH_TEST_PER_SECOND: { type: 'integer', min: 1, max: 1_000, default: 50, doc: 'Requests begun in a second.' },
  CRASH_TEST_DELETIONS: {
    type: 'integer',
    min: 0,
    max: 1_000,
    default: 10,
    doc: 'Pods that are deleted meanwhile. With 0 no request may fail.',
  },
  CRASH_TEST_RELEASE: { type: 'string', optional: true, doc: 'Release whose pods are deleted.' },
  CRASH_TEST_SEED: {
    type: 'integer',
    min: 0,
    default: 7,
    doc: 'Decides what is written, and when which service loses a pod.',
  },
  // Past a batch's minute, a dead owner's lease and the provider's window for late commits, with a restart of everything between.
  CRASH_TEST_BOUND_SECONDS: {
    type: 'integer',
    min: 60,
    default: 300,
    doc: 'Longest time for what is unfinished when the load ends.',
  },
} as const;

/** The settings that the pod gives to the crash test. */
export const crashTestEnv = defineEnv(fields);

export type CrashTestSettings = EnvValues<typeof fields>;
