import { type CapabilityFacts, type ProviderPage, failureRows } from '../provider-page';
import { tokenTransportRows } from '../tokens';
import { callTable, tokenTable, unanswered } from './failure-tables';

/** Where each thing that the connector does at Salesforce is known from. Sources: sections of the providers reference. */
const capabilities: CapabilityFacts = {
  create: { how: '`POST /sobjects/{T}` -> 201 with an id and no record', fact: 'recorded: B2' },
  update: { how: '`PATCH /sobjects/{T}/{id}` -> 204', fact: 'recorded: B2' },
  delete: { how: '204; a second time 404', fact: 'documented: B2' },
  batchCreate: { how: 'collections, 200 per call, outcomes in request order', fact: 'recorded: B3' },
  batchUpdate: { how: 'the same with PATCH', fact: 'recorded: B3' },
  batchRead: { how: 'retrieve by ids, aligned with them; or SOQL by a field', fact: 'documented: B3, B4' },
  search: { how: 'SOQL `=`, AND, 200 per page, typed by describe; no lag', fact: 'documented: B4' },
  allOrNone: { how: 'a flag of the collection, on create and update', fact: 'recorded: B3' },
  associations: { how: 'lacking: a reference is a field', fact: 'documented: A4 has them, B has none' },
  forwardedHeaders: { how: 'on every write, on no read', fact: 'documented: B6' },
  ifEmpty: { how: 'one retrieve before the update', fact: 'documented: B3, 2' },
  describe: { how: '`GET /sobjects/{T}/describe`', fact: 'recorded: B5' },
  findCreated: {
    how: 'SOQL by the most telling value and `CreatedDate`',
    fact: 'assumed: 1c; a query sees what is committed',
  },
  resend: {
    how: 'upsert by a unique external id that no record has yet: `PATCH /composite/sobjects/{T}/{field}`; with one that is not unique a lookup comes first',
    fact: 'documented: B3; see ADR 19',
  },
  quota: { how: '500 calls in 10 s are ours; the daily total is measured', fact: 'assumed: B7' },
  searchQuota: { how: 'lacking: a query is a call like any other', fact: 'documented: B7' },
  lateCommitMs: { how: '10 min, the longest request', fact: 'documented: B7, 1c' },
  authorizationUrl: {
    how: '`/services/oauth2/authorize` at the login or the sandbox’s own host',
    fact: 'documented: B1',
  },
  exchangeCode: { how: '`POST /services/oauth2/token`, with the PKCE verifier', fact: 'documented: B1' },
  refresh: { how: 'the same; no end of life is stated, a rotated token is kept', fact: 'recorded: B1' },
  grant: {
    how: 'client credentials at the My Domain, a password at the login',
    fact: 'documented: B1; the wording of refusals is assumed',
  },
  apiKey: { how: 'lacking', fact: 'documented: B1' },
  workspace: { how: '`/services/oauth2/userinfo`; the My Domain of `urls`', fact: 'documented: B1' },
  scopes: { how: 'lacking: only a token reply lists them', fact: 'documented: B1' },
};

/** Everything about Salesforce that is printed. */
export const salesforcePage: ProviderPage = {
  provider: 'salesforce',
  title: 'Salesforce',
  capabilities,
  tables: [
    {
      title: 'What a call, or one record inside a 2xx, ends with',
      lead: `The first row that matches decides: the transport, then the error's code, then the status; a record inside a 2xx has a code only. Of several errors in
one reply one that will not go away decides. \`unavailable\` and \`quota\`: certainly not applied. \`unknown\` and \`timeout\`: may have been applied; for reads
\`unknown\` counts as \`unavailable\`, and an update or a delete is just tried again. \`ALL_OR_NONE_OPERATION_ROLLED_BACK\` and \`PROCESSING_HALTED\` have the class of
the record that is the cause. A \`conflict\` of a create that was sent before is looked up first.`,
      rows: failureRows(callTable),
    },
    {
      title: 'What a 2xx means for one record without a code',
      lead: '`success: true` with an id (of an update: the same record, in 15 or 18 characters) is ok, and so is the empty 204 of an update or a delete.',
      rows: failureRows(Object.values(unanswered)),
    },
    {
      title: 'What the token endpoint ends with',
      lead: `For a refresh, the exchange of a code, client credentials and a password. Without a reply: \`timeout\` or \`unavailable\`. The status decides before the body. Of
the connection's own client a refusal is \`credentials\`; of the builder's app it is \`rejected\`, and no connection follows from it.`,
      rows: failureRows([...tokenTransportRows, ...tokenTable]),
    },
  ],
};
