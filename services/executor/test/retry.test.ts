import { hubspotRefusal, until } from '@sluice/testkit';
import { useGround } from './_executor';
import { hold } from './_hold';

const ground = useGround();

const sweepsOff = { SLUICE_SWEEPS: 'off' };
const sentAtMs = () => ground.hubspot.writes().map(({ atMs }) => atMs);

it('503: sent again after Retry-After, and a success then counts', async () => {
  const seed = await ground.seed();
  await ground.startExecutor(sweepsOff);
  const { held, letGo } = hold();
  ground.hubspot.script.push(
    () => hubspotRefusal(503, {}, { 'Retry-After': '2' }),
    async (_call, apply) => {
      await held;
      return apply();
    },
  );
  const operationId = await ground.accept(seed, [{ email: 'a@x.com' }]);
  await until('the first try', () => (ground.hubspot.calls.length > 0 ? true : undefined));
  expect(await ground.operation(seed, operationId)).toMatchObject({ status: 'in_progress' });
  letGo();
  expect(await ground.ended(seed, operationId)).toMatchObject({
    status: 'success',
    metadata: { retry: { attempts: 2 } },
  });
  const [first = 0, second = 0] = sentAtMs();
  expect(second - first).toBeGreaterThanOrEqual(2_000);
  const attempts = await ground.database('attempts').orderBy('fence').select('status', 'error_class');
  expect(attempts).toEqual([
    { status: 503, error_class: 'unavailable' },
    { status: 201, error_class: null },
  ]);
});

it('no connection: sent again', async () => {
  const seed = await ground.seed();
  await ground.startExecutor({ HUBSPOT_API_URL: 'http://127.0.0.1:9' });
  const operationId = await ground.accept(seed, [{ email: 'a@x.com' }]);
  await until('two tries', async () =>
    Number((await ground.database('attempts').count('* as n'))[0]?.['n']) >= 2 ? true : undefined,
  );
  expect(await ground.operation(seed, operationId)).toMatchObject({ status: 'in_progress' });
});

// What is written is never sent again.
it('207: only the unfinished record is sent again', async () => {
  const seed = await ground.seed();
  await ground.startExecutor(sweepsOff);
  for (const id of ['1', '2', '3']) ground.hubspot.contacts.set(id, { id, createdAt: new Date(), properties: {} });
  ground.hubspot.script.push((call, apply) => {
    const { body } = apply() as { body: { results: object[] } };
    const error = {
      status: 'error',
      category: 'INTERNAL_ERROR',
      message: 'try again',
      context: { objectWriteTraceId: ['1'] },
    };
    return {
      status: 207,
      body: { status: 'COMPLETE', results: [body.results[0], body.results[2]], errors: [error], numErrors: 1 },
    };
  });
  const records = ['1', '2', '3'].map((id) => ({ id, city: 'Bern' }));
  const operationId = await ground.accept(seed, records, { type: 'update' });
  expect(await ground.ended(seed, operationId)).toMatchObject({
    status: 'success',
    result: expect.stringContaining('(3 succeeded, 0 failed)'),
  });
  expect(ground.hubspot.writes().map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /crm/v3/objects/contacts/batch/update',
    'PATCH /crm/v3/objects/contacts/2',
  ]);
});

describe('the retry deadline', () => {
  it('ends the operation with the error text; the last try comes just before it', async () => {
    const seed = await ground.seed();
    ground.hubspot.behave = () => hubspotRefusal(503, { message: 'We are down for maintenance.' });
    const operationId = await ground.accept(seed, [{ email: 'a@x.com' }], { announce: false });
    await ground.startExecutor(sweepsOff);
    await ground.setDeadline(operationId, 12_000);
    const startedAtMs = performance.now();
    await ground.announce(operationId);
    const ended = await ground.ended(seed, operationId);
    expect(ended).toMatchObject({
      status: 'failure',
      result: expect.stringMatching(/^(The retry deadline has passed\. Last: )?We are down for maintenance\.$/),
    });
    const tries = sentAtMs();
    expect(tries.length).toBeGreaterThanOrEqual(2);
    const lastAtMs = (tries.at(-1) ?? 0) - startedAtMs;
    // A machine that is late for the try of the last second makes none, and reports that the deadline has passed.
    const isTriedLast = ended.result === 'We are down for maintenance.';
    expect(isTriedLast && lastAtMs < 6_000).toBe(false);
    // By the one clock that both moments have, and with what may pass between reading it and recording the send.
    const late = await ground
      .database('attempts as a')
      .join('calls as c', { 'c.project_id': 'a.project_id', 'c.operation_id': 'a.operation_id' })
      .where('a.operation_id', operationId)
      .whereRaw(`a.sent_at > c.deadline + interval '2 seconds'`);
    expect(late).toEqual([]);
    expect((await ground.records(seed, operationId))[0]).toMatchObject({
      status: 'failed',
      error: { class: 'unavailable' },
    });
  });

  it('a backlog that outlived it: at least one try is made', async () => {
    const seed = await ground.seed();
    const [good, bad] = [
      await ground.accept(seed, [{ email: 'a@x.com' }], { announce: false }),
      await ground.accept(seed, [{ email: 'b@x.com' }], { announce: false }),
    ];
    for (const id of [good, bad]) await ground.setDeadline(id, -3_600_000);
    ground.hubspot.behave = ({ properties }, apply) =>
      properties['email'] === 'b@x.com' ? hubspotRefusal(503) : apply();
    await ground.startExecutor();
    expect(await ground.ended(seed, good)).toMatchObject({ status: 'success' });
    expect(await ground.ended(seed, bad)).toMatchObject({ status: 'failure', result: 'HubSpot says no.' });
    expect(ground.hubspot.calls).toHaveLength(2);
  });

  it('stops sends: a record that was tried before is not sent again after it', async () => {
    const seed = await ground.seed();
    ground.hubspot.behave = () => hubspotRefusal(503, { message: 'Down.' });
    const first = await ground.startExecutor();
    const operationId = await ground.accept(seed, [{ email: 'a@x.com' }]);
    await until('a try is over', async () => {
      const [row] = (await ground.database('attempts').whereNotNull('finished_at')) as object[];
      return row;
    });
    await first.stop();
    const tries = sentAtMs().length;
    await ground.setDeadline(operationId, -60_000);
    await ground.startExecutor();
    expect(await ground.ended(seed, operationId)).toMatchObject({
      status: 'failure',
      result: expect.stringContaining('Down.'),
    });
    expect(sentAtMs()).toHaveLength(tries);
  });
});
