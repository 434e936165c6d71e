import { Client as HubspotClient } from '@hubspot/api-client';
import { AssociationSpecAssociationCategoryEnum as LinkCategory } from '@hubspot/api-client/lib/codegen/crm/associations/v4';
import { AssociationSpecAssociationCategoryEnum as DealCategory } from '@hubspot/api-client/lib/codegen/crm/deals';
import { startClient, type Client } from './sandbox-client';

/**
 * HubSpot's own client against the sandbox. It throws for every status but the ones it knows and parses each reply
 * into its models: what it cannot use is no imitation. Its waits between calls are off; its repeats are off as well,
 * because they hide a refusal.
 */
const app = { clientId: 'app-1', clientSecret: 'secret-1' };
let sandbox: Client;
let hubspot: HubspotClient;
beforeAll(async () => {
  sandbox = await startClient({}, { app, refreshToken: 'refresh-1' });
});
afterAll(() => sandbox.close());
beforeEach(async () => {
  await sandbox.reset();
  await sandbox.send('POST', '/_sandbox/accounts', { name: 'acme', provider: 'hubspot', token: sandbox.token });
  hubspot = clientWith(sandbox.token);
});

function clientWith(accessToken: string): HubspotClient {
  const limiterOptions = { minTime: 0, maxConcurrent: 50 };
  return new HubspotClient({ accessToken, basePath: sandbox.url, limiterOptions, numberOfApiCallRetries: 0 });
}

/** What the client throws. */
interface ClientFailure {
  readonly code: number;
  readonly body: Readonly<Record<string, unknown>>;
}
const failureOf = async (call: Promise<unknown>): Promise<ClientFailure> => {
  const outcome = await call.then(
    () => undefined,
    (error: ClientFailure) => error,
  );
  if (!outcome) throw new Error('the call went well');
  return outcome;
};

describe('one record', () => {
  it('is created, read, updated, listed and archived', async () => {
    const { basicApi } = hubspot.crm.contacts;
    const created = await basicApi.create({ properties: { email: 'Ana@Example.com', firstname: 'Ána' } });
    expect(created).toMatchObject({ archived: false, createdAt: expect.any(Date) });
    expect(created.properties).toMatchObject({ email: 'ana@example.com', firstname: 'Ána', hs_object_id: created.id });
    const updated = await basicApi.update(created.id, { properties: { city: 'Łódź' } });
    expect(updated.properties.city).toBe('Łódź');
    const read = await basicApi.getById(created.id, ['firstname', 'city']);
    expect(read.properties).toMatchObject({ firstname: 'Ána', city: 'Łódź' });
    expect((await basicApi.getById('ana@example.com', ['city'], undefined, undefined, false, 'email')).id).toBe(
      created.id,
    );
    expect((await basicApi.getPage(1)).results.map(({ id }) => id)).toEqual([created.id]);
    await basicApi.archive(created.id);
    expect((await failureOf(basicApi.getById(created.id))).code).toBe(404);
    expect((await basicApi.getById(created.id, undefined, undefined, undefined, true)).archived).toBe(true);
  });

  it('may be a company or a deal', async () => {
    const company = await hubspot.crm.companies.basicApi.create({ properties: { name: 'Acme', industry: 'BANKING' } });
    const deal = await hubspot.crm.deals.basicApi.create({
      properties: { dealname: 'First', amount: '10.5' },
      associations: [
        {
          to: { id: company.id },
          types: [{ associationCategory: DealCategory.HubspotDefined, associationTypeId: 341 }],
        },
      ],
    });
    const read = await hubspot.crm.deals.basicApi.getById(deal.id, ['amount'], undefined, ['companies']);
    expect(read.properties.amount).toBe('10.5');
    expect(read.associations?.companies?.results).toEqual([{ id: company.id, type: 'deal_to_company_unlabeled' }]);
  });
});

