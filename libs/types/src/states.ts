/**
 * The states of an operation and of a call, and every transition that may happen to them, as data.
 * Source: specification "States and transitions"; the internal states are ours.
 */

/** What a caller sees. Source: specification, Operation. */
export type OperationStatus = 'in_progress' | 'success' | 'failure';

/**
 * `accumulating` collects records of an auto-batch; `queued` has its calls; the last two are final, but for one case: a create of
 * it that had adopted a record loses it to the create whose late reply named it.
 */
export type OperationState = 'accumulating' | 'queued' | 'succeeded' | 'failed';

/**
 * `ready` waits for its moment, `running` has a lease, `in_doubt` was sent and its outcome is not known,
 * `waiting` stands behind an earlier write to the same record, `done` and `quarantined` are final.
 */
export type CallState = 'ready' | 'running' | 'in_doubt' | 'waiting' | 'done' | 'quarantined';

/** `unknown` is final too: nobody can tell whether the provider wrote the record. */
export type RecordOutcome = 'pending' | 'succeeded' | 'failed' | 'unknown';

/** Whether bytes of a record have left: `maybe` means an attempt ended without a readable reply. */
export type SendState = 'none' | 'sent' | 'maybe';

/** Who moves it. A transition has one owner; a second service that wants it is a design error. */
export interface Transition<State> {
  readonly from: State | undefined;
  readonly to: State;
  readonly owner:
    | 'write-gateway'
    | 'batcher'
    | 'lease-holder'
    | 'management'
    | 'lapse-sweep'
    | 'order-sweep'
    | 'late-reply'
    | 'deletion'
    // `npm run restored`, while no service runs.
    | 'restored';
}

export const operationTransitions: readonly Transition<OperationState>[] = [
  { from: undefined, to: 'accumulating', owner: 'write-gateway' },
  { from: undefined, to: 'queued', owner: 'write-gateway' },
  // A replay opens an operation of records that the gateway has accepted before.
  { from: undefined, to: 'queued', owner: 'management' },
  { from: 'accumulating', to: 'queued', owner: 'batcher' },
  { from: 'queued', to: 'succeeded', owner: 'lease-holder' },
  { from: 'queued', to: 'failed', owner: 'lease-holder' },
  { from: 'accumulating', to: 'queued', owner: 'deletion' },
  { from: 'queued', to: 'succeeded', owner: 'deletion' },
  { from: 'queued', to: 'failed', owner: 'deletion' },
  { from: 'succeeded', to: 'queued', owner: 'late-reply' },
];

export const callTransitions: readonly Transition<CallState>[] = [
  { from: undefined, to: 'ready', owner: 'write-gateway' },
  { from: undefined, to: 'running', owner: 'write-gateway' },
  { from: undefined, to: 'ready', owner: 'management' },
  { from: 'ready', to: 'running', owner: 'lease-holder' },
  // To end it unsent, after a cancel.
  { from: 'waiting', to: 'running', owner: 'lease-holder' },
  { from: 'running', to: 'ready', owner: 'lease-holder' },
  { from: 'running', to: 'in_doubt', owner: 'lease-holder' },
  { from: 'running', to: 'waiting', owner: 'lease-holder' },
  { from: 'running', to: 'done', owner: 'lease-holder' },
  { from: 'waiting', to: 'ready', owner: 'lease-holder' },
  { from: 'in_doubt', to: 'running', owner: 'lease-holder' },
  { from: undefined, to: 'ready', owner: 'batcher' },
  { from: undefined, to: 'waiting', owner: 'lease-holder' },
  // A call that the provider refused whole goes on as two.
  { from: undefined, to: 'ready', owner: 'lease-holder' },
  { from: 'running', to: 'ready', owner: 'lapse-sweep' },
  { from: 'running', to: 'in_doubt', owner: 'lapse-sweep' },
  { from: 'running', to: 'quarantined', owner: 'lease-holder' },
  { from: 'waiting', to: 'ready', owner: 'order-sweep' },
  { from: 'ready', to: 'in_doubt', owner: 'late-reply' },
  { from: 'waiting', to: 'in_doubt', owner: 'late-reply' },
  { from: 'running', to: 'in_doubt', owner: 'late-reply' },
  { from: 'done', to: 'in_doubt', owner: 'late-reply' },
  { from: 'ready', to: 'done', owner: 'deletion' },
  { from: 'waiting', to: 'done', owner: 'deletion' },
  { from: 'ready', to: 'in_doubt', owner: 'restored' },
  { from: 'running', to: 'in_doubt', owner: 'restored' },
];

const statuses: Record<OperationState, OperationStatus> = {
  accumulating: 'in_progress',
  queued: 'in_progress',
  succeeded: 'success',
  failed: 'failure',
};

/** The public status of an internal state. */
export function statusOf(state: OperationState): OperationStatus {
  return statuses[state];
}
