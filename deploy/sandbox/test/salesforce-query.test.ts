import { api, startOrg, type OrgClient } from './salesforce-client';

let client: OrgClient;
beforeAll(async () => {
  client = await startOrg();
});
afterAll(() => client.close());

type Row = Record<string, unknown>;
const rows = async (soql: string): Promise<Row[]> => {
  const { status, body } = await client.query(soql);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.records;
};
const namesWhere = async (condition: string): Promise<unknown[]> =>
  (await rows(`SELECT LastName FROM Contact WHERE ${condition} ORDER BY LastName`)).map((row) => row.LastName);

let accountId = '';
let ids: Record<string, string> = {};
beforeAll(async () => {
  accountId = await client.create('Account', { Name: 'Ácme', Website: 'acme.example' });
  const contacts: Row[] = [
    { LastName: "O'Brien", Score__c: 10, Active__c: true, Birthdate: '1990-05-05', AccountId: accountId },
    { LastName: String.raw`back\slash`, Score__c: 2.5, Title: '100%', Email: 'b@example.com' },
    { LastName: 'Čapek', Last_Seen__c: '2026-03-01T12:00:00Z', Title: '100 years', Level__c: 'Primary' },
    { LastName: 'Deleted' },
  ];
  const pairs = [];
  for (const contact of contacts) pairs.push([contact.LastName, await client.create('Contact', contact)] as const);
  ids = Object.fromEntries(pairs);
  await client.call('DELETE', `/sobjects/Contact/${ids.Deleted}`);
});

it('shows what was selected, in that order, names in their own case', async () => {
  const { status, body } = await client.query(
    "select score__C, id, contact.lastname, account.name, Account.Owner.email, Owner.Name from contact where LASTNAME = 'o\\'brien'",
  );
  expect(status).toBe(200);
  const id = ids["O'Brien"];
  expect(body).toEqual({
    totalSize: 1,
    done: true,
    records: [
      {
        attributes: { type: 'Contact', url: `${api}/sobjects/Contact/${id}` },
        Score__c: 10,
        Id: id,
        LastName: "O'Brien",
        Account: {
          attributes: { type: 'Account', url: `${api}/sobjects/Account/${accountId}` },
          Name: 'Ácme',
          Owner: {
            attributes: { type: 'User', url: expect.stringMatching(/sobjects\/User\/005/) },
            Email: 'integration@acme.example',
          },
        },
        Owner: { attributes: expect.objectContaining({ type: 'User' }), Name: 'Integration User' },
      },
    ],
  });
  expect(Object.keys(body.records[0])).toEqual(['attributes', 'Score__c', 'Id', 'LastName', 'Account', 'Owner']);
});

it('shows null for a relationship that is empty', async () => {
  expect(await rows("SELECT Account.Name FROM Contact WHERE LastName = 'Čapek'")).toEqual([
    { attributes: expect.anything(), Account: null },
  ]);
});

it.each<[string, unknown[]]>([
  [String.raw`LastName = 'back\\slash'`, [String.raw`back\slash`]],
  ["LastName = 'ČAPEK'", ['Čapek']],
  ["LastName != 'Čapek'", [String.raw`back\slash`, "O'Brien"]],
  ["Email != 'b@example.com'", ['Čapek', "O'Brien"]],
  ['Email = null', ['Čapek', "O'Brien"]],
  ["Email = ''", ['Čapek', "O'Brien"]],
  ['Email != null', [String.raw`back\slash`]],
  ['Score__c = 10', ["O'Brien"]],
  ['Score__c = 2.50', [String.raw`back\slash`]],
  ['Score__c > 2.5', ["O'Brien"]],
  ['Score__c >= 2.5 AND Score__c <= 10', [String.raw`back\slash`, "O'Brien"]],
  ['Active__c = true', ["O'Brien"]],
  ['Active__c = FALSE', [String.raw`back\slash`, 'Čapek']],
  ['Birthdate = 1990-05-05', ["O'Brien"]],
  ['Birthdate < 1990-05-05', []],
  ['Last_Seen__c = 2026-03-01T13:00:00+01:00', ['Čapek']],
  ['Last_Seen__c > 2026-03-01T12:00:00.000Z', []],
  ['CreatedDate >= 2026-01-01T00:00:00Z', [String.raw`back\slash`, 'Čapek', "O'Brien"]],
  ["Level__c IN ('primary', 'Tertiary')", ['Čapek']],
  ["Level__c NOT IN ('Primary')", [String.raw`back\slash`, "O'Brien"]],
  ["Name LIKE '%bri_n'", ["O'Brien"]],
  ["Account.Name = 'ácme'", ["O'Brien"]],
  ['Account.Name = null', [String.raw`back\slash`, 'Čapek']],
  ["LastName = 'Čapek' OR (Score__c > 1 AND NOT Active__c = true)", [String.raw`back\slash`, 'Čapek']],
])('finds by %s', async (condition, expected) => {
  expect(new Set(await namesWhere(condition))).toEqual(new Set(expected));
});

