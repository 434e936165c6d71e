import { startOrg, type OrgClient } from './salesforce-client';

let client: OrgClient;
beforeAll(async () => {
  client = await startOrg();
});
afterAll(() => client.close());
beforeEach(() => client.reset());

type Fields = Record<string, unknown>;
const collection = (type: string, records: readonly Fields[], allOrNone = false) => ({
  allOrNone,
  records: records.map((record) => ({ attributes: { type }, ...record })),
});
const createMany = (records: readonly Fields[], allOrNone = false, type = 'Contact') =>
  client.call('POST', '/composite/sobjects', collection(type, records, allOrNone));
const updateMany = (records: readonly Fields[], allOrNone = false, type = 'Contact') =>
  client.call('PATCH', '/composite/sobjects', collection(type, records, allOrNone));
const names = async (object = 'Contact') => (await client.records(object)).map(({ fields }) => fields.LastName);

const rolledBack = {
  success: false,
  errors: [
    {
      statusCode: 'ALL_OR_NONE_OPERATION_ROLLED_BACK',
      message: 'Record rolled back because not all records were valid and the request was using AllOrNone header',
      fields: [],
    },
  ],
};
const missing = {
  success: false,
  errors: [
    { statusCode: 'REQUIRED_FIELD_MISSING', message: 'Required fields are missing: [LastName]', fields: ['LastName'] },
  ],
};

describe('create', () => {
  it('writes the good ones and keeps the order', async () => {
    const { status, body } = await createMany([{ LastName: 'A' }, { FirstName: 'x' }, { LastName: 'C' }]);
    expect(status).toBe(200);
    expect(body).toEqual([
      { id: expect.stringMatching(/^003/), success: true, errors: [] },
      missing,
      { id: expect.stringMatching(/^003/), success: true, errors: [] },
    ]);
    expect(await names()).toEqual(['A', 'C']);
    expect((await client.ledger()).at(-1)).toMatchObject({
      action: 'batch-create',
      records: 3,
      applied: 2,
      recordIds: [body[0].id, body[2].id],
    });
  });

  it('with allOrNone and one bad record in any position stores nothing', async () => {
    const { status, body } = await createMany([{ LastName: 'A' }, { FirstName: 'x' }, { LastName: 'C' }], true);
    expect([status, body]).toEqual([200, [rolledBack, missing, rolledBack]]);
    expect(await names()).toEqual([]);
    expect((await client.ledger()).at(-1)).toMatchObject({ records: 3, applied: 0, recordIds: [] });
    expect((await client.query('SELECT COUNT() FROM Contact')).body.totalSize).toBe(0);
  });

  it('with allOrNone and good records stores all', async () => {
    await createMany([{ LastName: 'A' }, { LastName: 'B' }], true);
    expect(await names()).toEqual(['A', 'B']);
  });

  it.each<[string, Fields, string, string[]]>([
    ['an unknown field', { LastName: 'x', Shoe: 1 }, 'INVALID_FIELD', []],
    ['an id', { LastName: 'x', id: '003000000000000' }, 'INVALID_FIELD_FOR_INSERT_UPDATE', []],
    ['an external id that is taken', { LastName: 'x', External_Id__c: 'taken' }, 'DUPLICATE_VALUE', []],
    ['a duplicate', { LastName: 'First', Email: 'f@example.com' }, 'DUPLICATES_DETECTED', []],
  ])('says per record that %s is refused', async (_name, record, statusCode, fields) => {
    const { body } = await createMany([{ LastName: 'First', Email: 'f@example.com', External_Id__c: 'taken' }, record]);
    expect(body[0].success).toBe(true);
    expect(body[1]).toEqual({ success: false, errors: [{ statusCode, message: expect.any(String), fields }] });
  });

  it('takes several objects in one call', async () => {
    const records = [
      { attributes: { type: 'Account' }, Name: 'A' },
      { attributes: { type: 'contact' }, LastName: 'L' },
    ];
    const { body } = await client.call('POST', '/composite/sobjects', { records });
    expect(body.map(({ id }: { id: string }) => id.slice(0, 3))).toEqual(['001', '003']);
  });

  it.each<[string, unknown, string]>([
    ['no records', { records: [] }, 'REQUIRED_FIELD_MISSING'],
    [
      '201 records',
      collection(
        'Contact',
        Array.from({ length: 201 }, () => ({ LastName: 'x' })),
      ),
      'EXCEEDED_ID_LIMIT',
    ],
    ['an unknown object', collection('Accout', [{ Name: 'x' }]), 'INVALID_TYPE'],
    ['a record without a type', { records: [{ LastName: 'x' }] }, 'INVALID_INPUT'],
    ['a list', [], 'JSON_PARSER_ERROR'],
    [
      '11 runs of a type',
      { records: Array.from({ length: 11 }, (_, n) => ({ attributes: { type: n % 2 ? 'Contact' : 'Lead' } })) },
      'EXCEEDED_MAX_TYPES_LIMIT',
    ],
  ])('refuses the whole call for %s', async (_name, body, errorCode) => {
    const reply = await client.call('POST', '/composite/sobjects', body);
    expect([reply.status, reply.body[0].errorCode]).toEqual([400, errorCode]);
  });

  it('refuses the records that a partial fault names', async () => {
    const fault = {
      action: { kind: 'partial' as const, inputs: [1], category: 'UNABLE_TO_LOCK_ROW', message: 'busy' },
    };
    await client.fault(fault);
    const { body } = await createMany([{ LastName: 'A' }, { LastName: 'B' }]);
    expect(body[1].errors).toEqual([{ statusCode: 'UNABLE_TO_LOCK_ROW', message: 'busy', fields: [] }]);
    await client.fault(fault);
    expect((await createMany([{ LastName: 'C' }, { LastName: 'D' }], true)).body[0]).toEqual(rolledBack);
    expect(await names()).toEqual(['A']);
  });
});

