import type { FailureClass, SluiceError } from '@sluice/errors';
import type { OperationStatus, RecordProblem } from '@sluice/types';
import type { KeyEnding } from './idempotency-key';
import type { LaneKey } from './lanes';
import type { releasedCalls } from './order-queue';
import type { CallKey, OperationMode } from './write-rows';

/** The outcome of one record in this attempt. */
export type RecordSettlement =
  | {
      readonly index: number;
      readonly kind: 'succeeded';
      readonly providerId?: string;
      readonly warnings?: readonly string[];
      /** The record was looked up and found; no reply confirmed that this write made it. Two creates never adopt one. */
      readonly isAdopted?: true;
    }
  | { readonly index: number; readonly kind: 'failed' | 'unknown'; readonly error: RecordError }
  /** Unfinished. `maybe`: this attempt may have written it. */
  | {
      readonly index: number;
      readonly kind: 'again';
      readonly sendState: 'none' | 'maybe';
      readonly error?: RecordError;
      /** It was refused together with others, one of which may be the cause, and never sent before: this does not count as its try. */
      readonly isUntried?: true;
    };

export interface RecordError {
  readonly class: FailureClass | 'deadline' | 'cancelled' | 'quarantined';
  /** Shown to the caller; at most 2 KB, without secrets. */
  readonly text: string;
  /** Stored with a record that ends. Absent: the text is all. */
  readonly problems?: readonly RecordProblem[];
}

/** The provider's response to the call as a whole; stored with the attempt. */
export interface AttemptOutcome {
  readonly status?: number;
  readonly providerRequestId?: string;
  readonly error?: RecordError;
  readonly durationMs: number;
}

/**
 * The call ends, and its unfinished records continue in calls of their own: the provider refused it whole, wrote nothing, and one record
 * may be the cause.
 */
export interface Split {
  readonly state: 'split';
  /** Record indexes of each new call, in accept order; together every unfinished record. */
  readonly parts: readonly (readonly number[])[];
  /** They run at once, under this lease and fence 1, with no intent yet. Absent: they are ready to be claimed. */
  readonly lease?: { readonly owner: string; readonly leaseMs: number };
}

/** What the holder of a lease wants to record of its call. */
export interface Settlement extends CallKey, LaneKey {
  readonly fence: number;
  readonly isCreate: boolean;
  /** Nobody is notified that a synchronous write ended. Absent: not known. */
  readonly mode?: OperationMode;
  readonly objectName: string;
  /** Absent: nothing was sent. */
  readonly attempt?: AttemptOutcome;
  /** Every record of the attempt, by index. */
  readonly records: readonly RecordSettlement[];
  /** The next state of the call. `done` and `quarantined` only if no record is unfinished. */
  readonly next:
    | { readonly state: 'done' | 'quarantined' }
    | { readonly state: 'ready' | 'in_doubt'; readonly delayMs: number }
    | Split;
  /** Order keys of the records that end here. */
  readonly orderKeys: readonly string[];
  /**
   * The provider's late-commit window, in unscaled milliseconds: how long the next write of a record is held back after an
   * attempt that may still be applied. Absent for creates.
   */
  readonly barrierMs?: number;
  /** The key of a synchronous write: its reply, or its removal. */
  readonly idempotency?: KeyEnding;
}

/** An operation that ended with a settlement. */
export interface EndedOperation {
  readonly projectId: string;
  readonly operationId: string;
  readonly status: OperationStatus;
  readonly result: string;
  /** Records that failed, or are not known to be written. */
  readonly recordsFailed: number;
}

/** A call that waited behind a record and may go now. */
export type ReleasedCall = ReturnType<typeof releasedCalls.read>;

/** `isHeld` false: the fence was lost, and the settlement was stored as evidence. */
export interface Settled {
  readonly isHeld: boolean;
  readonly ended?: EndedOperation;
  /** The state of the call, if not the settlement's: what it would adopt belongs to another create, or its installation is gone. */
  readonly next?: Settlement['next'];
  /** The calls that a split opened, in the order of its parts. */
  readonly parts?: readonly CallKey[];
}

/** The result of one settlement, or why it failed while others were settled. */
export type SettlingAnswer = Settled | SluiceError;

/** The result of settlements that were offered together. */
export interface SettledTogether {
  /** By the id of the call. A call that the database refuses to settle is absent. */
  readonly answers: ReadonlyMap<string, SettlingAnswer>;
  /** Calls that waited behind the settled records and may go now, each once, with what an announcement of them needs. */
  readonly released: readonly ReleasedCall[];
}
