import type { Connector, FindCreated, FoundCreated } from '@sluice/connectors';
import type { FailureClass } from '@sluice/errors';
import type { ClaimedCall, Doubt, Evidence, RecordSettlement } from '@sluice/store';
import { claimedCall, connector, failure, live, sendable } from '../../test/builders';
import { reconcileCall, type ReconcileInput } from './reconcile-call';
import type { Sendable } from './attempt';

/** Lease and call timeout. With the late commit of 30 s a lookup is conclusive 36.25 s after the last send. */
const senderMs = 36_000;
const windowMs = 36_250;
const firstSentAt = new Date('2026-11-20T10:00:00Z');

const create = (o: Partial<Omit<Sendable, 'write'>> = {}): Sendable =>
  sendable({ sendState: 'sent', firstSentAt, ...o, write: { type: 'create' } });
const update = (o: Partial<Omit<Sendable, 'write'>> = {}): Sendable =>
  sendable({ sendState: 'sent', firstSentAt, ...o });

const match = (recordId: string) => ({ recordId, createdAt: firstSentAt, data: {} });
const found = (...ids: string[]): FoundCreated => ({ kind: 'found', consistent: true, matches: ids.map(match) });
const none: FoundCreated = { kind: 'none', consistent: true };
const notVisible: FoundCreated = { kind: 'none', consistent: false };
const noLookup: FoundCreated = { kind: 'cannot-look-up', reason: 'no field to look by', consistent: false };
const failedLookup = (each: FailureClass): FoundCreated => {
  return {
    kind: 'cannot-look-up',
    reason: 'it failed',
    consistent: true,
    failure: failure({ class: each, scope: 'call' }),
  };
};

interface Scene extends Partial<Pick<ReconcileInput, 'timeScale' | 'random' | 'refresh' | 'takeQuota'>> {
  readonly records: readonly Sendable[];
  readonly call?: Partial<ClaimedCall>;
  readonly doubt?: Partial<Doubt>;
  /** What the provider shows, per record that is looked for. */
  readonly shows?: readonly FoundCreated[];
  readonly claimed?: readonly string[];
  /** What unsettled creates of other calls have sent. */
  readonly rivals?: { readonly plans: readonly string[]; readonly isWhole?: boolean };
  readonly provider?: Partial<Connector>;
}

/** Runs one reconciliation in this scene; returns its lookups and its lookups of claims. */
async function reconcile(o: Scene) {
  const finds: FindCreated[] = [];
  const reads: string[][] = [];
  const windows: number[] = [];
  const findCreated = (find: FindCreated): Promise<FoundCreated[]> => {
    finds.push(find);
    return Promise.resolve(find.records.map((_, at) => o.shows?.[at] ?? none));
  };
  const store = {
    readDoubt: (_: ClaimedCall, openMs: number) => {
      windows.push(openMs);
      return Promise.resolve({ sinceSentMs: windowMs, evidence: [], openTwins: [], twinIds: [], ...o.doubt });
    },
    findRivals: () => Promise.resolve({ plans: [], isWhole: true, ...o.rivals }),
    findClaimedIds: (_: ClaimedCall, ids: readonly string[]) => {
      reads.push([...ids]);
      return Promise.resolve(new Set(ids.filter((id) => o.claimed?.includes(id))));
    },
  };
  const { settlement, lookup } = await reconcileCall(store, {
    call: claimedCall({ type: 'create', isInDoubt: true, ...o.call }),
    records: o.records,
    connector: connector({ findCreated, ...o.provider }),
    live: live(),
    signal: new AbortController().signal,
    senderMs,
    timeScale: o.timeScale ?? 1,
    random: o.random ?? (() => 0),
    ...(o.refresh && { refresh: o.refresh }),
    ...(o.takeQuota && { takeQuota: o.takeQuota }),
  });
  return { settlement, lookup, finds, reads, windows };
}

const settled = async (o: Scene) => (await reconcile(o)).settlement;
const inDoubt = (index = 0) => ({ index, kind: 'again', sendState: 'maybe' });
const sendAgain = (index = 0) => ({ index, kind: 'again', sendState: 'none' });
const adopted = (index: number, providerId: string) => ({ index, kind: 'succeeded', providerId, isAdopted: true });
const duplicateText =
  'Outcome unknown: the provider may have written the record. It was not sent again, to avoid a duplicate.';

