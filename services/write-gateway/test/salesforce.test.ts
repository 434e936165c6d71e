import { sampleConfig, sampleManifest } from '@sluice/testkit';
import type { BatchWriteReply, SingleWriteReply } from '@sluice/types';
import type { Answer, HubspotCall } from './_fake-hubspot';
import { useGateway, type Seed } from './_gateway';

const gateway = useGateway();
let seed: Seed;
const selectedFieldSettings = { Phone: { writeOnUpdate: 'ifEmpty' as const } };
beforeAll(async () => {
  const objectName = 'Account';
  seed = await gateway.seed({
    manifest: sampleManifest({ provider: 'salesforce', write: { objects: [{ objectName }] } }),
    config: sampleConfig({
      provider: 'salesforce',
      write: { objects: { Account: { objectName, deletionSettings: { enabled: true }, selectedFieldSettings } } },
    }),
  });
  seed = { ...seed, path: seed.path.replace(/contacts$/, objectName) };
});
beforeEach(() => (gateway.hubspot.answer = takeAll));

const recordId = '001ak0000000001AAA';
const create = { type: 'create', record: { Name: 'Zoë & Co' } };

/** Salesforce's write endpoints, as an org that takes everything. */
function takeAll({ method, path, body }: HubspotCall): Answer {
  if (method !== 'POST') return { status: 204, body: undefined };
  const { records } = body as { records?: readonly unknown[] };
  const made = (at: number) => ({ id: `001ak000000000${at + 1}AAA`, success: true, errors: [] });
  if (path.includes('composite')) return { status: 200, body: (records ?? []).map((_, at) => made(at)) };
  return { status: 201, body: { id: recordId, success: true, errors: [] } };
}
const callsOf = async (work: () => Promise<unknown>) => {
  const before = gateway.hubspot.calls.length;
  await work();
  return gateway.hubspot.calls.slice(before);
};

// What may be forwarded is decided in libs/types (forwarded-headers).
it('a forwarded header that is ours is 400, and nothing is sent', async () => {
  const calls = await callsOf(async () => {
    const reply = await gateway.write(seed, { ...create, headers: [{ key: 'traceparent', value: 'x' }] }).expect(400);
    expect(reply.body).toMatchObject({ code: 'request.invalid', issues: [{ name: 'headers[0].key' }] });
  });
  expect(calls).toEqual([]);
});

// Rulings: where the provider returns no record, `data` is what was written, plus the id.
describe('an ifEmpty field that holds a value', () => {
  const second = '001ak0000000002AAA';
  const phones = new Map<unknown, string | null>([
    [recordId, '111'],
    [second, null],
  ]);
  beforeEach(() => {
    gateway.hubspot.answer = (call) => {
      const { ids, records } = call.body as { ids?: readonly string[]; records?: readonly { id: string }[] };
      if (ids) return { status: 200, body: ids.map((id) => ({ Id: id, Phone: phones.get(id) })) };
      if (records) return { status: 200, body: records.map(({ id }) => ({ id, success: true, errors: [] })) };
      return takeAll(call);
    };
  });
  const dataOf = async (record: object): Promise<unknown> => {
    const reply = await gateway.write(seed, { type: 'update', record }).expect(200);
    return (reply.body as SingleWriteReply).result.data;
  };

  it('is not in the data: nothing is returned of what was not written', async () => {
    const calls = await callsOf(async () => {
      expect(await dataOf({ id: recordId, Phone: '999' })).toEqual({ id: recordId });
      expect(await dataOf({ id: recordId, Phone: '999', Name: 'N' })).toEqual({ id: recordId, Name: 'N' });
      expect(await dataOf({ id: second, Phone: '999' })).toEqual({ id: second, Phone: '999' });
    });
    expect(calls.map(({ method }) => method)).toEqual(['POST', 'POST', 'PATCH', 'POST', 'PATCH']);
  });

  it('nor in that of a batch, nor in a reply that comes again', async () => {
    const batch = [recordId, second].map((id) => ({ record: { id, Phone: '999' } }));
    for (const _ of ['first', 'again']) {
      const reply = await gateway.write(seed, { type: 'update', batch }).set('Idempotency-Key', 'phones').expect(200);
      const { results } = reply.body as BatchWriteReply;
      expect(results.map(({ data }) => data)).toEqual([{ id: recordId }, { id: second, Phone: '999' }]);
    }
  });
});

describe('delete', () => {
  it('an id that Salesforce never has: 422 without a call', async () => {
    const calls = await callsOf(async () => {
      const reply = await gateway.write(seed, { type: 'delete', record: { id: '../Contact/1' } }).expect(422);
      expect(reply.body).toMatchObject({ errors: [{ message: expect.stringContaining('15 or 18') }] });
    });
    expect(calls).toEqual([]);
  });
});

// Two calls cannot be undone together.
it('an asynchronous batch with one record twice: 400 where it is all or none; else it is accepted', async () => {
  const record = { id: '001ak0000000001AAA', Name: '1' };
  const twice = { type: 'update', mode: 'asynchronous', batch: [{ record }, { record }] };
  const reply = await gateway.write(seed, { ...twice, batchPolicy: { allOrNone: true } }).expect(400);
  expect(reply.body).toMatchObject({ issues: [{ name: 'batch[1].record.id' }] });
  await gateway.write(seed, twice).expect(200);
});