it('finds by ids of 15 and 18 characters, upper and lower case apart', async () => {
  const id = ids.Čapek ?? '';
  expect(await namesWhere(`Id IN ('${id}', '${ids["O'Brien"]?.slice(0, 15)}')`)).toHaveLength(2);
  expect(await namesWhere(`AccountId = '${accountId.slice(0, 15)}'`)).toEqual(["O'Brien"]);
  expect(
    (await client.query(`SELECT Id FROM Contact WHERE Id = '${id.slice(0, 15).toLowerCase()}'`)).body.records,
  ).toEqual([]);
});

it('orders with nulls first unless asked otherwise, limits and skips', async () => {
  const order = async (clause: string) =>
    (await rows(`SELECT Score__c FROM Contact ORDER BY ${clause}`)).map((row) => row.Score__c);
  expect(await order('Score__c')).toEqual([null, 2.5, 10]);
  expect(await order('Score__c DESC')).toEqual([null, 10, 2.5]);
  expect(await order('Score__c DESC NULLS LAST LIMIT 1')).toEqual([10]);
  expect(await order('Score__c ASC NULLS LAST LIMIT 5 OFFSET 1')).toEqual([10, null]);
});

it('counts, and sees deleted records only in queryAll', async () => {
  const count = async (path: string) =>
    (await client.call('GET', `/${path}?q=${encodeURIComponent('SELECT COUNT() FROM Contact')}`)).body;
  expect(await count('query')).toEqual({ totalSize: 3, done: true, records: [] });
  expect((await count('queryAll')).totalSize).toBe(4);
});

it('spreads FIELDS(), without what is hidden', async () => {
  const [all] = await rows('SELECT FIELDS(ALL) FROM Contact LIMIT 1');
  expect(Object.keys(all ?? {})).toEqual(expect.arrayContaining(['attributes', 'Id', 'Name', 'External_Id__c']));
  expect(all).not.toHaveProperty('Secret_Code__c');
  const [custom] = await rows('SELECT Id, FIELDS(CUSTOM) FROM Contact LIMIT 200');
  expect(Object.keys(custom ?? {})).not.toContain('LastName');
  const [standard] = await rows('SELECT FIELDS(STANDARD) FROM Contact');
  expect(Object.keys(standard ?? {})).not.toContain('Score__c');
});

const advice = 'Please reference your WSDL or the describe call for the appropriate names.';

