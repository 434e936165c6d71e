import type { BatchableWrite, BatchMembership, JoinAnswer } from '@sluice/store';
import { oneCall, useWriteFixture } from './write-fixture';

const fixture = useWriteFixture();

const seal = (operationId: string) => fixture.seal(operationId);
const pendingOf = (operationId: string) =>
  fixture.store.writes.loadPending({ projectId: fixture.seeded.projectId, operationId, number: 1 });
const kindOf = (answer: JoinAnswer | undefined) => answer && 'kind' in answer && answer.kind;
/** All of them joined; there is at least one. */
const membersOf = (answers: Iterable<JoinAnswer | undefined>): [BatchMembership, ...BatchMembership[]] =>
  [...answers].map((answer) => {
    if (kindOf(answer) !== 'joined') throw new Error('a record did not join', { cause: answer });
    return answer as BatchMembership;
  }) as [BatchMembership, ...BatchMembership[]];

const join = async (count: number, more: Parameters<typeof fixture.batchable>[0] = {}) =>
  membersOf((await fixture.store.writes.join(Array.from({ length: count }, () => fixture.batchable(more)))).values());

describe('join', () => {
  it('fills batches of exactly 100 in accept order, and opens the next', async () => {
    const members = await join(250);
    const sizes = [...Map.groupBy(members, (member) => member.operationId).values()].map((group) => group.length);
    expect(sizes.sort((a, b) => b - a)).toEqual([100, 100, 50]);
    for (const group of Map.groupBy(members, (member) => member.operationId).values()) {
      expect(group.map((member) => member.index)).toEqual(group.map((_, at) => at));
      expect(group.every((member) => member.isFull === (group.length === 100))).toBe(true);
    }
  });

  it('puts records of concurrent gateways into one open batch', async () => {
    const members = (await Promise.all(Array.from({ length: 30 }, () => join(1)))).flat();
    expect(new Set(members.map((member) => member.operationId)).size).toBe(1);
    expect(new Set(members.map((member) => member.index)).size).toBe(30);
  });

  it('keeps creates and updates apart', async () => {
    const [create, update] = [await join(1), await join(1, { type: 'update', recordId: '1' })];
    expect(create[0].operationId).not.toBe(update[0].operationId);
  });
});

/** The same installation under another config: what its writes were planned with before somebody changed it. */
const outdated = (write: BatchableWrite): BatchableWrite => ({
  ...write,
  operation: { ...write.operation, pins: { ...write.operation.pins, configId: 'an older config' } },
});
const withObject = (write: BatchableWrite, objectName: string): BatchableWrite => ({
  ...write,
  operation: { ...write.operation, objectName },
});

