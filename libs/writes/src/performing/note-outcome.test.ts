import type { RecordResult } from '@sluice/connectors';
import type { LaneKey, Store } from '@sluice/store';
import { silentLogger } from '@sluice/telemetry';
import type { ConnectionStatus } from '@sluice/types';
import { failure } from '../../test/builders';
import { createOutcomeWatch, noteOutcome } from './note-outcome';
import type { UsedConnection } from './perform-call';

const lane = { projectId: 'p1', laneId: 'l1' };
const ok: RecordResult = { ok: true, recordId: '1' };
const refused: RecordResult = { ok: false, error: failure() };
const used = (status: ConnectionStatus): UsedConnection => ({
  connectionId: 'k1',
  tokenVersion: 4,
  status,
  provider: 'hubspot',
  groupRef: 'g1',
});

/** What is written down, in order. */
async function noted(status: ConnectionStatus, results: readonly RecordResult[]): Promise<unknown[]> {
  return (await note(status, results)).written;
}

async function note(status: ConnectionStatus, results: readonly RecordResult[], calls = 1, isChanged = true) {
  const written: unknown[] = [];
  const lines: object[] = [];
  const watched: unknown[] = [];
  const store = {
    writes: {
      blockLane: (blocked: LaneKey, blockMs: number, error: string) => {
        written.push({ blocked, blockMs, error });
        return Promise.resolve();
      },
    },
    connections: {
      setStatus: (change: unknown) => {
        written.push(change);
        return Promise.resolve(isChanged);
      },
    },
  };
  const notes = {
    store: store as unknown as Pick<Store, 'connections' | 'writes'>,
    watch: {
      called: ({ laneId }: LaneKey, { length }: readonly unknown[]) => void watched.push({ called: laneId, length }),
      blocked: ({ laneId }: LaneKey, { message }: { message: string }, ms: number) =>
        void watched.push({ blocked: laneId, message, ms }),
    },
    logger: { ...silentLogger, warn: (fields: object, event: string) => void lines.push({ event, ...fields }) },
  };
  const blockedMs = await noteOutcome(notes, lane, { used: used(status), results, calls });
  return { blockedMs, written, lines, watched };
}

const statusSet = (status: ConnectionStatus) => ({ projectId: 'p1', connectionId: 'k1', tokenVersion: 4, status });

describe('the connection', () => {
  // Specification, Connection status: working after a successful use; bad_credentials on credential problems, on nothing else.
  it.each<[from: ConnectionStatus, what: string, results: RecordResult[], to: ConnectionStatus]>([
    ['created', 'a success', [ok], 'working'],
    ['created', 'a success beside refusals', [refused, ok], 'working'],
    ['bad_credentials', 'a success', [ok], 'working'],
    ['created', 'refused credentials', [{ ok: false, error: failure({ class: 'credentials' }) }], 'bad_credentials'],
    ['working', 'refused credentials', [{ ok: false, error: failure({ class: 'credentials' }) }], 'bad_credentials'],
  ])('goes from %s by %s', async (from, _, results, to) => {
    expect(await noted(from, results)).toEqual([statusSet(to)]);
  });

  it.each<[from: ConnectionStatus, what: string, results: RecordResult[]]>([
    ['working', 'a success', [ok]],
    ['bad_credentials', 'refused credentials', [{ ok: false, error: failure({ class: 'credentials' }) }]],
    ['created', 'nothing', []],
    ...(['rejected', 'forbidden', 'unavailable', 'timeout', 'unknown', 'quota', 'not-found', 'conflict'] as const).map(
      (each): [ConnectionStatus, string, RecordResult[]] => [
        'created',
        each,
        [{ ok: false, error: failure({ class: each }) }],
      ],
    ),
  ])('stays %s after %s, without a write', async (from, _, results) => {
    expect(await noted(from, results)).toEqual([]);
  });
});

// One line per change, by whoever changed it: the update compares with what is stored.
describe('the line of a connection', () => {
  const [bad, worded] = [failure({ class: 'credentials', status: 401 }), failure({ class: 'credentials' })];
  const fields = { projectId: 'p1', groupRef: 'g1', provider: 'hubspot', connectionId: 'k1' };
  it.each<[string, ConnectionStatus, RecordResult[], object[]]>([
    [
      'credentials that are refused',
      'working',
      [{ ok: false, error: bad }],
      [{ event: 'connection.bad-credentials', ...fields, reason: 'answered 401', status: 401, count: 1 }],
    ],
    ['credentials that work again', 'bad_credentials', [ok], [{ event: 'connection.restored', ...fields }]],
    ['a connection that works for the first time', 'created', [ok], []],
    ['one that stays bad', 'bad_credentials', [{ ok: false, error: worded }], []],
  ])('%s', async (_case, status, results, lines) => {
    expect((await note(status, results)).lines).toEqual(lines);
    // Another process was first.
    expect((await note(status, results, 1, false)).lines).toEqual([]);
  });
});

describe('what is watched', () => {
  it('is each call that was made, and each block', async () => {
    const error = failure({ class: 'quota', scope: 'lane', message: 'too fast', retryAfterMs: 3_000 });
    expect((await note('working', [{ ok: false, error }])).watched).toEqual([
      { called: 'l1', length: 1 },
      { blocked: 'l1', message: 'too fast', ms: 3_000 },
    ]);
    expect((await note('working', [{ ok: false, error }], 0)).watched).toEqual([]);
  });
});

