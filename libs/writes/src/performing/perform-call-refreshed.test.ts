import type { BatchUpdate, Connector, RecordResult, UpdateWrite } from '@sluice/connectors';
import { DependencyError, NotFoundError, ProviderError } from '@sluice/errors';
import type { LiveCredentials } from '@sluice/types';
import { claimedCall, connector, failure, live, sendable } from '../../test/builders';
import type { RefreshUsed } from './attempt';
import { performCall } from './perform-call';
import type { CallToPerform, Sendable } from './attempt';

const refused: RecordResult = {
  ok: false,
  error: failure({ class: 'credentials', message: 'expired', scope: 'call', status: 401 }),
};
const ok: RecordResult = { ok: true, recordId: 'r0' };
const record = sendable();

/** A provider that takes these tokens only, and remembers which it was shown. */
function taking(...good: readonly string[]) {
  const shown: string[] = [];
  const update = ({ auth, observe }: UpdateWrite): Promise<RecordResult> => {
    shown.push(auth.accessToken);
    const isGood = good.includes(auth.accessToken);
    observe?.({ status: isGood ? 200 : 401, durationMs: 1 });
    return Promise.resolve(isGood ? ok : refused);
  };
  return { shown, update };
}

function perform(provider: Partial<Connector>, o: Partial<CallToPerform> = {}) {
  const hold = { signal: new AbortController().signal, mayStillSend: () => true };
  const call = claimedCall();
  return performCall({ call, records: [record], connector: connector(provider), live: live(1), hold, ...o });
}

/** Returns version 2, and records the version that it replaces, and the one whose refusal it judges. */
function refreshing(
  answer: () => Promise<LiveCredentials | undefined> = () => Promise.resolve(live(2)),
  judgement: () => Promise<undefined> = () => Promise.resolve(undefined),
) {
  const [requested, judged]: [number[], number[]] = [[], []];
  const refresh: RefreshUsed = ({ tokenVersion }, areFresh) => {
    (areFresh ? judged : requested).push(tokenVersion);
    return areFresh ? judgement() : answer();
  };
  return { requested, judged, refresh };
}

describe('a token that is refused', () => {
  it('is refreshed once, and the call made again within the same attempt, which says so', async () => {
    const { shown, update } = taking('t2');
    const { requested, refresh } = refreshing();
    const { results, used, attempt } = await perform({ update }, { refresh });
    expect(results).toEqual([ok]);
    expect(shown).toEqual(['t1', 't2']);
    expect(requested).toEqual([1]);
    expect(used).toMatchObject({ connectionId: 'k1', tokenVersion: 2, status: 'working' });
    expect(attempt).toMatchObject({
      status: 200,
      error: { class: 'credentials', text: expect.stringContaining('refreshed') as string },
    });
  });

  // The second 401 speaks of the new token: the connection is marked under its version.
  it('is not refreshed twice', async () => {
    const { shown, update } = taking();
    const { requested, judged, refresh } = refreshing();
    const { results, used } = await perform({ update }, { refresh });
    expect(results).toEqual([refused]);
    expect([shown, requested, judged, used.tokenVersion]).toEqual([['t1', 't2'], [1], [2], 2]);
  });

  // A provider may need seconds until all of it takes the token that it has just given.
  it('says nothing of the connection yet where the new one is refused', async () => {
    const early = new ProviderError({ class: 'unavailable', detail: 'just given', retryAfterMs: 2_000 });
    const { refresh } = refreshing(undefined, () => Promise.reject(early));
    const written = await perform({ update: taking().update }, { refresh });
    expect(written.results).toMatchObject([{ ok: false, error: { class: 'unavailable', retryAfterMs: 2_000 } }]);
  });

  it.each<[what: string, refresh: CallToPerform['refresh']]>([
    ['nobody can refresh', undefined],
    ['there is nothing to refresh with', () => Promise.resolve(undefined)],
    ['the connection is gone', () => Promise.reject(new NotFoundError({ code: 'connection.not-found', detail: 'x' }))],
  ])('stays refused where %s', async (_, refresh) => {
    const { shown, update } = taking('t2');
    const { results, used, attempt } = await perform({ update }, { ...(refresh && { refresh }) });
    expect(results).toEqual([refused]);
    expect(shown).toEqual(['t1']);
    expect(used.tokenVersion).toBe(1);
    expect(attempt.error).toEqual({ class: 'credentials', text: 'expired' });
  });

  // Only a grant that is gone is a matter of credentials. Nothing was written, so the rest may be tried again.
  it.each([
    ['credentials', new ProviderError({ class: 'credentials', detail: 'revoked' }), 'revoked'],
    ['unavailable', new ProviderError({ class: 'unavailable', detail: 'later', retryAfterMs: 7 }), 'later'],
    ['unavailable', new DependencyError({ code: 'service.unavailable', detail: 'no database' }), 'no database'],
  ] as const)('ends as %s when the refresh fails so', async (failureClass, error, message) => {
    const { update } = taking();
    const { results, attempt } = await perform({ update }, { refresh: () => Promise.reject(error) });
    const wait = error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs };
    expect(results).toEqual([{ ok: false, error: { class: failureClass, message, scope: 'call', ...wait } }]);
    expect(attempt).toMatchObject({ status: 401, error: { class: failureClass, text: message } });
  });

  it('does not send again when the lease ran out meanwhile', async () => {
    const { shown, update } = taking('t2');
    let isHeld = true;
    const refresh = () => {
      isHeld = false;
      return Promise.resolve(live(2));
    };
    const hold = { signal: new AbortController().signal, mayStillSend: () => isHeld };
    const { results } = await perform({ update }, { refresh, hold });
    expect(results).toMatchObject([{ ok: false, error: { class: 'unavailable' } }]);
    expect(shown).toEqual(['t1']);
  });

  it('repeats the read of ifEmpty fields with the new token before it writes', async () => {
    const { shown, update } = taking('t2');
    const readBatch: Connector['readBatch'] = ({ auth }) => {
      shown.push(`read ${auth.accessToken}`);
      if (auth.accessToken === 't2') return Promise.resolve([undefined]);
      return Promise.reject(new ProviderError({ class: 'credentials', detail: 'expired' }));
    };
    const records = [sendable({ write: { ifEmpty: ['email'] } })];
    const { results } = await perform({ update, readBatch }, { records, refresh: refreshing().refresh });
    expect(results).toEqual([ok]);
    expect(shown).toEqual(['read t1', 'read t2', 't2']);
  });
});

