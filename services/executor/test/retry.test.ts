import { hubspotRefusal, until } from '@sluice/testkit';
import { useGround } from './_executor';

const ground = useGround();

const sweepsOff = { SLUICE_SWEEPS: 'off' };
const sentAtMs = () => ground.hubspot.writes().map(({ atMs }) => atMs);

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
