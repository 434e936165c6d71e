import type { ApiInfo } from '@sluice/http';

/** What the management API is, for its document. Tags stand in the order of a builder's first day. */
export const managementApi: ApiInfo = {
  title: 'Sluice management API',
  description: [
    'Projects, integrations, connections, installations and operations. All paths are relative to the base URL, which ends in /v1.',
    'Every request carries the header x-api-key, or Authorization: Bearer. What belongs to another project is answered with 404, as if it did not exist.',
    'Errors are problem documents (RFC 9457, application/problem+json). code is stable; remedy says what to do; retryable says whether the same request may succeed later.',
    'Moments are ISO 8601 date-times with offset. Members without a value are left out, never null. Replies may gain members: ignore what you do not know.',
    'Stored and returned, but not executed: schedule, destination, backfill, delivery and fieldFilters of read objects, proxy, subscribe, module and watchSchema. Nothing reads on a schedule, delivers to a destination or proxies calls.',
  ].join('\n\n'),
  tags: [
    { name: 'Projects', description: "A builder's space." },
    { name: 'API keys', description: 'Keys of a project. The key itself is shown once, when it is made.' },
    { name: 'JWT keys', description: 'Public keys that bearer tokens are checked with.' },
    { name: 'Providers', description: 'What the connected SaaS providers can do.' },
    { name: 'Provider apps', description: "A builder's OAuth apps at the providers. Their secrets are never shown." },
    { name: 'Integrations', description: 'What a manifest declares, and its revisions.' },
    { name: 'Object metadata', description: "Fields of an object, as one customer's account has them." },
    { name: 'Connections', description: "Customers' accounts at the providers." },
    { name: 'Installations', description: 'Integrations that groups have installed, and their configs.' },
    { name: 'Operations', description: 'What became of writes.' },
    { name: 'Webhooks', description: 'Where notifications go, and what became of each.' },
    { name: 'Compatibility', description: 'What only older clients need.' },
  ],
};
