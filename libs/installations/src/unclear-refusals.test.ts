import { ProviderError } from '@sluice/errors';
import { createRefusalJudge } from './refresh-credentials';

const unclear = new ProviderError({ class: 'credentials', detail: 'invalid_grant', meta: { triesMax: 4 } });

/** The moments of the requests, in seconds, until a refusal is believed. */
function asksOf(pauseMs: (retryAfterMs: number) => number): number[] {
  let nowMs = 5_000;
  const judge = createRefusalJudge(undefined, () => nowMs);
  const moments: number[] = [];
  for (;;) {
    moments.push((nowMs - 5_000) / 1_000);
    const passing = judge('grant', unclear);
    if (passing === undefined) return moments;
    expect(passing).toMatchObject({ class: 'unavailable', detail: 'invalid_grant' });
    nowMs += pauseMs(passing.retryAfterMs ?? 0);
  }
}

// A provider that is merely busy with another refresh of the same grant must not end a connection.
describe('a refusal that does not say that the grant has ended', () => {
  it('is believed after several requests over half a minute', () => {
    expect(asksOf((wait) => wait)).toEqual([0, 2, 6, 14, 30]);
  });

  it('is not believed for its number alone, nor for its time alone', () => {
    expect(asksOf(() => 1_000)).toHaveLength(31);
    expect(asksOf(() => 3_600_000)).toEqual([0, 3_600, 7_200, 10_800]);
  });

  it('is counted for each grant, and one that says so is believed at once', () => {
    let nowMs = 0;
    const judge = createRefusalJudge(undefined, () => nowMs);
    for (; nowMs < 40_000; nowMs += 10_000) judge('grant', unclear);
    expect(judge('grant', unclear)).toBeUndefined();
    expect(judge('other', unclear)).toBeDefined();
    expect(judge('third', new ProviderError({ class: 'credentials', detail: 'revoked' }))).toBeUndefined();
  });
});
