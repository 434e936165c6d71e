import type { WriteReply, Customer } from '../../harness/customer';
import { createCustomer } from '../../harness/customer';
import type { Reply } from '../../harness/api';
import type { Stack } from '../../harness/stack';
import type { Form, Loss, PromiseRow, WrittenObject } from './rows';

/** What a write came to, as its caller sees it and as it stands at the CRM. */
export interface Driven {
  /** Of each record of the operation. */
  readonly outcomes: readonly string[];
  /** The operation's result says that the outcome is unknown. */
  readonly isSaid: boolean;
  /** Records at the CRM that carry the write; of an update those with the new value. */
  readonly kept: number;
  /** Calls that carried it. */
  readonly sends: number;
  /** Of a synchronous write. */
  readonly reply?: { readonly status: number; readonly isRetryable: boolean };
  /** A synchronous update or delete, made again by its caller. */
  readonly repeat?: { readonly status: number; readonly kept: number };
}

/** Records of a batch. */
export const batchSize = 3;

/** The call times out after 3 s, and is carried out after this long: late, and within the window. */
const lateMs = 5_000;
const actions: Readonly<Record<Loss, object>> = {
  applied: { kind: 'commit-then-reset' },
  'not applied': { kind: 'reset-before' },
  'applied late': { kind: 'timeout', delayMs: lateMs, commit: 'last' },
};

let [driven, marked] = [0, 0];
/** Customers that are made at once, with the records that they have, the others one after the other: sixty at once keep a slow database longer than its statements may take. */
const setUps: Promise<unknown>[] = [0, 1, 2, 3].map(() => Promise.resolve());

/** One write to make. */
interface Writing {
  readonly row: PromiseRow;
  readonly form: Form;
  readonly mark: string;
  /** Of the records to update or delete. */
  readonly ids: readonly string[];
}

/** Makes the write of a row, with a customer of its own, and loses the reply of its first send. */
export async function drive(stack: Stack, row: PromiseRow, form: Form, loss: Loss): Promise<Driven> {
  const { object, type, mode } = row;
  const { provider, objectName } = object;
  const settings = { objectName, deletionSettings: { enabled: true } };
  const mark = `promise-${(marked += 1)}`;
  const make = async () => {
    const made = await createCustomer(stack, {
      provider,
      write: [objectName],
      config: { write: { objects: { [objectName]: settings } } },
      // Far below the real lag, as the windows are a sixtieth.
      accountOptions: { searchLagMs: 200 },
    });
    return { customer: made, ids: type === 'create' ? [] : await makeRecords(made, object, mark) };
  };
  const slot = (driven += 1) % setUps.length;
  const making = (setUps[slot] ?? Promise.resolve()).then(make);
  setUps[slot] = making.catch(() => undefined);
  const { customer, ids } = await making;
  const writing: Writing = { row, form, mark, ids };
  const before = (await customer.account.writes()).length;
  await customer.account.fault({ match: matchOf(writing), action: actions[loss] });
  const body = bodyOf(writing);
  const seen = await seenOf(customer, await customer.write(objectName, body));
  const result = {
    ...seen,
    kept: await keptOf(customer, writing),
    sends: (await customer.account.writes()).length - before,
  };
  if (type === 'create' || mode === 'asynchronous') return result;
  const { status } = await customer.write(objectName, body);
  return { ...result, repeat: { status, kept: await keptOf(customer, writing) } };
}

const newValues: Readonly<Record<string, string>> = { amount: '7', StageName: 'Qualification' };
const newValue = (field: string): string => newValues[field] ?? 'Reykjavík';
const marksOf = (mark: string) => Array.from({ length: batchSize }, (_, at) => `${mark}-${at}`);

/** No row ends at its deadline: the usual hour is a minute here, which a slow machine may need for the tries. */
const hours = 48;

function bodyOf({ row: { object, type, mode }, form, mark, ids }: Writing): Record<string, unknown> {
  const { otherField } = object;
  if (type === 'delete') return { type, record: { id: ids[0] } };
  const updates = ids.map((id) => ({ id, [otherField]: newValue(otherField) }));
  const records = type === 'update' ? updates : marksOf(mark).map((each) => object.record(each));
  const policy = mode === 'asynchronous' ? { mode, retryPolicy: { deadlineHours: hours } } : { mode };
  if (form === 'single') return { type, ...policy, record: records[0] };
  return { type, ...policy, batch: records.map((record) => ({ record })) };
}

async function makeRecords(customer: Customer, object: WrittenObject, mark: string): Promise<readonly string[]> {
  const batch = marksOf(mark).map((each) => ({ record: object.record(each) }));
  const { status, body } = await customer.write(object.objectName, { type: 'create', batch });
  if (status !== 200) throw new Error(`not created: ${JSON.stringify(body)}`);
  return body.results.map(({ recordId }) => recordId ?? '');
}

/** Lookups and reads are not disturbed. */
function matchOf({ row: { object, type }, form }: Writing): object {
  const isPosted = type === 'create' || (object.provider === 'hubspot' && form === 'batch');
  const method = isPosted ? 'POST' : { update: 'PATCH', delete: 'DELETE' }[type];
  return object.provider === 'hubspot' && isPosted
    ? { method, path: '^/crm/.*/([^/]+s|batch/(create|update))$' }
    : { method };
}

async function seenOf(
  customer: Customer,
  reply: Reply<WriteReply>,
): Promise<Pick<Driven, 'outcomes' | 'isSaid' | 'reply'>> {
  const { operationId } = reply.body;
  const { result } = await customer.ended(operationId, 240_000);
  const outcomes = (await customer.recordsOf(operationId)).map(({ status }) => status);
  const problem = reply.body as { retryable?: boolean };
  const isAccepted = reply.status < 300;
  return {
    outcomes,
    isSaid: /Outcome unknown: /.test(result ?? ''),
    ...(isAccepted ? {} : { reply: { status: reply.status, isRetryable: problem.retryable === true } }),
  };
}

/** Of an update: what has the new value. */
async function keptOf({ account }: Customer, { row: { object, type }, form, mark }: Writing): Promise<number> {
  const { objectName, markField, otherField } = object;
  const marks = form === 'single' ? marksOf(mark).slice(0, 1) : marksOf(mark);
  const own = (await account.records(objectName)).filter(({ fields }) => marks.includes(String(fields[markField])));
  return own.filter(({ fields }) => type !== 'update' || fields[otherField] === newValue(otherField)).length;
}
