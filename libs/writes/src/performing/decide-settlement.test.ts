import type { ProviderFailure, RecordResult } from '@sluice/connectors';
import { type FailureClass, failureClasses } from '@sluice/errors';
import type { ClaimedCall } from '@sluice/store';
import { claimedCall, failure, performed, seeded, sendable } from '../../test/builders';
import type { Sendable } from './attempt';
import { decideSettlement, nextDelayMs, settleSynchronous, warningsWithin } from './decide-settlement';

type Type = 'create' | 'update';

interface Scene {
  readonly call?: Partial<ClaimedCall>;
  readonly records?: readonly Partial<Omit<Sendable, 'write'>>[];
  readonly elapsedMs?: number;
  readonly random?: () => number;
}

function decide(type: Type, results: readonly RecordResult[], o: Scene = {}) {
  return decideSettlement({
    call: claimedCall({ type, ...o.call }),
    records: results.map((_, index) => sendable({ index, ...o.records?.[index], write: { type } })),
    performed: performed(...results),
    elapsedMs: o.elapsedMs ?? 0,
    lateCommitMs: 30_000,
    random: o.random ?? (() => 0.5),
  });
}

const failed = (o: Partial<ProviderFailure>): RecordResult => ({ ok: false, error: failure(o) });
const ok = (recordId = '1'): RecordResult => ({ ok: true, recordId });
const earlier = { firstSentAt: new Date(0), sendState: 'none' as const };

type Outcome = 'ends' | 'repeats' | 'repeats, perhaps written' | 'is looked for';

describe('one record', () => {
  /** On the first attempt, and after an earlier one.12; reference 1a. */
  const policy: Record<Type, Record<FailureClass, [first: Outcome, later: Outcome]>> = {
    create: {
      rejected: ['ends', 'ends'],
      'not-found': ['ends', 'ends'],
      forbidden: ['ends', 'ends'],
      // The record it collides with may be its own: it is looked up before the refusal counts.
      conflict: ['ends', 'is looked for'],
      credentials: ['repeats', 'repeats'],
      quota: ['repeats', 'repeats'],
      unavailable: ['repeats', 'repeats'],
      timeout: ['is looked for', 'is looked for'],
      unknown: ['is looked for', 'is looked for'],
    },
    update: {
      rejected: ['ends', 'ends'],
      'not-found': ['ends', 'ends'],
      forbidden: ['ends', 'ends'],
      conflict: ['ends', 'ends'],
      credentials: ['repeats', 'repeats'],
      quota: ['repeats', 'repeats'],
      unavailable: ['repeats', 'repeats'],
      timeout: ['repeats, perhaps written', 'repeats, perhaps written'],
      unknown: ['repeats, perhaps written', 'repeats, perhaps written'],
    },
  };
  const meaning: Record<Outcome, { record: object; next: object }> = {
    ends: { record: { kind: 'failed' }, next: { state: 'done' } },
    repeats: { record: { kind: 'again', sendState: 'none' }, next: { state: 'ready', delayMs: 1_000 } },
    'repeats, perhaps written': {
      record: { kind: 'again', sendState: 'maybe' },
      next: { state: 'ready', delayMs: 1_000 },
    },
    'is looked for': { record: { kind: 'again', sendState: 'maybe' }, next: { state: 'in_doubt', delayMs: 500 } },
  };
  const cases = (['create', 'update'] as const).flatMap((type) =>
    failureClasses.flatMap((each) =>
      policy[type][each].map((outcome, attempt) => ({ type, failureClass: each, attempt: attempt + 1, outcome })),
    ),
  );

  it.each(cases)(
    '$type that met $failureClass on attempt $attempt $outcome',
    ({ type, failureClass, attempt, outcome }) => {
      const records = attempt === 1 ? [] : [earlier];
      const settlement = decide(type, [failed({ class: failureClass })], { records });
      const error = { class: failureClass, text: 'said the provider' };
      expect(settlement.records).toEqual([{ index: 0, ...meaning[outcome].record, error }]);
      expect(settlement.next).toEqual(meaning[outcome].next);
      expect(settlement.orderKeys).toEqual(outcome === 'ends' && type === 'update' ? ['l1/contacts/r0'] : []);
      // The store raises the barrier only where an attempt may still be applied.
      expect(settlement.barrierMs).toBe(type === 'create' ? undefined : 30_000);
    },
  );

  it('succeeds with the id and the warnings of the provider', () => {
    const settlement = decide('create', [{ ok: true, recordId: '77', warnings: ['w'] }]);
    expect(settlement.records).toEqual([{ index: 0, kind: 'succeeded', providerId: '77', warnings: ['w'] }]);
    expect(settlement).toMatchObject({ next: { state: 'done' }, isCreate: true, fence: 3, attempt: { status: 200 } });
  });
});

