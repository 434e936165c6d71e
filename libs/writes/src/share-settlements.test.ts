import { DependencyError } from '@sluice/errors';
import { callId, type Settled, type Settlement, type SettlingAnswer } from '@sluice/store';
import { claimedCall } from '../test/builders';
import { sharingSettlements } from './settle-persistently';

const released = [{ ...claimedCall(), operationId: 'released', installationId: 'i1' }];
const settlementOf = (operationId: string, orderKeys: string[] = []): Settlement => ({
  ...claimedCall({ operationId }),
  isCreate: true,
  records: [],
  next: { state: 'done' },
  orderKeys,
});

/** A store that keeps the operations of each transaction. */
function store() {
  const transactions: string[][] = [];
  const settle = (settlements: readonly Settlement[]): Promise<Map<string, Settled>> => {
    transactions.push(settlements.map(({ operationId }) => operationId));
    return Promise.resolve(new Map(settlements.map((each) => [callId(each), { isHeld: true, released }])));
  };
  return { transactions, settle };
}

// A create must not wait for locks that only updates need, and a released call is announced once, not by each who shares.
it('settles together what comes together, ordered calls apart, and reports what was released to one of them', async () => {
  const { transactions, settle } = store();
  const share = sharingSettlements({ settle });
  const settlements = [settlementOf('a'), settlementOf('b', ['k']), settlementOf('c'), settlementOf('d', ['k'])];
  const settled = await Promise.all(settlements.map(share));
  expect(transactions).toHaveLength(2);
  expect(transactions).toEqual(
    expect.arrayContaining([
      ['a', 'c'],
      ['b', 'd'],
    ]),
  );
  expect(settled.map((each) => (each as Settled).released)).toEqual([released, released, [], []]);
});

it('returns to each the result of its own', async () => {
  const reason = new DependencyError({ code: 'service.unavailable', detail: 'away' });
  const [one, other, left] = ['a', 'b', 'c'].map((id) => settlementOf(id)) as [Settlement, Settlement, Settlement];
  const answers = new Map<string, SettlingAnswer>([
    [callId(one), { isHeld: true, released: [] }],
    [callId(other), reason],
  ]);
  const share = sharingSettlements({ settle: () => Promise.resolve(answers) });
  expect(await Promise.all([one, other, left].map(share))).toEqual([{ isHeld: true, released: [] }, reason, undefined]);
});