// One statement joins the batches of many keys: each must be what it would be alone.
describe('join of many batch keys', () => {
  it('each record is in the batch of its own key, at the index in its reply', async () => {
    const objects = ['contacts', 'companies', 'deals'] as const;
    const writes = Array.from({ length: 270 }, (_, at) =>
      withObject(fixture.batchable(), objects[(at % 3) as 0 | 1 | 2]),
    );
    const answers = await fixture.store.writes.join(writes);
    const groups = Map.groupBy(writes, ({ operation }) => operation.objectName);
    const operationIds = new Set<string>();
    for (const group of groups.values()) {
      const members = membersOf(group.map(({ recordId }) => answers.get(recordId)));
      expect(members.map(({ index }) => index)).toEqual(members.map((_, at) => at));
      expect(new Set(members.map(({ operationId }) => operationId)).size).toBe(1);
      operationIds.add(members[0].operationId);
    }
    expect(operationIds.size).toBe(3);
    for (const id of operationIds) {
      expect(await fixture.store.operations.listRecords(fixture.seeded.projectId, id)).toHaveLength(90);
    }
  });

  it('leaves out what was planned with an older config, and counts the others', async () => {
    const writes = Array.from({ length: 10 }, (_, at) =>
      at % 2 === 0 ? fixture.batchable() : outdated(fixture.batchable()),
    );
    const answers = await fixture.store.writes.join([...writes, withObject(outdated(fixture.batchable()), 'deals')]);
    const joined = writes.map(({ recordId }) => answers.get(recordId));
    expect(joined.map(kindOf)).toEqual(writes.map((_, at) => (at % 2 === 1 ? 'stale' : 'joined')));
    const members = membersOf(joined.filter((answer) => kindOf(answer) === 'joined'));
    const operationId = members[0].operationId;
    const stored = await fixture.store.operations.listRecords(fixture.seeded.projectId, operationId);
    expect(stored.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4]);
  });

  // Two flushes that hold the batch of each other's next key would wait for ever.
  it('flushes with the same keys in opposite orders do not wait for each other', async () => {
    const objects = Array.from({ length: 20 }, (_, at) => `object-${at}`);
    const flush = (names: readonly string[]) =>
      fixture.store.writes.join(names.map((name) => withObject(fixture.batchable(), name)));
    const rounds = Array.from({ length: 12 }, (_, at) => flush(at % 2 === 0 ? objects : objects.toReversed()));
    const members = (await Promise.all(rounds)).flatMap((answers) => membersOf(answers.values()));
    const positions = new Set(members.map(({ operationId, index }) => `${operationId}/${index}`));
    expect(positions.size).toBe(240);
    expect(new Set(members.map(({ operationId }) => operationId)).size).toBe(20);
  });

  it('a plan is stored as it was planned, whatever its characters', async () => {
    const texts = ['a"b\\c', '\u0000', 'Zoë 🎈', '\ud800', '{},"NULL"', '\x1f\t\n'];
    const writes = texts.map((text) => {
      const write = fixture.batchable();
      return { ...write, record: { ...write.record, plan: JSON.stringify({ fields: { text } }) } };
    });
    const [member] = membersOf((await fixture.store.writes.join(writes)).values());
    await fixture.store.operations.requestCancel(fixture.seeded.projectId, member.operationId);
    await seal(member.operationId);
    const stored = await pendingOf(member.operationId);
    const textOf = (plan: string) => (JSON.parse(plan) as { fields: { text: string } }).fields.text;
    expect(stored.map(({ plan }) => textOf(plan))).toEqual(texts);
  });
});

describe('seal', () => {
  it('refuses a batch that is neither full nor due, and returns how long it has', async () => {
    const [member] = await join(1, { maxDelayMs: 60_000 });
    const sealing = await seal(member.operationId);
    expect(sealing.kind).toBe('not-due');
    expect(sealing.kind === 'not-due' && sealing.dueInMs).toBeGreaterThan(55_000);
  });

  it('seals once when many try', async () => {
    const members = await join(100);
    const sealings = await Promise.all(Array.from({ length: 5 }, () => seal(members[0].operationId)));
    expect(sealings.filter((sealing) => sealing.kind === 'sealed')).toHaveLength(1);
    expect(sealings.filter((sealing) => sealing.kind === 'gone')).toHaveLength(4);
    expect(await fixture.claim()).toHaveLength(1);
  });

  it('rolls back when the plan does not hold every record', async () => {
    const members = await join(100);
    const operationId = members[0].operationId;
    const incomplete = fixture.store.writes.seal({ projectId: fixture.seeded.projectId, operationId }, (records) =>
      oneCall(fixture.seeded, records.slice(1)),
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
      const members = await Promise.all(Array.from({ length: 4 }, () => join(1, { maxDelayMs: 1 })));
      joined.push(...members.flat());
    }
    joining.abort();
    await sealing;
    for (const key of await fixture.store.writes.findDueBatches(100))
      if ((await seal(key.operationId)).kind === 'sealed') sealed.add(key.operationId);
    expect(new Set(joined.map((member) => member.operationId))).toEqual(sealed);
    for (const operationId of sealed) {
      const stored = await pendingOf(operationId);
      expect(stored).toHaveLength(joined.filter((member) => member.operationId === operationId).length);
    }
  });
});