const newest = (settlement: RecordSettlement): Evidence => ({ settlement, isNewest: true });
const older = (settlement: RecordSettlement): Evidence => ({ settlement, isNewest: false });

describe('evidence: replies that lost their fence', () => {
  const success: RecordSettlement = { index: 0, kind: 'succeeded', providerId: '77' };
  const refusal: RecordSettlement = { index: 0, kind: 'failed', error: { class: 'rejected', text: 'no' } };

  it.each<[what: string, evidence: RecordSettlement]>([
    ['a success', success],
    ['a refusal', refusal],
  ])('%s settles without a lookup', async (_, evidence) => {
    const { settlement, finds } = await reconcile({ records: [create()], doubt: { evidence: [newest(evidence)] } });
    expect(settlement).toMatchObject({ records: [evidence], next: { state: 'done' }, isCreate: true });
    expect(finds).toEqual([]);
  });

  it('a success beats a later refusal: the first attempt made the record', async () => {
    const settlement = await settled({ records: [create()], doubt: { evidence: [newest(refusal), older(success)] } });
    expect(settlement.records).toEqual([success]);
  });

  it('an old refusal says nothing of a later attempt', async () => {
    const settlement = await settled({
      records: [create()],
      doubt: { evidence: [older(refusal)] },
      shows: [found('9')],
    });
    expect(settlement.records).toEqual([adopted(0, '9')]);
  });

  it('a record that the newest attempt could not apply is sent again, without a lookup', async () => {
    const notApplied = { index: 0, kind: 'again', sendState: 'none' } as const;
    const { settlement, finds } = await reconcile({ records: [create()], doubt: { evidence: [newest(notApplied)] } });
    expect(settlement).toMatchObject({ records: [notApplied], next: { state: 'ready' } });
    expect(finds).toEqual([]);
  });

  it("leaves a record that an equal create's reply named to that one", async () => {
    const settlement = await settled({ records: [create()], shows: [found('9')], doubt: { twinIds: ['9'] } });
    expect(settlement.records).toEqual([sendAgain()]);
  });

  // The sender of a lost reply does not know the outcome either, so it is looked up at the provider.
  it.each<[what: string, evidence: RecordSettlement]>([
    ['an outcome unknown to the sender', { index: 0, kind: 'unknown', error: { class: 'timeout', text: 'slow' } }],
    ['a record that was to be tried again', { index: 0, kind: 'again', sendState: 'maybe' }],
    ['a reply about another record', { index: 5, kind: 'succeeded', providerId: '77' }],
  ])('%s proves nothing', async (_, evidence) => {
    const { settlement, finds } = await reconcile({
      records: [create()],
      doubt: { evidence: [newest(evidence)] },
      shows: [found('9')],
    });
    expect(finds).toHaveLength(1);
    expect(settlement.records).toEqual([adopted(0, '9')]);
  });

  it('settles an update too', async () => {
    const settlement = await settled({
      records: [update()],
      call: { type: 'update' },
      doubt: { evidence: [newest(success)] },
    });
    expect(settlement).toMatchObject({ records: [success], next: { state: 'done' }, orderKeys: ['l1/contacts/r0'] });
  });

  it('is looked for only where there is none', async () => {
    const { settlement, finds } = await reconcile({
      records: [create(), create({ index: 1 })],
      doubt: { evidence: [newest(success)] },
      shows: [found('9')],
    });
    expect(finds[0]?.records).toEqual([{ fields: { email: '1@example.com' }, since: firstSentAt }]);
    expect(settlement.records).toEqual([success, adopted(1, '9')]);
  });
});

