import { hubspotRefusal, sampleConfig } from '@sluice/testkit';
import { startGateway, type RunningGateway, type Seed } from './_gateway';

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => gateway.hubspot.takeAll());

const enabled = (isEnabled = true) =>
  sampleConfig({
    write: { objects: { contacts: { objectName: 'contacts', deletionSettings: { enabled: isEnabled } } } },
  });
const remove = { type: 'delete', record: { id: '42' } };
const callsOf = async (work: () => Promise<unknown>) => {
  const before = gateway.hubspot.calls.length;
  await work();
  return gateway.hubspot.calls.slice(before).map(({ method, path }) => `${method} ${path}`);
};
const statusOf = async (seed: Seed, operationId: string) =>
  (await gateway.context.store.operations.find(seed.projectId, operationId))?.status;

// Specification, Write records, rule 1; delete is single-record and synchronous only.
describe('200', () => {
  it.each([
    ['without mode', remove],
    ['mode synchronous', { ...remove, mode: 'synchronous' }],
  ])('%s: one call, the id of the record, no data; the operation succeeds', async (_, body) => {
    const seed = await gateway.seed({ config: enabled() });
    const calls = await callsOf(async () => {
      const reply = await gateway.write(seed, body).expect(200);
      const { operationId } = reply.body as { operationId: string };
      expect(reply.body).toEqual({ operationId, result: { success: true, recordId: '42' } });
      expect(await statusOf(seed, operationId)).toBe('success');
    });
    expect(calls).toEqual(['DELETE /crm/v3/objects/contacts/42']);
  });

  it('with a key: deleted once, answered twice', async () => {
    const seed = await gateway.seed({ config: enabled() });
    const calls = await callsOf(async () => {
      const [first, second] = [
        await gateway.write(seed, remove).set('Idempotency-Key', 'k').expect(200),
        await gateway.write(seed, remove).set('Idempotency-Key', 'k').expect(200),
      ];
      expect(second.body).toEqual(first.body);
    });
    expect(calls).toHaveLength(1);
  });
});

describe('what the provider answers', () => {
  it('a refusal is 422, and the operation fails', async () => {
    const seed = await gateway.seed({ config: enabled() });
    gateway.hubspot.answer = () => hubspotRefusal(403);
    const reply = await gateway.write(seed, remove).expect(422);
    const { operationId } = reply.body as { operationId: string };
    expect(reply.body).toMatchObject({ result: { success: false }, errors: [{ message: expect.any(String) }] });
    expect(await statusOf(seed, operationId)).toBe('failure');
  });

  // A deleted record stays deleted: the repeat is harmless, unlike that of a create.
  it('no answer is 504 that may be repeated, with a remedy for a delete', async () => {
    const seed = await gateway.seed({ config: enabled() });
    gateway.hubspot.answer = () => 'never';
    const reply = await gateway.write(seed, remove).expect(504);
    expect(reply.body).toMatchObject({ retryable: true, remedy: expect.stringContaining('stays deleted') });
  });
});
