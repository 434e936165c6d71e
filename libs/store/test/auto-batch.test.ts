import type { BatchMembership, PlannedCall, SealedRecord } from '@sluice/store';
import { createWriteFixture, type WriteFixture } from './write-fixture';

let fixture: WriteFixture;
beforeEach(async () => {
  fixture = await createWriteFixture();
});
afterEach(() => fixture.close());

const oneCall = (records: readonly SealedRecord[]): PlannedCall[] => [
  { number: 1, connectionId: fixture.seeded.connectionId, recordIndexes: records.map((record) => record.index) },
];
const seal = (operationId: string) =>
  fixture.store.writes.seal({ projectId: fixture.seeded.projectId, operationId }, oneCall);
const membersOf = (answers: Iterable<BatchMembership | 'stale'>): BatchMembership[] =>
  [...answers].map((answer) => {
    if (answer === 'stale') throw new Error('a fresh write was called stale');
    return answer;
  });

describe('join', () => {
  it('fills batches of exactly 100 in accept order, and opens the next', async () => {
    const answers = await fixture.store.writes.join(Array.from({ length: 250 }, () => fixture.batchable()));
    const members = membersOf(answers.values());
    const sizes = [...Map.groupBy(members, (member) => member.operationId).values()].map((group) => group.length);
    expect(sizes.sort((a, b) => b - a)).toEqual([100, 100, 50]);
    for (const group of Map.groupBy(members, (member) => member.operationId).values()) {
      expect(group.map((member) => member.index)).toEqual(group.map((_, at) => at));
      expect(group.every((member) => member.isFull === (group.length === 100))).toBe(true);
    }
  });

  it('puts records of concurrent gateways into one open batch', async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => fixture.store.writes.join([fixture.batchable()])),
    );
    const members = answers.flatMap((each) => membersOf(each.values()));
    expect(new Set(members.map((member) => member.operationId)).size).toBe(1);
    expect(new Set(members.map((member) => member.index)).size).toBe(30);
  });

  it('stores a repeated record once', async () => {
    const write = fixture.batchable();
    const first = await fixture.store.writes.join([write]);
    const second = await fixture.store.writes.join([write, fixture.batchable()]);
    expect((second.get(write.recordId) as BatchMembership).index).toBe(
      (first.get(write.recordId) as BatchMembership).index,
    );
    const [operationId] = membersOf(second.values()).map((member) => member.operationId);
    expect(await fixture.store.operations.listRecords(fixture.seeded.projectId, operationId)).toHaveLength(2);
  });

  it('answers a repetition that races with its first try', async () => {
    const write = fixture.batchable();
    const both = await Promise.all([fixture.store.writes.join([write]), fixture.store.writes.join([write])]);
    const members = both.flatMap((answers) => membersOf(answers.values()));
    expect(new Set(members.map((member) => `${member.operationId}/${member.index}`)).size).toBe(1);
  });

  it('keeps creates and updates apart', async () => {
    const create = membersOf((await fixture.store.writes.join([fixture.batchable()])).values());
    const update = membersOf(
      (await fixture.store.writes.join([fixture.batchable({ type: 'update', recordId: '1' })])).values(),
    );
    expect(create[0]?.operationId).not.toBe(update[0]?.operationId);
  });
});

describe('seal', () => {
  it('refuses a batch that is neither full nor due, and says how long it has', async () => {
    const [member] = membersOf((await fixture.store.writes.join([fixture.batchable({ maxDelayMs: 60_000 })])).values());
    const sealing = await seal(member?.operationId);
    expect(sealing.kind).toBe('not-due');
    expect(sealing.kind === 'not-due' && sealing.dueInMs).toBeGreaterThan(55_000);
  });

  it('seals once when many try', async () => {
    const members = membersOf(
      (await fixture.store.writes.join(Array.from({ length: 100 }, () => fixture.batchable()))).values(),
    );
    const sealings = await Promise.all(Array.from({ length: 5 }, () => seal(members[0]?.operationId)));
    expect(sealings.filter((sealing) => sealing.kind === 'sealed')).toHaveLength(1);
    expect(sealings.filter((sealing) => sealing.kind === 'gone')).toHaveLength(4);
    expect(await fixture.claim()).toHaveLength(1);
  });

  it('rolls back when the plan does not hold every record', async () => {
    const members = membersOf(
      (await fixture.store.writes.join(Array.from({ length: 100 }, () => fixture.batchable()))).values(),
    );
    const operationId = members[0]?.operationId;
    const incomplete = fixture.store.writes.seal({ projectId: fixture.seeded.projectId, operationId }, (records) =>
      oneCall(records.slice(1)),
    );
    await expect(incomplete).rejects.toThrow(/99 planned/);
    expect((await seal(operationId)).kind).toBe('sealed');
  });

  // The id in a reply must be the operation that writes the record: joins and seals race for one row lock.
  it('loses no record to a seal that races with joins', async () => {
    const joined: BatchMembership[] = [];
    const sealed = new Set<string>();
    const joining = new AbortController();
    const sealing = (async () => {
      while (!joining.signal.aborted) {
        for (const key of await fixture.store.writes.findDueBatches(10)) {
          if ((await seal(key.operationId)).kind === 'sealed') sealed.add(key.operationId);
        }
      }
    })();
    for (let round = 0; round < 40; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => fixture.store.writes.join([fixture.batchable({ maxDelayMs: 1 })])),
      );
      joined.push(...answers.flatMap((each) => membersOf(each.values())));
    }
    joining.abort();
    await sealing;
    for (const key of await fixture.store.writes.findDueBatches(100))
      if ((await seal(key.operationId)).kind === 'sealed') sealed.add(key.operationId);
    expect(new Set(joined.map((member) => member.operationId))).toEqual(sealed);
    for (const operationId of sealed) {
      const stored = await fixture.store.writes.loadPending({
        projectId: fixture.seeded.projectId,
        operationId,
        number: 1,
      });
      expect(stored).toHaveLength(joined.filter((member) => member.operationId === operationId).length);
    }
  });
});
