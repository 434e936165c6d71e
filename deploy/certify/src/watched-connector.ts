import { setTimeout as delay } from 'node:timers/promises';
import {
  type Auth,
  type Connector,
  type Fields,
  type ProviderFailure,
  type RecordResult,
  toFailure,
} from '@sluice/connectors';
import type { Fixture, WrittenObject } from '@sluice/connectors/conformance';
import { ProviderError } from '@sluice/errors';
import type { MarkedRecord } from './journal';

/** A connector whose every create is noted before it is sent, and whose last failure is known. */
export interface WatchedConnector {
  readonly connector: Connector;
  /** What the account last refused since it was asked for, with the account's own credentials. */
  takeFailure(): (ProviderFailure & { readonly isOfCreate: boolean }) | undefined;
}

interface Watch {
  readonly auth: Auth;
  readonly fixture: Fixture;
  /** Stands in the mark of each record; without it nothing is created. */
  readonly run: string;
  /** What was made or may have been made, in order: added to. */
  readonly records: MarkedRecord[];
  /** Called after each change of `records`, before anything is sent that could make one more. */
  readonly save: () => void;
  /** Aborting it ends the calls. */
  readonly signal: AbortSignal;
}

/** What sends a request to the account. */
const sending = [
  'workspace',
  'describe',
  'create',
  'update',
  'delete',
  'createBatch',
  'updateBatch',
  'readBatch',
  'search',
  'findCreated',
] as const;

type Sending = (typeof sending)[number];

interface Request {
  readonly auth: Auth;
  readonly signal?: AbortSignal;
  readonly objectName?: string;
  readonly fields?: Fields;
  readonly records?: readonly { readonly fields: Fields }[];
}

/** The object of this name: the fixture's, or the one that its records are linked to. */
export function objectOf({ link, ...fixture }: Fixture, objectName: string | undefined): WrittenObject | undefined {
  return [fixture, link?.object].find((object) => object?.objectName === objectName);
}

export function watchConnector(connector: Connector, watch: Watch): WatchedConnector {
  const { auth, fixture, run, records, save, signal } = watch;
  let last: ReturnType<WatchedConnector['takeFailure']>;
  /** The records that a create may make, by their marks. */
  const note = (name: Sending, request: Request): MarkedRecord[] => {
    if (name !== 'create' && name !== 'createBatch') return [];
    const object = objectOf(fixture, request.objectName);
    const all = name === 'create' ? [request.fields ?? {}] : (request.records ?? []).map(({ fields }) => fields);
    const marks = all.map((fields) => String(object && fields[object.markField]));
    if (!object || !marks.every((mark) => mark.includes(run))) throw new Error('a record without the mark of the run');
    const { objectName } = object;
    const noted = marks.map((mark): MarkedRecord => ({ objectName, mark, sentAt: new Date().toISOString() }));
    records.push(...noted);
    save();
    return noted;
  };
  const around: Around = async (name, request, send) => {
    signal.throwIfAborted();
    const noted = note(name, request);
    const both = AbortSignal.any([signal, ...(request.signal ? [request.signal] : [])]);
    const outcome = await outcomeOf(() => send({ ...request, signal: both }));
    const results = [outcome.result].flat() as (RecordResult | undefined)[];
    for (const [at, record] of noted.entries()) {
      settle(record, results[at]);
      // Who may not write may not search either.
      if (['forbidden', 'credentials'].includes(classOf(results[at]) ?? '')) records.splice(records.indexOf(record), 1);
    }
    if (noted.length > 0) save();
    const isOfCreate = noted[0]?.objectName === fixture.objectName;
    if (outcome.failure && request.auth === auth) last = { ...outcome.failure, isOfCreate };
    if ('thrown' in outcome) throw outcome.thrown;
    return outcome.result;
  };
  return {
    connector: wrapped(patientConnector(connector), around),
    takeFailure: () => {
      const taken = last;
      last = undefined;
      return taken;
    },
  };
}

function settle(record: MarkedRecord, result: RecordResult | undefined): void {
  if (result?.ok) record.id = result.recordId;
  else record.isRefused = !['unknown', 'timeout', undefined].includes(classOf(result));
}

const classOf = (result: RecordResult | undefined) => (result?.ok === false ? result.error.class : undefined);

/** Waits of one call, at most: limits by the second and by ten seconds are over then. [own] */
const waitsMax = 5;
/** Where the provider does not say how long, in milliseconds. */
const usualMs = 1_000;
/** Longer waits are not waited: a daily limit ends tomorrow. */
const longestMs = 30_000;

/** Waits and sends again when a limit is reached: an account has other users. Nothing was written then, so a second send is safe. */
export function patientConnector(connector: Connector): Connector {
  return wrapped(connector, async (_, request, send) => {
    for (let waits = 0; ; waits += 1) {
      const outcome = await outcomeOf(() => send(request));
      const waitMs = outcome.failure?.retryAfterMs ?? usualMs;
      if (outcome.failure?.class === 'quota' && waits < waitsMax && waitMs <= longestMs) {
        await delay(waitMs, undefined, request.signal && { signal: request.signal });
      } else if ('thrown' in outcome) throw outcome.thrown;
      else return outcome.result;
    }
  });
}

type Send = (request: Request) => Promise<unknown>;
type Around = (name: Sending, request: Request, send: Send) => Promise<unknown>;

function wrapped(connector: Connector, around: Around): Connector {
  const methods = sending.flatMap((name) => {
    const send = connector[name] as Send | undefined;
    return send ? [[name, (request: Request) => around(name, request, send)] as const] : [];
  });
  return { ...connector, ...(Object.fromEntries(methods) as Partial<Connector>) };
}

interface Outcome {
  readonly result?: unknown;
  readonly thrown?: unknown;
  readonly failure: ProviderFailure | undefined;
}

async function outcomeOf(send: () => Promise<unknown>): Promise<Outcome> {
  return await send().then(
    (result) => ({ result, failure: failureIn(result) }),
    (thrown: unknown) => ({ thrown, failure: thrown instanceof ProviderError ? toFailure(thrown) : undefined }),
  );
}

/** The failure of a result; of several that all failed alike, the first. */
function failureIn(result: unknown): ProviderFailure | undefined {
  if (!Array.isArray(result)) return (result as { readonly error?: ProviderFailure } | undefined)?.error;
  const [first, ...others] = result.map(failureIn);
  return others.every((one) => one?.class === first?.class) ? first : undefined;
}