describe('update', () => {
  it('answers per record: changed, without id, of nobody, deleted, malformed, twice', async () => {
    const [id, other] = await Promise.all(['A', 'B'].map((LastName) => client.create('Contact', { LastName })));
    await client.call('DELETE', `/sobjects/Contact/${other}`);
    const { status, body } = await updateMany([
      { id, LastName: 'A2' },
      { LastName: 'x' },
      { id: '003ak000003dQCHAA2', LastName: 'x' },
      { id: other, LastName: 'x' },
      { id: 'ana', LastName: 'x' },
      { id: id?.slice(0, 15), LastName: 'x' },
    ]);
    expect(status).toBe(200);
    expect(body[0]).toEqual({ id, success: true, errors: [] });
    expect(body.slice(1).map((item: { errors: { statusCode: string }[] }) => item.errors[0]?.statusCode)).toEqual([
      'MISSING_ARGUMENT',
      'INVALID_CROSS_REFERENCE_KEY',
      'ENTITY_IS_DELETED',
      'MALFORMED_ID',
      'DUPLICATE_VALUE',
    ]);
    expect(body[1].errors[0].message).toBe('Id not specified in an update call');
    expect(await names()).toEqual(['A2']);
  });

  it('with allOrNone puts every record back as it was', async () => {
    const ids = [];
    for (const LastName of ['A', 'B']) ids.push(await client.create('Contact', { LastName, Title: 'CEO' }));
    const changes = [
      { id: ids[0], LastName: 'A2', Title: '' },
      { id: ids[1], Email: 'bad' },
    ];
    expect((await updateMany(changes, true)).body[0]).toEqual(rolledBack);
    expect((await client.records('Contact')).map(({ fields }) => [fields.LastName, fields.Title])).toEqual([
      ['A', 'CEO'],
      ['B', 'CEO'],
    ]);
    expect((await client.ledger()).at(-1)).toMatchObject({ action: 'batch-update', applied: 0 });
  });
});

