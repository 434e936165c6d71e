import { DefectError, DependencyError } from '@sluice/errors';
import { callId, type SettledTogether, type Settlement, type SettlingAnswer } from '@sluice/store';
import { claimedCall } from '../../test/builders';
import { settlePersistently, sharingSettlements, type SharedSettle, type StoredSettlement } from './perform-and-settle';

const settlement: Settlement = {
  ...claimedCall(),
  isCreate: false,
  records: [],
  next: { state: 'done' },
  orderKeys: [],
};
type Answer = Awaited<ReturnType<SharedSettle>>;
const settled = { isHeld: true, released: [] };
const away = () => new DependencyError({ code: 'service.unavailable', detail: 'The database does not answer.' });

/** A store with one scripted result per try; the last one repeats. */
function store(...answers: (Answer | { readonly thrown: Error })[]) {
  const offers: Settlement[] = [];
  return {
    offers,
    settle: (offered: Settlement): Promise<Answer> => {
      const answer = answers[Math.min(offers.length, answers.length - 1)];
      offers.push(offered);
      return answer && 'thrown' in answer ? Promise.reject(answer.thrown) : Promise.resolve(answer);
    },
  };
}

// The outcome of a provider call must not be lost because the database is away for a moment.
describe('settlePersistently', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  /** Lets time pass until the outcome is there. */
  async function outcomeOf(work: Promise<StoredSettlement>): Promise<StoredSettlement | Error> {
    const outcomes: (StoredSettlement | Error)[] = [];
    work.then(
      (value) => outcomes.push(value),
      (error: Error) => outcomes.push(error),
    );
    for (let turn = 0; turn < 1_000 && outcomes.length === 0; turn += 1) await jest.advanceTimersByTimeAsync(250);
    return outcomes[0] ?? new Error('it never ended');
  }

  it('settles at once when the database answers', async () => {
    const { settle, offers } = store(settled);
    expect(await settlePersistently(settle, settlement)).toMatchObject(settled);
    expect(offers).toEqual([settlement]);
  });

  // The store returns what kept it from settling this one, or throws it when it settled none.
  it.each([
    ['was away', { thrown: away() }],
    ['failed while others were settled', away()],
  ])('offers the same settlement again until the database that %s is back', async (_, answer) => {
    const { settle, offers } = store(answer, answer, settled);
    expect(await outcomeOf(settlePersistently(settle, settlement))).toMatchObject(settled);
    expect(offers).toEqual([settlement, settlement, settlement]);
  });

  // The leases of the parts of a refused call count from there.
  it('gives the moment from before the last offer', async () => {
    const { settle } = store(away(), settled);
    const startedAtMs = performance.now();
    const stored = (await outcomeOf(settlePersistently(settle, settlement))) as StoredSettlement;
    expect(stored.offeredAtMs).toBe(startedAtMs + 250);
  });

  it('gives up after a minute, with the reason', async () => {
    const gone = away();
    const { settle, offers } = store(gone);
    await jest.advanceTimersByTimeAsync(100_000);
    expect(await outcomeOf(settlePersistently(settle, settlement))).toBe(gone);
    expect(offers.length).toBeGreaterThan(200);
    expect(offers.length).toBeLessThan(245);
  });

  it.each([
    ['the database refuses it', new DefectError({ code: 'service.defect', detail: 'refused' })],
    ['we made a mistake', new TypeError('ours')],
  ])('offers it once when %s', async (_, error) => {
    const { settle, offers } = store({ thrown: error });
    expect(await outcomeOf(settlePersistently(settle, settlement))).toBe(error);
    expect(offers).toHaveLength(1);
  });

  it('names the call that the store left out, and offers it once', async () => {
    const { settle, offers } = store(undefined);
    const failed = await outcomeOf(settlePersistently(settle, settlement));
    expect(failed).toBeInstanceOf(DefectError);
    expect(failed).toMatchObject({ detail: expect.stringMatching(/call p1\/o1\/1 cannot be stored/) as string });
    expect(offers).toHaveLength(1);
  });
});

const released = [{ ...claimedCall(), operationId: 'released', installationId: 'i1' }];
const settlementOf = (operationId: string, orderKeys: string[] = []): Settlement => ({
  ...claimedCall({ operationId }),
  isCreate: true,
  records: [],
  next: { state: 'done' },
  orderKeys,
});

/** A store that keeps the operations of each transaction. */
function settling(answerOf: (operationId: string) => SettlingAnswer | undefined = () => ({ isHeld: true })) {
  const transactions: string[][] = [];
  const settle = (settlements: readonly Settlement[]): Promise<SettledTogether> => {
    transactions.push(settlements.map(({ operationId }) => operationId));
    const answers = settlements.flatMap((each): [string, SettlingAnswer][] => {
      const answer = answerOf(each.operationId);
      return answer === undefined ? [] : [[callId(each), answer]];
    });
    return Promise.resolve({ answers: new Map(answers), released });
  };
  return { transactions, settle };
}

// A create must not wait for locks that only updates need.
it('settles together what comes together, ordered calls apart', async () => {
  const { transactions, settle } = settling();
  const share = sharingSettlements({ settle });
  const settlements = [settlementOf('a'), settlementOf('b', ['k']), settlementOf('c'), settlementOf('d', ['k'])];
  await Promise.all(settlements.map(share));
  expect(transactions).toHaveLength(2);
  expect(transactions).toEqual(
    expect.arrayContaining([
      ['a', 'c'],
      ['b', 'd'],
    ]),
  );
});

// A statement of megabytes holds up every other one of its connection, and its text stands in memory three times.
it('a statement is cut by the bytes that the provider said of the records', async () => {
  const { transactions, settle } = settling();
  const share = sharingSettlements({ settle });
  const refused = (operationId: string, error: { text: string; problems?: { message: string }[] }): Settlement => ({
    ...settlementOf(operationId),
    records: Array.from({ length: 100 }, (_, index) => ({
      index,
      kind: 'failed',
      error: { class: 'rejected', ...error },
    })),
  });
  const long = { text: 'x'.repeat(6_000) };
  const many = { text: '', problems: Array.from({ length: 20 }, () => ({ message: 'is refused' })) };
  await Promise.all([refused('a', long), refused('b', long), settlementOf('c')].map(share));
  await Promise.all([refused('d', many), refused('e', many)].map(share));
  expect(transactions).toEqual([['a'], ['b', 'c'], ['d'], ['e']]);
});

// A late reply and the current one: the statement would change one row twice.
it('two settlements of one call are never in one statement', async () => {
  const { transactions, settle } = settling();
  const share = sharingSettlements({ settle });
  await Promise.all([settlementOf('a'), settlementOf('b'), settlementOf('a')].map(share));
  expect(transactions.map((ids) => ids.filter((id) => id === 'a'))).toEqual([['a'], ['a']]);
});

// Callers announce what their settlement released, and ignore the result of a lost lease.
it('returns to each the result of its own, and what was released to the first that kept its lease', async () => {
  const reason = new DependencyError({ code: 'service.unavailable', detail: 'away' });
  const answers: Record<string, SettlingAnswer> = { failed: reason, late: { isHeld: false } };
  const { settle } = settling((id) => (id === 'refused' ? undefined : (answers[id] ?? { isHeld: true })));
  const share = sharingSettlements({ settle });
  const settlements = ['refused', 'failed', 'late', 'first', 'second'].map((id) => settlementOf(id));
  expect(await Promise.all(settlements.map(share))).toEqual([
    undefined,
    reason,
    { isHeld: false, released: [] },
    { isHeld: true, released },
    { isHeld: true, released: [] },
  ]);
});
