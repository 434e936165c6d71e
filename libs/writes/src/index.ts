export { blockingRefused, laneBlocked, LaneQuotas, readLaneWindows, takeLaneQuota } from './lane-quotas';
export { leaseMs, type Hold } from './leasing/lease-keeper';
export { createSearchPace, type SearchPace } from './pace-searches';
export {
  type CallToPerform,
  findCredentials,
  outOfQuota,
  type RefreshUsed,
  toSendables,
  type Sendable,
} from './performing/attempt';
export { decideSettlement, nextDelayMs, settleSynchronous, type DecisionInput } from './performing/decide-settlement';

export {
  createCallContext,
  noteOutcome,
  performAndLearn,
  settleAndReport,
  type CallContext,
  type Reporting,
  type StoredSettlement,
} from './performing/perform-and-settle';
export type { PerformedCall } from './performing/perform-call';
export type { LookupOutcome } from './performing/look-up-created';
export { reconcileCall, type ReconcileInput } from './performing/reconcile-call';
export { createAcceptMeters, type AcceptMeters } from './write-meters';
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