// What hardly helps is tried a few times, whatever the deadline leaves.
describe('a bound of tries', () => {
  const bounded = failed({ class: 'unavailable', triesMax: 5 });
  const tried = (attempts: number, lastClass: string, o: Partial<Omit<Sendable, 'write'>> = {}) => ({
    call: { attempts },
    records: [{ ...earlier, lastError: { class: lastClass, text: 'said the provider' }, ...o }],
  });
  const other = { lastError: { class: 'unavailable', text: 'another signal' } };

  it.each<[string, Type, Scene, string]>([
    ['before it', 'update', tried(3, 'unavailable'), 'again'],
    ['at it', 'update', tried(4, 'unavailable'), 'failed'],
    ['of a create, at it', 'create', tried(4, 'unavailable'), 'failed'],
    ['past it, after other failures', 'update', tried(9, 'quota'), 'again'],
    ['at it, after another signal of its class', 'update', tried(4, 'unavailable', other), 'again'],
    ['of a create, at it, after another signal of its class', 'create', tried(4, 'unavailable', other), 'again'],
    ['past it, for the second time', 'update', tried(10, 'unavailable'), 'failed'],
    ['at it, perhaps written', 'update', tried(4, 'unavailable', { sendState: 'maybe' }), 'unknown'],
  ])('%s', (_, type, scene, kind) => {
    expect(decide(type, [bounded], scene).records).toMatchObject([{ kind, error: { class: 'unavailable' } }]);
  });

  it('holds where a row has it only', () => {
    const scene = tried(50, 'unavailable');
    expect(decide('update', [failed({ class: 'unavailable' })], scene).records).toMatchObject([{ kind: 'again' }]);
  });
});

describe('the deadline', () => {
  const late = { records: [{ leftMs: 500 }] };

  it.each<[type: Type, each: FailureClass]>([
    ['create', 'unavailable'],
    ['create', 'quota'],
    ['create', 'credentials'],
    ['update', 'unavailable'],
    ['update', 'quota'],
  ])('ends a %s that was certainly not written (%s)', (type, each) => {
    const settlement = decide(type, [failed({ class: each })], late);
    expect(settlement.records).toMatchObject([{ kind: 'failed', error: { class: each } }]);
    expect(settlement.next).toEqual({ state: 'done' });
  });

  // A deadline stops sends, never reconciliation.
  it.each<[FailureClass]>([['timeout'], ['unknown']])('does not end a create in doubt (%s)', (each) => {
    expect(decide('create', [failed({ class: each })], late).next).toEqual({ state: 'in_doubt', delayMs: 500 });
  });

  it.each([
    ['until the moment that the provider named', 7_000, 7_000],
    ['no longer than a minute, where it named two days', 172_800_000, 60_000],
  ])('delays the first lookup %s', (_, retryAfterMs, delayMs) => {
    const results = [failed({ class: 'unknown', retryAfterMs }), failed({ class: 'timeout' }), ok()];
    expect(decide('create', results, late).next).toEqual({ state: 'in_doubt', delayMs });
  });

  // "Failed" would be a lie where the provider may have written the record.
  it.each<[FailureClass]>([['timeout'], ['unknown']])(
    'ends an update without a reply (%s) as unknown, behind a barrier',
    (each) => {
      const settlement = decide('update', [failed({ class: each })], late);
      const error = { class: each, text: 'Outcome unknown: said the provider' };
      expect(settlement.records).toEqual([{ index: 0, kind: 'unknown', error }]);
      expect(settlement).toMatchObject({ next: { state: 'done' }, orderKeys: ['l1/contacts/r0'], barrierMs: 30_000 });
    },
  );

  it('ends an update as unknown also when only an earlier attempt had no reply', () => {
    const settlement = decide('update', [failed({ class: 'unavailable' })], {
      records: [{ leftMs: 0, sendState: 'maybe' }],
    });
    expect(settlement.records).toMatchObject([{ kind: 'unknown', error: { class: 'unavailable' } }]);
    expect(settlement.barrierMs).toBe(30_000);
  });

  it('counts the time since the records were loaded', () => {
    const records = [{ leftMs: 10_000 }];
    const most = { records, call: { attempts: 9 }, random: () => 1 };
    expect(decide('update', [failed({ class: 'unavailable' })], most).next).toEqual({ state: 'ready', delayMs: 9_000 });
    expect(decide('update', [failed({ class: 'unavailable' })], { ...most, elapsedMs: 4_000 }).next).toEqual({
      state: 'ready',
      delayMs: 5_000,
    });
    expect(decide('update', [failed({ class: 'unavailable' })], { ...most, elapsedMs: 9_500 }).next).toEqual({
      state: 'done',
    });
  });

  it('ends what the provider does not want to see before it', () => {
    const result = failed({ class: 'quota', scope: 'lane', retryAfterMs: 60_000 });
    expect(decide('update', [result], { records: [{ leftMs: 30_000 }] }).records).toMatchObject([{ kind: 'failed' }]);
  });
});

