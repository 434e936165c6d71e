import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@sluice/testkit';
import type { Reply } from '../../harness/api';
import type { Customer, Ground } from './ground';
import type { Ending, Kind, Loss, PromiseRow, WrittenObject } from './rows';

/** What a row came to: as its caller sees it, and as it stands at the provider. */
export interface Driven {
  /** Of each record, in the order of their letters; of a search whether it was answered. */
  readonly outcomes: readonly string[];
  /** An operation's result says that the outcome is unknown. */
  readonly isSaid: boolean;
  /** Records at the provider that carry the write. */
  readonly kept: number;
  /** Calls that carried it. */
  readonly sends: number;
  /** What a caller who waits is answered, when it is no success. */
  readonly reply?: Ending['reply'];
  /** A 429 says when to come again. */
  readonly hasWait?: boolean;
  /** What may be repeated, repeated at once; `held back`: 429 with a wait, and nothing sent. */
  readonly repeat?: 'succeeded' | 'held back' | 'other';
}

/** Of a call, on a machine that does much besides. */
export const callTimeoutMs = 5_000;
/** After its caller has left, and within the window: lease and timeout. */
const lateMs = 8_000;
const actions: Readonly<Record<Loss, object>> = {
  applied: { kind: 'commit-then-reset' },
  'not applied': { kind: 'reset-before' },
  'applied late': { kind: 'timeout', delayMs: lateMs, commit: 'last' },
  '500': { kind: 'commit-then-status', status: 500 },
  '503': { kind: 'status', status: 503 },
  '429': { kind: 'status', status: 429, retryAfterSeconds: 3 },
  // In no provider's words, and without any of their headers.
  '429, no wait': { kind: 'status', status: 429, body: '' },
};

/** Longest wait that a file names where a reply names none is a minute, and it is not shortened. */
const endedMs = 240_000;

interface Result {
  readonly operationId: string;
  readonly results?: readonly unknown[];
  readonly retryable?: boolean;
}

let driven = 0;

/** Makes the call of a row, with an account of its own whose first such call meets the loss. */
export async function drive(ground: Ground, row: PromiseRow, loss: Loss): Promise<Driven> {
  const { object, kind } = row;
  const mark = `promise-${(driven += 1)}`;
  const { customer, recordId } = await ground.prepared(async () => {
    const made = await ground.customer(object.file);
    const id = /^create|^collected/.test(kind) ? '' : await makeRecord(made, object, mark);
    await made.account.fault({ match: matchOf(object, kind), action: actions[loss] });
    return { customer: made, recordId: id };
  });
  const call: Call = { customer, object, kind, loss, mark, recordId };
  const before = await callsOf(customer, kind);
  return kind === 'search' ? await driveSearch(call, before) : await driveWrite(call, before);
}

interface Call {
  readonly customer: Customer;
  readonly object: WrittenObject;
  readonly kind: Kind;
  readonly loss: Loss;
  readonly mark: string;
  readonly recordId: string;
}

async function driveSearch(call: Call, before: number): Promise<Driven> {
  const sentAtMs = Date.now();
  const reply = await sendTaken(call);
  await lateCommit(call);
  const sends = (await callsOf(call.customer, 'search')) - before;
  const outcomes = [reply.status === 200 ? 'succeeded' : 'failed'];
  return { outcomes, isSaid: false, kept: 0, sends, ...replyOf(reply), ...(await repeat(call, { reply, sentAtMs })) };
}

async function driveWrite(call: Call, before: number): Promise<Driven> {
  const { customer, kind } = call;
  const sentAtMs = Date.now();
  const replies = await Promise.all(marksOf(call).map((mark) => sendTaken({ ...call, mark })));
  const [reply] = replies as [Reply<Result>];
  const operations = await Promise.all(
    [...new Set(replies.map(({ body }) => body.operationId))].map((operationId) => endedOf(customer, operationId)),
  );
  await lateCommit(call);
  const seen = {
    outcomes: operations.flatMap(({ outcomes }) => outcomes).toSorted(),
    isSaid: operations.some(({ isSaid }) => isSaid),
    kept: await keptOf(call),
    sends: (await callsOf(customer, kind)) - before,
    ...replyOf(reply),
  };
  const isRepeated = reply.status >= 400 && reply.body.retryable === true;
  return { ...seen, ...(isRepeated && (await repeat(call, { reply, sentAtMs }))) };
}

async function endedOf({ client }: Customer, operationId: string) {
  const { result } = await client.waitForOperation(operationId, { timeoutMs: endedMs });
  const { results } = await client.management.listOperationRecords({ operationId });
  return { outcomes: results.map(({ status }) => status), isSaid: /Outcome unknown: /.test(result ?? '') };
}

/** The call whose caller has gone is over, and stands in the ledger. */
async function lateCommit({ customer: { account }, loss }: Call): Promise<void> {
  if (loss !== 'applied late') return;
  const isOver = async () => (await account.calls()).some(({ fault }) => fault === 'timeout') || undefined;
  await until('the late commit', isOver, 60_000);
}

