import type { FailureClass } from '@sluice/errors';
import type { HttpOutcome } from '../http-client';
import type { AppClient, Auth, CodeExchange, ProviderCall, TokenGrant, TokenRefresh } from '../requests';
import type { FreshTokens, ProviderFailure } from '../results';
import { cleanText, toProviderError } from '../signals';
import type { DeclaredApi } from './call-provider';
import { waitOf } from './classify';
import type { DeclaredOAuth2 } from './declaration';
import { textAt } from './template';
import { addressOf, otherwise, toldVariables } from './variables';

type Form = Readonly<Record<string, string>>;

interface TokenCall
  extends Pick<ProviderCall, 'signal' | 'traceparent' | 'observe'>, AppClient, Pick<Auth, 'workspaceRef' | 'metadata'> {
  readonly operation: 'refresh' | 'exchange-code' | 'grant';
  readonly form: Form;
  /** Values of the form that no text may hold. */
  readonly secrets: readonly string[];
}

/** Source: RFC 6749, section 6. @throws ProviderError */
export function refresh(api: DeclaredApi, oauth2: DeclaredOAuth2, request: TokenRefresh): Promise<FreshTokens> {
  const { refreshToken } = request;
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken };
  return askForTokens(api, oauth2, { ...request, operation: 'refresh', form, secrets: [refreshToken] });
}

/** Source: RFC 6749, 4.1.3; RFC 7636, 4.5. @throws ProviderError */
export function exchangeCode(api: DeclaredApi, oauth2: DeclaredOAuth2, request: CodeExchange): Promise<FreshTokens> {
  const { code, redirectUri, codeVerifier } = request;
  const form = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    ...(oauth2.grants.includes('authorizationCodePKCE') && { code_verifier: codeVerifier }),
  };
  return askForTokens(api, oauth2, { ...request, operation: 'exchange-code', form, secrets: [code, codeVerifier] });
}

/** Source: RFC 6749, 4.3 and 4.4. The app is the connection's own, so that what is refused is its credentials. @throws ProviderError */
export function grant(api: DeclaredApi, oauth2: DeclaredOAuth2, request: TokenGrant): Promise<FreshTokens> {
  const user: Form = request.grantType === 'password' ? { username: request.username, password: request.password } : {};
  const form = { grant_type: request.grantType, ...user };
  return askForTokens(api, oauth2, { ...request, operation: 'grant', form, secrets: Object.values(user) });
}

async function askForTokens(api: DeclaredApi, oauth2: DeclaredOAuth2, call: TokenCall): Promise<FreshTokens> {
  const { file, override, meter } = api;
  const startedAt = Date.now();
  const place = addressOf(file, oauth2.tokenUrl, call, override);
  if (!place.ok) throw toProviderError({ class: 'rejected', scope: 'call', message: place.message }, file.name);
  const outcome = await api.send(toRequest(place.origin, oauth2, call));
  const body = outcome.kind === 'reply' ? outcome.reply.json : undefined;
  const accessToken = textAt(body, '/access_token');
  const isGiven =
    outcome.kind === 'reply' && outcome.reply.status < 300 && !outcome.reply.fault && accessToken !== undefined;
  const failure = isGiven ? undefined : tokenFailure(api, call, outcome);
  const seen = {
    durationMs: Math.round(outcome.durationMs),
    ...(outcome.kind === 'reply' && { status: outcome.reply.status }),
  };
  meter.measured(call.operation, failure?.class ?? 'ok', outcome, seen);
  call.observe?.(seen);
  if (failure) throw toProviderError(failure, file.name);
  const tokens = toTokens(body, accessToken as string, startedAt);
  return { ...tokens, ...placeTold(api, call, body) };
}

/** Where the reply says that the account is, and what of it becomes the connection's. @throws ProviderError, for a refresh never */
function placeTold(api: DeclaredApi, call: TokenCall, body: unknown): Pick<FreshTokens, 'metadata' | 'refusedPlace'> {
  const { file } = api;
  const told = toldVariables(file, body);
  if (told.ok) {
    const other = call.operation === 'exchange-code' ? told.metadata : otherwise(file, told.metadata, call);
    const [first] = Object.entries(other);
    if (first === undefined) return {};
    // Who sends credentials of its own named the place itself, and no connection has these tokens yet.
    if (call.operation === 'grant') throw refusedPlace(api, call, elsewhere(first));
    return { metadata: other };
  }
  const message = cleanText(told.message, ...call.secrets, call.clientSecret);
  // The old refresh token may be dead, so the pair must not be lost for what else the reply says.
  if (call.operation === 'refresh') return { refusedPlace: message };
  throw refusedPlace(api, call, message);
}

