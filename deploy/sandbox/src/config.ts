import { commonEnv, defineEnv, portEnv } from '@sluice/config';

/** Settings of a sandbox that runs alone. */
export const sandboxEnv = defineEnv({
  ...commonEnv,
  ...portEnv(4600),
  SLUICE_SANDBOX_LEDGER: {
    type: 'string',
    optional: true,
    doc: 'File that keeps accounts, records and ledger over restarts; without it they are gone with the process.',
  },
  SLUICE_SANDBOX_SEARCH_LAG_MS: {
    type: 'integer',
    min: 0,
    max: 3_600_000,
    default: 0,
    doc: 'How long search takes to see a write, for accounts that ask for nothing else.',
  },
});
