import { type Json, textOf } from '../http-client';
import type { AuthorizationRequest, CodeExchange, TokenRefresh } from '../requests';
import type { FreshTokens } from '../results';
import { freshTokens, requestCode, requestTokens, usualError } from '../tokens';
import { hubspot, type HubspotApi } from './call-hubspot';
import { tokenRows } from './failure-tables';
import { paths, textsOf } from './wire';

/** HubSpot's page is on another host than its API; an override of the API's address holds for the page too. */
const apiOrigin = 'https://api.hubapi.com';
const pageOrigin = 'https://app.hubspot.com';

/** Where the page of the HubSpot behind this base URL is. */
export function authorizeUrlOf(apiUrl: string): string {
  const { origin } = new URL(apiUrl);
  return `${origin === apiOrigin ? pageOrigin : origin}/oauth/authorize`;
}

/**
 * The address of the page where a customer chooses an account and allows the app in. The PKCE challenge is sent although
 * the public pages say of it only that some apps need it (our choice; see rulings). Source: reference A1; RFC 7636.
 */
export function authorizationUrl(pageUrl: string, request: AuthorizationRequest): string {
  return requestCode(new URL(pageUrl), request);
}

/**
 * `POST /oauth/2026-03/token`, for a code or a refresh token. The refresh token of the reply is normally the old one.
 * Source: reference A1; RFC 6749, 4.1.3, 5 and 6.
 * @throws ProviderError
 */
export async function tokensFor(api: HubspotApi, request: CodeExchange | TokenRefresh): Promise<FreshTokens> {
  const endpoint = { dialect: hubspot, http: api.http, path: paths.token, table: tokenRows, errorOf };
  const reply = await requestTokens(endpoint, request);
  const { body } = reply;
  const [workspaceRef, consumerRef] = [numberText(body['hub_id']), numberText(body['user_id'])];
  return {
    ...freshTokens(reply, textOf(body['refresh_token']), body['expires_in'], textsOf(body['scopes'] ?? [])),
    ...(workspaceRef !== undefined && { workspaceRef }),
    ...(consumerRef !== undefined && { consumerRef }),
  };
}

/** `error` is the code of OAuth, `status` HubSpot's own: `BAD_REFRESH_TOKEN`, or `error` in errors of the edge. */
function errorOf(body: Json) {
  const { code, text } = usualError(body);
  const own = body['status'] === 'error' ? undefined : textOf(body['status']);
  return { code: code ?? own, otherCode: own, text };
}

/** HubSpot's ids of accounts and users are integers. */
function numberText(value: unknown): string | undefined {
  return Number.isSafeInteger(value) ? String(value) : undefined;
}
