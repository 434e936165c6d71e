import { until } from '@sluice/testkit';
import { useGateway, type Seed } from './_gateway';

const gateway = useGateway();

const bodyOf = (at: number, more: object = {}) => ({
  type: 'create',
  mode: 'asynchronous',
  record: { email: `secret${at}@example.com` },
  autoBatchPolicy: { maxDelayMinutes: 5 },
  ...more,
});
const join = async (seed: Seed, at: number, more: object = {}) => {
  const reply = await gateway.write(seed, bodyOf(at, more)).expect(200);
  expect(Object.keys(reply.body as object)).toEqual(['operationId', 'dueTime']);
  return {
    ...(reply.body as { operationId: string; dueTime: string }),
    index: Number(reply.headers['sluice-record-index']),
  };
};
const announcedOf = (operationIds: readonly string[], count: number) =>
  until(`${count} announcements`, () => {
    const found = gateway.announced.autoBatched.filter((write) => operationIds.includes(write.operationId));
    return found.length >= count ? found : undefined;
  });

describe('the announcement', () => {
  it('names the record completely and holds neither a value nor a secret', async () => {
    const seed = await gateway.seed();
    const { operationId, dueTime } = await join(seed, 1);
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
      dueAt: dueTime,
      isFull: false,
      traceparent: expect.stringMatching(/^00-/),
    });
    const { acceptedAt, dueAt } = announcement as { acceptedAt: string; dueAt: string };
    expect(Date.parse(dueAt) - Date.parse(acceptedAt)).toBe(300_000);
    expect(JSON.stringify(announcement)).not.toMatch(/secret|canary|sk_/);
  });

  it('of the record that fills a batch says so, and goes at once', async () => {
    const seed = await gateway.seed();
    const joined = await Promise.all(Array.from({ length: 100 }, (_, at) => join(seed, at)));
    const announced = await announcedOf([joined[0]?.operationId ?? ''], 100);
    expect(announced.some(({ isFull }) => isFull)).toBe(true);
  });
});

// "The deadline of a batch is set by its first record." Source: specification, Write records, rule 3.
it('the reply says when the batch leaves at the latest: by its first record, and the same to a repeat', async () => {
  const seed = await gateway.seed();
  const first = await join(seed, 1);
  const later = { autoBatchPolicy: { maxDelayMinutes: 60 } };
  expect((await join(seed, 2, later)).dueTime).toBe(first.dueTime);
  const send = () => gateway.write(seed, bodyOf(3, later)).set('idempotency-key', 'due').expect(200);
  const [{ body }, again] = [await send(), await send()];
  expect(body).toEqual({ operationId: first.operationId, dueTime: first.dueTime });
  expect(again.body).toEqual(body);
});

// Writes of one auto-batch share an operation, whatever their requests called the integration.
it('an integration is called by its id or its name: one batch, which has the id', async () => {
  const seed = await gateway.seed();
  const named = { ...seed, path: seed.path.replace(seed.integrationId, 'crm') };
  const [{ operationId, dueTime }, other] = [await join(named, 1), await join(seed, 2)];
  expect(other).toEqual({ operationId, dueTime, index: 1 });
  const { integrationId } = seed;
  expect(await gateway.context.store.operations.find(seed.projectId, operationId)).toMatchObject({ integrationId });
});
