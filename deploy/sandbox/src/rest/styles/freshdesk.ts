import { basicOf, membersOf, numberOf, setApart, spreadCustom } from '../read-json';
import type { RestObject, RestRecord, RestRefusal, RestReply, RestStyle } from '../rest-style';

/** Source: docs/contributing/providers.md, 4, freshdesk; Freshdesk API v2 for the filters. */
const objects: readonly RestObject[] = [
  {
    name: 'contacts',
    fields: {
      name: 'default_name',
      email: 'default_email',
      phone: 'default_phone',
      mobile: 'default_mobile',
      job_title: 'default_job_title',
      company_id: 'custom_number',
      department: 'custom_text',
    },
    required: ['name'],
    custom: ['department'],
    unique: 'email',
  },
  {
    name: 'tickets',
    fields: {
      subject: 'default_subject',
      description: 'default_description',
      email: 'default_requester',
      cf_tier: 'custom_text',
    },
    required: ['subject'],
    custom: ['cf_tier'],
  },
];

const fieldAddresses: Readonly<Record<string, string>> = { contact_fields: 'contacts', ticket_fields: 'tickets' };

/** Parameters of a list that are no filters. */
const paging = new Set(['page', 'per_page', 'include', 'order_by', 'order_type', 'updated_since']);

const shown = ({ id, fields, createdAt, updatedAt }: RestRecord, { custom }: RestObject) => ({
  id: numberOf(id),
  active: true,
  ...setApart(fields, 'custom_fields', custom),
  created_at: createdAt,
  updated_at: updatedAt,
});

function refused(refusal: RestRefusal): RestReply {
  const { reason, code, message, status } = refusal;
  switch (reason) {
    case 'credentials':
      return {
        status: 401,
        body: { code: 'invalid_credentials', message: 'You have to be logged in to perform this action.' },
      };
    case 'no-record':
    case 'no-object':
      // A reply of 404 has nothing in it.
      return { status: 404 };
    case 'quota':
      return {
        status: 429,
        headers: { 'retry-after': '2' },
        body: { message: 'You have exceeded the limit of requests per hour' },
      };
    case 'duplicate':
      return invalid('It should be a unique value', 'duplicate_value', refusal);
    case 'required':
      return invalid('It should be a/an String', 'missing_field', refusal);
    case 'status':
      return { status: status ?? 500, body: { code: code ?? 'server_error', message: message ?? 'failed' } };
    default:
      return invalid(message ?? 'Unexpected/invalid field in request', code ?? 'invalid_field', refusal);
  }
}

function invalid(message: string, code: string, { field = 'base', existingId }: RestRefusal): RestReply {
  const more = existingId === undefined ? {} : { additional_info: { user_id: numberOf(existingId) } };
  const body = { description: 'Validation failed', errors: [{ field, ...more, message, code }] };
  return { status: existingId === undefined ? 400 : 409, body };
}

/** Flat bodies, a filter per query parameter, a list as the whole reply. */
export const freshdeskStyle: RestStyle = {
  name: 'freshdesk',
  objects,
  markerField: 'name',
  tokenPath: '/oauth/token',
  authorizePath: '/oauth/authorize',
  endpoints: [
    { method: 'GET', path: '/api/v2/agents/me', action: 'account-details' },
    { method: 'GET', path: '/api/v2/contact_fields', action: 'fields' },
    { method: 'GET', path: '/api/v2/ticket_fields', action: 'fields' },
    { method: 'GET', path: '/api/v2/:object', action: 'search' },
    { method: 'POST', path: '/api/v2/:object', action: 'create' },
    { method: 'PUT', path: '/api/v2/:object/:id', action: 'update' },
  ],
  newId: (serial) => String(43_044_530_000 + serial),
  tokenOf: ({ headers }) => basicOf(headers.authorization)?.[0],
  fieldsOf: (body, { custom }) => spreadCustom(membersOf(body), 'custom_fields', custom),
  written: shown,
  found: (records, object) => records.map((record) => shown(record, object)),
  conditions: ({ call: { query } }) => [...query].filter(([name]) => !paging.has(name)),
  account: () => ({ id: 4_711, contact: { name: 'Sandbox', email: 'agent@example.com' } }),
  describedBy: ({ path }) => fieldAddresses[path.split('/').at(-1) ?? ''],
  fields: ({ fields, required, custom = [] }) =>
    Object.entries(fields).map(([name, type], index) => ({
      id: index + 1,
      name,
      label: name,
      type,
      default: !custom.includes(name),
      required_for_agents: required.includes(name),
    })),
  refused,
  rateHeaders: (limit, left) => ({ 'x-ratelimit-total': String(limit), 'x-ratelimit-remaining': String(left) }),
};
