import { startClient, type Client } from './sandbox-client';

let client: Client;
beforeAll(async () => {
  client = await startClient({}, { limits: { perTenSeconds: 0, searchesPerSecond: 0 } });
});
afterAll(() => client.close());
beforeEach(() => client.reset());

const records = (object: string) => `/crm/v3/objects/${object}`;
const create = async (object: string, properties: object): Promise<string> =>
  (await client.call('POST', records(object), { properties })).body.id;

describe('companies and deals', () => {
  it('have properties of their own, kept as text and shown sorted', async () => {
    const { status, headers, body } = await client.call('POST', records('companies'), {
      properties: { name: 'Łódź Foods', industry: 'RETAIL', numberofemployees: 12, is_public: false },
    });
    expect([status, headers.get('location')]).toEqual([201, `${client.url}/crm/v3/objects/companies/${body.id}`]);
    expect(body.properties).toMatchObject({ name: 'Łódź Foods', numberofemployees: '12', is_public: 'false' });
    expect(Object.keys(body.properties)).toEqual(Object.keys(body.properties).toSorted());
    expect(body.url).toContain(`/record/0-2/${body.id}`);
    const read = await client.call('GET', `/crm/objects/2026-03/0-2/${body.id}`);
    expect(Object.keys(read.body.properties)).toEqual([
      'createdate',
      'domain',
      'hs_lastmodifieddate',
      'hs_object_id',
      'name',
    ]);
  });

  it.each<[string, object, string, string]>([
    ['companies', { domain: 'a.example' }, 'MISSING_REQUIRED_PROPERTY', 'A value for name must be provided'],
    ['companies', { name: 'A', industry: 'FISH' }, 'INVALID_OPTION', 'FISH was not one of the allowed options: [ACC'],
    ['deals', { amount: 1 }, 'MISSING_REQUIRED_PROPERTY', 'A value for dealname must be provided'],
    ['deals', { dealname: 'A', dealstage: 'won' }, 'INVALID_OPTION', 'won was not one of the allowed options'],
    ['deals', { dealname: 'A', hs_is_closed: true }, 'READ_ONLY_VALUE', 'is a read only property'],
  ])('%s refuses %j as %s', async (object, properties, code, message) => {
    const { status, body } = await client.call('POST', records(object), { properties });
    expect([status, body.category, body.errors[0].code]).toEqual([400, 'VALIDATION_ERROR', code]);
    expect(body.errors[0].message).toContain(message);
    expect((await client.send('GET', `/_sandbox/records?account=acme&object=${object}`)).body).toEqual([]);
  });

  it('stores two companies with one domain, and refuses a custom unique value twice', async () => {
    await create('companies', { name: 'One', domain: 'one.example' });
    await create('companies', { name: 'Two', domain: 'one.example', account_code: 'A1' });
    const refused = await client.call('POST', records('companies'), {
      properties: { name: 'Three', account_code: 'a1' },
    });
    expect([refused.status, refused.body.errors[0].code]).toEqual([400, 'CONFLICTING_UNIQUE_VALUE']);
  });

  it('are searched by their own properties', async () => {
    await create('deals', { dealname: 'Small', amount: 9, dealstage: 'closedwon' });
    const id = await create('deals', { dealname: 'Large', amount: '1000' });
    const filters = [{ propertyName: 'amount', operator: 'GT', value: '10' }];
    const { body } = await client.call('POST', `${records('deals')}/search`, { filterGroups: [{ filters }] });
    expect(body.results.map((deal: { id: string }) => deal.id)).toEqual([id]);
    expect(body.results[0].properties).toMatchObject({ dealname: 'Large', pipeline: 'default', closedate: null });
  });
});

describe('list', () => {
  it('goes through all records page by page', async () => {
    const ids = [];
    for (const dealname of ['A', 'B', 'C']) ids.push(await create('deals', { dealname }));
    const first = (await client.call('GET', `${records('deals')}?limit=2&properties=dealname`)).body;
    expect(first.results.map((deal: { id: string }) => deal.id)).toEqual(ids.slice(0, 2));
    const second = (await client.call('GET', `${records('deals')}?limit=2&after=${first.paging.next.after}`)).body;
    expect([second.results.map((deal: { id: string }) => deal.id), second.paging]).toEqual([ids.slice(2), undefined]);
  });

  it.each(['limit=0', 'limit=101', 'limit=x', 'after=-1'])('refuses %s', async (query) => {
    expect((await client.call('GET', `${records('deals')}?${query}`)).status).toBe(400);
  });
});

