import type { RecordResult } from '@sluice/connectors';
import type { LaneKey, Store } from '@sluice/store';
import { silentLogger } from '@sluice/telemetry';
import type { ConnectionStatus } from '@sluice/types';
import { failure } from '../../test/builders';
import { noteOutcome } from './perform-and-settle';
import type { UsedConnection } from './attempt';

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
  const store = {
    writes: {
      blockLane: (blocked: LaneKey, blockMs: number, error: string) => {
        written.push({ blocked, blockMs, error });
        return Promise.resolve(isChanged);
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
    logger: { ...silentLogger, warn: (fields: object, event: string) => void lines.push({ event, ...fields }) },
    meters: { called: () => undefined, settled: () => undefined },
  };
  const call = { ...lane, operationId: 'o1' };
  const blockedMs = await noteOutcome(notes, call, { used: used(status), results, calls }, 'call.outcome-not-noted');
  return { blockedMs, written, lines };
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

  // What a provider says may quote a customer, so the line has none of its words.
  it('is one line when it is blocked, and none while it is blocked already', async () => {
    const error = failure({ class: 'quota', scope: 'lane', message: "Ada's quota", status: 429, retryAfterMs: 3_000 });
    const { lines } = await note('working', [{ ok: false, error }]);
    const fields = { projectId: 'p1', groupRef: 'g1', provider: 'hubspot', laneId: 'l1', reason: 'answered 429' };
    expect(lines).toEqual([{ event: 'lane.blocked', ...fields, class: 'quota', status: 429, blockedSeconds: 3 }]);
    expect((await note('working', [{ ok: false, error }], 1, false)).lines).toEqual([]);
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
