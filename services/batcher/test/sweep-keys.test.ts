import { until } from '@sluice/testkit';
import { createFixture, type Fixture } from './_batcher';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await createFixture();
});
afterAll(() => fixture.close());

const keys = async () =>
  (await fixture.database('idempotency_keys').orderBy('key').select('key')).map(({ key }) => key as string);
const insert = (names: readonly string[], hours: number) =>
  fixture.database('idempotency_keys').insert(
    names.map((key) => ({
      project_id: fixture.seed.projectId,
      scope: 'write-records',
      key,
      body_hash: 'h',
      operation_id: 'o',
      created_at: fixture.database.raw(`now() - make_interval(hours => ?)`, [hours]),
    })),
  );

// Kept 72 hours. More than one statement's worth, so that the sweep continues.
it('deletes keys that are older than 72 hours, and no younger one', async () => {
  const old = Array.from({ length: 1_500 }, (_, at) => `old-${at}`);
  await insert(old, 73);
  await insert(['young'], 71);
  const batcher = await fixture.startBatcher({ SLUICE_SWEEPS: 'on' });
  await until('the old keys to be gone', async () => ((await keys()).length === 1 ? true : undefined));
  expect(await keys()).toEqual(['young']);
  await batcher.stop();
});

it('does nothing when sweeps are off', async () => {
  await insert(['kept'], 73);
  const batcher = await fixture.startBatcher({ SLUICE_SWEEPS: 'off' });
  await batcher.stop();
  expect(await keys()).toEqual(['kept', 'young']);
});
