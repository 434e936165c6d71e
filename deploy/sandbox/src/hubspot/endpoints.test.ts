import { findEndpoint } from './endpoints';

it.each<[string, string, string | undefined, object]>([
  ['POST', '/crm/v3/objects/contacts', 'create', { objectType: 'contacts' }],
  ['POST', '/crm/objects/2026-03/0-2/', 'create', { objectType: '0-2', version: '2026-03' }],
  ['GET', '/crm/v3/objects/contacts/ana%40example.com', 'read', { objectType: 'contacts', id: 'ana@example.com' }],
  ['POST', '/crm/v3/objects/contacts/search', 'search', { objectType: 'contacts' }],
  [
    'PUT',
    '/crm/v4/objects/contacts/1/associations/companies/2',
    'associate',
    { id: '1', toType: 'companies', toId: '2' },
  ],
  [
    'PUT',
    '/crm/v4/objects/contacts/1/associations/default/companies/2',
    'associate',
    { toType: 'companies', toId: '2' },
  ],
  ['GET', '/crm/v4/objects/contacts/1/associations/companies', 'associations', { id: '1', toType: 'companies' }],
  ['POST', '/crm/associations/2026-03/0-1/0-2/batch/create', 'batch-associate', { objectType: '0-1', toType: '0-2' }],
  ['GET', '/account-info/2026-03/details', 'account-details', {}],
  ['GET', '/crm/objects/v3/contacts/1', undefined, {}],
  ['GET', '/crm/v3/objects//1', undefined, {}],
  ['GET', '/crm/v3/objects/contacts/%E0%A4%A', undefined, {}],
  ['PUT', '/crm/v3/objects/contacts/1', undefined, {}],
])('%s %s is %s', (method, path, name, params) => {
  const found = findEndpoint(method, path);
  expect([found?.endpoint.name, found?.params ?? {}]).toEqual([name, expect.objectContaining(params)]);
});
