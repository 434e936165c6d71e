import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from '../../harness/account';
import { call } from '../../harness/api';
import type { Customer } from '../../harness/customer';
import type { Measured } from './measured';

/** A call in the sandbox's ledger, as far as tests judge by it. Source: deploy/sandbox, README. */
export interface ProviderCall {
  readonly seq: number;
  /** Moment of arrival, ISO 8601. */
  readonly at: string;
  readonly account: string;
  readonly action: string;
  readonly status: number;
  readonly records: number;
  readonly applied: number;
  readonly recordIds: readonly string[];
  /** Marker of each record that it wrote, beside `recordIds`. */
  readonly markers?: readonly string[];
  /** Marker of each record that it carried, written or not. */
  readonly carried?: readonly string[];
  readonly fault?: string;
  /** Until the reply was decided, in milliseconds. */
  readonly tookMs: number;
}

/** A record that the provider wrote. */
export interface Effect {
  readonly seq: number;
  readonly account: string;
  readonly recordId: string;
  readonly marker: string;
  readonly isCreate: boolean;
}

/** Everything that an account received since `sinceSeq`, in the order of effect. */
export async function readLedger(
  { stack }: Pick<Measured, 'stack'>,
  { name }: Pick<Account, 'name'>,
  sinceSeq = 0,
): Promise<readonly ProviderCall[]> {
  const url = `${stack.sandboxUrl}/_sandbox/ledger?account=${name}&since=${sinceSeq}`;
  return await call<ProviderCall[]>(url, { method: 'GET' });
}

/** The same of all these accounts together. */
export async function readCalls(
  world: Pick<Measured, 'stack'>,
  customers: readonly Customer[],
  sinceSeq: number,
): Promise<ProviderCall[]> {
  const calls: ProviderCall[] = [];
  for (const { account } of customers) calls.push(...(await readLedger(world, account, sinceSeq)));
  return calls.toSorted((a, b) => a.seq - b.seq);
}

/** Longest wait for calls that are still in flight at the provider, in milliseconds. */
const inFlightMs = 60_000;

/** Waits until no call of the accounts is in flight: one that its sender no longer waits for may still take effect. */
export async function waitUntilIdle({ stack }: Pick<Measured, 'stack'>, customers: readonly Customer[]): Promise<void> {
  const names = new Set(customers.map(({ account }) => account.name));
  const startedAtMs = performance.now();
  while (performance.now() - startedAtMs < inFlightMs) {
    const accounts = await call<{ account: string; inFlight: number }[]>(`${stack.sandboxUrl}/_sandbox/accounts`, {
      method: 'GET',
    });
    if (!accounts.some(({ account, inFlight }) => names.has(account) && inFlight > 0)) return;
    await sleep(100);
  }
}

/** The records that those calls wrote and that carry a marker. */
export function effectsOf(calls: readonly ProviderCall[]): Effect[] {
  return calls.flatMap(({ seq, account, action, recordIds, markers = [] }) =>
    recordIds.flatMap((recordId, at) => {
      const marker = markers[at] ?? '';
      return marker === '' ? [] : [{ seq, account, recordId, marker, isCreate: action.includes('create') }];
    }),
  );
}

/** How many creating calls carried each marker. */
export async function readCarried(
  world: Pick<Measured, 'stack'>,
  customers: readonly Customer[],
  sinceSeq: number,
): Promise<Map<string, number>> {
  const sends = new Map<string, number>();
  for (const { action, carried = [] } of await readCalls(world, customers, sinceSeq)) {
    if (!action.includes('create')) continue;
    for (const marker of carried) sends.set(marker, (sends.get(marker) ?? 0) + 1);
  }
  return sends;
}
