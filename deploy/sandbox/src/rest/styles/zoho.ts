import { afterWord, membersOf } from '../read-json';
import type { Conditions, DataCentre, RestObject, RestRecord, RestRefusal, RestReply, RestStyle } from '../rest-style';

const person = {
  First_Name: 'text',
  Last_Name: 'text',
  Email: 'email',
  Phone: 'phone',
  Company: 'text',
  Description: 'textarea',
};

/** Source: docs/contributing/providers.md, 4, zoho; Zoho CRM API v8 (zoho/crm-oas) for paths, errors and the search. */
const objects: readonly RestObject[] = [
  { name: 'Leads', fields: person, required: ['Last_Name'] },
  { name: 'Contacts', fields: person, required: ['Last_Name'] },
  { name: 'Accounts', fields: { Account_Name: 'text', Website: 'website' }, required: ['Account_Name'] },
  { name: 'Deals', fields: { Deal_Name: 'text', Stage: 'picklist' }, required: ['Deal_Name', 'Stage'] },
  // One that a customer made.
  { name: 'Visits', fields: { Name: 'text', Place: 'text' }, required: ['Name'] },
];

const entry = (code: string, message: string, details: object, status: 'success' | 'error') => ({
  code,
  details,
  message,
  status,
});
const listed = (one: object): RestReply => ({ status: 400, body: { data: [one] } });

/** An error of a record is in its entry, an error of the call at the top. */
function refused({ reason, field, isSearch, existingId: id, code, message, status = 400 }: RestRefusal): RestReply {
  if (isSearch) {
    const details = { api_name: field, reason: 'the field is not available for search' };
    return { status: 400, body: entry('INVALID_QUERY', 'Invalid query formed', details, 'error') };
  }
  switch (reason) {
    case 'credentials':
      return { status: 401, body: entry('INVALID_TOKEN', 'invalid oauth token', {}, 'error') };
    case 'no-object':
      return { status: 400, body: entry('INVALID_MODULE', 'the module name given seems to be invalid', {}, 'error') };
    case 'quota':
      return { status: 429, body: entry('TOO_MANY_REQUESTS', 'You have been throttled', {}, 'error') };
    case 'status':
      return { status, body: entry(code ?? 'INTERNAL_ERROR', message ?? 'Internal Server Error', {}, 'error') };
    case 'unknown-field':
      return listed(entry('INVALID_DATA', 'invalid data', { api_name: field }, 'error'));
    case 'required':
      return listed(entry('MANDATORY_NOT_FOUND', 'required field not found', { api_name: field }, 'error'));
    case 'duplicate':
      return listed(entry('DUPLICATE_DATA', 'duplicate data', { api_name: field, duplicate_record: { id } }, 'error'));
    case 'no-record':
      return listed(entry('INVALID_DATA', 'the id given seems to be invalid', {}, 'error'));
    default:
      return listed(entry(code ?? 'INVALID_DATA', message ?? 'body', {}, 'error'));
  }
}

const shown = ({ id, fields, createdAt, updatedAt }: RestRecord) => ({
  id,
  ...fields,
  Created_Time: createdAt,
  Modified_Time: updatedAt,
});

/** `((Email:equals:a)and(Last_Name:equals:b))`; brackets and commas of a value have a backslash before them. */
function readCriteria(criteria: string): Conditions | undefined {
  const inner = /^\((.*)\)$/s.exec(criteria)?.[1] ?? '';
  const parts = [...inner.matchAll(/(?:^|and)\((\w+):equals:((?:[^()\\,]|\\[(),])+)\)/gy)];
  if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== inner) return undefined;
  return parts.map(([, name = '', value = '']) => [name, value.replace(/\\(.)/g, '$1')]);
}

/** Source: Zoho Accounts, "Multi DC support"; Bigin API, "Multi-DC Support" for the domains of the API, but that of the UK, which is assumed. */
const dataCentre = (location: string, accounts: string, api: string): DataCentre => ({
  returned: { location, 'accounts-server': `https://accounts.${accounts}` },
  tokenMembers: { api_domain: `https://www.${api}` },
});

/** A list around the record, and a status for each record inside. */
export const zohoStyle: RestStyle = {
  name: 'zoho',
  objects,
  markerField: 'Last_Name',
  tokenPath: '/oauth/v2/token',
  authorizePath: '/oauth/v2/auth',
  // The usual access is online. Source: googleworkspace/apps-script-oauth2, issue 197.
  isOffline: (query) => query.get('access_type') === 'offline' && query.get('prompt') === 'consent',
  // Clients of Zoho report them with a status of 200.
  tokenErrors: {
    status: 200,
    codes: {
      'refresh-token-gone': 'invalid_code',
      'account-gone': 'invalid_code',
      'code-gone': 'invalid_code',
      'client-unknown': 'invalid_client',
      'client-secret-wrong': 'invalid_client_secret',
      'redirect-mismatch': 'invalid_redirect_uri',
    },
  },
  endpoints: [
    { method: 'GET', path: '/crm/v8/org', action: 'account-details' },
    { method: 'GET', path: '/crm/v8/settings/fields', action: 'fields' },
    { method: 'GET', path: '/crm/v8/:object/search', action: 'search' },
    { method: 'POST', path: '/crm/v8/:object', action: 'create' },
    { method: 'PUT', path: '/crm/v8/:object/:id', action: 'update' },
  ],
  newId: (serial) => String(4_150_868_000_000_500_000n + BigInt(serial)),
  dataCentres: {
    us: dataCentre('us', 'zoho.com', 'zohoapis.com'),
    eu: dataCentre('eu', 'zoho.eu', 'zohoapis.eu'),
    in: dataCentre('in', 'zoho.in', 'zohoapis.in'),
    au: dataCentre('au', 'zoho.com.au', 'zohoapis.com.au'),
    jp: dataCentre('jp', 'zoho.jp', 'zohoapis.jp'),
    cn: dataCentre('cn', 'zoho.com.cn', 'zohoapis.com.cn'),
    sa: dataCentre('sa', 'zoho.sa', 'zohoapis.sa'),
    ca: dataCentre('ca', 'zohocloud.ca', 'zohoapis.ca'),
    uk: dataCentre('uk', 'zoho.uk', 'zohoapis.uk'),
  },
  tokenOf: ({ headers }) =>
    afterWord(headers.authorization, 'Zoho-oauthtoken') ?? afterWord(headers.authorization, 'Bearer'),
  fieldsOf(body) {
    const data = membersOf(body)?.['data'];
    return Array.isArray(data) && data.length === 1 ? membersOf(data[0]) : undefined;
  },
  written(record, _, action) {
    const details = { id: record.id, Created_Time: record.createdAt, Modified_Time: record.updatedAt };
    const message = action === 'create' ? 'record added' : 'record updated';
    return { data: [entry('SUCCESS', message, details, 'success')] };
  },
  found: (records) =>
    records.length > 0 ? { data: records.map(shown), info: { count: records.length, more_records: false } } : undefined,
  conditions: ({ call: { query } }) => readCriteria(query.get('criteria') ?? ''),
  account: (workspaceRef) => ({ org: [{ id: workspaceRef, company_name: 'Sandbox', primary_zuid: '4711' }] }),
  describedBy: ({ query }) => query.get('module') ?? undefined,
  fields: ({ fields, required }) => ({
    fields: Object.entries(fields).map(([name, type]) => ({
      api_name: name,
      field_label: name.replaceAll('_', ' '),
      data_type: type,
      read_only: false,
      custom_field: false,
      system_mandatory: required.includes(name),
      pick_list_values: [],
    })),
  }),
  refused,
};
