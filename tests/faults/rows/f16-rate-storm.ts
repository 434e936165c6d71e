import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@sluice/testkit';
import type { Customer } from '../../harness/customer';
import { check } from '../harness/checker';
import { mergeLedgers } from '../harness/client-ledger';
import { latestSeq, sendLoad } from '../harness/load';
import type { Row } from '../harness/row';
import { accountsOf } from './support/customers';
import { compareDwell } from './support/dwell';
import { readLedger, type ProviderCall } from '../harness/provider-effects';

const accounts = 20;
/** The account says how long to wait, in seconds: at CI size still long beside `knownMs`. */
const retryAfter = { full: 30, ci: 4 };
/**
 * From the reply that blocks a lane to the moment the last executor knows; calls in flight are no probes. A reply is settled within
 * some milliseconds; a slow machine has a hundred times as long.
 */
const knownMs = 2_000;
/** Longest wait for what the storm must have met. */
const metMs = 180_000;

/** One account of 20 answers 429 to everything: it is asked once per `Retry-After`, and the others do not notice. */
export const f16: Row = {
  id: 'F16',
  title: '429 storm with Retry-After on 1 of 20 accounts',
  ciSize: { writes: 500, faults: 5 },
  fullSize: { writes: 30_000, faults: 600 },
  run: async (context) => {
    const { world, size, isFull } = context;
    const retryAfterSeconds = isFull ? retryAfter.full : retryAfter.ci;
    const customers = await accountsOf(world, accounts);
    const [noisy, ...quiet] = customers as readonly [Customer, ...Customer[]];
    const load = {
      writes: Math.floor(size.writes / 2),
      perSecond: isFull ? 50 : 60,
      mix: isFull ? { single: 1 } : { single: 3, auto: 1 },
      customers,
    };
    const calm = await sendLoad(context, { ...load, name: '-calm' });
    const sinceSeq = await latestSeq(world);
    await noisy.account.fault({ times: 0, action: { kind: 'quota', retryAfterSeconds } });
    const storming = sleep(size.faults * 1_000);
    const stormy = await sendLoad(context, { ...load, name: '-storm' });
    await storming;
    const readRefused = async (): Promise<readonly ProviderCall[]> =>
      (await readLedger(world, noisy.account, sinceSeq)).filter(({ fault }) => fault === 'quota');
    // It is asked again twice at least: a storm that nobody met proves nothing.
    const isMet = async (): Promise<true | undefined> =>
      spanOf(await readRefused()) > 2 * retryAfterSeconds * 1_000 || undefined;
    const misses: string[] = [];
    await until('the noisy account is asked again and again', isMet, metMs).catch((error: Error) =>
      misses.push(error.message),
    );
    await noisy.account.clearFaults();
    const verdict = await check(context, mergeLedgers([calm, stormy]));
    const refused = await readRefused();
    const { numbers, slow } = await compareDwell(world, { calm, faulty: stormy }, quiet);
    const blocked = early(refused, retryAfterSeconds * 1_000);
    return { verdict: { ...verdict, blocked }, numbers: { ...numbers, stormCalls: refused.length }, misses, slow };
  },
};

/** From the first of these calls to the last, in milliseconds. */
function spanOf(calls: readonly ProviderCall[]): number {
  const moments = calls.map(({ at }) => Date.parse(at));
  return Math.max(...moments) - Math.min(...moments);
}

/** Refused calls that came before the `Retry-After` of an earlier one was over, though its reply was known. */
function early(refused: readonly ProviderCall[], retryAfterMs: number): number {
  let [knownAtMs, openAtMs] = [Infinity, -Infinity];
  let count = 0;
  for (const { at, tookMs } of refused.toSorted((a, b) => a.at.localeCompare(b.at))) {
    const atMs = Date.parse(at);
    // A Retry-After is in whole seconds, and a clock may be read a moment later than the reply was written.
    if (atMs > knownAtMs && atMs < openAtMs - 50) count += 1;
    if (atMs >= openAtMs - 50) [knownAtMs, openAtMs] = [atMs + tookMs + knownMs, atMs + tookMs + retryAfterMs];
  }
  return count;
}
