import type { Customer } from '../../../harness/customer';
import type { ClientLedger } from '../../harness/client-ledger';
import type { World } from '../../harness/world';
import { readLedger } from '../../harness/provider-effects';

/**
 * Milliseconds from the reply to a write until the provider received it, of these customers, sorted. One machine, one clock;
 * below 0 where the call was faster than the reply.
 */
async function dwellOf(world: World, ledger: ClientLedger, customers: readonly Customer[]): Promise<number[]> {
  const arrived = new Map<string, number>();
  for (const { account } of customers) {
    for (const { at, carried = [] } of await readLedger(world, account, ledger.sinceSeq))
      for (const marker of carried) if (!arrived.has(marker)) arrived.set(marker, Date.parse(at));
  }
  const names = new Set(customers.map(({ account }) => account.name));
  return ledger.records
    .filter(({ customer, outcome }) => outcome === 'accepted' && names.has(customer.account.name))
    .flatMap(({ marker, answeredAtMs }) => {
      const at = arrived.get(marker);
      return at === undefined || answeredAtMs === undefined ? [] : [Math.max(0, at - answeredAtMs)];
    })
    .toSorted((a, b) => a - b);
}

/**
 * The longest wait of all but one in a hundred writes, without and with the fault, as a row reports it.
 * @param ratioMax of both @default that of F16 and F18 in the fault matrix
 */
export async function compareDwell(
  world: World,
  { calm, faulty }: { readonly calm: ClientLedger; readonly faulty: ClientLedger },
  quiet: readonly Customer[],
  ratioMax = 1.5,
) {
  const calmP99Ms = quantile(await dwellOf(world, calm, quiet), 0.99);
  const faultyP99Ms = quantile(await dwellOf(world, faulty, quiet), 0.99);
  const dwellRatio = Number((faultyP99Ms / Math.max(1, calmP99Ms)).toFixed(2));
  const slow =
    dwellRatio > ratioMax ? [`the quiet accounts waited ${dwellRatio} times as long as without the fault`] : [];
  return { numbers: { calmP99Ms, faultyP99Ms, dwellRatio }, slow };
}

/** A quantile of sorted numbers; 0 of none. */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
