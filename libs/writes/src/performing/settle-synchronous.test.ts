import { failureClasses } from '@sluice/errors';
import type { RecordResult } from '@sluice/connectors';
import { claimedCall, failure, performed, sendable } from '../../test/builders';
import { settleSynchronous } from './decide-settlement';

type Type = 'create' | 'update' | 'delete';

const lease = { owner: 'gateway', leaseMs: 6_000 };

function settle(type: Type, ...results: RecordResult[]) {
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
