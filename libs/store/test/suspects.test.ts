import { openDatabase } from '@sluice/store';
import { patientLimits } from '@sluice/testkit';
import { createWriteFixture, type WriteFixture } from './write-fixture';

let fixture: WriteFixture;
let database: ReturnType<typeof openDatabase>;
beforeEach(async () => {
  fixture = await createWriteFixture();
  database = openDatabase({ url: fixture.url, applicationName: 'test', poolMax: 1, limits: patientLimits });
});
afterEach(async () => {
  await database.destroy();
  await fixture.close();
});

/** Accepts a call that has crashed executors this often; its operation's id. */
async function crashed(crash_count: number): Promise<string> {
  const write = fixture.asynchronous();
  await fixture.store.writes.accept([write]);
  await database('calls').where({ operation_id: write.operation.id }).update({ crash_count });
  return write.operation.id;
}

// Who asks for it has let everything else end. With no place it would do so again and again, as long as the others keep the lane full.
it('a suspect is claimed alone, also from a lane that others keep full', async () => {
  await fixture.store.writes.accept(Array.from({ length: 5 }, () => fixture.asynchronous()));
  expect(await fixture.claim()).toHaveLength(4);
  const suspect = await crashed(2);
  expect(await fixture.claim({ isolated: true, limit: 1 })).toMatchObject([{ operationId: suspect }]);
  expect(await fixture.claim()).toEqual([]);
});

// A lane without quota gives most claims back: a create that kills whoever sends it would never be counted.
it('a call that is given back unsent keeps its crash count', async () => {
  await crashed(1);
  const [call] = await fixture.claim();
  if (!call) throw new Error('nothing was claimed');
  await fixture.store.writes.release([{ ...call, delayMs: 0, isInDoubt: false }]);
  expect((await fixture.claim())[0]).toMatchObject({ crashCount: 1 });
});
