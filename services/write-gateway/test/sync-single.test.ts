import { hubspotRecord, hubspotRefusal, sampleConfig } from '@sluice/testkit';
import type { SingleWriteReply } from '@sluice/types';
import { canary, useGateway, type Seed } from './_gateway';

const gateway = useGateway();

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

  // A caller's text of that kind is refused: UTF-8 does not have it. A reply is passed on, also when it is given again.
  it('half a surrogate pair of the provider is passed on as it came, in values and in names', async () => {
    const seed = await gateway.seed();
    const properties = { email: 'a\ud800', 'ci\udfffty': '\udc00 \u{1f600}' };
    gateway.hubspot.answer = () => ({ status: 201, body: hubspotRecord('501', properties) });
    const write = () => gateway.write(seed, { type: 'create', record }).set('idempotency-key', 'halves').expect(200);
    const replies = [await write(), await write()];
    expect(replies.map(({ headers }) => headers['idempotent-replayed'])).toEqual([undefined, 'true']);
    for (const { body } of replies) expect(body).toMatchObject({ result: { success: true, data: { properties } } });
    for (const { text } of replies) expect(text.match(/\\ud800|\\udfff|\\udc00/g)).toHaveLength(3);
  });

  it('an update with nothing left to write succeeds without a call; the data is what was written', async () => {
    const selectedFieldSettings = { city: { writeOnUpdate: 'never' as const } };
    const config = sampleConfig({
      write: { objects: { contacts: { objectName: 'contacts', selectedFieldSettings } } },
    });
    const seed = await gateway.seed({ config });
    const reply = await gateway.write(seed, { type: 'update', record: { id: '42', city: 'Bern' } }).expect(200);
    expect(reply.body).toMatchObject({ result: { success: true, recordId: '42', data: { id: '42' } } });
    expect((reply.body as SingleWriteReply).result.data).toEqual({ id: '42' });
    expect(gateway.hubspot.calls).toEqual([]);
    expect(await operationOf(seed, reply)).toMatchObject({ status: 'success' });
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
      const code = expect.stringMatching(/^(VALIDATION_ERROR|CONFLICT|MISSING_SCOPES)$/) as string;
      expect(reply.body).toEqual({
        operationId: expect.any(String),
        errors: [{ message }],
        problems: [{ code, message }],
        result: { success: false },
      });
      expect(await operationOf(seed, reply)).toMatchObject({ status: 'failure', result: message });
      expect(await recordsOf(seed, reply)).toEqual([
        { index: 0, status: 'failed', error: { class: errorClass, message }, problems: [{ code, message }] },
      ]);
    },
  );

  // Twenty problems may name the same field: of a longer value the caller has the text.
  it('shows what was sent beside each problem, up to 1,000 characters of it', async () => {
    const seed = await gateway.seed();
    const sent = { email: 'e'.repeat(998), firstname: 'f'.repeat(999), city: ['Bern'] };
    const problems = Object.keys(sent).map((name) => ({ isValid: false, message: 'no', error: 'INVALID', name }));
    gateway.hubspot.answer = () =>
      hubspotRefusal(400, { message: `Property values were not valid: ${JSON.stringify(problems)}` });
    const reply = await gateway.write(seed, { type: 'create', record: sent }).expect(422);
    const of = (field: string) => ({ field, providerField: field, code: 'INVALID', message: 'no' });
    expect((reply.body as { readonly problems: unknown }).problems).toEqual([
      { ...of('email'), value: sent.email },
      of('firstname'),
      { ...of('city'), value: sent.city },
    ]);
    // Kept without it: a value is for who sent it.
    expect((await recordsOf(seed, reply))?.[0]?.problems).toEqual(Object.keys(sent).map(of));
  });

  it('never shows the token that the provider echoes', async () => {
    const seed = await gateway.seed();
    gateway.hubspot.answer = () => hubspotRefusal(400, { message: `bad token ${canary}` });
    const reply = await gateway.write(seed, { type: 'create', record }).expect(422);
    expect(reply.text).not.toContain(canary);
    expect(JSON.stringify(await operationOf(seed, reply))).not.toContain(canary);
  });
});
