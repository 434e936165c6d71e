import type { FailureClass } from '@sluice/errors';
import { paginationSchema, recordOutcomes, type Pagination, type RecordOutcome } from './operation';

/** Outcome of one record of an operation. Ours, besides the published API; see rulings. */
export interface OperationRecord {
  /** Place in the operation, from 0: `Sluice-Record-Index` of the accept. */
  readonly index: number;
  /** What the caller sent as `Sluice-Record-Ref`. */
  readonly ref?: string;
  readonly status: RecordOutcome;
  /** The provider's id. */
  readonly recordId?: string;
  readonly error?: { readonly class: FailureClass | 'cancelled'; readonly message: string };
  readonly warnings?: readonly string[];
  /** The operation that a replay made of it. */
  readonly replayedBy?: string;
}

export interface OperationRecordListReply {
  readonly results: readonly OperationRecord[];
  readonly pagination: Pagination;
}

/** Schema of a page of outcomes. */
export const operationRecordListReplySchema = {
  type: 'object',
  description: 'A page of outcomes, in accept order.',
  required: ['results', 'pagination'],
  properties: {
    results: {
      type: 'array',
      description: 'The outcomes.',
      items: {
        type: 'object',
        description: 'Outcome of one record.',
        required: ['index', 'status'],
        properties: {
          index: { type: 'integer', minimum: 0, description: 'Place in the operation.' },
          ref: { type: 'string', description: 'What the caller sent as Sluice-Record-Ref.' },
          status: {
            type: 'string',
            enum: recordOutcomes,
            description: 'unknown: nobody can tell whether the provider wrote it.',
          },
          recordId: { type: 'string', description: "The provider's id." },
          error: {
            type: 'object',
            description: 'Why it failed.',
            required: ['class', 'message'],
            properties: {
              class: { type: 'string', description: 'Coarse class of the failure.' },
              message: { type: 'string', description: 'In words.' },
            },
          },
          warnings: { type: 'array', description: 'What to know besides.', items: { type: 'string' } },
          replayedBy: { type: 'string', description: 'The operation that a replay made of it.' },
        },
      },
    },
    pagination: paginationSchema,
  },
} as const;
