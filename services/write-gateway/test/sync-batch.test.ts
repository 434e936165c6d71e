import { hubspotRecord, hubspotRefusal } from '@sluice/testkit';
import type { BatchWriteReply } from '@sluice/types';
import { useGateway } from './_gateway';

const gateway = useGateway();

const batchOf = (...emails: string[]) => emails.map((email) => ({ record: { email } }));
const three = batchOf('a@x.com', 'b@x.com', 'c@x.com');

/** Trace id 1 fails, the others are made; HubSpot lists results in an order of its own. */
const mixed = {
  status: 207,
  body: {
    status: 'COMPLETE',
    results: [hubspotRecord('903', { email: 'c@x.com' }), hubspotRecord('901', { email: 'a@x.com' })],
    numErrors: 1,
    errors: [
      {
        status: 'error',
        category: 'CONFLICT',
        message: 'Contact already exists. Existing ID: 77',
        context: { objectWriteTraceId: ['1'], existingId: ['77'] },
      },
    ],
  },
};

describe('200', () => {
  it('one call for all records; results in request order', async () => {
    const seed = await gateway.seed();
    const reply = await gateway.write(seed, { type: 'create', batch: three }).expect(200);
    expect(gateway.hubspot.calls.map(({ path }) => path)).toEqual(['/crm/v3/objects/contacts/batch/create']);
    expect(reply.body).toEqual({
      operationId: expect.any(String),
      successCount: 3,
      failureCount: 0,
      results: three.map(({ record }) => ({
        success: true,
        recordId: expect.any(String),
        data: expect.objectContaining({ properties: expect.objectContaining(record) }),
      })),
    });
  });

  it('each result reports what was not done besides its record', async () => {
    const seed = await gateway.seed();
    const taken = gateway.hubspot.answer;
    gateway.hubspot.answer = (call) =>
      call.path.includes('/associations/') ? hubspotRefusal(400, { message: 'no such company' }) : taken(call);
    const types = [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 1 }];
    const batch = [
      { record: { id: '7', city: 'Bern' }, associations: [{ to: { id: '9' }, types }] },
      { record: { id: '5', city: 'Basel' } },
    ];
    const reply = await gateway.write(seed, { type: 'update', batch }).expect(200);
    const { results } = reply.body as BatchWriteReply;
    expect(results).toMatchObject([
      { success: true, recordId: '7', warnings: [{ message: expect.stringContaining('no such company') }] },
      { success: true, recordId: '5' },
    ]);
    expect(results[1]).not.toHaveProperty('warnings');
  });

  // Specification: partial success counts.
  it('some written: 200, each record with its own outcome, and a successful operation', async () => {
    const seed = await gateway.seed();
    gateway.hubspot.answer = () => mixed;
    const reply = await gateway.write(seed, { type: 'create', batch: three }).expect(200);
    expect(reply.body).toMatchObject({
      successCount: 2,
      failureCount: 1,
      results: [
        { success: true, recordId: '901' },
        { success: false, errors: [{ message: expect.stringContaining('already exists') }] },
        { success: true, recordId: '903' },
      ],
    });
    expect((reply.body as { results: object[] }).results[1]).not.toHaveProperty('recordId');
    const { operationId } = reply.body as { operationId: string };
    const { operations } = gateway.context.store;
    expect(await operations.find(seed.projectId, operationId)).toMatchObject({
      status: 'success',
      result: expect.stringContaining('(2 succeeded, 1 failed)'),
      metadata: { successfulRecordIds: ['901', '903'] },
    });
    const records = await operations.listRecords(seed.projectId, operationId);
    expect(records.map(({ status }) => status)).toEqual(['succeeded', 'failed', 'succeeded']);
  });
});

describe('a call that fails as a whole answers like a single write', () => {
  it.each([
    ['quota', hubspotRefusal(429, { policyName: 'SECONDLY' }), 429, 'provider.quota-exhausted'],
    ['edge refusal', hubspotRefusal(503), 502, 'provider.unavailable'],
    ['credentials', hubspotRefusal(401), 409, 'connection.bad-credentials'],
    ['silence', 'never' as const, 504, 'provider.timeout'],
  ])('%s', async (_case, answer, status, code) => {
    const seed = await gateway.seed();
    gateway.hubspot.answer = () => answer;
    const reply = await gateway.write(seed, { type: 'create', batch: three }).expect(status);
    expect(reply.type).toBe('application/problem+json');
    expect(reply.body).toMatchObject({ code, operationId: expect.any(String) });
  });
});
