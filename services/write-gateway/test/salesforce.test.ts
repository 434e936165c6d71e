import { sampleConfig, sampleManifest, until } from '@sluice/testkit';
import type { BatchWriteReply, SingleWriteReply } from '@sluice/types';
import type { Answer, HubspotCall } from './_fake-hubspot';
import { startGateway, type RunningGateway, type Seed } from './_gateway';

let gateway: RunningGateway;
let seed: Seed;
const selectedFieldSettings = { Phone: { writeOnUpdate: 'ifEmpty' as const } };
beforeAll(async () => {
  gateway = await startGateway();
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
afterAll(() => gateway.stop());
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

// Specification, Write records: headers are forwarded on the outbound provider request, supported for provider Y only.
describe('forwarded headers', () => {
  const headers = [
    { key: 'Sforce-Duplicate-Rule-Header', value: 'allowSave=true' },
    { key: 'Sforce-Auto-Assign', value: 'FALSE' },
  ];

  it('are stored with an asynchronous write, and decide which records of an auto-batch share a call', async () => {
    const autoBatched = { ...create, mode: 'asynchronous', autoBatchPolicy: { maxDelayMinutes: 5 } };
    const ids: string[] = [];
    for (const more of [{ headers }, { headers: [...headers].reverse() }, {}]) {
      const reply = await gateway.write(seed, { ...autoBatched, ...more }).expect(200);
      ids.push((reply.body as { operationId: string }).operationId);
    }
    const rows = await gateway
      .database('records')
      .where({ operation_id: ids[0] })
      .orderBy('record_index')
      .select<{ plan: string; headers_key: string }[]>('plan', 'headers_key');
    expect(JSON.parse(rows[0]?.plan ?? '')).toMatchObject({ headers });
    expect(rows[0]?.headers_key).toBe(rows[1]?.headers_key);
    expect(rows[2]?.headers_key).not.toBe(rows[0]?.headers_key);
  });

  it.each(['authorization', 'X-Api-Key', 'traceparent', 'Via', 'Accept', 'User-Agent', 'x'.repeat(201)])(
    '%s is 400',
    async (key) => {
      const calls = await callsOf(async () => {
        const reply = await gateway.write(seed, { ...create, headers: [{ key, value: 'x' }] }).expect(400);
        expect(reply.body).toMatchObject({ code: 'request.invalid', issues: [{ name: 'headers[0].key' }] });
      });
      expect(calls).toEqual([]);
    },
  );
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

// Specification, batchPolicy: when allOrNone is true, the whole batch fails if any record fails.
describe('batchPolicy.allOrNone', () => {
  const batch = ['a', 'b', 'c'].map((Name) => ({ record: { Name } }));
  const updates = ['1', '2'].map((n) => ({ record: { id: `001ak000000000${n}AAA`, Name: n } }));
  const failed = (statusCode: string, message: string) => ({
    success: false,
    errors: [{ statusCode, message, fields: [] }],
  });
  const rolledBack = failed('ALL_OR_NONE_OPERATION_ROLLED_BACK', 'Record rolled back');
  const bad = failed('REQUIRED_FIELD_MISSING', 'Required fields are missing: [Industry]');

  it.each<[string, object, object[]]>([
    ['create', { type: 'create', batch }, [rolledBack, bad, rolledBack]],
    ['update', { type: 'update', batch: updates }, [bad, rolledBack]],
  ])('%s: 422, every record failed, and the operation ends as failure', async (_, body, items) => {
    gateway.hubspot.answer = () => ({ status: 200, body: items });
    let reply: Record<string, unknown> = {};
    const [call] = await callsOf(async () => {
      const write = gateway.write(seed, { ...body, batchPolicy: { allOrNone: true } });
      reply = (await write.expect(422)).body as Record<string, unknown>;
    });
    expect(call?.body).toMatchObject({ allOrNone: true });
    expect(reply).toMatchObject({ successCount: 0, failureCount: items.length });
    expect(reply['results']).toEqual(items.map(() => ({ success: false, errors: [{ message: expect.any(String) }] })));
    const { operations } = gateway.context.store;
    const operationId = reply['operationId'] as string;
    await until(
      'the end',
      async () => (await operations.find(seed.projectId, operationId))?.status === 'failure' || undefined,
    );
    const records = await operations.listRecords(seed.projectId, operationId);
    expect(records.map(({ status }) => status)).toEqual(items.map(() => 'failed'));
  });

  // Two calls cannot be undone together.
  it('asynchronous with one record twice: 400; without allOrNone it is accepted', async () => {
    const twice = { type: 'update', mode: 'asynchronous', batch: [updates[0], updates[0]] };
    const reply = await gateway.write(seed, { ...twice, batchPolicy: { allOrNone: true } }).expect(400);
    expect(reply.body).toMatchObject({ issues: [{ name: 'batch[1].record.id' }] });
    await gateway.write(seed, twice).expect(200);
  });
});
