import type { ProviderError } from '@sluice/errors';
import { batch, error, missing, recordOf } from '../../test/hubspot-replies';
import type { ProviderStub, StubReply } from '../../test/provider-stub';
import { useStubbedConnectors } from '../../test/stubbed-connectors';
import type { Connector } from '../connector';
import type { Fields } from '../requests';
import type { RecordResult } from '../results';

// What failed for other users of HubSpot's API, each as an input. The rows of docs/providers/field-reports.md name these tests and their sources.

const auth = { accessToken: 'token-12345' };
const contacts = { auth, objectName: 'contacts' };
const deals = { auth, objectName: 'deals' };
const refresh = { refreshToken: 'refresh-0001', clientId: 'app-1', clientSecret: 'client-secret-0001' };
const html = (title: string) =>
  `<html>\r\n<head><title>${title}</title></head><body><center>${title}</center></body></html>`;
const page = (status: number, title: string): StubReply => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: html(title),
});

let stub: ProviderStub;
let hubspot: Required<Connector>;
useStubbedConnectors((opened) => ({ stub, hubspot } = opened));

const failureOf = (result: RecordResult | undefined) => (result?.ok === false ? result.error : undefined);
const create = async (reply: StubReply, fields: Fields = { dealname: 'A' }) => {
  stub.replyWith(reply);
  return hubspot.create({ ...deals, fields });
};
const update = async (reply: StubReply, fields: Fields = { dealname: 'A' }) => {
  stub.replyWith(reply);
  return hubspot.update({ ...deals, recordId: '7', fields });
};
const refreshed = async (reply: StubReply) => {
  stub.replyWith(reply);
  return (await hubspot.refresh(refresh).catch((thrown: unknown) => thrown)) as ProviderError;
};
const limit = (policyName: string, rest: object = {}) => ({
  status: 'error',
  message: `You have reached your ${policyName.toLowerCase()} limit.`,
  errorType: 'RATE_LIMIT',
  correlationId: 'c-1',
  policyName,
  ...rest,
});

test('H1: results of an all-or-none batch come in any order', async () => {
  const [one, two] = [
    recordOf('41', { dealname: 'One', amount: '5' }),
    recordOf('42', { dealname: 'Two', amount: '6' }),
  ];
  stub.replyWith({ status: 201, body: batch([two, one]) });
  const records = [{ fields: { dealname: 'One', amount: 5 } }, { fields: { dealname: 'Two', amount: 6 } }];
  const results = await hubspot.createBatch({ ...deals, records, allOrNone: true });
  expect(results).toMatchObject([{ recordId: '41' }, { recordId: '42' }]);
});

test('H2: the search does not show a contact that was just made: it is looked up by its email', async () => {
  const since = new Date('2026-11-20T11:59:59Z');
  const mine = recordOf('51', { email: 'ada@example.com' });
  stub.replyWith({ status: 200, body: batch([mine]) });
  const found = await hubspot.findCreated({ ...contacts, records: [{ fields: { email: 'ada@example.com' }, since }] });
  expect(found).toMatchObject([{ kind: 'found', consistent: true }]);
  expect(stub.requests.map(({ path }) => path)).toEqual(['/crm/v3/objects/contacts/batch/read']);
});

test('H3: a contact that the search did not find exists: a conflict that names it', async () => {
  const body = error('CONFLICT', 'Contact already exists. Existing ID: 37765128953');
  expect(failureOf(await create({ status: 409, body }))).toMatchObject({
    class: 'conflict',
    existingId: '37765128953',
  });
});

test('H4: a batch of associations is answered 200 in place of 201', async () => {
  const made = { fromObjectTypeId: '0-3', fromObjectId: 7, toObjectTypeId: '0-1', toObjectId: 5, labels: [] };
  stub.replyWith({ status: 200, body: recordOf('7', {}) }, { status: 200, body: batch([made]) });
  const associations = [{ to: { id: '5' }, types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 3 }] }];
  const result = await hubspot.update({ ...deals, recordId: '7', fields: { dealname: 'B' }, associations });
  expect(result).toMatchObject({ ok: true, recordId: '7' });
  expect(result).not.toHaveProperty('warnings');
});

