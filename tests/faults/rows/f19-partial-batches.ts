import type { Customer } from '../../harness/customer';
import { check } from '../harness/checker';
import { newLedger, type ClientLedger } from '../harness/client-ledger';
import { latestSeq } from '../harness/load';
import type { Row, RowContext } from '../harness/row';
import { sendWrite } from '../harness/send-write';
import { createContacts, newCustomer } from './support/customers';
import { readLedger } from '../harness/provider-effects';

const recordsPerBatch = 4;
const senders = 16;

/**
 * Retryable refusals of single records in batches that are done otherwise. A create that HubSpot calls an internal error is in
 * doubt and not retryable at once, so HubSpot's batches are updates and Salesforce's are creates.
 */
const refusals = {
  hubspot: { path: '/crm/v3/objects/contacts/batch/update', category: 'INTERNAL_ERROR' },
  salesforce: { path: '^/services/data/[^/]+/composite/sobjects$', category: 'UNABLE_TO_LOCK_ROW' },
};

/** A third of the batches are refused in part: what was refused is sent again, and nothing else. */
export const f19: Row = {
  id: 'F19',
  title: '207 partial, per-record retryable errors',
  ciSize: { writes: 200, faults: 1 },
  fullSize: { writes: 5_000, faults: 1 },
  run: async (context) => {
    const { world, size, seed } = context;
    const customers = [await newCustomer(world, true), await newCustomer(world, false)] as const;
    const [hubspot, salesforce] = customers;
    const ids = await createContacts(world, hubspot.account, (size.writes / 2) * recordsPerBatch);
    for (const { account } of customers) await account.fault(partialFault(account.provider, seed));
    const ledger = newLedger(await latestSeq(world));
    let next = 0;
    const sender = async (): Promise<void> => {
      while (next < size.writes) {
        const at = (next += 1) - 1;
        const recordIds = at % 2 === 0 ? ids.splice(0, recordsPerBatch) : undefined;
        await sendBatch(context, ledger, { customer: recordIds ? hubspot : salesforce, at, recordIds });
      }
    };
    await Promise.all(Array.from({ length: senders }, sender));
    const verdict = await check(context, ledger);
    for (const { account } of customers) await account.clearFaults();
    return { verdict, ...(await judge(context, customers, ledger)) };
  },
};

function partialFault(provider: Customer['account']['provider'], seed: number): object {
  const { path, category } = refusals[provider];
  const action = (...inputs: number[]) => ({ share: 0.06, action: { kind: 'partial', inputs, category } });
  return { match: { path }, seed, mixture: [action(0), action(3), action(1, 2), action(0, 2, 3), action(0, 1, 2, 3)] };
}

interface Batch {
  readonly customer: Customer;
  readonly at: number;
  /** Of an update. */
  readonly recordIds: readonly string[] | undefined;
}

async function sendBatch(context: RowContext, ledger: ClientLedger, { customer, at, recordIds }: Batch): Promise<void> {
  const { world, run } = context;
  const markers = Array.from({ length: recordsPerBatch }, (_, index) => `${run}-${at}-${index}`);
  const updated = recordIds === undefined ? {} : { recordIds };
  await sendWrite(ledger, { customer, way: 'batch', markers, ...updated }, { writeUrls: world.writeUrls });
}

/** No record is carried by a call that comes after the one that wrote it. */
async function judge({ world }: RowContext, customers: readonly Customer[], { sinceSeq }: ClientLedger) {
  let [partial, again, resent] = [0, 0, 0];
  for (const { account } of customers) {
    const written = new Set<string>();
    const carriedBefore = new Set<string>();
    for (const { fault, carried = [], markers = [] } of await readLedger(world, account, sinceSeq)) {
      if (fault === 'partial') partial += 1;
      again += carried.filter((marker) => written.has(marker)).length;
      resent += carried.filter((marker) => carriedBefore.has(marker)).length;
      for (const marker of carried) carriedBefore.add(marker);
      for (const marker of markers) written.add(marker);
    }
  }
  const misses = again > 0 ? [`${again} records that were written were sent again`] : [];
  if (partial === 0 || resent === 0) misses.push('no batch was refused in part, so the row proves nothing');
  return { numbers: { partial, resent, again }, misses };
}
