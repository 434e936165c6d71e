import { setTimeout as sleep } from 'node:timers/promises';
import { call, ask } from '../../harness/api';
import type { Customer } from '../../harness/customer';
import { newLedger, type ClientLedger, type SentRecord, type Way } from './client-ledger';
import type { LoadContext, Measured } from './measured';
import { objectOf, sendWrite, type Write } from './send-write';

export interface Load {
  /** Records to write, at least. */
  readonly writes: number;
  /** Asked before each write beyond `writes`: whether to go on. For faults that must meet a load, however long they take. @default never */
  readonly goesOn?: () => boolean;
  /** Requests that are begun in a second, at most. @default 400, as the fault matrix asks */
  readonly perSecond?: number;
  /** Requests under way at once, at most. @default 64 */
  readonly concurrency?: number;
  /** Weights of the ways. @default all of them, creates mostly */
  readonly mix?: Readonly<Partial<Record<Way, number>>>;
  /** @default the two of the world */
  readonly customers?: readonly Customer[];
  /** Share of the creates that carry an `Idempotency-Key`. @default 0.3 */
  readonly keyedShare?: number;
  /** Share of HubSpot's creates that have no email, so nothing unique. @default 0.1 */
  readonly withoutEmailShare?: number;
  /** API keys that are used in turn. @default that of each customer's project */
  readonly apiKeys?: readonly string[];
  /** Called after each answer, with how many there are. */
  readonly onAnswer?: (answered: number) => void;
  /** Distinguishes the loads of one row. @default '' */
  readonly name?: string;
}

const everyWay: Required<Load>['mix'] = { single: 40, auto: 40, batch: 2, update: 10, autoUpdate: 6, sync: 2 };
/** Requests under way at once. */
const concurrency = 64;
/** So few that none waits the 5 s of a statement behind the others, on a machine of any speed: for rows in which every reply is a 200. */
export const gentleConcurrency = 16;
const recordsPerBatch = 5;
/** Records of each customer that updates change. */
const updatedRecords = 12;
/** Share of the acceptances that are asked for at once, and watched. */
const watchedShare = 0.05;
const pollMs = 400;

/** Sends a load with its own ledger. Which writes they are, and in which order they begin, is the same for the same seed. */
export async function sendLoad(context: LoadContext, load: Load): Promise<ClientLedger> {
  const { world } = context;
  const ledger = newLedger(await latestSeq(world));
  const next = writePlanner(context, load, await seedRecords(context, load));
  const watch = watchOperations(context, ledger);
  const begunAtMs = performance.now();
  let [begun, planned, answered] = [0, 0, 0];
  const worker = async (): Promise<void> => {
    while (planned < load.writes || load.goesOn?.() === true) {
      const write = next.take();
      if (write === undefined) {
        await sleep(5);
        continue;
      }
      planned += write.markers.length;
      const turn = (begun += 1);
      const dueAtMs = begunAtMs + (turn * 1_000) / (load.perSecond ?? 400);
      if (dueAtMs > performance.now()) await sleep(dueAtMs - performance.now());
      const gateway = turn % 2;
      const writeUrls = [world.writeUrls[gateway] ?? '', world.writeUrls[1 - gateway] ?? ''];
      const records = await sendWrite(ledger, write, { writeUrls, secrets: world.secrets });
      next.release(write);
      watch.maybe(records[0]);
      load.onAnswer?.((answered += write.markers.length));
    }
  };
  await Promise.all(Array.from({ length: load.concurrency ?? concurrency }, worker));
  await watch.end();
  return ledger;
}

/** Where the ledger of each world's sandbox ended when it was last asked: a whole one has tens of thousands of calls. */
const ends = new WeakMap<Measured['stack'], number>();

/** Where the sandbox's ledger ends now. */
export async function latestSeq({ stack }: Pick<Measured, 'stack'>): Promise<number> {
  const known = ends.get(stack) ?? 0;
  const url = `${stack.sandboxUrl}/_sandbox/ledger?since=${known}`;
  const end = (await call<{ seq: number }[]>(url, { method: 'GET' })).at(-1)?.seq ?? known;
  ends.set(stack, end);
  return end;
}

interface Planner {
  /** The next write; undefined when every record that could be updated is being updated. */
  take(): Write | undefined;
  release(write: Write): void;
}

