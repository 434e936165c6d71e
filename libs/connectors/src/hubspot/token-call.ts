import type { FailureClass } from '@sluice/errors';
import { cleanText, toProviderError } from '../signals';
import type { HttpOutcome } from '../http-client';
import type { ProviderCall } from '../requests';
import type { FreshTokens, ProviderFailure } from '../results';
import type { HubspotApi, HubspotAnswer } from './call-hubspot';
import { saidBy, tokenFailure } from './token-failures';
import { isJson, textOf, textsOf, type Json } from './wire';

/** One request to the token endpoint. */
interface TokenCall extends Pick<ProviderCall, 'signal' | 'traceparent' | 'observe'> {
  readonly operation: 'refresh' | 'exchange-code';
  readonly form: Readonly<Record<string, string>>;
  /** Values of the form that no text may hold. */
  readonly secrets: readonly string[];
}

/**
 * `POST /oauth/v1/token`, form-encoded. What comes back is what counts, also of a refresh token that is the old one.
 * Source: reference A1; RFC 6749, section 5.
 * @throws ProviderError
 */
export async function askForTokens(api: HubspotApi, call: TokenCall): Promise<FreshTokens> {
  const { operation, form, signal, traceparent } = call;
  const startedAt = Date.now();
  const sent = {
    method: 'POST' as const,
    path: api.urls.token,
    headers: {},
    form,
    ...(signal && { signal }),
    ...(traceparent !== undefined && { traceparent }),
  };
  const answer = await api.exchange(operation, sent, call.observe, (outcome) => readTokens(outcome, call));
  if (!answer.ok) throw toProviderError(answer.failure, 'hubspot');
  return toTokens(answer.body, startedAt);
}

function readTokens(outcome: HttpOutcome, { operation, secrets }: TokenCall): HubspotAnswer {
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
    message: cleanText(`${meaningOf(failureClass, operation)}: ${said}`, ...secrets),
    ...(reply && { status: reply.status }),
    ...wait,
  };
  return { ok: false, failure };
}

function meaningOf(failureClass: FailureClass, operation: TokenCall['operation']): string {
  if (failureClass === 'rejected') return "HubSpot refuses the app; check the provider app's client id and secret";
  if (failureClass !== 'credentials') return 'HubSpot gave no token';
  return operation === 'refresh'
    ? 'HubSpot says that the access was taken back; the customer must connect again'
    : 'HubSpot refuses the code; the customer must connect again';
}

function toTokens(body: Json, startedAt: number): FreshTokens {
  const refreshToken = textOf(body['refresh_token']);
  const seconds = Number(body['expires_in']);
  const scopes = textsOf(body['scopes'] ?? []);
  const [workspaceRef, consumerRef] = [numberText(body['hub_id']), numberText(body['user_id'])];
  return {
    accessToken: textOf(body['access_token']) ?? '',
    ...(refreshToken !== undefined && { refreshToken }),
    // Counted from before the request, so that a slow reply cannot make a token look younger than it is.
    ...(seconds > 0 && Number.isFinite(seconds) && { expiresAt: new Date(startedAt + seconds * 1_000) }),
    ...(scopes.length > 0 && { scopes }),
    ...(workspaceRef !== undefined && { workspaceRef }),
    ...(consumerRef !== undefined && { consumerRef }),
  };
}

/** HubSpot's ids of accounts and users are integers. */
function numberText(value: unknown): string | undefined {
  return Number.isSafeInteger(value) ? String(value) : undefined;
}
