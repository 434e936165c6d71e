import { derivedUuid } from '../../control/derived';
import { afterWord, membersOf } from '../read-json';
import type { Conditions, RestObject, RestRecord, RestRefusal, RestReply, RestStyle } from '../rest-style';

/** Source: docs/contributing/providers.md, 4, klaviyo; Klaviyo API reference for profiles. */
const objects: readonly RestObject[] = [
  {
    name: 'profiles',
    one: 'profile',
    fields: {
      email: 'string',
      phone_number: 'string',
      external_id: 'string',
      first_name: 'string',
      last_name: 'string',
      organization: 'string',
      title: 'string',
      location: 'object',
      properties: 'object',
    },
    required: [],
    unique: 'email',
  },
];

const shown = ({ id, fields, createdAt, updatedAt }: RestRecord, type = '') => ({
  type,
  id,
  attributes: { ...fields, created: createdAt, updated: updatedAt },
  links: { self: `https://a.klaviyo.com/api/${type}s/${id}/` },
});

const refusals: Readonly<Record<RestRefusal['reason'], readonly [status: number, code: string, detail: string]>> = {
  form: [400, 'invalid', 'Invalid input.'],
  'unknown-field': [400, 'invalid', 'is not a valid field for the resource'],
  required: [400, 'required', 'This field is required.'],
  duplicate: [409, 'duplicate_profile', 'A profile already exists with one of these identifiers.'],
  'no-record': [404, 'not_found', 'A profile with this id does not exist.'],
  'no-object': [404, 'not_found', 'The path could not be found.'],
  credentials: [401, 'not_authenticated', 'Missing or invalid private key.'],
  quota: [429, 'throttled', 'Request was throttled. Expected available in 1 second.'],
  status: [500, 'error', 'A server error occurred.'],
};

function refused({ reason, field, existingId, code: asked, message, status: other }: RestRefusal): RestReply {
  const [usual, code, detail] = refusals[reason];
  const status = other ?? usual;
  const said = message ?? (reason === 'unknown-field' ? `'${field}' ${detail}` : detail);
  const error = {
    id: derivedUuid(`error ${reason}`),
    status,
    code: asked ?? code,
    title: 'The request was refused.',
    detail: said,
    source: { pointer: field === undefined ? '/data/' : `/data/attributes/${field}` },
    ...(existingId !== undefined && { meta: { duplicate_profile_id: existingId } }),
  };
  return { status, body: { errors: [error] }, ...(reason === 'quota' && { headers: { 'retry-after': '1' } }) };
}

/** `equals(email,"a@b.c"),equals(first_name,"A")`; a backslash escapes what follows it. */
function readFilter(filter: string): Conditions | undefined {
  const parts = [...filter.matchAll(/(?:^|,)equals\((\w+),"((?:[^"\\]|\\.)*)"\)/gy)];
  if (parts.map(([whole]) => whole).join('') !== filter) return undefined;
  return parts.map(([, name = '', value = '']) => [name, value.replace(/\\(.)/g, '$1')]);
}

/** JSON:API. */
export const klaviyoStyle: RestStyle = {
  name: 'klaviyo',
  objects,
  markerField: 'last_name',
  tokenPath: '/oauth/token',
  authorizePath: '/oauth/authorize',
  endpoints: [
    { method: 'GET', path: '/api/accounts', action: 'account-details' },
    { method: 'GET', path: '/api/:object', action: 'search' },
    { method: 'POST', path: '/api/:object', action: 'create' },
    { method: 'PATCH', path: '/api/:object/:id', action: 'update' },
  ],
  newId: (serial) => `01SANDBOX${serial.toString(36).toUpperCase().padStart(10, '0')}`,
  // Without a revision Klaviyo answers as years ago: here it is no answer at all.
  tokenOf: ({ headers }) =>
    headers.revision === undefined
      ? undefined
      : (afterWord(headers.authorization, 'Klaviyo-API-Key') ?? afterWord(headers.authorization, 'Bearer')),
  // A revision is served for two years. Source: Klaviyo, API versioning and deprecation policy; the code of the 410 is assumed.
  isOver: ({ headers }, now) => {
    const [year = '', ...rest] = (headers.revision ?? '').split('-');
    return new Date(`${Number(year) + 2}-${rest.join('-')}`) <= now;
  },
  fieldsOf(body, { one }, id) {
    const data = membersOf(membersOf(body)?.['data']);
    const isMeant = data?.['type'] === one && (id === undefined || data?.['id'] === id);
    return isMeant ? membersOf(data?.['attributes']) : undefined;
  },
  written: (record, { one }) => ({ data: shown(record, one) }),
  found: (records, { one }) => ({ data: records.map((record) => shown(record, one)), links: { next: null } }),
  conditions: ({ call: { query } }) => readFilter(query.get('filter') ?? ''),
  account: (workspaceRef) => ({ data: [{ type: 'account', id: workspaceRef, attributes: { test_account: true } }] }),
  refused,
  rateHeaders: (limit, left) => ({ 'ratelimit-limit': String(limit), 'ratelimit-remaining': String(left) }),
};
