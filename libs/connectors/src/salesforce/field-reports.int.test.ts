import type { ProviderError } from '@sluice/errors';
import type { ProviderStub, StubReply } from '../../test/provider-stub';
import {
  auth,
  contacts,
  done,
  field,
  idA,
  idB,
  page,
  record,
  refused,
  refusedItem,
  soqlOf,
} from '../../test/salesforce-replies';
import { useStubbedConnectors } from '../../test/stubbed-connectors';
import type { Connector } from '../connector';
import type { Fields } from '../requests';
import type { RecordResult } from '../results';

// What failed for other users of Salesforce's API, each as an input. The rows of docs/providers/field-reports.md name these tests and their sources.

const refresh = {
  refreshToken: 'refresh-0001',
  clientId: 'app-1',
  clientSecret: 'client-secret-0001',
  workspaceRef: 'acme',
};
const html = (text: string): Pick<Exclude<StubReply, (...of: never) => void>, 'headers' | 'body'> => ({
  headers: { 'content-type': 'text/html' },
  body: `<html><body><center>${text}</center></body></html>`,
});
const fixed = { createable: false, updateable: false };
const described = (...fields: object[]) => ({
  status: 200,
  body: { name: 'Contact', label: 'Contact', fields: [field('Id', 'id', fixed), ...fields] },
});

let stub: ProviderStub;
let salesforce: Required<Connector>;
const { metrics } = useStubbedConnectors((opened) => ({ stub, salesforce } = opened));

const failureOf = (result: RecordResult | undefined) => (result?.ok === false ? result.error : undefined);
const create = async (reply: StubReply, fields: Fields = { LastName: 'A' }) => {
  stub.replyWith(reply);
  return hasNoSecret(await salesforce.create({ ...contacts, fields }));
};
const update = async (reply: StubReply, fields: Fields = { LastName: 'A' }) => {
  stub.replyWith(reply);
  return hasNoSecret(await salesforce.update({ ...contacts, recordId: idA, fields }));
};
const hasNoSecret = (result: RecordResult) => {
  expect(JSON.stringify(result)).not.toContain(auth.accessToken);
  return result;
};
const refreshed = async (reply: StubReply) => {
  stub.replyWith(reply);
  return (await salesforce.refresh(refresh).catch((thrown: unknown) => thrown)) as ProviderError;
};
const find = (filters: { field: string; value: string }[], fields: string[] = ['LastName']) =>
  salesforce.search({ ...contacts, filters, fields, limit: 10 });

test.each([
  [
    'of the call',
    { status: 400, body: refused('UNABLE_TO_LOCK_ROW', 'unable to obtain exclusive access to this record') },
  ],
  [
    'of a 201',
    { status: 201, body: refusedItem('UNABLE_TO_LOCK_ROW', 'unable to obtain exclusive access to this record') },
  ],
])('S1: a record that somebody else is changing, %s: again in a moment', async (_, reply) => {
  expect(failureOf(await create(reply))).toMatchObject({ class: 'unavailable' });
  expect(failureOf(await update(reply))).toMatchObject({ class: 'unavailable' });
});

test('S2: a lock on a parent refuses some of a collection: the others are written', async () => {
  const locked = refusedItem('UNABLE_TO_LOCK_ROW', 'unable to obtain exclusive access to this record or 1 records');
  stub.replyWith({ status: 200, body: [done(idA), locked] });
  const records = [{ fields: { LastName: 'A' } }, { fields: { LastName: 'B' } }];
  const results = await salesforce.createBatch({ ...contacts, records });
  expect(results).toMatchObject([
    { ok: true, recordId: idA },
    { ok: false, error: { class: 'unavailable' } },
  ]);
});

test('S3: a duplicate rule that only warns: a conflict, until the caller sends the header that saves it', async () => {
  const duplicateResult = { matchResults: [{ matchRecords: [{ record: record(idB, {}) }] }] };
  const body = [{ errorCode: 'DUPLICATES_DETECTED', message: 'Use one of these records?', duplicateResult }];
  expect(failureOf(await create({ status: 400, body }))).toMatchObject({ class: 'conflict', existingId: idB });
  stub.replyWith({ status: 201, body: done(idA) });
  const headers = [{ key: 'Sforce-Duplicate-Rule-Header', value: 'allowSave=true' }];
  await salesforce.create({ ...contacts, fields: { LastName: 'A' }, headers });
  expect(stub.requests[0]?.headers).toMatchObject({ 'sforce-duplicate-rule-header': 'allowSave=true' });
});

