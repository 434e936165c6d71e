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
  expect(Object.keys(reply.body as object)).toEqual(['operationId']);
  return { ...(reply.body as { operationId: string }), index: Number(reply.headers['sluice-record-index']) };
};
const announcedOf = (operationIds: readonly string[], count: number) =>
  until(`${count} announcements`, () => {
    const found = gateway.announced.autoBatched.filter((write) => operationIds.includes(write.operationId));
    return found.length >= count ? found : undefined;
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

  it('of the record that fills a batch says so, and goes at once', async () => {
    const seed = await gateway.seed();
    const joined = await Promise.all(Array.from({ length: 100 }, (_, at) => join(seed, at)));
    const announced = await announcedOf([joined[0]?.operationId ?? ''], 100);
    expect(announced.some(({ isFull }) => isFull)).toBe(true);
  });
});

// Writes of one auto-batch share an operation, whatever their requests called the integration.
it('an integration is called by its id or its name: one batch, which has the id', async () => {
  const seed = await gateway.seed();
  const named = { ...seed, path: seed.path.replace(seed.integrationId, 'crm') };
  const [{ operationId }, other] = [await join(named, 1), await join(seed, 2)];
  expect(other).toEqual({ operationId, index: 1 });
  const { integrationId } = seed;
  expect(await gateway.context.store.operations.find(seed.projectId, operationId)).toMatchObject({ integrationId });
});
