import type {
  BatchCreate,
  BatchUpdate,
  Connector,
  CreateWrite,
  ObservedExchange,
  RecordResult,
  UpdateWrite,
} from '@sluice/connectors';
import { DefectError, ProviderError } from '@sluice/errors';
import type { ClaimedCall } from '@sluice/store';
import { claimedCall, connector, failure, hubspotLike, live, sendable, type SendableParts } from '../../test/builders';
import { performCall } from './perform-call';
import type { CallToPerform, Sendable } from './attempt';

const hold = { signal: new AbortController().signal, mayStillSend: () => true };
const auth = { accessToken: 't4' };

type Sent =
  ['create', CreateWrite] | ['createBatch', BatchCreate] | ['update', UpdateWrite] | ['updateBatch', BatchUpdate];

/** A provider that writes everything, says so with its exchange, and remembers what it was sent. */
function writing(exchange?: ObservedExchange) {
  const sent: Sent[] = [];
  const observed = (write: { observe?: (exchange: ObservedExchange) => void }): void => {
    if (exchange !== undefined) write.observe?.(exchange);
  };
  const methods = {
    create: (write: CreateWrite): Promise<RecordResult> => {
      sent.push(['create', write]);
      observed(write);
      return Promise.resolve({ ok: true, recordId: 'new' });
    },
    createBatch: (write: BatchCreate): Promise<RecordResult[]> => {
      sent.push(['createBatch', write]);
      return Promise.resolve(write.records.map((_, at) => ({ ok: true, recordId: `new${at}` })));
    },
    update: (write: UpdateWrite): Promise<RecordResult> => {
      sent.push(['update', write]);
      return Promise.resolve({ ok: true, recordId: write.recordId });
    },
    updateBatch: (write: BatchUpdate): Promise<RecordResult[]> => {
      sent.push(['updateBatch', write]);
      return Promise.resolve(write.records.map(({ recordId }) => ({ ok: true, recordId })));
    },
  };
  return { sent, methods };
}

function perform(
  provider: Partial<Connector>,
  records: readonly Sendable[],
  o: Partial<ClaimedCall> & { mayStillSend?: () => boolean } & Pick<CallToPerform, 'findClaimed'> = {},
) {
  const { mayStillSend = hold.mayStillSend, findClaimed, ...call } = o;
  return performCall({
    call: claimedCall(call),
    records,
    connector: connector(provider),
    live: live(),
    hold: { ...hold, mayStillSend },
    ...(findClaimed && { findClaimed }),
  });
}

const create = (index: number, o: Partial<Sendable['write']> = {}) =>
  sendable({ index, write: { type: 'create', ...o } });

