import type { OperationExplanation, OperationRecordListReply } from '@sluice/types';
import { useOperations } from './prepare-operations';
import { useManagement } from './start-management';

const management = useManagement();
const prepared = useOperations(management);

const plan = (fields: object) => JSON.stringify({ type: 'create', objectName: 'contacts', fields });

/** An operation whose records have these plans, and no ref. */
async function failedWith(plans: readonly (string | null)[]): Promise<string> {
  const id = await prepared.ended(plans.map(() => 'failed'));
  for (const [index, each] of plans.entries())
    await management
      .database('records')
      .where({ operation_id: id, record_index: index })
      .update({ plan: each, ref: null });
  return id;
}

const recordsOf = async (id: string) =>
  (await prepared.send.get(`${prepared.path}/operations/${id}/records`).expect(200)).body as OperationRecordListReply;

describe('a record with neither a ref nor an id', () => {
  it('is known by the value of the field that identifies it at its provider', async () => {
    const id = await failedWith([plan({ city: 'Jena', email: 'ann@example.com' }), plan({ city: 'Jena' })]);
    const [first, second] = (await recordsOf(id)).results;
    expect(first?.identifiedBy).toEqual({ field: 'email', value: 'ann@example.com' });
    expect(second).not.toHaveProperty('identifiedBy');
    const { body } = await prepared.send.get(`${prepared.path}/operations/${id}/explanation`).expect(200);
    expect((body as OperationExplanation).records[0]?.identifiedBy).toEqual(first?.identifiedBy);
  });

  // The cost of a page does not grow with what was accepted.
  it('is known by its index where what was accepted is deleted, or has more than 16 KB', async () => {
    const id = await failedWith([null, plan({ email: 'ann@example.com', text: 'x'.repeat(16_384) })]);
    for (const record of (await recordsOf(id)).results) expect(record).not.toHaveProperty('identifiedBy');
  });
});

it('a record with a ref or an id keeps to it', async () => {
  const id = await prepared.ended(['failed']);
  await management
    .database('records')
    .where({ operation_id: id })
    .update({ plan: plan({ email: 'ann@example.com' }) });
  expect((await recordsOf(id)).results[0]).not.toHaveProperty('identifiedBy');
});
