import { afterWord, membersOf, numberOf, setApart, spreadCustom } from '../read-json';
import type { RestObject, RestRecord, RestRefusal, RestReply, RestStyle } from '../rest-style';

/** Source: docs/contributing/providers.md, 4, pipedrive; Pipedrive API reference v2 for the search. */
const tier = 'd4de1c1518b4531717c676029a45911c340390a6';
const objects: readonly RestObject[] = [
  {
    name: 'persons',
    fields: {
      name: 'varchar',
      emails: 'varchar',
      phones: 'phone',
      job_title: 'varchar',
      owner_id: 'user',
      [tier]: 'varchar',
    },
    required: ['name'],
    custom: [tier],
  },
  { name: 'organizations', fields: { name: 'varchar', address: 'address', owner_id: 'user' }, required: ['name'] },
  { name: 'deals', fields: { title: 'varchar', value: 'double', currency: 'varchar' }, required: ['title'] },
];

const fieldAddresses: Readonly<Record<string, string>> = {
  personFields: 'persons',
  organizationFields: 'organizations',
  dealFields: 'deals',
};

const textOf = (one: unknown) => membersOf(one)?.['value'];
const textsOf = (list: unknown) => (Array.isArray(list) ? list.map(textOf) : []);

/** A text is no value of these. Source: pipedrive/client-nodejs, src/versions/v2: AddPersonRequest and its like. */
function fits([name, value]: readonly [string, unknown]): boolean {
  if (value === null || !['emails', 'phones', 'address', 'owner_id', 'value'].includes(name)) return true;
  if (name === 'address') return membersOf(value) !== undefined;
  return name.endsWith('s') ? Array.isArray(value) && !textsOf(value).includes(undefined) : typeof value === 'number';
}

/** What a search calls a field, to its name. */
const searched: Readonly<Record<string, string>> = { email: 'emails', phone: 'phones' };

/** Source: Pipedrive API v2 migration guide, "Custom Fields". */
const shown = ({ id, fields, createdAt, updatedAt }: RestRecord, { custom }: RestObject) => ({
  id: numberOf(id),
  ...setApart(fields, 'custom_fields', custom),
  add_time: createdAt,
  update_time: updatedAt,
});

const refusals: Readonly<Record<RestRefusal['reason'], readonly [status: number, error: string]>> = {
  form: [400, 'Bad request'],
  'unknown-field': [400, 'Unknown field'],
  required: [400, 'Validation failed: a required field is missing'],
  duplicate: [409, 'Conflict'],
  'no-record': [404, 'Record not found'],
  'no-object': [404, 'Unknown method .'],
  credentials: [401, 'unauthorized access'],
  quota: [429, 'request over limit'],
  status: [500, 'Internal error'],
};

function refused({ reason, field, code, message, status: asked }: RestRefusal): RestReply {
  const [usual, error] = refusals[reason];
  const status = asked ?? usual;
  const said = message ?? (field === undefined ? error : `${error}: ${field}`);
  return {
    status,
    body: {
      success: false,
      error: said,
      errorCode: code ?? status,
      error_info: 'Please check developers.pipedrive.com',
    },
    ...(reason === 'quota' && { headers: { 'x-ratelimit-reset': '2' } }),
  };
}

/** Flat bodies, a word of success, numbers as ids, one term per search. */
export const pipedriveStyle: RestStyle = {
  name: 'pipedrive',
  objects,
  markerField: 'name',
  tokenPath: '/oauth/token',
  authorizePath: '/oauth/authorize',
  endpoints: [
    { method: 'GET', path: '/api/v1/users/me', action: 'account-details' },
    { method: 'GET', path: '/api/v2/:object/search', action: 'search' },
    { method: 'GET', path: '/api/v2/:fieldsOf', action: 'fields' },
    { method: 'POST', path: '/api/v2/:object', action: 'create' },
    { method: 'PATCH', path: '/api/v2/:object/:id', action: 'update' },
  ],
  newId: String,
  tokenOf: ({ headers }) => headers['x-api-token'] ?? afterWord(headers.authorization, 'Bearer'),
  fieldsOf(body, { custom }) {
    const fields = spreadCustom(membersOf(body), 'custom_fields', custom);
    return fields && Object.entries(fields).every(fits) ? fields : undefined;
  },
  written: (record, object) => ({ success: true, data: shown(record, object) }),
  found: (records, object) => {
    const items = records.map((record) => {
      // A record that is found shows addresses as texts, and custom fields as texts without keys.
      const { custom_fields, ...members } = shown(record, object) as Readonly<Record<string, unknown>>;
      const [emails, phones] = [textsOf(members['emails']), textsOf(members['phones'])];
      const texts = Object.values(membersOf(custom_fields) ?? {}).filter((text) => typeof text === 'string');
      const item = { ...members, emails, phones, address: textOf(members['address']), custom_fields: texts };
      return { result_score: 1, item };
    });
    return { success: true, data: { items }, additional_data: { next_cursor: null } };
  },
  conditions({ call: { query } }) {
    const [term, field] = [query.get('term'), query.get('fields')];
    if (!term || field === null || query.get('exact_match') !== 'true') return undefined;
    if (Object.values(searched).includes(field)) return undefined;
    return [[searched[field] ?? field, term]];
  },
  account: (workspaceRef) => ({
    success: true,
    data: { id: 4_711, company_id: workspaceRef, company_domain: workspaceRef, name: 'Sandbox' },
  }),
  describedBy: (_, address) => fieldAddresses[address],
  fields: ({ fields, custom = [] }) => ({
    success: true,
    data: Object.entries(fields).map(([code, type]) => ({
      field_code: code,
      field_name: code,
      field_type: type,
      is_custom_field: custom.includes(code),
      is_optional_response_field: false,
      options: null,
    })),
    additional_data: { next_cursor: null },
  }),
  refused,
  rateHeaders: (limit, left) => ({ 'x-ratelimit-limit': String(limit), 'x-ratelimit-remaining': String(left) }),
};
