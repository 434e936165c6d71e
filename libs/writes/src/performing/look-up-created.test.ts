import type { Connector, FindCreated, FoundCreated } from '@sluice/connectors';
import { ProviderError } from '@sluice/errors';
import type { QuotaAnswer } from '@sluice/redis';
import { claimedCall, connector, failure, live, sendable } from '../../test/builders';
import { lookUpCreated, type LookupInput } from './look-up-created';

const record = sendable({ sendState: 'sent', write: { type: 'create' } });
const found: FoundCreated = {
  kind: 'found',
  consistent: true,
  matches: [{ recordId: '9', createdAt: new Date(0), data: {} }],
};
const failed = (...o: Parameters<typeof failure>): FoundCreated => ({
  kind: 'cannot-look-up',
  reason: 'it failed',
  consistent: true,
  failure: failure(...o),
});
const refused = failed({ class: 'credentials', scope: 'call' });

/** A provider that makes one call per record, as long as it is not withheld. */
const asking =
  (answer: (find: FindCreated) => FoundCreated): Required<Connector>['findCreated'] =>
  async (find) => {
    const answers: FoundCreated[] = [];
    for (const _ of find.records) {
      const withheld = await find.withhold?.('account');
      if (withheld === undefined) find.observe?.({ durationMs: 1, quota: { limit: 5, windowMs: 1_000 } });
      answers.push(withheld ? failed(withheld) : answer(find));
    }
    return answers;
  };

const lookUp = (o: Partial<LookupInput> & { findCreated?: Connector['findCreated'] }, records = [record]) => {
  const { findCreated, ...input } = o;
  return lookUpCreated(
    {
      call: claimedCall({ type: 'create' }),
      connector: connector(findCreated && { findCreated }),
      live: live(),
      signal: new AbortController().signal,
      ...input,
    },
    records,
  );
};

describe('quota', () => {
  it('is taken for each provider call; a call without it is not made', async () => {
    let left = 2;
    const takeQuota = (): Promise<QuotaAnswer> => {
      left -= 1;
      return Promise.resolve({ granted: left >= 0, retryAfterMs: left >= 0 ? 0 : 700 });
    };
    const lookup = await lookUp({ takeQuota, findCreated: asking(() => found) }, [record, record, record]);
    expect(lookup.found).toMatchObject([found, found, { kind: 'cannot-look-up', failure: { class: 'quota' } }]);
    expect(lookup.outcome).toMatchObject({ calls: 2, quota: { limit: 5, windowMs: 1_000 } });
    // Of our own making: the account has refused nothing, so its lane is not blocked.
    expect(lookup.outcome.results.at(-1)).toMatchObject({ ok: false, error: { scope: 'call', retryAfterMs: 700 } });
  });

  it("passes the provider's own refusal on, which blocks the lane", async () => {
    const limited = failed({ class: 'quota', scope: 'lane', retryAfterMs: 10_000 });
    const { outcome } = await lookUp({ findCreated: asking(() => limited) });
    expect(outcome.results).toMatchObject([{ ok: false, error: { scope: 'lane', retryAfterMs: 10_000 } }]);
  });
});

describe('a token that is refused', () => {
  async function lookUpTwice(refresh: LookupInput['refresh']) {
    const tokens: string[] = [];
    const findCreated = asking(({ auth }) => {
      tokens.push(auth.accessToken);
      return tokens.length === 1 ? refused : found;
    });
    return { tokens, ...(await lookUp({ findCreated, ...(refresh && { refresh }) })) };
  }

  it('is refreshed, and the lookup repeated', async () => {
    const { tokens, ...lookup } = await lookUpTwice(() => Promise.resolve(live(5)));
    expect(tokens).toEqual(['t4', 't5']);
    expect(lookup.found).toEqual([found]);
    expect(lookup.outcome).toMatchObject({ results: [{ ok: true }], used: { tokenVersion: 5 }, calls: 2 });
  });

  // Only a grant that is gone marks the connection.
  it.each<[what: string, refresh: LookupInput['refresh'], expected: string]>([
    ['nothing to refresh with', () => Promise.resolve(undefined), 'credentials'],
    [
      'a refresh that fails',
      () => Promise.reject(new ProviderError({ class: 'unavailable', detail: 'later' })),
      'unavailable',
    ],
    // The app is refused, not the grant: once it is repaired the lookups go on.
    [
      'an app that is refused',
      () => Promise.reject(new ProviderError({ class: 'rejected', detail: 'invalid_client' })),
      'unavailable',
    ],
    ['nothing to refresh with', undefined, 'credentials'],
  ])('fails the lookup with %s', async (_, refresh, expected) => {
    const { tokens, outcome } = await lookUpTwice(refresh);
    expect(tokens).toEqual(['t4']);
    expect(outcome).toMatchObject({ results: [{ error: { class: expected } }], used: { tokenVersion: 4 } });
  });
});

it('returns no outcome for the account where the provider offers no lookup', async () => {
  const { found: result, outcome } = await lookUp({});
  expect(result).toMatchObject([{ kind: 'cannot-look-up', consistent: false }]);
  expect(outcome).toMatchObject({ results: [], calls: 0 });
});
