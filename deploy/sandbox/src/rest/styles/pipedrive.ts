import { membersOf, afterWord, numberOf } from '../read-json';
import type { RestObject, RestRecord, RestRefusal, RestReply, RestStyle } from '../rest-style';

/** Source: docs/contributing/providers.md, 4, pipedrive; Pipedrive API reference v2 for the search. */
const objects: readonly RestObject[] = [
  {
    name: 'persons',
    fields: { name: 'varchar', email: 'varchar', phone: 'phone', job_title: 'varchar', owner_id: 'user' },
    required: ['name'],
  },
  { name: 'organizations', fields: { name: 'varchar', address: 'address', owner_id: 'user' }, required: ['name'] },
  { name: 'deals', fields: { title: 'varchar', value: 'monetary', currency: 'varchar' }, required: ['title'] },
];

const fieldAddresses: Readonly<Record<string, string>> = {
  personFields: 'persons',
  organizationFields: 'organizations',
  dealFields: 'deals',
};

const shown = ({ id, fields, createdAt, updatedAt }: RestRecord) => ({
  id: numberOf(id),
  ...fields,
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
    { method: 'GET', path: '/api/v1/:fieldsOf', action: 'fields' },
    { method: 'GET', path: '/api/v2/:object/search', action: 'search' },
    { method: 'POST', path: '/api/v2/:object', action: 'create' },
    { method: 'PATCH', path: '/api/v2/:object/:id', action: 'update' },
  ],
  newId: String,
  tokenOf: ({ headers }) => headers['x-api-token'] ?? afterWord(headers.authorization, 'Bearer'),
  fieldsOf: (body) => membersOf(body),
  written: (record, _, action) => ({
    status: action === 'create' ? 201 : 200,
    body: { success: true, data: shown(record) },
  }),
  found: (records) => ({
    status: 200,
    body: {
      success: true,
      data: {
        items: records.map((record) => {
          // A record that is found shows addresses as lists, under other names.
          const { email, phone, ...others } = shown(record) as Readonly<Record<string, unknown>>;
          return {
            result_score: 1,
            item: { ...others, emails: [email].filter(Boolean), phones: [phone].filter(Boolean) },
          };
        }),
      },
      additional_data: { next_cursor: null },
    },
  }),
  conditions({ call: { query } }) {
    const [term, field] = [query.get('term'), query.get('fields')];
    if (term === null || term.length < 2 || field === null || query.get('exact_match') !== 'true') return undefined;
    return [[field, term]];
  },
  account: (workspaceRef) => ({
    success: true,
    data: { id: 4_711, company_id: workspaceRef, company_domain: workspaceRef, name: 'Sandbox' },
  }),
  describedBy: (_, address) => fieldAddresses[address],
  fields: ({ fields, required }) => ({
    success: true,
    data: Object.entries(fields).map(([key, type]) => ({
      key,
      name: key,
      field_type: type,
      mandatory_flag: required.includes(key),
      edit_flag: false,
    })),
  }),
  refused,
  rateHeaders: (limit, left) => ({ 'x-ratelimit-limit': String(limit), 'x-ratelimit-remaining': String(left) }),
};