test.each([
  ['S4', 'TotalRequests Limit exceeded.', 900_000],
  ['S5', 'ConcurrentPerOrgLongTxn Limit exceeded.', 10_000],
])('%s: "%s" is a 403 and no missing permission', async (_, message, retryAfterMs) => {
  const failure = failureOf(await create({ status: 403, body: refused('REQUEST_LIMIT_EXCEEDED', message) }));
  expect(failure).toMatchObject({ class: 'quota', scope: 'lane', retryAfterMs });
});

test.each([
  ['S6', "O'Test", "'O\\'Test'"],
  ['S7', String.raw`test\' OR Name != NULL --`, String.raw`'test\\\' OR Name != NULL --'`],
])('%s: a query for %s has the text and nothing else', async (_, value, literal) => {
  stub.replyWith(described(field('LastName')), page());
  await find([{ field: 'LastName', value }]);
  expect(soqlOf(stub.requests[1]?.path)).toContain(`WHERE LastName = ${literal} LIMIT`);
});

test('S8: a collection of 200 has failures beside successes', async () => {
  const missing = refusedItem('REQUIRED_FIELD_MISSING', 'Required fields are missing: [LastName]', ['LastName']);
  stub.replyWith({ status: 200, body: [missing, done(idA)] });
  const records = [{ fields: { FirstName: 'A' } }, { fields: { LastName: 'B' } }];
  const results = await salesforce.createBatch({ ...contacts, records });
  expect(results).toMatchObject([
    { ok: false, error: { class: 'rejected' } },
    { ok: true, recordId: idA },
  ]);
});

test('S9: a token endpoint that is down for maintenance: the connection is not blamed', async () => {
  for (const status of [200, 503]) {
    const error = await refreshed({ status, ...html('We are down for maintenance.') });
    expect(error).toMatchObject({ class: 'unavailable', detail: expect.not.stringContaining('<') as string });
  }
});

test.each([
  ['S10', 'expired access/refresh token'],
  ['S11', 'inactive user'],
])('%s: a grant that is over, "%s"', async (_, description) => {
  const body = { error: 'invalid_grant', error_description: description };
  expect(await refreshed({ status: 400, body })).toMatchObject({ class: 'credentials' });
});

test('S12: a refresh token that can be used once: the new one is kept', async () => {
  const body = { access_token: 'access-2', refresh_token: 'refresh-2', instance_url: 'https://acme.my.salesforce.com' };
  expect(await refreshed({ status: 200, body })).toMatchObject({ accessToken: 'access-2', refreshToken: 'refresh-2' });
});

test('S13: a session that ends while a job runs', async () => {
  const failure = failureOf(
    await create({ status: 401, body: refused('INVALID_SESSION_ID', 'Session expired or invalid') }),
  );
  expect(failure).toMatchObject({ class: 'credentials' });
});

test('S14: a lead that was converted takes no more changes: for good, with the reason', async () => {
  const failure = failureOf(
    await update({ status: 400, body: refused('CANNOT_UPDATE_CONVERTED_LEAD', 'cannot reference converted lead') }),
  );
  expect(failure).toMatchObject({ class: 'rejected', message: expect.stringContaining('converted lead') as string });
});

test('S15: a record that was merged away or deleted is not found', async () => {
  const failure = failureOf(await update({ status: 404, body: refused('ENTITY_IS_DELETED', 'entity is deleted') }));
  expect(failure).toMatchObject({ class: 'not-found' });
});

test('S16: more fields than a URL may name: all are read', async () => {
  const names = Array.from({ length: 700 }, (_, at) => `Quite_a_long_name_of_a_field_${at}__c`);
  stub.replyWith(described(...names.map((name) => field(name))), page(record(idA, {})));
  expect(await find([{ field: names[0] ?? '', value: 'x' }], names)).toMatchObject({ records: [{}] });
  expect(soqlOf(stub.requests.at(-1)?.path)).toMatch(/^SELECT FIELDS\(ALL\) FROM Contact WHERE/);
});

test('S17: "Bad Message 414" is a page: its text does not reach the caller, and nothing is said to be written', async () => {
  const failure = failureOf(
    await create({
      status: 414,
      headers: { 'content-type': 'text/html' },
      body: '<h1>Bad Message 414</h1><pre>reason: URI Too Long</pre>',
    }),
  );
  expect(failure).toMatchObject({ class: 'rejected', message: expect.not.stringContaining('<') as string });
});

test('S18: a page where JSON was expected, in a 200: no success', async () => {
  expect(failureOf(await create({ status: 200, ...html('We are down for maintenance.') }))).toMatchObject({
    class: 'unknown',
  });
  expect(failureOf(await update({ status: 200, ...html('We are down for maintenance.') }))).toMatchObject({
    class: 'unknown',
  });
});

