import type { DatabaseLimits } from '@sluice/store';

/**
 * For databases of tests: a busy machine with slow cores is no database that is away. Tests of one that is away leave the limits as
 * they are.
 */
export const patientLimits: DatabaseLimits = { connectMs: 60_000, statementMs: 60_000, idleMs: 60_000 };
