import { cleanText, toProviderError, retryAfterMs, decide, type SignalRow } from '../signals';
import type { HttpOutcome } from '../http-client';
import type { ProviderCall } from '../requests';
import type { FreshTokens, ProviderFailure } from '../results';
import { exchangeOf, type SalesforceApi } from './call-salesforce';
import { workspaceRefOf } from './instance';
import { paths } from './paths';
import { isJson, readErrors, textOf } from './wire';

/** One request to the token endpoint. */
interface TokenCall extends Pick<ProviderCall, 'signal' | 'traceparent' | 'observe'> {
  readonly operation: 'refresh' | 'exchange-code' | 'grant';
  readonly form: Readonly<Record<string, string>>;
  /** Values of the form that no text may hold. */
  readonly secrets: readonly string[];
  /** Where it goes. @default the login */
  readonly origin?: string | undefined;
  /** The refused client is the connection's own, not the builder's app. @default false */
  readonly isOwnClient?: boolean;
}

/**
 * `POST /services/oauth2/token`. The reply tells no end of life: the session's timeout is a setting of the account. A new
 * refresh token means that the account rotates them and the old one is dead. Source: reference B1.
 * @throws ProviderError
 */
export async function askForTokens(api: SalesforceApi, call: TokenCall): Promise<FreshTokens> {
  const { form, signal, traceparent, observe, origin } = call;
  const sent = {
    path: paths.token,
    form,
    ...(origin !== undefined && { origin }),
    ...(signal && { signal }),
    ...(traceparent !== undefined && { traceparent }),
  };
  const outcome = await api.exchangeToken(sent);
  const tokens = tokensOf(outcome);
  const failure = tokens ? undefined : failureOf(outcome, call);
  const seen = exchangeOf(outcome);
  api.meter.measured(call.operation, failure?.class ?? 'ok', outcome, seen);
  observe?.(seen);
  if (tokens) return tokens;
  throw toProviderError(failure as ProviderFailure, 'salesforce');
}

function tokensOf(outcome: HttpOutcome): FreshTokens | undefined {
  if (outcome.kind !== 'reply' || outcome.reply.status !== 200 || !isJson(outcome.reply.json)) return undefined;
  const { access_token: accessToken, refresh_token: refreshToken, scope, id, instance_url } = outcome.reply.json;
  const token = textOf(accessToken);
  if (token === undefined) return undefined;
  const renewed = textOf(refreshToken);
  const scopes = textOf(scope)?.split(' ').filter(Boolean);
  const [workspaceRef, consumerRef] = [workspaceRefOf(textOf(instance_url)), userOf(textOf(id))];
  return {
    accessToken: token,
    ...(renewed !== undefined && { refreshToken: renewed }),
    ...(scopes && { scopes }),
    ...(workspaceRef !== undefined && { workspaceRef }),
    ...(consumerRef !== undefined && { consumerRef }),
  };
}

/** The user of an identity URL: `https://login.salesforce.com/id/<organization>/<user>`. */
function userOf(identityUrl: string | undefined): string | undefined {
  return identityUrl === undefined ? undefined : /\/id\/\w+\/(\w{15,18})$/.exec(identityUrl)?.[1];
}

/** Refusals of a client. Of the builder's app nothing follows for a connection; its own client is its credentials. */
const clientRefusals = ['invalid_client', 'invalid_client_id', 'invalid_client_credentials'];

function failureOf(outcome: HttpOutcome, { secrets, isOwnClient = false }: TokenCall): ProviderFailure {
  if (outcome.kind !== 'reply') {
    const isTimeout = outcome.kind === 'no-reply' && outcome.fault === 'timeout';
    const message = `Salesforce gave no token: ${outcome.reason}`;
    return { class: isTimeout ? 'timeout' : 'unavailable', scope: 'call', message };
  }
  const { status, headers, json } = outcome.reply;
  const [error] = readErrors(json);
  const refusal = { status, code: error?.code ?? '', text: error?.message ?? '' };
  const row = decide(tokenTable, refusal);
  const waitMs = retryAfterMs(headers, Date.now());
  const said = [error?.code, error?.message].filter(Boolean).join(': ') || `status ${status} without a message`;
  return {
    class: isOwnClient && status < 500 && clientRefusals.includes(refusal.code) ? 'credentials' : row.class,
    scope: 'call',
    status,
    message: cleanText(`Salesforce gave no token: ${said}`, ...secrets),
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
  };
}

/** A reply of the token endpoint that gave no token. */
interface Refusal {
  readonly status: number;
  /** The body's `error`. */
  readonly code: string;
  readonly text: string;
}

/** The first row that matches decides. The status stands over the body: a 503 that carries invalid_grant is still a 503. */
export const tokenTable: readonly SignalRow<Refusal>[] = [
  {
    signal: '5xx, 408, 420, 425',
    matches: ({ status }) => status >= 500 || [408, 420, 425].includes(status),
    class: 'unavailable',
    basis: 'documented',
    source: 'providers.md, B1',
  },
  {
    signal: '429; rate_limit_exceeded, "login rate exceeded"',
    matches: ({ status, code, text }) =>
      status === 429 || code === 'rate_limit_exceeded' || /login rate exceeded/i.test(text),
    class: 'quota',
    basis: 'documented',
    source: 'providers.md, B1; the 429 is assumed',
  },
  {
    signal: 'invalid_grant',
    matches: ({ code }) => code === 'invalid_grant',
    class: 'credentials',
    basis: 'recorded',
    source: 'providers.md, B1: expired, inactive user, not approved',
  },
  {
    signal: 'other 4xx (invalid_client_id, invalid_client, unsupported_grant_type, invalid_app_access)',
    matches: ({ status }) => status >= 400,
    class: 'rejected',
    basis: 'documented',
    source: 'providers.md, B1: the app, not the grant',
  },
  {
    signal: '2xx without a token, 3xx, and whatever is in no row',
    matches: () => true,
    class: 'unavailable',
    basis: 'assumed',
    source: 'the default: it says nothing about the grant',
  },
];
