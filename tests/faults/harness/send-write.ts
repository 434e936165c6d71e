import { setTimeout as sleep } from 'node:timers/promises';
import { exchange, type Answer, type Reply } from '../../harness/api';
import type { Customer } from '../../harness/customer';
import { countAnswer, type ClientLedger, type SentRecord, type Way } from './client-ledger';

/** A request that is to be sent. */
export interface Write {
  readonly customer: Customer;
  readonly way: Way;
  /** One marker, or several for a `batch`. */
  readonly markers: readonly string[];
  /** Of updates: the provider's id. */
  readonly recordId?: string;
  /** Makes a `batch` one of updates: an id for each marker. */
  readonly recordIds?: readonly string[];
  readonly idempotencyKey?: string;
  /** A create without an email has nothing unique. @default true */
  readonly hasEmail?: boolean;
  /**
   * Hours, asked for in the way's own policy; a synchronous write has none. An hour is a scaled minute, which faults on a slow machine
   * outlast. @default 48
   */
  readonly deadlineHours?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** @default the key of the customer's project */
  readonly apiKey?: string | undefined;
}

export interface SendOptions {
  /** `{write_url}`s, the preferred one first; another gets the request only after a refused connection. */
  readonly writeUrls: readonly string[];
  /** Seeded secrets, which no reply may hold. */
  readonly secrets?: readonly string[];
  /** How long 429, 503 and refused connections are met with another try, in milliseconds. @default 240 000 */
  readonly patienceMs?: number;
}

/** How long a repeat of a request with a key goes on after lost replies and while the first is under way. */
const repeatMs = 180_000;
/** Longer than everything that a row takes down needs to come back on a slow machine. */
const longestMs = 240_000;
/** A server may ask for more; a test does not wait longer for one try. */
const longestWaitMs = 2_000;

/**
 * Sends one write until there is an answer or its fate is unknown, and keeps the ledger. A refused connection sent nothing and
 * goes to the next address; 429 and 503 accepted nothing and are tried again; a lost reply is repeated only under a key.
 * @returns the records as the client knows them now
 */
export async function sendWrite(
  ledger: ClientLedger,
  write: Write,
  options: SendOptions,
): Promise<readonly SentRecord[]> {
  const records = write.markers.map((marker, at) => intentOf(recordOf(write, at), marker));
  ledger.records.push(...records);
  const reply = await request(ledger, { write, options, records });
  for (const record of records) record.answeredAtMs = Date.now();
  if (reply !== undefined) note(ledger, records, reply);
  ledger.endedAtMs = Date.now();
  return records;
}

interface Sending {
  readonly write: Write;
  readonly options: SendOptions;
  readonly records: readonly SentRecord[];
}

/** @returns undefined when the last thing heard was nothing */
async function request(ledger: ClientLedger, { write, options, records }: Sending): Promise<Reply | undefined> {
  const { writeUrls, patienceMs = longestMs, secrets = [] } = options;
  const order = { key: write.apiKey ?? write.customer.project.key, headers: headersOf(write), body: bodyOf(write) };
  const begunAtMs = performance.now();
  for (let tries = 0; ;) {
    const url = writeUrls[tries % writeUrls.length] ?? '';
    const sentAtMs = Date.now();
    const answer = await exchange(`${url}${pathOf(write)}`, order);
    count(ledger, write, { sentAtMs, answer });
    const waitedMs = performance.now() - begunAtMs;
    if (answer.kind !== 'reply') {
      const isRefused = answer.kind === 'refused';
      if (!isRefused && write.idempotencyKey === undefined) return undefined;
      if (waitedMs > (isRefused ? patienceMs : repeatMs)) return undefined;
      if (isRefused) tries += 1;
      else for (const record of records) record.isRepeated = true;
      await sleep(isRefused ? 20 : 50);
      continue;
    }
    if (secrets.some((secret) => JSON.stringify(answer.body)?.includes(secret))) ledger.leaks += 1;
    const waitMs = waitOf(ledger, answer, write.idempotencyKey !== undefined);
    if (waitMs === undefined || waitedMs > patienceMs) return answer;
    await sleep(waitMs);
  }
}

/** How long to wait before the same request may be made again; undefined when it may not. */
function waitOf(ledger: ClientLedger, { status, headers, body }: Reply, hasKey: boolean): number | undefined {
  if (status !== 429 && status !== 503 && !isInFlight(status, body)) return undefined;
  // Nobody knows whether it was accepted: only a key makes a repeat safe.
  if (status === 503 && (body as { retryable?: boolean }).retryable === false) return hasKey ? 1_000 : undefined;
  const after = headers.get('retry-after');
  if (after === null) ledger.withoutRetryAfter += 1;
  return Math.min(Number(after ?? 1) * 1_000, longestWaitMs);
}

