import { api, startOrg, type OrgClient } from './salesforce-client';

let client: OrgClient;
beforeAll(async () => {
  client = await startOrg();
});
afterAll(() => client.close());
beforeEach(() => client.reset());

const contactAt = (id: string) => `/sobjects/Contact/${id}`;

describe('create', () => {
  it('answers 201 with the id and Location, and no record data', async () => {
    const { status, headers, body } = await client.call('POST', '/sobjects/Contact', {
      LastName: 'Łuna',
      email: 'Ana@Example.com',
      HASOPTEDOUTOFEMAIL: true,
      attributes: { type: 'Contact' },
    });
    expect(status).toBe(201);
    expect(body).toEqual({ id: expect.stringMatching(/^003ak0[0-9A-Za-z]{9}[A-Z0-5]{3}$/), success: true, errors: [] });
    expect(headers.get('location')).toBe(`${client.url}${api}/sobjects/Contact/${body.id}`);
    expect(headers.get('content-type')).toBe('application/json;charset=UTF-8');
    const [record] = await client.records('Contact');
    expect(record).toMatchObject({
      id: body.id,
      fields: { LastName: 'Łuna', Name: 'Łuna', Email: 'Ana@Example.com', HasOptedOutOfEmail: true, Active__c: false },
    });
  });

  it('fills in what a create leaves out', async () => {
    const id = await client.create('Lead', { LastName: 'Luna', Company: 'Acme', FirstName: 'Ana' });
    const { body } = await client.call('GET', `/sobjects/Lead/${id}`);
    expect(body).toMatchObject({
      attributes: { type: 'Lead', url: `${api}/sobjects/Lead/${id}` },
      Id: id,
      Name: 'Ana Luna',
      Status: 'Open - Not Contacted',
      IsConverted: false,
      IsDeleted: false,
      OwnerId: expect.stringMatching(/^005ak0/),
      Record_Number__c: 'R-000001',
      Email: null,
    });
    expect(body.CreatedDate).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000$/);
    expect([body.LastModifiedDate, body.SystemModstamp]).toEqual([body.CreatedDate, body.CreatedDate]);
    expect(body).not.toHaveProperty('Secret_Code__c');
  });

  it('keeps values by their type, "" as null', async () => {
    const id = await client.create('Contact', {
      LastName: 'Luna',
      Score__c: '12.50',
      Active__c: 'true',
      Birthdate: '2000-02-29',
      Last_Seen__c: '2026-01-31T10:00:00+01:00',
      Phone: 12345,
      Title: '',
      Interests__c: 'Music;Travel',
      Description: 'line\nbreak "quoted" \\ 中文',
    });
    const { body } = await client.call('GET', contactAt(id));
    expect(body).toMatchObject({
      Score__c: 12.5,
      Active__c: true,
      Birthdate: '2000-02-29',
      Last_Seen__c: '2026-01-31T09:00:00.000+0000',
      Phone: '12345',
      Title: null,
      Interests__c: 'Music;Travel',
      Description: 'line\nbreak "quoted" \\ 中文',
    });
  });

  // On top of a last name; the last member names the fields that the error does.
  it.each<[object, string, string, string[]?]>([
    [{ LastName: '' }, 'REQUIRED_FIELD_MISSING', 'Required fields are missing: [LastName]', ['LastName']],
    [{ Shoe: 1 }, 'INVALID_FIELD', "No such column 'Shoe' on sobject of type Contact"],
    // It is hidden.
    [{ Secret_Code__c: 'x' }, 'INVALID_FIELD', "No such column 'Secret_Code__c' on sobject of type Contact"],
    [{ Id: '003000000000000' }, 'INVALID_FIELD', 'The Id field should not be specified in the sobject data.'],
    [
      { credit_limit__c: 1, CreatedDate: '2026-01-01' },
      'INVALID_FIELD_FOR_INSERT_UPDATE',
      'Unable to create/update fields: Credit_Limit__c, CreatedDate. Please check the security settings of this field and verify that it is read/write for your profile or permission set.',
      ['Credit_Limit__c', 'CreatedDate'],
    ],
    [
      { Interests__c: 'Music;Golf' },
      'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST',
      'Interests: bad value for restricted picklist field: Golf',
      ['Interests__c'],
    ],
    [{ FirstName: 'x'.repeat(41) }, 'STRING_TOO_LONG', `${'x'.repeat(41)} (max length=40)`, ['FirstName']],
    [{ Email: 'ana' }, 'INVALID_EMAIL_ADDRESS', 'Email: invalid email address: ana', ['Email']],
    [{ Score__c: 1e17 }, 'NUMBER_OUTSIDE_VALID_RANGE', 'Score: value outside of valid range', ['Score__c']],
    [{ AccountId: 'x1' }, 'MALFORMED_ID', 'Account ID: id value of incorrect type: x1', ['AccountId']],
    [{ AccountId: '003000000000000AAA' }, 'FIELD_INTEGRITY_EXCEPTION', 'incorrect type: 003000000', ['AccountId']],
    [{ AccountId: '001000000000000' }, 'INVALID_CROSS_REFERENCE_KEY', 'invalid cross reference id', ['AccountId']],
    [{ Active__c: null }, 'INVALID_TYPE_ON_FIELD_IN_RECORD', 'Active: value not of required type: ', ['Active__c']],
    [{ Active__c: 'yes' }, 'JSON_PARSER_ERROR', 'Cannot deserialize instance of boolean from VALUE_STRING value yes'],
    [{ Score__c: 'many' }, 'JSON_PARSER_ERROR', 'Cannot deserialize instance of double from VALUE_STRING value many'],
    [{ Birthdate: '2026-02-30' }, 'JSON_PARSER_ERROR', 'instance of date from VALUE_STRING value 2026-02-30'],
    [{ FirstName: { a: 1 } }, 'JSON_PARSER_ERROR', 'instance of string from START_OBJECT value {'],
  ])('refuses %j as %s and stores nothing', async (fields, errorCode, message, named = []) => {
    const { status, body } = await client.call('POST', '/sobjects/Contact', { LastName: 'L', ...fields });
    expect(status).toBe(400);
    expect(body).toEqual([
      { message: expect.stringContaining(message), errorCode, ...(named.length > 0 ? { fields: named } : {}) },
    ]);
    expect(await client.records('Contact')).toEqual([]);
  });

  it.each<[string, object, string, string]>([
    ['Account', { Name: 'A', NumberOfEmployees: 1.5 }, 'JSON_PARSER_ERROR', 'instance of int from VALUE_NUMBER_FLOAT'],
    ['Lead', {}, 'REQUIRED_FIELD_MISSING', '[LastName, Company]'],
    ['Opportunity', {}, 'REQUIRED_FIELD_MISSING', '[Name, StageName, CloseDate]'],
  ])('of an object of its own: %s %j is %s', async (object, fields, errorCode, message) => {
    const { body } = await client.call('POST', `/sobjects/${object}`, fields);
    expect(body).toMatchObject([{ errorCode, message: expect.stringContaining(message) }]);
  });

  it('says everything that is wrong with the values at once', async () => {
    const { body } = await client.call('POST', '/sobjects/Contact', { LastName: 'x'.repeat(81), Email: 'ana' });
    expect(body.map((error: { errorCode: string }) => error.errorCode)).toEqual([
      'STRING_TOO_LONG',
      'INVALID_EMAIL_ADDRESS',
    ]);
  });

  it('takes any value for a picklist that is not restricted', async () => {
    await client.create('Contact', { LastName: 'L', LeadSource: 'Carrier pigeon' });
    expect((await client.records('Contact'))[0]?.fields.LeadSource).toBe('Carrier pigeon');
  });

  it('refuses a second external id, whatever its case, and names the record', async () => {
    const id = await client.create('Account', { Name: 'A', External_Id__c: 'k-1' });
    const { status, body } = await client.call('POST', '/sobjects/Account', { Name: 'B', External_Id__c: 'K-1' });
    expect(status).toBe(400);
    expect(body).toEqual([
      {
        message: `duplicate value found: External_Id__c duplicates value on record with id: ${id.slice(0, 15)}`,
        errorCode: 'DUPLICATE_VALUE',
        fields: [],
      },
    ]);
    await client.call('DELETE', `/sobjects/Account/${id}`);
    expect((await client.call('POST', '/sobjects/Account', { Name: 'B', External_Id__c: 'K-1' })).status).toBe(201);
  });

  it('takes a person for a duplicate unless the caller allows it', async () => {
    const ana = { FirstName: 'Ana', LastName: 'Luna', Email: 'ana@example.com' };
    const id = await client.create('Contact', ana);
    await client.create('Contact', { ...ana, FirstName: 'Eva' });
    const again = { ...ana, Email: 'ANA@example.com' };
    const refused = await client.call('POST', '/sobjects/Contact', again);
    expect(refused.status).toBe(400);
    expect(refused.body[0]).toMatchObject({ errorCode: 'DUPLICATES_DETECTED', message: 'Use one of these records?' });
    expect(refused.body[0].duplicateResult.matchResults[0].matchRecords[0].record).toEqual({
      attributes: { type: 'Contact', url: `${api}/sobjects/Contact/${id}` },
      Id: id,
    });
    const header = { 'Sforce-Duplicate-Rule-Header': 'allowSave=true; includeRecordDetails=true' };
    expect((await client.call('POST', '/sobjects/Contact', again, header)).status).toBe(201);
    expect(await client.records('Contact')).toHaveLength(3);
  });
});

