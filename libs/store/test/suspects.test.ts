import type { ClaimedCall } from '@sluice/store';
import { useWriteFixture } from './write-fixture';

const fixture = useWriteFixture();

/** Accepts a call that has crashed executors this often; its operation's id. */
async function crashed(crash_count: number): Promise<string> {
  const write = await fixture.accept();
  await fixture.database('calls').where({ operation_id: write.operation.id }).update({ crash_count });
  return write.operation.id;
}

// The process that claims it has let everything else end. Without capacity it would do so again and again, as long as the others keep the lane full.
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
  const call = await fixture.claimOne();
  await fixture.store.writes.release([{ ...call, delayMs: 0, isInDoubt: false }]);
  expect((await fixture.claim())[0]).toMatchObject({ crashCount: 1 });
});

/** Claims as an executor that dies: while it sends, or while it looks up what was sent. */
async function die(o: { sends?: boolean; isolated?: boolean } = {}): Promise<void> {
  const call = await fixture.claimOne({ leaseMs: 60_000, isolated: o.isolated ?? false });
  if (o.sends === true) await fixture.send(call, 0);
  expect(await fixture.lapse()).toHaveLength(1);
}

/** A completed lookup: nothing found yet, or nothing any more. */
async function expectClaims(state: 'in_doubt' | 'ready', isolated: boolean): Promise<void> {
  const call = await fixture.claimOne({ isolated });
  expect(call).toMatchObject({ isInDoubt: true });
  await fixture.settle(call, [], { next: { state, delayMs: 0 } });
}

// A lookup takes ten claims of a minute at HubSpot: an innocent call that keeps the crashes of each ends as quarantined (fault row F3).
it('a completed lookup resets the crashes counted during lookups, and keeps those of sends', async () => {
  await fixture.accept();
  await die({ sends: true });
  await die();
  await die({ isolated: true });
  await expectClaims('in_doubt', true);
  await expectClaims('ready', false);
  expect((await fixture.claim())[0]).toMatchObject({ crashCount: 1, isInDoubt: false });
});

it('the crashes of a call that kills its sender are counted through all lookups in between', async () => {
  await fixture.accept();
  for (const isolated of [false, false, true, true]) {
    await die({ sends: true, isolated });
    const [{ crash_count: crashes }] = await fixture.database('calls').select('crash_count');
    if (crashes < 4) await expectClaims('ready', crashes >= 2);
  }
  expect((await fixture.claim({ isolated: true }))[0]).toMatchObject({ crashCount: 4 });
});

it('a call that is quarantined is listed in its project, with the request that replays it', async () => {
  const operationId = await crashed(4);
  const [call] = (await fixture.claim({ isolated: true })) as [ClaimedCall];
  await fixture.store.writes.settle([
    { ...call, isCreate: true, records: [], orderKeys: [], next: { state: 'quarantined' } },
  ]);
  const { projectId } = fixture.seeded;
  expect(await fixture.database('quarantine')).toMatchObject([
    {
      project_id: projectId,
      operation_id: operationId,
      call_number: 1,
      replay_command: `POST /v1/projects/${projectId}/operations/${operationId}:replay`,
    },
  ]);
});

it('the crashes of a call that kills its lookup are counted too', async () => {
  await fixture.accept();
  await die({ sends: true });
  for (const isolated of [false, true, true]) await die({ isolated });
  expect((await fixture.claim({ isolated: true }))[0]).toMatchObject({ crashCount: 4 });
});
