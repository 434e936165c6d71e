import { DefectError, DependencyError } from '@sluice/errors';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import type { WriteAnnouncement } from '@sluice/types';
import { metric, write } from '../test/support';
import { messagingCounters } from './messaging-counters';
import { PartitionDelivery } from './partition-delivery';

function message(offset: number, ...writes: WriteAnnouncement[]) {
  return { offset: String(offset), value: JSON.stringify({ writes }) };
}

/** A delivery to `handle`, with what it resolved. */
function delivery(handle: (writes: WriteAnnouncement[]) => Promise<void>) {
  const metrics = createMetrics('delivery');
  const made = new PartitionDelivery({
    topic: 'ready',
    partition: 3,
    handle,
    logger: silentLogger,
    counters: messagingCounters(metrics),
  });
  const resolved: string[] = [];
  const reading = { isCurrent: () => true, resolve: (offset: string) => void resolved.push(offset) };
  return { made, metrics, resolved, reading };
}

describe('PartitionDelivery', () => {
  it('gives the writes of several messages to one call, at most 500', async () => {
    const calls: number[] = [];
    const { made, resolved, reading } = delivery(async (writes) => void calls.push(writes.length));
    const messages = [0, 1, 2].map((offset) => message(offset, ...Array.from({ length: 200 }, () => write('a', 0))));
    expect(await made.deliver(messages, reading)).toBeUndefined();
    expect(calls).toEqual([400, 200]);
    expect(resolved).toEqual(['1', '2']);
  });

  it('takes no further call once the partition is given up', async () => {
    let isCurrent = true;
    const { made, resolved, reading } = delivery(async () => void (isCurrent = false));
    const messages = [0, 1].map((offset) => message(offset, ...Array.from({ length: 500 }, () => write('a', 0))));
    await made.deliver(messages, { ...reading, isCurrent: () => isCurrent });
    expect(resolved).toEqual(['0']);
  });

  it('passes over messages that hold nothing', async () => {
    const { made, resolved, reading, metrics } = delivery(() => Promise.reject(new Error('not called')));
    await made.deliver([message(0), { offset: '1', value: 'none of ours' }], reading);
    expect(resolved).toEqual(['1']);
    expect(await metric(metrics, 'sluice_messages_undecodable_total')).toBe(1);
  });

  it('counts and logs an undecodable message once, however often the others of its batch fail', async () => {
    let isAway = true;
    const away = new DependencyError({ code: 'service.unavailable', detail: 'Postgres does not answer.' });
    const { made, resolved, reading, metrics } = delivery(() => (isAway ? Promise.reject(away) : Promise.resolve()));
    const messages = [{ offset: '6', value: 'none of ours' }, message(7, write('a', 0))];
    for (let attempt = 0; attempt < 5; attempt += 1) await made.deliver(messages, reading);
    isAway = false;
    await made.deliver(messages, reading);
    expect(resolved).toEqual(['7']);
    expect(await metric(metrics, 'sluice_messages_undecodable_total')).toBe(1);
  });

  it('repeats without end, at most five seconds apart, what fails because a dependency is away', async () => {
    const away = new DependencyError({ code: 'service.unavailable', detail: 'Postgres does not answer.' });
    const { made, resolved, reading } = delivery(() => Promise.reject(away));
    const delays: number[] = [];
    for (let attempt = 0; attempt < 50; attempt += 1) {
      delays.push((await made.deliver([message(7, write('a', 0))], reading)) ?? -1);
    }
    expect(resolved).toEqual([]);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(50);
    expect(Math.max(...delays)).toBeLessThanOrEqual(5_000);
    expect(delays[0]).toBeLessThanOrEqual(100);
  });

  // A bug in a handler must not hold a partition back for ever: a sweep finds the writes.
  it.each([
    ['an error that is not ours', new TypeError('undefined is not a function')],
    ['a defect', new DefectError({ code: 'service.defect', detail: 'the batch has no rows' })],
  ])('passes over %s after five failures', async (_, error) => {
    const { made, resolved, reading, metrics } = delivery(() => Promise.reject(error));
    for (let attempt = 0; attempt < 4; attempt += 1) {
      expect(await made.deliver([message(7, write('a', 0))], reading)).toBeGreaterThan(0);
    }
    expect(await made.deliver([message(7, write('a', 0))], reading)).toBeUndefined();
    expect(resolved).toEqual(['7']);
    expect(await metric(metrics, 'sluice_messages_passed_over_total')).toBe(1);
  });

  it('never runs two calls at once, also for two readers', async () => {
    let running = 0;
    let most = 0;
    const { made, reading } = delivery(async () => {
      most = Math.max(most, (running += 1));
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    });
    await Promise.all([0, 1, 2].map((offset) => made.deliver([message(offset, write('a', offset))], reading)));
    expect(most).toBe(1);
  });
});