/** How a call was answered that is made again. */
interface First {
  readonly reply: Reply<Result>;
  readonly sentAtMs: number;
}

async function repeat(call: Call, first: First): Promise<Pick<Driven, 'repeat'>> {
  const { customer, kind } = call;
  const before = await callsOf(customer, kind);
  const reply = await sendTaken(call);
  const sends = (await callsOf(customer, kind)) - before;
  if (reply.status === 429 && sends === 0 && waitOf(reply) > 0) return { repeat: 'held back' };
  const there = kind === 'search' ? reply.body.results?.length : await keptOf(call);
  const isDone = reply.status === 200 && sends === 1 && there === 1;
  if (isDone && first.reply.status === 429) return { repeat: isWaitOver(first) ? 'held back' : 'other' };
  return { repeat: isDone ? 'succeeded' : 'other' };
}

/** On a slow machine the wait that the first reply named may be over: it is counted from when the provider refused. */
function isWaitOver({ reply, sentAtMs }: First): boolean {
  return Date.now() >= sentAtMs + waitOf(reply) * 1_000;
}

/** A 503 of ours, which a busy machine gives, took nothing on. */
async function sendTaken(call: Call, left = 5): Promise<Reply<Result>> {
  const reply = await send(call);
  if (reply.status !== 503 || left === 0) return reply;
  await sleep(1_000);
  return await sendTaken(call, left - 1);
}

/** None of these ends at its deadline: the usual hour is a minute here, which a slow machine may need for the tries. */
const hours = 48;

async function send({ customer, object, kind, mark, recordId }: Call): Promise<Reply<Result>> {
  const { objectName, sample } = object;
  const record = sample.record(mark);
  const retryPolicy = { deadlineHours: hours };
  const change = { id: recordId, ...sample.change };
  switch (kind) {
    case 'search': {
      const field = sample.searchField ?? sample.markField;
      return customer.search(objectName, { [field]: record[field] });
    }
    case 'create':
      return customer.write(objectName, { type: 'create', mode: 'asynchronous', retryPolicy, record });
    case 'collected':
      return customer.write(objectName, {
        type: 'create',
        mode: 'asynchronous',
        autoBatchPolicy: { maxDelayMinutes: 1, retryDeadlineHours: hours },
        record,
      });
    case 'create now':
      return customer.write(objectName, { type: 'create', mode: 'synchronous', record });
    case 'update':
      return customer.write(objectName, { type: 'update', mode: 'asynchronous', retryPolicy, record: change });
    default:
      return customer.write(objectName, { type: 'update', mode: 'synchronous', record: change });
  }
}

async function makeRecord(customer: Customer, { objectName, sample }: WrittenObject, mark: string): Promise<string> {
  const { status, body } = await customer.write<{ result: { recordId: string } }>(objectName, {
    type: 'create',
    record: sample.record(mark),
  });
  if (status !== 200) throw new Error(`not created: ${JSON.stringify(body)}`);
  return body.result.recordId;
}

const marksOf = ({ kind, mark }: Call): readonly string[] =>
  kind === 'collected' ? ['a', 'b', 'c'].map((each) => `${mark}-${each}`) : [mark];

/** Records that carry the write; of an update those with the new value. */
async function keptOf(call: Call): Promise<number> {
  const { customer, object, kind } = call;
  const { markField, change } = object.sample;
  const isUpdate = kind === 'update' || kind === 'update now';
  const marks = marksOf(call);
  const own = (await customer.account.records(object.objectName)).filter(({ fields }) =>
    marks.includes(String(fields[markField])),
  );
  const carries = (fields: Readonly<Record<string, unknown>>) =>
    Object.entries(change).every(([name, value]) => fields[name] === value);
  return own.filter(({ fields }) => !isUpdate || carries(fields)).length;
}

async function callsOf({ account }: Customer, kind: Kind): Promise<number> {
  if (kind !== 'search') return (await account.writes()).length;
  return (await account.calls()).filter(({ action }) => action === 'search').length;
}

function replyOf(reply: Reply<Result>): Pick<Driven, 'reply' | 'hasWait'> {
  const { status, body } = reply;
  if (status < 300) return {};
  const said = { status, isRetryable: body.retryable === true } as NonNullable<Ending['reply']>;
  return { reply: said, ...(status === 429 && { hasWait: waitOf(reply) > 0 }) };
}

/** Seconds; 0 where none are named. */
function waitOf({ headers }: Reply<Result>): number {
  return Number(headers.get('retry-after') ?? 0);
}

/** The calls of a kind, by what the file says of them: lookups are not disturbed. */
function matchOf({ file, objectName }: WrittenObject, kind: Kind): object {
  const { create, update, search } = file;
  const of = { create, collected: create, 'create now': create, update, 'update now': update, search }[kind];
  if (of === undefined) throw new Error(`${file.name} has no ${kind}`);
  const root = `/rest/${file.name}${file.baseUrl.replace(/^https?:\/\/[^/]+/, '')}`;
  const path = of.path.replaceAll('{object}', objectName).replaceAll('{id}', '[^/]+');
  return { method: of.method, path: `^${(root + path).replaceAll('.', '\\.')}$` };
}