describe('a batch', () => {
  const names = ['One', 'Two', 'Three'];
  const createAll = () =>
    hubspot.crm.companies.batchApi.create({
      inputs: names.map((name) => ({ properties: { name }, associations: [] })),
    });

  it('is created, updated, read, upserted and archived', async () => {
    const { batchApi } = hubspot.crm.companies;
    const created = await createAll();
    expect(created.status).toBe('COMPLETE');
    expect(created.results.map(({ properties }) => properties.name)).toEqual(names.toReversed());
    const ids = created.results.map(({ id }) => ({ id }));
    const updated = await batchApi.update({ inputs: ids.map(({ id }) => ({ id, properties: { city: 'Oslo' } })) });
    expect(updated.results).toHaveLength(3);
    const read = await batchApi.read({ inputs: ids, properties: ['city'], propertiesWithHistory: [] });
    expect(read.results.map(({ properties }) => properties.city)).toEqual(['Oslo', 'Oslo', 'Oslo']);
    const inputs = ['A1', 'A2'].map((id) => ({ id, idProperty: 'account_code', properties: { name: id } }));
    const upserted = await batchApi.upsert({ inputs });
    expect(upserted.results.map(({ _new: isNew }) => isNew)).toEqual([true, true]);
    await batchApi.archive({ inputs: ids });
    expect((await hubspot.crm.companies.basicApi.getPage()).results).toHaveLength(2);
  });
});

it('links records, by kind, by default and in a batch, and reads the links', async () => {
  const { basicApi, batchApi } = hubspot.crm.associations.v4;
  const contact = (await hubspot.crm.contacts.basicApi.create({ properties: { firstname: 'Ana' } })).id;
  const [one, two] = (
    await hubspot.crm.companies.batchApi.create({
      inputs: ['One', 'Two'].map((name) => ({ properties: { name }, associations: [] })),
    })
  ).results.map(({ id }) => id);
  if (!one || !two) throw new Error('no companies');
  const kind = { associationCategory: LinkCategory.HubspotDefined, associationTypeId: 1 };
  expect((await basicApi.create('contacts', contact, 'companies', one, [kind])).toObjectTypeId).toBe('0-2');
  expect((await basicApi.createDefault('contacts', contact, 'companies', one)).results).toHaveLength(2);
  const batch = await batchApi.create('companies', 'contacts', {
    inputs: [{ _from: { id: two }, to: { id: contact }, types: [{ ...kind, associationTypeId: 280 }] }],
  });
  expect(batch.results).toHaveLength(1);
  const page = await basicApi.getPage('contacts', contact, 'companies');
  expect(page.results.map((to) => to.associationTypes.map(({ typeId }) => typeId))).toEqual([[1, 279], [279]]);
  await basicApi.archive('contacts', contact, 'companies', one);
  const read = await batchApi.getPage('companies', 'contacts', { inputs: [{ id: one }, { id: two }] });
  expect(read.results.map(({ _from: from }) => from.id)).toEqual([two]);
});

it('knows the object by its schema and its properties', async () => {
  const schema = await hubspot.crm.schemas.coreApi.getById('deals');
  expect([schema.requiredProperties, schema.objectTypeId]).toEqual([['dealname'], '0-3']);
  expect(schema.associations.map(({ id }) => id)).toEqual(['3', '341', '5']);
  const { results } = await hubspot.crm.properties.coreApi.getAll('deals');
  expect(results.find(({ name }) => name === 'amount')).toMatchObject({ type: 'number', fieldType: 'number' });
});

describe('tokens', () => {
  const refresh = (secret = app.clientSecret) =>
    hubspot.oauth.tokensApi.create('refresh_token', undefined, undefined, app.clientId, secret, 'refresh-1');

  it('are refreshed after the 401 of an expired one', async () => {
    await sandbox.send('POST', '/_sandbox/accounts/acme/expire-token');
    const { code, body } = await failureOf(hubspot.crm.contacts.basicApi.getPage());
    expect([code, body.category]).toEqual([401, 'EXPIRED_AUTHENTICATION']);
    const { accessToken, refreshToken, expiresIn } = await refresh();
    expect([refreshToken, expiresIn]).toEqual(['refresh-1', 1800]);
    expect((await clientWith(accessToken).crm.contacts.basicApi.getPage()).results).toEqual([]);
  });
});