describe('delete', () => {
  it('answers per id, and with allOrNone deletes nothing', async () => {
    const ids = await Promise.all(['A', 'B'].map((LastName) => client.create('Contact', { LastName })));
    const nobody = '003ak000003dQCHAA2';
    const all = await client.call('DELETE', `/composite/sobjects?ids=${ids.join(',')},${nobody}&allOrNone=true`);
    expect(all.body.map((item: { success: boolean }) => item.success)).toEqual([false, false, false]);
    expect(await names()).toHaveLength(2);
    const some = await client.call('DELETE', `/composite/sobjects?ids=${ids.join(',')},${nobody}`);
    expect(some.body.slice(0, 2)).toEqual(ids.map((id) => ({ id, success: true, errors: [] })));
    expect(some.body[2].errors[0].statusCode).toBe('INVALID_CROSS_REFERENCE_KEY');
    expect(await names()).toEqual([]);
    expect((await client.ledger()).at(-1)).toMatchObject({ action: 'batch-delete', records: 3, applied: 2 });
  });

  it('refuses a call without ids', async () => {
    expect((await client.call('DELETE', '/composite/sobjects')).body[0].message).toBe('At least 1 record is required');
  });
});

describe('upsert', () => {
  it('says which records were created', async () => {
    await client.create('Account', { Name: 'A', External_Id__c: 'a' });
    const body = collection('Account', [
      { External_Id__c: 'a', Name: 'A2' },
      { external_id__c: 'b', Name: 'B' },
      { Name: 'C' },
    ]);
    const reply = await client.call('PATCH', '/composite/sobjects/Account/External_Id__c', body);
    expect(reply.body.map(({ success, created }: Fields) => [success, created])).toEqual([
      [true, false],
      [true, true],
      [false, undefined],
    ]);
    expect((await client.records('Account')).map(({ fields }) => [fields.Name, fields.External_Id__c])).toEqual([
      ['A2', 'a'],
      ['B', 'b'],
    ]);
  });
});

describe('retrieve', () => {
  it('is in the order of the ids, null for a missing record', async () => {
    const account = await client.create('Account', { Name: 'A' });
    const ids = await Promise.all(['A', 'B'].map((LastName) => client.create('Contact', { LastName })));
    await client.call('DELETE', `/sobjects/Contact/${ids[1]}`);
    const asked = ['003ak000003dQCHAA2', ids[0]?.slice(0, 15), ids[1], account, ids[0]];
    const { status, body } = await client.call('POST', '/composite/sobjects/contact', {
      ids: asked,
      fields: ['lastname', 'Email'],
    });
    expect(status).toBe(200);
    expect(body.map((record: Fields | null) => record?.LastName ?? null)).toEqual([null, 'A', null, null, 'A']);
    expect(body[1]).toMatchObject({ attributes: { type: 'Contact' }, Email: null, Id: ids[0] });
    const query = await client.call('GET', `/composite/sobjects/Contact?ids=${ids.join(',')}&fields=LastName`);
    expect(query.body.map((record: Fields | null) => record?.LastName ?? null)).toEqual(['A', null]);
    expect((await client.ledger()).at(-1)).toMatchObject({ action: 'batch-read', records: 2, applied: 0 });
  });

  it.each<[string, unknown, string]>([
    ['an unknown field', { ids: ['003ak000003dQCHAA2'], fields: ['LastName', 'Shoe'] }, 'INVALID_FIELD'],
    ['a malformed id', { ids: ['ana'], fields: ['Id'] }, 'MALFORMED_ID'],
    ['no ids', { ids: [], fields: ['Id'] }, 'REQUIRED_FIELD_MISSING'],
    ['2001 ids', { ids: Array.from({ length: 2001 }, () => '003ak000003dQCH'), fields: ['Id'] }, 'EXCEEDED_ID_LIMIT'],
  ])('refuses %s', async (_name, body, errorCode) => {
    const reply = await client.call('POST', '/composite/sobjects/Contact', body);
    expect([reply.status, reply.body[0].errorCode]).toEqual([400, errorCode]);
  });
});
