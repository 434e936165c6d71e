import { retryOf } from '@sluice/errors';
import {
  cleanText,
  failureClassOf,
  toProviderError,
  type Answer,
  type Dialect,
  type ProviderHttp,
} from './provider-call';
import { type HttpOutcome, type HttpReply, type HttpRequest, isJson, textOf, type Json } from './http-client';
import type { AppClient, AuthorizationRequest, CodeExchange, TokenGrant, TokenRefresh } from './requests';
import type { FreshTokens, ProviderFailure } from './results';
import { decide, propertiesOf, type FailureRow } from './failure-table';
import { statedWaitMs } from './stated-wait';

type Form = Readonly<Record<string, string>>;

/** A request for tokens. */
export type TokenRequest = CodeExchange | TokenRefresh | TokenGrant;

/** The form of a request to a token endpoint, and its secrets, which no text may hold. */
interface Grant {
  readonly operation: 'refresh' | 'exchange-code' | 'grant';
  readonly form: Form;
  readonly secrets: readonly string[];
}

/** Source: RFC 6749, 4.1.3, 4.3, 4.4 and 6; RFC 7636, 4.5. @param isChallenged the code was requested with a challenge */
function grantOf(request: TokenRequest, isChallenged: boolean): Grant {
  if ('refreshToken' in request) {
    const { refreshToken } = request;
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken };
    return { operation: 'refresh', form, secrets: [refreshToken] };
  }
  if ('code' in request) {
    const { code, redirectUri, codeVerifier } = request;
    const form = { grant_type: 'authorization_code', redirect_uri: redirectUri, code };
    const verifier: Form = isChallenged ? { code_verifier: codeVerifier } : {};
    return { operation: 'exchange-code', form: { ...form, ...verifier }, secrets: [code, codeVerifier] };
  }
  const user: Form = request.grantType === 'password' ? { username: request.username, password: request.password } : {};
  return { operation: 'grant', form: { grant_type: request.grantType, ...user }, secrets: Object.values(user) };
}

/** A text without the secrets of a request for tokens. */
export function withoutSecrets(text: string, request: TokenRequest): string {
  return cleanText(text, ...grantOf(request, true).secrets, request.clientSecret);
}

/** The app in the form, or as the user of the request: RFC 6749, 2.3.1 encodes id and secret before they are joined. */
function withClient(
  form: Form,
  { clientId, clientSecret }: AppClient,
  client: 'body' | 'basic',
): Pick<HttpRequest, 'headers' | 'form'> {
  if (client === 'body') return { headers: {}, form: { ...form, client_id: clientId, client_secret: clientSecret } };
  const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
  return { headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }, form };
}

/**
 * The address of a provider's page with the parameters that request a code. What only one provider needs is set before.
 * Source: RFC 6749, 4.1.1; RFC 7636, 4.3.
 */
export function requestCode(page: URL, request: AuthorizationRequest, separator = ' ', isChallenged = true): string {
  const { clientId, redirectUri, state, codeChallenge, scopes = [] } = request;
  page.searchParams.set('client_id', clientId);
  page.searchParams.set('redirect_uri', redirectUri);
  if (scopes.length > 0) page.searchParams.set('scope', scopes.join(separator));
  page.searchParams.set('state', state);
  if (isChallenged) {
    page.searchParams.set('code_challenge', codeChallenge);
    page.searchParams.set('code_challenge_method', 'S256');
  }
  return page.href;
}

/**
 * Largest reply of a token endpoint, in bytes: tokens have some kB. Nobody's share of memory holds one while it is read into tokens, and anybody
 * can make a return (40 of 10 MB ended management).
 */
const tokenReplyBytesMax = 262_144;

/** A token endpoint, and how its replies are read. */
interface TokenEndpoint extends Pick<HttpRequest, 'origin' | 'path'> {
  readonly dialect: Dialect;
  readonly http: ProviderHttp;
  /** Rows for replies. */
  readonly table: readonly FailureRow[];
  /** @default `error` and `error_description` */
  readonly errorOf?: (body: Json) => TokenError;
  /** @default any form that is known */
  readonly waitOf?: typeof statedWaitMs;
  /** Where the app's id and secret go. @default 'body' */
  readonly client?: 'body' | 'basic' | undefined;
  /** The provider's page takes a challenge. @default true */
  readonly isChallenged?: boolean;
}

/** The OAuth error code in the body of a refusal, and its description. */
interface TokenError {
  readonly code?: string | undefined;
  readonly text?: string | undefined;
  /** A further code, which decides where the first does not. */
  readonly otherCode?: string | undefined;
}

/** RFC 6749, 5.2, and the forms in which providers depart from it: an object or a list as the code, a text under another name. */
export function usualError(body: Json): TokenError {
  const [first = body['error']]: unknown[] = [body['errors'], body['error']].find(Array.isArray) ?? [];
  const inner = isJson(first) ? first : {};
  const firstOf = (...values: unknown[]) => values.map(textOf).find((text) => text !== undefined);
  return {
    code: firstOf(first, inner['code'], inner['type'], inner['error'], body['code']),
    text: firstOf(body['error_description'], body['message'], inner['detail'], inner['message'], inner['title']),
  };
}

