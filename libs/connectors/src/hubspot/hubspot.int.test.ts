import { DefectError } from '@sluice/errors';
import { batch, error, recordOf } from '../../test/hubspot-replies';
import type { ProviderStub, StubReply } from '../../test/provider-stub';
import { useStubbedConnectors } from '../../test/stubbed-connectors';
import type { Connector, ConnectorRegistry } from '../connector';
import type { Fields } from '../requests';

const auth = { accessToken: 'pat-na1-11111111-2222' };
const contacts = { auth, objectName: 'contacts' };

let stub: ProviderStub;
let connectors: ConnectorRegistry;
let hubspot: Required<Connector>;
useStubbedConnectors((opened) => ({ stub, connectors, hubspot } = opened));

const ada = recordOf('171596044869', { email: 'ada@example.com' });
const bob = recordOf('171596044870', { email: 'bob@example.com' });

const association = { to: { id: '55' }, types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 279 }] };

test.each<[string, Fields, StubReply]>([
  ['that answers without an id', { email: 'ada@example.com' }, { status: 201, body: { properties: {} } }],
  ['without email, refused at the edge', { firstname: 'Ada' }, { status: 503 }],
])('a create %s is of unknown outcome', async (_, fields, reply) => {
  stub.replyWith(reply);
  expect(await hubspot.create({ ...contacts, fields })).toMatchObject({ ok: false, error: { class: 'unknown' } });
});

test('an update of a merged record', async () => {
  stub.replyWith({ status: 200, body: ada });
  expect(await hubspot.update({ ...contacts, recordId: '9', fields: { firstname: 'Ada' } })).toEqual({
    ok: true,
    recordId: ada.id,
    data: ada,
    warnings: [`HubSpot updated record ${ada.id}, into which 9 was merged`],
  });
});

test('a batch create, in part: each input is traced, with its associations', async () => {
  const refusal = { context: { objectWriteTraceId: ['0'], existingId: ['7'] } };
  stub.replyWith({ status: 207, body: batch([bob], [error('CONFLICT', 'Contact already exists', refusal)]) });
  const inputs = ['ada@example.com', 'bob@example.com'].map((email) => ({ fields: { email, nickname: null } }));
  const records = inputs.map((input, at) => ({ ...input, ...(at === 1 && { associations: [association] }) }));
  expect(await hubspot.createBatch({ ...contacts, records })).toEqual([
    {
      ok: false,
      error: {
        class: 'conflict',
        message: 'Contact already exists',
        existingId: '7',
        scope: 'record',
        problems: [{ code: 'CONFLICT', message: 'Contact already exists' }],
      },
    },
    { ok: true, recordId: bob.id, data: bob },
  ]);
  const properties = { email: 'ada@example.com', nickname: '' };
  expect(stub.requests[0]?.body).toEqual({
    inputs: [
      { properties, objectWriteTraceId: '0' },
      { properties: { ...properties, email: 'bob@example.com' }, associations: [association], objectWriteTraceId: '1' },
    ],
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

test('an unknown provider is named, with the nearest', () => {
  expect(() => connectors.get('nowhere')).toThrow(
    expect.objectContaining({
      code: 'provider.unknown',
      detail: expect.stringContaining(
        "the provider 'nowhere' is not known; the nearest are copper, jobber, whereby",
      ) as string,
    }),
  );
  expect(connectors.find('nowhere')).toBeUndefined();
});
