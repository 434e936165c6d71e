import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contacts, startClient, type Client, type WireRecord } from './sandbox-client';

/*
 * What HubSpot does that neither its own client (hubspot-client.test.ts) nor our connector (tests/flows/connector-conformance.test.ts)
 * reaches: how a value is refused, which record is named, what search sees, what is kept of a batch that fails.
 */

/** A clock the test moves: search lag is measured with it. */
let now = new Date('2026-01-01T00:00:00.000Z');
let client: Client;
beforeAll(async () => {
  client = await startClient({ now: () => now }, { limits: { perTenSeconds: 0, searchesPerSecond: 0 } });
});
afterAll(() => client.close());
beforeEach(() => client.reset());

const objects = '/crm/v3/objects';
const create = async (object: string, properties: object): Promise<string> =>
  (await client.call('POST', `${objects}/${object}`, { properties })).body.id;
const batch = (kind: string, inputs: unknown, more: object = {}) =>
  client.call('POST', `${contacts}/batch/${kind}`, { inputs, ...more });
const traced = (inputs: object[]) => inputs.map((input, index) => ({ ...input, objectWriteTraceId: String(index) }));
const emails = (...names: string[]) => names.map((name) => ({ properties: { email: `${name}@example.com` } }));

describe('a value', () => {
  it('is kept as text, an email lower-cased; unset ones are null, and computed ones are shown', async () => {
    const { status, headers, body } = await client.call('POST', contacts, {
      properties: {
        email: ' Ana.Łuna@Example.com',
        firstname: 'Ána',
        loyalty_points: 12,
        newsletter: true,
        phone: '+47 22',
      },
      associations: null,
    });
    expect([status, headers.get('location')]).toEqual([201, `${client.url}${contacts}/${body.id}`]);
    expect(body.properties).toMatchObject({
      email: 'ana.łuna@example.com',
      loyalty_points: '12',
      newsletter: 'true',
      hs_object_id: body.id,
      hs_email_domain: 'example.com',
      hs_searchable_calculated_phone_number: '4722',
    });
    expect(Object.keys(body.properties)).toEqual(Object.keys(body.properties).toSorted());
    const read = await client.call('GET', `${contacts}/${body.id}?properties=city,shoe&properties=phone`);
    expect(read.body.properties).toMatchObject({ city: null, phone: '+47 22' });
    expect(read.body.properties).not.toHaveProperty('shoe');
    const cleared = await client.call('PATCH', `${contacts}/${body.id}`, { properties: { phone: '', city: 'Łódź' } });
    expect(cleared.body.properties).toMatchObject({ phone: '', city: 'Łódź' });
    expect((await client.records())[0]?.properties).not.toHaveProperty('phone');
    const asText = { authorization: `Bearer ${client.token}`, 'content-type': 'text/plain' };
    expect((await client.send('POST', contacts, '{"properties":{}}', asText)).status).toBe(415);
  });

  it.each<[string, object, string, string]>([
    ['contacts', { shoe_size: 'x' }, 'PROPERTY_DOESNT_EXIST', 'Property "shoe_size" does not exist'],
    ['contacts', { hs_object_id: 'x' }, 'READ_ONLY_VALUE', '"hs_object_id" is a read only property'],
    ['contacts', { email: 'a@example' }, 'INVALID_EMAIL', 'Email address a@example is invalid'],
    ['contacts', { loyalty_points: 'abc' }, 'INVALID_LONG', 'abc was not a valid long.'],
    ['contacts', { interests: 'music;chess' }, 'INVALID_OPTION', 'chess was not one of the allowed options'],
    ['contacts', { newsletter: 'yes' }, 'INVALID_OPTION', 'allowed options: [true, false]'],
    ['contacts', { birthday: 'soon' }, 'INVALID_DATE', 'soon was not a valid date.'],
    ['companies', { domain: 'a.example' }, 'MISSING_REQUIRED_PROPERTY', 'A value for name must be provided'],
    ['deals', { dealname: 'A', dealstage: 'won' }, 'INVALID_OPTION', 'won was not one of the allowed options'],
  ])('of %s is refused: %j is %s', async (object, properties, code, message) => {
    const { status, body } = await client.call('POST', `${objects}/${object}`, { properties });
    expect([status, body.category, body.errors[0].code]).toEqual([400, 'VALIDATION_ERROR', code]);
    expect(body.errors[0].message).toContain(message);
    expect((await client.send('GET', `/_sandbox/records?account=acme&object=${object}`)).body).toEqual([]);
  });

  it('is one of several that are wrong: all are in the message, three in the errors', async () => {
    const { body } = await client.call('POST', contacts, { properties: { a1: 'x', b1: 'x', c1: 'x', d1: 'x' } });
    expect(body.message.match(/"isValid":false/g)).toHaveLength(4);
    expect(body.errors).toHaveLength(3);
  });

  it('that is unique is refused a second time, whatever its case, and free again once its record is archived', async () => {
    const id = await create('contacts', { email: 'ana@example.com' });
    const refused = await client.call('POST', contacts, { properties: { email: 'ANA@Example.com' } });
    const message = `Contact already exists. Existing ID: ${id}`;
    expect([refused.status, refused.body.category, refused.body.message]).toEqual([409, 'CONFLICT', message]);
    const other = await create('contacts', { firstname: 'Bo' });
    const taken = await client.call('PATCH', `${contacts}/${other}`, { properties: { email: 'ana@example.com' } });
    expect(taken.status).toBe(409);
    expect((await client.call('DELETE', `${contacts}/${id}`)).status).toBe(204);
    expect((await client.call('DELETE', `${contacts}/${id}`)).status).toBe(204);
    expect(await create('contacts', { email: 'ana@example.com' })).not.toBe(id);
    await create('companies', { name: 'One', domain: 'one.example', account_code: 'A1' });
    const twice = { properties: { name: 'Two', domain: 'one.example', account_code: 'a1' } };
    const company = await client.call('POST', `${objects}/companies`, twice);
    expect([company.status, company.body.errors[0].code]).toEqual([400, 'CONFLICTING_UNIQUE_VALUE']);
  });
});

