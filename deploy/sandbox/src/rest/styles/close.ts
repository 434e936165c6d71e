import { digest } from '../../control/derived';
import { afterWord, basicOf, membersOf } from '../read-json';
import type { Conditions, RestObject, RestRecord, RestRefusal, RestReply, RestStyle, SentSearch } from '../rest-style';

/** Source: docs/contributing/providers.md, 4, close. */
const objects: readonly RestObject[] = [
  {
    name: 'lead',
    fields: { name: 'text', description: 'text', url: 'text', status_label: 'text', 'custom.cf_Tier1': 'text' },
    required: [],
  },
  { name: 'contact', fields: { name: 'text', title: 'text', lead_id: 'text', emails: 'list' }, required: ['lead_id'] },
  { name: 'opportunity', fields: { note: 'text', lead_id: 'text', confidence: 'number' }, required: ['lead_id'] },
];

const shown = ({ id, fields, createdAt, updatedAt }: RestRecord) => ({
  id,
  ...fields,
  date_created: createdAt,
  date_updated: updatedAt,
});

const refusals: Readonly<Record<RestRefusal['reason'], readonly [status: number, error: string]>> = {
  form: [400, 'The request could not be read.'],
  'unknown-field': [400, 'Unknown field'],
  required: [400, 'This field is required'],
  duplicate: [400, 'Duplicate value'],
  'no-record': [404, 'Not Found'],
  'no-object': [404, 'Not Found'],
  credentials: [401, 'The API key you provided is incorrect.'],
  quota: [429, 'API call count exceeded for this 1 second window'],
  status: [500, 'Internal Server Error'],
};

function refused({ reason, field, code, message, status: asked }: RestRefusal): RestReply {
  const [usual, error] = refusals[reason];
  const said = message ?? (field === undefined ? error : `${error}: ${field}`);
  return {
    status: asked ?? usual,
    body: { error: said, ...(code !== undefined && { code }) },
    ...(reason === 'quota' && { headers: { 'retry-after': '1', ratelimit: 'limit=40, remaining=0, reset=1' } }),
  };
}

/** The queries joined by AND; undefined for a body of another form. */
function queriesOf({ body }: SentSearch): readonly Readonly<Record<string, unknown>>[] | undefined {
  const query = membersOf(membersOf(body)?.['query']);
  if (query?.['type'] !== 'and' || !Array.isArray(query['queries'])) return undefined;
  const queries = query['queries'].map(membersOf);
  return queries.every((one) => one !== undefined) ? queries : undefined;
}

function conditionOf(query: Readonly<Record<string, unknown>>): Conditions[number] | undefined {
  const [field, condition] = [membersOf(query['field']), membersOf(query['condition'])];
  const isCustom = field?.['type'] === 'custom_field';
  const name = isCustom ? `custom.${String(field['custom_field_id'])}` : field?.['field_name'];
  const value = condition?.['value'];
  const isExact = condition?.['type'] === 'text' && condition['mode'] === 'exact_value';
  return isExact && typeof name === 'string' && typeof value === 'string' ? [name, value] : undefined;
}

/** Slashes at the end of every address, PUT for updates, a search that is a body of JSON. */
export const closeStyle: RestStyle = {
  name: 'close',
  objects,
  markerField: 'name',
  tokenPath: '/oauth2/token/',
  authorizePath: '/oauth2/authorize/',
  isOffline: (query) => query.get('scope')?.split(' ').includes('offline_access') ?? true,
  endpoints: [
    { method: 'GET', path: '/api/v1/me/', action: 'account-details' },
    { method: 'POST', path: '/api/v1/data/search/', action: 'search' },
    { method: 'POST', path: '/api/v1/:object/', action: 'create' },
    { method: 'PUT', path: '/api/v1/:object/:id/', action: 'update' },
  ],
  newId: (serial) =>
    `lead_${digest(`close ${serial}`)
      .toString('base64')
      .replace(/[^A-Za-z0-9]/g, '')
      .slice(0, 22)}`,
  tokenOf({ headers }) {
    const [user, password] = basicOf(headers.authorization) ?? [];
    return password === '' ? user : afterWord(headers.authorization, 'Bearer');
  },
  // Names that it does not know are passed over, but for custom fields. Source: closeio/closeio-api#38; taylorbrooks/closeio#64.
  fieldsOf(body, { fields }) {
    const isRead = (name: string) => Object.hasOwn(fields, name) || name.startsWith('custom.');
    const members = membersOf(body);
    return members && Object.fromEntries(Object.entries(members).filter(([name]) => isRead(name)));
  },
  written: shown,
  createdStatus: 200,
  found: (records) => ({
    data: records.map((record) => ({ __object_type: record.type, ...shown(record) })),
    cursor: null,
  }),
  searched: (search) => {
    const type = queriesOf(search)?.find((query) => query['type'] === 'object_type')?.['object_type'];
    return typeof type === 'string' ? type : undefined;
  },
  conditions(search) {
    const conditions = queriesOf(search)
      ?.filter((query) => query['type'] === 'field_condition')
      .map(conditionOf);
    return conditions?.every((one) => one !== undefined) ? conditions : undefined;
  },
  account: (workspaceRef) => ({ id: 'user_sandbox', organizations: [{ id: workspaceRef, name: 'Sandbox' }] }),
  refused,
  rateHeaders: (limit, left) => ({ ratelimit: `limit=${limit}, remaining=${left}, reset=10` }),
};
