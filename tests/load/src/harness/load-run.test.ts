import { createLoadRun, type Line, type LoadRun } from './load-run';

const spec = { url: 'http://127.0.0.1:1/', body: '', connections: 2 };

/** A line whose replies come when the test says so. */
function lineOf(run: () => LoadRun) {
  const dueAtMs: number[] = [];
  const line: Line = { send: (at) => dueAtMs.push(at), close: () => undefined };
  return {
    line,
    dueAtMs,
    reply: (status = 200) => run().replied(line, status, dueAtMs.at(-1) ?? NaN, () => `${status}`),
  };
}

describe('closed loop', () => {
  it('sends on each line as soon as it has its reply, and ends with the last reply', async () => {
    const run = createLoadRun({ ...spec, count: 3 });
    const [a, b] = [lineOf(() => run), lineOf(() => run)];
    run.begin([a.line, b.line]);
    expect([a.dueAtMs.length, b.dueAtMs.length]).toEqual([1, 1]);
    a.reply();
    expect([a.dueAtMs.length, b.dueAtMs.length]).toEqual([2, 1]);
    b.reply();
    a.reply();
    await run.ended;
    expect(run.result()).toMatchObject({ replies: 3, refused: 0 });
  });

  it('counts what is no 2xx apart and keeps the first of it', async () => {
    const run = createLoadRun({ ...spec, count: 3 });
    const one = lineOf(() => run);
    run.begin([one.line]);
    for (const status of [503, 201, 429]) one.reply(status);
    await run.ended;
    expect(run.result()).toMatchObject({ replies: 1, refused: 2, firstRefusal: '503' });
  });

  it('fails when a connection breaks', async () => {
    const run = createLoadRun({ ...spec, count: 3 });
    run.begin([lineOf(() => run).line]);
    run.broken(new Error('cut'));
    await expect(run.ended).rejects.toThrow('cut');
  });
});

describe('open loop', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  // A slow server must not slow the arrivals down: what waits for a connection waits on the server's account.
  it('sends at its rate, and counts the wait for a free connection', async () => {
    const run = createLoadRun({ ...spec, count: 3, perSecond: 1_000 });
    const one = lineOf(() => run);
    const startedAtMs = performance.now();
    run.begin([one.line]);
    expect(one.dueAtMs).toEqual([]);
    jest.advanceTimersByTime(3);
    expect(one.dueAtMs).toEqual([startedAtMs + 1]);
    jest.advanceTimersByTime(97);
    for (let reply = 0; reply < 3; reply += 1) one.reply();
    await run.ended;
    expect(one.dueAtMs).toEqual([1, 2, 3].map((ms) => startedAtMs + ms));
    expect(run.result()).toMatchObject({ replies: 3, maxMs: 99, elapsedMs: 100 });
  });

  it('sends at random when it is asked to, as often on the whole', async () => {
    const shares = [0.5, 1 - Math.exp(-2), 0];
    const run = createLoadRun({ ...spec, count: 3, perSecond: 1_000, arrivals: 'random' }, () => shares.shift() ?? 0);
    const lines = [lineOf(() => run), lineOf(() => run), lineOf(() => run)];
    const startedAtMs = performance.now();
    run.begin(lines.map(({ line }) => line));
    jest.advanceTimersByTime(10);
    // Gaps of ln 2, 2 and 0 ms, each seen by the next tick of the clock.
    expect(lines.map(({ dueAtMs }) => dueAtMs)).toEqual([1, 3, 3].map((ms) => [startedAtMs + ms]));
    for (const { reply } of lines) reply();
    await run.ended;
  });
});
