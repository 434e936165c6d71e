import { setTimeout } from 'node:timers/promises';
import { until } from '@sluice/testkit';
import { startGateway, type RunningGateway, type Seed } from './_gateway';

const backlogMax = 20;
let gateway: RunningGateway;
let beside: RunningGateway;
let seed: Seed;
beforeAll(async () => {
  // One group may fill all of it; shares of groups: fair-shares.test.ts.
  const env = { SLUICE_BACKLOG_MAX: String(backlogMax), SLUICE_BACKLOG_GROUP_PERCENT: '100' };
  gateway = await startGateway({ env });
  beside = await startGateway({ env, beside: gateway });
});
afterAll(async () => {
  await beside.stop();
  await gateway.stop();
});
beforeEach(async () => {
  seed = await gateway.seed();
});

const record = { email: 'a@x.com' };
const later = { type: 'create', mode: 'asynchronous' };
const batchOf = (records: number) => ({ ...later, batch: Array.from({ length: records }, () => ({ record })) });
const single = { ...later, record };
const batched = { ...single, autoBatchPolicy: { maxDelayMinutes: 5 } };

/**
 * The backlog of the seed, as full as it may be: 11 calls, one of them with 100 records, and 9 records of an auto-batch.
 * @returns places that are left: the gateway adds to its last count what it accepted since, and may have added what the count has too
 */
async function fill(): Promise<number> {
  const bodies = [
    ...Array.from({ length: 10 }, () => single),
    batchOf(100),
    ...Array.from({ length: 9 }, () => batched),
  ];
  for (const body of bodies) if ((await gateway.write(seed, body)).status === 429) break;
  // What is being committed while a count is made is in neither of both: it may take a write or two more.
  for (let more = 0; more < 10; more += 1) if ((await gateway.write(seed, single)).status === 429) break;
  const { writes } = gateway.context.store;
  const waiting = (await writes.countBacklog([{ ...seed, groupRefs: [] }], 1_000)).get(seed.projectId);
  const left = Math.max(0, backlogMax - (waiting?.writes ?? 0));
  expect(left).toBeLessThanOrEqual(3);
  return left;
}

describe('[sec-38] a project whose backlog is full', () => {
  it.each([
    ['a single write', single],
    ['a batch', batchOf(2)],
    ['an auto-batched write', batched],
  ])('%s is 429 with Retry-After and a remedy, and nothing is stored', async (_, body) => {
    await fill();
    const rows = await gateway.countRows();
    const reply = await gateway.write(seed, body).expect(429);
    expect(reply.type).toBe('application/problem+json');
    expect(reply.headers['retry-after']).toBe('10');
    expect(reply.body).toMatchObject({ code: 'write.backlog-full', retryable: true, remedy: expect.any(String) });
    expect((reply.body as { detail: string }).detail).toMatch(
      /^About \d+ writes of the project wait, and 20 may \(SLUICE_BACKLOG_MAX\)/,
    );
    expect(await gateway.countRows()).toEqual(rows);
  });

  it('does not hold back its synchronous writes, other projects, or the repetition of what was accepted', async () => {
    const accepted = await gateway.write(seed, batched).set('Idempotency-Key', 'k').expect(200);
    await fill();
    await gateway.write(seed, single).expect(429);
    await gateway.write(seed, { type: 'create', record }).expect(200);
    const again = await gateway.write(seed, batched).set('Idempotency-Key', 'k').expect(200);
    expect(again.body).toEqual(accepted.body);
    await gateway.write(await gateway.seed(), single).expect(200);
  });

  it('while it floods the gateway every write of another project is accepted', async () => {
    const other = await gateway.seed();
    const left = await fill();
    const flood = Array.from({ length: 300 }, () => gateway.write(seed, batched));
    const theirs = Array.from({ length: 15 }, () => gateway.write(other, single));
    expect((await Promise.all(theirs)).map(({ status }) => status)).toEqual(theirs.map(() => 200));
    const accepted = (await Promise.all(flood)).filter(({ status }) => status !== 429);
    expect(accepted.length).toBeLessThanOrEqual(left);
  });

  // Each gateway counts for itself: what another one accepted is included by its next count.
  it('is noticed by a gateway that did not fill it', async () => {
    await fill();
    const ask = () => beside.write(seed, batched);
    const refused = until('the other one to refuse', async () => (await ask()).status === 429 || undefined);
    expect(await refused).toBe(true);
  });
});

// A count of writes is no bound on the disk: a write may have a megabyte.
describe('[sec-38] a project whose backlog is full by bytes', () => {
  /** The least that may be set. */
  const bytesMax = 10_000_000;
  /** A count begins every 2 s. */
  const countedWithinMs = 2_500;
  const large = { ...single, record: { email: 'a@x.com', firstname: 'x'.repeat(950_000) } };
  const largeInBatch = { ...large, autoBatchPolicy: { maxDelayMinutes: 5 } };
  let small: RunningGateway;
  beforeAll(async () => {
    small = await startGateway({
      env: { SLUICE_BACKLOG_BYTES_MAX: String(bytesMax), SLUICE_BACKLOG_GROUP_PERCENT: '100' },
    });
  });
  afterAll(() => small.stop());

  /** Sends it until it is refused once more after a count: one that began beside the last write may not have it. @returns how often it was accepted */
  async function fillBytes(own: Seed, body: object): Promise<number> {
    let accepted = 0;
    for (let isCounted = false; accepted < 20;) {
      const { status } = await small.write(own, body);
      if (status !== 200 && isCounted) break;
      if (status === 200) accepted += 1;
      else await setTimeout(countedWithinMs);
      isCounted = status !== 200;
    }
    return accepted;
  }

  it.each([
    ['single writes', large],
    ['auto-batched writes', largeInBatch],
    ['batches', { ...later, batch: [{ record: large.record }] }],
  ])('%s: 429 that names the bytes; what is small, synchronous or of others is accepted', async (_, body) => {
    const own = await small.seed();
    const accepted = await fillBytes(own, body);
    // Ten fit. What is being committed while a count is made is in neither of both until the next one, so a few more may be let in.
    expect(accepted).toBeGreaterThanOrEqual(10);
    expect(accepted).toBeLessThan(14);
    const rows = await small.countRows();
    const reply = await small.write(own, body).expect(429);
    expect(reply.headers['retry-after']).toBe('10');
    expect(reply.body).toMatchObject({ code: 'write.backlog-full', retryable: true, remedy: expect.any(String) });
    expect((reply.body as { detail: string }).detail).toMatch(
      /^About \d{7,8} bytes of the project wait, and 10000000 may \(SLUICE_BACKLOG_BYTES_MAX\); this request has 95\d{4}\. Nothing was accepted\.$/,
    );
    expect(await small.countRows()).toEqual(rows);
    // With eleven the bound is passed already, so nothing more waits, however small.
    await small.write(own, single).expect(accepted > 10 ? 429 : 200);
    await small.write(own, { type: 'create', record: large.record }).expect(200);
    await small.write(await small.seed(), body).expect(200);
  });
});
