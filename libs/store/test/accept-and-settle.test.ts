import { callId } from '@sluice/store';
import { unfinished, useWriteFixture, written } from './write-fixture';

const fixture = useWriteFixture();

const ready = { next: { state: 'ready', delayMs: 0 } } as const;
const operationOf = (id: string) => fixture.store.operations.find(fixture.seeded.projectId, id);

describe('accept', () => {
  it('stores operation, call and records, and the operation ends when its call is settled', async () => {
    const write = fixture.asynchronous({ records: [{}, {}, {}] });
    const accepted = await fixture.store.writes.accept([write]);
    expect(accepted.get(write.operation.id)).toEqual({ kind: 'accepted', acceptedAt: expect.any(Date) });
    expect((await operationOf(write.operation.id))?.status).toBe('in_progress');

    const call = await fixture.claimOne();
    expect(await fixture.send(call, 0, 1, 2)).toEqual(new Set([callId(call)]));
    await fixture.settleAll(call);
    const ended = await operationOf(write.operation.id);
    expect(ended).toMatchObject({ status: 'success', result: 'Batch write completed (3 succeeded, 0 failed)' });
  });

  it('stores the same write once, however often it is repeated', async () => {
    const write = await fixture.accept();
    const again = await fixture.store.writes.accept([write]);
    expect(again.get(write.operation.id)).toEqual({ kind: 'accepted', acceptedAt: expect.any(Date) });
    expect(await fixture.claim()).toHaveLength(1);
  });

  // The socket died while the server was still committing: the repetition must find the row, not call the write stale.
  it('waits for its own first try when that is still committing', async () => {
    const write = fixture.asynchronous();
    const both = await Promise.all([fixture.store.writes.accept([write]), fixture.store.writes.accept([write])]);
    for (const answers of both)
      expect(answers.get(write.operation.id)).toEqual({ kind: 'accepted', acceptedAt: expect.any(Date) });
    expect(await fixture.claim()).toHaveLength(1);
  });

  it('writes nothing of a request whose config has changed, and all of its neighbours', async () => {
    const stale = fixture.asynchronous({ configId: 'an older config' });
    const fresh = fixture.asynchronous();
    const accepted = await fixture.store.writes.accept([stale, fresh]);
    expect(accepted.get(stale.operation.id)).toEqual({ kind: 'stale' });
    expect(accepted.get(fresh.operation.id)).toMatchObject({ kind: 'accepted' });
    expect(await operationOf(stale.operation.id)).toBeUndefined();
  });
});

describe('settle', () => {
  it('counts partial success as success and names the first error', async () => {
    const write = await fixture.accept({ records: [{}, {}] });
    const call = await fixture.claimOne();
    const error = { class: 'rejected', text: 'Email address x is invalid' } as const;
    const settled = await fixture.settle(call, [written(0, '1'), { index: 1, kind: 'failed', error }]);
    expect(settled).toMatchObject({ ended: { status: 'success' } });
    expect((await operationOf(write.operation.id))?.result).toBe(
      'Batch write completed (1 succeeded, 1 failed). First error, record 1: Email address x is invalid',
    );
  });

  it('keeps a settlement that lost its fence as evidence and changes nothing', async () => {
    const write = await fixture.accept();
    const first = await fixture.claimOne();
    await fixture.send(first, 0);
    await expectLapse('in_doubt');
    const second = await fixture.claimOne();
    expect(second).toMatchObject({ isInDoubt: true, fence: first.fence + 1, crashCount: 1 });

    const late = await fixture.settleAll(first);
    expect((await operationOf(write.operation.id))?.status).toBe('in_progress');
    const doubt = await fixture.store.writes.readDoubt(second, 1_000);
    expect(doubt.evidence.map(({ settlement }) => settlement)).toEqual(late.records);
    expect(doubt.openTwins).toEqual([]);
  });

  // A sender was paused, its call was reconciled and made ready again; then its reply arrives: nobody may send it now.
  it('takes a ready call back into doubt when late evidence shows that it was written', async () => {
    await fixture.accept();
    const paused = await fixture.claimOne();
    await fixture.send(paused, 0);
    await expectLapse('in_doubt');
    const reconciling = await fixture.claimOne();
    await fixture.settle(reconciling, [unfinished(0)], ready);
    await fixture.settle(paused, [written(0, '7')]);
    expect((await fixture.claim())[0]?.isInDoubt).toBe(true);
  });

  // The lookup may have missed what the reply proves: it must not end with another send.
  it('takes a call back into doubt that is being looked up when late evidence shows that it was written', async () => {
    await fixture.accept();
    const paused = await fixture.claimOne();
    await fixture.send(paused, 0);
    await expectLapse('in_doubt');
    const inDoubt = await fixture.claimOne();
    await fixture.settle(paused, [written(0, '7')]);
    await fixture.settle(inDoubt, [unfinished(0)], ready);
    const next = await fixture.claimOne();
    expect(next.isInDoubt).toBe(true);
    const { evidence } = await fixture.store.writes.readDoubt(next, 1_000);
    expect(evidence.map(({ settlement }) => settlement)).toEqual([written(0, '7')]);
  });

  it('makes a call ready again whose process died before its intent', async () => {
    await fixture.accept();
    const call = await fixture.claimOne();
    await expectLapse('ready');
    expect(await fixture.send(call, 0)).toEqual(new Set());
    expect((await fixture.claim())[0]?.isInDoubt).toBe(false);
  });

  it('stays in doubt when the reconciling process dies too', async () => {
    await fixture.accept();
    const sent = await fixture.claimOne();
    await fixture.send(sent, 0);
    await fixture.settle(sent, [unfinished(0, 'maybe')], { next: { state: 'in_doubt', delayMs: 0 } });
    const [reconciling] = await fixture.claim();
    expect(reconciling?.isInDoubt).toBe(true);
    await expectLapse('in_doubt');
  });

  // A create that kills whoever sends it, and leaves nothing at the provider, must not be sent again until its deadline.
  it('keeps the crash count through a lookup, and resets it with a reply', async () => {
    await fixture.accept();
    const [crashed] = await fixture.claim();
    expect(crashed?.crashCount).toBe(0);
    await expectLapse('ready');
    const inDoubt = await fixture.claimOne();
    await fixture.settle({ ...inDoubt, isInDoubt: true }, [unfinished(0)], ready);
    const sending = await fixture.claimOne();
    expect(sending.crashCount).toBe(1);
    await fixture.settle(sending, [unfinished(0)], { ...ready, attempt: { durationMs: 1, status: 503 } });
    expect((await fixture.claim())[0]?.crashCount).toBe(0);
  });

  it('isolates a call after two crashes', async () => {
    await fixture.accept();
    for (let crash = 0; crash < 2; crash += 1) {
      expect(await fixture.claim()).toHaveLength(1);
      await expectLapse('ready');
    }
    expect(await fixture.claim()).toHaveLength(0);
    expect(await fixture.claim({ isolated: true })).toHaveLength(1);
  });
});

