import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '../../harness/api';
import type { Customer } from '../../harness/customer';

/** What callers sent while processes came and went, and what they heard. */
export interface Traffic {
  /** Markers of creates that were answered 200, with their operation. */
  readonly accepted: ReadonlyMap<string, string>;
  /** Every reply that is no 2xx, and every connection that failed. */
  readonly failures: readonly string[];
  readonly requests: number;
  end(): Promise<void>;
}

/** Callers at the same time; each sends its next request when the last one is answered. */
const callers = 4;
/**
 * Between a caller's requests, in milliseconds: the subject is restarts, not load. Four callers make 14 writes a second, half of them
 * calls, beside two searches; the account allows 110 calls in 10 s.
 */
const pauseMs = 280;
/** A customer's account allows five searches a second, and a refused one is no failure of ours. */
const searchEveryMs = 500;

/** Asynchronous, auto-batched and synchronous creates, searches and reads of operations, until it is ended. */
export function startTraffic(customer: Customer): Traffic {
  const state = { isEnded: false, requests: 0, searchedAtMs: 0 };
  const accepted = new Map<string, string>();
  const failures: string[] = [];
  const note = (what: string, status: number, body: unknown): boolean => {
    state.requests += 1;
    if (status >= 300) failures.push(`${what}: ${status} ${JSON.stringify(body)}`);
    return status < 300;
  };
  const turn = async (marker: string, at: number): Promise<void> => {
    const { status, body } = await customer.write('contacts', writeOf(marker, at));
    if (!note('write', status, body)) return;
    accepted.set(marker, body.operationId);
    if (at % 5 === 0) await read(body.operationId);
    if (performance.now() - state.searchedAtMs > searchEveryMs) await search(marker);
  };
  const read = async (id: string): Promise<void> => {
    const url = `${customer.project.url}/operations/${id}`;
    const operation = await ask(url, { method: 'GET', key: customer.project.key });
    note('operation', operation.status, operation.body);
  };
  const search = async (marker: string): Promise<void> => {
    state.searchedAtMs = performance.now();
    const found = await customer.search('contacts', { lastname: marker });
    note('search', found.status, found.body);
  };
  const call = async (caller: number): Promise<void> => {
    for (let n = 0; !state.isEnded; n += 1) {
      await turn(`roll-${caller}-${n}`, n).catch((error: unknown) => failures.push(String(error)));
      await sleep(pauseMs);
    }
  };
  const calling = Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
  return {
    accepted,
    failures,
    get requests() {
      return state.requests;
    },
    end: async () => {
      state.isEnded = true;
      await calling;
    },
  };
}

const policies = [
  { mode: 'asynchronous' },
  { mode: 'asynchronous', autoBatchPolicy: { maxDelayMinutes: 1 } },
  { mode: 'asynchronous', autoBatchPolicy: { maxDelayMinutes: 1 } },
  { mode: 'synchronous' },
];

function writeOf(marker: string, at: number): object {
  const record = { lastname: marker, email: `${marker}@example.com` };
  return { type: 'create', record, ...policies[at % policies.length] };
}
