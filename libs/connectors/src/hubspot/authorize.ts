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
  const url = new URL(pageUrl);
  const { clientId, redirectUri, state, codeChallenge, scopes = [] } = request;
  url.searchParams.set('client_id', clientId);
  url.searchParams.set('redirect_uri', redirectUri);
  if (scopes.length > 0) url.searchParams.set('scope', scopes.join(' '));
  url.searchParams.set('state', state);
  url.searchParams.set('code_challenge', codeChallenge);
  url.searchParams.set('code_challenge_method', 'S256');
  return url.href;
}

/**
 * Changes a code into tokens. Source: reference A1; RFC 6749, 4.1.3.
 * @throws ProviderError
 */
export function exchangeCode(api: HubspotApi, request: CodeExchange): Promise<FreshTokens> {
  const { code, redirectUri, codeVerifier, clientId, clientSecret } = request;
  const form = {
    grant_type: 'authorization_code',
    client_id: clientId,
    client_secret: clientSecret,
    redirect_uri: redirectUri,
    code,
    code_verifier: codeVerifier,
  };
  const secrets = [code, codeVerifier, clientSecret];
  return askForTokens(api, { ...request, operation: 'exchange-code', form, secrets });
}
