import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchableWrite, BatchMembership } from '@sluice/store';
import { sampleManifest, seedInstallation, type SeededInstallation } from '@sluice/testkit';
import { useWriteFixture, type WriteFixture } from './write-fixture';

// A batch is closed because it is full, due, cancelled, uninstalled or restored. Whatever it is, a record is sealed, or ended, in the operation that
// its reply named, once; and none joins a batch that is closed.

const fixture = useWriteFixture();

const seal = (operationId: string) => fixture.seal(operationId);
const join = async (count: number, more: Parameters<WriteFixture['batchable']>[0] = {}): Promise<BatchMembership[]> => {
  const writes = Array.from({ length: count }, () => fixture.batchable(more));
  const answers = await fixture.store.writes.join(writes);
  return writes.map(({ recordId }) => answers.get(recordId) as BatchMembership);
};
const closed = () => fixture.database('closed_batches').select('operation_id', 'records', 'plan_bytes');

describe('a batch that is closed has its exact count, and the next record opens another one', () => {
  const ways: [string, (operationId: string) => Promise<unknown>][] = [
    ['cancelled', (id) => fixture.store.operations.requestCancel(fixture.seeded.projectId, id)],
    ['restored', () => fixture.store.writes.closeRestoredBatches()],
    ['full', () => join(93)],
  ];
  it.each(ways)('%s', async (way, close) => {
    const bytes = Buffer.byteLength(fixture.batchable().record.plan);
    const operationId = (await join(7))[0]?.operationId ?? '';
    await close(operationId);
    const records = way === 'full' ? 100 : 7;
    expect(await closed()).toEqual([{ operation_id: operationId, records, plan_bytes: records * bytes }]);
    const [next] = await join(1);
    expect(next?.operationId).not.toBe(operationId);
    expect(next).toMatchObject({ index: 0, isFull: false });
    expect(await seal(operationId)).toMatchObject({ kind: 'sealed', batch: { recordsTotal: records } });
    expect(await closed()).toEqual([]);
  });

  it('due', async () => {
    const operationId = (await join(7, { maxDelayMs: 0 }))[0]?.operationId ?? '';
    expect(await seal(operationId)).toMatchObject({ kind: 'sealed', batch: { recordsTotal: 7 } });
    expect((await join(1))[0]?.operationId).not.toBe(operationId);
  });

  it('opened by a hundred records at once, and again', async () => {
    for (const _ of [1, 2]) {
      const [first, ...others] = await join(100);
      expect(others.at(-1)).toMatchObject({ operationId: first?.operationId, index: 99, isFull: true });
      expect(await seal(first?.operationId ?? '')).toMatchObject({ kind: 'sealed', batch: { recordsTotal: 100 } });
    }
  });

  it('filled by a group that is larger: what does not fit opens the next one, in the same statement', async () => {
    await join(40);
    const members = await join(100);
    const [full, next] = Map.groupBy(members, ({ operationId }) => operationId).values();
    expect([full?.length, next?.length]).toEqual([60, 40]);
    expect(full?.map(({ index }) => index)).toEqual(Array.from({ length: 60 }, (_, at) => 40 + at));
    expect(next?.map(({ index }) => index)).toEqual(Array.from({ length: 40 }, (_, at) => at));
    expect([full?.[0]?.isFull, next?.[0]?.isFull]).toEqual([true, false]);
    const [row] = await fixture.database('open_batches').select('records', 'plan_bytes');
    const [old] = await closed();
    expect([row, old]).toMatchObject([{ records: 40 }, { records: 100 }]);
    const bytes = Buffer.byteLength(fixture.batchable().record.plan);
    expect((row as { plan_bytes: number }).plan_bytes + (old as { plan_bytes: number }).plan_bytes).toBe(140 * bytes);
  });

  it('uninstalled: its records end, and its keys are forgotten', async () => {
    const [member] = await join(7);
    await fixture.store.installations.remove(fixture.seeded);
    expect(await closed()).toEqual([]);
    expect(await fixture.database('open_batches').select('operation_id')).toEqual([]);
    const [operation] = await fixture
      .database('operations')
      .select('id', 'state', 'records_total', 'records_failed', 'calls_open');
    expect(operation).toEqual({
      id: member?.operationId,
      state: 'failed',
      records_total: 7,
      records_failed: 7,
      calls_open: 0,
    });
  });
});

