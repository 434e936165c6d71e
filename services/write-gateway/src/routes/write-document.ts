import { providerProblemCodes, type ProblemCode } from '@sluice/errors';
import { json, type ApiInfo, type Replies } from '@sluice/http';
import {
  acceptedWriteReplySchema,
  batchDryRunReplySchema,
  batchWriteReplySchema,
  dryRunReplySchema,
  refusedWriteReplySchema,
  singleWriteReplySchema,
  type WriteRequest,
} from '@sluice/types';

/** What the write API is, for its document. */
export const writeApi: ApiInfo = {
  title: 'Sluice write API',
  description: [
    "Writes records into a customer's SaaS account: single or batch, synchronous or asynchronous, auto-batched. Paths are relative to the base URL, which ends in /v1.",
    'Every request carries the header x-api-key, or Authorization: Bearer. Errors are problem documents (RFC 9457, application/problem+json); a record that the provider refused is answered with 422 and application/json.',
    'An accepted asynchronous write is committed before the reply: follow its operation at the management API. Send Idempotency-Key to repeat a request whose reply was lost.',
  ].join('\n\n'),
  tags: [{ name: 'Writes', description: 'Creating, updating and deleting records.' }],
};

const headers = {
  'Sluice-Record-Index': { description: 'Index of the record in its operation; asynchronous single writes.' },
  'Sluice-Record-Ref': { description: "The request's own name of the record." },
  'Sluice-Warning': {
    description: 'Warnings: queued writes to the same record, mapped names for which the customer chose no field.',
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

type Requests = Readonly<Record<string, { readonly summary: string; readonly value: WriteRequest }>>;

const groupRef = 'demo-group';
const email = 'zoe@example.com';
const recordId = '171590321967';

/** Every way of writing, by name. */
export const writeExamples: Requests = {
  single: {
    summary: 'One record, now',
    value: { groupRef, type: 'create', record: { email, firstname: 'Zoë' } },
  },
  batch: {
    summary: 'A batch, now',
    value: {
      groupRef,
      type: 'create',
      batch: [{ record: { email: 'ann@example.com' } }, { record: { email: 'ann at example' } }],
    },
  },
  asynchronous: {
    summary: 'One record, later, retried for six hours',
    value: { groupRef, type: 'create', mode: 'asynchronous', retryPolicy: { deadlineHours: 6 }, record: { email } },
  },
  autoBatched: {
    summary: 'One record, later, with others in one call',
    value: {
      groupRef,
      type: 'create',
      mode: 'asynchronous',
      autoBatchPolicy: { maxDelayMinutes: 5 },
      record: { email },
    },
  },
  update: {
    summary: 'An update with an association',
    value: {
      groupRef,
      type: 'update',
      record: { id: recordId, firstname: 'Zoe' },
      associations: [
        { to: { id: '18734' }, types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 1 }] },
      ],
    },
  },
  delete: { summary: 'A delete', value: { groupRef, type: 'delete', record: { id: recordId } } },
};