describe('the pause before the next attempt', () => {
  it('doubles with the sends made', () => {
    const delays = [0, 1, 2, 3].map(
      (attempts) => decide('update', [failed({ class: 'unavailable' })], { call: { attempts } }).next,
    );
    expect(delays.map((next) => 'delayMs' in next && next.delayMs)).toEqual([1_000, 2_000, 4_000, 8_000]);
  });

  // The least of a hundred draws would be next to none: a large batch would hammer a provider that is down.
  it('is drawn once for a whole batch', () => {
    const random = seeded(1);
    const once = seeded(1)();
    const results = Array.from({ length: 100 }, () => failed({ class: 'unavailable', scope: 'call' }));
    expect(decide('update', results, { random }).next).toEqual({ state: 'ready', delayMs: Math.round(once * 2_000) });
  });

  it('is as short as the record with the least time needs', () => {
    const results = [failed({ class: 'unavailable' }), failed({ class: 'unavailable' })];
    const o = { call: { attempts: 9 }, random: () => 1, records: [{}, { leftMs: 5_000 }] };
    expect(decide('update', results, o).next).toEqual({ state: 'ready', delayMs: 4_000 });
  });

  it('is never shorter than what the provider required for any record', () => {
    const results = [failed({ class: 'unavailable' }), failed({ class: 'unknown', retryAfterMs: 10_000 })];
    expect(decide('update', results).next).toEqual({ state: 'ready', delayMs: 10_000 });
  });
});

describe('a batch', () => {
  it('ends what has ended and repeats the rest only', () => {
    const settlement = decide('update', [ok('9'), failed({ class: 'rejected' }), failed({ class: 'unavailable' })]);
    expect(settlement.records.map((record) => record.kind)).toEqual(['succeeded', 'failed', 'again']);
    expect(settlement.next).toEqual({ state: 'ready', delayMs: 1_000 });
    expect(settlement.orderKeys).toEqual(['l1/contacts/r0', 'l1/contacts/r1']);
  });

  it('of creates is in doubt as long as one of them is', () => {
    const settlement = decide('create', [ok(), failed({ class: 'unavailable' }), failed({ class: 'unknown' })]);
    expect(settlement.records.map((record) => record.kind === 'again' && record.sendState)).toEqual([
      false,
      'none',
      'maybe',
    ]);
    expect(settlement.next).toEqual({ state: 'in_doubt', delayMs: 500 });
  });

  it('holds back the next writes when one record ended unknown', () => {
    const settlement = decide('update', [ok(), failed({ class: 'timeout' })], { records: [{}, { leftMs: 0 }] });
    expect(settlement.records.map((record) => record.kind)).toEqual(['succeeded', 'unknown']);
    expect(settlement.barrierMs).toBe(30_000);
  });

  it('is done when every record has ended', () => {
    expect(decide('create', [ok('1'), failed({ class: 'rejected' })]).next).toEqual({ state: 'done' });
  });
});

