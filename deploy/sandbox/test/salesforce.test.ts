import { api, startOrg, type OrgClient } from './salesforce-client';

/*
 * What Salesforce does that neither its usual client (jsforce.test.ts) nor our connector (tests/flows/connector-conformance.test.ts)
 * reaches: how values are stored and refused, what is rolled back, what SOQL finds and refuses, how addresses and limits answer.
 */
let client: OrgClient;
beforeAll(async () => {
  client = await startOrg();
});
afterAll(() => client.close());
beforeEach(() => client.reset());

type Row = Record<string, unknown>;
const contactAt = (id: string) => `/sobjects/Contact/${id}`;
const names = async () => (await client.records('Contact')).map(({ fields }) => fields.LastName);

describe('a value', () => {
  it('is kept by its type, "" as null; defaults and computed fields are filled in, hidden ones are not shown', async () => {
    const sent = {
      LastName: 'Luna',
      Score__c: '12.50',
      active__c: 'true',
      Last_Seen__c: '2026-01-31T10:00:00+01:00',
      Phone: 12,
      Title: '',
    };
    const id = await client.create('Contact', sent);
    const { body } = await client.call('GET', contactAt(id));
    expect(body).toMatchObject({
      attributes: { type: 'Contact', url: `${api}/sobjects/Contact/${id}` },
      Name: 'Luna',
      Score__c: 12.5,
      Active__c: true,
      Last_Seen__c: '2026-01-31T09:00:00.000+0000',
      Phone: '12',
      Title: null,
      OwnerId: expect.stringMatching(/^005ak0/),
      Record_Number__c: 'R-000001',
      CreatedDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000$/),
    });
    expect(body).not.toHaveProperty('Secret_Code__c');
    const lead = await client.create('Lead', { LastName: 'Luna', Company: 'Acme', Status: '' });
    expect((await client.call('GET', `/sobjects/Lead/${lead}`)).body.Status).toBe('Open - Not Contacted');
    expect((await client.call('PATCH', contactAt(id), { lastname: 'Łuna', Phone: '' })).status).toBe(204);
    const read = await client.call('GET', `${contactAt(id)}?fields=name,Phone,Score__c`);
    expect(read.body).toMatchObject({ Name: 'Łuna', Phone: null, Score__c: 12.5, Id: id });
  });

  it('of an audit field is taken from a user who may set it, and from no other; the stamp of the system stays its own', async () => {
    const sent = { LastName: 'Old', CreatedDate: '2019-03-01T10:00:00Z' };
    expect((await client.call('POST', '/sobjects/Contact', sent)).status).toBe(400);
    const settle = (auditFields: boolean) =>
      client.send('POST', '/_sandbox/accounts', { name: 'acme', provider: 'salesforce', auditFields });
    await settle(true);
    const id = await client.create('Contact', sent);
    const { body } = await client.call('GET', contactAt(id));
    expect(body).toMatchObject({ CreatedDate: '2019-03-01T10:00:00.000+0000' });
    expect(body.SystemModstamp).not.toBe(body.CreatedDate);
    const described = (await client.call('GET', '/sobjects/Contact/describe')).body.fields as Row[];
    const settable = described.filter(({ name }) => /^(CreatedDate|SystemModstamp)$/.test(String(name)));
    expect(settable.map(({ createable }) => createable)).toEqual([true, false]);
    await client.call('DELETE', contactAt(id));
    const found = (resource: string) => client.call('GET', `/${resource}?q=SELECT+Id,IsDeleted+FROM+Contact`);
    expect((await found('query')).body.totalSize).toBe(0);
    expect((await found('queryAll')).body.records).toMatchObject([{ Id: id, IsDeleted: true }]);
    await settle(false);
  });

  // On top of a last name; the last member names the fields that the error does.
  it.each<[object, string, string, string[]?]>([
    [{ LastName: '' }, 'REQUIRED_FIELD_MISSING', 'Required fields are missing: [LastName]', ['LastName']],
    [{ Secret_Code__c: 'x' }, 'INVALID_FIELD', "No such column 'Secret_Code__c' on sobject of type Contact"],
    [{ Id: '003000000000000' }, 'INVALID_FIELD', 'The Id field should not be specified in the sobject data.'],
    [{ credit_limit__c: 1 }, 'INVALID_FIELD_FOR_INSERT_UPDATE', 'Unable to create/update fields', ['Credit_Limit__c']],
    [
      { Interests__c: 'Music;Golf' },
      'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST',
      'picklist field: Golf',
      ['Interests__c'],
    ],
    [{ FirstName: 'x'.repeat(41) }, 'STRING_TOO_LONG', `${'x'.repeat(41)} (max length=40)`, ['FirstName']],
    [{ Email: 'ana' }, 'INVALID_EMAIL_ADDRESS', 'Email: invalid email address: ana', ['Email']],
    [{ AccountId: 'x1' }, 'MALFORMED_ID', 'Account ID: id value of incorrect type: x1', ['AccountId']],
    [{ AccountId: '003000000000000AAA' }, 'FIELD_INTEGRITY_EXCEPTION', 'incorrect type: 003000000', ['AccountId']],
    [{ AccountId: '001000000000000' }, 'INVALID_CROSS_REFERENCE_KEY', 'invalid cross reference id', ['AccountId']],
    [{ Active__c: null }, 'INVALID_TYPE_ON_FIELD_IN_RECORD', 'Active: value not of required type: ', ['Active__c']],
    [{ Active__c: 'yes' }, 'JSON_PARSER_ERROR', 'Cannot deserialize instance of boolean from VALUE_STRING value yes'],
    [{ Score__c: 'many' }, 'JSON_PARSER_ERROR', 'Cannot deserialize instance of double from VALUE_STRING value many'],
    [{ Birthdate: '2026-02-30' }, 'JSON_PARSER_ERROR', 'instance of date from VALUE_STRING value 2026-02-30'],
    [{ FirstName: { a: 1 } }, 'JSON_PARSER_ERROR', 'instance of string from START_OBJECT value {'],
  ])('%j is refused as %s', async (fields, errorCode, message, named = []) => {
    const { status, body } = await client.call('POST', '/sobjects/Contact', { LastName: 'L', ...fields });
    expect([status, body]).toEqual([
      400,
      [{ message: expect.stringContaining(message), errorCode, ...(named.length > 0 && { fields: named }) }],
    ]);
    expect(await names()).toEqual([]);
  });

  it('of an external id is refused a second time, whatever its case, and free again once its record is deleted', async () => {
    const id = await client.create('Contact', { LastName: 'A', External_Id__c: 'k-1' });
    const refused = await client.call('POST', '/sobjects/Contact', { LastName: 'B', External_Id__c: 'K-1' });
    expect([refused.status, refused.body[0].errorCode]).toEqual([400, 'DUPLICATE_VALUE']);
    expect(refused.body[0].message).toContain(`on record with id: ${id.slice(0, 15)}`);
    expect((await client.call('PATCH', contactAt(id), { External_Id__c: 'K-1' })).status).toBe(204);
    await client.call('DELETE', contactAt(id));
    await client.create('Contact', { LastName: 'B', External_Id__c: 'K-1' });
  });
});