test('H5: a batch read of 207 has what was found beside what was not', async () => {
  stub.replyWith({ status: 207, body: batch([recordOf('1', { name: 'A' })], [missing('2')]) });
  const read = { ids: ['1', '2'], fields: ['name'] };
  const [first, second] = await hubspot.readBatch({ auth, objectName: 'companies', ...read });
  expect(first).toMatchObject({ id: '1', fields: { name: 'A' } });
  expect(second).toBeUndefined();
});

test('H6: a 207 that is COMPLETE and has only errors is no success', async () => {
  const message =
    'Property values were not valid: [{"isValid":false,"message":"Enter a number","error":"INVALID_INTEGER","name":"n"}]';
  const body = batch([], [error('VALIDATION_ERROR', message, { context: { objectWriteTraceId: ['0'] } })]);
  stub.replyWith({ status: 207, body });
  const [result] = await hubspot.createBatch({ ...deals, records: [{ fields: { n: 'x' } }] });
  expect(failureOf(result)).toMatchObject({ class: 'rejected', message });
});

test.each([
  ['SECONDLY', 1_000],
  ['TEN_SECONDLY_ROLLING', 10_000],
  ['DAILY', 900_000],
])('H7: a limit without Retry-After, %s, and without a category', async (policy, retryAfterMs) => {
  const failure = failureOf(await create({ status: 429, body: limit(policy) }));
  expect(failure).toMatchObject({ class: 'quota', scope: 'lane', retryAfterMs });
});

test('H8: the token endpoint is limited for longer than a minute, and says how long', async () => {
  const reply = {
    status: 429,
    headers: { 'retry-after': '75' },
    body: { message: 'You have reached your rate limit.' },
  };
  expect(await refreshed(reply)).toMatchObject({ class: 'quota', retryAfterMs: 75_000 });
});

test('H9: "internal error" to a request that is right: the create may have been made', async () => {
  const body = { status: 'error', message: 'internal error', correlationId: 'c-1' };
  expect(failureOf(await create({ status: 500, body }))).toMatchObject({ class: 'unknown' });
});

test.each<[string, number, string]>([
  ['H10', 502, '502 Bad Gateway'],
  ['H11', 524, '524 Origin Time-out'],
  ['H12', 520, 'api.hubapi.com | 520: Web server is returning an unknown error'],
])('%s: a page with %d says neither that it was written nor more than its status', async (_, status, title) => {
  for (const result of [await create(page(status, title)), await update(page(status, title))]) {
    expect(failureOf(result)).toMatchObject({ class: 'unknown', status });
    expect(failureOf(result)?.message).not.toContain('<');
  }
});

test('H13: a token that ends while a job runs is renewed, whatever was left of it by our clock', async () => {
  const message = 'The OAuth token used to make this call expired 0 second(s) ago.';
  const body = error('EXPIRED_AUTHENTICATION', message, { context: { 'expire time': ['2026-03-10T23:04:41.164Z'] } });
  expect(failureOf(await create({ status: 401, body }))).toMatchObject({ class: 'credentials' });
});

test.each(['missing or invalid refresh token', 'refresh token is invalid, expired or revoked'])(
  'H14: a refresh token that HubSpot does not know, "%s"',
  async (message) => {
    const body = { status: 'BAD_REFRESH_TOKEN', message, correlationId: 'c-1' };
    expect(await refreshed({ status: 400, body })).toMatchObject({ class: 'credentials' });
  },
);