describe('looking', () => {
  it('adopts what is found, at once', async () => {
    const { settlement, reads } = await reconcile({
      records: [create()],
      doubt: { sinceSentMs: 0 },
      shows: [found('9')],
    });
    expect(settlement).toMatchObject({ records: [adopted(0, '9')], next: { state: 'done' } });
    expect(settlement).not.toHaveProperty('attempt');
    expect(reads).toEqual([['9']]);
  });

  it('checks once who owns a record that several lookups found', async () => {
    const records = [create(), create({ index: 1 })];
    const { reads } = await reconcile({ records, shows: [found('9'), found('9', '10')], doubt: { sinceSentMs: 0 } });
    expect(reads).toEqual([['9', '10']]);
  });

  // An equal create is open for as long as one of these might still be.
  it('asks for equal creates over the longest window of its records', async () => {
    const visibilityMs = (_: string, fields: object) => (JSON.stringify(fields).includes('1@') ? 30_000 : 0);
    const { windows } = await reconcile({ records: [create(), create({ index: 1 })], provider: { visibilityMs } });
    expect(windows).toEqual([windowMs + 30_000]);
  });

  it('never adopts what another create has claimed', async () => {
    const settlement = await settled({ records: [create()], shows: [found('9', '10')], claimed: ['9'] });
    expect(settlement.records).toEqual([adopted(0, '10')]);
    const all = await settled({ records: [create()], shows: [found('9')], claimed: ['9'] });
    expect(all.records).toEqual([sendAgain()]);
  });

  // The other can have no other record: it would be sent again, and made twice.
  it.each([true, false])('says what creates of others have sent, and if that is all: %s', async (isWhole) => {
    const rivals = { plans: ['{"fields":{"lastname":"Ito"}}'], isWhole };
    const { finds } = await reconcile({ records: [create()], rivals });
    expect(finds[0]).toMatchObject({ others: [{ lastname: 'Ito' }], othersAreWhole: isWhole });
  });

  it('leaves a record to the one that can have no other', async () => {
    const ito = sendable({ sendState: 'sent', firstSentAt, write: { type: 'create', fields: { lastname: 'Ito' } } });
    const ana = { type: 'create' as const, fields: { lastname: 'Ito', firstname: 'Ana' } };
    const records = [ito, sendable({ index: 1, sendState: 'sent', firstSentAt, write: ana })];
    const settlement = await settled({ records, shows: [found('9', '10'), found('9')] });
    expect(settlement.records).toEqual([adopted(0, '10'), adopted(1, '9')]);
    // One of the two was not written: the record has all the fields of the second, so it is the second's.
    const one = await settled({ records, shows: [found('9'), found('9')] });
    expect(one.records).toEqual([sendAgain(0), adopted(1, '9')]);
  });

  // A stream of equal creates goes on: what was made after our last moment is another's.
  it('never adopts what was made after the call can have been carried out', async () => {
    const lastSentAt = new Date(+firstSentAt + 1_000);
    const madeAfterMs = (ms: number): FoundCreated => ({
      kind: 'found',
      consistent: true,
      matches: [{ ...match('9'), createdAt: new Date(+lastSentAt + ms) }],
    });
    const at = (ms: number) =>
      settled({ records: [create()], shows: [madeAfterMs(ms)], doubt: { sinceSentMs: 90_000, lastSentAt } });
    expect((await at(senderMs + 10_000)).records).toEqual([adopted(0, '9')]);
    expect((await at(senderMs + 10_001)).records).toEqual([sendAgain()]);
  });

  it('gives equal creates of a call one record each', async () => {
    const records = [create(), create({ index: 1 }), create({ index: 2 })];
    const both = found('9', '10');
    const settlement = await settled({ records, shows: [both, both, both], doubt: { sinceSentMs: 1_000 } });
    expect(settlement.records).toEqual([adopted(0, '9'), adopted(1, '10'), inDoubt(2)]);
    expect(settlement.next).toEqual({ state: 'in_doubt', delayMs: 1_000 });
  });

  // An equal create that is being sent at this moment may be the one that made the record.
  it.each([[found('9')], [none], [notVisible]])('waits for an equal create that is running (%j)', async (shown) => {
    const settlement = await settled({ records: [create()], shows: [shown], doubt: { openTwins: [0] } });
    expect(settlement.records).toEqual([inDoubt()]);
    expect(settlement.next.state).toBe('in_doubt');
  });

  it('waits only with the record that has such a twin', async () => {
    const records = [create(), create({ index: 1 })];
    const shows = [found('9'), found('10')];
    expect((await settled({ records, shows, doubt: { openTwins: [1] } })).records).toEqual([
      adopted(0, '9'),
      inDoubt(1),
    ]);
  });

  it('keeps a call in doubt as long as one of its records is', async () => {
    const records = [create({ sendState: 'none' }), create({ index: 1 })];
    const settlement = await settled({ records, shows: [none], doubt: { sinceSentMs: 0 } });
    expect(settlement.records).toEqual([sendAgain(0), inDoubt(1)]);
    expect(settlement.next).toEqual({ state: 'in_doubt', delayMs: 1_000 });
  });

  it('does not look up a record that was never sent: it is sent', async () => {
    const { settlement, finds } = await reconcile({
      records: [create({ sendState: 'none' }), create({ index: 1 })],
      shows: [found('9')],
    });
    expect(finds[0]?.records).toHaveLength(1);
    expect(settlement.records).toEqual([sendAgain(0), adopted(1, '9')]);
    expect(settlement.next).toEqual({ state: 'ready', delayMs: 0 });
  });
});