const twice = { inputs: [{ id: '1' }, { id: '1' }] };
const many = { inputs: Array.from({ length: 101 }, () => ({ id: '1' })) };
it.each<[string, string, unknown, number, string]>([
  ['GET', `${contacts}/123`, undefined, 404, 'resource not found'],
  ['GET', `${contacts}/ana`, undefined, 404, 'Object not found.  objectId are usually numeric.'],
  ['PATCH', `${contacts}/x?idProperty=city`, { properties: {} }, 400, 'by non-unique 0-1 property city'],
  ['POST', contacts, {}, 400, 'Some required fields were not set: [properties]'],
  ['POST', contacts, '{oops}', 400, 'Invalid input JSON on line 1: '],
  ['POST', `${objects}/butterflies`, { properties: {} }, 400, 'Unable to infer object type from: butterflies'],
  ['POST', `${contacts}/batch/create`, { inputs: [] }, 400, 'inputs must not be empty'],
  ['POST', `${contacts}/batch/read`, twice, 400, 'Duplicate IDs found in batch input: [1]'],
  ['POST', `${contacts}/batch/update`, many, 400, 'supported in a batch is 100.'],
  ['GET', `${objects}/deals?limit=101`, undefined, 400, 'limit'],
  ['GET', '/crm/properties/2026-03/contacts', undefined, 404, '<html>'],
])('answers %s %s in its own words', async (...[method, path, body, status, message]) => {
  const answer = await client.call(method, path, body);
  expect([answer.status, String(answer.body.message ?? answer.body)]).toEqual([
    status,
    expect.stringContaining(message),
  ]);
});

