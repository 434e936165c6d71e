import type { Capabilities, Connector } from '../connector';
import { authorizationUrl, exchangeCode } from './authorize';
import { batchCreate } from './batch-create';
import { batchLimit } from './batch-limit';
import { batchRead } from './batch-read';
import { batchUpdate } from './batch-update';
import type { SalesforceApi } from './call-salesforce';
import { create } from './create';
import { deleteRecord } from './delete-record';
import { createDescriber } from './describe';
import { toMetadata } from './description';
import { findCreated } from './find-created';
import { fingerprint } from './fingerprint';
import { grant } from './grant';
import { salesforceCatalogue } from './provider-info';
import { recordKey } from './record-id';
import { refresh } from './refresh';
import { search, searchPageMax } from './search';
import { update } from './update';
import { listSeparator, reserved } from './values';
import { workspace } from './workspace';

const capabilities: Capabilities = {
  // Names are taken in any case. Source: reference B2, B5.
  fields: { names: 'case-insensitive', reserved, listSeparator },
  batchCreate: { limit: batchLimit },
  batchUpdate: { limit: batchLimit },
  batchRead: { limit: batchLimit },
  search: { limit: searchPageMax },
  delete: true,
  allOrNone: { create: true, update: true },
  associations: false,
  forwardedHeaders: true,
  ifEmpty: true,
  // There is no burst limit, only 25 requests at once that last 20 s or longer, and a daily total (reference B7). [own]
  // 50 a second is what 25 at once of half a second each come to; a runaway then needs half an hour for 100,000 calls.
  quota: { limit: 500, windowMs: 10_000 },
  searchQuota: false,
  // A request may run for 10 minutes. Source: reference B7, 1c.
  lateCommitMs: 600_000,
};

/** Salesforce, the specification's provider Y. One file per action; what they share is `SalesforceApi`. */
export function createSalesforceConnector(api: SalesforceApi): Connector {
  const describe = createDescriber(api);
  return {
    provider: 'salesforce',
    capabilities,
    catalogue: salesforceCatalogue,
    modules: ['crm'],
    create: (write) => create(api, describe, write),
    update: (write) => update(api, write),
    delete: (write) => deleteRecord(api, write),
    createBatch: (write) => batchCreate(api, describe, write),
    updateBatch: (write) => batchUpdate(api, write),
    readBatch: (read) => batchRead(api, describe, read),
    search: (request) => search(api, describe, request),
    describe: async (call) => toMetadata(await describe(call)),
    refresh: (request) => refresh(api, request),
    authSchemes: [
      'oauth2/authorizationCode',
      'oauth2/authorizationCodePKCE',
      'oauth2/clientCredentials',
      'oauth2/password',
    ],
    authorizationUrl: (request) => authorizationUrl(api, request),
    exchangeCode: (request) => exchangeCode(api, request),
    grant: (request) => grant(api, request),
    workspace: (call) => workspace(api, call),
    findCreated: (find) => findCreated(api, describe, find),
    recordKey,
    // SOQL reads what is committed. Source: reference B4.
    visibilityMs: () => 0,
    fingerprint,
  };
}
