import { choice, count, listOf, openObject, text } from './json-schema';
import type { FailureClass } from '@sluice/errors';
import { identifiedBySchema, type IdentifiedBy } from './identified-by';
import { recordProblemSchema, type RecordProblem } from './record-problem';
import { pageOf, recordOutcomes, type ListReply, type RecordOutcome } from './operation';

/** Outcome of one record of an operation. Our addition to the published API; see rulings. */
export interface OperationRecord {
  /** Index in the operation, from 0: `Sluice-Record-Index` of the accept. */
  readonly index: number;
  /** What the caller sent as `Sluice-Record-Ref`. */
  readonly ref?: string;
  readonly status: RecordOutcome;
  /** The provider's id. */
  readonly recordId?: string;
  /** Of a record with neither `ref` nor `recordId`. Absent: it has one, or what was accepted is no longer kept or has over 16 KB. */
  readonly identifiedBy?: IdentifiedBy;
  readonly error?: { readonly class: FailureClass | 'cancelled'; readonly message: string };
  /** Why it was not written, one for each field at fault; one of the text alone where the provider names no field. Absent: it has not failed. */
  readonly problems?: readonly RecordProblem[];
  readonly warnings?: readonly string[];
  /** The operation that a replay made of it. */
  readonly replayedBy?: string;
}

export type OperationRecordListReply = ListReply<OperationRecord>;

export const operationRecordListReplySchema = pageOf(
  'A page of outcomes, in accept order.',
  'The outcomes.',
  openObject('Outcome of one record.', ['index', 'status'], {
    index: count('Index in the operation.'),
    ref: text('What the caller sent as Sluice-Record-Ref.'),
    status: choice('unknown: it cannot be determined whether the provider wrote it.', recordOutcomes),
    recordId: text("The provider's id."),
    identifiedBy: identifiedBySchema,
    error: openObject('Why it failed.', ['class', 'message'], {
      class: text('Coarse class of the failure.'),
      message: text('In words.'),
    }),
    problems: listOf('Why it was not written, one for each field at fault.', recordProblemSchema),
    warnings: listOf('Warnings.', { type: 'string' }),
    replayedBy: text('The operation of its replay.'),
  }),
);