// What one bad record costs the others is neither their try nor a retry of theirs.
describe('a call that was refused whole for one record', () => {
  const refusedWhole = failed({ scope: 'call', mayBeOneRecord: true });
  const divide = (type: Type, records: NonNullable<Scene['records']>, parts: readonly (readonly number[])[]) =>
    decideSettlement({
      call: claimedCall({ type }),
      records: records.map((record, index) => sendable({ index, ...record, write: { type } })),
      performed: { ...performed(...records.map(() => refusedWhole)), parts },
      elapsedMs: 0,
      lateCommitMs: 30_000,
      random: () => 0.5,
    });

  it('goes on as its parts, without a wait and without a barrier', () => {
    const settlement = divide('create', [{}, {}, {}], [[0, 1], [2]]);
    expect(settlement.next).toEqual({ state: 'split', parts: [[0, 1], [2]] });
    const error = { class: 'rejected', text: 'Refused together with others: said the provider' };
    const untried = { kind: 'again', sendState: 'none', error, isUntried: true };
    expect(settlement.records).toEqual([0, 1, 2].map((index) => ({ index, ...untried })));
    expect(settlement.orderKeys).toEqual([]);
  });

  it('ends the records that no part has, and releases what waits behind them', () => {
    const settlement = divide('update', [{}, {}, {}], [[0, 2]]);
    expect(settlement.records.map(({ kind }) => kind)).toEqual(['again', 'failed', 'again']);
    expect(settlement.orderKeys).toEqual(['l1/contacts/r1']);
  });

  // The refusal that a record carries ends its dividing at the deadline. A call whose only try came after it is divided to its end.
  it('leaves no refusal with what was late when it was sent for the first time', () => {
    const { records } = divide('create', [{ leftMs: 0 }, { leftMs: 0, firstSentAt: new Date(0) }, {}], [[0], [1], [2]]);
    expect(records.map((record) => 'error' in record)).toEqual([false, true, true]);
  });

  it('keeps what an earlier attempt may have written', () => {
    const { records } = divide('update', [{ firstSentAt: new Date(0), sendState: 'maybe' }, {}], [[0], [1]]);
    expect(records[0]).toMatchObject({ kind: 'again', sendState: 'maybe' });
    expect(records[0]).not.toHaveProperty('isUntried');
    expect(records[1]).toMatchObject({ sendState: 'none', isUntried: true });
  });
});

// A provider may send megabytes of them with each record, and every list of outcomes would carry them.
it('keeps the first warnings of a record, and says how many there are besides', () => {
  const warnings = Array.from({ length: 100 }, (_, at) => `${at} ${'w'.repeat(2_000)}`);
  expect(warningsWithin(warnings)).toEqual([warnings[0], warnings[1], '98 more, which are not kept.']);
  expect(warningsWithin(['w'.repeat(6_000)])).toEqual(['w'.repeat(6_000)]);
  expect(warningsWithin(['w'.repeat(6_001)])).toEqual(['1 more, which are not kept.']);
});

const hour = 3_600_000;
const most = () => 0.999_999_999;
const half = () => 0.5;
const least = () => 0;

describe('nextDelayMs', () => {
  // Base 2 s, doubling, cap 15 min, full jitter.
  it.each([
    [1, 2_000],
    [2, 4_000],
    [3, 8_000],
    [9, 512_000],
    [10, 900_000],
    [30, 900_000],
    [5_000, 900_000],
  ])(
    'after %i attempts waits between nothing and %i ms [write.rule-4] [operation-status.retried]',
    (attempt, ceiling) => {
      expect(nextDelayMs(attempt, 48 * hour, 0, most)).toBe(ceiling);
      expect(nextDelayMs(attempt, 48 * hour, 0, half)).toBe(ceiling / 2);
      expect(nextDelayMs(attempt, 48 * hour, 0, least)).toBe(0);
    },
  );

  it('never waits less than the provider asks for, and more where the backoff is longer', () => {
    expect(nextDelayMs(1, hour, 10_000, most)).toBe(10_000);
    expect(nextDelayMs(6, hour, 10_000, most)).toBe(64_000);
    expect(nextDelayMs(6, hour, 10_000, least)).toBe(10_000);
  });

  it('clips to a last try one second before the deadline', () => {
    expect(nextDelayMs(10, 60_000, 0, most)).toBe(59_000);
    expect(nextDelayMs(10, 60_000, 59_000, most)).toBe(59_000);
    expect(nextDelayMs(1, 3_000, 0, most)).toBe(2_000);
  });

  it.each([1_000, 999, 0, -1, -hour])('gives none with %i ms left: there is no time for a try', (leftMs) => {
    expect(nextDelayMs(1, leftMs, 0, half)).toBeUndefined();
  });

  it('gives none when the provider asks for longer than is left', () => {
    expect(nextDelayMs(1, 60_000, 59_001, half)).toBeUndefined();
  });

  // A record that fails each time must come to an end, with its last try just before the deadline.
  it('leads to an end', () => {
    let leftMs = hour;
    let attempt = 1;
    for (; attempt < 10_000; attempt += 1) {
      const delayMs = nextDelayMs(attempt, leftMs, 0, most);
      if (delayMs === undefined) break;
      leftMs -= delayMs;
      expect(leftMs).toBeGreaterThanOrEqual(1_000);
    }
    expect(leftMs).toBe(1_000);
    expect(attempt).toBeLessThan(20);
  });
});

