import { contacts, startClient, type Client, type WireRecord } from './sandbox-client';

/** A clock the test moves: lag and limits are measured with it. */
let now = new Date('2026-01-01T00:00:00.000Z');
let client: Client;
beforeAll(async () => {
  client = await startClient({ now: () => now }, { limits: { perTenSeconds: 0, searchesPerSecond: 0 } });
});
afterAll(() => client.close());
beforeEach(async () => {
  await client.reset();
  await client.send('POST', '/_sandbox/accounts', { name: 'acme', provider: 'hubspot', searchLagMs: 0 });
});

const where = (...filters: object[]) => ({ filterGroups: [{ filters }] });
const eq = (propertyName: string, value: string) => ({ propertyName, operator: 'EQ', value });

it('finds by EQ without regard to case and shows default properties', async () => {
  const id = await client.create({ email: 'ana@example.com', city: 'Oslo' });
  await client.create({ email: 'bob@example.com' });
  const { status, headers, body } = await client.search(where(eq('email', 'ANA@EXAMPLE.COM')));
  expect(status).toBe(200);
  expect(body).toMatchObject({
    total: 1,
    results: [{ id, properties: { email: 'ana@example.com', firstname: null } }],
  });
  expect(body).not.toHaveProperty('paging');
  expect([...headers.keys()].filter((name) => name.startsWith('x-hubspot-ratelimit'))).toEqual([]);
});

it('joins filters by AND and groups by OR', async () => {
  const oslo = await client.create({ city: 'Oslo', country: 'NO' });
  const bergen = await client.create({ city: 'Bergen', country: 'NO' });
  await client.create({ city: 'Lund', country: 'SE' });
  const ids = async (body: unknown) => (await client.search(body)).body.results.map((one: { id: string }) => one.id);
  expect(await ids(where(eq('country', 'NO'), eq('city', 'Oslo')))).toEqual([oslo]);
  const either = { filterGroups: [{ filters: [eq('city', 'Oslo')] }, { filters: [eq('city', 'Bergen')] }] };
  expect(await ids(either)).toEqual([oslo, bergen]);
  expect(await ids(where({ propertyName: 'city', operator: 'IN', values: ['oslo', 'bergen'] }))).toEqual([
    oslo,
    bergen,
  ]);
  expect(await ids(where({ propertyName: 'country', operator: 'NOT_HAS_PROPERTY' }))).toEqual([]);
});

it('finds by what a record is linked to, by any name of that object', async () => {
  const [linked, alone] = [await client.create({ city: 'Oslo' }), await client.create({ city: 'Oslo' })];
  const company = (await client.call('POST', '/crm/v3/objects/companies', { properties: { name: 'Fjordlys' } })).body
    .id;
  await client.call('PUT', `/crm/v4/objects/contacts/${linked}/associations/default/companies/${company}`);
  const ids = async (filter: object) =>
    (await client.search(where(eq('city', 'Oslo'), filter))).body.results.map((one: WireRecord) => one.id);
  expect(await ids(eq('associations.company', company))).toEqual([linked]);
  expect(await ids(eq('associations.0-2', company))).toEqual([linked]);
  expect(await ids(eq('associations.deal', company))).toEqual([]);
  expect(await ids({ propertyName: 'associations.company', operator: 'IN', values: ['1', company] })).toEqual([linked]);
  expect(await ids({ propertyName: 'associations.company', operator: 'NEQ', value: company })).toEqual([alone]);
  expect(await ids({ propertyName: 'associations.company', operator: 'HAS_PROPERTY' })).toEqual([linked]);
  expect(await ids({ propertyName: 'associations.company', operator: 'NOT_HAS_PROPERTY' })).toEqual([alone]);
  expect((await client.search(where(eq('associations.planet', company)))).status).toBe(400);
  const larger = { propertyName: 'associations.company', operator: 'GT', value: company };
  expect((await client.search(where(larger))).status).toBe(400);
});

it('pages, oldest first unless sorted', async () => {
  const ids: string[] = [];
  for (const points of [3, 1, 2]) ids.push(await client.create({ loyalty_points: points }));
  const first = await client.search({ limit: 2 });
  expect(first.body).toMatchObject({ total: 3, paging: { next: { after: '2' } } });
  const second = await client.search({ limit: 2, after: '2' });
  expect([...first.body.results, ...second.body.results].map((one: { id: string }) => one.id)).toEqual(ids);
  const sorted = await client.search({
    sorts: [{ propertyName: 'loyalty_points', direction: 'DESCENDING' }],
    properties: ['loyalty_points'],
  });
  expect(sorted.body.results.map((one: WireRecord) => one.properties.loyalty_points)).toEqual(['3', '2', '1']);
});

it('searches text in several properties', async () => {
  await client.create({ firstname: 'Ána', company: 'Fjordlys' });
  const found = await client.search({ query: 'fjord ána' });
  expect(found.body.total).toBe(1);
  expect((await client.search({ query: 'nobody' })).body.total).toBe(0);
});

it('lags behind writes by the time set for the account; reads by id do not', async () => {
  await client.send('POST', '/_sandbox/accounts', { name: 'acme', provider: 'hubspot', searchLagMs: 5000 });
  const id = await client.create({ city: 'Oslo' });
  const cities = async () =>
    (await client.search({ properties: ['city'] })).body.results.map((one: WireRecord) => one.properties.city);
  expect(await cities()).toEqual([]);
  expect((await client.call('POST', `${contacts}/batch/read`, { inputs: [{ id }] })).status).toBe(200);
  now = new Date(now.getTime() + 5000);
  expect(await cities()).toEqual(['Oslo']);
  await client.call('PATCH', `${contacts}/${id}`, { properties: { city: 'Bergen' } });
  expect(await cities()).toEqual(['Oslo']);
  now = new Date(now.getTime() + 5000);
  expect(await cities()).toEqual(['Bergen']);
});

it('answers a broken rule with 400 and the body of an error', async () => {
  const { status, body } = await client.search(where(eq('shoe', '42')));
  expect(status).toBe(400);
  expect(body).toMatchObject({
    status: 'error',
    category: 'VALIDATION_ERROR',
    errors: [{ context: { propertyName: ['shoe'] } }],
  });
});
