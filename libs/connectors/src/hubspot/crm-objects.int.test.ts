import { createMetrics, silentLogger } from '@sluice/telemetry';
import {
  impatientMs,
  patientMs,
  silence,
  startProviderStub,
  type ProviderStub,
  type StubReply,
} from '../../test/provider-stub';
import type { Connector, ConnectorRegistry } from '../connector';
import { createConnectors } from '../registry';

const auth = { accessToken: 'pat-na1-11111111-2222' };
const record = { id: '171596044869', properties: {}, createdAt: '2026-11-20T12:00:00.000Z', archived: false };

let stub: ProviderStub;
let connectors: ConnectorRegistry;
let hubspot: Required<Connector>;

const open = (callTimeoutMs = patientMs) =>
  createConnectors({
    urls: { hubspot: stub.url, salesforceLogin: stub.url },
    callTimeoutMs,
    logger: silentLogger,
    metrics: createMetrics('test'),
  });

beforeAll(async () => {
  stub = await startProviderStub();
  connectors = open();
  hubspot = connectors.get('hubspot') as Required<Connector>;
});

afterAll(async () => {
  await connectors.close();
  await stub.close();
});

describe('delete', () => {
  const html = { headers: { 'content-type': 'text/html' }, body: '<html>' };
  const gone = { status: 'error', message: 'resource not found', correlationId: 'c-1' };
  const missing = { status: 'error', category: 'MISSING_SCOPES', message: 'This app has no scope for it.' };
  test.each<[string, StubReply, object]>([
    ['204, whether it was there or not', { status: 204 }, { ok: true, recordId: '9' }],
    ['404: the record is gone', { status: 404, body: gone }, { ok: true, recordId: '9' }],
    ['404 of the path', { status: 404, ...html }, { ok: false, error: { class: 'rejected' } }],
    ['403', { status: 403, body: missing }, { ok: false, error: { class: 'forbidden', scope: 'record' } }],
    ['200 with a page: not believed', { status: 200, ...html }, { ok: false, error: { class: 'unknown' } }],
    ['401', { status: 401 }, { ok: false, error: { class: 'credentials' } }],
    ['429', { status: 429 }, { ok: false, error: { class: 'quota', scope: 'lane' } }],
  ])('%s', async (_, reply, expected) => {
    stub.replyWith(reply);
    expect(await hubspot.delete({ auth, objectName: 'contacts', recordId: '9' })).toMatchObject(expected);
    expect(stub.requests).toMatchObject([{ method: 'DELETE', path: '/crm/v3/objects/contacts/9', body: undefined }]);
    expect(stub.requests[0]?.headers['authorization']).toBe(`Bearer ${auth.accessToken}`);
  });

  test('silence', async () => {
    const impatient = open(impatientMs);
    stub.replyWith(silence);
    const outcome = await impatient.get('hubspot').delete?.({ auth, objectName: 'contacts', recordId: '9' });
    expect(outcome).toMatchObject({ ok: false, error: { class: 'timeout' } });
    expect(stub.requests).toMatchObject([{ method: 'DELETE', path: '/crm/v3/objects/contacts/9' }]);
    await impatient.close();
  });
});

test('create that gets no reply in time', async () => {
  const impatient = open(impatientMs);
  stub.replyWith(silence);
  const outcome = await impatient
    .get('hubspot')
    .create?.({ auth, objectName: 'contacts', fields: { email: 'a@x.com' } });
  const error = { class: 'timeout', message: 'HubSpot sent no reply: no reply within 1500 ms' };
  expect(outcome).toMatchObject({ ok: false, error });
  expect(stub.requests).toMatchObject([{ method: 'POST', path: '/crm/v3/objects/contacts' }]);
  await impatient.close();
});

describe.each([
  ['companies', { name: 'Acme', domain: 'acme.test' }],
  ['0-3', { dealname: 'Ten seats', amount: 900 }],
])('%s are written like contacts', (objectName, fields) => {
  const call = { auth, objectName };
  const path = `/crm/v3/objects/${objectName}`;

  test.each<[string, () => Promise<unknown>, string, number]>([
    ['create', () => hubspot.create({ ...call, fields }), `POST ${path}`, 201],
    ['update', () => hubspot.update({ ...call, recordId: record.id, fields }), `PATCH ${path}/${record.id}`, 200],
    ['delete', () => hubspot.delete({ ...call, recordId: record.id }), `DELETE ${path}/${record.id}`, 200],
  ])('%s', async (_, act, expected, status) => {
    stub.replyWith({ status, body: record });
    expect(await act()).toMatchObject({ ok: true, recordId: record.id });
    expect(stub.requests.map((seen) => `${seen.method} ${seen.path}`)).toEqual([expected]);
  });

  test('without unique property: found by search, and a 503 leaves a create in doubt', async () => {
    expect(hubspot.visibilityMs(objectName, fields)).toBe(30_000);
    stub.replyWith({ status: 503 });
    expect(await hubspot.create({ ...call, fields })).toMatchObject({ error: { class: 'unknown' } });
    stub.replyWith({ status: 200, body: { total: 0, results: [] } });
    await hubspot.findCreated({ ...call, records: [{ fields, since: new Date() }] });
    expect(stub.requests).toMatchObject([
      { method: 'GET', path: `/crm/v3/properties/${objectName}` },
      { method: 'POST', path: `${path}/search`, body: { sorts: [{ propertyName: 'createdate' }] } },
    ]);
  });
});

test('an object is the same under each of its names', () => {
  const same = (names: readonly string[], fields: object) =>
    new Set(names.map((name) => hubspot.fingerprint(name, { ...fields }))).size;
  expect(same(['companies', 'company', '0-2'], { domain: 'acme.test' })).toBe(1);
  expect(same(['deals', 'deal', '0-3'], { dealname: 'x' })).toBe(1);
  expect(same(['contacts', 'companies', 'deals'], { name: 'x' })).toBe(3);
});