describe('archive', () => {
  it('hides a record from reads, batch reads and search, and answers 204 whatever the id', async () => {
    const id = await create('contacts', { email: 'ana@example.com' });
    const gone = await client.call('DELETE', `${records('contacts')}/${id}`);
    expect([gone.status, gone.body, gone.headers.get('content-type')]).toEqual([204, '', null]);
    expect((await client.call('DELETE', `${records('contacts')}/${id}`)).status).toBe(204);
    expect((await client.call('DELETE', `${records('contacts')}/99`)).status).toBe(204);
    expect((await client.call('GET', `${records('contacts')}/${id}`)).status).toBe(404);
    expect((await client.call('PATCH', `${records('contacts')}/${id}`, { properties: {} })).status).toBe(404);
    const batch = await client.call('POST', `${records('contacts')}/batch/read`, { inputs: [{ id }] });
    expect([batch.status, batch.body.errors[0].context.ids]).toEqual([207, [id]]);
    expect((await client.search({})).body.total).toBe(0);
    expect(await client.records()).toEqual([]);
    const archived = (await client.call('GET', `${records('contacts')}/${id}?archived=true`)).body;
    expect(archived).toMatchObject({ id, archived: true, archivedAt: expect.any(String) });
    expect((await client.ledger()).map(({ action, applied }) => [action, applied]).slice(0, 4)).toEqual([
      ['create', 1],
      ['archive', 1],
      ['archive', 0],
      ['archive', 0],
    ]);
    expect(await create('contacts', { email: 'ana@example.com' })).not.toBe(id);
  });

  it('takes a batch, and passes over ids that are not there', async () => {
    const ids = [await create('deals', { dealname: 'A' }), await create('deals', { dealname: 'B' }), '7'];
    const inputs = ids.map((id) => ({ id }));
    expect((await client.call('POST', `${records('deals')}/batch/archive`, { inputs })).status).toBe(204);
    expect((await client.send('GET', '/_sandbox/records?account=acme&object=deals')).body).toEqual([]);
    expect((await client.ledger()).at(-1)).toMatchObject({ action: 'batch-archive', records: 3, applied: 2 });
  });
});

describe('upsert', () => {
  const upsert = (inputs: unknown[]) => client.call('POST', `${records('contacts')}/batch/upsert`, { inputs });

  it('creates and updates by a unique property, and says which', async () => {
    const id = await create('contacts', { customer_number: 'C1', city: 'Oslo' });
    const { status, body } = await upsert([
      { idProperty: 'customer_number', id: 'c1', properties: { firstname: 'Ana' } },
      { idProperty: 'customer_number', id: 'C2', properties: { firstname: 'Bo' } },
    ]);
    expect(status).toBe(200);
    expect(body.results.map((one: { new: boolean }) => one.new)).toEqual([false, true]);
    expect(body.results[0].id).toBe(id);
    const { properties } = (await client.call('GET', `${records('contacts')}/${id}?properties=city,firstname`)).body;
    expect(properties).toMatchObject({ city: 'Oslo', firstname: 'Ana' });
    expect(await client.records()).toMatchObject([{ id }, { properties: { customer_number: 'C2' } }]);
  });

  it('is partial with trace ids, but not by email', async () => {
    const inputs = (idProperty: string, ids: string[]) =>
      ids.map((id, index) => ({
        idProperty,
        id,
        objectWriteTraceId: String(index),
        properties: index === 1 ? { loyalty_points: 'many' } : {},
      }));
    const partial = await upsert(inputs('customer_number', ['C1', 'C2']));
    expect([partial.status, partial.body.results.length, partial.body.errors.length]).toEqual([207, 1, 1]);
    const whole = await upsert(inputs('email', ['a@example.com', 'b@example.com']));
    expect([whole.status, whole.body.category]).toEqual([400, 'VALIDATION_ERROR']);
    expect(await client.records()).toHaveLength(1);
  });

  it('refuses an id property that is not unique, and one value twice', async () => {
    expect((await upsert([{ idProperty: 'city', id: 'Oslo', properties: {} }])).body.message).toContain(
      'non-unique 0-1',
    );
    const twice = ['C1', 'c1'].map((id) => ({ idProperty: 'customer_number', id, properties: {} }));
    expect((await upsert(twice)).body.message).toContain('Duplicate IDs found');
    expect(await client.records()).toEqual([]);
  });
});

