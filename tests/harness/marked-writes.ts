import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from './api';
import type { Customer } from './customer';

/** A create whose record can be found again, and what was replied to it. */
export interface MarkedWrite {
  readonly marker: string;
  readonly customer: Customer;
  /** Milliseconds of `performance.now()`. */
  readonly repliedAt: number;
  /** Of a write that was accepted. */
  readonly operationId?: string;
  /** 0: no reply came. */
  readonly status: number;
  /** Of a problem. */
  readonly detail?: string;
}

export interface MarkedWrites {
  /** Grows. */
  readonly sent: readonly MarkedWrite[];
  /** Waits for the last replies. */
  stop(): Promise<readonly MarkedWrite[]>;
}

const objectOf = ({ account }: Customer) => (account.provider === 'hubspot' ? 'contacts' : 'Contact');
const nameOf = ({ account }: Customer) => (account.provider === 'hubspot' ? 'lastname' : 'LastName');

/**
 * Asynchronous creates, every third one auto-batched, for these customers in turn until they are stopped.
 * @param callers each sends its next write when the last one is answered
 */
export function startWrites(name: string, customers: readonly Customer[], callers: number): MarkedWrites {
  const sent: MarkedWrite[] = [];
  const over = new AbortController();
  const write = async (customer: Customer, marker: string, isAutoBatched: boolean): Promise<MarkedWrite> => {
    const isHubspot = customer.account.provider === 'hubspot';
    const record = { [nameOf(customer)]: marker, ...(isHubspot && { email: `${marker}@example.com` }) };
    const policy = isAutoBatched ? { autoBatchPolicy: { maxDelayMinutes: 1 } } : {};
    const body = { type: 'create', mode: 'asynchronous', record, ...policy };
    const reply = await customer.write(objectOf(customer), body).catch(() => undefined);
    const { status = 0, body: { operationId, detail } = {} } = reply ?? {};
    const answer = status === 200 ? { operationId } : { detail };
    return { marker, customer, status, repliedAt: performance.now(), ...answer };
  };
  const send = async (caller: number): Promise<void> => {
    let n = 0;
    while (!over.signal.aborted) {
      for (const customer of customers) {
        sent.push(await write(customer, `${name}-${caller}-${n}`, n % 3 === 0));
        n += 1;
        await sleep(20);
      }
    }
  };
  const sending = Promise.all(Array.from({ length: callers }, (_, caller) => send(caller)));
  return {
    sent,
    stop: async () => {
      over.abort();
      await sending;
      return sent;
    },
  };
}

/** What became of what was sent, by markers. */
export interface EndOfWrites {
  readonly accepted: number;
  readonly refused: number;
  /** Accepted, and no operation or no record of it is there. */
  readonly lost: readonly string[];
  readonly unfinished: readonly string[];
  readonly doubled: readonly string[];
}

/** Waits until every operation that can be read has ended, then compares replies, operations and providers. */
export async function compareWrites(sent: readonly MarkedWrite[]): Promise<EndOfWrites> {
  const accepted = sent.filter(({ operationId }) => operationId !== undefined);
  const lost: string[] = [];
  const unfinished: string[] = [];
  for (const { operationId = '', customer, marker } of accepted) {
    const { project } = customer;
    const { status } = await ask(`${project.url}/operations/${operationId}`, { method: 'GET', key: project.key });
    if (status === 404) lost.push(marker);
    else if ((await customer.ended(operationId, 120_000)).status !== 'success') unfinished.push(marker);
  }
  const counts = new Map<string, number>();
  for (const customer of new Set(sent.map((one) => one.customer))) {
    for (const { fields } of await customer.account.records(objectOf(customer))) {
      const marker = String(fields[nameOf(customer)]);
      counts.set(marker, (counts.get(marker) ?? 0) + 1);
    }
  }
  const doubled = [...counts].filter(([, count]) => count > 1).map(([marker]) => marker);
  const absent = accepted.filter(({ marker }) => !counts.has(marker) && !lost.includes(marker));
  lost.push(...absent.map(({ marker }) => marker));
  return { accepted: accepted.length, refused: sent.length - accepted.length, lost, unfinished, doubled };
}

/** `accepted 328, refused 0, lost 0, doubled 0` */
export function countsOf({ accepted, refused, lost, doubled }: EndOfWrites): string {
  return `accepted ${accepted}, refused ${refused}, lost ${lost.length}, doubled ${doubled.length}`;
}
