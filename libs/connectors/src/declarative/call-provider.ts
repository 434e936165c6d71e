import type { HttpOutcome, HttpRequest } from '../http-client';
import {
  createProviderHttp,
  refused,
  type Dialect,
  type ProviderHttp,
  type ProviderHttpOptions,
  cleanText,
} from '../provider-call';
import type { Auth, ProviderCall } from '../requests';
import type { ProviderFailure } from '../results';
import type { FailureRow } from '../failure-table';
import { attach } from './attach-auth';
import { classify, requestIdOf } from './classify';
import type { Declaration, Match } from './declaration';
import { signalTable } from './failure-table';
import { fillPath, fillText, segmentFault, valueAt } from './template';
import { originOf, variablesOf } from './variables';

/** One request, as the file describes it. */
export interface DeclaredRequest {
  /** In logs and metrics. */
  readonly operation: 'create' | 'update' | 'search' | 'look' | 'fields' | 'account';
  readonly method: HttpRequest['method'];
  /** May hold `{name}`. */
  readonly path: string;
  /** The texts of names in the path. */
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
      /** What the provider says it left out. */
      readonly warning?: string;
      /** The failure of a reply that turns out to lack more, such as the id. */
      readonly lacking: () => ProviderFailure;
    }
  | { readonly ok: false; readonly failure: ProviderFailure };

/** What every action of one provider needs. */
export interface DeclaredApi {
  readonly file: Declaration;
  readonly dialect: Dialect;
  /** For what is not opened by the account's credentials: the token endpoint. */
  readonly http: ProviderHttp;
  /** How its failures are classified. */
  readonly table: readonly FailureRow[];
  /** In place of the origins of the file, for the sandbox. */
  readonly override: string | undefined;
}

interface DeclaredApiOptions extends ProviderHttpOptions {
  readonly file: Declaration;
  readonly override?: string | undefined;
}

export function createDeclaredApi({ file, override, ...options }: DeclaredApiOptions): DeclaredApi {
  const dialect = dialectOf(file);
  return { file, dialect, http: createProviderHttp(dialect, options), table: signalTable(file), override };
}

/** The one way to a declared provider: address derived and checked, credentials attached, reply classified. Never throws. */
export async function callProvider(
  api: DeclaredApi,
  request: DeclaredRequest,
  call: ProviderCall,
): Promise<DeclaredAnswer> {
  const prepared = prepare(api, request, call.auth);
  if ('class' in prepared) return { ok: false, failure: prepared };
  const withheld = await call.withhold?.('account');
  if (withheld) return { ok: false, failure: withheld };
  const read = (outcome: HttpOutcome) => readAnswer(api, request, call.auth, outcome);
  return api.http.exchange(request.operation, prepared, call, read);
}

function dialectOf(file: Declaration): Dialect {
  const { name, displayName, rate } = file;
  const { limitHeader, windowMs } = rate;
  return {
    provider: name,
    displayName,
    requestIdOf: (headers) => requestIdOf(file, headers),
    quotaOf: (headers) => {
      const limit = limitHeader === undefined ? Number.NaN : Number(headers[limitHeader.toLowerCase()]);
      return Number.isSafeInteger(limit) && limit > 0 ? { limit, windowMs } : undefined;
    },
  };
}

/** The request as it is sent, or why it is not: nothing of it has left then. */
function prepare(
  { file, override }: DeclaredApi,
  { method, path, texts, query = [], body }: DeclaredRequest,
  auth: Auth,
): HttpRequest | ProviderFailure {
  const variables = variablesOf(file, auth);
  if (!variables.ok) return refused(variables.message, 'call');
  const origin = originOf(file, file.baseUrl, variables.texts, override);
  if (!origin.ok) return refused(origin.message, 'call');
  const named = { ...variables.texts, ...texts };
  for (const [name, value] of Object.entries(named)) {
    const fault = path.includes(`{${name}}`) ? segmentFault(value) : undefined;
    if (fault !== undefined)
      return refused(`${name === 'object' ? 'objectName' : name} '${value.slice(0, 40)}' ${fault}`, 'call');
  }
  const attached = attach(file.auth, auth);
  if (typeof attached === 'string') return { class: 'credentials', scope: 'call', message: attached };
  const secret = query.find(([name]) => Object.hasOwn(attached.query, name));
  if (secret) return refused(`a filter cannot be named ${secret[0]}: the credentials are sent there`, 'call');
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
    origin: origin.origin,
    path: fillPath(path, named) + (search.size > 0 ? `?${search.toString()}` : ''),
    headers: { ...Object.fromEntries(fixed), ...attached.headers },
    body,
  };
}

function readAnswer(
  { file, table }: DeclaredApi,
  request: DeclaredRequest,
  { accessToken: token, kind }: Auth,
  outcome: HttpOutcome,
): DeclaredAnswer {
  const { operation, isKeyed = false, success, mayBeEmpty } = request;
  const on = operation === 'create' || operation === 'update' ? operation : 'read';
  const failureOf = (flaw?: 'unreadable' | 'failed') =>
    classify(file, table, { on, outcome, isKeyed, kind, token, flaw });
  const reply = outcome.kind === 'reply' ? outcome.reply : undefined;
  if (reply === undefined || reply.status < 200 || reply.status >= 300 || reply.fault)
    return { ok: false, failure: failureOf() };
  const lacking = () => failureOf('unreadable');
  const isEmpty = reply.json === undefined && reply.text === undefined;
  const said = file.warningHeader && reply.headers[file.warningHeader.toLowerCase()];
  const warning = said ? { warning: cleanText(`${file.displayName}: ${said}`, token) } : {};
  if (isEmpty && mayBeEmpty) return { ok: true, body: undefined, lacking, ...warning };
  const value = success && valueAt(reply.json, success.at);
  // A page in place of JSON is no answer.
  if (reply.json === undefined || (success && value === undefined)) return { ok: false, failure: lacking() };
  if (value !== success?.equals) return { ok: false, failure: failureOf('failed') };
  return { ok: true, body: reply.json, lacking, ...warning };
}