// No record counts as "not created" before the last byte can have left, been committed and become visible.
describe('the window', () => {
  it.each<[what: string, shown: FoundCreated]>([
    ['nothing is found', none],
    ['nothing is found in an index that lags', notVisible],
    ['there is nothing to look by', noLookup],
  ])('keeps a create in doubt while it is open and %s', async (_, shown) => {
    const settlement = await settled({ records: [create()], shows: [shown], doubt: { sinceSentMs: windowMs - 1 } });
    expect(settlement.records).toEqual([inDoubt()]);
  });

  it('adds the time that a committed record stays invisible', async () => {
    const provider = { visibilityMs: () => 30_000 };
    const at = (sinceSentMs: number) =>
      settled({ records: [create()], shows: [notVisible], doubt: { sinceSentMs }, provider });
    expect((await at(windowMs + 29_999)).records).toEqual([inDoubt()]);
    expect((await at(windowMs + 30_000)).records[0]?.kind).toBe('unknown');
  });

  // Bytes may leave at the lease's end, and a slow provider commits only then.
  it('waits out a late commit that is longer than the call may take', async () => {
    const capabilities = { ...connector().capabilities, lateCommitMs: 600_000 };
    const at = (sinceSentMs: number) =>
      settled({ records: [create()], doubt: { sinceSentMs }, provider: { capabilities } });
    expect((await at(606_249)).records).toEqual([inDoubt()]);
    expect((await at(606_250)).records).toEqual([sendAgain()]);
  });

  it("is the provider's part divided by the time scale, never the sender's", async () => {
    const provider = { visibilityMs: () => 30_000 };
    const at = (sinceSentMs: number) =>
      settled({ records: [create()], doubt: { sinceSentMs }, provider, timeScale: 60 });
    expect((await at(windowMs + 499)).records).toEqual([inDoubt()]);
    expect((await at(windowMs + 500)).records).toEqual([sendAgain()]);
  });
});