test('S19: an edge that could not connect says so in words: for a create it may have been made', async () => {
  const body = 'upstream connect error or disconnect/reset before headers. reset reason: connection termination';
  const failure = failureOf(await create({ status: 503, headers: { 'content-type': 'text/plain' }, body }));
  expect(failure).toMatchObject({ class: 'unknown', status: 503 });
});

test('S20: a moment without its zone is refused by the parser: for good, and the record is named as the cause', async () => {
  const message =
    'Cannot deserialize instance of datetime from VALUE_STRING value 2017-10-17 00:00:00 or request may be missing a required field at [line:1, column:129]';
  stub.replyWith({ status: 400, body: refused('JSON_PARSER_ERROR', message) });
  const records = [{ fields: { LastName: 'A', Seen__c: '2017-10-17 00:00:00' } }, { fields: { LastName: 'B' } }];
  const results = await salesforce.createBatch({ ...contacts, records });
  for (const result of results) expect(failureOf(result)).toMatchObject({ class: 'rejected', mayBeOneRecord: true });
});

test('S21: a date keeps its day, whatever the zone of this machine', async () => {
  await create(
    { status: 201, body: done(idA) },
    { LastName: 'A', Birthdate: '2022-03-25', Seen__c: '2022-03-25T09:00:00+09:00' },
  );
  expect(stub.requests[0]?.body).toEqual({
    LastName: 'A',
    Birthdate: '2022-03-25',
    Seen__c: '2022-03-25T09:00:00+09:00',
  });
});

test('S22: a moment of "+0000" is read', async () => {
  stub.replyWith(
    described(field('LastName'), field('CreatedDate', 'datetime', fixed)),
    page(record(idA, { LastName: 'A', CreatedDate: '2025-04-11T09:30:00.000+0000' })),
  );
  const {
    records: [found],
  } = await find([{ field: 'LastName', value: 'A' }], ['LastName', 'CreatedDate']);
  expect(found).toMatchObject({ createdAt: new Date('2025-04-11T09:30:00Z') });
});

test('S23: an id of 15 characters and of 18 is one record', () => {
  expect(salesforce.recordKey('003ak00000000AA')).toBe(salesforce.recordKey(idA));
  expect(salesforce.recordKey('003AK00000000AA')).not.toBe(salesforce.recordKey(idA));
});

test('S24: a field that the user may not write is named', async () => {
  const message = 'Unable to create/update fields: Opportunity_ID__c. Please check the security settings of this field';
  const failure = failureOf(
    await create({ status: 400, body: refused('INVALID_FIELD_FOR_INSERT_UPDATE', message, ['Opportunity_ID__c']) }),
  );
  expect(failure).toMatchObject({ class: 'rejected', message: expect.stringContaining('Opportunity_ID__c') as string });
});

test('S25: a value of a picklist that the account restricts: for good, with field and value', async () => {
  const message = 'Level: bad value for restricted picklist field: platinum';
  const body = refused('INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST', message, ['Level__c']);
  expect(failureOf(await create({ status: 400, body }))).toMatchObject({
    class: 'rejected',
    message: expect.stringContaining('platinum') as string,
  });
});

test('S26: use of the day is measured where Salesforce states it, before it is used up', async () => {
  await update({ status: 204, headers: { 'sforce-limit-info': 'api-usage=14990/15000' } });
  expect((await metrics.expose()).body).toMatch(/sluice_provider_daily_usage_ratio_bucket\{[^}]*le="1"[^}]*\} [1-9]/);
});

test('S27: a trigger that fails says which inner fault it had', async () => {
  const message =
    'AccTrigger: execution of BeforeInsert caused by: System.DmlException: Update failed. First exception on row 0; first error: UNABLE_TO_LOCK_ROW, unable to obtain exclusive access';
  const body = refused('CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY', message);
  expect(failureOf(await create({ status: 400, body }))).toMatchObject({ class: 'unavailable' });
});

test.each([
  ['1234567890123456.78', '1234567890123456.78'],
  ['123456789012345.678', '123456789012345.678'],
  ['999999999999999999', '999999999999999999'],
  ['1e400', '1e400'],
  ['1.0E8', 100_000_000],
  ['0.63', 0.63],
])('S40: the amount %s keeps its digits', async (sent, expected) => {
  const body = `{"totalSize":1,"done":true,"records":[{"Id":"${idA}","Amount__c":${sent}}]}`;
  stub.replyWith(described(field('Amount__c', 'currency'), field('LastName')), { status: 200, body });
  const {
    records: [found],
  } = await find([{ field: 'LastName', value: 'A' }], ['Amount__c']);
  expect(found?.fields).toEqual({ Amount__c: expected });
});