it.each<[string, string, string]>([
  [
    'SELECT Shoe FROM Contact',
    'INVALID_FIELD',
    `No such column 'Shoe' on entity 'Contact'. If you are attempting to use a custom field, be sure to append the '__c' after the custom field name. ${advice}`,
  ],
  ['SELECT Secret_Code__c FROM Contact', 'INVALID_FIELD', "No such column 'Secret_Code__c' on entity 'Contact'."],
  ['SELECT Account.Shoe FROM Contact', 'INVALID_FIELD', "No such column 'Shoe' on entity 'Account'."],
  ['SELECT Shop.Name FROM Contact', 'INVALID_FIELD', "Didn't understand relationship 'Shop' in field path."],
  [
    'SELECT Id FROM Accout',
    'INVALID_TYPE',
    `sObject type 'Accout' is not supported. If you are attempting to use a custom object, be sure to append the '__c' after the entity name. ${advice}`,
  ],
  [
    "SELECT Id FROM Contact WHERE Active__c = 'true'",
    'INVALID_FIELD',
    "value of filter criterion for field 'Active__c' must be of type boolean and should not be enclosed in quotes",
  ],
  ["SELECT Id FROM Contact WHERE Score__c = '10'", 'INVALID_FIELD', "field 'Score__c' must be of type double and"],
  ["SELECT Id FROM Contact WHERE CreatedDate > '2026-01-01'", 'INVALID_FIELD', 'must be of type dateTime and should'],
  ['SELECT Id FROM Contact WHERE Birthdate = 1990-05-05T00:00:00Z', 'INVALID_FIELD', 'must be of type date and'],
  [
    'SELECT Id FROM Contact WHERE LastName = 5',
    'INVALID_FIELD',
    "value of filter criterion for field 'LastName' must be of type string and should be enclosed in quotes",
  ],
  [
    "SELECT Id FROM Contact WHERE Level__c IN ('Primary', 5)",
    'INVALID_FIELD',
    "field 'Level__c' must be of type string",
  ],
  [
    "SELECT Id FROM Contact WHERE Description = 'x'",
    'INVALID_FIELD',
    "field 'Description' can not be filtered in a query call",
  ],
  [
    'SELECT Id FROM Contact ORDER BY Description',
    'INVALID_FIELD',
    "field 'Description' can not be sorted in a query call",
  ],
  ["SELECT Id FROM Contact WHERE Id = 'ana'", 'INVALID_QUERY_FILTER_OPERATOR', 'invalid ID field: ana'],
  ["SELECT Id FROM Contact WHERE Id LIKE '003%'", 'INVALID_QUERY_FILTER_OPERATOR', 'invalid operator on id field'],
  [
    'SELECT Id FROM Contact WHERE Active__c > true',
    'INVALID_QUERY_FILTER_OPERATOR',
    'invalid operator on boolean field',
  ],
  ['SELECT Id, LastName, id FROM Contact', 'MALFORMED_QUERY', 'duplicate field selected: Id'],
  ['SELECT Account.Name, Account.name FROM Contact', 'MALFORMED_QUERY', 'duplicate field selected: Account.Name'],
  ['SELECT Id, FIELDS(ALL) FROM Contact LIMIT 1', 'MALFORMED_QUERY', 'duplicate field selected: Id'],
  ['SELECT FIELDS(ALL) FROM Contact', 'MALFORMED_QUERY', 'The SOQL FIELDS function must have a LIMIT of at most 200'],
  [
    'SELECT FIELDS(CUSTOM) FROM Contact LIMIT 201',
    'MALFORMED_QUERY',
    'The SOQL FIELDS function must have a LIMIT of at most 200',
  ],
  ['SELECT Id FROM Contact OFFSET 2001', 'NUMBER_OUTSIDE_VALID_RANGE', 'Maximum SOQL offset allowed is 2000'],
])('refuses %s', async (soql, errorCode, message) => {
  const { status, body } = await client.query(soql);
  expect([status, body[0].errorCode]).toEqual([400, errorCode]);
  expect(body[0].message).toContain(message);
});

it('refuses a query that is not there', async () => {
  expect((await client.call('GET', '/query')).body[0].errorCode).toBe('MALFORMED_QUERY');
});

it('pages by batchSize, at least 200, from what the query found', async () => {
  for (const start of [0, 200, 400]) {
    const records = Array.from({ length: 200 }, (_, n) => ({
      attributes: { type: 'Account' },
      Name: `Page ${start + n}`,
    }));
    await client.call('POST', '/composite/sobjects', { records });
  }
  const soql = "SELECT Name FROM Account WHERE Name LIKE 'Page %' ORDER BY CreatedDate LIMIT 450";
  const first = await client.query(soql, { 'Sforce-Query-Options': 'batchSize=200' });
  expect(first.body).toMatchObject({ totalSize: 450, done: false });
  expect(first.body.nextRecordsUrl).toMatch(new RegExp(`^${api}/query/01g\\w+-200$`));
  const next = async (url: string) => (await client.call('GET', url.slice(api.length))).body;
  const second = await next(first.body.nextRecordsUrl);
  const third = await next(second.nextRecordsUrl);
  expect([second.done, third.done, third.nextRecordsUrl]).toEqual([false, true, undefined]);
  const names = [first.body, second, third].flatMap(({ records }) => records.map((row: Row) => row.Name));
  expect(names).toHaveLength(450);
  expect(new Set(names).size).toBe(450);
  expect((await client.query(soql, { 'Sforce-Query-Options': 'batchSize=1' })).body.records).toHaveLength(200);
  expect((await client.query(soql)).body.done).toBe(true);
  const stale = await client.call('GET', '/query/01gak0000000zzzAAA-200');
  expect([stale.status, stale.body[0].errorCode]).toEqual([400, 'INVALID_QUERY_LOCATOR']);
});
