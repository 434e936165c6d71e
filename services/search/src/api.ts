import type { ApiInfo } from '@sluice/http';

/** What the search API is, for its document. */
export const searchApi: ApiInfo = {
  title: 'Sluice search API',
  description: [
    "Finds records in a customer's SaaS account: one page of provider results, for narrow, targeted queries. Paths are relative to the base URL, which ends in /v1.",
    'Every request carries the header x-api-key, or Authorization: Bearer. Errors are problem documents (RFC 9457, application/problem+json).',
    "Searching uses the object's read definition: its mappings apply. schedule, destination, backfill and fieldFilters of a read object are stored and not executed; they do not change what is found.",
  ].join('\n\n'),
  tags: [{ name: 'Search', description: 'Records of a provider.' }],
};
