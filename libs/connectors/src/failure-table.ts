import type { FailureClass } from '@sluice/errors';
import type { HttpOutcome } from './http-client';

/**
 * Where a fact about a provider is from, and its source: `recorded: A3: 207 in fixtures`. `documented`: the provider's public pages or published
 * OpenAPI. `recorded`: seen in a fixture, a probe or the code of an open-source client. `assumed`: our judgement, or what is commonly said. Sources
 * are sections of docs/contributing/providers.md, RFCs, or the reason. None was checked on a live account.
 */
export type Fact = `${'documented' | 'recorded' | 'assumed'}: ${string}`;

/** A further property of a call, or of one record in a reply, that a row can ask for or exclude. */
type Property =
  | 'json'
  /** Without a body. */
  | 'empty'
  /** HTML. */
  | 'page'
  /** The reply arrived whole and could be read. */
  | 'whole'
  /** One record of a 2xx reply, whose error code alone decides. */
  | 'record'
  | 'batch'
  /** The record has a value that is unique at the provider, so that a second create of it is refused. */
  | 'keyed'
  /** An earlier send of the same write may have been carried out. */
  | 'resend'
  /** Every problem that the error lists is a value that another record has. */
  | 'taken'
  /** Only scopes of sensitive properties are missing. */
  | 'sensitive'
  /** The error names fields. */
  | 'fields'
  /** A 2xx whose body reports failure. */
  | 'failed'
  /** A request for the account behind the credentials. */
  | 'identity'
  /** The code stands inside the message of another one, so it may speak of another record than the one sent. */
  | 'wrapped'
  /** A request for tokens with a refresh token. */
  | 'refresh'
  /** The client id and secret belong to the connection, not to the builder's app. */
  | 'ownClient';

/** What broke an exchange. `not-sent`: no byte left. `unreadable`: a 2xx that lacks what it must say. */
type Fault = 'not-sent' | 'timeout' | 'broken' | 'aborted' | 'too-large' | 'undecodable' | 'unreadable';

/** What is known of a call, or of one record in its reply: the input of every failure table. */
export interface Signal {
  readonly on: 'create' | 'update' | 'delete' | 'read' | 'token';
  readonly fault?: Fault | undefined;
  /** Absent: no status line arrived, or the signal is of one record in a 2xx. */
  readonly status?: number | undefined;
  /** The provider's code of the error. */
  readonly code?: string | undefined;
  /** The provider's message. */
  readonly text?: string | undefined;
  readonly is: readonly Property[];
}

/** The condition of a row: every member that is present must hold. */
interface Condition {
  readonly status?: readonly (number | '2xx' | '3xx' | '4xx' | '5xx')[];
  readonly fault?: readonly Fault[];
  /** Codes, in any case; one that ends in `*` is a prefix. */
  readonly code?: readonly string[];
  /** Parts of the code and the message, in any case; one of them is enough. */
  readonly says?: readonly string[];
  readonly on?: readonly Signal['on'][];
  readonly is?: readonly Property[];
  readonly not?: readonly Property[];
}

/** A row of a failure table. In a table the first row that matches decides; the last one matches everything. */
export interface FailureRow extends Condition {
  /** `ok`: the call succeeded; its body says what it wrote. */
  readonly class: FailureClass | 'ok';
  /** The provider account is the cause, not the call. */
  readonly isLane?: boolean | undefined;
  /** Wait where the reply names none, in milliseconds. */
  readonly waitMs?: number | undefined;
  /** Tries after which the failure counts as lasting, where another try hardly helps. Absent: the deadline alone bounds them. */
  readonly triesMax?: number;
  /**
   * Of a refused batch nothing was written, and one record, or the number of them, may be why: it is divided. Absent: it concerns
   * every record, or something may have been written.
   */
  readonly divides?: 'record' | 'number';
  readonly fact: Fact;
  /** Printed in place of the condition. */
  readonly signal?: string;
}

/** Tries of what the references call "few attempts" or "low count". At a minute apart they take four minutes. [own] */
export const fewTries = 5;

/** Rows for faults of the transport, alike for every provider. Further rows of a table come after them. */
export const transportRows: readonly FailureRow[] = [
  {
    signal: 'connect refused, DNS, TLS, connect timeout, cancelled before sending',
    fault: ['not-sent'],
    class: 'unavailable',
    fact: 'recorded: 1a, 1b; no byte left: the HTTP client says so before it writes',
  },
  {
    signal: 'no whole reply within the call timeout',
    fault: ['timeout'],
    class: 'timeout',
    fact: 'recorded: 1a, 1b; bytes left, so it may have been applied',
  },
  {
    signal: 'reset, closed, truncated, too large or too deep, cancelled after sending',
    fault: ['broken', 'aborted', 'too-large', 'undecodable'],
    class: 'unknown',
    fact: 'recorded: 1a, 1b; bytes left, so it may have been applied',
  },
];

