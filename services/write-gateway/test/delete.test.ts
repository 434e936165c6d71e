import { hubspotRefusal, sampleConfig } from '@sluice/testkit';
import { useGateway, type Seed } from './_gateway';

const gateway = useGateway();

const enabled = (isEnabled = true) =>
  sampleConfig({
    write: { objects: { contacts: { objectName: 'contacts', deletionSettings: { enabled: isEnabled } } } },
  });
const remove = { type: 'delete', record: { id: '42' } };
const statusOf = async (seed: Seed, operationId: string) =>
  (await gateway.context.store.operations.find(seed.projectId, operationId))?.status;

it('200: one call, the id of the record and no data; the operation succeeds', async () => {
  const seed = await gateway.seed({ config: enabled() });
  const reply = await gateway.write(seed, remove).expect(200);
  const { operationId } = reply.body as { operationId: string };
  expect(reply.body).toEqual({ operationId, result: { success: true, recordId: '42' } });
  expect(await statusOf(seed, operationId)).toBe('success');
  expect(gateway.hubspot.calls).toMatchObject([{ method: 'DELETE', path: '/crm/v3/objects/contacts/42' }]);
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
