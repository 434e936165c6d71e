import { setTimeout as sleep } from 'node:timers/promises';
import { call } from '../../harness/api';
import type { Customer } from '../../harness/customer';
import type { Measured } from './measured';

/** A call as the sandbox's ledger tells it; only what the checker reads. */
export interface ProviderCall {
  readonly seq: number;
  /** When it arrived, ISO 8601. */
  readonly at: string;
  readonly account: string;
  readonly action: string;
  readonly status: number;
  readonly recordIds: readonly string[];
  /** Beside `recordIds`. */
  readonly markers?: readonly string[];
  /** Marker of each record that a call carried, written or not. */
  readonly carried?: readonly string[];
  readonly fault?: string;
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

/** What the accounts were really sent since `sinceSeq`, in the order of effect. */
export async function readCalls(
  { stack }: Pick<Measured, 'stack'>,
  customers: readonly Customer[],
  sinceSeq: number,
): Promise<ProviderCall[]> {
  const calls: ProviderCall[] = [];
  for (const { account } of customers) {
    const url = `${stack.sandboxUrl}/_sandbox/ledger?account=${account.name}&since=${sinceSeq}`;
    calls.push(...(await call<ProviderCall[]>(url, { method: 'GET' })));
  }
  return calls.toSorted((a, b) => a.seq - b.seq);
}

/** How long calls that are still under way at the provider are waited for, in milliseconds. */
const underWayMs = 60_000;

/** Waits until the accounts have no call in hand: one that its sender no longer waits for may still take effect. */
export async function waitUntilIdle({ stack }: Pick<Measured, 'stack'>, customers: readonly Customer[]): Promise<void> {
  const names = new Set(customers.map(({ account }) => account.name));
  const startedAtMs = performance.now();
  while (performance.now() - startedAtMs < underWayMs) {
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