describe('one provider call', () => {
  it('creates one record', async () => {
    const { sent, methods } = writing();
    const associations = [
      { to: { id: '1' }, types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 1 }] },
    ];
    const { results } = await perform(methods, [create(0, { associations })], { type: 'create' });
    expect(results).toEqual([{ ok: true, recordId: 'new' }]);
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject([
      'create',
      {
        auth,
        objectName: 'contacts',
        fields: { email: '0@example.com' },
        associations,
        traceparent: claimedCall().traceparent,
      },
    ]);
    expect(sent[0]?.[1].signal).toBe(hold.signal);
    expect(sent[0]?.[1]).not.toHaveProperty('headers');
  });

  it('creates several records in order, with allOrNone', async () => {
    const { sent, methods } = writing();
    const { results } = await perform(methods, [create(4), create(7)], { type: 'create', allOrNone: true });
    expect(results).toEqual([
      { ok: true, recordId: 'new0' },
      { ok: true, recordId: 'new1' },
    ]);
    expect(sent).toMatchObject([
      [
        'createBatch',
        { allOrNone: true, records: [{ fields: { email: '4@example.com' } }, { fields: { email: '7@example.com' } }] },
      ],
    ]);
  });

  // What is sent again without an answer to its earlier send must not become two records.
  it.each<[string, SendableParts, boolean]>([
    ['a first send', {}, false],
    ['an earlier send without an answer', { firstSentAt: new Date(), lastError: { class: 'timeout', text: '' } }, true],
    ['an earlier send of a process that died', { firstSentAt: new Date() }, true],
    ['a conflict that was looked for', { firstSentAt: new Date(), lastError: { class: 'conflict', text: '' } }, true],
    ['a refusal for the quota since', { firstSentAt: new Date(), lastError: { class: 'quota', text: '' } }, true],
    ['a 503 since', { firstSentAt: new Date(), lastError: { class: 'unavailable', text: '' } }, true],
  ])('passes %s to the connector', async (_, parts, isResend) => {
    const { sent, methods } = writing();
    const again = sendable({ ...parts, write: { type: 'create' } });
    await perform(methods, [again], { type: 'create' });
    await perform(methods, [create(1), { ...again, index: 2 }], { type: 'create' });
    const resends = sent.map(([, write]) => 'isResend' in write && write.isResend === true);
    expect(resends).toEqual([isResend, isResend]);
  });

  it.each<[string, number, boolean]>([
    ['the one send there was: nothing was written', 1, false],
    ['the last of two: the first may never have been answered', 2, true],
  ])('a refusal of %s', async (_, attempts, isResend) => {
    const { sent, methods } = writing();
    const refused = { firstSentAt: new Date(), lastError: { class: 'unavailable', text: '' } } as const;
    const again = sendable({ ...refused, write: { type: 'create' } });
    await perform(methods, [again], { type: 'create', attempts });
    expect(sent.map(([, write]) => 'isResend' in write && write.isResend === true)).toEqual([isResend]);
  });

  // A record that an earlier send created is not older than that; a record that was never sent needs no lookup.
  it('names the first send of each record of a resend', async () => {
    const { sent, methods } = writing();
    const of = (index: number, at: number) =>
      sendable({
        index,
        firstSentAt: new Date(at),
        lastError: { class: 'timeout', text: '' },
        write: { type: 'create' },
      });
    await perform(methods, [create(1), of(2, 9_000), of(3, 5_000)], { type: 'create' });
    const [[, write] = []] = sent as [string, BatchCreate][];
    expect(write).toMatchObject({ isResend: true });
    expect(write?.records.map(({ firstSentAt }) => firstSentAt?.getTime())).toEqual([undefined, 9_000, 5_000]);
  });

  // Nothing of a first send can be another create's, and a question costs a statement.
  it('lets a resend, and no first send, find which records belong to other creates', async () => {
    const { sent, methods } = writing();
    const findClaimed = async (ids: readonly string[]) => new Set(ids.slice(1));
    const again = sendable({ index: 2, firstSentAt: new Date(), write: { type: 'create' } });
    for (const records of [[create(1)], [again], [create(1), again]]) {
      await perform(methods, records, { type: 'create', findClaimed });
    }
    const lookups = sent.map(([, write]) => ('findClaimed' in write ? write.findClaimed : undefined));
    expect(await Promise.all(lookups.map(async (find) => await find?.(['8', '9'])))).toEqual([
      undefined,
      new Set(['9']),
      new Set(['9']),
    ]);
  });

  // The caller does not know the provider's names: it wrote contact_mail, and full.
  it.each([
    ['email: Email: a@b.co is taken; phone: is short', 'contact_mail: Email: a@b.co is taken; phone: is short'],
    ['name: is too short; email: is not valid', 'full: is too short; contact_mail: is not valid'],
    ["Property \"email\" isn't writable, nor 'name'", "Property \"contact_mail\" isn't writable, nor 'full'"],
    ['INVALID: no (fields: phone, email, name)', 'INVALID: no (fields: phone, contact_mail, full)'],
    ['bad: [{"name":"email","error":"INVALID_EMAIL"}]', 'bad: [{"name":"contact_mail","error":"INVALID_EMAIL"}]'],
    ['the email of somebody, name included', 'the email of somebody, name included'],
  ])('names fields as the caller did: %s', async (message, expected) => {
    const error = failure({ message });
    const refusing = { create: () => Promise.resolve<RecordResult>({ ok: false, error }) };
    const notes = [
      { field: 'contact_mail', providerField: 'email', reason: 'mapped', sent: true },
      { field: 'full', providerField: 'name', reason: 'mapped', sent: true },
    ];
    const record = sendable({ write: { type: 'create', notes } });
    const { results, attempt } = await perform(refusing, [record], { type: 'create' });
    expect(results).toEqual([{ ok: false, error: { ...error, message: expected } }]);
    expect(attempt.error?.text).toBe(expected);
  });

  it('updates one record', async () => {
    const { sent, methods } = writing();
    expect((await perform(methods, [sendable()])).results).toEqual([{ ok: true, recordId: 'r0' }]);
    expect(sent).toMatchObject([['update', { recordId: 'r0', fields: { email: '0@example.com' } }]]);
  });

  it('updates several records', async () => {
    const { sent, methods } = writing();
    await perform(methods, [sendable(), sendable({ index: 1 })]);
    expect(sent).toMatchObject([['updateBatch', { records: [{ recordId: 'r0' }, { recordId: 'r1' }] }]]);
  });

  it.each<[type: 'create' | 'update', method: string]>([
    ['create', 'createBatch'],
    ['update', 'updateBatch'],
  ])('sends one %s as a batch where the provider knows no single one', async (type, method) => {
    const { sent, methods } = writing();
    const { createBatch, updateBatch } = methods;
    await perform({ createBatch, updateBatch }, [sendable({ write: { type, recordId: 'r0' } })], { type });
    expect(sent.map(([name]) => name)).toEqual([method]);
  });

  it('forwards headers once for the call', async () => {
    const { sent, methods } = writing();
    const headers = [{ key: 'a', value: 'b' }];
    await perform(methods, [sendable({ write: { headers } }), sendable({ index: 1, write: { headers } })]);
    expect(sent[0]?.[1]).toMatchObject({ headers });
  });
});