/** A list holds the error object. A single word, JSON or not, is the code. */
function bodyOf({ json, text }: Partial<HttpReply> = {}): Json {
  const first: unknown = Array.isArray(json) ? json[0] : (json ?? text);
  return isJson(first) ? first : { error: /^\s*\w+\s*$/.exec(textOf(first) ?? '')?.[0] };
}

/** The body that gives a token, with the moment before it was requested: a slow reply must not make a token look younger than it is. */
interface TokenReply {
  readonly body: Json;
  readonly accessToken: string;
  readonly startedAt: number;
}

/**
 * Requests tokens, form-encoded. Whatever a reply with an access token says besides, the tokens are returned, because the old refresh token
 * may be dead. Source: RFC 6749, section 5.
 * @throws ProviderError
 */
export async function requestTokens(endpoint: TokenEndpoint, request: TokenRequest): Promise<TokenReply> {
  const { dialect, http, path, origin, client = 'body', isChallenged = true } = endpoint;
  const startedAt = Date.now();
  const { operation, form } = grantOf(request, isChallenged);
  const sent = {
    method: 'POST',
    path,
    origin,
    bytesMax: tokenReplyBytesMax,
    ...withClient(form, request, client),
  } as const;
  const read = (outcome: HttpOutcome): Answer<TokenReply> => {
    const reply = outcome.kind === 'reply' && !outcome.reply.fault ? outcome.reply : undefined;
    const body = isJson(reply?.json) ? reply.json : {};
    const accessToken = reply && reply.status >= 200 && reply.status < 300 ? textOf(body['access_token']) : undefined;
    if (accessToken !== undefined) return { ok: true, body: { body, accessToken, startedAt } };
    return { ok: false, failure: tokenFailure(endpoint, operation, request, outcome) };
  };
  const answer = await http.exchange(operation, sent, request, read);
  if (!answer.ok) throw toProviderError(answer.failure, dialect.provider);
  return answer.body;
}

/** A hundred years. A longer lifetime is a placeholder such as the largest integer, and makes no moment that can be stored. [own] */
const lifeSecondsMax = 3_155_760_000;

/** The members that every token reply has. A provider adds those that only its own reply has. Source: RFC 6749, 5.1. */
export function freshTokens(
  { accessToken, startedAt }: TokenReply,
  refreshToken: string | undefined,
  expiresIn: unknown,
  scopes: readonly string[],
): FreshTokens {
  const seconds = Number(expiresIn);
  return {
    accessToken,
    ...(refreshToken !== undefined && { refreshToken }),
    ...(seconds > 0 && seconds <= lifeSecondsMax && { expiresAt: new Date(startedAt + seconds * 1_000) }),
    ...(scopes.length > 0 && { scopes }),
  };
}

function tokenFailure(
  { dialect, table, errorOf = usualError, waitOf = statedWaitMs, path }: TokenEndpoint,
  operation: Grant['operation'],
  request: TokenRequest,
  outcome: HttpOutcome,
): ProviderFailure {
  const reply = outcome.kind === 'reply' ? outcome.reply : undefined;
  const { code, text, otherCode } = errorOf(bodyOf(reply));
  const is = { whole: reply !== undefined && !reply.fault, json: reply?.json !== undefined };
  const row = decide(table, {
    on: 'token',
    status: reply?.status,
    fault: outcome.kind === 'not-sent' ? 'not-sent' : faultOf(outcome),
    code,
    text: [otherCode, text].filter(Boolean).join(' '),
    is: propertiesOf({ ...is, ownClient: operation === 'grant', refresh: operation === 'refresh' }),
  });
  const failureClass = failureClassOf(row);
  const isFinal = failureClass === 'credentials' || retryOf(failureClass) === 'never';
  const waitMs = isFinal ? undefined : (waitOf(reply, Date.now()) ?? row.waitMs);
  const said = [code ?? otherCode, text].filter(Boolean).join(': ');
  const where = reply && `answered ${reply.status} to POST ${path}`;
  const isGone = !isFinal && (reply?.status === 404 || reply?.status === 410);
  const reason =
    outcome.kind !== 'reply'
      ? outcome.reason
      : isFinal && said !== ''
        ? said
        : [`it ${where}`, isGone && 'the token endpoint is not there', said].filter(Boolean).join(': ');
  return {
    class: failureClass,
    scope: 'call',
    message: withoutSecrets(`${meaningOf(row, dialect, operation)}: ${reason}`, request),
    ...(reply && { status: reply.status }),
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
    ...(row.triesMax !== undefined && { triesMax: row.triesMax }),
  };
}

function faultOf(outcome: Exclude<HttpOutcome, { kind: 'not-sent' }>) {
  if (outcome.kind === 'no-reply') return outcome.fault;
  return outcome.reply.fault === 'timeout' ? 'timeout' : undefined;
}

function meaningOf(row: FailureRow, { displayName }: Dialect, operation: Grant['operation']): string {
  if (row.class === 'rejected')
    return operation === 'grant'
      ? `${displayName} refuses the request for a token`
      : `${displayName} refuses the provider app`;
  if (row.class !== 'credentials') return `${displayName} gave no token`;
  if (operation === 'exchange-code') return `${displayName} refuses the code; the customer must connect again`;
  if (operation === 'grant') return `${displayName} refuses the connection's credentials`;
  return row.triesMax === undefined
    ? `${displayName} reports that the access has ended; the customer must connect again`
    : `${displayName} refuses the refresh token and does not say that the access has ended`;
}