describe('after the window', () => {
  it('sends again only where looking is consistent', async () => {
    const settlement = await settled({ records: [create()], shows: [none] });
    expect(settlement).toMatchObject({ records: [sendAgain()], next: { state: 'ready', delayMs: 0 }, orderKeys: [] });
  });

  it.each<[what: string, shown: FoundCreated]>([
    ['the index lags', notVisible],
    ['there is nothing to look by', noLookup],
  ])('ends as unknown where %s', async (_, shown) => {
    const settlement = await settled({ records: [create()], shows: [shown] });
    expect(settlement.records).toEqual([
      { index: 0, kind: 'unknown', error: { class: 'unknown', text: duplicateText } },
    ]);
    expect(settlement).toMatchObject({ next: { state: 'done' } });
    expect(settlement).not.toHaveProperty('barrierMs');
  });

  it('ends as unknown where the provider offers no lookup at all', async () => {
    const { settlement } = await reconcileCall(
      {
        readDoubt: () => Promise.resolve({ sinceSentMs: windowMs, evidence: [], openTwins: [], twinIds: [] }),
        findRivals: () => Promise.resolve({ plans: [], isWhole: true }),
        findClaimedIds: () => Promise.resolve(new Set<string>()),
      },
      {
        call: claimedCall({ type: 'create' }),
        records: [create()],
        connector: connector(),
        live: live(),
        signal: new AbortController().signal,
        senderMs,
        timeScale: 1,
      },
    );
    expect(settlement.records).toMatchObject([{ kind: 'unknown' }]);
  });

  // A workflow or a trigger may have changed our own record: neither a resend nor an adoption would be safe.
  describe('when the provider has a record that is like it', () => {
    const near: FoundCreated = { kind: 'none', consistent: true, near: ['9'] };
    const nearText =
      'Outcome unknown: the provider may have written the record. It was not sent again, because the provider has a record that is like it.';

    it('ends as unknown', async () => {
      const [record] = (await settled({ records: [create()], shows: [near] })).records;
      expect(record).toEqual({ index: 0, kind: 'unknown', error: { class: 'unknown', text: nearText } });
    });

    it('ends as unknown also after a conflict: the record may be its own', async () => {
      const lastError = { class: 'conflict', text: 'Contact already exists' };
      const [record] = (await settled({ records: [create({ lastError })], shows: [near] })).records;
      expect(record).toMatchObject({ kind: 'unknown' });
    });

    it('sends again when another create made that one', async () => {
      const { settlement, reads } = await reconcile({ records: [create()], shows: [near], claimed: ['9'] });
      expect(settlement.records).toEqual([sendAgain()]);
      expect(reads).toEqual([['9']]);
    });

    describe('and one that is equal', () => {
      const both = { ...found('8'), near: ['9'] };

      it('ends as unknown when the equal one is another create’s', async () => {
        const { settlement, reads } = await reconcile({ records: [create()], shows: [both], claimed: ['8'] });
        expect(settlement.records).toEqual([
          { index: 0, kind: 'unknown', error: { class: 'unknown', text: nearText } },
        ]);
        expect(reads).toEqual([['8', '9']]);
      });

      it('sends again when other creates made both, and takes the equal one where nobody did', async () => {
        const again = await settled({ records: [create()], shows: [both], claimed: ['8', '9'] });
        expect(again.records).toEqual([sendAgain()]);
        expect((await settled({ records: [create()], shows: [both] })).records).toEqual([adopted(0, '8')]);
      });
    });

    it('ends as unknown when the equal records found belong to others and there are more', async () => {
      const part: FoundCreated = { kind: 'found', consistent: false, matches: [match('9')] };
      const { records } = await settled({ records: [create()], shows: [part], claimed: ['9'] });
      expect(records).toEqual([{ index: 0, kind: 'unknown', error: { class: 'unknown', text: duplicateText } }]);
    });

    it('sends again when another record of the call takes that one', async () => {
      const settlement = await settled({ records: [create(), create({ index: 1 })], shows: [near, found('9')] });
      expect(settlement.records).toEqual([sendAgain(0), adopted(1, '9')]);
    });
  });

  // All or none: one that was written implies the others, so a missing one is hidden and not missing.
  it('sends nothing of an atomic batch again of which a record was found', async () => {
    const records = [create(), create({ index: 1 })];
    const call = { allOrNone: true };
    const [, missing] = (await settled({ records, call, shows: [found('9'), none] })).records;
    expect(missing).toMatchObject({
      kind: 'unknown',
      error: { text: expect.stringContaining('all or none') as string },
    });
    expect((await settled({ records, call })).records).toEqual([sendAgain(0), sendAgain(1)]);
    const capabilities = { ...connector().capabilities, allOrNone: { create: false, update: false } };
    const partial = await settled({ records, call, shows: [found('9'), none], provider: { capabilities } });
    expect(partial.records[1]).toEqual(sendAgain(1));
  });

  it('does not send again after the deadline', async () => {
    const settlement = await settled({ records: [create({ leftMs: 0 })], shows: [none] });
    const text = 'The provider did not write the record before it was too late to send it again.';
    expect(settlement.records).toEqual([{ index: 0, kind: 'failed', error: { class: 'deadline', text } }]);
  });

  it('adopts also after the deadline: a deadline stops sends, never reconciliation', async () => {
    const settlement = await settled({ records: [create({ leftMs: -999_999 })], shows: [found('9')] });
    expect(settlement.records).toEqual([adopted(0, '9')]);
  });

  it('says what the last attempt met', async () => {
    const lastError = { class: 'timeout', text: 'HubSpot sent no reply' };
    const settlement = await settled({ records: [create({ lastError })], shows: [notVisible] });
    expect(settlement.records[0]).toMatchObject({
      error: { text: `${duplicateText} Last error: HubSpot sent no reply` },
    });
  });
});