it('an upsert by external id creates or updates, record by record', async () => {
  const id = await client.create('Account', { Name: 'B', External_Id__c: 'k/1 é' });
  const wanted: Row[] = [{ external_id__c: 'K/1 É', Name: 'C' }, { External_Id__c: 'new', Name: 'D' }, { Name: 'E' }];
  const records = wanted.map((record) => ({ attributes: { type: 'Account' }, ...record }));
  const reply = await client.call('PATCH', '/composite/sobjects/Account/External_Id__c', { records });
  expect(reply.body.map(({ success, created: isNew }: Row) => [success, isNew])).toEqual([
    [true, false],
    [true, true],
    [false, undefined],
  ]);
  expect((await client.records('Account'))[0]).toMatchObject({ id, fields: { Name: 'C', External_Id__c: 'k/1 é' } });
});

describe('a collection', () => {
  const collection = (method: string, records: readonly Row[], allOrNone = false) =>
    client.call(method, '/composite/sobjects', {
      allOrNone,
      records: records.map((record) => ({ attributes: { type: 'Contact' }, ...record })),
    });
  const codes = (body: { errors: { statusCode: string }[] }[]) => body.map(({ errors }) => errors[0]?.statusCode);

  it('with allOrNone and one bad record takes everything back, also a value that moved to another record', async () => {
    const id = await client.create('Contact', { LastName: 'A', External_Id__c: 'k' });
    const moved = [{ id, External_Id__c: 'other' }, { id: '003ak000003dQCHAA2' }];
    const undone = await collection('PATCH', moved, true);
    expect(codes(undone.body)).toEqual(['ALL_OR_NONE_OPERATION_ROLLED_BACK', 'INVALID_CROSS_REFERENCE_KEY']);
    const created = await collection('POST', [{ LastName: 'B' }, { FirstName: 'x' }], true);
    expect(codes(created.body)).toEqual(['ALL_OR_NONE_OPERATION_ROLLED_BACK', 'REQUIRED_FIELD_MISSING']);
    expect((await client.ledger()).slice(-2).map(({ applied }) => applied)).toEqual([0, 0]);
    expect(await client.records('Contact')).toMatchObject([{ fields: { External_Id__c: 'k' } }]);
    const taken = await client.call('POST', '/sobjects/Contact', { LastName: 'C', External_Id__c: 'k' });
    expect(taken.body[0].errorCode).toBe('DUPLICATE_VALUE');
    await client.create('Contact', { LastName: 'C', External_Id__c: 'other' });
  });

  it('of updates answers per record: changed, without id, of nobody, deleted, malformed, twice', async () => {
    const [id, gone] = [
      await client.create('Contact', { LastName: 'A' }),
      await client.create('Contact', { LastName: 'B' }),
    ];
    await client.call('DELETE', contactAt(gone));
    const ids = [id, undefined, '003ak000003dQCHAA2', gone, 'ana', id.slice(0, 15)];
    const { body } = await collection(
      'PATCH',
      ids.map((one) => ({ id: one, LastName: 'A2' })),
    );
    const refused = [
      'MISSING_ARGUMENT',
      'INVALID_CROSS_REFERENCE_KEY',
      'ENTITY_IS_DELETED',
      'MALFORMED_ID',
      'DUPLICATE_VALUE',
    ];
    expect(codes(body)).toEqual([undefined, ...refused]);
    expect(await names()).toEqual(['A2']);
  });

  it('refuses the records that a partial fault names', async () => {
    await client.fault({ action: { kind: 'partial', inputs: [1], category: 'UNABLE_TO_LOCK_ROW', message: 'busy' } });
    const { body } = await collection('POST', [{ LastName: 'A' }, { LastName: 'B' }]);
    expect(body[1].errors).toEqual([{ statusCode: 'UNABLE_TO_LOCK_ROW', message: 'busy', fields: [] }]);
  });

  const many = (count: number, type?: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => ({ LastName: 'x', ...(type && { attributes: { type: type(at) } }) }));
  it.each<[string, unknown, string]>([
    ['no records', { records: [] }, 'REQUIRED_FIELD_MISSING'],
    ['201 records', { records: many(201, () => 'Contact') }, 'EXCEEDED_ID_LIMIT'],
    ['an unknown object', { records: many(1, () => 'Accout') }, 'INVALID_TYPE'],
    ['a record without a type', { records: many(1) }, 'INVALID_INPUT'],
    ['a list', [], 'JSON_PARSER_ERROR'],
  ])('is refused whole for %s', async (_name, body, errorCode) => {
    const reply = await client.call('POST', '/composite/sobjects', body);
    expect([reply.status, reply.body[0].errorCode]).toEqual([400, errorCode]);
  });
});