/**
 * The provider no longer serves the version that we ask for: nothing of the account is sent for a while, and what waits stays until the version is
 * changed. After rows that read a 410 as something else.
 */
export const versionOver: FailureRow = {
  signal: '410: the version is over',
  status: [410],
  class: 'unavailable',
  isLane: true,
  waitMs: 15 * 60_000,
  fact: 'documented: Klaviyo and Salesforce answer a retired version so; RFC 9110, 15.5.11; 15 min are ours',
};

/** The same as a code, under a status that ends a record. */
const versionOverSaid: FailureRow = {
  ...versionOver,
  signal: '400, 403, 404, 406, 426 with the code UNSUPPORTED_API_VERSION or revision_retired',
  status: [400, 403, 404, 406, 426],
  code: ['UNSUPPORTED_API_VERSION', 'revision_retired'],
  fact: 'recorded: StevenMMortimer/salesforcer#24; its status is not shown, and the second code is assumed',
};

export const isVersionOver = (row: FailureRow) => row === versionOver || row === versionOverSaid;

/** Parts of a message of what another request holds: the transaction was undone, and the same request succeeds once the other has ended. */
export const lockWords = [
  'deadlock',
  'database collision',
  'lock wait timeout',
  'lock timeout',
  'could not serialize',
  'unable to lock',
  'unable_to_lock',
  'exclusive access',
  'acquire lock',
  'acquire a lock',
  'obtain lock',
  'obtain a lock',
  'is locked by another',
  'being updated by another',
  'being modified by another',
  'being processed by another',
  'concurrent update',
  'concurrent modification',
];

/** Under a status that is final: words of the refusal itself that say that it passes, or concerns no record. */
export const passingRows: readonly FailureRow[] = [
  versionOverSaid,
  {
    signal: '400, 403, 409, 412, 422 that speaks of a deadlock or a lock',
    status: [400, 403, 409, 412, 422],
    says: lockWords,
    class: 'unavailable',
    waitMs: 2_000,
    fact: 'recorded: facetoe/zenpy#58; jsforce/jsforce, issue 1018: a deadlock or a lock; 2 s are ours',
  },
  {
    signal: '400, 403, 409, 412, 422 that asks to try again later, or says that the system is busy or met a rate',
    status: [400, 403, 409, 412, 422],
    says: [
      'try again later',
      'try again in',
      'try again shortly',
      'retry later',
      'retry your',
      'retry the request',
      'please retry',
      'is busy',
      'too busy',
      'temporarily unavailable',
      'temporarily disabled',
      'currently unavailable',
      'too many requests',
      'rate limit exceeded',
    ],
    class: 'unavailable',
    waitMs: 5_000,
    triesMax: fewTries,
    fact: 'assumed: the words may stand in any sentence, so few tries; 5 s are ours',
  },
];

/** The row that decides. */
export function decide(table: readonly FailureRow[], signal: Signal): FailureRow {
  const row = table.find((each) => matches(each, signal));
  if (!row) throw new RangeError('the last row of a failure table matches everything');
  return row;
}

function matches(row: Condition, { status, fault, code = '', text = '', on, is }: Signal): boolean {
  const lowerText = `${code} ${text}`.toLowerCase();
  return (
    (row.status === undefined || (status !== undefined && row.status.some((one) => isOfStatus(one, status)))) &&
    (row.fault === undefined || (fault !== undefined && row.fault.includes(fault))) &&
    (row.code === undefined || row.code.some((form) => isOfCode(form.toLowerCase(), code.trim().toLowerCase()))) &&
    (row.says === undefined || row.says.some((part) => lowerText.includes(part.toLowerCase()))) &&
    (row.on === undefined || row.on.includes(on)) &&
    (row.is ?? []).every((property) => is.includes(property)) &&
    !row.not?.some((property) => is.includes(property))
  );
}

function isOfStatus(form: number | string, status: number): boolean {
  return typeof form === 'number' ? form === status : form === `${Math.floor(status / 100)}xx`;
}

function isOfCode(form: string, code: string): boolean {
  return form.endsWith('*') ? code.startsWith(form.slice(0, -1)) : form === code;
}

/** The properties that hold. */
export function propertiesOf(given: Partial<Record<Property, boolean>>): Property[] {
  return (Object.keys(given) as Property[]).filter((property) => given[property]);
}

/** Status and fault of an exchange. A fault decides only where no status line, or one of success, came with it. */
export function wireSignal(outcome: HttpOutcome): Pick<Signal, 'status' | 'fault'> {
  if (outcome.kind === 'not-sent') return { fault: 'not-sent' };
  if (outcome.kind === 'no-reply') return { fault: outcome.fault };
  const { status, fault } = outcome.reply;
  return { status, fault: status < 300 ? fault : undefined };
}
