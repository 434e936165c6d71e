import { until } from '@sluice/testkit';
import { sweepMessages } from '../src/webhooks/sweep-messages';
import { useManagement } from './start-management';

const management = useManagement();

// A service that stops would else wait until all that has ended is deleted, whatever that is.
it('ends between two rounds of a purge, and the next sweep goes on', async () => {
  const { id: projectId } = await management.newProject();
  const { database } = management;
  await database.raw(
    `insert into uploads (project_id, id, token_hash, expires_at)
     select ?, gen_random_uuid(), n::text, now() - interval '1 hour' from generate_series(1, 2500) n`,
    [projectId],
  );
  const left = async () => Number((await database('uploads').count())[0]?.['count']);
  await sweepMessages(management.context)();
  expect(await left()).toBeGreaterThan(1_000);
  const end = sweepMessages(management.context);
  await until('all that has ended is gone', async () => (await left()) === 0 || undefined);
  await end();
});