describe('SOQL', () => {
  const found = async (rest: string): Promise<unknown[]> => {
    const { status, body } = await client.query(`SELECT LastName FROM Contact ${rest}`);
    return status === 200 ? body.records.map(({ LastName }: Row) => LastName) : [body[0].errorCode, body[0].message];
  };
  let accountId = '';
  beforeEach(async () => {
    accountId = await client.create('Account', { Name: 'Ácme' });
    const contacts: Row[] = [
      { LastName: "O'Brien", Score__c: 10, Active__c: true, Birthdate: '1990-05-05', AccountId: accountId },
      { LastName: String.raw`back\slash`, Score__c: 2.5, Email: 'b@example.com' },
      { LastName: 'Čapek', Last_Seen__c: '2026-03-01T12:00:00Z', Level__c: 'Primary' },
    ];
    for (const contact of contacts) await client.create('Contact', contact);
  });
  const [brien, slash, capek] = ["O'Brien", String.raw`back\slash`, 'Čapek'];

  it('finds by text without case, numbers, moments, lists, parents and what is empty', async () => {
    const rows: [string, unknown[]][] = [
      [String.raw`LastName = 'back\\slash'`, [slash]],
      ["Email = ''", [brien, capek]],
      ['Score__c > 2.5', [brien]],
      ['Active__c = FALSE', [slash, capek]],
      ['Birthdate >= 1990-05-06', []],
      ['Last_Seen__c = 2026-03-01T13:00:00+01:00', [capek]],
      ["Level__c IN ('primary', 'x')", [capek]],
      ["Account.Name = 'ácme'", [brien]],
      ["LastName = 'Čapek' AND Score__c = null", [capek]],
      [`AccountId = '${accountId.slice(0, 15)}'`, [brien]],
    ];
    for (const [condition, expected] of rows)
      expect([condition, new Set(await found(`WHERE ${condition}`))]).toEqual([condition, new Set(expected)]);
  });

  it('shows fields of parents below their name, and FIELDS() without what is hidden', async () => {
    const { body } = await client.query(
      "select score__C, account.name, Owner.Name from contact where LASTNAME = 'o\\'brien'",
    );
    expect(body.records).toMatchObject([
      { Score__c: 10, Account: { Name: 'Ácme' }, Owner: { Name: 'Integration User' } },
    ]);
    const [all] = (await client.query('SELECT FIELDS(ALL) FROM Contact LIMIT 1')).body.records;
    expect(all).toMatchObject({ External_Id__c: null });
    expect(all).not.toHaveProperty('Secret_Code__c');
  });

  it.each([
    ["WHERE Shoe = 'x'", 'INVALID_FIELD', "No such column 'Shoe' on entity 'Contact'."],
    ["WHERE Shop.Name = 'x'", 'INVALID_FIELD', "Didn't understand relationship 'Shop' in field path."],
    ["WHERE Score__c = '10'", 'INVALID_FIELD', 'must be of type double and should not be enclosed in quotes'],
    ['WHERE LastName = 5', 'INVALID_FIELD', 'must be of type string and should be enclosed in quotes'],
    ["WHERE Description = 'x'", 'INVALID_FIELD', "field 'Description' can not be filtered in a query call"],
    ["WHERE Id = 'ana'", 'INVALID_QUERY_FILTER_OPERATOR', 'invalid ID field: ana'],
    ['WHERE Active__c > true', 'INVALID_QUERY_FILTER_OPERATOR', 'invalid operator on boolean field'],
  ])('refuses %s as %s', async (rest, errorCode, message) => {
    expect(await found(rest)).toEqual([errorCode, expect.stringContaining(message)]);
  });
});