describe('the attempt', () => {
  it('keeps the exchange, and no error when all is well', async () => {
    const quota = { limit: 190, windowMs: 10_000 };
    const { methods } = writing({ status: 201, providerRequestId: 'q1', durationMs: 5, quota });
    const performed = await perform(methods, [create(0)], { type: 'create' });
    expect(performed.attempt).toEqual({
      durationMs: expect.any(Number) as number,
      status: 201,
      providerRequestId: 'q1',
    });
    expect(performed.quota).toEqual(quota);
    expect(performed.attempt.durationMs).toBeLessThan(1_000);
  });

  it('keeps the first failure of a call', async () => {
    const results: RecordResult[] = [
      { ok: true, recordId: '1' },
      { ok: false, error: failure({ class: 'conflict', message: 'first' }) },
      { ok: false, error: failure({ message: 'second' }) },
    ];
    const updateBatch = () => Promise.resolve(results);
    const performed = await perform(
      { updateBatch },
      [0, 1, 2].map((index) => sendable({ index })),
    );
    expect(performed.results).toEqual(results);
    expect(performed.attempt).toEqual({
      durationMs: expect.any(Number) as number,
      error: { class: 'conflict', text: 'first' },
    });
    expect(performed).not.toHaveProperty('quota');
  });
});

