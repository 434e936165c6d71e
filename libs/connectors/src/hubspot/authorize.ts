import { askingForCode, exchangeForm } from '../code-grant';
import type { AuthorizationRequest, CodeExchange } from '../requests';
import type { FreshTokens } from '../results';
import type { HubspotApi } from './call-hubspot';
import { askForTokens } from './token-call';

/** HubSpot's page is on another host than its API; what stands in place of the API stands in place of the page too. */
const apiOrigin = 'https://api.hubapi.com';
const pageOrigin = 'https://app.hubspot.com';

/** Where the page of the HubSpot behind this base URL is. */
export function authorizeUrlOf(apiUrl: string): string {
  const { origin } = new URL(apiUrl);
  return `${origin === apiOrigin ? pageOrigin : origin}/oauth/authorize`;
}

/**
 * The address of the page where a customer chooses an account and allows the app in. The PKCE challenge is sent although
 * the public pages say of it only that some apps need it (ours; see rulings). Source: reference A1; RFC 7636.
 */
export function authorizationUrl(pageUrl: string, request: AuthorizationRequest): string {
  return askingForCode(new URL(pageUrl), request);
}

/**
 * Changes a code into tokens. Source: reference A1; RFC 6749, 4.1.3.
 * @throws ProviderError
 */
export function exchangeCode(api: HubspotApi, request: CodeExchange): Promise<FreshTokens> {
  return askForTokens(api, { ...request, ...exchangeForm(request), operation: 'exchange-code' });
}
