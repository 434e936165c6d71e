import { createMetrics, silentLogger } from '@sluice/telemetry';
import { AnnouncementBuffer, type BufferOptions } from './announcement-buffer';
import { eventually, metric, write } from '../test/support';
import { messagingCounters } from './messaging-counters';
import type { OutgoingMessage, Transport } from './messaging';

/** A transport that keeps what it is given; each send waits until `release` is called when `isSlow`. */
function recorder(options: { isUp?: () => boolean; send?: () => Promise<void> } = {}) {
  const requests: OutgoingMessage[][] = [];
  const transport: Transport = {
    isUp: options.isUp ?? (() => true),
    send: async (messages) => {
      requests.push([...messages]);
      await options.send?.();
    },
  };
  return { requests, transport };
}

function buffer(transport: Transport, more: Partial<BufferOptions> = {}) {
  const metrics = createMetrics('buffer');
  const made = new AnnouncementBuffer({
    transport,
    counters: messagingCounters(metrics),
    logger: silentLogger,
    ...more,
  });
  const dropped = (reason: string) => metric(metrics, 'sluice_announcements_dropped_total', reason);
  return { buffer: made, dropped };
}

describe('AnnouncementBuffer', () => {
  it('sends everything due in one request, one message per topic and key', async () => {
    const { requests, transport } = recorder();
    const { buffer: sut } = buffer(transport);
    for (let index = 0; index < 10; index += 1) {
      sut.add('one', `key-${index % 2}`, write('a', index));
      sut.add('other', 'key-0', write('a', index));
    }
    await eventually(() => requests.length > 0);
    const shapes = requests.map((messages) => messages.map(({ topic, key, writes }) => ({ topic, key, writes })));
    expect(shapes).toEqual([
      [
        { topic: 'one', key: 'key-0', writes: 5 },
        { topic: 'other', key: 'key-0', writes: 10 },
        { topic: 'one', key: 'key-1', writes: 5 },
      ],
    ]);
  });

  it('lets what has time wait for others, and sends what is urgent with all of its key', async () => {
    const { requests, transport } = recorder();
    const { buffer: sut } = buffer(transport, { lingerMs: 1 });
    sut.add('one', 'busy', write('a', 0), 60_000);
    sut.add('one', 'quiet', write('b', 0), 60_000);
    sut.add('one', 'busy', write('a', 1));
    await eventually(() => requests.length > 0);
    sut.add('one', 'busy', write('a', 2), 60_000);
    await sut.flush();
    const shapes = requests.map((messages) => messages.map(({ key, writes }) => ({ key, writes })));
    expect(shapes).toEqual([
      [{ key: 'busy', writes: 2 }],
      [
        { key: 'quiet', writes: 1 },
        { key: 'busy', writes: 1 },
      ],
    ]);
  });

  it('sends all that waits in one request when the first of them is due', async () => {
    const { requests, transport } = recorder();
    const { buffer: sut } = buffer(transport, { lingerMs: 1 });
    sut.add('one', 'a', write('a', 0), 30);
    sut.add('one', 'b', write('b', 0), 60_000);
    await eventually(() => requests.length > 0);
    expect(requests.map((messages) => messages.map(({ key }) => key))).toEqual([['a', 'b']]);
  });

  it('keeps the order of a key that fills more than a message', async () => {
    const { requests, transport } = recorder();
    const { buffer: sut } = buffer(transport, { lingerMs: 1 });
    for (let index = 0; index < 501; index += 1) sut.add('one', 'key', write('a', index), 60_000);
    sut.add('one', 'key', write('a', 501));
    await eventually(() => requests.length > 0);
    const sent = requests.flat().flatMap(({ value }) => (JSON.parse(value) as { writes: { index: number }[] }).writes);
    expect(sent.map(({ index }) => index)).toEqual([...Array.from({ length: 502 }).keys()]);
  });

  it('keeps one request under way, and sends what gathered meanwhile right after it', async () => {
    const releases: (() => void)[] = [];
    const { requests, transport } = recorder({ send: () => new Promise((resolve) => releases.push(resolve)) });
    const { buffer: sut } = buffer(transport, { lingerMs: 1 });
    sut.add('one', 'key', write('a', 0));
    await eventually(() => requests.length === 1);
    for (let index = 1; index < 100; index += 1) sut.add('one', 'key', write('a', index));
    releases[0]?.();
    await eventually(() => requests.length === 2);
    expect(requests[1]).toHaveLength(1);
    releases[1]?.();
    await sut.flush();
  });

  it('keeps requests below what a broker takes, in the order of the key', async () => {
    const { requests, transport } = recorder();
    const { buffer: sut } = buffer(transport);
    for (let index = 0; index < 4_000; index += 1) sut.add('one', 'key', write('a', index));
    await sut.flush();
    const sizes = requests.map((messages) => messages.reduce((sum, { value }) => sum + value.length, 0));
    expect(Math.max(...sizes)).toBeLessThan(1_000_000);
    const written = requests
      .flat()
      .flatMap(({ value }) => (JSON.parse(value) as { writes: { index: number }[] }).writes);
    expect(written.map(({ index }) => index)).toEqual([...written.keys()]);
  });

  it('counts what a request under way holds towards the bound', async () => {
    let release = (): void => undefined;
    const { requests, transport } = recorder({ send: () => new Promise((resolve) => (release = resolve)) });
    const { buffer: sut, dropped } = buffer(transport, { bufferMax: 10, lingerMs: 1 });
    for (let index = 0; index < 8; index += 1) sut.add('one', 'key', write('a', index));
    await eventually(() => requests.length === 1);
    for (let index = 8; index < 12; index += 1) sut.add('one', 'key', write('a', index));
    expect(await dropped('buffer-full')).toBe(2);
    release();
  });

  it('drops an announcement that is none by its size', async () => {
    const { requests, transport } = recorder();
    const { buffer: sut, dropped } = buffer(transport);
    sut.add('one', 'key', write('a', 0, { objectName: 'x'.repeat(100_000) }));
    await sut.flush();
    expect(await dropped('too-large')).toBe(1);
    expect(requests).toEqual([]);
  });

  it('waits for a broker that is away, then drops', async () => {
    const { requests, transport } = recorder({ isUp: () => false });
    const { buffer: sut, dropped } = buffer(transport, { holdMs: 50 });
    sut.add('one', 'key', write('a', 0));
    await sut.flush();
    expect(await dropped('broker-away')).toBe(1);
    expect(requests).toEqual([]);
  });

  it('sends what waited when the broker comes back in time', async () => {
    let isUp = false;
    const { requests, transport } = recorder({ isUp: () => isUp });
    const { buffer: sut } = buffer(transport, { holdMs: 60_000 });
    sut.add('one', 'key', write('a', 0));
    const flushed = sut.flush();
    isUp = true;
    await flushed;
    expect(requests).toHaveLength(1);
  });

  it('counts a failed request and goes on', async () => {
    let failures = 1;
    const { requests, transport } = recorder({
      send: async () => {
        if (failures-- > 0) throw new Error('the broker said no');
      },
    });
    const { buffer: sut, dropped } = buffer(transport);
    sut.add('one', 'key', write('a', 0));
    await sut.flush();
    sut.add('one', 'key', write('a', 1));
    await sut.flush();
    expect(await dropped('send-failed')).toBe(1);
    expect(requests).toHaveLength(2);
  });

  it('closes within its bound while a request hangs', async () => {
    const { transport } = recorder({ send: () => new Promise(() => undefined) });
    const { buffer: sut, dropped } = buffer(transport, { lingerMs: 1 });
    sut.add('one', 'key', write('a', 0));
    await sut.close(20);
    sut.add('one', 'key', write('a', 1));
    expect(await dropped('closed')).toBe(1);
  });
});
