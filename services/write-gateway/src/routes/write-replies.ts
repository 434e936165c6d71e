import { providerProblemCodes, type ProblemCode } from '@sluice/errors';
import { json, type Replies } from '@sluice/http';
import {
  acceptedWriteReplySchema,
  batchDryRunReplySchema,
  batchWriteReplySchema,
  dryRunReplySchema,
  refusedWriteReplySchema,
  singleWriteReplySchema,
} from '@sluice/types';

const headers = {
  'Sluice-Record-Index': { description: 'Index of the record in its operation; asynchronous single writes.' },
  'Sluice-Record-Ref': { description: 'What the request named the record.' },
  'Sluice-Warning': {
    description:
      'What to know besides: queued writes to the same record, mapped names that the customer chose no field for.',
  },
  'Idempotent-Replayed': { description: 'true: this is the reply of the first request with the same key.' },
};

/** What a write answers: the shape follows from mode, record or batch, and dryRun. */
export const writeReplies: Replies = {
  200: json(
    {
      description: 'Written, accepted or planned, as the request asked.',
      // What requires least comes last: generated clients take the first that fits.
      anyOf: [
        singleWriteReplySchema,
        batchWriteReplySchema,
        dryRunReplySchema,
        batchDryRunReplySchema,
        acceptedWriteReplySchema,
      ],
    },
    headers,
  ),
  422: json(
    {
      description: 'The provider refused the record, or every record of the batch.',
      anyOf: [refusedWriteReplySchema, batchWriteReplySchema],
    },
    headers,
  ),
};

export const writeProblems: readonly ProblemCode[] = [
  'request.idempotency-mismatch',
  'request.idempotency-in-flight',
  'group.not-found',
  'installation.not-found',
  'write.object-not-in-manifest',
  'write.delete-not-enabled',
  'write.capability-missing',
  'write.mode-required',
  'write.nothing-to-write',
  'write.record-busy',
  'write.backlog-full',
  ...providerProblemCodes,
];

/** Headers of the request that mean something to a write. */
export const writeRequestHeaders = {
  'Idempotency-Key': { type: 'string', description: 'A repeat with the same key and body gets the first reply again.' },
  'Sluice-Record-Ref': { type: 'string', description: "The caller's name for the record; shown in its outcome." },
} as const;
