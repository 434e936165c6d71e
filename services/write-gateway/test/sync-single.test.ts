import { hubspotRecord, hubspotRefusal, sampleConfig } from '@sluice/testkit';
import type { SingleWriteReply } from '@sluice/types';
import { canary, startGateway, type RunningGateway, type Seed } from './_gateway';

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => gateway.hubspot.takeAll());

const record = { email: 'zoe@example.com', firstname: 'Zoë' };
const operationOf = async (seed: Seed, reply: { body: unknown }) => {
  const { operationId } = reply.body as { operationId: string };
  return (await gateway.context.store.operations.find(seed.projectId, operationId)) ?? { id: 'none' };
};
const recordsOf = (seed: Seed, reply: { body: unknown }) =>
  gateway.context.store.operations.listRecords(seed.projectId, (reply.body as { operationId: string }).operationId);

describe('200', () => {
  it('create: the shape of the published API, the call as HubSpot takes it, and an operation that is over', async () => {
    const seed = await gateway.seed();
    const reply = await gateway.write(seed, { type: 'create', record }).expect(200);
    expect(reply.type).toBe('application/json');
    expect(reply.body).toEqual({
      operationId: expect.any(String),
      result: { success: true, recordId: '501', data: expect.objectContaining({ id: '501', archived: false }) },
    });
    const call = gateway.hubspot.calls.at(-1);
    expect(call?.body).toEqual({ properties: record });
    expect(call).toMatchObject({
      method: 'POST',
      path: '/crm/v3/objects/contacts',
      token: canary,
      headers: { accept: 'application/json' },
    });
    expect(await operationOf(seed, reply)).toMatchObject({
      status: 'success',
      actionType: 'write',
      installationId: seed.installationId,
      configId: seed.configId,
      resource: 'contacts',
      result: 'Write completed: create contacts',
      metadata: { successfulRecordIds: ['501'], retry: { attempts: 1 } },
    });
    expect(await recordsOf(seed, reply)).toEqual([{ index: 0, status: 'succeeded', recordId: '501' }]);
  });

  it('an update with nothing left to write succeeds without a call; the data is what was written', async () => {
    const selectedFieldSettings = { city: { writeOnUpdate: 'never' as const } };
    const config = sampleConfig({
      write: { objects: { contacts: { objectName: 'contacts', selectedFieldSettings } } },
    });
    const seed = await gateway.seed({ config });
    const called = gateway.hubspot.calls.length;
    const reply = await gateway.write(seed, { type: 'update', record: { id: '42', city: 'Bern' } }).expect(200);
    expect(reply.body).toMatchObject({ result: { success: true, recordId: '42', data: { id: '42' } } });
    expect((reply.body as SingleWriteReply).result.data).toEqual({ id: '42' });
    expect(gateway.hubspot.calls).toHaveLength(called);
    expect(await operationOf(seed, reply)).toMatchObject({ status: 'success' });
  });

  // Specification, writeOnUpdate: ifEmpty. A value that the customer has is not ours to report.
  it('an update whose only field is filled already succeeds without a write; the data is only the id', async () => {
    const selectedFieldSettings = { city: { writeOnUpdate: 'ifEmpty' as const } };
    const config = sampleConfig({
      write: { objects: { contacts: { objectName: 'contacts', selectedFieldSettings } } },
    });
    const seed = await gateway.seed({ config });
    gateway.hubspot.answer = () => ({
      status: 200,
      body: { status: 'COMPLETE', results: [hubspotRecord('42', { city: 'Basel' })] },
    });
    const called = gateway.hubspot.calls.length;
    const reply = await gateway.write(seed, { type: 'update', record: { id: '42', city: 'Bern' } }).expect(200);
    expect(reply.body).toEqual({
      operationId: expect.any(String),
      result: { success: true, recordId: '42', data: { id: '42' } },
    });
    expect(gateway.hubspot.calls.slice(called).map(({ path }) => path)).toEqual([
      expect.stringContaining('/contacts/batch/read'),
    ]);
  });

  // It is not known that the field is empty: the write would replace a value of the customer's.
  it.each([
    ['{}', {}],
    ['an empty list', { status: 'COMPLETE', results: [] }],
  ])('an update whose ifEmpty read is answered with %s writes nothing: 502', async (_, body) => {
    const selectedFieldSettings = { city: { writeOnUpdate: 'ifEmpty' as const } };
    const config = sampleConfig({
      write: { objects: { contacts: { objectName: 'contacts', selectedFieldSettings } } },
    });
    const seed = await gateway.seed({ config });
    gateway.hubspot.answer = () => ({ status: 200, body });
    const called = gateway.hubspot.calls.length;
    const reply = await gateway.write(seed, { type: 'update', record: { id: '42', city: 'Bern' } }).expect(502);
    expect(reply.body).toMatchObject({ code: 'provider.unavailable', operationId: expect.any(String) });
    expect(gateway.hubspot.calls.slice(called).map(({ path }) => path)).toEqual([
      expect.stringContaining('/contacts/batch/read'),
    ]);
  });

  it('a record whose association was refused is written, and the reply reports what was not done', async () => {
    const seed = await gateway.seed();
    const taken = gateway.hubspot.answer;
    gateway.hubspot.answer = (call) =>
      call.path.includes('/associations/') ? hubspotRefusal(400, { message: 'no such company' }) : taken(call);
    const associations = [
      { to: { id: '7' }, types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 1 }] },
    ];
    const body = { type: 'update', record: { id: '42', city: 'Bern' }, associations };
    const reply = await gateway.write(seed, body).expect(200);
    expect(reply.body).toMatchObject({
      result: { success: true, recordId: '42', warnings: [{ message: expect.stringContaining('no such company') }] },
    });
    const [written] = await recordsOf(seed, reply);
    const { warnings } = (reply.body as SingleWriteReply).result;
    expect(written?.warnings).toEqual(warnings?.map(({ message }) => message));
  });

  // Kafka is not involved: an executor that got a message would only find it running.
  it('announces nothing', async () => {
    const seed = await gateway.seed();
    await gateway.write(seed, { type: 'create', record }).expect(200);
    await gateway.context.messaging.announcer({ name: 'x' } as never).flush();
    expect(gateway.announced).toEqual({ autoBatched: [], ready: [] });
  });
});

