import type { ApiAction } from '../hubspot/api-call';
import { accountDetails } from '../hubspot/account-details';
import { batchCreate } from '../hubspot/batch-create';
import { batchRead } from '../hubspot/batch-read';
import { batchUpdate } from '../hubspot/batch-update';
import { createContact } from '../hubspot/create-contact';
import { listProperties } from '../hubspot/list-properties';
import { readContact } from '../hubspot/read-contact';
import { searchContacts } from '../hubspot/search-contacts';
import { updateContact } from '../hubspot/update-contact';

/** One imitated endpoint. */
export interface HubspotRoute {
  readonly method: 'get' | 'post' | 'patch';
  /** In Express syntax. */
  readonly paths: readonly string[];
  /** Its name in the ledger. */
  readonly name: string;
  readonly perform: ApiAction;
  /** How many records a call carries, for the ledger. */
  readonly carries: 'inputs' | 'one' | 'none';
}

/** Both path layouts: the older version segment before the noun, the dated one after it. */
const objects = (suffix: string): string[] => [
  `/crm/v3/objects/:objectType${suffix}`,
  `/crm/objects/:version/:objectType${suffix}`,
];

/** The endpoints, the literal suffixes before `:id`. */
export const hubspotRoutes: readonly HubspotRoute[] = [
  { method: 'post', paths: objects('/batch/create'), name: 'batch-create', perform: batchCreate, carries: 'inputs' },
  { method: 'post', paths: objects('/batch/update'), name: 'batch-update', perform: batchUpdate, carries: 'inputs' },
  { method: 'post', paths: objects('/batch/read'), name: 'batch-read', perform: batchRead, carries: 'inputs' },
  { method: 'post', paths: objects('/search'), name: 'search', perform: searchContacts, carries: 'none' },
  { method: 'post', paths: objects(''), name: 'create', perform: createContact, carries: 'one' },
  { method: 'patch', paths: objects('/:id'), name: 'update', perform: updateContact, carries: 'one' },
  { method: 'get', paths: objects('/:id'), name: 'read', perform: readContact, carries: 'one' },
  // The dated layout of the properties API answers 404 at HubSpot, so it is not here either.
  {
    method: 'get',
    paths: ['/crm/v3/properties/:objectType'],
    name: 'properties',
    perform: listProperties,
    carries: 'none',
  },
  {
    method: 'get',
    paths: ['/account-info/v3/details', '/account-info/:version/details'],
    name: 'account-details',
    perform: accountDetails,
    carries: 'none',
  },
];