test('H15: a moment for a date: refused, and the property is named', async () => {
  const problem = {
    isValid: false,
    message: '1635535865 is at 22:18:55.865 UTC, not midnight!',
    error: 'INVALID_DATE',
    name: 'closedate',
  };
  const body = error('VALIDATION_ERROR', `Property values were not valid: [${JSON.stringify(problem)}]`);
  const failure = failureOf(await create({ status: 400, body }, { closedate: '2021-10-29T22:18:55Z' }));
  expect(failure).toMatchObject({ class: 'rejected', message: expect.stringMatching(/midnight.*closedate/) as string });
});

test('H16: a list becomes the text of a multi-select, whose separator is a semicolon', async () => {
  await create({ status: 201, body: recordOf('1', {}) }, { topics: ['news', 'offers, all'], flag: true });
  expect(stub.requests[0]?.body).toEqual({ properties: { topics: 'news;offers, all', flag: true } });
});

test('H17: an association to a record that is not there: the fields were written', async () => {
  const context = { INVALID_OBJECT_IDS: ['COMPANY=38374264688 is not valid'], objectType: ['COMPANY'] };
  const refusal = error('VALIDATION_ERROR', 'One or more associations are invalid', { context });
  stub.replyWith({ status: 200, body: recordOf('7', {}) }, { status: 400, body: refusal });
  const associations = [
    { to: { id: '9' }, types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 341 }] },
  ];
  const result = await hubspot.update({ ...deals, recordId: '7', fields: { dealname: 'B' }, associations });
  expect(result).toMatchObject({ ok: true, warnings: [expect.stringContaining('association was not made')] });
});

test('H18: two inputs of one record refuse a batch whole: each is tried without the other', async () => {
  const body = error('VALIDATION_ERROR', 'Duplicate IDs found in batch input: [6960031223]. IDs must be unique');
  stub.replyWith({ status: 400, body });
  const records = ['6960031223', '8'].map((recordId) => ({ recordId, fields: { name: 'A' } }));
  const results = await hubspot.updateBatch({ auth, objectName: 'companies', records });
  for (const result of results) expect(failureOf(result)).toMatchObject({ class: 'rejected', mayBeOneRecord: true });
});

test('H19: the record id is no unique property to look a record up by', async () => {
  const properties = ['hs_object_id', 'code'].map((name) => ({ name, type: 'string', hasUniqueValue: true }));
  stub.replyWith({ status: 200, body: { results: properties } }, { status: 207, body: batch([], [missing('c-1')]) });
  const fields = { hs_object_id: '5', code: 'c-1' };
  await hubspot.findCreated({ ...deals, records: [{ fields, since: new Date() }] });
  expect(stub.requests[1]?.body).toMatchObject({ idProperty: 'code', inputs: [{ id: 'c-1' }] });
});

test('H20: a batch update by something that is no id changes nothing and says so by leaving it out', async () => {
  stub.replyWith({ status: 200, body: batch([]) });
  const records = [{ recordId: 'someone@example.com', fields: { city: 'x' } }];
  const [result] = await hubspot.updateBatch({ ...contacts, records });
  expect(failureOf(result)).toMatchObject({ class: 'rejected' });
});

test('H21: a search asks for at most the 200 records that a page has', async () => {
  stub.replyWith({ status: 200, body: { total: 0, results: [] } });
  await hubspot.search({ ...contacts, filters: [{ field: 'city', value: 'x' }], fields: ['city'], limit: 10_000 });
  expect(stub.requests[0]?.body).toMatchObject({ limit: 200 });
});

test('H21: a page of fewer records than match says that there are more', async () => {
  const results = [recordOf('1', {})];
  stub.replyWith({ status: 200, body: { total: 2, results, paging: { next: { after: '1' } } } });
  const asked = { ...contacts, filters: [{ field: 'city', value: 'x' }], fields: ['city'], limit: 1 };
  expect(await hubspot.search(asked)).toMatchObject({ records: [{ id: '1' }], hasMore: true });
  stub.replyWith({ status: 200, body: { total: 1, results } });
  expect(await hubspot.search(asked)).toMatchObject({ records: [{ id: '1' }], hasMore: false });
});