describe('422', () => {
  it.each([
    [
      'rejected',
      hubspotRefusal(400, { category: 'VALIDATION_ERROR', message: 'Property "x" does not exist' }),
      /"x" does not/,
    ],
    [
      'conflict',
      hubspotRefusal(409, { category: 'CONFLICT', message: 'Contact already exists. Existing ID: 7' }),
      /ID: 7/,
    ],
    ['forbidden', hubspotRefusal(403, { category: 'MISSING_SCOPES', message: 'No scope' }), /No scope/],
  ])(
    '%s by the provider: application/json with its words, and a failed operation',
    async (errorClass, answer, said) => {
      const seed = await gateway.seed();
      gateway.hubspot.answer = () => answer;
      const reply = await gateway.write(seed, { type: 'create', record }).expect(422);
      expect(reply.type).toBe('application/json');
      const message = expect.stringMatching(said) as string;
      expect(reply.body).toEqual({
        operationId: expect.any(String),
        errors: [{ message }],
        result: { success: false },
      });
      expect(await operationOf(seed, reply)).toMatchObject({ status: 'failure', result: message });
      expect(await recordsOf(seed, reply)).toEqual([
        { index: 0, status: 'failed', error: { class: errorClass, message } },
      ]);
    },
  );

  it('an update of a record that the provider does not have', async () => {
    const seed = await gateway.seed();
    gateway.hubspot.answer = () => hubspotRefusal(404, { message: 'resource not found' });
    const reply = await gateway.write(seed, { type: 'update', record: { id: '404', city: 'Bern' } }).expect(422);
    expect(reply.body).toMatchObject({ errors: [{ message: 'resource not found' }] });
    expect(await recordsOf(seed, reply)).toMatchObject([{ error: { class: 'not-found' } }]);
  });

  it('never shows the token that the provider echoes', async () => {
    const seed = await gateway.seed();
    gateway.hubspot.answer = () => hubspotRefusal(400, { message: `bad token ${canary}` });
    const reply = await gateway.write(seed, { type: 'create', record }).expect(422);
    expect(reply.text).not.toContain(canary);
    expect(JSON.stringify(await operationOf(seed, reply))).not.toContain(canary);
  });
});