describe('update', () => {
  it('changes what was sent, clears what was sent empty, answers 204 without a body', async () => {
    const id = await client.create('Contact', { LastName: 'Luna', Phone: '1', Title: 'CEO' });
    const { status, headers, body } = await client.call('PATCH', contactAt(id), { lastname: 'Łuna', Phone: '' });
    expect([status, headers.get('content-type'), body]).toEqual([204, null, '']);
    const read = await client.call('GET', `${contactAt(id)}?fields=name,Phone,Title`);
    expect(read.body).toEqual({
      attributes: { type: 'Contact', url: `${api}/sobjects/Contact/${id}` },
      Name: 'Łuna',
      Phone: null,
      Title: 'CEO',
      Id: id,
    });
  });

  it('is also a POST with _HttpMethod, and takes ids of 15 characters', async () => {
    const id = await client.create('Contact', { LastName: 'Luna' });
    const path = `${contactAt(id.slice(0, 15))}?_HttpMethod=PATCH`;
    expect((await client.call('POST', path, { LastName: 'Sol' })).status).toBe(204);
    expect((await client.records('Contact'))[0]?.fields.LastName).toBe('Sol');
    expect((await client.ledger()).at(-1)).toMatchObject({ action: 'update', records: 1, applied: 1, recordIds: [id] });
  });

  it.each<[string, object, string]>([
    ['an emptied required field', { LastName: null }, 'REQUIRED_FIELD_MISSING'],
    ['an id in the body', { id: 'x', LastName: 'L' }, 'INVALID_FIELD'],
    ['a wrong option', { Level__c: 'Gold' }, 'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST'],
    ['a computed field', { SystemModstamp: '2026-01-01T00:00:00Z' }, 'INVALID_FIELD_FOR_INSERT_UPDATE'],
  ])('refuses %s', async (_name, fields, errorCode) => {
    const id = await client.create('Contact', { LastName: 'Luna' });
    const { status, body } = await client.call('PATCH', contactAt(id), fields);
    expect([status, body[0].errorCode]).toEqual([400, errorCode]);
    expect((await client.records('Contact'))[0]?.fields.LastName).toBe('Luna');
  });

  it('may keep its own external id, but not take that of another', async () => {
    const id = await client.create('Contact', { LastName: 'Luna', External_Id__c: 'a' });
    await client.create('Contact', { LastName: 'Sol', External_Id__c: 'b' });
    expect((await client.call('PATCH', contactAt(id), { External_Id__c: 'A' })).status).toBe(204);
    expect((await client.call('PATCH', contactAt(id), { External_Id__c: 'b' })).body[0].errorCode).toBe(
      'DUPLICATE_VALUE',
    );
  });
});

