import type { CapabilityFacts } from '../provider-page';

/** Where each thing that the connector does at HubSpot is known from. Sources: sections of the providers reference. */
export const capabilityFacts: CapabilityFacts = {
  create: { says: '`POST /objects/{T}` -> 201 with the record', basis: 'recorded', source: 'providers.md, A2' },
  update: { says: '`PATCH /objects/{T}/{id}` -> 200 with the record', basis: 'recorded', source: 'providers.md, A2' },
  delete: { says: 'archive; 204 also for what never was', basis: 'recorded', source: 'providers.md, A2' },
  batchCreate: {
    says: '100 per call, each for itself (207) when every input has a trace id',
    basis: 'recorded',
    source: 'providers.md, A3',
  },
  batchUpdate: { says: '100 per call, always in part', basis: 'documented', source: 'providers.md, A3' },
  batchRead: {
    says: '100 per call, by id or a unique property, without lag',
    basis: 'documented',
    source: 'providers.md, A3; no lag is assumed',
  },
  search: { says: 'EQ, one AND group, 200 per page; the index lags', basis: 'recorded', source: 'providers.md, A5' },
  allOrNone: {
    says: 'create: the trace ids are left out, and the first failure fails the call; update: has no effect',
    basis: 'recorded',
    source: 'providers.md, A3; that nothing is written then is assumed',
  },
  associations: {
    says: 'inline on create; after an update by the v4 batch, one call per target object',
    basis: 'documented',
    source: 'providers.md, A4; the v4 call is recorded',
  },
  forwardedHeaders: { says: 'lacking', basis: 'documented', source: 'providers.md, B6 has them, A has none' },
  ifEmpty: { says: 'one batch read before the update', basis: 'documented', source: 'providers.md, A3, 2' },
  describe: {
    says: 'properties at `/crm/v3` in both layouts; what is required from the schema',
    basis: 'recorded',
    source: 'providers.md, A6',
  },
  findCreated: {
    says: 'batch read by the email, or by a property that the account keeps unique; else search',
    basis: 'assumed',
    source: 'providers.md, 1c; that a batch read sees a write at once',
  },
  resend: {
    says: 'upsert by a unique property that nobody has yet; never by email, never with associations',
    basis: 'documented',
    source: 'providers.md, A3; see ADR 19',
  },
  quota: { says: '110 calls in 10 s, or what the rate headers say', basis: 'documented', source: 'providers.md, A8' },
  searchQuota: {
    says: '5 searches in 1 s, beside the others; a 429 `SECONDLY` stops searches alone',
    basis: 'documented',
    source: 'providers.md, A5, A8; that searches count in no other burst limit is assumed',
  },
  lateCommitMs: { says: '30 s', basis: 'assumed', source: 'providers.md, 1c' },
  authorizationUrl: {
    says: '`/oauth/authorize`; the PKCE challenge goes along',
    basis: 'documented',
    source: 'providers.md, A1; PKCE is assumed',
  },
  exchangeCode: { says: '`POST /oauth/v1/token`, form-encoded', basis: 'recorded', source: 'providers.md, A1' },
  refresh: {
    says: 'the same endpoint; `expires_in` counts, `hub_id` and `user_id` are kept',
    basis: 'recorded',
    source: 'providers.md, A1',
  },
  grant: { says: 'lacking', basis: 'documented', source: 'providers.md, A1' },
  apiKey: {
    says: 'the key of a private app in place of the access token',
    basis: 'documented',
    source: 'providers.md, A1',
  },
  workspace: { says: '`GET /account-info/…/details` -> `portalId`', basis: 'recorded', source: 'providers.md, A1' },
  scopes: {
    says: "`POST /oauth/v2/private-apps/get/access-token-info`, for a private app's key",
    basis: 'documented',
    source: 'HubSpot developer documentation, private apps; not in the reference',
  },
};
