import type { Capabilities, Connector } from '../connector';
import { batchCreate } from './batch-create';
import { batchLimit } from './batch-limit';
import { batchRead } from './batch-read';
import { batchUpdate } from './batch-update';
import type { HubspotApi } from './call-hubspot';
import { create } from './create';
import { findCreated } from './find-created';
import { fingerprint } from './fingerprint';
import { search, searchPageMax } from './search';
import { uniqueKeyOf } from './unique-key';
import { update } from './update';
import { workspace } from './workspace';

/** How long HubSpot's search index may lag behind a write. Source: reference 1c, Our settings. */
const searchVisibilityMs = 30_000;

const capabilities: Capabilities = {
  batchCreate: { limit: batchLimit },
  batchUpdate: { limit: batchLimit },
  batchRead: { limit: batchLimit },
  search: { limit: searchPageMax },
  delete: false,
  // A batch update is always written in part. Source: specification, batchPolicy.
  allOrNone: { create: true, update: false },
  // The target's object type of an association on update needs the account's schema; only creates take it inline.
  associations: { create: true, update: false },
  forwardedHeaders: false,
  ifEmpty: true,
  // Of an OAuth app per account; private apps have 100 to 250. Source: reference A8.
  quota: { limit: 110, windowMs: 10_000 },
  lateCommitMs: 30_000,
};

/** HubSpot, the specification's provider X. One file per action; what they share is `HubspotApi`. */
export function createHubspotConnector(api: HubspotApi): Connector {
  return {
    provider: 'hubspot',
    capabilities,
    create: (write) => create(api, write),
    update: (write) => update(api, write),
    createBatch: (write) => batchCreate(api, write),
    updateBatch: (write) => batchUpdate(api, write),
    readBatch: (read) => batchRead(api, read),
    search: (request) => search(api, request),
    workspace: (call) => workspace(api, call),
    findCreated: (find) => findCreated(api, find),
    visibilityMs: (objectName, fields) => (uniqueKeyOf(objectName, fields) ? 0 : searchVisibilityMs),
    fingerprint,
  };
}