test('S41: one id for two creates of a collection: which of them was written is not known', async () => {
  stub.replyWith({ status: 200, body: [done(idA), done(idB), done(idA.slice(0, 15))] });
  const records = ['A', 'B', 'C'].map((LastName) => ({ fields: { LastName } }));
  for (const result of await salesforce.createBatch({ ...contacts, records })) {
    expect(failureOf(result)).toMatchObject({ class: 'unknown' });
  }
});

test.each([
  [400, 'TXN_SECURITY_METERING_ERROR', "We can't complete the action because policies took too long", 'unavailable'],
  [403, 'FUNCTIONALITY_TEMPORARILY_UNAVAILABLE', 'Functionality temporarily unavailable', 'unavailable'],
  [403, 'API_CURRENTLY_DISABLED', 'API is currently disabled', 'unavailable'],
  [400, 'INVALID_OPERATION', 'System may be currently unavailable', 'unavailable'],
  [400, 'REQUEST_RUNNING_TOO_LONG', 'Your request was running for too long, and has been stopped.', 'unknown'],
  [400, 'UNKNOWN_EXCEPTION', 'An unexpected error occurred. Please include this ErrorId', 'unknown'],
])('S42: %d %s passes by itself', async (status, code, message, expected) => {
  expect(failureOf(await create({ status, body: refused(code, message) }))).toMatchObject({ class: expected });
  expect(failureOf(await update({ status, body: refused(code, message) }))).toMatchObject({ class: expected });
});

test('S43: a session that code of the account lacks, of one record, is not the session of the connection', async () => {
  stub.replyWith({ status: 200, body: [done(idA), refusedItem('INVALID_SESSION_ID', 'Session expired or invalid')] });
  const records = [{ fields: { LastName: 'A' } }, { fields: { LastName: 'B' } }];
  const [first, second] = await salesforce.createBatch({ ...contacts, records });
  expect(first).toMatchObject({ ok: true });
  expect(failureOf(second)).toMatchObject({ class: 'unavailable', triesMax: 5 });
  const whole = await create({ status: 401, body: refused('INVALID_SESSION_ID', 'Session expired or invalid') });
  expect(failureOf(whole)).toMatchObject({ class: 'credentials' });
});

test.each([404, 421])('S44: a page of %d is of the edge, and says nothing of the record', async (status) => {
  const gone = { status, ...html('URL No Longer Exists') };
  for (const result of [await create(gone), await update(gone)]) {
    expect(failureOf(result)).toMatchObject({ class: 'unavailable' });
  }
});

test.each<[string, object, number, object]>([
  ['60 s', {}, 60, { kind: 'none', near: [idA] }],
  ['four minutes', {}, 240, { kind: 'none', near: [idA] }],
  ['four minutes, where a second one is refused', { unique: true, externalId: true }, 240, { kind: 'none' }],
])(
  'S45: a clock of ours that is ahead by %s does not prove that nothing was made',
  async (_, of, secondsAhead, expected) => {
    const since = new Date('2026-11-20T12:00:00Z');
    const CreatedDate = new Date(+since - secondsAhead * 1_000).toISOString().replace('Z', '+0000');
    const fixedMoment = field('CreatedDate', 'datetime', fixed);
    const made = record(idA, { LastName: 'A', Code__c: 'x-1', CreatedDate });
    stub.replyWith(described(field('LastName'), field('Code__c', 'string', of), fixedMoment), page(made), page(made));
    const found = await salesforce.findCreated({
      ...contacts,
      records: [{ fields: { LastName: 'A', Code__c: 'x-1' }, since }],
    });
    expect(found).toMatchObject([expected]);
  },
);

test('S28: the lead that a rule for contacts matched is not the contact that is there', async () => {
  const match = (entityType: string, Id: string) => ({ entityType, matchRecords: [{ record: { Id } }] });
  const lead = match('Lead', '00Qak00000AbCdEAAV');
  const contact = match('Contact', '003ak00000AbCdEAAV');
  const existingIdOf = async (...matchResults: object[]) => {
    const duplicateResult = { duplicateRuleEntityType: 'Contact', matchResults };
    const body = [{ ...refused('DUPLICATES_DETECTED', 'Use one of these records?')[0], duplicateResult }];
    return failureOf(await create({ status: 400, body }))?.existingId;
  };
  expect([await existingIdOf(lead), await existingIdOf(lead, contact)]).toEqual([undefined, '003ak00000AbCdEAAV']);
});
