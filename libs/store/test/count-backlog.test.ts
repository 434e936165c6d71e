import { newId, type ClaimedCall, type NewOperation, type RecordSettlement, type Settlement } from '@sluice/store';
import { fillBacklog, sampleManifest, seedInstallation } from '@sluice/testkit';
import { useWriteFixture } from './write-fixture';

const fixture = useWriteFixture();

const none = { writes: 0, bytes: 0 };
const backlog = async (max: number, projectId = fixture.seeded.projectId, groupRefs: readonly string[] = []) =>
  (await fixture.store.writes.countBacklog([{ projectId, groupRefs }], max)).get(projectId);
const count = async (max: number, projectId?: string) => (await backlog(max, projectId))?.writes;
const ofGroups = async (...groupRefs: string[]) => (await backlog(1_000, undefined, groupRefs))?.groups;
/** A write whose plan has this many bytes, each of its records as many. */
const sized = (bytes: number, records: number) => {
  const write = fixture.asynchronous({ records: Array.from({ length: records }, () => ({})) });
  return { ...write, records: write.records.map((record) => ({ ...record, plan: planOf(bytes) })) };
};
const planOf = (bytes: number) => JSON.stringify({ fields: { note: 'é'.repeat((bytes - 22) / 2) } });
const batchableOf = (bytes: number) => {
  const write = fixture.batchable();
  return { ...write, record: { ...write.record, plan: planOf(bytes) } };
};
const ordered = () => fixture.asynchronous({ type: 'update', records: [{ recordId: '1' }] });

describe('the backlog of a project', () => {
  it('is its waiting calls and the records of its open batches, and nothing of anybody else', async () => {
    const { writes } = fixture.store;
    await writes.accept([fixture.asynchronous({ records: Array.from({ length: 30 }, () => ({})) })]);
    await writes.accept([ordered()]);
    await writes.join(Array.from({ length: 7 }, () => fixture.batchable()));
    expect(await count(100)).toBe(9);
    expect(await count(100, newId())).toBe(0);
    expect(await fixture.store.writes.countBacklog([], 100)).toEqual(new Map());
  });

  it('holds what waits behind another write and what no batch takes records for any more, not what runs or ended', async () => {
    const { writes } = fixture.store;
    await writes.accept([ordered()]);
    await writes.accept([ordered()]);
    await fixture.accept();
    await writes.join(Array.from({ length: 100 }, () => fixture.batchable()));
    expect(await count(1_000)).toBe(103);
    const claimed = await fixture.claim({ limit: 10 });
    expect(claimed).toHaveLength(2);
    expect(await count(1_000)).toBe(101);
    for (const call of claimed) await fixture.settleAll(call);
    expect(await count(1_000)).toBe(101);
  });

  it('is counted no further than requested', async () => {
    await fillBacklog(fixture.url, fixture.seeded, { calls: 3_000, lanes: 3 });
    expect(await count(1_000_000)).toBe(3_000);
    expect(await count(2_000)).toBe(2_000);
  });

  it('[sec-38] is counted of each requested group, whatever waits of the others', async () => {
    const { writes } = fixture.store;
    const { projectId, groupRef } = fixture.seeded;
    // A connection of its own to the same account, so both share a lane.
    const manifest = { ...sampleManifest(), name: 'another' };
    const other = await seedInstallation(fixture.store, { projectId, groupRef: 'another', manifest });
    const ofOther = <T extends { operation: NewOperation }>(write: T): T => {
      const { integrationId, installationId, configId, connectionId, revisionId } = other;
      const pins = { ...write.operation.pins, installationId, configId, connectionId, revisionId };
      return { ...write, operation: { ...write.operation, integrationId, pins } };
    };
    await writes.accept([fixture.asynchronous(), fixture.asynchronous(), ofOther(fixture.asynchronous())]);
    await writes.join([fixture.batchable(), ofOther(fixture.batchable())]);
    expect(await count(100)).toBe(5);
    const groups = await ofGroups(groupRef, 'another', 'nobody');
    expect(groups?.get(groupRef)?.writes).toBe(3);
    expect(groups?.get('another')?.writes).toBe(2);
    expect(groups?.get('nobody')).toEqual(none);
    expect([...((await ofGroups('another'))?.keys() ?? [])]).toEqual(['another']);
  });

  it('[sec-38] has bytes: of calls in kB rounded up, of open batches as they are, and through the seal', async () => {
    const { writes } = fixture.store;
    const bytes = async () => (await backlog(1_000))?.bytes;
    await writes.accept([sized(2_500, 1)]);
    expect(await bytes()).toBe(3_000);
    await writes.accept([sized(2_500, 4)]);
    expect(await bytes()).toBe(13_000);
    for (const call of await fixture.claim({ limit: 10 })) await fixture.settleAll(call);
    expect(await bytes()).toBe(0);
    const joined = await writes.join(Array.from({ length: 100 }, () => batchableOf(2_500)));
    expect(await bytes()).toBe(250_000);
    const [member] = [...joined.values()];
    if (typeof member !== 'object' || !('operationId' in member)) throw new Error('nothing was joined');
    const key = { projectId: fixture.seeded.projectId, operationId: member.operationId };
    const connectionId = fixture.seeded.connectionId;
    const callOf = (number: number, from: number, to: number) => ({
      number,
      connectionId,
      recordIndexes: Array.from({ length: to - from }, (_, at) => from + at),
      planBytes: (to - from) * 2_500,
    });
    await writes.seal(key, () => [callOf(1, 0, 40), callOf(2, 40, 100)]);
    expect(await bytes()).toBe(250_000);
  });

  it('[sec-38] keeps its bytes when a call continues as two, and counts those of a replay', async () => {
    const { writes } = fixture.store;
    const bytes = async () => (await backlog(1_000))?.bytes;
    const write = sized(50_000, 4);
    await writes.accept([write]);
    const error = { class: 'rejected', text: 'one of them is bad' } as const;
    const settle = async (call: ClaimedCall, records: RecordSettlement[], next: Settlement['next']) =>
      await writes.settle([
        { ...call, isCreate: true, attempt: { durationMs: 1, status: 400, error }, records, next, orderKeys: [] },
      ]);
    const whole = await fixture.claimOne();
    const again = [0, 1, 2, 3].map((index) => ({ index, kind: 'again', sendState: 'none', error }) as const);
    await settle(whole, again, {
      state: 'split',
      parts: [
        [0, 1],
        [2, 3],
      ],
    });
    expect(await bytes()).toBe(200_000);
    for (const part of await fixture.claim({ limit: 2 })) {
      const failed = (await writes.loadPending(part)).map(({ index }) => ({ index, kind: 'failed', error }) as const);
      await settle(part, failed, { state: 'done' });
    }
    expect(await bytes()).toBe(0);
    const { projectId, id: operationId, traceparent } = write.operation;
    await writes.replay({
      projectId,
      operationId,
      newId: newId(),
      force: false,
      isWritable: true,
      mayReplayQuarantined: true,
      traceparent,
    });
    expect(await bytes()).toBe(200_000);
  });
});