it('each of two batches that are closed is sealed with what its own operation says', async () => {
  const { projectId, laneId } = fixture.lane;
  const [create] = await join(1);
  const [update] = await join(1, { type: 'update', recordId: '7' });
  for (const [member, type] of [[create, 'create'] as const, [update, 'update'] as const]) {
    const operationId = member?.operationId ?? '';
    await fixture.store.operations.requestCancel(projectId, operationId);
    expect(await seal(operationId)).toMatchObject({ batch: { projectId, operationId, laneId, type, recordsTotal: 1 } });
  }
});

it('a seal that writes less than the batch has leaves it closed, with its count', async () => {
  const operationId = (await join(100))[0]?.operationId ?? '';
  await fixture.database.raw(
    `create function refuse() returns trigger language plpgsql as $$ begin return null; end $$`,
  );
  for (const table of ['calls', 'operations']) {
    const event = table === 'calls' ? 'insert' : 'update';
    await fixture.database.raw(
      `create trigger refuse before ${event} on ${table} for each row execute function refuse()`,
    );
    await expect(seal(operationId)).rejects.toThrow(/were stored/);
    await fixture.database.raw(`drop trigger refuse on ${table}`);
  }
  expect(await closed()).toMatchObject([{ operation_id: operationId, records: 100 }]);
  expect((await seal(operationId)).kind).toBe('sealed');
});

