import type { Account } from '../../harness/account';
import { createCustomer, type Customer } from '../../harness/customer';
import type { Stack } from '../../harness/stack';
import type { AwkwardRow } from './rows';

/** What became of the writes of a row: as their caller sees it, and as the CRM has it. */
export interface Driven {
  /** Status of each record of each operation. */
  readonly outcomes: readonly string[];
  /** Records at the CRM per record that was written. */
  readonly kept: readonly number[];
  /** Calls that carried records to create. */
  readonly sends: number;
}

interface Form {
  readonly objectName: string;
  readonly markField: string;
  readonly record: (mark: string, parent: string) => Readonly<Record<string, string>>;
}

const forms: Readonly<Record<AwkwardRow['provider'], Form>> = {
  hubspot: {
    objectName: 'contacts',
    markField: 'lastname',
    record: (mark) => ({ email: `${mark}@example.com`, lastname: mark }),
  },
  salesforce: {
    objectName: 'Contact',
    markField: 'LastName',
    record: (mark, parent) => ({ LastName: mark, External_Id__c: mark, AccountId: parent }),
  },
};

let driven = 0;
let lastSetUp: Promise<unknown> = Promise.resolve();

/** Makes the writes of a row, asynchronously, with a customer of its own. Rows are set up one after the other and wait together. */
export async function drive(stack: Stack, row: AwkwardRow): Promise<Driven> {
  const setUp = lastSetUp.then(() => begin(stack, row));
  lastSetUp = setUp.catch(() => undefined);
  const { customer, form, marks, replies, before } = await setUp;
  const outcomes = await Promise.all(replies.map((operationId) => outcomesOf(customer, operationId)));
  return {
    outcomes: outcomes.flat(),
    kept: await keptOf(customer.account, form, marks),
    sends: (await customer.account.writes()).length - before,
  };
}

async function begin(stack: Stack, row: AwkwardRow) {
  const { provider, records = 1, requests = 1 } = row;
  const form = forms[provider];
  const customer = await createCustomer(stack, {
    provider,
    write: [form.objectName],
    accountOptions: row.account ?? {},
  });
  const parent = provider === 'salesforce' ? await makeParent(stack, customer.account) : '';
  const before = (await customer.account.writes()).length;
  const match = {
    method: 'POST',
    path: '^(/crm/.*/contacts(/batch/create)?|/services/data/.*/(sobjects/Contact|composite/sobjects))$',
  };
  if (row.action) await customer.account.fault({ match, times: requests, action: row.action });
  const run = `awkward-${(driven += 1)}`;
  const marks = Array.from({ length: requests }, (_, at) =>
    Array.from({ length: records }, (__, index) => `${run}-${at}-${index}`),
  );
  const replies = await Promise.all(marks.map((own) => write(customer, form, own, parent)));
  return { customer, form, marks: marks.flat(), replies, before };
}

async function write(customer: Customer, form: Form, marks: readonly string[], parent: string): Promise<string> {
  const all = marks.map((mark) => form.record(mark, parent));
  const content = all.length === 1 ? { record: all[0] } : { batch: all.map((record) => ({ record })) };
  const body = { type: 'create', mode: 'asynchronous', ...content };
  const reply = await customer.write(form.objectName, body);
  if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
  return reply.body.operationId;
}

async function outcomesOf(customer: Customer, operationId: string): Promise<string[]> {
  await customer.ended(operationId, 240_000);
  return (await customer.recordsOf(operationId)).map(({ status }) => status);
}

/** By the marks, at the CRM itself. */
async function keptOf(account: Account, { objectName, markField }: Form, marks: readonly string[]): Promise<number[]> {
  const stored = (await account.records(objectName)).map(({ fields }) => fields[markField]);
  return marks.map((mark) => stored.filter((value) => value === mark).length);
}

/** The account that the contacts of a Salesforce row belong to. */
async function makeParent({ sandboxUrl }: Stack, { token }: Account): Promise<string> {
  const reply = await fetch(`${sandboxUrl}/services/data/v60.0/sobjects/Account`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ Name: 'Parent' }),
  });
  return ((await reply.json()) as { id: string }).id;
}
