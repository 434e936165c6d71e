import { type CapabilityFacts, type ProviderPage, failureRows } from '../provider-page';
import { tokenTransportRows } from '../tokens';
import { callTable, recordTable, tokenTable, unanswered } from './failure-tables';

/** Where each thing that the connector does at HubSpot is known from. Sources: sections of the providers reference. */
const capabilities: CapabilityFacts = {
  create: { how: '`POST /objects/{T}` -> 201 with the record', fact: 'recorded: A2' },
  update: { how: '`PATCH /objects/{T}/{id}` -> 200 with the record', fact: 'recorded: A2' },
  delete: { how: 'archive; 204 also for what never was', fact: 'recorded: A2' },
  batchCreate: { how: '100 per call, each for itself (207) when every input has a trace id', fact: 'recorded: A3' },
  batchUpdate: { how: '100 per call, always in part', fact: 'documented: A3' },
  batchRead: {
    how: '100 per call, by id or a unique property, without lag',
    fact: 'documented: A3; no lag is assumed',
  },
  search: { how: 'EQ, one AND group, 200 per page; the index lags', fact: 'recorded: A5' },
  allOrNone: {
    how: 'create: the trace ids are left out, and the first failure fails the call; update: has no effect',
    fact: 'recorded: A3; that nothing is written then is assumed',
  },
  associations: {
    how: 'inline on create; after an update by the v4 batch, one call per target object',
    fact: 'documented: A4; the v4 call is recorded',
  },
  forwardedHeaders: { how: 'lacking', fact: 'documented: B6 has them, A has none' },
  ifEmpty: { how: 'one batch read before the update', fact: 'documented: A3, 2' },
  describe: { how: 'properties at `/crm/v3` in both layouts; what is required from the schema', fact: 'recorded: A6' },
  findCreated: {
    how: 'batch read by the email, or by a property that the account keeps unique; else search',
    fact: 'assumed: 1c; that a batch read sees a write at once',
  },
  resend: {
    how: 'upsert by a unique property that no record has yet; never by email, never with associations',
    fact: 'documented: A3; see ADR 19',
  },
  quota: { how: '110 calls in 10 s, or what the rate headers say', fact: 'documented: A8' },
  searchQuota: {
    how: '5 searches in 1 s, beside the others; a 429 `SECONDLY` stops searches alone',
    fact: 'documented: A5, A8; that searches count in no other burst limit is assumed',
  },
  lateCommitMs: { how: '30 s', fact: 'assumed: 1c' },
  authorizationUrl: {
    how: '`/oauth/authorize`; with the PKCE challenge',
    fact: 'documented: A1; PKCE is assumed',
  },
  exchangeCode: { how: '`POST /oauth/v1/token`, form-encoded', fact: 'recorded: A1' },
  refresh: { how: 'the same endpoint; `expires_in` counts, `hub_id` and `user_id` are kept', fact: 'recorded: A1' },
  grant: { how: 'lacking', fact: 'documented: A1' },
  apiKey: { how: 'the key of a private app in place of the access token', fact: 'documented: A1' },
  workspace: { how: '`GET /account-info/…/details` -> `portalId`', fact: 'recorded: A1' },
  scopes: {
    how: "`POST /oauth/v2/private-apps/get/access-token-info`, for a private app's key",
    fact: 'documented: HubSpot developer documentation, private apps; not in the reference',
  },
};

/** Everything about HubSpot that is printed. */
export const hubspotPage: ProviderPage = {
  provider: 'hubspot',
  title: 'HubSpot',
  capabilities,
  tables: [
    {
      title: 'What a call ends with',
      lead: `The first row that matches decides. \`unavailable\` and \`quota\`: certainly not applied. \`unknown\` and \`timeout\`: may have been applied; for reads
\`unknown\` counts as \`unavailable\`, and an update or a delete is just tried again. \`Retry-After\` (seconds or a date) is a lower bound; without it a 429 waits 1 s
for \`SECONDLY\`, 10 s for \`TEN_SECONDLY_ROLLING\`, 15 min for \`DAILY\`. A \`conflict\` of a create that was sent before is looked up first.`,
      rows: failureRows(callTable),
    },
    {
      title: 'What a batch reply of 2xx means for one record',
      lead: 'By the category of an item of `errors[]`. A record in the results was written, whatever an error reports of it.',
      rows: failureRows([...recordTable, ...Object.values(unanswered)]),
    },
    {
      title: 'What the token endpoint ends with',
      lead: `For a refresh and for the exchange of a code. The HTTP status decides before the body, \`error\` before \`status\`. \`credentials\`: the customer's grant is gone.
\`rejected\`: the app is refused, which proves nothing about any customer.`,
      rows: failureRows([...tokenTransportRows, ...tokenTable]),
    },
  ],
};
