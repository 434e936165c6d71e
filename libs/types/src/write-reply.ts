import type { FieldDecision } from './write-plan';
import type { JsonValue, Association } from './write-request';

/** Outcome of one record in a synchronous reply. `errors` stands in batches only. */
export interface WriteResult {
  readonly success: boolean;
  /** The provider's id; absent when the record was not written. */
  readonly recordId?: string;
  /** The provider's body, or what was written plus `id` where the provider returns none; `id` alone where no call was needed. */
  readonly data?: Readonly<Record<string, JsonValue>>;
  readonly errors?: readonly WriteErrorMessage[];
  /** What was not done besides the record, such as an association; absent when nothing is to be told. */
  readonly warnings?: readonly WriteErrorMessage[];
}

export interface WriteErrorMessage {
  readonly message: string;
}

/** 200 of an asynchronous or auto-batched write: it is committed. Source: specification, Write records, Responses. */
export interface AcceptedWriteReply {
  /** Of an auto-batched write: the master operation of its batch. */
  readonly operationId: string;
}

/** 200 of a synchronous single write. Specification: body not shown; the published API's shape. */
export interface SingleWriteReply {
  readonly operationId: string;
  readonly result: WriteResult;
}

/** 422 of a synchronous single write that the provider refused; `application/json`. */
export interface RefusedWriteReply {
  readonly operationId: string;
  readonly errors: readonly WriteErrorMessage[];
  readonly result: { readonly success: false };
  /** The provider's body as text, shortened. */
  readonly rawResponse?: string;
}

/** Synchronous batch: 200 when at least one record was written, else 422. `results` in request order. */
export interface BatchWriteReply {
  readonly operationId: string;
  readonly successCount: number;
  readonly failureCount: number;
  readonly results: readonly WriteResult[];
  readonly errors?: readonly WriteErrorMessage[];
}

/** 200 of `?dryRun=true` for one record: nothing is written. */
export interface DryRunReply {
  /** A decision per field: those of the request, then the defaults. Empty for a delete. */
  readonly plan: readonly FieldDecision[];
  /** The links that go with the record, as the request has them; absent without any. Their types and targets are the provider's to check. */
  readonly associations?: readonly Association[];
}

/** 200 of `?dryRun=true` for a batch: what each record alone would get, in request order. */
export interface BatchDryRunReply {
  readonly plans: readonly DryRunReply[];
}