/** The first request with this key is not over: whether it will be accepted, nobody has said. */
function isInFlight(status: number, body: unknown): boolean {
  return status === 409 && (body as { code?: string }).code === 'request.idempotency-in-flight';
}

function note(ledger: ClientLedger, records: readonly SentRecord[], { status, headers, body }: Reply): void {
  const { operationId, retryable } = (body ?? {}) as { operationId?: string; retryable?: boolean };
  const first = Number(headers.get('sluice-record-index')?.split(',')[0] ?? 0);
  for (const [at, record] of records.entries()) {
    record.status = status;
    // A synchronous write that was sent and did not succeed says so in its own words; only the provider's ledger judges it.
    const isUndecided =
      isInFlight(status, body) || (status >= 500 && (status === 503 ? retryable === false : retryable !== true));
    record.outcome = status === 200 ? 'accepted' : isUndecided ? 'unknown' : 'refused';
    if (status === 200) record.acceptedNth = ledger.heard += 1;
    if (operationId === undefined) continue;
    record.operationId = operationId;
    record.index = records.length > 1 ? at : first;
  }
}

/** The write of one record of a batch of updates. */
function recordOf(write: Write, at: number): Write {
  const recordId = write.recordIds?.[at];
  return recordId === undefined ? write : { ...write, recordId };
}

function intentOf({ customer, way, recordId, idempotencyKey, hasEmail = true }: Write, marker: string): SentRecord {
  // Without an email half of its values are every other record's, so a lookup cannot distinguish it from one that was changed (docs/guides/promises.md).
  const isReconcilable = hasEmail || recordId !== undefined;
  return {
    marker,
    customer,
    way,
    ...(recordId !== undefined && { recordId }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    isReconcilable,
    outcome: 'unknown',
    isRepeated: false,
    sentAtMs: Date.now(),
  };
}

function count(
  ledger: ClientLedger,
  { way, customer, markers: [marker = ''] }: Write,
  { sentAtMs, answer }: { readonly sentAtMs: number; readonly answer: Answer },
): void {
  const fault =
    answer.kind === 'reply'
      ? { status: answer.status, body: answer.body }
      : { status: answer.kind === 'refused' ? 0 : -1 };
  countAnswer(ledger, { way, customer, marker, sentAtMs, answeredAtMs: Date.now(), ...fault });
}

function pathOf({ customer: { project, integrationId, account } }: Write): string {
  return `/projects/${project.id}/integrations/${integrationId}/objects/${objectOf(account.provider)}`;
}

/** The object that a customer's load writes. */
export function objectOf(provider: string): 'contacts' | 'Contact' {
  return provider === 'hubspot' ? 'contacts' : 'Contact';
}

function headersOf({ idempotencyKey, headers }: Write): Record<string, string> {
  return { ...headers, ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }) };
}

function bodyOf(write: Write): object {
  const { customer, way, markers, deadlineHours = 48 } = write;
  const isUpdate = way === 'update' || way === 'autoUpdate' || write.recordIds !== undefined;
  const isAuto = way === 'auto' || way === 'autoUpdate';
  const records = markers.map((marker, at) => fieldsOf(recordOf(write, at), marker));
  return {
    groupRef: customer.groupRef,
    type: isUpdate ? 'update' : 'create',
    mode: way === 'sync' ? 'synchronous' : 'asynchronous',
    ...(way === 'batch' ? { batch: records.map((record) => ({ record })) } : { record: records[0] }),
    ...(isAuto && { autoBatchPolicy: { maxDelayMinutes: 1, retryDeadlineHours: deadlineHours } }),
    ...(!isAuto && way !== 'sync' && { retryPolicy: { deadlineHours } }),
  };
}

function fieldsOf({ customer, recordId, hasEmail = true }: Write, marker: string): object {
  const isHubspot = customer.account.provider === 'hubspot';
  const last = isHubspot ? { lastname: marker } : { LastName: marker };
  if (recordId !== undefined) return { id: recordId, ...last };
  const email = `${marker}@example.com`;
  if (isHubspot) return { firstname: 'Zoë', ...last, ...(hasEmail && { email }) };
  return { FirstName: 'Zoë', ...last, ...(hasEmail && { Email: email }) };
}
