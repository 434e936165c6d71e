import { takesEffect } from './fault-action';
import { Faults, type FaultRequest } from './faults';

const path = '/crm/v3/objects/contacts/batch/create';
const bodyText = '{"inputs":[{"properties":{"email":"known@b.co"}},{"properties":{"email":"new@b.co"}}]}';
const call = { account: 'acme', method: 'POST', path, bodyText, records: 2 };

/** Which of `count` equal calls a fault hits, from 1. */
function hits(request: Omit<FaultRequest, 'action'>, count = 8, one = call): number[] {
  const faults = new Faults();
  faults.add({ ...request, action: { kind: 'reset-before' } });
  return Array.from({ length: count }, (_, index) => index + 1).filter(() => faults.take(one).fault !== undefined);
}

it.each<[string, Omit<FaultRequest, 'action'>, number[]]>([
  ['once by default', {}, [1]],
  ['so many times', { times: 3 }, [1, 2, 3]],
  ['without end', { times: 0 }, [1, 2, 3, 4, 5, 6, 7, 8]],
  ['the third call', { match: { nth: 3 } }, [3]],
  ['from the third call on', { match: { nth: 3 }, times: 2 }, [3, 4]],
  ['by method', { match: { method: 'post' } }, [1]],
  ['another method', { match: { method: 'GET' } }, []],
  ['by prefix', { match: { path: '/crm/v3/objects' } }, [1]],
  ['by expression', { match: { path: '^/crm/.*/batch/create$' } }, [1]],
  ['another path', { match: { path: '/crm/v4' } }, []],
  ['by a record that it carries', { match: { carries: 'known@b.co' } }, [1]],
  ['another record', { match: { carries: 'other@b.co' } }, []],
  ['by its size', { match: { recordsMin: 2 } }, [1]],
  ['a larger one', { match: { recordsMin: 3 } }, []],
  ['by account', { account: 'acme' }, [1]],
  ['another account', { account: 'globex' }, []],
])('hits %s', (_name, request, expected) => {
  expect(hits(request)).toEqual(expected);
});

it('counts for every fault that matches and lets the oldest act', () => {
  const faults = new Faults();
  faults.add({ action: { kind: 'status', status: 503 } });
  faults.add({ match: { nth: 2 }, action: { kind: 'reset-before' } });
  expect([1, 2, 3].map(() => faults.take(call).fault?.kind)).toEqual(['status', 'reset-before', undefined]);
  expect(faults.list()).toMatchObject([
    { id: 'fault-1', seen: 3, hits: 1 },
    { id: 'fault-2', seen: 3, hits: 1 },
  ]);
});

it('adds up what is slow, and lets another fault act besides', () => {
  const faults = new Faults();
  faults.add({ times: 0, action: { kind: 'slow', delayMs: 15 } });
  faults.add({ action: { kind: 'commit-then-reset' } });
  faults.add({ times: 2, action: { kind: 'slow' } });
  faults.add({ match: { nth: 3 }, action: { kind: 'timeout', delayMs: 7, commit: 'last' } });
  const taken = [1, 2, 3].map(() => faults.take(call));
  expect(taken.every(({ fault }) => takesEffect(fault))).toBe(true);
  expect(taken).toMatchObject([
    { fault: { kind: 'commit-then-reset' }, waitMs: 1015 },
    { fault: { kind: 'slow' }, waitMs: 1015 },
    { fault: { kind: 'timeout' }, waitMs: 22 },
  ]);
});

it('clears all, or those of an account', () => {
  const faults = new Faults();
  for (const account of ['acme', 'globex', 'acme']) faults.add({ account, action: { kind: 'reset-before' } });
  faults.clear('acme');
  expect(faults.list().map((fault) => fault.id)).toEqual(['fault-2']);
  faults.clear();
  expect(faults.list()).toEqual([]);
});
