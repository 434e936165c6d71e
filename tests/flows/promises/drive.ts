import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@sluice/testkit';
import type { Reply } from '../../harness/api';
import type { Customer, Fixture } from './fixture';
import type { WrittenObject } from './objects';
import type { Ending, Form, Kind, Loss } from './rows';

/** What a row came to: as its caller sees it, and as it stands at the provider. */
export interface Driven {
  /** Of each record, in the order of their letters; of a search whether it was answered. */
  readonly outcomes: readonly string[];
  /** An operation's result says that the outcome is unknown. */
  readonly isSaid: boolean;
  /** Records at the provider that carry the write; of an update those with the new value. */
  readonly kept: number;
  /** Calls that carried it. */
  readonly sends: number;
  /** What a caller who waits is answered, when it is no success. */
  readonly reply?: Ending['reply'];
  /** A 429 says when to come again. */
  readonly hasWait?: boolean;
  /** What may be repeated, repeated at once; `held back`: 429 with a wait, and nothing sent. */
  readonly repeat?: 'succeeded' | 'not found' | 'held back' | 'other';
}

/** What is written or searched, and what its first call meets. */
export interface Scenario {
  readonly object: WrittenObject;
  readonly kind: Kind;
  readonly form: Form;
  readonly action: object;
}

/** Records of a batch, and of an auto-batch. */
export const batchSize = 3;
/** Of a call, on a machine that does much besides. */
export const callTimeoutMs = 5_000;

/** By loss. What is applied late is so after its caller has left, and within the window: lease and timeout. */
export const actions: Readonly<Record<Loss, object>> = {
  'applied, reply lost': { kind: 'commit-then-reset' },
  'not applied, reply lost': { kind: 'reset-before' },
  'timeout, applied late': { kind: 'timeout', delayMs: 8_000, commit: 'last' },
  '500, applied': { kind: 'commit-then-status', status: 500 },
  'a 503': { kind: 'status', status: 503 },
  '429 with Retry-After': { kind: 'status', status: 429, retryAfterSeconds: 3 },
  // In no provider's words, and without any of their headers.
  '429 without': { kind: 'status', status: 429, body: '' },
};

/** Longest wait that a file names where a reply names none is a minute, and it is not shortened. */
const endedMs = 240_000;
/** None of these ends at its deadline: the usual hour is a minute here, which a slow machine may need for the tries. */
const hours = 48;

interface Result {
  readonly operationId: string;
  readonly result: { readonly recordId: string };
  readonly results?: readonly { readonly recordId: string }[];
  readonly retryable?: boolean;
}

interface Call extends Scenario {
  readonly customer: Customer;
  readonly marks: readonly string[];
  /** Of the records to update or delete, one per mark. */
  readonly ids: readonly string[];
}

let driven = 0;

/** Makes the call of a scenario, with an account of its own whose first such call meets the action. */
export async function drive(fixture: Fixture, scenario: Scenario): Promise<Driven> {
  const { object, kind, form } = scenario;
  const mark = `promise-${(driven += 1)}`;
  const isSeveral = form === 'batch' || kind === 'collected';
  const marks = isSeveral ? Array.from({ length: batchSize }, (_, at) => `${mark}-${at}`) : [mark];
  const call = await fixture.prepared(async (): Promise<Call> => {
    const customer = await fixture.customer(object);
    const ids = /^create|^collected/.test(kind) ? [] : await makeRecords(customer, object, marks);
    await customer.account.fault({ match: matchOf(scenario), action: scenario.action });
    return { ...scenario, customer, marks, ids };
  });
  const before = await callsOf(call);
  const sentAtMs = Date.now();
  const requests = kind === 'collected' ? marks.map((one) => ({ ...call, marks: [one] })) : [call];
  const replies = await Promise.all(requests.map((request) => sendTaken(request)));
  const [reply] = replies as [Reply<Result>];
  const seen = kind === 'search' ? foundBy(reply) : await endedOf(call, replies);
  await lateCommit(call);
  const sends = (await callsOf(call)) - before;
  const result = { ...seen, kept: kind === 'search' ? 0 : await keptOf(call), sends, ...replyOf(reply) };
  const isRepeated = reply.status >= 400 && reply.body.retryable === true;
  return { ...result, ...(isRepeated && (await repeat(call, { reply, sentAtMs }))) };
}

const foundBy = ({ status }: Reply<Result>) => ({
  outcomes: [status === 200 ? 'succeeded' : 'failed'],
  isSaid: false,
});

async function endedOf({ customer: { client } }: Call, replies: readonly Reply<Result>[]) {
  const ids = [...new Set(replies.map(({ body }) => body.operationId))];
  const operations = await Promise.all(
    ids.map(async (operationId) => {
      const { result } = await client.waitForOperation(operationId, { timeoutMs: endedMs });
      const { results } = await client.management.listOperationRecords({ operationId });
      return { outcomes: results.map(({ status }) => status), isSaid: /Outcome unknown: /.test(result ?? '') };
    }),
  );
  return {
    outcomes: operations.flatMap(({ outcomes }) => outcomes).toSorted(),
    isSaid: operations.some(({ isSaid }) => isSaid),
  };
}

/** The call whose caller has gone is over, and stands in the ledger. */
async function lateCommit({ customer: { account }, action }: Call): Promise<void> {
  if (action !== actions['timeout, applied late']) return;
  const isOver = async () => (await account.calls()).some(({ fault }) => fault === 'timeout') || undefined;
  await until('the late commit', isOver, 60_000);
}

