export { CallSizes } from './call-sizes';
export { coalesce, groupCommit, sharedRead, sharedStatement } from '@sluice/store';
export {
  blockingRefused,
  createLaneQuotas,
  laneBlocked,
  readLaneWindows,
  takeLaneQuota,
  type LaneQuotas,
} from './lane-quotas';
export { createLeaseKeeper, leaseMs, type Hold, type LeaseKeeper } from './leasing/lease-keeper';
export { createSearchPace, type SearchPace } from './pace-searches';
export { type CallToPerform, outOfQuota, type RefreshUsed, toSendables, type Sendable } from './performing/attempt';
export { decideSettlement, nextDelayMs, settleSynchronous, type DecisionInput } from './performing/decide-settlement';

export {
  noteOutcome,
  performAndLearn,
  settleAndReport,
  sharingSettlements,
  type Reporting,
  type SharedSettle,
  type StoredSettlement,
} from './performing/perform-and-settle';
export type { PerformedCall } from './performing/perform-call';
export type { LookupOutcome } from './performing/look-up-created';
export { reconcileCall, type ReconcileInput } from './performing/reconcile-call';
export { createAcceptMeters, createWriteMeters, type AcceptMeters, type WriteMeters } from './write-meters';
export { writeRulesOf, type WriteRules } from './planning/write-rules';
export { headersKeyOf, orderKeyOf, planCalls } from './planning/plan-calls';
export {
  batchLimit,
  checkCapabilities,
  checkIfEmpty,
  checkModule,
  planRecord,
  type PlannableRecord,
  type PlannedWrite,
} from './planning/plan-write';
