import { Faults, type FaultRequest } from './faults';

const path = '/crm/v3/objects/contacts/batch/create';
const call = { account: 'acme', method: 'POST', path };

/** Which of `count` equal calls a fault hits, from 1. */
function hits(request: Omit<FaultRequest, 'action'>, count = 8, one = call): number[] {
  const faults = new Faults();
  faults.add({ ...request, action: { kind: 'reset-before' } });
  return Array.from({ length: count }, (_, index) => index + 1).filter(() => faults.take(one) !== undefined);
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
  ['by account', { account: 'acme' }, [1]],
  ['another account', { account: 'globex' }, []],
  ['always, at probability 1', { probability: 1 }, [1, 2, 3, 4, 5, 6, 7, 8]],
])('hits %s', (_name, request, expected) => {
  expect(hits(request)).toEqual(expected);
});

it('hits by chance the same calls for the same seed, about as often as asked', () => {
  const first = hits({ probability: 0.3, seed: 7 }, 1000);
  expect(hits({ probability: 0.3, seed: 7 }, 1000)).toEqual(first);
  expect(hits({ probability: 0.3, seed: 8 }, 1000)).not.toEqual(first);
  expect(first.length).toBeGreaterThan(250);
  expect(first.length).toBeLessThan(350);
});

it('counts for every fault that matches and lets the oldest act', () => {
  const faults = new Faults();
  faults.add({ action: { kind: 'status', status: 503 } });
  faults.add({ match: { nth: 2 }, action: { kind: 'reset-before' } });
  expect([faults.take(call)?.kind, faults.take(call)?.kind, faults.take(call)?.kind]).toEqual([
    'status',
    'reset-before',
    undefined,
  ]);
  expect(faults.list()).toMatchObject([
    { id: 'fault-1', seen: 3, hits: 1 },
    { id: 'fault-2', seen: 3, hits: 1 },
  ]);
});

it('clears all, by account, by id', () => {
  const faults = new Faults();
  for (const account of ['acme', 'globex', 'acme']) faults.add({ account, action: { kind: 'reset-before' } });
  faults.clear({ id: 'fault-1' });
  expect(faults.list().map((fault) => fault.id)).toEqual(['fault-2', 'fault-3']);
  faults.clear({ account: 'acme' });
  expect(faults.list().map((fault) => fault.id)).toEqual(['fault-2']);
  faults.clear();
  expect(faults.list()).toEqual([]);
});