const lease = { owner: 'gateway', leaseMs: 6_000 };

function settle(type: Type | 'delete', ...results: RecordResult[]) {
  const records = results.map((_, index) => sendable({ index, write: { type } }));
  const call = claimedCall({ type, mode: 'synchronous', fence: 1 });
  return settleSynchronous({ call, records, performed: performed(...results), lateCommitMs: 30_000, lease });
}

describe('settleSynchronous', () => {
  it('ends each record, in order, with the outcome of the provider', () => {
    const settlement = settle('update', { ok: true, recordId: '1', warnings: ['w'] }, { ok: false, error: failure() });
    expect(settlement).toMatchObject({
      operationId: 'o1',
      number: 1,
      fence: 1,
      isCreate: false,
      attempt: { durationMs: 12, status: 200 },
      next: { state: 'done' },
      orderKeys: ['l1/contacts/r0', 'l1/contacts/r1'],
    });
    expect(settlement.records).toEqual([
      { index: 0, kind: 'succeeded', providerId: '1', warnings: ['w'] },
      { index: 1, kind: 'failed', error: { class: 'rejected', text: 'said the provider' } },
    ]);
  });

  it('holds back the next writes when the end of one record is unknown', () => {
    const settlement = settle(
      'update',
      { ok: true, recordId: '1' },
      { ok: false, error: failure({ class: 'unknown' }) },
    );
    expect(settlement.barrierMs).toBe(30_000);
  });

  // Nobody waits for a later attempt, so whatever an asynchronous write would repeat is final here.
  it.each(
    failureClasses.flatMap((each) => (['create', 'update', 'delete'] as const).map((type) => [type, each] as const)),
  )('ends a %s that failed as %s', (type, failureClass) => {
    const isAmbiguous = failureClass === 'unknown' || failureClass === 'timeout';
    const settlement = settle(type, { ok: false, error: failure({ class: failureClass, retryAfterMs: 1_000 }) });
    const text = isAmbiguous ? 'Outcome unknown: said the provider' : 'said the provider';
    const kind = isAmbiguous ? 'unknown' : 'failed';
    expect(settlement.records).toEqual([{ index: 0, kind, error: { class: failureClass, text } }]);
    expect(settlement.next).toEqual({ state: 'done' });
    // A lost write may still come after the next one to the same record; a create has no next one.
    expect(settlement.barrierMs).toBe(type === 'create' ? undefined : 30_000);
  });

  it('lets what was refused for another record run at once, under the lease of its sender', () => {
    const result = { ok: false, error: failure({ scope: 'call', mayBeOneRecord: true }) } as const;
    const records = [0, 1, 2].map((index) => sendable({ index, sendState: 'sent' }));
    const settlement = settleSynchronous({
      call: claimedCall({ mode: 'synchronous' }),
      records,
      performed: { ...performed(result, result, result), parts: [[0, 2]] },
      lateCommitMs: 30_000,
      lease,
    });
    expect(settlement.next).toEqual({ state: 'split', parts: [[0, 2]], lease });
    expect(settlement.records).toMatchObject([
      { kind: 'again', sendState: 'none', isUntried: true },
      { kind: 'failed' },
      { kind: 'again', sendState: 'none', isUntried: true },
    ]);
    expect(settlement.orderKeys).toEqual(['l1/contacts/r1']);
  });

  it('has no attempt to close of a call that was withheld', () => {
    const results = [{ ok: false, error: failure({ class: 'unavailable' }) }] as const;
    const call = claimedCall({ mode: 'synchronous' });
    const given = { call, records: [sendable()], performed: { results, parts: [] }, lateCommitMs: 30_000, lease };
    expect(settleSynchronous(given)).not.toHaveProperty('attempt');
  });
});
