import type { Fields } from '../requests';
import { captureDeclared } from '../../test/captured-calls';
import type { Declaration } from './declaration';
import { loadDeclarations } from './load-declarations';

const hash = 'd4de1c1518b4531717c676029a45911c340390a6';
const files = loadDeclarations();
const authOf = (provider: string) => ({
  accessToken: 'YTpi',
  ...(provider !== 'zoho' && { kind: provider === 'zendeskSupport' ? ('basic' as const) : ('apiKey' as const) }),
  workspaceRef: 'acme',
});
function open(provider: string, reply: unknown) {
  const file = files.find(({ name }) => name === provider) as Declaration;
  return captureDeclared(file, () => reply);
}

interface Row {
  readonly provider: string;
  readonly objectName: string;
  /** Names for one field; the first is the one that is offered. */
  readonly names: readonly [string, ...string[]];
  /** What the body has. */
  readonly body: unknown;
  /** A record as the provider replies it. */
  readonly record: unknown;
  readonly saved: (record: unknown) => unknown;
}

const nested = (at: string, name: string) => `$['${at}']['${name}']`;
const rows: readonly Row[] = [
  {
    provider: 'pipedrive',
    objectName: 'persons',
    names: [hash, nested('custom_fields', hash)],
    body: { name: 'A', custom_fields: { [hash]: 'gold' } },
    record: { id: 1, name: 'A', custom_fields: { [hash]: 'gold' } },
    saved: (data) => ({ success: true, data }),
  },
  {
    provider: 'freshdesk',
    objectName: 'tickets',
    names: ['cf_tier', nested('custom_fields', 'cf_tier')],
    body: { name: 'A', custom_fields: { cf_tier: 'gold' } },
    record: { id: 1, name: 'A', custom_fields: { cf_tier: 'gold' } },
    saved: (record) => record,
  },
  {
    provider: 'zendeskSupport',
    objectName: 'tickets',
    names: ['360001234', nested('custom_fields', '360001234')],
    body: { ticket: { name: 'A', custom_fields: [{ id: 360_001_234, value: 'gold' }] } },
    record: {
      id: 1,
      name: 'A',
      custom_fields: [
        { id: 5, value: null },
        { id: 360_001_234, value: 'gold' },
      ],
    },
    saved: (ticket) => ({ ticket }),
  },
  {
    provider: 'close',
    objectName: 'lead',
    names: ['custom.cf_Ab1', 'cf_Ab1', nested('custom', 'cf_Ab1')],
    body: { name: 'A', 'custom.cf_Ab1': 'gold' },
    record: { id: 'lead_1', name: 'A', 'custom.cf_Ab1': 'gold' },
    saved: (record) => record,
  },
  {
    provider: 'zoho',
    objectName: 'Leads',
    names: ['Tier__c'],
    body: { data: [{ name: 'A', Tier__c: 'gold' }] },
    record: undefined,
    saved: () => ({ data: [{ status: 'success', details: { id: '1' } }] }),
  },
];

describe.each(rows)('$provider', ({ provider, objectName, names, body, record, saved }) => {
  it('one field under each of its names, and where the provider keeps it', async () => {
    const { connector, taken } = open(provider, saved(record));
    const [offered] = names;
    for (const name of names) expect(connector.capabilities.fields.fieldOf?.(objectName, name)).toBe(offered);
    const fields = { name: 'A', [offered]: 'gold' };
    const created = await connector.create({ auth: authOf(provider), objectName, fields });
    const recordId = provider === 'close' ? 'lead_1' : '1';
    const updated = await connector.update({ auth: authOf(provider), objectName, recordId, fields });
    expect(taken().map((request) => request.body)).toEqual([body, body]);
    const held = [created, updated].map((result) => (result.ok ? result.data?.[offered] : result.error));
    expect(held).toEqual(record === undefined ? [undefined, undefined] : ['gold', 'gold']);
  });
});

it('a custom field goes beside what the record has there, and the form of its name decides, not its place', async () => {
  const { connector, taken } = open('pipedrive', { success: true, data: { id: 1 } });
  const fields = { name: 'A', custom_fields: { b: 1 }, [hash]: { value: 5, currency: 'EUR' } };
  await connector.create({ auth: authOf('pipedrive'), objectName: 'deals', fields });
  expect(taken()[0]?.body).toEqual({ name: 'A', custom_fields: { b: 1, [hash]: { value: 5, currency: 'EUR' } } });
  const { fieldOf } = connector.capabilities.fields;
  expect(fieldOf?.('deals', nested('custom_fields', hash) + "['currency']")).toBe(`$['${hash}']['currency']`);
});

