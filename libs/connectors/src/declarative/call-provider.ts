import type { Logger, Metrics } from '@sluice/telemetry';
import { type CallMeter, type HttpClient, type HttpOutcome, type HttpRequest, createCallMeter } from '../http-client';
import type { ObservedExchange, ProviderCall } from '../requests';
import type { ProviderFailure } from '../results';
import { attach } from './attach-auth';
import { classify, requestIdOf } from './classify';
import type { Declaration, Match } from './declaration';
import { type Row, type Signal, signalTable } from './signal-table';
import { fillPath, fillText, segmentFault, valueAt } from './template';
import { originOf, variablesOf } from './variables';

/** One request, as the file describes it. */
export interface DeclaredRequest {
  /** In logs and metrics. */
  readonly operation: 'create' | 'update' | 'search' | 'look' | 'fields' | 'account';
  readonly method: HttpRequest['method'];
  /** May hold `{name}`. */
  readonly path: string;
  /** What stands for names in the path. */
  readonly texts: Readonly<Record<string, string>>;
  readonly query?: readonly (readonly [name: string, value: string])[];
  readonly body?: unknown;
  /** What a 2xx must say besides its status. */
  readonly success?: Match | undefined;
  /** A 2xx without a body is a success. @default false */
  readonly mayBeEmpty?: boolean | undefined;
  /** See `Signal`. @default false */
  readonly isKeyed?: boolean;
}

/** A 2xx that says what it must (`body` is undefined where there is none), or why not. */
type DeclaredAnswer =
  | {
      readonly ok: true;
      readonly body: unknown;
      /** The failure of a reply that turns out to lack more, such as the id. */
      readonly lacking: () => ProviderFailure;
    }
  | { readonly ok: false; readonly failure: ProviderFailure };

/** What every action of one provider needs. */
export interface DeclaredApi {
  readonly file: Declaration;
  readonly table: readonly Row[];
  readonly meter: CallMeter;
  call(request: DeclaredRequest, call: ProviderCall): Promise<DeclaredAnswer>;
  /** As it is, for what is not opened by the account's credentials: the token endpoint. */
  send(request: HttpRequest): Promise<HttpOutcome>;
  /** In place of the origins of the file, for the sandbox. */
  readonly override: string | undefined;
}

interface DeclaredApiOptions {
  readonly file: Declaration;
  readonly client: HttpClient;
  readonly override?: string | undefined;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** The one way to a declared provider: address derived and checked, credentials attached, reply classified. Never throws. */
export function createDeclaredApi({ file, client, override, logger, metrics }: DeclaredApiOptions): DeclaredApi {
  const table = signalTable(file);
  const meter = createCallMeter(file.name, logger, metrics);
  return {
    file,
    table,
    meter,
    override,
    send: (request) => client.send(request),
    async call(request, call) {
      const prepared = prepare(file, override, request, call);
      if ('class' in prepared) return { ok: false, failure: prepared };
      const withheld = await call.withhold?.('account');
      if (withheld) return { ok: false, failure: withheld };
      const outcome = await client.send(prepared);
      const answer = readAnswer({ file, table, request, token: call.auth.accessToken }, outcome);
      const seen = exchangeOf(file, outcome);
      meter.measured(request.operation, answer.ok ? 'ok' : answer.failure.class, outcome, seen);
      call.observe?.(seen);
      return answer;
    },
  };
}

/** The request as it is sent, or why it is not: nothing of it has left then. */
function prepare(
  file: Declaration,
  override: string | undefined,
  { method, path, texts, query = [], body }: DeclaredRequest,
  { auth, signal, held, traceparent }: ProviderCall,
): HttpRequest | ProviderFailure {
  const variables = variablesOf(file, auth);
  if (!variables.ok) return refuse(variables.message);
  const place = originOf(file, file.baseUrl, variables.texts, override);
  if (!place.ok) return refuse(place.message);
  const named = { ...variables.texts, ...texts };
  for (const [name, value] of Object.entries(named)) {
    const fault = path.includes(`{${name}}`) ? segmentFault(value) : undefined;
    if (fault !== undefined) return refuse(`${nameOf(name)} '${value.slice(0, 40)}' ${fault}`);
  }
  const attached = attach(file.auth, auth);
  if (typeof attached === 'string') return { class: 'credentials', scope: 'call', message: attached };
  const secret = query.find(([name]) => Object.hasOwn(attached.query, name));
  if (secret) return refuse(`a filter cannot be named ${secret[0]}: the credentials are sent there`);
  const search = new URLSearchParams([
    ...query.map(([name, value]): [string, string] => [name, value]),
    ...Object.entries(attached.query),
  ]);
  const fixed = Object.entries(file.headers ?? {}).map(([name, value]) => [
    name.toLowerCase(),
    fillText(value, variables.texts),
  ]);
  return {
    method,
    origin: place.origin,
    path: fillPath(path, named) + (search.size > 0 ? `?${search.toString()}` : ''),
    headers: { ...Object.fromEntries(fixed), ...attached.headers },
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
    held,
    ...(traceparent !== undefined && { traceparent }),
  };
}

function refuse(message: string): ProviderFailure {
  return { class: 'rejected', scope: 'call', message };
}

function nameOf(name: string): string {
  return name === 'object' ? 'objectName' : name;
}

interface Asked {
  readonly file: Declaration;
  readonly table: readonly Row[];
  readonly request: DeclaredRequest;
  readonly token: string;
}

function readAnswer({ file, table, request, token }: Asked, outcome: HttpOutcome): DeclaredAnswer {
  const { operation, isKeyed = false } = request;
  const on: Signal['on'] = operation === 'create' || operation === 'update' ? operation : 'read';
  const fail = (flaw?: 'unreadable' | 'refused') =>
    classify(file, table, { on, outcome, isKeyed, token, ...(flaw && { flaw }) });
  const reply = outcome.kind === 'reply' ? outcome.reply : undefined;
  const isSuccess = reply !== undefined && reply.status >= 200 && reply.status < 300 && !reply.fault;
  if (!isSuccess) return { ok: false, failure: fail() };
  const lacking = () => fail('unreadable');
  // A page in place of a body is no answer.
  if (reply.text !== undefined) return { ok: false, failure: lacking() };
  if (reply.json === undefined) {
    return request.mayBeEmpty ? { ok: true, body: undefined, lacking } : { ok: false, failure: lacking() };
  }
  const said = request.success && valueAt(reply.json, request.success.at);
  if (request.success && said === undefined) return { ok: false, failure: lacking() };
  if (request.success && said !== request.success.equals) return { ok: false, failure: fail('refused') };
  return { ok: true, body: reply.json, lacking };
}

function exchangeOf(file: Declaration, outcome: HttpOutcome): ObservedExchange {
  const durationMs = Math.round(outcome.durationMs);
  if (outcome.kind !== 'reply') return { durationMs };
  const providerRequestId = requestIdOf(file, outcome);
  const { limitHeader, windowMs } = file.rate;
  const limit = limitHeader === undefined ? Number.NaN : Number(outcome.reply.headers[limitHeader.toLowerCase()]);
  const isUsable = Number.isSafeInteger(limit) && limit > 0;
  return {
    durationMs,
    status: outcome.reply.status,
    ...(providerRequestId !== undefined && { providerRequestId }),
    ...(isUsable && { quota: { limit, windowMs } }),
  };
}
