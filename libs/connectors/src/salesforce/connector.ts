import type { Capabilities, CatalogueEntry, Connector } from '../connector';
import { isJson, type Json, textOf } from '../http-client';
import { toProviderError, unreadable } from '../provider-call';
import type { Fields, ProviderCall } from '../requests';
import { fingerprintOf, type Workspace } from '../results';
import { batchRead } from './batch-read';
import { batchRecordsMax, type SalesforceApi, workspaceRefOf } from './call-salesforce';
import { describe, rejected, toMetadata } from './describe';
import { findCreated } from './find-created';
import { search, searchPageMax } from './search';
import { authorizationUrl, tokensFor } from './tokens';
import { isEmpty, listSeparator, plain, reserved } from './values';
import { componentOf, idKey, paths, recordKey } from './wire';
import { batchCreate, batchUpdate, create, deleteRecord, update } from './writes';

const capabilities: Capabilities = {
  // Names are taken in any case. Source: reference B2, B5.
  fields: {
    names: 'case-insensitive',
    reserved,
    listSeparator,
    fieldOf: (_, name) => componentOf(name),
    // Source: reference B2.
    identifying: () => ['Email', 'Name', 'LastName', 'Subject'],
    pathRule:
      'leads to no field: Salesforce has parts of addresses, locations and names, and fields of related records',
  },
  batchCreate: { limit: batchRecordsMax },
  batchUpdate: { limit: batchRecordsMax },
  batchRead: { limit: batchRecordsMax },
  search: { limit: searchPageMax },
  delete: true,
  allOrNone: { create: true, update: true },
  associations: false,
  forwardedHeaders: true,
  ifEmpty: true,
  // There is no burst limit, only 25 requests at once that last 20 s or longer, and a daily total (reference B7). Our choice: 50 a second, which is
  // 25 at once of half a second each. A runaway then needs half an hour for 100,000 calls.
  quota: { limit: 500, windowMs: 10_000 },
  searchQuota: false,
  // A request may run for 10 minutes. Source: reference B7, 1c.
  lateCommitMs: 600_000,
};

/** Salesforce, the specification's provider Y. One file per action; what they share is `SalesforceApi`. */
export function createSalesforceConnector(api: SalesforceApi): Connector {
  return {
    provider: 'salesforce',
    capabilities,
    catalogue: salesforceCatalogue,
    modules: ['crm'],
    create: (write) => create(api, write),
    update: (write) => update(api, write),
    delete: (write) => deleteRecord(api, write),
    createBatch: (write) => batchCreate(api, write),
    updateBatch: (write) => batchUpdate(api, write),
    readBatch: (read) => batchRead(api, read),
    search: (request) => search(api, request),
    describe: async (call) => toMetadata(await describe(api, call)),
    refresh: (request) => tokensFor(api, request),
    authSchemes: [
      'oauth2/authorizationCode',
      'oauth2/authorizationCodePKCE',
      'oauth2/clientCredentials',
      'oauth2/password',
    ],
    // The login, and its replies, name the account. Client credentials are taken at the My Domain only.
    needsInput: (_, scheme) => scheme === 'oauth2/clientCredentials',
    authorizationUrl: (request) => authorizationUrl(api, request),
    exchangeCode: (request) => tokensFor(api, request),
    grant: (request) => tokensFor(api, request),
    workspace: (call) => workspace(api, call),
    findCreated: (find) => findCreated(api, find),
    recordKey,
    // SOQL reads what is committed. Source: reference B4.
    visibilityMs: () => 0,
    fingerprint,
  };
}

/** Every value that is not empty. Which fields are unique only the account's description says, which is not read here. */
function fingerprint(objectName: string, fields: Fields): string {
  const sent = Object.entries(fields).filter(([, value]) => !isEmpty(value));
  const values = sent.map(([name, value]) => [name.toLowerCase(), plain(value)] as const);
  return fingerprintOf(objectName.toLowerCase(), values);
}

/**
 * `GET /services/oauth2/userinfo`: the My Domain that the token opens, from the addresses that Salesforce states. Asked
 * at the given workspace, or at the login when none is given yet. Source: reference B1; design 6, "where a connection points".
 * @throws ProviderError
 */
async function workspace(api: SalesforceApi, call: ProviderCall): Promise<Workspace> {
  const given = call.auth.workspaceRef;
  const atLogin = given === undefined && !api.isOverridden;
  const answer = await api.call({ operation: 'workspace', method: 'GET', path: paths.userinfo, atLogin }, call);
  if (!answer.ok) throw toProviderError(answer.failure, 'salesforce');
  const body = isJson(answer.body) ? answer.body : {};
  const organizationId = textOf(body['organization_id']);
  if (organizationId === undefined) {
    throw unreadable('salesforce', 'Salesforce answered without an organization_id');
  }
  // The account that answered at a given host is the account of that host, also when it does not name it.
  const workspaceRef = reportedBy(body) ?? given?.toLowerCase() ?? (api.isOverridden ? organizationId : undefined);
  if (workspaceRef === undefined) {
    throw rejected('Salesforce reports no My Domain; set providerWorkspaceRef to its part before .my.salesforce.com');
  }
  const consumerRef = textOf(body['user_id']);
  return { workspaceRef, accountId: idKey(organizationId), ...(consumerRef !== undefined && { consumerRef }) };
}

/** `custom_domain` is the My Domain itself; the others lie on it. They hold `{version}`, which a URL takes. */
function reportedBy(body: Json): string | undefined {
  const urls = isJson(body['urls']) ? body['urls'] : {};
  return ['custom_domain', 'rest', 'profile'].map((name) => workspaceRefOf(textOf(urls[name]))).find(Boolean);
}

/** Salesforce in the catalogue. Source: reference B1. */
const salesforceCatalogue: CatalogueEntry = {
  displayName: 'Salesforce',
  baseURL: 'https://{{.workspace}}.my.salesforce.com',
  authType: 'oauth2',
  defaultModule: '',
  metadata: {
    input: [
      {
        name: 'workspace',
        displayName: 'My Domain',
        prompt: 'The first part of the address of your Salesforce: acme of acme.my.salesforce.com.',
      },
    ],
  },
  oauth2Opts: {
    grantType: 'authorizationCode',
    authURL: 'https://{{.workspace}}.my.salesforce.com/services/oauth2/authorize',
    tokenURL: 'https://{{.workspace}}.my.salesforce.com/services/oauth2/token',
    explicitScopesRequired: false,
    explicitWorkspaceRequired: true,
    tokenMetadataFields: {
      workspaceRefField: 'instance_url',
      consumerRefField: 'id',
      scopesField: 'scope',
      otherFields: [],
    },
    scopes: [
      { scope: 'api', neededFor: 'connection', purpose: 'write, search and list fields' },
      { scope: 'refresh_token', neededFor: 'connection', purpose: 'get new access tokens without the customer' },
      { scope: 'openid', neededFor: 'connection', purpose: 'name the account that was connected' },
    ],
  },
};
