import { fieldSteps, nestedField } from '@sluice/types';
import type { Capabilities, CatalogueEntry, Connector } from '../connector';
import { toProviderError, unreadable } from '../provider-call';
import type { Fields, ProviderCall } from '../requests';
import { fingerprintOf, type Workspace } from '../results';
import { batchRead } from './batch-read';
import { batchRecordsMax, type HubspotApi } from './call-hubspot';
import { describe } from './describe';
import { findCreated } from './find-created';
import { search, searchPageMax } from './search';
import { authorizationUrl, tokensFor } from './tokens';
import { canonicalObjectName, listSeparator, normalizeValue, paths, uniqueKeyOf } from './wire';
import { batchCreate, batchUpdate, create, deleteRecord, update } from './writes';

/** HubSpot in the catalogue. Source: reference A1. A private app's key is sent as an access token. */
const hubspotCatalogue: CatalogueEntry = {
  displayName: 'HubSpot',
  baseURL: 'https://api.hubapi.com',
  authType: 'oauth2',
  defaultModule: '',
  oauth2Opts: {
    grantType: 'authorizationCode',
    authURL: 'https://app.hubspot.com/oauth/authorize',
    tokenURL: 'https://api.hubapi.com/oauth/2026-03/token',
    explicitScopesRequired: true,
    explicitWorkspaceRequired: false,
    tokenMetadataFields: { workspaceRefField: 'hub_id', consumerRefField: 'user_id', scopesField: 'scopes' },
    // Of a custom object HubSpot has `custom` in place of its name. Source: reference A1.
    scopes: [
      { scope: 'oauth', neededFor: 'connection', purpose: 'connect the account' },
      { scope: 'crm.objects.{object}.read', neededFor: 'object', purpose: 'read and search its records' },
      { scope: 'crm.schemas.{object}.read', neededFor: 'object', purpose: 'list its fields' },
      { scope: 'crm.objects.{object}.write', neededFor: 'write', purpose: 'create, update and delete its records' },
    ],
  },
  apiKeyOpts: { attachmentType: 'header', header: { name: 'Authorization', valuePrefix: 'Bearer ' } },
};

/** How long HubSpot's search index may lag behind a write. Source: reference 1c, Our settings. */
const searchVisibilityMs = 30_000;

const capabilities: Capabilities = {
  // Properties are named in lower case, and no other spelling finds them. [own] What a record may not set HubSpot refuses itself.
  fields: {
    names: 'exact',
    reserved: { create: [], update: [] },
    listSeparator,
    // Properties hold no objects. Source: reference A2.
    fieldOf: (_, name) => (fieldSteps(name).length === 1 ? nestedField(name) : undefined),
    // The names of its standard objects; a custom object has what its account gave it. Source: reference A2.
    identifying: () => ['email', 'domain', 'name', 'dealname', 'subject', 'lastname'],
    pathRule: 'leads into an object, and HubSpot has none in a record: give the name of the property alone',
  },
  batchCreate: { limit: batchRecordsMax },
  batchUpdate: { limit: batchRecordsMax },
  batchRead: { limit: batchRecordsMax },
  search: { limit: searchPageMax },
  delete: true,
  // A batch update is always written in part. Source: specification, batchPolicy.
  allOrNone: { create: true, update: false },
  // Inline on create; on update in calls of their own after it. Source: reference A2, A4.
  associations: { create: true, update: true },
  forwardedHeaders: false,
  ifEmpty: true,
  // Of an OAuth app per account; private apps have 100 to 250. Source: reference A8.
  quota: { limit: 110, windowMs: 10_000 },
  // Of every account, beside the other one. Source: reference A5.
  searchQuota: { limit: 5, windowMs: 1_000 },
  lateCommitMs: 30_000,
};

/** HubSpot, the specification's provider X. One file per action; what they share is `HubspotApi` and what is kept of accounts. @param authorizeUrl where customers allow apps in */
export function createHubspotConnector(api: HubspotApi, authorizeUrl: string): Connector {
  return {
    provider: 'hubspot',
    capabilities,
    catalogue: hubspotCatalogue,
    modules: ['crm'],
    create: (write) => create(api, write),
    update: (write) => update(api, write),
    delete: (write) => deleteRecord(api, write),
    createBatch: (write) => batchCreate(api, write),
    updateBatch: (write) => batchUpdate(api, write),
    readBatch: (read) => batchRead(api, read),
    search: (request) => search(api, request),
    describe: (call) => describe(api, call),
    refresh: (request) => tokensFor(api, request),
    // A private app's key is sent as an access token. Source: reference A1.
    authSchemes: ['apiKey', 'oauth2/authorizationCode', 'oauth2/authorizationCodePKCE'],
    authorizationUrl: (request) => authorizationUrl(authorizeUrl, request),
    exchangeCode: (request) => tokensFor(api, request),
    workspace: (call) => workspace(api, call),
    findCreated: (find) => findCreated(api, find),
    recordKey: (recordId) => recordId,
    visibilityMs: (objectName, fields) => (uniqueKeyOf(objectName, fields) ? 0 : searchVisibilityMs),
    fingerprint,
  };
}

/**
 * `GET /account-info/…/details`: `portalId` is the account. Only a token reply has the user's id.
 * Source: reference A1.
 * @throws ProviderError
 */
async function workspace(api: HubspotApi, call: ProviderCall): Promise<Workspace> {
  const answer = await api.call({ operation: 'workspace', method: 'GET', path: paths.account }, call);
  if (!answer.ok) throw toProviderError(answer.failure, 'hubspot');
  const { portalId } = answer.body;
  if (typeof portalId === 'number' || typeof portalId === 'string') return { workspaceRef: String(portalId) };
  throw unreadable('hubspot', 'HubSpot answered without a portalId');
}

/** The unique property alone where there is one, because at most one record can carry it; else every value that is not empty. */
export function fingerprint(objectName: string, fields: Fields): string {
  const key = uniqueKeyOf(objectName, fields);
  const values = Object.entries(fields).map(([name, value]) => [name, normalizeValue(value)] as const);
  const sent = key ? [[key.name, key.value] as const] : values.filter(([, value]) => value !== '');
  return fingerprintOf(canonicalObjectName(objectName), sent);
}
