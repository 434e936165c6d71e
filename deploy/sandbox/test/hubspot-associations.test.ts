import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startClient, type Client } from './sandbox-client';

let client: Client;
beforeAll(async () => {
  client = await startClient({}, { limits: { perTenSeconds: 0, searchesPerSecond: 0 } });
});
afterAll(() => client.close());

let contact: string;
let company: string;
beforeEach(async () => {
  await client.reset();
  contact = await create('contacts', { firstname: 'Ana' });
  company = await create('companies', { name: 'Acme' });
});

const create = async (object: string, properties: object): Promise<string> =>
  (await client.call('POST', `/crm/v3/objects/${object}`, { properties })).body.id;
const kind = (associationTypeId: number) => ({ associationCategory: 'HUBSPOT_DEFINED', associationTypeId });
const pair = (from: string, to: string, typeId: number) => ({
  from: { id: from },
  to: { id: to },
  types: [kind(typeId)],
});
const read = async (from: string, to: string, id: string) =>
  (await client.call('GET', `/crm/v4/objects/${from}/${id}/associations/${to}`)).body.results;
const labelled = (typeId: number, label: string | null = null) => ({ category: 'HUBSPOT_DEFINED', typeId, label });

it('are made with a record, seen from both sides, and shown by a read that asks', async () => {
  const associations = [{ to: { id: company }, types: [kind(279), kind(1)] }];
  const made = await client.call('POST', '/crm/v3/objects/contacts', { properties: { firstname: 'Bo' }, associations });
  expect(made.status).toBe(201);
  const { id } = made.body;
  expect(await read('contacts', 'companies', id)).toEqual([
    { toObjectId: Number(company), associationTypes: [labelled(279), labelled(1, 'Primary')] },
  ]);
  expect(await read('companies', 'contacts', company)).toEqual([
    { toObjectId: Number(id), associationTypes: [labelled(280), labelled(2, 'Primary')] },
  ]);
  const shown = (await client.call('GET', `/crm/v3/objects/contacts/${id}?associations=companies,deals`)).body;
  expect(shown.associations).toEqual({
    companies: {
      results: [
        { id: company, type: 'contact_to_company_unlabeled' },
        { id: company, type: 'contact_to_company' },
      ],
    },
  });
  expect((await client.ledger()).find(({ recordIds }) => recordIds.includes(id))).toMatchObject({ applied: 1 });
  expect(await client.records()).toMatchObject([
    { id: contact },
    { id, associations: [{ object: 'companies', id: company }] },
  ]);
});

it.each<[string, () => { id: string; typeId: number }]>([
  ['a target that is not there', () => ({ id: '42', typeId: 279 })],
  ['a target of another object', () => ({ id: company, typeId: 4 })],
  ['a kind that begins elsewhere', () => ({ id: company, typeId: 341 })],
  ['an unknown kind', () => ({ id: company, typeId: 9999 })],
])('with %s make no record', async (_name, target) => {
  const { id, typeId } = target();
  const associations = [{ to: { id }, types: [kind(typeId)] }];
  const single = await client.call('POST', '/crm/v3/objects/contacts', {
    properties: { firstname: 'Bo' },
    associations,
  });
  expect([single.status, single.body.message]).toEqual([400, 'One or more associations are invalid']);
  expect(single.body.context.INVALID_OBJECT_IDS).toHaveLength(1);
  const inputs = [
    { properties: { firstname: 'Cy' }, associations, objectWriteTraceId: '0' },
    { properties: { firstname: 'Di' }, objectWriteTraceId: '1' },
  ];
  const batch = await client.call('POST', '/crm/v3/objects/contacts/batch/create', { inputs });
  expect([batch.status, batch.body.errors[0].context.objectWriteTraceId]).toEqual([207, ['0']]);
  expect((await client.records()).map((one) => (one.properties as Record<string, string>).firstname)).toEqual([
    'Ana',
    'Di',
  ]);
});

describe.each([
  ['v4', '/crm/v4/objects', '/crm/v4/associations'],
  ['dated', '/crm/objects/2026-03', '/crm/associations/2026-03'],
])('in the %s layout', (_name, objects, associations) => {
  it('are put, read and deleted one by one', async () => {
    const path = `${objects}/contacts/${contact}/associations/companies/${company}`;
    const put = await client.call('PUT', path, [kind(279)]);
    expect([put.status, put.body]).toEqual([
      201,
      {
        fromObjectTypeId: '0-1',
        fromObjectId: Number(contact),
        toObjectTypeId: '0-2',
        toObjectId: Number(company),
        labels: [],
      },
    ]);
    expect(await read('contacts', 'companies', contact)).toHaveLength(1);
    expect((await client.call('DELETE', path)).status).toBe(204);
    expect((await client.call('DELETE', path)).status).toBe(204);
    expect(await read('companies', 'contacts', company)).toEqual([]);
  });

  it('have a default kind', async () => {
    const path = `${objects}/contacts/${contact}/associations/default/companies/${company}`;
    const { status, body } = await client.call('PUT', path);
    expect(status).toBe(200);
    expect(body.results.map((one: { associationSpec: unknown }) => one.associationSpec)).toEqual([
      kind(279),
      kind(280),
    ]);
    expect(await read('contacts', 'companies', contact)).toMatchObject([{ associationTypes: [labelled(279)] }]);
  });

  it('are made, read and removed in batches', async () => {
    const base = `${associations}/contacts/companies/batch`;
    const other = await create('contacts', { firstname: 'Bo' });
    const all = await client.call('POST', `${base}/create`, { inputs: [pair(contact, company, 279)] });
    expect([all.status, all.body.status, all.body.errors]).toEqual([201, 'COMPLETE', undefined]);
    const some = await client.call('POST', `${base}/create`, {
      inputs: [pair(other, '42', 279), pair(other, company, 1)],
    });
    expect([some.status, some.body.numErrors, some.body.results.length]).toEqual([207, 1, 1]);
    const found = await client.call('POST', `${base}/read`, { inputs: [{ id: contact }, { id: '42' }] });
    expect([found.status, found.body.results]).toEqual([
      207,
      [{ from: { id: contact }, to: [{ toObjectId: Number(company), associationTypes: [labelled(279)] }] }],
    ]);
    expect(found.body.errors[0]).toMatchObject({
      subCategory: 'crm.associations.NO_ASSOCIATIONS_FOUND',
      context: { fromObjectId: ['42'] },
    });
    const inputs = [{ from: { id: contact }, to: [{ id: company }] }];
    expect((await client.call('POST', `${base}/archive`, { inputs })).status).toBe(204);
    expect((await client.call('POST', `${base}/read`, { inputs: [{ id: contact }] })).body.results).toEqual([]);
    expect(
      (await client.ledger()).filter(({ action }) => action.includes('ssociate')).map(({ applied }) => applied),
    ).toEqual([1, 1, 1]);
  });
});

