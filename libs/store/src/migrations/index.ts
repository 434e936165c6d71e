import type { Migration } from '../migration';
import { adoptedAmongKeepsItsPlan } from './20261128T030000-adopted-among-keeps-its-plan';
import { createMinutes } from './20261126T140000-create-minutes';
import { indexCallsInDoubt } from './20261127T060000-index-calls-in-doubt';
import { indexWhatWaits } from './20261126T180000-index-what-waits';
import { intentsOfCalls } from './20261126T150000-contract-intents-of-calls';
import { membersOfCalls } from './20261126T000000-contract-members-of-calls';
import { openBatches } from './20261125T200000-contract-open-batches';
import { orderQueue } from './20261127T100000-contract-order-queue';
import { outcomes } from './20261126T120000-contract-outcomes';
import { schemaOf010 } from './20261124T000000-schema-of-0.1.0';
import { sentRecordsOfAttempts } from './20261126T003000-sent-records-of-attempts';

/** The schema's history since version 0.1.0, oldest first. */
export const migrations: readonly Migration[] = [
  schemaOf010,
  openBatches,
  membersOfCalls,
  sentRecordsOfAttempts,
  outcomes,
  createMinutes,
  intentsOfCalls,
  indexWhatWaits,
  indexCallsInDoubt,
  orderQueue,
  adoptedAmongKeepsItsPlan,
];
