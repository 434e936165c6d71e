import { Connection, type SaveResult } from 'jsforce';
import { startOrg, type OrgClient } from './salesforce-client';

/** The sandbox is an imitation only if Salesforce's usual client can work with it unchanged. */
let client: OrgClient;
let jsforce: Connection;

const connect = ({ url, org }: OrgClient): Connection => {
  const { token, refreshToken, clientId, clientSecret } = org;
  const oauth2 = { loginUrl: url, clientId, clientSecret, redirectUri: `${url}/callback` };
  return new Connection({ instanceUrl: url, accessToken: token, refreshToken, version: '60.0', oauth2 });
};

beforeAll(async () => {
  client = await startOrg();
});
afterAll(() => client.close());
beforeEach(async () => {
  await client.reset();
  jsforce = connect(client);
});

const names = async () => (await client.records('Contact')).map(({ fields }) => fields.LastName);
const idOf = (result: SaveResult): string => result.id ?? '';

it('creates, reads, updates and destroys a record', async () => {
  const created = await jsforce.sobject('Contact').create({ LastName: "O'Brien", Email: 'o@example.com' });
  expect(created).toEqual({ id: expect.stringMatching(/^003\w{15}$/), success: true, errors: [] });
  const id = idOf(created);
  const updated = await jsforce.sobject('Contact').update({ Id: id, LastName: 'Łuna' });
  expect(updated).toEqual({ id, success: true, errors: [] });
  expect(await jsforce.sobject('Contact').retrieve(id)).toMatchObject({ Id: id, Name: 'Łuna', Email: 'o@example.com' });
  expect(await jsforce.sobject('Contact').retrieve(id, { fields: ['Email'] })).toEqual({
    attributes: { type: 'Contact', url: `/services/data/v60.0/sobjects/Contact/${id}` },
    Email: 'o@example.com',
    Id: id,
  });
  expect(await jsforce.sobject('Contact').destroy(id)).toEqual({ id, success: true, errors: [] });
  await expect(jsforce.sobject('Contact').destroy(id)).rejects.toMatchObject({
    errorCode: 'ENTITY_IS_DELETED',
    message: 'entity is deleted',
  });
  expect(await names()).toEqual([]);
});

it('updates, retrieves and destroys many', async () => {
  const contacts = jsforce.sobject('Contact');
  const ids = (await contacts.create([{ LastName: 'A' }, { LastName: 'B' }])).map(idOf);
  const [first = '', second = ''] = ids;
  const updates = [
    { Id: first, LastName: 'A2' },
    { Id: second, LastName: '' },
  ];
  expect((await contacts.update(updates)).map(({ success }) => success)).toEqual([true, false]);
  const missing = '003ak000003dQCHAA2';
  const read = (await contacts.retrieve([second, missing, first], { fields: ['LastName'] })) as ({
    LastName: string;
  } | null)[];
  expect(read.map((record) => record?.LastName ?? null)).toEqual(['B', null, 'A2']);
  const all = await contacts.retrieve([first]);
  expect(all[0]).toMatchObject({ Id: first, Name: 'A2', IsDeleted: false });
  expect((await contacts.destroy([first, missing])).map(({ success }) => success)).toEqual([true, false]);
  expect((await contacts.destroy([second, missing], { allOrNone: true })).map(({ success }) => success)).toEqual([
    false,
    false,
  ]);
  expect(await names()).toEqual(['B']);
});

it('queries, with the query builder too', async () => {
  await jsforce.sobject('Contact').create([
    { LastName: "O'Brien", Score__c: 3, Active__c: true },
    { LastName: 'Łuna', Score__c: 5 },
  ]);
  const found = await jsforce.query("SELECT Id, LastName FROM Contact WHERE LastName = 'O\\'Brien'");
  expect(found).toMatchObject({ totalSize: 1, done: true, records: [{ LastName: "O'Brien" }] });
  const built = await jsforce
    .sobject('Contact')
    .find({ LastName: "O'Brien", Active__c: true, Score__c: { $gte: 3 } }, ['LastName', 'Owner.Name'])
    .limit(5);
  expect(built).toMatchObject([{ LastName: "O'Brien", Owner: { Name: 'Integration User' } }]);
  expect(await jsforce.sobject('Contact').count({ Score__c: { $gt: 3 } })).toBe(1);
  await expect(jsforce.query('SELECT Shoe FROM Contact')).rejects.toMatchObject({ errorCode: 'INVALID_FIELD' });
});

