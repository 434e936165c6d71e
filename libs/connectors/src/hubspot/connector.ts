import { createAccountCache } from '../account-cache';
import type { Capabilities, Connector } from '../connector';
import { authorizationUrl, exchangeCode } from './authorize';
import { batchCreate } from './batch-create';
import { batchLimit } from './batch-limit';
import { batchRead } from './batch-read';
import { batchUpdate } from './batch-update';
import type { HubspotApi } from './call-hubspot';
import { create } from './create';
import { deleteRecord } from './delete-record';
import { describe, type HubspotCaches } from './describe';
import { findCreated } from './find-created';
import { fingerprint } from './fingerprint';
import { listSeparator } from './properties';
import { hubspotCatalogue } from './provider-info';
import { refresh } from './refresh';
import { scopes } from './scopes';
import { search, searchPageMax } from './search';
import { uniqueKeyOf } from './unique-key';
import { update } from './update';
import { workspace } from './workspace';

/** How long HubSpot's search index may lag behind a write. Source: reference 1c, Our settings. */
const searchVisibilityMs = 30_000;

const capabilities: Capabilities = {
  // Properties are named in lower case, and no other spelling finds them. [own] What a record may not set HubSpot refuses itself.
  fields: { names: 'exact', reserved: { create: [], update: [] }, listSeparator },
  batchCreate: { limit: batchLimit },
  batchUpdate: { limit: batchLimit },
  batchRead: { limit: batchLimit },
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
  const caches: HubspotCaches = { properties: createAccountCache(), schemas: createAccountCache() };
  return {
    provider: 'hubspot',
    capabilities,
    catalogue: hubspotCatalogue,
    modules: ['crm'],
    create: (write) => create(api, caches.properties, write),
    update: (write) => update(api, caches.schemas, write),
    delete: (write) => deleteRecord(api, write),
    createBatch: (write) => batchCreate(api, caches.properties, write),
    updateBatch: (write) => batchUpdate(api, caches.schemas, write),
    readBatch: (read) => batchRead(api, read),
    search: (request) => search(api, request),
    describe: (call) => describe(api, caches, call),
    refresh: (request) => refresh(api, request),
    // A private app's key goes where an access token goes. Source: reference A1.
    authSchemes: ['apiKey', 'oauth2/authorizationCode', 'oauth2/authorizationCodePKCE'],
    authorizationUrl: (request) => authorizationUrl(authorizeUrl, request),
    exchangeCode: (request) => exchangeCode(api, request),
    workspace: (call) => workspace(api, call),
    scopes: (call) => scopes(api, call),
    findCreated: (find) => findCreated(api, caches.properties, find),
    recordKey: (recordId) => recordId,
    visibilityMs: (objectName, fields) => (uniqueKeyOf(objectName, fields) ? 0 : searchVisibilityMs),
    fingerprint,
  };
}
