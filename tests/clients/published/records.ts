import type { JsonSchema } from '@sluice/types';
import { anything, count, flag, listOf, moment, oneOf, shape, text } from './shape';

/** The published bodies of writes, searches and problems, from the API reference, sections G and H. */

/** No member besides these: the older clients refuse one. */
const writeResult = shape({ success: flag }, { recordId: text, data: anything });
const messages = listOf(shape({}, { message: text }));
/** Ours, of records that were not written: a client that is older reads no more of these than their message. */
const problems = listOf(shape({ message: text }, { field: text, providerField: text, code: text, value: {} }));

export const singleWrite = shape({ operationId: text }, { result: writeResult });
export const refusedWrite = shape(
  { operationId: text, errors: messages },
  { rawResponse: text, result: writeResult, warnings: messages },
  { problems },
);
export const batchWrite = shape(
  { operationId: text, successCount: count, failureCount: count },
  // A failed record says why: ours, because nothing else of the published shape can.
  {
    results: listOf(shape({ success: flag }, { recordId: text, data: anything }, { errors: messages, problems })),
    errors: messages,
  },
);
/** Ours, of an auto-batched write: when its batch leaves at the latest. */
export const acceptedWrite = shape({ operationId: text }, {}, { dueTime: moment });
/** The specification's key and id, which rule over the published `result` without one. */
export const searchReply = shape({
  results: listOf(shape({ id: text, fields: anything, mappedFields: anything, raw: anything })),
});

const problemMembers: Readonly<Record<string, JsonSchema>> = {
  // Published as `uri`; RFC 9457 takes a reference, and so do the clients: ours stands on whatever host answers.
  type: { type: 'string', format: 'uri-reference' },
  href: text,
  title: text,
  status: { type: 'integer', minimum: 400, maximum: 599 },
  detail: text,
  instance: { type: 'string', format: 'uri-reference' },
  subsystem: text,
  time: moment,
  requestId: text,
  causes: listOf(text),
  remedy: text,
  supportEmail: text,
  supportPhone: text,
  supportUrl: text,
  retryable: flag,
  retryAfter: moment,
  context: anything,
};
const ours: Readonly<Record<string, JsonSchema>> = { code: text, operationId: text };
const issue = shape(
  {},
  { ...problemMembers, in: oneOf('body', 'header', 'path', 'query'), name: text, value: {} },
  ours,
);
export const apiProblem = shape({}, problemMembers, ours);
export const inputValidationProblem = shape({ issues: { ...listOf(issue), minItems: 1 } }, problemMembers, ours);