describe('what is no refused token', () => {
  const two = [record, sendable({ index: 1 })];
  const other: RecordResult = { ok: false, error: failure() };

  it.each<[what: string, results: RecordResult[]]>([
    ['a success', [ok, ok]],
    [
      'a record that was written beside one that was not',
      [ok, { ok: false, error: failure({ class: 'credentials' }) }],
    ],
    ['another failure', [refused, other]],
  ])('%s asks for no refresh', async (_, results) => {
    const { requested, refresh } = refreshing();
    const updateBatch = () => Promise.resolve(results);
    const performed = await perform({ updateBatch }, { records: two, refresh });
    expect(performed.results).toEqual(results);
    expect(requested).toEqual([]);
  });
});

// A review found it: what was written before the 401 was written again, because "nothing was written" was read off the failures alone.
describe('a token that is refused while the bad record of a batch is looked for', () => {
  const bad = failure({ scope: 'call', status: 400, mayBeOneRecord: true });
  const unauthorized = failure({ class: 'credentials', message: 'expired', scope: 'call', status: 401 });

  /** Refuses every call with the bad record, and the n-th call for its token; remembers what it wrote. */
  function provider(badId: string, refusedCall: number) {
    const written: string[] = [];
    let calls = 0;
    const write = (ids: readonly string[]): RecordResult[] => {
      calls += 1;
      const error = calls === refusedCall ? unauthorized : ids.includes(badId) ? bad : undefined;
      if (error !== undefined) return ids.map(() => ({ ok: false, error }));
      written.push(...ids);
      return ids.map((recordId) => ({ ok: true, recordId }));
    };
    return {
      written,
      methods: {
        update: ({ recordId }: UpdateWrite) => Promise.resolve(write([recordId])[0] ?? refused),
        updateBatch: ({ records }: BatchUpdate) => Promise.resolve(write(records.map(({ recordId }) => recordId))),
      },
    };
  }

  /** The call, and what goes on from it: the token versions that were used last. */
  async function performAll(
    methods: Partial<Connector>,
    records: readonly Sendable[],
    refresh: RefreshUsed,
  ): Promise<number[]> {
    const { parts, used } = await perform(methods, { records, refresh });
    const versions = [used.tokenVersion];
    for (const part of parts) {
      const again = records.filter(({ index }) => part.includes(index));
      versions.push(...(await performAll(methods, again, refresh)));
    }
    return versions;
  }

  it.each([1, 2, 3, 4, 5])('writes each good record once, with the token refused at call %i', async (refusedCall) => {
    const { written, methods } = provider('r3', refusedCall);
    const { requested, refresh } = refreshing();
    const versions = await performAll(
      methods,
      [0, 1, 2, 3].map((index) => sendable({ index })),
      refresh,
    );
    expect(written.toSorted()).toEqual(['r0', 'r1', 'r2']);
    expect(requested).toEqual([1]);
    expect(versions.filter((version) => version === 2)).toHaveLength(1);
  });

  it('says which fields were written, how many calls it took, and what goes on', async () => {
    const { methods } = provider('r1', 0);
    const records = [0, 1].map((index) => sendable({ index }));
    const { sentFields, calls, parts } = await perform(methods, { records });
    expect([sentFields, calls, parts]).toEqual([[undefined, undefined], 1, [[0], [1]]]);
    expect((await perform(methods, { records: records.slice(0, 1) })).sentFields).toEqual([{ email: '0@example.com' }]);
  });
});
