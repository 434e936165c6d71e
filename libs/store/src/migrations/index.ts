import type { Migration } from '../migration';
import { addTokenRefreshTime } from './20261121T140000-add-token-refresh-time';
import { createIdempotencyAndQuarantine } from './20261120T100300-create-idempotency-and-quarantine';
import { createIntegrationsAndInstallations } from './20261120T100100-create-integrations-and-installations';
import { createMinutes } from './20261126T140000-create-minutes';
import { intentsOfCalls } from './20261126T150000-contract-intents-of-calls';
import { createOAuthStates } from './20261121T153000-create-oauth-states';
import { createOperations } from './20261120T100200-create-operations';
import { createProjectDeletions } from './20261122T190000-create-project-deletions';
import { createProjectsAndKeys } from './20261120T100000-create-projects-and-keys';
import { indexCallsForFlatClaims } from './20261121T180000-index-calls-for-flat-claims';
import { vacuumHotTablesEarly } from './20261121T181000-vacuum-hot-tables-early';
import { createWebhooks } from './20261122T090000-create-webhooks';
import { indexMessagesByState } from './20261122T150000-index-messages-by-state';
import { addEndpointHold } from './20261122T151000-add-endpoint-hold';
import { indexFailingEndpoints } from './20261122T152000-index-failing-endpoints';
import { createUploads } from './20261122T163000-create-uploads';
import { addEndpointServed } from './20261122T193000-add-endpoint-served';
import { createDeletedInstallations } from './20261122T193100-create-deleted-installations';
import { countCrashesOfLooks } from './20261123T022000-count-crashes-of-looks';
import { sizeOpenBatches } from './20261123T090100-size-open-batches';
import { freeNamesOfKeys } from './20261124T000000-free-names-of-keys';
import { sizeWaitingCalls } from './20261123T090000-size-waiting-calls';
import { leaveRoomForUpdates } from './20261122T221500-leave-room-for-updates';
import { addZipHash } from './20261122T220000-add-zip-hash';
import { indexCancelledAndFailedOperations } from './20261121T154000-index-cancelled-and-failed-operations';
import { indexKeptPlans } from './20261121T155000-index-kept-plans';
import { indexWhatWaits } from './20261126T180000-index-what-waits';
import { indexCallsInDoubt } from './20261127T060000-index-calls-in-doubt';
import { openBatches } from './20261125T200000-contract-open-batches';
import { membersOfCalls } from './20261126T000000-contract-members-of-calls';
import { sentRecordsOfAttempts } from './20261126T003000-sent-records-of-attempts';
import { orderQueue } from './20261127T100000-contract-order-queue';
import { outcomes } from './20261126T120000-contract-outcomes';
import { indexJwtKeys } from './20261121T152000-index-jwt-keys';

/** The schema's whole history, oldest first. */
export const migrations: readonly Migration[] = [
  createProjectsAndKeys,
  createIntegrationsAndInstallations,
  createOperations,
  createIdempotencyAndQuarantine,
  addTokenRefreshTime,
  indexJwtKeys,
  createOAuthStates,
  indexCancelledAndFailedOperations,
  indexKeptPlans,
  indexCallsForFlatClaims,
  vacuumHotTablesEarly,
  createWebhooks,
  indexMessagesByState,
  addEndpointHold,
  indexFailingEndpoints,
  createUploads,
  createProjectDeletions,
  addEndpointServed,
  createDeletedInstallations,
  addZipHash,
  leaveRoomForUpdates,
  countCrashesOfLooks,
  sizeWaitingCalls,
  sizeOpenBatches,
  freeNamesOfKeys,
  openBatches,
  membersOfCalls,
  sentRecordsOfAttempts,
  outcomes,
  createMinutes,
  intentsOfCalls,
  indexWhatWaits,
  indexCallsInDoubt,
  orderQueue,
];