it.each([
  ['USER_DEFINED', 'One or more associations are invalid'],
  ['FRIEND', 'Invalid input JSON on line 1, column 1: Cannot deserialize value of type `PublicAssociationsForObject`'],
])('know no kind of the category %s', async (associationCategory, message) => {
  const path = `/crm/v4/objects/contacts/${contact}/associations/companies/${company}`;
  const { status, body } = await client.call('PUT', path, [{ associationCategory, associationTypeId: 279 }]);
  expect([status, body.message]).toEqual([400, message]);
  expect(await read('contacts', 'companies', contact)).toEqual([]);
});

it('are gone from sight while one end is archived', async () => {
  await client.call('PUT', `/crm/v4/objects/contacts/${contact}/associations/companies/${company}`, [kind(279)]);
  await client.call('DELETE', `/crm/v3/objects/contacts/${contact}`);
  expect(await read('companies', 'contacts', company)).toEqual([]);
  const again = await client.call('PUT', `/crm/v4/objects/companies/${company}/associations/contacts/${contact}`, [
    kind(280),
  ]);
  expect([again.status, again.body.message]).toEqual([400, 'One or more associations are invalid']);
});

it('are refused by script, one pair of a batch or a single one', async () => {
  const other = await create('companies', { name: 'Globex' });
  const partial = { kind: 'partial', inputs: [1], category: 'RATE_LIMITS', message: 'slow down' } as const;
  await client.fault({ match: { path: '/crm/v4/' }, action: partial });
  const inputs = [pair(contact, company, 279), pair(contact, other, 279)];
  const batch = await client.call('POST', '/crm/v4/associations/contacts/companies/batch/create', { inputs });
  expect([batch.status, batch.body.results.length, batch.body.errors]).toEqual([
    207,
    1,
    [{ status: 'error', category: 'RATE_LIMITS', message: 'slow down' }],
  ]);
  await client.fault({ match: { path: '/crm/v4/' }, action: { ...partial, inputs: [0] } });
  const path = `/crm/v4/objects/contacts/${contact}/associations/companies/${company}`;
  expect((await client.call('DELETE', path)).status).toBe(429);
  expect(await read('contacts', 'companies', contact)).toMatchObject([{ toObjectId: Number(company) }]);
});

it('survive a restart, as do archived and merged records', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-sandbox-'));
  const ledgerFile = join(folder, 'ledger.jsonl');
  const first = await startClient({ ledgerFile });
  const made = async (object: string, properties: object): Promise<string> =>
    (await first.call('POST', `/crm/v3/objects/${object}`, { properties })).body.id;
  const [one, two] = [await made('contacts', { firstname: 'Ana' }), await made('contacts', { city: 'Oslo' })];
  const [kept, left] = [await made('companies', { name: 'Kept' }), await made('companies', { name: 'Left' })];
  const gone = await made('companies', { name: 'Gone' });
  const put = (id: string) => first.call('PUT', `/crm/v4/objects/contacts/${two}/associations/default/companies/${id}`);
  await put(kept);
  await put(left);
  await first.call('DELETE', `/crm/v4/objects/contacts/${two}/associations/companies/${left}`);
  await first.call('DELETE', `/crm/v3/objects/companies/${gone}`);
  await first.call('POST', '/crm/v3/objects/contacts/merge', { primaryObjectId: one, objectIdToMerge: two });
  const before = [await first.records(), await first.ledger()];
  await first.close();
  const second = await startClient({ ledgerFile });
  expect([await second.records(), await second.ledger()]).toEqual(before);
  expect(await second.records()).toMatchObject([{ id: one, associations: [{ object: 'companies', id: kept }] }]);
  expect((await second.call('GET', `/crm/v3/objects/contacts/${two}`)).body.id).toBe(one);
  expect((await second.call('GET', `/crm/v3/objects/companies/${gone}?archived=true`)).body.archived).toBe(true);
  await second.close();
  rmSync(folder, { recursive: true });
});
