import { DefectError } from '@sluice/errors';
import { newId, type BatchableWrite, type BatchMembership } from '@sluice/store';
import { startTcpProxy, type TcpProxy } from '@sluice/testkit';
import { joinGroups, findCommitted, type JoinStatement } from '../src/writes/join-statement';
import { createWriteStore, type WriteStore } from '../src/writes/write-store';
import { useWriteFixture } from './write-fixture';

// Nobody knows what became of a statement whose answer was lost. Its records are stored once, whatever became of it.

const fixture = useWriteFixture();
let proxy: TcpProxy;
let direct: typeof fixture.database;
let writes: WriteStore;
beforeEach(async () => {
  proxy = await startTcpProxy(fixture.url);
  direct = fixture.connect({ poolMax: 2 });
  writes = createWriteStore(fixture.connect({ url: proxy.url, poolMax: 2 }), 1);
});
afterEach(() => proxy.close());

const named = (objectName: string, more: Partial<BatchableWrite['record']> = {}, keyId?: string): BatchableWrite => {
  const { operation, record, ...write } = fixture.batchable();
  const pins = { ...operation.pins, ...(keyId !== undefined && { keyId }) };
  return {
    ...write,
    operation: { ...operation, objectName, pins },
    record: { ...record, ref: write.recordId, ...more },
  };
};

interface Stored {
  readonly ref: string;
  readonly operation_id: string;
  readonly record_index: number;
}

const stored = () => direct<Stored>('records').whereNotNull('ref').select('ref', 'operation_id', 'record_index');

/** Each answer is the slot in which its record is stored, once; what is stored has an answer. */
async function expectStoredOnce(answers: ReadonlyMap<string, unknown>): Promise<void> {
  const members = [...answers].filter((entry): entry is [string, BatchMembership] => {
    const [, answer] = entry;
    return typeof answer === 'object' && answer !== null && 'operationId' in answer;
  });
  const answered = members.map(([ref, { operationId, index }]) => ({
    ref,
    operation_id: operationId,
    record_index: index,
  }));
  const byRef = (one: Stored, other: Stored) => (one.ref < other.ref ? -1 : 1);
  expect((await stored()).sort(byRef)).toEqual(answered.sort(byRef));
}

describe('the answer of a join is lost', () => {
  it('after its commit: its answers hold, of full, filled and opened batches', async () => {
    await writes.join(Array.from({ length: 70 }, () => fixture.batchable()));
    const flush = [
      ...Array.from({ length: 100 }, () => named('companies')),
      ...Array.from({ length: 40 }, () => named('contacts')),
      ...Array.from({ length: 5 }, () => named('deals')),
    ];
    proxy.loseAnswerTo('join-batches');
    const answers = await writes.join(flush);
    expect(proxy.lost()).toBe(1);
    await expectStoredOnce(answers);
    const full = [...answers.values()].filter(
      (answer) => typeof answer === 'object' && 'isFull' in answer && answer.isFull,
    );
    expect(full).toHaveLength(100 + 30);
    expect(await direct('closed_batches').select('records')).toEqual([{ records: 100 }, { records: 100 }]);
  });

  it('and then the database refuses one value of the rest: each record is stored once', async () => {
    const { projectId } = fixture.seeded;
    const other = await fixture.store.apiKeys.create({
      projectId,
      label: 'b',
      scopes: ['full'],
      secret: 'another secret',
    });
    await direct.raw(`create function refuse() returns trigger language plpgsql as
      $$ begin if new.headers_key = 'bad' then raise exception using errcode = '22023'; end if; return new; end $$`);
    await direct.raw('create trigger refuse before insert on records for each row execute function refuse()');
    // Two keys need two statements: the first is committed and its answer lost, the second is refused.
    const flush = [
      ...Array.from({ length: 5 }, () => named('contacts')),
      ...Array.from({ length: 5 }, (_, at) => named('contacts', at === 2 ? { headersKey: 'bad' } : {}, other.key)),
    ];
    proxy.loseAnswerTo('join-batches');
    const answers = await writes.join(flush);
    expect(proxy.lost()).toBe(1);
    expect([...answers.values()].filter((answer) => answer instanceof DefectError)).toHaveLength(1);
    expect(answers.get(flush[7]?.recordId ?? '')).toBeInstanceOf(DefectError);
    expect(await stored()).toHaveLength(9);
    await expectStoredOnce(answers);
  });

  it('with idempotency keys, at the COMMIT: one record for each key, and the key names it', async () => {
    const flush = Array.from({ length: 3 }, (_, at) => ({
      ...named('contacts'),
      idempotency: { scope: 'write', key: `key-${at}`, bodyHash: 'hash' },
    }));
    await writes.join([fixture.batchable()]);
    proxy.loseAnswerTo('COMMIT');
    const answers = await writes.join(flush);
    expect(proxy.lost()).toBe(1);
    await expectStoredOnce(answers);
    for (const { recordId, idempotency } of flush) {
      const { operationId, index } = answers.get(recordId) as BatchMembership;
      const key = await fixture.store.writes.findKey({ projectId: fixture.seeded.projectId, ...idempotency });
      expect(key).toMatchObject({ operationId, reply: { operationId, index } });
    }
  });
});

describe('what became of a statement is settled once', () => {
  const flushOf = (...members: BatchableWrite[]): JoinStatement => ({ id: newId(), groups: [members] });

  it('given up before it arrives, it can never be committed', async () => {
    const flush = flushOf(named('contacts'));
    expect(await findCommitted(direct, flush)).toBeUndefined();
    await expect(joinGroups(direct, flush, 1)).rejects.toMatchObject({ code: '23505' });
    expect(await stored()).toEqual([]);
    expect(await findCommitted(direct, flush)).toBeUndefined();
  });

  it.each(['commit', 'rollback'] as const)('while it runs, its %s decides', async (end) => {
    const flush = flushOf(named('contacts'), named('contacts'));
    const running = await direct.transaction();
    const joined = await joinGroups(running, flush, 1);
    const settling = findCommitted(direct, flush);
    await running[end]();
    expect(await settling).toEqual(end === 'commit' ? joined : undefined);
    expect(await stored()).toHaveLength(end === 'commit' ? 2 : 0);
  });

  it('a group that was stale then is stale', async () => {
    const { operation, ...write } = named('contacts');
    const outdated = { ...write, operation: { ...operation, pins: { ...operation.pins, configId: 'older' } } };
    const flush = { id: newId(), groups: [[outdated], [named('deals')]] };
    const joined = await joinGroups(direct, flush, 1);
    expect([...joined.values()].map(({ kind }) => kind)).toEqual(['stale', 'joined']);
    expect(await findCommitted(direct, flush)).toEqual(joined);
  });
});

it('answers are deleted when nobody asks for them any more', async () => {
  await writes.join([fixture.batchable()]);
  expect(await writes.sweepFlushes(10)).toBe(0);
  await direct('flushes').update({ created_at: direct.raw(`now() - interval '11 minutes'`) });
  expect(await writes.sweepFlushes(10)).toBe(1);
});