it.each<[string, string, number, string]>([
  ['GET', '/sobjects/Contact/003ak000003dQCHAA2', 404, 'NOT_FOUND'],
  ['GET', '/sobjects/Contact/001ak000003dQCH', 404, 'NOT_FOUND'],
  ['GET', '/sobjects/Contact/003ak000003dQCHAAA', 400, 'MALFORMED_ID'],
  ['GET', '/sobjects/Accout/001ak000003dQCH', 404, 'NOT_FOUND'],
  ['GET', '/../v41.0/sobjects', 404, 'NOT_FOUND'],
  ['GET', '/query', 400, 'MALFORMED_QUERY'],
  ['PUT', '/sobjects/Contact', 405, 'METHOD_NOT_ALLOWED'],
  ['DELETE', '/composite/sobjects', 400, 'REQUIRED_FIELD_MISSING'],
])('answers %s %s with %i %s', async (method, path, expected, errorCode) => {
  const { status, body } = await client.call(method, path, undefined);
  expect([status, body[0].errorCode]).toEqual([expected, errorCode]);
});

it('distinguishes ids by case, and takes those of 15 characters', async () => {
  const id = await client.create('Contact', { LastName: 'Luna' });
  expect((await client.call('GET', contactAt(id.slice(0, 15).toLowerCase()))).status).toBe(404);
  expect((await client.call('PATCH', contactAt(id.slice(0, 15)), { LastName: 'Sol' })).status).toBe(204);
  expect(await names()).toEqual(['Sol']);
});

it.each<[number, string]>([
  [400, 'UNABLE_TO_LOCK_ROW'],
  [403, 'REQUEST_LIMIT_EXCEEDED'],
  [500, 'UNKNOWN_EXCEPTION'],
  [503, 'SERVER_UNAVAILABLE'],
])('a fault of %i is answered as %s', async (status, errorCode) => {
  await client.fault({ action: { kind: 'status', status } });
  const reply = await client.call('POST', '/sobjects/Contact', { LastName: 'L' });
  expect([reply.status, reply.body[0].errorCode]).toEqual([status, errorCode]);
});

it('counts the calls of the last 24 hours, reports them on every reply, and refuses one too many', async () => {
  let now = new Date('2026-03-01T10:30:00Z');
  const org = await startOrg({ now: () => now }, { limits: { perDay: 1 } });
  const call = async () => {
    const { status, headers } = await org.call('GET', '/sobjects');
    return [status, headers.get('sforce-limit-info')];
  };
  expect([await call(), await call()]).toEqual([
    [200, 'api-usage=1/1'],
    [403, 'api-usage=1/1'],
  ]);
  now = new Date('2026-03-02T10:31:00Z');
  expect((await call())[0]).toBe(200);
  await org.close();
});

// Source: Salesforce, API End-of-Life Policy: 41.0 to 68.0 are served.
it.each([
  ['v20.0', 410],
  ['v40.0', 410],
  ['v42.0', 200],
  ['v68.0', 200],
  ['v69.0', 404],
  ['latest', 404],
])('a call of %s answers %i', async (version, status) => {
  const headers = { authorization: `Bearer ${client.org.token}` };
  const reply = await client.send('GET', `/services/data/${version}/sobjects`, undefined, headers);
  expect(reply.status).toBe(status);
});
