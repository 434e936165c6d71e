import { retryOf } from '@sluice/errors';
import { cleanText, failureClassOf, retryAfterMs, toProviderError } from './failures';
import type { HttpOutcome, HttpRequest } from './http-client';
import { isJson, textOf, type Json } from './json';
import type { Answer, Dialect, ProviderHttp } from './provider-call';
import type { AppClient, AuthorizationRequest, CodeExchange, TokenGrant, TokenRefresh } from './requests';
import type { FreshTokens, ProviderFailure } from './results';
import { decide, propertiesOf, type FailureRow } from './failure-table';

type Form = Readonly<Record<string, string>>;

/** What asks a token endpoint for tokens. */
export type TokenRequest = CodeExchange | TokenRefresh | TokenGrant;

/** What a request to a token endpoint carries, and its values that no text may hold. */
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
  readonly errorOf: (body: Json) => TokenError;
  /** @default `Retry-After` */
  readonly waitOf?: typeof retryAfterMs;
  /** Where the app's id and secret go. @default 'body' */
  readonly client?: 'body' | 'basic' | undefined;
  /** The provider's page takes a challenge. @default true */
  readonly isChallenged?: boolean;
}

/** What the body of a refusal says: the OAuth error code, and its description. */
interface TokenError {
  readonly code?: string | undefined;
  readonly text?: string | undefined;
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

/** What every token reply is read into; a provider adds what only its own reply names. Source: RFC 6749, 5.1. */
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
    ...(seconds > 0 && Number.isFinite(seconds) && { expiresAt: new Date(startedAt + seconds * 1_000) }),
    ...(scopes.length > 0 && { scopes }),
  };
}

/** Before the rows of a provider. A reply that is not whole keeps its status, but for one that is late. */
export const tokenTransportRows: readonly FailureRow[] = [
  {
    signal: 'no whole reply within the call timeout',
    fault: ['timeout'],
    class: 'timeout',
    fact: 'recorded: A1: no response is transient',
  },
  {
    signal: 'no reply',
    fault: ['not-sent', 'broken', 'aborted', 'too-large'],
    class: 'unavailable',
    fact: 'recorded: A1: no response is transient',
  },
];

function tokenFailure(
  endpoint: TokenEndpoint,
  operation: Grant['operation'],
  request: TokenRequest,
  outcome: HttpOutcome,
): ProviderFailure {
  const { dialect, table, errorOf, waitOf = retryAfterMs } = endpoint;
  const reply = outcome.kind === 'reply' ? outcome.reply : undefined;
  const { code, text } = errorOf(isJson(reply?.json) ? reply.json : {});
  const row = decide([...tokenTransportRows, ...table], {
    on: 'token',
    status: reply?.status,
    fault: outcome.kind === 'not-sent' ? 'not-sent' : faultOf(outcome),
    code,
    text,
    is: propertiesOf({ whole: reply !== undefined && !reply.fault, ownClient: operation === 'grant' }),
  });
  const failureClass = failureClassOf(row);
  const isFinal = failureClass === 'credentials' || retryOf(failureClass) === 'never';
  const waitMs = isFinal ? undefined : (waitOf(reply?.headers ?? {}, Date.now()) ?? row.waitMs);
  const reason = outcome.kind === 'reply' ? `status ${outcome.reply.status} without a message` : outcome.reason;
  const message = [code, text].filter(Boolean).join(': ') || reason;
  return {
    class: failureClass,
    scope: 'call',
    message: withoutSecrets(`${meaningOf(failureClass, dialect, operation)}: ${message}`, request),
    ...(reply && { status: reply.status }),
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
  };
}

function faultOf(outcome: Exclude<HttpOutcome, { kind: 'not-sent' }>) {
  if (outcome.kind === 'no-reply') return outcome.fault;
  return outcome.reply.fault === 'timeout' ? 'timeout' : undefined;
}

function meaningOf(
  failureClass: ProviderFailure['class'],
  { displayName }: Dialect,
  operation: Grant['operation'],
): string {
  if (failureClass === 'rejected')
    return `${displayName} refuses the app; check the provider app's client id and secret`;
  if (failureClass !== 'credentials') return `${displayName} gave no token`;
  if (operation === 'exchange-code') return `${displayName} refuses the code; the customer must connect again`;
  return operation === 'refresh'
    ? `${displayName} reports that the access was revoked; the customer must connect again`
    : `${displayName} refuses the connection's credentials`;
}
