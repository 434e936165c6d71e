import { afterWord, basicOf, membersOf, numberOf, spreadCustom } from '../read-json';
import type { Conditions, RestObject, RestRecord, RestRefusal, RestReply, RestStyle } from '../rest-style';

/** Source: docs/contributing/providers.md, 4, zendeskSupport; Zendesk API reference for the search. */
const objects: readonly RestObject[] = [
  {
    name: 'tickets',
    one: 'ticket',
    fields: {
      subject: 'text',
      description: 'text',
      comment: 'object',
      priority: 'text',
      status: 'text',
      external_id: 'text',
      '360001234': 'text',
    },
    required: ['subject'],
    custom: ['360001234'],
  },
  {
    name: 'users',
    one: 'user',
    fields: { name: 'text', email: 'text', phone: 'text' },
    required: ['name'],
    // Of an update it becomes a second one.
    kept: ['email'],
    unique: 'email',
  },
  {
    name: 'organizations',
    one: 'organization',
    fields: { name: 'text', details: 'text' },
    required: ['name'],
    unique: 'name',
  },
];

/** Custom fields of a ticket are pairs. Source: Zendesk API reference, "Setting custom field values". */
const shown = ({ id, fields, createdAt, updatedAt }: RestRecord, { custom }: RestObject) => ({
  id: numberOf(id),
  ...(custom === undefined
    ? fields
    : {
        ...Object.fromEntries(Object.entries(fields).filter(([name]) => !custom.includes(name))),
        custom_fields: custom.map((name) => ({ id: Number(name), value: fields[name] ?? null })),
      }),
  created_at: createdAt,
  updated_at: updatedAt,
});

/** Source: amp-labs, zendesksupport/errors.go; CloudSecurityAlliance/csa-zendesk, "The Zendesk API surface". */
function refused({ reason, field, code, message, status }: RestRefusal): RestReply {
  switch (reason) {
    case 'credentials':
      return { status: 401, body: { error: "Couldn't authenticate you" } };
    case 'no-record':
      return { status: 404, body: { error: 'RecordNotFound', description: 'Not found' } };
    case 'no-object':
      return { status: 404, body: { error: 'InvalidEndpoint', description: 'Not found' } };
    case 'quota':
      return {
        status: 429,
        headers: { 'retry-after': '3' },
        body: { error: 'TooManyRequests', description: 'Limit reached' },
      };
    case 'duplicate':
      return invalid(`${titleOf(field)}: is already being used by another record`, 'DuplicateValue', field);
    case 'required':
      return invalid(`${titleOf(field)}: cannot be blank`, 'BlankValue', field);
    case 'status':
      return { status: status ?? 500, body: { error: code ?? 'InternalError', description: message ?? 'failed' } };
    default:
      return invalid(message ?? `${titleOf(field)}: is invalid`, code ?? 'InvalidValue', field);
  }
}

const titleOf = (field = 'the body') => field.charAt(0).toUpperCase() + field.slice(1);

/** The reason stands under the name of the field only. */
function invalid(reason: string, error: string, field = 'base'): RestReply {
  const details = { [field]: [{ error, description: reason }] };
  return { status: 422, body: { error: 'RecordInvalid', description: 'Record validation errors', details } };
}

/** `type:ticket subject:"a b"`: words in quotes have no escapes. */
function readQuery(query: string): Conditions | undefined {
  const words = [...query.matchAll(/\s*([A-Za-z_][\w.]*):(?:"([^"\\]*)"|(\S+))/gy)];
  if (
    words
      .map(([whole]) => whole)
      .join('')
      .trim() !== query.trim()
  )
    return undefined;
  return words.map(([, name = '', quoted, bare]) => [name, quoted ?? bare ?? '']);
}

/** A body and a reply under a key that the object names; a search by a query language that compares words. */
export const zendeskSupportStyle: RestStyle = {
  name: 'zendeskSupport',
  objects,
  markerField: 'subject',
  tokenPath: '/oauth/tokens',
  authorizePath: '/oauth/authorizations/new',
  endpoints: [
    { method: 'GET', path: '/api/v2/users/me.json', action: 'account-details' },
    { method: 'GET', path: '/api/v2/search.json', action: 'search' },
    { method: 'POST', path: '/api/v2/:object', action: 'create' },
    { method: 'PUT', path: '/api/v2/:object/:id', action: 'update' },
  ],
  // Past what a JavaScript number holds, so that a digit which is lost on the way is noticed. Those of the provider are shorter.
  newId: (serial) => String(9_007_199_254_740_993n + BigInt(serial) * 2n),
  tokenOf: ({ headers }) => basicOf(headers.authorization)?.[1] ?? afterWord(headers.authorization, 'Bearer'),
  fieldsOf(body, { one = '', custom }) {
    const { custom_fields: pairs = [], ...own } = membersOf(membersOf(body)?.[one]) ?? { custom_fields: null };
    if (!Array.isArray(pairs)) return undefined;
    const apart = Object.fromEntries(pairs.map(membersOf).map((pair) => [String(pair?.['id']), pair?.['value']]));
    return spreadCustom({ ...own, apart }, 'apart', custom);
  },
  written: (record, object) => ({ [object.one ?? '']: shown(record, object) }),
  found: (records, object) => ({
    results: records.map((record) => ({ ...shown(record, object), result_type: object.one })),
    count: records.length,
  }),
  searched({ call }) {
    const type = readQuery(call.query.get('query') ?? '')?.find(([name]) => name === 'type')?.[1];
    return objects.find(({ one }) => one === type)?.name;
  },
  conditions: ({ call }) =>
    readQuery(call.query.get('query') ?? '')
      ?.filter(([name]) => name !== 'type')
      .map(([name, value]) => [name.replace(/^custom_field_(?=\d+$)/, ''), value]),
  findsAlike: true,
  account: () => ({ user: { id: 4_711, name: 'Sandbox', role: 'admin' } }),
  refused,
  rateHeaders: (limit, left) => ({ 'x-rate-limit': String(limit), 'x-rate-limit-remaining': String(left) }),
};