const elsewhere = ([name, value]: readonly [string, string]) =>
  `the account is at another address: providerMetadata.${name} must be ${value}`;

function refusedPlace({ file }: DeclaredApi, call: TokenCall, fault: string) {
  const message = cleanText(fault, ...call.secrets, call.clientSecret);
  return toProviderError({ class: 'rejected', scope: 'call', message }, file.name);
}

function toRequest(address: string, { client = 'body' }: DeclaredOAuth2, call: TokenCall) {
  const { origin, pathname: path } = new URL(address);
  const { clientId, clientSecret, form, signal, traceparent } = call;
  const inBody: Form = client === 'body' ? { client_id: clientId, client_secret: clientSecret } : {};
  // RFC 6749, 2.3.1: id and secret are form-encoded before they are joined.
  const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
  const headers: Form = client === 'basic' ? { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } : {};
  return {
    method: 'POST' as const,
    origin,
    path,
    headers,
    form: { ...form, ...inBody },
    ...(signal && { signal }),
    ...(traceparent !== undefined && { traceparent }),
  };
}

/** Words by which a token endpoint says that the customer's grant is gone. Source: RFC 6749, 5.2; access_denied: reference A1. */
const grantGone = ['invalid_grant', 'access_denied'];
/** Of a connection's own client these speak of its credentials too. */
const clientRefused = ['invalid_client', 'unauthorized_client'];

function tokenFailure({ file }: DeclaredApi, call: TokenCall, outcome: HttpOutcome): ProviderFailure {
  const reply = outcome.kind === 'reply' ? outcome.reply : undefined;
  const error = textAt(reply?.json, '/error');
  const failureClass = tokenClass(call, outcome, error);
  const isFinal = failureClass === 'credentials' || failureClass === 'rejected';
  const waitMs = isFinal ? undefined : waitOf(reply?.headers ?? {}, Date.now(), file.waits);
  const said =
    textAt(reply?.json, '/error_description') ??
    textAt(reply?.json, '/message') ??
    error ??
    (outcome.kind === 'reply' ? `status ${outcome.reply.status} without a message` : outcome.reason);
  const meaning = {
    rejected: `${file.displayName} refuses the app; check the provider app's client id and secret`,
    credentials: `${file.displayName} says that the access was taken back or is refused; the customer must connect again`,
  };
  const told =
    failureClass === 'credentials' || failureClass === 'rejected'
      ? meaning[failureClass]
      : `${file.displayName} gave no token`;
  return {
    class: failureClass,
    scope: 'call',
    message: cleanText(`${told}: ${said}`, ...call.secrets, call.clientSecret),
    ...(reply && { status: reply.status }),
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
  };
}

/** The HTTP status wins over the body: a 503 that says invalid_grant is one of a gateway. Source: reference A1. */
function tokenClass({ operation }: TokenCall, outcome: HttpOutcome, error: string | undefined): FailureClass {
  if (outcome.kind === 'not-sent') return 'unavailable';
  if (outcome.kind === 'no-reply') return outcome.fault === 'timeout' ? 'timeout' : 'unavailable';
  const { status, fault } = outcome.reply;
  if (status === 429) return 'quota';
  if (status < 400 || status >= 500 || fault !== undefined || [408, 423, 425].includes(status)) return 'unavailable';
  if (error !== undefined && grantGone.includes(error)) return 'credentials';
  return operation === 'grant' && (status === 401 || (error !== undefined && clientRefused.includes(error)))
    ? 'credentials'
    : 'rejected';
}

function toTokens(body: unknown, accessToken: string, startedAt: number): FreshTokens {
  const refreshToken = textAt(body, '/refresh_token');
  const seconds = Number(textAt(body, '/expires_in') ?? Number.NaN);
  const scopes = (textAt(body, '/scope') ?? '').split(/[\s,]+/).filter(Boolean);
  return {
    accessToken,
    ...(refreshToken !== undefined && { refreshToken }),
    // Counted from before the request, so that a slow reply cannot make a token look younger than it is.
    ...(seconds > 0 && Number.isFinite(seconds) && { expiresAt: new Date(startedAt + seconds * 1_000) }),
    ...(scopes.length > 0 && { scopes }),
  };
}
