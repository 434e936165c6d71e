import { sampleConfig, sampleManifest, until } from '@sluice/testkit';
import { limits, type WriteAnnouncement } from '@sluice/types';
import { useGateway, type Seed } from './_gateway';

const gateway = useGateway();

const record = { email: 'secret-value@example.com', firstname: 'Zoë' };
const asynchronous = { type: 'create', mode: 'asynchronous', record };

/** What was announced of one operation, once `count` calls of it were. */
const announcedOf = (operationId: string, count: number): Promise<WriteAnnouncement[]> =>
  until(`${count} announcements`, () => {
    const found = gateway.announced.ready.filter((write) => write.operationId === operationId);
    return found.length >= count ? found : undefined;
  });
const accept = async (seed: Seed, body: object) => {
  const reply = await gateway.write(seed, body).expect(200);
  return (reply.body as { operationId: string }).operationId;
};
const laneOf = async (seed: Seed): Promise<string> => {
  const names = { ...seed, withinProjectId: seed.projectId, projectIdOrName: seed.projectId };
  return (await gateway.context.installations.resolve(names)).laneId;
};

describe('200', () => {
  it('an operation that is in progress, committed before the reply, and no provider call', async () => {
    const seed = await gateway.seed();
    const reply = await gateway.write(seed, asynchronous).expect(200);
    expect(reply.type).toBe('application/json');
    expect(reply.body).toEqual({ operationId: expect.any(String) });
    expect(reply.headers['sluice-record-index']).toBe('0');
    expect(reply.headers).not.toHaveProperty('sluice-record-ref');
    const { operationId } = reply.body as { operationId: string };
    const operation = await gateway.context.store.operations.find(seed.projectId, operationId);
    expect(operation).toMatchObject({ status: 'in_progress', configId: seed.configId, resource: 'contacts' });
    expect(operation).not.toHaveProperty('result');
    expect(gateway.hubspot.calls).toEqual([]);
  });

  it("keeps the caller's reference and sends it back", async () => {
    const seed = await gateway.seed();
    const ref = 'order 17/"x"; Zo%C3%AB'.padEnd(255, '~');
    const reply = await gateway.write(seed, asynchronous).set('Sluice-Record-Ref', ref).expect(200);
    expect(reply.headers['sluice-record-ref']).toBe(ref);
    const { operationId } = reply.body as { operationId: string };
    const [stored] = await gateway.context.store.operations.listRecords(seed.projectId, operationId);
    expect(stored?.ref).toBe(ref);
  });
});

describe('the announcement', () => {
  it('names the write completely and holds neither a value nor a secret', async () => {
    const seed = await gateway.seed();
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const reply = await gateway.write(seed, asynchronous).set('traceparent', traceparent).expect(200);
    const { operationId } = reply.body as { operationId: string };
    const [announcement] = await announcedOf(operationId, 1);
    expect(announcement).toEqual({
      projectId: seed.projectId,
      operationId,
      installationId: seed.installationId,
      laneId: await laneOf(seed),
      objectName: 'contacts',
      type: 'create',
      callNumber: 1,
      acceptedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      // A span of its own in the caller's trace.
      traceparent: expect.stringMatching(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-00$/),
    });
    expect(JSON.stringify(announcement)).not.toMatch(/secret|Zo|canary|sk_/);
  });
});

// One call of a whole body of 4.8 MB would cost an executor what no other call may.
describe('an asynchronous batch of more than 4 MB', () => {
  const large = 'x'.repeat(45_000);
  const batch = Array.from({ length: 100 }, (_, at) => ({ record: { email: `b${at}@x.com`, firstname: large } }));
  const callsOf = async (operationId: string) => {
    const sql = `select c.number as call_number, count(*)::integer as records, sum(octet_length(r.plan))::integer as bytes,
        min(r.record_index) as first
      from calls c join records r on r.operation_id = c.operation_id and (c.members is null or r.record_index = any(c.members))
      where c.operation_id = ? group by c.number order by c.number`;
    return (
      await gateway.database.raw<{
        rows: { call_number: number; records: number; bytes: number; first: number }[];
      }>(sql, [operationId])
    ).rows;
  };

  it('is two calls at accept, divided by bytes in the order of its records, each of which is announced', async () => {
    const seed = await gateway.seed();
    const operationId = await accept(seed, { type: 'create', mode: 'asynchronous', batch });
    const calls = await callsOf(operationId);
    expect(calls.map(({ call_number }) => call_number)).toEqual([1, 2]);
    expect(calls.reduce((sum, { records }) => sum + records, 0)).toBe(100);
    const [one, two] = calls;
    expect(one?.bytes).toBeLessThanOrEqual(limits.callPlanBytesMax);
    // No record more fits in the first, and the second has what comes after.
    expect((one?.bytes ?? 0) + (two?.bytes ?? 0) / (two?.records ?? 1)).toBeGreaterThan(limits.callPlanBytesMax);
    expect([one?.first, two?.first]).toEqual([0, one?.records]);
    const announced = await announcedOf(operationId, 2);
    expect(announced.map(({ callNumber }) => callNumber)).toEqual([1, 2]);
  });

  it('is one call when it is all or none, which no provider does in two', async () => {
    const seed = await gateway.seed({
      manifest: sampleManifest({ provider: 'salesforce' }),
      config: sampleConfig({ provider: 'salesforce' }),
    });
    const body = { type: 'create', mode: 'asynchronous', batch, batchPolicy: { allOrNone: true } };
    const calls = await callsOf(await accept(seed, body));
    expect(calls).toMatchObject([{ call_number: 1, records: 100 }]);
    expect(calls[0]?.bytes).toBeGreaterThan(limits.callPlanBytesMax);
  });
});

// Group commit: requests that arrive together share a statement, and none may pay for another's fault.
describe('many at once', () => {
  it('200 accepts of two projects and bad ones among them: each its own operation, in its own project', async () => {
    const [one, two] = [await gateway.seed(), await gateway.seed()];
    const before = (await gateway.countRows())['operations'] ?? 0;
    const replies = await Promise.all(
      Array.from({ length: 200 }, (_, at) => {
        const seed = at % 2 === 0 ? one : two;
        const isBad = at % 20 === 7;
        return gateway.write(seed, { ...asynchronous, record: isBad ? {} : { email: `m${at}@x.com` } });
      }),
    );
    expect(replies.map(({ status }) => status)).toEqual(replies.map((_, at) => (at % 20 === 7 ? 400 : 200)));
    const ids = replies.flatMap(({ body }) => (body as { operationId?: string }).operationId ?? []);
    expect(new Set(ids).size).toBe(190);
    expect((await gateway.countRows())['operations']).toBe(before + 190);
    const rows = await gateway.database('operations').whereIn('id', ids).select('project_id', 'id');
    const projectOf = new Map((rows as { project_id: string; id: string }[]).map((row) => [row.id, row.project_id]));
    const misplaced = replies.filter(({ body }, at) => {
      const { operationId } = body as { operationId?: string };
      return operationId !== undefined && projectOf.get(operationId) !== (at % 2 === 0 ? one : two).projectId;
    });
    expect(misplaced).toEqual([]);
  });
});