describe('a lookup that fails', () => {
  it.each<[FailureClass, delayMs: number]>([
    ['unavailable', 60_000],
    ['quota', 10_000],
    ['timeout', 60_000],
    ['credentials', 60_000],
  ])('is made again after %s', async (each, delayMs) => {
    const settlement = await settled({
      records: [create()],
      shows: [failedLookup(each)],
      doubt: { sinceSentMs: 600_000 },
    });
    expect(settlement.records).toEqual([inDoubt()]);
    expect(settlement.next).toEqual({ state: 'in_doubt', delayMs });
  });

  // A token that may write but not read would otherwise keep the operation open for ever.
  it.each<[FailureClass]>([['forbidden'], ['rejected']])(
    'ends as unknown after %s, when the window is over',
    async (each) => {
      const o: Scene = { records: [create()], shows: [failedLookup(each)] };
      expect((await settled(o)).records).toMatchObject([{ kind: 'unknown' }]);
      expect((await settled({ ...o, doubt: { sinceSentMs: 1_000 } })).records).toEqual([inDoubt()]);
    },
  );

  it('is given up an hour after the deadline', async () => {
    const at = (leftMs: number, timeScale = 1) => {
      return settled({ records: [create({ leftMs })], shows: [failedLookup('unavailable')], timeScale });
    };
    expect((await at(-3_599_999)).records).toEqual([inDoubt()]);
    expect((await at(-3_600_000)).records).toMatchObject([{ kind: 'unknown' }]);
    expect((await at(-60_000, 60)).records).toMatchObject([{ kind: 'unknown' }]);
  });
});

// The last attempt was refused because such a record exists: did an earlier attempt create it?
describe('a create that collided with a record', () => {
  const lastError = { class: 'conflict', text: 'Contact already exists' };

  it('adopts it when an earlier attempt made it', async () => {
    const settlement = await settled({ records: [create({ lastError })], shows: [found('9')] });
    expect(settlement.records).toEqual([adopted(0, '9')]);
  });

  it.each([[none], [notVisible], [noLookup], [found('9')]])(
    'fails with the refusal when it did not (%j)',
    async (shown) => {
      const settlement = await settled({ records: [create({ lastError })], shows: [shown], claimed: ['9'] });
      expect(settlement).toMatchObject({
        records: [{ index: 0, kind: 'failed', error: lastError }],
        next: { state: 'done' },
      });
    },
  );

  it('keeps the refusal in mind while it waits', async () => {
    const settlement = await settled({ records: [create({ lastError })], doubt: { sinceSentMs: 0 } });
    expect(settlement.records).toEqual([{ ...inDoubt(), error: lastError }]);
  });
});

describe('an update in doubt', () => {
  it('is sent again: absolute values may be written twice', async () => {
    const { settlement, finds } = await reconcile({
      records: [update()],
      call: { type: 'update' },
      doubt: { sinceSentMs: 0 },
    });
    expect(settlement).toMatchObject({ records: [inDoubt()], next: { state: 'ready', delayMs: 0 }, orderKeys: [] });
    expect(finds).toEqual([]);
  });

  it.each<[why: string, call: Partial<ClaimedCall>, leftMs: number, text: RegExp]>([
    ['its caller has gone', { mode: 'synchronous' }, 0, /^Outcome unknown: .*because its caller no longer waits\.$/],
    ['its deadline has passed', {}, 0, /^Outcome unknown: .*because its retry deadline has passed\.$/],
  ])('ends as unknown when %s, and holds back the next write', async (_, call, leftMs, text) => {
    const settlement = await settled({ records: [update({ leftMs })], call: { type: 'update', ...call } });
    expect(settlement.records).toMatchObject([
      { kind: 'unknown', error: { class: 'unknown', text: expect.stringMatching(text) as string } },
    ]);
    expect(settlement).toMatchObject({ next: { state: 'done' }, orderKeys: ['l1/contacts/r0'], barrierMs: 30_000 });
  });
});

