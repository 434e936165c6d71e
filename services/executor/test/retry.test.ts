import { hubspotRefusal, until } from '@sluice/testkit';
import { useFixture } from './_executor';

const fixture = useFixture();

const sweepsOff = { SLUICE_SWEEPS: 'off' };
const sentAtMs = () => fixture.hubspot.writes().map(({ atMs }) => atMs);

describe('the retry deadline', () => {
  it('ends the operation with the error text; the last try comes just before it', async () => {
    const seed = await fixture.seed();
    fixture.hubspot.behave = () => hubspotRefusal(503, { message: 'We are down for maintenance.' });
    const operationId = await fixture.accept(seed, [{ email: 'a@x.com' }], { announce: false });
    await fixture.startExecutor(sweepsOff);
    await fixture.setDeadline(operationId, 12_000);
    const startedAtMs = performance.now();
    await fixture.announce(operationId);
    const ended = await fixture.ended(seed, operationId);
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
    const late = await fixture
      .database('attempts as a')
      .join('calls as c', { 'c.project_id': 'a.project_id', 'c.operation_id': 'a.operation_id' })
      .where('a.operation_id', operationId)
      .whereRaw(`a.sent_at > c.deadline + interval '2 seconds'`);
    expect(late).toEqual([]);
    expect((await fixture.records(seed, operationId))[0]).toMatchObject({
      status: 'failed',
      error: { class: 'unavailable' },
    });
  });

  it('a backlog that outlived it: at least one try is made', async () => {
    const seed = await fixture.seed();
    const [good, bad] = [
      await fixture.accept(seed, [{ email: 'a@x.com' }], { announce: false }),
      await fixture.accept(seed, [{ email: 'b@x.com' }], { announce: false }),
    ];
    for (const id of [good, bad]) await fixture.setDeadline(id, -3_600_000);
    fixture.hubspot.behave = ({ properties }, apply) =>
      properties['email'] === 'b@x.com' ? hubspotRefusal(503) : apply();
    await fixture.startExecutor();
    expect(await fixture.ended(seed, good)).toMatchObject({ status: 'success' });
    expect(await fixture.ended(seed, bad)).toMatchObject({ status: 'failure', result: 'HubSpot says no.' });
    expect(fixture.hubspot.calls).toHaveLength(2);
  });

  it('stops sends: a record that was tried before is not sent again after it', async () => {
    const seed = await fixture.seed();
    fixture.hubspot.behave = () => hubspotRefusal(503, { message: 'Down.' });
    const first = await fixture.startExecutor();
    const operationId = await fixture.accept(seed, [{ email: 'a@x.com' }]);
    await until('a try is over', async () => {
      const [row] = (await fixture.database('attempts').whereNotNull('finished_at')) as object[];
      return row;
    });
    await first.stop();
    const tries = sentAtMs().length;
    await fixture.setDeadline(operationId, -60_000);
    await fixture.startExecutor();
    expect(await fixture.ended(seed, operationId)).toMatchObject({
      status: 'failure',
      result: expect.stringContaining('Down.'),
    });
    expect(sentAtMs()).toHaveLength(tries);
  });
});
