import { until } from '@sluice/testkit';
import { startGateway, type RunningGateway, type Seed } from './_gateway';

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const bodyOf = (at: number, more: object = {}) => ({
  type: 'create',
  mode: 'asynchronous',
  record: { email: `secret${at}@example.com` },
  autoBatchPolicy: { maxDelayMinutes: 5 },
  ...more,
});
const join = async (seed: Seed, at: number, more: object = {}) => {
  const reply = await gateway.write(seed, bodyOf(at, more)).expect(200);
  expect(Object.keys(reply.body as object)).toEqual(['operationId']);
  return { ...(reply.body as { operationId: string }), index: Number(reply.headers['sluice-record-index']) };
};
const announcedOf = (operationIds: readonly string[], count: number) =>
  until(`${count} announcements`, () => {
    const found = gateway.announced.autoBatched.filter((write) => operationIds.includes(write.operationId));
    return found.length >= count ? found : undefined;
  });

describe('200', () => {
  // Specification, Write records, rule 3, and "Operation": the id refers to the master operation of the batch.
  it('100 records share a master operation, and the 101st opens another [limits.auto-batch-size]', async () => {
    const seed = await gateway.seed();
    const joined = await Promise.all(Array.from({ length: 100 }, (_, at) => join(seed, at)));
    const [master] = new Set(joined.map(({ operationId }) => operationId));
    expect(new Set(joined.map(({ operationId }) => operationId)).size).toBe(1);
    expect(joined.map(({ index }) => index).sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, at) => at));
    const next = await join(seed, 100);
    expect(next).toEqual({ operationId: expect.not.stringMatching(master ?? ''), index: 0 });
    const operation = await gateway.context.store.operations.find(seed.projectId, master ?? '');
    expect(operation).toMatchObject({ status: 'in_progress', resource: 'contacts' });
    expect(gateway.hubspot.calls).toEqual([]);

    const announced = await announcedOf([master ?? '', next.operationId], 101);
    expect(announced.some((write) => write.operationId === master && write.isFull === true)).toBe(true);
    expect(announced.filter((write) => write.operationId === next.operationId)).toMatchObject([{ isFull: false }]);
  });
});

describe('the announcement', () => {
  it('names the record completely and holds neither a value nor a secret', async () => {
    const seed = await gateway.seed();
    const { operationId } = await join(seed, 1);
    const [announcement] = await announcedOf([operationId], 1);
    const [row] = await gateway
      .database('operations')
      .where({ id: operationId })
      .select<{ lane_id: string }[]>('lane_id');
    expect(announcement).toEqual({
      projectId: seed.projectId,
      operationId,
      installationId: seed.installationId,
      laneId: row?.lane_id,
      objectName: 'contacts',
      type: 'create',
      index: 0,
      recordId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      acceptedAt: expect.any(String),
      dueAt: expect.any(String),
      isFull: false,
      traceparent: expect.stringMatching(/^00-/),
    });
    const { acceptedAt, dueAt } = announcement as { acceptedAt: string; dueAt: string };
    expect(Date.parse(dueAt) - Date.parse(acceptedAt)).toBe(300_000);
    expect(JSON.stringify(announcement)).not.toMatch(/secret|canary|sk_/);
  });
});

describe('many at once', () => {
  // The id in a reply must be the operation that holds the record, whoever filled the batch meanwhile.
  it('350 joins in disorder fill batches of 100, and each record is where its reply reports it', async () => {
    const seed = await gateway.seed();
    const joined = await Promise.all(
      Array.from({ length: 350 }, async (_, at) => {
        const reply = await gateway.write(seed, bodyOf(at)).set('Sluice-Record-Ref', `ref-${at}`).expect(200);
        const { operationId } = reply.body as { operationId: string };
        return { ref: `ref-${at}`, operationId, index: Number(reply.headers['sluice-record-index']) };
      }),
    );
    const groups = Map.groupBy(joined, ({ operationId }) => operationId);
    expect([...groups.values()].map((group) => group.length).sort((a, b) => b - a)).toEqual([100, 100, 100, 50]);
    for (const [operationId, group] of groups) {
      const stored = await gateway.context.store.operations.listRecords(seed.projectId, operationId);
      expect(stored.map(({ index, ref }) => `${index} ${ref}`)).toEqual(
        group.sort((a, b) => a.index - b.index).map(({ index, ref }) => `${index} ${ref}`),
      );
    }
  });

  // If they had to retry, the records that filled the batch would be stored twice.
  // Those of one statement share its fate: also one that would have fitted is refused with the others, and nothing of it is stored.
  it('when no further batch can be opened, 200 is for who was stored, and 503 for who may repeat', async () => {
    const seed = await gateway.seed();
    const joined = await Promise.all(Array.from({ length: 95 }, (_, at) => join(seed, at)));
    const refuse = `if new.project_id = ''${seed.projectId}'' then raise exception using errcode = ''57014''; end if;`;
    await gateway.database.raw(
      `create function refuse() returns trigger language plpgsql as 'begin ${refuse} return new; end'`,
    );
    await gateway.database.raw(
      'create trigger refuse before insert on operations for each row execute function refuse()',
    );
    const replies = await Promise.all(Array.from({ length: 12 }, (_, at) => gateway.write(seed, bodyOf(95 + at))));
    await gateway.database.raw('drop function refuse() cascade');
    const [accepted = [], refused = []] = [200, 503].map((status) =>
      replies.filter((reply) => reply.status === status),
    );
    expect(accepted.length + refused.length).toBe(12);
    expect(accepted.length).toBeLessThanOrEqual(5);
    const operationId = joined[0]?.operationId;
    expect(accepted.map(({ body }) => body as unknown)).toEqual(accepted.map(() => ({ operationId })));
    const indexes = accepted.map(({ headers }) => Number(headers['sluice-record-index']));
    expect(indexes.toSorted((a, b) => a - b)).toEqual(accepted.map((_, at) => 95 + at));
    expect(refused.map(({ body }) => (body as { retryable: boolean }).retryable)).toEqual(refused.map(() => true));
    const stored = await gateway.database('records').where({ project_id: seed.projectId }).select('operation_id');
    expect(stored).toHaveLength(95 + accepted.length);
  });
});
