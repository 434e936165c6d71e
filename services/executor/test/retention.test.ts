import { until } from '@sluice/testkit';
import { useGround, type Seed } from './_executor';

const ground = useGround();
let seed: Seed;
beforeEach(async () => {
  seed = await ground.seed();
});

const planOf = async (operationId: string): Promise<string | null> => {
  const row = await ground.database('records').where({ operation_id: operationId }).first('plan');
  return (row as { plan: string | null }).plan;
};

// What a customer's records held is not kept for ever.
it('[sec-46] a running executor forgets the values of a record that ended before the retention time', async () => {
  await ground.startExecutor();
  const id = await ground.accept(seed, [{ email: 'kept@x.com' }]);
  await ground.ended(seed, id);
  expect(await planOf(id)).toContain('kept@x.com');
  const longAgo = ground.database.raw(`now() - interval '31 days'`);
  await ground.database('outcomes').where({ operation_id: id }).update({ ended_at: longAgo });
  await ground.startExecutor();
  await until('the purge', async () => ((await planOf(id)) === null ? true : undefined));
  expect(await ground.records(seed, id)).toMatchObject([{ status: 'succeeded' }]);
});