it('pairs take no other names than theirs', () => {
  const { connector } = open('zendeskSupport', {});
  const { fieldOf } = connector.capabilities.fields;
  expect(fieldOf?.('tickets', nested('custom_fields', 'tier'))).toBeUndefined();
  expect(fieldOf?.('users', nested('user_fields', 'tier'))).toBe(nested('user_fields', 'tier'));
});

const described: readonly (readonly [string, string, unknown, Fields])[] = [
  [
    'pipedrive',
    'persons',
    {
      success: true,
      data: [
        { field_code: 'name', field_name: 'Name', field_type: 'varchar', is_custom_field: false },
        {
          field_code: hash,
          field_name: 'Tier',
          field_type: 'enum',
          is_custom_field: true,
          options: [{ id: 7, label: 'Gold' }],
        },
      ],
    },
    {
      name: { isCustom: false },
      [hash]: { displayName: 'Tier', isCustom: true, values: [{ value: '7', displayValue: 'Gold' }] },
    },
  ],
  [
    'freshdesk',
    'contacts',
    [
      { name: 'email', label: 'Email', type: 'default_email', default: true },
      { name: 'department', label: 'Department', type: 'custom_text', default: false },
      { name: 'cf_tier', label: 'Tier', type: 'custom_text', default: false },
    ],
    {
      email: { isCustom: false },
      "$['custom_fields']['department']": { displayName: 'Department', isCustom: true },
      cf_tier: { isCustom: true },
    },
  ],
];

it.each(described)(
  '%s: a field is offered under the name that a write takes',
  async (provider, objectName, reply, fields) => {
    const { connector, taken } = open(provider, reply);
    const metadata = await connector.describe({ auth: authOf(provider), objectName });
    expect(metadata.fields).toMatchObject(fields);
    for (const name of Object.keys(fields))
      expect(connector.capabilities.fields.fieldOf?.(objectName, name)).toBe(name);
    expect(taken()[0]?.path.split('?')[0]).toBe(provider === 'pipedrive' ? '/api/v2/personFields' : '/contact_fields');
  },
);

const search = { fields: ['name'], limit: 10 };
it('Zendesk: a row has its pairs under their names, and a filter names the field', async () => {
  const row = { id: 1, name: 'A', custom_fields: [{ id: 42, value: 'gold' }] };
  const { connector, taken } = open('zendeskSupport', { results: [row] });
  const filters = [{ field: '42', value: 'gold' }];
  const found = await connector.search({ ...search, auth: authOf('zendeskSupport'), objectName: 'tickets', filters });
  expect(found.records).toMatchObject([{ id: '1', fields: { 42: 'gold' }, raw: row }]);
  expect(decodeURIComponent(taken()[0]?.path ?? '')).toContain('type:ticket+custom_field_42:"gold"');
});

it('Close: a filter on a custom field is another than on the others, and its name is asked for', async () => {
  const { connector, taken } = open('close', { data: [] });
  const filters = [{ field: 'custom.cf_Ab1', value: 'gold' }];
  await connector.search({
    ...search,
    auth: authOf('close'),
    objectName: 'contact',
    fields: ['custom.cf_Ab1'],
    filters,
  });
  expect(taken()[0]?.body).toMatchObject({
    query: {
      queries: [{}, { field: { type: 'custom_field', custom_field_id: 'cf_Ab1' }, condition: { value: 'gold' } }],
    },
    _fields: { contact: ['id', 'date_created', 'custom.cf_Ab1'] },
  });
});

// Source: Pipedrive API reference v2, "Search persons": custom fields are texts without keys.
it('Pipedrive: no custom field can be read from a row, nor be searched by', async () => {
  const row = { result_score: 1, item: { id: 1, name: 'A', custom_fields: ['gold'] } };
  const { connector, taken } = open('pipedrive', { success: true, data: { items: [row] } });
  const byName = {
    ...search,
    auth: authOf('pipedrive'),
    objectName: 'persons',
    filters: [{ field: 'name', value: 'A' }],
  };
  expect((await connector.search(byName)).records[0]?.fields).toEqual(row.item);
  taken();
  const filters = [{ field: hash, value: 'gold' }];
  await expect(connector.search({ ...byName, filters })).rejects.toMatchObject({
    class: 'rejected',
    detail: expect.stringContaining(hash),
  });
  expect(taken()).toEqual([]);
});
