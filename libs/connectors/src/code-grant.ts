import type { AuthorizationRequest, CodeExchange } from './requests';

/**
 * The address of a provider's page with what asks it for a code; what only one provider wants stands there before.
 * Source: RFC 6749, 4.1.1; RFC 7636, 4.3.
 */
export function askingForCode(page: URL, request: AuthorizationRequest): string {
  const { clientId, redirectUri, state, codeChallenge, scopes = [] } = request;
  page.searchParams.set('client_id', clientId);
  page.searchParams.set('redirect_uri', redirectUri);
  if (scopes.length > 0) page.searchParams.set('scope', scopes.join(' '));
  page.searchParams.set('state', state);
  page.searchParams.set('code_challenge', codeChallenge);
  page.searchParams.set('code_challenge_method', 'S256');
  return page.href;
}

/**
 * The form that changes a code into tokens, of an app that names itself in it, and its values that no text may hold.
 * Source: RFC 6749, 4.1.3; RFC 7636, 4.5.
 */
export function exchangeForm({ code, redirectUri, codeVerifier, clientId, clientSecret }: CodeExchange) {
  const form = {
    grant_type: 'authorization_code',
    client_id: clientId,
    client_secret: clientSecret,
    redirect_uri: redirectUri,
    code,
    code_verifier: codeVerifier,
  };
  return { form, secrets: [code, codeVerifier, clientSecret] };
}