describe('a batch', () => {
  it('with a trace id on each input writes what it can, and names the others', async () => {
    const id = await create('contacts', { email: 'b@example.com' });
    const inputs = traced([...emails('a', 'B', 'c', 'a'), { properties: { email: 'nobody' } }]);
    const { status, body } = await batch('create', inputs);
    expect([status, body.results.length, body.numErrors]).toEqual([207, 2, 3]);
    expect(body.errors.map((error: { context: object }) => error.context)).toEqual([
      { objectWriteTraceId: ['1'], existingId: [id] },
      { objectWriteTraceId: ['3'], existingId: [body.results[1].id] },
      { objectWriteTraceId: ['4'] },
    ]);
  });

  it.each<[string, object[], number]>([
    ['without trace ids', emails('a', 'b'), 409],
    ['with one trace id twice', emails('a', 'b').map((input) => ({ ...input, objectWriteTraceId: '0' })), 409],
    ['with one value twice', emails('a', 'A'), 409],
    ['with an unknown property, trace ids or not', traced([...emails('a'), { properties: { shoe: '1' } }]), 400],
  ])('%s writes all or nothing, and does not say who is in the way', async (_name, inputs, expected) => {
    await create('contacts', { email: 'b@example.com' });
    const { status, body } = await batch('create', inputs);
    expect([status, body.message]).toEqual([expected, expect.not.stringContaining('Existing ID')]);
    expect(await client.records()).toHaveLength(1);
  });

  it('of updates is partial in every mode, in the order of ids, and reports the missing together', async () => {
    const ids = [await create('contacts', {}), await create('contacts', { email: 'a@example.com' })];
    const inputs = [{ id: '7' }, { id: ids[1] }, { id: '8' }, { id: ids[0] }];
    const { status, body } = await batch(
      'update',
      inputs.map((input) => ({ ...input, properties: { city: 'Oslo' } })),
    );
    expect([status, body.results.map(({ id }: WireRecord) => id)]).toEqual([207, ids]);
    expect(body.errors).toMatchObject([{ category: 'OBJECT_NOT_FOUND', context: { ids: ['7', '8'] } }]);
    const byEmail = { id: ' A@example.com', idProperty: 'email', properties: {} };
    expect((await batch('update', [byEmail])).body.results[0].id).toBe(ids[1]);
    expect((await batch('update', [byEmail, { id: ids[1], properties: {} }])).status).toBe(400);
  });

  it('of reads and links names what is missing', async () => {
    const id = await create('contacts', { email: 'a@example.com' });
    const { status, body } = await batch('read', [{ id: 'A@example.com' }, { id: 'b@example.com' }], {
      idProperty: 'email',
    });
    expect([status, body.results[0].id, body.errors[0].context.ids]).toEqual([207, id, ['b@example.com']]);
    const company = await create('companies', { name: 'Acme' });
    const types = (associationTypeId: number) => [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId }];
    const pair = { from: { id }, to: { id: company } };
    const inputs = [
      { ...pair, types: types(341) },
      { ...pair, to: { id: '42' }, types: types(279) },
      { ...pair, types: types(1) },
    ];
    const linked = await client.call('POST', '/crm/v4/associations/contacts/companies/batch/create', { inputs });
    expect([linked.status, linked.body.results.length, linked.body.numErrors]).toEqual([207, 1, 2]);
  });

  it('of upserts is partial with trace ids, but never by email', async () => {
    const known = await create('contacts', { customer_number: 'C1' });
    const inputs = (idProperty: string, ids: string[]) =>
      traced(ids.map((id, at) => ({ idProperty, id, properties: at === 1 ? { loyalty_points: 'many' } : {} })));
    const partial = await batch('upsert', inputs('customer_number', ['c1', 'C2', 'C3']));
    expect([partial.status, partial.body.errors.length]).toEqual([207, 1]);
    expect(partial.body.results).toMatchObject([{ id: known, new: false }, { new: true }]);
    expect((await batch('upsert', inputs('email', ['a@example.com', 'b@example.com']))).status).toBe(400);
    expect(await client.records()).toHaveLength(2);
  });
});

describe('search', () => {
  const where = (...filters: object[]) => ({ filterGroups: [{ filters }] });
  const eq = (propertyName: string, value: string) => ({ propertyName, operator: 'EQ', value });
  const ids = async (body: unknown) => (await client.search(body)).body.results.map(({ id }: WireRecord) => id);

  it('lags behind writes by the time set for the account; reads by id do not', async () => {
    const lag = (searchLagMs: number) =>
      client.send('POST', '/_sandbox/accounts', { name: 'acme', provider: 'hubspot', searchLagMs });
    await lag(5000);
    const id = await create('contacts', { city: 'Oslo' });
    expect(await ids({})).toEqual([]);
    expect((await batch('read', [{ id }])).status).toBe(200);
    now = new Date(now.getTime() + 5000);
    await client.call('PATCH', `${contacts}/${id}`, { properties: { city: 'Bergen' } });
    expect([await ids(where(eq('city', 'oslo'))), await ids(where(eq('city', 'bergen')))]).toEqual([[id], []]);
    now = new Date(now.getTime() + 5000);
    await client.call('DELETE', `${contacts}/${id}`);
    expect(await ids(where(eq('city', 'bergen')))).toEqual([id]);
    await lag(0);
    expect(await ids({})).toEqual([]);
  });

  it('joins groups by OR, pages in the order of creation, and sorts numbers as numbers', async () => {
    const all: string[] = [];
    for (const loyalty_points of [9, 100, 20]) all.push(await create('contacts', { loyalty_points }));
    const either = {
      filterGroups: [{ filters: [eq('loyalty_points', '9')] }, { filters: [eq('loyalty_points', '20')] }],
    };
    expect(await ids(either)).toEqual([all[0], all[2]]);
    expect((await client.search({ limit: 2 })).body).toMatchObject({ total: 3, paging: { next: { after: '2' } } });
    expect(await ids({ limit: 2, after: '2' })).toEqual([all[2]]);
    expect(await ids({ sorts: ['-loyalty_points'] })).toEqual([all[1], all[2], all[0]]);
  });

  it.each<[string, object, string]>([
    ['a page above 200', { limit: 201 }, 'limit must be between 1 and 200'],
    ['a page past 10,000 results', { after: '9991', limit: 10 }, 'Search cannot page past 10000 results'],
    ['six groups', { filterGroups: Array.from({ length: 6 }, () => ({ filters: [] })) }, 'at most 5 filter groups'],
    ['seven filters in a group', where(...Array.from({ length: 7 }, () => eq('city', 'x'))), '6 filters in each'],
    ['an unknown property', where(eq('shoe', 'x')), 'There was a problem with the request.'],
    ['an empty value', where(eq('email', ' ')), "non-blank, if specified {propertyName: 'email'}"],
  ])('refuses %s', async (_name, body, message) => {
    const { status, body: refused } = await client.search(body);
    expect([status, refused.message]).toEqual([400, expect.stringContaining(message)]);
  });

  it('finds by what a record is linked to', async () => {
    const [linked] = [await create('contacts', {}), await create('contacts', {})];
    const company = await create('companies', { name: 'Fjordlys' });
    await client.call('PUT', `/crm/v4/objects/contacts/${linked}/associations/default/companies/${company}`);
    expect(await ids(where(eq('associations.company', company)))).toEqual([linked]);
    expect((await client.search(where(eq('associations.planet', company)))).status).toBe(400);
  });
});

