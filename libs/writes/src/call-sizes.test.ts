import type { RecordResult } from '@sluice/connectors';
import { claimedCall, connector, failure, hubspotLike, sendable } from '../test/builders';
import { CallSizes } from './call-sizes';
import type { Sendable } from './performing/attempt';
import { isolateRefused } from './performing/perform-call';

const hourMs = 3_600_000;
let nowMs = 0;
let sizes: CallSizes;
beforeEach(() => {
  nowMs = 0;
  sizes = new CallSizes(1, () => nowMs);
});

const tooLarge = failure({ scope: 'call', class: 'unavailable', mayBeOneRecord: true, isOfSize: true });
const recordsOf = (count: number) => Array.from({ length: count }, (_, index) => sendable({ index }));
const call = claimedCall({ type: 'create' });

/** A call of so many records, or of these, that is refused with this error; without one it is written. */
function make(given: number | readonly Sendable[], error?: typeof tooLarge, of = call): void {
  const records = typeof given === 'number' ? recordsOf(given) : given;
  const all = records.map((): RecordResult => (error ? { ok: false, error } : { ok: true, recordId: 'r' }));
  const { results, parts } = isolateRefused({ call: of, connector: connector() }, records, all);
  sizes.learn(of, { results, parts, sentFields: records.map(({ write }) => (error ? undefined : write.fields)) });
}

/** How many records each of the calls has that a call of so many is sent in. */
function sentIn(count: number, of = call, more: Partial<Sendable> = {}): number[] {
  const records = recordsOf(count).map((record) => ({ ...record, ...more }));
  return sizes.partsOf({ call: of, connector: connector(), records }).map(({ length }) => length);
}

it('nothing is divided that no refusal was about', () => {
  make(100);
  make(100, failure({ scope: 'call', mayBeOneRecord: true }));
  make(100, failure({ scope: 'call', class: 'unavailable' }));
  expect(sentIn(100)).toEqual([]);
});

it('after a refusal for its size the next call begins with what was written, or with a quarter', () => {
  make(100, tooLarge);
  expect(sentIn(100)).toEqual([25, 25, 25, 25]);
  expect(sentIn(25)).toEqual([]);
  make(25, tooLarge);
  make(7);
  expect(sentIn(100)).toEqual([...Array.from({ length: 14 }, () => 7), 2]);
  make(20);
  expect(sentIn(100)).toEqual([20, 20, 20, 20, 20]);
});

it('holds for the account and the object alone, whatever the write does', () => {
  make(100, tooLarge);
  expect(sentIn(100, claimedCall({ type: 'update' }))).toHaveLength(4);
  for (const other of [{ laneId: 'other' }, { projectId: 'other' }, { objectName: 'other' }])
    expect(sentIn(100, claimedCall({ ...other }))).toEqual([]);
});

it('is forgotten a day after the last refusal', () => {
  make(100, tooLarge);
  nowMs = 12 * hourMs;
  make(25, tooLarge);
  nowMs = 36 * hourMs - 1;
  make(7);
  expect(sentIn(100)).not.toEqual([]);
  nowMs += 1;
  expect(sentIn(100)).toEqual([]);
});

describe('a record that is too much by itself', () => {
  it('makes no call smaller than what was written in one meanwhile', () => {
    make(100, tooLarge);
    make(25);
    make(25, tooLarge);
    make(7, tooLarge);
    expect(sentIn(100)).toEqual([25, 25, 25, 25]);
  });

  it('is forgotten when it is refused alone', () => {
    for (const count of [100, 25, 7, 2, 1]) make(count, tooLarge);
    expect(sentIn(100)).toEqual([]);
  });
});

it('a part of a refused call is sent as it is, and so is what may not be divided', () => {
  make(100, tooLarge);
  const lastError = { class: 'unavailable', text: 'Refused together with others: x' } as const;
  expect(sentIn(50, call, { lastError })).toEqual([]);
  expect(sentIn(50, call, { lastError, firstSentAt: new Date(0) })).toEqual([25, 25]);
  const capabilities = { ...hubspotLike, allOrNone: { create: true, update: true } };
  const whole = { call: claimedCall({ type: 'create', allOrNone: true }), connector: connector({ capabilities }) };
  expect(sizes.partsOf({ ...whole, records: recordsOf(100) })).toEqual([]);
});
