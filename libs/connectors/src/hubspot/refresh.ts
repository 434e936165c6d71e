import type { FailureClass } from '@sluice/errors';
import { cleanText } from '../failure-text';
import type { HttpOutcome } from '../http-client';
import type { TokenRefresh } from '../requests';
import type { FreshTokens, ProviderFailure } from '../results';
import { toProviderError } from '../thrown-failure';
import type { HubspotApi } from './call-hubspot';
import type { HubspotAnswer } from './hubspot-request';
import { saidBy, tokenFailure } from './token-failures';
import { isJson, textOf, textsOf, type Json } from './wire';

/**
 * `POST /oauth/v1/token`, form-encoded. The refresh token of the reply is normally the old one; what comes back is
 * what counts. Source: reference A1; RFC 6749, section 6.
 * @throws ProviderError
 */
export async function refresh(api: HubspotApi, request: TokenRefresh): Promise<FreshTokens> {
  const { refreshToken, clientId, clientSecret, signal, traceparent } = request;
  const startedAt = Date.now();
  const sent = {
    method: 'POST' as const,
    path: api.urls.token,
    headers: {},
    form: {
      grant_type: 'refresh_token',
      client_id: clientId,
      client_secret: clientSecret,
      refresh_token: refreshToken,
    },
    ...(signal && { signal }),
    ...(traceparent !== undefined && { traceparent }),
  };
  const answer = await api.exchange('refresh', sent, request.observe, (outcome) => readTokens(outcome, request));
  if (!answer.ok) throw toProviderError(answer.failure, 'hubspot');
  return toTokens(answer.body, startedAt);
}

function readTokens(outcome: HttpOutcome, request: TokenRefresh): HubspotAnswer {
  const reply = outcome.kind === 'reply' ? outcome.reply : undefined;
  const body = isJson(reply?.json) ? reply.json : {};
  const isSuccess = reply !== undefined && reply.status >= 200 && reply.status < 300 && !reply.fault;
  if (isSuccess && textOf(body['access_token']) !== undefined) return { ok: true, body };
  const fault = outcome.kind === 'no-reply' ? outcome.fault : reply?.fault;
  const [error, code] = [textOf(body['error']), textOf(body['status'])];
  const { class: failureClass, ...wait } = tokenFailure(
    {
      isTimeout: fault === 'timeout',
      isWhole: reply !== undefined && !reply.fault,
      ...(reply && { status: reply.status }),
      ...(error !== undefined && { error }),
      ...(code !== undefined && { code }),
    },
    reply?.headers ?? {},
    Date.now(),
  );
  const reason = outcome.kind === 'reply' ? undefined : outcome.reason;
  const said = saidBy(body) ?? reason ?? `status ${reply?.status} without a message`;
  const failure: ProviderFailure = {
    class: failureClass,
    scope: 'call',
    message: cleanText(`${meanings[failureClass] ?? meanings.unavailable}: ${said}`, ...secretsOf(request)),
    ...(reply && { status: reply.status }),
    ...wait,
  };
  return { ok: false, failure };
}

const meanings: Readonly<Partial<Record<FailureClass, string>>> & { readonly unavailable: string } = {
  credentials: 'HubSpot says that the access was taken back; the customer must connect again',
  rejected: "HubSpot refuses the app; check the provider app's client id and secret",
  unavailable: 'HubSpot did not refresh the token',
};

function secretsOf({ refreshToken, clientSecret }: TokenRefresh): string[] {
  return [refreshToken, clientSecret];
}

function toTokens(body: Json, startedAt: number): FreshTokens {
  const refreshToken = textOf(body['refresh_token']);
  const seconds = Number(body['expires_in']);
  const scopes = textsOf(body['scopes'] ?? []);
  return {
    accessToken: textOf(body['access_token']) ?? '',
    ...(refreshToken !== undefined && { refreshToken }),
    // Counted from before the request, so that a slow reply cannot make a token look younger than it is.
    ...(seconds > 0 && Number.isFinite(seconds) && { expiresAt: new Date(startedAt + seconds * 1_000) }),
    ...(scopes.length > 0 && { scopes }),
  };
}