describe('links', () => {
  const link = (id: string, associationTypeId: number, associationCategory = 'HUBSPOT_DEFINED') => [
    { to: { id }, types: [{ associationCategory, associationTypeId }] },
  ];

  it.each([
    ['to nobody', () => link('42', 279)],
    ['of a type that begins elsewhere', (company: string) => link(company, 341)],
    ['of a category of the customer', (company: string) => link(company, 279, 'USER_DEFINED')],
  ])('%s refuse the record', async (_name, linksTo) => {
    const associations = linksTo(await create('companies', { name: 'Acme' }));
    const { status, body } = await client.call('POST', contacts, { properties: {}, associations });
    expect([status, body.message]).toEqual([400, 'One or more associations are invalid']);
    expect(await client.records()).toEqual([]);
  });

  it('are shown by a read, not counted as writes, and gone from sight while one end is archived', async () => {
    const company = await create('companies', { name: 'Acme' });
    const made = await client.call('POST', contacts, { properties: {}, associations: link(company, 279) });
    const linked = async () =>
      (await client.call('GET', `/crm/v4/objects/companies/${company}/associations/contacts`)).body.results;
    expect(await linked()).toMatchObject([{ toObjectId: Number(made.body.id), associationTypes: [{ typeId: 280 }] }]);
    const read = await client.call('GET', `${contacts}/${made.body.id}?associations=companies,deals`);
    expect(read.body.associations).toEqual({
      companies: { results: [{ id: company, type: 'contact_to_company_unlabeled' }] },
    });
    expect((await client.ledger()).map(({ applied }) => applied).slice(0, 2)).toEqual([1, 1]);
    await client.call('DELETE', `${contacts}/${made.body.id}`);
    expect(await linked()).toEqual([]);
  });
});

it('survives a restart with its links, and with what was archived and merged', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-sandbox-'));
  const ledgerFile = join(folder, 'ledger.jsonl');
  const first = await startClient({ ledgerFile });
  const made = async (object: string, properties: object): Promise<string> =>
    (await first.call('POST', `${objects}/${object}`, { properties })).body.id;
  const [one, two, gone] = [
    await made('contacts', {}),
    await made('contacts', { city: 'Oslo' }),
    await made('deals', { dealname: 'x' }),
  ];
  for (const name of ['Kept', 'Left']) {
    const path = `/crm/v4/objects/contacts/${two}/associations/default/companies/${await made('companies', { name })}`;
    await first.call('PUT', path);
    if (name === 'Left') await first.call('DELETE', path.replace('default/', ''));
  }
  await first.call('DELETE', `${objects}/deals/${gone}`);
  await first.call('POST', `${contacts}/merge`, { primaryObjectId: one, objectIdToMerge: two });
  const before = [await first.records(), await first.ledger()];
  await first.close();
  const second = await startClient({ ledgerFile });
  expect([await second.records(), await second.ledger()]).toEqual(before);
  // Callers keep old ids for years: HubSpot answers under them with another id than was asked for.
  const { id, properties } = (await second.call('GET', `${contacts}/${two}?properties=city`)).body;
  expect([id, properties.city]).toEqual([one, 'Oslo']);
  expect((await second.call('GET', `${objects}/deals/${gone}?archived=true`)).body.archived).toBe(true);
  expect((await second.records())[0]?.associations).toHaveLength(1);
  await second.close();
  rmSync(folder, { recursive: true });
});

it('keeps accounts apart, and knows no call without a token of one', async () => {
  const id = await create('contacts', {});
  const { token } = (await client.send('POST', '/_sandbox/accounts', { name: 'globex', provider: 'hubspot' })).body;
  const read = async (authorization: string) =>
    (await client.send('GET', `${contacts}/${id}`, undefined, { authorization })).status;
  expect([await read(`Bearer ${token}`), await read('Bearer nobody'), await read('')]).toEqual([404, 401, 401]);
});
