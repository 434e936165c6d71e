import type { CapabilityFacts } from '../provider-page';

/** Where each thing that the connector does at Salesforce is known from. Sources: sections of the providers reference. */
export const capabilityFacts: CapabilityFacts = {
  create: {
    says: '`POST /sobjects/{T}` -> 201 with an id and no record',
    basis: 'recorded',
    source: 'providers.md, B2',
  },
  update: { says: '`PATCH /sobjects/{T}/{id}` -> 204', basis: 'recorded', source: 'providers.md, B2' },
  delete: { says: '204; a second time 404', basis: 'documented', source: 'providers.md, B2' },
  batchCreate: {
    says: 'collections, 200 per call, outcomes in request order',
    basis: 'recorded',
    source: 'providers.md, B3',
  },
  batchUpdate: { says: 'the same with PATCH', basis: 'recorded', source: 'providers.md, B3' },
  batchRead: {
    says: 'retrieve by ids, aligned with them; or SOQL by a field',
    basis: 'documented',
    source: 'providers.md, B3, B4',
  },
  search: {
    says: 'SOQL `=`, AND, 200 per page, typed by describe; no lag',
    basis: 'documented',
    source: 'providers.md, B4',
  },
  allOrNone: { says: 'a flag of the collection, on create and update', basis: 'recorded', source: 'providers.md, B3' },
  associations: {
    says: 'lacking: a reference is a field',
    basis: 'documented',
    source: 'providers.md, A4 has them, B has none',
  },
  forwardedHeaders: { says: 'on every write, on no read', basis: 'documented', source: 'providers.md, B6' },
  ifEmpty: { says: 'one retrieve before the update', basis: 'documented', source: 'providers.md, B3, 2' },
  describe: { says: '`GET /sobjects/{T}/describe`', basis: 'recorded', source: 'providers.md, B5' },
  findCreated: {
    says: 'SOQL by the most telling value and `CreatedDate`',
    basis: 'assumed',
    source: 'providers.md, 1c; a query sees what is committed',
  },
  resend: {
    says: 'upsert by a unique external id that nobody has yet: `PATCH /composite/sobjects/{T}/{field}`; with one that is not unique the look comes first',
    basis: 'documented',
    source: 'providers.md, B3; see ADR 19',
  },
  quota: {
    says: '500 calls in 10 s are ours; the daily total is measured',
    basis: 'assumed',
    source: 'providers.md, B7',
  },
  searchQuota: { says: 'lacking: a query is a call like any other', basis: 'documented', source: 'providers.md, B7' },
  lateCommitMs: { says: '10 min, the longest request', basis: 'documented', source: 'providers.md, B7, 1c' },
  authorizationUrl: {
    says: '`/services/oauth2/authorize` at the login or the sandbox’s own host',
    basis: 'documented',
    source: 'providers.md, B1',
  },
  exchangeCode: {
    says: '`POST /services/oauth2/token`, with the PKCE verifier',
    basis: 'documented',
    source: 'providers.md, B1',
  },
  refresh: {
    says: 'the same; no end of life is told, a rotated token is kept',
    basis: 'recorded',
    source: 'providers.md, B1',
  },
  grant: {
    says: 'client credentials at the My Domain, a password at the login',
    basis: 'documented',
    source: 'providers.md, B1; the wording of refusals is assumed',
  },
  apiKey: { says: 'lacking', basis: 'documented', source: 'providers.md, B1' },
  workspace: {
    says: '`/services/oauth2/userinfo`; the My Domain of `urls`',
    basis: 'documented',
    source: 'providers.md, B1',
  },
  scopes: { says: 'lacking: only a token reply tells them', basis: 'documented', source: 'providers.md, B1' },
};