describe('joins beside all five ways to close a batch', () => {
  const raceMs = 12_000;
  const joiners = 6;

  it('each record is sealed or ended once, where its reply says', async () => {
    const { store, seeded } = fixture;
    const { projectId } = seeded;
    let made = 0;
    const install = () => {
      const name = `race-${(made += 1)}`;
      return seedInstallation(store, { projectId, groupRef: name, manifest: { ...sampleManifest(), name } });
    };
    const living: SeededInstallation[] = await Promise.all(Array.from({ length: 4 }, install));
    const answered = new Map<string, BatchMembership>();
    const over = performance.now() + raceMs;
    const until = async (work: () => Promise<unknown>, restMs: number): Promise<void> => {
      while (performance.now() < over) {
        await work();
        await sleep(Math.random() * restMs);
      }
    };
    const any = <T>(values: readonly T[]): T => values.at(Math.floor(Math.random() * values.length)) as T;
    const writeTo = ({ integrationId, ...at }: SeededInstallation): BatchableWrite => {
      const isUpdate = Math.random() < 0.2;
      const given = isUpdate ? { type: 'update' as const, recordId: String(Math.ceil(Math.random() * 3)) } : {};
      const { operation, record, ...write } = fixture.batchable({ ...given, maxDelayMs: any([0, 5, 50, 60_000]) });
      const { installationId, configId, connectionId, revisionId } = at;
      const pins = { ...operation.pins, installationId, configId, connectionId, revisionId };
      const key = Math.random() < 0.05 && { idempotency: { scope: 'write', key: write.recordId, bodyHash: 'hash' } };
      const opened = { ...operation, integrationId, pins };
      return { ...write, ...key, operation: opened, record: { ...record, ref: write.recordId } };
    };
    const joinSome = async (): Promise<void> => {
      const size = any([1, 3, 40, 40, 120]);
      const answers = await store.writes.join(Array.from({ length: size }, () => writeTo(any(living))));
      for (const [ref, answer] of answers) {
        if (answer instanceof Error) throw answer;
        if (answer.kind === 'joined') answered.set(ref, answer);
      }
    };
    const sealed = new Map<string, number>();
    const sealSome = async (): Promise<number> => {
      const due = await store.writes.findDueBatches(20);
      for (const { operationId } of due) {
        const { kind } = await seal(operationId);
        if (kind === 'sealed') sealed.set(operationId, (sealed.get(operationId) ?? 0) + 1);
      }
      return due.length;
    };
    const cancelSome = async (): Promise<void> => {
      const latest = [...answered.values()].at(-1);
      if (latest !== undefined) await store.operations.requestCancel(projectId, latest.operationId);
    };
    const replace = async (): Promise<void> => {
      const [gone] = living.splice(Math.floor(Math.random() * living.length), 1, await install());
      if (gone !== undefined) await store.installations.remove(gone);
    };
    await Promise.all([
      ...Array.from({ length: joiners }, () => until(joinSome, 1)),
      ...Array.from({ length: 2 }, () => until(sealSome, 10)),
      until(cancelSome, 50),
      until(() => store.writes.closeRestoredBatches(), 200),
      until(replace, 400),
    ]);
    await fixture.database('open_batches').update({ due_at: new Date(0) });
    while ((await sealSome()) > 0);

    const count = async (sql: string): Promise<number> => {
      const { rows } = await fixture.database.raw<{ rows: { n: number }[] }>(
        `select count(*)::integer as n from (${sql}) wrong`,
      );
      return rows[0]?.n ?? -1;
    };
    const refs = await fixture
      .database<{ ref: string; operation_id: string; record_index: number }>('records')
      .select('ref', 'operation_id', 'record_index');
    const slot = (id: string, index: number) => `${id}/${index}`;
    expect(new Map(refs.map((row) => [row.ref, slot(row.operation_id, row.record_index)]))).toEqual(
      new Map([...answered].map(([ref, { operationId, index }]) => [ref, slot(operationId, index)])),
    );
    expect(refs).toHaveLength(answered.size);
    expect([...sealed.values()].filter((times) => times !== 1)).toEqual([]);
    const wrong = {
      gaps: await count(`select 1 from records group by operation_id
        having min(record_index) <> 0 or max(record_index) <> count(*) - 1 or count(*) > 100`),
      miscounted: await count(`select 1 from operations o where o.state = 'accumulating' or o.records_total <> (
        select count(*) from records r where r.operation_id = o.id)`),
      inNoCall:
        await count(`select 1 from records r where 1 <> (select count(*) from record_outcomes e where e.operation_id = r.operation_id and e.record_index = r.record_index) + (
        select count(*) from calls c where c.operation_id = r.operation_id and c.state <> 'done'
          and (c.members is null or r.record_index = any(c.members)))`),
      callsOpen: await count(`select 1 from operations o where o.calls_open <> (
        select count(*) from calls c where c.operation_id = o.id and c.state <> 'done')`),
      left: await count(
        'select operation_id from closed_batches union all select operation_id from open_batches where is_open',
      ),
      ofNobody: await count(`select 1 from open_batches b where not exists (
        select 1 from installations n where n.id = b.installation_id)`),
      cancels:
        await count(`select 1 from operations o where (o.cancel_requested_at is not null and o.state = 'queued') <> exists (
        select 1 from cancels c where c.operation_id = o.id)`),
    };
    expect(wrong).toEqual({ gaps: 0, miscounted: 0, inNoCall: 0, callsOpen: 0, left: 0, ofNobody: 0, cancels: 0 });
    const ofThis = await fixture.database.raw<{ rows: { deadlocks: string }[] }>(
      'select deadlocks from pg_stat_database where datname = current_database()',
    );
    expect(ofThis.rows).toEqual([{ deadlocks: '0' }]);
    // Each way was there.
    const [ends] = await fixture.database('operations').select(
      fixture.database
        .raw(`count(*) filter (where is_full)::integer as full, count(*) filter (where cancel_requested_at is not null)::integer as cancelled,
        count(*) filter (where state = 'failed')::integer as uninstalled`),
    );
    for (const times of Object.values(ends as Record<string, number>)) expect(times).toBeGreaterThan(0);
  }, 180_000);
});