describe('the lane', () => {
  const quota = (retryAfterMs?: number): RecordResult => {
    const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
    return { ok: false, error: failure({ class: 'quota', scope: 'lane', message: 'too fast', ...wait }) };
  };

  it('is blocked for as long as the provider requires, with its text', async () => {
    expect(await noted('working', [quota(3_000)])).toEqual([{ blocked: lane, blockMs: 3_000, error: 'too fast' }]);
  });

  it("is blocked for HubSpot's window where the provider does not say how long", async () => {
    expect(await noted('working', [refused, quota()])).toEqual([{ blocked: lane, blockMs: 10_000, error: 'too fast' }]);
  });

  // The process lets the lane sleep for as long, also when its connection changes at the same time.
  it.each<[what: string, status: ConnectionStatus, results: RecordResult[], blockedMs: number]>([
    ['a block', 'working', [quota(3_000)], 3_000],
    ['a block without a time', 'working', [quota()], 10_000],
    ['a block beside a success', 'created', [quota(3_000), ok], 3_000],
    ['a success', 'created', [ok], 0],
    ['a refusal', 'working', [refused], 0],
  ])('is returned as blocked for as long, after %s', async (_, status, results, blockedMs) => {
    expect((await note(status, results)).blockedMs).toBe(blockedMs);
  });

  it('is not blocked by what concerns a record or one call', async () => {
    const result: RecordResult = {
      ok: false,
      error: failure({ class: 'quota', scope: 'record', retryAfterMs: 10_000 }),
    };
    expect(await noted('working', [result])).toEqual([]);
  });
});

// The specification says "used successfully for a request": there was none.
it('says nothing of the connection when no call was made', async () => {
  expect((await note('bad_credentials', [ok], 0)).written).toEqual([]);
  expect((await note('created', [ok], 0)).written).toEqual([]);
});

function start() {
  const lines: Record<string, unknown>[] = [];
  const logger = { ...silentLogger, warn: (fields: object, event: string) => void lines.push({ event, ...fields }) };
  const watch = createOutcomeWatch(logger);
  const account = (groupRef: string, laneId = `lane of ${groupRef}`) => ({
    projectId: 'p1',
    laneId,
    used: { provider: 'hubspot', groupRef },
  });
  const call = (groupRef: string, error?: ReturnType<typeof failure>) =>
    watch.called(account(groupRef), [error === undefined ? { ok: true } : { ok: false, error }]);
  return { lines, watch, account, call };
}

const times = (count: number, work: () => void) => Array.from({ length: count }).forEach(work);
const reset = failure({ class: 'unavailable', message: 'HubSpot sent no reply: ECONNRESET', scope: 'call' });
const overloaded = failure({ class: 'unavailable', message: "Ada's record: later", scope: 'call', status: 503 });
const rejected = failure({ class: 'rejected', message: "Ada's phone is no phone", status: 400 });

it('a provider that does not answer is one line when it begins and one when it ends, whatever the customer', () => {
  const { lines, call } = start();
  for (let n = 0; n < 500; n += 1) call(`group-${n}`, n % 2 === 0 ? reset : overloaded);
  const provider = () => lines.filter(({ event }) => String(event).startsWith('provider.'));
  expect(provider()).toEqual([
    expect.objectContaining({
      event: 'provider.failing',
      provider: 'hubspot',
      reason: 'sent no reply: ECONNRESET',
      class: 'unavailable',
      groupRef: 'group-4',
      count: 5,
    }),
  ]);
  times(40, () => call('group-1'));
  expect(provider()).toHaveLength(2);
  expect(provider()[1]).toMatchObject({ event: 'provider.recovered', reason: 'answered 503', status: 503, count: 500 });
});

it('a customer whose calls all fail is one line when it begins and one when it ends', () => {
  const { lines, call } = start();
  times(300, () => {
    call('acme', rejected);
    call('beta');
  });
  times(25, () => call('acme'));
  const fields = { projectId: 'p1', groupRef: 'acme', provider: 'hubspot', reason: 'answered 400', status: 400 };
  expect(lines).toMatchObject([
    { event: 'group.failing', ...fields, class: 'rejected', count: 5 },
    { event: 'group.recovered', ...fields, count: 300 },
  ]);
});

// What a provider says of a record may quote whoever is in it.
it('no line holds the words of a provider', () => {
  const { lines, call } = start();
  times(5, () => call('acme', rejected));
  times(5, () => call('beta', overloaded));
  expect(lines.length).toBeGreaterThan(1);
  expect(JSON.stringify(lines)).not.toContain('Ada');
});

it('a call of which a record is written is none that failed', () => {
  const { lines, watch, account } = start();
  times(50, () => watch.called(account('acme'), [{ ok: false, error: rejected }, { ok: true }]));
  times(50, () => watch.called(account('acme'), []));
  expect(lines).toEqual([]);
});

describe('a blocked account', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('is one line when it is blocked and one when it is free, however often it is refused meanwhile', () => {
    const { lines, watch, account } = start();
    const error = failure({ class: 'quota', scope: 'lane', message: 'too fast', status: 429 });
    for (let n = 0; n < 20; n += 1) {
      watch.blocked(account('acme', 'l1'), error, 10_000);
      jest.advanceTimersByTime(20_000);
    }
    const fields = { projectId: 'p1', groupRef: 'acme', provider: 'hubspot', laneId: 'l1', reason: 'answered 429' };
    expect(lines).toEqual([
      expect.objectContaining({ event: 'lane.blocked', ...fields, status: 429, blockedSeconds: 10, count: 1 }),
    ]);
    jest.advanceTimersByTime(80_000);
    expect(lines.slice(1)).toEqual([expect.objectContaining({ event: 'lane.unblocked', ...fields, count: 20 })]);
  });
});