test('H22: values that live outside of the property are no empty list of values', async () => {
  const stage = {
    name: 'dealstage',
    label: 'Stage',
    type: 'enumeration',
    fieldType: 'radio',
    options: [],
    externalOptions: true,
  };
  stub.replyWith({ status: 404, body: error('OBJECT_NOT_FOUND', 'x') }, { status: 200, body: { results: [stage] } });
  const { fields } = await hubspot.describe(deals);
  expect(fields).toMatchObject({ dealstage: { valueType: 'singleSelect' } });
  expect(fields?.['dealstage']).not.toHaveProperty('values');
});

test('H23: a value of the wrong form: HubSpot is asked as it was given, and its word is passed on', async () => {
  const problem = {
    isValid: false,
    message: '2025-10-23 was not a valid long.',
    error: 'INVALID_LONG',
    name: 'hs_v2_date_entered_1',
  };
  const body = error('VALIDATION_ERROR', `Property values were not valid: [${JSON.stringify(problem)}]`);
  const failure = failureOf(await update({ status: 400, body }, { hs_v2_date_entered_1: '2025-10-23' }));
  expect(failure).toMatchObject({ class: 'rejected', message: expect.stringContaining('INVALID_LONG') as string });
  expect(stub.requests[0]?.body).toEqual({ properties: { hs_v2_date_entered_1: '2025-10-23' } });
});

test.each<[string, unknown, string]>([
  ['a date', '2022-05-28', '1653696000000'],
  ['a yes', true, 'true'],
  ['an address', ' Ada@Example.COM', 'ada@example.com'],
])('H24: HubSpot writes %s in another form than it was sent', async (_, sent, stored) => {
  const results = [recordOf('2', { dealname: 'B', value: 'other' }), recordOf('1', { dealname: 'B', value: stored })];
  stub.replyWith({ status: 201, body: batch(results) });
  const records = [{ fields: { dealname: 'B', value: sent } }, { fields: { dealname: 'B', value: 'other' } }];
  expect(await hubspot.createBatch({ ...deals, records, allOrNone: true })).toMatchObject([
    { recordId: '1' },
    { recordId: '2' },
  ]);
});

test("H25: a label of the account's own keeps its category and its number", async () => {
  stub.replyWith({ status: 201, body: recordOf('1', {}) });
  const associations = [{ to: { id: '5' }, types: [{ associationCategory: 'USER_DEFINED', associationTypeId: 36 }] }];
  await hubspot.create({ auth, objectName: '2-3465404', fields: { name: 'T' }, associations });
  expect(stub.requests[0]).toMatchObject({ path: '/crm/v3/objects/2-3465404', body: { associations } });
});

test('H26: the limit of searches is their own: writes go on', async () => {
  stub.replyWith({ status: 429, body: limit('SECONDLY', { groupName: 'publicapi:crm:search' }) });
  const search = hubspot.search({ ...contacts, filters: [{ field: 'city', value: 'x' }], fields: ['city'], limit: 1 });
  await expect(search).rejects.toMatchObject({ class: 'quota', meta: { scope: 'search' } });
});

test('H27: a day that is used up is not asked again within ten seconds', async () => {
  const headers = { 'x-hubspot-ratelimit-daily': '250000', 'x-hubspot-ratelimit-daily-remaining': '0' };
  const failure = failureOf(await create({ status: 429, headers, body: { message: 'You have reached your limit.' } }));
  expect(failure).toMatchObject({ class: 'quota', retryAfterMs: 900_000 });
});

const refusal = { ...error('VALIDATION_ERROR', 'Property values were not valid'), id: 'f3c1f0a0-7f0e' };

