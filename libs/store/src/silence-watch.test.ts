import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSilenceWatch, type SilenceWatch } from './silence-watch';

/** Longest wait for a state, in milliseconds: a busy machine starts the clock again and again. */
const longestMs = 60_000;
let watch: SilenceWatch;
afterEach(() => watch.stop());

/** A database whose answers to probes a test holds back. */
function database() {
  const held: (() => void)[] = [];
  let isHung = false;
  const ask = () => (isHung ? new Promise<void>((resolve) => held.push(resolve)) : Promise.resolve());
  return {
    probe: { ask, drop: () => undefined },
    hang: () => (isHung = true),
    answer: () => {
      isHung = false;
      for (const resolve of held.splice(0)) resolve();
    },
  };
}

async function eventually(condition: () => boolean): Promise<void> {
  for (const giveUpAt = performance.now() + longestMs; !condition(); await sleep(20)) {
    if (performance.now() > giveUpAt) throw new Error('it did not happen');
  }
}

it('a database that answers nothing: what waits fails, what comes fails at once, until it answers', async () => {
  const { probe, hang, answer } = database();
  watch = createSilenceWatch({ probe });
  watch.start();
  hang();
  const stream = new Socket();
  const broken = new Promise((resolve) => stream.on('error', resolve));
  watch.attend(stream);
  const never = () => new Promise<string>(() => undefined);
  const release = async () => undefined;
  await expect(watch.connected(never, release)).rejects.toMatchObject({ code: 'service.unavailable' });
  expect(watch.isSilent()).toBe(true);
  expect(await broken).toMatchObject({ message: 'Connection terminated: the server is silent' });
  const acquire = jest.fn(async () => 'connection');
  await expect(watch.connected(acquire, release)).rejects.toMatchObject({ retry: 'backoff' });
  expect(acquire).not.toHaveBeenCalled();
  answer();
  await eventually(() => !watch.isSilent());
  expect(await watch.connected(acquire, release)).toBe('connection');
});

// The whole machine stood still: the answer has come meanwhile, and was not read.
it('time in which this process was stalled does not count', async () => {
  const { probe, hang, answer } = database();
  const warn = jest.fn();
  watch = createSilenceWatch({ probe, logger: { warn, info: jest.fn() } as never });
  watch.start();
  hang();
  for (let turn = 0; turn < 4; turn += 1) {
    const untilMs = performance.now() + 1_500;
    while (performance.now() < untilMs);
    await sleep(1);
  }
  expect(watch.isSilent()).toBe(false);
  answer();
  await eventually(() => !watch.isSilent());
  expect(warn).not.toHaveBeenCalled();
}, 60_000);

it('bytes on any connection are a sign of life', async () => {
  const { probe, hang } = database();
  watch = createSilenceWatch({ probe });
  const stream = new Socket();
  watch.attend(stream);
  watch.start();
  hang();
  for (const endAt = performance.now() + 5_000; performance.now() < endAt; await sleep(50)) {
    stream.emit('data', Buffer.alloc(1));
    expect(watch.isSilent()).toBe(false);
  }
  stream.destroy();
}, 60_000);

it('gives a connection that comes too late back', async () => {
  const { probe, hang } = database();
  watch = createSilenceWatch({ probe });
  watch.start();
  hang();
  let come: (connection: string) => void = () => undefined;
  const release = jest.fn(async () => undefined);
  const acquire = () => new Promise<string>((resolve) => (come = resolve));
  await expect(watch.connected(acquire, release)).rejects.toThrow('The database does not answer.');
  come('late');
  await eventually(() => release.mock.calls.length > 0);
  expect(release).toHaveBeenCalledWith('late');
});