/** Updates of one record never overlap: the client waits for the reply before it sends the next. */
function writePlanner(context: LoadContext, load: Load, recordIds: ReadonlyMap<Customer, string[]>): Planner {
  const { random, run } = context;
  const { keyedShare = 0.3, withoutEmailShare = 0.1, name = '', apiKeys = [] } = load;
  const customers = load.customers ?? context.world.customers;
  const ways = Object.entries(load.mix ?? everyWay) as [Way, number][];
  let made = 0;
  const pick = (): Way => {
    let left = random() * ways.reduce((sum, [, weight]) => sum + weight, 0);
    return ways.find(([, weight]) => (left -= weight) < 0)?.[0] ?? 'single';
  };
  return {
    take: () => {
      const way = pick();
      const customer = customers.at(Math.floor(random() * customers.length));
      if (customer === undefined) return undefined;
      const [isKeyed, hasEmail] = [random() < keyedShare, random() >= withoutEmailShare];
      const isUpdate = way === 'update' || way === 'autoUpdate';
      const recordId = isUpdate ? recordIds.get(customer)?.shift() : undefined;
      if (isUpdate && recordId === undefined) return undefined;
      const markers = Array.from(
        { length: way === 'batch' ? recordsPerBatch : 1 },
        () => `${run}${name}-${(made += 1)}`,
      );
      const key = isKeyed ? { idempotencyKey: `key-${markers[0]}` } : {};
      return {
        customer,
        way,
        markers,
        hasEmail,
        // Two in a row: the gateways take turns as well, and each is to see every key.
        apiKey: apiKeys[Math.floor(made / 2) % apiKeys.length],
        ...key,
        ...(recordId !== undefined && { recordId }),
      };
    },
    release: ({ customer, recordId }) => {
      if (recordId !== undefined) recordIds.get(customer)?.push(recordId);
    },
  };
}

/** Records to update, made at the provider by the customer himself. */
async function seedRecords({ world, run }: LoadContext, load: Load): Promise<Map<Customer, string[]>> {
  const { update = 0, autoUpdate = 0 } = load.mix ?? everyWay;
  const seeded = new Map<Customer, string[]>();
  if (update + autoUpdate === 0) return seeded;
  for (const customer of load.customers ?? world.customers) {
    const names = Array.from({ length: updatedRecords }, (_, at) => `seed-${run}${load.name ?? ''}-${at}`);
    seeded.set(customer, await Promise.all(names.map((name) => createAtProvider(world, customer, name))));
  }
  return seeded;
}

async function createAtProvider({ stack }: Measured, { account }: Customer, name: string): Promise<string> {
  const isHubspot = account.provider === 'hubspot';
  const path = isHubspot ? '/crm/v3/objects/contacts' : `/services/data/v66.0/sobjects/${objectOf('salesforce')}`;
  const email = `${name}@example.com`;
  const body = isHubspot ? { properties: { email, lastname: name } } : { Email: email, LastName: name };
  const headers = { authorization: `Bearer ${account.token}` };
  const made = await call<{ id: string }>(`${stack.sandboxUrl}${path}`, { headers, body });
  return made.id;
}

/** Asks for some operations as soon as they are given out, and again and again: a poller. */
function watchOperations({ world, random }: LoadContext, ledger: ClientLedger) {
  const watched = new Map<string, Customer>();
  const ended = new AbortController();
  const readOperation = async (id: string, customer: Customer): Promise<void> => {
    const url = `${world.stack.baseUrl}/projects/${customer.project.id}/operations/${id}`;
    const reply = await ask<{ status: 'in_progress' | 'success' | 'failure' }>(url, {
      method: 'GET',
      key: customer.project.key,
    }).catch(() => undefined);
    if (reply?.status === 404) ledger.missing.add(id);
    if (reply?.status !== 200 || reply.body.status === 'in_progress') return;
    ledger.finals.set(id, reply.body.status);
    watched.delete(id);
  };
  const poll = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      for (const [id, customer] of [...watched].slice(0, 20)) await readOperation(id, customer);
      await sleep(pollMs);
    }
  };
  const polling = poll();
  return {
    maybe: (record: SentRecord | undefined): void => {
      if (record?.outcome !== 'accepted' || record.operationId === undefined || random() > watchedShare) return;
      watched.set(record.operationId, record.customer);
      void readOperation(record.operationId, record.customer);
    },
    end: async (): Promise<void> => {
      ended.abort();
      await polling;
    },
  };
}
