import type { ApiInfo } from '@sluice/http';

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