/** How a call was answered that is made again. */
interface First {
  readonly reply: Reply<Result>;
  readonly sentAtMs: number;
}

async function repeat(call: Call, first: First): Promise<Pick<Driven, 'repeat'>> {
  const { kind, marks } = call;
  const before = await callsOf(call);
  const reply = await sendTaken(call);
  const sends = (await callsOf(call)) - before;
  if (reply.status === 429 && sends === 0 && waitOf(reply) > 0) return { repeat: 'held back' };
  if (kind === 'delete now' && reply.status === 422) return { repeat: 'not found' };
  const there = kind === 'search' ? reply.body.results?.length : await keptOf(call);
  const isDone = reply.status === 200 && sends === 1 && there === (kind === 'delete now' ? 0 : marks.length);
  // On a slow machine the wait that the first reply named may be over: it is counted from when the provider refused.
  const isWaitOver = Date.now() >= first.sentAtMs + waitOf(first.reply) * 1_000;
  if (isDone && first.reply.status === 429) return { repeat: isWaitOver ? 'held back' : 'other' };
  return { repeat: isDone ? 'succeeded' : 'other' };
}

/** A 503 of ours, which a busy machine gives, took nothing on. */
async function sendTaken(call: Call, left = 5): Promise<Reply<Result>> {
  const reply = await send(call);
  if (reply.status !== 503 || left === 0) return reply;
  await sleep(1_000);
  return await sendTaken(call, left - 1);
}

const policies: Readonly<Record<Exclude<Kind, 'search'>, object>> = {
  create: { type: 'create', mode: 'asynchronous', retryPolicy: { deadlineHours: hours } },
  collected: {
    type: 'create',
    mode: 'asynchronous',
    autoBatchPolicy: { maxDelayMinutes: 1, retryDeadlineHours: hours },
  },
  'create now': { type: 'create', mode: 'synchronous' },
  update: { type: 'update', mode: 'asynchronous', retryPolicy: { deadlineHours: hours } },
  'update now': { type: 'update', mode: 'synchronous' },
  'delete now': { type: 'delete' },
};

async function send({ customer, object, kind, form, marks, ids }: Call): Promise<Reply<Result>> {
  const { objectName, change, markField, searchField = markField } = object;
  const records = marks.map((mark) => object.record(mark));
  if (kind === 'search') return customer.search(objectName, { [searchField]: records[0]?.[searchField] });
  const changes = ids.map((id) => (kind === 'delete now' ? { id } : { id, ...change }));
  const written = ids.length > 0 ? changes : records;
  const content = form === 'batch' ? { batch: written.map((record) => ({ record })) } : { record: written[0] };
  return customer.write(objectName, { ...policies[kind], ...content });
}

async function makeRecords(customer: Customer, { objectName, record }: WrittenObject, marks: readonly string[]) {
  return await Promise.all(
    marks.map(async (mark) => {
      const { status, body } = await customer.write<Result>(objectName, { type: 'create', record: record(mark) });
      if (status !== 200) throw new Error(`not created: ${JSON.stringify(body)}`);
      return body.result.recordId;
    }),
  );
}

async function keptOf({ customer, object, kind, marks }: Call): Promise<number> {
  const { markField, change, objectName } = object;
  const stored = await customer.account.records(objectName);
  const own = stored.filter(({ fields }) => marks.includes(String(fields[markField])));
  const isUpdate = kind === 'update' || kind === 'update now';
  return own.filter(
    ({ fields }) => !isUpdate || Object.entries(change).every(([name, value]) => fields[name] === value),
  ).length;
}

async function callsOf({ customer: { account }, kind }: Call): Promise<number> {
  if (kind !== 'search') return (await account.writes()).length;
  return (await account.calls()).filter(({ action }) => action === 'search').length;
}

function replyOf({ status, body, headers }: Reply<Result>): Pick<Driven, 'reply' | 'hasWait'> {
  if (status < 300) return {};
  const said = { status, isRetryable: body.retryable === true } as NonNullable<Ending['reply']>;
  return { reply: said, ...(status === 429 && { hasWait: waitOf({ headers }) > 0 }) };
}

/** Seconds; 0 where none are named. */
function waitOf({ headers }: Pick<Reply<Result>, 'headers'>): number {
  return Number(headers.get('retry-after') ?? 0);
}

/** The calls that carry it: lookups and reads are not disturbed. */
function matchOf({ object: { provider, file, objectName }, kind, form }: Scenario): object {
  if (file) {
    const { create, update, search } = file;
    const of = kind === 'search' ? search : kind.startsWith('update') ? update : create;
    if (of === undefined) throw new Error(`${file.name} has no ${kind}`);
    const root = `/rest/${file.name}${file.baseUrl.replace(/^https?:\/\/[^/]+/, '')}`;
    const path = of.path.replaceAll('{object}', objectName).replaceAll('{id}', '[^/]+');
    return { method: of.method, path: `^${(root + path).replaceAll('.', '\\.')}$` };
  }
  const isPosted = /^create|^collected/.test(kind) || (provider === 'hubspot' && form === 'batch');
  if (isPosted && provider === 'hubspot') return { method: 'POST', path: '^/crm/.*/([^/]+s|batch/(create|update))$' };
  return { method: isPosted ? 'POST' : kind === 'delete now' ? 'DELETE' : 'PATCH' };
}