describe('delete', () => {
  it('answers 204, then 404: the record is in the recycle bin', async () => {
    const id = await client.create('Contact', { LastName: 'Luna' });
    expect((await client.call('DELETE', contactAt(id))).status).toBe(204);
    const gone = [{ message: 'entity is deleted', errorCode: 'ENTITY_IS_DELETED', fields: [] }];
    for (const [method, body] of [['DELETE'], ['PATCH', { LastName: 'x' }], ['GET']] as const) {
      const again = await client.call(method, contactAt(id), body);
      expect([again.status, again.body]).toEqual([404, gone]);
    }
    expect(await client.records('Contact')).toEqual([]);
  });

  it('lets nobody refer to what is deleted', async () => {
    const id = await client.create('Account', { Name: 'A' });
    await client.call('DELETE', `/sobjects/Account/${id}`);
    const { body } = await client.call('POST', '/sobjects/Contact', { LastName: 'L', AccountId: id });
    expect(body[0].errorCode).toBe('ENTITY_IS_DELETED');
  });
});

describe('addresses', () => {
  it.each<[string, string, number, string]>([
    ['an id that no record has', '/sobjects/Contact/003ak000003dQCHAA2', 404, 'NOT_FOUND'],
    ['an id of another object', '/sobjects/Contact/001ak000003dQCH', 404, 'NOT_FOUND'],
    ['a word', '/sobjects/Contact/ana', 400, 'MALFORMED_ID'],
    ['an id with a wrong checksum', '/sobjects/Contact/003ak000003dQCHAAA', 400, 'MALFORMED_ID'],
    ['an unknown object', '/sobjects/Accout/001ak000003dQCH', 404, 'NOT_FOUND'],
    ['an unknown path', '/nothing', 404, 'NOT_FOUND'],
    ['an unknown field', '/sobjects/User/005ak000003dQCH?fields=Shoe', 400, 'INVALID_FIELD'],
  ])('answers %s', async (_name, path, expected, errorCode) => {
    const { status, body } = await client.call('GET', path);
    expect([status, body[0].errorCode]).toEqual([expected, errorCode]);
  });

  it.each(['v41.0', 'v99.0', 'v60', '60.0', 'vNN.0'])('does not have the version %s', async (version) => {
    const headers = { authorization: `Bearer ${client.org.token}` };
    const { status, body } = await client.send('GET', `/services/data/${version}/sobjects`, undefined, headers);
    expect([status, body[0].errorCode]).toEqual([404, 'NOT_FOUND']);
  });

  it('distinguishes ids by case', async () => {
    const id = await client.create('Contact', { LastName: 'Luna' });
    const other = id
      .slice(0, 15)
      .replace(/[a-zA-Z](?=[^a-zA-Z]*$)/, (letter) =>
        letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
      );
    expect((await client.call('GET', contactAt(other))).status).toBe(404);
  });

  it('refuses a method that an address lacks, a body that is not JSON, a write to a read-only object', async () => {
    expect((await client.call('PUT', '/sobjects/Contact')).status).toBe(405);
    expect((await client.call('POST', '/sobjects/Contact', '{"LastName"')).body[0].errorCode).toBe('JSON_PARSER_ERROR');
    const text = await client.call('POST', '/sobjects/Contact', '{"LastName":"L"}', { 'content-type': 'text/plain' });
    expect(text.status).toBe(415);
    const user = await client.call('POST', '/sobjects/User', { LastName: 'L' });
    expect([user.status, user.body[0].errorCode]).toEqual([403, 'INSUFFICIENT_ACCESS_OR_READONLY']);
  });
});

describe('upsert by external id', () => {
  it('creates, then updates, and finds by the same address', async () => {
    const path = `/sobjects/Account/External_Id__c/${encodeURIComponent('k/1 é')}`;
    const created = await client.call('PATCH', path, { Name: 'A' });
    expect([created.status, created.body.created]).toEqual([201, true]);
    const updated = await client.call('PATCH', path, { Name: 'B' });
    expect([updated.status, updated.body]).toEqual([200, { ...created.body, created: false }]);
    const read = await client.call('GET', path);
    expect(read.body).toMatchObject({ Id: created.body.id, Name: 'B', External_Id__c: 'k/1 é' });
    expect((await client.call('DELETE', path)).status).toBe(204);
    expect((await client.call('GET', path)).status).toBe(404);
  });

  it('refuses a field that is no external id', async () => {
    expect((await client.call('PATCH', '/sobjects/Account/Name/x', { Phone: '1' })).status).toBe(404);
  });
});