describe('ifEmpty', () => {
  const filled = sendable({ index: 1, write: { fields: { phone: '1' }, ifEmpty: ['phone'] } });
  const readBatch = () => Promise.resolve([{ id: 'r1', fields: { phone: '9' }, raw: {} }]);

  // Design section 6: nothing left to write is a success without a call. Its slot in the results stays.
  it('makes no write for a record whose every field is filled', async () => {
    const { sent, methods } = writing();
    const { results } = await perform({ ...methods, readBatch }, [sendable(), filled, sendable({ index: 2 })]);
    expect(results.map((result) => result.ok && result.recordId)).toEqual(['r0', 'r1', 'r2']);
    expect(sent).toMatchObject([['updateBatch', { records: [{ recordId: 'r0' }, { recordId: 'r2' }] }]]);
  });

  it('makes no call at all when nothing is left', async () => {
    const { sent, methods } = writing();
    const { results, attempt } = await perform({ ...methods, readBatch }, [filled]);
    expect(results).toEqual([{ ok: true, recordId: 'r1' }]);
    expect(sent).toEqual([]);
    expect(attempt).not.toHaveProperty('error');
  });

  it.each([
    ['fails with an all-or-none batch that was rolled back', true, true, false],
    ['stands beside the failures of a batch that is written in part', false, true, true],
    ['stands where the provider knows no all-or-none', true, false, true],
  ])('a record that needs no call %s', async (_case, allOrNone, isOffered, expected) => {
    const refused = { ok: false, error: failure() } as const;
    const provider = {
      readBatch,
      updateBatch: ({ records }: BatchUpdate) => Promise.resolve(records.map(() => refused)),
      capabilities: { ...hubspotLike, allOrNone: { create: true, update: isOffered } },
    };
    const { results } = await perform(provider, [sendable(), filled, sendable({ index: 2 })], { allOrNone });
    expect(results.map((result) => result.ok)).toEqual([false, expected, false]);
  });

  it('does not write blindly when the read fails', async () => {
    const { sent, methods } = writing();
    const failing = () => Promise.reject(new ProviderError({ class: 'timeout', detail: 'slow' }));
    const { results, attempt } = await perform({ ...methods, readBatch: failing }, [sendable(), filled]);
    const notRead = { ok: false, error: { class: 'unavailable', message: 'slow', scope: 'call' } };
    expect(results).toEqual([notRead, notRead]);
    expect(attempt.error).toEqual({ class: 'unavailable', text: 'slow' });
    expect(sent).toEqual([]);
  });

  it('leaves out the record alone that could not be read, also where the call then goes on in parts', async () => {
    const unread = new ProviderError({ class: 'unavailable', detail: 'not this one' });
    const reading = () => Promise.resolve([unread]);
    const refused = { ok: false, error: failure({ class: 'rejected', scope: 'call', mayBeOneRecord: true }) } as const;
    const updateBatch = ({ records }: BatchUpdate) => Promise.resolve(records.map(() => refused));
    const records = [sendable(), filled, sendable({ index: 2 })];
    const { results, parts } = await perform({ readBatch: reading, updateBatch }, records);
    expect(results[1]).toMatchObject({ ok: false, error: { class: 'unavailable', scope: 'record' } });
    expect(parts).toEqual([[0], [2], [1]]);
    const { sent, methods } = writing();
    expect((await perform({ ...methods, readBatch: reading }, records)).results.map(({ ok }) => ok)).toEqual([
      true,
      false,
      true,
    ]);
    expect(sent).toMatchObject([['updateBatch', { records: [{ recordId: 'r0' }, { recordId: 'r2' }] }]]);
  });

  it('makes no call for an update without fields', async () => {
    const { sent, methods } = writing();
    const { results } = await perform(methods, [sendable({ write: { fields: {} } })]);
    expect(results).toEqual([{ ok: true, recordId: 'r0' }]);
    expect(sent).toEqual([]);
  });
});

// A process that was paused has lost its lease; somebody else may be sending this very write by now.
describe('the lease', () => {
  const notSent = {
    ok: false,
    error: { class: 'unavailable', message: 'Not sent: the lease of the call has run out.', scope: 'call' },
  };

  it('stops a send that comes too late', async () => {
    const { sent, methods } = writing();
    const { results } = await perform(methods, [create(0), create(1)], { type: 'create', mayStillSend: () => false });
    expect(results).toEqual([notSent, notSent]);
    expect(sent).toEqual([]);
  });

  it('is taken again after the read of ifEmpty fields', async () => {
    const { sent, methods } = writing();
    let isHeld = true;
    const readBatch = () => {
      isHeld = false;
      return Promise.resolve([undefined]);
    };
    const records = [sendable({ write: { ifEmpty: ['email'] } })];
    const { results } = await perform({ ...methods, readBatch }, records, { mayStillSend: () => isHeld });
    expect(results).toEqual([notSent]);
    expect(sent).toEqual([]);
  });
});

describe('a defect of our own', () => {
  it.each<[what: string, provider: Partial<Connector>, call: Partial<ClaimedCall>]>([
    ['the provider has no such method', {}, { type: 'create' }],
    ['several records and no batch', { update: writing().methods.update }, {}],
    ['a delete', writing().methods, { type: 'delete' }],
    ['fewer results than records', { updateBatch: () => Promise.resolve([]) }, {}],
  ])('%s', async (_, provider, call) => {
    await expect(perform(provider, [sendable(), sendable({ index: 1 })], call)).rejects.toThrow(DefectError);
  });
});