it('describes the org and its objects', async () => {
  const all = await jsforce.describeGlobal();
  expect(all.sobjects.map(({ name }) => name)).toEqual([
    'Account',
    'Contact',
    'Lead',
    'Opportunity',
    'User',
    'Organization',
  ]);
  const { fields, keyPrefix, createable } = await jsforce.sobject('Lead').describe();
  expect([keyPrefix, createable]).toEqual(['00Q', true]);
  const byName = new Map(fields.map((field) => [field.name, field]));
  expect(byName.get('Company')).toMatchObject({
    type: 'string',
    nillable: false,
    createable: true,
    defaultedOnCreate: false,
  });
  expect(byName.get('Status')).toMatchObject({ type: 'picklist', nillable: false, defaultedOnCreate: true });
  expect(byName.get('Level__c')).toMatchObject({ restrictedPicklist: true, custom: true });
  expect(byName.get('Level__c')?.picklistValues?.map(({ value }) => value)).toEqual([
    'Primary',
    'Secondary',
    'Tertiary',
  ]);
  expect(byName.get('External_Id__c')).toMatchObject({ externalId: true, unique: true, idLookup: true });
  expect(byName.get('Name')).toMatchObject({ calculated: true, createable: false, updateable: false });
  expect(byName.get('Description')).toMatchObject({ type: 'textarea', filterable: false });
  expect(byName.get('OwnerId')).toMatchObject({ type: 'reference', referenceTo: ['User'], relationshipName: 'Owner' });
  expect(byName.has('Secret_Code__c')).toBe(false);
});

it('forwards headers on one record and on many', async () => {
  const contacts = jsforce.sobject('Contact');
  const headers = { 'Sforce-Duplicate-Rule-Header': 'allowSave=true', 'Sforce-Auto-Assign': 'FALSE' };
  const ana = { LastName: 'Luna', Email: 'a@example.com' };
  const { id = '' } = await contacts.create(ana);
  await expect(contacts.create(ana)).rejects.toMatchObject({ errorCode: 'DUPLICATES_DETECTED' });
  await contacts.create(ana, { headers });
  expect((await contacts.create([ana], { headers }))[0]?.success).toBe(true);
  await contacts.update({ Id: id, Title: 'CEO' }, { headers });
  await contacts.destroy(id, { headers });
  const arrived = (await client.ledger()).map((entry) => [entry.action, entry.headers]);
  const forwarded = { 'sforce-duplicate-rule-header': 'allowSave=true', 'sforce-auto-assign': 'FALSE' };
  expect(arrived).toEqual([
    ['create', undefined],
    ['create', undefined],
    ['create', forwarded],
    ['batch-create', forwarded],
    ['update', forwarded],
    ['delete', forwarded],
  ]);
});

it('logs in with a code, or with a password', async () => {
  const redirectUri = `${client.url}/callback`;
  const { clientId, clientSecret, orgId } = client.org;
  const oauth2 = { loginUrl: client.url, clientId, clientSecret, redirectUri };
  const byCode = new Connection({ version: '60.0', oauth2 });
  const page = await fetch(byCode.oauth2.getAuthorizationUrl({ state: 's' }), { redirect: 'manual' });
  const code = new URL(page.headers.get('location') ?? '').searchParams.get('code') ?? '';
  expect(await byCode.authorize(code)).toMatchObject({ organizationId: orgId });
  expect([byCode.instanceUrl, byCode.refreshToken]).toEqual([client.url, client.org.refreshToken]);
  const byPassword = new Connection({ version: '60.0', oauth2 });
  expect(await byPassword.login('integration@acme.example', 'any')).toMatchObject({ organizationId: orgId });
  for (const connection of [byCode, byPassword]) {
    expect((await connection.query('SELECT Id FROM Contact')).totalSize).toBe(0);
    expect((await connection.identity()).username).toBe('integration@acme.example');
  }
  await expect(byPassword.login('nobody@acme.example', 'any')).rejects.toThrow('inactive user');
});

it('refreshes an expired session once and sends the call again', async () => {
  await client.control('expire-token');
  const refreshed: string[] = [];
  jsforce.on('refresh', (token: string) => refreshed.push(token));
  const created = await jsforce.sobject('Contact').create({ LastName: 'A' });
  expect(created.success).toBe(true);
  expect(refreshed).toEqual([jsforce.accessToken]);
  expect(jsforce.accessToken).not.toBe(client.org.token);
  expect(jsforce.userInfo?.organizationId).toBe(client.org.orgId);
  const calls = (await client.ledger()).map(({ action, status, applied }) => [action, status, applied]);
  expect(calls).toEqual([
    ['create', 401, 0],
    ['token', 200, 0],
    ['create', 201, 1],
  ]);
  expect(await names()).toEqual(['A']);
});
