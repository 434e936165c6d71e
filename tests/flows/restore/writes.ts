import type { Customer } from '../../harness/customer';

/** How a write of the test is made, and what the provider can be asked of it. */
export type Kind = 'unique' | 'plain' | 'update';

/** A write that was answered as accepted. */
export interface Accepted {
  readonly marker: string;
  readonly kind: Kind;
  readonly customer: Customer;
  readonly operationId: string;
  readonly index: number;
}

/** Hours of the specification, so that no deadline ends while the test restores. */
const hours = 48;
const single = { mode: 'asynchronous', retryPolicy: { deadlineHours: hours } };
/** Twelve seconds. */
const batched = { mode: 'asynchronous', autoBatchPolicy: { maxDelayMinutes: 30, retryDeadlineHours: hours } };

const objectOf = ({ account }: Customer) => (account.provider === 'hubspot' ? 'contacts' : 'Contact');

interface Order {
  readonly customer: Customer;
  readonly kind: Kind;
  readonly policy: object;
  readonly count: number;
  readonly recordId?: string;
}

/** Creates with and without a unique key, alone and auto-batched, and updates of one record. */
export async function sendWrites(hubspot: Customer, salesforce: Customer): Promise<Accepted[]> {
  const created = await hubspot.write('contacts', { type: 'create', record: { lastname: 'updated' } });
  if (created.status !== 200) throw new Error(`nothing to update: ${JSON.stringify(created.body)}`);
  const { recordId } = created.body.result;
  const orders: Order[] = [
    { customer: hubspot, kind: 'unique', policy: single, count: 30 },
    { customer: hubspot, kind: 'plain', policy: single, count: 10 },
    { customer: salesforce, kind: 'plain', policy: single, count: 40 },
    { customer: hubspot, kind: 'update', policy: single, count: 5, recordId },
    { customer: hubspot, kind: 'unique', policy: batched, count: 20 },
    { customer: salesforce, kind: 'plain', policy: batched, count: 20 },
  ];
  const sent: Accepted[] = [];
  for (const [at, order] of orders.entries()) {
    for (let n = 0; n < order.count; n += 1) sent.push(await send(order, `restore-${at}-${n}`));
  }
  return sent;
}

async function send({ customer, kind, policy, recordId }: Order, marker: string): Promise<Accepted> {
  const type = kind === 'update' ? 'update' : 'create';
  const record = recordId === undefined ? fieldsOf(customer, kind, marker) : { id: recordId, jobtitle: marker };
  const reply = await customer.write(objectOf(customer), { type, record, ...policy });
  if (reply.status !== 200) throw new Error(`${marker} was not accepted: ${JSON.stringify(reply.body)}`);
  const index = Number(reply.headers.get('sluice-record-index') ?? 0);
  return { marker, kind, customer, operationId: reply.body.operationId, index };
}

/** Every value is the record's own, so that a lookup can distinguish it from similar records; Salesforce's have no email, which its duplicate rule goes by. */
function fieldsOf({ account }: Customer, kind: Kind, marker: string): object {
  const isHubspot = account.provider === 'hubspot';
  const email = `${marker}@example.com`;
  if (!isHubspot) return { LastName: marker, FirstName: `first-${marker}` };
  return { lastname: marker, firstname: `first-${marker}`, ...(kind === 'unique' && { email }) };
}

/** How one write ended: what the service says, and how many records the provider has of it. */
export interface Ending extends Accepted {
  readonly status: string;
  readonly error?: string;
  readonly atProvider: number;
}

/** Longest wait for one operation's end. */
const endsMs = 240_000;

/** Waits until every operation has ended, then asks both sides. */
export async function readEndings(accepted: readonly Accepted[]): Promise<Ending[]> {
  const operations = new Map(accepted.map(({ operationId, customer }) => [operationId, customer]));
  const records = new Map<string, Awaited<ReturnType<Customer['recordsOf']>>>();
  for (const [id, customer] of operations) {
    await customer.ended(id, endsMs);
    records.set(id, await customer.recordsOf(id));
  }
  const counts = await countAtProviders([...new Set(operations.values())]);
  return accepted.map((each) => {
    const record = records.get(each.operationId)?.find(({ index }) => index === each.index);
    const { status = 'missing', error } = record ?? {};
    return { ...each, status, ...(error && { error: error.class }), atProvider: counts.get(each.marker) ?? 0 };
  });
}

/** Records by what their writer put into them. */
async function countAtProviders(customers: readonly Customer[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const customer of customers) {
    for (const { fields } of await customer.account.records(objectOf(customer))) {
      const marker = String(fields['lastname'] ?? fields['LastName']);
      counts.set(marker, (counts.get(marker) ?? 0) + 1);
    }
  }
  return counts;
}

/** `hubspot unique: succeeded, 1 at the provider` -> how many. */
export function tally(endings: readonly Ending[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { customer, kind, status, error, atProvider } of endings) {
    const why = error === undefined ? '' : ` (${error})`;
    const line = `${customer.account.provider} ${kind}: ${status}${why}, ${kind === 'update' ? '-' : atProvider} at the provider`;
    counts[line] = (counts[line] ?? 0) + 1;
  }
  return counts;
}