/** Callers keep old ids for years: HubSpot answers under them with another id than was asked for. */
describe('merge', () => {
  it('lets the surviving record answer under the id that is gone', async () => {
    const [one, two] = [
      await create('contacts', { firstname: 'Ana' }),
      await create('contacts', { email: 'ana@example.com' }),
    ];
    const company = await create('companies', { name: 'Acme' });
    await client.call('PUT', `/crm/v4/objects/contacts/${two}/associations/default/companies/${company}`);
    const body = { primaryObjectId: one, objectIdToMerge: two };
    const merged = await client.call('POST', `${records('contacts')}/merge`, body);
    expect([merged.status, merged.body.id, merged.body.properties.email]).toEqual([200, one, 'ana@example.com']);
    expect((await client.call('GET', `${records('contacts')}/${two}`)).body.id).toBe(one);
    const inputs = [{ id: two, properties: { city: 'Oslo' } }];
    const updated = await client.call('POST', `${records('contacts')}/batch/update`, { inputs });
    expect([updated.status, updated.body.results[0].id]).toEqual([200, one]);
    const linked = await client.call('GET', `/crm/v4/objects/companies/${company}/associations/contacts`);
    expect(linked.body.results.map((to: { toObjectId: number }) => to.toObjectId)).toEqual([Number(one)]);
    const old = await client.call('GET', `/crm/v4/objects/contacts/${two}/associations/companies`);
    expect(old.body.results).toMatchObject([{ toObjectId: Number(company) }]);
    expect(await client.records()).toMatchObject([{ id: one, properties: { firstname: 'Ana', city: 'Oslo' } }]);
    expect((await client.call('POST', `${records('contacts')}/merge`, body)).status).toBe(400);
  });
});

describe('what an object is', () => {
  it.each([
    '/crm/v3/schemas/contacts',
    '/crm-object-schemas/v3/schemas/contact',
    '/crm-object-schemas/2026-03/schemas/0-1',
  ])('%s has its properties and the kinds of link that begin at it', async (path) => {
    const { status, body } = await client.call('GET', path);
    expect(status).toBe(200);
    expect(body).toMatchObject({ objectTypeId: '0-1', name: 'contact', requiredProperties: [] });
    expect(body.associations).toContainEqual({
      id: '279',
      fromObjectTypeId: '0-1',
      toObjectTypeId: '0-2',
      name: 'contact_to_company_unlabeled',
    });
    expect(body.associations.every((one: { fromObjectTypeId: string }) => one.fromObjectTypeId === '0-1')).toBe(true);
    expect(body.properties.map((one: { name: string }) => one.name)).toContain('email');
  });

  it('lists properties with options, and the stages of a deal with its pipeline', async () => {
    const { results } = (await client.call('GET', '/crm/v3/properties/deals')).body;
    const named = (name: string) => results.find((one: { name: string }) => one.name === name);
    expect(named('dealstage')).toMatchObject({ type: 'enumeration', externalOptions: true, options: [] });
    expect(named('dealtype').options.map((one: { value: string }) => one.value)).toEqual([
      'newbusiness',
      'existingbusiness',
    ]);
    expect(named('order_number')).toMatchObject({
      hasUniqueValue: true,
      modificationMetadata: { readOnlyValue: false },
    });
    for (const path of ['/crm/v3/pipelines/deals', '/crm/pipelines/2026-03/0-3']) {
      const [pipeline] = (await client.call('GET', path)).body.results;
      expect([pipeline.id, pipeline.stages.at(-1).id]).toEqual(['default', 'closedlost']);
    }
  });
});