it('holds back the next writes when the end of one update of several is unknown', async () => {
  const evidence: RecordSettlement[] = [{ index: 0, kind: 'succeeded', providerId: 'r0' }];
  const records = [update(), update({ index: 1, leftMs: 0 })];
  const settlement = await settled({ records, call: { type: 'update' }, doubt: { evidence: evidence.map(newest) } });
  expect(settlement.records.map((record) => record.kind)).toEqual(['succeeded', 'unknown']);
  expect(settlement.barrierMs).toBe(30_000);
});

// A half of a batch that was refused whole may be in doubt without having been sent.
describe('what was never sent', () => {
  it.each<[mode: 'asynchronous' | 'synchronous', type: 'create' | 'update', record: object]>([
    ['asynchronous', 'create', sendAgain()],
    ['asynchronous', 'update', sendAgain()],
    ['synchronous', 'create', { kind: 'failed', error: { class: 'deadline' } }],
    ['synchronous', 'update', { kind: 'failed', error: { class: 'deadline' } }],
  ])('of an %s %s', async (mode, type, record) => {
    const made = type === 'create' ? create({ sendState: 'none' }) : update({ sendState: 'none' });
    const { settlement, finds } = await reconcile({ records: [made], call: { mode, type } });
    expect(settlement.records).toMatchObject([record]);
    expect(finds).toEqual([]);
  });

  it('is not sent after a reply that says so either, when nobody waits for it', async () => {
    const evidence = [newest({ index: 0, kind: 'again', sendState: 'none' })];
    const settlement = await settled({ records: [create()], call: { mode: 'synchronous' }, doubt: { evidence } });
    expect(settlement).toMatchObject({ records: [{ kind: 'failed' }], next: { state: 'done' } });
  });
});

// Nobody waits for it any more, so it is never sent again.
describe('a synchronous create', () => {
  const call = { mode: 'synchronous' as const };

  it.each<[shown: FoundCreated, record: object]>([
    [found('9'), adopted(0, '9')],
    [none, { kind: 'failed', error: { class: 'deadline' } }],
    [notVisible, { kind: 'unknown' }],
    [noLookup, { kind: 'unknown' }],
  ])('ends after the window (%j)', async (shown, record) => {
    const settlement = await settled({ records: [create({ leftMs: -40_000 })], call, shows: [shown] });
    expect(settlement.records).toMatchObject([record]);
    expect(settlement.next).toEqual({ state: 'done' });
  });
});

describe('the next lookup', () => {
  const delayAt = async (sinceSentMs: number, o: Partial<Scene> = {}) => {
    const { next } = await settled({ records: [create()], doubt: { sinceSentMs }, ...o });
    return 'delayMs' in next ? next.delayMs : undefined;
  };

  it.each([
    [0, 1_000],
    [500, 1_000],
    [4_000, 2_000],
    [20_000, 10_000],
    [30_000, windowMs - 30_000 + 50],
    [36_000, 300],
  ])('%i ms after the last send comes in %i ms', async (sinceSentMs, delayMs) => {
    expect(await delayAt(sinceSentMs)).toBe(delayMs);
  });

  it('comes every minute while lookups fail after the window', async () => {
    expect(await delayAt(900_000, { shows: [failedLookup('unavailable')] })).toBe(60_000);
    expect(await delayAt(900_000, { shows: [failedLookup('unavailable')], timeScale: 60 })).toBe(10_000);
  });

  it('comes no sooner than the provider says', async () => {
    const error = failure({ class: 'quota', scope: 'lane', retryAfterMs: 900_000 });
    const refused: FoundCreated = { kind: 'cannot-look-up', reason: 'daily limit', consistent: true, failure: error };
    expect(await delayAt(4_000, { shows: [refused] })).toBe(900_000);
  });

  // About ten lookups, however long the window: each costs the customer's quota.
  it('is spread over a long window', async () => {
    const capabilities = { ...connector().capabilities, lateCommitMs: 600_000 };
    expect(await delayAt(300_000, { provider: { capabilities } })).toBe(60_625);
  });

  // Two equal creates that are looked for together wait for each other, so they must not stay in step.
  it('is spread', async () => {
    expect(await delayAt(4_000, { random: () => 0.5 })).toBe(2_250);
  });
});
