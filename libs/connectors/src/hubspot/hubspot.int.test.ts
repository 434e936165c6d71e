import { DefectError } from '@sluice/errors';
import { batch, error, recordOf } from '../../test/hubspot-replies';
import type { ProviderStub, StubReply } from '../../test/provider-stub';
import { useStubbedConnectors } from '../../test/stubbed-connectors';
import type { Connector, ConnectorRegistry } from '../connector';
import type { ObservedExchange } from '../requests';

const auth = { accessToken: 'pat-na1-11111111-2222' };
const contacts = { auth, objectName: 'contacts' };
const objects = '/crm/v3/objects/contacts';

let stub: ProviderStub;
let connectors: ConnectorRegistry;
let hubspot: Required<Connector>;
const { metrics } = useStubbedConnectors((opened) => ({ stub, connectors, hubspot } = opened));

const ada = recordOf('171596044869', { email: 'ada@example.com', firstname: 'Ada' });
const bob = recordOf('171596044870', { email: 'bob@example.com', firstname: 'Bob' });

interface Case {
  readonly name: string;
  readonly act: () => Promise<unknown>;
  readonly request: { method: string; path: string; body?: unknown };
  readonly reply: StubReply;
  readonly expected: unknown;
}

const adaFields = { email: 'ada@example.com', firstname: 'Ada', nickname: null };
const adaSent = { email: 'ada@example.com', firstname: 'Ada', nickname: '' };
const association = { to: { id: '55' }, types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 279 }] };

const singles: readonly Case[] = [
  {
    name: 'create',
    act: () => hubspot.create({ ...contacts, fields: adaFields }),
    request: { method: 'POST', path: objects, body: { properties: adaSent } },
    reply: { status: 201, body: ada },
    expected: { ok: true, recordId: ada.id, data: ada },
  },
  {
    name: 'create that answers without an id',
    act: () => hubspot.create({ ...contacts, fields: adaFields }),
    request: { method: 'POST', path: objects },
    reply: { status: 201, body: { properties: {} } },
    expected: { ok: false, error: expect.objectContaining({ class: 'unknown' }) },
  },
  {
    name: 'create of a contact without email, refused at the edge',
    act: () => hubspot.create({ ...contacts, fields: { firstname: 'Ada' } }),
    request: { method: 'POST', path: objects },
    reply: { status: 503 },
    expected: { ok: false, error: expect.objectContaining({ class: 'unknown' }) },
  },
  {
    name: 'update of a merged record',
    act: () => hubspot.update({ ...contacts, recordId: '9', fields: { firstname: 'Ada' } }),
    request: { method: 'PATCH', path: `${objects}/9` },
    reply: { status: 200, body: ada },
    expected: {
      ok: true,
      recordId: ada.id,
      data: ada,
      warnings: [`HubSpot updated record ${ada.id}, into which 9 was merged`],
    },
  },
];

const twoCreates = [{ fields: adaFields }, { fields: { email: 'bob@example.com' }, associations: [association] }];
const twoUpdates = [ada, bob].map(({ id }) => ({ recordId: id, fields: { firstname: 'New' } }));

const batches: readonly Case[] = [
  {
    name: 'batch create, partial: each input is traced',
    act: () => hubspot.createBatch({ ...contacts, records: twoCreates }),
    request: {
      method: 'POST',
      path: `${objects}/batch/create`,
      body: {
        inputs: [
          { properties: adaSent, objectWriteTraceId: '0' },
          { properties: { email: 'bob@example.com' }, associations: [association], objectWriteTraceId: '1' },
        ],
      },
    },
    reply: {
      status: 207,
      body: batch(
        [bob],
        [error('CONFLICT', 'Contact already exists', { context: { objectWriteTraceId: ['0'], existingId: ['7'] } })],
      ),
    },
    expected: [
      { ok: false, error: { class: 'conflict', message: 'Contact already exists', existingId: '7', scope: 'record' } },
      { ok: true, recordId: bob.id, data: bob },
    ],
  },
  {
    name: 'batch update',
    act: () => hubspot.updateBatch({ ...contacts, records: twoUpdates }),
    request: {
      method: 'POST',
      path: `${objects}/batch/update`,
      body: {
        inputs: [
          { id: ada.id, properties: { firstname: 'New' }, objectWriteTraceId: '0' },
          { id: bob.id, properties: { firstname: 'New' }, objectWriteTraceId: '1' },
        ],
      },
    },
    reply: { status: 200, body: batch([bob, ada]) },
    expected: [
      { ok: true, recordId: ada.id, data: ada },
      { ok: true, recordId: bob.id, data: bob },
    ],
  },
];

describe.each([
  ['single writes', singles],
  ['batches', batches],
])('%s', (_, cases) => {
  test.each(cases.map((each) => [each.name, each] as const))('%s', async (__, { act, request, reply, expected }) => {
    stub.replyWith(reply);
    const outcome = await act();
    expect(stub.requests).toHaveLength(1);
    expect(stub.requests[0]).toMatchObject(request);
    expect(stub.requests[0]?.body).toEqual('body' in request ? request.body : stub.requests[0]?.body);
    expect(stub.requests[0]?.headers['authorization']).toBe(`Bearer ${auth.accessToken}`);
    expect(outcome).toEqual(expected);
  });
});

test('more than 100 records are a defect, none are nothing', async () => {
  const records = Array.from({ length: 101 }, (_, index) => ({ recordId: `${index}`, fields: {} }));
  const ids = records.map(({ recordId }) => recordId);
  await expect(hubspot.createBatch({ ...contacts, records })).rejects.toBeInstanceOf(DefectError);
  await expect(hubspot.updateBatch({ ...contacts, records })).rejects.toBeInstanceOf(DefectError);
  await expect(hubspot.readBatch({ ...contacts, ids, fields: [] })).rejects.toBeInstanceOf(DefectError);
  expect(await hubspot.createBatch({ ...contacts, records: [] })).toEqual([]);
  expect(await hubspot.updateBatch({ ...contacts, records: [] })).toEqual([]);
  expect(await hubspot.readBatch({ ...contacts, ids: [], fields: [] })).toEqual([]);
});

test('an account without id is no answer', async () => {
  stub.replyWith({ status: 200, body: {} });
  await expect(hubspot.workspace({ auth })).rejects.toMatchObject({ class: 'unavailable' });
});

test('an exchange is observed and counted', async () => {
  const exchanges: ObservedExchange[] = [];
  stub.replyWith({ status: 201, body: ada, headers: { 'x-hubspot-correlation-id': 'corr-1' } });
  await hubspot.create({ ...contacts, fields: {}, observe: (exchange) => exchanges.push(exchange) });
  expect(exchanges).toEqual([{ status: 201, providerRequestId: 'corr-1', durationMs: expect.any(Number) }]);
  const { body } = await metrics.expose();
  expect(body).toMatch(/sluice_provider_calls_total\{.*operation="create".*result="ok".*\} \d+/);
});

test('an unknown provider is named, with the known ones', () => {
  expect(() => connectors.get('nowhere')).toThrow(
    expect.objectContaining({
      code: 'provider.unknown',
      detail: expect.stringContaining(
        "the provider 'nowhere' is not known; known: hubspot, salesforce, close",
      ) as string,
    }),
  );
  expect(connectors.find('nowhere')).toBeUndefined();
});