describe('claim', () => {
  it("takes no more than the lane's cap, counting what runs", async () => {
    await fixture.store.writes.accept(Array.from({ length: 6 }, () => fixture.asynchronous()));
    expect(await fixture.claim()).toHaveLength(4);
    expect(await fixture.claim()).toHaveLength(0);
  });

  it('keeps the capacity of the lane for asynchronous calls', async () => {
    for (let at = 0; at < 4; at += 1) {
      const write = fixture.asynchronous();
      await fixture.store.writes.openSynchronous({ ...write, owner: 'gateway', leaseMs: 6_000 });
    }
    await fixture.accept();
    expect(await fixture.claim()).toHaveLength(1);
  });

  it('gives each call to one of many claimers', async () => {
    await fixture.store.writes.accept(Array.from({ length: 4 }, () => fixture.asynchronous()));
    const claimed = await Promise.all(Array.from({ length: 8 }, () => fixture.claim({ limit: 1 })));
    const ids = claimed.flat().map(callId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('leaves a blocked lane alone and a shorter block does not shorten it', async () => {
    await fixture.accept();
    // Only the first block is one to log.
    expect(await fixture.store.writes.blockLane(fixture.lane, 60_000, 'ten_secondly_rolling')).toBe(true);
    expect(await fixture.store.writes.blockLane(fixture.lane, 10, 'shorter')).toBe(false);
    expect(await fixture.claim()).toHaveLength(0);
    expect(await fixture.store.writes.findReadyLanes({ limit: 100 })).toEqual({ found: [] });
    expect(await fixture.store.writes.readLaneBlock(fixture.lane)).toBeGreaterThan(50_000);
  });

  it('returns how long each lane is blocked', async () => {
    await fixture.store.writes.blockLane(fixture.lane, 60_000, 'ten_secondly_rolling');
    const open = { ...fixture.lane, laneId: 'another' };
    const [before, blocked, after] = await Promise.all(
      [open, fixture.lane, open].map(fixture.store.writes.readLaneBlock),
    );
    expect([before, after]).toEqual([0, 0]);
    expect(blocked).toBeGreaterThan(50_000);
  });

  it('returns when a blocked lane is worth a claim, and drops a lane that is gone', async () => {
    const request = { owner: 'test', limit: 1, perLane: 4, leaseMs: 6_000, isolated: false };
    await fixture.store.writes.blockLane(fixture.lane, 60_000, 'ten_secondly_rolling');
    const blocked = await fixture.store.writes.claim({ ...request, lanes: [fixture.lane] });
    expect(blocked.later).toEqual([{ ...fixture.lane, inMs: expect.any(Number) }]);
    const orphan = { projectId: 'p', laneId: 'gone' };
    const gone = await fixture.store.writes.claim({ ...request, lanes: [orphan] });
    expect(gone).toEqual({ calls: [], again: [], later: [], missing: [orphan] });
  });

  it('that gave as many calls as were asked for is claimed again', async () => {
    await fixture.store.writes.accept([fixture.asynchronous(), fixture.asynchronous()]);
    const request = { owner: 'test', lanes: [fixture.lane], perLane: 4, leaseMs: 6_000, isolated: false };
    expect((await fixture.store.writes.claim({ ...request, limit: 1 })).again).toEqual([
      expect.objectContaining(fixture.lane),
    ]);
    expect((await fixture.store.writes.claim({ ...request, limit: 2 })).again).toEqual([]);
  });

  it('is found by the sweep without any message', async () => {
    await fixture.accept();
    expect(await fixture.store.writes.findReadyLanes({ limit: 100 })).toEqual({ found: [fixture.lane] });
  });
});

/** The process of the one running call died: its lease is over, whatever the test took to come here, and the sweep takes the call. */
async function expectLapse(state: 'ready' | 'in_doubt'): Promise<void> {
  expect(await fixture.lapse()).toMatchObject([{ state }]);
}