test.each([200, 201, 202])('H40: an error in a %d, with an id of its own, is no record', async (status) => {
  const reply = { status, body: refusal };
  expect(failureOf(await create(reply))).toMatchObject({ class: 'unknown', message: refusal.message });
  expect(failureOf(await update(reply))).toMatchObject({ class: 'unknown' });
  expect(failureOf(await hubspot.delete({ ...deals, recordId: '7' }))).toMatchObject({ class: 'unknown' });
  const search = { ...deals, filters: [{ field: 'dealname', value: 'A' }], fields: ['dealname'], limit: 1 };
  await expect(hubspot.search(search)).rejects.toMatchObject({ class: 'unavailable' });
});

test('H41: a connection that leads elsewhere: 421 is not processed, whatever the request', async () => {
  for (const reply of [page(421, 'Misdirected Request'), { status: 421 }]) {
    expect(failureOf(await create(reply))).toMatchObject({ class: 'unavailable' });
    expect(failureOf(await update(reply))).toMatchObject({ class: 'unavailable' });
  }
});

test('H42: a page of 404 is of the edge: it says neither that a record is gone nor that no property is unique', async () => {
  for (const reply of [page(404, 'default backend - 404'), { status: 404, body: 'default backend - 404' }]) {
    expect(failureOf(await update(reply))).toMatchObject({ class: 'unavailable', retryAfterMs: 60_000, triesMax: 5 });
  }
  const write = { ...deals, fields: { dealname: 'A', code: 'c-1' }, isResend: true };
  stub.replyWith(page(404, 'Not Found'), { status: 201, body: recordOf('1', {}) });
  expect(failureOf(await hubspot.create(write))).toMatchObject({ class: 'unavailable' });
  expect(stub.requests.map(({ method }) => method)).toEqual(['GET']);
});

test.each(['9223372036854775807', '"9223372036854775807"', '9223372036854775', '1e13', '1e300', '"never"', '0'])(
  'H43: a life of %s seconds is not known, and the tokens are kept',
  async (expiresIn) => {
    const body = `{"access_token":"access-0002","refresh_token":"refresh-0002","expires_in":${expiresIn}}`;
    stub.replyWith({ status: 200, body });
    const tokens = await hubspot.refresh(refresh);
    expect(tokens).toMatchObject({ accessToken: 'access-0002', refreshToken: 'refresh-0002' });
    expect(tokens).not.toHaveProperty('expiresAt');
  },
);

test.each<[string, Fields, Fields, string[]]>([
  ['a stage that does not move back', { lifecyclestage: 'lead' }, { lifecyclestage: 'customer' }, ['lifecyclestage']],
  ['a choice that was dropped', { tier: 'gold', n: '5' }, { tier: '', n: '5' }, ['tier']],
  ['an owner that was not taken', { hubspot_owner_id: '41' }, { hubspot_owner_id: null }, ['hubspot_owner_id']],
  [
    'what HubSpot writes in its own form',
    { phone: '+1 555 0100', day: '2022-05-28', a: 'X', b: ' y' },
    { phone: '15550100', day: '1653696000000', a: 'x', b: 'y' },
    [],
  ],
  ['what the reply does not show', { tier: 'gold' }, {}, []],
])('H44: a success that keeps %s says so', async (_, fields, stored, names) => {
  const record = { ...recordOf('7', {}), properties: stored };
  const expected = names.map((name) => `HubSpot shows another value of ${name} than was sent`);
  const warningsOf = (result: RecordResult | undefined) => (result?.ok ? (result.warnings ?? []) : ['no success']);
  expect(warningsOf(await update({ status: 200, body: record }, fields))).toEqual(expected);
  expect(warningsOf(await create({ status: 201, body: record }, fields))).toEqual(expected);
  stub.replyWith({ status: 200, body: batch([record]) });
  const [result] = await hubspot.updateBatch({ ...deals, records: [{ recordId: '7', fields }] });
  expect(warningsOf(result)).toEqual(expected);
});
