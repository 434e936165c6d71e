import { count, flag, listOf, momentText, openObject, text } from './json-schema';
import { recordProblemSchema, type RecordProblem } from './record-problem';
import type { FieldDecision } from './write-plan';
import type { JsonValue, Association } from './write-request';

/** Outcome of one record in a synchronous reply. `errors` is in batches only. */
export interface WriteResult {
  readonly success: boolean;
  /** The provider's id; absent when the record was not written. */
  readonly recordId?: string;
  /** The provider's body, or what was written plus `id` where the provider returns none; `id` alone where no call was needed. */
  readonly data?: Readonly<Record<string, JsonValue>>;
  readonly errors?: readonly WriteErrorMessage[];
  /** Why it was not written, one for each field at fault. Absent: it was written. */
  readonly problems?: readonly RecordProblem[];
  /** What was not done besides the record, such as an association; absent when there is nothing to report. */
  readonly warnings?: readonly WriteErrorMessage[];
}

export interface WriteErrorMessage {
  readonly message: string;
}

/** 200 of an asynchronous or auto-batched write: it is committed. Source: specification, Write records, Responses. */
export interface AcceptedWriteReply {
  /** Of an auto-batched write: the master operation of its batch. */
  readonly operationId: string;
  /** Of an auto-batched write: when its batch leaves at the latest; that of the accept where this record filled it. Ours. Absent: it is not auto-batched. */
  readonly dueTime?: string;
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
  readonly problems: readonly RecordProblem[];
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

const operationId = text('Id of the operation.');

const errors = listOf('What went wrong, in words.', {
  type: 'object',
  required: ['message'],
  properties: { message: text('One sentence.') },
});

const problems = listOf('Why it was not written, one for each field at fault.', recordProblemSchema);

const result = openObject('Outcome of one record.', ['success'], {
  success: flag('Whether the provider wrote the record.'),
  recordId: text("The provider's id of the record.", '171590321967'),
  data: {
    type: 'object',
    description: 'The record as the provider returned it, else its written fields.',
    examples: [{ id: '171590321967', properties: { email: 'zoe@example.com' } }],
  },
  errors,
  problems,
  warnings: { ...errors, description: 'Parts of the write that failed beside the record, such as an association.' },
});

export const acceptedWriteReplySchema = openObject('The write is accepted and will be performed.', ['operationId'], {
  operationId,
  dueTime: momentText('Of an auto-batched write: when its batch leaves at the latest.'),
});

export const singleWriteReplySchema = openObject('The record was written.', ['operationId', 'result'], {
  operationId,
  result,
});

export const refusedWriteReplySchema = openObject(
  'The provider refused the record.',
  ['operationId', 'errors', 'problems', 'result'],
  {
    operationId,
    errors,
    problems,
    result: { ...result, examples: [{ success: false }] },
    rawResponse: text("The provider's body as text, shortened."),
  },
);

export const batchWriteReplySchema = openObject(
  'Outcomes of a batch, in request order.',
  ['operationId', 'successCount', 'failureCount', 'results'],
  {
    operationId,
    successCount: count('Records that were written.'),
    failureCount: count('Records that were not.'),
    results: listOf('One per record, in request order.', result),
    errors,
  },
);

export const dryRunReplySchema = openObject('What a write would send, per field. Nothing was written.', ['plan'], {
  plan: listOf('One decision per field.', {
    type: 'object',
    required: ['field', 'value', 'reason', 'sent'],
    properties: {
      field: text('Name as the request or the setting spells it.', 'email'),
      providerField: text(
        "The provider's name of the field; absent when the user chose no field for this mapped name.",
        'email',
      ),
      value: { description: 'The value that would be sent.', examples: ['zoe@example.com'] },
      reason: text('Why the field is sent or not.', 'sent in the request'),
      sent: flag('Whether it would be sent.'),
    },
  }),
  associations: listOf('The links that would be made, as the request has them; absent without any.', {
    type: 'object',
    description: 'A link to another record.',
  }),
});

export const batchDryRunReplySchema = openObject('What a batch would send. Nothing was written.', ['plans'], {
  plans: listOf('One per record, in request order.', dryRunReplySchema),
});
